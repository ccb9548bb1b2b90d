// SPDX-License-Identifier: GPL-2.0-only
#include "lctl/netlink.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string>

#include <netlink/errno.h>
#include <poll.h>

namespace lctl {

namespace {

LL_LAZY_NOTE(libnl_note, "netlink", "libnl-genl-3.so.200");

/* The kernel makes messages as large as what it was seen to be read with, up to 32 KiB: the
 * fewer they are, the faster a list is. */
constexpr std::size_t kMessageBuffer = 64 * 1024;

constexpr int kEventBuffer = 4 * 1024 * 1024;

ll::Status load_libnl()
{
    return LL_LAZY_LOAD("libnl-genl-3.so.200", LIBNL_FUNCTIONS);
}

/* A status of the kernel's: 0, or the errno that it stands for. */
int errno_of(int status)
{
    constexpr int kLeast = -4095;

    if (status >= 0)
        return 0;
    return status >= kLeast ? -status : EBADMSG;
}

/* libnl has its own numbers, and has no number for many errnos. */
int errno_of_libnl(int code)
{
    switch (-code) {
        case NLE_AGAIN:
        case NLE_DUMP_INTR:
            return EAGAIN;
        case NLE_NOMEM:
            return ENOBUFS;
        case NLE_OBJ_NOTFOUND:
            return ENOENT;
        case NLE_PERM:
        case NLE_NOACCESS:
            return EPERM;
        case NLE_AF_NOSUPPORT:
        case NLE_PROTO_MISMATCH:
            return EPROTONOSUPPORT;
        default:
            return EBADMSG;
    }
}

tl::unexpected<ll::Error> netlink_error(int code)
{
    return tl::unexpected(ll::make_error(code, "generic netlink"));
}

int milliseconds_to(NetlinkSocket::Time until)
{
    constexpr std::int64_t kMost = 60 * 1000;

    if (!until)
        return -1;

    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(*until - std::chrono::steady_clock::now());

    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, kMost));
}

}  // namespace

Bytes attribute_bytes(const nlattr* attribute)
{
    return {static_cast<const char*>(nla_data(attribute)),
            static_cast<std::size_t>(nla_len(attribute))};
}

std::string_view attribute_text(const nlattr* attribute)
{
    if (attribute == nullptr)
        return {};

    const Bytes bytes = attribute_bytes(attribute);

    return {bytes.data(), strnlen(bytes.data(), bytes.size())};
}

/* What libnl's callbacks are told by one question. */
struct NetlinkSocket::Reader {
    explicit Reader(MessageVisitor visitor) : visit(visitor) {}

    MessageVisitor visit;
    int error = 0;          // errno of a refusal
    bool finished = false;  // a list came to its end

    static int valid(nl_msg* message, void* data)
    {
        nlmsghdr* const head = nlmsg_hdr(message);

        if (genlmsg_valid_hdr(head, 0) != 0)
            static_cast<Reader*>(data)->visit(head);
        return NL_OK;
    }

    static int finish(nl_msg* message, void* data)
    {
        auto* const reader = static_cast<Reader*>(data);
        const nlmsghdr* const head = nlmsg_hdr(message);
        int status = 0;

        if (nlmsg_datalen(head) >= static_cast<int>(sizeof(status)))
            std::memcpy(&status, nlmsg_data(head), sizeof(status));
        reader->error = errno_of(status);
        reader->finished = true;
        return NL_OK;
    }

    static int refuse(sockaddr_nl* /*from*/, nlmsgerr* refusal, void* data)
    {
        static_cast<Reader*>(data)->error = errno_of(refusal->error);
        return NL_STOP;
    }
};

void NetlinkSocket::Free::operator()(nl_sock* socket) const
{
    nl_socket_free(socket);
}

ll::Result<NetlinkSocket> NetlinkSocket::adopt(nl_sock* socket)
{
    if (auto loaded = load_libnl(); !loaded)
        return tl::unexpected(std::move(loaded.error()));
    nl_socket_set_msg_buf_size(socket, kMessageBuffer);
    nl_socket_disable_msg_peek(socket);
    return NetlinkSocket(socket);
}

