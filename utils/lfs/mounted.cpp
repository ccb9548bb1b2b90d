// SPDX-License-Identifier: GPL-2.0-only
#include "lfs/mounted.hpp"

#include <algorithm>
#include <cerrno>

namespace lfs {

std::vector<std::string> mounts_of(Context& context, const Arguments& arguments)
{
    std::vector<std::string> mounts;

    if (arguments.operands.empty()) {
        mounts = context.files.mounts();
        if (mounts.empty())
            context.error("no file system is mounted", ENODEV);
        return mounts;
    }
    for (const std::string_view path : arguments.operands) {
        const auto mount = context.files.mount_of(std::string(path));

        if (!mount)
            context.error(path, mount.error());
        else if (std::ranges::find(mounts, *mount) == mounts.end())
            mounts.push_back(*mount);
    }
    return mounts;
}

}  // namespace lfs
