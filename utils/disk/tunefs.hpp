// SPDX-License-Identifier: GPL-2.0-only
/*
 * tunefs.lustre-lite: prints and changes what a target is.
 */
#pragma once

#include "disk/mountdata.hpp"
#include "disk/tool.hpp"

namespace disk {

/** What tunefs.lustre-lite was asked for. */
struct TunefsRequest {
    TargetOptions options;
    std::vector<std::string> erase;  // names, before anything is added
    bool erase_all = false;          // parameters, those that name nodes not
    bool writeconf = false;
    bool import = false;  // of a target that real Lustre wrote
    bool force = false;   // also if its files have no attributes
    std::string directory;

    bool changes() const;
};

/** Do to mountdata what is asked for. The version is left. EINVAL, ENOENT. */
ll::Status change_mountdata(const TunefsRequest& request, MountData& data);

/** The whole program. Return: its exit status. */
int run_tunefs(lctl::Writer& out, lctl::Writer& err, int argc, char* const* argv);

}  // namespace disk
