// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of the parameters tree, as they come from the kernel.
 */
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "lib/error.hpp"

namespace lctl {

struct Event {
    enum class Kind : std::uint8_t { Added, Removed, Changed, Lost };

    Kind kind = Kind::Lost;
    std::uint32_t version = 0;
    std::uint64_t lost = 0;  // Lost: how many, 0 where it is not known
    std::string path;        // raw

    static Event of_lost(std::uint64_t count)
    {
        return {.kind = Kind::Lost, .version = 0, .lost = count, .path = {}};
    }
};

class EventSource {
public:
    EventSource() = default;
    EventSource(const EventSource&) = delete;
    EventSource& operator=(const EventSource&) = delete;
    virtual ~EventSource() = default;

    /**
     * Wait for the next event, without a limit if @until is empty.
     *
     * Return: nothing when the time is over or a signal says to end.
     */
    virtual ll::Result<std::optional<Event>> next(
        std::optional<std::chrono::steady_clock::time_point> until) = 0;
};

}  // namespace lctl
