// SPDX-License-Identifier: GPL-2.0
#include "lctl/commands/debug_log.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>

#include <fmt/format.h>

#include "lctl/commands/debug_record.hpp"

namespace lctl {

namespace {

// Many times what the longest record takes.
constexpr std::uint32_t buffer_size = 1024 * 1024;

ll::Error debug_error(int code)
{
    if (code == EPERM)
        return {EPERM, "the debug log requires CAP_SYS_ADMIN: " + ll::errno_text(EPERM)};
    return ll::make_error(code, "the debug log");
}

ll::Result<libcfs_ioc_debug> call(ll::KernelPort& port, unsigned long command,
                                  libcfs_ioc_debug argument)
{
    ll::set_header(&libcfs_ioc_debug::d_hdr, argument);
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

}  // namespace

ll::Result<DebugLog> read_debug_log(ll::KernelPort& port)
{
    const std::uint64_t begin = wall_clock_ns();
    const auto buffer = std::make_unique_for_overwrite<char[]>(buffer_size);
    DebugLog log;

    for (;;) {
        libcfs_ioc_debug argument{};

        argument.d_buf = reinterpret_cast<std::uintptr_t>(buffer.get());
        argument.d_buf_len = buffer_size;
        argument.d_cursor = log.cursor;
        const auto answer = call(port, LIBCFS_IOC_DEBUG_READ, argument);
        if (!answer)
            return tl::unexpected(answer.error());

        const std::string_view records(buffer.get(), std::min(answer->d_used, buffer_size));
        log.bytes.append(records);
        log.lost += answer->d_lost;
        log.cursor = answer->d_cursor;
        // A log that fills as fast as it is read would never end.
        if (answer->d_eof != 0 || records.empty() || ends_after(records, begin))
            return log;
    }
}

ll::Status clear_debug_log(ll::KernelPort& port, std::uint64_t cursor)
{
    libcfs_ioc_debug argument{};

    argument.d_cursor = cursor;
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
    argument.d_buf = reinterpret_cast<std::uintptr_t>(text.data());
    argument.d_buf_len = static_cast<std::uint32_t>(text.size());
    if (const auto answer = call(port, LIBCFS_IOC_DEBUG_MARK, argument); !answer)
        return tl::unexpected(answer.error());
    return {};
}

}  // namespace lctl
