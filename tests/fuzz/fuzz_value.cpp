// SPDX-License-Identifier: GPL-2.0-only
// Bytes that should be records: through the readers, the three text forms and
// the C interface. Nothing may be read outside of them, and JSON is whole even
// where the value is not.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <lustre_lite/liblustrelite.h>

#include "lib/value.hpp"
#include "lib/value_text.hpp"

using namespace ll;

namespace {

void require(bool holds)
{
    if (!holds)
        std::abort();
}

// One bracket outside of a string.
void bracket(std::string& open, char c)
{
    if (c == '[' || c == '{') {
        open += c;
    } else if (c == ']' || c == '}') {
        require(!open.empty() && open.back() == (c == ']' ? '[' : '{'));
        open.pop_back();
    }
}

// Brackets match outside of strings, and every string ends.
void require_whole_json(const std::string& json)
{
    std::string open;
    bool in_string = false;

    for (size_t i = 0; i < json.size(); i++) {
        require(uint8_t(json[i]) >= 0x20);
        if (json[i] == '"')
            in_string = !in_string;
        else if (in_string)
            i += json[i] == '\\';
        else
            bracket(open, json[i]);
    }
    require(open.empty() && !in_string && !json.empty());
}

void walk_parts(ValueView value)
{
    RecordReader reader(value, true);
    Record rec;
    size_t bytes = 0;

    while (reader.next(rec))
        bytes += 8 + rec.name.size() + rec.bytes.size();
    require(bytes <= value.bytes().size());
}

// Packing what was unpacked gives the same records.
void there_and_back(ValueView value)
{
    params_value_entry* values = nullptr;
    const auto bytes = value.bytes();

    if (params_unpack(bytes.data(), bytes.size(), &values))
        return;
    char* text = params_value_text(values, 0);
    std::string direct;
    require(append_text(direct, value, 0) && text);
    require(direct.c_str() == std::string(text));
    std::free(text);
    params_value_free(values);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (size < 1)
        return 0;
    const uint8_t type = data[0] & 15;
    const ValueView value({reinterpret_cast<const char*>(data) + 1, size - 1});
    const bool good = check_value(value) == nullptr;
    std::string text, json, yaml, string;

    require(append_text(text, value, type) == good);
    require(append_json(json, value, type) == good);
    require(append_yaml(yaml, value, type, 2) == good);
    require_whole_json(json);
    require(!yaml.empty() && yaml.back() == '\n');
    value_as_string(value, string);
    walk_parts(value);
    there_and_back(value);
    return 0;
}
