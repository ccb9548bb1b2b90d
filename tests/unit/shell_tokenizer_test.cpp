// SPDX-License-Identifier: GPL-2.0-only
/* Lines to words: quotes, backslashes, comments, places of errors. */
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "cmocka.hpp"
#include "lctl/shell/tokenizer.hpp"

using namespace lctl::shell;
using Words = std::vector<std::string>;

namespace {

struct Split {
    const char* text;
    Words words;
};

const Split splits[] = {
    {"", {}},
    {"   \t ", {}},
    {"get_param timeout", {"get_param", "timeout"}},
    {"  a\tb\r", {"a", "b"}},
    {"'single quoted'", {"single quoted"}},
    {"\"double quoted\"", {"double quoted"}},
    {"''", {""}},
    {"a''b", {"ab"}},
    {"a' 'b\" \"c", {"a b c"}},
    {"'a\\b'", {"a\\b"}},
    {R"("a\"b")", {"a\"b"}},
    {R"("a\\b")", {"a\\b"}},
    {R"("a\.b")", {R"(a\.b)"}},
    {"\"it's\"", {"it's"}},
    {"'say \"x\"'", {"say \"x\""}},
    {R"(a\ b)", {"a b"}},
    {R"(a\'b)", {"a'b"}},
    {R"(a\\b)", {R"(a\b)"}},
    {R"(\#a)", {"#a"}},
    // the same name, bare and as it is quoted for another shell
    {R"(get_param a.b\.c)", {"get_param", R"(a.b\.c)"}},
    {R"(get_param 'a.b\.c')", {"get_param", R"(a.b\.c)"}},
    {R"(get_param "a.b\.c")", {"get_param", R"(a.b\.c)"}},
    {R"(a\*b)", {R"(a\*b)"}},
    {"osc.*.[ab]?{c,d}", {"osc.*.[ab]?{c,d}"}},
    {"# all of it", {}},
    {"a # the rest", {"a"}},
    {"a#b", {"a#b"}},
    {"a '#' b", {"a", "#", "b"}},
    {"x=a=b", {"x=a=b"}},
    {"a \\\n b", {"a", "b"}},
    {"a\\\nb", {"ab"}},
    {"\"a\\\nb\"", {"ab"}},
    {"a # comment\nb", {"a", "b"}},
};

void words_are_split_as_a_shell_does(void**)
{
    for (const Split& split : splits) {
        const auto words = split_words(split.text);

        if (!words)
            fail_msg("%s: %s", split.text, words.error().message.c_str());
        if (texts_of(*words) != split.words)
            fail_msg("wrong words from: %s", split.text);
    }
}

struct Refusal {
    const char* text;
    Place place;
    const char* part;
};

const Refusal refusals[] = {
    {"a 'b", {7, 3}, "quote '"},       {"a \"b", {7, 3}, "quote \""},
    {"a \"b\\\"", {7, 3}, "quote \""}, {"'a\\", {7, 1}, "quote '"},
    {"abc \\", {7, 5}, "backslash"},   {"ab \\\n  'c", {8, 3}, "quote '"},
};

void errors_have_line_and_column(void**)
{
    for (const Refusal& refusal : refusals) {
        const auto words = split_words(refusal.text, 7);

        assert_false(words.has_value());
        assert_int_equal(words.error().place.line, refusal.place.line);
        assert_int_equal(words.error().place.column, refusal.place.column);
        assert_non_null(strstr(words.error().message.c_str(), refusal.part));
    }
}

void a_nul_byte_is_refused(void**)
{
    const auto words = split_words(std::string_view("ab\0c", 4), 2);

    assert_false(words.has_value());
    assert_int_equal(words.error().place.line, 2);
    assert_int_equal(words.error().place.column, 3);
}

void words_know_their_place(void**)
{
    const auto words = split_words("ab 'c' \\\n  d", 3);

    assert_true(words.has_value());
    assert_int_equal(words->size(), 3);
    assert_int_equal((*words)[1].place.line, 3);
    assert_int_equal((*words)[1].place.column, 4);
    assert_int_equal((*words)[1].offset, 3);
    assert_int_equal((*words)[2].place.line, 4);
    assert_int_equal((*words)[2].place.column, 3);
}

void only_an_open_backslash_wants_the_next_line(void**)
{
    assert_true(wants_next_line("a \\"));
    assert_true(wants_next_line("\"a \\"));
    assert_false(wants_next_line("a \\\\"));
    assert_false(wants_next_line("a # b \\"));
    assert_false(wants_next_line("'a \\"));
    assert_false(wants_next_line("a"));
}

void unfinished_text_tells_what_it_is_in(void**)
{
    assert_int_equal(scan_words("").ending, Ending::Blank);
    assert_int_equal(scan_words("a ").ending, Ending::Blank);
    assert_int_equal(scan_words("a").ending, Ending::Word);
    assert_int_equal(scan_words("a 'b").ending, Ending::SingleQuote);
    assert_int_equal(scan_words("a \"").ending, Ending::DoubleQuote);
    assert_int_equal(scan_words("a # b").ending, Ending::Comment);
    assert_string_equal(scan_words("a \"").words.back().text.c_str(), "");
    assert_string_equal(scan_words("a 'b c").words.back().text.c_str(), "b c");
}

void a_quoted_word_comes_back(void**)
{
    const Words words = {"",      "a",       "a b",     "it's",      "\"",      "'\"",  "a\\",
                         "a\\\\", R"(a\.b)", R"(a\ b)", R"('\" x\)", "#a",      "a#b",  R"(\#)",
                         "\t",    "x=1",     "{a,b}",   "a\\'b",     "a\\\"b'", "\\'\\"};

    for (const std::string& word : words) {
        const auto back = split_words(quote_word(word));

        if (!back || back->size() != 1 || back->front().text != word)
            fail_msg("%s does not come back from %s", word.c_str(), quote_word(word).c_str());
    }
    assert_string_equal(quote_word(R"(a\.b)").c_str(), R"(a\.b)");
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(words_are_split_as_a_shell_does),
        cmocka_unit_test(errors_have_line_and_column),
        cmocka_unit_test(a_nul_byte_is_refused),
        cmocka_unit_test(words_know_their_place),
        cmocka_unit_test(only_an_open_backslash_wants_the_next_line),
        cmocka_unit_test(unfinished_text_tells_what_it_is_in),
        cmocka_unit_test(a_quoted_word_comes_back),
    };

    return cmocka_run_group_tests_name("shell_tokenizer", tests, nullptr, nullptr);
}
