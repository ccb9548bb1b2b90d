// SPDX-License-Identifier: GPL-2.0
/*
 * What set_param is asked to do: "name=value" or "name value", several times.
 */
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace lctl {

struct Assignment {
    std::string_view name;  // a pattern
    std::string_view value;

    std::string text() const { return std::string(name) + "=" + std::string(value); }
};

/** What stands before the '=' of a word, or all of it. */
std::string_view assigned_name(std::string_view word);

/** Return: the assignments, or words that say what is wrong. */
tl::expected<std::vector<Assignment>, std::string> parse_assignments(
    std::span<const std::string_view> words);

}  // namespace lctl
