// SPDX-License-Identifier: GPL-2.0-only
/* replay_config over a kernel that a test plays. */
#include <algorithm>
#include <cstring>
#include <deque>

#include <fcntl.h>

#include "lctl_fixture.hpp"
#include "lib/replay.hpp"
#include "logs_fixture.hpp"

using namespace logs_test;

namespace {

struct Record {
    std::uint32_t index;
    std::uint32_t command;
    obd_replay_done done;
    int status;
    std::string device;
    std::string why;
};

std::string packed(const Record& record)
{
    obd_replay_rec head{};
    const std::size_t length = sizeof(head) + record.device.size() + record.why.size();
    std::string bytes;

    head.orr_len = static_cast<std::uint32_t>((length + 7) & ~std::size_t(7));
    head.orr_index = record.index;
    head.orr_command = record.command;
    head.orr_done = record.done;
    head.orr_status = record.status;
    head.orr_device_len = static_cast<std::uint16_t>(record.device.size());
    head.orr_why_len = static_cast<std::uint16_t>(record.why.size());
    bytes.assign(reinterpret_cast<const char*>(&head), sizeof(head));
    bytes.append(record.device).append(record.why);
    bytes.resize(head.orr_len);
    return bytes;
}

/* Answers replays with the records that it was given. */
class FakeKernel final : public ll::KernelPort {
public:
    int call(unsigned long cmd, void* arg) noexcept override
    {
        switch (cmd) {
            case OBD_IOC_REPLAY:
                return replay(*static_cast<obd_ioc_replay*>(arg));
            case OBD_IOC_INSTANCE_CLEANUP:
                return remove(*static_cast<obd_ioc_instance*>(arg));
            case LIBCFS_IOC_VERSION:
                static_cast<libcfs_ioc_version*>(arg)->v_abi = LIBCFS_ABI_VERSION;
                return 0;
            default:
                return -ENOTTY;
        }
    }

    std::deque<Record> records;
    std::size_t most_at_once = 1000;  // records of a call
    int fail_with = 0;                // the last call
    std::string why;
    std::uint32_t devices = 0;
    std::string raw;            // a report that is given as it is
    bool stands_still = false;  // neither the end nor a step

    std::vector<obd_ioc_replay> calls;
    std::vector<std::string> excluded;
    std::vector<obd_ioc_instance> removed;
    bool file_was_open = true;

private:
    int replay(obd_ioc_replay& arg)
    {
        char* const room = reinterpret_cast<char*>(static_cast<std::uintptr_t>(arg.or_buf));
        std::string report = raw;

        calls.push_back(arg);
        file_was_open &= ::fcntl(arg.or_fd, F_GETFD) >= 0;
        excluded.emplace_back(
            reinterpret_cast<const char*>(static_cast<std::uintptr_t>(arg.or_exclude)),
            arg.or_exclude_len);
        if (stands_still)
            return 0;
        for (std::size_t n = 0; n < most_at_once && !records.empty(); n++) {
            take(arg, records.front());
            report += packed(records.front());
            records.pop_front();
        }
        std::memcpy(room, report.data(), std::min<std::size_t>(report.size(), arg.or_buf_len));
        arg.or_used = static_cast<std::uint32_t>(report.size());
        arg.or_state = CFG_F_START;
        arg.or_eof = records.empty() ? 1 : 0;
        if (fail_with == 0 || !records.empty())
            return 0;
        std::memcpy(arg.or_why, why.c_str(), why.size() + 1);
        return -fail_with;
    }

    static void take(obd_ioc_replay& arg, const Record& record)
    {
        arg.or_last = record.index;
        arg.or_applied += record.done == OBD_REPLAY_APPLIED;
        arg.or_skipped += record.done == OBD_REPLAY_SKIPPED;
        arg.or_failed += record.done == OBD_REPLAY_FAILED;
    }

