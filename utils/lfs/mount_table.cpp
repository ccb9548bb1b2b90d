// SPDX-License-Identifier: GPL-2.0-only
#include "lfs/mount_table.hpp"

#include <algorithm>

namespace lfs {

namespace {

/* The source of a target is a directory. */
bool is_client(const disk::Mount& mount)
{
    return mount.is_ours() && mount.source.find(":/") != std::string::npos;
}

bool has_path(const disk::Mount& mount, const std::string& path)
{
    return mount.directory == "/" || mount.directory == path ||
           path.starts_with(mount.directory + "/");
}

}  // namespace

std::vector<std::string> file_systems(const std::vector<disk::Mount>& mounts)
{
    std::vector<disk::Mount> found;
    std::vector<std::string> directories;

    for (const disk::Mount& mount : mounts) {
        if (!is_client(mount))
            continue;

        const auto same = std::ranges::find(found, mount.device, &disk::Mount::device);

        if (same == found.end())
            found.push_back(mount);
        else if (same->root != "/" && mount.root == "/")
            *same = mount;
    }
    std::ranges::transform(found, std::back_inserter(directories), &disk::Mount::directory);
    return directories;
}

/* The longest one; a later mount of the same directory is on top of it. */
std::optional<disk::Mount> client_mount_at(const std::vector<disk::Mount>& mounts,
                                           const std::string& path)
{
    const disk::Mount* best = nullptr;

    for (const disk::Mount& mount : mounts)
        if (has_path(mount, path) &&
            (best == nullptr || mount.directory.size() >= best->directory.size()))
            best = &mount;
    if (best == nullptr || !is_client(*best))
        return std::nullopt;
    return *best;
}

std::optional<std::string> path_below(const std::string& root, const std::string& path)
{
    if (root.empty())
        return path;
    if (path == root)
        return "/";
    if (!path.starts_with(root + "/"))
        return std::nullopt;
    return path.substr(root.size() + 1);
}

}  // namespace lfs
