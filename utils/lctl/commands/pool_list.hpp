// SPDX-License-Identifier: GPL-2.0-only
/*
 * pool_list: the pools that the volumes of this node know, and their targets; for lfs too.
 */
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lctl/output/printer.hpp"
#include "lctl/writer.hpp"
#include "lib/params.hpp"

namespace lctl {

struct Pools {
    std::string fsname;
    std::string pool;  // the one that was asked for; empty: all
    /** By name; the targets of each in the order in which they were added. */
    std::map<std::string, std::vector<std::string>, std::less<>> targets;
};

/** @name: "FSNAME" for all pools, or "FSNAME.POOL" */
ll::Result<Pools> find_pools(ll::Params& params, std::string_view name);

/** Names of all pools, or the targets of the one that was asked for. */
void print_pools(Writer& out, Printer& printer, const Pools& pools);

}  // namespace lctl
