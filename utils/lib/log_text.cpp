// SPDX-License-Identifier: LGPL-2.1-or-later
// The text of llog_print, and JSON.
#include "log_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "log_command.hpp"

namespace ll {

namespace {

struct FlagName {
    uint32_t flag;
    const char* name;
};

constexpr FlagName kLogFlags[] = {
    {LLOG_F_IS_CAT, "cat"},
    {LLOG_F_IS_PLAIN, "plain"},
    {LLOG_F_ZAP_WHEN_EMPTY, "zap_when_empty"},
    {LLOG_F_EXT_JOBID, "ext_jobid"},
    {LLOG_F_IS_FIXSIZE, "fixsize"},
};

// May it stand in a flow map as it is, and be read back as the same text?
bool is_plain_scalar(std::string_view text)
{
    static constexpr std::string_view never = ",[]{}";
    static constexpr std::string_view never_first = " #&*!|>'\"%@`?:";

    const auto bad = [](char c) {
        const auto byte = static_cast<unsigned char>(c);

        return byte < ' ' || byte >= 0x7f || never.find(c) != std::string_view::npos;
    };
    if (text.empty())
        return true;
    if (std::ranges::any_of(text, bad) || text.find(": ") != std::string_view::npos ||
        text.find(" #") != std::string_view::npos)
        return false;
    return never_first.find(text.front()) == std::string_view::npos && !text.starts_with("- ") &&
           text.back() != ' ' && text.back() != ':';
}

void append_flow_scalar(std::string& out, std::string_view text)
{
    if (is_plain_scalar(text))
        out += text;
    else
        append_json_string(out, text);
}

void append_print_fields(std::string& out, const ConfigRecord& config)
{
    if (config.record->type != OBD_CFG_REC) {
        out += fmt::format(", event: record, type: {:#x}", config.record->type);
        return;
    }
    if (config.why != nullptr) {
        out += ", event: damaged, why: ";
        append_flow_scalar(out, config.why);
        return;
    }
    out.append(", event: ").append(event_name(config.view.command));
    for (const EventField& field : event_fields(config.view)) {
        out.append(", ").append(field.key).append(": ");
        append_flow_scalar(out, field.value);
    }
}

void add_json_fields(JsonObject& object, const lcfg_view& view)
{
    for (const EventField& field : event_fields(view)) {
        const char* key = field.json != nullptr ? field.json : field.key;

        if (!field.number) {
            object.text(key, field.value);
            continue;
        }
        object.key(key);
        object.raw(field.value);
    }
}

void add_json_lov_desc(JsonObject& object, std::string& out, const lcfg_lov_desc& desc)
{
    object.key("lov_desc");

    JsonObject inner(out);
    inner.text("uuid", desc.uuid);
    inner.number("stripe_count", desc.stripe_count);
    inner.number("stripe_size", desc.stripe_size);
    inner.number("stripe_offset", desc.stripe_offset);
    inner.number("pattern", desc.pattern);
    inner.number("qos_maxage", desc.qos_maxage);
    inner.close();
}

// All buffers as text; what is binary is null.
void add_json_buffers(JsonObject& object, std::string& out, const lcfg_view& view, bool binary)
{
    object.key("buffers");
    out += '[';
    for (uint32_t n = 0; n < view.bufcount; n++) {
        if (n > 0)
            out += ", ";
        if (n == 1 && binary)
            out += "null";
        else
            append_json_string(out, buffer_text(view, n));
    }
    out += ']';
}

void add_json_command(JsonObject& object, std::string& out, const ConfigRecord& config)
{
    lcfg_lov_desc desc{};
    const bool setup =
        config.view.command == LCFG_SETUP && lcfg_lov_desc_decode(&config.view, &desc) == 0;

    object.text("event", event_name(config.view.command));
    if (config.is_marker)
        object.number("step", config.marker.step);
    add_json_fields(object, config.view);
    if (setup)
        add_json_lov_desc(object, out, desc);
    if (config.view.num != 0)
        object.number("num", config.view.num);
    add_json_buffers(object, out, config.view, setup || config.is_marker);
}

}  // namespace

void append_print_record(std::string& out, const ConfigRecord& config)
{
    out += fmt::format("- {{ index: {}", config.record->index);
    append_print_fields(out, config);
    if (!config.record->live)
        out += ", cancelled: true";
    out += " }\n";
}

void add_json_head(JsonObject& object, std::string& out, const llog_head& head)
{
    object.key("header");

    JsonObject inner(out);
    inner.number("chunk_size", head.chunk_size);
    inner.number("size", head.size);
    inner.number("timestamp", head.timestamp);
    inner.number("records_count", head.count);
    inner.number("last_index", head.last_index);
    inner.number("cat_idx", head.cat_idx);
    inner.number("flags", head.flags);
    inner.text("uuid", head.tgtuuid);
    inner.boolean("swapped", head.swapped);
    inner.close();
}

void add_json_record(JsonObject& object, std::string& out, const ConfigRecord& config)
{
    const llog_record& record = *config.record;

    object.number("index", record.index);
    object.number("offset", record.offset);
    object.number("length", record.len);
    object.number("record_type", record.type);
    if (!record.live && record.type != LLOG_PAD_MAGIC)
        object.boolean("cancelled", true);
    if (config.skipped)
        object.boolean("skipped", true);
    if (config.excluded)
        object.boolean("excluded", true);
    if (record.type != OBD_CFG_REC) {
        object.text("event", record.type == LLOG_PAD_MAGIC ? "padding" : "record");
    } else if (config.why != nullptr) {
        object.text("event", "damaged");
        object.text("why", config.why);
    } else {
        add_json_command(object, out, config);
    }
}

void add_json_fault(JsonObject& object, std::string& out, const llog_fault& fault)
{
    object.key("fault");

    JsonObject inner(out);
    inner.number("offset", fault.offset);
    inner.number("index", fault.index);
    inner.text("what", fault.what != nullptr ? fault.what : "damaged");
    inner.number("seen", fault.seen);
    inner.number("want", fault.want);
    inner.number("lost", fault.lost);
    inner.close();
}

std::string log_flags_text(uint32_t flags)
{
    std::string names;

    for (const FlagName& flag : kLogFlags)
        if ((flags & flag.flag) != 0)
            names.append(names.empty() ? "" : ",").append(flag.name);
    return names.empty() ? std::to_string(flags) : fmt::format("{} ({})", flags, names);
}

std::string log_id_text(LogId id)
{
    return fmt::format("[{:#x}:{:#x}:0x0]", id.object, id.sequence);
}

}  // namespace ll
