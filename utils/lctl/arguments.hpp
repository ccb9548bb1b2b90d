// SPDX-License-Identifier: GPL-2.0-only
/*
 * A command line taken apart by what the command table says of its command.
 */
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "lctl/command.hpp"

namespace lctl {

/**
 * Take words apart; words[0] is the command's name. Options may stand anywhere
 * before a "--". A long name may be abbreviated where that is unique.
 *
 * Return: the arguments, or an error text.
 */
tl::expected<Arguments, std::string> parse_arguments(const Command& command, int argc,
                                                     char* const* argv);

/** The error in the number of operands; empty if there is none. */
std::string count_complaint(const Command& command, const Arguments& arguments);

/**
 * Split a list in an operand. Return: the text before the first @mark, or all; @text keeps the
 * rest after the mark.
 */
std::string_view cut(std::string_view& text, char mark);

}  // namespace lctl
