// SPDX-License-Identifier: LGPL-2.1-or-later
// What the records of a config log say: the commands, and the names that real
// Lustre's tools give to them and to their arguments.
#ifndef LL_LOG_COMMAND_HPP
#define LL_LOG_COMMAND_HPP

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <lustre_lite/lustre_cfg.h>

namespace ll {

// What stands for an argument of a command.
enum class ArgumentKind : uint8_t {
    Text,      // the buffer as text; left out where there is none
    Required,  // the same, and printed empty where there is none
    Number,    // the buffer: a decimal number as text
    Name,      // the buffer: what is before '='
    Value,     // the buffer: the text after '='
    Nid,       // lcfg_nid, or the buffer where it is 0
    Timeout,   // the buffer, or "sys.timeout=" lcfg_num
};

struct ArgumentRule {
    const char* key = nullptr;
    const char* json = nullptr;  // the key where "index" is the record's own
    uint8_t buffer = 0;
    ArgumentKind kind = ArgumentKind::Text;
};

// How llog_reader prints it.
enum class ReaderForm : uint8_t {
    Buffers,  // "LABEL0:... 1:... "
    Number,   // "LABEL=20 "
    Marker,
};

struct CommandRule {  // NOLINT(clang-analyzer-optin.performance.Padding): reads best so
    uint32_t command = 0;
    const char* event = nullptr;  // name in llog_print
    const char* label = nullptr;  // begins the line of llog_reader; null: it knows no such command
    ReaderForm form = ReaderForm::Buffers;
    std::span<const ArgumentRule> arguments = {};
};

// nullptr when the command is not known.
const CommandRule* find_command_rule(uint32_t command);

// An argument of a command as text.
struct EventField {
    const char* key;
    const char* json;
    std::string value;
    bool number;  // the value is a number in decimal
};

// The arguments in the order in which they are printed.
std::vector<EventField> event_fields(const lcfg_view& view);

// The name, "unknown" for a command that is not known.
const char* event_name(uint32_t command);

// Buffer `n` up to its NUL; empty when there is none.
std::string_view buffer_text(const lcfg_view& view, uint32_t n);

// "10.0.0.1@tcp"
std::string nid_text(uint64_t nid);

// "2.9.0.0" of a marker.
std::string version_text(uint32_t version);

}  // namespace ll

#endif
