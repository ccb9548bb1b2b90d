// SPDX-License-Identifier: GPL-2.0
#include "lctl/event_socket.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string>

#include <linux/netlink.h>
#include <poll.h>
#include <sys/socket.h>

namespace lctl {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSocketBuffer = 4 * 1024 * 1024;
constexpr std::size_t kDatagram = 64 * 1024;

int milliseconds_to(EventSocket::Time until)
{
    constexpr std::int64_t kMost = 60 * 1000;

    if (!until)
        return -1;

    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*until - Clock::now());

    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, kMost));
}

std::string name_of(const EventGroup& group)
{
    return std::string("netlink group ") + group.family + "." + group.group;
}

}  // namespace

EventSocket::EventSocket(ll::Fd socket) : socket_(std::move(socket)), buffer_(kDatagram) {}

ll::Result<EventSocket> EventSocket::open(const EventGroup& group)
{
    ll::Fd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC));

    if (!socket)
        return tl::unexpected(ll::make_error(errno, "generic netlink"));

    const auto number = genl::resolve_group(socket.get(), group.family, group.group);

    if (!number && number.error().code != ENOENT)
        return tl::unexpected(number.error());
    if (!number)
        return ll::fail(ENOENT, "events: the kernel has no " + name_of(group) + ": load " +
                                    group.module + ".ko (modprobe " + group.module + ")");
    /* A smaller buffer than this loses events earlier and says so. */
    setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUF, &kSocketBuffer, sizeof(kSocketBuffer));
    if (setsockopt(socket.get(), SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &*number, sizeof(*number)) <
        0)
        return tl::unexpected(ll::make_error(errno, name_of(group)));
    return EventSocket(std::move(socket));
}

tl::expected<genl::Bytes, int> EventSocket::receive()
{
    const ssize_t got = recv(socket_.get(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);

    if (got >= 0)
        return genl::Bytes(buffer_.data(), static_cast<std::size_t>(got));
    if (errno == EINTR)
        return genl::Bytes();
    return tl::unexpected(errno);
}

bool EventSocket::wait(Time until) const
{
    pollfd one = {.fd = socket_.get(), .events = POLLIN, .revents = 0};

    for (;;) {
        if (poll(&one, 1, milliseconds_to(until)) > 0)
            return true;
        if (until && Clock::now() >= *until)
            return false;
    }
}

}  // namespace lctl
