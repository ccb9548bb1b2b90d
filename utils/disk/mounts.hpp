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
};

/** Mounts of lustre-lite among the lines of @mountinfo; other lines are skipped. */
std::vector<Mount> parse_mountinfo(std::string_view mountinfo);

/** The same of this process. */
std::vector<Mount> our_mounts();

}  // namespace disk
