// SPDX-License-Identifier: LGPL-2.1-or-later
// Reading and writing all that a name with globs means.
#include <algorithm>

#include <sys/stat.h>

#include "call.hpp"
#include "expander.hpp"

namespace ll {
namespace {

constexpr size_t kMostLookups = 64;  // of reread_dots()

// Counts what a visitor saw, and leaves out what is not wanted.
class Counter {
public:
    Counter(EntryVisitor visit, bool links) : visit_(visit), links_(links) {}

    Visit operator()(const EntryView& entry)
    {
        if (!links_ && entry.is_link())
            return Visit::Continue;
        count_++;
        stopped_ = visit_(entry) == Visit::Stop;
        return stopped_ ? Visit::Stop : Visit::Continue;
    }

    size_t count() const { return count_; }
    bool stopped() const { return stopped_; }

private:
    EntryVisitor visit_;
    size_t count_ = 0;
    bool links_;
    bool stopped_ = false;
};

// Reads paths. Missing entries are skipped; a directory has no value and no error.
Status read_paths(Params& params, const PathList& paths, bool literal, Counter& counter)
{
    auto see = [&](const EntryView& entry) {
        EntryView one = entry;
        if (is_missing(one.status) && !(literal && one.status == ENODEV))
            return Visit::Continue;
        if (one.status == EISDIR) {
            one.status = 0;
            one.mode = S_ISDIR(one.mode) ? one.mode : uint16_t(S_IFDIR | 0555);
            one.type = PARAMS_T_DIR;
        }
        return counter(one);
    };

    return paths.empty() ? Status{} : params.read_many(paths, see);
}

Status visit_names(Params& params, const PathSpec& spec, const Query& query, Counter& counter)
{
    auto see = [&](const EntryView& entry) { return counter(entry); };

    return Expander(params, spec, Tail::Verify, query.links, query.recursive, see).run();
}

Status visit_values(Params& params, const PathSpec& spec, const Query& query, Counter& counter)
{
    PathList paths;
    auto keep = [&](const EntryView& entry) {
        paths.add(entry.path);
        return Visit::Continue;
    };
    const Tail tail = query.links ? Tail::Leave : Tail::Verify;

    if (auto done = Expander(params, spec, tail, query.links, false, keep).run(); !done)
        return done;
    return read_paths(params, paths, spec.is_literal(), counter);
}

// Is it a directory's name followed by "*", so that a recursion takes all?
bool takes_all(const PathSpec& spec)
{
    const auto& parts = spec.components();
    const size_t globs = parts.size() - spec.literal_prefix();

    if (globs == 2)  // "**" has become "**" and "*"
        return parts[parts.size() - 2].kind == Component::Kind::AnyDepth &&
               parts.back().glob.matches_all();
    return globs == 1 && parts.back().glob.matches_all();
}

// The entry itself, and all below it if there is anything.
Status visit_tree(Params& params, const Entry& entry, Counter& counter)
{
    const std::string display = display_path(entry.path);
    auto see = [&](const EntryView& below) { return counter(below); };

    if (counter(view_of(entry.path, entry, display)) == Visit::Stop || entry.type != PARAMS_T_DIR)
        return {};
    return unless_missing(params.read_subtree(entry.path, see));
}

// Runs of values are read in one go, subtrees each by themselves.
Status visit_trees(Params& params, const PathSpec& spec, const Query& query, Counter& counter)
{
    const bool literal = spec.is_literal();
    auto entries = expand(params, spec, Tail::Verify, query.links);
    PathList paths;

    if (!entries)
        return tl::unexpected(entries.error());
    for (const auto& entry : *entries) {
        const bool skip = (entry.flags & PARAMS_EF_VOLATILE) && !literal;
        if (!skip && entry.type != PARAMS_T_DIR) {
            paths.add(entry.path);
            continue;
        }
        auto done = read_paths(params, paths, literal, counter);
        paths.clear();
        if (done && !counter.stopped())
            done = visit_tree(params, entry, counter);
        if (!done || counter.stopped())
            return done;
    }
    return read_paths(params, paths, literal, counter);
}

Status visit_one(Params& params, const PathSpec& spec, const Query& query, Counter& counter)
{
    if (!query.values)
        return visit_names(params, spec, query, counter);
    if (takes_all(spec) &&
        (query.recursive || spec.literal_prefix() + 2 == spec.components().size())) {
        auto see = [&](const EntryView& entry) { return counter(entry); };
        return unless_missing(params.read_subtree(spec.raw(0, spec.literal_prefix()), see));
    }
    return query.recursive ? visit_trees(params, spec, query, counter)
                           : visit_values(params, spec, query, counter);
}

// Tries, left to right, ever more components as one name.
class DotReader {
public:
    DotReader(Params& params, const PathSpec& spec) : params_(params), end_(spec.literal_prefix())
    {
    }

