// SPDX-License-Identifier: GPL-2.0
/*
 * Records of the kernel's debug log: from bytes to text in real Lustre's form,
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

namespace lctl {

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
