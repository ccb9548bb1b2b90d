// SPDX-License-Identifier: GPL-2.0-only
/*
 * fid2path: paths of objects.
 */
#include <cerrno>
#include <charconv>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "lfs/lfs.hpp"
#include "lfs/mounted.hpp"

namespace lfs {

namespace {

constexpr Option kOptions[] = {
    {.letter = 'l',
     .name = "link",
     .argument = "N",
     .help = "print the name of this number only (default: all), from 0"},
    {.letter = 'c', .name = "print-link", .help = "print the number before each name"},
    {.letter = 'f', .name = "print-fid", .help = "print the FID before each name"},
    {.letter = 'n', .name = "name", .help = "print the last component of each path only"},
    {.letter = '0', .name = "print0", .help = "end each name with a NUL"},
};

/** Where paths are asked for, and printed from. */
struct Mount {
    std::string directory;
    std::string prefix;  // "": names are those below the root of the file system
    std::string root;    // what of the file system is mounted, "" for all
};

/* A file system by its name. */
ll::Result<Mount> mount_named(Files& files, std::string_view fsname)
{
    for (const std::string& directory : files.mounts()) {
        const auto name = mount_name(files, directory);

        if (name && name->fsname == fsname)
            return Mount{directory, "", ""};
    }
    return ll::fail(ENODEV, "no such file system is mounted");
}

ll::Result<Mount> find_mount(Files& files, std::string_view where)
{
    if (where.find('/') == std::string_view::npos && where != "." && where != "..")
        return mount_named(files, where);

    const auto directory = files.mount_of(std::string(where), true);

    if (!directory)
        return tl::unexpected(directory.error());

    const auto root = files.root_of(*directory);

    if (!root)
        return tl::unexpected(root.error());
    return Mount{*directory, *directory + "/", *root};
}

std::string_view last_component(std::string_view path)
{
    const std::size_t slash = path.rfind('/');

    return slash == std::string_view::npos || path.size() == 1 ? path : path.substr(slash + 1);
}

/* Return: an error for a name that is not below the mount. */
ll::Status put_name(Context& context, const Arguments& arguments, const Mount& mount,
                    std::string_view fid, std::uint32_t number, const std::string& path)
{
    const auto below = name_below(mount.directory, mount.root, path);

    if (!below)
        return tl::unexpected(below.error());

    const std::string full =
        arguments.has("name") ? std::string(last_component(*below)) : mount.prefix + *below;

    if (!context.is_text()) {
        context.printer().item({{"fid", fid}, {"link", number}, {"path", full}});
        return {};
    }
    if (arguments.has("print-fid"))
        context.out.put(fmt::format("[{}] ", fid));
    if (arguments.has("print-link"))
        context.out.put(fmt::format("{} ", number));
    context.out.put(full);
    context.out.put(std::string_view(arguments.has("print0") ? "\0" : "\n", 1));
    return {};
}

void put_names(Context& context, const Arguments& arguments, const Mount& mount, const lu_fid& fid,
               std::optional<std::uint32_t> only)
{
    char text[FID_TEXT_SIZE];
    ll::Status done;

    fid_text(&fid, text);

    const auto take = [&](std::uint32_t number, const std::string& name) -> ll::Status {
        if (auto put = put_name(context, arguments, mount, text, number, name); !put)
            context.error(fmt::format("[{}]", text), put.error());
        return {};
    };

    if (only) {
        const auto name = context.files.path(mount.directory, fid, *only);

        done = name ? take(*only, name->path) : tl::unexpected(name.error());
    } else {
        done = each_name(context.files, mount.directory, fid, take);
    }
    if (!done)
        context.error(fmt::format("[{}]", text), done.error());
}

bool parse_link(Context& context, const Arguments& arguments, std::optional<std::uint32_t>& only)
{
    const lctl::Given* const given = arguments.find("link");

    if (given == nullptr)
        return true;

    const std::string_view text = *given->argument;
    std::uint32_t number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);

    if (code != std::errc() || end != text.data() + text.size()) {
        context.error(fmt::format("'{}' is not the number of a name", text), EINVAL);
        return false;
    }
    only = number;
    return true;
}

void run_fid2path(Context& context, const Arguments& arguments)
{
    const std::string_view where = arguments.operands.front();
    const auto mount = find_mount(context.files, where);
    std::optional<std::uint32_t> only;

    if (!mount) {
        context.error(where, mount.error());
        return;
    }
    if (!parse_link(context, arguments, only))
        return;
    for (const std::string_view text : std::span(arguments.operands).subspan(1)) {
        lu_fid fid = {};

        if (fid_parse(text.data(), text.size(), &fid) != 0)
            context.error(fmt::format("invalid FID '{}'", text), EINVAL);
        else
            put_names(context, arguments, *mount, fid, only);
    }
}

}  // namespace

const Command fid2path_command = {
    .spec = {.name = "fid2path",
             .operands = "FSNAME|PATH FID...",
             .takes = {2, lctl::kMany},
             .summary = "print the paths of files by their FIDs",
             .help = "One line for each name that a file has. With a PATH of the file system the\n"
                     "mount point is put before each, with FSNAME they start at the root.\n",
             .options = kOptions,
             .prints = lctl::Prints::Array,
             .key = "names"},
    .run = run_fid2path,
};

}  // namespace lfs
