// SPDX-License-Identifier: GPL-2.0-only
/* Directories of targets, and the table of mounts. */
#include "disk_fixture.hpp"

#include <cerrno>

#include <sys/stat.h>
#include <unistd.h>

#include "disk/folder.hpp"
#include "disk/mounts.hpp"

using disk::TargetFolder;
using namespace disk_test;

namespace {

TargetFolder opened(const std::string& path)
{
    auto folder = TargetFolder::open(path);

    if (!folder)
        fail_msg("%s", folder.error().text.c_str());
    return std::move(*folder);
}

void mounts_are_those_of_our_type(void**)
{
    const auto mounts = disk::parse_mountinfo(
        "22 1 0:21 / / rw - ext4 /dev/sda rw\n"
        "36 22 0:40 / /mnt/a rw,noatime shared:1 master:2 - lustre-lite "
        "10.0.0.1@tcp:/fs rw\n"
        "37 22 0:41 / /mnt/b\\040c rw - lustre-lite /srv/o\\134st\\0111 rw,x\n"
        "38 22 0:42 / /mnt/d rw - lustre-lite-not /srv/x rw\n"
        "rubbish\n"
        "39 22 0:43 / /mnt/e rw - lustre-lite\n"
        "\n"
        "40 22 0:44 / /mnt/f rw - lustre-lite /srv/f\\08 rw");

    assert_int_equal(mounts.size(), 3);
    assert_text(mounts[0].source, "10.0.0.1@tcp:/fs");
    assert_text(mounts[0].folder, "/mnt/a");
    assert_text(mounts[1].source, "/srv/o\\st\t1");
    assert_text(mounts[1].folder, "/mnt/b c");
    assert_text(mounts[2].source, "/srv/f\\08");
    assert_int_equal(disk::parse_mountinfo("").size(), 0);
}

void a_path_is_made_whole(void**)
{
    const Folder folder;

    folder.put("a/x", {});
    assert_int_equal(::symlink("a", folder.file("link").c_str()), 0);
    assert_text(opened(folder.file("link/../a/.")).path(), folder.file("a"));
    assert_int_equal(TargetFolder::open(folder.file("none")).error().code, ENOENT);
    assert_int_equal(TargetFolder::open(folder.file("a/x")).error().code, ENOTDIR);
}

void mountdata_comes_back_as_it_was_written(void**)
{
    const Folder folder;
    const TargetFolder target = opened(folder.path());
    disk::MountData data;

    assert_false(target.is_target());
    assert_int_equal(target.read().error().code, ENOENT);
    data.set_version(5);
    assert_true(target.write(data).has_value());
    assert_true(target.is_target());
    assert_int_equal(target.read()->version(), 5);
    data.set_version(6);
    assert_true(target.write(data).has_value());
    assert_int_equal(target.read()->version(), 6);
    assert_text(folder.list(), "CONFIGS CONFIGS/mountdata");
}

void a_write_that_fails_leaves_the_old(void**)
{
    const Folder folder;
    const TargetFolder target = opened(folder.path());
    disk::MountData data;

    assert_true(target.write(data).has_value());
    // The new file cannot be made: there is a link in its place.
    assert_int_equal(::symlink("/etc/passwd", folder.file("CONFIGS/mountdata.new").c_str()), 0);
    data.set_version(9);
    const auto written = target.write(data);
    assert_false(written.has_value());
    assert_int_equal(written.error().code, ELOOP);
    assert_contains(written.error().text, "CONFIGS/mountdata.new");
    assert_int_equal(target.read()->version(), 0);
}

void what_is_no_file_is_not_waited_for(void**)
{
    const Folder folder;

    folder.put("CONFIGS/x", {});
    assert_int_equal(::mkfifo(folder.file("CONFIGS/mountdata").c_str(), 0600), 0);
    assert_contains(opened(folder.path()).read().error().text, "0 bytes, expected 12288");
}

void a_target_above_is_seen(void**)
{
    const Folder folder;

    folder.put("a/b/c/x", {});
    assert_text(opened(folder.file("a/b/c")).target_above(), "");
    folder.put("a/CONFIGS/mountdata", {});
    assert_text(opened(folder.file("a/b/c")).target_above(), folder.file("a"));
    assert_text(opened(folder.file("a")).target_above(), "");
}

void contents_are_told_apart(void**)
{
    const Folder folder;

    for (const char* name : {"CONFIGS/mountdata", "CONFIGS/a-client.copy", "CONFIGS/other",
                             "mgs_state", "NIDTBL_VERSIONS/fs", "lost+found/x", "mine"})
        folder.put(name, bytes_of("x"));
    folder.put("CONFIGS/a-client", golden("lustre-2.9/t32fs-client"));
    // Only what is a log itself is one.
    assert_int_equal(::symlink("a-client", folder.file("CONFIGS/link").c_str()), 0);
    assert_int_equal(::mkfifo(folder.file("CONFIGS/pipe").c_str(), 0600), 0);

    const auto contents = disk::contents_of(opened(folder.path()));
    assert_true(contents.has_value());
    const std::vector<std::string> ours = {"CONFIGS/mountdata", "CONFIGS/a-client.copy",
                                           "NIDTBL_VERSIONS/fs", "mgs_state"};
    const std::vector<std::string> others = {"CONFIGS/link", "CONFIGS/other", "CONFIGS/pipe",
                                             "mine"};
    assert_true(contents->ours == ours);
    assert_true(contents->logs == std::vector<std::string>{"CONFIGS/a-client"});
    assert_true(contents->others == others);

    assert_true(disk::remove_ours(opened(folder.path()), *contents).has_value());
    assert_text(folder.list(),
                "CONFIGS CONFIGS/link CONFIGS/other CONFIGS/pipe "
                "lost+found lost+found/x mine");
}

void a_second_lock_is_refused(void**)
{
    const Folder folder;
    const TargetFolder one = opened(folder.path());

    assert_true(one.lock().has_value());
    assert_int_equal(opened(folder.path()).lock().error().code, EBUSY);
    assert_true(one.lock().has_value());
}

void a_file_system_of_files_is_local(void**)
{
    const Folder folder;

    assert_true(opened(folder.path()).check_local().has_value());
    assert_int_equal(opened("/proc/self").check_local().error().code, EOPNOTSUPP);
    assert_int_equal(opened("/sys").check_local().error().code, EOPNOTSUPP);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(mounts_are_those_of_our_type),
        cmocka_unit_test(a_path_is_made_whole),
        cmocka_unit_test(mountdata_comes_back_as_it_was_written),
        cmocka_unit_test(a_write_that_fails_leaves_the_old),
        cmocka_unit_test(what_is_no_file_is_not_waited_for),
        cmocka_unit_test(a_target_above_is_seen),
        cmocka_unit_test(contents_are_told_apart),
        cmocka_unit_test(a_second_lock_is_refused),
        cmocka_unit_test(a_file_system_of_files_is_local),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
