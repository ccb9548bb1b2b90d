// SPDX-License-Identifier: GPL-2.0-only
/*
 * pool_list: the pools that the volumes of this node know, and their targets.
 */
#include "lctl/commands/commands.hpp"
#include "lctl/context.hpp"
#include "lctl/pools.hpp"

namespace lctl {

namespace {

int run_pool_list(Context& context, const Arguments& arguments)
{
    const auto pools = find_pools(context.tree(), arguments.operands[0]);

    if (!pools)
        return context.error(arguments.command, pools.error());
    print_pools(context.out, context.printer(), *pools);
    return 0;
}

}  // namespace

const Command pool_list_command = {
    .name = "pool_list",
    .group = "management service",
    .operands = "FSNAME[.POOL]",
    .takes = {1, 1},
    .summary = "list the pools of a file system, or the targets of one",
    .help =
        "Lists the pools known to the LOV devices of this node: of a mounted client, or of a\n"
        "metadata target.\n",
    .needs = Needs::Kernel,
    .prints = Prints::Array,
    .key = "pools",
    .run = run_pool_list,
};

}  // namespace lctl
