// SPDX-License-Identifier: GPL-2.0-only
/*
 * device_list: the devices of this node.
 */
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <string>

#include "lctl/commands/commands.hpp"
#include "lctl/context.hpp"
#include "lctl/output/printer.hpp"
#include "lib/json_object.hpp"

namespace lctl {

namespace {

constexpr Option kOptions[] = {
    {.letter = 't', .name = "target", .help = "text: include the server of the import"},
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

/* As it is read: a node may have thousands. */
void append_object(std::string& out, const ll::DeviceView& device)
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

int run_device_list(Context& context, const Arguments& arguments)
{
    const bool target = arguments.has("target");
    const bool is_text = context.is_text();
    const auto done = context.list_devices([&](const ll::DeviceView& device) {
        if (is_text) {
            append_text(context.out.text(), device, target);
            context.out.spill();
        } else {
            append_object(context.printer().begin(), device);
            context.printer().finish();
        }
    });

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
    .prints = Prints::Array,
    .key = "devices",
    .run = run_device_list,
};

}  // namespace lctl
