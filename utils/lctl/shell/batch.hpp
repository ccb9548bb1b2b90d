// SPDX-License-Identifier: GPL-2.0
/* Commands from a file or a pipe. */
#pragma once

#include <string_view>

#include "lctl/context.hpp"

namespace lctl::shell {

/**
 * Run the lines of @fd until the first that fails, or all of them with
 * @ignore_errors or behind a line "ignore_errors". Errors name @source and the
 * line.
 *
 * Return: status of what failed first, or 0.
 */
int run_batch(Context& context, int fd, std::string_view source, bool ignore_errors);

}  // namespace lctl::shell
