// SPDX-License-Identifier: LGPL-2.1-or-later
// Logs as text: llog_reader's, llog_print's and JSON.
#ifndef LL_LOG_TEXT_HPP
#define LL_LOG_TEXT_HPP

#include <string>

#include "json_object.hpp"
#include "log_file.hpp"
#include "log_section.hpp"

namespace ll {

// All append lines with their newline.

// llog_reader: a line for each record as it lies in the file, and the header.
void append_reader_place(std::string& out, const llog_record& record);
void append_reader_head(std::string& out, const llog_head& head);

// llog_reader: what a record says, in a line or two.
class ReaderText {
public:
    // `ext`: the log lies in a file system of the ext family, where a catalog names
    // its logs by other paths than elsewhere.
    explicit ReaderText(bool ext = false) : ext_(ext) {}

    // Records in their order.
    void append(std::string& out, const ConfigRecord& config);

private:
    void append_config(std::string& out, const ConfigRecord& config);
    void append_words(std::string& out, const ConfigRecord& config);

    bool ext_;
    uint32_t skip_ = 0;  // markers that opened a section to be skipped
};

// llog_print: "- { index: 4, event: attach, device: D, type: lov, UUID: U }"
void append_print_record(std::string& out, const ConfigRecord& config);

// Members of a JSON object, in Documentation/json.md.
void add_json_head(JsonObject& object, std::string& out, const llog_head& head);
void add_json_record(JsonObject& object, std::string& out, const ConfigRecord& config);
void add_json_fault(JsonObject& object, std::string& out, const llog_fault& fault);

// "4 (plain)"
std::string log_flags_text(uint32_t flags);
// "[0x1234:0xfe00:0x0]"
std::string log_id_text(LogId id);

}  // namespace ll

#endif
