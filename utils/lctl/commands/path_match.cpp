// SPDX-License-Identifier: GPL-2.0
#include "lctl/commands/path_match.hpp"

#include <algorithm>
#include <span>

namespace lctl {

namespace {

using Parts = std::span<const ll::Component>;

bool only_any_depth(Parts parts)
{
    return std::ranges::all_of(parts, [](const ll::Component& part) {
        return part.kind == ll::Component::Kind::AnyDepth;
    });
}

bool fits(const ll::Component& part, std::string_view name)
{
    if (part.kind == ll::Component::Kind::Literal)
        return part.text == name;
    return part.glob.matches(name);
}

Relation relate_parts(Parts parts, std::string_view path)
{
    if (path.empty())
        return only_any_depth(parts) ? Relation::Match : Relation::Above;
    if (parts.empty())
        return Relation::Below;

    const std::size_t end = path.find('/');
    const std::string_view name = path.substr(0, end);
    const std::string_view rest =
        end == std::string_view::npos ? std::string_view() : path.substr(end + 1);

    if (parts.front().kind == ll::Component::Kind::AnyDepth)
        return std::max(relate_parts(parts.subspan(1), path), relate_parts(parts, rest));
    return fits(parts.front(), name) ? relate_parts(parts.subspan(1), rest) : Relation::None;
}

}  // namespace

Relation relate(const ll::PathSpec& spec, std::string_view path)
{
    return relate_parts(spec.components(), path);
}

}  // namespace lctl
