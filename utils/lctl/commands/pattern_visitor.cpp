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

/* Which entries a value is wanted of has to be known before any is read: a read
 * may change something. A recursion leaves out such entries by itself. */
bool PatternVisitor::must_look_first(const ll::PathSpec& spec) const
{
    return selection_.style.values && !selection_.recursive &&
           (ends_in_glob(spec) || selection_.has_filter());
}

ll::Result<std::size_t> PatternVisitor::visit_at_once(const ll::PathSpec& spec, Visitor visit)
{
    const bool named = !selection_.recursive && !ends_in_glob(spec);
    const ll::Query query = {.recursive = selection_.recursive,
                             .values = selection_.style.values,
                             .links = selection_.links};

    return ll::visit_matching(params_, spec, query, [&](const ll::EntryView& entry) {
        if (selection_.accepts(entry) && is_new(entry.path))
            visit(entry, named);
        return ll::Visit::Continue;
    });
}

ll::Result<std::size_t> PatternVisitor::look_and_read(const ll::PathSpec& spec, Visitor visit)
{
    const bool named = !ends_in_glob(spec);
    const ll::Query query = {.values = false, .links = selection_.links};
    ll::PathList paths;
    auto found = ll::visit_matching(params_, spec, query, [&](const ll::EntryView& entry) {
        if (!selection_.accepts(entry) || !is_new(entry.path))
            return ll::Visit::Continue;
        if (entry.is_dir() || (entry.is_volatile() && !named))
            visit(entry, named);
        else
            paths.add(entry.path);
        return ll::Visit::Continue;
    });

    if (!found || paths.empty())
        return found;

    const auto read = params_.read_many(paths, [&](const ll::EntryView& entry) {
        visit(entry, named);
        return ll::Visit::Continue;
    });

    if (!read)
        return tl::unexpected(read.error());
    return found;
}

bool PatternVisitor::visit(std::string_view pattern, Visitor visit)
{
    const auto spec = ll::PathSpec::parse(pattern);

    if (!spec) {
        report_.failure(pattern, spec.error());
        return false;
    }

    const auto found =
        must_look_first(*spec) ? look_and_read(*spec, visit) : visit_at_once(*spec, visit);

    if (!found)
        report_.failure(pattern, found.error());
    else if (*found == 0)
        report_.missing(params_, *spec);
    return found && *found != 0;
}

}  // namespace lctl
