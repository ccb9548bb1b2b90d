// SPDX-License-Identifier: GPL-2.0-only
/*
 * echo_test: how many calls of an echo server a node can make, and how long each
 * takes.
 */
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "lctl/commands/commands.hpp"
#include "lctl/commands/device.hpp"
#include "lctl/commands/echo_lock.hpp"
#include "lctl/commands/echo_report.hpp"
#include "lctl/context.hpp"
#include "lib/function_ref.hpp"
#include "lib/number.hpp"

#include <uapi/lustre_lite/wire.h>

namespace lctl {

namespace {

constexpr std::uint64_t kTimeDefaultSec = 5;
constexpr std::uint64_t kTimeMaxSec = 365ULL * 24 * 3600;
constexpr std::uint64_t kThreadsMax = 256;
constexpr std::uint32_t kSizeDefault = 1 << 20;

constexpr Option kOptions[] = {
    {.name = "op",
     .argument = "OP",
     .help = "operation (default: ping)",
     .choices = "ping|read|write|count|lock|open|close|glimpse|getattr|flock|destroy|punch"},
    {.name = "size", .argument = "SIZE", .help = "read, write: bytes of each call (default: 1M)"},
    {.name = "inflight", .argument = "N", .help = "calls in flight of each thread (default: 1)"},
    {.name = "threads", .argument = "N", .help = "number of threads (default: 1)"},
    {.name = "time", .argument = "SECONDS", .help = "start no call after SECONDS"},
    {.name = "calls", .argument = "N", .help = "make N calls, all threads together"},
    {.name = "check", .help = "read: verify every byte"},
    {.name = "unstable", .help = "write: the server may answer before the data is on disk"},
    {.name = "resource", .argument = "N", .help = "lock: resource; others: object"},
    {.name = "mode",
     .argument = "MODE",
     .help = "lock: mode (default: EX); flock: PR, PW or NL (default: PW)",
     .choices = "EX|PW|PR|CW|CR|NL"},
    {.name = "extent",
     .argument = "FIRST-LAST",
     .help = "lock, flock: these bytes; LAST may be EOF"},
    {.name = "exact", .help = "lock: do not widen the extent"},
    {.name = "bits", .argument = "BITS", .help = "lock: these bits only, as lookup,update"},
    {.name = "try-bits", .argument = "BITS", .help = "lock: these bits too, if they are free"},
    {.name = "keep", .help = "leave the lock in the cache of the client"},
    {.name = "grow", .argument = "SIZE", .help = "lock: set the size of the object to SIZE bytes"},
    {.name = "to", .argument = "SIZE", .help = "punch: set the size of the object to SIZE bytes"},
    {.name = "owner", .argument = "N", .help = "flock: owner of the lock (default: 1)"},
    {.name = "pid", .argument = "N", .help = "flock: process of the owner (default: 0)"},
    {.name = "whole", .help = "flock: all bytes, as flock(2)"},
    {.name = "no-wait", .help = "flock: fail rather than wait"},
    {.name = "probe", .help = "flock: print a lock that is in the way"},
    {.name = "histogram", .help = "print a histogram of latencies"},
};

using std::chrono::milliseconds;

constexpr milliseconds kBatch{250};
constexpr std::chrono::seconds kTell{1};

/*
 * A test by several threads at a time, each of which makes short calls of the
 * kernel one after the other, so that there is something to tell meanwhile.
 */
/** How much of it. */
struct EchoPlan {
    ll::Device device;
    ll::EchoTest test;  // its time and calls are set for each call
    unsigned int threads = 1;
    std::optional<std::chrono::milliseconds> time;  // without it, no limit
    std::uint64_t calls = 0;                        // of all threads; 0: no limit
};

class EchoRunner {
public:
    /** Told about every second what there is so far, by the thread that runs. */
    using Progress = ll::FunctionRef<void(const ll::EchoResult& so_far)>;

    EchoRunner(ll::KernelPort& port, const EchoPlan& plan) : port_(port), plan_(plan) {}

