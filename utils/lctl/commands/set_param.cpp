// SPDX-License-Identifier: GPL-2.0-only
/*
 * set_param: one value to all that matches a pattern.
 */
#include <algorithm>
#include <cerrno>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lctl/commands/commands.hpp"
#include "lctl/commands/mgs_change.hpp"
#include "lctl/commands/selection.hpp"
#include "lctl/output/output.hpp"
#include "lib/call.hpp"
#include "lib/expand.hpp"
#include "lib/number.hpp"

namespace lctl {

namespace {

constexpr Option kOptions[] = {
    {.name = "atomic", .help = "set everything on the command line, or nothing"},
    {.letter = 'C',
     .name = "client",
     .argument = "FSNAME",
     .optional = true,
     .help = "refused: use -P"},
    {.letter = 'd', .name = "delete", .help = "with -P: delete a permanent setting"},
    {.name = "dry-run", .help = "check names and values, change nothing"},
    {.name = "force", .help = "store a permanent setting even if no parameter matches"},
    {.letter = 'F',
     .name = "file",
     .help = "read settings from files: of save_params for this node, or of llog_print, permanent",
     .complete = Complete::File},
    {.name = "if-version",
     .argument = "N",
     .help = "set only parameters that still have version N"},
    {.letter = 'n', .name = "no-name", .help = "do not print what was set"},
    options::kModule,
    {.letter = 'P',
     .name = "perm",
     .help = "make the setting permanent on all nodes (run on the MGS node)"},
    {.letter = 't',
     .name = "thread",
     .argument = "N",
     .optional = true,
     .help = "accepted and ignored"},
    {.letter = 'w',
     .name = "wait",
     .argument = "SECONDS",
     .optional = true,
     .help = "with -P: return when all connected nodes have applied it, or after SECONDS (60)"},
    options::kNull,
};

/* "name=value" or "name value" */
struct Assignment {
    std::string_view name;  // a pattern
    std::string_view value;

    std::string text() const { return std::string(name) + "=" + std::string(value); }
};

/* The first '=' that no backslash or quote makes part of the name. */
std::size_t find_equals(std::string_view word)
{
    char quote = '\0';

    for (std::size_t i = 0; i < word.size(); i++) {
        const char c = word[i];

        if (c == '\\' && quote == '\0')
            i++;
        else if (c == quote)
            quote = '\0';
        else if (quote == '\0' && (c == '"' || c == '\''))
            quote = c;
        else if (quote == '\0' && c == '=')
            return i;
    }
    return std::string_view::npos;
}

/* The name in NAME=VALUE; the whole word if it has no '='. */
std::string_view assigned_name(std::string_view word)
{
    return word.substr(0, find_equals(word));
}

/* Return: the assignments, or an error text */
tl::expected<std::vector<Assignment>, std::string> parse_assignments(
    std::span<const std::string_view> words)
{
    std::vector<Assignment> assignments;

    for (std::size_t i = 0; i < words.size(); i++) {
        const std::string_view word = words[i];
        const std::size_t equals = find_equals(word);

        if (equals != std::string_view::npos)
            assignments.push_back({word.substr(0, equals), word.substr(equals + 1)});
        else if (i + 1 < words.size())
            assignments.push_back({word, words[++i]});
        else
            return tl::unexpected("no value for '" + std::string(word) +
                                  "'; use NAME=VALUE or NAME VALUE");
        if (assignments.back().name.empty())
            return tl::unexpected("no name in '" + std::string(word) + "'; use NAME=VALUE");
    }
    return assignments;
}

struct Mode {
    ll::WriteMode write;
    std::optional<std::uint32_t> if_version;
};

/* A planned write of a batch, to tell what a reply is about. */
struct Planned {
    std::string path;
    const Assignment* assignment;
};

class Setter {
public:
    Setter(ll::Params& params, const Mode& mode, Output& output, Report& report)
        : params_(params), mode_(mode), output_(output), report_(report)
    {
    }

    /* One after the other, so that a later one sees what an earlier one did. */
    void each(const std::vector<Assignment>& assignments)
    {
        for (const Assignment& one : assignments) {
            first_ = &one;
            if (plan(one))
                write();
        }
    }

    void all_or_nothing(const std::vector<Assignment>& assignments)
    {
        bool good = true;

        first_ = &assignments.front();
        several_ = assignments.size() > 1;
        for (const Assignment& one : assignments)
            good = plan(one) && good;
        if (good)
            write();
        if (report_.status() == 0 || mode_.write.dry_run)
            return;
        report_.note(kept_ ? "all but what is named above was undone (--atomic)"
                           : "nothing was changed (--atomic)");
    }

private:
    bool plan(const Assignment& assignment)
    {
        const auto spec = ll::PathSpec::parse(assignment.name);

        if (!spec)
            return refuse(assignment, spec.error().code, spec.error().text);
        if (assignment.value.empty())
            return refuse(assignment, EINVAL,
                          "setting " + assignment.text() + ": " + ll::errno_text(EINVAL) +
                              ": the value is empty");

        auto writes = ll::plan_writes(params_, *spec, assignment.value);

        if (!writes)
            return refuse(assignment, writes.error().code, writes.error().text);
        if (writes->empty())
            return missing(*spec);
        add(assignment, std::move(*writes));
        return true;
    }

