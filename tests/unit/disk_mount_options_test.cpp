// SPDX-License-Identifier: GPL-2.0-only
/* Options of a mount, taken apart. */
#include "disk_fixture.hpp"

#include <cerrno>

#include <sys/mount.h>

#include "disk/mount_options.hpp"

using disk::MountOptions;
using namespace disk_test;

namespace {

MountOptions options(std::string_view text)
{
    MountOptions options;

    if (auto added = options.add(text); !added)
        fail_msg("%s", added.error().text.c_str());
    return options;
}

std::string fs_of(std::string_view text)
{
    std::string all;

    for (const auto& option : options(text).fs)
        all += "[" + option.text() + "]";
    return all;
}

void what_any_mount_has_becomes_attributes(void**)
{
    const MountOptions o = options("ro,nosuid,nodev,noexec,nodiratime,nosymfollow");

    assert_int_equal(o.attr_set, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
                                     MOUNT_ATTR_NOEXEC | MOUNT_ATTR_NODIRATIME |
                                     MOUNT_ATTR_NOSYMFOLLOW);
    assert_int_equal(o.attr_clear, 0);
    assert_int_equal(o.flags,
                     MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_NODIRATIME | MS_NOSYMFOLLOW);
    // A file system that is read-only has to know, too.
    assert_text(fs_of("ro,nosuid,sync,dirsync"), "[ro][sync][dirsync]");
}

void later_ones_win(void**)
{
    const MountOptions o = options("ro,nosuid,suid,rw");

    assert_int_equal(o.attr_set, 0);
    assert_int_equal(o.attr_clear, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID);
    assert_int_equal(o.flags, 0);
    assert_text(fs_of("ro,rw"), "[ro][rw]");
    assert_int_equal(options("rw,ro").attr_set, MOUNT_ATTR_RDONLY);
    assert_int_equal(options("rw,ro").attr_clear, 0);
}

void times_of_access_are_one_choice(void**)
{
    assert_int_equal(options("noatime").attr_set, MOUNT_ATTR_NOATIME);
    assert_int_equal(options("noatime").attr_clear, MOUNT_ATTR__ATIME);
    assert_int_equal(options("noatime,strictatime").attr_set, MOUNT_ATTR_STRICTATIME);
    assert_int_equal(options("strictatime,relatime").attr_set, 0);
    assert_int_equal(options("strictatime,relatime").attr_clear, MOUNT_ATTR__ATIME);
    assert_int_equal(options("noatime,relatime").flags, MS_RELATIME);
    assert_int_equal(options("strictatime,noatime").flags, MS_NOATIME);
}

void what_is_of_fstab_is_passed_over(void**)
{
    assert_text(fs_of("defaults,auto,noauto,_netdev,nofail,user,users,owner,group,nouser,"
                      "user=eve,x-systemd.automount,X-mount.mkdir=0755,comment=x,uhelper=a,"
                      "helper=b,,silent,loud"),
                "");
}

void the_rest_is_the_file_systems(void**)
{
    assert_text(fs_of("noir,exclude=fs-OST0001:fs-OST0002,cache=/var/x,bogus"),
                "[noir][exclude=fs-OST0001:fs-OST0002][cache=/var/x][bogus]");
    assert_text(fs_of("a=,b=c=d"), "[a=][b=c=d]");
    // Not an option of any mount, but one of the same name with a value.
    assert_text(fs_of("ro=1"), "[ro=1]");
    assert_text(fs_of("context=\"a:b:c0,c1\",noir"), "[context=a:b:c0,c1][noir]");
    assert_text(fs_of("mgsnode=10.0.0.1,10.0.0.2@tcp"), "[mgsnode=10.0.0.1][10.0.0.2@tcp]");
}

void retries_are_counted_here(void**)
{
    assert_int_equal(options("").retry, 0);
    assert_int_equal(options("retry=3,noir").retry, 3);
    assert_text(fs_of("retry=3,noir"), "[noir]");
    assert_int_equal(options("retry=3,retry=0").retry, 0);
    for (const char* bad : {"retry", "retry=", "retry=x", "retry=-1", "retry=100001"}) {
        const auto added = MountOptions().add(bad);

        assert_false(added.has_value());
        assert_int_equal(added.error().code, EINVAL);
        assert_contains(added.error().text, "must be a number from 0 to 100000");
    }
}

void a_remount_is_known(void**)
{
    assert_false(options("ro").remount);
    assert_true(options("ro,remount").remount);
    assert_text(fs_of("remount,ro"), "[ro]");
}

void a_value_has_a_name(void**)
{
    assert_contains(MountOptions().add("=x").error().text, "option '=x' has no name");
}

void for_mount_the_rest_is_joined(void**)
{
    assert_text(options("ro,noir,sync,exclude=a:b,nosuid,bogus").data(), "noir,exclude=a:b,bogus");
    assert_text(options("ro").data(), "");
    assert_int_equal(options("sync,dirsync,lazytime").flags,
                     MS_SYNCHRONOUS | MS_DIRSYNC | MS_LAZYTIME);
    assert_int_equal(options("sync,async").flags, 0);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(what_any_mount_has_becomes_attributes),
        cmocka_unit_test(later_ones_win),
        cmocka_unit_test(times_of_access_are_one_choice),
        cmocka_unit_test(what_is_of_fstab_is_passed_over),
        cmocka_unit_test(the_rest_is_the_file_systems),
        cmocka_unit_test(retries_are_counted_here),
        cmocka_unit_test(a_remount_is_known),
        cmocka_unit_test(a_value_has_a_name),
        cmocka_unit_test(for_mount_the_rest_is_joined),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