    /** All of it. Return: the sum, or the first refusal, which ends all threads. */
    ll::Result<ll::EchoResult> run(Progress progress);

private:
    void start(std::vector<std::jthread>& threads);
    void work(unsigned int thread);
    bool batch(std::uint64_t calls_left, ll::EchoResult& own);
    std::uint64_t share_of(unsigned int thread) const;
    std::chrono::milliseconds time_left() const;
    void note(const ll::EchoResult& result);
    void fail(const ll::Error& error);
    void wait(Progress progress);

    ll::KernelPort& port_;
    const EchoPlan& plan_;
    std::chrono::steady_clock::time_point begin_;
    std::atomic<bool> stop_ = false;
    std::mutex lock_;  // guards what follows
    std::condition_variable ended_;
    unsigned int running_ = 0;
    ll::EchoResult sum_;
    std::optional<ll::Error> error_;
};

/* Calls are dealt out evenly; the first threads get what is left over. */
std::uint64_t EchoRunner::share_of(unsigned int thread) const
{
    return plan_.calls / plan_.threads + (thread < plan_.calls % plan_.threads ? 1 : 0);
}

milliseconds EchoRunner::time_left() const
{
    if (!plan_.time)
        return kBatch;

    const auto gone =
        std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin_);

    return std::min(kBatch, *plan_.time - gone);
}

void EchoRunner::note(const ll::EchoResult& result)
{
    const std::lock_guard<std::mutex> guard(lock_);

    sum_.add(result);
}

void EchoRunner::fail(const ll::Error& error)
{
    const std::lock_guard<std::mutex> guard(lock_);

    if (!error_)
        error_ = error;
    stop_ = true;
}

/* Return: whether there is more to do. */
bool EchoRunner::batch(std::uint64_t calls_left, ll::EchoResult& own)
{
    const milliseconds time = time_left();
    ll::EchoTest test = plan_.test;

    if (stop_ || time.count() <= 0)
        return false;
    test.time_ms = std::uint32_t(time.count());
    test.calls = calls_left;

    const auto result = ll::echo_test(port_, plan_.device, test);

    if (!result) {
        fail(result.error());
        return false;
    }
    note(*result);
    own.add(*result);
    own.ns += result->ns;
    return true;
}

void EchoRunner::work(unsigned int thread)
{
    const std::uint64_t share = share_of(thread);
    ll::EchoResult own;
    bool more = plan_.calls == 0 || share != 0;

    while (more)
        more = batch(share - std::min(share, own.ended()), own) &&
               (plan_.calls == 0 || own.ended() < share);

    const std::lock_guard<std::mutex> guard(lock_);

    sum_.ns = std::max(sum_.ns, own.ns);
    if (--running_ == 0)
        ended_.notify_one();
}

void EchoRunner::wait(Progress progress)
{
    std::unique_lock<std::mutex> guard(lock_);

    while (!ended_.wait_for(guard, kTell, [&] { return running_ == 0; })) {
        ll::EchoResult so_far = sum_;

        guard.unlock();
        so_far.ns = std::uint64_t(
            std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin_).count());
        progress(so_far);
        guard.lock();
    }
}

/* Where a thread cannot be started the others end at their next batch. */
void EchoRunner::start(std::vector<std::jthread>& threads)
{
    threads.reserve(plan_.threads);
    running_ = plan_.threads;
    for (unsigned int n = 0; n < plan_.threads; n++) {
        try {
            threads.emplace_back([this, n] { work(n); });
        } catch (const std::system_error& error) {
            fail(ll::make_error(error.code().value(), "thread " + std::to_string(n + 1) + " of " +
                                                          std::to_string(plan_.threads) +
                                                          " cannot be started"));

            const std::lock_guard<std::mutex> guard(lock_);

            running_ -= plan_.threads - n;
            return;
        }
    }
}

ll::Result<ll::EchoResult> EchoRunner::run(Progress progress)
{
    std::vector<std::jthread> threads;

    begin_ = std::chrono::steady_clock::now();
    start(threads);
    wait(progress);
    threads.clear();
    if (error_)
        return tl::unexpected(*error_);
    return sum_;
}

struct Named {
    std::string_view name;
    std::uint32_t value;
};

