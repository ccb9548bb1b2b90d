// SPDX-License-Identifier: LGPL-2.1-or-later
// The calls that are about many entries: they fill a buffer, are walked record
// by record, and go on where the buffer was full.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include <sys/stat.h>

#include "fill.hpp"
#include "name_stack.hpp"

namespace ll {
namespace {

constexpr size_t kBatchPaths = 16 * 1024;  // in one READ_BATCH

// The head of the entry record that `rest` starts with; it is removed from `rest`.
// `name` and `data` are what follows the head.
bool take_entry(std::string_view& rest, params_entry_rec& head, std::string_view& name,
                std::string_view& data)
{
    if (rest.size() < sizeof(head))
        return false;
    std::memcpy(&head, rest.data(), sizeof(head));
    const size_t data_at = sizeof(head) + PARAMS_ALIGN(size_t{head.er_name_len});
    if (head.er_len < data_at || head.er_len > rest.size() || head.er_len % 8)
        return false;
    if ((head.er_flags & PARAMS_EF_MORE) && head.er_len != rest.size())
        return false;  // is always the last one
    name = rest.substr(sizeof(head), head.er_name_len);
    data = rest.substr(data_at, head.er_len - data_at);
    rest.remove_prefix(head.er_len);
    return true;
}

}  // namespace

// What a record of a batch says: its value lies in the buffer, or waits as a
// snapshot. Then the record is the last one, and the buffer is filled again.
void Params::take_value(EntryView& entry, const params_entry_rec& head, std::string_view data)
{
    uint64_t snapshot = 0;

    entry.mode = head.er_mode;
    entry.type = head.er_type;
    entry.flags = head.er_flags & ~unsigned{PARAMS_EF_MORE};
    entry.version = head.er_version;
    entry.status = status_errno(head.er_status);
    entry.has_value = false;
    entry.value = {};
    if (entry.status)
        return;
    if (head.er_flags & PARAMS_EF_MORE) {
        if (data.size() >= sizeof(snapshot))
            std::memcpy(&snapshot, data.data(), sizeof(snapshot));
        large_.clear();
        entry.status = read_snapshot(snapshot, large_);
        data = large_;
    }
    entry.has_value = entry.status == 0;
    if (entry.has_value)
        entry.value = ValueView(data);
}

// What LIST and READ_BATCH over a subtree have in common.
class TreeStream {
public:
    TreeStream(Params& params, std::string_view base, EntryVisitor visit)
        : params_(params), base_(base), names_(base), visit_(visit)
    {
    }

    Status list(unsigned int depth);
    Status read();

private:
    enum class Step { More, Stopped, Bad };

    // Where the two calls keep what both have.
    template <class Arg>
    struct Layout {
        Params::BufferFields<Arg> buffer;
        __u32 Arg::*eof;
        __u64 Arg::*after;
        __u32 Arg::*after_len;
        Step (TreeStream::*walk)(std::string_view records);
    };

    template <class Arg>
    Status run(unsigned long cmd, Arg& arg, const Layout<Arg>& at);
    Step list_records(std::string_view records);
    Step value_records(std::string_view records);
    Step give_value(const params_entry_rec& head, std::string_view name, std::string_view data);
    Step give(size_t depth, std::string_view name);

