// SPDX-License-Identifier: GPL-2.0
#include "lctl/commands/echo_report.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "lib/json_object.hpp"
#include "lib/value_text.hpp"

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

void append_text(std::string& out, const EchoReport& report, bool histogram)
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
    for (const Latency& one : latencies(result))
        times +=
            fmt::format("{}{} {}", times.empty() ? "" : ", ", one.name, echo_time_text(one.ns));
    out += "latency:  " + times + "\n";
    if (histogram)
        append_bars(out, result);
}

void append_json(std::string& out, const EchoReport& report)
{
    const ll::EchoResult& result = report.result;
    ll::JsonObject object(out);

    object.text("device", report.device);
    object.text("op", report.op);
    object.number("threads", report.threads);
    object.number("inflight", report.test.inflight);
    if (has_bytes(report))
        object.number("size", report.test.size);
    object.number("calls", result.done);
    object.number("failed", result.failed);
    object.number("first_error", std::uint64_t(result.first_error));
    object.number("ns", result.ns);
    object.key("calls_per_second");
    object.raw(fmt::format("{:.1f}", per_second(result, double(result.done))));
    object.number("bytes", result.bytes);
    object.key("bytes_per_second");
    object.raw(fmt::format("{:.0f}", per_second(result, double(result.bytes))));
    object.key("latency_ns");
    ll::JsonObject times(out);
    for (const Latency& one : latencies(result))
        times.number(one.name, one.ns);
    times.close();
    object.key("histogram");
    out += "[";
    const char* comma = "";
    for_bars(result, [&](std::uint64_t from, std::uint64_t count) {
        out += fmt::format("{}{{\"from_ns\": {}, \"calls\": {}}}", comma, from, count);
        comma = ", ";
    });
    out += "]";
    object.close();
    out += "\n";
}

void append_yaml(std::string& out, const EchoReport& report)
{
    const ll::EchoResult& result = report.result;

    out += "device: ";
    ll::append_yaml_string(out, report.device);
    out += fmt::format("\nop: {}\nthreads: {}\ninflight: {}\n", report.op, report.threads,
                       report.test.inflight);
    if (has_bytes(report))
        out += fmt::format("size: {}\n", report.test.size);
    out += fmt::format(
        "calls: {}\nfailed: {}\nfirst_error: {}\nns: {}\ncalls_per_second: {:.1f}\n"
        "bytes: {}\nbytes_per_second: {:.0f}\nlatency_ns:\n",
        result.done, result.failed, result.first_error, result.ns,
        per_second(result, double(result.done)), result.bytes,
        per_second(result, double(result.bytes)));
    for (const Latency& one : latencies(result))
        out += fmt::format("  {}: {}\n", one.name, one.ns);
    out += result.done == 0 ? "histogram: []\n" : "histogram:\n";
    for_bars(result, [&](std::uint64_t from, std::uint64_t count) {
        out += fmt::format("- from_ns: {}\n  calls: {}\n", from, count);
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

void append_echo_report(std::string& out, const EchoReport& report, Format format, bool histogram)
{
    switch (format) {
        case Format::Json:
            return append_json(out, report);
        case Format::Yaml:
            return append_yaml(out, report);
        case Format::Text:
            return append_text(out, report, histogram);
    }
}

}  // namespace lctl
