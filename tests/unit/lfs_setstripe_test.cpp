// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests of setstripe and mkdir, and options that they refuse.
 */
#include <cerrno>

#include "lfs_fixture.hpp"

namespace {

using lfs_test::Case;
using lfs_test::FakeFiles;

/* Head of a request: magic, raid0, no FID. */
std::string head(const char* magic)
{
    return std::string(magic) + "01000000" + std::string(32, '0');
}

void expect_request(const std::string& options, const std::string& hex)
{
    FakeFiles files;
    const auto ran = lfs_test::run(files, "setstripe " + options + " /mnt/lustre/new");

    print_message("setstripe %s\n", options.c_str());
    assert_text(ran.err, "");
    assert_text(ran.out, "");
    assert_int_equal(ran.status, 0);
    assert_text(files.set_path, "/mnt/lustre/new");
    assert_text(lfs_test::hex_of(files.set_bytes), hex);
}

void a_request_is_real_lustres_lov_user_md(void**)
{
    const std::string any = "ffff";

    expect_request("", head("d00bd10b") +
                           "00000000"
                           "0000" +
                           any);
    expect_request("-c 2", head("d00bd10b") +
                               "00000000"
                               "0200" +
                               any);
    expect_request("-c -1 -S 1M", head("d00bd10b") +
                                      "00001000"
                                      "ffff" +
                                      any);
    expect_request("-S 64k -i 3", head("d00bd10b") +
                                      "00000100"
                                      "0000"
                                      "0300");
    expect_request("--stripe-count=1 --stripe-size=65536 --stripe-index=-1", head("d00bd10b") +
                                                                                 "00000100"
                                                                                 "0100" +
                                                                                 any);
    expect_request("-p lustre.flash", head("d00bd30b") +
                                          "00000000"
                                          "0000" +
                                          any + "666c6173680000000000000000000000");
    expect_request("-p none", head("d00bd10b") +
                                  "00000000"
                                  "0000" +
                                  any);
    expect_request("-o 3,0", head("d00bd50b") +
                                 "00000000"
                                 "0200"
                                 "0300" +
                                 std::string(32, '0') + std::string(40, '0') + "03000000" +
                                 std::string(40, '0') + "00000000");
}

/* Entry of a component: id, bytes, where its layout is; generation and time are 0. */
std::string component(const std::string& id, const std::string& start, const std::string& end,
                      const std::string& offset)
{
    return id + "00000000" + start + end + offset + "20000000" + std::string(32, '0');
}

void components_have_the_options_after_their_end(void**)
{
    const std::string zero(16, '0');
    const std::string eof(16, 'f');
    const std::string composite = "d00bd60bc0000000000000000000020000" + std::string(30, '0');

    expect_request("-E 1M -c 1 -E -1 -c 4 -S 2M",
                   composite + component("01000000", zero, "0000100000000000", "80000000") +
                       component("02000000", "0000100000000000", eof, "a0000000") +
                       head("d00bd10b") + "000000000100ffff" + head("d00bd10b") +
                       "000020000400ffff");
    /* A missing option is as before, but for the first OST; those before the first end are its. */
    expect_request("-c 2 -S 64k -i 3 -E 64M --component-end=EOF",
                   composite + component("01000000", zero, "0000000400000000", "80000000") +
                       component("02000000", "0000000400000000", eof, "a0000000") +
                       head("d00bd10b") + "0000010002000300" + head("d00bd10b") +
                       "000001000200ffff");
}

void the_default_of_a_directory_is_set_and_removed(void**)
{
    FakeFiles files;

    files.files["/mnt/lustre/d"].kind = lfs::Kind::Directory;
    assert_int_equal(lfs_test::run(files, "setstripe -c 2 /mnt/lustre/d").status, 0);
    assert_text(files.set_path, "/mnt/lustre/d/");
    assert_text(lfs_test::hex_of(files.set_bytes), head("d00bd10b") +
                                                       "00000000"
                                                       "0200"
                                                       "ffff");
    assert_int_equal(lfs_test::run(files, "setstripe -d /mnt/lustre/d").status, 0);
    assert_text(lfs_test::hex_of(files.set_bytes), head("d00bd10b") +
                                                       "00000000"
                                                       "0000"
                                                       "ffff");
}

void wrong_values_are_refused_with_words(void**)
{
    FakeFiles files;
    const Case cases[] = {
        {"setstripe -S 1000 /mnt/lustre/f", "",
         "error: setstripe: bad stripe_size 1000, must be an even multiple of 65536 bytes\n",
         EINVAL},
        {"setstripe -S 4g /mnt/lustre/f", "", "error: setstripe: stripe size '4g' over 4GB limit\n",
         EINVAL},
        {"setstripe -S big /mnt/lustre/f", "", "error: setstripe: invalid stripe size 'big'\n",
         EINVAL},
        {"setstripe -c 1025 /mnt/lustre/f", "",
         "error: setstripe: invalid stripe count '1025': -1 for all, 0 for the default, or up to "
         "1024\n",
         EINVAL},
        {"setstripe -i x /mnt/lustre/f", "",
         "error: setstripe: invalid stripe offset 'x': -1 for any, or the index of an OST\n",
         EINVAL},
        {"setstripe -i 2 /mnt/lustre/f", "",
         "error: setstripe: setstripe error for '/mnt/lustre/f': bad stripe offset 2: no OST has "
         "this index\n",
         EINVAL},
        {"setstripe -i 1 /mnt/lustre/f", "",
         "error: setstripe: setstripe error for '/mnt/lustre/f': inactive OST 1 among those asked "
         "for\n",
         ENODEV},
        {"setstripe -C 2 /mnt/lustre/f", "",
         "error: setstripe: --overstripe-count is not served here: an OST has no more than one "
         "stripe of a layout; use --stripe-count\n",
         EOPNOTSUPP},
        {"setstripe -N2 /mnt/lustre/f", "",
         "error: setstripe: --mirror-count is not served here: files have one copy of their data\n",
         EOPNOTSUPP},
        {"setstripe -L mdt /mnt/lustre/f", "",
         "error: setstripe: layout 'mdt' is unknown or not served here, supported layouts are: "
         "'raid0'\n",
         EOPNOTSUPP},
        {"setstripe -o 0,x /mnt/lustre/f", "", "error: setstripe: invalid OST target(s) '0,x'\n",
         EINVAL},
        {"setstripe -o 0,3,0 /mnt/lustre/f", "", "error: setstripe: OST 0 is in --ost twice\n",
         EINVAL},
        {"setstripe -o 0 -i 0 /mnt/lustre/f", "",
         "error: setstripe: --ost and --stripe-index exclude each other\n", EINVAL},
        {"setstripe -o 0 -c 2 /mnt/lustre/f", "",
         "error: setstripe: stripe count 2 is not that of the 1 OSTs in --ost\n", EINVAL},
        {"setstripe -p a/b /mnt/lustre/f", "", "error: setstripe: Invalid Poolname 'a/b'\n",
         EINVAL},
        {"setstripe -d -c 1 /mnt/lustre/f", "",
         "error: setstripe: --delete excludes the other options\n", EINVAL},
        {"setstripe -d /mnt/lustre/f", "",
         "error: setstripe: setstripe error for '/mnt/lustre/f': No such file or directory\n",
         ENOENT},
        {"setstripe -d /mnt/lustre/old", "",
         "error: setstripe: setstripe error for '/mnt/lustre/old': only directories have a "
         "default\n",
         ENOTDIR},
        {"setstripe -E 1000 /mnt/lustre/f", "",
         "error: setstripe: invalid component end '1000', must be a multiple of 65536 bytes, or -1 "
         "for the end of the file\n",
         EINVAL},
        {"setstripe -E x /mnt/lustre/f", "", "error: setstripe: invalid component end 'x'\n",
         EINVAL},
        {"setstripe -E 1M -E 64k /mnt/lustre/f", "",
         "error: setstripe: component end 65536 is not after 1048576, where the component starts\n",
         EINVAL},
        {"setstripe -E -1 -E 1M /mnt/lustre/f", "",
         "error: setstripe: no component can follow one that ends with the file\n", EINVAL},
        {"setstripe -E 1M -o 0 /mnt/lustre/f", "",
         "error: setstripe: --ost and --component-end exclude each other\n", EINVAL},
        {"setstripe -E 1M -E -1 -i 2 /mnt/lustre/f", "",
         "error: setstripe: setstripe error for '/mnt/lustre/f': bad stripe offset 2: no OST has "
         "this index\n",
         EINVAL},
        {"setstripe -c 1 /tmp/local", "",
         "error: setstripe: setstripe error for '/tmp/local': not on a Lustre filesystem\n",
         ENODEV},
    };

    files.files["/mnt/lustre/old"] = {};
    lfs_test::run_cases(files, cases);
    assert_text(files.set_path, "");
}

void what_the_server_refuses_has_words(void**)
{
    FakeFiles files;

    files.files["/mnt/lustre/old"] = {};
    files.refuse = EEXIST;

    auto ran = lfs_test::run(files, "setstripe -c 1 /mnt/lustre/old");

    assert_text(ran.err,
                "error: setstripe: setstripe error for '/mnt/lustre/old': stripe already set\n");
    assert_int_equal(ran.status, EEXIST);
    files.refuse = EINVAL;
    ran = lfs_test::run(files, "setstripe -p no /mnt/lustre/old");
    assert_text(ran.err,
                "error: setstripe: setstripe error for '/mnt/lustre/old': Invalid "
                "argument: is there a pool 'no'?\n");
}

void mkdir_is_refused(void**)
{
    FakeFiles files;
    const Case cases[] = {
        {"mkdir -i 1 /mnt/lustre/d", "",
         "error: mkdir: this release has directories on MDT0000 only: use mkdir(1)\n", EOPNOTSUPP},
        {"mkdir /mnt/lustre/d", "", "error: mkdir: without an MDT to choose use mkdir(1)\n",
         EINVAL},
    };

    lfs_test::run_cases(files, cases);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_real_lustres_lov_user_md),
        cmocka_unit_test(components_have_the_options_after_their_end),
        cmocka_unit_test(the_default_of_a_directory_is_set_and_removed),
        cmocka_unit_test(wrong_values_are_refused_with_words),
        cmocka_unit_test(what_the_server_refuses_has_words),
        cmocka_unit_test(mkdir_is_refused),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
