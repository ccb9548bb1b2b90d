// SPDX-License-Identifier: GPL-2.0-only
/*
 * osts, mdts, check, getname: targets and names of mounted file systems.
 */
#include <cerrno>

#include <fmt/format.h>

#include "lfs/lfs.hpp"
#include "lfs/mounted.hpp"

namespace lfs {

namespace {

constexpr std::string_view kUuid = "_UUID";

const char* name_of(TargetType type)
{
    return type == TargetType::Mdt ? "MDT" : "OST";
}

/* Calls @visit for each target of a mount. */
template <class Visit>
void each_target(Context& context, const std::string& mount, TargetType type, Visit visit)
{
    const auto targets = targets_of(context.files, mount, type);

    if (!targets) {
        context.error(mount, targets.error());
        return;
    }
    for (const ll_user_target& target : *targets)
        visit(target);
}

void list_targets(Context& context, const Arguments& arguments, TargetType type)
{
    for (const std::string& mount : mounts_of(context, arguments)) {
        if (context.is_text())
            context.out.put(type == TargetType::Mdt ? "MDTS:\n" : "OBDS:\n");
        each_target(context, mount, type, [&](const ll_user_target& target) {
            const bool active = target.lt_error == 0;

            if (context.is_text())
                context.out.put(fmt::format("{}: {} {}\n", target.lt_index, target.lt_uuid,
                                            active ? "ACTIVE" : "INACTIVE"));
            else
                context.printer().item({{"mount", mount},
                                        {"index", target.lt_index},
                                        {"uuid", target.lt_uuid},
                                        {"active", active}});
        });
    }
}

void run_osts(Context& context, const Arguments& arguments)
{
    list_targets(context, arguments, TargetType::Ost);
}

void run_mdts(Context& context, const Arguments& arguments)
{
    list_targets(context, arguments, TargetType::Mdt);
}

/* "lustre-OST0000-osc-0123456789abcdef" */
std::string device_of(const ll_user_target& target, TargetType type, const MountName& name)
{
    std::string_view uuid = target.lt_uuid;

    if (uuid.ends_with(kUuid))
        uuid.remove_suffix(kUuid.size());
    return fmt::format("{}-{}-{}", uuid, type == TargetType::Mdt ? "mdc" : "osc", name.instance);
}

void check_mount(Context& context, const std::string& mount, TargetType type)
{
    const auto name = mount_name(context.files, mount);

    if (!name) {
        context.error(mount, name.error());
        return;
    }
    each_target(context, mount, type, [&](const ll_user_target& target) {
        const std::string device = device_of(target, type, *name);
        const bool active = target.lt_error == 0;

        if (context.is_text())
            context.out.put(fmt::format("{} {}.\n", device, active ? "active" : "inactive"));
        else
            context.printer().item(
                {{"device", device}, {"type", name_of(type)}, {"active", active}});
    });
}

void run_check(Context& context, const Arguments& arguments)
{
    const std::string_view what = arguments.operands.front();
    const bool all = what == "servers" || what == "all";
    Arguments paths = arguments;

    if (!all && what != "osts" && what != "mdts") {
        context.error(fmt::format("'{}' should be servers, osts, mdts or all", what), EINVAL);
        return;
    }
    paths.operands.erase(paths.operands.begin());
    for (const std::string& mount : mounts_of(context, paths)) {
        if (all || what == "mdts")
            check_mount(context, mount, TargetType::Mdt);
        if (all || what == "osts")
            check_mount(context, mount, TargetType::Ost);
    }
}

constexpr Option kNameOptions[] = {
    {.letter = 'i', .name = "instance", .help = "print the instance only"},
    {.letter = 'n', .name = "fsname", .help = "print the name of the file system only"},
};

void put_name(Context& context, const Arguments& arguments, const std::string& mount,
              const MountName& name)
{
    if (!context.is_text())
        context.printer().item(
            {{"mount", mount}, {"fsname", name.fsname}, {"instance", name.instance}});
    else if (arguments.has("instance"))
        context.out.put(name.instance + "\n");
    else if (arguments.has("fsname"))
        context.out.put(name.fsname + "\n");
    else
        context.out.put(fmt::format("{}-{} {}\n", name.fsname, name.instance, mount));
}

void run_getname(Context& context, const Arguments& arguments)
{
    for (const std::string& mount : mounts_of(context, arguments)) {
        const auto name = mount_name(context.files, mount);

        if (name)
            put_name(context, arguments, mount, *name);
        else
            context.error(mount, name.error());
    }
}

}  // namespace

const Command osts_command = {
    .spec = {.name = "osts",
             .operands = "[PATH...]",
             .takes = {0, lctl::kMany},
             .summary = "list the object storage targets",
             .help = "Without PATH: those of all mounted file systems.\n",
             .prints = lctl::Prints::Array,
             .key = "targets"},
    .run = run_osts,
};

const Command mdts_command = {
    .spec = {.name = "mdts",
             .operands = "[PATH...]",
             .takes = {0, lctl::kMany},
             .summary = "list the metadata targets",
             .help = "Without PATH: those of all mounted file systems.\n",
             .prints = lctl::Prints::Array,
             .key = "targets"},
    .run = run_mdts,
};

const Command check_command = {
    .spec = {.name = "check",
             .operands = "servers|osts|mdts|all [PATH...]",
             .takes = {1, lctl::kMany},
             .summary = "ask targets whether they answer",
             .help = "Without PATH: those of all mounted file systems.\n",
             .prints = lctl::Prints::Array,
             .key = "devices",
             .choices = "servers|osts|mdts|all"},
    .run = run_check,
};

const Command getname_command = {
    .spec = {.name = "getname",
             .operands = "[PATH...]",
             .takes = {0, lctl::kMany},
             .summary = "print the names of mounts, FSNAME-INSTANCE",
             .help = "Without PATH: those of all mounted file systems.\n",
             .options = kNameOptions,
             .prints = lctl::Prints::Array,
             .key = "mounts"},
    .run = run_getname,
};

}  // namespace lfs
