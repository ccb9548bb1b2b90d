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

int run_llog_catlist(Context& context, const Arguments& arguments)
{
    if (arguments.operands.size() > 1)
        return usage_error(context, arguments, "takes one FOLDER");

    const bool json = arguments.has("json");
    JsonLines lines(context.out);
    const std::string_view folder = arguments.operands.empty() ? "." : arguments.operands[0];
    const int status = for_each_log(context, arguments, folder, [&](const LogName& log) {
        if (!json) {
            context.out.put("config_log: " + log.name + "\n");
            return 0;
        }
        ll::JsonObject object(lines.begin());

        object.text("config_log", log.name);
        object.text("path", log.path);
        object.close();
        return 0;
    });

    if (json)
        lines.end();
    return status;
}

void put_info(Writer& out, const ll::LogFile& log)
{
    const llog_head& head = log.head();

    out.put(fmt::format(
        "logid:            {}\n"
        "flags:            {}\n"
        "records_count:    {}\n"
        "last_index:       {}\n",
        ll::log_id_text(log.id()), ll::log_flags_text(head.flags), head.count, head.last_index));
}

int print_info(Context& context, const Arguments& arguments, const LogName& name, JsonLines* json)
{
    auto log = ll::LogFile::open(name.path);

    if (!log)
        return context.error(arguments.command, log.error());
    if (json != nullptr) {
        ll::JsonObject object(json->begin());

        object.text("log", name.path);
        object.text("logid", ll::log_id_text(log->id()));
        ll::add_json_head(object, context.out.text(), log->head());
        object.close();
    } else {
        put_info(context.out, *log);
    }
    if (log->head_fault().what == nullptr)
        return 0;
    return context.error(arguments.command, name.path + ": " + ll::fault_text(log->head_fault()),
                         EBADMSG);
}

int run_llog_info(Context& context, const Arguments& arguments)
{
    if (arguments.operands.empty())
        return usage_error(context, arguments, "needs a FILE or a FOLDER");

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
    .operands = "[FOLDER]",
    .summary = "list the config logs in a folder",
    .help = "Without a FOLDER: the current one.\n",
    .options = json_option,
    .complete = Complete::File,
    .run = run_llog_catlist,
};

const Command llog_info_command = {
    .name = "llog_info",
    .group = "config logs",
    .operands = "FILE|FOLDER...",
    .summary = "print what the headers of config logs say",
    .options = json_option,
    .complete = Complete::File,
    .run = run_llog_info,
};

}  // namespace lctl
