// SPDX-License-Identifier: LGPL-2.1-or-later
#include "number.hpp"

#include <cerrno>
#include <charconv>

namespace ll {
namespace {

tl::unexpected<Error> no_number(std::string_view text)
{
    return fail(EINVAL, '\'' + std::string(text) + "' is not a number");
}

tl::unexpected<Error> too_large(std::string_view text, uint64_t max)
{
    return fail(ERANGE, '\'' + std::string(text) + "' is above " + std::to_string(max));
}

// Power of two of a suffix: "", "K", "KB", "kiB", ...; -1 for none of them.
int suffix_shift(std::string_view suffix)
{
    static constexpr std::string_view letters = "KMGTPE";

    if (suffix.empty())
        return 0;
    const char c = suffix[0];
    const auto at = letters.find(c >= 'a' && c <= 'z' ? char(c - 32) : c);
    if (at == std::string_view::npos)
        return -1;
    suffix.remove_prefix(1);
    if (!suffix.empty() && suffix != "iB" && suffix != "B" && suffix != "i")
        return -1;
    return int(at + 1) * 10;
}

// A fraction keeps 9 digits, so that 2^60 times it fits in 128 bits.
constexpr uint64_t kUnit = 1000000000;

// ".5" off the front of `rest`; false when no digit follows the point.
bool take_fraction(std::string_view& rest, uint64_t& fraction)
{
    uint64_t place = kUnit / 10;
    size_t i = 1;

    if (!rest.starts_with('.'))
        return true;
    for (; i < rest.size() && rest[i] >= '0' && rest[i] <= '9'; i++, place /= 10)
        fraction += uint64_t(rest[i] - '0') * place;
    rest.remove_prefix(i);
    return i > 1;
}

}  // namespace

Result<uint64_t> parse_number(std::string_view text, uint64_t max)
{
    std::string_view digits = text;
    int base = 10;

    if (digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) {
        digits.remove_prefix(2);
        base = 16;
    }
    uint64_t number = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, number, base);
    if (error == std::errc::result_out_of_range && stop == end)
        return too_large(text, max);
    if (error != std::errc{} || stop != end)
        return no_number(text);
    if (number > max)
        return too_large(text, max);
    return number;
}

Result<uint64_t> parse_size(std::string_view text)
{
    const char* end = text.data() + text.size();
    uint64_t whole = 0, fraction = 0;

    auto [at, error] = std::from_chars(text.data(), end, whole);
    if (error == std::errc::result_out_of_range)
        return too_large(text, UINT64_MAX);
    if (error != std::errc{})
        return no_number(text);
    std::string_view rest(at, size_t(end - at));
    if (!take_fraction(rest, fraction))
        return no_number(text);
    const int shift = suffix_shift(rest);
    if (shift < 0)
        return no_number(text);
    if (shift == 0 && fraction)
        return fail(EINVAL, '\'' + std::string(text) + "' is a fraction of a byte");
    __extension__ using Wide = unsigned __int128;
    const Wide number = ((Wide(whole) * kUnit + fraction) << shift) / kUnit;
    if (number > UINT64_MAX)
        return too_large(text, UINT64_MAX);
    return uint64_t(number);
}

}  // namespace ll
