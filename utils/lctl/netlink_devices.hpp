// SPDX-License-Identifier: GPL-2.0-only
/*
 * Object devices through generic netlink.
 */
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "lctl/devices.hpp"
#include "lctl/event_queue.hpp"
#include "lctl/netlink.hpp"

namespace lctl {

/** Visit all devices in the order of their numbers; needs no privilege. */
ll::Status list_netlink_devices(ll::DeviceVisitor visit);

ll::Result<std::unique_ptr<DeviceEventSource>> open_netlink_device_events();

/** Return: nothing where the bytes are no device; views into @bytes otherwise. */
std::optional<ll::DeviceView> unpack_device(Bytes bytes);

/** Visit the devices of a message. Return: false when there is one that is none. */
bool unpack_devices(nlmsghdr* message, ll::DeviceVisitor visit);

/** From messages to events. */
class DeviceEventParser : public EventQueue<DeviceEvent> {
public:
    void message(nlmsghdr* message);
};

}  // namespace lctl
