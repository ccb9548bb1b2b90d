// SPDX-License-Identifier: LGPL-2.1-or-later
// A JSON object that is written member by member.
#ifndef LL_JSON_OBJECT_HPP
#define LL_JSON_OBJECT_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include "value_text.hpp"

namespace ll {

// Open from construction to close(); what is inside of it, further objects too,
// goes to the same text.
class JsonObject {
public:
    explicit JsonObject(std::string& out) : out_(out) { out_ += '{'; }
    JsonObject(const JsonObject&) = delete;
    JsonObject& operator=(const JsonObject&) = delete;
    ~JsonObject() = default;

    // Begin a member whose value the caller appends.
    void key(std::string_view name)
    {
        out_.append(first_ ? "\"" : ", \"").append(name).append("\": ");
        first_ = false;
    }
    void text(std::string_view name, std::string_view value)
    {
        key(name);
        append_json_string(out_, value);
    }
    void number(std::string_view name, uint64_t value)
    {
        key(name);
        out_ += std::to_string(value);
    }
    void boolean(std::string_view name, bool value)
    {
        key(name);
        out_ += value ? "true" : "false";
    }
    // The value of the key that was begun, as it is.
    void raw(std::string_view value) { out_ += value; }
    void close() { out_ += '}'; }

private:
    std::string& out_;
    bool first_ = true;
};

}  // namespace ll

#endif