    Params& params_;
    std::string base_;
    NameStack names_;
    EntryVisitor visit_;
    EntryView entry_;
    size_t count_ = 0;
};

TreeStream::Step TreeStream::give(size_t depth, std::string_view name)
{
    if (!names_.set(depth, name))
        return Step::Bad;
    entry_.path = names_.raw();
    entry_.display = names_.display();
    entry_.name = names_.name();
    entry_.depth = unsigned(depth);
    entry_.index = count_++;
    return visit_(entry_) == Visit::Stop ? Step::Stopped : Step::More;
}

TreeStream::Step TreeStream::list_records(std::string_view records)
{
    while (!records.empty()) {
        params_list_rec head;
        if (records.size() < sizeof(head))
            return Step::Bad;
        std::memcpy(&head, records.data(), sizeof(head));
        if (head.lr_len > records.size() || head.lr_len % 8 ||
            head.lr_len < sizeof(head) + head.lr_name_len)
            return Step::Bad;
        entry_.mode = head.lr_mode;
        entry_.type = head.lr_type;
        entry_.flags = head.lr_flags;
        entry_.version = head.lr_version;
        const auto step = give(head.lr_depth, records.substr(sizeof(head), head.lr_name_len));
        if (step != Step::More)
            return step;
        records.remove_prefix(head.lr_len);
    }
    return Step::More;
}

// An entry of the subtree. Only what is a value and meant to be read by the way
// counts as one.
TreeStream::Step TreeStream::give_value(const params_entry_rec& head, std::string_view name,
                                        std::string_view data)
{
    char kept[PARAMS_NAME_MAX];

    if (name.size() > sizeof(kept))
        return Step::Bad;
    if (head.er_flags & PARAMS_EF_MORE) {  // the buffer will be filled again
        std::memcpy(kept, name.data(), name.size());
        name = {kept, name.size()};
    }
    params_.take_value(entry_, head, data);
    entry_.has_value =
        entry_.has_value && S_ISREG(head.er_mode) && entry_.readable() && !entry_.is_volatile();
    if (!entry_.readable())
        entry_.status = 0;
    return give(head.er_index, name);
}

TreeStream::Step TreeStream::value_records(std::string_view records)
{
    Step step = Step::More;

    while (!records.empty() && step == Step::More) {
        params_entry_rec head;
        std::string_view name, data;
        if (!take_entry(records, head, name, data))
            return Step::Bad;
        step = give_value(head, name, data);
    }
    return step;
}

// Call, walk the records, continue after the last entry.
template <class Arg>
Status TreeStream::run(unsigned long cmd, Arg& arg, const Layout<Arg>& at)
{
    std::string after;

    for (uint32_t room = kFirstSize;; room = kLargeSize) {
        arg.*at.after = address(after.data());
        arg.*at.after_len = uint32_t(after.size());
        if (const int error = params_.fill<Arg>(cmd, arg, at.buffer, room))
            return path_error(error, base_);
        const uint32_t used = arg.*at.buffer.used;
        const bool eof = arg.*at.eof;
        const auto step = used || eof ? (this->*at.walk)({params_.buffer_.get(), used}) : Step::Bad;
        if (step == Step::Bad)
            return nonsense(base_, "a record");
        if (step == Step::Stopped || eof)
            return {};
        after = names_.relative();
    }
}

Status TreeStream::list(unsigned int depth)
{
    using Arg = params_ioc_list;
    params_ioc_list arg{};

    set_header(&Arg::pl_hdr, arg);
    arg.pl_path = address(base_.data());
    arg.pl_path_len = uint32_t(base_.size());
    arg.pl_depth = depth;
    return run<Arg>(PARAMS_IOC_LIST, arg,
                    {{&Arg::pl_buf, &Arg::pl_buf_len, &Arg::pl_used},
                     &Arg::pl_eof,
                     &Arg::pl_after,
                     &Arg::pl_after_len,
                     &TreeStream::list_records});
}

Status TreeStream::read()
{
    using Arg = params_ioc_read_batch;
    params_ioc_read_batch arg{};

    set_header(&Arg::rb_hdr, arg);
    arg.rb_paths = address(base_.c_str());
    arg.rb_paths_len = uint32_t(base_.size() + 1);
    arg.rb_count = 1;
    arg.rb_flags = PARAMS_RB_SUBTREE;
    return run<Arg>(PARAMS_IOC_READ_BATCH, arg,
                    {{&Arg::rb_buf, &Arg::rb_buf_len, &Arg::rb_used},
                     &Arg::rb_eof,
                     &Arg::rb_after,
                     &Arg::rb_after_len,
                     &TreeStream::value_records});
}

Status Params::list(std::string_view path, unsigned int depth, EntryVisitor visit)
{
    return TreeStream(*this, path, visit).list(depth);
}

Status Params::read_subtree(std::string_view path, EntryVisitor visit)
{
    return TreeStream(*this, path, visit).read();
}

// READ_BATCH over a list of paths.
class BatchStream {
public:
    BatchStream(Params& params, const PathList& paths, EntryVisitor visit)
        : params_(params), paths_(paths), visit_(visit)
    {
    }

    Status run();

private:
    enum class Step { More, Stopped, Bad };

    Result<Step> chunk(size_t first, size_t count);
    Step records(std::string_view rest, size_t first, size_t end);

    Params& params_;
    const PathList& paths_;
    EntryVisitor visit_;
    EntryView entry_;
    std::string display_;
    size_t next_ = 0;  // index of the path that comes next
};

BatchStream::Step BatchStream::records(std::string_view rest, size_t first, size_t end)
{
    while (!rest.empty()) {
        params_entry_rec head;
        std::string_view name, data;
        if (!take_entry(rest, head, name, data) || next_ >= end || head.er_index != next_ - first)
            return Step::Bad;
        params_.take_value(entry_, head, data);
        entry_.path = paths_.at(next_);
        display_ = display_path(entry_.path);
        entry_.display = display_;
        entry_.name = raw_name(entry_.path);
        entry_.index = next_++;
        if (visit_(entry_) == Visit::Stop)
            return Step::Stopped;
    }
    return Step::More;
}

// All of the paths [first, first + count), in as many calls as the values take.
Result<BatchStream::Step> BatchStream::chunk(size_t first, size_t count)
{
    using Arg = params_ioc_read_batch;
    const auto block = paths_.block(first, count);
    uint32_t room = count > 64 ? kLargeSize : kFirstSize;
    Arg arg{};

    set_header(&Arg::rb_hdr, arg);
    arg.rb_paths = address(block.data());
    arg.rb_paths_len = uint32_t(block.size());
    arg.rb_count = uint32_t(count);
    while (next_ < first + count) {
        const size_t before = next_;
        arg.rb_next = uint32_t(next_ - first);
        if (const int error = params_.fill<Arg>(
                PARAMS_IOC_READ_BATCH, arg, {&Arg::rb_buf, &Arg::rb_buf_len, &Arg::rb_used}, room))
            return path_error(error, paths_.at(before));
        const auto step = records({params_.buffer_.get(), arg.rb_used}, first, first + count);
        if (step == Step::Stopped)
            return step;
        if (step == Step::Bad || next_ == before)
            return nonsense(paths_.at(before), "a record");
        room = kLargeSize;
    }
    return Step::More;
}

Status BatchStream::run()
{
    while (next_ < paths_.size()) {
        const size_t first = next_;
        size_t count = 0, bytes = 0;
        do {
            bytes += paths_.at(first + count++).size() + 1;
        } while (first + count < paths_.size() && count < kBatchPaths &&
                 bytes < PARAMS_BUF_MAX / 4);
        auto step = chunk(first, count);
        if (!step)
            return tl::unexpected(step.error());
        if (*step == Step::Stopped)
            return {};
    }
    return {};
}

Status Params::read_many(const PathList& paths, EntryVisitor visit)
{
    return BatchStream(*this, paths, visit).run();
}

}  // namespace ll
