// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files that migrate asks for, and what it says of those that it cannot
 * migrate.
 */
#include <cerrno>

#include "lfs_fixture.hpp"

namespace {

using lfs_test::FakeFiles;

void a_layout_is_that_of_setstripe(void**)
{
    FakeFiles files;

    files.files["/mnt/lustre/file"] = {};
    assert_int_equal(lfs_test::run(files, "setstripe -c 2 -S 1M /mnt/lustre/new").status, 0);

    const std::string bytes = files.set_bytes;
    const auto ran = lfs_test::run(files, "migrate -c 2 -S 1M /mnt/lustre/file");

    assert_text(ran.err, "");
    assert_text(ran.out, "");
    assert_int_equal(ran.status, 0);
    assert_text(files.set_path, "/mnt/lustre/file");
    assert_text(lfs_test::hex_of(files.set_bytes), lfs_test::hex_of(bytes));
    assert_int_equal(lfs_test::run(files, "migrate /mnt/lustre/file").status, 0);
    assert_text(files.set_bytes, "as a new file");
}

void a_file_that_changes_is_copied_again(void**)
{
    FakeFiles files;

    files.files["/mnt/lustre/file"] = {};
    files.changes = 3;
    assert_int_equal(lfs_test::run(files, "migrate -c 1 /mnt/lustre/file").status, 0);
    files.changes = 3;
    files.change = ENOTCONN;
    assert_int_equal(lfs_test::run(files, "migrate -c 1 /mnt/lustre/file").status, 0);
    files.changes = 4;
    files.change = EAGAIN;

    const auto ran = lfs_test::run(files, "migrate -c 1 /mnt/lustre/file");

    assert_int_equal(ran.status, EAGAIN);
    assert_text(ran.err,
                "error: migrate: /mnt/lustre/file: changed while it was "
                "copied; try again, or stop "
                "its writers\n");
}

void each_file_is_tried(void**)
{
    FakeFiles files;

    files.files["/mnt/lustre/file"] = {};

    const auto ran = lfs_test::run(
        files, "migrate -c 1 /mnt/lustre /mnt/lustre/none /tmp/local /mnt/lustre/file");

    assert_int_equal(ran.status, EISDIR);
    assert_text(ran.err,
                "error: migrate: /mnt/lustre: a directory: name the files in it, "
                "or set the "
                "default of new ones with setstripe\n"
                "error: migrate: /mnt/lustre/none: No such file or directory\n"
                "error: migrate: /tmp/local: not on a Lustre filesystem\n");
    assert_text(files.set_path, "/mnt/lustre/file");
}

}  // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_layout_is_that_of_setstripe),
        cmocka_unit_test(a_file_that_changes_is_copied_again),
        cmocka_unit_test(each_file_is_tried),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
