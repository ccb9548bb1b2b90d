// SPDX-License-Identifier: GPL-2.0-only
#include <cerrno>
#include <ctime>

#include "cmocka.hpp"
#include "lib/pattern.hpp"

using namespace ll;

namespace {

struct Case {
    const char* pattern;
    const char* name;
    bool matches;
};

constexpr Case cases[] = {
    {"", "", true},
    {"", "a", false},
    {"a", "a", true},
    {"a", "ab", false},
    {"*", "", true},
    {"*", "anything.at all", true},
    {"**", "x", true},
    {"a*", "a", true},
    {"a*", "ba", false},
    {"*a", "bca", true},
    {"*a", "ab", false},
    {"a*b*c", "aXbYc", true},
    {"a*b*c", "aXbY", false},
    {"*ab*", "aab", true},
    {"?", "a", true},
    {"?", "", false},
    {"??", "a", false},
    {"a?c", "abc", true},
    {"[abc]", "b", true},
    {"[abc]", "d", false},
    {"[!abc]", "d", true},
    {"[^abc]", "a", false},
    {"[a-c]x", "bx", true},
    {"[a-c]x", "dx", false},
    {"[a-]", "-", true},
    {"[-a]", "-", true},
    {"[a-c-e]", "-", true},
    {"[a-c-e]", "d", false},
    {"[]a]", "]", true},
    {"[!]a]", "]", false},
    {"[!]a]", "b", true},
    {"[\\]]", "]", true},
    {"[a\\-c]", "b", false},
    {"[a\\-c]", "-", true},
    {"[z-a]", "m", false},
    {"[abc", "[abc", true},
    {"[", "[", true},
    {"a[", "a[", true},
    {"[]", "[]", true},
    {"[!]", "[!]", true},
    {"[\xc3-\xc5]", "\xc4", true},
    {"{a,b}", "a", true},
    {"{a,b}", "b", true},
    {"{a,b}", "c", false},
    {"x{a,bb}y", "xbby", true},
    {"{a,}x", "x", true},
    {"{a,}x", "ax", true},
    {"{a,b{c,d}}", "bd", true},
    {"{a,b{c,d}}", "b", false},
    {"{a}", "a", true},
    {"{}", "{}", true},
    {"{a", "{a", true},
    {"a}", "a}", true},
    {"{a,b", "{a,b", true},
    {"{*a,b?}", "xxa", true},
    {"{*a,b?}", "bz", true},
    {"{[,],x}", ",", true},
    {"{[,],x}", "x", true},
    {"{a\\,b,c}", "a,b", true},
    {"{a\\,b,c}", "a", false},
    {"{a,b}{c,d}", "bc", true},
    {"{a,b}{c,d}", "ab", false},
    {"\\*", "*", true},
    {"\\*", "a", false},
    {"\\{a,b\\}", "{a,b}", true},
    {"\\[a]", "[a]", true},
    {"a\\", "a\\", true},
    {"\\\\", "\\", true},
    {"lustre-OST*-osc-[!M]*", "lustre-OST0000-osc-ffff8", true},
    {"lustre-OST*-osc-[!M]*", "lustre-OST0000-osc-MDT0000", false},
    {"*.*", "a.b", true},
};

void globs_match_as_described(void**)
{
    for (const auto& one : cases) {
        auto pattern = Pattern::parse(one.pattern);
        assert_true(pattern.has_value());
        if (pattern->matches(one.name) != one.matches) {
            print_error("'%s' against '%s'\n", one.pattern, one.name);
            fail_here();
        }
    }
}

void glob_characters_are_found(void**)
{
    for (const char* text : {"*", "a?", "x[a]", "{a,b}", "{a}"})
        assert_true(Pattern::has_glob(text));
    for (const char* text : {"", "abc", "\\*", "[", "[abc", "{}", "{a", "a}", "\\{a,b}", "a\\?"})
        assert_false(Pattern::has_glob(text));
}

void a_star_alone_is_known(void**)
{
    assert_true(Pattern::parse("*")->matches_all());
    assert_true(Pattern::parse("**")->matches_all());
    assert_false(Pattern::parse("?")->matches_all());
    assert_false(Pattern::parse("{*,*}")->matches_all());
}

void braces_cannot_multiply_without_end(void**)
{
    std::string text;

    for (int i = 0; i < 10; i++)
        text += "{a,b}";
    assert_true(Pattern::parse(text)->matches("ababababab"));
    text += "{a,b}";
    assert_int_equal(Pattern::parse(text).error().code, E2BIG);
    assert_int_equal(Pattern::parse(std::string(5000, 'a')).error().code, ENAMETOOLONG);
    // Few alternatives, but long ones.
    assert_int_equal(
        Pattern::parse(std::string(3000, 'a') + "{a,b}{a,b}{a,b}{a,b}{a,b}").error().code, E2BIG);
}

// A naive matcher needs exponential time here.
void many_stars_take_no_time(void**)
{
    std::string stars;

    for (int i = 0; i < 60; i++)
        stars += "a*";
    const auto pattern = Pattern::parse(stars + "b");
    const clock_t begin = clock();
    assert_false(pattern->matches(std::string(255, 'a')));
    assert_true(double(clock() - begin) / CLOCKS_PER_SEC < 1);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(globs_match_as_described),
        cmocka_unit_test(glob_characters_are_found),
        cmocka_unit_test(a_star_alone_is_known),
        cmocka_unit_test(braces_cannot_multiply_without_end),
        cmocka_unit_test(many_stars_take_no_time),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
