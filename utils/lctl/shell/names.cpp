// SPDX-License-Identifier: GPL-2.0-only
#include "lctl/shell/names.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include <sys/stat.h>
#include <uapi/lustre_lite/params_ioctl.h>

namespace lctl::shell {

namespace {

constexpr std::size_t kPageOfNames = 16 * 1024;
// Space for one record with the longest name.
constexpr std::size_t kOneName = PARAMS_ALIGN(sizeof(params_list_rec) + PARAMS_NAME_MAX);
constexpr char kLastByte = '\xff';

std::uint64_t address_of(const void* data)
{
    return reinterpret_cast<std::uintptr_t>(data);
}

/* A name that sorts before @prefix: a listing after it starts at @prefix or shortly before. */
std::string before(std::string_view prefix)
{
    if (prefix.empty())
        return {};

    std::string text(prefix.substr(0, prefix.size() - 1));
    auto byte = static_cast<unsigned char>(prefix.back());
    if (byte == 1)
        return text;
    byte--;
    if (byte == '/')
        byte--;
    text += static_cast<char>(byte);
    if (text.size() < PARAMS_NAME_MAX)
        text += kLastByte;
    return text;
}

/* A name that sorts after those that start with @prefix, unless byte 0xff follows it in them. */
std::string behind(std::string_view prefix)
{
    std::string text(prefix);

    if (text.size() < PARAMS_NAME_MAX)
        text += kLastByte;
    return text;
}

Child child_of(const params_list_rec& head, std::string_view name)
{
    return {
        .name = std::string(name),
        .whole = true,
        .directory = S_ISDIR(head.lr_mode) || head.lr_type == PARAMS_T_DIR,
        .readable = (head.lr_mode & 0444) != 0,
        .writable = (head.lr_mode & 0222) != 0,
    };
}

/* The record at the front of @bytes, which loses it; nothing when it is none. */
std::optional<Child> take_child(std::string_view& bytes)
{
    params_list_rec head{};

    if (bytes.size() < sizeof(head))
        return std::nullopt;
    std::memcpy(&head, bytes.data(), sizeof(head));
    if (head.lr_len < sizeof(head) || head.lr_len > bytes.size() ||
        head.lr_name_len > head.lr_len - sizeof(head))
        return std::nullopt;

    Child child = child_of(head, bytes.substr(sizeof(head), head.lr_name_len));
    bytes.remove_prefix(head.lr_len);
    return child;
}

}  // namespace

/* Children after @after, in order, until the visitor returns false. */
ll::Status PrefixLister::walk(std::string_view directory, std::string after,
                              std::size_t buffer_size, Visitor visit)
{
    const auto buffer = std::make_unique<char[]>(buffer_size);

    for (;;) {
        params_ioc_list call{};

        ll::set_header(&params_ioc_list::pl_hdr, call);
        call.pl_path = address_of(directory.data());
        call.pl_path_len = static_cast<std::uint32_t>(directory.size());
        call.pl_after = address_of(after.data());
        call.pl_after_len = static_cast<std::uint32_t>(after.size());
        call.pl_buf = address_of(buffer.get());
        call.pl_buf_len = static_cast<std::uint32_t>(buffer_size);
        call.pl_depth = 1;
        if (const int got = port_.call(PARAMS_IOC_LIST, &call); got < 0)
            return tl::unexpected(ll::make_error(-got, directory));

        std::string_view bytes(buffer.get(), std::min<std::size_t>(call.pl_used, buffer_size));
        const bool is_empty = bytes.empty();
        while (!bytes.empty()) {
            const auto child = take_child(bytes);
            if (!child)
                return ll::fail(EPROTO, "malformed reply from libcfs (listing)");
            if (!visit(*child))
                return {};
            after = child->name;
        }
        if (call.pl_eof != 0 || is_empty)
            return {};
    }
}

ll::Result<std::vector<Child>> PrefixLister::find(std::string_view directory,
                                                  std::string_view prefix)
{
    std::vector<Child> found;
    const auto status = walk(directory, before(prefix), kPageOfNames, [&](const Child& child) {
        if (child.name.starts_with(prefix))
            found.push_back(child);
        else if (child.name > prefix)
            return false;
        return found.size() <= limit_;
    });

    if (!status)
        return tl::unexpected(status.error());
    if (found.size() > limit_)
        return beginnings(directory, std::string(prefix));
    return found;
}

/* How the names go on after the longest text that all of them begin with. */
ll::Result<std::vector<Child>> PrefixLister::beginnings(std::string_view directory,
                                                        std::string prefix)
{
    for (;;) {
        auto ways = ways_on(directory, prefix);
        if (!ways || ways->size() != 1 || ways->front().whole)
            return ways;
        prefix = ways->front().name;
    }
}

/* @prefix itself if it is a name, and each byte that follows it in a name. */
ll::Result<std::vector<Child>> PrefixLister::ways_on(std::string_view directory,
                                                     std::string_view prefix)
{
    std::vector<Child> ways;
    std::string after = before(prefix);

    for (;;) {
        std::optional<Child> next;
        const auto status = walk(directory, after, kOneName, [&](const Child& child) {
            if (child.name.starts_with(prefix))
                next = child;
            return !next && child.name < prefix;
        });
        if (!status)
            return tl::unexpected(status.error());
        if (!next)
            return ways;
        if (next->name.size() == prefix.size()) {
            after = next->name;
            ways.push_back(std::move(*next));
            continue;
        }

        std::string way = next->name.substr(0, prefix.size() + 1);
        after = std::max(behind(way), next->name);
        if (ways.empty() || ways.back().name != way)
            ways.push_back({.name = std::move(way), .whole = false});
    }
}

namespace {

constexpr std::size_t kNamesShown = 256;        // more are shown by their beginnings
constexpr std::size_t kDirectoriesAsked = 8;    // of those that a glob matches
constexpr std::size_t kNamesLookedAt = 20'000;  // to find these

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

NameCompleter::NameCompleter(ll::KernelPort& port) : params_(port), lister_(port, kNamesShown) {}

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
    for (const std::string& directory : directories(*parent, kDirectoriesAsked)) {
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
        return found.size() < count && seen < kNamesLookedAt ? ll::Visit::Continue
                                                             : ll::Visit::Stop;
    });
    return found;
}

std::string NameCompleter::first_entry(std::string_view typed)
{
    const auto spec = ll::PathSpec::parse(typed);

    if (!spec)
        return {};
    for (std::string& path : directories(*spec, kDirectoriesAsked)) {
        if (params_.stat(path))
            return std::move(path);
    }
    return {};
}

}  // namespace lctl::shell
