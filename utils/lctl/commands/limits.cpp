// SPDX-License-Identifier: GPL-2.0
#include "lctl/commands/limits.hpp"

#include "lib/number.hpp"

namespace lctl {

std::string parse_limits(const Arguments& arguments, Limits& limits)
{
    constexpr std::uint64_t kLongest = 10ULL * 365 * 24 * 3600;

    if (const Given* count = arguments.find("count")) {
        const auto number = ll::parse_number(*count->argument);

        if (!number || *number == 0)
            return "--count '" + std::string(*count->argument) + "' is not a number above 0";
        limits.count = *number;
    }
    if (const Given* timeout = arguments.find("timeout")) {
        const auto number = ll::parse_number(*timeout->argument, kLongest);

        if (!number)
            return "--timeout: " + number.error().text;
        limits.until = std::chrono::steady_clock::now() + std::chrono::seconds(*number);
    }
    return {};
}

}  // namespace lctl
