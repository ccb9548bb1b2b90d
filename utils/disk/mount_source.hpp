// SPDX-License-Identifier: GPL-2.0
/*
 * What is to be mounted: a file system, by the nodes of its management service, or
 * the folder of a target.
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

/** What begins with '/' or '.' or has no ":/" is a folder, and is not looked at here. */
ll::Result<MountSource> parse_source(std::string_view text);

}  // namespace disk
