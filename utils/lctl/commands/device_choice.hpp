// SPDX-License-Identifier: GPL-2.0
/*
 * What the commands of object devices have in common: which device is meant, and
 * sending a command to it.
 */
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lctl/command.hpp"
#include "lctl/context.hpp"
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

/**
 * An argument of attach or setup. $NAME and %NAME stand for the uuid of a device,
 * and so do $NUMBER and %NUMBER; $$ and %% begin a text that begins with one.
 */
ll::Result<std::string> expand_argument(Context& context, std::string_view text);

/** Send a command; prints what is wrong. Return: 0 or an errno. */
int send_config(Context& context, const Arguments& arguments, const ll::ConfigCommand& command,
                const std::optional<ll::DeviceRef>& device);

/** The same, to the chosen device. */
int send_to_chosen(Context& context, const Arguments& arguments, const ll::ConfigCommand& command);

}  // namespace lctl
