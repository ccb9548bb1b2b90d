// SPDX-License-Identifier: GPL-2.0-only
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
#include "lctl/commands/files.hpp"
#include "lctl/context.hpp"
#include "lctl/output/printer.hpp"

namespace lctl {

namespace {

constexpr mode_t kLogFileMode = 0600;  // a log may tell what others should not know

Json members_of(const DebugRecord& record)
{
    return {{"subsystem", record.subsystem},
            {"level", record.level},
            {"cpu", record.cpu},
            {"sequence", record.sequence},
            {"time", exact_number(fmt::format("{}.{:09}", record.time_ns / 1'000'000'000,
                                              record.time_ns % 1'000'000'000))},
            {"stack", record.stack},
            {"pid", record.pid},
            {"line", record.line},
            {"file", record.file},
            {"function", record.function},
            {"text", record.text}};
}

/* How many records there were, and how many of them were bad. */
struct Printed {
    std::size_t kept = 0;
    std::size_t bad = 0;
};

/* Records in order of time. */
Printed print_records(Context& context, const DebugLog& log, Writer& out)
{
    DebugRecords parsed = parse_debug_records(log.records());

    sort_debug_records(parsed.records);
    context.printer().redirect(out);
    for (const DebugRecord& record : parsed.records) {
        if (context.is_text())
            format_debug_record(record, out.text());
        else
            context.printer().item(members_of(record));
        out.spill();
    }
    context.printer().redirect(context.out);
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
        auto file = FileOutput::create(std::string(*path), kLogFileMode);
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

/* The summary is not part of a document; it is printed beside it. */
Writer& writer_of_totals(Context& context)
{
    return context.is_text() ? context.out : context.err;
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
        printed = print_records(context, log, destination.writer());
    }
    status = destination.commit();
    if (status)
        print_totals(log, printed, writer_of_totals(context));
    return status;
}

int run_debug_kernel(Context& context, const Arguments& arguments)
{
    if (operand(arguments, 1).value_or("raw") != "raw")
        return usage_error(context, arguments, "only the word raw may follow FILE");

    ll::KernelPort& port = context.port();

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
    const Printed printed = print_records(context, log, destination.writer());
    if (const auto written = destination.commit(); !written)
        return context.error(arguments.command, written.error());
    print_totals(log, printed, writer_of_totals(context));
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
    if (const auto cleared = clear_debug_log(context.port(), 0); !cleared)
        return context.error(arguments.command, cleared.error());
    return 0;
}

/* "Sat Nov 21 09:12:44 2026", in the local time zone. */
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

    if (const auto marked = mark_debug_log(context.port(), text); !marked)
        return context.error(arguments.command, marked.error());
    return 0;
}

/* A mask: its parameter, and what people call it and all of it. */
struct Mask {
    const char* parameter;
    const char* word;  // of debug_list
    const char* title;
    const char* all;
};

constexpr Mask kMasks[] = {
    {"subsystem_debug", "subs", "Subsystems", "all_subs"},
    {"debug", "types", "Types", "all_types"},
};

struct NamedMask {
    const Mask* mask;
    std::vector<std::string> names;
};

/* The names come from the module that is loaded. */
ll::Result<std::vector<NamedMask>> named_masks(ll::Params& params)
{
    std::vector<NamedMask> found;

    for (const Mask& mask : kMasks) {
        auto about = params.describe(mask.parameter);

        if (!about)
            return tl::unexpected(about.error());
        // A bit without a name has an empty one.
        std::erase(about->values, "");
        found.push_back({&mask, std::move(about->values)});
    }
    return found;
}

void print_text(const std::vector<NamedMask>& wanted, Writer& out)
{
    for (const NamedMask& mask : wanted)
        out.put(fmt::format("{}: {}, {}\n", mask.mask->title, mask.mask->all,
                            fmt::join(mask.names, ", ")));
}

int run_debug_list(Context& context, const Arguments& arguments)
{
    const auto is_word = [](std::string_view operand) {
        return std::ranges::any_of(kMasks, [&](const Mask& mask) { return operand == mask.word; });
    };

    if (arguments.operands.size() > 1 || !std::ranges::all_of(arguments.operands, is_word))
        return usage_error(context, arguments, "takes subs or types, or nothing for both");

    auto wanted = named_masks(context.tree());
    if (!wanted)
        return context.error(arguments.command, wanted.error());
    if (!arguments.operands.empty())
        std::erase_if(*wanted, [&](const NamedMask& mask) {
            return arguments.operands.front() != mask.mask->word;
        });
    if (context.is_text()) {
        print_text(*wanted, context.out);
        return 0;
    }

    Json lists = Json::object();

    for (const NamedMask& mask : *wanted)
        lists[mask.mask->word] = mask.names;
    context.printer().item(lists);
    return 0;
}

/* Append "+name" to the text of the mask that knows it; false if none does. */
bool add_name(std::span<const NamedMask> known, std::string_view name, char sign,
              std::span<std::string> texts)
{
    for (std::size_t i = 0; i < known.size(); i++) {
        const bool is_all = name == known[i].mask->all;

        if (!is_all && std::ranges::find(known[i].names, name) == known[i].names.end())
            continue;
        texts[i].append(texts[i].empty() ? "" : " ").append(1, sign).append(is_all ? "all" : name);
        return true;
    }
    return false;
}

int write_masks(Context& context, const Arguments& arguments, ll::Params& params,
                std::vector<ll::Write> writes)
{
    const auto reply = params.write_many(writes, {.atomic = true});

    if (!reply)
        return context.error(arguments.command, reply.error());
    // All fail when one does; the one to blame has its own errno.
    int status = 0;
    for (std::size_t i = 0; i < reply->replies.size(); i++) {
        const ll::WriteReply& answer = reply->replies[i];

        if (answer.status == 0 || answer.status == ECANCELED)
            continue;
        status = context.error(
            arguments.command,
            fmt::format("setting {}={}: {}", writes[i].path, writes[i].value,
                        answer.reason.empty() ? ll::errno_text(answer.status) : answer.reason),
            answer.status);
    }
    return status;
}

int change_masks(Context& context, const Arguments& arguments, char sign)
{
    const auto known = named_masks(context.tree());
    if (!known)
        return context.error(arguments.command, known.error());

    std::vector<std::string> texts(known->size());
    for (const std::string_view name : arguments.operands) {
        if (!add_name(*known, name, sign, texts))
            return context.error(
                arguments.command,
                fmt::format("'{}' is not a subsystem or level; see 'lctl debug_list'", name),
                EINVAL);
    }

    std::vector<ll::Write> writes;
    for (std::size_t i = 0; i < texts.size(); i++) {
        if (!texts[i].empty())
            writes.push_back({.path = (*known)[i].mask->parameter, .value = texts[i]});
    }
    return write_masks(context, arguments, context.tree(), std::move(writes));
}

int run_show(Context& context, const Arguments& arguments)
{
    return change_masks(context, arguments, '+');
}

int run_filter(Context& context, const Arguments& arguments)
{
    return change_masks(context, arguments, '-');
}

constexpr Option kDebugKernelOptions[] = {
    {.letter = 'k', .name = "keep", .help = "keep the records in the log"},
};
constexpr const char* kDebugKernelAliases[] = {"dk"};
constexpr const char* kDebugFileAliases[] = {"df"};

}  // namespace

const Command debug_kernel_command = {
    .name = "debug_kernel",
    .aliases = kDebugKernelAliases,
    .group = "debug log",
    .operands = "[FILE [raw]]",
    .takes = {0, 2},
    .summary = "print and empty the debug log",
    .help =
        "Prints the records of all processors, sorted by time. With raw, writes them as\n"
        "the kernel packs them, for debug_file.\n",
    .options = kDebugKernelOptions,
    .needs = Needs::Kernel,
    .prints = Prints::Lines,
    .complete = Complete::File,
    .run = run_debug_kernel,
};

const Command debug_file_command = {
    .name = "debug_file",
    .aliases = kDebugFileAliases,
    .group = "debug log",
    .operands = "INPUT [OUTPUT]",
    .takes = {1, 2},
    .summary = "print a saved debug log",
    .prints = Prints::Lines,
    .complete = Complete::File,
    .run = run_debug_file,
};

const Command clear_command = {
    .name = "clear",
    .group = "debug log",
    .operands = "",
    .summary = "empty the debug log",
    .needs = Needs::Kernel,
    .run = run_clear,
};

const Command mark_command = {
    .name = "mark",
    .group = "debug log",
    .operands = "[TEXT...]",
    .takes = {0, kMany},
    .summary = "write a text to the debug log (default: the date)",
    .needs = Needs::Kernel,
    .run = run_mark,
};

const Command debug_list_command = {
    .name = "debug_list",
    .group = "debug log",
    .operands = "[subs|types]",
    .takes = {0, 1},
    .summary = "list the subsystems and levels of the debug log",
    .needs = Needs::Kernel,
    .prints = Prints::Object,
    .choices = "subs|types",
    .run = run_debug_list,
};

const Command show_command = {
    .name = "show",
    .group = "debug log",
    .operands = "NAME...",
    .takes = {1, kMany},
    .summary = "log subsystems or levels",
    .help = "Adds to the parameters debug and subsystem_debug. debug_list prints the names.\n",
    .needs = Needs::Kernel,
    .complete = Complete::DebugName,
    .run = run_show,
};

const Command filter_command = {
    .name = "filter",
    .group = "debug log",
    .operands = "NAME...",
    .takes = {1, kMany},
    .summary = "stop logging subsystems or levels",
    .help = "Removes from the parameters debug and subsystem_debug. debug_list prints the names.\n",
    .needs = Needs::Kernel,
    .complete = Complete::DebugName,
    .run = run_filter,
};

}  // namespace lctl
