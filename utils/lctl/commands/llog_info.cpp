// SPDX-License-Identifier: GPL-2.0
/*
 * llog_catlist, llog_info: which logs there are, and what their headers say.
 */
#include <cerrno>

#include <fmt/format.h>

#include "lctl/commands/commands.hpp"
#include "lctl/commands/log_operand.hpp"
#include "lctl/context.hpp"
#include "lib/log_file.hpp"
#include "lib/log_text.hpp"

namespace lctl {

namespace {

/* A line or an object for each log. */
class CatalogPrinter {
public:
    CatalogPrinter(Context& context, bool json)
        : out_(context.out), lines_(context.out), json_(json)
    {
    }

    void put(const LogName& log)
    {
        if (!json_)
            return put_name(log.name);

        ll::JsonObject object(lines_.begin());

        object.text("config_log", log.name);
        object.text("path", log.path);
        object.close();
    }

    void put(const ll::MgsLog& log)
    {
        if (!json_)
            return put_name(log.name);

        ll::JsonObject object(lines_.begin());

        object.text("config_log", log.name);
        object.number("born", log.born);
        object.number("generation", log.generation);
        object.number("size", log.size);
        object.number("records", log.records);
        object.number("last_index", log.last_index);
        object.close();
    }

    void end()
    {
        if (json_)
            lines_.end();
    }

private:
    void put_name(const std::string& name) { out_.put("config_log: " + name + "\n"); }

    Writer& out_;
    JsonLines lines_;
    bool json_;
};

int list_service_logs(Context& context, const Arguments& arguments, CatalogPrinter& printer)
{
    const auto logs = service_logs(context);

    if (!logs && logs.error().code == ENODEV)
        return context.error(arguments.command,
                             "no management service runs on this node; use a DIRECTORY of logs",
                             ENODEV);
    if (!logs)
        return context.error(arguments.command, logs.error());
    for (const ll::MgsLog& log : *logs)
        printer.put(log);
    return 0;
}

int run_llog_catlist(Context& context, const Arguments& arguments)
{
    CatalogPrinter printer(context, arguments.has("json"));
    int status = 0;

    if (arguments.operands.size() > 1)
        return usage_error(context, arguments, "takes one DIRECTORY");
    if (arguments.operands.empty())
        status = list_service_logs(context, arguments, printer);
    else
        status = for_each_log(context, arguments, arguments.operands[0], [&](const LogName& log) {
            if (log.of_service)
                return context.error(arguments.command, ll::make_error(ENOENT, log.path));
            printer.put(log);
            return 0;
        });
    printer.end();
    return status;
}

/* What is no file has no id. */
void put_info(Writer& out, const ll::LogFile& log, bool has_id)
{
    const llog_head& head = log.head();

    if (has_id)
        out.put("logid:            " + ll::log_id_text(log.id()) + "\n");
    out.put(
        fmt::format("flags:            {}\n"
                    "records_count:    {}\n"
                    "last_index:       {}\n",
                    ll::log_flags_text(head.flags), head.count, head.last_index));
}

int print_info(Context& context, const Arguments& arguments, const LogName& name, JsonLines* json)
{
    auto log = open_log_file(context, name);

    if (!log)
        return context.error(arguments.command, log.error());
    if (json != nullptr) {
        ll::JsonObject object(json->begin());

        object.text("log", name.path);
        if (!name.of_service)
            object.text("logid", ll::log_id_text(log->id()));
        ll::add_json_head(object, context.out.text(), log->head());
        object.close();
    } else {
        put_info(context.out, *log, !name.of_service);
    }
    if (log->head_fault().what == nullptr)
        return 0;
    return context.error(arguments.command, name.path + ": " + ll::fault_text(log->head_fault()),
                         EBADMSG);
}

int run_llog_info(Context& context, const Arguments& arguments)
{
    if (arguments.operands.empty())
        return usage_error(context, arguments, "needs a LOG, a FILE or a DIRECTORY");

    const bool json = arguments.has("json");
    const bool one = arguments.operands.size() == 1 && !is_log_folder(arguments.operands[0]);
    JsonLines lines(context.out);
    int status = 0;

    for (const std::string_view operand : arguments.operands) {
        const int code = for_each_log(context, arguments, operand, [&](const LogName& log) {
            if (!one && !json)
                context.out.put("config_log: " + log.name + "\n");
            return print_info(context, arguments, log, json ? &lines : nullptr);
        });

        if (status == 0)
            status = code;
    }
    if (json)
        lines.end();
    return status;
}

constexpr Option json_option[] = {
    {.name = "json", .help = "print an array with an object for each log"},
};

}  // namespace

const Command llog_catlist_command = {
    .name = "llog_catlist",
    .group = "config logs",
    .operands = "[DIRECTORY]",
    .summary = "list config logs",
    .help = "Lists the logs in DIRECTORY (default: of the management service of this node).\n",
    .options = json_option,
    .complete = Complete::File,
    .run = run_llog_catlist,
};

const Command llog_info_command = {
    .name = "llog_info",
    .group = "config logs",
    .operands = "LOG|FILE|DIRECTORY...",
    .summary = "print the headers of config logs",
    .help = "A LOG belongs to the management service of this node.\n",
    .options = json_option,
    .complete = Complete::Log,
    .run = run_llog_info,
};

}  // namespace lctl
