// SPDX-License-Identifier: GPL-2.0-only
/*
 * What setstripe and mkdir ask for, and what they refuse.
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
        {"setstripe -c 2001 /mnt/lustre/f", "",
         "error: setstripe: invalid stripe count '2001': -1 for all, 0 for the default, or up to "
         "2000\n",
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
        {"setstripe -o 0 /mnt/lustre", "",
         "error: setstripe: setstripe error for '/mnt/lustre': the default of a directory cannot "
         "have a list of OSTs\n",
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
        cmocka_unit_test(the_default_of_a_directory_is_set_and_removed),
        cmocka_unit_test(wrong_values_are_refused_with_words),
        cmocka_unit_test(what_the_server_refuses_has_words),
        cmocka_unit_test(mkdir_is_refused),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
