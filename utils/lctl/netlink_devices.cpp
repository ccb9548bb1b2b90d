// SPDX-License-Identifier: GPL-2.0-only
#include "lctl/netlink_devices.hpp"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>

#include <uapi/lustre_lite/obd_netlink.h>

namespace lctl {

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

}  // namespace lctl
