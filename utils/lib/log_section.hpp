// SPDX-License-Identifier: LGPL-2.1-or-later
// Sections of a config log: what stands between two markers.
#ifndef LL_LOG_SECTION_HPP
#define LL_LOG_SECTION_HPP

#include <cstdint>

#include <lustre_lite/llog_format.h>
#include <lustre_lite/lustre_cfg.h>

namespace ll {

// A record of a config log, taken apart, and where it stands.
struct ConfigRecord {
    const llog_record* record = nullptr;
    lcfg_view view{};
    lcfg_marker marker{};
    bool is_marker = false;
    bool in_section = false;  // a marker belongs to its section
    bool skipped = false;     // the section was taken back
    bool excluded = false;
    const char* why = nullptr;  // set: it is not a command; the reason
};

// Follows the markers from record to record.
class LogSections {
public:
    // Records in their order; cancelled ones have no effect on what follows.
    ConfigRecord take(const llog_record& record);

private:
    void follow(ConfigRecord& config);

    uint32_t open_ = 0;  // flags of the START marker, 0 outside of a section
};

}  // namespace ll

#endif
