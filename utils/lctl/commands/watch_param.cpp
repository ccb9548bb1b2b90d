// SPDX-License-Identifier: GPL-2.0
/*
 * watch_param: what happens to parameters, as it happens.
 */
#include <cerrno>
#include <optional>
#include <string>
#include <vector>

#include "lctl/commands/commands.hpp"
#include "lctl/commands/limits.hpp"
#include "lctl/commands/path_match.hpp"
#include "lctl/commands/report.hpp"
#include "lctl/commands/selection.hpp"
#include "lib/expand.hpp"

namespace lctl {

namespace {

constexpr Option kOptions[] = {
    options::kCount,
    options::kTimeout,
    {.name = "no-value", .help = "do not read and print values"},
    options::kYaml,
    options::kJson,
    options::kNull,
};

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

    /* A directory appeared with all that is in it: some of that is watched. */
    void added_below(const std::string& directory)
    {
        std::vector<ll::Entry> entries;

        /* An error is that it has gone again, which is the next event. */
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

    /* Nothing for a directory, for what may not be read, for what is gone. */
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
        if (context.out.error() != 0)
            return context.out.error();
    }
    return 0;
}

int watch(Context& context, const Arguments& arguments, const std::vector<ll::PathSpec>& specs,
          const Watch& limits, const Style& style)
{
    const auto params = context.params();

    if (!params)
        return context.error(arguments.command, params.error());

    const auto events = context.events();

    if (!events)
        return context.error(arguments.command, events.error());

    const auto output = make_output(style, context.out);
    Watcher watcher(**params, specs, limits, *output);
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
    if (arguments.operands.empty())
        return usage_error(context, arguments, "needs a PATTERN");
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

}  // namespace

const Command watch_param_command = {
    .name = "watch_param",
    .group = "parameters",
    .operands = "PATTERN...",
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
    .options = kOptions,
    .complete = Complete::Param,
    .run = run_watch_param,
};

}  // namespace lctl
