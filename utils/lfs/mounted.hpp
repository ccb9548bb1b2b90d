// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>
#include <vector>

#include "lfs/lfs.hpp"

namespace lfs {

/** Mounts that the operands are on, each once; without operands all. Errors are printed. */
std::vector<std::string> mounts_of(Context& context, const Arguments& arguments);

/** A name of an object, which is a path below the root, as one below @mount, whose root_of() is @root. */
ll::Result<std::string> name_below(const std::string& mount, const std::string& root,
                                   const std::string& name);

/** File system and instance of a mount. */
struct MountName {
    std::string fsname;
    std::string instance;
};

ll::Result<MountName> mount_name(Files& files, const std::string& mount);

}  // namespace lfs
