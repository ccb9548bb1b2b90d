// SPDX-License-Identifier: LGPL-2.1-or-later
#include "log_section.hpp"

namespace ll {

void LogSections::follow(ConfigRecord& config)
{
    const uint32_t own = config.is_marker ? config.marker.flags : 0;
    const uint32_t flags = open_ | own;

    config.in_section = flags != 0;
    config.skipped = (flags & CM_SKIP) != 0;
    config.excluded = (flags & CM_EXCLUDE) != 0;
    if (!config.is_marker || !config.record->live)
        return;
    if ((own & CM_END) != 0)
        open_ = 0;
    else if ((own & CM_START) != 0)
        open_ = own;
}

ConfigRecord LogSections::take(const llog_record& record)
{
    ConfigRecord config;

    config.record = &record;
    if (record.type != OBD_CFG_REC) {
        config.in_section = open_ != 0;
        config.skipped = (open_ & CM_SKIP) != 0;
        return config;
    }
    if (lustre_cfg_decode(record.body, record.body_len, &config.view, &config.why) != 0) {
        config.view = {};
        if (config.why == nullptr)
            config.why = "not a command";
    } else if (config.view.command == LCFG_MARKER) {
        config.is_marker = lcfg_marker_decode(&config.view, &config.marker) == 0;
        if (!config.is_marker)
            config.why = "not a marker: its buffer has another size";
    }
    follow(config);
    return config;
}

}  // namespace ll
