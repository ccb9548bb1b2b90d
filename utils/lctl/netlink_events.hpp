// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "lctl/event_queue.hpp"
#include "lctl/events.hpp"
#include "lctl/netlink.hpp"

namespace lctl {

/** Join the multicast group of the parameters tree; needs no privilege. */
ll::Result<std::unique_ptr<EventSource>> open_netlink_events();

/** From messages to events. */
class EventParser : public EventQueue<Event> {
public:
    struct Parsed {
        Event event;
        std::uint64_t sequence = 0;
    };

    /** Return: nothing for an event of an unknown kind. */
    static std::optional<Parsed> parse(nlmsghdr* message);

    void message(nlmsghdr* message);
};

}  // namespace lctl
