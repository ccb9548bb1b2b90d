// SPDX-License-Identifier: GPL-2.0-only
/*
 * Client mounts in the table of mounts, where a mount may be of a directory of a file system: a bind
 * mount, or one of a subdirectory.
 */
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "disk/mounts.hpp"

namespace lfs {

/** One directory for each file system: that of its root, if it is mounted. */
std::vector<std::string> file_systems(const std::vector<disk::Mount>& mounts);

/** The mount that has @path, which has no symbolic links; nothing if it is not a client's. */
std::optional<disk::Mount> client_mount_at(const std::vector<disk::Mount>& mounts,
                                           const std::string& path);

/**
 * A path below the root of the file system as one below the directory @root of it, which is "" for
 * the root; nothing if it is not below it. @root itself is "/".
 */
std::optional<std::string> path_below(const std::string& root, const std::string& path);

}  // namespace lfs
