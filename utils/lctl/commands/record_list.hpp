// SPDX-License-Identifier: GPL-2.0
/*
 * Records of a list, printed as JSON and YAML from one description; and the
 * options that choose between those and text.
 */
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lctl/command.hpp"
#include "lctl/writer.hpp"

namespace lctl {

/** Members of an object, in the order in which they are printed. */
class Record {
public:
    enum class Kind : std::uint8_t { Plain, Text, List };

    struct Member {
        const char* name;
        Kind kind;
        std::vector<std::string> words;  // one, unless it is a list
    };

    Record& text(const char* name, std::string_view value);
    Record& number(const char* name, std::uint64_t value);
    Record& boolean(const char* name, bool value);
    Record& texts(const char* name, const std::vector<std::string>& values);

    const std::vector<Member>& members() const { return members_; }

private:
    Record& add(const char* name, Kind kind, std::string_view word);

    std::vector<Member> members_;
};

enum class ListFormat : std::uint8_t { Text, Json, Yaml };

/** Return: words that say what is wrong, or nothing. */
std::string parse_list_format(const Arguments& arguments, ListFormat& format);

/** An array with an object on each line. */
void print_json(Writer& out, std::span<const Record> records);
/** One object on a line. */
void print_json(Writer& out, const Record& record);
/** A map of one @key, whose value is a sequence of maps. */
void print_yaml(Writer& out, std::string_view key, std::span<const Record> records);
/** A map. */
void print_yaml(Writer& out, const Record& record);

namespace options {

inline constexpr Option kYaml = {.letter = 'y', .name = "yaml", .help = "print YAML"};
inline constexpr Option kJson = {.name = "json", .help = "print JSON"};

}  // namespace options

}  // namespace lctl
