// SPDX-License-Identifier: GPL-2.0
/* set_param -P: settings that the management service keeps. */
#pragma once

#include "lctl/command.hpp"
#include "lctl/context.hpp"

namespace lctl {

/**
 * Store what the operands assign, or, with -d, take it back; one after the other.
 *
 * Return: 0 or the errno of the first error
 */
int set_permanent(Context& context, const Arguments& arguments);

}  // namespace lctl
