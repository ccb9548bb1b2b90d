// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's debug log: its bytes, and its records as text in real Lustre's form,
 *
 *	subsystem:level:cpu.type:seconds.microseconds:stack:pid:extern:(file:line:function()) text
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <uapi/lustre_lite/libcfs_ioctl.h>

#include "lib/error.hpp"
#include "lib/port.hpp"

namespace lctl {

/** The records that were read. */
struct DebugLog {
    std::string bytes;         // records as the kernel packs them
    std::uint64_t lost = 0;    // overwritten while they were read
    std::uint64_t cursor = 0;  // position after the last record read

    std::span<const std::byte> records() const
    {
        return std::as_bytes(std::span(bytes.data(), bytes.size()));
    }
};

/** All that the log holds now. */
ll::Result<DebugLog> read_debug_log(ll::KernelPort& port);

/** Drop the records before @cursor, all of them for 0. */
ll::Status clear_debug_log(ll::KernelPort& port, std::uint64_t cursor);

/** Write a text into the log. */
ll::Status mark_debug_log(ll::KernelPort& port, std::string_view text);

/** A record; the texts are views into the bytes that it was parsed from. */
struct DebugRecord {
    std::uint32_t cpu = 0;
    std::uint32_t subsystem = 0;
    std::uint32_t level = 0;
    std::uint32_t pid = 0;
    std::uint32_t line = 0;
    std::uint32_t stack = 0;
    std::uint64_t sequence = 0;
    std::uint64_t time_ns = 0;
    std::string_view file;
    std::string_view function;
    std::string_view text;
};

struct DebugRecords {
    std::vector<DebugRecord> records;
    std::size_t bad = 0;  // records whose lengths do not agree with each other
};

/**
 * Take a buffer apart.
 *
 * A record whose inner lengths are wrong is counted and skipped; one whose own
 * length is wrong ends the buffer, since the next cannot be found.
 */
DebugRecords parse_debug_records(std::span<const std::byte> bytes);

/** Order by time; records of the same moment by sequence. */
void sort_debug_records(std::vector<DebugRecord>& records);

/** Append the record as text, ending in a newline. */
void format_debug_record(const DebugRecord& record, std::string& out);

}  // namespace lctl
