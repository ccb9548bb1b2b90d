// SPDX-License-Identifier: LGPL-2.1-or-later
#include "log_cancel.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <endian.h>
#include <fmt/format.h>

namespace ll {

namespace {

tl::unexpected<Error> refuse(const LogFile& log, int code, std::string_view why)
{
    return fail(code, fmt::format("{}: {}", log.name(), why));
}

// Type of the record in the file, 0 when it is not there.
Result<uint32_t> type_of(LogFile& log, uint32_t index)
{
    uint32_t type = 0;
    const auto walked = log.walk([&](const LogItem& item) {
        if (item.record != nullptr && item.record->index == index)
            type = item.record->type;
        return type == 0;
    });

    if (!walked)
        return tl::unexpected(walked.error());
    return type;
}

Status may_cancel(LogFile& log, uint32_t index)
{
    if (index == 0)
        return refuse(log, EINVAL, "record 0 is the header, which cannot be cancelled");

    const auto type = type_of(log, index);
    if (!type)
        return tl::unexpected(type.error());
    if (*type == 0)
        return refuse(
            log, ENOENT,
            fmt::format("no record {}; the last index is {}", index, log.head().last_index));
    if (*type == LLOG_PAD_MAGIC)
        return refuse(log, EINVAL,
                      fmt::format("record {} is padding, which cannot be cancelled", index));
    if (!llog_index_live(&log.head(), index))
        return refuse(log, EALREADY, fmt::format("record {} is already cancelled", index));
    return {};
}

uint32_t live_records(const llog_head& head)
{
    uint32_t live = 0;

    for (uint32_t index = 0; index < head.bitmap_bits; index++)
        live += llog_index_live(&head, index);
    return live;
}

Status write_now(LogBytes& bytes, uint64_t offset, std::span<const std::byte> from)
{
    auto done = bytes.write(offset, from);

    return done ? bytes.sync() : done;
}

Status clear_bit(LogFile& log, uint32_t index)
{
    const uint64_t offset = log.head().bitmap_offset + index / 8;
    std::array<std::byte, 1> byte{};
    const auto got = log.bytes().read(offset, byte);

    if (!got)
        return tl::unexpected(got.error());
    byte[0] &= ~(std::byte{1} << (index % 8));
    return write_now(log.bytes(), offset, byte);
}

Status write_count(LogFile& log, uint32_t count)
{
    const uint32_t word = log.head().swapped ? htobe32(count) : htole32(count);

    return write_now(log.bytes(), offsetof(llog_log_hdr, llh_count),
                     std::as_bytes(std::span(&word, 1)));
}

}  // namespace

Result<uint32_t> cancel_record(LogFile& log, uint32_t index)
{
    if (auto may = may_cancel(log, index); !may)
        return tl::unexpected(may.error());

    const uint32_t left = live_records(log.head()) - 1;
    if (auto cleared = clear_bit(log, index); !cleared)
        return tl::unexpected(cleared.error());
    if (auto counted = write_count(log, left); !counted)
        return tl::unexpected(counted.error());
    return left;
}

}  // namespace ll
