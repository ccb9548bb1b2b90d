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

ll::Result<std::optional<Json>> decoded(const ll::Result<std::optional<std::string>>& bytes,
                                        bool directory)
{
    if (!bytes)
        return tl::unexpected(bytes.error());
    if (!*bytes)
        return std::optional<Json>();

    auto layout = ll_decode::decode_layout(**bytes, directory);

    if (layout.fault != nullptr)
        return ll::fail(EBADMSG, fmt::format("{}: {}", LL_XATTR_NAME_LOV, layout.fault));
    return std::optional<Json>(std::move(layout.value));
}

}  // namespace

ll::Result<std::optional<Json>> read_layout(Files& files, const std::string& path, bool directory)
{
    return decoded(files.layout(path), directory);
}

ll::Result<std::optional<Json>> read_default(Files& files, const std::string& path)
{
    auto own = read_layout(files, path, true);

    if (!own)
        return own;

    auto other = decoded(files.root_layout(path), true);

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
