// SPDX-License-Identifier: GPL-2.0-only
/*
 * pool_list: pools of a mounted file system, and their targets.
 */
#include "lfs/lfs.hpp"
#include "lfs/mounted.hpp"

namespace lfs {

namespace {

/* The file system of a path; a name of pools has no '/', and something before a '.'. */
ll::Result<std::string> fsname_of(Files& files, const std::string& path)
{
    const auto mount = files.mount_of(path, true);

    if (!mount)
        return tl::unexpected(mount.error());

    const auto name = mount_name(files, *mount);

    if (!name)
        return tl::unexpected(name.error());
    return name->fsname;
}

void run_pool_list(Context& context, const Arguments& arguments)
{
    const std::string operand(arguments.operands.front());
    const bool path = operand.find('/') != std::string::npos || operand.starts_with('.');
    const auto name = path ? fsname_of(context.files, operand) : operand;

    if (!name) {
        context.error(operand, name.error());
        return;
    }

    const auto pools = context.files.pools(*name);

    if (pools)
        lctl::print_pools(context.out, context.printer(), *pools);
    else
        context.error(pools.error().text, pools.error().code);
}

}  // namespace

const Command pool_list_command = {
    .spec = {.name = "pool_list",
             .operands = "FSNAME[.POOL]|PATH",
             .takes = {1, 1},
             .summary = "list the pools of a file system, or the targets of one",
             .help = "PATH: all pools of the file system that has it.\n",
             .prints = lctl::Prints::Array,
             .key = "pools"},
    .run = run_pool_list,
};

}  // namespace lfs
