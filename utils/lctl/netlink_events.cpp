// SPDX-License-Identifier: GPL-2.0-only
#include "lctl/netlink_events.hpp"

#include <array>
#include <cerrno>
#include <string>

#include <uapi/lustre_lite/netlink.h>
#include <uapi/lustre_lite/obd_netlink.h>

#include "lctl/netlink_devices.hpp"

namespace lctl {

namespace {

/* A multicast group, and the module that makes it. */
struct EventGroup {
    const char* family;
    const char* group;
    const char* module;
};

constexpr EventGroup kParamsGroup = {LL_GENL_FAMILY, LL_GENL_GROUP_PARAMS, "libcfs"};
constexpr EventGroup kDeviceGroup = {LL_OBD_GENL_FAMILY, LL_OBD_GENL_GROUP, "obdclass"};

/* Needs no privilege. */
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

/* The next event: from @parser, which is fed from @socket, or nothing when the time is over. */
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

/* A @Source of events: a socket, and the parser of what comes from it. */
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

/* Join @group and make a source of it. */
template <class Source, class Parser>
ll::Result<std::unique_ptr<Source>> open_events(const EventGroup& group)
{
    auto socket = join_events(group);

    if (!socket)
        return tl::unexpected(std::move(socket.error()));
    return std::make_unique<SocketEvents<Source, Parser>>(std::move(*socket));
}

/* Types and sizes of the attributes of an event of the tree. */
constexpr std::array<nla_policy, LL_PARAMS_A_MAX + 1> kParamsPolicy = [] {
    std::array<nla_policy, LL_PARAMS_A_MAX + 1> policy = {};

    policy[LL_PARAMS_A_EVENT].type = NLA_U8;
    policy[LL_PARAMS_A_VERSION].type = NLA_U32;
    policy[LL_PARAMS_A_SEQ].type = NLA_U64;
    return policy;
}();

/* An event, and its number in @sequence; nothing for an event of an unknown kind. */
std::optional<Event> unpack_params_event(nlmsghdr* message, std::uint64_t& sequence)
{
    std::array<nlattr*, LL_PARAMS_A_MAX + 1> found = {};
    Event event;

    if (genlmsg_parse(message, 0, found.data(), LL_PARAMS_A_MAX, kParamsPolicy.data()) < 0)
        return {};

    const auto kind = attribute_number<std::uint8_t>(found[LL_PARAMS_A_EVENT]);

    event.path = attribute_text(found[LL_PARAMS_A_PATH]);
    event.version = attribute_number<std::uint32_t>(found[LL_PARAMS_A_VERSION]);
    sequence = attribute_number<std::uint64_t>(found[LL_PARAMS_A_SEQ]);
    if (kind == LL_PARAMS_ADDED)
        event.kind = Event::Kind::Added;
    else if (kind == LL_PARAMS_REMOVED)
        event.kind = Event::Kind::Removed;
    else if (kind == LL_PARAMS_CHANGED)
        event.kind = Event::Kind::Changed;
    else
        return {};  // of a newer module
    return event;
}

/* The same for one of a device; texts are read up to their end. */
constexpr std::array<nla_policy, LL_OBD_A_MAX + 1> kDevicePolicy = [] {
    std::array<nla_policy, LL_OBD_A_MAX + 1> policy = {};

    policy[LL_OBD_A_EVENT].type = NLA_U8;
    policy[LL_OBD_A_SEQ].type = NLA_U64;
    policy[LL_OBD_A_TIME].type = NLA_U64;
    policy[LL_OBD_A_STATE].type = NLA_U32;
    return policy;
}();

ll::Device copy_of(const ll::DeviceView& view)
{
    return {
        .index = view.index,
        .refcount = view.refcount,
        .status = view.status,
        .type = std::string(view.type),
        .name = std::string(view.name),
        .uuid = std::string(view.uuid),
    };
}

/* An event, and its number in @sequence; nothing without a kind or a device. */
std::optional<DeviceEvent> unpack_device_event(nlmsghdr* message, std::uint64_t& sequence)
{
    std::array<nlattr*, LL_OBD_A_MAX + 1> found = {};
    DeviceEvent event;

    if (genlmsg_parse(message, 0, found.data(), LL_OBD_A_MAX, kDevicePolicy.data()) < 0 ||
        found[LL_OBD_A_DEVICE] == nullptr)
        return {};

    const auto view = unpack_device(attribute_bytes(found[LL_OBD_A_DEVICE]));

    event.kind = attribute_number<std::uint8_t>(found[LL_OBD_A_EVENT]);
    if (!view || event.kind == 0)
        return {};
    event.device = copy_of(*view);
    event.connection = view->connection;
    event.time_ns = attribute_number<std::uint64_t>(found[LL_OBD_A_TIME]);
    event.state = attribute_number<std::uint32_t>(found[LL_OBD_A_STATE]);
    event.peer = attribute_text(found[LL_OBD_A_PEER]);
    sequence = attribute_number<std::uint64_t>(found[LL_OBD_A_SEQ]);
    return event;
}

}  // namespace

void EventParser::message(nlmsghdr* message)
{
    std::uint64_t sequence = 0;

    if (genlmsg_hdr(message)->cmd != LL_CMD_PARAMS_EVENT)
        return;
    if (auto event = unpack_params_event(message, sequence))
        push(sequence, std::move(*event));
}

void DeviceEventParser::message(nlmsghdr* message)
{
    std::uint64_t sequence = 0;

    if (genlmsg_hdr(message)->cmd != LL_OBD_CMD_EVENT)
        return;
    if (auto event = unpack_device_event(message, sequence))
        push(sequence, std::move(*event));
}

ll::Result<std::unique_ptr<EventSource>> open_netlink_events()
{
    return open_events<EventSource, EventParser>(kParamsGroup);
}

ll::Result<std::unique_ptr<DeviceEventSource>> open_netlink_device_events()
{
    return open_events<DeviceEventSource, DeviceEventParser>(kDeviceGroup);
}

}  // namespace lctl
