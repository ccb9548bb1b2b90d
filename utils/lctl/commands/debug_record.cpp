// SPDX-License-Identifier: GPL-2.0
#include "lctl/commands/debug_record.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <tuple>

#include <fmt/format.h>

namespace lctl {

namespace {

constexpr std::size_t head_size = sizeof(libcfs_debug_rec);
constexpr std::uint64_t ns_per_sec = 1'000'000'000;
constexpr std::uint64_t ns_per_usec = 1'000;
constexpr std::size_t record_align = 8;

/* Texts that follow each other, each with a NUL that its length counts. */
class Texts {
public:
    explicit Texts(std::string_view bytes) : bytes_(bytes) {}

    std::optional<std::string_view> take(std::size_t length)
    {
        if (length == 0 || length > bytes_.size() || bytes_[length - 1] != '\0')
            return std::nullopt;

        const std::string_view text = bytes_.substr(0, length - 1);
        bytes_.remove_prefix(length);
        return text;
    }

private:
    std::string_view bytes_;
};

std::optional<DebugRecord> parse_one(const libcfs_debug_rec& head, std::string_view data)
{
    Texts texts(data);
    const auto file = texts.take(head.dr_file_len);
    const auto function = file ? texts.take(head.dr_func_len) : std::nullopt;
    const auto text = function ? texts.take(head.dr_text_len) : std::nullopt;

    if (!text)
        return std::nullopt;
    return DebugRecord{
        .cpu = head.dr_cpu,
        .subsystem = head.dr_subsys,
        .level = head.dr_mask,
        .pid = head.dr_pid,
        .line = head.dr_line,
        .stack = head.dr_stack,
        .sequence = head.dr_seq,
        .time_ns = head.dr_time_ns,
        .file = *file,
        .function = *function,
        .text = *text,
    };
}

bool length_fits(std::size_t length, std::size_t left)
{
    return length >= head_size && length <= left && length % record_align == 0;
}

}  // namespace

DebugRecords parse_debug_records(std::span<const std::byte> bytes)
{
    DebugRecords parsed;

    while (!bytes.empty()) {
        libcfs_debug_rec head{};

        if (bytes.size() >= head_size)
            std::memcpy(&head, bytes.data(), head_size);
        if (!length_fits(head.dr_len, bytes.size())) {
            parsed.bad++;
            break;
        }

        const auto body = bytes.subspan(head_size, head.dr_len - head_size);
        // The texts are characters; the bytes stay where they are.
        const auto* chars = reinterpret_cast<const char*>(body.data());
        if (const auto record = parse_one(head, {chars, body.size()}))
            parsed.records.push_back(*record);
        else
            parsed.bad++;
        bytes = bytes.subspan(head.dr_len);
    }
    return parsed;
}

void sort_debug_records(std::vector<DebugRecord>& records)
{
    std::sort(records.begin(), records.end(), [](const DebugRecord& a, const DebugRecord& b) {
        return std::tie(a.time_ns, a.sequence) < std::tie(b.time_ns, b.sequence);
    });
}

void format_debug_record(const DebugRecord& record, std::string& out)
{
    // The log does not tell interrupts from tasks nor knows of a task's second
    // number: the type is that of a task and the second number is zero.
    fmt::format_to(std::back_inserter(out), "{:08x}:{:08x}:{}.0:{}.{:06}:{}:{}:0:({}:{}:{}()) {}",
                   record.subsystem, record.level, record.cpu, record.time_ns / ns_per_sec,
                   record.time_ns % ns_per_sec / ns_per_usec, record.stack, record.pid, record.file,
                   record.line, record.function, record.text);
    if (!record.text.ends_with('\n'))
        out += '\n';
}

}  // namespace lctl
