// SPDX-License-Identifier: LGPL-2.1-or-later
// Values as real Lustre prints them.
#include "value_text.hpp"

#include <array>

#include "pathspec.hpp"
#include "value_format.hpp"

namespace ll {
namespace {

constexpr size_t kStatsColumn = 36;  // where the numbers of a table begin
constexpr size_t kJobColumn = 16;    // bytes of a key of job_stats

// A record that is a single figure; false when it is none.
bool append_figure(std::string& out, const Record& rec)
{
    switch (rec.type) {
        case PARAMS_V_U64:
        case PARAMS_V_BYTES:
            append_number(out, rec.u64());
            return true;
        case PARAMS_V_BOOL:
            out += rec.u64() ? '1' : '0';
            return true;
        case PARAMS_V_S64:
            append_number(out, rec.s64());
            return true;
        case PARAMS_V_HEX:
            append_hex(out, rec.u64());
            return true;
        case PARAMS_V_TIME:
            append_time_number(out, rec.time());
            return true;
        default:
            return false;
    }
}

class TextWriter {
public:
    TextWriter(std::string& out, uint8_t type) : out_(out), start_(out.size()), table_(type) {}

    bool run(ValueView value);

private:
    // A list that is open, or the value itself.
    struct Frame {
        uint64_t kind = PARAMS_LIST_MAP;
        size_t column = 0;  // where its members begin
        bool first = true;
        bool joins = false;  // first member goes on the line at hand
        bool jobs = false;   // of job_stats
    };

    Frame& top() { return frames_[depth_]; }
    bool at_top() const { return depth_ == 0; }
    void record(const Record& rec);
    bool stats_line(const Record& rec);
    void stats_counter(const Record& rec);
    bool job_member(const Record& rec);
    void begin_line(size_t column);
    void begin_member(const Record& rec);
    void key(const Record& rec);
    size_t named_column(const Frame& outer, uint64_t kind) const;
    void begin_list(const Record& rec);
    void end_list();
    void scalar(const Record& rec);
    void string(std::string_view text);
    void pad_name(std::string_view name);

