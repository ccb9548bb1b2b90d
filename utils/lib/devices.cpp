// SPDX-License-Identifier: LGPL-2.1-or-later
#include "devices.hpp"

#include <array>
#include <cstring>

#include "call.hpp"
#include "number.hpp"

#include <lustre_lite/lustre_cfg.h>

namespace ll {

namespace {

using ConfigBytes = std::array<char, LUSTRE_CFG_SIZE_MAX>;

constexpr std::string_view kModule = "obdclass";

// A call for a device failed with -rc.
tl::unexpected<Error> device_error(int rc, std::string_view device, std::string_view why)
{
    return call_error(rc, kModule, device, why);
}

tl::unexpected<Error> too_long(std::string_view what, std::string_view text, size_t most)
{
    return fail(EINVAL, std::string(what) + " '" + std::string(text) + "' has " +
                            std::to_string(text.size()) + " bytes; the maximum is " +
                            std::to_string(most));
}

tl::unexpected<Error> command_too_long()
{
    return fail(E2BIG, "the arguments are too long; the maximum for all of them is " +
                           std::to_string(LUSTRE_CFG_SIZE_MAX) + " bytes");
}

// Returns the bytes used.
Result<uint32_t> encode(const ConfigCommand& command, const std::optional<DeviceRef>& device,
                        ConfigBytes& bytes)
{
    const std::string name = device ? device->name() : std::string();
    lcfg_view view;

    if (command.arguments.size() >= LUSTRE_CFG_MAX_BUFCOUNT)
        return fail(E2BIG, "too many arguments; the maximum is " +
                               std::to_string(LUSTRE_CFG_MAX_BUFCOUNT - 1));
    lcfg_init(&view, command.command, name.c_str());
    if (view.bufcount != 1)
        return command_too_long();
    view.num = command.number;
    for (const std::string& argument : command.arguments)
        if (lcfg_add_string(&view, argument.c_str()) < 0)
            return command_too_long();

    const ssize_t used = lustre_cfg_encode(&view, bytes.data(), bytes.size());

    if (used < 0)
        return command_too_long();
    return uint32_t(used);
}

}  // namespace

const char* status_letters(uint8_t status)
{
    static constexpr const char* letters[] = {"--", "AT", "UP", "IN", "ST"};

    return status < std::size(letters) ? letters[status] : letters[0];
}

Result<DeviceRef> DeviceRef::parse(std::string_view text)
{
    const std::string_view all = text;

    if (text.starts_with('$') || text.starts_with('%')) {
        text.remove_prefix(1);
    } else if (text.find_first_not_of("0123456789") == std::string_view::npos) {
        if (const auto number = parse_number(text, OBD_INDEX_NONE - 1))
            return DeviceRef(uint32_t(*number));
    }
    if (text.empty())
        return fail(EINVAL,
                    "'" + std::string(all) + "' does not name a device; use its number or name");
    return DeviceRef(std::string(text));
}

std::string DeviceRef::text() const
{
    return index_ == OBD_INDEX_NONE ? name_ : std::to_string(index_);
}

Result<Device> find_device(KernelPort& port, const DeviceRef& device)
{
    obd_ioc_device arg{};

    set_header(&obd_ioc_device::od_hdr, arg);
    arg.od_index = device.index();
    if (!put_text(arg.od_name, device.name()))
        return too_long("the name", device.name(), sizeof(arg.od_name) - 1);

    const int rc = port.call(OBD_IOC_DEVICE, &arg);

    if (rc < 0)
        return device_error(rc, device.text(), {});
    return Device{
        .index = arg.od_index,
        .refcount = arg.od_refcount,
        .status = uint8_t(arg.od_status),
        .type = std::string(words_of(arg.od_type)),
        .name = std::string(words_of(arg.od_name)),
        .uuid = std::string(words_of(arg.od_uuid)),
    };
}

Status apply_config(KernelPort& port, const ConfigCommand& command,
                    const std::optional<DeviceRef>& device)
{
    ConfigBytes bytes;
    obd_ioc_config arg{};
    const auto used = encode(command, device, bytes);

    if (!used)
        return tl::unexpected(used.error());
    set_header(&obd_ioc_config::oc_hdr, arg);
    arg.oc_cfg = address(bytes.data());
    arg.oc_cfg_len = *used;
    arg.oc_index = device ? device->index() : OBD_INDEX_NONE;

    const int rc = port.call(OBD_IOC_CONFIG, &arg);

    if (rc < 0)
        return device_error(rc, device ? device->text() : std::string(), words_of(arg.oc_why));
    return {};
}

Status control_import(KernelPort& port, const DeviceRef& device, obd_import_op op,
                      std::string_view uuid)
{
    const auto found = find_device(port, device);
    obd_ioc_import arg{};

    if (!found)
        return tl::unexpected(found.error());
    set_header(&obd_ioc_import::oi_hdr, arg);
    arg.oi_index = found->index;
    arg.oi_op = op;
    if (!put_text(arg.oi_uuid, uuid))
        return too_long("the uuid", uuid, sizeof(arg.oi_uuid) - 1);

    const int rc = port.call(OBD_IOC_IMPORT, &arg);

    if (rc < 0)
        return device_error(rc, found->name, words_of(arg.oi_why));
    return {};
}

}  // namespace ll
