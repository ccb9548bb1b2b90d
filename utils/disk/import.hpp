// SPDX-License-Identifier: GPL-2.0-only
/*
 * Targets that real Lustre wrote: what becomes of them here.
 */
#pragma once

#include <string>
#include <vector>

#include "disk/directory.hpp"
#include "disk/mountdata.hpp"

namespace disk {

/** An import: what it makes of a target, and the steps as text. */
struct Import {
    MountData data;
    std::vector<std::string> steps;
};

/**
 * EOPNOTSUPP: nothing of a metadata target with another index could be reached. ENODATA: its files lack
 * what makes them files of Lustre, as a copy without extended attributes does; with @force that is taken
 * as it is.
 */
ll::Status check_import(const TargetDirectory& directory, const MountData& data, bool force);

/**
 * Read a target that real Lustre wrote. Nothing is changed. Nodes are dropped, so a target whose
 * management service is elsewhere needs to be told where.
 */
ll::Result<Import> plan_import(const TargetDirectory& directory);

/** Set files aside that servers of lustre-lite would take for their own. Repeating it is harmless. */
ll::Status prepare_import(const TargetDirectory& directory);

}  // namespace disk
