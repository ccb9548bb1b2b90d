// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order in which help lists the commands, group by group.
 */
#include "lctl/command.hpp"
#include "lctl/commands/commands.hpp"

namespace lctl {

namespace {

constexpr const Command* kCommands[] = {
    &get_param_command,
    &set_param_command,
    &list_param_command,
    &find_param_command,
    &help_param_command,
    &watch_param_command,
    &save_params_command,
    &apply_params_command,
    &device_list_command,
    &attach_command,
    &setup_command,
    &cleanup_command,
    &detach_command,
    &device_command,
    &newdev_command,
    &activate_command,
    &deactivate_command,
    &recover_command,
    &add_uuid_command,
    &del_uuid_command,
    &add_conn_command,
    &del_conn_command,
    &set_timeout_command,
    &mount_option_command,
    &del_mount_option_command,
    &monitor_command,
    &echo_test_command,
    &ping_command,
    &list_nids_command,
    &peer_list_command,
    &conn_list_command,
    &network_command,
    &net_drop_add_command,
    &net_delay_add_command,
    &net_drop_del_command,
    &net_drop_list_command,
    &debug_kernel_command,
    &debug_file_command,
    &debug_list_command,
    &show_command,
    &filter_command,
    &clear_command,
    &mark_command,
    &conf_param_command,
    &replace_nids_command,
    &clear_conf_command,
    &fork_lcfg_command,
    &erase_lcfg_command,
    &writeconf_command,
    &replace_target_command,
    &del_ost_command,
    &pool_new_command,
    &pool_add_command,
    &pool_remove_command,
    &pool_destroy_command,
    &pool_list_command,
    &llog_catlist_command,
    &llog_info_command,
    &llog_print_command,
    &llog_check_command,
    &llog_cancel_command,
    &replay_config_command,
    &help_command,
    &version_command,
};

constexpr Option kGlobalOptions[] = {
    {.name = "batch",
     .argument = "FILE",
     .help = "run the commands in FILE",
     .complete = Complete::File},
    {.name = "device",
     .argument = "DEVICE",
     .help = "the current device, by its number or name",
     .complete = Complete::Device},
    {.name = "ignore_errors", .help = "continue after a failed command in a batch"},
    {.letter = 'h', .name = "help", .help = "list all commands"},
    {.name = "json",
     .argument = "FORM",
     .optional = true,
     .help = "print JSON with every command; indented with --json=pretty"},
    {.name = "list-commands", .help = "print the names of all commands"},
    {.letter = 'V', .name = "version", .help = "print the version of lctl"},
    {.letter = 'y', .name = "yaml", .help = "print YAML with every command"},
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
