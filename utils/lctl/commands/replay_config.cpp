// SPDX-License-Identifier: GPL-2.0-only
/*
 * replay_config: create the devices of a config log, and take them down.
 */
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>

#include "lctl/commands/commands.hpp"
#include "lctl/context.hpp"
#include "lctl/output/printer.hpp"
#include "lib/fd.hpp"
#include "lib/log_command.hpp"
#include "lib/replay.hpp"

namespace lctl {

namespace {

constexpr std::size_t kInstanceDigits = 16;

struct DoneName {
    obd_replay_done done;
    const char* name;
};

constexpr DoneName kDoneNames[] = {
    {OBD_REPLAY_APPLIED, "applied"}, {OBD_REPLAY_SKIPPED, "skipped"}, {OBD_REPLAY_FAILED, "failed"},
    {OBD_REPLAY_IGNORED, "ignored"}, {OBD_REPLAY_MARKER, "marker"},
};

const char* done_name(obd_replay_done done)
{
    const auto* const found = std::ranges::find(kDoneNames, done, &DoneName::done);

    return found == std::end(kDoneNames) ? "unknown" : found->name;
}

ll::Result<std::uint64_t> parse_instance(std::string_view text)
{
    const std::string_view digits =
        text.starts_with("0x") || text.starts_with("0X") ? text.substr(2) : text;
    std::uint64_t instance = 0;
    const auto end = digits.data() + digits.size();
    const auto [at, error] = std::from_chars(digits.data(), end, instance, 16);

    if (error != std::errc() || at != end || digits.size() > kInstanceDigits || instance == 0)
        return ll::fail(EINVAL, fmt::format("--instance: '{}' is not 1 to {} hexadecimal digits "
                                            "other than 0",
                                            text, kInstanceDigits));
    return instance;
}

/* A uuid of version 4, as a client of real Lustre makes one for each mount. */
ll::Result<std::string> random_uuid()
{
    std::uint8_t b[16];

    if (::getrandom(b, sizeof(b), 0) != ssize_t(sizeof(b)))
        return tl::unexpected(ll::make_error(errno, "random bytes for a uuid"));
    b[6] = static_cast<std::uint8_t>((b[6] & 0x0f) | 0x40);
    b[8] = static_cast<std::uint8_t>((b[8] & 0x3f) | 0x80);

    const std::span<const std::uint8_t> bytes(b);

    return fmt::format("{:02x}-{:02x}-{:02x}-{:02x}-{:02x}", fmt::join(bytes.subspan(0, 4), ""),
                       fmt::join(bytes.subspan(4, 2), ""), fmt::join(bytes.subspan(6, 2), ""),
                       fmt::join(bytes.subspan(8, 2), ""), fmt::join(bytes.subspan(10, 6), ""));
}

std::string_view argument_of(const Arguments& arguments, std::string_view name)
{
    const Given* const given = arguments.find(name);

    return given != nullptr ? given->argument.value_or("") : "";
}

/* All of --exclude, joined. */
std::string excluded(const Arguments& arguments)
{
    std::string names;

    for (const Given& given : arguments.options)
        if (given.is("exclude"))
            names.append(names.empty() ? "" : ":").append(given.argument.value_or(""));
    return names;
}

ll::Result<ll::ReplayRequest> make_request(const Arguments& arguments)
{
    ll::ReplayRequest request;

    request.dry_run = arguments.has("dry-run");
    request.uuid = argument_of(arguments, "uuid");
    request.exclude = excluded(arguments);
    if (!arguments.has("instance"))
        return request;

    const auto instance = parse_instance(argument_of(arguments, "instance"));

    if (!instance)
        return tl::unexpected(instance.error());
    request.instance = *instance;
    if (arguments.has("uuid"))
        return request;

    auto uuid = random_uuid();

    if (!uuid)
        return tl::unexpected(uuid.error());
    request.uuid = std::move(*uuid);
    return request;
}

/* The report of a replay: text as it comes, the document at the end. */
class ReplayReport {
public:
    ReplayReport(Context& context, const Arguments& arguments, std::string path)
        : context_(context),
          command_(arguments.command),
          path_(std::move(path)),
          dry_run_(arguments.has("dry-run")),
          all_(arguments.has("verbose"))
    {
    }

    void record(const ll::ReplayRecord& record)
    {
        if (!context_.is_text())
            records_.push_back(members_of(record));
        else if (record.done == OBD_REPLAY_FAILED)
            context_.complain(command_, path_ + ": " + line(record));
        else if (is_interesting(record))
            context_.out.put(line(record) + "\n");
    }

    void end(const ll::ReplayTotals& totals, const ll::Status& done)
    {
        if (context_.is_text())
            context_.out.put(fmt::format("{}: {}{} applied, {} skipped, {} ignored, {} failed\n",
                                         path_, dry_run_ ? "dry run: " : "", totals.applied,
                                         totals.skipped, totals.ignored, totals.failed));
        else
            context_.printer().item({{"log", path_},
                                     {"dry_run", dry_run_},
                                     {"records", std::move(records_)},
                                     {"applied", totals.applied},
                                     {"skipped", totals.skipped},
                                     {"ignored", totals.ignored},
                                     {"failed", totals.failed},
                                     {"last", totals.last}});
        if (!done)
            context_.error(command_, path_ + ": " + done.error().text, done.error().code);
    }

private:
    /* What was simply done is not, but for a dry run, whose purpose it is. */
    bool is_interesting(const ll::ReplayRecord& record) const
    {
        if (all_ || record.done == OBD_REPLAY_SKIPPED || record.done == OBD_REPLAY_IGNORED)
            return true;
        return dry_run_ && record.done != OBD_REPLAY_MARKER;
    }

