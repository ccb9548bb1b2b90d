// SPDX-License-Identifier: GPL-2.0-only
/* echo_test: calls to the kernel, and the printed report. */
#include <cerrno>
#include <cstdint>
#include <span>
#include <string>

#include "fake_obd.hpp"
#include "lctl/commands/echo_report.hpp"
#include "lctl_fixture.hpp"
#include "lib/echo.hpp"

#include <uapi/lustre_lite/wire.h>

using namespace lctl_test;

namespace {

void make_devices(FakeObd& obd)
{
    obd.devices = {{0, "obdecho", "es", "es_UUID"}, {4, "echo_client", "ec", "ec_UUID"}};
}

/* The first call to the kernel of a command line that succeeds. */
ll_rpc_ioc_echo asked_by(const std::string& line)
{
    FakeObd obd;

    make_devices(obd);

    const Ran ran = run(obd, line);

    assert_text(ran.err, "");
    assert_int_equal(ran.status, 0);
    assert_false(obd.echoes.empty());
    assert_int_equal(obd.echoes[0].et_index, 4);
    return obd.echoes[0];
}

void options_reach_the_kernel(void** /*state*/)
{
    ll_rpc_ioc_echo arg = asked_by("echo_test ec --calls 5");

    assert_int_equal(arg.et_op, LL_ECHO_PING);
    assert_int_equal(arg.et_inflight, 1);
    assert_int_equal(arg.et_calls, 5);
    assert_int_equal(arg.et_flags, 0);
    assert_int_equal(arg.et_mode, 0);
    assert_true(arg.et_time_ms > 0 && arg.et_time_ms <= 250);

    arg = asked_by("echo_test 4 --op read --size 64K --inflight 16 --calls 7 --check --resource 9");
    assert_int_equal(arg.et_op, LL_ECHO_READ);
    assert_int_equal(arg.et_size, 65536);
    assert_int_equal(arg.et_inflight, 16);
    assert_int_equal(arg.et_flags, LL_ECHO_CHECK);
    assert_int_equal(arg.et_resource, 9);

    arg = asked_by("--device ec echo_test --op write --calls 1");
    assert_int_equal(arg.et_op, LL_ECHO_WRITE);
    assert_int_equal(arg.et_size, 1 << 20);

    arg = asked_by("echo_test ec --op lock --mode PR --calls 1");
    assert_int_equal(arg.et_op, LL_ECHO_LOCK);
    assert_int_equal(arg.et_mode, LCK_PR);
    arg = asked_by("echo_test ec --op lock --calls 1");
    assert_int_equal(arg.et_mode, LCK_EX);
    arg = asked_by("echo_test ec --op count --calls 1");
    assert_int_equal(arg.et_op, LL_ECHO_COUNT);
}

void parts_of_a_resource_reach_the_kernel(void** /*state*/)
{
    ll_rpc_ioc_echo arg = asked_by("echo_test ec --op lock --calls 1");

    assert_int_equal(arg.et_type, LDLM_PLAIN);
    assert_int_equal(arg.et_policy[0] | arg.et_policy[1] | arg.et_policy[2], 0);
    assert_int_equal(arg.et_flags, 0);

    arg = asked_by("echo_test ec --op lock --extent 4K-8191 --exact --keep --calls 1");
    assert_int_equal(arg.et_type, LDLM_EXTENT);
    assert_int_equal(arg.et_policy[0], 4096);
    assert_int_equal(arg.et_policy[1], 8191);
    assert_int_equal(arg.et_flags, LL_ECHO_EXACT | LL_ECHO_KEEP);

    arg = asked_by("echo_test ec --op lock --extent 7-EOF --calls 1");
    assert_int_equal(arg.et_policy[0], 7);
    assert_true(arg.et_policy[1] == LDLM_EXTENT_EOF);
    assert_int_equal(arg.et_flags, 0);

    arg = asked_by("echo_test ec --op lock --bits lookup,update --try-bits size --calls 1");
    assert_int_equal(arg.et_type, LDLM_IBITS);
    assert_int_equal(arg.et_policy[0], MDS_INODELOCK_LOOKUP | MDS_INODELOCK_UPDATE);
    assert_int_equal(arg.et_policy[1], MDS_INODELOCK_SIZE);

    arg = asked_by("echo_test ec --op lock --mode PW --extent 0-EOF --grow 8M --calls 1");
    assert_int_equal(arg.et_flags, LL_ECHO_GROW);
    assert_true(arg.et_object_size == 8 << 20);

    arg = asked_by("echo_test ec --op glimpse --keep --resource 3 --calls 1");
    assert_int_equal(arg.et_op, LL_ECHO_GLIMPSE);
    assert_int_equal(arg.et_flags, LL_ECHO_KEEP);
    assert_int_equal(arg.et_resource, 3);

    arg =
        asked_by("echo_test ec --op flock --extent 4K-8191 --owner 5 --pid 7 --no-wait --calls 1");
    assert_int_equal(arg.et_op, LL_ECHO_FLOCK);
    assert_int_equal(arg.et_mode, LCK_PW);
    assert_int_equal(arg.et_type, 0);
    assert_int_equal(arg.et_flags, LL_ECHO_NOWAIT);
    assert_int_equal(arg.et_policy[0], 4096);
    assert_int_equal(arg.et_policy[1], 8191);
    assert_int_equal(arg.et_policy[2], 5);
    assert_true(arg.et_policy[3] == (7 | 1ULL << 32));

    arg = asked_by("echo_test ec --op flock --whole --mode NL --calls 1");
    assert_int_equal(arg.et_mode, LCK_NL);
    assert_true(arg.et_policy[1] == LDLM_EXTENT_EOF);
    assert_true(arg.et_policy[3] == 2ULL << 32);

    arg = asked_by("echo_test ec --op getattr --keep --resource 3 --calls 1");
    assert_int_equal(arg.et_op, LL_ECHO_GETATTR);
    assert_int_equal(arg.et_flags, LL_ECHO_KEEP);

    arg = asked_by("echo_test ec --op destroy --resource 3 --calls 1");
    assert_int_equal(arg.et_op, LL_ECHO_DESTROY);
    assert_int_equal(arg.et_resource, 3);

    arg = asked_by("echo_test ec --op punch --resource 3 --to 8M --calls 1");
    assert_int_equal(arg.et_op, LL_ECHO_PUNCH);
    assert_int_equal(arg.et_flags, 0);
    assert_true(arg.et_object_size == 8 << 20);

    arg = asked_by("echo_test ec --op lock --try-bits layout --calls 1");
    assert_int_equal(arg.et_type, LDLM_IBITS);
    assert_int_equal(arg.et_policy[0], 0);
    assert_int_equal(arg.et_policy[1], MDS_INODELOCK_LAYOUT);
}

struct Granted {
    const char* options;
    const char* text;
};

/* The fake grants what was requested. */
void a_report_says_what_was_granted(void** /*state*/)
{
    static constexpr Granted cases[] = {
        {"", "granted:  all\n"},
        {"--extent 4K-8191", "granted:  bytes 4096-8191\n"},
        {"--extent 0-EOF", "granted:  bytes 0-EOF\n"},
        {"--bits update,lookup", "granted:  bits lookup,update\n"},
        {"--extent 1-2 --json", "\"granted\": {\"first\": 1, \"last\": 2}}"},
        {"--bits perm,dom --json", "\"granted\": {\"bits\": [\"perm\", \"dom\"]}}"},
        {"--json", "\"granted\": {}}"},
    };

    for (const Granted& one : cases) {
        FakeObd obd;

        make_devices(obd);

        const Ran ran = run(obd, std::string("echo_test ec --op lock --calls 1 ") + one.options);

        assert_int_equal(ran.status, 0);
        assert_true(ran.out.find(one.text) != std::string::npos);
    }
}

/* The fake has objects of 12345 bytes. */
void a_report_says_what_a_call_learned(void** /*state*/)
{
    FakeObd obd;

    make_devices(obd);
    assert_true(run(obd, "echo_test ec --op glimpse --calls 1").out.find("size:     12345\n") !=
                std::string::npos);
    assert_true(run(obd, "echo_test ec --op glimpse --calls 1 --json")
                    .out.find("\"object_size\": 12345}") != std::string::npos);
    obd.echo_blocker = {10, 19, 7, LCK_PR};
    assert_true(run(obd, "echo_test ec --op flock --probe --calls 1")
                    .out.find("in the way: PR bytes 10-19 of pid 7\n") != std::string::npos);
    obd.echo_blocker = {0, 0, 0, LCK_NL};
    assert_true(
        run(obd, "echo_test ec --op flock --probe --calls 1").out.find("in the way: none\n") !=
        std::string::npos);
    assert_true(run(obd, "echo_test ec --op flock --probe --calls 1 --json")
                    .out.find("\"in_the_way\": {}}") != std::string::npos);
    assert_true(run(obd, "echo_test ec --op getattr --calls 1").out.find("size:     12345\n") !=
                std::string::npos);
}

/* 250 calls at most 100 at a time: 100, 100, 50. */
void calls_are_made_in_batches(void** /*state*/)
{
    FakeObd obd;

    make_devices(obd);

    const Ran ran = run(obd, "echo_test ec --op count --calls 250 --inflight 2");

    assert_int_equal(ran.status, 0);
    assert_int_equal(obd.echoes.size(), 3);
    assert_int_equal(obd.echoes[1].et_calls, 150);
    assert_int_equal(obd.echoes[2].et_calls, 50);
    assert_text(ran.out,
                "count of ec: 1 thread, 2 at a time each, 0.0 s\n"
                "calls:    250 (100000/s), 0 failed\n"
                "latency:  min 10.0 us, average 10.0 us, median 10.0 us, p90 10.0 us, p99 10.0 us, "
                "max 10.0 us\n");
}

void threads_share_the_calls(void** /*state*/)
{
    FakeObd obd;
    std::uint64_t first_asked = 0;

    make_devices(obd);

    const Ran ran = run(obd, "echo_test ec --calls 10 --threads 4 --json");

    assert_int_equal(ran.status, 0);
    assert_int_equal(obd.echoes.size(), 4);
    for (const ll_rpc_ioc_echo& arg : obd.echoes)
        first_asked += arg.et_calls;
    assert_int_equal(first_asked, 10);
    assert_non_null(ran.out.find("\"calls\": 10,") != std::string::npos ? &ran : nullptr);
}

void more_threads_than_calls(void** /*state*/)
{
    FakeObd obd;

    make_devices(obd);
    assert_int_equal(run(obd, "echo_test ec --calls 2 --threads 5").status, 0);
    assert_int_equal(obd.echoes.size(), 2);
}

/* The test ends by its time, without a number of calls. */
void time_is_over(void** /*state*/)
{
    FakeObd obd;

    make_devices(obd);
    obd.echo_per_batch = 1000;
    assert_int_equal(run(obd, "echo_test ec --time 1").status, 0);
    assert_true(obd.echoes.size() > 1);
    assert_int_equal(obd.echoes[0].et_calls, 0);
}

constexpr const char* kJson =
    R"({"device": "ec", "op": "write", "threads": 1, "inflight": 1, "size": 4096, "calls": 8, )"
    R"("failed": 0, "first_error": 0, "ns": 80000, "calls_per_second": 100000.0, )"
    R"("bytes": 32768, "bytes_per_second": 409600000, "latency_ns": {"min": 10000, )"
    R"("average": 10000, "median": 10000, "p90": 10000, "p99": 10000, "max": 10000}, )"
    R"("histogram": [{"from_ns": 10000, "calls": 8}]})"
    "\n";

void forms_of_the_report(void** /*state*/)
{
    static constexpr Case cases[] = {
        {"echo_test ec --op write --size 4K --calls 8 --json", kJson, "", 0},
        {"echo_test ec --op read --size 4K --calls 8 --histogram",
         "read of ec: 1 thread, 1 at a time each, 0.0 s\n"
         "calls:    8 (100000/s), 0 failed\n"
         "data:     0.0 MiB (390.6 MiB/s)\n"
         "latency:  min 10.0 us, average 10.0 us, median 10.0 us, p90 10.0 us, p99 10.0 us, "
         "max 10.0 us\n"
         "   10.0 us          8 ##################################################\n",
         "", 0},
        {"echo_test ec --calls 2 -y",
         "device: ec\nop: ping\nthreads: 1\ninflight: 1\ncalls: 2\nfailed: 0\nfirst_error: 0\n"
         "ns: 20000\ncalls_per_second: 100000.0\nbytes: 0\nbytes_per_second: 0\nlatency_ns:\n"
         "  min: 10000\n  average: 10000\n  median: 10000\n  p90: 10000\n  p99: 10000\n"
         "  max: 10000\nhistogram:\n- from_ns: 10000\n  calls: 2\n",
         "", 0},
    };

    for (const Case& one : cases) {
        FakeObd obd;

        make_devices(obd);

        const Ran ran = run(obd, one.line);

        assert_text(ran.out, one.out);
        assert_text(ran.err, one.err);
        assert_int_equal(ran.status, one.status);
    }
}

void failed_calls_decide_the_status(void** /*state*/)
{
    FakeObd obd;

    make_devices(obd);
    obd.echo_fail_every = 4;

    const Ran ran = run(obd, "echo_test ec --calls 10");

    assert_text(ran.err,
                "error: echo_test: ec: 2 of 10 calls failed, the first one: Input/output error\n");
    assert_int_equal(ran.status, EIO);
    assert_non_null(ran.out.find("calls:    8 ") != std::string::npos ? &ran : nullptr);
}

void no_call_is_a_failure(void** /*state*/)
{
    FakeObd obd;

    make_devices(obd);
    obd.echo_per_batch = 0;

    const Ran ran = run(obd, "echo_test ec --time 1 --json");

    assert_text(ran.err, "error: echo_test: ec: no call was made\n");
    assert_int_equal(ran.status, ETIME);
    assert_non_null(ran.out.find("\"histogram\": [], \"errors\": [{\"errno\": 62, ") !=
                            std::string::npos
                        ? &ran
                        : nullptr);
}

struct Refusal {
    const char* why;
    const char* err;
    int code;
    int status;
    bool loaded;
};

void refusals_say_why(void** /*state*/)
{
    static constexpr Refusal cases[] = {
        {"es is reached within this kernel",
         "error: echo_test: ec: es is reached within this kernel: Operation not supported\n",
         EOPNOTSUPP, EOPNOTSUPP, true},
        {"ec: not connected",
         "error: echo_test: ec: not connected: Transport endpoint is not connected\n", ENOTCONN,
         ENOTCONN, true},
        {"",
         "error: echo_test: ec: requires CAP_SYS_ADMIN (run as root): Operation not permitted\n",
         EPERM, EPERM, true},
        {"", "error: echo_test: the module obdecho is not loaded: modprobe obdecho\n", ENOTTY,
         ENOENT, true},
        {"", "error: echo_test: the module obdclass is not loaded: modprobe obdclass\n", 0, ENOENT,
         false},
    };

    for (const Refusal& one : cases) {
        FakeObd obd;

        make_devices(obd);
        obd.refuse = one.code;
        obd.why = one.why;
        obd.loaded = one.loaded;

        const Ran ran = run(obd, "echo_test ec --calls 1 --threads 3");

        assert_text(ran.out, "");
        assert_text(ran.err, one.err);
        assert_int_equal(ran.status, one.status);
    }
}

struct Complaint {
    const char* options;
    const char* words;
};

void usage_errors_say_what_is_wrong(void** /*state*/)
{
    static constexpr Complaint cases[] = {
        {"--op dance",
         "--op 'dance' must be one of ping, read, write, count, lock, "
         "open, close, glimpse, getattr, flock, destroy, punch"},
        {"--op lock --mode XX", "--mode 'XX' must be one of EX, PW, PR, CW, CR, NL"},
        {"--size 4K", "--size is for --op read and --op write"},
        {"--op read --size 0", "--size '0' is not a size from 1 to 16777216"},
        {"--op write --size 17M", "--size '17M' is not a size from 1 to 16777216"},
        {"--inflight 257", "--inflight '257' is not a number from 1 to 256"},
        {"--threads 0", "--threads '0' is not a number from 1 to 256"},
        {"--time x", "--time 'x' is not a number from 1 to 31536000"},
        {"--calls 0", "--calls '0' is not a number from 1 to 18446744073709551615"},
        {"--resource -1", "--resource '-1' is not a number from 0 to 18446744073709551615"},
        {"--check", "--check applies to --op read"},
        {"--extent 0-1", "--extent, --bits, --try-bits, --exact and --grow apply to --op lock"},
        {"--op read --grow 1", "--extent, --bits, --try-bits, --exact and --grow apply to"},
        {"--op punch", "--op punch needs --to SIZE"},
        {"--op punch --to x", "--to 'x' is not a size"},
        {"--op read --to 1", "--to applies to --op punch"},
        {"--op read --keep", "--keep applies to --op lock, --op glimpse and --op getattr"},
        {"--op lock --grow 1", "--grow applies to --extent"},
        {"--op lock --extent 0-1 --grow x", "--grow 'x' is not a size"},
        {"--op lock --extent 9-8", "--extent '9-8' is not FIRST-LAST, two bytes, or FIRST-EOF"},
        {"--op lock --extent 9", "--extent '9' is not FIRST-LAST"},
        {"--op lock --extent 1-x", "--extent '1-x' is not FIRST-LAST"},
        {"--op lock --extent 0-1 --bits perm", "--extent and --bits exclude each other"},
        {"--op lock --exact", "--exact applies to --extent"},
        {"--op lock --bits lookup,,perm",
         "--bits 'lookup,,perm': '' is not one of lookup, update, open, layout, perm, xattr, dom, "
         "size"},
        {"--op lock --try-bits x", "--try-bits 'x': 'x' is not one of lookup"},
        {"--owner 1", "--owner, --pid, --whole, --no-wait and --probe apply to --op flock"},
        {"--op flock --keep", "--keep does not apply to --op flock"},
        {"--op flock --whole --extent 0-1", "--whole and --extent exclude each other"},
        {"--op flock --pid -1", "--pid '-1' is not a number up to 2147483647"},
        {"--json --yaml", "--json and --yaml exclude each other"},
        {"other", "unexpected operand 'other'"},
    };

    for (const Complaint& one : cases) {
        FakeObd obd;

        make_devices(obd);

        const Ran ran = run(obd, std::string("echo_test ec ") + one.options);

        assert_true(ran.err.starts_with(std::string("error: echo_test: ") + one.words));
        assert_int_equal(ran.status, EINVAL);
        assert_true(obd.echoes.empty());
    }
}

void device_must_be_named_and_there(void** /*state*/)
{
    FakeObd obd;

    make_devices(obd);
    assert_text(run(obd, "echo_test").err,
                "error: echo_test: no device given; use --device, or select one with "
                "'device'\n");
    assert_int_equal(run(obd, "echo_test nobody").status, ENODEV);
}

/* Buckets start at 2^n * (1 + q / 4) us; the first includes shorter times. */
void bars_of_the_histogram(void** /*state*/)
{
    assert_int_equal(ll::echo_bucket_ns(0), 0);
    assert_int_equal(ll::echo_bucket_ns(1), 1250);
    assert_int_equal(ll::echo_bucket_ns(4), 2000);
    assert_int_equal(ll::echo_bucket_ns(5), 2500);
    assert_int_equal(ll::echo_bucket_ns(12), 8000);
    assert_int_equal(ll::echo_bucket_ns(13), 10000);
    for (unsigned int n = 1; n < LL_ECHO_BUCKETS; n++)
        assert_true(ll::echo_bucket_ns(n) > ll::echo_bucket_ns(n - 1));
}

void parts_of_the_calls(void** /*state*/)
{
    ll::EchoResult result;

    result.done = 100;
    result.min_ns = 2100;
    result.max_ns = 9000;
    result.histogram[4] = 50;   // from 2000
    result.histogram[12] = 50;  // from 8000
    assert_int_equal(result.within_ns(0.5), 2500);
    assert_int_equal(result.within_ns(0.01), 2100);
    assert_int_equal(result.within_ns(0.75), 9000);
    assert_int_equal(result.within_ns(1.0), 9000);
    assert_int_equal(ll::EchoResult{}.within_ns(0.5), 0);

    ll::EchoResult other;

    other.done = 1;
    other.min_ns = 50;
    other.max_ns = 50;
    other.first_error = EIO;
    result.add(other);
    assert_int_equal(result.min_ns, 50);
    assert_int_equal(result.max_ns, 9000);
    assert_int_equal(result.done, 101);
    assert_int_equal(result.first_error, EIO);
    result.add(ll::EchoResult{});
    assert_int_equal(result.min_ns, 50);
}

void times_as_text(void** /*state*/)
{
    assert_text(lctl::echo_time_text(0), "0 ns");
    assert_text(lctl::echo_time_text(999), "999 ns");
    assert_text(lctl::echo_time_text(12'500), "12.5 us");
    assert_text(lctl::echo_time_text(2'000'000), "2.0 ms");
    assert_text(lctl::echo_time_text(1'500'000'000), "1.5 s");
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(options_reach_the_kernel),
        cmocka_unit_test(parts_of_a_resource_reach_the_kernel),
        cmocka_unit_test(a_report_says_what_was_granted),
        cmocka_unit_test(a_report_says_what_a_call_learned),
        cmocka_unit_test(calls_are_made_in_batches),
        cmocka_unit_test(threads_share_the_calls),
        cmocka_unit_test(more_threads_than_calls),
        cmocka_unit_test(time_is_over),
        cmocka_unit_test(forms_of_the_report),
        cmocka_unit_test(failed_calls_decide_the_status),
        cmocka_unit_test(no_call_is_a_failure),
        cmocka_unit_test(refusals_say_why),
        cmocka_unit_test(usage_errors_say_what_is_wrong),
        cmocka_unit_test(device_must_be_named_and_there),
        cmocka_unit_test(bars_of_the_histogram),
        cmocka_unit_test(parts_of_the_calls),
        cmocka_unit_test(times_as_text),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
