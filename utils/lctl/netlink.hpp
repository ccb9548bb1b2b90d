// SPDX-License-Identifier: GPL-2.0-only
/*
 * Generic netlink: libnl, which the commands on devices and events need, and its sockets, with its
 * errors as errnos and messages.
 */
#pragma once

#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include <netlink/attr.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>

#include "lctl/lazy_library.hpp"
#include "lib/error.hpp"
#include "lib/function_ref.hpp"

#define LIBNL_FUNCTIONS(DO)         \
    DO(genl_connect)                \
    DO(genl_ctrl_resolve)           \
    DO(genl_ctrl_resolve_grp)       \
    DO(genl_send_simple)            \
    DO(genlmsg_attrdata)            \
    DO(genlmsg_attrlen)             \
    DO(genlmsg_hdr)                 \
    DO(genlmsg_parse)               \
    DO(genlmsg_valid_hdr)           \
    DO(nl_recvmsgs_default)         \
    DO(nl_socket_add_membership)    \
    DO(nl_socket_alloc)             \
    DO(nl_socket_disable_msg_peek)  \
    DO(nl_socket_disable_seq_check) \
    DO(nl_socket_free)              \
    DO(nl_socket_get_fd)            \
    DO(nl_socket_modify_cb)         \
    DO(nl_socket_modify_err_cb)     \
    DO(nl_socket_set_buffer_size)   \
    DO(nl_socket_set_msg_buf_size)  \
    DO(nl_socket_set_nonblocking)   \
    DO(nla_data)                    \
    DO(nla_len)                     \
    DO(nla_next)                    \
    DO(nla_ok)                      \
    DO(nla_type)                    \
    DO(nlmsg_data)                  \
    DO(nlmsg_datalen)               \
    DO(nlmsg_hdr)

namespace lctl {

// Set when the library is loaded.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
LIBNL_FUNCTIONS(LL_LAZY_DECLARE);

using Bytes = std::span<const char>;

/** The number in an attribute that genlmsg_parse() has checked; 0 for none. */
template <class T>
T attribute_number(const nlattr* attribute)
{
    T number = 0;

    if (attribute != nullptr)
        std::memcpy(&number, nla_data(attribute), sizeof(T));
    return number;
}

/** The bytes of an attribute. */
Bytes attribute_bytes(const nlattr* attribute);

/** The text of an attribute, up to its first NUL; "" for none. */
std::string_view attribute_text(const nlattr* attribute);

class NetlinkSocket {
public:
    using Time = std::optional<std::chrono::steady_clock::time_point>;
    using MessageVisitor = ll::FunctionRef<void(nlmsghdr* message)>;

    /** Connect; needs no privilege. */
    static ll::Result<NetlinkSocket> open();

    /** Take over a socket that is connected. */
    static ll::Result<NetlinkSocket> adopt(nl_sock* socket);

    /** Ask for the number of a family or of a group of it; ENOENT when there is none. */
    ll::Result<int> family(const char* name);
    ll::Result<int> group(const char* family, const char* group);

    /**
     * Ask for a list and visit the messages of it that are @command's.
     *
     * Return: EAGAIN when the list changed meanwhile.
     */
    ll::Status dump(int family, std::uint8_t command, MessageVisitor visit);

    /** Listen to a group, with a buffer for many events; receive() does not wait. */
    ll::Status join(int group);

    /** Visit what one datagram holds. Return: 0; EAGAIN when none waits, ENOBUFS when some
     * were lost. */
    int receive(MessageVisitor visit);

    /** Return: false when the time is over. */
    bool wait(Time until) const;

private:
    struct Free {
        void operator()(nl_sock* socket) const;
    };
    struct Reader;

    explicit NetlinkSocket(nl_sock* socket) : socket_(socket) {}
    void read_with(Reader& reader);
    ll::Result<int> resolved(int number, const char* family, const Reader& reader) const;

    std::unique_ptr<nl_sock, Free> socket_;
};

}  // namespace lctl
