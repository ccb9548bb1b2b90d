// SPDX-License-Identifier: GPL-2.0
/*
 * Changes of the logs of the management service: NIDs, pools, whole file systems.
 */
#include <cerrno>
#include <cstddef>
#include <string>

#include "lctl/commands/commands.hpp"
#include "lctl/commands/mgs_change.hpp"

namespace lctl {

namespace {

constexpr Option kOptions[] = {options::kMgsDryRun, options::kMgsWait};
constexpr Option kConfOptions[] = {
    {.letter = 'd', .name = "delete", .help = "take the setting back: the value from before"},
    options::kMgsDryRun,
    options::kMgsForce,
    options::kMgsWait,
};

constexpr const char* kClearAliases[] = {"lcfg_clear"};
constexpr const char* kForkAliases[] = {"lcfg_fork"};
constexpr const char* kEraseAliases[] = {"lcfg_erase"};

/* All operands are texts of the change. */
int change_with(Context& context, const Arguments& arguments, mgs_change_op op, std::size_t wanted)
{
    ll::MgsChange change{.op = op, .args = {}};
    std::string what(arguments.command);

    if (arguments.operands.size() != wanted)
        return usage_error(
            context, arguments,
            "takes " + std::to_string(wanted) + (wanted == 1 ? " operand" : " operands"));
    for (const std::string_view operand : arguments.operands) {
        change.args.emplace_back(operand);
        what.append(" ").append(operand);
    }
    return make_change(context, arguments, change, what);
}

int run_replace_nids(Context& context, const Arguments& arguments)
{
    return change_with(context, arguments, MGS_REPLACE_NIDS, 2);
}

int run_clear_conf(Context& context, const Arguments& arguments)
{
    return change_with(context, arguments, MGS_CLEAR_CONF, 1);
}

int run_fork_lcfg(Context& context, const Arguments& arguments)
{
    return change_with(context, arguments, MGS_FORK_LCFG, 2);
}

int run_erase_lcfg(Context& context, const Arguments& arguments)
{
    return change_with(context, arguments, MGS_ERASE_LCFG, 1);
}

int run_writeconf(Context& context, const Arguments& arguments)
{
    return change_with(context, arguments, MGS_WRITECONF, 1);
}

/* "fs.pool" */
int pool_change(Context& context, const Arguments& arguments, mgs_change_op op, bool targets)
{
    const auto& operands = arguments.operands;
    int status = 0;

    if (operands.empty() || targets != (operands.size() > 1))
        return usage_error(
            context, arguments,
            targets ? "takes FSNAME.POOL and one or more targets" : "takes FSNAME.POOL");

    const std::string_view name = operands[0];
    const std::size_t dot = name.find('.');

    if (dot == 0 || dot == std::string_view::npos || dot + 1 == name.size())
        return context.error(arguments.command,
                             "'" + std::string(name) + "' names no pool: give FSNAME.POOL", EINVAL);

    ll::MgsChange change{
        .op = op, .args = {std::string(name.substr(0, dot)), std::string(name.substr(dot + 1))}};
    const std::string what = std::string(arguments.command) + " " + std::string(name);

    if (!targets)
        return make_change(context, arguments, change, what);
    for (std::size_t n = 1; n < operands.size(); n++) {
        const std::string target(operands[n]);

        change.args.resize(2);
        change.args.push_back(target);
        if (const int code = make_change(context, arguments, change, what + " " + target);
            status == 0)
            status = code;
    }
    return status;
}

int run_pool_new(Context& context, const Arguments& arguments)
{
    return pool_change(context, arguments, MGS_POOL_NEW, false);
}

int run_pool_add(Context& context, const Arguments& arguments)
{
    return pool_change(context, arguments, MGS_POOL_ADD, true);
}

int run_pool_remove(Context& context, const Arguments& arguments)
{
    return pool_change(context, arguments, MGS_POOL_REM, true);
}

int run_pool_destroy(Context& context, const Arguments& arguments)
{
    return pool_change(context, arguments, MGS_POOL_DEL, false);
}

int run_del_ost(Context& context, const Arguments& arguments)
{
    const Given* const target = arguments.find("target");

    if (target == nullptr || !arguments.operands.empty())
        return usage_error(context, arguments, "takes --target FSNAME-OSTxxxx and nothing else");

    const std::string name(*target->argument);

    return make_change(context, arguments, {.op = MGS_DEL_OST, .args = {name}}, "del_ost " + name);
}

/* "lustre-OST0000.ost.x=1"; behind -d the value may be left out. */
int conf_param(Context& context, const Arguments& arguments, std::string_view operand)
{
    const std::string_view name = operand.substr(0, operand.find('='));
    const std::string_view value =
        name.size() < operand.size() ? operand.substr(name.size() + 1) : std::string_view();

    if (arguments.has("delete"))
        return make_change(context, arguments,
                           {.op = MGS_DEL_CONF_PARAM, .args = {std::string(name)}},
                           std::string(name));
    if (name.empty() || value.empty())
        return context.error(arguments.command,
                             "'" + std::string(operand) +
                                 "' sets nothing: give TARGET.NAME=VALUE or FSNAME.NAME=VALUE",
                             EINVAL);
    return make_change(context, arguments,
                       {.op = MGS_CONF_PARAM, .args = {std::string(name), std::string(value)}},
                       std::string(operand));
}

int run_conf_param(Context& context, const Arguments& arguments)
{
    int status = 0;

    if (arguments.operands.empty())
        return usage_error(context, arguments, "nothing to set: give TARGET.NAME=VALUE");
    for (const std::string_view operand : arguments.operands)
        if (const int code = conf_param(context, arguments, operand); status == 0)
            status = code;
    return status;
}

constexpr Option kDelOstOptions[] = {
    options::kMgsDryRun,
    {.name = "target",
     .argument = "TARGET",
     .help = "the object storage target, as lustre-OST0001"},
    options::kMgsWait,
};

}  // namespace

const Command conf_param_command = {
    .name = "conf_param",
    .group = "management service",
    .operands = "TARGET.NAME=VALUE... | FSNAME.NAME=VALUE...",
    .summary = "set parameters of a target or a file system for ever",
    .help =
        "The setting is a record of the logs of the targets, and of the clients, that it\n"
        "is for: lustre-OST0000.ost.x=1, lustre.sys.timeout=50, lustre.llite.x=1. The name\n"
        "of set_param -P is that of the parameter itself. To be given where the\n"
        "management service runs.\n",
    .options = kConfOptions,
    .run = run_conf_param,
};

const Command replace_nids_command = {
    .name = "replace_nids",
    .group = "management service",
    .operands = "TARGET NID[,NID...][:NID...]",
    .summary = "give a target other NIDs in all logs",
    .help =
        "NIDs of one node are joined by ',', nodes by ':'. Mounted clients and targets\n"
        "read their logs again and go to the new ones.\n",
    .options = kOptions,
    .run = run_replace_nids,
};

const Command clear_conf_command = {
    .name = "clear_conf",
    .aliases = kClearAliases,
    .group = "management service",
    .operands = "FSNAME | LOG",
    .summary = "write logs anew without what was taken back",
    .help = "The log as it was stays as LOG.bak.\n",
    .options = kOptions,
    .run = run_clear_conf,
};

const Command fork_lcfg_command = {
    .name = "fork_lcfg",
    .aliases = kForkAliases,
    .group = "management service",
    .operands = "FSNAME NEWNAME",
    .summary = "copy the logs of a file system under another name",
    .options = kOptions,
    .run = run_fork_lcfg,
};

const Command erase_lcfg_command = {
    .name = "erase_lcfg",
    .aliases = kEraseAliases,
    .group = "management service",
    .operands = "FSNAME",
    .summary = "delete all logs of a file system, and its settings",
    .help = "There is no question and no way back; --dry-run says what would go.\n",
    .options = kOptions,
    .run = run_erase_lcfg,
};

const Command writeconf_command = {
    .name = "writeconf",
    .group = "management service",
    .operands = "FSNAME | TARGET",
    .summary = "have logs written anew when the targets register",
    .help = "As mounting with -o writeconf does. What conf_param set is lost.\n",
    .options = kOptions,
    .run = run_writeconf,
};

const Command del_ost_command = {
    .name = "del_ost",
    .group = "management service",
    .operands = "",
    .summary = "take an object storage target out of all logs",
    .options = kDelOstOptions,
    .run = run_del_ost,
};

const Command pool_new_command = {
    .name = "pool_new",
    .group = "management service",
    .operands = "FSNAME.POOL",
    .summary = "make a pool of object storage targets",
    .options = kOptions,
    .run = run_pool_new,
};

const Command pool_add_command = {
    .name = "pool_add",
    .group = "management service",
    .operands = "FSNAME.POOL TARGET...",
    .summary = "add targets to a pool",
    .options = kOptions,
    .run = run_pool_add,
};

const Command pool_remove_command = {
    .name = "pool_remove",
    .group = "management service",
    .operands = "FSNAME.POOL TARGET...",
    .summary = "take targets out of a pool",
    .options = kOptions,
    .run = run_pool_remove,
};

const Command pool_destroy_command = {
    .name = "pool_destroy",
    .group = "management service",
    .operands = "FSNAME.POOL",
    .summary = "delete a pool that has no targets",
    .options = kOptions,
    .run = run_pool_destroy,
};

}  // namespace lctl