    void add(const Assignment& assignment, std::vector<ll::Write> writes)
    {
        for (ll::Write& write : writes)
            write.if_version = mode_.if_version;
        if (!several_) {
            writes_ = std::move(writes);
            return;
        }
        for (ll::Write& write : writes) {
            planned_.push_back({write.path, &assignment});
            writes_.push_back(std::move(write));
        }
    }

    bool refuse(const Assignment& assignment, int code, std::string_view words)
    {
        report_.failure(assignment.name, code, words);
        return false;
    }

    bool missing(const ll::PathSpec& spec)
    {
        report_.missing(params_, spec);
        return false;
    }

    void write()
    {
        const auto result = ll::write_planned(params_, std::move(writes_), mode_.write);

        if (!result)
            whole_call_failed(result.error());
        else
            replies(*result);
        writes_.clear();
        planned_.clear();
    }

    /* Paths come back in the order of the plan, without those that have no entry. */
    void replies(const ll::SetResult& result)
    {
        auto from = planned_.cbegin();
        const bool undone = mode_.write.atomic && result.batch.failed != 0;

        for (std::size_t i = 0; i < result.paths.size(); i++) {
            while (several_ && from->path != result.paths[i])
                ++from;
            reply(several_ ? *from++->assignment : *first_, result.paths[i],
                  result.batch.replies[i], undone);
        }
        if (result.paths.empty())
            nothing_there();
    }

    /* "a.*.b": there are a.x, but none has a b. */
    void nothing_there()
    {
        const Assignment* last = nullptr;

        if (!several_)
            return report_.missing(params_, *ll::PathSpec::parse(first_->name));
        for (const Planned& planned : planned_) {
            if (planned.assignment != last)
                report_.missing(params_, *ll::PathSpec::parse(planned.assignment->name));
            last = planned.assignment;
        }
    }

    void reply(const Assignment& assignment, const std::string& path, const ll::WriteReply& reply,
               bool undone)
    {
        const std::string name = ll::display_path(path);

        if (reply.status != 0)
            failed(name, assignment, reply);
        else if (!undone)
            output_.setting({.name = name,
                             .value = assignment.value,
                             .version = reply.version,
                             .dry_run = mode_.write.dry_run});
    }

    void failed(const std::string& name, const Assignment& assignment, const ll::WriteReply& reply)
    {
        const std::string words = ll::errno_text(reply.status);
        std::string why = reply.reason;

        kept_ = kept_ || (mode_.write.atomic && reply.status == EIO && !why.empty());
        if (reply.status == ECANCELED)
            return output_.failure({.name = name, .code = reply.status, .message = words});
        if (reply.status == EACCES)
            return report_.failure(name, reply.status,
                                   with_reason("opening '" + name + "': " + words, why));
        if (reply.status == ESTALE && mode_.if_version && why.empty())
            why = "its version is " + std::to_string(reply.version) + ", not " +
                  std::to_string(*mode_.if_version);
        report_.failure(
            name, reply.status,
            with_reason("setting " + name + "=" + std::string(assignment.value) + ": " + words,
                        why));
    }

    static std::string with_reason(std::string text, const std::string& reason)
    {
        if (!reason.empty())
            text.append(": ").append(reason);
        return text;
    }

    void whole_call_failed(const ll::Error& error)
    {
        std::string words = "setting " + first_->text() + ": " + ll::errno_text(error.code);

        if (error.code == EPERM)
            words.append(": ").append(ll::kNeedsRoot);
        else
            words = with_reason(words, error.text);
        report_.failure(first_->name, error.code, words);
    }

