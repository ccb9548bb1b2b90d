// SPDX-License-Identifier: GPL-2.0-only
/*
 * Config logs: listing them, printing headers and records, checking for damage, and
 * cancelling a record.
 */
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "lctl/commands/commands.hpp"
#include "lctl/commands/log_operand.hpp"
#include "lctl/context.hpp"
#include "lctl/output/printer.hpp"
#include "lib/json_object.hpp"
#include "lib/log_cancel.hpp"
#include "lib/log_check.hpp"
#include "lib/log_file.hpp"
#include "lib/log_section.hpp"
#include "lib/log_text.hpp"
#include "lib/mgs.hpp"

namespace lctl {

namespace {

/* `each` with every log of every operand. Return: 0 or the errno of the first error */
template <typename Each>
int for_all_logs(Context& context, const Arguments& arguments, Each each)
{
    int status = 0;

    for (const std::string_view operand : arguments.operands)
        if (const int code = for_each_log(context, arguments, operand, each); status == 0)
            status = code;
    return status;
}

/* In text, logs of a directory or of several operands have a heading. */
bool wants_heading(const Context& context, const Arguments& arguments)
{
    return context.is_text() &&
           (arguments.operands.size() != 1 || is_log_directory(arguments.operands[0]));
}

/* llog_catlist */

void put_log(Context& context, const LogName& log)
{
    if (context.is_text())
        context.out.put("config_log: " + log.name + "\n");
    else
        context.printer().item({{"config_log", log.name}, {"path", log.path}});
}

void put_log(Context& context, const ll::MgsLog& log)
{
    if (context.is_text())
        context.out.put("config_log: " + log.name + "\n");
    else
        context.printer().item({{"config_log", log.name},
                                {"born", log.epoch},
                                {"generation", log.generation},
                                {"size", log.size},
                                {"records", log.records},
                                {"last_index", log.last_index}});
}

int list_service_logs(Context& context, const Arguments& arguments)
{
    const auto logs = service_logs(context);

    if (!logs && logs.error().code == ENODEV)
        return context.error(arguments.command,
                             "no management service runs on this node; use a DIRECTORY of logs",
                             ENODEV);
    if (!logs)
        return context.error(arguments.command, logs.error());
    for (const ll::MgsLog& log : *logs)
        put_log(context, log);
    return 0;
}

int run_llog_catlist(Context& context, const Arguments& arguments)
{
    if (arguments.operands.empty())
        return list_service_logs(context, arguments);
    return for_all_logs(context, arguments, [&](const LogName& log) {
        if (log.of_service)
            return context.error(arguments.command, ll::make_error(ENOENT, log.path));
        put_log(context, log);
        return 0;
    });
}

/* llog_info */

/* Only logs in files have an id. */
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

int print_info(Context& context, const Arguments& arguments, const LogName& name)
{
    auto log = open_log_file(context, name);

    if (!log)
        return context.error(arguments.command, log.error());
    if (context.is_text()) {
        put_info(context.out, *log, !name.of_service);
    } else {
        std::string& out = context.printer().begin();
        ll::JsonObject object(out);

        object.text("log", name.path);
        if (!name.of_service)
            object.text("logid", ll::log_id_text(log->id()));
        ll::add_json_head(object, out, log->head());
        object.close();
        context.printer().finish();
    }
    if (log->head_fault().what == nullptr)
        return 0;
    return context.error(arguments.command, name.path + ": " + ll::fault_text(log->head_fault()),
                         EBADMSG);
}

int run_llog_info(Context& context, const Arguments& arguments)
{
    const bool heading = wants_heading(context, arguments);

    return for_all_logs(context, arguments, [&](const LogName& log) {
        if (heading)
            context.out.put("config_log: " + log.name + "\n");
        return print_info(context, arguments, log);
    });
}

/* llog_print */

class LogPrinter {
public:
    LogPrinter(Context& context, const Arguments& arguments, ll::LogRange range)
        : context_(context), command_(arguments.command), range_(range), raw_(arguments.has("raw"))
    {
    }

