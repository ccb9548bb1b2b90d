// SPDX-License-Identifier: GPL-2.0-only
/*
 * get_param: the values of what matches patterns.
 */
#include <algorithm>
#include <array>
#include <cerrno>
#include <set>
#include <string>
#include <vector>

#include "lctl/commands/commands.hpp"
#include "lctl/commands/selection.hpp"
#include "lctl/output/printer.hpp"
#include "lib/mgs_settings.hpp"
#include "lib/pathspec.hpp"

namespace lctl {

namespace {

using namespace options;

constexpr Option kPermanent = {
    .letter = 'P',
    .name = "perm",
    .help = "print permanent settings and their origin",
};

constexpr Option kOptions[] = {
    kFoldDevices, kColor,     kClassify, kHeader,   kLinks,     kNoLinks,
    kMerge,       kNoMerge,   kNoName,   kOnlyName, kModule,    kPath,
    kReadable,    kRecursive, kTunable,  kWritable, kPermanent, kNull,
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
    const auto output = make_output(selection.style, context);
    Report report(context, arguments.command, *output);
    PatternVisitor visitor(context.tree(), selection, report);
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

/* get_param -P: permanent settings, and where from. */
constexpr std::array kTogether = {"perm", "no-name", "only-name", "null"};

/* An error text; empty if there is none. */
std::string check_options(const Arguments& arguments)
{
    for (const Given& given : arguments.options)
        if (std::ranges::none_of(kTogether, [&](const char* name) { return given.is(name); }))
            return std::string("--") + given.option->name + " and -P exclude each other";
    return {};
}

/* An operand, and whether a setting was what it means. */
struct Wanted {
    std::string_view text;
    ll::PathSpec spec;
    bool found = false;
};

/*
 * Does a name mean the setting: the setting's own pattern, a glob over such
 * patterns, or the name of a parameter that the pattern sets?
 */
bool is_meant(const Wanted& wanted, const std::string& pattern)
{
    const auto spec = ll::PathSpec::parse(pattern);

    if (!spec)
        return wanted.text == pattern;
    return relate(wanted.spec, spec->raw()) == Relation::Match ||
           relate(*spec, wanted.spec.raw()) == Relation::Match;
}

bool is_meant(std::vector<Wanted>& all, const ll::PermanentSetting& setting)
{
    bool meant = all.empty();

    for (Wanted& wanted : all) {
        if (!is_meant(wanted, setting.name) && !is_meant(wanted, setting.display()))
            continue;
        wanted.found = true;
        meant = true;
    }
    return meant;
}

Json members_of(const ll::PermanentSetting& setting)
{
    Json members = {{"name", setting.display()},
                    {"value", setting.value},
                    {"log", setting.log},
                    {"owner", setting.owner},
                    {"source", setting.source}};

    if (setting.since)
        members["since"] = *setting.since;
    if (setting.record)
        members["record"] = *setting.record;
    if (setting.matched)
        members["matched"] = *setting.matched;
    if (setting.refused)
        members["refused"] = *setting.refused;
    if (!setting.why.empty())
        members["why"] = setting.why;
    return members;
}

/* A line for each; what the service and a client both tell of is one. */
void print_text(Context& context, const Arguments& arguments,
                const std::vector<const ll::PermanentSetting*>& settings)
{
    const char end = arguments.has("null") ? '\0' : '\n';
    std::set<std::string> seen;

    for (const ll::PermanentSetting* const setting : settings) {
        const std::string name = setting->display();
        std::string line = name + "=" + setting->value;

        if (!seen.insert(setting->owner + " " + line).second)
            continue;
        if (arguments.has("only-name"))
            line = name;
        else if (arguments.has("no-name"))
            line = setting->value;
        context.out.put(line + end);
    }
}

/* What there is not. */
int report(Context& context, const Arguments& arguments, const ll::PermanentSettings& all,
           const std::vector<Wanted>& wanted)
{
    int status = 0;

    if (all.sources == 0)
        return context.error(arguments.command,
                             "neither a management service nor a management client runs here; this "
                             "node has no permanent settings",
                             ENOENT);
    for (const Wanted& one : wanted)
        if (!one.found)
            status = context.error(arguments.command,
                                   "no permanent setting matches '" + std::string(one.text) + "'",
                                   ENOENT);
    if (wanted.empty() && all.settings.empty())
        status = context.error(arguments.command, "there are no permanent settings", ENOENT);
    return status;
}

int get_permanent(Context& context, const Arguments& arguments)
{
    const std::string why = check_options(arguments);
    std::vector<Wanted> wanted;

    if (!why.empty())
        return usage_error(context, arguments, why);
    for (const std::string_view operand : arguments.operands) {
        auto spec = ll::PathSpec::parse(operand);

        if (!spec)
            return context.error(arguments.command, spec.error());
        wanted.push_back({operand, std::move(*spec)});
    }

    const auto all = ll::permanent_settings(context.tree());

    if (!all)
        return context.error(arguments.command, all.error());

    std::vector<const ll::PermanentSetting*> meant;

    for (const ll::PermanentSetting& setting : all->settings)
        if (is_meant(wanted, setting))
            meant.push_back(&setting);
    context.printer().use_key("permanent");
    if (context.is_text())
        print_text(context, arguments, meant);
    for (const ll::PermanentSetting* const setting : meant)
        if (!context.is_text())
            context.printer().item(members_of(*setting));
    return report(context, arguments, *all, wanted);
}

int run_get_param(Context& context, const Arguments& arguments)
{
    if (arguments.has("perm"))
        return get_permanent(context, arguments);
    if (arguments.operands.empty())
        return usage_error(context, arguments, "missing operand PATTERN");

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
    .takes = {0, kMany},  // none: with -P
    .summary = "print the values of parameters",
    .help =
        "A PATTERN is a name, osc.fs-OST0000.state, in which * ? [set] [!set] {a,b} stand\n"
        "for parts of one component and ** for any number of components. A dot within a\n"
        "component is written \\. or in quotes.\n"
        "Parameters whose read has side effects are read only when named explicitly, not\n"
        "through a trailing glob. -P prints the settings of the management service of this\n"
        "node, and those that the node follows (default: all of them).\n",
    .options = kOptions,
    .needs = Needs::Kernel,
    .prints = Prints::Array,
    .complete = Complete::Param,
    .run = run_get_param,
};

}  // namespace lctl
