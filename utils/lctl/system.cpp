// SPDX-License-Identifier: GPL-2.0-only
#include "lctl/system.hpp"

#include <array>
#include <string>

#include <unistd.h>

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

/* The end of the input is no, as an empty line is. */
std::optional<bool> RealSystem::confirm(std::string_view question)
{
    std::array<char, 64> answer{};

    if (isatty(STDIN_FILENO) != 1 || isatty(STDERR_FILENO) != 1)
        return std::nullopt;
    Writer terminal(STDERR_FILENO);
    terminal.put(std::string(question) + " [y/N] ");
    terminal.flush();

    const ssize_t got = ::read(STDIN_FILENO, answer.data(), answer.size());
    return got > 0 && (answer[0] == 'y' || answer[0] == 'Y');
}

}  // namespace lctl
