// SPDX-License-Identifier: LGPL-2.1-or-later
// Values as JSON.
#include <algorithm>
#include <array>
#include <iterator>

#include "value_format.hpp"
#include "value_text.hpp"

namespace ll {
namespace {

// Bytes of the UTF-8 character that `text` begins with; 0 when it is none.
size_t utf8_length(std::string_view text)
{
    // By lead byte: length, and what the second byte may be. The ranges leave
    // out overlong forms, surrogates, and what lies above U+10FFFF.
    struct Lead {
        uint8_t first, last, length, low, high;
    };
    static constexpr Lead leads[] = {
        {0x00, 0x7f, 1, 0, 0},       {0xc2, 0xdf, 2, 0x80, 0xbf}, {0xe0, 0xe0, 3, 0xa0, 0xbf},
        {0xe1, 0xec, 3, 0x80, 0xbf}, {0xed, 0xed, 3, 0x80, 0x9f}, {0xee, 0xef, 3, 0x80, 0xbf},
        {0xf0, 0xf0, 4, 0x90, 0xbf}, {0xf1, 0xf3, 4, 0x80, 0xbf}, {0xf4, 0xf4, 4, 0x80, 0x8f},
    };
    const auto* lead = std::find_if(std::begin(leads), std::end(leads), [&](const Lead& l) {
        return uint8_t(text[0]) >= l.first && uint8_t(text[0]) <= l.last;
    });

    if (lead == std::end(leads) || lead->length > text.size())
        return 0;
    for (size_t i = 1; i < lead->length; i++) {
        const uint8_t low = i == 1 ? lead->low : 0x80, high = i == 1 ? lead->high : 0xbf;
        if (uint8_t(text[i]) < low || uint8_t(text[i]) > high)
            return 0;
    }
    return lead->length;
}

void append_escape(std::string& out, char c)
{
    static constexpr char digits[] = "0123456789abcdef";

    switch (c) {
        case '"':
        case '\\':
            out += '\\';
            out += c;
            return;
        case '\n':
            out += "\\n";
            return;
        case '\t':
            out += "\\t";
            return;
        case '\r':
            out += "\\r";
            return;
        default:
            out += "\\u00";
            out += digits[uint8_t(c) >> 4];
            out += digits[uint8_t(c) & 15];
    }
}

// A character that YAML 1.1 takes for the end of a line, or for the mark of an
// encoding, as an escape; empty for any other.
std::string_view escape_of_break(std::string_view character)
{
    if (character == "\u0085")
        return "\\u0085";
    if (character == "\u2028")
        return "\\u2028";
    if (character == "\u2029")
        return "\\u2029";
    return character == "\ufeff" ? "\\ufeff" : "";
}

void append_character(std::string& out, std::string_view character)
{
    const std::string_view escape = escape_of_break(character);

    out += escape.empty() ? character : escape;
}

bool is_simple(char c)
{
    return uint8_t(c) >= 0x20 && uint8_t(c) < 0x7f && c != '"' && c != '\\';
}

class JsonWriter {
public:
    JsonWriter(std::string& out, uint8_t type) : out_(out), table_(type) {}

    bool run(ValueView value);

private:
    struct Frame {
        bool map = false;
        bool bare = false;  // holds one value, without brackets
        size_t count = 0;
    };

    void open(bool map);
    void close();
    void begin_member(const Record& rec);
    void record(const Record& rec);
    void scalar(const Record& rec);
    void time(const Record& rec);
    void bucket(const params_bucket& bucket);

