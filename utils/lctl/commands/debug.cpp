// SPDX-License-Identifier: GPL-2.0
/*
 * Commands of the debug log.
 */
#include <cerrno>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lctl/commands/commands.hpp"
#include "lctl/commands/debug_log.hpp"
#include "lctl/commands/debug_record.hpp"
#include "lctl/commands/file_output.hpp"
#include "lctl/commands/read_file.hpp"
#include "lctl/context.hpp"
#include "lib/value_text.hpp"

namespace lctl {

namespace {

constexpr mode_t log_file_mode = 0600;  // a log may tell what others should not know

void append_json_record(const DebugRecord& record, std::string& out)
{
    fmt::format_to(std::back_inserter(out),
                   "{{\"subsystem\":{},\"level\":{},\"cpu\":{},\"sequence\":{},\"time\":{}.{:09},"
                   "\"stack\":{},\"pid\":{},\"line\":{}",
                   record.subsystem, record.level, record.cpu, record.sequence,
                   record.time_ns / 1'000'000'000, record.time_ns % 1'000'000'000, record.stack,
                   record.pid, record.line);
    out += ",\"file\":";
    ll::append_json_string(out, record.file);
    out += ",\"function\":";
    ll::append_json_string(out, record.function);
    out += ",\"text\":";
    ll::append_json_string(out, record.text);
    out += "}\n";
}

/* Records in order of time, as text or JSON. Return: how many were bad. */
struct Printed {
    std::size_t kept = 0;
    std::size_t bad = 0;
};

Printed print_records(const DebugLog& log, bool json, Writer& out)
{
    DebugRecords parsed = parse_debug_records(log.records());

    sort_debug_records(parsed.records);
    for (const DebugRecord& record : parsed.records) {
        if (json)
            append_json_record(record, out.text());
        else
            format_debug_record(record, out.text());
        out.spill();
    }
    return {parsed.records.size(), parsed.bad};
}

void print_totals(const DebugLog& log, const Printed& printed, Writer& out)
{
    out.put(fmt::format("Debug log: {} lines, {} kept, {} dropped, {} bad.\n",
                        printed.kept + printed.bad + log.lost, printed.kept, log.lost,
                        printed.bad));
}

/* Where records go: a file, or standard output without one. */
class Destination {
public:
    ll::Status open(Context& context, std::optional<std::string_view> path)
    {
        stdout_ = &context.out;
        if (!path)
            return {};
        auto file = FileOutput::create(std::string(*path), log_file_mode);
        if (!file)
            return tl::unexpected(file.error());
        file_.emplace(std::move(*file));
        return {};
    }

    Writer& writer() { return file_ ? file_->writer() : *stdout_; }

