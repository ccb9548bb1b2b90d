// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of the parameters tree through generic netlink.
 */
#include "lctl/netlink_events.hpp"

#include <array>
#include <utility>

#include <uapi/lustre_lite/netlink.h>

#include "lctl/event_socket.hpp"

namespace lctl {

namespace {

/* Minimum types and sizes of the attributes of an event. */
constexpr std::array<nla_policy, LL_PARAMS_A_MAX + 1> kPolicy = [] {
    std::array<nla_policy, LL_PARAMS_A_MAX + 1> policy = {};

    policy[LL_PARAMS_A_EVENT].type = NLA_U8;
    policy[LL_PARAMS_A_VERSION].type = NLA_U32;
    policy[LL_PARAMS_A_SEQ].type = NLA_U64;
    return policy;
}();

}  // namespace

std::optional<EventParser::Parsed> EventParser::parse(nlmsghdr* message)
{
    std::array<nlattr*, LL_PARAMS_A_MAX + 1> found = {};
    Parsed parsed;

    if (genlmsg_parse(message, 0, found.data(), LL_PARAMS_A_MAX, kPolicy.data()) < 0)
        return {};

    const auto kind = attribute_number<std::uint8_t>(found[LL_PARAMS_A_EVENT]);

    parsed.event.path = attribute_text(found[LL_PARAMS_A_PATH]);
    parsed.event.version = attribute_number<std::uint32_t>(found[LL_PARAMS_A_VERSION]);
    parsed.sequence = attribute_number<std::uint64_t>(found[LL_PARAMS_A_SEQ]);
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

void EventParser::message(nlmsghdr* message)
{
    if (genlmsg_hdr(message)->cmd != LL_CMD_PARAMS_EVENT)
        return;
    if (auto parsed = parse(message))
        push(parsed->sequence, std::move(parsed->event));
}

namespace {

constexpr EventGroup kGroup = {LL_GENL_FAMILY, LL_GENL_GROUP_PARAMS, "libcfs"};

}  // namespace

ll::Result<std::unique_ptr<EventSource>> open_netlink_events()
{
    return open_events<EventSource, EventParser>(kGroup);
}

}  // namespace lctl
