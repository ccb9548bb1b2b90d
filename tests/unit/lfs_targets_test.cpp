// SPDX-License-Identifier: GPL-2.0-only
/*
 * df, osts, mdts, check, getname, path2fid, fid2path, and lfs itself.
 */
#include <cerrno>

#include "lfs_fixture.hpp"

namespace {

using lfs_test::Case;
using lfs_test::FakeFiles;

void df_prints_each_target(void**)
{
    FakeFiles files;
    const Case cases[] = {
        {"df",
         "UUID                   1K-blocks        Used   Available Use%  Mounted on\n"
         "lustre-MDT0000_UUID       125368        1736      112128   2%  /mnt/lustre[MDT:0]\n"
         "lustre-OST0000_UUID       313104        1516      284420   1%  /mnt/lustre[OST:0]\n"
         "lustre-OST0001_UUID : inactive device\n"
         "lustre-OST0003_UUID       313104        1516      284420   1%  /mnt/lustre[OST:3] DR\n"
         "\n"
         "filesystem_summary:       626208        3032      568840   1%  /mnt/lustre\n",
         "", 0},
        {"df -h -s /mnt/lustre/x",
         "UUID                       bytes        Used   Available Use%  Mounted on\n"
         "filesystem_summary:       611.5M        3.0M      555.5M   1%  /mnt/lustre\n",
         "", 0},
        {"df -i",
         "UUID                      Inodes       IUsed       IFree IUse%  Mounted on\n"
         "lustre-MDT0000_UUID         1000         100         900  10%  /mnt/lustre[MDT:0]\n"
         "lustre-OST0000_UUID          500         200         300  40%  /mnt/lustre[OST:0]\n"
         "lustre-OST0001_UUID : inactive device\n"
         "lustre-OST0003_UUID          500         200         300  40%  /mnt/lustre[OST:3] DR\n"
         "\n"
         "filesystem_summary:          700         100         600  15%  /mnt/lustre\n",
         "", 0},
        {"df -N -s -H",
         "filesystem_summary:       641.2M        3.1M      582.5M   1%  /mnt/lustre\n", "", 0},
        {"df -m -N",
         "lustre-MDT0000_UUID       125368        1736      112128   2%  /mnt/lustre[MDT:0]\n"
         "\n"
         "filesystem_summary:       125368        1736      112128   2%  /mnt/lustre\n",
         "", 0},
        {"df -o -l -i -N",
         "lustre-OST0000_UUID          500         200         300  40%  /mnt/lustre[OST:0]\n"
         "lustre-OST0001_UUID : inactive device\n"
         "lustre-OST0003_UUID          500         200         300  40%  /mnt/lustre[OST:3] DR\n"
         "\n"
         "filesystem_summary:         1000         400         600  40%  /mnt/lustre\n",
         "", 0},
        {"df --no-header --summary --si",
         "filesystem_summary:       641.2M        3.1M      582.5M   1%  /mnt/lustre\n", "", 0},
        {"df /tmp", "", "error: df: /tmp: not on a Lustre filesystem\n", ENODEV},
    };

    lfs_test::run_cases(files, cases);
}

void df_has_a_document(void**)
{
    FakeFiles files;
    const auto ran = lfs_test::run(files, "df --json");
    const auto printed = lctl::Json::parse(ran.out);

    assert_int_equal(printed.size(), 4);
    assert_int_equal(printed[1].at("bytes").at("total").get<std::uint64_t>(), 78276ULL * 4096);
    assert_int_equal(printed[2].at("error").at("errno").get<int>(), ENODATA);
    assert_int_equal(printed[3].at("index").get<int>(), 3);
}

void a_target_that_is_down_has_the_words_of_its_errno(void**)
{
    FakeFiles files;

    files.targets.resize(2);
    files.targets[1] = ll_user_target{
        .lt_type = LL_TARGET_OST, .lt_error = ENOTCONN, .lt_uuid = "lustre-OST0000_UUID"};
    assert_text(lfs_test::run(files, "df -N").out,
                "lustre-MDT0000_UUID       125368        1736      112128   2%  "
                "/mnt/lustre[MDT:0]\n"
                "lustre-OST0000_UUID : Transport endpoint is not connected\n"
                "\n"
                "filesystem_summary:            0           0           0   0%  /mnt/lustre\n");
}

void targets_are_listed(void**)
{
    FakeFiles files;
    const Case cases[] = {
        {"osts",
         "OBDS:\n0: lustre-OST0000_UUID ACTIVE\n1: lustre-OST0001_UUID INACTIVE\n"
         "3: lustre-OST0003_UUID ACTIVE\n",
         "", 0},
        {"mdts /mnt/lustre", "MDTS:\n0: lustre-MDT0000_UUID ACTIVE\n", "", 0},
        {"check servers",
         "lustre-MDT0000-mdc-00000000deadbeef active.\n"
         "lustre-OST0000-osc-00000000deadbeef active.\n"
         "lustre-OST0001-osc-00000000deadbeef inactive.\n"
         "lustre-OST0003-osc-00000000deadbeef active.\n",
         "", 0},
        {"check mdts", "lustre-MDT0000-mdc-00000000deadbeef active.\n", "", 0},
        {"check disks", "", "error: check: 'disks' should be servers, osts, mdts or all\n", EINVAL},
        {"getname", "lustre-00000000deadbeef /mnt/lustre\n", "", 0},
        {"getname -n /mnt/lustre", "lustre\n", "", 0},
        {"getname -i /mnt/lustre", "00000000deadbeef\n", "", 0},
        {"osts --json",
         "[\n{\"mount\": \"/mnt/lustre\", \"index\": 0, \"uuid\": \"lustre-OST0000_UUID\", "
         "\"active\": true},\n"
         "{\"mount\": \"/mnt/lustre\", \"index\": 1, \"uuid\": \"lustre-OST0001_UUID\", "
         "\"active\": false},\n"
         "{\"mount\": \"/mnt/lustre\", \"index\": 3, \"uuid\": \"lustre-OST0003_UUID\", "
         "\"active\": true}\n]\n",
         "", 0},
    };

    lfs_test::run_cases(files, cases);
    files.mounted = false;
    assert_text(lfs_test::run(files, "osts").err, "error: osts: no file system is mounted\n");
}

void pools_are_listed(void**)
{
    FakeFiles files;
    const Case cases[] = {
        {"pool_list lustre", "Pools from lustre:\nlustre.disk\nlustre.flash\n", "", 0},
        {"pool_list /mnt/lustre/d", "Pools from lustre:\nlustre.disk\nlustre.flash\n", "", 0},
        {"pool_list lustre.flash", "Pool: lustre.flash\nlustre-OST0003_UUID\n", "", 0},
        {"pool_list --json lustre.flash",
         "[\n{\"pool\": \"lustre.flash\", \"targets\": [\"lustre-OST0003_UUID\"]}\n]\n", "", 0},
        {"pool_list /tmp", "", "error: pool_list: /tmp: not on a Lustre filesystem\n", ENODEV},
        {"pool_list .", "", "error: pool_list: .: not on a Lustre filesystem\n", ENODEV},
    };

    lfs_test::run_cases(files, cases);
    files.mounted = false;
    assert_text(lfs_test::run(files, "pool_list other").err,
                "error: pool_list: file system 'other' is not mounted on this node\n");
}

void mkdir_on_a_chosen_target_is_refused(void**)
{
    FakeFiles files;
    constexpr const char* kChosen =
        "error: mkdir: this release has directories on MDT0000 only: use mkdir(1)\n";
    const Case cases[] = {
        {"mkdir -c 2 /mnt/lustre/new", "", kChosen, EOPNOTSUPP},
        {"mkdir --mdt-count=2 /mnt/lustre/new", "", kChosen, EOPNOTSUPP},
        {"mkdir -i 1 /mnt/lustre/new", "", kChosen, EOPNOTSUPP},
        {"mkdir /mnt/lustre/new", "", "error: mkdir: without an MDT to choose use mkdir(1)\n",
         EINVAL},
    };

    lfs_test::run_cases(files, cases);
}

void fids_are_printed(void**)
{
    FakeFiles files;
    const Case cases[] = {
        {"path2fid /mnt/lustre", "[0x20000a811:0xb:0x0]\n", "", 0},
        {"path2fid /mnt/lustre /tmp",
         "/mnt/lustre: [0x20000a811:0xb:0x0]\n/tmp: [0x20000a811:0x4:0x0]\n", "", 0},
        {"path2fid /mnt/lustre/no", "",
         "error: path2fid: /mnt/lustre/no: No such file or directory\n", ENOENT},
        {"path2fid --parents /mnt/lustre/d/two",
         "[0x20000a811:0xd:0x0]/two\n[0x20000a811:0xb:0x0]/three\n", "", 0},
        {"path2fid --parents /mnt/lustre/d/two /mnt/lustre",
         "/mnt/lustre/d/two: [0x20000a811:0xd:0x0]/two\n"
         "/mnt/lustre/d/two: [0x20000a811:0xb:0x0]/three\n",
         "error: path2fid: /mnt/lustre: the root has no parent\n", ENODATA},
    };

    files.files["/mnt/lustre/d"].kind = lfs::Kind::Directory;
    files.files["/mnt/lustre/d/two"] = {};
    files.names[11] = {"/"};
    files.names[17] = {"d/two", "three"};
    lfs_test::run_cases(files, cases);
}

void versions_are_printed(void**)
{
    FakeFiles files;
    const Case cases[] = {
        {"data_version /tmp/local", "101\n", "", 0},
        {"data_version -w /tmp/local", "102\n", "", 0},
        {"data_version -n /tmp/local /mnt/lustre/no", "/tmp/local: 100\n",
         "error: data_version: /mnt/lustre/no: No such file or directory\n", ENOENT},
    };

    lfs_test::run_cases(files, cases);
}

void paths_are_printed(void**)
{
    FakeFiles files;
    const Case cases[] = {
        {"fid2path lustre [0x20000a811:0x2:0x0]", "a/one\nb/two\nthree\n", "", 0},
        {"fid2path /mnt/lustre/x 0x20000a811:0x2:0x0",
         "/mnt/lustre/a/one\n/mnt/lustre/b/two\n/mnt/lustre/three\n", "", 0},
        {"fid2path -l 1 lustre 0x20000a811:0x2:0x0", "b/two\n", "", 0},
        {"fid2path -f -c -n lustre 0x20000a811:0x2:0x0",
         "[0x20000a811:0x2:0x0] 0 one\n[0x20000a811:0x2:0x0] 1 two\n"
         "[0x20000a811:0x2:0x0] 2 three\n",
         "", 0},
        {"fid2path lustre 0x20000a811:0x1:0x0", "/\n", "", 0},
        {"fid2path -n lustre 0x20000a811:0x1:0x0", "/\n", "", 0},
        {"fid2path lustre 0x20000a811:0x3:0x0 0x20000a811:0x1:0x0", "/\n",
         "error: fid2path: [0x20000a811:0x3:0x0]: No such file or directory\n", ENOENT},
        {"fid2path --link=3 lustre 0x20000a811:0x2:0x0", "",
         "error: fid2path: [0x20000a811:0x2:0x0]: No data available\n", ENODATA},
        {"fid2path lustre 0x1:0x2", "", "error: fid2path: invalid FID '0x1:0x2'\n", EINVAL},
        {"fid2path --link=-1 lustre 0x20000a811:0x2:0x0", "",
         "error: fid2path: '-1' is not the number of a name\n", EINVAL},
        {"fid2path lustr 0x20000a811:0x2:0x0", "",
         "error: fid2path: lustr: no such file system is mounted\n", ENODEV},
        {"fid2path /tmp 0x20000a811:0x2:0x0", "",
         "error: fid2path: /tmp: not on a Lustre filesystem\n", ENODEV},
    };

    files.names[1] = {"/"};
    files.names[2] = {"a/one", "b/two", "three"};
    lfs_test::run_cases(files, cases);
    assert_true(lfs_test::run(files, "fid2path -0 -l 2 lustre 0x20000a811:0x2:0x0").out ==
                std::string("three\0", 6));
}

/* The mount is of the directory home: a bind mount, or one of a subdirectory. */
void names_are_those_below_the_mount(void**)
{
    FakeFiles files;
    const Case cases[] = {
        {"fid2path /mnt/lustre 0x20000a811:0x2:0x0", "/mnt/lustre/a/one\n/mnt/lustre/three\n",
         "error: fid2path: [0x20000a811:0x2:0x0]: its name 'homes/two' in the file system is not "
         "below /mnt/lustre, which is 'home' there\n",
         EXDEV},
        {"fid2path -n /mnt/lustre 0x20000a811:0x1:0x0", "/\n", "", 0},
        {"fid2path lustre 0x20000a811:0x2:0x0", "home/a/one\nhomes/two\nhome/three\n", "", 0},
        {"path2fid --parents /mnt/lustre/d/two", "[0x20000a811:0xd:0x0]/two\n", "", 0},
        {"path2fid --parents /mnt/lustre", "",
         "error: path2fid: /mnt/lustre: its parent is not in this mount\n", ENODATA},
    };

    files.root = "home";
    files.files["/mnt/lustre/d"].kind = lfs::Kind::Directory;
    files.files["/mnt/lustre/d/two"] = {};
    files.names[1] = {"home"};
    files.names[2] = {"home/a/one", "homes/two", "home/three"};
    files.names[11] = {"home"};
    files.names[17] = {"home/d/two"};
    lfs_test::run_cases(files, cases);
}

void help_is_from_the_table(void**)
{
    FakeFiles files;
    const auto names = lfs_test::run(files, "--list-commands").out;
    const auto help = lfs_test::run(files, "help df").out;

    assert_true(names.starts_with("setstripe\nmigrate\ngetstripe\n"));
    assert_true(help.starts_with("usage: lfs df [OPTION...] [PATH...]\n"));
    assert_true(help.find("  -h, --human-readable") != std::string::npos);
    assert_true(help.find("      --help") != std::string::npos);
    assert_text(lfs_test::run(files, "df --help").out, help);
    assert_text(lfs_test::run(files, "no").err, "lfs: 'no' is not a command. See 'lfs --help'.\n");
    for (const char* const line : {"getsrtipe", "help getsrtipe"})
        assert_text(lfs_test::run(files, line).err,
                    "lfs: 'getsrtipe' is not a command; did you mean 'getstripe'? See 'lfs "
                    "--help'.\n");
    assert_int_equal(lfs_test::run(files, "getsrtipe").status, EINVAL);
    assert_int_equal(lfs_test::run(files, "").status, EINVAL);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(df_prints_each_target),
        cmocka_unit_test(df_has_a_document),
        cmocka_unit_test(a_target_that_is_down_has_the_words_of_its_errno),
        cmocka_unit_test(targets_are_listed),
        cmocka_unit_test(pools_are_listed),
        cmocka_unit_test(mkdir_on_a_chosen_target_is_refused),
        cmocka_unit_test(fids_are_printed),
        cmocka_unit_test(versions_are_printed),
        cmocka_unit_test(paths_are_printed),
        cmocka_unit_test(names_are_those_below_the_mount),
        cmocka_unit_test(help_is_from_the_table),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
