// SPDX-License-Identifier: GPL-2.0-only
#include "lctl/commands/params_file.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "lctl/libyaml.hpp"
#include "lib/value_text.hpp"

namespace lctl {

namespace {

/* A YAML text as a tree of nodes, over libyaml. */

/* libyaml counts lines from 0. */
std::size_t from_one(const yaml_mark_t& mark)
{
    return mark.line + 1;
}

struct FreeParser {
    void operator()(yaml_parser_t* parser) const
    {
        yaml_parser_delete(parser);
        delete parser;
    }
};

/* A node; good as long as its document. */
class YamlNode {
public:
    YamlNode(yaml_document_t* document, yaml_node_t* node) : document_(document), node_(node) {}

    bool is_map() const { return is(YAML_MAPPING_NODE); }
    bool is_sequence() const { return is(YAML_SEQUENCE_NODE); }

    /* Has it a text? A key without a value has none; "" is an empty one. */
    bool is_text() const;
    std::string_view text() const;

    /* From 1; 0 in an empty document. */
    std::size_t line() const;

    /* Of a map, in the order of the text; keys may be there twice. */
    std::vector<std::pair<YamlNode, YamlNode>> pairs() const;
    /* Of a sequence. */
    std::vector<YamlNode> items() const;

private:
    bool is(yaml_node_type_t type) const { return node_ != nullptr && node_->type == type; }
    YamlNode at(int index) const { return {document_, yaml_document_get_node(document_, index)}; }

    yaml_document_t* document_;
    yaml_node_t* node_;
};

class YamlDocument {
public:
    struct Fault {
        std::size_t line = 0;
        std::string message;
    };

    /* Return: the one document of the text, or the position of an error. */
    static tl::expected<YamlDocument, Fault> parse(std::string_view text);

    YamlNode root() const
    {
        return {document_.get(), yaml_document_get_root_node(document_.get())};
    }

private:
    static tl::expected<YamlDocument, Fault> load(yaml_parser_t& parser);

    struct Free {
        void operator()(yaml_document_t* document) const;
    };

