// SPDX-License-Identifier: GPL-2.0
/* lctl at a terminal: prompt, history, completion. */
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lctl/context.hpp"
#include "lctl/shell/completion.hpp"
#include "lctl/shell/editor.hpp"

namespace lctl::shell {

/**
 * Read commands at the terminal until quit, exit or the end of the input. A
 * command that fails does not end it.
 *
 * Return: 0, or an errno when the terminal cannot be used.
 */
int run_prompt(Context& context);

/** What Tab does to a line; @columns is the width of the terminal. */
Completed complete_line(Completion& completion, std::string_view before_cursor,
                        std::size_t columns);

/** Texts in columns, read downwards, as ls(1) prints them. */
std::string in_columns(const std::vector<std::string>& texts, std::size_t columns);

}  // namespace lctl::shell
