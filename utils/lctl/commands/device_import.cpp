// SPDX-License-Identifier: GPL-2.0
/*
 * The import of a device: activate, deactivate, recover.
 */
#include <string_view>

#include "lctl/commands/commands.hpp"
#include "lctl/commands/device_choice.hpp"
#include "lctl/context.hpp"

namespace lctl {

namespace {

constexpr Option kDeviceOptions[] = {options::kDevice};

int control(Context& context, const Arguments& arguments, obd_import_op operation,
            std::string_view uuid = {})
{
    const auto device = chosen_device(context, arguments);

    if (!device)
        return context.error(arguments.command, device.error());

    const auto params = context.params();

    if (!params)
        return context.error(arguments.command, params.error());

    const auto done = ll::control_import((*params)->port(), *device, operation, uuid);

    return done ? 0 : context.error(arguments.command, done.error());
}

int run_activate(Context& context, const Arguments& arguments)
{
    if (!arguments.operands.empty())
        return usage_error(context, arguments, "takes no operands");
    return control(context, arguments, OBD_IMPORT_ACTIVATE);
}

int run_deactivate(Context& context, const Arguments& arguments)
{
    if (!arguments.operands.empty())
        return usage_error(context, arguments, "takes no operands");
    return control(context, arguments, OBD_IMPORT_DEACTIVATE);
}

int run_recover(Context& context, const Arguments& arguments)
{
    if (arguments.operands.size() > 1)
        return usage_error(context, arguments, "takes one UUID at most");
    return control(context, arguments, OBD_IMPORT_RECOVER,
                   arguments.operands.empty() ? std::string_view() : arguments.operands[0]);
}

}  // namespace

const Command activate_command = {
    .name = "activate",
    .group = "devices",
    .operands = "",
    .summary = "reactivate a device's import",
    .options = kDeviceOptions,
    .run = run_activate,
};

const Command deactivate_command = {
    .name = "deactivate",
    .group = "devices",
    .operands = "",
    .summary = "deactivate a device's import",
    .options = kDeviceOptions,
    .run = run_deactivate,
};

const Command recover_command = {
    .name = "recover",
    .group = "devices",
    .operands = "[UUID]",
    .summary = "reconnect a device's import, first to server UUID if given",
    .options = kDeviceOptions,
    .run = run_recover,
};

}  // namespace lctl
