// SPDX-License-Identifier: GPL-2.0
#include "lctl/commands/pool_targets.hpp"

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

namespace lctl {

namespace {

constexpr std::uint32_t kIndexMax = 0xffff;
constexpr std::string_view kUuid = "_UUID";

ll::Result<std::vector<std::string>> refuse(std::string_view text)
{
    return ll::fail(EINVAL, fmt::format("'{}' is not a target, such as OST0001, or a range, "
                                        "such as OST[0-3,8-f/2]",
                                        text));
}

std::optional<std::uint32_t> hex(std::string_view text)
{
    std::uint32_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, number, 16);

    if (error != std::errc() || at != end || number > kIndexMax)
        return std::nullopt;
    return number;
}

/* What stands before @mark; @text keeps what is behind it. */
std::string_view cut(std::string_view& text, char mark)
{
    const std::size_t at = text.find(mark);
    const std::string_view first = text.substr(0, at);

    text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
    return first;
}

struct Range {
    std::uint32_t first;
    std::uint32_t last;
    std::uint32_t step;
};

/* "3", "0-3", "0-f/2" */
std::optional<Range> parse_range(std::string_view text)
{
    std::string_view step_text = text;
    std::string_view last_text = cut(step_text, '/');
    const bool is_range = last_text.find('-') != std::string_view::npos;
    const std::string_view first_text = cut(last_text, '-');
    const auto first = hex(first_text);
    const auto last = is_range ? hex(last_text) : first;
    const bool has_step = text.find('/') != std::string_view::npos;
    const auto step = has_step ? hex(step_text) : 1;

    if (!first || !last || !step || *step == 0 || *first > *last || (has_step && !is_range))
        return std::nullopt;
    return Range{*first, *last, *step};
}

/* Behind "OST[": "0-3,8]". Return: false where it makes no sense */
bool add_set(std::vector<std::string>& targets, std::string_view head, std::string_view set)
{
    if (set.size() < 2 || !set.ends_with(']'))
        return false;
    set.remove_suffix(1);
    while (!set.empty()) {
        const auto range = parse_range(cut(set, ','));

        if (!range)
            return false;
        for (std::uint32_t index = range->first; index <= range->last; index += range->step)
            targets.push_back(fmt::format("{}{:04x}", head, index));
    }
    return true;
}

}  // namespace

ll::Result<std::vector<std::string>> pool_targets(std::string_view fsname, std::string_view text)
{
    std::vector<std::string> targets;
    std::string_view name = text;

    if (name.ends_with(kUuid))
        name.remove_suffix(kUuid.size());

    const std::string whole =
        name.starts_with("OST") ? fmt::format("{}-{}", fsname, name) : std::string(name);
    const std::size_t open = whole.find('[');

    if (open == std::string::npos) {
        targets.push_back(whole);
        return targets;
    }
    if (!std::string_view(whole).substr(0, open).ends_with("-OST") ||
        !add_set(targets, std::string_view(whole).substr(0, open),
                 std::string_view(whole).substr(open + 1)))
        return refuse(text);
    return targets;
}

}  // namespace lctl
