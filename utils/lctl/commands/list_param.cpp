// SPDX-License-Identifier: GPL-2.0
/*
 * list_param: the names of what matches patterns, or what is declared of them.
 */
#include <string>

#include "lctl/commands/commands.hpp"
#include "lctl/commands/pattern_visitor.hpp"

namespace lctl {

namespace {

using namespace options;

constexpr Option kOptions[] = {
    kColor, kDescribe, kDirOnly,   kClassify, kLinks,    kNoLinks, kMerge, kNoMerge, kModule,
    kPath,  kReadable, kRecursive, kTunable,  kWritable, kYaml,    kJson,  kNull,
};

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
    const auto params = context.params();

    if (!params)
        return context.error(arguments.command, params.error());

    const auto output = make_output(selection.style, context.out);
    Report report(context, arguments.command, *output);
    PatternVisitor visitor(**params, selection, report);
    ll::PathList paths;

    for (const std::string_view pattern : arguments.operands)
        visitor.visit(pattern, [&](const ll::EntryView& entry, bool /*named*/) {
            if (selection.describe)
                paths.add(entry.path);
            else
                output->entry(entry);
        });
    describe(**params, paths, *output, report);
    output->end();
    return report.status();
}

int run_list_param(Context& context, const Arguments& arguments)
{
    if (arguments.operands.empty())
        return usage_error(context, arguments, "needs a PATTERN");

    Selection selection;

    selection.style.values = false;
    selection.merge = arguments.operands.size() > 1;

    const auto parsed = parse_selection(context, arguments, selection);

    if (!parsed)
        return usage_error(context, arguments, parsed.error());
    return list(context, arguments, *parsed);
}

}  // namespace

const Command list_param_command = {
    .name = "list_param",
    .group = "parameters",
    .operands = "PATTERN...",
    .summary = "print the names of parameters",
    .help =
        "Patterns are those of get_param. No value is read. Other commands accept the printed\n"
        "names, even with the marks of -F.\n",
    .options = kOptions,
    .complete = Complete::Param,
    .run = run_list_param,
};

}  // namespace lctl
