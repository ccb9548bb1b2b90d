// SPDX-License-Identifier: GPL-2.0-only
/*
 * setstripe --component-add and --component-del: requests, and what is refused.
 */
#include <cerrno>

#include <lustre_lite/lov_ea.h>

#include "lfs/request.hpp"
#include "lfs_fixture.hpp"

namespace {

using lfs_test::Case;
using lfs_test::FakeFiles;

constexpr std::uint64_t kMiB = 1 << 20;

/* "/mnt/lustre/comp": components of 1 and 3 MiB, with the numbers 1 and 2; the
 * first has objects. */
void add_composite(FakeFiles& files, const std::string& path, std::uint64_t end)
{
    std::string bytes = lfs::encode_components({{.end = kMiB}, {.end = end}}, 0);
    auto* const entries =
        reinterpret_cast<lov_comp_md_entry_v1*>(bytes.data() + sizeof(lov_comp_md_v1));

    entries[0].lcme_flags = LCME_FL_INIT;
    files.files[path].layout = bytes;
}

void expect_set(FakeFiles& files, const std::string& line, const std::string& path,
                const std::string& bytes)
{
    const auto ran = lfs_test::run(files, line);

    print_message("%s\n", line.c_str());
    assert_text(ran.err, "");
    assert_text(ran.out, "");
    assert_int_equal(ran.status, 0);
    assert_text(files.set_path, path);
    assert_text(lfs_test::hex_of(files.set_bytes), lfs_test::hex_of(bytes));
}

void components_start_where_the_last_one_ends(void**)
{
    FakeFiles files;

    add_composite(files, "/mnt/lustre/comp", 4 * kMiB);
    expect_set(files, "setstripe --component-add -E 64M -c 2 -E -1 -S 64k /mnt/lustre/comp",
               "/mnt/lustre/comp add",
               lfs::encode_components({{.layout = {.stripe_count = 2}, .end = 64 * kMiB},
                                       {.layout = {.stripe_count = 2, .stripe_size = 65536}}},
                                      4 * kMiB));

    lov_comp comp = {};

    assert_true(!lov_comp_decode(files.set_bytes.data(), files.set_bytes.size(), &comp));
    assert_int_equal(lov_comp_get(&comp, 0).start, 4 * kMiB);
    assert_int_equal(lov_comp_get(&comp, 1).end, lfs::kEndOfFile);
}

void the_last_components_are_removed(void**)
{
    FakeFiles files;

    add_composite(files, "/mnt/lustre/comp", lfs::kEndOfFile);
    expect_set(files, "setstripe --component-del -I 2 /mnt/lustre/comp", "/mnt/lustre/comp del",
               lfs::encode_choice(2, 0));
    expect_set(files, "setstripe --component-del --component-flags=^init /mnt/lustre/comp",
               "/mnt/lustre/comp del", lfs::encode_choice(0, LCME_FL_INIT | LCME_FL_NEG));
    /* As real Lustre's library has it: the entry has a layout of the whole file.
   */
    assert_text(lfs_test::hex_of(files.set_bytes),
                "d00bd60b"
                "70000000" +
                    std::string(12, '0') + "01000000" + std::string(28, '0') + "0000000010000080" +
                    std::string(16, '0') + std::string(16, 'f') + "5000000020000000" +
                    std::string(32, '0') + "d00bd10b01000000" + std::string(40, '0') + "0000ffff");
}

void wrong_changes_are_refused_with_words(void**)
{
    FakeFiles files;
    const Case cases[] = {
        {"setstripe --component-add /mnt/lustre/comp", "",
         "error: setstripe: --component-add needs --component-end\n", EINVAL},
        {"setstripe --component-add -I 1 -E -1 /mnt/lustre/comp", "",
         "error: setstripe: --component-add excludes --component-id\n", EINVAL},
        {"setstripe --component-add --component-del -E -1 /mnt/lustre/comp", "",
         "error: setstripe: --component-add and --component-del exclude each "
         "other\n",
         EINVAL},
        {"setstripe -I 1 /mnt/lustre/comp", "",
         "error: setstripe: --component-id and --component-flags are of "
         "--component-del\n",
         EINVAL},
        {"setstripe --component-del /mnt/lustre/comp", "",
         "error: setstripe: --component-del needs either --component-id or "
         "--component-flags\n",
         EINVAL},
        {"setstripe --component-del -I 2 --component-flags init /mnt/lustre/comp", "",
         "error: setstripe: --component-del needs either --component-id or "
         "--component-flags\n",
         EINVAL},
        {"setstripe --component-del -I 0 /mnt/lustre/comp", "",
         "error: setstripe: invalid component id '0'\n", EINVAL},
        {"setstripe --component-del --component-flags stale /mnt/lustre/comp", "",
         "error: setstripe: invalid component flags 'stale': components are "
         "chosen by init or "
         "^init\n",
         EINVAL},
        {"setstripe --component-del -I 2 -c 1 /mnt/lustre/comp", "",
         "error: setstripe: --component-del excludes --stripe-count\n", EINVAL},
        {"setstripe --component-del -I 1 /mnt/lustre/comp", "",
         "error: setstripe: setstripe error for '/mnt/lustre/comp': component 1 "
         "is not the last "
         "one\n",
         EINVAL},
        {"setstripe --component-del --component-flags=init /mnt/lustre/comp", "",
         "error: setstripe: setstripe error for '/mnt/lustre/comp': component 1 "
         "is not the last "
         "one\n",
         EINVAL},
        {"setstripe --component-del -I 3 /mnt/lustre/comp", "",
         "error: setstripe: setstripe error for '/mnt/lustre/comp': it has no "
         "such component\n",
         EINVAL},
        {"setstripe --component-add -E 3M /mnt/lustre/comp", "",
         "error: setstripe: setstripe error for '/mnt/lustre/comp': component "
         "end 3145728 is not "
         "after 4194304, where the component starts\n",
         EINVAL},
        {"setstripe --component-add -E 8M -i 2 /mnt/lustre/comp", "",
         "error: setstripe: setstripe error for '/mnt/lustre/comp': bad stripe "
         "offset 2: no OST "
         "has this index\n",
         EINVAL},
        {"setstripe --component-add -E -1 /mnt/lustre/whole", "",
         "error: setstripe: setstripe error for '/mnt/lustre/whole': its last "
         "component ends with "
         "the file\n",
         EINVAL},
        {"setstripe --component-add -E -1 /mnt/lustre/plain", "",
         "error: setstripe: setstripe error for '/mnt/lustre/plain': its layout "
         "has no components; "
         "migrate -E gives it some\n",
         EINVAL},
        {"setstripe --component-del -I 1 /mnt/lustre/empty", "",
         "error: setstripe: setstripe error for '/mnt/lustre/empty': its layout "
         "has no components; "
         "migrate -E gives it some\n",
         EINVAL},
        {"setstripe --component-add -E -1 /mnt/lustre/none", "",
         "error: setstripe: setstripe error for '/mnt/lustre/none': No such file "
         "or directory\n",
         ENOENT},
        {"setstripe --component-add -E -1 /mnt/lustre/d", "",
         "error: setstripe: setstripe error for '/mnt/lustre/d': not a file\n", EINVAL},
        {"setstripe --component-add -E -1 /tmp/local", "",
         "error: setstripe: setstripe error for '/tmp/local': not on a Lustre filesystem\n",
         ENODEV},
        {"setstripe --component-del -I 1 /tmp/local", "",
         "error: setstripe: setstripe error for '/tmp/local': not on a Lustre filesystem\n",
         ENODEV},
    };

    add_composite(files, "/mnt/lustre/comp", 4 * kMiB);
    add_composite(files, "/mnt/lustre/whole", lfs::kEndOfFile);
    files.files["/mnt/lustre/plain"].layout = lfs_test::melon();
    files.files["/mnt/lustre/empty"] = {};
    files.files["/mnt/lustre/d"].kind = lfs::Kind::Directory;
    lfs_test::run_cases(files, cases);
    assert_text(files.set_path, "");
}

void components_with_objects_and_the_only_one_stay(void**)
{
    FakeFiles files;
    std::string one = lfs::encode_components({{.end = kMiB}}, 0);
    auto* const entry =
        reinterpret_cast<lov_comp_md_entry_v1*>(one.data() + sizeof(lov_comp_md_v1));

    files.files["/mnt/lustre/one"].layout = one;
    assert_text(lfs_test::run(files, "setstripe --component-del -I 1 /mnt/lustre/one").err,
                "error: setstripe: setstripe error for '/mnt/lustre/one': no component "
                "would be "
                "left\n");
    entry->lcme_flags = LCME_FL_INIT;
    files.files["/mnt/lustre/one"].layout = one;
    assert_text(lfs_test::run(files, "setstripe --component-del -I 1 /mnt/lustre/one").err,
                "error: setstripe: setstripe error for '/mnt/lustre/one': component 1 "
                "has objects "
                "with data of the file\n");
    assert_text(files.set_path, "");
}

void a_refusal_of_the_server_is_said(void**)
{
    FakeFiles files;

    add_composite(files, "/mnt/lustre/comp", 4 * kMiB);
    files.refuse = EINVAL;
    assert_text(lfs_test::run(files, "setstripe --component-add -E -1 -p no /mnt/lustre/comp").err,
                "error: setstripe: setstripe error for '/mnt/lustre/comp': Invalid "
                "argument: is "
                "there a pool 'no'?\n");
    files.refuse = ENOSPC;
    assert_text(lfs_test::run(files, "setstripe --component-add -E -1 /mnt/lustre/comp").err,
                "error: setstripe: setstripe error for '/mnt/lustre/comp': No space left on "
                "device: the MDT has no space for the layout\n");
    files.refuse = EACCES;

    const auto ran = lfs_test::run(files, "setstripe --component-del -I 2 /mnt/lustre/comp");

    assert_text(ran.err,
                "error: setstripe: setstripe error for "
                "'/mnt/lustre/comp': Permission denied\n");
    assert_int_equal(ran.status, EACCES);
}

void a_change_is_tried_again_after_one_of_another_user(void**)
{
    FakeFiles files, longer;

    add_composite(files, "/mnt/lustre/comp", 4 * kMiB);
    add_composite(longer, "/mnt/lustre/comp", 8 * kMiB);
    files.other = longer.files["/mnt/lustre/comp"].layout;
    expect_set(files, "setstripe --component-add -E -1 /mnt/lustre/comp", "/mnt/lustre/comp add",
               lfs::encode_components({{}}, 8 * kMiB));
    add_composite(longer, "/mnt/lustre/comp", lfs::kEndOfFile);
    files.other = longer.files["/mnt/lustre/comp"].layout;
    assert_text(lfs_test::run(files, "setstripe --component-add -E -1 /mnt/lustre/comp").err,
                "error: setstripe: setstripe error for '/mnt/lustre/comp': its last component "
                "ends with the file\n");
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(components_start_where_the_last_one_ends),
        cmocka_unit_test(the_last_components_are_removed),
        cmocka_unit_test(wrong_changes_are_refused_with_words),
        cmocka_unit_test(components_with_objects_and_the_only_one_stay),
        cmocka_unit_test(a_refusal_of_the_server_is_said),
        cmocka_unit_test(a_change_is_tried_again_after_one_of_another_user),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
