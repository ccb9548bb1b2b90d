// SPDX-License-Identifier: GPL-2.0-only
#include "disk/nodes.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include <fmt/format.h>

#include <lustre_lite/codec.h>
#include <lustre_lite/nid.h>

namespace disk {

namespace {

constexpr std::string_view kSeparators = ",:";

bool is_nid(std::string_view text)
{
    lnet_nid nid;

    return libcfs_nid_parse(text.data(), text.size(), &nid, nullptr) == 0;
}

/*
 * Bytes of the NID that @rest begins with. The colons of an IPv6 address are its
 * own as far as its bracket or its network.
 */
std::size_t nid_length(std::string_view rest)
{
    const std::size_t separator = std::min(rest.find_first_of(kSeparators), rest.size());
    std::size_t behind;

    if (is_nid(rest.substr(0, separator)))
        return separator;
    if (rest.starts_with('['))
        behind = rest.find(']');
    else
        behind = rest.substr(0, rest.find(',')).find('@');
    if (behind == std::string_view::npos)
        return std::min(rest.find(','), rest.size());
    return std::min(rest.find_first_of(kSeparators, behind + 1), rest.size());
}

ll::Result<std::string> canonical(std::string_view text)
{
    std::array<char, LNET_NID_TEXT_MAX> buffer{};
    const char* why = "";
    lnet_nid nid;

    if (text.empty())
        return ll::fail(EINVAL, "a NID is missing, such as 10.0.0.1@tcp");
    if (const int rc = libcfs_nid_parse(text.data(), text.size(), &nid, &why); rc != 0)
        return ll::fail(-rc, fmt::format("'{}' is not a NID: {}", text, why));
    if (nid.nid_type == LNET_LO)
        return ll::fail(EINVAL,
                        "0@lo reaches no service; use the node's own address, such as "
                        "10.0.0.1@tcp");
    libcfs_nid_print(&nid, buffer.data(), buffer.size());
    return std::string(buffer.data());
}

}  // namespace

ll::Result<NodeList> NodeList::parse(std::string_view text)
{
    NodeList list;
    Node node;

    while (true) {
        const std::size_t length = nid_length(text);
        auto nid = canonical(text.substr(0, length));

        if (!nid)
            return tl::unexpected(nid.error());
        node.push_back(std::move(*nid));
        if (length == text.size())
            break;
        if (text[length] == ':')
            list.nodes_.push_back(std::exchange(node, {}));
        text.remove_prefix(length + 1);
    }
    list.nodes_.push_back(std::move(node));
    return list;
}

void NodeList::add(const NodeList& other)
{
    for (const Node& node : other.nodes_)
        if (std::find(nodes_.begin(), nodes_.end(), node) == nodes_.end())
            nodes_.push_back(node);
}

std::string NodeList::text() const
{
    std::string text;

    for (const Node& node : nodes_)
        text += fmt::format("{}{}", text.empty() ? "" : ":", fmt::join(node, ","));
    return text;
}

}  // namespace disk
