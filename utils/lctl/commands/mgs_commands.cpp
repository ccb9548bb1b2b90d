// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes of the logs of the management service: settings of targets, NIDs, whole
 * file systems, pools of object storage targets.
 */
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "lctl/arguments.hpp"
#include "lctl/commands/commands.hpp"
#include "lctl/commands/mgs_change.hpp"

namespace lctl {

namespace {

constexpr Option kOptions[] = {options::kMgsDryRun, options::kMgsWait};
constexpr Option kConfOptions[] = {
    {.letter = 'd', .name = "delete", .help = "delete the setting and restore the previous value"},
    options::kMgsDryRun,
    options::kMgsForce,
    options::kMgsWait,
};
constexpr Option kEraseOptions[] = {
    options::kMgsDryRun,
    {.letter = 'q', .name = "quiet", .help = "same as --yes, for compatibility"},
    options::kMgsWait,
};
constexpr Option kDelOstOptions[] = {
    options::kMgsDryRun,
    {.name = "dryrun", .help = "same as --dry-run, for compatibility"},
    {.name = "target",
     .argument = "TARGET",
     .help = "remove this target, such as lustre-OST0001",
     .complete = Complete::Target},
    options::kMgsWait,
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
int change_with(Context& context, const Arguments& arguments, mgs_change_op op)
{
    ll::MgsChange change{.op = op, .args = {}};
    std::string what(arguments.command);

    for (const std::string_view operand : arguments.operands) {
        change.args.emplace_back(operand);
        what.append(" ").append(operand);
    }
    return make_one(context, arguments, change, what);
}

template <mgs_change_op Op>
int run_change(Context& context, const Arguments& arguments)
{
    return change_with(context, arguments, Op);
}

int run_del_ost(Context& context, const Arguments& arguments)
{
    const Given* const target = arguments.find("target");

    if (target == nullptr)
        return usage_error(context, arguments, "needs --target FSNAME-OSTxxxx");

    const std::string name(*target->argument);

    return make_one(context, arguments, {.op = MGS_DEL_OST, .args = {name}}, "del_ost " + name);
}

/* "lustre-OST0000.ost.x=1"; after -d the value is optional. */
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

    if (const int code = changes.begin(); code != 0)
        return code;
    for (const std::string_view operand : arguments.operands)
        conf_param(changes, arguments.has("delete"), operand);
    return changes.end();
}

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

    const auto pool = parse_pool(arguments.operands[0]);

    if (!pool)
        return context.error(arguments.command, pool.error());
    if (const int code = changes.begin(); code != 0)
        return code;
    changes.make({.op = op, .args = {pool->fsname, pool->name}},
                 std::string(arguments.command) + " " + std::string(arguments.operands[0]));
    return changes.end();
}

constexpr std::uint32_t kIndexMax = 0xffff;
constexpr std::string_view kUuid = "_UUID";

ll::Result<std::vector<std::string>> refuse(std::string_view text)
{
    return ll::fail(EINVAL, fmt::format("'{}' is not a target, such as OST0001, or a range, "
                                        "such as OST[0-3,8-f/2]",
                                        text));
}

std::optional<std::uint32_t> hex(std::string_view text)
{
    std::uint32_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, number, 16);

    if (error != std::errc() || at != end || number > kIndexMax)
        return std::nullopt;
    return number;
}

struct Range {
    std::uint32_t first;
    std::uint32_t last;
    std::uint32_t step;
};

/* "3", "0-3", "0-f/2" */
std::optional<Range> parse_range(std::string_view text)
{
    std::string_view step_text = text;
    std::string_view last_text = cut(step_text, '/');
    const bool is_range = last_text.find('-') != std::string_view::npos;
    const std::string_view first_text = cut(last_text, '-');
    const auto first = hex(first_text);
    const auto last = is_range ? hex(last_text) : first;
    const bool has_step = text.find('/') != std::string_view::npos;
    const auto step = has_step ? hex(step_text) : 1;

    if (!first || !last || !step || *step == 0 || *first > *last || (has_step && !is_range))
        return std::nullopt;
    return Range{*first, *last, *step};
}

