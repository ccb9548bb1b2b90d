// SPDX-License-Identifier: GPL-2.0-only
/* Commands of object devices: calls to the kernel, and texts of refusals. */
#include <cerrno>
#include <cstdio>
#include <span>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "fake_obd.hpp"
#include "lctl_fixture.hpp"
#include "lib/devices.hpp"

using namespace lctl_test;

namespace {

constexpr const char* kNoChoice = ": no device given; use --device, or select one with 'device'\n";

void make_devices(FakeObd& obd)
{
    obd.devices = {{0, "obdecho", "es", "es_UUID"},
                   {3, "osc", "osc0", "osc0_UUID"},
                   {7, "osc", "12", "twelve_UUID"}};
}

/* Run a command line that succeeds and prints nothing. Return: its calls */
std::string sent_by(const std::string& line)
{
    FakeObd obd;

    make_devices(obd);

    const Ran ran = run(obd, line);

    assert_text(ran.out, "");
    assert_text(ran.err, "");
    assert_int_equal(ran.status, 0);
    return obd.take();
}

struct Sent {
    const char* line;
    const char* sent;
};

void commands_are_composed(void** /*state*/)
{
    static constexpr Sent cases[] = {
        {"attach obdecho es es_UUID", "attach 'es' 'obdecho' 'es_UUID'\n"},
        {"lcfg_attach obdecho es es_UUID", "attach 'es' 'obdecho' 'es_UUID'\n"},
        {"--device es setup", "setup 'es'\n"},
        {"--device=es setup a b", "setup 'es' 'a' 'b'\n"},
        {"setup --device es 1 2 3 4 5 6 7", "setup 'es' '1' '2' '3' '4' '5' '6' '7'\n"},
        {"setup --device es -- -1", "setup 'es' '-1'\n"},
        {"lcfg_setup --device=es x", "setup 'es' 'x'\n"},
        {"cleanup --device es", "cleanup 'es'\n"},
        {"cleanup --device es force", "cleanup 'es' 'F'\n"},
        {"cleanup --device es failover force", "cleanup 'es' 'AF'\n"},
        {"--device es detach", "detach 'es'\n"},
        {"add_uuid node 10.0.0.1@tcp", "add_uuid '' 'node' '10.0.0.1@tcp'\n"},
        {"del_uuid node", "del_uuid '' 'node'\n"},
        {"del_uuid --all", "del_uuid ''\n"},
        {"add_conn --device osc0 node", "add_conn 'osc0' 'node'\n"},
        {"add_conn --device osc0 node 1", "add_conn 'osc0' 'node' num=1\n"},
        {"del_conn --device osc0 node", "del_conn 'osc0' 'node'\n"},
        {"set_timeout 20", "set_timeout '' num=20\n"},
        {"mount_option fs-client lov lmv", "mount_option '' 'fs-client' 'lov' 'lmv'\n"},
        {"mount_option fs-client lov", "mount_option '' 'fs-client' 'lov'\n"},
        {"del_mount_option fs-client", "del_mount_option '' 'fs-client'\n"},
        {"activate --device osc0", "activate osc0 ''\n"},
        {"--device 3 deactivate", "deactivate osc0 ''\n"},
        {"--device osc0 recover", "recover osc0 ''\n"},
        {"--device osc0 recover node", "recover osc0 'node'\n"},
    };

    for (const Sent& one : cases)
        assert_text(sent_by(one.line), one.sent);
}

void a_device_is_named_in_four_ways(void** /*state*/)
{
    static constexpr Sent cases[] = {
        {"--device es detach", "detach 'es'\n"},
        {"--device '$es' detach", "detach 'es'\n"},
        {"--device %es detach", "detach 'es'\n"},
        {"--device 3 detach", "detach 3 ''\n"},
        {"--device %12 detach", "detach '12'\n"},
        {"--device 4294967294 detach", "detach 4294967294 ''\n"},
        {"--device 4294967295 detach", "detach '4294967295'\n"},
        {"--device -1 detach", "detach '-1'\n"},
        {"--device 0x3 detach", "detach '0x3'\n"},
    };

    for (const Sent& one : cases)
        assert_text(sent_by(one.line), one.sent);
}

void arguments_stand_for_uuids(void** /*state*/)
{
    static constexpr Sent cases[] = {
        {"attach echo_client ec %es", "attach 'ec' 'echo_client' 'es_UUID'\n"},
        {"setup --device es '$osc0' %es", "setup 'es' 'osc0_UUID' 'es_UUID'\n"},
        {"setup --device es %3", "setup 'es' 'osc0_UUID'\n"},
        {"setup --device es %12", "setup 'es' 'twelve_UUID'\n"},
        {"setup --device es es 3", "setup 'es' 'es' '3'\n"},
        {"setup --device es '$$x' %%es a%b", "setup 'es' '$x' '%es' 'a%b'\n"},
    };

    for (const Sent& one : cases)
        assert_text(sent_by(one.line), one.sent);

    FakeObd obd;
    const Ran ran = run(obd, "setup --device es %nosuch");

    assert_text(ran.err, "error: setup: nosuch: No such device\n");
    assert_int_equal(ran.status, ENODEV);
    assert_text(obd.take(), "");
}

struct Refused {
    const char* line;
    int code;
    const char* why;
    const char* err;
};

void refusals_name_device_and_reason(void** /*state*/)
{
    static constexpr Refused cases[] = {
        {"attach obdecho es es_UUID", EEXIST, "there is a device 'es' already",
         "error: attach: es: there is a device 'es' already: File exists\n"},
        {"--device es setup", EEXIST, "es: is set up already",
         "error: setup: es: is set up already: File exists\n"},
        {"--device es cleanup", EIO, "", "error: cleanup: es: Input/output error\n"},
        {"--device 9 detach", ENODEV, "no device has that number",
         "error: detach: 9: no device has that number: No such device\n"},
        {"--device es detach", EPERM, "",
         "error: detach: es: requires CAP_SYS_ADMIN (run as root): Operation not permitted\n"},
        {"set_timeout 0", ERANGE, "0 is below 1",
         "error: set_timeout: 0 is below 1: Numerical result out of range\n"},
        {"--device osc0 recover x", ENOENT, "osc0: no server x",
         "error: recover: osc0: no server x: No such file or directory\n"},
        {"--device es activate", EOPNOTSUPP, "es: a device of type obdecho has no import",
         "error: activate: es: a device of type obdecho has no import: Operation not supported\n"},
        {"--device nosuch activate", 0, "", "error: activate: nosuch: No such device\n"},
    };

    for (const Refused& one : cases) {
        FakeObd obd;

        make_devices(obd);
        obd.refuse = one.code;
        obd.why = one.why;

        const Ran ran = run(obd, one.line);

        assert_text(ran.out, "");
        assert_text(ran.err, one.err);
        assert_int_equal(ran.status, one.code != 0 ? one.code : ENODEV);
    }
}

struct Wrong {
    const char* line;
    const char* complaint;
};

void wrong_words_are_refused_before_anything_is_sent(void** /*state*/)
{
    static constexpr Wrong cases[] = {
        {"attach", "attach: missing operand TYPE"},
        {"attach a", "attach: missing operand NAME"},
        {"attach a b c d", "attach: unexpected operand 'd'"},
        {"--device es setup 1 2 3 4 5 6 7 8", "setup: unexpected operand '8'"},
        {"--device es cleanup now", "cleanup: takes 'force' and 'failover' only"},
        {"--device es detach x", "detach: takes no operands"},
        {"device a b", "device: unexpected operand 'b'"},
        {"newdev x", "newdev: takes no operands"},
        {"add_uuid node", "add_uuid: missing operand NID"},
        {"del_uuid", "del_uuid: takes one UUID, or --all"},
        {"del_uuid --all x", "del_uuid: takes one UUID, or --all"},
        {"--device es add_conn", "add_conn: missing operand UUID"},
        {"--device es add_conn -- a -1", "add_conn: PRIORITY: '-1' is not a number"},
        {"--device es del_conn", "del_conn: missing operand UUID"},
        {"set_timeout", "set_timeout: missing operand SECONDS"},
        {"set_timeout soon", "set_timeout: SECONDS: 'soon' is not a number"},
        {"mount_option p", "mount_option: missing operand DATA"},
        {"del_mount_option", "del_mount_option: missing operand PROFILE"},
        {"--device es activate x", "activate: takes no operands"},
        {"--device es deactivate x", "deactivate: takes no operands"},
        {"--device es recover a b", "recover: unexpected operand 'b'"},
    };

    for (const Wrong& one : cases) {
        FakeObd obd;

        make_devices(obd);

        const Ran ran = run(obd, one.line);

        if (!ran.err.starts_with(std::string("error: ") + one.complaint + "\nusage: lctl "))
            assert_text(ran.err, one.complaint);
        assert_int_equal(ran.status, EINVAL);
        assert_text(obd.take(), "");
    }
}

void a_device_must_be_chosen(void** /*state*/)
{
    for (const std::string command : {"setup", "cleanup", "detach", "device", "activate",
                                      "deactivate", "recover", "add_conn a", "del_conn a"}) {
        FakeObd obd;
        const Ran ran = run(obd, command);

        assert_text(ran.err, "error: " + command.substr(0, command.find(' ')) + kNoChoice);
        assert_int_equal(ran.status, ENODEV);
        assert_text(obd.take(), "");
    }
}

void what_names_no_device_is_refused(void** /*state*/)
{
    for (const std::string name : {"''", "%", "'$'"}) {
        FakeObd obd;
        const Ran before = run(obd, "--device " + name + " detach");
        const Ran after = run(obd, "detach --device " + name);
        const std::string bare = name == "%" ? name : name.substr(1, name.size() - 2);
        const std::string words = "'" + bare + "' does not name a device; use its number or name\n";

        assert_text(before.err, "error: --device: " + words);
        assert_text(after.err, "error: detach: " + words);
        assert_int_equal(before.status, EINVAL);
        assert_int_equal(after.status, EINVAL);
        assert_text(obd.take(), "");
    }

    FakeObd obd;
    const Ran ran = run(obd, "--device");

    assert_text(ran.err, "lctl: option '--device' needs a DEVICE. See 'lctl --help'.\n");
    assert_int_equal(ran.status, EINVAL);
}

void the_current_device_is_printed(void** /*state*/)
{
    FakeObd obd;

    make_devices(obd);
    assert_text(run(obd, "--device 3 device").out, "osc0\n");
    assert_text(run(obd, "device es").out, "");
    assert_text(run(obd, "cfg_device --json %es").out,
                "{\"index\": 0, \"status\": \"UP\", \"type\": \"obdecho\", \"name\": \"es\", "
                "\"uuid\": \"es_UUID\", \"refcount\": 3}\n");

    const Ran ran = run(obd, "device nosuch");

    assert_text(ran.err, "error: device: nosuch: No such device\n");
    assert_int_equal(ran.status, ENODEV);
}

void newdev_forgets_it(void** /*state*/)
{
    FakeObd obd;

    make_devices(obd);

    const Ran ran = run(obd, "--device es newdev");

    assert_text(ran.err, "newdev: no device is current; 'attach TYPE NAME UUID' creates one\n");
    assert_int_equal(ran.status, 0);
    assert_text(obd.take(), "");
}

/* A batch, through a file. */
Ran batch(FakeObd& obd, const std::string& lines)
{
    char path[] = "/tmp/lctl_device_test.XXXXXX";
    const int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, lines.data(), lines.size()), lines.size());
    close(fd);

    const Ran ran = run(obd, std::string("--ignore_errors --batch=") + path);

    unlink(path);
    return ran;
}