    std::string& out_;
    StatsTable table_;
    size_t depth_ = 0;
    std::array<Frame, PARAMS_NEST_MAX + 1> frames_{};
};

void JsonWriter::open(bool map)
{
    frames_[depth_] = {map, false, 0};
    out_ += map ? '{' : '[';
}

void JsonWriter::close()
{
    out_ += frames_[depth_].map ? '}' : ']';
}

void JsonWriter::begin_member(const Record& rec)
{
    Frame& frame = frames_[depth_];

    if (frame.count++ > 0 && !frame.bare)
        out_ += ", ";
    if (!frame.map)
        return;
    if (!rec.name.empty()) {
        append_json_string(out_, rec.name);
    } else {
        out_ += '"';
        if (rec.type == PARAMS_V_BUCKET) {
            append_range(out_, rec.bucket());
        } else {
            out_ += '_';
            append_number(out_, frame.count);
        }
        out_ += '"';
    }
    out_ += ": ";
}

// A moment is a number of seconds; a duration is a number where its unit is the
// parameter's own, else it says its unit.
void JsonWriter::time(const Record& rec)
{
    const params_time time = rec.time();
    const bool alone = rec.name.empty() || time.pt_kind == PARAMS_TIME_WALL;

    if (depth_ == 0 && !rec.name.empty() && table_.has_line(time)) {
        append_seconds(out_, time);
    } else if (alone) {
        append_time_number(out_, time);
    } else {
        out_ += "{\"value\": ";
        append_time_number(out_, time);
        out_.append(", \"unit\": \"").append(span_unit(time.pt_unit)).append("\"}");
    }
}

void JsonWriter::bucket(const params_bucket& bucket)
{
    out_ += "{\"low\": ";
    append_number(out_, bucket.pb_low);
    out_ += ", \"high\": ";
    if (bucket.pb_high == UINT64_MAX)
        out_ += "null";
    else
        append_number(out_, bucket.pb_high);
    out_ += ", \"count\": ";
    append_number(out_, bucket.pb_count);
    out_.append(", \"unit\": \"").append(unit_name(bucket.pb_unit)).append("\"}");
}

void JsonWriter::scalar(const Record& rec)
{
    switch (rec.type) {
        case PARAMS_V_U64:
        case PARAMS_V_BYTES:
            return append_number(out_, rec.u64());
        case PARAMS_V_BOOL:
            out_ += rec.u64() ? "true" : "false";
            return;
        case PARAMS_V_S64:
            return append_number(out_, rec.s64());
        case PARAMS_V_HEX:
            out_ += '"';
            append_hex(out_, rec.u64());
            out_ += '"';
            return;
        case PARAMS_V_STRING:
            return append_json_string(out_, rec.bytes);
        case PARAMS_V_TIME:
            return time(rec);
        case PARAMS_V_COUNTER:
            out_ += '{';
            append_counter_members(out_, rec.counter(), "\"");
            out_ += '}';
            return;
        case PARAMS_V_BUCKET:
            return bucket(rec.bucket());
        default:
            out_ += '"';
            append_octets(out_, rec.bytes);
            out_ += '"';
    }
}

void JsonWriter::record(const Record& rec)
{
    if (rec.type == PARAMS_V_LIST_END) {
        close();
        depth_--;
        return;
    }
    begin_member(rec);
    if (rec.type == PARAMS_V_LIST_BEGIN) {
        depth_++;
        open(is_map(rec.list_kind()));
    } else {
        scalar(rec);
    }
}

bool JsonWriter::run(ValueView value)
{
    const Shape shape = shape_of(value);
    WholeReader reader(value);
    Record rec;

    if (shape == Shape::Empty) {
        out_ += "null";
        return check_value(value) == nullptr;
    }
    frames_[0].bare = shape == Shape::Scalar || shape == Shape::List;
    if (!frames_[0].bare)
        open(shape == Shape::Map);
    while (reader.next(rec))
        record(rec);
    while (depth_ > 0) {
        close();
        depth_--;
    }
    if (!frames_[0].bare)
        close();
    else if (frames_[0].count == 0)
        out_ += "null";  // it broke off before there was anything
    return reader.ok();
}

}  // namespace

void append_json_string(std::string& out, std::string_view text)
{
    out += '"';
    while (!text.empty()) {
        size_t simple = 0;
        while (simple < text.size() && is_simple(text[simple]))
            simple++;
        out.append(text.substr(0, simple));
        text.remove_prefix(simple);
        if (text.empty())
            break;
        const size_t length = utf8_length(text);
        if (length > 1)
            append_character(out, text.substr(0, length));
        else if (length == 1)
            append_escape(out, text[0]);
        else
            out += "\xef\xbf\xbd";
        text.remove_prefix(length ? length : 1);
    }
    out += '"';
}

bool append_json(std::string& out, ValueView value, uint8_t type)
{
    return JsonWriter(out, type).run(value);
}

}  // namespace ll
