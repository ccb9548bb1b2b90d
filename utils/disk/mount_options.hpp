// SPDX-License-Identifier: GPL-2.0-only
/*
 * Options of a mount, taken apart: what is of any mount, what is only of fstab and
 * of mount(8), what this program does itself, and what is left for the file system.
 */
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/error.hpp"

namespace disk {

/** Most attempts besides the first. */
constexpr unsigned kMaxRetry = 100000;

struct FsOption {
    std::string name;
    std::string value;
    bool has_value = false;

    bool operator==(const FsOption&) const = default;
    std::string text() const { return has_value ? name + '=' + value : name; }
};

struct MountOptions {
    /* Of the mount, MOUNT_ATTR_*: those that are to be, those that are not to be. */
    std::uint64_t attr_set = 0;
    std::uint64_t attr_clear = 0;
    /* The same, and what any file system knows, for mount(2): MS_*. */
    unsigned long flags = 0;
    /* In the order given; with ro, sync and the like. */
    std::vector<FsOption> fs;
    unsigned retry = 0;
    bool remount = false;

    /** What mount(2) wants besides flags. */
    std::string data() const;

    /** Add those of "NAME[=VALUE],..."; later ones win. */
    ll::Status add(std::string_view text);

private:
    ll::Status add_one(std::string_view text);
    ll::Status set_retry(std::string_view value);
    void add_to_mount(std::string_view text);
};

}  // namespace disk
