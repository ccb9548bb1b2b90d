// SPDX-License-Identifier: GPL-2.0
/*
 * A time as a person types it to a command of the network.
 */
#pragma once

#include <cstdint>
#include <string>

#include "lctl/command.hpp"

namespace lctl {

/**
 * Seconds, with a fraction if wanted, or behind the number "s" or "ms": 2 0.25 2s
 * 250ms. At least a millisecond, at most @max.
 *
 * Return: words that say what is wrong, or nothing.
 */
std::string parse_time_ms(const Given& given, std::uint32_t max, std::uint32_t& ms);

}  // namespace lctl
