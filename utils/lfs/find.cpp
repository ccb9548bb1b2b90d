// SPDX-License-Identifier: GPL-2.0-only
/*
 * find: files by name, type, size and layout.
 */
#include <algorithm>
#include <cerrno>

#include <fnmatch.h>

#include <fmt/format.h>

#include "lfs/layout.hpp"
#include "lfs/lfs.hpp"
#include "lfs/request.hpp"
#include "lib/number.hpp"

namespace lfs {

namespace {

constexpr Option kOptions[] = {
    {.name = "maxdepth", .argument = "N", .help = "go down so many directories (0: none)"},
    {.name = "name", .argument = "GLOB", .help = "the last component of the path matches"},
    {.name = "type", .argument = "TYPE", .help = "type of the file", .choices = "b|c|d|f|l|p|s"},
    {.name = "size",
     .argument = "[+-]SIZE",
     .help = "bytes, or units k, M, G ...: as in so many when rounded up; + more, - less"},
    {.letter = 'O',
     .name = "ost",
     .argument = "LIST",
     .help = "has an object on one of these OSTs"},
    {.letter = 'c',
     .name = "stripe-count",
     .argument = "[+-]COUNT",
     .help = "number of stripes, with + more and with - less"},
    {.letter = 'P', .name = "print0", .help = "end each path with a NUL"},
};

/* A number in units, of which a part counts as a whole one; with '+' more and with '-' less. */
struct Bound {
    char sign = 0;
    std::uint64_t value = 0;
    std::uint64_t unit = 1;

    bool holds(std::uint64_t number) const
    {
        const bool less = value >= unit && number <= value - unit;

        if (sign == '+')
            return number > value;
        return sign == '-' ? less : number <= value && !less;
    }
};

/* 1 for a number without a letter. */
ll::Result<std::uint64_t> unit_of(std::string_view text)
{
    const std::size_t letters = std::min(text.find_first_not_of("0123456789."), text.size());

    return ll::parse_size(fmt::format("1{}", text.substr(letters)));
}

ll::Result<Bound> parse_bound(std::string_view text)
{
    Bound bound;

    if (text.starts_with('+') || text.starts_with('-')) {
        bound.sign = text.front();
        text.remove_prefix(1);
    }

    const auto value = ll::parse_size(text);
    const auto unit = value ? unit_of(text) : value;

    if (!unit)
        return tl::unexpected(unit.error());
    bound.value = *value;
    bound.unit = *unit;
    return bound;
}

ll::Result<std::string> parse_type(std::string_view text)
{
    if (text.size() != 1 || std::string_view("bcdflps").find(text) == std::string_view::npos)
        return ll::fail(EINVAL, fmt::format("'{}' should be b, c, d, f, l, p or s", text));
    return std::string(text);
}

ll::Result<std::string> parse_name(std::string_view text)
{
    return std::string(text);
}

ll::Result<std::uint64_t> parse_depth(std::string_view text)
{
    return ll::parse_number(text);
}

struct Wanted {
    std::optional<std::uint64_t> depth;
    std::optional<std::string> name;
    std::optional<std::string> type;
    std::optional<Bound> size;
    std::optional<Bound> stripe_count;
    std::vector<std::uint16_t> osts;

