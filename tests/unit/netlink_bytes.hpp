// SPDX-License-Identifier: GPL-2.0-only
/* Bytes of generic netlink, as the kernel would send them. */
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include <linux/genetlink.h>
#include <linux/netlink.h>

namespace lctl_test {

template <class T>
std::string_view bytes_of(const T& value)
{
    static_assert(std::is_trivially_copyable_v<T>);
    return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

inline std::string attribute(std::uint16_t type, std::string_view data)
{
    nlattr head = {};
    std::string bytes;

    head.nla_type = type;
    head.nla_len = static_cast<std::uint16_t>(sizeof(head) + data.size());
    bytes.append(bytes_of(head)).append(data);
    bytes.resize((bytes.size() + 3) & ~std::size_t{3});
    return bytes;
}

template <class T>
std::string attribute(std::uint16_t type, const T& number) requires std::is_integral_v<T>
{
    return attribute(type, bytes_of(number));
}

struct MessageHead {
    std::uint16_t type = 0;
    std::uint16_t flags = 0;
    std::uint32_t sequence = 0;
};

/** A message of netlink itself: its end of a dump, its errors. */
inline std::string plain_message(const MessageHead& of, std::string_view body)
{
    nlmsghdr head = {};
    std::string bytes;

    head.nlmsg_type = of.type;
    head.nlmsg_flags = of.flags;
    head.nlmsg_seq = of.sequence;
    head.nlmsg_len = static_cast<std::uint32_t>(sizeof(head) + body.size());
    bytes.append(bytes_of(head)).append(body);
    bytes.resize((bytes.size() + 3) & ~std::size_t{3});
    return bytes;
}

inline std::string generic_message(const MessageHead& of, std::uint8_t command,
                                   const std::string& attributes)
{
    genlmsghdr generic = {};

    generic.cmd = command;
    return plain_message(of, std::string(bytes_of(generic)) + attributes);
}

}  // namespace lctl_test
