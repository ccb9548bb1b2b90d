// SPDX-License-Identifier: LGPL-2.1-or-later
// Permanent settings: what the management service has, and what nodes follow.
#ifndef LL_MGS_SETTINGS_HPP
#define LL_MGS_SETTINGS_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "params.hpp"

namespace ll {

struct PermanentSetting {
    std::string source;  // device that tells of it: "MGS", "MGC10.0.0.1@tcp"
    std::string log;
    std::string owner;  // file system, "general", or a device where conf_param set it
    std::string name;   // pattern
    std::string value;
    // The service's: since when, seconds since 1970.
    std::optional<int64_t> since;
    // A management client's: record, and what became of it on this node.
    std::optional<uint64_t> record;
    std::optional<uint64_t> matched;
    std::optional<uint64_t> refused;
    std::string why;

    // As it is printed: "osc.*.x" of all nodes, "lustre-OST0000.ost.x" of one log.
    std::string display() const;
};

struct PermanentSettings {
    std::vector<PermanentSetting> settings;
    size_t sources = 0;  // devices that were asked
};

// From the parameters mgs.*.permanent and mgc.*.permanent, in that order.
Result<PermanentSettings> permanent_settings(Params& params);

// The settings in a value of such a parameter. EBADMSG where it is malformed.
Result<std::vector<PermanentSetting>> parse_permanent(ValueView value, const std::string& source);

}  // namespace ll

#endif