    std::unique_ptr<yaml_document_t, Free> document_;
};

bool YamlNode::is_text() const
{
    if (!is(YAML_SCALAR_NODE))
        return false;
    return node_->data.scalar.length > 0 || node_->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
}

std::string_view YamlNode::text() const
{
    if (!is_text())
        return {};
    return {reinterpret_cast<const char*>(node_->data.scalar.value), node_->data.scalar.length};
}

std::size_t YamlNode::line() const
{
    return node_ == nullptr ? 0 : from_one(node_->start_mark);
}

std::vector<std::pair<YamlNode, YamlNode>> YamlNode::pairs() const
{
    std::vector<std::pair<YamlNode, YamlNode>> pairs;

    if (is_map())
        for (auto* pair = node_->data.mapping.pairs.start; pair != node_->data.mapping.pairs.top;
             ++pair)
            pairs.emplace_back(at(pair->key), at(pair->value));
    return pairs;
}

std::vector<YamlNode> YamlNode::items() const
{
    std::vector<YamlNode> items;

    if (is_sequence())
        for (auto* item = node_->data.sequence.items.start; item != node_->data.sequence.items.top;
             ++item)
            items.push_back(at(*item));
    return items;
}

void YamlDocument::Free::operator()(yaml_document_t* document) const
{
    yaml_document_delete(document);
    delete document;
}

/* The next document of the parser's text, with no root at the end of it. */
tl::expected<YamlDocument, YamlDocument::Fault> YamlDocument::load(yaml_parser_t& parser)
{
    YamlDocument document;

    auto* const loaded = new yaml_document_t();
    document.document_.reset(loaded);
    if (yaml_parser_load(&parser, loaded) == 0)
        return tl::unexpected(
            Fault{from_one(parser.problem_mark), parser.problem != nullptr ? parser.problem : ""});
    return document;
}

tl::expected<YamlDocument, YamlDocument::Fault> YamlDocument::parse(std::string_view text)
{
    if (const auto loaded = LL_LAZY_LOAD("libyaml-0.so.2", LIBYAML_FUNCTIONS); !loaded)
        return tl::unexpected(Fault{0, loaded.error().text});

    const std::unique_ptr<yaml_parser_t, FreeParser> parser(new yaml_parser_t());

    if (yaml_parser_initialize(parser.get()) == 0)
        return tl::unexpected(Fault{0, "out of memory"});
    yaml_parser_set_input_string(parser.get(), reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());

    auto document = load(*parser);
    if (!document || document->root().line() == 0)
        return document;

    const auto rest = load(*parser);
    if (!rest)
        return tl::unexpected(rest.error());
    if (rest->root().line() != 0)
        return tl::unexpected(Fault{rest->root().line(), "a second document; one is wanted"});
    return document;
}

/* The file. */

using Fault = tl::unexpected<FileFault>;

Fault fault_at(const YamlNode& node, std::string message)
{
    return Fault(FileFault{node.line(), std::move(message)});
}

/* Where the member @key of a setting goes; nullptr for a key that it has not. */
std::string* member(SavedParam& setting, const std::string& key)
{
    if (key == "name")
        return &setting.name;
    if (key == "value")
        return &setting.value;
    if (key == "type")
        return &setting.type;
    return nullptr;
}

tl::expected<SavedParam, FileFault> parse_setting(const YamlNode& item)
{
    SavedParam setting;
    std::vector<std::string> seen;

    if (!item.is_map())
        return fault_at(item, "a setting is a map with the keys name, value and type");
    setting.line = item.line();
    for (const auto& pair : item.pairs()) {
        const std::string key(pair.first.text());
        std::string* const text = member(setting, key);

        if (text == nullptr)
            return fault_at(pair.first,
                            fmt::format("key '{}': a setting has name, value and type", key));
        if (std::find(seen.begin(), seen.end(), key) != seen.end())
            return fault_at(pair.first, fmt::format("key '{}' is there twice", key));
        if (!pair.second.is_text())
            return fault_at(pair.first, fmt::format("key '{}' takes a text or a number, \"\" for "
                                                    "an empty one",
                                                    key));
        *text = pair.second.text();
        seen.push_back(key);
    }
    for (const char* const key : {"name", "value"}) {
        if (std::find(seen.begin(), seen.end(), key) == seen.end())
            return fault_at(item, fmt::format("a setting without '{}'", key));
    }
    if (setting.name.empty())
        return fault_at(item, "a setting with an empty name");
    return setting;
}

tl::expected<YamlNode, FileFault> list_of_settings(const YamlNode& root)
{
    std::optional<YamlNode> list;

    if (!root.is_map())
        return fault_at(root, "the file is not a map with the key 'parameters'");
    for (const auto& pair : root.pairs()) {
        if (pair.first.text() != "parameters")
            return fault_at(pair.first, "the only key of the file is 'parameters'");
        if (list)
            return fault_at(pair.first, "key 'parameters' is there twice");
        list = pair.second;
    }
    if (!list || !list->is_sequence())
        return fault_at(root, "key 'parameters' takes a list of settings");
    return *list;
}

tl::expected<std::vector<SavedParam>, FileFault> settings_of(const YamlNode& root)
{
    std::vector<SavedParam> settings;
    std::unordered_map<std::string, std::size_t> lines;

    const auto list = list_of_settings(root);
    if (!list)
        return Fault(list.error());
    for (const YamlNode& item : list->items()) {
        auto setting = parse_setting(item);
        if (!setting)
            return Fault(setting.error());

        const auto [first, is_new] = lines.emplace(setting->name, setting->line);
        if (!is_new)
            return Fault(FileFault{setting->line, fmt::format("{} is set in line {} already",
                                                              setting->name, first->second)});
        settings.push_back(std::move(*setting));
    }
    return settings;
}

bool is_number(std::string_view text)
{
    if (text.starts_with('-'))
        text.remove_prefix(1);
    // YAML's old octal numbers: 010 would be shown as 8 by other readers.
    if (text.size() > 1 && text.front() == '0')
        return false;
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/* Bytes that follow the first one of a character; -1 for a byte that starts none. */
int following(std::uint8_t first)
{
    if (first < 0x80)
        return 0;
    if (first >= 0xc2 && first <= 0xdf)
        return 1;
    if (first >= 0xe0 && first <= 0xef)
        return 2;
    if (first >= 0xf0 && first <= 0xf4)
        return 3;
    return -1;
}

/* Overlong forms, surrogates and what is above U+10FFFF: told by the second byte. */
bool second_fits(std::uint8_t first, std::uint8_t second)
{
    switch (first) {
        case 0xe0:
            return second >= 0xa0;
        case 0xed:
            return second <= 0x9f;
        case 0xf0:
            return second >= 0x90;
        case 0xf4:
            return second <= 0x8f;
        default:
            return true;
    }
}

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

tl::expected<std::vector<SavedParam>, FileFault> parse_settings(const std::string& text)
{
    const auto document = YamlDocument::parse(text);

    if (!document)
        return Fault(FileFault{document.error().line, "invalid YAML: " + document.error().message});
    return settings_of(document->root());
}

void append_settings_head(std::string& out, const std::vector<std::string>& about)
{
    for (const std::string& line : about) {
        std::string comment = line;
        std::replace(comment.begin(), comment.end(), '\n', ' ');
        fmt::format_to(std::back_inserter(out), "# {}\n", comment);
    }
    out += "parameters:\n";
}

void append_setting(std::string& out, const SavedParam& setting)
{
    out += "- name: ";
    ll::append_yaml_string(out, setting.name);
    out += "\n  value: ";
    if (setting.type != "string" && is_number(setting.value))
        out += setting.value;
    else
        ll::append_yaml_string(out, setting.value);
    out += "\n  type: ";
    ll::append_yaml_string(out, setting.type);
    out += '\n';
}

bool is_utf8(std::string_view text)
{
    for (std::size_t i = 0; i < text.size();) {
        const auto first = static_cast<std::uint8_t>(text[i]);
        const int more = following(first);

        if (more < 0 || text.size() - i <= static_cast<std::size_t>(more))
            return false;
        if (more > 0 && !second_fits(first, static_cast<std::uint8_t>(text[i + 1])))
            return false;
        for (int k = 1; k <= more; k++) {
            if ((static_cast<std::uint8_t>(text[i + static_cast<std::size_t>(k)]) & 0xc0) != 0x80)
                return false;
        }
        i += static_cast<std::size_t>(more) + 1;
    }
    return true;
}

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