    ll::Params& params_;
    const Mode& mode_;
    Output& output_;
    Report& report_;
    std::vector<ll::Write> writes_;
    const Assignment* first_ = nullptr;  // of the batch
    bool several_ = false;               // the batch is of several assignments
    std::vector<Planned> planned_;       // then: what each write is of
    bool kept_ = false;                  // a value that was set could not be given back
};

int set(Context& context, const Arguments& arguments, const Mode& mode, const Style& style)
{
    const auto assignments = parse_assignments(arguments.operands);

    if (!assignments)
        return usage_error(context, arguments, assignments.error());

    const auto output = make_output(style, context);
    Report report(context, arguments.command, *output);
    Setter setter(context.tree(), mode, *output, report);

    if (mode.write.atomic)
        setter.all_or_nothing(*assignments);
    else
        setter.each(*assignments);
    output->end();
    return report.status();
}

/* set_param -P: settings that the management service keeps. */

/* A change for each pattern that @name stands for: @make( pattern ). */
template <class Make>
void for_each_pattern(MgsChanges& changes, std::string_view name, const std::string& what,
                      Make make)
{
    const auto patterns = ll::stored_patterns(name);

    if (!patterns)
        return changes.refuse(patterns.error().code, what, patterns.error().text);
    for (const std::string& pattern : *patterns)
        make(pattern);
}

/* With -d the values may be left out. */
int delete_permanent(Context& context, const Arguments& arguments)
{
    MgsChanges changes(context, arguments);

    if (const int code = changes.begin(); code != 0)
        return code;
    for (const std::string_view operand : arguments.operands) {
        const std::string name(assigned_name(operand));

        for_each_pattern(changes, name, name, [&](const std::string& pattern) {
            changes.make({.op = MGS_DEL_PARAM, .args = {pattern}}, pattern);
        });
    }
    return changes.end();
}

void set_one(MgsChanges& changes, const Assignment& one)
{
    const std::string value(one.value);

    if (value.empty())
        return changes.refuse(
            EINVAL, one.text(),
            "setting " + one.text() + ": the value is empty; -d deletes the setting");
    for_each_pattern(changes, one.name, one.text(), [&](const std::string& pattern) {
        changes.make({.op = MGS_SET_PARAM, .args = {pattern, value}}, pattern + "=" + value);
    });
}

int set_permanent(Context& context, const Arguments& arguments)
{
    if (arguments.has("delete"))
        return delete_permanent(context, arguments);

    const auto assignments = parse_assignments(arguments.operands);
    MgsChanges changes(context, arguments);

    if (!assignments)
        return usage_error(context, arguments, assignments.error());
    if (const int code = changes.begin(); code != 0)
        return code;
    for (const Assignment& one : *assignments)
        set_one(changes, one);
    return changes.end();
}

/* What makes sense together, and what is not there. */
int refuse_option(Context& context, const Arguments& arguments)
{
    if (arguments.has("client"))
        return context.error(
            arguments.command,
            "-C keeps a setting for mounts of this client, which nothing here reads; "
            "-P keeps it for all nodes, save_params and apply_params in a file",
            EOPNOTSUPP);
    for (const char* const option : {"delete", "force", "wait"})
        if (arguments.has(option) && !arguments.has("perm") && !arguments.has("file"))
            return usage_error(
                context, arguments,
                "--" + std::string(option) + " is of permanent settings: give -P, too");
    for (const char* const option : {"atomic", "if-version", "file", "null", "module"})
        if (arguments.has(option) && arguments.has("perm"))
            return usage_error(context, arguments,
                               "--" + std::string(option) + " and -P exclude each other");
    return 0;
}

tl::expected<Mode, std::string> parse_mode(const Arguments& arguments)
{
    Mode mode = {.write = {.atomic = arguments.has("atomic"), .dry_run = arguments.has("dry-run")},
                 .if_version = {}};

    if (const Given* version = arguments.find("if-version")) {
        const auto number = ll::parse_number(*version->argument, UINT32_MAX);

        if (!number)
            return tl::unexpected("--if-version: " + number.error().text);
        mode.if_version = static_cast<std::uint32_t>(*number);
    }
    if (const Given* threads = arguments.find("thread"); threads && threads->argument) {
        const auto number = ll::parse_number(*threads->argument);

        if (!number)
            return tl::unexpected("--thread: " + number.error().text);
    }
    return mode;
}

int run_set_param(Context& context, const Arguments& arguments)
{
    if (const int refused = refuse_option(context, arguments); refused != 0)
        return refused;
    if (arguments.has("perm"))
        return set_permanent(context, arguments);
    if (arguments.has("file"))
        return set_from_files(context, arguments);

    const auto selection = parse_selection(context, arguments, {});

    if (!selection)
        return usage_error(context, arguments, selection.error());

    const auto mode = parse_mode(arguments);

    if (!mode)
        return usage_error(context, arguments, mode.error());
    return set(context, arguments, *mode, selection->style);
}

}  // namespace

const Command set_param_command = {
    .name = "set_param",
    .group = "parameters",
    .operands = "PATTERN=VALUE... | PATTERN VALUE...",
    .takes = {1, kMany},
    .summary = "set parameters",
    .help =
        "Patterns are those of get_param. Sets every match to VALUE, which may contain '='.\n"
        "After an error the remaining parameters are still set, unless --atomic is given. The\n"
        "exit status is the errno of the first error. Requires CAP_SYS_ADMIN.\n",
    .options = kOptions,
    .needs = Needs::Kernel,
    .prints = Prints::Array,
    .complete = Complete::WritableParam,
    .run = run_set_param,
};

}  // namespace lctl
