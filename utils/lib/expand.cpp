// SPDX-License-Identifier: LGPL-2.1-or-later
// Globs, by a queue of partly matched paths: what is literal is never listed,
// and what must be listed is listed many levels at a time.
#include "expand.hpp"

#include <array>
#include <deque>

#include <sys/stat.h>

#include "call.hpp"
#include "expander.hpp"
#include "matcher.hpp"

namespace ll {
namespace {

// Up to so many directories are listed one by one. More of them cost more calls
// than it costs to list all between them and the directory above.
constexpr size_t kFew = 16;

// A path of which some components have matched.
struct Partial {
    std::string path;
    Matcher::States states;
};

// The states at each depth of the entry at hand.
using Levels = std::array<Matcher::States, PARAMS_DEPTH_MAX + 1>;

bool leads_elsewhere(const EntryView& entry)
{
    return entry.is_link() && entry.type == PARAMS_T_DIR;
}

bool leads_down(const EntryView& entry)
{
    return entry.is_dir() || leads_elsewhere(entry);
}

// Where a run of literal components, or of others, that begins at `from` ends.
size_t run_end(std::span<const Component> parts, size_t from, bool literal)
{
    while (from < parts.size() && (parts[from].kind == Component::Kind::Literal) == literal)
        from++;
    return from;
}

void append_to_each(std::vector<std::string>& paths, std::string_view tail)
{
    for (auto& path : paths)
        path += tail;
}

bool has_any_depth(std::span<const Component> parts)
{
    for (const auto& part : parts)
        if (part.kind == Component::Kind::AnyDepth)
            return true;
    return false;
}

}  // namespace

EntryView view_of(std::string_view path, const Entry& entry, std::string_view display)
{
    EntryView view;

    view.path = path;
    view.display = display;
    view.name = raw_name(path);
    view.mode = entry.mode;
    view.type = entry.type;
    view.flags = entry.flags;
    view.version = entry.version;
    return view;
}

Visit Expander::hand_on(const EntryView& entry, EntryVisitor to)
{
    const Visit visit = to(entry);

    stopped_ = visit == Visit::Stop;
    return visit;
}

void Expander::give(std::string_view path, const Entry& entry)
{
    const std::string display = display_ ? display_path(path) : std::string();

    hand_on(view_of(path, entry, display), sink_);
}

// All below `base` that matches `parts`, and below that the targets of links that were named.
Status Expander::match_below(const std::string& base, std::span<const Component> parts,
                             bool inherit, EntryVisitor found)
{
    const Matcher matcher(parts, inherit);
    std::deque<Partial> queue{{base, matcher.start()}};

    for (; !queue.empty() && !stopped_; queue.pop_front()) {
        const Partial from = queue.front();
        Levels levels{from.states};
        if (!from.states)
            continue;
        auto see = [&](const EntryView& entry) {
            const auto above = levels[entry.depth];
            const bool skip = entry.is_link() && !links_;
            const auto here = skip ? 0 : matcher.step(above, entry.name);
            levels[entry.depth + 1] = here;
            if (here && leads_elsewhere(entry))
                queue.push_back({std::string(entry.path), matcher.step_named(above, entry.name)});
            return matcher.accepts(here) ? hand_on(entry, found) : Visit::Continue;
        };
        if (auto done = unless_missing(params_.list(from.path, matcher.levels(from.states), see));
            !done)
            return done;
    }
    return {};
}

// A path that is complete: look it up where that is wanted.
Status Expander::finish(const std::string& path)
{
    if (tail_ == Tail::Leave && !recursive_) {
        give(path, Entry{});
        return {};
    }
    auto entry = params_.stat(path);
    if (!entry && is_missing(entry.error().code))
        return {};
    if (!entry)
        return tl::unexpected(entry.error());
    if (skips(*entry))
        return {};
    give(path, *entry);
    if (stopped_ || !recursive_ || entry->type != PARAMS_T_DIR)
        return {};
    return list_below(path);
}

// A link that a glob leads to is not wanted.
bool Expander::skips(const Entry& entry) const
{
    return !links_ && S_ISLNK(entry.mode) && !spec_.is_literal();
}

Status Expander::list_below(const std::string& path)
{
    auto see = [&](const EntryView& entry) {
        return entry.is_link() && !links_ ? Visit::Continue : hand_on(entry, sink_);
    };

    return params_.list(path, 0, see);
}

// Each path, followed by `tail`.
Status Expander::finish_all(const std::vector<std::string>& paths, std::string_view tail)
{
    std::string whole;

    for (const auto& path : paths) {
        whole.assign(path).append(tail);
        if (auto done = finish(whole); !done)
            return done;
        if (stopped_)
            break;
    }
    return {};
}

// The directories that components [first, last), all globs, lead to.
Status Expander::descend(std::vector<std::string>& paths, size_t first, size_t last)
{
    const auto parts = std::span(spec_.components()).subspan(first, last - first);
    std::vector<std::string> next;

    for (const auto& path : paths) {
        auto keep = [&](const EntryView& entry) {
            if (leads_down(entry))
                next.emplace_back(entry.path);
            return Visit::Continue;
        };
        if (auto done = match_below(path, parts, false, keep); !done)
            return done;
    }
    paths = std::move(next);
    return {};
}

// The last globs, or all at once: [first, end) below each path.
Status Expander::match_rest(const std::vector<std::string>& paths, size_t first)
{
    const auto parts = std::span(spec_.components()).subspan(first);

    for (const auto& path : paths) {
        if (auto done = match_below(path, parts, recursive_, sink_); !done)
            return done;
        if (stopped_)
            break;
    }
    return {};
}

Status Expander::run()
{
    const auto parts = std::span(spec_.components());
    const size_t base = spec_.literal_prefix();
    std::vector<std::string> paths{spec_.raw(0, base)};

    for (size_t at = base; at < parts.size();) {
        const size_t globs = run_end(parts, at, false);
        const size_t literals = run_end(parts, globs, true);
        if (globs == parts.size() || has_any_depth(parts.subspan(at)))
            return match_rest(paths, at);
        if (auto done = descend(paths, at, globs); !done)
            return done;
        const bool look = literals < parts.size() || tail_ == Tail::Verify || recursive_;
        if (look && paths.size() > kFew)
            return match_rest({spec_.raw(0, base)}, base);
        const std::string tail = '/' + spec_.raw(globs, literals);
        if (literals == parts.size())
            return finish_all(paths, tail);
        append_to_each(paths, tail);
        at = literals;
    }
    return finish_all(paths, {});
}

Result<std::vector<Entry>> expand(Params& params, const PathSpec& spec, Tail tail, bool links)
{
    std::vector<Entry> entries;
    auto keep = [&](const EntryView& view) {
        entries.push_back({std::string(view.path), view.mode, view.type, view.flags, view.version});
        return Visit::Continue;
    };

    Expander expander(params, spec, tail, links, false, keep);
    expander.leave_out_display();
    if (auto done = expander.run(); !done)
        return tl::unexpected(done.error());
    return entries;
}

}  // namespace ll