ll::Result<NetlinkSocket> NetlinkSocket::open()
{
    if (auto loaded = load_libnl(); !loaded)
        return tl::unexpected(std::move(loaded.error()));

    nl_sock* const socket = nl_socket_alloc();

    if (socket == nullptr)
        return netlink_error(ENOMEM);

    auto opened = adopt(socket);

    if (const int failed = genl_connect(socket); failed < 0)
        return netlink_error(errno_of_libnl(failed));
    return opened;
}

/* Have @reader told by what is received next. */
void NetlinkSocket::read_with(Reader& reader)
{
    nl_socket_modify_cb(socket_.get(), NL_CB_VALID, NL_CB_CUSTOM, Reader::valid, &reader);
    nl_socket_modify_cb(socket_.get(), NL_CB_FINISH, NL_CB_CUSTOM, Reader::finish, &reader);
    nl_socket_modify_err_cb(socket_.get(), NL_CB_CUSTOM, Reader::refuse, &reader);
}

/* libnl says of each refusal that there is no such family. */
ll::Result<int> NetlinkSocket::resolved(int number, const char* family, const Reader& reader) const
{
    if (number >= 0)
        return number;
    return tl::unexpected(ll::make_error(reader.error != 0 ? reader.error : errno_of_libnl(number),
                                         std::string("netlink family ") + family));
}

ll::Result<int> NetlinkSocket::family(const char* name)
{
    const auto ignore = [](nlmsghdr*) {};
    Reader reader(ignore);

    read_with(reader);
    return resolved(genl_ctrl_resolve(socket_.get(), name), name, reader);
}

ll::Result<int> NetlinkSocket::group(const char* family, const char* group)
{
    const auto ignore = [](nlmsghdr*) {};
    Reader reader(ignore);

    read_with(reader);
    return resolved(genl_ctrl_resolve_grp(socket_.get(), family, group), family, reader);
}

ll::Status NetlinkSocket::dump(int family, std::uint8_t command, MessageVisitor visit)
{
    const auto visit_own = [&](nlmsghdr* message) {
        if (message->nlmsg_type == family && genlmsg_hdr(message)->cmd == command)
            visit(message);
    };
    Reader reader(visit_own);

    read_with(reader);
    if (const int failed = genl_send_simple(socket_.get(), family, command, 1, NLM_F_DUMP);
        failed < 0)
        return netlink_error(errno_of_libnl(failed));
    while (!reader.finished) {
        const int status = nl_recvmsgs_default(socket_.get());

        if (reader.error != 0)
            return netlink_error(reader.error);
        if (status == -NLE_DUMP_INTR)
            return ll::fail(EAGAIN, "generic netlink: the list changed during the dump; try again");
        if (status < 0)
            return netlink_error(errno_of_libnl(status));
    }
    return {};
}

ll::Status NetlinkSocket::join(int group)
{
    nl_socket_disable_seq_check(socket_.get());
    nl_socket_set_nonblocking(socket_.get());
    /* A smaller buffer than this loses events earlier and says so. */
    nl_socket_set_buffer_size(socket_.get(), kEventBuffer, 0);
    if (const int failed = nl_socket_add_membership(socket_.get(), group); failed < 0)
        return netlink_error(errno_of_libnl(failed));
    return {};
}

int NetlinkSocket::receive(MessageVisitor visit)
{
    Reader reader(visit);

    read_with(reader);

    const int status = nl_recvmsgs_default(socket_.get());

    return status < 0 ? errno_of_libnl(status) : 0;
}

bool NetlinkSocket::wait(Time until) const
{
    pollfd one = {.fd = nl_socket_get_fd(socket_.get()), .events = POLLIN, .revents = 0};

    for (;;) {
        if (poll(&one, 1, milliseconds_to(until)) > 0)
            return true;
        if (until && std::chrono::steady_clock::now() >= *until)
            return false;
    }
}

}  // namespace lctl
