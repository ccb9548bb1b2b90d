// SPDX-License-Identifier: GPL-2.0-only
/* Mounts of clients in /proc/self/mountinfo. */
#include "cmocka.hpp"

#include "lfs/mount_table.hpp"

namespace {

/* Two clients' mounts, of which one is bound, a target, and a tmpfs below a client's. */
const std::vector<disk::Mount>& table()
{
    static const auto mounts = disk::parse_mountinfo(
        "22 1 0:21 / / rw - ext4 /dev/sda rw\n"
        "35 22 0:40 /home/x /home rw - lustre-lite 10.0.0.1@tcp:/fs rw\n"
        "36 22 0:40 / /mnt/a rw - lustre-lite 10.0.0.1@tcp:/fs rw\n"
        "37 36 0:41 / /mnt/a/tmp rw - tmpfs tmpfs rw\n"
        "38 37 0:40 /d /mnt/a/tmp/d rw - lustre-lite 10.0.0.1@tcp:/fs rw\n"
        "39 22 0:42 / /mnt/ost rw - lustre-lite /srv/ost rw\n"
        "40 22 0:43 /sub /mnt/b rw - lustre-lite 10.0.0.1@tcp:/fs/sub rw\n"
        "41 22 0:43 /sub /mnt/c rw - lustre-lite 10.0.0.1@tcp:/fs/sub rw\n");

    return mounts;
}

std::string mount_at(const std::string& path)
{
    const auto mount = lfs::client_mount_at(table(), path);

    return mount ? mount->directory : "none";
}

void the_nearest_mount_has_a_path(void**)
{
    assert_text(mount_at("/home"), "/home");
    assert_text(mount_at("/home/f"), "/home");
    assert_text(mount_at("/homes"), "none");
    assert_text(mount_at("/mnt/a/x"), "/mnt/a");
    assert_text(mount_at("/mnt/a/tmp"), "none");
    assert_text(mount_at("/mnt/a/tmp/x"), "none");
    assert_text(mount_at("/mnt/a/tmp/d/x"), "/mnt/a/tmp/d");
    assert_text(mount_at("/mnt/a/tmpx"), "/mnt/a");
    assert_text(mount_at("/mnt/ost"), "none");
    assert_text(mount_at("/"), "none");
}

void what_is_on_top_has_a_path(void**)
{
    auto mounts = table();

    mounts.push_back({"tmpfs", "/mnt/a", "tmpfs", "/", "0:50"});
    assert_false(lfs::client_mount_at(mounts, "/mnt/a/x").has_value());
    mounts.push_back({"10.0.0.1@tcp:/fs", "/", "lustre-lite", "/", "0:51"});
    assert_text(lfs::client_mount_at(mounts, "/etc")->directory, "/");
}

void a_file_system_is_listed_once(void**)
{
    const std::vector<std::string> want = {"/mnt/a", "/mnt/b"};

    assert_true(lfs::file_systems(table()) == want);
    assert_true(lfs::file_systems({}).empty());
}

void paths_lose_the_root_of_the_mount(void**)
{
    assert_text(*lfs::path_below("", "a/b"), "a/b");
    assert_text(*lfs::path_below("", "/"), "/");
    assert_text(*lfs::path_below("a", "a/b"), "b");
    assert_text(*lfs::path_below("a", "a"), "/");
    assert_text(*lfs::path_below("a/b", "a/b/c/d"), "c/d");
    assert_false(lfs::path_below("a", "ab/c").has_value());
    assert_false(lfs::path_below("a/b", "a").has_value());
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_mount_has_a_path),
        cmocka_unit_test(what_is_on_top_has_a_path),
        cmocka_unit_test(a_file_system_is_listed_once),
        cmocka_unit_test(paths_lose_the_root_of_the_mount),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
