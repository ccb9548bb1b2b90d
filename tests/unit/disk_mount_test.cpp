// SPDX-License-Identifier: GPL-2.0-only
/* mount.lustre-lite as a whole, over a kernel that is none. */
#include "disk_fixture.hpp"

#include <cerrno>
#include <deque>
#include <map>

#include <fmt/format.h>
#include <sys/mount.h>
#include <unistd.h>

#include "disk/mounter.hpp"

using namespace disk_test;
using disk::KernelWord;

namespace {

/* Records its calls, and returns scripted results. */
class FakeSystem final : public disk::MountSystem {
public:
    std::string calls;
    std::map<std::string, std::deque<int>> answers;  // by call; 0 when there are none left
    std::vector<KernelWord> said;
    bool root = true;

    int open(ll::Fd&) override { return called("open"); }
    int pick(const std::string& directory, ll::Fd&) override { return called("pick " + directory); }
    int set(const ll::Fd&, const char* name, const char* value) override
    {
        return called(value != nullptr ? fmt::format("set {}={}", name, value)
                                       : fmt::format("set {}", name));
    }
    int create(const ll::Fd&) override { return called("create"); }
    int reconfigure(const ll::Fd&) override { return called("reconfigure"); }
    std::vector<KernelWord> words(const ll::Fd&) override { return std::exchange(said, {}); }
    int attach(const ll::Fd&, const std::string& directory, std::uint64_t attrs) override
    {
        return called(fmt::format("attach {} {:#x}", directory, attrs));
    }
    int set_attrs(const std::string& directory, std::uint64_t set, std::uint64_t clear) override
    {
        return called(fmt::format("attrs {} {:#x} {:#x}", directory, set, clear));
    }
    int mount(const std::string& source, const std::string& directory, unsigned long flags,
              const std::string& data) override
    {
        return called(fmt::format("mount {} {} {:#x} '{}'", source, directory, flags, data));
    }
    bool is_root() override { return root; }
    void pause(unsigned seconds) override { (void)called(fmt::format("pause {}", seconds)); }

private:
    int called(const std::string& call)
    {
        auto& queue = answers[call];
        int answer = 0;

        calls += (calls.empty() ? "" : "; ") + call;
        if (!queue.empty()) {
            answer = queue.front();
            queue.pop_front();
        }
        return answer;
    }
};

/* run() takes a plain function. */
FakeSystem* system_at_hand;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

int run_with_fake(lctl::Writer& out, lctl::Writer& err, int argc, char* const* argv)
{
    return disk::run_mount(*system_at_hand, out, err, argc, argv);
}

Output mount(FakeSystem& system, std::vector<std::string> arguments)
{
    system_at_hand = &system;
    return run(run_with_fake, std::move(arguments));
}

constexpr const char* kSource = "10.0.0.1:/fs";

void a_client_is_mounted_step_by_step(void**)
{
    FakeSystem system;
    const Output output = mount(system, {kSource, "/tmp", "-o", "nosuid,noir,_netdev,exclude=a"});

    assert_text(output.err, "");
    assert_text(output.out, "");
    assert_int_equal(output.status, 0);
    assert_text(system.calls,
                "open; set source=10.0.0.1:/fs; set noir; set "
                "exclude=a; create; attach /tmp 0x2");
}

void options_may_stand_anywhere(void**)
{
    FakeSystem system;

    // As mount(8) and busybox give them.
    assert_int_equal(mount(system, {"-n", "-o", "ro", kSource, "/tmp", "-s", "-v"}).status, 0);
    assert_text(system.calls, "open; set source=10.0.0.1:/fs; set ro; create; attach /tmp 0x1");
    system.calls.clear();
    assert_int_equal(mount(system, {kSource, "/tmp", "-rw", "-t", "lustre-lite"}).status, 0);
    assert_text(system.calls,
                "open; set source=10.0.0.1:/fs; set ro; set rw; create; attach /tmp 0x0");
}

void a_target_is_mounted_by_its_whole_path(void**)
{
    const Directory directory;
    FakeSystem system;

    mkfs({"-q", "--mgs", "--mountfsoptions=ro,noir,retry=1", directory.file("t")});
    const Output output =
        mount(system, {directory.file("t/../t/."), "/tmp", "-o", "rw,nomgs", "-v"});
    assert_text(output.err, "");
    assert_text(system.calls, fmt::format("open; set source={}; set ro; set noir; set rw; "
                                          "set nomgs; create; attach /tmp 0x0",
                                          directory.file("t")));
    assert_contains(output.out, directory.file("t") + " is the target MGS\n");
    assert_contains(output.out, "is mounted at /tmp\n");
}

void what_is_no_good_target_is_told_before(void**)
{
    const Directory directory;
    FakeSystem system;

    Output output = mount(system, {directory.path(), "/tmp"});
    assert_int_equal(output.status, 32);
    assert_contains(output.err, "is not a target: CONFIGS/mountdata is missing");
    directory.put("CONFIGS/mountdata", bytes_of("x"));
    assert_contains(mount(system, {directory.path(), "/tmp"}).err, "1 bytes, expected 12288");
    output = mount(system, {"nothing", "/tmp"});
    assert_contains(output.err, "nothing: No such file or directory; a source is NID");
    assert_text(system.calls, "");
}

void a_mount_point_is_a_directory(void**)
{
    const Directory directory;
    FakeSystem system;

    directory.put("file", bytes_of("x"));
    Output output = mount(system, {kSource, directory.file("none")});
    assert_int_equal(output.status, 32);
    assert_contains(output.err, "none: No such file or directory");
    assert_contains(mount(system, {kSource, directory.file("file")}).err, "file: Not a directory");
    assert_text(system.calls, "");
}

void wrong_arguments_end_with_one(void**)
{
    FakeSystem system;
    const std::vector<std::vector<std::string>> cases = {
        {},
        {kSource},
        {kSource, "/tmp", "more"},
        {"server:/fs", "/tmp"},
        {kSource, "/tmp", "-o"},
        {kSource, "/tmp", "-o", "retry=x"},
        {kSource, "/tmp", "-x"},
        {kSource, "/tmp", "-t", "nfs"},
    };

    for (const auto& arguments : cases) {
        const Output output = mount(system, arguments);

        assert_contains(output.err, "error: mount.lustre-lite: ");
        assert_int_equal(output.status, 1);
    }
    system.root = false;
    const Output output = mount(system, {kSource, "/tmp"});
    assert_int_equal(output.status, 1);
    assert_contains(output.err, "only root can mount");
    assert_text(system.calls, "");
}

void a_fake_mount_checks_all(void**)
{
    FakeSystem system;

    system.root = false;
    assert_int_equal(mount(system, {kSource, "/tmp", "-f"}).status, 0);
    assert_int_equal(mount(system, {kSource, "/nothing", "-f"}).status, 32);
    assert_text(system.calls, "");
}

void an_option_that_is_refused_is_named(void**)
{
    FakeSystem system;

    system.answers["set bogus=1"] = {EINVAL};
    system.said = {{'e', "option 'bogus' is not known"}};
    const Output output = mount(system, {kSource, "/tmp", "-o", "noir,bogus=1,later"});
    assert_int_equal(output.status, 32);
    assert_text(output.err,
                "error: mount.lustre-lite: 10.0.0.1:/fs at /tmp: "
                "option 'bogus=1': Invalid "
                "argument\n"
                "note: mount.lustre-lite: the kernel says: option "
                "'bogus' is not known\n");
    assert_text(system.calls, "open; set source=10.0.0.1:/fs; set noir; set bogus=1");
}

void with_s_unknown_options_are_passed_over(void**)
{
    FakeSystem system;

    system.answers["set bogus"] = {EINVAL};
    system.said = {{'e', "unknown option 'bogus'; see mount.lustre-lite(8)"}};
    Output output = mount(system, {kSource, "/tmp", "-s", "-v", "-o", "bogus,noir"});
    assert_int_equal(output.status, 0);
    assert_text(output.err, "");
    assert_contains(output.out, "ignoring the option 'bogus'\n");
    assert_text(system.calls,
                "open; set source=10.0.0.1:/fs; set bogus; set "
                "noir; create; attach /tmp 0x0");

    system.answers["set 32bitapi"] = {EOPNOTSUPP};
    output = mount(system, {kSource, "/tmp", "-s", "-o", "32bitapi"});
    assert_int_equal(output.status, 0);
}

void with_s_other_failures_are_errors(void**)
{
    FakeSystem system;

    system.answers["set cache=x"] = {EINVAL};
    system.said = {{'e', "cache=: 'x' is not an absolute path"}};
    Output output = mount(system, {kSource, "/tmp", "-s", "-o", "cache=x"});
    assert_int_equal(output.status, 32);
    assert_text(output.err,
                "error: mount.lustre-lite: 10.0.0.1:/fs at /tmp: "
                "option 'cache=x': Invalid "
                "argument\n"
                "note: mount.lustre-lite: the kernel says: cache=: "
                "'x' is not an absolute path\n");

    system.answers["set noir"] = {ENOMEM};
    output = mount(system, {kSource, "/tmp", "-s", "-o", "noir"});
    assert_int_equal(output.status, 32);
    assert_contains(output.err, "option 'noir': Cannot allocate memory");
}

std::string names_of(std::size_t bytes)
{
    std::string names = "fs-OST0000";

    while (names.size() + 11 <= bytes)
        names += ":fs-OST0000";
    return names + std::string(bytes - names.size(), 'x');
}

void long_values_are_for_mount(void**)
{
    FakeSystem system;
    const std::string fits = "exclude=" + names_of(255);
    const std::string is_long = "exclude=" + names_of(256);

    assert_int_equal(mount(system, {kSource, "/tmp", "-o", fits}).status, 0);
    assert_text(system.calls,
                "open; set source=10.0.0.1:/fs; set " + fits + "; create; attach /tmp 0x0");

    system.calls.clear();
    system.answers["set bogus"] = {EINVAL};
    system.said = {{'e', "unknown option 'bogus'; see mount.lustre-lite(8)"}};
    assert_int_equal(
        mount(system, {kSource, "/tmp", "-s", "-o", "bogus,nosuid,noir," + is_long}).status, 0);
    assert_text(system.calls,
                "open; set source=10.0.0.1:/fs; set bogus; set noir; mount "
                "10.0.0.1:/fs /tmp 0x2 'noir," +
                    is_long + "'");
}

void a_long_source_is_for_mount(void**)
{
    FakeSystem system;
    std::string source = "10.0.0.1";

    while (source.size() <= 255)
        source += ":10.0.0.1";
    source += ":/fs";
    assert_int_equal(mount(system, {source, "/tmp", "-o", "noir"}).status, 0);
    assert_text(system.calls, "open; set noir; mount " + source + " /tmp 0x0 'noir'");

    system.calls.clear();
    system.answers["mount " + source + " /tmp 0x0 ''"] = {EINVAL};
    const Output output = mount(system, {source, "/tmp"});
    assert_int_equal(output.status, 32);
    assert_contains(output.err, "the kernel log (dmesg) has the reason");

    system.calls.clear();
    assert_int_equal(mount(system, {source, "/tmp", "-o", "remount,noir"}).status, 0);
    assert_text(system.calls, "pick /tmp; set noir; reconfigure");
}

void what_mount_would_cut_is_refused(void**)
{
    FakeSystem system;
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const Output output = mount(system, {kSource, "/tmp", "-o", "exclude=" + names_of(page)});

    assert_int_equal(output.status, 32);
    assert_contains(output.err, "Argument list too long");
    assert_text(system.calls, "open; set source=10.0.0.1:/fs");
}

void it_is_tried_again_where_that_can_help(void**)
{
    FakeSystem system;

    system.answers["create"] = {ETIMEDOUT, ENOTCONN, EAGAIN, ECONNREFUSED, EHOSTUNREACH, ETIMEDOUT};
    Output output = mount(system, {kSource, "/tmp", "-o", "retry=7"});
    assert_int_equal(output.status, 0);
    std::string want;
    for (const unsigned pause : {1U, 2U, 4U, 8U, 16U, 30U})
        want += fmt::format("open; set source=10.0.0.1:/fs; create; pause {}; ", pause);
    assert_text(system.calls, want + "open; set source=10.0.0.1:/fs; create; attach /tmp 0x0");
    assert_contains(output.err,
                    "note: mount.lustre-lite: 10.0.0.1:/fs: "
                    "Connection timed out; trying again in "
                    "1 s (1 of 7)\n");

    system.calls.clear();
    system.answers["create"] = {ETIMEDOUT, ETIMEDOUT, ETIMEDOUT};
    output = mount(system, {kSource, "/tmp", "-o", "retry=1"});
    assert_int_equal(output.status, 32);
    assert_text(system.calls,
                "open; set source=10.0.0.1:/fs; create; pause 1; open; set "
                "source=10.0.0.1:/fs; create");
    assert_contains(output.err, "no answer from 10.0.0.1@tcp; check that the management service");
}

void what_will_not_pass_is_not_tried_again(void**)
{
    for (const int code : {ENOENT, EINVAL, EIO, EALREADY, EBUSY, EPERM, EROFS, ENOMEM, EINTR}) {
        FakeSystem system;

        system.answers["create"] = {code};
        assert_int_equal(mount(system, {kSource, "/tmp", "-o", "retry=5"}).status, 32);
        assert_text(system.calls, "open; set source=10.0.0.1:/fs; create");
    }
}

void an_unknown_type_is_a_module_that_is_not_there(void**)
{
    FakeSystem system;

    system.answers["open"] = {ENODEV};
    const Output output = mount(system, {kSource, "/tmp"});
    assert_int_equal(output.status, 32);
    assert_contains(output.err, "could not load its module");
    assert_contains(output.err, "modprobe llite");
}

void every_errno_has_words(void**)
{
    disk::MountSource client = *disk::parse_source(kSource);
    disk::MountSource target = *disk::parse_source("/srv/ost");

    for (const int code :
         {ENODEV, ENOENT, ENOTCONN, ETIMEDOUT, ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EALREADY,
          EBUSY, EINVAL, EROFS, EPERM, ENOMEM, EIO, ENOTDIR, ENOSPC, EINTR}) {
        assert_false(disk::mount_advice(code, client).empty());
        assert_false(disk::mount_advice(code, target).empty());
    }
    assert_contains(disk::mount_advice(ENOENT, client), "no file system 'fs'");
    assert_contains(disk::mount_advice(ENOENT, *disk::parse_source("10.0.0.1:/fs/a/b")),
                    "the path of the directory in it");
    assert_contains(disk::mount_advice(ENOENT, target), "tunefs.lustre-lite --writeconf");
    assert_contains(disk::mount_advice(EADDRINUSE, target), "another target has this name");
    assert_contains(disk::mount_advice(EBUSY, target), "/srv/ost is already running");
    assert_contains(disk::mount_advice(EALREADY, target),
                    "than that in /srv/ost; in the second case run "
                    "tunefs.lustre-lite --writeconf");
    assert_contains(disk::mount_advice(ENOTCONN, target), "the target's management service");
    assert_text(disk::mount_advice(ELOOP, client), "");
}

void the_kernels_words_come_before_guesses(void**)
{
    FakeSystem system;

    system.answers["create"] = {EIO};
    system.said = {{'i', "reading"}, {'w', "the copy is old"}, {'e', "log fs-client: record 7"}};
    Output output = mount(system, {kSource, "/tmp"});
    assert_text(output.err,
                "error: mount.lustre-lite: 10.0.0.1:/fs at /tmp: Input/output error\n"
                "note: mount.lustre-lite: the kernel says: reading\n"
                "note: mount.lustre-lite: the kernel says: the copy is old\n"
                "note: mount.lustre-lite: the kernel says: log fs-client: record 7\n");

    system.said = {{'i', "reading"}, {'w', "the copy is old"}};
    output = mount(system, {kSource, "/tmp"});
    assert_int_equal(output.status, 0);
    assert_text(output.err, "note: mount.lustre-lite: the kernel says: the copy is old\n");
}

void words_are_as_the_kernel_writes_them(void**)
{
    const KernelWord word = disk::parse_word("w lustre-lite: it is old\n");

    assert_int_equal(word.kind, 'w');
    assert_text(word.text, "it is old");
    assert_text(disk::parse_word("e x").text, "x");
    assert_text(disk::parse_word("plain").text, "plain");
    assert_int_equal(disk::parse_word("plain").kind, 'e');
    assert_text(disk::parse_word("").text, "");
}

void a_failure_to_attach_is_one(void**)
{
    FakeSystem system;

    system.answers["attach /tmp 0x0"] = {EBUSY};
    const Output output = mount(system, {kSource, "/tmp"});
    assert_int_equal(output.status, 32);
    assert_contains(output.err, "Device or resource busy");
}

void a_remount_changes_what_it_names(void**)
{
    FakeSystem system;

    assert_int_equal(mount(system, {kSource, "/tmp", "-o", "remount,ro,suid,noir"}).status, 0);
    assert_text(system.calls, "pick /tmp; set ro; set noir; reconfigure; attrs /tmp 0x1 0x2");
    system.calls.clear();
    assert_int_equal(mount(system, {kSource, "/tmp", "-o", "remount,noir"}).status, 0);
    assert_text(system.calls, "pick /tmp; set noir; reconfigure");
    // The mount point of a remount need not exist.
    system.calls.clear();
    assert_int_equal(mount(system, {"/gone", "/tmp", "-o", "remount,rw"}).status, 0);
    assert_text(system.calls, "pick /tmp; set rw; reconfigure; attrs /tmp 0x0 0x1");
}

void an_old_kernel_is_asked_by_mount(void**)
{
    FakeSystem system;

    system.answers["open"] = {ENOSYS};
    assert_int_equal(mount(system, {kSource, "/tmp", "-o", "ro,nosuid,noir,a=b"}).status, 0);
    assert_text(system.calls, "open; mount 10.0.0.1:/fs /tmp 0x3 'noir,a=b'");
    system.calls.clear();
    system.answers["pick /tmp"] = {ENOSYS};
    assert_int_equal(mount(system, {kSource, "/tmp", "-o", "remount,rw"}).status, 0);
    assert_text(system.calls, "pick /tmp; mount 10.0.0.1:/fs /tmp 0x20 ''");
}

void help_and_version_need_nothing(void**)
{
    FakeSystem system;

    assert_contains(mount(system, {"--help"}).out, "usage: mount.lustre-lite NID");
    assert_text(mount(system, {"-V"}).out, "mount.lustre-lite: " LL_VERSION "\n");
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(a_client_is_mounted_step_by_step),
        cmocka_unit_test(options_may_stand_anywhere),
        cmocka_unit_test(a_target_is_mounted_by_its_whole_path),
        cmocka_unit_test(what_is_no_good_target_is_told_before),
        cmocka_unit_test(a_mount_point_is_a_directory),
        cmocka_unit_test(wrong_arguments_end_with_one),
        cmocka_unit_test(a_fake_mount_checks_all),
        cmocka_unit_test(an_option_that_is_refused_is_named),
        cmocka_unit_test(with_s_unknown_options_are_passed_over),
        cmocka_unit_test(with_s_other_failures_are_errors),
        cmocka_unit_test(long_values_are_for_mount),
        cmocka_unit_test(a_long_source_is_for_mount),
        cmocka_unit_test(what_mount_would_cut_is_refused),
        cmocka_unit_test(it_is_tried_again_where_that_can_help),
        cmocka_unit_test(what_will_not_pass_is_not_tried_again),
        cmocka_unit_test(an_unknown_type_is_a_module_that_is_not_there),
        cmocka_unit_test(every_errno_has_words),
        cmocka_unit_test(the_kernels_words_come_before_guesses),
        cmocka_unit_test(words_are_as_the_kernel_writes_them),
        cmocka_unit_test(a_failure_to_attach_is_one),
        cmocka_unit_test(a_remount_changes_what_it_names),
        cmocka_unit_test(an_old_kernel_is_asked_by_mount),
        cmocka_unit_test(help_and_version_need_nothing),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