constexpr Named kOps[] = {
    {"ping", LL_ECHO_PING},   {"read", LL_ECHO_READ},       {"write", LL_ECHO_WRITE},
    {"count", LL_ECHO_COUNT}, {"lock", LL_ECHO_LOCK},       {"open", LL_ECHO_OPEN},
    {"close", LL_ECHO_CLOSE}, {"glimpse", LL_ECHO_GLIMPSE}, {"getattr", LL_ECHO_GETATTR},
    {"flock", LL_ECHO_FLOCK}, {"destroy", LL_ECHO_DESTROY}, {"punch", LL_ECHO_PUNCH}};
constexpr Named kModes[] = {{"EX", LCK_EX}, {"PW", LCK_PW}, {"PR", LCK_PR},
                            {"CW", LCK_CW}, {"CR", LCK_CR}, {"NL", LCK_NL}};

struct Wanted {
    EchoPlan plan;
    std::string_view op = "ping";
};

/* The error in an option; empty if there is none. */
using Complaint = std::string;

Complaint find_named(const Arguments& arguments, const char* option, std::span<const Named> names,
                     const Named*& found)
{
    const Given* given = arguments.find(option);
    std::string all;

    if (given == nullptr)
        return {};
    for (const Named& one : names) {
        if (one.name == *given->argument) {
            found = &one;
            return {};
        }
        all.append(all.empty() ? "" : ", ").append(one.name);
    }
    return fmt::format("--{} '{}' must be one of {}", option, *given->argument, all);
}

Complaint find_number(const Arguments& arguments, const char* option, std::uint64_t least,
                      std::uint64_t most, std::uint64_t& number)
{
    const Given* given = arguments.find(option);

    if (given == nullptr)
        return {};

    const auto parsed = ll::parse_number(*given->argument);

    if (!parsed || *parsed < least || *parsed > most)
        return fmt::format("--{} '{}' is not a number from {} to {}", option, *given->argument,
                           least, most);
    number = *parsed;
    return {};
}

Complaint parse_size(const Arguments& arguments, ll::EchoTest& test)
{
    const Given* given = arguments.find("size");
    const bool moves = test.op == LL_ECHO_READ || test.op == LL_ECHO_WRITE;

    test.size = moves ? kSizeDefault : 0;
    if (given == nullptr)
        return {};
    if (!moves)
        return "--size is for --op read and --op write";

    const auto size = ll::parse_size(*given->argument);

    if (!size || *size == 0 || *size > WIRE_BULK_MAX)
        return fmt::format("--size '{}' is not a size from 1 to {}", *given->argument,
                           WIRE_BULK_MAX);
    test.size = std::uint32_t(*size);
    return {};
}

std::uint32_t mode_of(const Arguments& arguments, ll_echo_op op, std::uint32_t mode)
{
    if (op == LL_ECHO_FLOCK && !arguments.has("mode"))
        return LCK_PW;
    return op == LL_ECHO_LOCK || op == LL_ECHO_FLOCK ? mode : 0;
}

Complaint parse_what(const Arguments& arguments, Wanted& wanted)
{
    ll::EchoTest& test = wanted.plan.test;
    const Named* op = kOps;
    const Named* mode = kModes;

    if (Complaint wrong = find_named(arguments, "op", kOps, op); !wrong.empty())
        return wrong;
    if (Complaint wrong = find_named(arguments, "mode", kModes, mode); !wrong.empty())
        return wrong;
    wanted.op = op->name;
    test.op = ll_echo_op(op->value);
    test.mode = mode_of(arguments, test.op, mode->value);
    test.check = arguments.has("check");
    if (test.check && test.op != LL_ECHO_READ)
        return "--check applies to --op read; the server checks written data, see "
               "its parameter check";
    test.unstable = arguments.has("unstable");
    if (test.unstable && test.op != LL_ECHO_WRITE)
        return "--unstable applies to --op write";
    if (Complaint wrong = find_number(arguments, "resource", 0, UINT64_MAX, test.resource);
        !wrong.empty())
        return wrong;
    if (Complaint wrong = parse_echo_lock(arguments, test); !wrong.empty())
        return wrong;
    return parse_size(arguments, test);
}

