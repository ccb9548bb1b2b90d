// SPDX-License-Identifier: GPL-2.0
/* get_param -P: what is permanent, and where from. */
#pragma once

#include "lctl/command.hpp"
#include "lctl/context.hpp"

namespace lctl {

/**
 * Print the permanent settings that the operands mean; without any, all.
 *
 * Return: 0 or an errno: ENOENT where there is none
 */
int get_permanent(Context& context, const Arguments& arguments);

}  // namespace lctl
