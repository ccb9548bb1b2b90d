// SPDX-License-Identifier: LGPL-2.1-or-later
// Matching a path, component by component, as a tree goes by.
#ifndef LL_MATCHER_HPP
#define LL_MATCHER_HPP

#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

#include "pathspec.hpp"

namespace ll {

// A set of states, one bit each: bit i says that components [0, i) have matched
// what lies above. All ways in which "**" can match are followed at once, so an
// entry costs no more than the states that are alive.
class Matcher {
public:
    using States = uint64_t;

    // `inherit`: what lies below a match matches too.
    Matcher(std::span<const Component> parts, bool inherit) : parts_(parts), inherit_(inherit) {}

    States start() const { return close(1); }
    States accepting() const { return States{1} << parts_.size(); }
    bool accepts(States states) const { return (states & (accepting() | kInside)) != 0; }

    // From the states of a directory to those of its child `name`.
    States step(States states, std::string_view name) const
    {
        if (inherit_ && accepts(states))
            return kInside;
        return advance(states, name, true);
    }

    // The same without what only "**" lets through: the states in which the
    // name was asked for.
    States step_named(States states, std::string_view name) const
    {
        return advance(states, name, false) & ~accepting();
    }

    // Levels below that can still match; 0: any number.
    unsigned int levels(States states) const
    {
        for (const auto& part : parts_)
            if (part.kind == Component::Kind::AnyDepth)
                return 0;
        if (inherit_ || states == 0)
            return 0;
        return unsigned(parts_.size()) - unsigned(std::countr_zero(states));
    }

private:
    static constexpr States kInside = States{1} << 63;

    bool part_matches(size_t i, std::string_view name) const
    {
        if (parts_[i].kind == Component::Kind::Literal)
            return parts_[i].text == name;
        return parts_[i].glob.matches(name);
    }

    States advance(States states, std::string_view name, bool loops) const
    {
        States next = 0;

        for (States left = states & (accepting() - 1); left; left &= left - 1) {
            const auto i = size_t(std::countr_zero(left));
            if (parts_[i].kind == Component::Kind::AnyDepth)
                next |= loops ? States{1} << i : 0;
            else if (part_matches(i, name))
                next |= States{2} << i;
        }
        return close(next);
    }

    // "**" matches nothing too.
    States close(States states) const
    {
        for (size_t i = 0; i < parts_.size(); i++)
            if ((states >> i & 1) && parts_[i].kind == Component::Kind::AnyDepth)
                states |= States{2} << i;
        return states;
    }

    std::span<const Component> parts_;
    bool inherit_;
};

}  // namespace ll

#endif
