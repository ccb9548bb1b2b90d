// SPDX-License-Identifier: GPL-2.0-only
#pragma once

namespace lctl {

class Context;

/**
 * All of lctl: argv as main() gets it.
 *
 * Return: exit status: 0 or the errno of the first error; output is flushed.
 */
int run_lctl(Context& context, int argc, char* const* argv);

}  // namespace lctl
