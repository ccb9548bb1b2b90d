// SPDX-License-Identifier: GPL-2.0-only
// The wire from user space: frames, messages and connections of a node that is not
// one. Nothing waits without a limit.
#ifndef VM_TOOLS_WIRE_HPP
#define VM_TOOLS_WIRE_HPP

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <uapi/lustre_lite/obd.h>
#include <uapi/lustre_lite/wire.h>

#include "../../crc32c.h"
#include "fd.hpp"

namespace vm {

using Clock = std::chrono::steady_clock;
using ll::Fd;
using std::chrono::milliseconds;

inline uint32_t crc32c_of(std::string_view bytes)
{
    return ~crc32c(~0U, bytes.data(), bytes.size());
}

template <typename T>
std::string bytes_of(const T& value)
{
    return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

template <typename T>
T value_of(std::string_view bytes)
{
    T value{};

    std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof(value)));
    return value;
}

inline void seal(lnet_frame& head)
{
    head.fr_head_crc = crc32c_of(bytes_of(head).substr(0, 28));
}

inline lnet_frame frame_head(uint8_t type, std::string_view msg, std::string_view bulk,
                             uint32_t seq)
{
    lnet_frame head{};

    head.fr_magic = WIRE_MAGIC;
    head.fr_version = WIRE_VERSION;
    head.fr_type = type;
    head.fr_msg_len = static_cast<uint32_t>(msg.size());
    head.fr_bulk_len = static_cast<uint32_t>(bulk.size());
    head.fr_seq = seq;
    // A HELLO has none: nothing was agreed on before it.
    if (type != LNET_FRAME_HELLO) {
        head.fr_msg_crc = crc32c_of(msg);
        head.fr_bulk_crc = bulk.empty() ? 0 : crc32c_of(bulk);
    }
    seal(head);
    return head;
}

inline lustre_nid nid_of(const in_addr& address)
{
    lustre_nid nid{};

    nid.wn_type = 2;
    nid.wn_len = 4;
    std::memcpy(nid.wn_addr, &address, 4);
    return nid;
}

// A message: its head, whose lengths are those of the buffers.
inline std::string message(lustre_msg head, const std::vector<std::string>& buffers)
{
    std::string body;

    head.lm_bufcount = static_cast<uint16_t>(buffers.size());
    for (size_t n = 0; n < buffers.size() && n < WIRE_MSG_BUFS_MAX; n++) {
        head.lm_buflens[n] = static_cast<uint32_t>(buffers[n].size());
        body += buffers[n];
        body.resize((body.size() + 7) / 8 * 8);
    }
    return bytes_of(head) + body;
}

inline lustre_msg request(uint32_t opc, uint16_t portal, uint64_t xid, uint64_t handle)
{
    lustre_msg head{};

    head.lm_type = PTL_RPC_MSG_REQUEST;
    head.lm_opc = opc;
    head.lm_portal = portal;
    head.lm_xid = xid;
    head.lm_handle = handle;
    head.lm_timeout = 10;
    head.lm_conn_cnt = 1;
    return head;
}

inline std::string fixed_text(std::string text, size_t size)
{
    text.resize(size);
    return text;
}

// A message that came, with its bulk data.
struct Arrived {
    lnet_frame frame{};
    lustre_msg head{};
    std::string msg;
    std::string bulk;
};

class Connection {
public:
    // From a port below 1024 of @from, beginning to look at @port.
    bool open(const in_addr& from, const sockaddr_in& to, unsigned port, milliseconds limit)
    {
        from_ = from;
        to_ = to.sin_addr;
        for (unsigned tries = 0; tries < 64; tries++) {
            const int error = try_open(to, 2 + (port + tries) % 1021, limit);
            if (error == 0)
                return true;
            if (error != EADDRINUSE && error != EADDRNOTAVAIL)
                return false;
        }
        return false;
    }

    // All of @bytes went out in time.
    bool send(std::string_view bytes, milliseconds limit)
    {
        const auto end = Clock::now() + limit;

        while (!bytes.empty()) {
            const ssize_t n = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (n > 0)
                bytes.remove_prefix(static_cast<size_t>(n));
            else if (n == 0 || errno != EAGAIN || !wait(POLLOUT, end))
                return false;
        }
        return true;
    }

    std::optional<std::string> receive(size_t size, milliseconds limit)
    {
        const auto end = Clock::now() + limit;
        std::string bytes(size, '\0');
        size_t have = 0;

        while (have < size) {
            const ssize_t n = ::recv(fd_.get(), bytes.data() + have, size - have, 0);
            if (n > 0)
                have += static_cast<size_t>(n);
            else if (n == 0 || errno != EAGAIN || !wait(POLLIN, end))
                return std::nullopt;
        }
        return bytes;
    }

