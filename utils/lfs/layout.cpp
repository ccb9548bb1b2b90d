// SPDX-License-Identifier: GPL-2.0-only
#include "lfs/layout.hpp"

#include <cerrno>

#include <fmt/format.h>

namespace lfs {

namespace {

using lctl::Json;

/* Members that are 0 where a directory leaves them to the file system. */
constexpr const char* kInherited[] = {"stripe_count", "stripe_size"};

void fill_in(Json& layout, const Json& from)
{
    for (const char* const key : kInherited)
        if (layout.contains(key) && from.contains(key) && layout.at(key) == 0)
            layout[key] = from.at(key);
}

}  // namespace

ll::Result<std::optional<Json>> read_layout(Files& files, const std::string& path, bool directory)
{
    const auto bytes = files.layout(path);

    if (!bytes)
        return tl::unexpected(bytes.error());
    if (!*bytes)
        return std::optional<Json>();

    auto decoded = ll_decode::decode_layout(**bytes, directory);

    if (decoded.fault != nullptr)
        return ll::fail(EBADMSG, fmt::format("{}: {}", LL_XATTR_NAME_LOV, decoded.fault));
    return std::optional<Json>(std::move(decoded.value));
}

ll::Result<std::optional<Json>> read_default(Files& files, const std::string& path)
{
    auto own = read_layout(files, path, true);

    if (!own)
        return own;

    const auto mount = files.mount_of(path);
    auto other = mount ? read_layout(files, *mount, true) : tl::unexpected(mount.error());

    if (!other || !*other)
        return own;
    if (!*own)
        return other;
    fill_in(**own, **other);
    return own;
}

std::string join(std::string_view directory, std::string_view name)
{
    std::string path(directory);

    if (!path.ends_with('/'))
        path.push_back('/');
    return path.append(name);
}

}  // namespace lfs
