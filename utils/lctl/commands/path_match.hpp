// SPDX-License-Identifier: GPL-2.0
/*
 * How a path that came by itself lies to a pattern.
 */
#pragma once

#include <cstdint>
#include <string_view>

#include "lib/pathspec.hpp"

namespace lctl {

enum class Relation : std::uint8_t {
    None,
    Above,  // something below the path could match
    Below,  // something above the path matches
    Match,
};

/** @path is raw. Where several are true, the later in the enum is returned. */
Relation relate(const ll::PathSpec& spec, std::string_view path);

}  // namespace lctl
