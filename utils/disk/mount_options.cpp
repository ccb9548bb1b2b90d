// SPDX-License-Identifier: GPL-2.0-only
#include "disk/mount_options.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include <fmt/format.h>
#include <sys/mount.h>

#include "lib/number.hpp"

namespace disk {

namespace {

/* An option that any mount knows. */
struct Generic {
    std::string_view name;
    std::uint64_t attr_set = 0;
    std::uint64_t attr_clear = 0;
    unsigned long flags_set = 0;
    unsigned long flags_clear = 0;
    bool of_fs = false;  // the file system is told, too
};

constexpr unsigned long kAtimeFlags = MS_NOATIME | MS_RELATIME | MS_STRICTATIME;

constexpr std::array<Generic, 25> kGeneric = {{
    {"ro", MOUNT_ATTR_RDONLY, 0, MS_RDONLY, 0, true},
    {"rw", 0, MOUNT_ATTR_RDONLY, 0, MS_RDONLY, true},
    {"nosuid", MOUNT_ATTR_NOSUID, 0, MS_NOSUID, 0},
    {"suid", 0, MOUNT_ATTR_NOSUID, 0, MS_NOSUID},
    {"nodev", MOUNT_ATTR_NODEV, 0, MS_NODEV, 0},
    {"dev", 0, MOUNT_ATTR_NODEV, 0, MS_NODEV},
    {"noexec", MOUNT_ATTR_NOEXEC, 0, MS_NOEXEC, 0},
    {"exec", 0, MOUNT_ATTR_NOEXEC, 0, MS_NOEXEC},
    {"noatime", MOUNT_ATTR_NOATIME, MOUNT_ATTR__ATIME, MS_NOATIME, kAtimeFlags},
    {"atime", 0, MOUNT_ATTR__ATIME, 0, MS_NOATIME},
    {"relatime", 0, MOUNT_ATTR__ATIME, MS_RELATIME, kAtimeFlags},
    {"norelatime", 0, MOUNT_ATTR__ATIME, 0, MS_RELATIME},
    {"strictatime", MOUNT_ATTR_STRICTATIME, MOUNT_ATTR__ATIME, MS_STRICTATIME, kAtimeFlags},
    {"nostrictatime", 0, MOUNT_ATTR__ATIME, 0, MS_STRICTATIME},
    {"nodiratime", MOUNT_ATTR_NODIRATIME, 0, MS_NODIRATIME, 0},
    {"diratime", 0, MOUNT_ATTR_NODIRATIME, 0, MS_NODIRATIME},
    {"nosymfollow", MOUNT_ATTR_NOSYMFOLLOW, 0, MS_NOSYMFOLLOW, 0},
    {"symfollow", 0, MOUNT_ATTR_NOSYMFOLLOW, 0, MS_NOSYMFOLLOW},
    {"sync", 0, 0, MS_SYNCHRONOUS, 0, true},
    {"async", 0, 0, 0, MS_SYNCHRONOUS, true},
    {"dirsync", 0, 0, MS_DIRSYNC, 0, true},
    {"lazytime", 0, 0, MS_LAZYTIME, 0, true},
    {"nolazytime", 0, 0, 0, MS_LAZYTIME, true},
    {"silent", 0, 0, MS_SILENT, 0},
    {"loud", 0, 0, 0, MS_SILENT},
}};

/* Of fstab and mount(8), and done when this program runs. */
constexpr std::array<std::string_view, 13> kDone = {
    "defaults", "auto",  "noauto", "_netdev", "nofail",  "user",    "nouser",
    "users",    "owner", "group",  "noowner", "nogroup", "nousers",
};
constexpr std::array<std::string_view, 6> kDoneBegin = {
    "x-", "X-", "comment=", "user=", "helper=", "uhelper=",
};

const Generic* find_generic(std::string_view name)
{
    const auto* found = std::find_if(kGeneric.begin(), kGeneric.end(),
                                     [&](const Generic& each) { return each.name == name; });

    return found == kGeneric.end() ? nullptr : found;
}

bool is_done(std::string_view text)
{
    return std::find(kDone.begin(), kDone.end(), text) != kDone.end() ||
           std::any_of(kDoneBegin.begin(), kDoneBegin.end(),
                       [&](std::string_view begin) { return text.starts_with(begin); });
}

/* Where the option that @text begins with ends: commas between double quotes are its own. */
std::size_t option_length(std::string_view text)
{
    bool quoted = false;
    std::size_t at = 0;

    for (; at < text.size() && (quoted || text[at] != ','); at++)
        quoted ^= text[at] == '"';
    return at;
}

std::string unquoted(std::string_view text)
{
    std::string plain(text);

    std::erase(plain, '"');
    return plain;
}

ll::Result<unsigned> parse_retry(std::string_view text)
{
    const auto retry = ll::parse_number(text, kMaxRetry);

    if (!retry)
        return ll::fail(EINVAL, fmt::format("retry={}: must be a number from 0 to {}, the number "
                                            "of retries",
                                            text, kMaxRetry));
    return static_cast<unsigned>(*retry);
}

}  // namespace

ll::Status MountOptions::add(std::string_view text)
{
    while (!text.empty()) {
        const std::size_t length = option_length(text);

        if (auto added = add_one(text.substr(0, length)); !added)
            return added;
        text.remove_prefix(std::min(length + 1, text.size()));
    }
    return {};
}

ll::Status MountOptions::add_one(std::string_view text)
{
    const std::string_view name = text.substr(0, text.find('='));

    if (text.empty() || is_done(text))
        return {};
    if (name.empty())
        return ll::fail(EINVAL, fmt::format("option '{}' has no name", text));
    if (name == "retry")
        return set_retry(text.substr(name.size()));
    if (text == "remount")
        remount = true;
    else
        add_to_mount(text);
    return {};
}

/* @value: with its '=', or empty */
ll::Status MountOptions::set_retry(std::string_view value)
{
    const auto number = parse_retry(value.empty() ? value : value.substr(1));

    if (!number)
        return tl::unexpected(number.error());
    retry = *number;
    return {};
}

void MountOptions::add_to_mount(std::string_view text)
{
    const Generic* generic = find_generic(text);
    const std::size_t equals = text.find('=');

    if (generic != nullptr) {
        attr_set = (attr_set & ~generic->attr_clear) | generic->attr_set;
        attr_clear = (attr_clear & ~generic->attr_set) | generic->attr_clear;
        flags = (flags & ~generic->flags_clear) | generic->flags_set;
        if (!generic->of_fs)
            return;
    }
    fs.push_back({std::string(text.substr(0, equals)),
                  equals == std::string_view::npos ? "" : unquoted(text.substr(equals + 1)),
                  equals != std::string_view::npos});
}

std::string MountOptions::data() const
{
    std::string data;

    for (const FsOption& option : fs)
        if (option.has_value || find_generic(option.name) == nullptr)
            data += (data.empty() ? "" : ",") + option.text();
    return data;
}

}  // namespace disk
