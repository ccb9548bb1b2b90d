// SPDX-License-Identifier: GPL-2.0-only
/* libnl, which the commands on devices and events need. */
#pragma once

#include <netlink/attr.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>

#include "lctl/lazy_library.hpp"

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

}  // namespace lctl
