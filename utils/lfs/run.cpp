// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command table, help, and from the words of a command line to the command.
 */
#include <algorithm>
#include <cerrno>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "lctl/arguments.hpp"
#include "lctl/help_text.hpp"
#include "lfs/lfs.hpp"
#include "lib/suggest.hpp"

namespace lfs {

namespace {

constexpr const Command* kCommands[] = {
    &setstripe_command,    &migrate_command,   &getstripe_command, &find_command,
    &df_command,           &osts_command,      &mdts_command,      &check_command,
    &getname_command,      &pool_list_command, &path2fid_command,  &fid2path_command,
    &data_version_command, &mkdir_command,
};

const Command* command_named(std::string_view name)
{
    for (const Command* const command : kCommands)
        if (name == command->spec.name)
            return command;
    return nullptr;
}

int usage_error(Context& context, const lctl::Command& command, std::string_view complaint)
{
    context.error(complaint, EINVAL);
    context.err.put(
        fmt::format("usage: lfs {}\nSee 'lfs help {}'.\n", lctl::usage_of(command), command.name));
    return EINVAL;
}

int global_error(Context& context, std::string_view complaint)
{
    context.err.put(fmt::format("lfs: {}{} See 'lfs --help'.\n", complaint,
                                complaint.ends_with('?') ? "" : "."));
    return EINVAL;
}

int unknown_command(Context& context, std::string_view name)
{
    std::vector<std::string_view> names = {"help"};

    for (const Command* const command : kCommands)
        names.emplace_back(command->spec.name);
    return global_error(context, fmt::format("'{}' is not a command{}", name,
                                             ll::did_you_mean(ll::nearest_name(name, names))));
}

void put_overview(lctl::Writer& out)
{
    out.put(
        "usage: lfs COMMAND [ARGUMENT...]\n"
        "Layouts of files, free space and targets of mounted file systems.\n"
        "\n");
    for (const Command* const command : kCommands)
        lctl::put_help_row(out, command->spec.name, command->spec.summary);
    lctl::put_help_row(out, "help", "print help of commands");
    out.put(
        "\nOptions:\n"
        "  -h, --help              print this summary\n"
        "      --list-commands     print the names of all commands\n"
        "  -V, --version           print the version\n"
        "\nSee 'lfs help COMMAND'. Exit status: 0, or the errno of the first error.\n"
        "Manual: man lfs\n");
}

void put_help(lctl::Writer& out, const Command& command)
{
    lctl::put_command_help(out, "lfs", command.spec);
    out.put("\nManual: man lfs\n");
}

int run_help(Context& context, std::span<char* const> words)
{
    if (words.empty())
        put_overview(context.out);
    for (const char* const word : words) {
        const Command* const command = command_named(word);

        if (command == nullptr)
            return unknown_command(context, word);
        put_help(context.out, *command);
    }
    return 0;
}

}  // namespace

void Context::line(std::string_view object, std::string_view text)
{
    out.put(fmt::format("{}{}{}\n", object, object.empty() ? "" : ": ", text));
}

void Context::warn(std::string_view text)
{
    out.flush();
    err.put(fmt::format("{}\n", text));
}

int Context::error(std::string_view text, int code)
{
    warn(fmt::format("error: {}: {}", command_, text));
    printer_->failure(code, text);
    if (status_ == 0)
        status_ = code;
    return code;
}

int Context::error(std::string_view object, const ll::Error& error)
{
    return this->error(fmt::format("{}: {}", object, error.text), error.code);
}

namespace {

int run_words(Context& context, const Command& command,
              const tl::expected<Arguments, std::string>& arguments)
{
    if (!arguments)
        return usage_error(context, command.spec, arguments.error());
    if (arguments->has("help")) {
        put_help(context.out, command);
        return 0;
    }
    if (const std::string wrong = lctl::count_complaint(command.spec, *arguments); !wrong.empty())
        return usage_error(context, command.spec, wrong);
    command.run(context, *arguments);
    return context.status();
}

void put_names(lctl::Writer& out)
{
    for (const Command* const command : kCommands)
        out.put(fmt::format("{}\n", command->spec.name));
}

/* The status of a word that is not a command; nothing for a command. */
std::optional<int> run_option(Context& context, std::span<char* const> words)
{
    const std::string_view word = words.empty() ? "" : words.front();

    if (command_named(word) != nullptr)
        return std::nullopt;
    if (word == "help" || word == "--help" || word == "-h")
        return run_help(context, words.subspan(1));
    if (word == "--list-commands")
        put_names(context.out);
    else if (word == "--version" || word == "-V")
        context.out.put(fmt::format("lfs: {}\n", lctl::kVersion));
    else
        return words.empty() ? global_error(context, "missing COMMAND")
                             : unknown_command(context, word);
    return 0;
}

int finish(Context& context, int status)
{
    context.out.flush();
    if (context.out.error() != 0 && status == 0) {
        context.err.put("error: lfs: standard output: " + ll::errno_text(context.out.error()) +
                        "\n");
        status = context.out.error();
    }
    context.err.flush();
    return status;
}

}  // namespace

int run(Context& context, int argc, char* const* argv)
{
    const std::span<char* const> words(argv + 1, static_cast<std::size_t>(std::max(argc - 1, 0)));

    if (const auto status = run_option(context, words))
        return finish(context, *status);

    const Command& command = *command_named(words.front());
    const auto arguments =
        lctl::parse_arguments(command.spec, static_cast<int>(words.size()), words.data());

    context.command_ = command.spec.name;
    context.printer_ = std::make_unique<lctl::Printer>(
        context.out, command.spec,
        arguments ? arguments->format.value_or(lctl::Format::Text) : lctl::Format::Text,
        arguments && arguments->pretty);

    const int status = run_words(context, command, arguments);

    if (arguments && !arguments->has("help"))
        context.printer_->end();
    return finish(context, status);
}

}  // namespace lfs