    bool needs_layout() const { return stripe_count || !osts.empty(); }
};

template <class Value, class To>
ll::Status take(const Arguments& arguments, const char* name,
                ll::Result<Value> (*parse)(std::string_view), To& to)
{
    const lctl::Given* const given = arguments.find(name);

    if (given == nullptr)
        return {};

    auto value = parse(given->argument.value_or(""));

    if (!value)
        return ll::fail(value.error().code, fmt::format("-{}: {}", name, value.error().text));
    to = std::move(*value);
    return {};
}

ll::Result<Wanted> wanted_of(const Arguments& arguments)
{
    Wanted wanted;
    auto done = take(arguments, "maxdepth", parse_depth, wanted.depth);

    if (done)
        done = take(arguments, "name", parse_name, wanted.name);
    if (done)
        done = take(arguments, "type", parse_type, wanted.type);
    if (done)
        done = take(arguments, "size", parse_bound, wanted.size);
    if (done)
        done = take(arguments, "stripe-count", parse_bound, wanted.stripe_count);
    if (done)
        done = take(arguments, "ost", parse_ost_list, wanted.osts);
    if (!done)
        return tl::unexpected(done.error());
    return wanted;
}

bool has_stripes(const Json& layout, const Bound& count)
{
    return layout.contains("stripe_count") && layout.at("stripe_count").get<int>() >= 0 &&
           count.holds(layout.at("stripe_count").get<std::uint64_t>());
}

bool has_object(const Json& layout, const std::vector<std::uint16_t>& osts)
{
    if (!layout.contains("objects"))
        return false;
    return std::ranges::any_of(layout.at("objects"), [&](const Json& object) {
        return std::ranges::find(osts, object.at("ost").get<unsigned int>()) != osts.end();
    });
}

/* A plain layout, or a component. */
bool layout_matches(const Json& layout, const Wanted& wanted)
{
    if (layout.contains("components"))
        return std::ranges::any_of(layout.at("components"), [&](const Json& component) {
            return layout_matches(component.at("layout"), wanted);
        });
    return (!wanted.stripe_count || has_stripes(layout, *wanted.stripe_count)) &&
           (wanted.osts.empty() || has_object(layout, wanted.osts));
}

class Finder {
public:
    Finder(Context& context, const Wanted& wanted, bool null)
        : context_(context), wanted_(wanted), end_(null ? '\0' : '\n')
    {
    }

    void look(const std::string& path, std::uint64_t depth)
    {
        const auto found = context_.files.status(path, false);

        if (!found) {
            context_.error(path, found.error());
            return;
        }
        if (matches(path, *found)) {
            context_.out.text().append(path).push_back(end_);
            context_.out.spill();
        }
        if (found->kind == Kind::Directory && (!wanted_.depth || depth < *wanted_.depth))
            walk(path, depth);
    }

private:
    void walk(const std::string& directory, std::uint64_t depth)
    {
        const auto entries = context_.files.entries(directory);

        if (!entries) {
            context_.error(directory, entries.error());
            return;
        }
        for (const Entry& entry : *entries)
            look(join(directory, entry.name), depth + 1);
    }

    bool matches(const std::string& path, const Status& status)
    {
        const std::string name = path.substr(path.rfind('/') + 1);

        return (!wanted_.name || fnmatch(wanted_.name->c_str(), name.c_str(), 0) == 0) &&
               (!wanted_.type || wanted_.type->front() == status.type) &&
               (!wanted_.size || wanted_.size->holds(status.size)) &&
               (!wanted_.needs_layout() || matches_layout(path, status));
    }

    bool matches_layout(const std::string& path, const Status& status)
    {
        const bool directory = status.kind == Kind::Directory;

        if (!directory && status.kind != Kind::File)
            return false;

        const auto layout = read_layout(context_.files, path, directory);

        if (!layout)
            context_.error(path, layout.error());
        return layout && *layout && layout_matches(**layout, wanted_);
    }

    Context& context_;
    const Wanted& wanted_;
    char end_;
};

void run_find(Context& context, const Arguments& arguments)
{
    const auto wanted = wanted_of(arguments);

    if (!wanted) {
        context.error(wanted.error().text, wanted.error().code);
        return;
    }

    Finder finder(context, *wanted, arguments.has("print0"));

    for (const std::string_view path : arguments.operands)
        finder.look(std::string(path), 0);
}

}  // namespace

const Command find_command = {
    .spec = {.name = "find",
             .operands = "PATH...",
             .takes = {1, lctl::kMany},
             .summary = "find files by name, type, size and layout",
             .help = "Prints the paths that match all options, which may have one '-', as those of "
                     "find(1).\n",
             .options = kOptions},
    .run = run_find,
    .single_dash = true,
};

}  // namespace lfs
