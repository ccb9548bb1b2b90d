// SPDX-License-Identifier: GPL-2.0-only
/*
 * Help, made from the command table; the commands help and version.
 */
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "lctl/command.hpp"
#include "lctl/commands/commands.hpp"
#include "lctl/context.hpp"
#include "lctl/output/printer.hpp"
#include "lctl/version.hpp"

namespace lctl {

namespace {

constexpr std::size_t kHelpColumn = 26;
constexpr std::size_t kHelpWidth = 80;

/* "-c, --color=WHEN"; "[=N]" where the argument may be left out. */
std::string option_forms(const Option& option)
{
    std::string forms = option.letter != 0 ? std::string("-") + option.letter + ", " : "    ";

    forms.append("--").append(option.name);
    if (option.argument == nullptr)
        return forms;
    forms.append(option.optional ? "[=" : "=").append(option.argument);
    if (option.optional)
        forms.push_back(']');
    return forms;
}

/* What fits into one line of @room columns: up to a newline, or to the last blank. */
std::size_t line_length(std::string_view text, std::size_t room)
{
    const std::size_t end = std::min(text.find('\n'), text.size());

    if (end <= room)
        return end;

    const std::size_t blank = text.rfind(' ', room);

    return blank == std::string_view::npos || blank == 0 ? std::min(text.find(' '), end) : blank;
}

/* Two columns; the right one is wrapped. */
void put_row(Writer& out, std::string_view left, std::string_view right)
{
    std::string row = "  ";

    row.append(left);
    if (row.size() + 2 > kHelpColumn)
        row.push_back('\n');
    else
        row.append(kHelpColumn - row.size(), ' ');
    for (bool first = row.back() != '\n'; !right.empty(); first = false) {
        const std::size_t end = line_length(right, kHelpWidth - kHelpColumn);

        if (!first)
            row.append(kHelpColumn, ' ');
        row.append(right.substr(0, end)).push_back('\n');
        right.remove_prefix(std::min(end + 1, right.size()));
    }
    out.put(row);
}

void put_option(Writer& out, const Option& option)
{
    std::string help = option.help;

    if (option.choices != nullptr) {
        help.append(": ");
        for (const char* c = option.choices; *c != '\0'; c++)
            help.append(*c == '|' ? ", " : std::string(1, *c));
    }
    put_row(out, option_forms(option), help);
}

/* Commands about lctl itself. */

int run_help(Context& context, const Arguments& arguments)
{
    if (arguments.operands.empty()) {
        print_overview(context);
        return 0;
    }
    for (const std::string_view name : arguments.operands) {
        const Command* command = find_command(name);

        if (command == nullptr) {
            const std::string near = suggest_command(name);

            return context.error(arguments.command,
                                 "'" + std::string(name) + "' is not a command" +
                                     (near.empty() ? "; see 'lctl --list-commands'" : near),
                                 EINVAL);
        }
        print_help(context, *command);
    }
    return 0;
}

std::string abi_text(std::uint32_t abi)
{
    return std::to_string(LIBCFS_ABI_MAJOR_OF(abi)) + "." +
           std::to_string(LIBCFS_ABI_MINOR_OF(abi));
}

int run_version(Context& context, const Arguments& arguments)
{
    Json tool = {{"release", kVersion}, {"abi", abi_text(LIBCFS_ABI_VERSION)}};

    if (context.is_text())
        print_tool_version(context);

    const auto params = context.params();
    const auto answer = params ? ll::handshake((*params)->port()) : tl::unexpected(params.error());

    if (!context.is_text()) {
        Json versions = {{"lctl", tool}};

        if (answer)
            versions["libcfs"] = {{"release", std::string_view(answer->v_release)},
                                  {"abi", abi_text(answer->v_abi)}};
        context.printer().item(versions);
    } else if (answer) {
        context.out.put(fmt::format("libcfs: {}, ABI {}\n", std::string_view(answer->v_release),
                                    abi_text(answer->v_abi)));
    }
    return answer ? 0 : context.error(arguments.command, answer.error());
}

}  // namespace

void print_help(Context& context, const Command& command)
{
    Writer& out = context.out;

    out.put("usage: lctl " + usage_of(command) + "\n" + command.summary + ".\n");
    for (const char* alias : command.aliases)
        out.put(std::string("Also: lctl ") + alias + "\n");
    if (command.help != nullptr)
        out.put(std::string("\n") + command.help);
    out.put("\nOptions:\n");
    for (const Option* const option : options_of(command))
        put_option(out, *option);
    out.put(std::string("\nManual: man lctl-") + command.name + "\n");
}

void print_overview(Context& context)
{
    Writer& out = context.out;
    const char* group = "";

    out.put(
        "usage: lctl COMMAND [ARGUMENT...]\n"
        "       lctl [--batch=FILE] [--ignore_errors]\n"
        "\n"
        "Without a command lctl reads commands from standard input; on a terminal it has\n"
        "history and completion.\n");
    for (const Command* command : commands()) {
        if (std::strcmp(group, command->group) != 0) {
            group = command->group;
            out.put(std::string("\n") + group + ":\n");
        }
        put_row(out, command->name, command->summary);
    }
    out.put("\nOptions:\n");
    for (const Option& option : global_options())
        put_option(out, option);
    out.put("\nSee 'lctl help COMMAND'. Exit status: 0, or the errno of the first error.\n");
}

void print_command_names(Context& context)
{
    for (const Command* command : commands())
        context.out.put(std::string(command->name) + "\n");
}

void print_tool_version(Context& context)
{
    context.out.put(fmt::format("lctl: {}, ABI {}\n", kVersion, abi_text(LIBCFS_ABI_VERSION)));
}

const Command help_command = {
    .name = "help",
    .group = "lctl",
    .operands = "[COMMAND...]",
    .takes = {0, kMany},
    .summary = "print help",
    .prints = Prints::Text,
    .complete = Complete::Command,
    .run = run_help,
};

const Command version_command = {
    .name = "version",
    .group = "lctl",
    .operands = "",
    .summary = "print the versions of lctl and of the loaded module",
    .prints = Prints::Object,
    .run = run_version,
};

}  // namespace lctl
