// SPDX-License-Identifier: GPL-2.0-only
/*
 * What mountdata has in ldd_params: "name=value" joined by blanks.
 */
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "disk/nodes.hpp"
#include "lib/error.hpp"

namespace disk {

inline constexpr std::string_view kMgsNode = "mgsnode";
inline constexpr std::string_view kFailoverNode = "failover.node";

struct Param {
    std::string name;
    std::string value;

    bool operator==(const Param&) const = default;
};

/** "name=value" as a person gives it. EINVAL: it cannot be kept like that. */
ll::Result<Param> parse_param(std::string_view text);

class TargetParams {
public:
    static ll::Result<TargetParams> parse(std::string_view text);

    const std::vector<Param>& all() const { return params_; }
    bool has(std::string_view name) const;
    /** All but those that name nodes. */
    std::vector<Param> own() const;

    /** In the place of the value that the name had, at the end where it had none. */
    void set(Param param);
    /** Return: how many went. */
    std::size_t erase(std::string_view name);
    /** All but those that name nodes. Return: how many went. */
    std::size_t erase_own();

    /** All nodes of parameters of that name. */
    ll::Result<NodeList> nodes(std::string_view name) const;
    ll::Status add_nodes(std::string_view name, const NodeList& nodes);

    std::string text() const;

private:
    std::vector<Param> params_;
};

}  // namespace disk
