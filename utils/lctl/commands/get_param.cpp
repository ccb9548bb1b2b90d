// SPDX-License-Identifier: GPL-2.0
/*
 * get_param: the values of what matches patterns.
 */
#include <cerrno>
#include <string>

#include "lctl/commands/commands.hpp"
#include "lctl/commands/pattern_visitor.hpp"
#include "lctl/commands/permanent.hpp"

namespace lctl {

namespace {

using namespace options;

constexpr Option kPermanent = {
    .letter = 'P',
    .name = "perm",
    .help = "print permanent settings and their origin",
};

constexpr Option kOptions[] = {
    kFoldDevices, kColor,    kClassify, kHeader, kLinks,     kNoLinks,  kMerge,
    kNoMerge,     kNoName,   kOnlyName, kModule, kPath,      kReadable, kRecursive,
    kTunable,     kWritable, kYaml,     kJson,   kPermanent, kNull,
};

/* Values to the output, failures to the report. */
class Getter {
public:
    Getter(Output& output, Report& report) : output_(output), report_(report) {}

    void begin_pattern() { shown_ = dirs_ = false; }

    void entry(const ll::EntryView& entry, bool named)
    {
        if (entry.is_dir()) {
            dirs_ = true;
            return;
        }
        shown_ = true;
        if (entry.status == 0)
            output_.entry(entry);
        else if (named || !is_expected(entry.status))
            report_.unreadable(entry);
    }

    bool only_dirs() const { return dirs_ && !shown_; }

private:
    /* Of what a glob happens to match: not for this reader, or just gone. */
    static bool is_expected(int status)
    {
        return status == EACCES || status == EPERM || status == ENODEV || status == ENOENT;
    }

    Output& output_;
    Report& report_;
    bool shown_ = false;
    bool dirs_ = false;
};

int get(Context& context, const Arguments& arguments, const Selection& selection)
{
    const auto params = context.params();

    if (!params)
        return context.error(arguments.command, params.error());

    const auto output = make_output(selection.style, context.out);
    Report report(context, arguments.command, *output);
    PatternVisitor visitor(**params, selection, report);
    Getter getter(*output, report);

    for (const std::string_view pattern : arguments.operands) {
        getter.begin_pattern();

        const bool found = visitor.visit(
            pattern, [&](const ll::EntryView& entry, bool named) { getter.entry(entry, named); });

        if (found && getter.only_dirs() && !selection.recursive)
            report.failure(pattern, EISDIR,
                           "param_path '" + std::string(pattern) + "': " + ll::errno_text(EISDIR) +
                               "; -R reads everything below it");
    }
    output->end();
    return report.status();
}

int run_get_param(Context& context, const Arguments& arguments)
{
    if (arguments.has("perm"))
        return get_permanent(context, arguments);
    if (arguments.operands.empty())
        return usage_error(context, arguments, "needs a PATTERN");

    const auto selection = parse_selection(context, arguments, {});

    if (!selection)
        return usage_error(context, arguments, selection.error());
    return get(context, arguments, *selection);
}

}  // namespace

const Command get_param_command = {
    .name = "get_param",
    .group = "parameters",
    .operands = "PATTERN...",
    .summary = "print the values of parameters",
    .help =
        "A PATTERN is a name, osc.fs-OST0000.state, in which * ? [set] [!set] {a,b} stand\n"
        "for parts of one component and ** for any number of components. A dot within a\n"
        "component is written \\. or in quotes.\n"
        "Parameters whose read has side effects are read only when named explicitly, not\n"
        "through a trailing glob. -P prints the settings of the management service of this\n"
        "node, and those that the node follows (default: all of them).\n",
    .options = kOptions,
    .complete = Complete::Param,
    .run = run_get_param,
};

}  // namespace lctl
