// SPDX-License-Identifier: GPL-2.0
#include "lctl/commands/assignment.hpp"

namespace lctl {

namespace {

/* The first '=' that no backslash or quote makes part of the name. */
std::size_t find_equals(std::string_view word)
{
    char quote = '\0';

    for (std::size_t i = 0; i < word.size(); i++) {
        const char c = word[i];

        if (c == '\\' && quote == '\0')
            i++;
        else if (c == quote)
            quote = '\0';
        else if (quote == '\0' && (c == '"' || c == '\''))
            quote = c;
        else if (quote == '\0' && c == '=')
            return i;
    }
    return std::string_view::npos;
}

}  // namespace

std::string_view assigned_name(std::string_view word)
{
    return word.substr(0, find_equals(word));
}

tl::expected<std::vector<Assignment>, std::string> parse_assignments(
    std::span<const std::string_view> words)
{
    std::vector<Assignment> assignments;

    for (std::size_t i = 0; i < words.size(); i++) {
        const std::string_view word = words[i];
        const std::size_t equals = find_equals(word);

        if (equals != std::string_view::npos)
            assignments.push_back({word.substr(0, equals), word.substr(equals + 1)});
        else if (i + 1 < words.size())
            assignments.push_back({word, words[++i]});
        else
            return tl::unexpected("no value for '" + std::string(word) +
                                  "'; use NAME=VALUE or NAME VALUE");
        if (assignments.back().name.empty())
            return tl::unexpected("no name in '" + std::string(word) + "'; use NAME=VALUE");
    }
    return assignments;
}

}  // namespace lctl