    std::optional<PathSpec> find(const std::string& above, size_t at, const PathSpec& spec,
                                 size_t end)
    {
        if (at == end)
            return end < end_ ? std::optional(spec) : std::nullopt;
        std::string path = above;
        for (size_t last = at; last < end && lookups_ < kMostLookups; last++) {
            path += last > at ? "." : above.empty() ? "" : "/";
            path += spec.components()[last].text;
            lookups_++;
            if (params_.stat(path)) {
                auto found = find(path, at + 1, spec.joined(at, last), end - (last - at));
                if (found)
                    return found;
            }
            if (!spec.components()[last].dot_follows)
                break;
        }
        return std::nullopt;
    }

private:
    Params& params_;
    size_t end_;  // literal components as typed
    size_t lookups_ = 0;
};

// A callback may return the same errno; only of an entry there is a version.
bool has_no_entry(const Write& write, const WriteReply& reply)
{
    return write.optional && is_missing(reply.status) && reply.version == 0;
}

// Finds out by a trial which optional writes have no entry.
Status drop_missing(Params& params, std::vector<Write>& writes)
{
    auto trial = params.write_many(writes, {false, true});
    size_t kept = 0;

    if (!trial)
        return tl::unexpected(trial.error());
    for (size_t i = 0; i < writes.size(); i++)
        if (!has_no_entry(writes[i], trial->replies[i]))
            std::swap(writes[kept++], writes[i]);
    writes.resize(kept);
    return {};
}

}  // namespace

std::optional<PathSpec> reread_dots(Params& params, const PathSpec& spec)
{
    const size_t end = spec.literal_prefix();

    return DotReader(params, spec).find("", 0, spec, end);
}

Result<size_t> visit_matching(Params& params, const PathSpec& spec, Query query, EntryVisitor visit)
{
    Counter counter(visit, query.links || spec.is_literal());

    auto done = visit_one(params, spec, query, counter);
    if (done && counter.count() == 0)
        if (auto other = reread_dots(params, spec))
            done = visit_one(params, *other, query, counter);
    if (!done)
        return tl::unexpected(done.error());
    return counter.count();
}

Result<std::vector<Write>> plan_writes(Params& params, const PathSpec& spec, std::string_view text)
{
    const bool literal = spec.is_literal();
    std::vector<Write> writes;
    bool found = false;
    auto plan = [&](const EntryView& entry) {
        found = true;
        if (entry.is_dir() && !literal)
            return Visit::Continue;
        Write& write = writes.emplace_back();
        write.path = entry.path;
        write.value = text;
        write.optional = entry.mode == 0;
        return Visit::Continue;
    };
    auto search = [&](const PathSpec& meant) {
        Expander expander(params, meant, literal ? Tail::Verify : Tail::Leave, true, false, plan);
        expander.leave_out_display();
        return expander.run();
    };

    Status done = search(spec);
    if (done && !found)
        if (auto other = reread_dots(params, spec))
            done = search(*other);
    if (!done)
        return tl::unexpected(done.error());
    return writes;
}

// Optional writes that have no entry are taken out: after the fact, or, where
// that would be too late, after a trial.
Result<SetResult> write_planned(Params& params, std::vector<Write> writes, WriteMode mode)
{
    const bool optional =
        std::any_of(writes.begin(), writes.end(), [](const Write& w) { return w.optional; });
    SetResult result;

    if (optional && mode.atomic)
        if (auto done = drop_missing(params, writes); !done)
            return tl::unexpected(done.error());
    if (writes.empty())
        return result;
    auto batch = params.write_many(writes, mode);
    if (!batch)
        return tl::unexpected(batch.error());
    result.paths.reserve(writes.size());
    result.batch.replies.reserve(writes.size());
    for (size_t i = 0; i < writes.size(); i++) {
        auto& reply = batch->replies[i];
        if (has_no_entry(writes[i], reply))
            continue;
        result.batch.failed += reply.status != 0;
        result.paths.push_back(std::move(writes[i].path));
        result.batch.replies.push_back(std::move(reply));
    }
    return result;
}

}  // namespace ll
