// SPDX-License-Identifier: GPL-2.0
/*
 * Events of the parameters tree through generic netlink.
 */
#include "lctl/netlink_events.hpp"

#include <utility>

#include <uapi/lustre_lite/netlink.h>

#include "lctl/event_socket.hpp"

namespace lctl {

std::optional<EventParser::Parsed> EventParser::parse(genl::Bytes attributes)
{
    genl::Attributes walk(attributes);
    Parsed parsed;
    std::uint8_t kind = 0;

    while (const auto attribute = walk.next()) {
        switch (attribute->type) {
            case LL_PARAMS_A_EVENT:
                kind = attribute->number<std::uint8_t>();
                break;
            case LL_PARAMS_A_PATH:
                parsed.event.path = attribute->text();
                break;
            case LL_PARAMS_A_VERSION:
                parsed.event.version = attribute->number<std::uint32_t>();
                break;
            case LL_PARAMS_A_SEQ:
                parsed.sequence = attribute->number<std::uint64_t>();
                break;
            default:
                break;
        }
    }
    if (kind == LL_PARAMS_ADDED)
        parsed.event.kind = Event::Kind::Added;
    else if (kind == LL_PARAMS_REMOVED)
        parsed.event.kind = Event::Kind::Removed;
    else if (kind == LL_PARAMS_CHANGED)
        parsed.event.kind = Event::Kind::Changed;
    else
        return {};  // of a newer module
    return parsed;
}

void EventParser::datagram(genl::Bytes bytes)
{
    genl::Messages messages(bytes);

    while (const auto message = messages.next()) {
        if (message->command != LL_CMD_PARAMS_EVENT)
            continue;
        if (auto parsed = parse(message->attributes))
            push(parsed->sequence, std::move(parsed->event));
    }
}

namespace {

constexpr EventGroup kGroup = {LL_GENL_FAMILY, LL_GENL_GROUP_PARAMS, "libcfs"};

}  // namespace

ll::Result<std::unique_ptr<EventSource>> open_netlink_events()
{
    return open_events<EventSource, EventParser>(kGroup);
}

}  // namespace lctl