void a_batch_has_a_current_device(void** /*state*/)
{
    FakeObd obd;

    make_devices(obd);

    const Ran ran = batch(obd,
                          "attach obdecho new new_UUID\n"
                          "setup\n"
                          "cleanup --device es\n"
                          "device 3\n"
                          "cleanup force\n"
                          "detach\n");

    assert_text(ran.err, "");
    assert_text(obd.take(),
                "attach 'new' 'obdecho' 'new_UUID'\n"
                "setup 'new'\n"
                "cleanup 'es'\n"
                "cleanup 'osc0' 'F'\n"
                "detach 'osc0'\n");
}

/* A device that is detached, or could not be attached, is not the current device. */
void a_device_that_went_is_not_current(void** /*state*/)
{
    FakeObd obd;

    make_devices(obd);

    const Ran gone = batch(obd, "device es\ndetach\ncleanup\n");

    assert_non_null(std::strstr(gone.err.c_str(), ":3: error: cleanup: no device given"));
    assert_text(obd.take(), "detach 'es'\n");

    const Ran forgotten = batch(obd, "device es\nnewdev\ncleanup\n");

    assert_non_null(std::strstr(forgotten.err.c_str(), ":3: error: cleanup: no device given"));
    assert_text(obd.take(), "");

    obd.refuse = ENODEV;

    const Ran refused = batch(obd, "attach nosuch x x_UUID\nsetup\n");

    assert_non_null(std::strstr(refused.err.c_str(), ":2: error: setup: no device given"));
    assert_int_equal(refused.status, ENODEV);

    obd.refuse = 0;
    obd.take();

    const Ran other = batch(obd, "device es\ndetach --device osc0\ncleanup\n");

    assert_text(other.err, "");
    assert_text(obd.take(), "detach 'osc0'\ncleanup 'es'\n");
}

