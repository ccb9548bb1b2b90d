// SPDX-License-Identifier: GPL-2.0-only
/*
 * apply_params: settings from a file to this node, all or none; set_param -F: the
 * same, and files that llog_print printed to the management service.
 */
#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lctl/commands/commands.hpp"
#include "lctl/commands/files.hpp"
#include "lctl/commands/mgs_change.hpp"
#include "lctl/commands/params_file.hpp"
#include "lctl/context.hpp"
#include "lctl/output/printer.hpp"
#include "lib/pathspec.hpp"
#include "lib/value_text.hpp"

namespace lctl {

namespace {

/* A file that was read. */
struct SettingsFile {
    std::string source;  // for messages
    std::string text;
};

/* What is printed of the changes. */
struct ApplyStyle {
    bool dry_run = false;
    bool quiet = false;  // of text
};

/* A setting of the file, and what the node has. */
struct Change {
    SavedParam saved;
    std::string path;  // raw
    std::string old;
    bool is_string = false;
    int code = 0;         // why it cannot be made
    std::string message;  // the same as text

    bool is_needed() const { return old != saved.value; }

    void refuse(int errno_code, std::string words)
    {
        code = errno_code;
        message = std::move(words);
    }
};

using Changes = std::vector<Change>;

/* Names of the file to paths, without asking the kernel. */
Changes changes_of(std::vector<SavedParam> settings)
{
    Changes changes;

    for (SavedParam& saved : settings) {
        const auto spec = ll::PathSpec::parse(saved.name);
        Change change;

        change.saved = std::move(saved);
        if (!spec)
            change.refuse(spec.error().code, spec.error().text);
        else if (!spec->is_literal())
            change.refuse(EINVAL, change.saved.name + ": a pattern; one name is wanted");
        else
            change.path = spec->raw();
        changes.push_back(std::move(change));
    }
    return changes;
}

void take_value(Change& change, const ll::EntryView& entry)
{
    const std::string& name = change.saved.name;
    const std::string type = ll::type_name(entry.type);
    bool is_known = true;

    change.is_string = entry.type == PARAMS_T_STRING;
    if (entry.is_dir())
        change.refuse(EISDIR, name + ": " + ll::errno_text(EISDIR));
    else if (entry.status != 0)
        change.refuse(entry.status, name + ": " + ll::errno_text(entry.status));
    else if (!change.saved.type.empty() && change.saved.type != type)
        change.refuse(EINVAL,
                      fmt::format("{} is of type {}, not {}", name, type, change.saved.type));
    else if (change.is_string)
        is_known = ll::value_as_string(entry.value, change.old);
    else
        is_known = ll::append_text(change.old, entry.value, entry.type);
    if (!is_known)
        change.refuse(EBADMSG, name + ": its value is malformed");
}

ll::Status read_values(ll::Params& params, Changes& changes)
{
    ll::PathList paths;

    for (const Change& change : changes)
        paths.add(change.path);
    return params.read_many(paths, [&](const ll::EntryView& entry) {
        take_value(changes[entry.index], entry);
        return ll::Visit::Continue;
    });
}

/* The kernel takes a newline at the end of a text for the end of what was typed. */
std::string typed_text(const Change& change)
{
    const bool would_lose = change.is_string && change.saved.value.ends_with('\n');

    return would_lose ? change.saved.value + '\n' : change.saved.value;
}

void take_reply(Change& change, const ll::WriteReply& reply)
{
    if (reply.status == 0 || reply.status == ECANCELED)
        return;
    change.refuse(reply.status, fmt::format("setting {}={}: {}", change.saved.name,
                                            change.saved.value, ll::errno_text(reply.status)));
    if (!reply.reason.empty())
        change.message += ": " + reply.reason;
}

ll::Status write_values(ll::Params& params, Changes& changes, bool dry_run)
{
    std::vector<ll::Write> writes;
    std::vector<Change*> written;

    for (Change& change : changes) {
        if (!change.is_needed())
            continue;
        writes.push_back({.path = change.path, .value = typed_text(change)});
        written.push_back(&change);
    }
    if (writes.empty())
        return {};

    const auto answer = params.write_many(writes, {.atomic = true, .dry_run = dry_run});
    if (!answer)
        return tl::unexpected(answer.error());
    for (std::size_t i = 0; i < written.size(); i++)
        take_reply(*written[i], answer->replies[i]);
    return {};
}

std::size_t needed(const Changes& changes)
{
    return static_cast<std::size_t>(std::ranges::count_if(changes, &Change::is_needed));
}

void print_text(const Changes& changes, bool dry_run, Writer& out)
{
    for (const Change& change : changes) {
        if (change.is_needed())
            out.put(
                fmt::format("{}: {} -> {}\n", change.saved.name, change.old, change.saved.value));
    }
    out.put(fmt::format("{} {}, {} as they were\n", needed(changes),
                        dry_run ? "would be changed" : "changed",
                        changes.size() - needed(changes)));
}

Json members_of(const Change& change, bool dry_run)
{
    Json members = {{"name", change.saved.name}};

    if (change.code != 0) {
        members["error"] = {{"errno", change.code}, {"message", change.message}};
        return members;
    }
    members["old"] = change.old;
    members["value"] = change.saved.value;
    if (dry_run)
        members["dry_run"] = true;
    return members;
}

/* What was or would be changed; when something was refused, that alone. */
void print_items(const Changes& changes, bool refused, bool dry_run, Printer& printer)
{
    for (const Change& change : changes)
        if (refused ? change.code != 0 : change.is_needed())
            printer.item(members_of(change, dry_run));
}

/* Print the errors. Return: errno of the first. */
int report_refused(Context& context, const Arguments& arguments, std::string_view source,
                   const Changes& changes)
{
    int status = 0;

    for (const Change& change : changes) {
        if (change.code == 0)
            continue;
        context.complain(arguments.command,
                         fmt::format("{}:{}: {}", source, change.saved.line, change.message));
        if (status == 0)
            status = change.code;
    }
    return status;
}

bool any_refused(const Changes& changes)
{
    return std::ranges::any_of(changes, [](const Change& change) { return change.code != 0; });
}

int apply(Context& context, const Arguments& arguments, std::string_view source, Changes changes,
          const ApplyStyle& style)
{
    ll::Status done;

    if (!any_refused(changes)) {
        done = read_values(context.tree(), changes);
        if (done && !any_refused(changes))
            done = write_values(context.tree(), changes, style.dry_run);
    }
    if (!done)
        return context.error(arguments.command, done.error());

    const int status = report_refused(context, arguments, source, changes);
    if (!context.is_text())
        print_items(changes, status != 0, style.dry_run, context.printer());
    else if (status == 0 && !style.quiet)
        print_text(changes, style.dry_run, context.out);
    return status;
}

std::string fault_text(const std::string& source, const FileFault& fault)
{
    if (fault.line == 0)
        return fmt::format("{}: {}", source, fault.message);
    return fmt::format("{}:{}: {}", source, fault.line, fault.message);
}

int apply_file(Context& context, const Arguments& arguments, const SettingsFile& file,
               const ApplyStyle& style)
{
    auto settings = parse_settings(file.text);

    if (!settings)
        return context.error(arguments.command, fault_text(file.source, settings.error()), EINVAL);
    return apply(context, arguments, file.source, changes_of(std::move(*settings)), style);
}

/*
 * Apply files one after the other, each of them whole or not at all. A file that
 * cannot be applied does not keep the later ones away.
 *
 * Return: 0 or the errno of the first error
 */
int apply_settings(Context& context, const Arguments& arguments,
                   const std::vector<SettingsFile>& files, const ApplyStyle& style)
{
    context.printer().use_key("changes");

    int status = 0;

    for (const SettingsFile& file : files)
        if (const int code = apply_file(context, arguments, file, style); status == 0)
            status = code;
    return status;
}

int run_apply_params(Context& context, const Arguments& arguments)
{
    const std::string source(arguments.operands.front());
    auto text = read_file(source);

    if (!text)
        return context.error(arguments.command, text.error());
    return apply_settings(context, arguments, {{source, std::move(*text)}},
                          {.dry_run = arguments.has("dry-run")});
}

constexpr Option kApplyParamsOptions[] = {
    {.letter = 'n', .name = "dry-run", .help = "check, and print what would change"},
};

/* Options that have a meaning with files of each kind. */
constexpr std::array kOfNode = {"file", "dry-run", "no-name", "thread", "atomic"};
constexpr std::array kOfService = {"file", "dry-run", "no-name", "wait", "force", "thread"};

/* An error text; empty if there is none. */
template <std::size_t Size>
std::string check_options(const Arguments& arguments, const std::array<const char*, Size>& allowed,
                          const char* what)
{
    for (const Given& given : arguments.options)
        if (std::ranges::none_of(allowed, [&](const char* name) { return given.is(name); }))
            return fmt::format("--{} does not apply to {}", given.option->name, what);
    return {};
}

/* All of a file is looked at before the first change is made. */
int apply_events(Context& context, const Arguments& arguments,
                 const std::vector<SettingsFile>& files)
{
    std::vector<ll::MgsChange> all;
    MgsChanges changes(context, arguments);

    for (const SettingsFile& file : files) {
        auto events = parse_events(file.text);

        if (!events)
            return context.error(
                arguments.command,
                fmt::format("{}:{}: {}", file.source, events.error().line, events.error().message),
                EINVAL);
        std::ranges::move(*events, std::back_inserter(all));
    }
    if (const int code = changes.begin(); code != 0)
        return code;
    for (ll::MgsChange& change : all) {
        const std::string what = change.args[0] + "=" + change.args[1];

        changes.make(std::move(change), what);
    }
    return changes.end();
}

int apply_to_node(Context& context, const Arguments& arguments,
                  const std::vector<SettingsFile>& files)
{
    return apply_settings(context, arguments, files,
                          {.dry_run = arguments.has("dry-run"), .quiet = arguments.has("no-name")});
}

}  // namespace

int set_from_files(Context& context, const Arguments& arguments)
{
    std::vector<SettingsFile> files;

    for (const std::string_view operand : arguments.operands) {
        auto text = read_file(std::string(operand));

        if (!text)
            return context.error(arguments.command, text.error());
        files.push_back({std::string(operand), std::move(*text)});
    }

    const auto events = std::ranges::count_if(
        files, [](const SettingsFile& file) { return is_events_file(file.text); });
    const bool of_service = events != 0;

    if (of_service && static_cast<std::size_t>(events) != files.size())
        return usage_error(context, arguments,
                           "files of save_params and of llog_print need separate commands");

    const std::string why =
        of_service ? check_options(arguments, kOfService, "files that llog_print printed")
                   : check_options(arguments, kOfNode, "files that save_params wrote");

    if (!why.empty())
        return usage_error(context, arguments, why);
    return of_service ? apply_events(context, arguments, files)
                      : apply_to_node(context, arguments, files);
}

const Command apply_params_command = {
    .name = "apply_params",
    .group = "parameters",
    .operands = "FILE",
    .takes = {1, 1},
    .summary = "set parameters from a file that save_params wrote, all or none",
    .help = "Prints each change. Parameters that already have the value are not written.\n",
    .options = kApplyParamsOptions,
    .needs = Needs::Kernel,
    .prints = Prints::Array,
    .key = "changes",
    .complete = Complete::File,
    .run = run_apply_params,
};

}  // namespace lctl