Complaint parse_how_much(const Arguments& arguments, EchoPlan& plan)
{
    std::uint64_t inflight = 1;
    std::uint64_t threads = 1;
    std::uint64_t seconds = kTimeDefaultSec;

    if (Complaint wrong = find_number(arguments, "inflight", 1, LL_ECHO_INFLIGHT_MAX, inflight);
        !wrong.empty())
        return wrong;
    if (Complaint wrong = find_number(arguments, "threads", 1, kThreadsMax, threads);
        !wrong.empty())
        return wrong;
    if (Complaint wrong = find_number(arguments, "time", 1, kTimeMaxSec, seconds); !wrong.empty())
        return wrong;
    if (Complaint wrong = find_number(arguments, "calls", 1, UINT64_MAX, plan.calls);
        !wrong.empty())
        return wrong;
    plan.test.inflight = std::uint32_t(inflight);
    plan.threads = unsigned(threads);
    if (plan.calls == 0 || arguments.has("time"))
        plan.time = std::chrono::seconds(seconds);
    return {};
}

Complaint parse(const Arguments& arguments, Wanted& wanted)
{
    if (Complaint wrong = parse_what(arguments, wanted); !wrong.empty())
        return wrong;
    return parse_how_much(arguments, wanted.plan);
}

ll::Result<ll::Device> device_of(Context& context, const Arguments& arguments, ll::KernelPort& port)
{
    const auto named = arguments.operands.empty() ? chosen_device(context, arguments)
                                                  : ll::DeviceRef::parse(arguments.operands[0]);

    if (!named)
        return tl::unexpected(named.error());
    return ll::find_device(port, *named);
}

void tell(Writer& err, const ll::EchoResult& so_far)
{
    const double seconds = double(so_far.ns) / 1e9;

    err.put(fmt::format("\r{:.0f} s: {} calls, {:.0f}/s, {} failed\033[K", seconds, so_far.done,
                        double(so_far.done) / seconds, so_far.failed));
    err.flush();
}

ll::Result<ll::EchoResult> measure(Context& context, const EchoPlan& plan, ll::KernelPort& port)
{
    const bool watched = context.err.is_terminal();
    bool told = false;
    auto result = EchoRunner(port, plan).run([&](const ll::EchoResult& so_far) {
        if (watched)
            tell(context.err, so_far);
        told = watched;
    });

    if (told) {
        context.err.put("\r\033[K");
        context.err.flush();
    }
    return result;
}

/* Return: 0 when there were calls and all of them succeeded. */
int judge(Context& context, const Arguments& arguments, const EchoReport& report)
{
    const ll::EchoResult& result = report.result;

    if (result.ended() == 0)
        return context.error(arguments.command, report.device + ": no call was made", ETIME);
    if (result.failed == 0)
        return 0;
    return context.error(
        arguments.command,
        fmt::format("{}: {} of {} calls failed, the first one: {}", report.device, result.failed,
                    result.ended(), ll::errno_text(result.first_error)),
        result.first_error != 0 ? result.first_error : EIO);
}

int run_echo_test(Context& context, const Arguments& arguments)
{
    Wanted wanted;

    if (const Complaint wrong = parse(arguments, wanted); !wrong.empty())
        return usage_error(context, arguments, wrong);

    ll::KernelPort& port = context.port();
    auto device = device_of(context, arguments, port);

    if (!device)
        return context.error(arguments.command, device.error());
    wanted.plan.device = std::move(*device);

    const auto result = measure(context, wanted.plan, port);

    if (!result)
        return context.error(arguments.command, result.error());

    const EchoReport report{.device = wanted.plan.device.name,
                            .op = wanted.op,
                            .threads = wanted.plan.threads,
                            .test = wanted.plan.test,
                            .result = *result};

    if (context.is_text())
        append_echo_report(context.out.text(), report, arguments.has("histogram"));
    else
        context.printer().item(echo_members(report));
    return judge(context, arguments, report);
}

}  // namespace

const Command echo_test_command = {
    .name = "echo_test",
    .group = "network",
    .operands = "[DEVICE]",
    .takes = {0, 1},
    .summary = "benchmark an echo server",
    .help =
        "DEVICE is of type echo_client (default: the current device). The test ends after\n"
        "--time or --calls (default: 5 seconds). The exit status is 0, or the errno of the\n"
        "first call that failed.\n",
    .options = kOptions,
    .needs = Needs::Kernel,
    .prints = Prints::Object,
    .complete = Complete::Device,
    .run = run_echo_test,
};

}  // namespace lctl
