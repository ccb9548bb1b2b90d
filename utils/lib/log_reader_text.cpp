// SPDX-License-Identifier: GPL-2.0
// The text of llog_reader.
#include <ctime>

#include <fmt/format.h>

#include "log_command.hpp"
#include "log_text.hpp"

namespace ll {

namespace {

// "Thu Mar 30 19:20:49 2017" in the zone of whoever asks.
std::string date_text(uint64_t seconds)
{
    const auto moment = time_t(seconds);
    std::tm parts{};
    char text[64];

    if (localtime_r(&moment, &parts) == nullptr)
        return fmt::format("{} seconds", seconds);
    return {text, strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", &parts)};
}

// What a damaged log has in its names must not move the cursor of a terminal.
void append_clean(std::string& out, std::string_view text)
{
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);

        if (byte < ' ' || byte == 0x7f)
            out += fmt::format("\\x{:02x}", byte);
        else
            out += c;
    }
}

std::string clean(std::string_view text)
{
    std::string out;

    append_clean(out, text);
    return out;
}

const char* marker_word(const ConfigRecord& config)
{
    if ((config.marker.flags & CM_END) != 0)
        return "END   ";
    return config.skipped || config.excluded ? "START " : "";
}

void append_marker(std::string& out, const ConfigRecord& config)
{
    const lcfg_marker& marker = config.marker;

    out += fmt::format("{}marker {:3} (flags={:#04x}, v{}) {:<15} '{}' {}-{}\n",
                       marker_word(config), marker.step, marker.flags, version_text(marker.vers),
                       clean(marker.tgtname), clean(marker.comment), date_text(marker.createtime),
                       marker.canceltime != 0 ? date_text(marker.canceltime) : "");
}

// Zero stands without "0x".
std::string hex(uint32_t number)
{
    return number != 0 ? fmt::format("{:#x}", number) : "0";
}

void append_lov_desc(std::string& out, const lcfg_lov_desc& desc)
{
    out += fmt::format(
        "1:(struct lov_desc)\n"
        "\t\tuuid={}  stripe:cnt={} size={} offset={} pattern={}\n",
        clean(desc.uuid), desc.stripe_count, desc.stripe_size, desc.stripe_offset,
        hex(desc.pattern));
}

void append_lov_setup(std::string& out, const lcfg_view& view, const lcfg_lov_desc& desc)
{
    out += "lov_setup 0:";
    append_clean(out, buffer_text(view, 0));
    out += "  ";
    append_lov_desc(out, desc);
}

void append_numbers(std::string& out, const lcfg_view& view)
{
    if (view.num != 0)
        out += fmt::format("num={}  ", view.num);
    if (view.flags != 0)
        out += fmt::format("flags={:#x}  ", view.flags);
    if (view.nid != 0)
        out += fmt::format("nid={}({:#x})  ", nid_text(view.nid), view.nid);
}

void append_buffers(std::string& out, const lcfg_view& view)
{
    append_numbers(out, view);
    for (uint32_t n = 0; n < view.bufcount; n++) {
        out += fmt::format("{}:", n);
        append_clean(out, buffer_text(view, n));
        out += "  ";
    }
    out += '\n';
}

void append_command(std::string& out, const lcfg_view& view)
{
    const CommandRule* rule = find_command_rule(view.command);
    lcfg_lov_desc desc{};

    if (view.command == LCFG_SETUP && lcfg_lov_desc_decode(&view, &desc) == 0)
        return append_lov_setup(out, view, desc);
    if (rule == nullptr) {
        out += fmt::format("unknown command {:#x} ", view.command);
        return append_buffers(out, view);
    }
    out += rule->label;
    if (rule->form == ReaderForm::Number)
        out += fmt::format("={} \n", view.num);
    else
        append_buffers(out, view);
}

const char* section_word(const ConfigRecord& config)
{
    if (config.skipped)
        return "SKIP ";
    return config.excluded ? "EXCLUDE " : "";
}

// What is in a log besides commands.
std::string record_type_text(uint32_t type)
{
    switch (type) {
        case LLOG_PAD_MAGIC:
            return "padding";
        case LLOG_GEN_REC:
            return "generation";
        case LLOG_LOGID_MAGIC:
            return "id of a log";
        default:
            return fmt::format("record of unknown type {:x}", type);
    }
}

}  // namespace

void append_reader_place(std::string& out, const llog_record& record)
{
    out += fmt::format("rec #{} type={:x} len={} offset {}{}\n", record.index, record.type,
                       record.len, record.offset,
                       record.live || record.type == LLOG_PAD_MAGIC ? "" : " cancelled");
}

void append_reader_head(std::string& out, const llog_head& head)
{
    out += fmt::format("Header size : {}\t llh_size : {}\n", head.chunk_size, head.size);
    out += fmt::format("Time : {}\n", date_text(head.timestamp));
    out += fmt::format("Number of records: {}\tcat_idx: {}\tlast_idx: {}\n",
                       head.count != 0 ? head.count - 1 : 0, head.cat_idx, head.last_index);
    out += fmt::format("Flags: {}\n", hex(head.flags));
    out += fmt::format("Target uuid : {}\n", clean(head.tgtuuid));
    out += "-----------------------\n";
}

void append_reader_record(std::string& out, const ConfigRecord& config)
{
    const llog_record& record = *config.record;

    out += fmt::format("#{:02} ({:03}){}", record.index, record.len, section_word(config));
    if (!record.live && record.type != LLOG_PAD_MAGIC)
        out += "CANCELLED ";
    if (record.type != OBD_CFG_REC)
        out.append(record_type_text(record.type)).append("\n");
    else if (config.why != nullptr)
        out.append("bad command: ").append(config.why).append("\n");
    else if (config.is_marker)
        append_marker(out, config);
    else
        append_command(out, config.view);
}

}  // namespace ll