    int remove(obd_ioc_instance& arg)
    {
        removed.push_back(arg);
        if (fail_with != 0) {
            std::memcpy(arg.on_why, why.c_str(), why.size() + 1);
            return -fail_with;
        }
        arg.on_count = devices;
        return 0;
    }
};

std::deque<Record> some_records()
{
    return {
        {1, LCFG_MARKER, OBD_REPLAY_MARKER, 0, "", ""},
        {2, LCFG_ATTACH, OBD_REPLAY_APPLIED, 0, "fs-clilov", ""},
        {3, LCFG_PARAM, OBD_REPLAY_SKIPPED, 0, "fs-clilov", "taken back"},
        {4, LCFG_SETUP, OBD_REPLAY_FAILED, -ENODEV, "fs-clilov", "no such type 'lov'"},
        {5, LCFG_POOL_NEW, OBD_REPLAY_IGNORED, -EOPNOTSUPP, "fs-clilov", "no pools"},
        {6, LCFG_DETACH, OBD_REPLAY_FAILED, -EBUSY, "fs-clilov", ""},
    };
}

const std::string log_path = golden_path("lustre-2.9/t32fs-client");

lctl_test::Ran replay(FakeKernel& kernel, const std::string& options)
{
    return lctl_test::run(kernel, "replay_config " + log_path + " " + options);
}

void what_was_not_simply_done_is_printed(void**)
{
    FakeKernel kernel;

    kernel.records = some_records();
    const lctl_test::Ran ran = replay(kernel, "");
    assert_text(ran.out,
                "record 3, conf_param of fs-clilov: skipped: taken back\n"
                "record 5, new_pool of fs-clilov: ignored: no pools: Operation not supported\n" +
                    log_path + ": 1 applied, 1 skipped, 1 ignored, 2 failed\n");
    assert_text(ran.err,
                "error: replay_config: " + log_path +
                    ": record 4, setup of fs-clilov: failed: no such type 'lov': No such device\n"
                    "error: replay_config: " +
                    log_path +
                    ": record 6, detach of fs-clilov: failed: Device or resource busy\n");
    assert_int_equal(ran.status, ENODEV);
    assert_true(kernel.file_was_open);
}

void verbose_prints_each_record(void**)
{
    FakeKernel kernel;
    FakeKernel other;

    kernel.records = some_records();
    other.records = some_records();
    const std::string out = replay(kernel, "-v").out;
    assert_true(
        out.starts_with("record 1, marker: marker\n"
                        "record 2, attach of fs-clilov: applied\n"));
    assert_text(replay(other, "--verbose").out, out);
}

void a_long_log_takes_several_calls(void**)
{
    FakeKernel kernel;

    kernel.records = some_records();
    kernel.most_at_once = 2;
    const lctl_test::Ran ran = replay(kernel, "--instance 1f --exclude a:b --exclude c");
    assert_true(ran.out.ends_with(": 1 applied, 1 skipped, 1 ignored, 2 failed\n"));
    assert_int_equal(kernel.calls.size(), 3);
    for (std::size_t i = 0; i < 3; i++) {
        assert_int_equal(kernel.calls[i].or_last, 2 * i);
        assert_int_equal(kernel.calls[i].or_state, i == 0 ? 0 : CFG_F_START);
        assert_int_equal(kernel.calls[i].or_instance, 0x1f);
        assert_text(kernel.calls[i].or_uuid, kernel.calls[0].or_uuid);
        assert_text(kernel.excluded[i], "a:b:c");
        assert_int_equal(kernel.calls[i].or_applied, 0);
        assert_int_equal(kernel.calls[i].or_flags, 0);
        assert_int_equal(kernel.calls[i].or_hdr.ioh_size, sizeof(obd_ioc_replay));
    }
}

void an_instance_has_a_uuid_of_its_own(void**)
{
    FakeKernel kernel;

    replay(kernel, "--instance 0xffff8801234567f0");
    replay(kernel, "--instance ffff8801234567f0");
    replay(kernel, "--instance 1 --uuid mine");
    replay(kernel, "");
    assert_true(kernel.calls[0].or_instance == 0xffff8801234567f0ULL);
    assert_true(kernel.calls[1].or_instance == 0xffff8801234567f0ULL);
    assert_int_equal(std::strlen(kernel.calls[0].or_uuid), 36);
    assert_int_equal(kernel.calls[0].or_uuid[14], '4');
    assert_string_not_equal(kernel.calls[0].or_uuid, kernel.calls[1].or_uuid);
    assert_text(kernel.calls[2].or_uuid, "mine");
    assert_text(kernel.calls[3].or_uuid, "");
    assert_int_equal(kernel.calls[3].or_instance, 0);
}

void a_dry_run_tells_what_would_be_done(void**)
{
    FakeKernel kernel;

    kernel.records = some_records();
    const lctl_test::Ran ran = replay(kernel, "--dry-run");
    assert_int_equal(kernel.calls[0].or_flags, OBD_REPLAY_DRY_RUN);
    assert_true(ran.out.starts_with("record 2, attach of fs-clilov: applied\n"));
    assert_true(
        ran.out.ends_with(log_path + ": dry run: 1 applied, 1 skipped, 1 ignored, 2 failed\n"));
}

void json_has_all_records(void**)
{
    FakeKernel kernel;

    kernel.records = some_records();
    const lctl_test::Ran ran = replay(kernel, "--json");
    assert_text(
        ran.out,
        "{\"log\": \"" + log_path +
            "\", \"dry_run\": false, \"records\": ["
            "{\"index\": 1, \"event\": \"marker\", \"command\": 847888, \"done\": \"marker\"}, "
            "{\"index\": 2, \"event\": \"attach\", \"command\": 847873, \"done\": \"applied\", "
            "\"device\": \"fs-clilov\"}, "
            "{\"index\": 3, \"event\": \"conf_param\", \"command\": 847887, \"done\": \"skipped\", "
            "\"device\": \"fs-clilov\", \"why\": \"taken back\"}, "
            "{\"index\": 4, \"event\": \"setup\", \"command\": 847875, \"done\": \"failed\", "
            "\"device\": \"fs-clilov\", \"errno\": 19, \"why\": \"no such type 'lov'\"}, "
            "{\"index\": 5, \"event\": \"new_pool\", \"command\": 843808, \"done\": \"ignored\", "
            "\"device\": \"fs-clilov\", \"errno\": 95, \"why\": \"no pools\"}, "
            "{\"index\": 6, \"event\": \"detach\", \"command\": 847874, \"done\": \"failed\", "
            "\"device\": \"fs-clilov\", \"errno\": 16}"
            "], \"applied\": 1, \"skipped\": 1, \"ignored\": 1, \"failed\": 2, \"last\": 6}\n");
    assert_int_equal(ran.status, ENODEV);
}

void a_log_that_cannot_be_read_on_is_told_with_its_report(void**)
{
    FakeKernel kernel;

    kernel.records = {{2, LCFG_ATTACH, OBD_REPLAY_APPLIED, 0, "d", ""}};
    kernel.fail_with = EBADMSG;
    kernel.why = "offset 8416: damaged";
    const lctl_test::Ran ran = replay(kernel, "");
    assert_text(ran.out, log_path + ": 1 applied, 0 skipped, 0 ignored, 0 failed\n");
    assert_text(ran.err,
                "error: replay_config: " + log_path + ": offset 8416: damaged: Bad message\n");
    assert_int_equal(ran.status, EBADMSG);

    kernel.records = {{2, LCFG_ATTACH, OBD_REPLAY_APPLIED, 0, "d", ""}};
    assert_true(replay(kernel, "--json")
                    .out.ends_with("\"last\": 2, \"errors\": [{\"errno\": 74, \"message\": \"" +
                                   log_path + ": offset 8416: damaged: Bad message\"}]}\n"));
}

void errors_of_the_call_say_what_to_do(void**)
{
    FakeKernel kernel;

    kernel.fail_with = ENOTTY;
    assert_int_equal(replay(kernel, "").status, ENOENT);
    assert_int_equal(lctl_test::run(kernel, "replay_config --remove --instance 0x1f").status,
                     ENOENT);
    assert_true(replay(kernel, "").err.find("obdclass is not loaded: modprobe obdclass") !=
                std::string::npos);
    kernel.fail_with = EPERM;
    const lctl_test::Ran ran = replay(kernel, "");
    assert_true(ran.err.find("requires CAP_SYS_ADMIN (run as root)") != std::string::npos);
    assert_int_equal(ran.status, EPERM);
}

void a_report_that_makes_no_sense_is_refused(void**)
{
    const std::string good = packed({1, LCFG_ATTACH, OBD_REPLAY_APPLIED, 0, "dev", "why"});

    for (std::size_t cut = 1; cut < good.size(); cut++) {
        FakeKernel kernel;

        kernel.raw = good.substr(0, cut);
        assert_int_equal(replay(kernel, "").status, EBADMSG);
    }
    for (const std::uint32_t length : {0U, 8U, 24U, 31U, 40U, 0xfffffff8U}) {
        FakeKernel kernel;

        kernel.raw = good;
        std::memcpy(kernel.raw.data(), &length, sizeof(length));
        assert_int_equal(replay(kernel, "").status, EBADMSG);
    }

    FakeKernel kernel;
    kernel.stands_still = true;
    assert_int_equal(replay(kernel, "").status, EBADMSG);
    assert_int_equal(kernel.calls.size(), 1);
}

void an_instance_is_taken_down(void**)
{
    FakeKernel kernel;

    kernel.devices = 4;
    assert_text(lctl_test::run(kernel, "replay_config --remove --instance 0x1f").out,
                "instance 000000000000001f: 4 devices removed\n");
    assert_int_equal(kernel.removed[0].on_instance, 0x1f);
    assert_int_equal(kernel.removed[0].on_force, 0);
    assert_text(lctl_test::run(kernel, "replay_config --remove --force --json --instance 1f").out,
                "{\"instance\": \"000000000000001f\", \"devices\": 4}\n");
    assert_int_equal(kernel.removed[1].on_force, 1);
    kernel.fail_with = EBUSY;
    kernel.why = "fs-clilov is held by someone";
    const lctl_test::Ran ran = lctl_test::run(kernel, "replay_config --remove --instance 1f");
    assert_text(ran.err,
                "error: replay_config: instance 000000000000001f: fs-clilov is held by "
                "someone: Device or resource busy\n");
    assert_int_equal(ran.status, EBUSY);
}

void arguments_are_checked(void**)
{
    const std::pair<std::string, std::string> cases[] = {
        {"", "needs one FILE"},
        {"a b", "unexpected operand 'b'"},
        {"--remove", "--remove needs --instance and no FILE"},
        {"--remove --instance 1 file", "--remove needs --instance and no FILE"},
        {"--remove --instance 1 --dry-run", "--dry-run is not valid with --remove"},
        {"--force file", "--force is not valid without --remove"},
        {log_path + " --instance x",
         "--instance: 'x' is not 1 to 16 hexadecimal digits other than 0"},
        {log_path + " --instance 0",
         "--instance: '0' is not 1 to 16 hexadecimal digits other than 0"},
        {log_path + " --instance 12345678901234567",
         "--instance: '12345678901234567' is not 1 to 16 hexadecimal digits other than 0"},
    };

    for (const auto& [words, complaint] : cases) {
        FakeKernel kernel;
        const lctl_test::Ran ran = lctl_test::run(kernel, "replay_config " + words);

        assert_true(ran.err.starts_with("error: replay_config: " + complaint + "\n"));
        assert_int_equal(ran.status, EINVAL);
        assert_int_equal(kernel.calls.size() + kernel.removed.size(), 0);
    }

    FakeKernel kernel;
    assert_int_equal(replay(kernel, "--uuid " + std::string(40, 'u')).status, ENAMETOOLONG);
    assert_int_equal(replay(kernel, "--exclude " + std::string(5000, 'u')).status, E2BIG);
    assert_int_equal(lctl_test::run(kernel, "replay_config /nosuch/x").status, ENOENT);
    assert_int_equal(kernel.calls.size(), 0);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(what_was_not_simply_done_is_printed),
        cmocka_unit_test(verbose_prints_each_record),
        cmocka_unit_test(a_long_log_takes_several_calls),
        cmocka_unit_test(an_instance_has_a_uuid_of_its_own),
        cmocka_unit_test(a_dry_run_tells_what_would_be_done),
        cmocka_unit_test(json_has_all_records),
        cmocka_unit_test(a_log_that_cannot_be_read_on_is_told_with_its_report),
        cmocka_unit_test(errors_of_the_call_say_what_to_do),
        cmocka_unit_test(a_report_that_makes_no_sense_is_refused),
        cmocka_unit_test(an_instance_is_taken_down),
        cmocka_unit_test(arguments_are_checked),
    };

    return cmocka_run_group_tests_name("logs_replay", tests, nullptr, nullptr);
}
