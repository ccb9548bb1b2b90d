// SPDX-License-Identifier: GPL-2.0
#include "lctl/netlink_devices.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <string>
#include <utility>

#include <linux/netlink.h>
#include <sys/socket.h>

#include <uapi/lustre_lite/obd_netlink.h>

#include "lctl/event_socket.hpp"
#include "lib/fd.hpp"

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

/* An event, and its number in @sequence; nothing without a kind or a device. */
std::optional<DeviceEvent> unpack_event(genl::Bytes attributes, std::uint64_t& sequence)
{
    genl::Attributes walk(attributes);
    DeviceEvent event;
    bool has_device = false;

    while (const auto attribute = walk.next()) {
        switch (attribute->type) {
            case LL_OBD_A_DEVICE:
                if (const auto view = unpack_device(attribute->data)) {
                    event.device = copy_of(*view);
                    event.connection = view->connection;
                    has_device = true;
                }
                break;
            case LL_OBD_A_EVENT:
                event.kind = attribute->number<std::uint8_t>();
                break;
            case LL_OBD_A_SEQ:
                sequence = attribute->number<std::uint64_t>();
                break;
            case LL_OBD_A_TIME:
                event.time_ns = attribute->number<std::uint64_t>();
                break;
            case LL_OBD_A_STATE:
                event.state = attribute->number<std::uint32_t>();
                break;
            case LL_OBD_A_PEER:
                event.peer = attribute->text();
                break;
            default:
                break;
        }
    }
    if (!has_device || event.kind == 0)
        return {};
    return event;
}

}  // namespace

std::optional<ll::DeviceView> unpack_device(genl::Bytes bytes)
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

bool unpack_devices(genl::Bytes attributes, ll::DeviceVisitor visit)
{
    genl::Attributes walk(attributes);

    while (const auto attribute = walk.next()) {
        if (attribute->type != LL_OBD_A_DEVICE)
            continue;

        const auto view = unpack_device(attribute->data);

        if (!view)
            return false;
        visit(*view);
    }
    return walk.at_end();
}

void DeviceEventParser::datagram(genl::Bytes bytes)
{
    genl::Messages messages(bytes);

    while (const auto message = messages.next()) {
        std::uint64_t sequence = 0;

        if (message->command != LL_OBD_CMD_EVENT)
            continue;
        if (auto event = unpack_event(message->attributes, sequence))
            push(sequence, std::move(*event));
    }
}

ll::Status list_netlink_devices(ll::DeviceVisitor visit)
{
    const ll::Fd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC));

    if (!socket)
        return tl::unexpected(ll::make_error(errno, "generic netlink"));

    const auto family = genl::resolve_family(socket.get(), LL_OBD_GENL_FAMILY);

    if (!family && family.error().code == ENOENT)
        return ll::fail(ENOENT, "the kernel has no netlink family " LL_OBD_GENL_FAMILY
                                ": load obdclass.ko (modprobe obdclass)");
    if (!family)
        return tl::unexpected(family.error());

    bool sound = true;
    const genl::Dump dump = {
        .family = *family,
        .sequence = 1,
        .command = LL_OBD_CMD_DEVICES,
    };
    auto done = genl::run_dump(socket.get(), dump, [&](genl::Bytes attributes) {
        sound = unpack_devices(attributes, visit) && sound;
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
