// SPDX-License-Identifier: GPL-2.0-only
// Bytes that should be a config log, through all that the tools do with one:
// text, JSON, check, cancel. Each ends; a line of text is one line; what was
// cancelled is no longer live.
#include <cstdlib>
#include <cstring>
#include <memory>

#include "lib/log_cancel.hpp"
#include "lib/log_check.hpp"
#include "lib/log_file.hpp"
#include "lib/log_text.hpp"

using namespace ll;

namespace {

void require(bool holds)
{
    if (!holds)
        std::abort();
}

// Control characters are in no text but for newlines, which end lines, and tabs.
void require_clean(const std::string& text)
{
    for (const char c : text)
        require(static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\t');
    require(text.empty() || text.back() == '\n');
}

void print(ReaderText& reader, const ConfigRecord& config)
{
    std::string text;
    std::string map;
    std::string json;

    append_reader_place(text, *config.record);
    reader.append(text, config);
    require_clean(text);
    append_print_record(map, config);
    require_clean(map);
    require(map.find('\n') == map.size() - 1);

    JsonObject object(json);
    add_json_record(object, json, config);
    object.close();
    require(json.find('\n') == std::string::npos);
}

// Return: the index of the last live record, 0 when there is none.
uint32_t print_all(LogFile& log)
{
    LogSections sections;
    ReaderText reader;
    std::string head;
    uint32_t live = 0;

    append_reader_head(head, log.head());
    require_clean(head);
    const auto walked = log.walk([&](const LogItem& item) {
        if (item.fault != nullptr) {
            require(!fault_text(*item.fault).empty());
            return true;
        }
        if (item.record->live && item.record->type != LLOG_PAD_MAGIC)
            live = item.record->index;
        print(reader, sections.take(*item.record));
        return true;
    });
    require(walked.has_value());
    return live;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    std::vector<std::byte> bytes(size);

    if (size != 0)
        std::memcpy(bytes.data(), data, size);
    auto log = LogFile::open_damaged(std::make_unique<MemoryLogBytes>("log", std::move(bytes)));
    if (!log)
        return 0;

    const uint32_t live = print_all(*log);
    require(check_log(*log).has_value());
    // A log without a header cannot be changed.
    if (live == 0 || log->is_headless())
        return 0;
    require(cancel_record(*log, live).has_value());
    require(!cancel_record(*log, 0).has_value());

    auto again = LogFile::open(std::make_unique<MemoryLogBytes>(
        "log", static_cast<MemoryLogBytes&>(log->bytes()).bytes()));
    require(again.has_value() && !llog_index_live(&again->head(), live));
    return 0;
}
