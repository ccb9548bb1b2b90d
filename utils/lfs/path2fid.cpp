// SPDX-License-Identifier: GPL-2.0-only
/*
 * path2fid: FIDs of files.
 */
#include <cerrno>

#include <fmt/format.h>

#include "lfs/lfs.hpp"
#include "lfs/mounted.hpp"

namespace lfs {

namespace {

constexpr Option kOptions[] = {
    {.letter = 0,
     .name = "parents",
     .help = "print the FID of the parent of each name, and the name"},
};

/* A path below the root: its directory below @mount, and its last component. */
struct Place {
    std::string parent;
    std::string name;
};

Place place_of(const std::string& mount, const std::string& path)
{
    const std::size_t slash = path.rfind('/');

    if (slash == std::string::npos)
        return {mount, path};
    return {mount + "/" + path.substr(0, slash), path.substr(slash + 1)};
}

ll::Result<std::vector<Place>> places_of(Files& files, const std::string& path, const lu_fid& fid)
{
    const auto mount = files.mount_of(path, false);
    std::vector<Place> places;

    if (!mount)
        return tl::unexpected(mount.error());

    const auto root = files.root_of(*mount);

    if (!root)
        return tl::unexpected(root.error());

    const auto done =
        each_name(files, *mount, fid, [&](std::uint32_t, const std::string& name) -> ll::Status {
            const auto below = name_below(*mount, *root, name);

            if (!below)
                return tl::unexpected(below.error());
            if (*below == "/")
                return ll::fail(ENODATA, root->empty() ? "the root has no parent"
                                                       : "its parent is not in this mount");
            places.push_back(place_of(*mount, *below));
            return {};
        });

    if (!done)
        return tl::unexpected(done.error());
    return places;
}

void put_parents(Context& context, std::string_view path, const lu_fid& fid, bool several)
{
    const auto places = places_of(context.files, std::string(path), fid);
    char text[FID_TEXT_SIZE];

    if (!places) {
        context.error(path, places.error());
        return;
    }
    for (const Place& place : *places) {
        const auto parent = context.files.fid(place.parent);

        if (!parent)
            context.error(place.parent, parent.error());
        else if (!context.is_text())
            context.printer().item(
                {{"file", path}, {"parent", fid_text(&*parent, text)}, {"name", place.name}});
        else
            context.line(several ? path : "",
                         fmt::format("[{}]/{}", fid_text(&*parent, text), place.name));
    }
}

void run_path2fid(Context& context, const Arguments& arguments)
{
    const bool several = arguments.operands.size() > 1;

    for (const std::string_view path : arguments.operands) {
        const auto fid = context.files.fid(std::string(path));
        char text[FID_TEXT_SIZE];

        if (!fid)
            context.error(path, fid.error());
        else if (arguments.has("parents"))
            put_parents(context, path, *fid, several);
        else if (!context.is_text())
            context.printer().item({{"file", path}, {"fid", fid_text(&*fid, text)}});
        else
            context.line(several ? path : "", fmt::format("[{}]", fid_text(&*fid, text)));
    }
}

}  // namespace

const Command path2fid_command = {
    .spec = {.name = "path2fid",
             .operands = "PATH...",
             .takes = {1, lctl::kMany},
             .summary = "print the FIDs of files",
             .options = kOptions,
             .prints = lctl::Prints::Array},
    .run = run_path2fid,
};

}  // namespace lfs
