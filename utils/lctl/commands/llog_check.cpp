// SPDX-License-Identifier: GPL-2.0
/*
 * llog_check: whether logs are whole.
 */
#include <cerrno>

#include <fmt/format.h>

#include "lctl/commands/commands.hpp"
#include "lctl/commands/log_operand.hpp"
#include "lctl/context.hpp"
#include "lib/log_check.hpp"

namespace lctl {

namespace {

void add_json_findings(ll::JsonObject& object, std::string& out, const ll::LogCheck& check)
{
    bool first = true;

    object.key("findings");
    out += '[';
    for (const ll::LogFinding& finding : check.findings) {
        out += first ? "" : ", ";
        first = false;

        ll::JsonObject inner(out);
        inner.number("offset", finding.offset);
        inner.number("index", finding.index);
        inner.text("what", finding.what);
        inner.close();
    }
    out += ']';
}

void put_check(Context& context, const LogName& name, const ll::LogCheck& check)
{
    for (const ll::LogFinding& finding : check.findings)
        context.out.put(fmt::format("{}: {}\n", name.path, ll::finding_text(finding)));
    context.out.put(fmt::format("{}: {} records, {} findings\n", name.path, check.records,
                                check.findings.size()));
}

int check_one(Context& context, const Arguments& arguments, const LogName& name, ll::LogRange range,
              JsonLines* json)
{
    auto log = open_log_file(context, name, true);

    if (!log)
        return context.error(arguments.command, log.error());

    const auto check = ll::check_log(*log, range);

    if (!check)
        return context.error(arguments.command, check.error());
    if (json != nullptr) {
        ll::JsonObject object(json->begin());

        object.text("log", name.path);
        object.number("records", check->records);
        object.boolean("clean", check->findings.empty());
        add_json_findings(object, context.out.text(), *check);
        object.close();
    } else {
        put_check(context, name, *check);
    }
    return check->findings.empty() ? 0 : EBADMSG;
}

int run_llog_check(Context& context, const Arguments& arguments)
{
    if (arguments.operands.empty())
        return usage_error(context, arguments, "needs a LOG, a FILE or a DIRECTORY");

    const auto range = log_range(arguments);

    if (!range)
        return context.error(arguments.command, range.error());

    JsonLines lines(context.out);
    JsonLines* const json = arguments.has("json") ? &lines : nullptr;
    int status = 0;

    for (const std::string_view operand : arguments.operands) {
        const int code = for_each_log(context, arguments, operand, [&](const LogName& log) {
            return check_one(context, arguments, log, *range, json);
        });

        if (status == 0)
            status = code;
    }
    if (json != nullptr)
        json->end();
    return status;
}

constexpr Option llog_check_options[] = {
    {.name = "start", .argument = "N", .help = "print faults from record N on"},
    {.name = "end", .argument = "N", .help = "print faults up to record N"},
    {.name = "json", .help = "print an array with an object for each log"},
};

}  // namespace

const Command llog_check_command = {
    .name = "llog_check",
    .group = "config logs",
    .operands = "LOG|FILE|DIRECTORY...",
    .summary = "verify config logs",
    .help =
        "Prints one line for each fault, and a summary for each log. The exit status is 0 if\n"
        "there are no faults. A LOG belongs to the management service of this node.\n",
    .options = llog_check_options,
    .complete = Complete::Log,
    .run = run_llog_check,
};

}  // namespace lctl
