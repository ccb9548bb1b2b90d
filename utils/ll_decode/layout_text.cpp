// SPDX-License-Identifier: GPL-2.0-only
/*
 * Layouts in the text of real Lustre's lfs getstripe.
 */
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "ll_decode/text.hpp"

#include <lustre_lite/lustre_fid.h>

namespace ll_decode {

namespace {

using lctl::Json;

struct Field {
    const char* label;
    const char* key;
};

constexpr Field kFields[] = {
    {"stripe_count:  ", "stripe_count"},  {"stripe_size:   ", "stripe_size"},
    {"pattern:       ", "pattern"},       {"layout_gen:    ", "layout_gen"},
    {"stripe_offset: ", "stripe_offset"}, {"pool:          ", "pool"},
    {"osts:          ", "osts"},
};

/* The default of a directory, on one line. */
void append_default(std::string& out, const Json& value)
{
    const char* before = "";

    for (const Field& field : kFields) {
        if (!value.contains(field.key) || std::string_view(field.key) == "layout_gen")
            continue;
        out.append(before).append(field.label).append(member_text(value, field.key));
        before = " ";
    }
    out.append("\n");
}

/* The object's number and its sequence: of an IDIF those before there were FIDs. */
void append_object(std::string& out, const Json& object)
{
    const std::string text = object.at("fid").get<std::string>();
    lu_fid fid = {};
    std::uint64_t number = 0;
    std::string group = "0";

    fid_parse(text.data(), text.size(), &fid);
    number = fid.f_oid;
    if (fid_is_idif(&fid))
        number = fid_idif_object(&fid);
    else
        group = fmt::format("{:#x}", fid.f_seq);
    out.append(fmt::format("\t{:6}\t{:14}\t{:#13x}\t{:>14}\n", object.at("ost").get<unsigned int>(),
                           number, number, group));
}

void append_objects(std::string& out, const Json& value)
{
    if (!value.contains("objects"))
        return;
    out.append("\tobdidx\t\t objid\t\t objid\t\t group\n");
    for (const Json& object : value.at("objects"))
        append_object(out, object);
}

void append_foreign(std::string& out, const Json& value, std::string_view indent)
{
    for (const char* key : {"magic", "length", "type", "flags"})
        out.append(fmt::format("{}lfm_{:<13}{}\n", indent, std::string(key) + ":",
                               member_text(value, key)));
}

std::string extent_end(const Json& component)
{
    const auto end = component.at("end").get<std::uint64_t>();

    return end == std::numeric_limits<std::uint64_t>::max() ? "EOF" : std::to_string(end);
}

/* The magic number is printed with capital letters. */
std::string magic_text(const Json& value)
{
    return fmt::format("0x{:08X}", std::stoul(value.at("magic").get<std::string>(), nullptr, 16));
}

/* Those of mirrors: none, read only, a write is pending, a resync is. */
std::string mirror_state(const Json& value)
{
    constexpr const char* kStates[] = {"0", "ro", "wp", "sp"};

    return kStates[value.at("flags").get<unsigned int>() % std::size(kStates)];
}

/* Components of a default may have no number. */
std::string id_text(const Json& component)
{
    return component.at("id").get<std::uint32_t>() == 0 ? "N/A" : member_text(component, "id");
}

/* @first: what precedes the first line; it is as long as the indent of the others. */
void append_extent(std::string& out, const Json& component, const char* first)
{
    out.append(fmt::format("{}lcme_id:             {}\n", first, id_text(component)));
    out.append(fmt::format("    lcme_mirror_id:      {}\n", member_text(component, "mirror_id")));
    out.append(fmt::format("    lcme_flags:          {}\n", member_text(component, "flags")));
    out.append(fmt::format("    lcme_extent.e_start: {}\n", member_text(component, "start")));
    out.append(fmt::format("    lcme_extent.e_end:   {}\n", extent_end(component)));
}

void append_part(std::string& out, const Json& layout)
{
    if (layout.contains("stripe_count"))
        append_fields(out, layout, "      ");
    else
        append_foreign(out, layout, "      ");
    if (layout.contains("objects")) {
        const Json& objects = layout.at("objects");

        out.append("      lmm_objects:\n");
        for (std::size_t n = 0; n < objects.size(); n++)
            out.append(fmt::format("      - {:3}: {{ l_ost_idx: {:3}, l_fid: {} }}\n", n,
                                   objects[n].at("ost").get<unsigned int>(),
                                   member_text(objects[n], "fid")));
    }
    out.append("\n");
}

void append_composite(std::string& out, const Json& value)
{
    const Json& components = value.at("components");

    out.append(fmt::format("  lcm_layout_gen:    {}\n", member_text(value, "layout_gen")));
    out.append(fmt::format("  lcm_mirror_count:  {}\n", member_text(value, "mirror_count")));
    out.append(fmt::format("  lcm_entry_count:   {}\n", components.size()));
    for (const Json& component : components) {
        append_extent(out, component, "    ");
        append_part(out, component.at("layout"));
    }
}

}  // namespace

void append_fields(std::string& out, const Json& value, std::string_view indent)
{
    for (const Field& field : kFields)
        if (value.contains(field.key))
            out.append(indent)
                .append("lmm_")
                .append(field.label)
                .append(member_text(value, field.key))
                .append("\n");
}

void append_identity(std::string& out, const Json& value, std::string_view indent)
{
    const std::string text = value.at("fid").get<std::string>();
    lu_fid fid = {};

    fid_parse(text.data(), text.size(), &fid);
    out.append(fmt::format("{}lmm_magic:         {}\n", indent, magic_text(value)));
    out.append(fmt::format("{}lmm_seq:           {:#x}\n", indent, fid.f_seq));
    out.append(fmt::format("{}lmm_object_id:     {:#x}\n", indent, fid.f_oid));
    out.append(fmt::format("{}lmm_fid:           [{}]\n", indent, text));
}

void append_components(std::string& out, const Json& value)
{
    const Json& components = value.at("components");

    out.append("composite_header:\n");
    out.append(fmt::format("  lcm_magic:         {}\n", magic_text(value)));
    out.append(fmt::format("  lcm_size:          {}\n", member_text(value, "size")));
    out.append(fmt::format("  lcm_flags:         {}\n", mirror_state(value)));
    out.append(fmt::format("  lcm_layout_gen:    {}\n", member_text(value, "layout_gen")));
    out.append(fmt::format("  lcm_mirror_count:  {}\n", member_text(value, "mirror_count")));
    out.append(fmt::format("  lcm_entry_count:   {}\ncomponents:\n", components.size()));
    for (const Json& component : components) {
        const Json& layout = component.at("layout");

        append_extent(out, component, "  - ");
        out.append(fmt::format("    lcme_offset:         {}\n", member_text(component, "offset")));
        out.append(fmt::format("    lcme_size:           {}\n", member_text(component, "size")));
        out.append("    sub_layout:\n");
        if (layout.contains("fid"))
            append_identity(out, layout, "      ");
        append_part(out, layout);
    }
}

void append_layout(std::string& out, const Json& value)
{
    if (value.contains("components")) {
        append_composite(out, value);
    } else if (value.contains("default")) {
        append_default(out, value);
    } else if (value.contains("length")) {
        append_foreign(out, value, "");
    } else {
        append_fields(out, value, "");
        append_objects(out, value);
    }
}

}  // namespace ll_decode