    int print(const LogName& name)
    {
        auto log = open_log_file(context_, name);

        if (!log)
            return context_.error(command_, log.error());
        return records(*log, name.path);
    }

private:
    int records(ll::LogFile& log, const std::string& path)
    {
        ll::LogSections sections;
        int status = fault(path, log.head_fault());

        const ll::Status walked = log.walk([&](const ll::LogItem& item) {
            const int code = item.fault != nullptr ? fault(path, *item.fault)
                                                   : record(path, sections.take(*item.record));

            if (status == 0)
                status = code;
            return item.record == nullptr || item.record->index < range_.last;
        });
        if (!walked)
            return context_.error(command_, walked.error());
        return status;
    }

    bool is_hidden(const ll::ConfigRecord& config) const
    {
        const llog_record& record = *config.record;

        if (!range_.has(record.index) || record.type == LLOG_PAD_MAGIC)
            return true;
        return !raw_ && (!record.live || config.is_marker || config.skipped);
    }

    int record(const std::string& path, const ll::ConfigRecord& config)
    {
        if (is_hidden(config))
            return 0;
        if (context_.is_text()) {
            ll::append_print_record(context_.out.text(), config);
            context_.out.spill();
        } else {
            put_object(path, ll::add_json_record, config);
        }
        if (config.why == nullptr)
            return 0;
        context_.complain(command_, path + ": record " + std::to_string(config.record->index) +
                                        ": " + config.why);
        return EBADMSG;
    }

    int fault(const std::string& path, const llog_fault& fault)
    {
        if (fault.what == nullptr)
            return 0;
        if (!context_.is_text())
            put_object(path, ll::add_json_fault, fault);
        context_.complain(command_, path + ": " + ll::fault_text(fault));
        return EBADMSG;
    }

    template <class What>
    void put_object(const std::string& path,
                    void (*add)(ll::JsonObject& object, std::string& out, const What& what),
                    const What& what)
    {
        std::string& out = context_.printer().begin();
        ll::JsonObject object(out);

        object.text("log", path);
        add(object, out, what);
        object.close();
        context_.printer().finish();
    }

