// SPDX-License-Identifier: GPL-2.0-only
/* Directories of targets, and the table of mounts. */
#include "disk_fixture.hpp"

#include <algorithm>
#include <cerrno>
#include <iterator>

#include <sys/stat.h>
#include <unistd.h>

#include "disk/directory.hpp"
#include "disk/mounts.hpp"

using disk::TargetDirectory;
using namespace disk_test;

namespace {

TargetDirectory opened(const std::string& path)
{
    auto directory = TargetDirectory::open(path);

    if (!directory)
        fail_msg("%s", directory.error().text.c_str());
    return std::move(*directory);
}

void mounts_are_taken_apart(void**)
{
    const auto all = disk::parse_mountinfo(
        "22 1 0:21 / / rw - ext4 /dev/sda rw\n"
        "36 22 0:40 / /mnt/a rw,noatime shared:1 master:2 - lustre-lite "
        "10.0.0.1@tcp:/fs rw\n"
        "37 22 0:41 / /mnt/b\\040c rw - lustre-lite /srv/o\\134st\\0111 rw,x\n"
        "38 22 0:42 / /mnt/d rw - lustre-lite-not /srv/x rw\n"
        "rubbish\n"
        "39 22 0:43 / /mnt/e rw - lustre-lite\n"
        "\n"
        "40 22 0:44 /a\\040b/c /mnt/f rw - lustre-lite /srv/f\\08 rw");
    std::vector<disk::Mount> mounts;

    std::ranges::copy_if(all, std::back_inserter(mounts), &disk::Mount::is_ours);
    assert_int_equal(all.size(), 5);
    assert_text(all[0].type, "ext4");
    assert_int_equal(mounts.size(), 3);
    assert_text(mounts[0].root, "/");
    assert_text(mounts[0].device, "0:40");
    assert_text(mounts[2].root, "/a b/c");
    assert_text(mounts[0].source, "10.0.0.1@tcp:/fs");
    assert_text(mounts[0].directory, "/mnt/a");
    assert_text(mounts[1].source, "/srv/o\\st\t1");
    assert_text(mounts[1].directory, "/mnt/b c");
    assert_text(mounts[2].source, "/srv/f\\08");
    assert_int_equal(disk::parse_mountinfo("").size(), 0);
}

void a_path_is_made_whole(void**)
{
    const Directory directory;

    directory.put("a/x", {});
    assert_int_equal(::symlink("a", directory.file("link").c_str()), 0);
    assert_text(opened(directory.file("link/../a/.")).path(), directory.file("a"));
    assert_int_equal(TargetDirectory::open(directory.file("none")).error().code, ENOENT);
    assert_int_equal(TargetDirectory::open(directory.file("a/x")).error().code, ENOTDIR);
}

void mountdata_comes_back_as_it_was_written(void**)
{
    const Directory directory;
    const TargetDirectory target = opened(directory.path());
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
    assert_text(directory.list(), "CONFIGS CONFIGS/mountdata");
}

void a_write_that_fails_leaves_the_old(void**)
{
    const Directory directory;
    const TargetDirectory target = opened(directory.path());
    disk::MountData data;

    assert_true(target.write(data).has_value());
    // The new file cannot be made: there is a link in its place.
    assert_int_equal(::symlink("/etc/passwd", directory.file("CONFIGS/mountdata.new").c_str()), 0);
    data.set_version(9);
    const auto written = target.write(data);
    assert_false(written.has_value());
    assert_int_equal(written.error().code, ELOOP);
    assert_contains(written.error().text, "CONFIGS/mountdata.new");
    assert_int_equal(target.read()->version(), 0);
}

void what_is_no_file_is_not_waited_for(void**)
{
    const Directory directory;

    directory.put("CONFIGS/x", {});
    assert_int_equal(::mkfifo(directory.file("CONFIGS/mountdata").c_str(), 0600), 0);
    assert_contains(opened(directory.path()).read().error().text, "0 bytes, expected 12288");
}

void a_target_above_is_seen(void**)
{
    const Directory directory;

    directory.put("a/b/c/x", {});
    assert_text(opened(directory.file("a/b/c")).target_above(), "");
    directory.put("a/CONFIGS/mountdata", {});
    assert_text(opened(directory.file("a/b/c")).target_above(), directory.file("a"));
    assert_text(opened(directory.file("a")).target_above(), "");
}

void contents_are_told_apart(void**)
{
    const Directory directory;

    for (const char* name : {"CONFIGS/mountdata", "CONFIGS/a-client.copy", "CONFIGS/other",
                             "mgs_state", "NIDTBL_VERSIONS/fs", "lost+found/x", "mine"})
        directory.put(name, bytes_of("x"));
    directory.put("CONFIGS/a-client", golden("lustre-2.9/t32fs-client"));
    // Only names of logs are logs.
    assert_int_equal(::symlink("a-client", directory.file("CONFIGS/link").c_str()), 0);
    assert_int_equal(::mkfifo(directory.file("CONFIGS/pipe").c_str(), 0600), 0);

    const auto contents = opened(directory.path()).contents();
    assert_true(contents.has_value());
    const std::vector<std::string> ours = {"CONFIGS/a-client.copy", "CONFIGS/mountdata",
                                           "NIDTBL_VERSIONS", "mgs_state"};
    const std::vector<std::string> others = {"CONFIGS/link", "CONFIGS/other", "CONFIGS/pipe",
                                             "mine"};
    assert_true(contents->ours == ours);
    assert_true(contents->logs == std::vector<std::string>{"CONFIGS/a-client"});
    assert_true(contents->others == others);
    assert_text(contents->removable().front(), "CONFIGS/mountdata");

    assert_true(opened(directory.path()).remove(*contents).has_value());
    assert_text(directory.list(),
                "CONFIGS CONFIGS/link CONFIGS/other CONFIGS/pipe "
                "lost+found lost+found/x mine");
}

void a_second_lock_is_refused(void**)
{
    const Directory directory;
    const TargetDirectory one = opened(directory.path());

    assert_true(one.lock().has_value());
    assert_int_equal(opened(directory.path()).lock().error().code, EBUSY);
    assert_true(one.lock().has_value());
}

void a_file_system_of_files_is_local(void**)
{
    const Directory directory;

    assert_true(opened(directory.path()).check_local().has_value());
    assert_int_equal(opened("/proc/self").check_local().error().code, EOPNOTSUPP);
    assert_int_equal(opened("/sys").check_local().error().code, EOPNOTSUPP);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(mounts_are_taken_apart),
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
