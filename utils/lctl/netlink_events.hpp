// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "lctl/events.hpp"
#include "lctl/genl.hpp"

namespace lctl {

/** Join the multicast group of the parameters tree; needs no privilege. */
ll::Result<std::unique_ptr<EventSource>> open_netlink_events();

/** From what the socket gives to events. */
class EventParser {
public:
    struct Parsed {
        Event event;
        std::uint64_t sequence = 0;
    };

    /** Return: nothing for an event of an unknown kind. */
    static std::optional<Parsed> parse(genl::Bytes attributes);

    void datagram(genl::Bytes bytes);

    /** The socket said that it lost something. */
    void overrun() { overrun_ = Overrun::Seen; }

    /** Nothing waits in the socket any more: if the gap that an overrun left has
     * not shown, what was lost are the last events. */
    void drained();

    bool has_event() const { return !waiting_.empty(); }
    std::optional<Event> pop();

private:
    enum class Overrun : std::uint8_t { None, Seen, Told };

    void check_sequence(std::uint64_t sequence);
    void tell_lost(std::uint64_t count);

    std::deque<Event> waiting_;
    std::optional<std::uint64_t> known_sequence_;
    Overrun overrun_ = Overrun::None;
};

}  // namespace lctl
