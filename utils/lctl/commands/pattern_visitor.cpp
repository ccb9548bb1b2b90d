// SPDX-License-Identifier: GPL-2.0
#include "lctl/commands/pattern_visitor.hpp"

#include "lib/expand.hpp"

namespace lctl {

namespace {

bool ends_in_glob(const ll::PathSpec& spec)
{
    return !spec.components().empty() &&
           spec.components().back().kind != ll::Component::Kind::Literal;
}

}  // namespace

PatternVisitor::PatternVisitor(ll::Params& params, const Selection& selection, Report& report)
    : params_(params), selection_(selection), report_(report)
{
}

bool PatternVisitor::is_new(std::string_view path)
{
    return !selection_.merge || seen_.emplace(path).second;
}

bool PatternVisitor::visit(std::string_view pattern, Visitor visit)
{
    const auto spec = ll::PathSpec::parse(pattern);

    if (!spec) {
        report_.failure(pattern, spec.error());
        return false;
    }

    const bool named = !selection_.recursive && !ends_in_glob(*spec);
    const ll::Query query = {.recursive = selection_.recursive,
                             .values = selection_.style.values,
                             .links = selection_.links};
    const auto found = ll::visit_matching(params_, *spec, query, [&](const ll::EntryView& entry) {
        if (selection_.accepts(entry) && is_new(entry.path))
            visit(entry, named);
        return ll::Visit::Continue;
    });

    if (!found)
        report_.failure(pattern, found.error());
    else if (*found == 0)
        report_.missing(params_, *spec);
    return found && *found != 0;
}

}  // namespace lctl
