// SPDX-License-Identifier: GPL-2.0
/*
 * As much of generic netlink as a listener needs: attributes with every length
 * checked, and the number of a multicast group.
 */
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "lib/error.hpp"

namespace lctl::genl {

using Bytes = std::span<const char>;

struct Attribute {
    std::uint16_t type = 0;
    Bytes data;

    /** The number that the data begins with; 0 where it is shorter. */
    template <class T>
    T number() const
    {
        T number = 0;

        if (data.size() >= sizeof(T))
            std::memcpy(&number, data.data(), sizeof(T));
        return number;
    }

    /** Up to the first NUL. */
    std::string_view text() const
    {
        return {data.data(), strnlen(data.data(), data.size())};
    }
};

/** Walks attributes; what does not fit its length ends the walk. */
class Attributes {
public:
    explicit Attributes(Bytes bytes) : rest_(bytes) {}
    std::optional<Attribute> next();

private:
    Bytes rest_;
};

/** A message: its command and attributes. */
struct Message {
    std::uint16_t family = 0;  // what netlink calls the type
    std::uint8_t command = 0;
    int error = 0;  // errno of a refusal
    Bytes attributes;
};

/** Walks the messages of one datagram. */
class Messages {
public:
    explicit Messages(Bytes bytes) : rest_(bytes) {}
    std::optional<Message> next();

private:
    Bytes rest_;
};

/** Return: number of the group, from the reply to a question for its family. */
std::optional<std::uint32_t> find_group(Bytes reply, std::string_view group);

/** Ask the kernel; ENOENT when there is no such family or group. */
ll::Result<std::uint32_t> resolve_group(int socket, const char* family, std::string_view group);

}  // namespace lctl::genl
