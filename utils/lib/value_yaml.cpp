// SPDX-License-Identifier: LGPL-2.1-or-later
// Values as YAML.
#include <algorithm>
#include <array>

#include "value_format.hpp"
#include "value_text.hpp"

namespace ll {
namespace {

// Can it be a literal block: lines of printable ASCII of which the first does
// not begin with a blank, and at most one newline at the end?
bool is_block(std::string_view text)
{
    if (text.find('\n') == std::string_view::npos || text.front() == ' ' || text.front() == '\n' ||
        text.front() == '\t' || text.ends_with("\n\n"))
        return false;
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return c == '\n' || c == '\t' || (c >= 0x20 && c < 0x7f); });
}

class YamlWriter {
public:
    YamlWriter(std::string& out, uint8_t type, size_t indent)
        : out_(out), indent_(indent), table_(type)
    {
    }

    bool run(ValueView value);

private:
    struct Frame {
        bool map = false;
        bool flow = false;
        bool joins = false;  // first member goes on the line at hand
        size_t column = 0;
        size_t count = 0;
    };

    Frame& top() { return frames_[depth_]; }
    void push(const Record& rec);
    void pop();
    void record(const Record& rec);
    void begin_member(const Record& rec);
    void begin_line();
    void key(const Record& rec);
    void scalar(const Record& rec);
    void string(std::string_view text);
    void time(const Record& rec);
    void bucket(const params_bucket& bucket);

    std::string& out_;
    size_t indent_;
    StatsTable table_;
    size_t depth_ = 0;
    std::array<Frame, PARAMS_NEST_MAX + 2> frames_{};
};

void YamlWriter::begin_line()
{
    Frame& frame = top();

    if (frame.joins) {
        frame.joins = false;
        out_ += ' ';
        return;
    }
    out_ += '\n';
    out_.append(frame.column, ' ');
}

void YamlWriter::key(const Record& rec)
{
    if (!rec.name.empty()) {
        append_yaml_string(out_, rec.name);
    } else if (rec.type == PARAMS_V_BUCKET) {
        out_ += '"';
        append_range(out_, rec.bucket());
        out_ += '"';
    } else {
        out_ += '_';
        append_number(out_, top().count);
    }
    out_ += ':';
}

// All before a member's value; what follows begins with a blank or a newline.
void YamlWriter::begin_member(const Record& rec)
{
    Frame& frame = top();

    frame.count++;
    if (frame.flow) {
        if (frame.count > 1)
            out_ += ',';
        if (frame.map) {
            out_ += ' ';
            key(rec);
        }
        return;
    }
    begin_line();
    if (frame.map)
        key(rec);
    else
        out_ += '-';
}

void YamlWriter::push(const Record& rec)
{
    const Frame outer = top();
    Frame inner;

    inner.map = is_map(rec.list_kind());
    inner.flow = outer.flow || is_flow(rec.list_kind());
    inner.column = outer.column + 2;
    inner.joins = !outer.map && inner.map;
    if (inner.flow)
        out_ += inner.map ? " {" : " [";
    frames_[++depth_] = inner;
}

void YamlWriter::pop()
{
    const Frame frame = top();

    if (frame.flow)
        out_ += frame.map ? " }" : " ]";
    else if (frame.count == 0)
        out_ += frame.map ? " {}" : " []";
    depth_--;
}

void YamlWriter::string(std::string_view text)
{
    if (top().flow || !is_block(text)) {
        out_ += ' ';
        append_yaml_string(out_, text);
        return;
    }
    out_ += text.back() == '\n' ? " |" : " |-";
    if (text.back() == '\n')
        text.remove_suffix(1);
    while (true) {
        const size_t end = text.find('\n');
        out_ += '\n';
        if (end != 0)
            out_.append(top().column + 2, ' ').append(text.substr(0, end));
        if (end == std::string_view::npos)
            break;
        text.remove_prefix(end + 1);
    }
}

void YamlWriter::time(const Record& rec)
{
    const params_time time = rec.time();

    if (!rec.name.empty() && depth_ <= 1 && table_.has_line(time)) {
        append_seconds(out_, time);
        out_ += " secs.nsecs";
        return;
    }
    append_time_number(out_, time);
    if (!rec.name.empty() && time.pt_kind == PARAMS_TIME_SPAN)
        out_.append(" ").append(span_unit(time.pt_unit));
}

void YamlWriter::bucket(const params_bucket& bucket)
{
    out_ += "{ low: ";
    append_number(out_, bucket.pb_low);
    out_ += ", high: ";
    if (bucket.pb_high == UINT64_MAX)
        out_ += "null";
    else
        append_number(out_, bucket.pb_high);
    out_ += ", count: ";
    append_number(out_, bucket.pb_count);
    out_.append(", unit: ").append(unit_name(bucket.pb_unit)).append(" }");
}

void YamlWriter::scalar(const Record& rec)
{
    if (rec.type == PARAMS_V_STRING)
        return string(rec.bytes);
    out_ += ' ';
    switch (rec.type) {
        case PARAMS_V_U64:
        case PARAMS_V_BYTES:
            return append_number(out_, rec.u64());
        case PARAMS_V_BOOL:
            return append_number(out_, rec.u64() ? 1 : 0);
        case PARAMS_V_S64:
            return append_number(out_, rec.s64());
        case PARAMS_V_HEX:
            return append_hex(out_, rec.u64());
        case PARAMS_V_TIME:
            return time(rec);
        case PARAMS_V_COUNTER:
            out_ += "{ ";
            append_counter_members(out_, rec.counter(), "");
            out_ += " }";
            return;
        case PARAMS_V_BUCKET:
            return bucket(rec.bucket());
        default:
            out_ += '"';
            append_octets(out_, rec.bytes);
            out_ += '"';
    }
}

void YamlWriter::record(const Record& rec)
{
    if (rec.type == PARAMS_V_LIST_END)
        return pop();
    begin_member(rec);
    if (rec.type == PARAMS_V_LIST_BEGIN)
        push(rec);
    else
        scalar(rec);
}

bool YamlWriter::run(ValueView value)
{
    const Shape shape = shape_of(value);
    WholeReader reader(value);
    Record rec;

    frames_[0].column = indent_;
    if (shape == Shape::Scalar && reader.next(rec)) {
        scalar(rec);
    } else if (shape == Shape::Empty) {
        out_ += " null";
    } else if (shape == Shape::List && reader.next(rec)) {
        frames_[0].map = true;  // the value follows the caller's key
        push(rec);
    } else {
        frames_[1].map = shape == Shape::Map;
        frames_[1].column = indent_ + 2;
        depth_ = 1;
    }
    while (reader.next(rec))
        record(rec);
    while (depth_ > 1)
        pop();
    out_ += '\n';
    return reader.ok() && check_value(value) == nullptr;
}

}  // namespace

void append_yaml_string(std::string& out, std::string_view text)
{
    if (is_plain_yaml(text))
        out += text;
    else
        append_json_string(out, text);
}

bool append_yaml(std::string& out, ValueView value, uint8_t type, unsigned int indent)
{
    return YamlWriter(out, type, indent).run(value);
}

}  // namespace ll
