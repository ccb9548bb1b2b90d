// SPDX-License-Identifier: GPL-2.0-only
#include "lctl/commands/echo_report.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "lctl/commands/echo_lock.hpp"

namespace lctl {

namespace {

constexpr double kMiB = 1024.0 * 1024.0;
constexpr std::size_t kBarWidth = 50;

struct Latency {
    const char* name;
    std::uint64_t ns;
};

std::array<Latency, 6> latencies(const ll::EchoResult& result)
{
    return {{{"min", result.min_ns},
             {"average", result.average_ns()},
             {"median", result.within_ns(0.5)},
             {"p90", result.within_ns(0.9)},
             {"p99", result.within_ns(0.99)},
             {"max", result.max_ns}}};
}

double seconds_of(const ll::EchoResult& result)
{
    return double(result.ns) / 1e9;
}

double per_second(const ll::EchoResult& result, double count)
{
    return result.ns == 0 ? 0 : count / seconds_of(result);
}

Json rate(const ll::EchoResult& result, double count, int decimals)
{
    return exact_number(fmt::format("{:.{}f}", per_second(result, count), decimals));
}

bool has_bytes(const EchoReport& report)
{
    return report.test.op == LL_ECHO_READ || report.test.op == LL_ECHO_WRITE;
}

/* Of the bars from the first to the last that has something. */
template <class Visit>
void for_bars(const ll::EchoResult& result, Visit visit)
{
    const auto& bars = result.histogram;
    const auto any = [](std::uint64_t count) { return count != 0; };
    const auto first = std::find_if(bars.begin(), bars.end(), any);
    const auto last = std::find_if(bars.rbegin(), bars.rend(), any).base();

    for (auto bar = first; bar < last; ++bar)
        visit(ll::echo_bucket_ns(unsigned(bar - bars.begin())), *bar);
}

void append_bars(std::string& out, const ll::EchoResult& result)
{
    const std::uint64_t most = std::max<std::uint64_t>(
        *std::max_element(result.histogram.begin(), result.histogram.end()), 1);

    for_bars(result, [&](std::uint64_t from, std::uint64_t count) {
        const std::size_t width = (count * kBarWidth + most - 1) / most;

        out +=
            fmt::format("{:>10} {:>10} {}", echo_time_text(from), count, std::string(width, '#'));
        out.erase(out.find_last_not_of(' ') + 1);
        out.push_back('\n');
    });
}

}  // namespace

std::string echo_time_text(std::uint64_t ns)
{
    if (ns < 1000)
        return fmt::format("{} ns", ns);
    if (ns < 1000 * 1000)
        return fmt::format("{:.1f} us", double(ns) / 1e3);
    if (ns < 1000 * 1000 * 1000)
        return fmt::format("{:.1f} ms", double(ns) / 1e6);
    return fmt::format("{:.1f} s", double(ns) / 1e9);
}

void append_echo_report(std::string& out, const EchoReport& report, bool histogram)
{
    const ll::EchoResult& result = report.result;
    std::string times;

    out += fmt::format("{} of {}: {} thread{}, {} at a time each, {:.1f} s\n", report.op,
                       report.device, report.threads, report.threads == 1 ? "" : "s",
                       report.test.inflight, seconds_of(result));
    out += fmt::format("calls:    {} ({:.0f}/s), {} failed\n", result.done,
                       per_second(result, double(result.done)), result.failed);
    if (has_bytes(report))
        out += fmt::format("data:     {:.1f} MiB ({:.1f} MiB/s)\n", double(result.bytes) / kMiB,
                           per_second(result, double(result.bytes) / kMiB));
    if (result.done == 0)
        return;
    if (report.test.op == LL_ECHO_LOCK)
        out += "granted:  " + echo_granted_text(report.test, result) + "\n";
    if (report.test.probe)
        out += "in the way: " + echo_blocker_text(result) + "\n";
    if (echo_tells_size(report.test.op))
        out += fmt::format("size:     {}\n", result.object_size);
    for (const Latency& one : latencies(result))
        times +=
            fmt::format("{}{} {}", times.empty() ? "" : ", ", one.name, echo_time_text(one.ns));
    out += "latency:  " + times + "\n";
    if (histogram)
        append_bars(out, result);
}

Json echo_members(const EchoReport& report)
{
    const ll::EchoResult& result = report.result;
    Json members = {{"device", report.device},
                    {"op", report.op},
                    {"threads", report.threads},
                    {"inflight", report.test.inflight}};
    Json times = Json::object();
    Json bars = Json::array();

    if (has_bytes(report))
        members["size"] = report.test.size;
    for (const Latency& one : latencies(result))
        times[one.name] = one.ns;
    for_bars(result, [&](std::uint64_t from, std::uint64_t count) {
        bars.push_back({{"from_ns", from}, {"calls", count}});
    });
    members.update({{"calls", result.done},
                    {"failed", result.failed},
                    {"first_error", result.first_error},
                    {"ns", result.ns},
                    {"calls_per_second", rate(result, double(result.done), 1)},
                    {"bytes", result.bytes},
                    {"bytes_per_second", rate(result, double(result.bytes), 0)},
                    {"latency_ns", times},
                    {"histogram", bars}});
    if (report.test.op == LL_ECHO_LOCK && result.done != 0)
        members["granted"] = echo_granted_json(report.test, result);
    if (report.test.probe && result.done != 0)
        members["in_the_way"] = echo_blocker_json(result);
    if (echo_tells_size(report.test.op) && result.done != 0)
        members["object_size"] = result.object_size;
    return members;
}

}  // namespace lctl
