// SPDX-License-Identifier: GPL-2.0
/*
 * A netlink socket that listens to a multicast group.
 */
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "lctl/genl.hpp"
#include "lib/error.hpp"
#include "lib/fd.hpp"

namespace lctl {

/** A group, and what to do when it is not there. */
struct EventGroup {
    const char* family;
    const char* group;
    const char* module;
};

class EventSocket {
public:
    using Time = std::optional<std::chrono::steady_clock::time_point>;

    /** Join; needs no privilege. */
    static ll::Result<EventSocket> open(const EventGroup& group);

    /** Return: what came, 0 bytes where it was nothing; an errno, EAGAIN when
     * nothing waits, ENOBUFS when something was lost. */
    tl::expected<genl::Bytes, int> receive();

    /** Return: false when the time is over. */
    bool wait(Time until) const;

private:
    explicit EventSocket(ll::Fd socket);

    ll::Fd socket_;
    std::vector<char> buffer_;
};

/**
 * The next event: from @parser, which is fed from @socket, or nothing when the
 * time is over. A parser has datagram(), overrun(), drained(), has_event() and
 * pop().
 */
template <class Parser, class Event = decltype(std::declval<Parser&>().pop())>
ll::Result<Event> next_event(EventSocket& socket, Parser& parser, EventSocket::Time until)
{
    for (;;) {
        if (auto event = parser.pop())
            return event;

        const auto received = socket.receive();

        if (received) {
            parser.datagram(*received);
        } else if (received.error() == ENOBUFS) {
            parser.overrun();
        } else if (received.error() == EAGAIN) {
            parser.drained();
            if (!parser.has_event() && !socket.wait(until))
                return Event();
        } else {
            return tl::unexpected(ll::make_error(received.error(), "events"));
        }
    }
}

/** A @Source of events: a socket, and the parser of what comes from it. */
template <class Source, class Parser>
class SocketEvents final : public Source {
public:
    explicit SocketEvents(EventSocket socket) : socket_(std::move(socket)) {}

    ll::Result<decltype(std::declval<Parser&>().pop())> next(EventSocket::Time until) override
    {
        return next_event(socket_, parser_, until);
    }

private:
    EventSocket socket_;
    Parser parser_;
};

/** Join @group and make a source of it. */
template <class Source, class Parser>
ll::Result<std::unique_ptr<Source>> open_events(const EventGroup& group)
{
    auto socket = EventSocket::open(group);

    if (!socket)
        return tl::unexpected(std::move(socket.error()));
    return std::make_unique<SocketEvents<Source, Parser>>(std::move(*socket));
}

}  // namespace lctl
