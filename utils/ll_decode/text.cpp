// SPDX-License-Identifier: GPL-2.0-only
#include "ll_decode/text.hpp"

#include <fmt/format.h>

#include "lib/value_text.hpp"

namespace ll_decode {

namespace {

using lctl::Json;

bool is_list_of_objects(const Json& value)
{
    return value.is_array() && !value.empty() && value.front().is_object();
}

std::string list_text(const Json& list)
{
    std::string text;

    for (const Json& element : list)
        text.append(text.empty() ? "" : ",").append(element.get<std::string>());
    return text.empty() ? "0" : text;
}

/* Names are quoted as in JSON: they can have any byte in them. */
void append_members(std::string& out, const Json& value)
{
    for (const auto& member : value.items()) {
        if (is_list_of_objects(member.value()))
            continue;
        out.append(" ").append(member.key()).append("=");
        if (member.key() == "name")
            ll::append_json_string(out, member.value().get_ref<const std::string&>());
        else
            out.append(member_text(value, member.key()));
    }
}

}  // namespace

std::string member_text(const Json& value, std::string_view key)
{
    const Json& member = value.at(std::string(key));

    if (key == "fid" || key == "parent")
        return "[" + member.get<std::string>() + "]";
    if (member.is_array())
        return list_text(member);
    return member.is_string() ? member.get<std::string>() : member.dump();
}

void append_values(std::string& out, const char* name, const Json& value)
{
    out.append(name).append(":");
    append_members(out, value);
    out.append("\n");
    for (const auto& member : value.items()) {
        if (!is_list_of_objects(member.value()))
            continue;
        for (std::size_t n = 0; n < member.value().size(); n++) {
            out.append(fmt::format("    {}:", n));
            append_members(out, member.value()[n]);
            out.append("\n");
        }
    }
}

void append_linkea(std::string& out, const std::string& path, const Json& value)
{
    const Json& names = value.at("names");

    out.append(fmt::format("{}: count {}\n", path, value.at("count").get<unsigned int>()));
    for (std::size_t n = 0; n < names.size(); n++)
        out.append(fmt::format("    {}: pfid {}, name '{}'\n", n, member_text(names[n], "parent"),
                               names[n].at("name").get_ref<const std::string&>()));
}

void append_filter_fid(std::string& out, const std::string& path, const Json& value)
{
    static constexpr struct {
        const char* key;
        const char* printed;
    } kMembers[] = {
        {"fid", "fid"},
        {"object", "objid"},
        {"object_seq", "seq"},
        {"parent", "parent"},
        {"stripe", "stripe"},
        {"stripe_size", "stripe_size"},
        {"stripe_count", "stripe_count"},
        {"comp_id", "component_id"},
        {"comp_start", "component_start"},
        {"comp_end", "component_end"},
        {"layout_version", "layout_version"},
        {"range", "range"},
    };

    out.append(path).append(":");
    for (const auto& member : kMembers)
        if (value.contains(member.key))
            out.append(fmt::format(" {}={}", member.printed, member_text(value, member.key)));
    out.append("\n");
}

}  // namespace ll_decode
