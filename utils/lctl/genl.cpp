// SPDX-License-Identifier: GPL-2.0
#include "lctl/genl.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <sys/socket.h>

namespace lctl::genl {

namespace {

constexpr std::size_t kReplySize = 16 * 1024;

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
    if (nlmsgerr refusal; head.nlmsg_type == NLMSG_ERROR && load(body, refusal))
        message.error = -refusal.error;
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

ll::Result<std::uint32_t> resolve_group(int socket, const char* family, std::string_view group)
{
    const Question question = question_for(family);
    std::array<char, kReplySize> reply;

    if (send(socket, &question, question.head.nlmsg_len, 0) < 0)
        return tl::unexpected(ll::make_error(errno, "generic netlink"));

    const ssize_t got = recv(socket, reply.data(), reply.size(), 0);

    if (got < 0)
        return tl::unexpected(ll::make_error(errno, "generic netlink"));

    Messages messages(Bytes(reply.data(), static_cast<std::size_t>(got)));

    while (const auto message = messages.next())
        if (const auto number = find_group(message->attributes, group))
            return *number;
    return tl::unexpected(ll::make_error(ENOENT, family));
}

}  // namespace lctl::genl
