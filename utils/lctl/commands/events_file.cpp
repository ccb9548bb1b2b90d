// SPDX-License-Identifier: GPL-2.0
#include "lctl/commands/events_file.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "lctl/commands/yaml_document.hpp"

namespace lctl {

namespace {

using Fault = tl::unexpected<FileFault>;
using Fields = std::map<std::string, std::string, std::less<>>;

tl::expected<Fields, FileFault> fields_of(const YamlNode& item)
{
    Fields fields;

    if (!item.is_map())
        return Fault(FileFault{item.line(), "a record must be a map: { event: set_param, ... }"});
    for (const auto& [key, value] : item.pairs())
        fields.emplace(key.text(), value.is_text() ? std::string(value.text()) : std::string());
    return fields;
}

std::string field(const Fields& fields, std::string_view key)
{
    const auto at = fields.find(key);

    return at != fields.end() ? at->second : std::string();
}

/* "D.osc.x=1" of { device: D, parameter: osc.x=1 }; of a file system as a whole it is D.sys.x. */
ll::MgsChange conf_param_of(const Fields& fields)
{
    const std::string text = field(fields, "parameter");
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::string value = text.substr(std::min(equals + 1, text.size()));

    return {.op = MGS_CONF_PARAM,
            .args = {field(fields, "device") + "." + text.substr(0, equals), value}};
}

ll::MgsChange set_param_of(const Fields& fields)
{
    return {.op = MGS_SET_PARAM, .args = {field(fields, "parameter"), field(fields, "value")}};
}

tl::expected<ll::MgsChange, FileFault> change_of(const YamlNode& item)
{
    const auto fields = fields_of(item);

    if (!fields)
        return Fault(fields.error());

    const std::string event = field(*fields, "event");
    ll::MgsChange change;

    if (event == "set_param")
        change = set_param_of(*fields);
    else if (event == "conf_param")
        change = conf_param_of(*fields);
    else if (event == "marker")
        return Fault(FileFault{item.line(), "a marker; print the log without --raw"});
    else
        return Fault(FileFault{
            item.line(),
            fmt::format("event '{}': only set_param and conf_param are settings", event)});
    if (change.args[0].empty() || change.args[1].empty())
        return Fault(FileFault{item.line(), "a setting needs a parameter and a value"});
    return change;
}

}  // namespace

bool is_events_file(const std::string& text)
{
    const auto document = YamlDocument::parse(text);

    return document && document->root().is_sequence();
}

tl::expected<std::vector<ll::MgsChange>, FileFault> parse_events(const std::string& text)
{
    const auto document = YamlDocument::parse(text);
    std::vector<ll::MgsChange> changes;

    if (!document)
        return Fault(FileFault{document.error().line, "invalid YAML: " + document.error().message});
    for (const YamlNode& item : document->root().items()) {
        auto change = change_of(item);

        if (!change)
            return Fault(change.error());
        changes.push_back(std::move(*change));
    }
    return changes;
}

}  // namespace lctl
