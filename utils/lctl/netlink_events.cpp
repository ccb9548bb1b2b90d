// SPDX-License-Identifier: GPL-2.0
/*
 * Events of the parameters tree through generic netlink.
 */
#include "lctl/netlink_events.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <linux/netlink.h>
#include <poll.h>
#include <sys/socket.h>

#include <uapi/lustre_lite/netlink.h>

#include "lctl/genl.hpp"
#include "lib/fd.hpp"

namespace lctl {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSocketBuffer = 4 * 1024 * 1024;
constexpr std::size_t kDatagram = 64 * 1024;

}  // namespace

std::optional<EventParser::Parsed> EventParser::parse(genl::Bytes attributes)
{
    genl::Attributes walk(attributes);
    Parsed parsed;
    std::uint8_t kind = 0;

    while (const auto attribute = walk.next()) {
        switch (attribute->type) {
        case LL_PARAMS_A_EVENT:
            kind = attribute->number<std::uint8_t>();
            break;
        case LL_PARAMS_A_PATH:
            parsed.event.path = attribute->text();
            break;
        case LL_PARAMS_A_VERSION:
            parsed.event.version = attribute->number<std::uint32_t>();
            break;
        case LL_PARAMS_A_SEQ:
            parsed.sequence = attribute->number<std::uint64_t>();
            break;
        default:
            break;
        }
    }
    if (kind == LL_PARAMS_ADDED)
        parsed.event.kind = Event::Kind::Added;
    else if (kind == LL_PARAMS_REMOVED)
        parsed.event.kind = Event::Kind::Removed;
    else if (kind == LL_PARAMS_CHANGED)
        parsed.event.kind = Event::Kind::Changed;
    else
        return {};  // of a newer module
    return parsed;
}

void EventParser::datagram(genl::Bytes bytes)
{
    genl::Messages messages(bytes);

    while (const auto message = messages.next()) {
        if (message->command != LL_CMD_PARAMS_EVENT)
            continue;
        if (auto parsed = parse(message->attributes)) {
            check_sequence(parsed->sequence);
            waiting_.push_back(std::move(parsed->event));
        }
    }
}

/* A gap in the numbers is as many lost events, whether the socket said so or
 * the kernel had no memory for a message. */
void EventParser::check_sequence(std::uint64_t sequence)
{
    const bool gap = known_sequence_ && sequence != *known_sequence_ + 1;

    if (gap && overrun_ != Overrun::Told)
        tell_lost(sequence > *known_sequence_ ? sequence - *known_sequence_ - 1 : 0);
    if (gap)
        overrun_ = Overrun::None;
    known_sequence_ = sequence;
}

void EventParser::tell_lost(std::uint64_t count)
{
    waiting_.push_back({.kind = Event::Kind::Lost, .version = 0, .lost = count, .path = {}});
}

void EventParser::drained()
{
    if (overrun_ != Overrun::Seen)
        return;
    tell_lost(0);
    overrun_ = Overrun::Told;
}

std::optional<Event> EventParser::pop()
{
    if (waiting_.empty())
        return {};

    std::optional<Event> event = std::move(waiting_.front());

    waiting_.pop_front();
    return event;
}

namespace {

class NetlinkEvents final : public EventSource {
public:
    explicit NetlinkEvents(ll::Fd socket) : socket_(std::move(socket)), buffer_(kDatagram) {}

    ll::Result<std::optional<Event>> next(std::optional<Clock::time_point> until) override
    {
        for (;;) {
            if (auto event = parser_.pop())
                return event;
            if (const int failed = receive(); failed == EAGAIN) {
                parser_.drained();
                if (parser_.has_event())
                    continue;
                if (!wait(until))
                    return std::optional<Event>();
            } else if (failed != 0) {
                return tl::unexpected(ll::make_error(failed, "events"));
            }
        }
    }

private:
    /* Return: false when the time is over. */
    bool wait(std::optional<Clock::time_point> until) const
    {
        pollfd one = {.fd = socket_.get(), .events = POLLIN, .revents = 0};

        for (;;) {
            if (poll(&one, 1, milliseconds_to(until)) > 0)
                return true;
            if (until && Clock::now() >= *until)
                return false;
        }
    }

    static int milliseconds_to(std::optional<Clock::time_point> until)
    {
        constexpr std::int64_t kMost = 60 * 1000;

        if (!until)
            return -1;

        const auto left = std::chrono::ceil<std::chrono::milliseconds>(*until - Clock::now());

        return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, kMost));
    }

    /* Return: 0 or an errno; EAGAIN when nothing waits. */
    int receive()
    {
        const ssize_t got = recv(socket_.get(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);

        if (got >= 0)
            parser_.datagram(genl::Bytes(buffer_.data(), static_cast<std::size_t>(got)));
        else if (errno == ENOBUFS)
            parser_.overrun();
        else if (errno != EINTR)
            return errno;
        return 0;
    }

    ll::Fd socket_;
    std::vector<char> buffer_;
    EventParser parser_;
};

}  // namespace

ll::Result<std::unique_ptr<EventSource>> open_netlink_events()
{
    ll::Fd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC));

    if (!socket)
        return tl::unexpected(ll::make_error(errno, "generic netlink"));

    const auto group = genl::resolve_group(socket.get(), LL_GENL_FAMILY, LL_GENL_GROUP_PARAMS);

    if (!group && group.error().code != ENOENT)
        return tl::unexpected(group.error());
    if (!group)
        return ll::fail(ENOENT, "events: the kernel has no netlink group " LL_GENL_FAMILY
                                "." LL_GENL_GROUP_PARAMS ": load libcfs.ko (modprobe libcfs)");
    /* A smaller buffer than this loses events earlier and says so. */
    setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUF, &kSocketBuffer, sizeof(kSocketBuffer));
    if (setsockopt(socket.get(), SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &*group, sizeof(*group)) < 0)
        return tl::unexpected(
            ll::make_error(errno, "netlink group " LL_GENL_FAMILY "." LL_GENL_GROUP_PARAMS));
    return std::make_unique<NetlinkEvents>(std::move(socket));
}

}  // namespace lctl
