// SPDX-License-Identifier: GPL-2.0-only
// A kernel that sends anything for a list of devices, for events of devices and
// for the question who a family is: nothing is read that is not there.
#include <cstdint>
#include <cstdlib>
#include <string>

#include <uapi/lustre_lite/obd_netlink.h>

#include "lctl/netlink_devices.hpp"
#include "lctl/netlink_events.hpp"
#include "unit/netlink_fed.hpp"

namespace {

// Looks at all of a text.
size_t look_at(std::string_view text)
{
    size_t sum = 0;

    for (const char c : text)
        sum += static_cast<unsigned char>(c);
    return sum;
}

size_t read_list(std::string_view bytes)
{
    lctl::NetlinkSocket socket = lctl_test::fed_socket(bytes);
    size_t texts = 0;
    size_t seen = 0;

    (void)socket.dump(30, LL_OBD_CMD_DEVICES, [&](nlmsghdr* message) {
        (void)lctl::unpack_devices(message, [&](const ll::DeviceView& device) {
            texts += device.type.size() + device.name.size() + device.uuid.size() +
                     device.connection.size();
            seen += look_at(device.type) + look_at(device.name) + look_at(device.uuid) +
                    look_at(device.connection);
        });
    });
    if (texts > bytes.size())
        abort();
    return seen;
}

size_t read_events(std::string_view bytes)
{
    lctl::DeviceEventParser parser;
    size_t events = 0;

    lctl_test::feed_messages(parser, bytes);
    parser.overrun();
    lctl_test::feed_messages(parser, bytes);
    parser.drained();
    while (const auto event = parser.pop()) {
        events++;
        (void)look_at(event->device.name + event->peer);
    }
    // An event has a head at least, and each may be told with a gap.
    if (events > 4 * bytes.size() + 1)
        abort();
    return events;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);

    (void)read_list(bytes);
    (void)read_events(bytes);
    (void)lctl_test::fed_socket(bytes).family(LL_OBD_GENL_FAMILY);
    (void)lctl_test::fed_socket(bytes).group(LL_OBD_GENL_FAMILY, LL_OBD_GENL_GROUP);
    return 0;
}
