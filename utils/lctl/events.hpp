// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events as the kernel tells of them: of the parameters tree, of object devices.
 */
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "lib/devices.hpp"
#include "lib/error.hpp"

namespace lctl {

/** A change of a parameter, or the loss of events. */
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

/** A change of a device, its import or an export, or the loss of events. */
struct DeviceEvent {
    std::uint8_t kind = 0;      // enum ll_obd_event; 0: events were lost
    std::uint64_t lost = 0;     // how many, 0 where it is not known
    std::uint64_t time_ns = 0;  // since 1970
    std::uint32_t state = 0;    // of an import: its state, or what it told
    std::string peer;           // of an export: uuid of its client
    std::string connection;
    ll::Device device;

    static DeviceEvent of_lost(std::uint64_t count)
    {
        DeviceEvent event;

        event.lost = count;
        return event;
    }
};

class DeviceEventSource {
public:
    DeviceEventSource() = default;
    DeviceEventSource(const DeviceEventSource&) = delete;
    DeviceEventSource& operator=(const DeviceEventSource&) = delete;
    virtual ~DeviceEventSource() = default;

    /**
     * Wait for the next event, without a limit if @until is empty.
     *
     * Return: nothing when the time is over.
     */
    virtual ll::Result<std::optional<DeviceEvent>> next(
        std::optional<std::chrono::steady_clock::time_point> until) = 0;
};

}  // namespace lctl
