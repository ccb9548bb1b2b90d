// SPDX-License-Identifier: GPL-2.0-only
/*
 * The commands that make up the table (table.cpp puts them in order).
 */
#pragma once

#include "lctl/command.hpp"

namespace lctl {

extern const Command get_param_command;
extern const Command set_param_command;
extern const Command list_param_command;
extern const Command find_param_command;
extern const Command help_param_command;
extern const Command watch_param_command;

extern const Command help_command;
extern const Command version_command;

/* debug.cpp */
extern const Command debug_kernel_command;
extern const Command debug_file_command;
extern const Command debug_list_command;
extern const Command show_command;
extern const Command filter_command;
extern const Command clear_command;
extern const Command mark_command;

/* device.cpp */
extern const Command attach_command;
extern const Command setup_command;
extern const Command cleanup_command;
extern const Command detach_command;
extern const Command device_command;
extern const Command newdev_command;

/* device_list.cpp, watch.cpp */
extern const Command device_list_command;
extern const Command monitor_command;

extern const Command activate_command;
extern const Command deactivate_command;
extern const Command recover_command;

/* echo_test.cpp */
extern const Command echo_test_command;

/* device.cpp */
extern const Command add_uuid_command;
extern const Command del_uuid_command;
extern const Command add_conn_command;
extern const Command del_conn_command;
extern const Command set_timeout_command;
extern const Command mount_option_command;
extern const Command del_mount_option_command;

/* net_nodes.cpp */
extern const Command ping_command;
extern const Command list_nids_command;
extern const Command peer_list_command;
extern const Command conn_list_command;
extern const Command network_command;

/* net_rules.cpp */
extern const Command net_drop_add_command;
extern const Command net_delay_add_command;
extern const Command net_drop_del_command;
extern const Command net_drop_list_command;

/* mgs_commands.cpp */
extern const Command conf_param_command;
extern const Command replace_nids_command;
extern const Command clear_conf_command;
extern const Command fork_lcfg_command;
extern const Command erase_lcfg_command;
extern const Command writeconf_command;
extern const Command replace_target_command;
extern const Command del_ost_command;
extern const Command pool_new_command;
extern const Command pool_add_command;
extern const Command pool_remove_command;
extern const Command pool_destroy_command;

/* pool_list.cpp */
extern const Command pool_list_command;

/* llog.cpp, replay_config.cpp */
extern const Command llog_catlist_command;
extern const Command llog_info_command;
extern const Command llog_print_command;
extern const Command llog_check_command;
extern const Command llog_cancel_command;
extern const Command replay_config_command;

/* save_params.cpp, apply_params.cpp */
extern const Command save_params_command;
extern const Command apply_params_command;

/**
 * set_param -F: apply the files that the operands name: what save_params wrote to this node, what
 * llog_print printed of a log to the management service.
 *
 * Return: 0 or the errno of the first error
 */
int set_from_files(Context& context, const Arguments& arguments);

}  // namespace lctl
