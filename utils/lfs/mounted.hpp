// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>
#include <vector>

#include "lfs/lfs.hpp"

namespace lfs {

/** Mounts that the operands are on, each once; without operands all. Errors are printed. */
std::vector<std::string> mounts_of(Context& context, const Arguments& arguments);

}  // namespace lfs
