// SPDX-License-Identifier: LGPL-2.1-or-later
// Is a log whole? Everything that can be verified of it.
#ifndef LL_LOG_CHECK_HPP
#define LL_LOG_CHECK_HPP

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "log_file.hpp"

namespace ll {

// Something that is wrong.
struct LogFinding {
    uint64_t offset = 0;
    uint32_t index = 0;  // of the record, 0 for the log as a whole
    std::string what;
};

struct LogCheck {
    uint32_t records = 0;  // that were looked at, padding not counted
    std::vector<LogFinding> findings;
};

// Indexes to look at. The header is always looked at.
struct LogRange {
    uint32_t first = 0;
    uint32_t last = std::numeric_limits<uint32_t>::max();

    bool has(uint32_t index) const { return index >= first && index <= last; }
};

// Records and their tails, padding, the bitmap against the records and the count
// of live ones, the last index, commands, and markers: a section has two of the
// same step and target, and no command stands outside of one.
Result<LogCheck> check_log(LogFile& log, LogRange range = {});

// "offset 8416, record 2: WHAT", without the record where it is 0.
std::string finding_text(const LogFinding& finding);

}  // namespace ll

#endif
