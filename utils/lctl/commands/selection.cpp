// SPDX-License-Identifier: GPL-2.0
#include "lctl/commands/selection.hpp"

#include <cstdlib>

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
    {"yaml", [](Selection& s) { s.style.format = Format::Yaml; }},
    {"json", [](Selection& s) { s.style.format = Format::Json; }},
    {"null", [](Selection& s) { s.style.null = true; }},
};

constexpr const char* kNoModules =
    "module parameters are not part of the tree; see /sys/module/*/parameters";

/* Return: words that say what is wrong with WHEN, or nothing. */
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

tl::expected<Selection, std::string> parse_selection(const Context& context,
                                                     const Arguments& arguments,
                                                     Selection selection)
{
    std::string wrong;

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

}  // namespace lctl
