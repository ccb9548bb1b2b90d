// SPDX-License-Identifier: GPL-2.0
#include "lctl/system.hpp"

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

}  // namespace lctl
