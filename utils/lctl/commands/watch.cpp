// SPDX-License-Identifier: GPL-2.0-only
/*
 * Printing events as they arrive: of parameters (watch_param), of devices (monitor).
 */
#include <cerrno>
#include <chrono>
#include <ctime>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <uapi/lustre_lite/obd_netlink.h>

#include "lctl/commands/commands.hpp"
#include "lctl/commands/device.hpp"
#include "lctl/commands/selection.hpp"
#include "lctl/output/output.hpp"
#include "lctl/output/printer.hpp"
#include "lib/expand.hpp"
#include "lib/number.hpp"

namespace lctl {

namespace {

constexpr Option kCount = {
    .letter = 'n', .name = "count", .argument = "COUNT", .help = "end after COUNT lines"};
constexpr Option kTimeout = {
    .name = "timeout", .argument = "SECONDS", .help = "end after so many seconds"};
constexpr Option kWatchOptions[] = {
    kCount,
    kTimeout,
    {.name = "no-value", .help = "do not read and print values"},
    options::kNull,
};
constexpr Option kMonitorOptions[] = {kCount, kTimeout};

/* End of a command that prints events. */
struct Limits {
    std::uint64_t count = 0;  // of lines, 0: no limit
    std::optional<std::chrono::steady_clock::time_point> until;
};

/* Return: an error text; empty if there is none */
std::string parse_limits(const Arguments& arguments, Limits& limits)
{
    constexpr std::uint64_t kLongest = 10ULL * 365 * 24 * 3600;

    if (const Given* count = arguments.find("count")) {
        const auto number = ll::parse_number(*count->argument);

        if (!number || *number == 0)
            return "--count '" + std::string(*count->argument) + "' is not a number above 0";
        limits.count = *number;
    }
    if (const Given* timeout = arguments.find("timeout")) {
        const auto number = ll::parse_number(*timeout->argument, kLongest);

        if (!number)
            return "--timeout: " + number.error().text;
        limits.until = std::chrono::steady_clock::now() + std::chrono::seconds(*number);
    }
    return {};
}

struct Watch : Limits {
    bool values = true;
};

const char* word_of(Event::Kind kind)
{
    switch (kind) {
        case Event::Kind::Added:
            return "added";
        case Event::Kind::Removed:
            return "removed";
        case Event::Kind::Changed:
            return "changed";
        case Event::Kind::Lost:
            break;
    }
    return "lost";
}

class Watcher {
public:
    Watcher(ll::Params& params, const std::vector<ll::PathSpec>& specs, const Watch& limits,
            Output& output)
        : params_(params), specs_(specs), limits_(limits), output_(output)
    {
    }

    bool done() const { return limits_.count != 0 && printed_ >= limits_.count; }

    void event(const Event& event)
    {
        if (event.kind == Event::Kind::Lost)
            return print({.what = word_of(event.kind), .name = {}, .lost = event.lost});

        const Relation relation = nearest(event.path);

        if (relation == Relation::None)
            return;
        if (relation != Relation::Above)
            return print(event.kind, event.path, event.version);
        if (event.kind == Event::Kind::Added)
            added_below(event.path);
        else if (event.kind == Event::Kind::Removed)
            print(event.kind, event.path, event.version);
    }

private:
    Relation nearest(std::string_view path) const
    {
        Relation relation = Relation::None;

        for (const ll::PathSpec& spec : specs_)
            relation = std::max(relation, relate(spec, path));
        return relation;
    }

    /* A directory appeared with its contents, some of which are watched. */
    void added_below(const std::string& directory)
    {
        std::vector<ll::Entry> entries;

        /* On an error it was removed again: another event follows. */
        static_cast<void>(params_.list(directory, 0, [&](const ll::EntryView& entry) {
            if (nearest(entry.path) == Relation::Match)
                entries.push_back({.path = std::string(entry.path), .version = entry.version});
            return ll::Visit::Continue;
        }));
        for (const ll::Entry& entry : entries)
            if (!done())
                print(Event::Kind::Added, entry.path, entry.version);
    }

    void print(Event::Kind kind, const std::string& path, std::uint32_t version)
    {
        const std::string name = ll::display_path(path);
        std::optional<ll::Value> value;

        if (limits_.values && kind != Event::Kind::Removed)
            value = value_of(path);
        print({.what = word_of(kind),
               .name = name,
               .version = version,
               .value = value ? &*value : nullptr});
    }

    void print(const Happening& happening)
    {
        output_.happening(happening);
        printed_++;
    }

    /* Empty for a directory, for an entry that cannot be read or was removed. */
    std::optional<ll::Value> value_of(const std::string& path)
    {
        const auto entry = params_.stat(path);

        if (!entry || entry->type == PARAMS_T_DIR || (entry->mode & 0444) == 0 ||
            (entry->flags & PARAMS_EF_VOLATILE) != 0)
            return {};

        auto value = params_.read(path);

        if (!value)
            return {};
        return std::move(*value);
    }

