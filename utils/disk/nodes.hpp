// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nodes by their NIDs, as a person names them: "NID[,NID...][:NID[,NID...]...]". A comma
 * precedes another NID of the same node, a colon precedes a failover node.
 */
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/error.hpp"

namespace disk {

/** NIDs of a node, in canonical text. */
using Node = std::vector<std::string>;

class NodeList {
public:
    /** Return: EINVAL and a reason for any other text. */
    static ll::Result<NodeList> parse(std::string_view text);

    const std::vector<Node>& nodes() const { return nodes_; }
    bool empty() const { return nodes_.empty(); }

    /** Those of @other that are not here yet. */
    void add(const NodeList& other);

    /** The list in canonical text: every NID with its network, none in brackets. */
    std::string text() const;

private:
    std::vector<Node> nodes_;
};

}  // namespace disk
