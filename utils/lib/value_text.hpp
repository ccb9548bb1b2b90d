// SPDX-License-Identifier: LGPL-2.1-or-later
// Values as text: real Lustre's, JSON and YAML.
#ifndef LL_VALUE_TEXT_HPP
#define LL_VALUE_TEXT_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include "value.hpp"

namespace ll {

// All of these append to `out` and return false when the value is malformed
// (what was well formed before that place is in `out`).

// Real Lustre's text, without a newline at the end. A text with a newline in it
// goes on lines of its own ("name=\n<text>\n"), any other after "name=".
// `type` is enum params_type: a TIME in a table of statistics prints otherwise.
bool append_text(std::string& out, ValueView value, uint8_t type);

// One JSON value: a single unnamed record is a scalar, named records are an
// object, several unnamed ones an array.
bool append_json(std::string& out, ValueView value, uint8_t type);

// The text after "key:" in a YAML map whose keys are `indent` blanks in:
// " scalar\n", or "\n" and an indented block. Ends with a newline.
bool append_yaml(std::string& out, ValueView value, uint8_t type, unsigned int indent);

// A JSON string with its quotes; bytes that are no UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);

// A YAML scalar: plain where that reads back as the same string, else quoted.
void append_yaml_string(std::string& out, std::string_view text);

// Words for what a number of the boundary means; "?" for one unknown.
const char* type_name(uint8_t type);   // enum params_type: "u32", "dir", ...
const char* unit_name(uint32_t unit);  // enum params_unit: "bytes", "usecs", ...

// 128-bit number in decimal.
void append_u128(std::string& out, uint64_t hi, uint64_t lo);

}  // namespace ll

#endif
