// SPDX-License-Identifier: GPL-2.0-only
/* Which device a command is for. */
#pragma once

#include "lctl/command.hpp"
#include "lctl/context.hpp"
#include "lctl/output/printer.hpp"
#include "lib/devices.hpp"

namespace lctl {

namespace options {

inline constexpr Option kDevice = {
    .name = "device",
    .argument = "DEVICE",
    .help = "the device, by its number or name",
    .complete = Complete::Device,
};

}  // namespace options

/** What --device names, else the current device. Return: ENODEV without either. */
ll::Result<ll::DeviceRef> chosen_device(const Context& context, const Arguments& arguments);

/** Members of a device, as all commands print it. */
Json device_members(const ll::Device& device);

}  // namespace lctl