    ll::Params& params_;
    const std::vector<ll::PathSpec>& specs_;
    const Watch& limits_;
    Output& output_;
    std::uint64_t printed_ = 0;
};

/* Return: 0, or the errno that ends the watch. */
int watch_events(Context& context, EventSource& events, Watcher& watcher, const Watch& limits,
                 std::string_view command)
{
    while (!watcher.done()) {
        const auto event = events.next(limits.until);

        if (!event)
            return context.error(command, event.error());
        if (!*event)
            return limits.count != 0 ? ETIMEDOUT : 0;
        watcher.event(**event);
        context.out.flush();
        if (context.out.error() != 0)
            return context.out.error();
    }
    return 0;
}

int watch(Context& context, const Arguments& arguments, const std::vector<ll::PathSpec>& specs,
          const Watch& limits, const Style& style)
{
    const auto events = context.events();

    if (!events)
        return context.error(arguments.command, events.error());

    const auto output = make_output(style, context);
    Watcher watcher(context.tree(), specs, limits, *output);
    const int status = watch_events(context, **events, watcher, limits, arguments.command);

    output->end();
    return status;
}

int run_watch_param(Context& context, const Arguments& arguments)
{
    Watch limits;
    std::vector<ll::PathSpec> specs;
    const auto selection = parse_selection(context, arguments, {});

    if (!selection)
        return usage_error(context, arguments, selection.error());
    if (const std::string wrong = parse_limits(arguments, limits); !wrong.empty())
        return usage_error(context, arguments, wrong);
    limits.values = !arguments.has("no-value");
    for (const std::string_view text : arguments.operands) {
        auto spec = ll::PathSpec::parse(text);

        if (!spec)
            return context.error(arguments.command, spec.error());
        specs.push_back(std::move(*spec));
    }

    Style style = selection->style;

    style.lines = true;
    return watch(context, arguments, specs, limits, style);
}

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

/* Text of the state of an event; empty if it has none. */
std::string state_of(const DeviceEvent& event)
{
    if (event.kind == LL_OBD_IMPORT_STATE)
        return state_name(event.state);
    if (event.kind == LL_OBD_IMPORT_EVENT)
        return import_event_name(event.state);
    return {};
}

/* "2026-11-21 13:04:02.123456", in the local time zone. */
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

Json event_members(const DeviceEvent& event)
{
    Json members = {{"event", word_of(event.kind)}};

    if (event.kind == 0) {
        members["count"] = event.lost;
    } else {
        members["time"] =
            exact_number(fmt::format("{}.{:09}", event.time_ns / kSecond, event.time_ns % kSecond));
        members.update(device_members(event.device));
    }
    if (const std::string state = state_of(event); !state.empty())
        members["state"] = state;
    if (!event.connection.empty())
        members["connection"] = event.connection;
    if (!event.peer.empty())
        members["peer"] = event.peer;
    return members;
}

/* Return: 0, or the errno that ends it. */
int print_events(Context& context, DeviceEventSource& events, const Limits& limits)
{
    for (std::uint64_t printed = 0; limits.count == 0 || printed < limits.count; printed++) {
        const auto event = events.next(limits.until);

        if (!event)
            return context.error("monitor", event.error());
        if (!*event)
            return limits.count != 0 ? ETIMEDOUT : 0;
        if (context.is_text())
            append_text(context.out.text(), **event);
        else
            context.printer().item(event_members(**event));
        context.out.flush();
        if (context.out.error() != 0)
            return context.out.error();
    }
    return 0;
}

int run_monitor(Context& context, const Arguments& arguments)
{
    Limits limits;

    if (const std::string wrong = parse_limits(arguments, limits); !wrong.empty())
        return usage_error(context, arguments, wrong);

    const auto events = context.device_events();

    if (!events)
        return context.error(arguments.command, events.error());
    return print_events(context, **events, limits);
}

}  // namespace

const Command watch_param_command = {
    .name = "watch_param",
    .group = "parameters",
    .operands = "PATTERN...",
    .takes = {1, kMany},
    .summary = "print changes of parameters",
    .help =
        "Prints one line for each event: 'added NAME VERSION VALUE', 'changed NAME VERSION\n"
        "VALUE', 'removed NAME VERSION', or 'lost COUNT' for events that could not be\n"
        "delivered. A PATTERN that matches a directory includes everything below it. The\n"
        "addition or removal of a directory is one event. VALUE is read when the line is\n"
        "printed; a newline is printed as \\n, and after 256 characters it is truncated with\n"
        "'...' (but not with --json).\n"
        "Ends after --count or --timeout, or on a signal. Exit status ETIMEDOUT (110): the\n"
        "time ended before COUNT lines.\n",
    .options = kWatchOptions,
    .needs = Needs::Kernel,
    .prints = Prints::Lines,
    .complete = Complete::Param,
    .run = run_watch_param,
};

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
    .options = kMonitorOptions,
    .prints = Prints::Lines,
    .run = run_monitor,
};

}  // namespace lctl
