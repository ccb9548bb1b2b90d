// SPDX-License-Identifier: GPL-2.0-only
#include "lctl/netlink_devices.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

#include <uapi/lustre_lite/obd_netlink.h>

#include "lctl/event_socket.hpp"

namespace lctl {

namespace {

constexpr EventGroup kGroup = {LL_OBD_GENL_FAMILY, LL_OBD_GENL_GROUP, "obdclass"};

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

/* What the attributes of an event need to be at least; texts are read up to their end. */
constexpr std::array<nla_policy, LL_OBD_A_MAX + 1> kPolicy = [] {
    std::array<nla_policy, LL_OBD_A_MAX + 1> policy = {};

    policy[LL_OBD_A_EVENT].type = NLA_U8;
    policy[LL_OBD_A_SEQ].type = NLA_U64;
    policy[LL_OBD_A_TIME].type = NLA_U64;
    policy[LL_OBD_A_STATE].type = NLA_U32;
    return policy;
}();

/* An event, and its number in @sequence; nothing without a kind or a device. */
std::optional<DeviceEvent> unpack_event(nlmsghdr* message, std::uint64_t& sequence)
{
    std::array<nlattr*, LL_OBD_A_MAX + 1> found = {};
    DeviceEvent event;

    if (genlmsg_parse(message, 0, found.data(), LL_OBD_A_MAX, kPolicy.data()) < 0 ||
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

std::optional<ll::DeviceView> unpack_device(Bytes bytes)
{
    ll_obd_device head;

    if (bytes.size() < sizeof(head))
        return {};
    std::memcpy(&head, bytes.data(), sizeof(head));

    const char* text = bytes.data() + sizeof(head);
    const std::size_t wanted =
        std::size_t{head.d_type_len} + head.d_name_len + head.d_uuid_len + head.d_conn_len;

    if (bytes.size() - sizeof(head) < wanted)
        return {};

    const auto take = [&](std::size_t size) {
        return std::string_view(std::exchange(text, text + size), size);
    };
    ll::DeviceView view;

    view.index = head.d_index;
    view.refcount = head.d_refcount;
    view.status = head.d_status;
    view.type = take(head.d_type_len);
    view.name = take(head.d_name_len);
    view.uuid = take(head.d_uuid_len);
    view.connection = take(head.d_conn_len);
    return view;
}

bool unpack_devices(nlmsghdr* message, ll::DeviceVisitor visit)
{
    const genlmsghdr* const head = genlmsg_hdr(message);
    int left = genlmsg_attrlen(head, 0);

    for (const nlattr* attribute = genlmsg_attrdata(head, 0); nla_ok(attribute, left) != 0;
         attribute = nla_next(attribute, &left)) {
        if (nla_type(attribute) != LL_OBD_A_DEVICE)
            continue;

        const auto view = unpack_device(attribute_bytes(attribute));

        if (!view)
            return false;
        visit(*view);
    }
    return left == 0;
}

void DeviceEventParser::message(nlmsghdr* message)
{
    std::uint64_t sequence = 0;

    if (genlmsg_hdr(message)->cmd != LL_OBD_CMD_EVENT)
        return;
    if (auto event = unpack_event(message, sequence))
        push(sequence, std::move(*event));
}

ll::Status list_netlink_devices(ll::DeviceVisitor visit)
{
    auto socket = NetlinkSocket::open();

    if (!socket)
        return tl::unexpected(socket.error());

    const auto family = socket->family(LL_OBD_GENL_FAMILY);

    if (!family && family.error().code == ENOENT)
        return ll::fail(ENOENT, "the kernel has no netlink family " LL_OBD_GENL_FAMILY
                                ": load obdclass.ko (modprobe obdclass)");
    if (!family)
        return tl::unexpected(family.error());

    bool sound = true;
    auto done = socket->dump(*family, LL_OBD_CMD_DEVICES, [&](nlmsghdr* message) {
        sound = unpack_devices(message, visit) && sound;
    });

    if (done && !sound)
        return ll::fail(EBADMSG,
                        "malformed reply from obdclass (device): use the tools and "
                        "modules of one release");
    return done;
}

ll::Result<std::unique_ptr<DeviceEventSource>> open_netlink_device_events()
{
    return open_events<DeviceEventSource, DeviceEventParser>(kGroup);
}

}  // namespace lctl
