// SPDX-License-Identifier: GPL-2.0
#include "lctl/commands/permanent.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>
#include <string>
#include <vector>

#include "lctl/commands/path_match.hpp"
#include "lctl/commands/record_list.hpp"
#include "lib/mgs_settings.hpp"
#include "lib/pathspec.hpp"

namespace lctl {

namespace {

constexpr std::array kTogether = {"perm", "no-name", "only-name", "yaml", "json", "null"};

/* Words that say what is wrong, or nothing. */
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

Record record_of(const ll::PermanentSetting& setting)
{
    Record record;

    record.text("name", setting.display())
        .text("value", setting.value)
        .text("log", setting.log)
        .text("owner", setting.owner)
        .text("source", setting.source);
    if (setting.since)
        record.number("since", static_cast<std::uint64_t>(*setting.since));
    if (setting.record)
        record.number("record", *setting.record);
    if (setting.matched)
        record.number("matched", *setting.matched);
    if (setting.refused)
        record.number("refused", *setting.refused);
    if (!setting.why.empty())
        record.text("why", setting.why);
    return record;
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

void print(Context& context, const Arguments& arguments, ListFormat format,
           const std::vector<const ll::PermanentSetting*>& settings)
{
    std::vector<Record> records;

    if (format == ListFormat::Text)
        return print_text(context, arguments, settings);
    records.reserve(settings.size());
    for (const ll::PermanentSetting* const setting : settings)
        records.push_back(record_of(*setting));
    if (format == ListFormat::Json)
        print_json(context.out, records);
    else
        print_yaml(context.out, "permanent", records);
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

}  // namespace

int get_permanent(Context& context, const Arguments& arguments)
{
    ListFormat format = ListFormat::Text;
    std::string why = check_options(arguments);
    std::vector<Wanted> wanted;

    if (why.empty())
        why = parse_list_format(arguments, format);
    if (!why.empty())
        return usage_error(context, arguments, why);
    for (const std::string_view operand : arguments.operands) {
        auto spec = ll::PathSpec::parse(operand);

        if (!spec)
            return context.error(arguments.command, spec.error());
        wanted.push_back({operand, std::move(*spec)});
    }

    const auto params = context.params();

    if (!params)
        return context.error(arguments.command, params.error());

    const auto all = ll::permanent_settings(**params);

    if (!all)
        return context.error(arguments.command, all.error());

    std::vector<const ll::PermanentSetting*> meant;

    for (const ll::PermanentSetting& setting : all->settings)
        if (is_meant(wanted, setting))
            meant.push_back(&setting);
    print(context, arguments, format, meant);
    return report(context, arguments, *all, wanted);
}

}  // namespace lctl
