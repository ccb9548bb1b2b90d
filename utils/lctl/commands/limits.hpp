// SPDX-License-Identifier: GPL-2.0
/*
 * When a command ends that prints what happens: --count and --timeout.
 */
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "lctl/command.hpp"

namespace lctl {

struct Limits {
    std::uint64_t count = 0;  // of lines, 0: no limit
    std::optional<std::chrono::steady_clock::time_point> until;
};

/** Return: words that say what is wrong, or nothing. */
std::string parse_limits(const Arguments& arguments, Limits& limits);

namespace options {

inline constexpr Option kCount = {
    .letter = 'n',
    .name = "count",
    .argument = "COUNT",
    .help = "end after COUNT lines",
};
inline constexpr Option kTimeout = {
    .name = "timeout",
    .argument = "SECONDS",
    .help = "end after so many seconds",
};

}  // namespace options

}  // namespace lctl
