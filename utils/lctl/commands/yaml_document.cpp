// SPDX-License-Identifier: GPL-2.0-only
#include "lctl/commands/yaml_document.hpp"

namespace lctl {

namespace {

LL_LAZY_NOTE(libyaml_note, "yaml", "libyaml-0.so.2");

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

}  // namespace

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

}  // namespace lctl
