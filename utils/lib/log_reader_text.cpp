// SPDX-License-Identifier: LGPL-2.1-or-later
// The text of llog_reader.
#include <ctime>

#include <fmt/format.h>

#include "log_command.hpp"
#include "log_text.hpp"

namespace ll {

namespace {

// "Thu Mar 30 19:20:49 2017" in the local time zone.
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

// What names a log in a catalog: 64 bits of object, 64 of sequence, 32 of generation.
constexpr uint32_t kLogIdSize = 20;

struct LogFid {
    uint64_t sequence;
    uint32_t object;
};

// A log of before 2.4 is named by inode and generation.
LogFid log_fid(const llog_record& record)
{
    const auto* p = static_cast<const uint8_t*>(record.body);
    const uint64_t object = codec_get64(p, record.swapped);
    const uint32_t generation = codec_get32(p + 16, record.swapped);

    if (generation != 0)
        return {object, generation};
    return {codec_get64(p + 8, record.swapped), uint32_t(object)};
}

std::string clean(std::string_view text)
{
    std::string out;

    append_clean(out, text);
    return out;
}

// Flags of a marker: two digits at least, and zero without "0x".
std::string flags_text(uint32_t flags)
{
    return flags != 0 ? fmt::format("{:#04x}", flags) : "0000";
}

void append_marker(std::string& out, const lcfg_marker& marker)
{
    out += fmt::format("marker {:3} (flags={}, v{}) {:<15} '{}' {}-{}\n", int32_t(marker.step),
                       flags_text(marker.flags), version_text(marker.vers), clean(marker.tgtname),
                       clean(marker.comment), date_text(marker.createtime),
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

void append_buffers(std::string& out, const lcfg_view& view)
{
    if (view.nid != 0)
        out += fmt::format("nid={}({:#x})  ", nid_text(view.nid), view.nid);
    if (view.nal != 0)
        out += fmt::format("nal={} ", int32_t(view.nal));
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

    if (view.command == LCFG_SETUP && view.bufcount == 2 && lcfg_lov_desc_decode(&view, &desc) == 0)
        return append_lov_setup(out, view, desc);
    if (rule == nullptr || rule->label == nullptr) {
        out += fmt::format("unsupported cmd_code = {:x}\n\n", view.command);
        return;
    }
    out += rule->label;
    if (rule->form == ReaderForm::Number)
        out += fmt::format("={} \n", int32_t(view.num));
    else
        append_buffers(out, view);
}

// "fid=[0x1:0x5:0x0] path=O/1/d5/5": the log that a catalog names, and where its file is in a
// target of each kind of storage.
void append_log_id(std::string& out, const llog_record& record, bool ext)
{
    constexpr uint64_t numbered = 1;  // sequences of logs that have a number,
    constexpr uint64_t named = 10;    // and of those that have a name
    constexpr uint32_t directories = 32;
    constexpr uint64_t indexes = 128;
    const LogFid fid = log_fid(record);
    const std::string text = fmt::format("{:#x}:{:#x}:0x0", fid.sequence, fid.object);

    out += fmt::format("fid=[{}] path=", text);
    if (fid.sequence != numbered && fid.sequence != named)
        out += fmt::format("update_log_dir/[{}]\n", text);
    else if (ext)
        out += fmt::format("O/{}/d{}/{}\n", fid.sequence, fid.object % directories, fid.object);
    else
        out += fmt::format("oi.{}/{}\n", fid.sequence % indexes, text);
}

}  // namespace

void append_reader_place(std::string& out, const llog_record& record)
{
    out += fmt::format("rec #{} type={:x} len={} offset {}{}\n", record.index, record.type,
                       record.len, record.offset, record.live ? "" : " cancelled");
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

void ReaderText::append(std::string& out, const ConfigRecord& config)
{
    const llog_record& record = *config.record;

    out += fmt::format("#{:02} ({:03})", record.index, record.len);
    if (record.type == LLOG_PAD_MAGIC)
        out += "padding\n";
    else if (record.type == LLOG_LOGID_MAGIC && record.body_len >= kLogIdSize)
        append_log_id(out, record, ext_);
    else if (record.type != OBD_CFG_REC)
        out += fmt::format("unknown type {:x}\n", record.type);
    else
        append_config(out, config);
}

void ReaderText::append_config(std::string& out, const ConfigRecord& config)
{
    if (!config.record->live)
        out += "CANCELLED ";
    if (skip_ > 0)
        out += "SKIP ";
    if (config.why != nullptr)
        out.append("bad command: ").append(config.why).append("\n");
    else if (config.is_marker)
        append_words(out, config);
    else
        append_command(out, config.view);
}

// What stands before a marker tells where it stands. These are the rules of real Lustre: an END
// ends all sections that are skipped, and EXCLUDE is told of markers only.
void ReaderText::append_words(std::string& out, const ConfigRecord& config)
{
    const uint32_t flags = config.marker.flags;
    uint32_t skip = skip_;

    if ((flags & CM_START) != 0 && (flags & CM_SKIP) != 0) {
        out += "SKIP START ";
        skip++;
    } else if ((flags & CM_END) != 0) {
        out += "END   ";
        skip = 0;
    }
    if ((flags & CM_EXCLUDE) != 0)
        out += (flags & CM_START) != 0 ? "EXCLUDE START " : "EXCLUDE END   ";
    append_marker(out, config.marker);
    if (config.record->live)
        skip_ = skip;
}

}  // namespace ll
