// SPDX-License-Identifier: GPL-2.0
#include "lctl/shell/name_completer.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace lctl::shell {

namespace {

constexpr std::size_t names_shown = 256;         // more are shown by their beginnings
constexpr std::size_t directories_asked = 8;     // of those that a glob matches
constexpr std::size_t names_looked_at = 20'000;  // to find these

/* Offsets of the separators that no backslash or quote takes away, last first. */
std::vector<std::size_t> separators(std::string_view typed)
{
    std::vector<std::size_t> found;
    char quote = 0;

    for (std::size_t i = 0; i < typed.size(); i++) {
        const char c = typed[i];

        if (c == '\\')
            i++;
        else if (quote != 0)
            quote = c == quote ? '\0' : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else if (c == '.' || c == '/')
            found.push_back(i);
    }
    std::reverse(found.begin(), found.end());
    return found;
}

/* The bytes that a name begins with when it was typed as far as @begun. */
std::string raw_beginning(std::string_view begun)
{
    std::string raw;

    for (std::size_t i = 0; i < begun.size(); i++) {
        if (begun[i] == '\\' && i + 1 < begun.size())
            i++;
        if (begun[i] != '\\')
            raw += begun[i];
    }
    return raw;
}

std::string joined(std::string_view parent, std::string_view name)
{
    std::string path(parent);

    if (!path.empty())
        path += '/';
    path += name;
    return path;
}

bool by_text(const NameMatch& a, const NameMatch& b)
{
    return a.text < b.text;
}

bool same_text(const NameMatch& a, const NameMatch& b)
{
    return a.text == b.text;
}

}  // namespace

NameCompleter::NameCompleter(ll::KernelPort& port) : params_(port), lister_(port, names_shown) {}

std::vector<NameMatch> NameCompleter::complete(std::string_view typed)
{
    std::vector<NameMatch> matches;

    // A dot may belong to the component that is being typed ("exports.10.0."):
    // take the longest parent that exists.
    for (const std::size_t at : separators(typed)) {
        if (complete_below(typed.substr(0, at + 1), typed.substr(at + 1), matches))
            break;
    }
    if (matches.empty())
        complete_below({}, typed, matches);
    std::sort(matches.begin(), matches.end(), by_text);
    matches.erase(std::unique(matches.begin(), matches.end(), same_text), matches.end());
    return matches;
}

/* Return: whether there was a name; @parent_typed ends in its separator or is empty. */
bool NameCompleter::complete_below(std::string_view parent_typed, std::string_view begun,
                                   std::vector<NameMatch>& matches)
{
    if (ll::Pattern::has_glob(begun))
        return false;

    const std::string_view parent_text =
        parent_typed.empty() ? parent_typed : parent_typed.substr(0, parent_typed.size() - 1);
    const auto parent = ll::PathSpec::parse(parent_text);
    if (!parent)
        return false;

    const std::string beginning = raw_beginning(begun);
    for (const std::string& directory : directories(*parent, directories_asked)) {
        const auto children = lister_.find(directory, beginning);
        if (!children)
            continue;
        for (const Child& child : *children) {
            NameMatch match{std::string(parent_typed), parent_typed.size(), child.whole,
                            child.directory,           child.readable,      child.writable};
            ll::append_display(match.text, ll::raw_name(directory), child.name);
            matches.push_back(std::move(match));
        }
    }
    return !matches.empty();
}

/* Up to @count raw paths that @spec may mean; those without a glob are not looked up. */
std::vector<std::string> NameCompleter::directories(const ll::PathSpec& spec, std::size_t count)
{
    std::vector<std::string> paths = {""};

    for (const ll::Component& component : spec.components()) {
        std::vector<std::string> next;

        for (const std::string& path : paths) {
            if (component.kind == ll::Component::Kind::Literal)
                next.push_back(joined(path, component.text));
            else if (component.kind == ll::Component::Kind::Glob && next.size() < count)
                std::ranges::move(children_like(path, component.glob, count - next.size()),
                                  std::back_inserter(next));
        }
        paths = std::move(next);
    }
    return paths;
}

std::vector<std::string> NameCompleter::children_like(const std::string& parent,
                                                      const ll::Pattern& glob, std::size_t count)
{
    std::vector<std::string> found;
    std::size_t seen = 0;

    // What was found before an error is as good as it would be without one.
    (void)params_.list(parent, 1, [&](const ll::EntryView& entry) {
        if (glob.matches(entry.name))
            found.emplace_back(entry.path);
        seen++;
        return found.size() < count && seen < names_looked_at ? ll::Visit::Continue
                                                              : ll::Visit::Stop;
    });
    return found;
}

std::string NameCompleter::first_entry(std::string_view typed)
{
    const auto spec = ll::PathSpec::parse(typed);

    if (!spec)
        return {};
    for (std::string& path : directories(*spec, directories_asked)) {
        if (params_.stat(path))
            return std::move(path);
    }
    return {};
}

}  // namespace lctl::shell
