// SPDX-License-Identifier: LGPL-2.1-or-later
// The calls that are about one entry, and writing.
#include "params.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

#include <sys/stat.h>

#include "fill.hpp"
#include "value_text.hpp"

namespace ll {
namespace {

constexpr size_t kMaxBatch = 16 * 1024;  // writes in one call

// The largest name that sorts before `name`, or a shorter stand-in for it.
std::string name_before(std::string_view name)
{
    std::string before(name.substr(0, name.size() - 1));
    const auto last = uint8_t(name.back());

    if (last > 1) {
        // no name holds a '/', and here it would part two of them
        before += char(last - 1 == '/' ? last - 2 : last - 1);
        before.resize(PARAMS_NAME_MAX, '\xff');
    }
    return before;
}

void append_padded(std::string& out, std::string_view bytes)
{
    out.append(bytes);
    out.resize(PARAMS_ALIGN(out.size()));
}

void append_write(std::string& out, const Write& write)
{
    params_write_rec head{};

    head.wr_len =
        uint32_t(sizeof(head) + PARAMS_ALIGN(write.path.size()) + PARAMS_ALIGN(write.value.size()));
    head.wr_flags =
        (write.typed ? PARAMS_W_TYPED : 0U) | (write.if_version ? PARAMS_W_VERSION : 0U);
    head.wr_version = write.if_version.value_or(0);
    head.wr_value_len = uint32_t(write.value.size());
    head.wr_path_len = uint16_t(write.path.size());
    out.append(reinterpret_cast<const char*>(&head), sizeof(head));
    append_padded(out, write.path);
    append_padded(out, write.value);
}

// Lengths that do not fit the boundary's fields are refused before packing.
Status check_write(const Write& write)
{
    if (write.path.size() > PARAMS_PATH_MAX)
        return fail(ENAMETOOLONG, "a path of " + std::to_string(write.path.size()) +
                                      " bytes is longer than " + std::to_string(PARAMS_PATH_MAX));
    if (write.value.size() > PARAMS_BUF_MAX / 2)
        return fail(E2BIG, display_path(write.path) + ": a value of " +
                               std::to_string(write.value.size()) + " bytes is longer than " +
                               std::to_string(PARAMS_BUF_MAX / 2));
    return {};
}

// The writes of the next call: as many as it takes, or, where all of them have to
// go together, all. Returns how many.
Result<size_t> pack_writes(std::span<const Write> writes, bool together, std::string& packed)
{
    const size_t most = together ? PARAMS_BATCH_MAX : kMaxBatch;
    const size_t full = together ? SIZE_MAX : PARAMS_BUF_MAX / 4;
    size_t count = 0;

    if (together && writes.size() > most)
        return fail(E2BIG, std::to_string(writes.size()) +
                               " parameters cannot be set all-or-nothing: the limit is " +
                               std::to_string(most));
    while (count < std::min(writes.size(), most) && packed.size() < full) {
        if (auto fits = check_write(writes[count]); !fits)
            return tl::unexpected(fits.error());
        append_write(packed, writes[count++]);
    }
    if (packed.size() > PARAMS_BUF_MAX)
        return fail(E2BIG, "the values to be set all-or-nothing take more than " +
                               std::to_string(PARAMS_BUF_MAX) + " bytes");
    return count;
}

bool unpack_replies(std::string_view bytes, size_t count, std::vector<WriteReply>& replies)
{
    replies.reserve(replies.size() + count);
    for (size_t i = 0; i < count; i++) {
        params_reply_rec head;
        if (bytes.size() < sizeof(head))
            return false;
        std::memcpy(&head, bytes.data(), sizeof(head));
        if (head.rr_len < sizeof(head) || head.rr_len > bytes.size() ||
            head.rr_reason_len > head.rr_len - sizeof(head))
            return false;
        WriteReply reply;
        reply.status = status_errno(head.rr_status);
        reply.version = head.rr_version;
        reply.reason = bytes.substr(sizeof(head), head.rr_reason_len);
        replies.push_back(std::move(reply));
        bytes.remove_prefix(head.rr_len);
    }
    return bytes.empty();
}

Status write_chunk(KernelPort& port, const std::string& packed, size_t count, uint32_t flags,
                   BatchReply& reply)
{
    const size_t room = std::min<size_t>(count * PARAMS_REPLY_MAX, PARAMS_BUF_MAX);
    auto out = std::make_unique_for_overwrite<char[]>(room);
    params_ioc_write_batch arg{};

    set_header(&params_ioc_write_batch::bw_hdr, arg);
    arg.bw_in = address(packed.data());
    arg.bw_in_len = uint32_t(packed.size());
    arg.bw_count = uint32_t(count);
    arg.bw_out = address(out.get());
    arg.bw_out_len = uint32_t(room);
    arg.bw_flags = flags;
    const int rc = port.call(PARAMS_IOC_WRITE_BATCH, &arg);
    if (rc < 0)
        return tl::unexpected(make_error(-rc, "setting parameters"));
    if (arg.bw_used > room || !unpack_replies({out.get(), arg.bw_used}, count, reply.replies))
        return fail(EBADMSG, "malformed reply from libcfs (batch of writes)");
    return {};
}

constexpr std::pair<std::string_view, std::string Description::*> kDescriptionTexts[] = {
    {"type", &Description::type},     {"unit", &Description::unit},     {"min", &Description::min},
    {"max", &Description::max},       {"default", &Description::def},   {"doc", &Description::doc},
    {"target", &Description::target}, {"source", &Description::source},
};

void describe_record(Description& to, const Record& rec, std::string_view list)
{
    std::string text;

    if (rec.type == PARAMS_V_STRING) {
        text = rec.bytes;
    } else if (rec.type < PARAMS_V_LIST_BEGIN || rec.type == PARAMS_V_HEX) {
        ValuePacker one;
        one.record(rec.type, 0, {}, rec.bytes);
        append_text(text, one.view(), 0);
    }
    if (list == "flags")
        to.flags.push_back(text);
    else if (list == "values")
        to.values.push_back(text);
    else if (rec.name == "mode")
        to.mode = rec.u64();
    for (const auto& [name, member] : kDescriptionTexts)
        if (list.empty() && rec.name == name)
            to.*member = text;
}

Result<Description> parse_description(std::string_view bytes)
{
    Description result;
    std::string list;  // name of the list that we are in
    Record rec;

    result.raw = bytes;
    WholeReader reader{ValueView(bytes)};
    while (reader.next(rec)) {
        if (rec.type == PARAMS_V_LIST_BEGIN)
            list = rec.depth == 0 ? rec.name : "";
        else if (rec.type == PARAMS_V_LIST_END)
            list.clear();
        else if (rec.depth == 0 || !list.empty())
            describe_record(result, rec, list);
    }
    if (!reader.ok())
        return fail(EBADMSG, reader.error());
    return result;
}

}  // namespace

void PathList::add(std::string_view raw)
{
    starts_.push_back(uint32_t(text_.size()));
    text_.append(raw);
    text_ += '\0';
}

std::string_view PathList::block(size_t first, size_t count) const
{
    const size_t end = first + count < starts_.size() ? starts_[first + count] : text_.size();
    const size_t begin = first < starts_.size() ? starts_[first] : end;

    return std::string_view(text_).substr(begin, end - begin);
}

std::string_view PathList::at(size_t i) const
{
    auto text = block(i, 1);

    text.remove_suffix(1);
    return text;
}

void PathList::clear()
{
    text_.clear();
    starts_.clear();
}

// A buffer of at least `needed` bytes: the first is small, since most programs read one
// value; the next one is large.
bool Params::more_room(uint32_t needed)
{
    if (needed <= buffer_size_)
        return true;
    if (needed > PARAMS_BUF_MAX)
        return false;
    uint32_t size = buffer_size_ ? kLargeSize : kFirstSize;
    while (size < needed)
        size *= 2;
    size = std::min(size, PARAMS_BUF_MAX);
    buffer_ = std::make_unique_for_overwrite<char[]>(size);
    buffer_size_ = size;
    return true;
}

// A listing of one level that begins just before the name: no callback runs, as
// reading would make it.
Result<Entry> Params::stat(std::string_view path)
{
    alignas(8) char room[sizeof(params_list_rec) + PARAMS_ALIGN(PARAMS_NAME_MAX)];
    const std::string_view parent = raw_parent(path), name = raw_name(path);

    if (path.empty())
        return Entry{"", S_IFDIR | 0555, PARAMS_T_DIR, 0, 0};
    if (name.empty())
        return path_error(ENOENT, path);
    if (name.size() > PARAMS_NAME_MAX)
        return path_error(ENAMETOOLONG, path);
    const std::string after = name_before(name);
    params_ioc_list arg{};
    set_header(&params_ioc_list::pl_hdr, arg);
    arg.pl_path = address(parent.data());
    arg.pl_path_len = uint32_t(parent.size());
    arg.pl_after = address(after.data());
    arg.pl_after_len = uint32_t(after.size());
    arg.pl_buf = address(room);
    arg.pl_buf_len = sizeof(room);
    arg.pl_depth = 1;
    const int rc = port_.call(PARAMS_IOC_LIST, &arg);
    if (rc < 0)
        return path_error(-rc, path);
    params_list_rec head;
    if (arg.pl_used < sizeof(head) || arg.pl_used > sizeof(room)) {
        if (arg.pl_used == 0)
            return path_error(ENOENT, path);
        return nonsense(path, "a listing");
    }
    std::memcpy(&head, room, sizeof(head));
    if (head.lr_name_len > arg.pl_used - sizeof(head))
        return nonsense(path, "a listing");
    if (std::string_view(room + sizeof(head), head.lr_name_len) != name)
        return path_error(ENOENT, path);
    return Entry{std::string(path), head.lr_mode, head.lr_type, head.lr_flags, head.lr_version};
}

// One READ; its result is appended to `out`. 0 or an errno.
int Params::read_chunk(params_ioc_read& arg, std::string& out, uint32_t room)
{
    using Arg = params_ioc_read;
    const int error =
        fill<Arg>(PARAMS_IOC_READ, arg, {&Arg::pr_buf, &Arg::pr_buf_len, &Arg::pr_used}, room);

    if (error)
        return error;
    out.append(buffer_.get(), arg.pr_used);
    if (out.size() > PARAMS_VALUE_MAX)
        return E2BIG;
    const bool goes_on = arg.pr_used && arg.pr_snapshot;
    return arg.pr_eof || goes_on ? 0 : EBADMSG;
}

// All of a snapshot, appended to `out`. 0 or an errno.
int Params::read_snapshot(uint64_t snapshot, std::string& out)
{
    params_ioc_read arg{};

    set_header(&params_ioc_read::pr_hdr, arg);
    arg.pr_snapshot = snapshot;
    for (uint32_t room = kFirstSize; !arg.pr_eof; room = kLargeSize)
        if (const int error = read_chunk(arg, out, room))
            return error;
    return 0;
}

Result<Value> Params::read(std::string_view path, uint32_t first)
{
    params_ioc_read arg{};
    Value value;

    set_header(&params_ioc_read::pr_hdr, arg);
    arg.pr_path = address(path.data());
    arg.pr_path_len = uint32_t(path.size());
    arg.pr_index = first;
    for (uint32_t room = kFirstSize; !arg.pr_eof; room = kLargeSize)
        if (const int error = read_chunk(arg, value.bytes, room))
            return path_error(error, path);
    value.version = arg.pr_version;
    value.type = uint8_t(arg.pr_type);
    value.mode = uint16_t(arg.pr_mode);
    return value;
}

Result<WriteReply> Params::write(const Write& write, bool dry_run)
{
    char reason[PARAMS_REASON_MAX + 1];  // never filled: all of it is none
    params_ioc_write arg{};

    if (auto fits = check_write(write); !fits)
        return tl::unexpected(fits.error());
    set_header(&params_ioc_write::pw_hdr, arg);
    arg.pw_path = address(write.path.data());
    arg.pw_path_len = uint32_t(write.path.size());
    arg.pw_flags = (write.typed ? PARAMS_W_TYPED : 0U) |
                   (write.if_version ? PARAMS_W_VERSION : 0U) | (dry_run ? PARAMS_W_DRY_RUN : 0U);
    arg.pw_value = address(write.value.data());
    arg.pw_value_len = uint32_t(write.value.size());
    arg.pw_version = write.if_version.value_or(0);
    arg.pw_reason = address(reason);
    arg.pw_reason_len = sizeof(reason);
    const int rc = port_.call(PARAMS_IOC_WRITE, &arg);
    if (rc == 0)
        return WriteReply{0, arg.pw_version, {}};
    if (arg.pw_reason_len == 0 || arg.pw_reason_len >= sizeof(reason))
        return path_error(-rc, write.path);
    return fail(-rc, std::string(reason, arg.pw_reason_len));
}

Result<BatchReply> Params::write_many(const std::vector<Write>& writes, WriteMode mode)
{
    const uint32_t flags =
        (mode.atomic ? PARAMS_W_ATOMIC : 0U) | (mode.dry_run ? PARAMS_W_DRY_RUN : 0U);
    const auto all = std::span(writes);
    BatchReply reply;

    for (size_t at = 0; at < all.size();) {
        std::string packed;
        auto count = pack_writes(all.subspan(at), mode.atomic, packed);
        if (!count)
            return tl::unexpected(count.error());
        if (auto sent = write_chunk(port_, packed, *count, flags, reply); !sent)
            return tl::unexpected(sent.error());
        at += *count;
    }
    reply.failed = size_t(std::count_if(reply.replies.begin(), reply.replies.end(),
                                        [](const WriteReply& one) { return one.status != 0; }));
    return reply;
}

Result<Description> Params::describe(std::string_view path)
{
    using Arg = params_ioc_describe;
    Arg arg{};

    set_header(&Arg::dsc_hdr, arg);
    arg.dsc_path = address(path.data());
    arg.dsc_path_len = uint32_t(path.size());
    if (const int error = fill<Arg>(PARAMS_IOC_DESCRIBE, arg,
                                    {&Arg::dsc_buf, &Arg::dsc_buf_len, &Arg::dsc_used}, kFirstSize))
        return path_error(error, path);
    auto result = parse_description({buffer_.get(), arg.dsc_used});
    if (!result)
        return nonsense(path, "a description");
    return result;
}

}  // namespace ll
