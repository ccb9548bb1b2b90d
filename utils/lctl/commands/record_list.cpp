// SPDX-License-Identifier: GPL-2.0
#include "lctl/commands/record_list.hpp"

#include "lib/json_object.hpp"
#include "lib/value_text.hpp"

namespace lctl {

namespace {

void append_json_list(std::string& out, const std::vector<std::string>& texts)
{
    const char* before = "[";

    for (const std::string& text : texts) {
        out += before;
        ll::append_json_string(out, text);
        before = ", ";
    }
    out += texts.empty() ? "[]" : "]";
}

void append_json_value(std::string& out, const Record::Member& member)
{
    if (member.kind == Record::Kind::Text)
        ll::append_json_string(out, member.words[0]);
    else if (member.kind == Record::Kind::List)
        append_json_list(out, member.words);
    else
        out += member.words[0];
}

void append_json(std::string& out, const Record& record)
{
    ll::JsonObject object(out);

    for (const Record::Member& member : record.members()) {
        object.key(member.name);
        append_json_value(out, member);
    }
    object.close();
}

void append_yaml_list(std::string& out, const std::vector<std::string>& texts,
                      std::string_view indent)
{
    if (texts.empty())
        out += " []";
    for (const std::string& text : texts) {
        out.append("\n").append(indent).append("- ");
        ll::append_yaml_string(out, text);
    }
}

/* What stands behind "key:", with the newline. */
void append_yaml_value(std::string& out, const Record::Member& member, std::string_view indent)
{
    if (member.kind == Record::Kind::List) {
        append_yaml_list(out, member.words, indent);
    } else {
        out += ' ';
        if (member.kind == Record::Kind::Text)
            ll::append_yaml_string(out, member.words[0]);
        else
            out += member.words[0];
    }
    out += '\n';
}

/* @first: in front of the first member, @indent of the others. */
void append_yaml(std::string& out, const Record& record, std::string_view first,
                 std::string_view indent)
{
    for (const Record::Member& member : record.members()) {
        out.append(first).append(member.name).append(":");
        append_yaml_value(out, member, indent);
        first = indent;
    }
}

}  // namespace

Record& Record::add(const char* name, Kind kind, std::string_view word)
{
    Member& member = members_.emplace_back();

    member.name = name;
    member.kind = kind;
    member.words.emplace_back(word);
    return *this;
}

Record& Record::text(const char* name, std::string_view value)
{
    return add(name, Kind::Text, value);
}

Record& Record::number(const char* name, std::uint64_t value)
{
    return add(name, Kind::Plain, std::to_string(value));
}

Record& Record::boolean(const char* name, bool value)
{
    return add(name, Kind::Plain, value ? "true" : "false");
}

Record& Record::texts(const char* name, const std::vector<std::string>& values)
{
    Member& member = members_.emplace_back();

    member.name = name;
    member.kind = Kind::List;
    member.words = values;
    return *this;
}

std::string parse_list_format(const Arguments& arguments, ListFormat& format)
{
    if (arguments.has("json") && arguments.has("yaml"))
        return "--json and --yaml exclude each other";
    if (arguments.has("json"))
        format = ListFormat::Json;
    else if (arguments.has("yaml"))
        format = ListFormat::Yaml;
    return {};
}

void print_json(Writer& out, std::span<const Record> records)
{
    const char* before = "[\n";

    for (const Record& record : records) {
        out.put(before);
        append_json(out.text(), record);
        before = ",\n";
    }
    out.put(records.empty() ? "[]\n" : "\n]\n");
}

void print_json(Writer& out, const Record& record)
{
    append_json(out.text(), record);
    out.put("\n");
}

void print_yaml(Writer& out, std::string_view key, std::span<const Record> records)
{
    out.put(std::string(key) + (records.empty() ? ": []\n" : ":\n"));
    for (const Record& record : records)
        append_yaml(out.text(), record, "- ", "  ");
}

void print_yaml(Writer& out, const Record& record)
{
    append_yaml(out.text(), record, "", "");
}

}  // namespace lctl
