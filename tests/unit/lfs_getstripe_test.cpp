// SPDX-License-Identifier: GPL-2.0-only
/*
 * Text of getstripe, which is real Lustre's.
 */
#include <cerrno>

#include <fmt/format.h>

#include "lfs/request.hpp"
#include "lfs_fixture.hpp"

namespace {

using lfs_test::bytes_of;
using lfs_test::Case;
using lfs_test::FakeFiles;
using lfs_test::melon;

/* Two stripes of 64 KiB in a pool, the default of a directory: count, size, any OST. */
std::string directory_default(const char* count_size_offset)
{
    return bytes_of(std::string("d00bd10b010000000000000000000000ffffffffffffffff") +
                    count_size_offset);
}

const std::string kVolume = directory_default("000040000100ffff");

#define MELON_TEXT                                              \
    "lmm_stripe_count:  1\n"                                    \
    "lmm_stripe_size:   1048576\n"                              \
    "lmm_pattern:       raid0\n"                                \
    "lmm_layout_gen:    0\n"                                    \
    "lmm_stripe_offset: 1\n"                                    \
    "\tobdidx\t\t objid\t\t objid\t\t group\n"                  \
    "\t     1\t          1186\t        0x4a2\t             0\n" \
    "\n"

void a_file_is_printed_as_real_lustre_prints_it(void**)
{
    FakeFiles files;
    const Case cases[] = {
        {"getstripe /mnt/lustre/Melon", "/mnt/lustre/Melon\n" MELON_TEXT, "", 0},
        {"getstripe -v /mnt/lustre/Melon",
         "/mnt/lustre/Melon\n"
         "lmm_magic:         0x0BD10BD0\n"
         "lmm_seq:           0x20000a811\n"
         "lmm_object_id:     0x1\n"
         "lmm_fid:           [0x20000a811:0x1:0x0]\n" MELON_TEXT,
         "", 0},
        {"getstripe -c /mnt/lustre/Melon", "1\n", "", 0},
        {"getstripe -S /mnt/lustre/Melon", "1048576\n", "", 0},
        {"getstripe -i /mnt/lustre/Melon", "1\n", "", 0},
        {"getstripe -p /mnt/lustre/Melon", "\n", "", 0},
        {"getstripe -L /mnt/lustre/Melon", "raid0\n", "", 0},
        {"getstripe -g /mnt/lustre/Melon", "0\n", "", 0},
        {"getstripe -F /mnt/lustre/Melon", "[0x20000a811:0x1:0x0]\n", "", 0},
        {"getstripe -c -i /mnt/lustre/Melon", "lmm_stripe_count:  1\nlmm_stripe_offset: 1\n", "",
         0},
        {"getstripe -y /mnt/lustre/Melon",
         "lmm_stripe_count:  1\n"
         "lmm_stripe_size:   1048576\n"
         "lmm_pattern:       raid0\n"
         "lmm_layout_gen:    0\n"
         "lmm_stripe_offset: 1\n"
         "lmm_objects:\n"
         "      - l_ost_idx: 1\n"
         "        l_fid:     0x100010000:0x4a2:0x0\n",
         "", 0},
    };

    files.files["/mnt/lustre/Melon"].layout = melon();
    lfs_test::run_cases(files, cases);
}

/* Of a component without objects; the sequence and number are those of the file. */
std::string component(int id, const char* extent, int offset, int count)
{
    return fmt::format(
        "  - lcme_id:             {}\n"
        "    lcme_mirror_id:      0\n"
        "    lcme_flags:          0\n"
        "{}"
        "    lcme_offset:         {}\n"
        "    lcme_size:           32\n"
        "    sub_layout:\n"
        "      lmm_magic:         0x0BD10BD0\n"
        "      lmm_seq:           0x0\n"
        "      lmm_object_id:     0x0\n"
        "      lmm_fid:           [0x0:0x0:0x0]\n"
        "      lmm_stripe_count:  {}\n"
        "      lmm_stripe_size:   65536\n"
        "      lmm_pattern:       raid0\n"
        "      lmm_layout_gen:    0\n"
        "      lmm_stripe_offset: -1\n"
        "\n",
        id, extent, offset, count);
}

void components_have_a_head(void**)
{
    const std::string text =
        "composite_header:\n"
        "  lcm_magic:         0x0BD60BD0\n"
        "  lcm_size:          192\n"
        "  lcm_flags:         0\n"
        "  lcm_layout_gen:    0\n"
        "  lcm_mirror_count:  1\n"
        "  lcm_entry_count:   2\n"
        "components:\n" +
        component(1, "    lcme_extent.e_start: 0\n    lcme_extent.e_end:   1048576\n", 128, 1) +
        component(2, "    lcme_extent.e_start: 1048576\n    lcme_extent.e_end:   EOF\n", 160, 2);
    std::vector<lfs::ComponentRequest> components(2);
    FakeFiles files;

    components[0].layout.stripe_count = 1;
    components[0].layout.stripe_size = 65536;
    components[0].end = 1048576;
    components[1].layout.stripe_count = 2;
    components[1].layout.stripe_size = 65536;
    files.files["/mnt/lustre/c"].layout = lfs::encode_components(components, 0);
    assert_text(lfs_test::run(files, "getstripe -v /mnt/lustre/c").out, "/mnt/lustre/c\n" + text);
    assert_text(lfs_test::run(files, "getstripe -y /mnt/lustre/c").out, text);
}

void json_has_the_path_of_each_object(void**)
{
    FakeFiles files;

    files.files["/mnt/lustre/Melon"].layout = melon();
    files.files["/mnt/lustre/none"] = {};

    const auto ran =
        lfs_test::run(files, "getstripe --json /mnt/lustre/Melon /mnt/lustre/none /mnt/lustre/no");
    const auto printed = lctl::Json::parse(ran.out);

    assert_int_equal(printed.size(), 3);
    assert_text(printed[0].at("file").get<std::string>(), "/mnt/lustre/Melon");
    assert_text(printed[0].at("objects")[0].at("path").get<std::string>(), "O/0/d2/1186");
    assert_int_equal(printed[1].size(), 1);
    assert_int_equal(printed[2].at("error").at("errno").get<int>(), ENOENT);
    assert_int_equal(ran.status, ENOENT);
}

void a_file_in_a_pool_names_it(void**)
{
    FakeFiles files;

    files.files["/mnt/lustre/p"].layout = bytes_of(
        "d00bd30b01000000020000000000000000040000020000000000100001000300"
        "666c6173680000000000000000000000"
        "0100000000000000000000000000000000000000"
        "00000000");

    const auto ran = lfs_test::run(files, "getstripe /mnt/lustre/p");

    assert_text(ran.out,
                "/mnt/lustre/p\n"
                "lmm_stripe_count:  1\n"
                "lmm_stripe_size:   1048576\n"
                "lmm_pattern:       raid0\n"
                "lmm_layout_gen:    3\n"
                "lmm_stripe_offset: 0\n"
                "lmm_pool:          flash\n"
                "\tobdidx\t\t objid\t\t objid\t\t group\n"
                "\t     0\t             1\t          0x1\t             0\n"
                "\n");
}

void a_directory_has_the_defaults_of_the_file_system(void**)
{
    FakeFiles files;
    const Case cases[] = {
        {"getstripe -d /mnt/lustre/plain",
         "/mnt/lustre/plain\nstripe_count:  1 stripe_size:   4194304 pattern:       raid0 "
         "stripe_offset: -1\n\n",
         "", 0},
        {"getstripe -d /mnt/lustre/wide",
         "/mnt/lustre/wide\nstripe_count:  -1 stripe_size:   4194304 pattern:       raid0 "
         "stripe_offset: 0\n\n",
         "", 0},
        {"getstripe -d -R /mnt/lustre/wide",
         "/mnt/lustre/wide\nstripe_count:  -1 stripe_size:   0 pattern:       raid0 "
         "stripe_offset: 0\n\n",
         "", 0},
        {"getstripe -d -R /mnt/lustre/plain", "", "'/mnt/lustre/plain' has no stripe info\n", 0},
        {"getstripe -d -c /mnt/lustre/wide", "-1\n", "", 0},
        {"getstripe -d -y /mnt/lustre/wide",
         "lmm_stripe_count:  -1\n"
         "lmm_stripe_size:   4194304\n"
         "lmm_pattern:       raid0\n"
         "lmm_stripe_offset: 0\n",
         "", 0},
    };

    files.files["/mnt/lustre"].layout = kVolume;
    files.files["/mnt/lustre/plain"].kind = lfs::Kind::Directory;
    files.files["/mnt/lustre/wide"] = {.kind = lfs::Kind::Directory,
                                       .layout = directory_default("00000000ffff0000")};
    lfs_test::run_cases(files, cases);
}

void directories_are_walked_once_or_to_the_end(void**)
{
    FakeFiles files;
    const std::string line =
        "\nstripe_count:  1 stripe_size:   4194304 pattern:       raid0 "
        "stripe_offset: -1\n\n";

    files.files["/mnt/lustre"].layout = kVolume;
    files.files["/mnt/lustre/d"].kind = lfs::Kind::Directory;
    files.files["/mnt/lustre/d/f"].layout = melon();
    files.files["/mnt/lustre/d/link"].kind = lfs::Kind::Symlink;
    files.files["/mnt/lustre/d/s"].kind = lfs::Kind::Directory;
    files.files["/mnt/lustre/d/s/f"].layout = melon();

    const std::string once =
        "/mnt/lustre/d" + line + "/mnt/lustre/d/f\n" MELON_TEXT + "/mnt/lustre/d/s" + line;

    assert_text(lfs_test::run(files, "getstripe /mnt/lustre/d").out, once);
    assert_text(lfs_test::run(files, "getstripe -r /mnt/lustre/d").out,
                once + "/mnt/lustre/d/s/f\n" MELON_TEXT);
}

void what_has_no_layout_is_said(void**)
{
    FakeFiles files;
    const Case cases[] = {
        {"getstripe /mnt/lustre/f", "", "'/mnt/lustre/f' has no stripe info\n", 0},
        {"getstripe /tmp/local", "", "error: getstripe: '/tmp/local' not on a Lustre fs?\n",
         ENOTTY},
        {"getstripe /mnt/lustre/no", "",
         "error: getstripe: /mnt/lustre/no: No such file or directory\n", ENOENT},
        {"getstripe /mnt/lustre/bad", "",
         "error: getstripe: /mnt/lustre/bad: lustre.lov: too short\n", EBADMSG},
        {"getstripe", "",
         "error: getstripe: missing operand PATH\n"
         "usage: lfs getstripe [OPTION...] PATH...\nSee 'lfs help getstripe'.\n",
         EINVAL},
    };

    files.files["/mnt/lustre/f"] = {};
    files.files["/mnt/lustre/bad"].layout = melon().substr(0, 20);
    lfs_test::run_cases(files, cases);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_printed_as_real_lustre_prints_it),
        cmocka_unit_test(components_have_a_head),
        cmocka_unit_test(json_has_the_path_of_each_object),
        cmocka_unit_test(a_file_in_a_pool_names_it),
        cmocka_unit_test(a_directory_has_the_defaults_of_the_file_system),
        cmocka_unit_test(directories_are_walked_once_or_to_the_end),
        cmocka_unit_test(what_has_no_layout_is_said),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