/* Behind "OST[": "0-3,8]". Return: false if it is malformed */
bool add_set(std::vector<std::string>& targets, std::string_view head, std::string_view set)
{
    if (set.size() < 2 || !set.ends_with(']'))
        return false;
    set.remove_suffix(1);
    while (!set.empty()) {
        const auto range = parse_range(cut(set, ','));

        if (!range)
            return false;
        for (std::uint32_t index = range->first; index <= range->last; index += range->step)
            targets.push_back(fmt::format("{}{:04x}", head, index));
    }
    return true;
}

/*
 * "OST0000", "lustre-OST0000", "lustre-OST0000_UUID", and several at once, their
 * indexes in hexadecimal: "OST[0-3]", "lustre-OST[0,2,8-f/2]_UUID".
 *
 * Return: whole names, "lustre-OST0000"; EINVAL, with a reason, for any other name
 */
ll::Result<std::vector<std::string>> pool_targets(std::string_view fsname, std::string_view text)
{
    std::vector<std::string> targets;
    std::string_view name = text;

    if (name.ends_with(kUuid))
        name.remove_suffix(kUuid.size());

    const std::string whole =
        name.starts_with("OST") ? fmt::format("{}-{}", fsname, name) : std::string(name);
    const std::size_t open = whole.find('[');

    if (open == std::string::npos) {
        targets.push_back(whole);
        return targets;
    }
    if (!std::string_view(whole).substr(0, open).ends_with("-OST") ||
        !add_set(targets, std::string_view(whole).substr(0, open),
                 std::string_view(whole).substr(open + 1)))
        return refuse(text);
    return targets;
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

const Command conf_param_command = {
    .name = "conf_param",
    .group = "management service",
    .operands = "TARGET.NAME=VALUE... | FSNAME.NAME=VALUE...",
    .takes = {1, kMany},
    .summary = "set parameters of a target or file system permanently",
    .help =
        "Stores the setting in the logs of targets and clients: lustre-OST0000.ost.x=1,\n"
        "lustre.sys.timeout=50, lustre.llite.x=1. Run it on the MGS node. set_param -P takes\n"
        "the names of parameters instead.\n",
    .options = kConfOptions,
    .needs = Needs::Kernel,
    .prints = Prints::Array,
    .key = "changes",
    .run = run_conf_param,
};

const Command replace_nids_command = {
    .name = "replace_nids",
    .group = "management service",
    .operands = "TARGET NID[,NID...][:NID...]",
    .takes = {2, 2},
    .summary = "change the NIDs of a target in all logs",
    .help =
        "',' joins NIDs of one node, ':' joins nodes. Mounted clients and targets read their\n"
        "logs again and use the new NIDs.\n",
    .options = kOptions,
    .needs = Needs::Kernel,
    .prints = Prints::Array,
    .key = "changes",
    .complete = Complete::Target,
    .run = run_change<MGS_REPLACE_NIDS>,
};

const Command clear_conf_command = {
    .name = "clear_conf",
    .aliases = kClearAliases,
    .group = "management service",
    .operands = "FSNAME | LOG",
    .takes = {1, 1},
    .summary = "rewrite logs without cancelled and superseded records",
    .help = "The previous log stays as LOG.bak.\n",
    .options = kOptions,
    .needs = Needs::Kernel,
    .prints = Prints::Array,
    .key = "changes",
    .complete = Complete::Log,
    .run = run_change<MGS_CLEAR_CONF>,
};

const Command fork_lcfg_command = {
    .name = "fork_lcfg",
    .aliases = kForkAliases,
    .group = "management service",
    .operands = "FSNAME NEWNAME",
    .takes = {2, 2},
    .summary = "copy the logs of a file system to a new name",
    .options = kOptions,
    .needs = Needs::Kernel,
    .prints = Prints::Array,
    .key = "changes",
    .complete = Complete::FileSystem,
    .run = run_change<MGS_FORK_LCFG>,
};

const Command erase_lcfg_command = {
    .name = "erase_lcfg",
    .aliases = kEraseAliases,
    .group = "management service",
    .operands = "FSNAME",
    .takes = {1, 1},
    .summary = "delete all logs and settings of a file system",
    .help =
        "This cannot be undone. The command asks for confirmation on a terminal, and requires\n"
        "--yes otherwise. --dry-run previews it.\n",
    .options = kEraseOptions,
    .needs = Needs::Kernel,
    .prints = Prints::Array,
    .key = "changes",
    .asks = {.text = "Delete all logs and settings of file system '{}'? This cannot be undone.",
             .always = true},
    .complete = Complete::FileSystem,
    .run = run_change<MGS_ERASE_LCFG>,
};

const Command writeconf_command = {
    .name = "writeconf",
    .group = "management service",
    .operands = "FSNAME | TARGET",
    .takes = {1, 1},
    .summary = "regenerate logs when targets next register",
    .help =
        "Like mounting with -o writeconf. Settings of conf_param are lost. The command asks for\n"
        "confirmation on a terminal, and requires --yes otherwise.\n",
    .options = kOptions,
    .needs = Needs::Kernel,
    .prints = Prints::Array,
    .key = "changes",
    .asks = {.text = "Regenerate the logs of '{}'? Settings of conf_param are lost.",
             .always = true},
    .complete = Complete::Target,
    .run = run_change<MGS_WRITECONF>,
};

const Command replace_target_command = {
    .name = "replace_target",
    .group = "management service",
    .operands = "TARGET",
    .takes = {1, 1},
    .summary = "allow another directory to register as a lost target",
    .help =
        "A target is identified by the uuid and the secret of its directory. After this\n"
        "command the next directory that registers under the name becomes the target, such\n"
        "as one from mkfs.lustre-lite --replace. The previous directory is refused.\n",
    .options = kOptions,
    .needs = Needs::Kernel,
    .prints = Prints::Array,
    .key = "changes",
    .asks = {.text = "Replace the directory of {} permanently?", .always = true},
    .complete = Complete::Target,
    .run = run_change<MGS_REPLACE_TARGET>,
};

const Command del_ost_command = {
    .name = "del_ost",
    .group = "management service",
    .operands = "",
    .summary = "remove an object storage target from all logs",
    .help = "The command asks for confirmation on a terminal only.\n",
    .options = kDelOstOptions,
    .needs = Needs::Kernel,
    .prints = Prints::Array,
    .key = "changes",
    .asks = {.text = "Remove {} from all logs?"},
    .run = run_del_ost,
};

const Command pool_new_command = {
    .name = "pool_new",
    .group = "management service",
    .operands = "FSNAME.POOL",
    .takes = {1, 1},
    .summary = "create a pool of object storage targets",
    .options = kOptions,
    .needs = Needs::Kernel,
    .prints = Prints::Array,
    .key = "changes",
    .run = run_pool_new,
};

const Command pool_add_command = {
    .name = "pool_add",
    .group = "management service",
    .operands = "FSNAME.POOL TARGET...",
    .takes = {2, kMany},
    .summary = "add targets to a pool",
    .help = "TARGET is lustre-OST0001, OST0001, or a hexadecimal range: OST[0-3,8-f/2].\n",
    .options = kOptions,
    .needs = Needs::Kernel,
    .prints = Prints::Array,
    .key = "changes",
    .complete = Complete::Target,
    .run = run_pool_add,
};

const Command pool_remove_command = {
    .name = "pool_remove",
    .group = "management service",
    .operands = "FSNAME.POOL TARGET...",
    .takes = {2, kMany},
    .summary = "remove targets from a pool",
    .help = "TARGET is lustre-OST0001, OST0001, or a hexadecimal range: OST[0-3,8-f/2].\n",
    .options = kOptions,
    .needs = Needs::Kernel,
    .prints = Prints::Array,
    .key = "changes",
    .complete = Complete::Target,
    .run = run_pool_remove,
};

const Command pool_destroy_command = {
    .name = "pool_destroy",
    .group = "management service",
    .operands = "FSNAME.POOL",
    .takes = {1, 1},
    .summary = "delete an empty pool",
    .options = kOptions,
    .needs = Needs::Kernel,
    .prints = Prints::Array,
    .key = "changes",
    .run = run_pool_destroy,
};

}  // namespace lctl
