// SPDX-License-Identifier: GPL-2.0-only
#include "lfs/mounted.hpp"

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "lfs/mount_table.hpp"

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
        const auto mount = context.files.mount_of(std::string(path), true);

        if (!mount)
            context.error(path, mount.error());
        else if (std::ranges::find(mounts, *mount) == mounts.end())
            mounts.push_back(*mount);
    }
    return mounts;
}

ll::Result<std::string> name_below(const std::string& mount, const std::string& root,
                                   const std::string& name)
{
    auto below = path_below(root, name);

    if (!below)
        return ll::fail(EXDEV,
                        fmt::format("its name '{}' in the file system is not below {}, which "
                                    "is '{}' there",
                                    name, mount, root));
    return std::move(*below);
}

ll::Result<MountName> mount_name(Files& files, const std::string& mount)
{
    constexpr std::string_view kVolume = "-clilov-";
    const auto volume = files.volume(mount);
    const std::size_t at = volume ? volume->find(kVolume) : std::string::npos;

    if (!volume)
        return tl::unexpected(volume.error());
    if (at == std::string::npos)
        return ll::fail(EPROTO, fmt::format("unknown name of a volume '{}'", *volume));
    return MountName{volume->substr(0, at), volume->substr(at + kVolume.size())};
}

}  // namespace lfs
