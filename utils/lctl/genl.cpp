// SPDX-License-Identifier: GPL-2.0
#include "lctl/genl.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <string>

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <sys/socket.h>

namespace lctl::genl {

namespace {

/* The kernel makes messages as large as what it was seen to be read with, up to
 * 32 KiB: the fewer they are the faster a list is. */
constexpr std::size_t kReplySize = 64 * 1024;

constexpr std::size_t aligned(std::size_t size)
{
    return (size + NLMSG_ALIGNTO - 1) & ~std::size_t{NLMSG_ALIGNTO - 1};
}

/* A head, if there are as many bytes. */
template <class T>
bool load(Bytes bytes, T& head)
{
    if (bytes.size() < sizeof(T))
        return false;
    std::memcpy(&head, bytes.data(), sizeof(T));
    return true;
}

Bytes behind(Bytes bytes, std::size_t size)
{
    return bytes.subspan(std::min(size, bytes.size()));
}

/* A status of the kernel's: 0, or what is a negative errno with it. */
int errno_of(int status)
{
    constexpr int kLeast = -4095;

    if (status >= 0)
        return 0;
    return status >= kLeast ? -status : EBADMSG;
}

tl::unexpected<ll::Error> netlink_error(int code)
{
    return tl::unexpected(ll::make_error(code, "generic netlink"));
}

/* CTRL_CMD_GETFAMILY for one name. */
struct Question {
    nlmsghdr head;
    genlmsghdr generic;
    nlattr attribute;
    std::array<char, GENL_NAMSIZ> name;
};

Question question_for(const char* family)
{
    Question question = {};
    const std::size_t length = strnlen(family, GENL_NAMSIZ - 1) + 1;
    const std::size_t size = offsetof(Question, name) + length;

    question.head.nlmsg_len = static_cast<std::uint32_t>(aligned(size));
    question.head.nlmsg_type = GENL_ID_CTRL;
    question.head.nlmsg_flags = NLM_F_REQUEST;
    question.generic.cmd = CTRL_CMD_GETFAMILY;
    question.generic.version = 1;
    question.attribute.nla_type = CTRL_ATTR_FAMILY_NAME;
    question.attribute.nla_len = static_cast<std::uint16_t>(sizeof(nlattr) + length);
    std::memcpy(question.name.data(), family, length - 1);
    return question;
}

/* The number in one description of a group, if it is the group of that name. */
std::optional<std::uint32_t> group_number(Bytes description, std::string_view group)
{
    std::optional<std::uint32_t> number;
    bool is_it = false;
    Attributes members(description);

    while (const auto member = members.next()) {
        if (member->type == CTRL_ATTR_MCAST_GRP_NAME)
            is_it = member->text() == group;
        if (member->type == CTRL_ATTR_MCAST_GRP_ID)
            number = member->number<std::uint32_t>();
    }
    return is_it ? number : std::nullopt;
}

}  // namespace

std::optional<Attribute> Attributes::next()
{
    nlattr head;

    if (!load(rest_, head) || head.nla_len < sizeof(head) || head.nla_len > rest_.size())
        return {};

    const Attribute attribute = {
        .type = static_cast<std::uint16_t>(head.nla_type & NLA_TYPE_MASK),
        .data = rest_.subspan(sizeof(head), head.nla_len - sizeof(head)),
    };

    rest_ = behind(rest_, aligned(head.nla_len));
    return attribute;
}

std::optional<Message> Messages::next()
{
    nlmsghdr head;
    Message message;

    if (!load(rest_, head) || head.nlmsg_len < sizeof(head) || head.nlmsg_len > rest_.size())
        return {};

    const Bytes body = rest_.subspan(sizeof(head), head.nlmsg_len - sizeof(head));

    rest_ = behind(rest_, aligned(head.nlmsg_len));
    message.family = head.nlmsg_type;
    message.flags = head.nlmsg_flags;
    message.sequence = head.nlmsg_seq;
    message.last = head.nlmsg_type == NLMSG_DONE;
    if (nlmsgerr refusal; head.nlmsg_type == NLMSG_ERROR && load(body, refusal))
        message.error = errno_of(refusal.error);
    if (int status = 0; message.last && load(body, status))
        message.error = errno_of(status);
    if (genlmsghdr generic; head.nlmsg_type >= NLMSG_MIN_TYPE && load(body, generic)) {
        message.command = generic.cmd;
        message.attributes = behind(body, sizeof(generic));
    }
    return message;
}

std::optional<std::uint32_t> find_group(Bytes reply, std::string_view group)
{
    Attributes attributes(reply);

    while (const auto attribute = attributes.next()) {
        if (attribute->type != CTRL_ATTR_MCAST_GROUPS)
            continue;

        Attributes groups(attribute->data);

        while (const auto one = groups.next())
            if (const auto number = group_number(one->data, group))
                return number;
    }
    return {};
}

std::optional<std::uint16_t> find_family(Bytes reply)
{
    Attributes attributes(reply);

    while (const auto attribute = attributes.next())
        if (attribute->type == CTRL_ATTR_FAMILY_ID &&
            attribute->data.size() >= sizeof(std::uint16_t))
            return attribute->number<std::uint16_t>();
    return {};
}

namespace {

/* Where datagrams are read into. */
class Buffer {
public:
    /* Return: what came; never cut. */
    ll::Result<Bytes> receive(int socket)
    {
        const ssize_t got = recv(socket, room_.get(), kReplySize, MSG_TRUNC);

        if (got < 0)
            return netlink_error(errno);
        if (static_cast<std::size_t>(got) > kReplySize)
            return netlink_error(EMSGSIZE);
        return Bytes(room_.get(), static_cast<std::size_t>(got));
    }

private:
    std::unique_ptr<char[]> room_ = std::make_unique_for_overwrite<char[]>(kReplySize);
};

/* Ask for a family and give the attributes of the answer to @find until it finds
 * something. */
template <class Find>
auto ask_family(int socket, const char* family, Find find)
    -> ll::Result<typename decltype(find(Bytes()))::value_type>
{
    const Question question = question_for(family);
    Buffer buffer;

    if (send(socket, &question, question.head.nlmsg_len, 0) < 0)
        return netlink_error(errno);

    const auto reply = buffer.receive(socket);

    if (!reply)
        return tl::unexpected(reply.error());

    Messages messages(*reply);

    while (const auto message = messages.next()) {
        if (message->error != 0)
            return tl::unexpected(
                ll::make_error(message->error, std::string("netlink family ") + family));
        if (const auto found = find(message->attributes))
            return *found;
    }
    return tl::unexpected(ll::make_error(ENOENT, std::string("netlink family ") + family));
}

int send_dump(int socket, const Dump& dump)
{
    struct {
        nlmsghdr head;
        genlmsghdr generic;
    } question = {};

    question.head.nlmsg_len = sizeof(question);
    question.head.nlmsg_type = dump.family;
    question.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    question.head.nlmsg_seq = dump.sequence;
    question.generic.cmd = dump.command;
    question.generic.version = 1;
    return send(socket, &question, sizeof(question), 0) < 0 ? errno : 0;
}

}  // namespace

ll::Result<std::uint32_t> resolve_group(int socket, const char* family, std::string_view group)
{
    return ask_family(socket, family, [&](Bytes reply) { return find_group(reply, group); });
}

ll::Result<std::uint16_t> resolve_family(int socket, const char* family)
{
    return ask_family(socket, family, [](Bytes reply) { return find_family(reply); });
}

ll::Result<bool> read_dump(Bytes datagram, const Dump& dump, AttributesVisitor visit)
{
    Messages messages(datagram);

    while (const auto message = messages.next()) {
        if (message->sequence != dump.sequence)
            continue;  // of another question
        if (message->error != 0)
            return netlink_error(message->error);
        if ((message->flags & NLM_F_DUMP_INTR) != 0)
            return ll::fail(EAGAIN, "generic netlink: the list changed during the dump; try again");
        if (message->last)
            return true;
        if (message->family == dump.family && message->command == dump.command)
            visit(message->attributes);
    }
    if (!messages.at_end())
        return ll::fail(EBADMSG, "generic netlink: truncated message");
    return false;
}

ll::Status run_dump(int socket, const Dump& dump, AttributesVisitor visit)
{
    Buffer buffer;

    if (const int failed = send_dump(socket, dump); failed != 0)
        return netlink_error(failed);
    for (;;) {
        const auto datagram = buffer.receive(socket);

        if (!datagram)
            return tl::unexpected(datagram.error());

        const auto over = read_dump(*datagram, dump, visit);

        if (!over)
            return tl::unexpected(over.error());
        if (*over)
            return {};
    }
}

}  // namespace lctl::genl
