// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is mounted, as /proc/self/mountinfo says it.
 */
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/error.hpp"

namespace disk {

inline constexpr const char* kFileSystemType = "lustre-lite";

struct Mount {
    std::string source;
    std::string directory;
    std::string type;
    std::string root;    // directory of the file system that is mounted there: "/" is all of it
    std::string device;  // "MAJOR:MINOR": that of all mounts of one file system

    bool is_ours() const { return type == kFileSystemType; }
};

/** Mounts among the lines of @mountinfo, in their order: the last one of a directory is seen. */
std::vector<Mount> parse_mountinfo(std::string_view mountinfo);

/** The same of this process. */
std::vector<Mount> all_mounts();

/** Those of lustre-lite among them. */
std::vector<Mount> our_mounts();

}  // namespace disk
