// SPDX-License-Identifier: GPL-2.0-only
/*
 * mkfs.lustre-lite: make a directory a target.
 */
#pragma once

#include "disk/mountdata.hpp"
#include "disk/tool.hpp"

namespace disk {

/** What mkfs.lustre-lite was asked for. */
struct MkfsRequest {
    TargetOptions options;
    std::uint32_t types = 0;  // LDD_F_SV_TYPE_*
    std::string fsname;
    std::optional<std::uint32_t> index;
    bool replace = false;
    bool reformat = false;
    std::string directory;
};

/** mountdata of a new target. EINVAL: there can be no such target. */
ll::Result<MountData> make_mountdata(const MkfsRequest& request);

/** The whole program. Return: its exit status. */
int run_mkfs(lctl::Writer& out, lctl::Writer& err, int argc, char* const* argv);

}  // namespace disk
