// SPDX-License-Identifier: GPL-2.0-only
/*
 * list_param, help_param: the names of what matches patterns, and what is declared
 * of them.
 */
#include <map>
#include <string>
#include <vector>

#include "lctl/commands/commands.hpp"
#include "lctl/commands/selection.hpp"
#include "lctl/output/fold.hpp"

namespace lctl {

namespace {

using namespace options;

constexpr Option kOptions[] = {
    kColor,  kDescribe, kDirOnly,  kClassify,  kLinks,   kNoLinks,  kMerge, kNoMerge,
    kModule, kPath,     kReadable, kRecursive, kTunable, kWritable, kNull,
};
constexpr Option kHelpOptions[] = {kMerge, kNoMerge, kRecursive, kNull};

/* Paths are gathered first: a listing is not disturbed by other calls. */
void describe(ll::Params& params, const ll::PathList& paths, Output& output, Report& report)
{
    for (std::size_t i = 0; i < paths.size(); i++) {
        const std::string name = ll::display_path(paths.at(i));
        const auto description = params.describe(paths.at(i));

        if (description)
            output.description({name}, *description);
        else
            report.failure(name, description.error());
    }
}

int list(Context& context, const Arguments& arguments, const Selection& selection)
{
    const auto output = make_output(selection.style, context);
    Report report(context, arguments.command, *output);
    PatternVisitor visitor(context.tree(), selection, report);
    ll::PathList paths;

    for (const std::string_view pattern : arguments.operands)
        visitor.visit(pattern, [&](const ll::EntryView& entry, bool /*named*/) {
            if (selection.describe)
                paths.add(entry.path);
            else
                output->entry(entry);
        });
    describe(context.tree(), paths, *output, report);
    output->end();
    return report.status();
}

int run_list_param(Context& context, const Arguments& arguments)
{
    Selection selection;

    selection.style.values = false;
    selection.merge = arguments.operands.size() > 1;

    const auto parsed = parse_selection(context, arguments, selection);

    if (!parsed)
        return usage_error(context, arguments, parsed.error());
    return list(context, arguments, *parsed);
}

/* help_param: what a parameter is for, as the kernel declares it. */

constexpr std::size_t kManyDevices = 4;

/* All that is declared, as one text to compare by. */
std::string content_of(const ll::Description& description)
{
    std::string content;

    for (const std::string* part :
         {&description.type, &description.unit, &description.min, &description.max,
          &description.def, &description.doc, &description.target})
        content.append(*part).push_back('\0');
    content.append(std::to_string(description.mode));
    for (const auto* list : {&description.values, &description.flags})
        for (const std::string& word : *list)
            content.append(1, '\0').append(word);
    return content;
}

/* Many devices as "osc.*.state (1000 parameters)". */
std::string title_of(const Fold::Group& group)
{
    if (group.devices.size() <= kManyDevices)
        return group.pattern();

    std::string title = ll::display_path(group.before);

    title.append(title.empty() ? "*." : ".*.");
    ll::append_display(title, "", group.last);
    return title + " (" + std::to_string(group.devices.size()) + " parameters)";
}

/* Descriptions: one by one, or equal ones of several devices as one. */
class Describer {
public:
    Describer(ll::Params& params, Output& output, Report& report, bool fold)
        : params_(params), output_(output), report_(report), fold_wanted_(fold)
    {
    }

    void describe(std::string_view path)
    {
        auto description = params_.describe(path);
        const std::string name = ll::display_path(path);

        if (!description)
            return report_.failure(name, description.error());
        // Help is about what is declared, not about how one value came about.
        description->source.clear();
        if (!fold_wanted_)
            return output_.description({name}, *description);

        std::string content = content_of(*description);

        descriptions_.try_emplace(content, std::move(*description));
        fold_.add(path, std::move(content));
    }

    void finish()
    {
        for (const Fold::Group& group : fold_.groups()) {
            const std::string title = title_of(group);

            output_.description({title}, descriptions_[group.content]);
        }
    }

private:
    ll::Params& params_;
    Output& output_;
    Report& report_;
    bool fold_wanted_;
    Fold fold_;
    std::map<std::string, ll::Description> descriptions_;
};

int help(Context& context, const Arguments& arguments, const Selection& selection)
{
    const auto output = make_output(selection.style, context);
    Report report(context, arguments.command, *output);
    PatternVisitor visitor(context.tree(), selection, report);
    Describer describer(context.tree(), *output, report, selection.style.format == Format::Text);
    ll::PathList paths;

    for (const std::string_view pattern : arguments.operands)
        visitor.visit(pattern,
                      [&](const ll::EntryView& entry, bool /*named*/) { paths.add(entry.path); });
    for (std::size_t i = 0; i < paths.size(); i++)
        describer.describe(paths.at(i));
    describer.finish();
    output->end();
    return report.status();
}

int run_help_param(Context& context, const Arguments& arguments)
{
    Selection selection;

    selection.style.values = false;
    selection.merge = true;

    const auto parsed = parse_selection(context, arguments, selection);

    if (!parsed)
        return usage_error(context, arguments, parsed.error());
    return help(context, arguments, *parsed);
}

}  // namespace

const Command list_param_command = {
    .name = "list_param",
    .group = "parameters",
    .operands = "PATTERN...",
    .takes = {1, kMany},
    .summary = "print the names of parameters",
    .help =
        "Patterns are those of get_param. No value is read. Other commands accept the printed\n"
        "names, even with the marks of -F.\n",
    .options = kOptions,
    .needs = Needs::Kernel,
    .prints = Prints::Array,
    .complete = Complete::Param,
    .run = run_list_param,
};

const Command help_param_command = {
    .name = "help_param",
    .group = "parameters",
    .operands = "PATTERN...",
    .takes = {1, kMany},
    .summary = "print description, type, unit and range of parameters",
    .help =
        "Patterns are those of get_param. The descriptions come from the loaded modules.\n"
        "Parameters with the same declaration are printed as one item.\n",
    .options = kHelpOptions,
    .needs = Needs::Kernel,
    .prints = Prints::Array,
    .complete = Complete::Param,
    .run = run_help_param,
};

}  // namespace lctl
