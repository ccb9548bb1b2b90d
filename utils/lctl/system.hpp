// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "lctl/context.hpp"

namespace lctl {

/** The outside as it is: the device, netlink. */
class RealSystem final : public System {
public:
    ll::Result<std::unique_ptr<ll::KernelPort>> open_kernel() override;
    ll::Result<std::unique_ptr<EventSource>> open_events() override;
    ll::Status list_devices(ll::DeviceVisitor visit) override;
    ll::Result<std::unique_ptr<DeviceEventSource>> open_device_events() override;
    std::optional<bool> confirm(std::string_view question) override;
};

}  // namespace lctl
