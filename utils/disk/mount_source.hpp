// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source of a mount: a file system, by the nodes of its management service, or the directory
 * of a target.
 */
#pragma once

#include <string>
#include <string_view>

#include "disk/nodes.hpp"
#include "lib/error.hpp"

namespace disk {

struct MountSource {
    std::string text;  // as it was typed
    bool is_target = false;

    /* Of a file system: "NID[,NID...][:NID...]:/FSNAME[/SUBDIR]" */
    NodeList nodes;
    std::string fsname;
    std::string subdir;  // without a '/' before it
};

/** A source that starts with '/' or '.' or has no ":/" is a directory, and is not parsed here. */
ll::Result<MountSource> parse_source(std::string_view text);

}  // namespace disk
