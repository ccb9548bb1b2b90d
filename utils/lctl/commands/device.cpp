// SPDX-License-Identifier: GPL-2.0-only
/*
 * The commands of one device: attach, setup, cleanup, detach; its import; and the
 * commands of a config log given one by one.
 */
#include "lctl/commands/device.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lctl/commands/commands.hpp"
#include "lib/number.hpp"

namespace lctl {

namespace {

constexpr Option kDeviceOptions[] = {options::kDevice};
constexpr Option kAllOptions[] = {
    {.name = "all", .help = "delete the NIDs of all names"},
};

/* The device that "$NAME" or "%NAME" stands for, also where the name is a number. */
ll::Result<std::string> marked_uuid(ll::KernelPort& port, std::string_view text)
{
    const auto named = ll::DeviceRef::parse(text);

    if (!named)
        return tl::unexpected(named.error());

    auto device = ll::find_device(port, *named);

    if (!device) {
        const auto number = ll::DeviceRef::parse(text.substr(1));

        if (number && number->name().empty())
            device = ll::find_device(port, *number);
    }
    if (!device)
        return tl::unexpected(device.error());
    return std::move(device->uuid);
}

/*
 * An argument of attach or setup. $NAME and %NAME stand for the uuid of a device,
 * and so do $NUMBER and %NUMBER; $$ and %% escape a leading $ or %.
 */
ll::Result<std::string> expand_argument(ll::KernelPort& port, std::string_view text)
{
    const auto begins_with = [&](std::string_view mark) { return text.starts_with(mark); };

    if (begins_with("$$") || begins_with("%%"))
        return std::string(text.substr(1));
    if (!begins_with("$") && !begins_with("%"))
        return std::string(text);
    return marked_uuid(port, text);
}

int send_config(Context& context, const Arguments& arguments, const ll::ConfigCommand& command,
                const std::optional<ll::DeviceRef>& device)
{
    const auto done = ll::apply_config(context.port(), command, device);

    return done ? 0 : context.error(arguments.command, done.error());
}

int send_to_chosen(Context& context, const Arguments& arguments, const ll::ConfigCommand& command)
{
    const auto device = chosen_device(context, arguments);

    if (!device)
        return context.error(arguments.command, device.error());
    return send_config(context, arguments, command, *device);
}

int run_attach(Context& context, const Arguments& arguments)
{
    const ll::DeviceRef device{std::string(arguments.operands[1])};
    const auto uuid = expand_argument(context.port(), arguments.operands[2]);

    if (!uuid)
        return context.error(arguments.command, uuid.error());

    const int status = send_config(
        context, arguments,
        {.command = LCFG_ATTACH, .arguments = {std::string(arguments.operands[0]), *uuid}}, device);

    if (status == 0)
        context.device = device;
    return status;
}

int run_setup(Context& context, const Arguments& arguments)
{
    ll::ConfigCommand command = {.command = LCFG_SETUP, .arguments = {}};

    for (const std::string_view operand : arguments.operands) {
        auto argument = expand_argument(context.port(), operand);

        if (!argument)
            return context.error(arguments.command, argument.error());
        command.arguments.push_back(std::move(*argument));
    }
    return send_to_chosen(context, arguments, command);
}

/* The letters that stand for the words; false: there is another one. */
bool cleanup_letters(const Arguments& arguments, std::string& letters)
{
    for (const std::string_view word : arguments.operands) {
        if (word == "force")
            letters += 'F';
        else if (word == "failover")
            letters += 'A';
        else
            return false;
    }
    return true;
}

int run_cleanup(Context& context, const Arguments& arguments)
{
    ll::ConfigCommand command = {.command = LCFG_CLEANUP, .arguments = {}};
    std::string letters;

    if (!cleanup_letters(arguments, letters))
        return usage_error(context, arguments, "takes 'force' and 'failover' only");
    if (!letters.empty())
        command.arguments.push_back(letters);
    return send_to_chosen(context, arguments, command);
}

/* The name of a detached device may soon be used by another one. */
int run_detach(Context& context, const Arguments& arguments)
{
    const auto device = chosen_device(context, arguments);

    if (!device)
        return context.error(arguments.command, device.error());

    const int status =
        send_config(context, arguments, {.command = LCFG_DETACH, .arguments = {}}, *device);

    if (status == 0 && context.device && context.device->text() == device->text())
        context.device.reset();
    return status;
}

int run_device(Context& context, const Arguments& arguments)
{
    const bool choose = !arguments.operands.empty();
    const auto named =
        choose ? ll::DeviceRef::parse(arguments.operands[0]) : chosen_device(context, arguments);

    if (!named)
        return context.error(arguments.command, named.error());

    const auto device = ll::find_device(context.port(), *named);

    if (!device)
        return context.error(arguments.command, device.error());
    /* By its name: the number of a device that goes may be another's soon. */
    if (choose)
        context.device = ll::DeviceRef(device->name);
    if (!context.is_text())
        context.printer().item(device_members(*device));
    else if (!choose)
        context.out.put(device->name + "\n");
    return 0;
}

int run_newdev(Context& context, const Arguments& /*arguments*/)
{
    context.device.reset();
    context.out.flush();
    context.err.put("newdev: no device is current; 'attach TYPE NAME UUID' creates one\n");
    return 0;
}

constexpr const char* kAttachAliases[] = {"lcfg_attach"};
constexpr const char* kSetupAliases[] = {"lcfg_setup"};
constexpr const char* kCleanupAliases[] = {"lcfg_cleanup"};
constexpr const char* kDetachAliases[] = {"lcfg_detach"};
constexpr const char* kDeviceAliases[] = {"cfg_device"};
constexpr const char* kNewdevAliases[] = {"lcfg_newdev"};

int control(Context& context, const Arguments& arguments, obd_import_op operation,
            std::string_view uuid = {})
{
    const auto device = chosen_device(context, arguments);

    if (!device)
        return context.error(arguments.command, device.error());

    const auto done = ll::control_import(context.port(), *device, operation, uuid);

    return done ? 0 : context.error(arguments.command, done.error());
}

int run_activate(Context& context, const Arguments& arguments)
{
    return control(context, arguments, OBD_IMPORT_ACTIVATE);
}

int run_deactivate(Context& context, const Arguments& arguments)
{
    return control(context, arguments, OBD_IMPORT_DEACTIVATE);
}

int run_recover(Context& context, const Arguments& arguments)
{
    return control(context, arguments, OBD_IMPORT_RECOVER,
                   arguments.operands.empty() ? std::string_view() : arguments.operands[0]);
}

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
    return send_to_chosen(context, arguments,
                          {.command = LCFG_DEL_CONN, .arguments = operands_of(arguments)});
}

int run_set_timeout(Context& context, const Arguments& arguments)
{
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
    return send_operands(context, arguments, LCFG_MOUNTOPT);
}

int run_del_mount_option(Context& context, const Arguments& arguments)
{
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

ll::Result<ll::DeviceRef> chosen_device(const Context& context, const Arguments& arguments)
{
    if (const Given* given = arguments.find("device"))
        return ll::DeviceRef::parse(*given->argument);
    if (context.device)
        return *context.device;
    return ll::fail(ENODEV, "no device given; use --device, or select one with 'device'");
}

Json device_members(const ll::Device& device)
{
    return {{"index", device.index}, {"status", ll::status_letters(device.status)},
            {"type", device.type},   {"name", device.name},
            {"uuid", device.uuid},   {"refcount", device.refcount}};
}

const Command attach_command = {
    .name = "attach",
    .aliases = kAttachAliases,
    .group = "devices",
    .operands = "TYPE NAME UUID",
    .takes = {3, 3},
    .summary = "create a device and make it the current one",
    .help =
        "Loads the module of the type if necessary. The device gets the lowest free number.\n"
        "A UUID of $NAME or %NAME stands for the uuid of device NAME.\n",
    .needs = Needs::Kernel,
    .complete = Complete::DeviceType,
    .run = run_attach,
};

const Command setup_command = {
    .name = "setup",
    .aliases = kSetupAliases,
    .group = "devices",
    .operands = "[ARGUMENT...]",
    .takes = {0, LUSTRE_CFG_MAX_BUFCOUNT - 1},
    .summary = "set a device up",
    .help =
        "The arguments depend on the type. An ARGUMENT of $NAME or %NAME stands for the uuid\n"
        "of device NAME; write $$ or %% for a leading $ or %. Arguments that begin with -\n"
        "follow --. A device whose setup fails stays attached.\n",
    .options = kDeviceOptions,
    .needs = Needs::Kernel,
    .complete = Complete::Device,
    .run = run_setup,
};

const Command cleanup_command = {
    .name = "cleanup",
    .aliases = kCleanupAliases,
    .group = "devices",
    .operands = "[force] [failover]",
    .takes = {0, 2},
    .summary = "take a device down",
    .help =
        "Waits until the device is unused, at most 'timeout' seconds, or 5 with force.\n"
        "With failover, keeps the state of clients, which will reconnect.\n",
    .options = kDeviceOptions,
    .needs = Needs::Kernel,
    .choices = "force|failover",
    .run = run_cleanup,
};

const Command detach_command = {
    .name = "detach",
    .aliases = kDetachAliases,
    .group = "devices",
    .operands = "",
    .summary = "remove a device that is not set up",
    .options = kDeviceOptions,
    .needs = Needs::Kernel,
    .run = run_detach,
};

const Command device_command = {
    .name = "device",
    .aliases = kDeviceAliases,
    .group = "devices",
    .operands = "[DEVICE]",
    .takes = {0, 1},
    .summary = "select or print the current device",
    .help =
        "DEVICE is a number, NAME, $NAME or %NAME. Later commands without --device use the\n"
        "current device, until the end of the batch or the prompt.\n",
    .needs = Needs::Kernel,
    .prints = Prints::Object,
    .complete = Complete::Device,
    .run = run_device,
};

const Command newdev_command = {
    .name = "newdev",
    .aliases = kNewdevAliases,
    .group = "devices",
    .operands = "",
    .summary = "deselect the current device",
    .help = "For old scripts; attach creates the device.\n",
    .run = run_newdev,
};

const Command activate_command = {
    .name = "activate",
    .group = "devices",
    .operands = "",
    .summary = "reactivate a device's import",
    .options = kDeviceOptions,
    .needs = Needs::Kernel,
    .run = run_activate,
};

const Command deactivate_command = {
    .name = "deactivate",
    .group = "devices",
    .operands = "",
    .summary = "deactivate a device's import",
    .options = kDeviceOptions,
    .needs = Needs::Kernel,
    .run = run_deactivate,
};

const Command recover_command = {
    .name = "recover",
    .group = "devices",
    .operands = "[UUID]",
    .takes = {0, 1},
    .summary = "reconnect a device's import, first to server UUID if given",
    .options = kDeviceOptions,
    .needs = Needs::Kernel,
    .run = run_recover,
};

const Command add_uuid_command = {
    .name = "add_uuid",
    .aliases = kAddUuidAliases,
    .group = "devices",
    .operands = "UUID NID",
    .takes = {2, 2},
    .summary = "add a NID for a server UUID",
    .needs = Needs::Kernel,
    .run = run_add_uuid,
};

const Command del_uuid_command = {
    .name = "del_uuid",
    .aliases = kDelUuidAliases,
    .group = "devices",
    .operands = "UUID | --all",
    .takes = {0, 1},
    .summary = "delete the NIDs of a server UUID",
    .options = kAllOptions,
    .needs = Needs::Kernel,
    .run = run_del_uuid,
};

const Command add_conn_command = {
    .name = "add_conn",
    .aliases = kAddConnAliases,
    .group = "devices",
    .operands = "UUID [PRIORITY]",
    .takes = {1, 2},
    .summary = "add a server to a device's import",
    .help = "A PRIORITY above 0 places it before the others.\n",
    .options = kDeviceOptions,
    .needs = Needs::Kernel,
    .run = run_add_conn,
};

const Command del_conn_command = {
    .name = "del_conn",
    .aliases = kDelConnAliases,
    .group = "devices",
    .operands = "UUID",
    .takes = {1, 1},
    .summary = "remove a server from a device's import",
    .options = kDeviceOptions,
    .needs = Needs::Kernel,
    .run = run_del_conn,
};

const Command set_timeout_command = {
    .name = "set_timeout",
    .aliases = kSetTimeoutAliases,
    .group = "devices",
    .operands = "SECONDS",
    .takes = {1, 1},
    .summary = "set the timeout for peers (parameter timeout)",
    .needs = Needs::Kernel,
    .run = run_set_timeout,
};

const Command mount_option_command = {
    .name = "mount_option",
    .aliases = kMountOptionAliases,
    .group = "devices",
    .operands = "PROFILE DATA [METADATA]",
    .takes = {2, 3},
    .summary = "define a profile: the devices for data and metadata",
    .needs = Needs::Kernel,
    .run = run_mount_option,
};

const Command del_mount_option_command = {
    .name = "del_mount_option",
    .aliases = kDelMountOptionAliases,
    .group = "devices",
    .operands = "PROFILE",
    .takes = {1, 1},
    .summary = "delete a profile",
    .needs = Needs::Kernel,
    .run = run_del_mount_option,
};

}  // namespace lctl
