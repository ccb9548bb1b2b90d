// SPDX-License-Identifier: GPL-2.0
/* A file as a whole. */
#pragma once

#include <string>

#include "lib/error.hpp"

namespace lctl {

/** @path "-" is standard input. */
ll::Result<std::string> read_file(const std::string& path);

}  // namespace lctl
