// SPDX-License-Identifier: GPL-2.0
/*
 * As much of generic netlink as is needed to listen and to read lists: messages
 * and attributes with every length checked, families and groups by name, dumps.
 */
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "lib/error.hpp"
#include "lib/function_ref.hpp"

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
    std::string_view text() const { return {data.data(), strnlen(data.data(), data.size())}; }
};

/** Walks attributes; what does not fit its length ends the walk. */
class Attributes {
public:
    explicit Attributes(Bytes bytes) : rest_(bytes) {}
    std::optional<Attribute> next();

    /** Behind the last attribute; false where one does not fit its length. */
    bool at_end() const { return rest_.empty(); }

private:
    Bytes rest_;
};

/** A message: its command and attributes. */
struct Message {
    std::uint16_t family = 0;  // what netlink calls the type
    std::uint16_t flags = 0;
    std::uint32_t sequence = 0;  // number of the question that it answers
    std::uint8_t command = 0;
    int error = 0;      // errno of a refusal, or of the end of a dump
    bool last = false;  // the end of a dump
    Bytes attributes;
};

/** Walks the messages of one datagram. */
class Messages {
public:
    explicit Messages(Bytes bytes) : rest_(bytes) {}
    std::optional<Message> next();

    /** Behind the last message; false where one does not fit its length. */
    bool at_end() const { return rest_.empty(); }

private:
    Bytes rest_;
};

/** Return: number of the family, from the reply to a question for it. */
std::optional<std::uint16_t> find_family(Bytes reply);

/** Return: number of the group, from the reply to a question for its family. */
std::optional<std::uint32_t> find_group(Bytes reply, std::string_view group);

/** Ask the kernel; ENOENT when there is no such family or group. */
ll::Result<std::uint32_t> resolve_group(int socket, const char* family, std::string_view group);

/** Ask the kernel; ENOENT when there is no such family. */
ll::Result<std::uint16_t> resolve_family(int socket, const char* family);

/** A list that the kernel sends in many messages. */
struct Dump {
    std::uint16_t family = 0;
    std::uint32_t sequence = 0;  // of the question
    std::uint8_t command = 0;
};

using AttributesVisitor = ll::FunctionRef<void(Bytes attributes)>;

/**
 * Take the messages of a datagram that belong to @dump.
 *
 * Return: whether that was the end of it; the error that ended it, EAGAIN when
 * the kernel says that it is not whole, EBADMSG when a message is cut off.
 */
ll::Result<bool> read_dump(Bytes datagram, const Dump& dump, AttributesVisitor visit);

/** Ask for a dump and visit all that comes. */
ll::Status run_dump(int socket, const Dump& dump, AttributesVisitor visit);

}  // namespace lctl::genl