    ll::Status commit()
    {
        if (file_)
            return file_->commit();
        stdout_->flush();
        if (stdout_->error() != 0)
            return tl::unexpected(ll::make_error(stdout_->error(), "standard output"));
        return {};
    }

private:
    Writer* stdout_ = nullptr;
    std::optional<FileOutput> file_;
};

/* A summary among JSON would be none; it goes beside it. */
Writer& writer_of_totals(Context& context, bool json)
{
    return json ? context.err : context.out;
}

std::optional<std::string_view> operand(const Arguments& arguments, std::size_t which)
{
    if (which >= arguments.operands.size())
        return std::nullopt;
    return arguments.operands[which];
}

ll::Status write_log(Context& context, const DebugLog& log, const Arguments& arguments)
{
    const bool is_raw = arguments.operands.size() > 1;
    const bool json = arguments.has("json");
    Destination destination;

    ll::Status status = destination.open(context, operand(arguments, 0));
    if (!status)
        return status;

    Printed printed;
    if (is_raw) {
        const DebugRecords parsed = parse_debug_records(log.records());
        printed = {parsed.records.size(), parsed.bad};
        destination.writer().put(log.bytes);
    } else {
        printed = print_records(log, json, destination.writer());
    }
    status = destination.commit();
    if (status)
        print_totals(log, printed, writer_of_totals(context, json));
    return status;
}

int run_debug_kernel(Context& context, const Arguments& arguments)
{
    if (arguments.operands.size() > 2)
        return usage_error(context, arguments, "takes a FILE and the word raw");
    if (operand(arguments, 1).value_or("raw") != "raw")
        return usage_error(context, arguments, "only the word raw may follow FILE");

    const auto params = context.params();
    if (!params)
        return context.error(arguments.command, params.error());
    ll::KernelPort& port = (*params)->port();

    const auto log = read_debug_log(port);
    if (!log)
        return context.error(arguments.command, log.error());
    if (const auto written = write_log(context, *log, arguments); !written)
        return context.error(arguments.command, written.error());
    if (arguments.has("keep") || log->bytes.empty())
        return 0;
    if (const auto cleared = clear_debug_log(port, log->cursor); !cleared)
        return context.error(arguments.command, cleared.error());
    return 0;
}

int run_debug_file(Context& context, const Arguments& arguments)
{
    const bool json = arguments.has("json");
    DebugLog log;
    Destination destination;

    if (arguments.operands.empty() || arguments.operands.size() > 2)
        return usage_error(context, arguments, "takes an INPUT and may take an OUTPUT");
    auto bytes = read_file(std::string(arguments.operands[0]));
    if (!bytes)
        return context.error(arguments.command, bytes.error());
    log.bytes = std::move(*bytes);

    if (const auto opened = destination.open(context, operand(arguments, 1)); !opened)
        return context.error(arguments.command, opened.error());
    const Printed printed = print_records(log, json, destination.writer());
    if (const auto written = destination.commit(); !written)
        return context.error(arguments.command, written.error());
    print_totals(log, printed, writer_of_totals(context, json));
    if (printed.bad == 0)
        return 0;
    return context.error(
        arguments.command,
        fmt::format("{}: {} bad records; a file that '{} FILE raw' wrote is wanted",
                    arguments.operands[0], printed.bad, "debug_kernel"),
        EINVAL);
}

int run_clear(Context& context, const Arguments& arguments)
{
    if (!arguments.operands.empty())
        return usage_error(context, arguments, "takes no operands");

    const auto params = context.params();
    if (!params)
        return context.error(arguments.command, params.error());
    if (const auto cleared = clear_debug_log((*params)->port(), 0); !cleared)
        return context.error(arguments.command, cleared.error());
    return 0;
}

/* "Sat Nov 21 09:12:44 2026", in the zone of whoever asks. */
std::string date_and_time()
{
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    char text[64];

    localtime_r(&now, &parts);
    return std::string(text, std::strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", &parts));
}

int run_mark(Context& context, const Arguments& arguments)
{
    const std::string text = arguments.operands.empty()
                                 ? date_and_time()
                                 : fmt::format("{}", fmt::join(arguments.operands, " "));

    const auto params = context.params();
    if (!params)
        return context.error(arguments.command, params.error());
    if (const auto marked = mark_debug_log((*params)->port(), text); !marked)
        return context.error(arguments.command, marked.error());
    return 0;
}

constexpr Option debug_kernel_options[] = {
    {.letter = 'k', .name = "keep", .help = "keep the records in the log"},
    {.name = "json", .help = "print an object a line for each record"},
};
constexpr Option debug_file_options[] = {
    {.name = "json", .help = "print an object a line for each record"},
};
constexpr const char* debug_kernel_aliases[] = {"dk"};
constexpr const char* debug_file_aliases[] = {"df"};

}  // namespace

const Command debug_kernel_command = {
    .name = "debug_kernel",
    .aliases = debug_kernel_aliases,
    .group = "debug log",
    .operands = "[FILE [raw]]",
    .summary = "print and empty the debug log",
    .help =
        "Prints the records of all processors, sorted by time. With raw, writes them as\n"
        "the kernel packs them, for debug_file.\n",
    .options = debug_kernel_options,
    .complete = Complete::File,
    .run = run_debug_kernel,
};

const Command debug_file_command = {
    .name = "debug_file",
    .aliases = debug_file_aliases,
    .group = "debug log",
    .operands = "INPUT [OUTPUT]",
    .summary = "print a saved debug log",
    .options = debug_file_options,
    .complete = Complete::File,
    .run = run_debug_file,
};

const Command clear_command = {
    .name = "clear",
    .group = "debug log",
    .operands = "",
    .summary = "empty the debug log",
    .run = run_clear,
};

const Command mark_command = {
    .name = "mark",
    .group = "debug log",
    .operands = "[TEXT...]",
    .summary = "write a text to the debug log (default: the date)",
    .run = run_mark,
};

}  // namespace lctl