    static std::string line(const ll::ReplayRecord& record)
    {
        std::string text =
            fmt::format("record {}, {}", record.index, ll::event_name(record.command));

        if (!record.device.empty())
            text.append(" of ").append(record.device);
        text.append(": ").append(done_name(record.done));
        if (!record.why.empty())
            text.append(": ").append(record.why);
        if (record.code != 0)
            text.append(": ").append(ll::errno_text(record.code));
        return text;
    }

    static Json members_of(const ll::ReplayRecord& record)
    {
        Json members = {{"index", record.index},
                        {"event", ll::event_name(record.command)},
                        {"command", record.command},
                        {"done", done_name(record.done)}};

        if (!record.device.empty())
            members["device"] = record.device;
        if (record.code != 0)
            members["errno"] = record.code;
        if (!record.why.empty())
            members["why"] = record.why;
        return members;
    }

    Context& context_;
    std::string_view command_;
    std::string path_;
    bool dry_run_;
    bool all_;
    Json records_ = Json::array();
};

int replay(Context& context, const Arguments& arguments)
{
    const std::string path(arguments.operands[0]);
    auto request = make_request(arguments);

    if (!request)
        return context.error(arguments.command, request.error());

    const ll::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));

    if (!file)
        return context.error(arguments.command, ll::make_error(errno, path));

    ReplayReport report(context, arguments, path);
    ll::ReplayTotals totals;

    request->fd = file.get();

    const auto each = [&](const ll::ReplayRecord& record) { report.record(record); };
    const ll::Status done = ll::replay_log(context.port(), *request, each, totals);

    report.end(totals, done);
    if (totals.first_failure != 0)
        return totals.first_failure;
    return done ? 0 : done.error().code;
}

int remove(Context& context, const Arguments& arguments)
{
    const auto instance = parse_instance(argument_of(arguments, "instance"));

    if (!instance)
        return context.error(arguments.command, instance.error());

    const std::string name = fmt::format("{:016x}", *instance);
    const auto count = ll::remove_instance(context.port(), *instance, arguments.has("force"));

    if (!count)
        return context.error(arguments.command, "instance " + name + ": " + count.error().text,
                             count.error().code);
    if (context.is_text())
        context.out.put(fmt::format("instance {}: {} device{} removed\n", name, *count,
                                    *count == 1 ? "" : "s"));
    else
        context.printer().item({{"instance", name}, {"devices", *count}});
    return 0;
}

/* The first of those options that was given, which has no meaning here. */
const char* given_of(const Arguments& arguments, std::span<const char* const> names)
{
    for (const char* const name : names)
        if (arguments.has(name))
            return name;
    return nullptr;
}

int run_replay_config(Context& context, const Arguments& arguments)
{
    static constexpr const char* of_replay[] = {"uuid", "exclude", "dry-run", "verbose"};
    static constexpr const char* of_remove[] = {"force"};
    const bool is_remove = arguments.has("remove");
    const char* const wrong =
        is_remove ? given_of(arguments, of_replay) : given_of(arguments, of_remove);

    if (wrong != nullptr)
        return usage_error(
            context, arguments,
            fmt::format("--{} is not valid {} --remove", wrong, is_remove ? "with" : "without"));
    if (is_remove && (!arguments.operands.empty() || !arguments.has("instance")))
        return usage_error(context, arguments, "--remove needs --instance and no FILE");
    if (!is_remove && arguments.operands.size() != 1)
        return usage_error(context, arguments, "needs one FILE");
    return is_remove ? remove(context, arguments) : replay(context, arguments);
}

constexpr Option kReplayConfigOptions[] = {
    {.name = "instance",
     .argument = "X",
     .help = "append X, up to 16 hexadecimal digits, to the names of\nall devices"},
    {.name = "uuid",
     .argument = "U",
     .help = "use this uuid for the devices (default: random with\n--instance)"},
    {.name = "exclude",
     .argument = "T[:T]",
     .help = "leave these targets inactive; may be repeated"},
    {.name = "dry-run", .help = "print what would be done, do nothing"},
    {.letter = 'v', .name = "verbose", .help = "print a line for each record"},
    {.name = "remove", .help = "remove the devices of an instance"},
    {.name = "force", .help = "with --remove: do not wait for peers"},
};

}  // namespace

const Command replay_config_command = {
    .name = "replay_config",
    .group = "config logs",
    .operands = "[FILE]",
    .takes = {0, 1},
    .summary = "create the devices of a config log",
    .help =
        "Prints skipped, ignored and failed records with the reason. The exit status is the\n"
        "errno of the first record that failed.\n",
    .options = kReplayConfigOptions,
    .needs = Needs::Kernel,
    .prints = Prints::Object,
    .complete = Complete::File,
    .run = run_replay_config,
};

}  // namespace lctl
