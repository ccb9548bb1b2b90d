// SPDX-License-Identifier: GPL-2.0
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

/* save_apply.cpp */
extern const Command save_params_command;
extern const Command apply_params_command;

}  // namespace lctl
