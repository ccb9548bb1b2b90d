// SPDX-License-Identifier: GPL-2.0
/* Targets as real Lustre's commands of pools name them. */
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/error.hpp"

namespace lctl {

/**
 * "OST0000", "lustre-OST0000", "lustre-OST0000_UUID", and several at once, their
 * indexes in hexadecimal: "OST[0-3]", "lustre-OST[0,2,8-f/2]_UUID".
 *
 * Return: whole names, "lustre-OST0000"; EINVAL, in words, where it is no such name
 */
ll::Result<std::vector<std::string>> pool_targets(std::string_view fsname, std::string_view text);

}  // namespace lctl
