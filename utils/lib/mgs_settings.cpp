// SPDX-License-Identifier: LGPL-2.1-or-later
#include "mgs_settings.hpp"

#include <cerrno>
#include <utility>

#include <uapi/lustre_lite/disk.h>

#include "expand.hpp"
#include "pathspec.hpp"

namespace ll {

namespace {

constexpr const char* kParameters[] = {"mgs.*.permanent", "mgc.*.permanent"};
void take_text(PermanentSetting& setting, const Record& record)
{
    const std::pair<std::string_view, std::string*> texts[] = {
        {"log", &setting.log},     {"owner", &setting.owner}, {"name", &setting.name},
        {"value", &setting.value}, {"why", &setting.why},
    };

    for (const auto& [name, text] : texts)
        if (record.name == name)
            text->assign(record.bytes);
}

void take_number(PermanentSetting& setting, const Record& record)
{
    if (record.name == "record")
        setting.record = record.u64();
    else if (record.name == "matched")
        setting.matched = record.u64();
    else if (record.name == "refused")
        setting.refused = record.u64();
}

// Unknown members are skipped: a newer kernel may have them.
void take(PermanentSetting& setting, const Record& record)
{
    constexpr int64_t kSecond = 1'000'000'000;

    if (record.type == PARAMS_V_STRING)
        take_text(setting, record);
    else if (record.type == PARAMS_V_U64)
        take_number(setting, record);
    else if (record.type == PARAMS_V_TIME && record.name == "since")
        setting.since = int64_t(record.time().pt_ns) / kSecond;
}

}  // namespace

// Settings of the log "params" are for all nodes, by their own names.
std::string PermanentSetting::display() const
{
    return log == PARAMS_FILENAME || owner.empty() ? name : owner + "." + name;
}

Result<std::vector<PermanentSetting>> parse_permanent(ValueView value, const std::string& source)
{
    std::vector<PermanentSetting> settings;
    WholeReader reader(value);
    Record record;

    // A list of maps: the maps are at depth 1, their members at depth 2.
    while (reader.next(record)) {
        if (record.depth == 1 && record.type == PARAMS_V_LIST_BEGIN)
            settings.emplace_back().source = source;
        else if (record.depth == 2 && !settings.empty())
            take(settings.back(), record);
    }
    if (!reader.ok())
        return fail(EBADMSG, std::string("its value is malformed: ") + reader.error());
    return settings;
}

Result<PermanentSettings> permanent_settings(Params& params)
{
    PermanentSettings all;
    Status bad;

    auto visit = [&](const EntryView& entry) {
        // A service or client that goes just now has nothing to tell.
        if (entry.status == ENODEV || entry.status == ENOENT)
            return Visit::Continue;
        all.sources++;
        auto settings =
            entry.status == 0
                ? parse_permanent(entry.value, std::string(raw_name(raw_parent(entry.path))))
                : fail(entry.status, errno_text(entry.status));

        if (!settings) {
            bad = fail(settings.error().code,
                       std::string(entry.display) + ": " + settings.error().text);
            return Visit::Stop;
        }
        for (PermanentSetting& setting : *settings)
            all.settings.push_back(std::move(setting));
        return Visit::Continue;
    };

    for (const char* const parameter : kParameters) {
        const auto spec = PathSpec::parse(parameter);
        const auto visited = visit_matching(params, *spec, {}, visit);

        if (!bad)
            return tl::unexpected(bad.error());
        if (!visited && visited.error().code != ENOENT)
            return tl::unexpected(visited.error());
    }
    return all;
}

}  // namespace ll
