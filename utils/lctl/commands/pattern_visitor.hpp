// SPDX-License-Identifier: GPL-2.0
/*
 * From the patterns on a command line to the entries that are meant.
 */
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "lctl/commands/report.hpp"
#include "lctl/commands/selection.hpp"
#include "lib/function_ref.hpp"

namespace lctl {

class PatternVisitor {
public:
    PatternVisitor(ll::Params& params, const Selection& selection, Report& report);

    /**
     * @named: the pattern names what matches, rather than leaving it to a glob at
     * its end or to a recursion
     */
    using Visitor = ll::FunctionRef<void(const ll::EntryView& entry, bool named)>;

    /**
     * What a pattern matches and the selection accepts goes to @visit; that
     * nothing matches is reported. What a read would change is read only when it
     * is named and accepted, and comes without a value otherwise.
     *
     * Return: false when a failure was reported.
     */
    bool visit(std::string_view pattern, Visitor visit);

private:
    bool is_new(std::string_view path);
    bool must_look_first(const ll::PathSpec& spec) const;
    ll::Result<std::size_t> visit_at_once(const ll::PathSpec& spec, Visitor visit);
    ll::Result<std::size_t> look_and_read(const ll::PathSpec& spec, Visitor visit);

    ll::Params& params_;
    const Selection& selection_;
    Report& report_;
    std::unordered_set<std::string> seen_;
};

}  // namespace lctl