void a_module_that_is_not_loaded_is_named(void** /*state*/)
{
    FakeObd obd;

    obd.loaded = false;
    for (const char* line : {"attach obdecho es es_UUID", "--device es setup", "--device 0 recover",
                             "device es", "set_timeout 5"}) {
        const Ran ran = run(obd, line);

        assert_true(ran.err.ends_with(": the module obdclass is not loaded: modprobe obdclass\n"));
        assert_int_equal(ran.status, ENOENT);
    }

    FakeSystem system(obd);

    system.no_kernel = {ENOENT, "cannot open /dev/libcfs: load it"};

    const Ran ran = run(system, "attach obdecho es es_UUID");

    assert_text(ran.err, "error: attach: cannot open /dev/libcfs: load it\n");
    assert_int_equal(ran.status, ENOENT);
}

void arguments_that_are_too_long_are_refused(void** /*state*/)
{
    FakeObd obd;

    make_devices(obd);

    const std::string too_long =
        ": the arguments are too long; the maximum for all of them is 8192 bytes\n";

    for (const std::size_t size : {8150U, 8192U, 9000U}) {
        const std::string text(size, 'x');
        const Ran setup = run(obd, "setup --device es " + text);
        const Ran attach = run(obd, "attach obdecho " + text + " u");

        assert_text(setup.err, "error: setup" + too_long);
        assert_text(attach.err, "error: attach" + too_long);
        assert_int_equal(setup.status, E2BIG);
        assert_int_equal(attach.status, E2BIG);
    }
    assert_text(obd.take(), "");

    const Ran uuid = run(obd, "recover --device osc0 " + std::string(40, 'u'));

    assert_int_equal(uuid.status, EINVAL);
    assert_non_null(std::strstr(uuid.err.c_str(), "has 40 bytes; the maximum is 39\n"));

    const Ran name = run(obd, "device " + std::string(128, 'n'));

    assert_int_equal(name.status, EINVAL);
    assert_non_null(std::strstr(name.err.c_str(), "has 128 bytes; the maximum is 127\n"));
}

void status_letters_are_those_of_a_list(void** /*state*/)
{
    static constexpr const char* letters[] = {"--", "AT", "UP", "IN", "ST", "--"};

    for (std::uint8_t status = 0; status < std::size(letters); status++)
        assert_string_equal(ll::status_letters(status), letters[status]);
    assert_string_equal(ll::status_letters(255), "--");
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(commands_are_composed),
        cmocka_unit_test(a_device_is_named_in_four_ways),
        cmocka_unit_test(arguments_stand_for_uuids),
        cmocka_unit_test(refusals_name_device_and_reason),
        cmocka_unit_test(wrong_words_are_refused_before_anything_is_sent),
        cmocka_unit_test(a_device_must_be_chosen),
        cmocka_unit_test(what_names_no_device_is_refused),
        cmocka_unit_test(the_current_device_is_printed),
        cmocka_unit_test(newdev_forgets_it),
        cmocka_unit_test(a_batch_has_a_current_device),
        cmocka_unit_test(a_device_that_went_is_not_current),
        cmocka_unit_test(a_module_that_is_not_loaded_is_named),
        cmocka_unit_test(arguments_that_are_too_long_are_refused),
        cmocka_unit_test(status_letters_are_those_of_a_list),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
