// SPDX-License-Identifier: GPL-2.0
#include "lctl/commands/net_time.hpp"

#include <optional>
#include <string_view>

namespace lctl {

namespace {

/* Digits, a point and up to three more digits: thousandths. */
std::optional<std::uint64_t> thousandths(std::string_view text)
{
    constexpr std::string_view digits = "0123456789";
    const std::size_t point = text.find('.');
    const std::string_view whole = text.substr(0, point);
    std::string fraction(point == std::string_view::npos ? "" : text.substr(point + 1));

    if (whole.empty() || whole.size() > 9 || fraction.size() > 3 ||
        (point != std::string_view::npos && fraction.empty()))
        return std::nullopt;
    fraction.resize(3, '0');

    const std::string all = std::string(whole) + fraction;

    if (all.find_first_not_of(digits) != std::string::npos)
        return std::nullopt;
    return std::stoull(all);
}

std::optional<std::uint64_t> milliseconds(std::string_view text)
{
    std::uint64_t divisor = 1;

    if (text.ends_with("ms")) {
        divisor = 1000;
        text.remove_suffix(2);
    } else if (text.ends_with("s")) {
        text.remove_suffix(1);
    }

    const auto number = thousandths(text);

    if (!number || *number % divisor != 0)
        return std::nullopt;
    return *number / divisor;
}

}  // namespace

std::string parse_time_ms(const Given& given, std::uint32_t max, std::uint32_t& ms)
{
    const auto number = milliseconds(*given.argument);

    if (!number)
        return "--" + std::string(given.option->name) + "=" + std::string(*given.argument) +
               " is not a time, such as 2, 0.25, 2s or 250ms";
    if (*number == 0 || *number > max)
        return "--" + std::string(given.option->name) + "=" + std::string(*given.argument) +
               " is not between 1ms and " + std::to_string(max / 1000) + "s";
    ms = std::uint32_t(*number);
    return {};
}

}  // namespace lctl
