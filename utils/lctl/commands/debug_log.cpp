// SPDX-License-Identifier: GPL-2.0-only
#include "lctl/commands/debug_log.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <tuple>

#include <fmt/format.h>

namespace lctl {

namespace {

// Many times what the longest record takes.
constexpr std::uint32_t kBufferSize = 1024 * 1024;

ll::Error debug_error(int code)
{
    if (code == EPERM)
        return {EPERM, "the debug log requires CAP_SYS_ADMIN: " + ll::errno_text(EPERM)};
    return ll::make_error(code, "the debug log");
}

ll::Result<libcfs_ioc_debug> call(ll::KernelPort& port, unsigned long command,
                                  libcfs_ioc_debug argument)
{
    ll::set_header(&libcfs_ioc_debug::dbg_hdr, argument);
    if (const int got = port.call(command, &argument); got < 0)
        return tl::unexpected(debug_error(-got));
    return argument;
}

std::uint64_t wall_clock_ns()
{
    const auto now = std::chrono::system_clock::now().time_since_epoch();

    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

/* Does the last record come from after @moment? */
bool ends_after(std::string_view records, std::uint64_t moment)
{
    const auto parsed =
        parse_debug_records(std::as_bytes(std::span(records.data(), records.size())));

    return !parsed.records.empty() && parsed.records.back().time_ns > moment;
}

constexpr std::size_t kHeadSize = sizeof(libcfs_debug_rec);
constexpr std::uint64_t kNsPerSec = 1'000'000'000;
constexpr std::uint64_t kNsPerUsec = 1'000;
constexpr std::size_t kRecordAlign = 8;

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
    return length >= kHeadSize && length <= left && length % kRecordAlign == 0;
}

}  // namespace

ll::Result<DebugLog> read_debug_log(ll::KernelPort& port)
{
    const std::uint64_t begin = wall_clock_ns();
    const auto buffer = std::make_unique_for_overwrite<char[]>(kBufferSize);
    DebugLog log;

    for (;;) {
        libcfs_ioc_debug argument{};

        argument.dbg_buf = reinterpret_cast<std::uintptr_t>(buffer.get());
        argument.dbg_buf_len = kBufferSize;
        argument.dbg_cursor = log.cursor;
        const auto answer = call(port, LIBCFS_IOC_DEBUG_READ, argument);
        if (!answer)
            return tl::unexpected(answer.error());

        const std::string_view records(buffer.get(), std::min(answer->dbg_used, kBufferSize));
        log.bytes.append(records);
        log.lost += answer->dbg_lost;
        log.cursor = answer->dbg_cursor;
        // A log that fills as fast as it is read would never end.
        if (answer->dbg_eof != 0 || records.empty() || ends_after(records, begin))
            return log;
    }
}

ll::Status clear_debug_log(ll::KernelPort& port, std::uint64_t cursor)
{
    libcfs_ioc_debug argument{};

    argument.dbg_cursor = cursor;
    if (const auto answer = call(port, LIBCFS_IOC_DEBUG_CLEAR, argument); !answer)
        return tl::unexpected(answer.error());
    return {};
}

ll::Status mark_debug_log(ll::KernelPort& port, std::string_view text)
{
    if (text.size() > LIBCFS_DEBUG_MARK_MAX)
        return ll::fail(E2BIG, fmt::format("a text of {} bytes is too long; the maximum is {}",
                                           text.size(), LIBCFS_DEBUG_MARK_MAX));

    if (text.empty() || text.find('\n') != std::string_view::npos)
        return ll::fail(EINVAL, "a mark must be one line");

    libcfs_ioc_debug argument{};
    argument.dbg_buf = reinterpret_cast<std::uintptr_t>(text.data());
    argument.dbg_buf_len = static_cast<std::uint32_t>(text.size());
    if (const auto answer = call(port, LIBCFS_IOC_DEBUG_MARK, argument); !answer)
        return tl::unexpected(answer.error());
    return {};
}

DebugRecords parse_debug_records(std::span<const std::byte> bytes)
{
    DebugRecords parsed;

    while (!bytes.empty()) {
        libcfs_debug_rec head{};

        if (bytes.size() >= kHeadSize)
            std::memcpy(&head, bytes.data(), kHeadSize);
        if (!length_fits(head.dr_len, bytes.size())) {
            parsed.bad++;
            break;
        }

        const auto body = bytes.subspan(kHeadSize, head.dr_len - kHeadSize);
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
                   record.subsystem, record.level, record.cpu, record.time_ns / kNsPerSec,
                   record.time_ns % kNsPerSec / kNsPerUsec, record.stack, record.pid, record.file,
                   record.line, record.function, record.text);
    if (!record.text.ends_with('\n'))
        out += '\n';
}

}  // namespace lctl
