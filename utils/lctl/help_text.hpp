// SPDX-License-Identifier: GPL-2.0-only
/*
 * Help of a command as text, for tools that have a table of commands.
 */
#pragma once

#include <string_view>

#include "lctl/command.hpp"
#include "lctl/writer.hpp"

namespace lctl {

/** Two columns; the right one is wrapped. */
void put_help_row(Writer& out, std::string_view left, std::string_view right);
void put_help_option(Writer& out, const Option& option);

/** Usage, summary, help and options of a command of @tool. */
void put_command_help(Writer& out, std::string_view tool, const Command& command);

}  // namespace lctl
