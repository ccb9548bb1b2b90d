// SPDX-License-Identifier: GPL-2.0
/*
 * llog_cancel: take a record of a config log back.
 */
#include <cerrno>
#include <optional>

#include <fmt/format.h>

#include "lctl/commands/commands.hpp"
#include "lctl/commands/log_operand.hpp"
#include "lctl/context.hpp"
#include "lib/log_cancel.hpp"
#include "lib/mgs.hpp"

namespace lctl {

namespace {

/* --log_idx=N, or the operand behind FILE; empty when there is none, or both. */
std::optional<std::string_view> which_record(const Arguments& arguments)
{
    const Given* const given = arguments.find("log_idx");
    const bool positional = arguments.operands.size() == 2;

    if ((given != nullptr) == positional)
        return std::nullopt;
    return positional ? arguments.operands[1] : given->argument;
}

/* A file, which nobody has open. */
ll::Result<std::uint32_t> cancel_in_file(const std::string& path, std::uint32_t index)
{
    auto bytes = ll::open_log_bytes(path, ll::LogAccess::Change);

    if (!bytes)
        return tl::unexpected(bytes.error());

    auto log = ll::LogFile::open(std::move(*bytes));

    if (!log)
        return tl::unexpected(log.error());
    return ll::cancel_record(*log, index);
}

/* A log of the service, which does it and tells who follows the log. */
ll::Result<std::uint32_t> cancel_in_service(Context& context, const LogName& name,
                                            std::uint32_t index)
{
    // Also where no service is, in words.
    if (const auto before = open_log(context, name); !before)
        return tl::unexpected(before.error());

    const auto changed =
        ll::mgs_change((*context.params())->port(),
                       {.op = MGS_CANCEL_RECORD, .args = {name.name}, .index = index});

    if (!changed)
        return tl::unexpected(changed.error());

    const auto log = open_log_file(context, name);

    if (!log)
        return tl::unexpected(log.error());
    return log->head().count;
}

/* Return: the live records that are left */
ll::Result<std::uint32_t> cancel(Context& context, const LogName& name, std::uint32_t index)
{
    return name.of_service ? cancel_in_service(context, name, index)
                           : cancel_in_file(name.path, index);
}

int run_llog_cancel(Context& context, const Arguments& arguments)
{
    const std::optional<std::string_view> text = which_record(arguments);

    if (arguments.operands.empty() || arguments.operands.size() > 2 || !text)
        return usage_error(context, arguments, "needs a LOG or a FILE and the index of one record");

    const auto index = log_index(*text);

    if (!index)
        return context.error(arguments.command, index.error());

    const auto logs = find_logs(arguments.operands[0]);

    if (!logs)
        return context.error(arguments.command, logs.error());

    const std::string path(arguments.operands[0]);

    if (is_log_folder(path))
        return context.error(arguments.command, ll::make_error(EISDIR, path));

    const auto count = cancel(context, logs->front(), *index);

    if (!count)
        return context.error(arguments.command, count.error());
    if (!arguments.has("json")) {
        context.out.put(fmt::format("{}: record {} is cancelled\n", path, *index));
        return 0;
    }
    JsonLines lines(context.out);
    ll::JsonObject object(lines.begin());

    object.text("log", path);
    object.number("index", *index);
    object.boolean("cancelled", true);
    object.number("records_count", *count);
    object.close();
    lines.end();
    return 0;
}

constexpr Option llog_cancel_options[] = {
    {.name = "log_idx", .argument = "N", .help = "index of the record"},
    {.name = "json", .help = "print an array with an object for the record"},
};

}  // namespace

const Command llog_cancel_command = {
    .name = "llog_cancel",
    .group = "config logs",
    .operands = "LOG|FILE [N]",
    .summary = "cancel a record of a config log",
    .help =
        "The record stays in the log, and readers skip it. A LOG belongs to the management\n"
        "service of this node; nodes that follow it undo the record. A FILE must not be in\n"
        "use.\n",
    .options = llog_cancel_options,
    .complete = Complete::Log,
    .run = run_llog_cancel,
};

}  // namespace lctl
