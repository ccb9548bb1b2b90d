// SPDX-License-Identifier: GPL-2.0-only
/*
 * A YAML text as a tree of nodes, over libyaml.
 */
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "lctl/libyaml.hpp"

namespace lctl {

/** A node; good as long as its document. */
class YamlNode {
public:
    YamlNode(yaml_document_t* document, yaml_node_t* node) : document_(document), node_(node) {}

    bool is_map() const { return is(YAML_MAPPING_NODE); }
    bool is_sequence() const { return is(YAML_SEQUENCE_NODE); }

    /** Has it a text? A key without a value has none; "" is an empty one. */
    bool is_text() const;
    std::string_view text() const;

    /** From 1; 0 in an empty document. */
    std::size_t line() const;

    /** Of a map, in the order of the text; keys may be there twice. */
    std::vector<std::pair<YamlNode, YamlNode>> pairs() const;
    /** Of a sequence. */
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

    /** Return: the one document of the text, or the position of an error. */
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

}  // namespace lctl
