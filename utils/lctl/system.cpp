// SPDX-License-Identifier: GPL-2.0
#include "lctl/system.hpp"

#include "lctl/netlink_devices.hpp"
#include "lctl/netlink_events.hpp"

namespace lctl {

ll::Result<std::unique_ptr<ll::KernelPort>> RealSystem::open_kernel()
{
    return ll::open_device();
}

ll::Result<std::unique_ptr<EventSource>> RealSystem::open_events()
{
    return open_netlink_events();
}

ll::Status RealSystem::list_devices(ll::DeviceVisitor visit)
{
    return list_netlink_devices(visit);
}

ll::Result<std::unique_ptr<DeviceEventSource>> RealSystem::open_device_events()
{
    return open_netlink_device_events();
}

}  // namespace lctl
