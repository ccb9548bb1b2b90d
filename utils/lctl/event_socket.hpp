// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events that a multicast group of netlink brings.
 */
#pragma once

#include <cerrno>
#include <memory>
#include <utility>

#include "lctl/netlink.hpp"
#include "lib/error.hpp"

namespace lctl {

/** A group, and what to do when it is not there. */
struct EventGroup {
    const char* family;
    const char* group;
    const char* module;
};

/** Join a group; needs no privilege. */
ll::Result<NetlinkSocket> join_events(const EventGroup& group);

/**
 * The next event: from @parser, which is fed from @socket, or nothing when the
 * time is over. A parser has message(), overrun(), drained(), has_event() and
 * pop().
 */
template <class Parser, class Event = decltype(std::declval<Parser&>().pop())>
ll::Result<Event> next_event(NetlinkSocket& socket, Parser& parser, NetlinkSocket::Time until)
{
    for (;;) {
        if (auto event = parser.pop())
            return event;

        const int failed = socket.receive([&](nlmsghdr* message) { parser.message(message); });

        if (failed == ENOBUFS) {
            parser.overrun();
        } else if (failed == EAGAIN) {
            parser.drained();
            if (!parser.has_event() && !socket.wait(until))
                return Event();
        } else if (failed != 0) {
            return tl::unexpected(ll::make_error(failed, "events"));
        }
    }
}

/** A @Source of events: a socket, and the parser of what comes from it. */
template <class Source, class Parser>
class SocketEvents final : public Source {
public:
    explicit SocketEvents(NetlinkSocket socket) : socket_(std::move(socket)) {}

    ll::Result<decltype(std::declval<Parser&>().pop())> next(NetlinkSocket::Time until) override
    {
        return next_event(socket_, parser_, until);
    }

private:
    NetlinkSocket socket_;
    Parser parser_;
};

/** Join @group and make a source of it. */
template <class Source, class Parser>
ll::Result<std::unique_ptr<Source>> open_events(const EventGroup& group)
{
    auto socket = join_events(group);

    if (!socket)
        return tl::unexpected(std::move(socket.error()));
    return std::make_unique<SocketEvents<Source, Parser>>(std::move(*socket));
}

}  // namespace lctl
