// SPDX-License-Identifier: GPL-2.0-only
/*
 * Removal of a file, or of a directory with all that is below it.
 */
#pragma once

#include <string>

#include "lib/error.hpp"
#include "lib/fd.hpp"

namespace disk {

/**
 * Remove @name of the directory @parent, whose path is @path. Trees may be of any depth. Symbolic
 * links are not followed, and other file systems not entered (EXDEV). A file that is not there is
 * removed. Errors name the path that cannot be removed.
 */
ll::Status remove_tree(const ll::Fd& parent, const std::string& path, const std::string& name);

}  // namespace disk
