// SPDX-License-Identifier: GPL-2.0
/*
 * Commands of a config log that are given one by one: names of servers, profiles,
 * the timeout.
 */
#include <cerrno>
#include <cstdint>
#include <string>
#include <vector>

#include "lctl/commands/commands.hpp"
#include "lctl/commands/device_choice.hpp"
#include "lctl/context.hpp"
#include "lib/number.hpp"

namespace lctl {

namespace {

constexpr Option kDeviceOptions[] = {options::kDevice};
constexpr Option kAllOptions[] = {
    {.name = "all", .help = "delete the NIDs of all names"},
};

std::vector<std::string> operands_of(const Arguments& arguments)
{
    return {arguments.operands.begin(), arguments.operands.end()};
}

/* A command for the node, whose operands are the buffers. */
int send_operands(Context& context, const Arguments& arguments, std::uint32_t command)
{
    return send_config(context, arguments,
                       {.command = command, .arguments = operands_of(arguments)}, {});
}

int run_add_uuid(Context& context, const Arguments& arguments)
{
    if (arguments.operands.size() != 2)
        return usage_error(context, arguments, "takes a UUID and a NID");
    return send_operands(context, arguments, LCFG_ADD_UUID);
}

int run_del_uuid(Context& context, const Arguments& arguments)
{
    if (arguments.operands.size() != (arguments.has("all") ? 0 : 1))
        return usage_error(context, arguments, "takes one UUID, or --all");
    return send_operands(context, arguments, LCFG_DEL_UUID);
}

int run_add_conn(Context& context, const Arguments& arguments)
{
    const auto& operands = arguments.operands;

    if (operands.empty() || operands.size() > 2)
        return usage_error(context, arguments, "takes a UUID and may take a PRIORITY");

    ll::ConfigCommand command = {.command = LCFG_ADD_CONN, .arguments = {std::string(operands[0])}};

    if (operands.size() == 2) {
        const auto priority = ll::parse_number(operands[1], UINT32_MAX);

        if (!priority)
            return usage_error(context, arguments, "PRIORITY: " + priority.error().text);
        command.number = static_cast<std::uint32_t>(*priority);
    }
    return send_to_chosen(context, arguments, command);
}

int run_del_conn(Context& context, const Arguments& arguments)
{
    if (arguments.operands.size() != 1)
        return usage_error(context, arguments, "takes one UUID");
    return send_to_chosen(context, arguments,
                          {.command = LCFG_DEL_CONN, .arguments = operands_of(arguments)});
}

int run_set_timeout(Context& context, const Arguments& arguments)
{
    if (arguments.operands.size() != 1)
        return usage_error(context, arguments, "takes a number of SECONDS");

    const auto seconds = ll::parse_number(arguments.operands[0], UINT32_MAX);

    if (!seconds)
        return usage_error(context, arguments, "SECONDS: " + seconds.error().text);
    return send_config(context, arguments,
                       {.command = LCFG_SET_TIMEOUT,
                        .number = static_cast<std::uint32_t>(*seconds),
                        .arguments = {}},
                       {});
}

int run_mount_option(Context& context, const Arguments& arguments)
{
    if (arguments.operands.size() < 2 || arguments.operands.size() > 3)
        return usage_error(context, arguments, "takes a PROFILE, a DATA and may take a METADATA");
    return send_operands(context, arguments, LCFG_MOUNTOPT);
}

int run_del_mount_option(Context& context, const Arguments& arguments)
{
    if (arguments.operands.size() != 1)
        return usage_error(context, arguments, "takes one PROFILE");
    return send_operands(context, arguments, LCFG_DEL_MOUNTOPT);
}

constexpr const char* kAddUuidAliases[] = {"lcfg_add_uuid"};
constexpr const char* kDelUuidAliases[] = {"lcfg_del_uuid"};
constexpr const char* kAddConnAliases[] = {"lcfg_add_conn"};
constexpr const char* kDelConnAliases[] = {"lcfg_del_conn"};
constexpr const char* kSetTimeoutAliases[] = {"lcfg_set_timeout"};
constexpr const char* kMountOptionAliases[] = {"lcfg_mount_option"};
constexpr const char* kDelMountOptionAliases[] = {"lcfg_del_mount_option"};

}  // namespace

const Command add_uuid_command = {
    .name = "add_uuid",
    .aliases = kAddUuidAliases,
    .group = "devices",
    .operands = "UUID NID",
    .summary = "add a NID for a server UUID",
    .run = run_add_uuid,
};

const Command del_uuid_command = {
    .name = "del_uuid",
    .aliases = kDelUuidAliases,
    .group = "devices",
    .operands = "UUID",
    .summary = "delete the NIDs of a server UUID",
    .options = kAllOptions,
    .run = run_del_uuid,
};

const Command add_conn_command = {
    .name = "add_conn",
    .aliases = kAddConnAliases,
    .group = "devices",
    .operands = "UUID [PRIORITY]",
    .summary = "add a server to a device's import",
    .help = "A PRIORITY above 0 places it before the others.\n",
    .options = kDeviceOptions,
    .run = run_add_conn,
};

const Command del_conn_command = {
    .name = "del_conn",
    .aliases = kDelConnAliases,
    .group = "devices",
    .operands = "UUID",
    .summary = "remove a server from a device's import",
    .options = kDeviceOptions,
    .run = run_del_conn,
};

const Command set_timeout_command = {
    .name = "set_timeout",
    .aliases = kSetTimeoutAliases,
    .group = "devices",
    .operands = "SECONDS",
    .summary = "set the timeout for peers (parameter timeout)",
    .run = run_set_timeout,
};

const Command mount_option_command = {
    .name = "mount_option",
    .aliases = kMountOptionAliases,
    .group = "devices",
    .operands = "PROFILE DATA [METADATA]",
    .summary = "define a profile: the devices for data and metadata",
    .run = run_mount_option,
};

const Command del_mount_option_command = {
    .name = "del_mount_option",
    .aliases = kDelMountOptionAliases,
    .group = "devices",
    .operands = "PROFILE",
    .summary = "delete a profile",
    .run = run_del_mount_option,
};

}  // namespace lctl
