// SPDX-License-Identifier: LGPL-2.1-or-later
// What the three ways to print a value share. For use within the library.
#ifndef LL_VALUE_FORMAT_HPP
#define LL_VALUE_FORMAT_HPP

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "value.hpp"
#include "value_text.hpp"

#include <uapi/lustre_lite/params_ioctl.h>

namespace ll {

template <class T>
void append_number(std::string& out, T number, int base = 10)
{
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof(digits), number, base);

    out.append(digits, size_t(end.ptr - digits));
}

inline void append_hex(std::string& out, uint64_t number)
{
    out += "0x";
    append_number(out, number, 16);
}

// Octets as hexadecimal digits.
void append_octets(std::string& out, std::string_view bytes);

// The number of a moment or a duration in its unit: "20", "1.5", "-3".
void append_time_number(std::string& out, const params_time& time);

// Seconds with all nine digits after the point, as in a table of statistics.
void append_seconds(std::string& out, const params_time& time);

// Is a named time at the top of a value a line of a table of statistics? A moment
// is, and so is any duration in a value of that type or after a moment.
class StatsTable {
public:
    explicit StatsTable(uint8_t type) : is_table_(type == PARAMS_T_STATS) {}

    bool has_line(const params_time& time)
    {
        is_table_ = is_table_ || time.pt_kind == PARAMS_TIME_WALL;
        return is_table_;
    }

private:
    bool is_table_;
};

// A duration's unit after its number ("3 sec"), which for seconds differs from
// the one in a counter's brackets ("[secs]").
const char* span_unit(uint32_t unit);

// "4-7", "0", or "8+" for a bar without an end.
void append_range(std::string& out, const params_bucket& bucket);

// "samples" to "sumsq" as members of a map: with or without quotes on the keys; aligned: in columns, as
// real Lustre's job_stats has them.
void append_counter_members(std::string& out, const params_counter& counter, std::string_view quote,
                            bool aligned = false);

// What a value is as a whole.
enum class Shape { Empty, Scalar, List, Map, Sequence };
Shape shape_of(ValueView value);

inline bool is_map(uint64_t kind)
{
    return kind != PARAMS_LIST_SEQ && kind != PARAMS_LIST_FLOW_SEQ;
}

inline bool is_flow(uint64_t kind)
{
    return kind == PARAMS_LIST_FLOW_MAP || kind == PARAMS_LIST_FLOW_SEQ;
}

// Can the text stand in YAML without quotes and read back as the same string?
bool is_plain_yaml(std::string_view text);

// Does it contain characters that would end or change a scalar in a flow list or after a key?
bool breaks_line(std::string_view text);

}  // namespace ll

#endif
