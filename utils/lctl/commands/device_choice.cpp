// SPDX-License-Identifier: GPL-2.0
#include "lctl/commands/device_choice.hpp"

#include <cerrno>

namespace lctl {

ll::Result<ll::DeviceRef> chosen_device(const Context& context, const Arguments& arguments)
{
    if (const Given* given = arguments.find("device"))
        return ll::DeviceRef::parse(*given->argument);
    if (context.device)
        return *context.device;
    return ll::fail(ENODEV, "no device given; use --device, or select one with 'device'");
}

/* The device that "$NAME" or "%NAME" stands for, also where the name is a number. */
static ll::Result<std::string> marked_uuid(Context& context, std::string_view text)
{
    const auto params = context.params();

    if (!params)
        return tl::unexpected(params.error());

    const auto named = ll::DeviceRef::parse(text);

    if (!named)
        return tl::unexpected(named.error());

    auto device = ll::find_device((*params)->port(), *named);

    if (!device) {
        const auto number = ll::DeviceRef::parse(text.substr(1));

        if (number && number->name().empty())
            device = ll::find_device((*params)->port(), *number);
    }
    if (!device)
        return tl::unexpected(device.error());
    return std::move(device->uuid);
}

ll::Result<std::string> expand_argument(Context& context, std::string_view text)
{
    const auto begins_with = [&](std::string_view mark) { return text.starts_with(mark); };

    if (begins_with("$$") || begins_with("%%"))
        return std::string(text.substr(1));
    if (!begins_with("$") && !begins_with("%"))
        return std::string(text);
    return marked_uuid(context, text);
}

int send_config(Context& context, const Arguments& arguments, const ll::ConfigCommand& command,
                const std::optional<ll::DeviceRef>& device)
{
    const auto params = context.params();

    if (!params)
        return context.error(arguments.command, params.error());

    const auto done = ll::apply_config((*params)->port(), command, device);

    return done ? 0 : context.error(arguments.command, done.error());
}

int send_to_chosen(Context& context, const Arguments& arguments, const ll::ConfigCommand& command)
{
    const auto device = chosen_device(context, arguments);

    if (!device)
        return context.error(arguments.command, device.error());
    return send_config(context, arguments, command, *device);
}

}  // namespace lctl
