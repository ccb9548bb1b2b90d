// SPDX-License-Identifier: LGPL-2.1-or-later
// Object devices: naming them, and the commands that make and change them.
#ifndef LL_DEVICES_HPP
#define LL_DEVICES_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "error.hpp"
#include "function_ref.hpp"
#include "port.hpp"

#include <uapi/lustre_lite/lustre_cfg.h>
#include <uapi/lustre_lite/obd_ioctl.h>

namespace ll {

// A device in a list; the texts are good during the call they are given to.
struct DeviceView {
    uint32_t index = 0;
    uint32_t refcount = 0;
    uint8_t status = OBD_STATUS_NONE;  // enum obd_status
    std::string_view type;
    std::string_view name;
    std::string_view uuid;
    std::string_view connection;  // server of its import; empty without one
};

using DeviceVisitor = FunctionRef<void(const DeviceView&)>;

// The two letters of a status; "--" for one that is not known.
const char* status_letters(uint8_t status);

// A device as a person names it: NUMBER, NAME, $NAME or %NAME. What has digits
// only is a number where that can be one.
class DeviceRef {
public:
    // EINVAL when nothing is named.
    static Result<DeviceRef> parse(std::string_view text);

    explicit DeviceRef(std::string name) : name_(std::move(name)) {}

    // OBD_INDEX_NONE where it is a name.
    uint32_t index() const { return index_; }
    // Empty where it is a number.
    const std::string& name() const { return name_; }
    // For messages.
    std::string text() const;

private:
    explicit DeviceRef(uint32_t index) : index_(index) {}

    uint32_t index_ = OBD_INDEX_NONE;
    std::string name_;
};

struct Device {
    uint32_t index = 0;
    uint32_t refcount = 0;
    uint8_t status = OBD_STATUS_NONE;
    std::string type;
    std::string name;
    std::string uuid;
};

Result<Device> find_device(KernelPort& port, const DeviceRef& device);

// A lustre_cfg in the making.
struct ConfigCommand {
    uint32_t command = 0;  // enum lcfg_command_type
    uint32_t number = 0;
    std::vector<std::string> arguments;  // buffers from 1 on
};

// Apply a command to a device, or to the node without one. An error says which
// device, what the kernel said, and the words of its errno.
Status apply_config(KernelPort& port, const ConfigCommand& command,
                    const std::optional<DeviceRef>& device);

// Do something to the import of a device; `uuid` is for OBD_IMPORT_RECOVER.
Status control_import(KernelPort& port, const DeviceRef& device, obd_import_op op,
                      std::string_view uuid = {});

}  // namespace ll

#endif
