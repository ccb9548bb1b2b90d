// SPDX-License-Identifier: GPL-2.0-only
/*
 * Layouts of files as values, as ll_decode has them.
 */
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lfs/files.hpp"
#include "ll_decode/decode.hpp"

namespace lfs {

/** The layout of a file, or what is stored as the default of a directory; or none. */
ll::Result<std::optional<lctl::Json>> read_layout(Files& files, const std::string& path,
                                                  bool directory);

/** The default of a directory; what it does not set is that of the file system. */
ll::Result<std::optional<lctl::Json>> read_default(Files& files, const std::string& path);

std::string join(std::string_view directory, std::string_view name);

}  // namespace lfs
