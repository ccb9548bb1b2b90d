// SPDX-License-Identifier: GPL-2.0-only
/*
 * lctl: looks at and changes the configuration of lustre-lite on this node.
 */
#include <array>
#include <string>

#include <unistd.h>

#include "lctl/command.hpp"
#include "lctl/context.hpp"
#include "lctl/guard.hpp"
#include "lctl/netlink_devices.hpp"
#include "lctl/netlink_events.hpp"

namespace {

using lctl::DeviceEventSource;
using lctl::EventSource;

/* The outside as it is: the device, netlink, the terminal. */
class RealSystem final : public lctl::System {
public:
    ll::Result<std::unique_ptr<ll::KernelPort>> open_kernel() override { return ll::open_device(); }

    ll::Result<std::unique_ptr<EventSource>> open_events() override
    {
        return lctl::open_netlink_events();
    }

    ll::Status list_devices(ll::DeviceVisitor visit) override
    {
        return lctl::list_netlink_devices(visit);
    }

    ll::Result<std::unique_ptr<DeviceEventSource>> open_device_events() override
    {
        return lctl::open_netlink_device_events();
    }

    /* The end of the input is no, as an empty line is. */
    std::optional<bool> confirm(std::string_view question) override
    {
        std::array<char, 64> answer{};

        if (isatty(STDIN_FILENO) != 1 || isatty(STDERR_FILENO) != 1)
            return std::nullopt;
        lctl::Writer terminal(STDERR_FILENO);
        terminal.put(std::string(question) + " [y/N] ");
        terminal.flush();

        const ssize_t got = ::read(STDIN_FILENO, answer.data(), answer.size());
        return got > 0 && (answer[0] == 'y' || answer[0] == 'Y');
    }
};

}  // namespace

int main(int argc, char** argv)
{
    return lctl::guarded("lctl", 0, [&] {
        RealSystem system;
        lctl::Writer out(STDOUT_FILENO);
        lctl::Writer err(STDERR_FILENO);
        lctl::Context context(system, out, err);

        return lctl::run_lctl(context, argc, argv);
    });
}
