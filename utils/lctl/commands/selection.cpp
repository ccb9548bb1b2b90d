// SPDX-License-Identifier: GPL-2.0-only
#include "lctl/commands/selection.hpp"

#include <cstdlib>

#include "lctl/output/printer.hpp"
#include "lib/expand.hpp"

namespace lctl {

namespace {

/* What an option without an argument does. */
struct Switch {
    std::string_view name;
    void (*turn)(Selection&);
};

constexpr Switch kSwitches[] = {
    {"dshbak", [](Selection& s) { s.style.fold = true; }},
    {"describe", [](Selection& s) { s.describe = s.style.brief = true; }},
    {"dir-only", [](Selection& s) { s.dirs = true; }},
    {"classify", [](Selection& s) { s.style.classify = true; }},
    {"header", [](Selection& s) { s.style.header = true; }},
    {"links", [](Selection& s) { s.links = true; }},
    {"no-links", [](Selection& s) { s.links = false; }},
    {"merge", [](Selection& s) { s.merge = true; }},
    {"no-merge", [](Selection& s) { s.merge = false; }},
    {"no-name", [](Selection& s) { s.style.names = false; }},
    {"only-name", [](Selection& s) { s.style.values = false; }},
    {"path", [](Selection& s) { s.style.paths = true; }},
    {"readable", [](Selection& s) { s.readable = true; }},
    {"recursive", [](Selection& s) { s.recursive = true; }},
    {"tunable", [](Selection& s) { s.tunable = true; }},
    {"writable", [](Selection& s) { s.writable = true; }},
    {"null", [](Selection& s) { s.style.null = true; }},
};

constexpr const char* kNoModules =
    "module parameters are not part of the tree; see /sys/module/*/parameters";

/* Return: the error in WHEN; empty if there is none */
std::string set_color(const Context& context, std::string_view when, Style& style)
{
    if (when == "always" || when == "yes")
        style.color = true;
    else if (when == "never" || when == "no")
        style.color = false;
    else if (when == "auto")
        style.color = context.out.is_terminal() && std::getenv("NO_COLOR") == nullptr;
    else
        return "color '" + std::string(when) + "' must be auto, always, yes, never or no";
    return {};
}

std::string conflict(const Style& style)
{
    if (!style.names && !style.values)
        return "--no-name and --only-name leave nothing to print";
    if (style.format != Format::Text && (style.fold || style.header || style.null))
        return "--dshbak, --header and --null apply to text, not to JSON or YAML";
    if (style.fold && style.header)
        return "--dshbak and --header exclude each other";
    return {};
}

void turn(Selection& selection, const Given& given)
{
    for (const Switch& one : kSwitches)
        if (given.is(one.name))
            one.turn(selection);
}

}  // namespace

bool Selection::accepts_kind(const ll::EntryView& entry) const
{
    if (entry.is_dir())
        return true;
    if (dirs || (!links && entry.is_link()))
        return false;
    return !tunable || entry.is_tunable();
}

bool Selection::accepts(const ll::EntryView& entry) const
{
    return accepts_kind(entry) && (!readable || entry.readable()) &&
           (!writable || entry.writable());
}

tl::expected<Selection, std::string> parse_selection(Context& context, const Arguments& arguments,
                                                     Selection selection)
{
    std::string wrong;

    selection.style.format = context.printer().format();
    for (const Given& given : arguments.options) {
        if (given.is("module"))
            return tl::unexpected(std::string(kNoModules));
        if (given.is("color"))
            wrong = set_color(context, *given.argument, selection.style);
        if (!wrong.empty())
            return tl::unexpected(wrong);
        turn(selection, given);
    }
    wrong = conflict(selection.style);
    if (!wrong.empty())
        return tl::unexpected(wrong);
    return selection;
}

namespace {

bool ends_in_glob(const ll::PathSpec& spec)
{
    return !spec.components().empty() &&
           spec.components().back().kind != ll::Component::Kind::Literal;
}

}  // namespace

PatternVisitor::PatternVisitor(ll::Params& params, const Selection& selection, Report& report)
    : params_(params), selection_(selection), report_(report)
{
}

bool PatternVisitor::is_new(std::string_view path)
{
    return !selection_.merge || seen_.emplace(path).second;
}

/* Which entries a value is wanted of has to be known before any is read: a read
 * may change something. A recursion leaves out such entries by itself. */
bool PatternVisitor::must_look_first(const ll::PathSpec& spec) const
{
    return selection_.style.values && !selection_.recursive &&
           (ends_in_glob(spec) || selection_.has_filter());
}

ll::Result<std::size_t> PatternVisitor::visit_at_once(const ll::PathSpec& spec, Visitor visit)
{
    const bool named = !selection_.recursive && !ends_in_glob(spec);
    const ll::Query query = {.recursive = selection_.recursive,
                             .values = selection_.style.values,
                             .links = selection_.links};

    return ll::visit_matching(params_, spec, query, [&](const ll::EntryView& entry) {
        if (selection_.accepts(entry) && is_new(entry.path))
            visit(entry, named);
        return ll::Visit::Continue;
    });
}

ll::Result<std::size_t> PatternVisitor::look_and_read(const ll::PathSpec& spec, Visitor visit)
{
    const bool named = !ends_in_glob(spec);
    const ll::Query query = {.values = false, .links = selection_.links};
    ll::PathList paths;
    auto found = ll::visit_matching(params_, spec, query, [&](const ll::EntryView& entry) {
        if (!selection_.accepts(entry) || !is_new(entry.path))
            return ll::Visit::Continue;
        if (entry.is_dir() || (entry.is_volatile() && !named))
            visit(entry, named);
        else
            paths.add(entry.path);
        return ll::Visit::Continue;
    });

    if (!found || paths.empty())
        return found;

    const auto read = params_.read_many(paths, [&](const ll::EntryView& entry) {
        visit(entry, named);
        return ll::Visit::Continue;
    });

    if (!read)
        return tl::unexpected(read.error());
    return found;
}

bool PatternVisitor::visit(std::string_view pattern, Visitor visit)
{
    const auto spec = ll::PathSpec::parse(pattern);

    if (!spec) {
        report_.failure(pattern, spec.error());
        return false;
    }

    const auto found =
        must_look_first(*spec) ? look_and_read(*spec, visit) : visit_at_once(*spec, visit);

    if (!found)
        report_.failure(pattern, found.error());
    else if (*found == 0)
        report_.missing(params_, *spec);
    return found && *found != 0;
}

namespace {

using Parts = std::span<const ll::Component>;

bool only_any_depth(Parts parts)
{
    return std::ranges::all_of(parts, [](const ll::Component& part) {
        return part.kind == ll::Component::Kind::AnyDepth;
    });
}

bool fits(const ll::Component& part, std::string_view name)
{
    if (part.kind == ll::Component::Kind::Literal)
        return part.text == name;
    return part.glob.matches(name);
}

Relation relate_parts(Parts parts, std::string_view path)
{
    if (path.empty())
        return only_any_depth(parts) ? Relation::Match : Relation::Above;
    if (parts.empty())
        return Relation::Below;

    const std::size_t end = path.find('/');
    const std::string_view name = path.substr(0, end);
    const std::string_view rest =
        end == std::string_view::npos ? std::string_view() : path.substr(end + 1);

    if (parts.front().kind == ll::Component::Kind::AnyDepth)
        return std::max(relate_parts(parts.subspan(1), path), relate_parts(parts, rest));
    return fits(parts.front(), name) ? relate_parts(parts.subspan(1), rest) : Relation::None;
}

}  // namespace

Relation relate(const ll::PathSpec& spec, std::string_view path)
{
    return relate_parts(spec.components(), path);
}

}  // namespace lctl
