// SPDX-License-Identifier: GPL-2.0
/*
 * Changes of the logs of the management service: settings of targets, NIDs, whole
 * file systems.
 */
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <string>

#include <fmt/format.h>

#include "lctl/commands/commands.hpp"
#include "lctl/commands/mgs_change.hpp"

namespace lctl {

namespace {

constexpr Option kOptions[] = {options::kMgsDryRun, options::kMgsWait, options::kYaml,
                               options::kJson};
constexpr Option kConfOptions[] = {
    {.letter = 'd', .name = "delete", .help = "delete the setting and restore the previous value"},
    options::kMgsDryRun,
    options::kMgsForce,
    options::kMgsWait,
    options::kYaml,
    options::kJson,
};
constexpr Option kEraseOptions[] = {
    options::kMgsDryRun,
    {.letter = 'q', .name = "quiet", .help = "same as --yes, for compatibility"},
    options::kMgsWait,
    {.name = "yes", .help = "do not ask for confirmation"},
    options::kYaml,
    options::kJson,
};
constexpr Option kDelOstOptions[] = {
    options::kMgsDryRun,
    {.name = "dryrun", .help = "same as --dry-run, for compatibility"},
    {.name = "target",
     .argument = "TARGET",
     .help = "remove this target, such as lustre-OST0001",
     .complete = Complete::Target},
    options::kMgsWait,
    options::kYaml,
    options::kJson,
};

constexpr Option kReplaceOptions[] = {
    options::kMgsDryRun, {.name = "yes", .help = "do not ask for confirmation"},
    options::kMgsWait,   options::kYaml,
    options::kJson,
};

constexpr const char* kClearAliases[] = {"lcfg_clear"};
constexpr const char* kForkAliases[] = {"lcfg_fork"};
constexpr const char* kEraseAliases[] = {"lcfg_erase"};

/* A command that makes one change. */
int make_one(Context& context, const Arguments& arguments, const ll::MgsChange& change,
             const std::string& what)
{
    MgsChanges changes(context, arguments);

    if (const int code = changes.begin(); code != 0)
        return code;
    changes.make(change, what);
    return changes.end();
}

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
    return make_one(context, arguments, change, what);
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

/* Return: 0, or an errno where the answer is no. */
int confirm_erase(Context& context, const Arguments& arguments)
{
    if (arguments.has("dry-run") || arguments.has("quiet") || arguments.has("yes"))
        return 0;

    const std::string name(arguments.operands.front());
    const auto answer = context.confirm("Delete all logs and settings of file system '" + name +
                                        "'? This cannot be undone.");

    if (!answer)
        return usage_error(
            context, arguments,
            "deletes all logs and settings of '" + name + "'; use --yes without a terminal");
    return *answer ? 0 : context.error(arguments.command, "nothing was deleted", ECANCELED);
}

int run_erase_lcfg(Context& context, const Arguments& arguments)
{
    if (arguments.operands.size() == 1)
        if (const int refused = confirm_erase(context, arguments); refused != 0)
            return refused;
    return change_with(context, arguments, MGS_ERASE_LCFG, 1);
}

int run_writeconf(Context& context, const Arguments& arguments)
{
    return change_with(context, arguments, MGS_WRITECONF, 1);
}

/* Return: 0, or the status to end with */
int confirm_replacement(Context& context, const Arguments& arguments, std::string_view target)
{
    if (arguments.has("yes") || arguments.has("dry-run"))
        return 0;

    const auto answer =
        context.confirm(fmt::format("Replace the directory of {} permanently?", target));
    if (!answer)
        return usage_error(context, arguments,
                           "replaces the directory of the target permanently; use --yes "
                           "without a terminal");
    return *answer ? 0 : context.error(arguments.command, "not confirmed", ECANCELED);
}

int run_replace_target(Context& context, const Arguments& arguments)
{
    if (arguments.operands.size() != 1)
        return usage_error(context, arguments, "takes 1 operand");
    if (const int code = confirm_replacement(context, arguments, arguments.operands.front());
        code != 0)
        return code;
    return change_with(context, arguments, MGS_REPLACE_TARGET, 1);
}

int run_del_ost(Context& context, const Arguments& arguments)
{
    const Given* const target = arguments.find("target");

    if (target == nullptr || !arguments.operands.empty())
        return usage_error(context, arguments, "takes --target FSNAME-OSTxxxx and nothing else");

    const std::string name(*target->argument);

    return make_one(context, arguments, {.op = MGS_DEL_OST, .args = {name}}, "del_ost " + name);
}

/* "lustre-OST0000.ost.x=1"; behind -d the value may be left out. */
void conf_param(MgsChanges& changes, bool remove, std::string_view operand)
{
    const std::string name(operand.substr(0, operand.find('=')));
    const std::string value(operand.substr(std::min(name.size() + 1, operand.size())));

    if (remove && !name.empty())
        changes.make({.op = MGS_DEL_CONF_PARAM, .args = {name}}, name);
    else if (name.empty() || value.empty())
        changes.refuse(
            EINVAL, std::string(operand),
            "'" + std::string(operand) + "' is not TARGET.NAME=VALUE or FSNAME.NAME=VALUE");
    else
        changes.make({.op = MGS_CONF_PARAM, .args = {name, value}}, std::string(operand));
}

int run_conf_param(Context& context, const Arguments& arguments)
{
    MgsChanges changes(context, arguments);

    if (arguments.operands.empty())
        return usage_error(context, arguments, "nothing to set: give TARGET.NAME=VALUE");
    if (const int code = changes.begin(); code != 0)
        return code;
    for (const std::string_view operand : arguments.operands)
        conf_param(changes, arguments.has("delete"), operand);
    return changes.end();
}

}  // namespace

const Command conf_param_command = {
    .name = "conf_param",
    .group = "management service",
    .operands = "TARGET.NAME=VALUE... | FSNAME.NAME=VALUE...",
    .summary = "set parameters of a target or file system permanently",
    .help =
        "Stores the setting in the logs of targets and clients: lustre-OST0000.ost.x=1,\n"
        "lustre.sys.timeout=50, lustre.llite.x=1. Run it on the MGS node. set_param -P takes\n"
        "the names of parameters instead.\n",
    .options = kConfOptions,
    .run = run_conf_param,
};

const Command replace_nids_command = {
    .name = "replace_nids",
    .group = "management service",
    .operands = "TARGET NID[,NID...][:NID...]",
    .summary = "change the NIDs of a target in all logs",
    .help =
        "',' joins NIDs of one node, ':' joins nodes. Mounted clients and targets read their\n"
        "logs again and use the new NIDs.\n",
    .options = kOptions,
    .complete = Complete::Target,
    .run = run_replace_nids,
};

const Command clear_conf_command = {
    .name = "clear_conf",
    .aliases = kClearAliases,
    .group = "management service",
    .operands = "FSNAME | LOG",
    .summary = "rewrite logs without cancelled and superseded records",
    .help = "The previous log stays as LOG.bak.\n",
    .options = kOptions,
    .complete = Complete::Log,
    .run = run_clear_conf,
};

const Command fork_lcfg_command = {
    .name = "fork_lcfg",
    .aliases = kForkAliases,
    .group = "management service",
    .operands = "FSNAME NEWNAME",
    .summary = "copy the logs of a file system to a new name",
    .options = kOptions,
    .complete = Complete::FileSystem,
    .run = run_fork_lcfg,
};

const Command erase_lcfg_command = {
    .name = "erase_lcfg",
    .aliases = kEraseAliases,
    .group = "management service",
    .operands = "FSNAME",
    .summary = "delete all logs and settings of a file system",
    .help =
        "This cannot be undone. The command asks for confirmation on a terminal, and requires\n"
        "--yes otherwise. --dry-run previews it.\n",
    .options = kEraseOptions,
    .complete = Complete::FileSystem,
    .run = run_erase_lcfg,
};

const Command writeconf_command = {
    .name = "writeconf",
    .group = "management service",
    .operands = "FSNAME | TARGET",
    .summary = "regenerate logs when targets next register",
    .help = "Like mounting with -o writeconf. Settings of conf_param are lost.\n",
    .options = kOptions,
    .complete = Complete::Target,
    .run = run_writeconf,
};

const Command replace_target_command = {
    .name = "replace_target",
    .group = "management service",
    .operands = "TARGET",
    .summary = "allow another directory to register as a lost target",
    .help =
        "A target is identified by the uuid and the secret of its directory. After this\n"
        "command the next directory that registers under the name becomes the target, such\n"
        "as one from mkfs.lustre-lite --replace. The previous directory is refused.\n",
    .options = kReplaceOptions,
    .complete = Complete::Target,
    .run = run_replace_target,
};

const Command del_ost_command = {
    .name = "del_ost",
    .group = "management service",
    .operands = "",
    .summary = "remove an object storage target from all logs",
    .options = kDelOstOptions,
    .run = run_del_ost,
};

}  // namespace lctl