    std::string& out_;
    size_t start_;
    StatsTable table_;
    size_t depth_ = 0;
    std::array<Frame, PARAMS_NEST_MAX + 1> frames_{};
    bool named_ = false;  // the current record follows a key
};

void TextWriter::begin_line(size_t column)
{
    if (top().joins) {
        top().joins = false;
        return;
    }
    if (out_.size() > start_)
        out_ += '\n';
    out_.append(column, ' ');
}

// Everything in front of a member's value.
void TextWriter::begin_member(const Record& rec)
{
    Frame& frame = top();

    if (is_flow(frame.kind)) {
        out_ += frame.first ? "" : ", ";
    } else {
        begin_line(frame.column);
        if (frame.kind == PARAMS_LIST_SEQ)
            out_ += rec.type == PARAMS_V_BUCKET ? "  " : "- ";
    }
    frame.first = false;
    named_ = !rec.name.empty();
    if (named_)
        key(rec);
}

// A block list follows on lines of its own, other values after a blank.
void TextWriter::key(const Record& rec)
{
    const std::string_view quote = is_nid(rec.name) ? "\"" : "";
    const bool block =
        rec.type == PARAMS_V_LIST_BEGIN && !is_flow(rec.list_kind()) && !is_flow(top().kind);

    out_.append(quote).append(rec.name).append(quote).append(block ? ":" : ": ");
    if (top().jobs && rec.name.size() + 1 < kJobColumn)
        out_.append(kJobColumn - rec.name.size() - 1, ' ');
}

// Where the members of a block list with a name begin.
size_t TextWriter::named_column(const Frame& outer, uint64_t kind) const
{
    if (kind == PARAMS_LIST_SEQ)
        return outer.column + 1;
    return at_top() ? 4 : outer.column + 3;
}

void TextWriter::begin_list(const Record& rec)
{
    const Frame outer = top();
    Frame inner;

    begin_member(rec);
    inner.kind = rec.list_kind();
    if (is_flow(outer.kind))
        inner.kind = is_map(inner.kind) ? PARAMS_LIST_FLOW_MAP : PARAMS_LIST_FLOW_SEQ;
    inner.jobs = outer.jobs || (at_top() && rec.name == "job_stats");
    if (is_flow(inner.kind)) {
        out_ += is_map(inner.kind) ? "{ " : "[ ";
    } else if (!named_) {
        // On the line of the dash, or, for a value that is one list, alone.
        inner.column = outer.column + (at_top() ? 0 : 2);
        inner.joins = true;
    } else if (!inner.jobs) {
        inner.column = named_column(outer, inner.kind);
    }
    frames_[++depth_] = inner;
}

void TextWriter::end_list()
{
    const Frame frame = top();

    if (is_flow(frame.kind)) {
        out_ += frame.first ? "" : " ";
        out_ += is_map(frame.kind) ? '}' : ']';
    }
    depth_--;
}

void TextWriter::pad_name(std::string_view name)
{
    begin_line(0);
    out_ += name;
    out_.append(name.size() < kStatsColumn ? kStatsColumn - name.size() : 1, ' ');
}

void TextWriter::stats_counter(const Record& rec)
{
    const params_counter counter = rec.counter();

    if (counter.pc_count == 0)
        return;
    pad_name(rec.name);
    append_number(out_, counter.pc_count);
    out_.append(" samples [").append(unit_name(counter.pc_unit)).append("]");
    if (!(counter.pc_flags & PARAMS_CF_MINMAX))
        return;
    out_ += ' ';
    append_number(out_, counter.pc_min);
    out_ += ' ';
    append_number(out_, counter.pc_max);
    out_ += ' ';
    append_u128(out_, counter.pc_sum_hi, counter.pc_sum_lo);
    if (!(counter.pc_flags & PARAMS_CF_STDDEV))
        return;
    out_ += ' ';
    append_u128(out_, counter.pc_sumsq_hi, counter.pc_sumsq_lo);
}

// A line of a table of statistics; false when the record is none.
bool TextWriter::stats_line(const Record& rec)
{
    if (!at_top() || rec.name.empty())
        return false;
    if (rec.type == PARAMS_V_COUNTER) {
        stats_counter(rec);
        return true;
    }
    if (rec.type != PARAMS_V_TIME || !table_.has_line(rec.time()))
        return false;
    pad_name(rec.name);
    append_seconds(out_, rec.time());
    out_ += " secs.nsecs";
    return true;
}

// A figure as real Lustre's job_stats has it; false when the record is none.
bool TextWriter::job_member(const Record& rec)
{
    if (!top().jobs)
        return false;
    if (rec.type == PARAMS_V_COUNTER) {
        out_ += "{ ";
        append_counter_members(out_, rec.counter(), "", true);
        out_ += " }";
    } else if (rec.type == PARAMS_V_TIME) {
        append_seconds(out_, rec.time());
        out_ += " secs.nsecs";
    } else {
        return false;
    }
    return true;
}

void TextWriter::string(std::string_view text)
{
    const bool alone = at_top() && !named_;

    if (!alone && (is_nid(text) || text.starts_with('<') || breaks_line(text)))
        append_json_string(out_, text);
    else
        out_ += text;
}

void TextWriter::scalar(const Record& rec)
{
    switch (rec.type) {
        case PARAMS_V_STRING:
            return string(rec.bytes);
        case PARAMS_V_COUNTER:
            out_ += "{ ";
            append_counter_members(out_, rec.counter(), "");
            out_ += " }";
            return;
        case PARAMS_V_BUCKET:
            append_range(out_, rec.bucket());
            out_ += ": ";
            return append_number(out_, rec.bucket().pb_count);
        default:
            if (!append_figure(out_, rec))
                append_octets(out_, rec.bytes);
    }
    if (named_ && rec.type == PARAMS_V_TIME && rec.time().pt_kind == PARAMS_TIME_SPAN)
        out_.append(" ").append(span_unit(rec.time().pt_unit));
}

void TextWriter::record(const Record& rec)
{
    if (rec.type == PARAMS_V_LIST_BEGIN)
        return begin_list(rec);
    if (rec.type == PARAMS_V_LIST_END)
        return end_list();
    if (stats_line(rec))
        return;
    if (rec.type == PARAMS_V_BUCKET && rec.bucket().pb_count == 0)
        return;
    begin_member(rec);
    if (!job_member(rec))
        scalar(rec);
}

bool TextWriter::run(ValueView value)
{
    WholeReader reader(value);
    Record rec;

    while (reader.next(rec))
        record(rec);
    return reader.ok();
}

// Most values are one unnamed figure or text: no state is needed for those. False
// when it is anything else.
bool append_single(std::string& out, ValueView value)
{
    RecordReader reader(value);
    Record rec;

    if (!reader.next(rec) || !reader.rest().empty() || rec.continues() || !rec.name.empty())
        return false;
    if (rec.type != PARAMS_V_STRING)
        return append_figure(out, rec);
    out += rec.bytes;
    return true;
}

}  // namespace

bool append_text(std::string& out, ValueView value, uint8_t type)
{
    if (append_single(out, value))
        return true;
    return TextWriter(out, type).run(value);
}

}  // namespace ll
