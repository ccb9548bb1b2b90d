// SPDX-License-Identifier: GPL-2.0-only
#include <cerrno>

#include "cmocka.hpp"
#include "lib/number.hpp"

using namespace ll;

namespace {

struct Case {
    const char* text;
    uint64_t number;
    int error;
};

constexpr Case numbers[] = {
    {"0", 0, 0},
    {"42", 42, 0},
    {"0x1f", 31, 0},
    {"0XfF", 255, 0},
    {"18446744073709551615", UINT64_MAX, 0},
    {"18446744073709551616", 0, ERANGE},
    {"0x10000000000000000", 0, ERANGE},
    {"", 0, EINVAL},
    {" 1", 0, EINVAL},
    {"1 ", 0, EINVAL},
    {"-1", 0, EINVAL},
    {"+1", 0, EINVAL},
    {"0x", 0, EINVAL},
    {"1x", 0, EINVAL},
    {"abc", 0, EINVAL},
    {"99999999999999999999999x", 0, EINVAL},
};

constexpr Case sizes[] = {
    {"0", 0, 0},
    {"7", 7, 0},
    {"1K", 1024, 0},
    {"1k", 1024, 0},
    {"2KiB", 2048, 0},
    {"2kB", 2048, 0},
    {"3M", 3 << 20, 0},
    {"1.5M", 3 << 19, 0},
    {"0.5G", 1 << 29, 0},
    {"1T", uint64_t{1} << 40, 0},
    {"1P", uint64_t{1} << 50, 0},
    {"15E", uint64_t{15} << 60, 0},
    {"15.5E", uint64_t{31} << 59, 0},
    {"16E", 0, ERANGE},
    {"18446744073709551616", 0, ERANGE},
    {"18446744073709551615K", 0, ERANGE},
    {"1.5", 0, EINVAL},
    {"1.0", 1, 0},
    {"1.", 0, EINVAL},
    {".5K", 0, EINVAL},
    {"1Q", 0, EINVAL},
    {"1KK", 0, EINVAL},
    {"1 K", 0, EINVAL},
    {"", 0, EINVAL},
    {"-1K", 0, EINVAL},
    {"0.0009765625K", 0, 0},
};

void check(const Case& one, const Result<uint64_t>& got)
{
    if (bool(got) != (one.error == 0) || (got && *got != one.number) ||
        (!got && got.error().code != one.error)) {
        print_error("'%s': got %llu error %d\n", one.text,
                    static_cast<unsigned long long>(got ? *got : 0), got ? 0 : got.error().code);
        fail_here();
    }
    if (!got)
        assert_true(got.error().text.find(one.text) != std::string::npos);
}

void numbers_are_parsed_whole(void**)
{
    for (const auto& one : numbers)
        check(one, parse_number(one.text));
}

void numbers_have_a_limit(void**)
{
    assert_true(parse_number("8", 8).has_value());
    assert_int_equal(parse_number("9", 8).error().code, ERANGE);
    assert_text(parse_number("9", 8).error().text, "'9' is above 8");
}

void sizes_take_suffixes_and_fractions(void**)
{
    for (const auto& one : sizes)
        check(one, parse_size(one.text));
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_parsed_whole),
        cmocka_unit_test(numbers_have_a_limit),
        cmocka_unit_test(sizes_take_suffixes_and_fractions),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
