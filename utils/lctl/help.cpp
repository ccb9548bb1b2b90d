// SPDX-License-Identifier: GPL-2.0-only
/*
 * Help, made from the command table; the commands help and version.
 */
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "lctl/command.hpp"
#include "lctl/commands/commands.hpp"
#include "lctl/context.hpp"
#include "lctl/help_text.hpp"
#include "lctl/output/printer.hpp"

namespace lctl {

namespace {

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
    put_command_help(context.out, "lctl", command);
    context.out.put(std::string("\nManual: man lctl-") + command.name + "\n");
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
        put_help_row(out, command->name, command->summary);
    }
    out.put("\nOptions:\n");
    for (const Option& option : global_options())
        put_help_option(out, option);
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
