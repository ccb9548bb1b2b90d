// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events through generic netlink: what a multicast group brings, and which events were lost.
 */
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "lctl/events.hpp"
#include "lctl/netlink.hpp"

namespace lctl {

/** Join the multicast group of the parameters tree; needs no privilege. */
ll::Result<std::unique_ptr<EventSource>> open_netlink_events();

/** Join that of object devices; needs no privilege. */
ll::Result<std::unique_ptr<DeviceEventSource>> open_netlink_device_events();

/**
 * Events with numbers, and which of them were lost.
 *
 * An Event has a static of_lost(COUNT) that makes the event which tells it; COUNT
 * is 0 where it is not known.
 */
template <class Event>
class EventQueue {
public:
    void push(std::uint64_t sequence, Event event)
    {
        check_sequence(sequence);
        waiting_.push_back(std::move(event));
    }

    /** The socket said that it lost something. */
    void overrun() { overrun_ = Overrun::Seen; }

    /** Nothing waits in the socket any more: if the gap that an overrun left has
     * not shown, what was lost are the last events. */
    void drained()
    {
        if (overrun_ != Overrun::Seen)
            return;
        waiting_.push_back(Event::of_lost(0));
        overrun_ = Overrun::Told;
    }

    bool has_event() const { return !waiting_.empty(); }

    std::optional<Event> pop()
    {
        if (waiting_.empty())
            return {};

        std::optional<Event> event = std::move(waiting_.front());

        waiting_.pop_front();
        return event;
    }

private:
    enum class Overrun : std::uint8_t { None, Seen, Told };

    /* A gap in the numbers is as many lost events, whether the socket said so or
     * the kernel had no memory for a message. */
    void check_sequence(std::uint64_t sequence)
    {
        const bool gap = known_sequence_ && sequence != *known_sequence_ + 1;

        if (gap && overrun_ != Overrun::Told)
            waiting_.push_back(
                Event::of_lost(sequence > *known_sequence_ ? sequence - *known_sequence_ - 1 : 0));
        if (gap)
            overrun_ = Overrun::None;
        known_sequence_ = sequence;
    }

    std::deque<Event> waiting_;
    std::optional<std::uint64_t> known_sequence_;
    Overrun overrun_ = Overrun::None;
};

/** From messages to events of the parameters tree. */
class EventParser : public EventQueue<Event> {
public:
    void message(nlmsghdr* message);
};

/** From messages to events of object devices. */
class DeviceEventParser : public EventQueue<DeviceEvent> {
public:
    void message(nlmsghdr* message);
};

}  // namespace lctl
