// SPDX-License-Identifier: GPL-2.0-only
#include "lctl/event_socket.hpp"

#include <string>

namespace lctl {

ll::Result<NetlinkSocket> join_events(const EventGroup& group)
{
    auto socket = NetlinkSocket::open();

    if (!socket)
        return socket;

    const auto number = socket->group(group.family, group.group);
    const std::string name = std::string("netlink group ") + group.family + "." + group.group;

    if (!number && number.error().code != ENOENT)
        return tl::unexpected(number.error());
    if (!number)
        return ll::fail(ENOENT, "events: the kernel has no " + name + ": load " + group.module +
                                    ".ko (modprobe " + group.module + ")");
    if (const auto joined = socket->join(*number); !joined)
        return tl::unexpected(ll::make_error(joined.error().code, name));
    return socket;
}

}  // namespace lctl
