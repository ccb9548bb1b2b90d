// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pattern.hpp"

#include <algorithm>
#include <cerrno>

#include <lustre_lite/pattern.h>
#include <uapi/lustre_lite/params_ioctl.h>

namespace ll {
namespace {

constexpr size_t kMaxAlternatives = 1024;  // that braces may multiply to
constexpr size_t kMaxBytes = 64 * 1024;    // of all alternatives together

// Where the top-level commas between text[first] and text[last] cut it.
std::vector<std::string_view> split_braces(std::string_view inside)
{
    std::vector<std::string_view> parts;
    size_t begin = 0;

    for (size_t i = 0; i < inside.size();) {
        if (inside[i] == '{') {
            const size_t end = Pattern::brace_end(inside, i);
            i = end == std::string_view::npos ? i + 1 : end;
            continue;
        }
        if (inside[i] == ',') {
            parts.push_back(inside.substr(begin, i - begin));
            begin = i + 1;
        }
        i += Pattern::unit(inside, i);
    }
    parts.push_back(inside.substr(begin));
    return parts;
}

// First '{' from `from` on that opens alternatives; "{}" is itself.
size_t find_brace(std::string_view text, size_t from)
{
    for (size_t i = from; i < text.size();) {
        const size_t end = text[i] == '{' ? Pattern::brace_end(text, i) : std::string_view::npos;
        if (end == std::string_view::npos) {
            i += Pattern::unit(text, i);
            continue;
        }
        if (end > i + 2)
            return i;
        i = end;
    }
    return std::string_view::npos;
}

}  // namespace

size_t Pattern::unit(std::string_view text, size_t at)
{
    const size_t size = params_pattern_unit(text.data() + at, text.size() - at, false);

    return size != 0 ? size : 1;
}

size_t Pattern::brace_end(std::string_view text, size_t at)
{
    size_t depth = 0;

    for (size_t i = at; i < text.size(); i += unit(text, i)) {
        if (text[i] == '{')
            depth++;
        else if (text[i] == '}' && --depth == 0)
            return i + 1;
    }
    return std::string_view::npos;
}

bool Pattern::has_glob(std::string_view text)
{
    const size_t brace = find_brace(text, 0);

    for (size_t i = 0; i < text.size(); i += unit(text, i))
        if (i == brace || text[i] == '*' || text[i] == '?' || (text[i] == '[' && unit(text, i) > 1))
            return true;
    return false;
}

Status Pattern::add_alternative(std::string text)
{
    bytes_ += text.size();
    alternatives_.push_back(std::move(text));
    if (alternatives_.size() > kMaxAlternatives || bytes_ > kMaxBytes)
        return fail(E2BIG,
                    "braces make more than " + std::to_string(kMaxAlternatives) + " alternatives");
    return {};
}

// Adds an alternative for each combination of the braces in `text` that start at `from` or later.
Status Pattern::add_alternatives(const std::string& text, size_t from)
{
    const size_t at = find_brace(text, from);

    if (at == std::string::npos)
        return add_alternative(text);
    const size_t end = brace_end(text, at);
    const std::string_view all = text;
    for (auto part : split_braces(all.substr(at + 1, end - at - 2))) {
        std::string one(all.substr(0, at));
        one.append(part).append(all.substr(end));
        if (auto done = add_alternatives(one, at); !done)
            return done;
    }
    return {};
}

Result<Pattern> Pattern::parse(std::string_view text)
{
    Pattern pattern;

    if (text.size() > PARAMS_PATH_MAX)
        return fail(ENAMETOOLONG,
                    "a pattern is longer than " + std::to_string(PARAMS_PATH_MAX) + " bytes");
    if (auto done = pattern.add_alternatives(std::string(text), 0); !done)
        return tl::unexpected(done.error());
    pattern.matches_all_ = pattern.alternatives_.size() == 1 && !text.empty() &&
                           text.find_first_not_of('*') == std::string_view::npos;
    return pattern;
}

bool Pattern::matches(std::string_view name) const
{
    return matches_all_ || std::ranges::any_of(alternatives_, [&](const std::string& one) {
               return params_pattern_match(one.data(), one.size(), name.data(), name.size());
           });
}

}  // namespace ll
