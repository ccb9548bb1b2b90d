// SPDX-License-Identifier: GPL-2.0
/*
 * monitor: what happens to devices, imports and exports, as it happens.
 */
#include <cerrno>
#include <ctime>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include <uapi/lustre_lite/obd_netlink.h>

#include "lctl/commands/commands.hpp"
#include "lctl/commands/limits.hpp"
#include "lctl/context.hpp"
#include "lib/json_object.hpp"

namespace lctl {

namespace {

constexpr Option kOptions[] = {
    options::kCount,
    options::kTimeout,
    {.name = "json", .help = "print JSON: an object a line for each event"},
};

constexpr std::uint64_t kSecond = 1'000'000'000;

std::string word_of(std::uint8_t kind)
{
    static constexpr const char* words[] = {
        "lost",         "attached",     "set_up",     "stopping",    "cleaned_up",     "detached",
        "import_state", "import_event", "export_new", "export_gone", "export_evicted",
    };

    return kind < std::size(words) ? words[kind] : "event_" + std::to_string(kind);
}

std::string state_name(std::uint32_t state)
{
    static constexpr const char* names[] = {
        "",           "CLOSED", "NEW",          "DISCONN",
        "CONNECTING", "REPLAY", "REPLAY_LOCKS", "REPLAY_WAIT",
        "RECOVER",    "FULL",   "EVICTED",      "IDLE",
    };

    return state != 0 && state < std::size(names) ? names[state] : std::to_string(state);
}

std::string import_event_name(std::uint32_t event)
{
    static constexpr const char* names[] = {
        "DISCON", "INACTIVE", "INVALIDATE", "ACTIVE", "OCD", "DEACTIVATE", "ACTIVATE",
    };
    const std::uint32_t place = event - IMP_EVENT_DISCON;

    return place < std::size(names) ? names[place] : fmt::format("{:#x}", event);
}

/* What the state of an event says; empty where it says nothing. */
std::string state_of(const DeviceEvent& event)
{
    if (event.kind == LL_OBD_IMPORT_STATE)
        return state_name(event.state);
    if (event.kind == LL_OBD_IMPORT_EVENT)
        return import_event_name(event.state);
    return {};
}

/* "2026-11-21 13:04:02.123456", in the zone of whoever asks. */
std::string time_text(std::uint64_t time_ns)
{
    const auto seconds = static_cast<std::time_t>(time_ns / kSecond);
    std::tm parts{};
    char text[32];

    localtime_r(&seconds, &parts);
    return std::string(text, std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &parts)) +
           fmt::format(".{:06}", time_ns % kSecond / 1000);
}

void append_text(std::string& out, const DeviceEvent& event)
{
    const ll::Device& device = event.device;

    if (event.kind == 0) {
        out.append(event.lost == 0 ? "lost" : "lost " + std::to_string(event.lost));
        out.push_back('\n');
        return;
    }
    fmt::format_to(std::back_inserter(out), "{} {} {} {} {} {}", time_text(event.time_ns),
                   word_of(event.kind), device.index, device.type, device.name, device.uuid);
    for (const std::string& more : {state_of(event), event.connection, event.peer})
        if (!more.empty())
            out.append(" ").append(more);
    out.push_back('\n');
}

void append_json_device(ll::JsonObject& object, const ll::Device& device)
{
    object.number("index", device.index);
    object.text("status", ll::status_letters(device.status));
    object.text("type", device.type);
    object.text("name", device.name);
    object.text("uuid", device.uuid);
    object.number("refcount", device.refcount);
}

void append_json(std::string& out, const DeviceEvent& event)
{
    ll::JsonObject object(out);

    object.text("event", word_of(event.kind));
    if (event.kind == 0) {
        object.number("count", event.lost);
    } else {
        object.key("time");
        object.raw(fmt::format("{}.{:09}", event.time_ns / kSecond, event.time_ns % kSecond));
        append_json_device(object, event.device);
    }
    if (const std::string state = state_of(event); !state.empty())
        object.text("state", state);
    if (!event.connection.empty())
        object.text("connection", event.connection);
    if (!event.peer.empty())
        object.text("peer", event.peer);
    object.close();
    out.push_back('\n');
}

/* Return: 0, or the errno that ends it. */
int print_events(Context& context, DeviceEventSource& events, const Limits& limits, bool json)
{
    for (std::uint64_t printed = 0; limits.count == 0 || printed < limits.count; printed++) {
        const auto event = events.next(limits.until);

        if (!event)
            return context.error("monitor", event.error());
        if (!*event)
            return limits.count != 0 ? ETIMEDOUT : 0;
        if (json)
            append_json(context.out.text(), **event);
        else
            append_text(context.out.text(), **event);
        context.out.flush();
        if (context.out.error() != 0)
            return context.out.error();
    }
    return 0;
}

int run_monitor(Context& context, const Arguments& arguments)
{
    Limits limits;

    if (!arguments.operands.empty())
        return usage_error(context, arguments, "takes no operands");
    if (const std::string wrong = parse_limits(arguments, limits); !wrong.empty())
        return usage_error(context, arguments, wrong);

    const auto events = context.device_events();

    if (!events)
        return context.error(arguments.command, events.error());
    return print_events(context, **events, limits, arguments.has("json"));
}

}  // namespace

const Command monitor_command = {
    .name = "monitor",
    .group = "devices",
    .operands = "",
    .summary = "print events of devices",
    .help =
        "Prints one line for each event: time, event, number, type, name and uuid of the\n"
        "device; for an import also state or event and server, for an export the uuid of the\n"
        "client. 'lost COUNT' reports events that could not be delivered. Ends after --count\n"
        "or --timeout, or on a signal. Exit status ETIMEDOUT (110): the time ended before\n"
        "COUNT lines.\n",
    .options = kOptions,
    .run = run_monitor,
};

}  // namespace lctl
