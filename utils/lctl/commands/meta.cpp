// SPDX-License-Identifier: GPL-2.0
/*
 * Commands about lctl itself: help, version.
 */
#include <cerrno>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "lctl/commands/commands.hpp"
#include "lctl/context.hpp"
#include "lctl/version.hpp"

namespace lctl {

namespace {

int run_help(Context& context, const Arguments& arguments)
{
    if (arguments.operands.empty()) {
        print_overview(context);
        return 0;
    }
    for (const std::string_view name : arguments.operands) {
        const Command* command = find_command(name);

        if (command == nullptr)
            return context.error(
                arguments.command,
                "'" + std::string(name) + "' is not a command, see 'lctl --list-commands'", EINVAL);
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
    if (!arguments.operands.empty())
        return usage_error(context, arguments, "takes no operands");
    print_tool_version(context);

    const auto params = context.params();

    if (!params)
        return context.error(arguments.command, params.error());

    const auto answer = ll::handshake((*params)->port());

    if (!answer)
        return context.error(arguments.command, answer.error());
    context.out.put(fmt::format("libcfs: {}, ABI {}\n", std::string_view(answer->v_release),
                                abi_text(answer->v_abi)));
    return 0;
}

}  // namespace

void print_tool_version(Context& context)
{
    context.out.put(fmt::format("lctl: {}, ABI {}\n", kVersion, abi_text(LIBCFS_ABI_VERSION)));
}

const Command help_command = {
    .name = "help",
    .group = "lctl",
    .operands = "[COMMAND...]",
    .summary = "print help",
    .complete = Complete::Command,
    .run = run_help,
};

const Command version_command = {
    .name = "version",
    .group = "lctl",
    .operands = "",
    .summary = "print the versions of lctl and of the loaded module",
    .run = run_version,
};

}  // namespace lctl
