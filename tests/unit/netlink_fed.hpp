// SPDX-License-Identifier: GPL-2.0-only
/* A netlink socket of libnl that receives the datagrams of a test or a fuzzer. */
#pragma once

#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include <sys/socket.h>

#include <netlink/handlers.h>
#include <netlink/socket.h>

#include "lctl/netlink.hpp"

namespace lctl_test {

/** Datagrams that wait; libnl's callbacks take no argument. */
inline std::deque<std::string> fed_datagrams;

/* Each datagram in memory of its own, for the sanitizer; libnl frees it. */
inline int give_datagram(nl_sock* /*socket*/, sockaddr_nl* from, unsigned char** bytes,
                         ucred** /*credentials*/)
{
    if (fed_datagrams.empty())
        return -NLE_AGAIN;

    const std::string datagram = std::move(fed_datagrams.front());

    fed_datagrams.pop_front();
    *from = {};
    from->nl_family = AF_NETLINK;
    if (!datagram.empty()) {
        *bytes = static_cast<unsigned char*>(std::malloc(datagram.size()));
        std::memcpy(*bytes, datagram.data(), datagram.size());
    }
    return static_cast<int>(datagram.size());
}

inline int swallow_question(nl_sock* /*socket*/, nl_msg* /*message*/)
{
    return 1;
}

/** A socket that receives @datagram and nothing else. */
inline lctl::NetlinkSocket fed_socket(std::string_view datagram)
{
    nl_sock* const socket = nl_socket_alloc();
    nl_cb* const callbacks = nl_socket_get_cb(socket);

    fed_datagrams = {std::string(datagram)};
    nl_cb_overwrite_recv(callbacks, give_datagram);
    nl_cb_overwrite_send(callbacks, swallow_question);
    nl_cb_put(callbacks);
    nl_socket_disable_seq_check(socket);

    auto fed = lctl::NetlinkSocket::adopt(socket);

    if (!fed)
        std::abort();
    return std::move(*fed);
}

/** Give a parser of messages the bytes of a datagram. */
template <class Parser>
void feed_messages(Parser& parser, std::string_view datagram)
{
    lctl::NetlinkSocket socket = fed_socket(datagram);

    (void)socket.receive([&](nlmsghdr* message) { parser.message(message); });
}

}  // namespace lctl_test
