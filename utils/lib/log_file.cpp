// SPDX-License-Identifier: LGPL-2.1-or-later
#include "log_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <endian.h>
#include <fmt/format.h>

namespace ll {

namespace {

uint32_t word_at(std::span<const std::byte> bytes, size_t offset)
{
    uint32_t word = 0;

    std::memcpy(&word, bytes.data() + offset, sizeof(word));
    return le32toh(word);
}

// lrh_type of a header, in either byte order.
bool is_header_type(uint32_t type)
{
    return type == LLOG_HDR_MAGIC || type == __builtin_bswap32(LLOG_HDR_MAGIC);
}

}  // namespace

bool looks_like_log(LogBytes& bytes)
{
    std::array<std::byte, sizeof(llog_rec_hdr)> head{};
    const auto got = bytes.read(0, head);

    return got && *got == head.size() &&
           is_header_type(word_at(head, offsetof(llog_rec_hdr, lrh_type)));
}

// Magic numbers are known by their digits in hexadecimal.
static std::string value_text(uint64_t value)
{
    constexpr uint64_t long_number = 1 << 24;

    return value < long_number ? std::to_string(value) : fmt::format("{:#x}", value);
}

std::string fault_reason(const llog_fault& fault)
{
    std::string text = fault.what != nullptr ? fault.what : "damaged";

    if (fault.seen != fault.want)
        text += ": " + value_text(fault.seen) + ", expected " + value_text(fault.want);
    if (fault.lost != 0)
        text += fmt::format("; {} bytes skipped", fault.lost);
    return text;
}

std::string fault_text(const llog_fault& fault)
{
    std::string text = fmt::format("offset {}", fault.offset);

    if (fault.index != 0)
        text += fmt::format(", record {}", fault.index);
    return text + ": " + fault_reason(fault);
}

Status LogFile::decode_head()
{
    first_.resize(LLOG_MAX_CHUNK_SIZE);
    const auto got = bytes_->read(0, first_);
    if (!got)
        return tl::unexpected(got.error());
    first_.resize(*got);
    if (!looks_like_log(*bytes_))
        return fail(EINVAL, name() + ": not a log: it does not start with a header");
    if (llog_head_decode(first_.data(), *got, &head_, &head_fault_) != 0)
        return fail(EBADMSG, name() + ": its header is damaged: " + fault_text(head_fault_));
    return {};
}

Result<LogFile> LogFile::open(std::unique_ptr<LogBytes> bytes)
{
    LogFile log(std::move(bytes));

    if (auto decoded = log.decode_head(); !decoded)
        return tl::unexpected(decoded.error());
    return log;
}

Result<LogFile> LogFile::open(const std::string& path)
{
    auto bytes = open_log_bytes(path);

    if (!bytes)
        return tl::unexpected(bytes.error());
    return open(std::move(*bytes));
}

namespace {

// The head of a record as two words: its index and its type; 0 where it ends.
struct RecordWords {
    uint32_t index = 0;
    uint32_t type = 0;
};

RecordWords record_words(LogBytes& bytes, uint32_t offset)
{
    std::array<std::byte, sizeof(llog_rec_hdr)> head{};
    const auto got = bytes.read(offset, head);

    if (!got || *got != head.size())
        return {};
    return {word_at(head, offsetof(llog_rec_hdr, lrh_index)),
            word_at(head, offsetof(llog_rec_hdr, lrh_type))};
}

bool is_native_record(LogBytes& bytes, uint32_t offset)
{
    return (record_words(bytes, offset).type & LLOG_OP_MASK) == LLOG_OP_MAGIC;
}

// Does a log's first record begin there?
bool is_first_record(LogBytes& bytes, uint32_t offset)
{
    const RecordWords words = record_words(bytes, offset);

    if (words.index == 1)
        return (words.type & LLOG_OP_MASK) == LLOG_OP_MAGIC;
    return words.index == __builtin_bswap32(1) &&
           (__builtin_bswap32(words.type) & LLOG_OP_MASK) == LLOG_OP_MAGIC;
}

// The size of the header, by where the first record is; 0 when there is none.
uint32_t find_chunk_size(LogBytes& bytes)
{
    for (uint32_t size = LLOG_MIN_CHUNK_SIZE; size <= LLOG_MAX_CHUNK_SIZE; size *= 2)
        if (is_first_record(bytes, size))
            return size;
    return 0;
}

}  // namespace

Status LogFile::make_up_head(const Error& why)
{
    const uint32_t size = find_chunk_size(*bytes_);
    const llog_fault found = head_fault_;

    if (size == 0)
        return tl::unexpected(why);
    first_.assign(size, std::byte{0});
    if (llog_head_encode(first_.data(), size, LLOG_F_IS_PLAIN, "", 0) != 0 ||
        llog_head_decode(first_.data(), size, &head_, &head_fault_) != 0)
        return tl::unexpected(why);
    head_fault_ = found;
    if (head_fault_.what == nullptr)
        head_fault_.what = "it does not start with the header of a log";
    std::fill_n(first_.begin() + head_.bitmap_offset, head_.bitmap_bits / 8, std::byte{0xff});
    head_.swapped = !is_native_record(*bytes_, size);
    headless_ = true;
    return {};
}

Result<LogFile> LogFile::open_damaged(std::unique_ptr<LogBytes> bytes)
{
    LogFile log(std::move(bytes));
    const auto decoded = log.decode_head();

    if (!decoded)
        if (auto made = log.make_up_head(decoded.error()); !made)
            return tl::unexpected(made.error());
    return log;
}

Result<LogFile> LogFile::open_damaged(const std::string& path)
{
    auto bytes = open_log_bytes(path);

    if (!bytes)
        return tl::unexpected(bytes.error());
    return open_damaged(std::move(*bytes));
}

// All of one chunk.
LogFile::Step LogFile::walk_chunk(llog_walk& walk, uint32_t& last, Visit visit) const
{
    for (;;) {
        llog_record record{};
        llog_fault fault{};
        const llog_step step = llog_walk_next(&walk, &record, &fault);

        if (step == LLOG_STEP_END)
            return Step::Next;
        LogItem item{&record, nullptr};
        if (step == LLOG_STEP_FAULT)
            item = {nullptr, &fault};
        else
            last = std::max(last, record.index);
        if (!visit(item))
            return Step::Done;
    }
}

void LogFile::ends_early(uint64_t offset, uint32_t last, Visit visit) const
{
    llog_fault fault{};

    if (headless_ || last >= head_.last_index)
        return;
    fault.offset = offset;
    fault.what = "the log ends before its last record";
    fault.seen = last;
    fault.want = head_.last_index;
    visit({nullptr, &fault});
}

Status LogFile::walk(Visit visit)
{
    std::vector<std::byte> chunk(head_.chunk_size);
    uint64_t offset = head_.chunk_size;
    uint32_t last = 0;
    llog_walk walk{};

    llog_walk_init(&walk, &head_);
    for (;;) {
        const auto got = bytes_->read(offset, chunk);
        if (!got)
            return tl::unexpected(got.error());
        if (*got != 0) {
            llog_walk_chunk(&walk, chunk.data(), uint32_t(*got), offset);
            if (walk_chunk(walk, last, visit) == Step::Done)
                return {};
            offset += *got;
        }
        if (*got < chunk.size()) {
            ends_early(offset, last, visit);
            return {};
        }
    }
}

}  // namespace ll
