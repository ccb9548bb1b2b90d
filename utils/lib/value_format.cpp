// SPDX-License-Identifier: LGPL-2.1-or-later
#include "value_format.hpp"

#include <algorithm>
#include <array>

namespace ll {
namespace {

constexpr uint64_t kNsPerSec = 1000000000;

uint64_t unit_ns(uint32_t unit)
{
    switch (unit) {
        case PARAMS_UNIT_MSEC:
            return 1000000;
        case PARAMS_UNIT_USEC:
            return 1000;
        case PARAMS_UNIT_NSEC:
            return 1;
        default:
            return kNsPerSec;
    }
}

// `digits` digits of `number`, zeros in front.
void append_fixed(std::string& out, uint64_t number, size_t digits)
{
    char text[20];

    for (size_t i = digits; i-- > 0; number /= 10)
        text[i] = char('0' + number % 10);
    out.append(text, digits);
}

uint64_t magnitude(std::string& out, int64_t ns)
{
    if (ns >= 0)
        return uint64_t(ns);
    out += '-';
    return uint64_t(0) - uint64_t(ns);
}

// Seconds and as many digits after the point as the unit has.
void append_wall(std::string& out, const params_time& time)
{
    const uint64_t ns = magnitude(out, time.pt_ns);
    size_t digits = 0;

    append_number(out, ns / kNsPerSec);
    for (uint64_t unit = unit_ns(time.pt_unit); unit < kNsPerSec; unit *= 10)
        digits++;
    if (!digits || time.pt_unit == PARAMS_UNIT_NONE)
        return;
    out += '.';
    append_fixed(out, ns % kNsPerSec / unit_ns(time.pt_unit), digits);
}

bool is_word_of_yaml(std::string_view text)
{
    static constexpr std::array<std::string_view, 11> words = {
        "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n", ".inf",
    };
    std::string lower(text.substr(0, 8));

    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    return std::find(words.begin(), words.end(), lower) != words.end() || lower == ".nan" ||
           lower == "-.inf" || lower == "+.inf";
}

// All of it bytes of which a number, a date or a time is made.
bool is_like_number(std::string_view text)
{
    return text.find_first_not_of("0123456789abcdefABCDEFxXoO_+-.:TZ ") == std::string_view::npos &&
           text.find_first_of("0123456789") != std::string_view::npos;
}

// Effect of a byte of a text on its line.
enum LineByte : uint8_t {
    Harmless,
    MayBreak,  // it depends on the byte before it
    Breaks,
};

constexpr std::array<LineByte, 256> kLineBytes = [] {
    std::array<LineByte, 256> bytes{};

    bytes.fill(Breaks);
    for (char c = ' '; c <= '~'; c++)
        bytes[uint8_t(c)] = Harmless;
    for (const char c : std::string_view(",[]{}\"'"))
        bytes[uint8_t(c)] = Breaks;
    bytes[' '] = MayBreak;
    bytes['#'] = MayBreak;
    return bytes;
}();

}  // namespace

void append_octets(std::string& out, std::string_view bytes)
{
    static constexpr char digits[] = "0123456789abcdef";

    for (const char c : bytes) {
        out += digits[uint8_t(c) >> 4];
        out += digits[uint8_t(c) & 15];
    }
}

void append_u128(std::string& out, uint64_t hi, uint64_t lo)
{
    __extension__ using Wide = unsigned __int128;
    constexpr uint64_t chunk = 10000000000000000000U;  // 10^19
    const Wide number = Wide(hi) << 64 | lo;

    if (hi == 0) {
        append_number(out, lo);
        return;
    }
    append_u128(out, uint64_t(number / chunk >> 64), uint64_t(number / chunk));
    append_fixed(out, uint64_t(number % chunk), 19);
}

void append_time_number(std::string& out, const params_time& time)
{
    if (time.pt_kind == PARAMS_TIME_WALL) {
        append_wall(out, time);
        return;
    }
    const uint64_t unit = unit_ns(time.pt_unit);
    const uint64_t ns = magnitude(out, time.pt_ns);
    append_number(out, ns / unit);
    if (ns % unit == 0)
        return;
    size_t digits = 0;
    for (uint64_t u = 1; u < unit; u *= 10)
        digits++;
    out += '.';
    append_fixed(out, ns % unit, digits);
    while (out.back() == '0')
        out.pop_back();
}

void append_seconds(std::string& out, const params_time& time)
{
    const uint64_t ns = magnitude(out, time.pt_ns);

    append_number(out, ns / kNsPerSec);
    out += '.';
    append_fixed(out, ns % kNsPerSec, 9);
}

void append_range(std::string& out, const params_bucket& bucket)
{
    append_number(out, bucket.pb_low);
    if (bucket.pb_high == UINT64_MAX) {
        out += '+';
    } else if (bucket.pb_high != bucket.pb_low) {
        out += '-';
        append_number(out, bucket.pb_high);
    }
}

namespace {

// A member of a counter's map: the value in a column of some width.
void append_member(std::string& out, std::string_view key, std::string_view quote,
                   std::string_view value, size_t width)
{
    out.append(key == "samples" ? "" : ", ").append(quote).append(key).append(quote).append(": ");
    out.append(value.size() < width ? width - value.size() : 0, ' ').append(value);
}

std::string u128_text(uint64_t hi, uint64_t lo)
{
    std::string text;

    append_u128(text, hi, lo);
    return text;
}

}  // namespace

void append_counter_members(std::string& out, const params_counter& counter, std::string_view quote,
                            bool aligned)
{
    const auto member = [&](std::string_view key, std::string_view value, size_t width) {
        append_member(out, key, quote, value, aligned ? width : 0);
    };

    member("samples", u128_text(0, counter.pc_count), 11);
    member("unit", std::string(quote) + unit_name(counter.pc_unit) + std::string(quote), 5);
    if (!(counter.pc_flags & PARAMS_CF_MINMAX))
        return;
    member("min", u128_text(0, counter.pc_min), 8);
    member("max", u128_text(0, counter.pc_max), 8);
    member("sum", u128_text(counter.pc_sum_hi, counter.pc_sum_lo), 16);
    if (!(counter.pc_flags & PARAMS_CF_STDDEV))
        return;
    member("sumsq", u128_text(counter.pc_sumsq_hi, counter.pc_sumsq_lo), 18);
}

Shape shape_of(ValueView value)
{
    RecordReader reader(value);
    Record rec;

    if (!reader.next(rec))
        return Shape::Empty;
    if (!rec.name.empty())
        return Shape::Map;
    const bool list = rec.type == PARAMS_V_LIST_BEGIN;
    bool cut = rec.continues();
    while (reader.next(rec)) {
        if (rec.depth == 0 && !cut && rec.type != PARAMS_V_LIST_END)
            return Shape::Sequence;
        cut = rec.continues();
    }
    return list ? Shape::List : Shape::Scalar;
}

bool breaks_line(std::string_view text)
{
    for (size_t i = 0; i < text.size(); i++) {
        const LineByte byte = kLineBytes[uint8_t(text[i])];

        if (byte == Breaks)
            return true;
        if (byte == MayBreak && i > 0 && text[i - 1] == (text[i] == ' ' ? ':' : ' '))
            return true;
    }
    return text.empty() || text.front() == ' ' || text.back() == ' ' || text.back() == ':';
}

bool is_plain_yaml(std::string_view text)
{
    return !breaks_line(text) && !is_word_of_yaml(text) && !is_like_number(text) &&
           std::string_view("-?:,[]{}#&*!|>'\"%@`=<").find(text.front()) == std::string_view::npos;
}

const char* span_unit(uint32_t unit)
{
    return unit == PARAMS_UNIT_SEC || unit == PARAMS_UNIT_NONE ? "sec" : unit_name(unit);
}

const char* unit_name(uint32_t unit)
{
    static constexpr std::array<const char*, PARAMS_UNIT_MAX> names = {
        "none",  "bytes", "KiB",   "MiB",     "GiB",  "pages", "secs",
        "msecs", "usecs", "nsecs", "percent", "reqs", "locks", "regs",
    };

    return unit < names.size() ? names[unit] : "?";
}

const char* type_name(uint8_t type)
{
    static constexpr std::array<const char*, PARAMS_T_MAX> names = {
        "?",      "dir",  "link",  "u32",  "u64",   "s32",     "s64",  "bool",
        "string", "enum", "bytes", "time", "stats", "records", "mask", "trigger",
    };

    return type < names.size() ? names[type] : "?";
}

}  // namespace ll
