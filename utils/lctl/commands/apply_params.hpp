// SPDX-License-Identifier: GPL-2.0-only
/* set_param -F: settings from files. */
#pragma once

#include "lctl/command.hpp"
#include "lctl/context.hpp"

namespace lctl {

/**
 * Apply the files that the operands name: what save_params wrote to this node, what
 * llog_print printed of a log to the management service.
 *
 * Return: 0 or the errno of the first error
 */
int set_from_files(Context& context, const Arguments& arguments);

}  // namespace lctl