    // The other end has closed: nothing more comes within @limit.
    bool closed(milliseconds limit)
    {
        const auto end = Clock::now() + limit;
        std::array<char, 4096> away{};

        for (;;) {
            const ssize_t n = ::recv(fd_.get(), away.data(), away.size(), 0);
            if (n == 0 || (n < 0 && errno != EAGAIN))
                return true;
            if (n < 0 && !wait(POLLIN, end))
                return false;
        }
    }

    lnet_hello hello() const
    {
        lnet_hello hello{};

        hello.he_version_min = WIRE_VERSION;
        hello.he_version_max = WIRE_VERSION;
        hello.he_features = LNET_FEATURE_CRC | LNET_FEATURE_LANES;
        hello.he_msg_max = WIRE_MSG_MAX;
        hello.he_bulk_max = WIRE_BULK_MAX;
        hello.he_incarnation = 0x5eed;
        hello.he_src = nid_of(from_);
        hello.he_dst = nid_of(to_);
        return hello;
    }

    bool send_hello(const lnet_hello& hello, milliseconds limit)
    {
        return send_frame(LNET_FRAME_HELLO, bytes_of(hello), {}, limit);
    }

    // The answer to a HELLO; its status, or nothing when none came.
    std::optional<uint32_t> hello_status(milliseconds limit)
    {
        const auto frame = receive(sizeof(lnet_frame), limit);
        if (!frame)
            return std::nullopt;
        const auto head = value_of<lnet_frame>(*frame);
        if (head.fr_type != LNET_FRAME_HELLO || head.fr_msg_len != sizeof(lnet_hello))
            return std::nullopt;
        const auto msg = receive(sizeof(lnet_hello), limit);
        if (!msg)
            return std::nullopt;
        return value_of<lnet_hello>(*msg).he_status;
    }

    bool greet(milliseconds limit)
    {
        return send_hello(hello(), limit) && hello_status(limit) == 0U;
    }

    bool send_frame(uint8_t type, const std::string& msg, const std::string& bulk,
                    milliseconds limit)
    {
        return send(bytes_of(frame_head(type, msg, bulk, seq_++)) + msg + bulk, limit);
    }

    std::optional<Arrived> receive_message(milliseconds limit)
    {
        Arrived in;
        const auto frame = receive(sizeof(lnet_frame), limit);
        if (!frame)
            return std::nullopt;
        in.frame = value_of<lnet_frame>(*frame);
        if (in.frame.fr_msg_len > WIRE_MSG_MAX || in.frame.fr_bulk_len > WIRE_BULK_MAX)
            return std::nullopt;
        auto msg = receive(in.frame.fr_msg_len, limit);
        auto bulk = receive(in.frame.fr_bulk_len, limit);
        if (!msg || !bulk)
            return std::nullopt;
        in.head = value_of<lustre_msg>(*msg);
        in.msg = std::move(*msg);
        in.bulk = std::move(*bulk);
        return in;
    }

    // The reply to @xid; what else comes is thrown away.
    std::optional<Arrived> receive_reply(uint64_t xid, milliseconds limit)
    {
        const auto end = Clock::now() + limit;

        while (Clock::now() < end) {
            auto in = receive_message(limit);
            if (!in)
                return std::nullopt;
            if (in->head.lm_type != PTL_RPC_MSG_REQUEST && in->head.lm_xid == xid &&
                (in->head.lm_flags & MSG_AT_SUPPORT) == 0)
                return in;
        }
        return std::nullopt;
    }

    uint32_t next_seq() { return seq_++; }

    // Close, so that the other end gets a reset and this one forgets at once.
    void reset()
    {
        const linger now{1, 0};

        if (fd_.get() >= 0)
            ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof(now));
        fd_ = Fd();
    }

private:
    int try_open(const sockaddr_in& to, unsigned port, milliseconds limit)
    {
        sockaddr_in here{};
        const int one = 1;

        seq_ = 0;
        fd_ = Fd(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
        here.sin_family = AF_INET;
        here.sin_addr = from_;
        here.sin_port = htons(static_cast<uint16_t>(port));
        ::setsockopt(fd_.get(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
        ::setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
        if (::bind(fd_.get(), reinterpret_cast<sockaddr*>(&here), sizeof(here)) != 0)
            return errno;
        if (::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&to), sizeof(to)) == 0)
            return 0;
        if (errno != EINPROGRESS)
            return errno;
        if (!wait(POLLOUT, Clock::now() + limit))
            return ETIMEDOUT;
        int error = 0;
        socklen_t size = sizeof(error);
        ::getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
        return error;
    }

    bool wait(short events, Clock::time_point end)
    {
        const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now()).count();
        pollfd one{fd_.get(), events, 0};

        return left > 0 && ::poll(&one, 1, static_cast<int>(left)) > 0;
    }

    Fd fd_;
    in_addr from_{};
    in_addr to_{};
    uint32_t seq_ = 0;
};

}  // namespace vm

#endif
