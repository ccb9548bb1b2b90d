// SPDX-License-Identifier: GPL-2.0
/*
 * Pools of object storage targets.
 */
#include <cerrno>
#include <string>

#include "lctl/commands/commands.hpp"
#include "lctl/commands/mgs_change.hpp"
#include "lctl/commands/pool_targets.hpp"

namespace lctl {

namespace {

constexpr Option kOptions[] = {options::kMgsDryRun, options::kMgsWait, options::kYaml,
                               options::kJson};

struct Pool {
    std::string fsname;
    std::string name;
};

/* "lustre.flash" */
ll::Result<Pool> parse_pool(std::string_view text)
{
    const std::size_t dot = text.find('.');

    if (dot == 0 || dot == std::string_view::npos || dot + 1 == text.size())
        return ll::fail(EINVAL, "'" + std::string(text) + "' is not FSNAME.POOL");
    return Pool{std::string(text.substr(0, dot)), std::string(text.substr(dot + 1))};
}

int change_pool(Context& context, const Arguments& arguments, mgs_change_op op)
{
    MgsChanges changes(context, arguments);

    if (arguments.operands.size() != 1)
        return usage_error(context, arguments, "takes FSNAME.POOL");

    const auto pool = parse_pool(arguments.operands[0]);

    if (!pool)
        return context.error(arguments.command, pool.error());
    if (const int code = changes.begin(); code != 0)
        return code;
    changes.make({.op = op, .args = {pool->fsname, pool->name}},
                 std::string(arguments.command) + " " + std::string(arguments.operands[0]));
    return changes.end();
}

/* A change for each target that an operand names. */
void change_targets(MgsChanges& changes, mgs_change_op op, const std::string& what,
                    const Pool& pool, std::string_view operand)
{
    const auto targets = pool_targets(pool.fsname, operand);

    if (!targets)
        return changes.refuse(targets.error().code, what + " " + std::string(operand),
                              targets.error().text);
    for (const std::string& target : *targets) {
        std::string text = what;

        text.append(" ").append(target);
        changes.make({.op = op, .args = {pool.fsname, pool.name, target}}, text);
    }
}

int change_members(Context& context, const Arguments& arguments, mgs_change_op op)
{
    MgsChanges changes(context, arguments);

    if (arguments.operands.size() < 2)
        return usage_error(context, arguments, "takes FSNAME.POOL and one or more targets");

    const auto pool = parse_pool(arguments.operands[0]);
    const std::string what =
        std::string(arguments.command) + " " + std::string(arguments.operands[0]);

    if (!pool)
        return context.error(arguments.command, pool.error());
    if (const int code = changes.begin(); code != 0)
        return code;
    for (std::size_t n = 1; n < arguments.operands.size(); n++)
        change_targets(changes, op, what, *pool, arguments.operands[n]);
    return changes.end();
}

int run_pool_new(Context& context, const Arguments& arguments)
{
    return change_pool(context, arguments, MGS_POOL_NEW);
}

int run_pool_add(Context& context, const Arguments& arguments)
{
    return change_members(context, arguments, MGS_POOL_ADD);
}

int run_pool_remove(Context& context, const Arguments& arguments)
{
    return change_members(context, arguments, MGS_POOL_REM);
}

int run_pool_destroy(Context& context, const Arguments& arguments)
{
    return change_pool(context, arguments, MGS_POOL_DEL);
}

}  // namespace

const Command pool_new_command = {
    .name = "pool_new",
    .group = "management service",
    .operands = "FSNAME.POOL",
    .summary = "create a pool of object storage targets",
    .options = kOptions,
    .run = run_pool_new,
};

const Command pool_add_command = {
    .name = "pool_add",
    .group = "management service",
    .operands = "FSNAME.POOL TARGET...",
    .summary = "add targets to a pool",
    .help = "TARGET is lustre-OST0001, OST0001, or a hexadecimal range: OST[0-3,8-f/2].\n",
    .options = kOptions,
    .complete = Complete::Target,
    .run = run_pool_add,
};

const Command pool_remove_command = {
    .name = "pool_remove",
    .group = "management service",
    .operands = "FSNAME.POOL TARGET...",
    .summary = "remove targets from a pool",
    .help = "TARGET is lustre-OST0001, OST0001, or a hexadecimal range: OST[0-3,8-f/2].\n",
    .options = kOptions,
    .complete = Complete::Target,
    .run = run_pool_remove,
};

const Command pool_destroy_command = {
    .name = "pool_destroy",
    .group = "management service",
    .operands = "FSNAME.POOL",
    .summary = "delete an empty pool",
    .options = kOptions,
    .run = run_pool_destroy,
};

}  // namespace lctl
