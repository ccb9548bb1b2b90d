// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suggest.hpp"

#include <algorithm>

#include "expander.hpp"

namespace ll {

size_t edit_distance(std::string_view a, std::string_view b, size_t limit)
{
    if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > limit)
        return limit + 1;
    // Rows of the table of distances between beginnings: two above, above, this.
    std::vector<size_t> old(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); j++)
        above[j] = j;
    for (size_t i = 1; i <= a.size(); i++) {
        row[0] = i;
        for (size_t j = 1; j <= b.size(); j++) {
            const size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], old[j - 2] + 1);
        }
        old.swap(above);
        above.swap(row);
    }
    return std::min(above[b.size()], limit + 1);
}

std::string_view nearest_name(std::string_view typed, std::span<const std::string_view> names)
{
    constexpr size_t kMost = 2;
    std::string_view best;
    size_t least = kMost + 1;

    for (const std::string_view name : names) {
        const size_t edits = name.starts_with(typed) ? 0 : edit_distance(typed, name, kMost);
        if (edits < least && edits < typed.size()) {
            least = edits;
            best = name;
        }
    }
    return best;
}

std::string did_you_mean(std::string_view name)
{
    return name.empty() ? std::string() : "; did you mean '" + std::string(name) + "'?";
}

namespace {

constexpr size_t kMostDirectories = 4;  // whose children are looked at

struct Candidate {
    size_t distance;
    std::string path;  // raw
    bool operator<(const Candidate& other) const
    {
        return distance != other.distance ? distance < other.distance : path < other.path;
    }
};

// Paths that the first `count` components of `spec` lead to.
std::vector<std::string> lead_to(Params& params, const PathSpec& spec, size_t count)
{
    const auto part = spec.beginning(count);
    std::vector<std::string> paths;
    auto keep = [&](const EntryView& entry) {
        paths.emplace_back(entry.path);
        return paths.size() < kMostDirectories ? Visit::Continue : Visit::Stop;
    };

    (void)Expander(params, part, Tail::Verify, true, false, keep).run();
    return paths;
}

// The component that nothing matches, and the directories in which it does not.
size_t stops_at(Params& params, const PathSpec& spec, std::vector<std::string>& directories)
{
    directories = {""};
    for (size_t at = 0; at < spec.components().size(); at++) {
        auto next = lead_to(params, spec, at + 1);
        if (next.empty())
            return at;
        directories = std::move(next);
    }
    return spec.components().size();
}

// The text after the wrong component is kept if it exists there.
void keep_tail(Params& params, const std::string& tail, std::vector<Candidate>& found)
{
    for (auto& candidate : found) {
        const std::string whole = candidate.path + '/' + tail;
        if (params.stat(whole))
            candidate.path = whole;
        else
            candidate.distance++;
    }
}

// A name that goes on where the typed one ends is near, too.
size_t rate(std::string_view typed, std::string_view name, size_t limit)
{
    if (typed.size() >= 2 && name.starts_with(typed))
        return 1;
    return edit_distance(typed, name, limit);
}

void collect(Params& params, const std::string& directory, std::string_view typed,
             std::vector<Candidate>& found)
{
    const size_t limit = std::max<size_t>(1, typed.size() / 3);
    auto see = [&](const EntryView& entry) {
        const size_t distance = rate(typed, entry.name, limit);
        if (distance <= limit)
            found.push_back({distance, std::string(entry.path)});
        return Visit::Continue;
    };

    (void)params.list(directory, 1, see);
}

}  // namespace

std::vector<std::string> near_names(Params& params, const PathSpec& spec, size_t count)
{
    const auto& parts = spec.components();
    std::vector<std::string> directories, names;
    std::vector<Candidate> found;
    const size_t at = stops_at(params, spec, directories);

    if (at == parts.size() || parts[at].kind != Component::Kind::Literal)
        return names;
    for (const auto& directory : directories)
        collect(params, directory, parts[at].text, found);
    if (at + 1 < parts.size() && spec.is_literal())
        keep_tail(params, spec.raw(at + 1, parts.size()), found);
    std::sort(found.begin(), found.end());
    found.resize(std::min(found.size(), count));
    for (const auto& candidate : found)
        names.push_back(display_path(candidate.path));
    return names;
}

}  // namespace ll
