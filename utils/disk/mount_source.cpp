// SPDX-License-Identifier: GPL-2.0-only
#include "disk/mount_source.hpp"

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "disk/mountdata.hpp"

namespace disk {

namespace {

/* A path that leads down only, as the kernel has it. */
ll::Status check_subdir(std::string_view subdir)
{
    while (!subdir.empty()) {
        const std::size_t end = std::min(subdir.find('/'), subdir.size());
        const std::string_view part = subdir.substr(0, end);

        if (part == "." || part == "..")
            return ll::fail(EINVAL,
                            fmt::format("a subdirectory of the file system must not contain "
                                        "'{}'",
                                        part));
        subdir.remove_prefix(std::min(end + 1, subdir.size()));
    }
    return {};
}

ll::Status split(std::string_view nodes, std::string_view path, MountSource& source)
{
    auto list = NodeList::parse(nodes);

    if (!list)
        return tl::unexpected(list.error());
    source.nodes = std::move(*list);

    const std::size_t slash = std::min(path.find('/'), path.size());
    source.fsname = path.substr(0, slash);
    source.subdir = path.substr(std::min(slash + 1, path.size()));
    if (source.fsname.empty())
        return ll::fail(EINVAL, "the name of the file system is missing after \":/\"");
    if (auto named = check_fsname(source.fsname); !named)
        return named;
    return check_subdir(source.subdir);
}

}  // namespace

ll::Result<MountSource> parse_source(std::string_view text)
{
    const std::size_t root = text.find(":/");
    MountSource source;

    source.text = text;
    if (text.empty())
        return ll::fail(EINVAL,
                        "the source is missing: NID[,NID][:NID]:/FSNAME, or the "
                        "directory of a target");
    source.is_target = text.front() == '/' || text.front() == '.' || root == std::string_view::npos;
    if (source.is_target)
        return source;
    if (auto known = split(text.substr(0, root), text.substr(root + 2), source); !known)
        return ll::fail(EINVAL, fmt::format("{}: {}", text, known.error().text));
    return source;
}

}  // namespace disk
