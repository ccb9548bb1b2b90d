// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of object devices through generic netlink, and a device as it is packed there.
 */
#pragma once

#include <optional>

#include "lctl/netlink.hpp"
#include "lib/devices.hpp"

namespace lctl {

/** Visit all devices in the order of their numbers; needs no privilege. */
ll::Status list_netlink_devices(ll::DeviceVisitor visit);

/** Return: nothing where the bytes are no device; views into @bytes otherwise. */
std::optional<ll::DeviceView> unpack_device(Bytes bytes);

/** Visit the devices of a message. Return: false when there is one that is none. */
bool unpack_devices(nlmsghdr* message, ll::DeviceVisitor visit);

}  // namespace lctl