    Context& context_;
    std::string_view command_;
    ll::LogRange range_;
    bool raw_;
};

int run_llog_print(Context& context, const Arguments& arguments)
{
    const auto range = log_range(arguments);

    if (!range)
        return context.error(arguments.command, range.error());

    LogPrinter printer(context, arguments, *range);
    const bool heading = wants_heading(context, arguments);

    return for_all_logs(context, arguments, [&](const LogName& log) {
        if (heading)
            context.out.put("config_log: " + log.name + "\n");
        return printer.print(log);
    });
}

/* llog_check */

Json members_of(const LogName& name, const ll::LogCheck& check)
{
    Json findings = Json::array();

    for (const ll::LogFinding& finding : check.findings)
        findings.push_back(
            {{"offset", finding.offset}, {"index", finding.index}, {"what", finding.what}});
    return {{"log", name.path},
            {"records", check.records},
            {"clean", check.findings.empty()},
            {"findings", findings}};
}

void put_check(Context& context, const LogName& name, const ll::LogCheck& check)
{
    for (const ll::LogFinding& finding : check.findings)
        context.out.put(fmt::format("{}: {}\n", name.path, ll::finding_text(finding)));
    context.out.put(fmt::format("{}: {} records, {} findings\n", name.path, check.records,
                                check.findings.size()));
}

int check_one(Context& context, const Arguments& arguments, const LogName& name, ll::LogRange range)
{
    auto log = open_log_file(context, name, true);

    if (!log)
        return context.error(arguments.command, log.error());

    const auto check = ll::check_log(*log, range);

    if (!check)
        return context.error(arguments.command, check.error());
    if (context.is_text())
        put_check(context, name, *check);
    else
        context.printer().item(members_of(name, *check));
    return check->findings.empty() ? 0 : EBADMSG;
}

int run_llog_check(Context& context, const Arguments& arguments)
{
    const auto range = log_range(arguments);

    if (!range)
        return context.error(arguments.command, range.error());
    return for_all_logs(context, arguments, [&](const LogName& log) {
        return check_one(context, arguments, log, *range);
    });
}

/* llog_cancel */

/* --log_idx=N, or the operand after FILE; empty if neither or both are given. */
std::optional<std::string_view> which_record(const Arguments& arguments)
{
    const Given* const given = arguments.find("log_idx");
    const bool positional = arguments.operands.size() == 2;

    if ((given != nullptr) == positional)
        return std::nullopt;
    return positional ? arguments.operands[1] : given->argument;
}

/* A log in a file that is not open elsewhere. */
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

/* A log of the service, which cancels the record and notifies the nodes. */
ll::Result<std::uint32_t> cancel_in_service(Context& context, const LogName& name,
                                            std::uint32_t index)
{
    // Without a service too, the error has a text.
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

    if (!text)
        return usage_error(context, arguments, "needs the index of one record");

    const auto index = log_index(*text);

    if (!index)
        return context.error(arguments.command, index.error());

    const auto logs = find_logs(arguments.operands[0]);

    if (!logs)
        return context.error(arguments.command, logs.error());

    const std::string path(arguments.operands[0]);

    if (is_log_directory(path))
        return context.error(arguments.command, ll::make_error(EISDIR, path));

    const auto count = cancel(context, logs->front(), *index);

    if (!count)
        return context.error(arguments.command, count.error());
    if (context.is_text())
        context.out.put(fmt::format("{}: record {} is cancelled\n", path, *index));
    else
        context.printer().item(
            {{"log", path}, {"index", *index}, {"cancelled", true}, {"records_count", *count}});
    return 0;
}

constexpr Option kPrintOptions[] = {
    {.name = "start", .argument = "N", .help = "start with record N"},
    {.name = "end", .argument = "N", .help = "end with record N"},
    {.letter = 'r', .name = "raw", .help = "include markers, superseded and cancelled records"},
};
constexpr Option kCheckOptions[] = {
    {.name = "start", .argument = "N", .help = "print faults from record N on"},
    {.name = "end", .argument = "N", .help = "print faults up to record N"},
};
constexpr Option kCancelOptions[] = {
    {.name = "log_idx", .argument = "N", .help = "index of the record"},
};

}  // namespace

const Command llog_catlist_command = {
    .name = "llog_catlist",
    .group = "config logs",
    .operands = "[DIRECTORY]",
    .takes = {0, 1},
    .summary = "list config logs",
    .help = "Lists the logs in DIRECTORY (default: of the management service of this node).\n",
    .prints = Prints::Array,
    .key = "logs",
    .complete = Complete::File,
    .run = run_llog_catlist,
};

const Command llog_info_command = {
    .name = "llog_info",
    .group = "config logs",
    .operands = "LOG|FILE|DIRECTORY...",
    .takes = {1, kMany},
    .summary = "print the headers of config logs",
    .help = "A LOG belongs to the management service of this node.\n",
    .prints = Prints::Array,
    .key = "logs",
    .complete = Complete::Log,
    .run = run_llog_info,
};

const Command llog_print_command = {
    .name = "llog_print",
    .group = "config logs",
    .operands = "LOG|FILE|DIRECTORY...",
    .takes = {1, kMany},
    .summary = "print the records of config logs",
    .help =
        "Prints each record as a YAML map. A LOG belongs to the management service of this\n"
        "node.\n",
    .options = kPrintOptions,
    .prints = Prints::Array,
    .key = "records",
    .complete = Complete::Log,
    .run = run_llog_print,
};

const Command llog_check_command = {
    .name = "llog_check",
    .group = "config logs",
    .operands = "LOG|FILE|DIRECTORY...",
    .takes = {1, kMany},
    .summary = "verify config logs",
    .help =
        "Prints one line for each fault, and a summary for each log. The exit status is 0 if\n"
        "there are no faults. A LOG belongs to the management service of this node.\n",
    .options = kCheckOptions,
    .prints = Prints::Array,
    .key = "logs",
    .complete = Complete::Log,
    .run = run_llog_check,
};

const Command llog_cancel_command = {
    .name = "llog_cancel",
    .group = "config logs",
    .operands = "LOG|FILE [N]",
    .takes = {1, 2},
    .summary = "cancel a record of a config log",
    .help =
        "The record stays in the log, and readers skip it. A LOG belongs to the management\n"
        "service of this node; nodes that follow it undo the record. A FILE must not be in\n"
        "use.\n",
    .options = kCancelOptions,
    .prints = Prints::Array,
    .key = "records",
    .complete = Complete::Log,
    .run = run_llog_cancel,
};

}  // namespace lctl
