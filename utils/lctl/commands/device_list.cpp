// SPDX-License-Identifier: GPL-2.0
/*
 * device_list: the devices of this node.
 */
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <string>

#include "lctl/commands/commands.hpp"
#include "lctl/context.hpp"
#include "lib/json_object.hpp"
#include "lib/value_text.hpp"

namespace lctl {

namespace {

constexpr Option kOptions[] = {
    {.letter = 't', .name = "target", .help = "include the server of the import"},
    {.letter = 'y', .name = "yaml", .help = "print YAML"},
    {.name = "json", .help = "print JSON: an array with an object for each device"},
};
constexpr const char* kAliases[] = {"dl"};

/* Of a list of a million devices this is the most of what happens here. */
void append_number(std::string& out, std::uint32_t number, std::size_t width)
{
    char digits[16];
    const char* const end = std::to_chars(digits, digits + sizeof(digits), number).ptr;
    const auto size = static_cast<std::size_t>(end - digits);

    if (size < width)
        out.append(width - size, ' ');
    out.append(digits, size);
}

void append_text(std::string& out, const ll::DeviceView& device, bool target)
{
    append_number(out, device.index, 3);
    out.push_back(' ');
    out.append(ll::status_letters(device.status), 2).push_back(' ');
    out.append(device.type).push_back(' ');
    out.append(device.name).push_back(' ');
    out.append(device.uuid).push_back(' ');
    append_number(out, device.refcount, 0);
    if (target && !device.connection.empty())
        out.append(" ").append(device.connection);
    out.push_back('\n');
}

void append_yaml_member(std::string& out, std::string_view key, std::string_view value)
{
    out.append("  ").append(key).append(": ");
    ll::append_yaml_string(out, value);
    out.push_back('\n');
}

void append_yaml(std::string& out, const ll::DeviceView& device, bool target)
{
    out.append("- index: ");
    append_number(out, device.index, 0);
    out.push_back('\n');
    append_yaml_member(out, "status", ll::status_letters(device.status));
    append_yaml_member(out, "type", device.type);
    append_yaml_member(out, "name", device.name);
    append_yaml_member(out, "uuid", device.uuid);
    out.append("  refcount: ");
    append_number(out, device.refcount, 0);
    out.push_back('\n');
    if (target && !device.connection.empty())
        append_yaml_member(out, "connection", device.connection);
}

void append_json(std::string& out, const ll::DeviceView& device)
{
    ll::JsonObject object(out);

    object.number("index", device.index);
    object.text("status", ll::status_letters(device.status));
    object.text("type", device.type);
    object.text("name", device.name);
    object.text("uuid", device.uuid);
    object.number("refcount", device.refcount);
    if (!device.connection.empty())
        object.text("connection", device.connection);
    object.close();
}

ll::Status list_text(Context& context, bool target)
{
    return context.list_devices([&](const ll::DeviceView& device) {
        append_text(context.out.text(), device, target);
        context.out.spill();
    });
}

ll::Status list_yaml(Context& context, bool target)
{
    bool any = false;
    auto done = context.list_devices([&](const ll::DeviceView& device) {
        if (!any)
            context.out.put("devices:\n");
        any = true;
        append_yaml(context.out.text(), device, target);
        context.out.spill();
    });

    if (done && !any)
        context.out.put("devices: []\n");
    return done;
}

ll::Status list_json(Context& context)
{
    bool any = false;
    auto done = context.list_devices([&](const ll::DeviceView& device) {
        context.out.put(any ? ",\n" : "[\n");
        any = true;
        append_json(context.out.text(), device);
    });

    if (any)
        context.out.put("\n]\n");
    else if (done)
        context.out.put("[]\n");
    return done;
}

int run_device_list(Context& context, const Arguments& arguments)
{
    const bool target = arguments.has("target");

    if (!arguments.operands.empty())
        return usage_error(context, arguments, "takes no operands");
    if (arguments.has("json") && arguments.has("yaml"))
        return usage_error(context, arguments, "--json and --yaml exclude each other");

    ll::Status done;

    if (arguments.has("json"))
        done = list_json(context);
    else if (arguments.has("yaml"))
        done = list_yaml(context, target);
    else
        done = list_text(context, target);
    return done ? 0 : context.error(arguments.command, done.error());
}

}  // namespace

const Command device_list_command = {
    .name = "device_list",
    .aliases = kAliases,
    .group = "devices",
    .operands = "",
    .summary = "list the devices of this node",
    .help =
        "Prints one line each: number, status, type, name, uuid, reference count. The status\n"
        "is AT (attached), UP (set up), IN (set up, deactivated) or ST (stopping).\n",
    .options = kOptions,
    .run = run_device_list,
};

}  // namespace lctl
