// SPDX-License-Identifier: GPL-2.0
/*
 * The order in which help lists the commands, group by group.
 */
#include "lctl/command.hpp"
#include "lctl/commands/commands.hpp"

namespace lctl {

namespace {

constexpr const Command* kCommands[] = {
    &get_param_command,   &set_param_command,    &list_param_command, &find_param_command,
    &help_param_command,  &watch_param_command,  &save_params_command, &apply_params_command,
    &debug_kernel_command, &debug_file_command,  &debug_list_command, &show_command,
    &filter_command,      &clear_command,        &mark_command,       &help_command,
    &version_command,
};

constexpr Option kGlobalOptions[] = {
    {.name = "batch",
     .argument = "FILE",
     .help = "run the commands in FILE",
     .complete = Complete::File},
    {.name = "ignore_errors", .help = "in a batch: go on behind a command that failed"},
    {.name = "list-commands", .help = "print the names of all commands"},
    {.letter = 'V', .name = "version", .help = "print the version of lctl"},
};

}  // namespace

std::span<const Command* const> commands()
{
    return kCommands;
}

std::span<const Option> global_options()
{
    return kGlobalOptions;
}

}  // namespace lctl
