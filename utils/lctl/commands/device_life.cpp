// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a device: attach, setup, cleanup, detach; and which one is current.
 */
#include <cerrno>
#include <string>

#include "lctl/commands/commands.hpp"
#include "lctl/commands/device_choice.hpp"
#include "lctl/context.hpp"
#include "lib/json_object.hpp"

namespace lctl {

namespace {

constexpr Option kDeviceOptions[] = {options::kDevice};
constexpr Option kJsonOptions[] = {
    {.name = "json", .help = "print JSON: an object"},
};
constexpr std::size_t kMostArguments = LUSTRE_CFG_MAX_BUFCOUNT - 1;

int run_attach(Context& context, const Arguments& arguments)
{
    if (arguments.operands.size() != 3)
        return usage_error(context, arguments, "takes a TYPE, a NAME and a UUID");

    const ll::DeviceRef device{std::string(arguments.operands[1])};
    const auto uuid = expand_argument(context, arguments.operands[2]);

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

    if (arguments.operands.size() > kMostArguments)
        return usage_error(context, arguments,
                           "takes at most " + std::to_string(kMostArguments) + " arguments");
    for (const std::string_view operand : arguments.operands) {
        auto argument = expand_argument(context, operand);

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

/* A name that is detached is no device any more, and may soon be another one. */
int run_detach(Context& context, const Arguments& arguments)
{
    if (!arguments.operands.empty())
        return usage_error(context, arguments, "takes no operands");

    const auto device = chosen_device(context, arguments);

    if (!device)
        return context.error(arguments.command, device.error());

    const int status =
        send_config(context, arguments, {.command = LCFG_DETACH, .arguments = {}}, *device);

    if (status == 0 && context.device && context.device->text() == device->text())
        context.device.reset();
    return status;
}

void print_device(Context& context, const ll::Device& device, bool json)
{
    std::string& out = context.out.text();

    if (!json) {
        out.append(device.name).push_back('\n');
        return;
    }

    ll::JsonObject object(out);

    object.number("index", device.index);
    object.text("status", ll::status_letters(device.status));
    object.text("type", device.type);
    object.text("name", device.name);
    object.text("uuid", device.uuid);
    object.number("refcount", device.refcount);
    object.close();
    out.push_back('\n');
}

int run_device(Context& context, const Arguments& arguments)
{
    if (arguments.operands.size() > 1)
        return usage_error(context, arguments, "takes one DEVICE");

    const bool choose = !arguments.operands.empty();
    const auto named =
        choose ? ll::DeviceRef::parse(arguments.operands[0]) : chosen_device(context, arguments);

    if (!named)
        return context.error(arguments.command, named.error());

    const auto params = context.params();

    if (!params)
        return context.error(arguments.command, params.error());

    const auto device = ll::find_device((*params)->port(), *named);

    if (!device)
        return context.error(arguments.command, device.error());
    /* By its name: the number of a device that goes may be another's soon. */
    if (choose)
        context.device = ll::DeviceRef(device->name);
    if (!choose || arguments.has("json"))
        print_device(context, *device, arguments.has("json"));
    return 0;
}

int run_newdev(Context& context, const Arguments& arguments)
{
    if (!arguments.operands.empty())
        return usage_error(context, arguments, "takes no operands");
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

}  // namespace

const Command attach_command = {
    .name = "attach",
    .aliases = kAttachAliases,
    .group = "devices",
    .operands = "TYPE NAME UUID",
    .summary = "create a device and make it the current one",
    .help =
        "Loads the module of the type if necessary. The device gets the lowest free number.\n"
        "A UUID of $NAME or %NAME stands for the uuid of device NAME.\n",
    .complete = Complete::DeviceType,
    .run = run_attach,
};

const Command setup_command = {
    .name = "setup",
    .aliases = kSetupAliases,
    .group = "devices",
    .operands = "[ARGUMENT...]",
    .summary = "set a device up",
    .help =
        "The arguments depend on the type. An ARGUMENT of $NAME or %NAME stands for the uuid\n"
        "of device NAME; write $$ or %% for a leading $ or %. Arguments that begin with -\n"
        "follow --. A device whose setup fails stays attached.\n",
    .options = kDeviceOptions,
    .complete = Complete::Device,
    .run = run_setup,
};

const Command cleanup_command = {
    .name = "cleanup",
    .aliases = kCleanupAliases,
    .group = "devices",
    .operands = "[force] [failover]",
    .summary = "take a device down",
    .help =
        "Waits until the device is unused, at most 'timeout' seconds, or 5 with force.\n"
        "With failover, keeps the state of clients, which will reconnect.\n",
    .options = kDeviceOptions,
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
    .run = run_detach,
};

const Command device_command = {
    .name = "device",
    .aliases = kDeviceAliases,
    .group = "devices",
    .operands = "[DEVICE]",
    .summary = "select or print the current device",
    .help =
        "DEVICE is a number, NAME, $NAME or %NAME. Later commands without --device use the\n"
        "current device, until the end of the batch or the prompt.\n",
    .options = kJsonOptions,
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

}  // namespace lctl
