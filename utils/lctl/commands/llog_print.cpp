// SPDX-License-Identifier: GPL-2.0
/*
 * llog_print: what the records of config logs say.
 */
#include <cerrno>

#include "lctl/commands/commands.hpp"
#include "lctl/commands/log_operand.hpp"
#include "lctl/context.hpp"
#include "lib/log_file.hpp"
#include "lib/log_text.hpp"

namespace lctl {

namespace {

class LogPrinter {
public:
    LogPrinter(Context& context, const Arguments& arguments, ll::LogRange range)
        : context_(context),
          command_(arguments.command),
          range_(range),
          raw_(arguments.has("raw")),
          json_(arguments.has("json")),
          lines_(context.out)
    {
    }

    int print(const LogName& name)
    {
        auto log = open_log_file(context_, name);

        if (!log)
            return context_.error(command_, log.error());
        return records(*log, name.path);
    }

    void end()
    {
        if (json_)
            lines_.end();
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
        if (json_) {
            ll::JsonObject object(lines_.begin());

            object.text("log", path);
            ll::add_json_record(object, context_.out.text(), config);
            object.close();
        } else {
            ll::append_print_record(context_.out.text(), config);
        }
        context_.out.spill();
        if (config.why == nullptr)
            return 0;
        return context_.error(
            command_, path + ": record " + std::to_string(config.record->index) + ": " + config.why,
            EBADMSG);
    }

    int fault(const std::string& path, const llog_fault& fault)
    {
        if (fault.what == nullptr)
            return 0;
        if (json_) {
            ll::JsonObject object(lines_.begin());

            object.text("log", path);
            ll::add_json_fault(object, context_.out.text(), fault);
            object.close();
        }
        return context_.error(command_, path + ": " + ll::fault_text(fault), EBADMSG);
    }

    Context& context_;
    std::string_view command_;
    ll::LogRange range_;
    bool raw_;
    bool json_;
    JsonLines lines_;
};

int run_llog_print(Context& context, const Arguments& arguments)
{
    if (arguments.operands.empty())
        return usage_error(context, arguments, "needs a LOG, a FILE or a DIRECTORY");

    const auto range = log_range(arguments);

    if (!range)
        return context.error(arguments.command, range.error());

    LogPrinter printer(context, arguments, *range);
    const bool one = arguments.operands.size() == 1 && !is_log_folder(arguments.operands[0]);
    int status = 0;

    for (const std::string_view operand : arguments.operands) {
        const int code = for_each_log(context, arguments, operand, [&](const LogName& log) {
            if (!one && !arguments.has("json"))
                context.out.put("config_log: " + log.name + "\n");
            return printer.print(log);
        });

        if (status == 0)
            status = code;
    }
    printer.end();
    return status;
}

constexpr Option llog_print_options[] = {
    {.name = "start", .argument = "N", .help = "start with record N"},
    {.name = "end", .argument = "N", .help = "end with record N"},
    {.letter = 'r', .name = "raw", .help = "include markers, superseded and cancelled records"},
    {.name = "json", .help = "print an array with an object for each record"},
};

}  // namespace

const Command llog_print_command = {
    .name = "llog_print",
    .group = "config logs",
    .operands = "LOG|FILE|DIRECTORY...",
    .summary = "print the records of config logs",
    .help =
        "Prints each record as a YAML map. A LOG belongs to the management service of this\n"
        "node.\n",
    .options = llog_print_options,
    .complete = Complete::Log,
    .run = run_llog_print,
};

}  // namespace lctl
