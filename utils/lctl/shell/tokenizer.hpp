// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lines of text to words, the way a shell does it.
 *
 * - Blanks separate words. A `#` at the beginning of a word starts a comment
 *   that ends with the line.
 * - Between single quotes every character is itself. Between double quotes a
 *   backslash takes its meaning from `"` and `\` only.
 * - Outside quotes a backslash takes its meaning from a blank, a quote, `#` and
 *   a backslash, and goes. Before any other character it stays, because it then
 *   belongs to a parameter's name: `a\.b` reaches the command as it is. So what
 *   list_param prints can be typed as it is, and what is quoted for another
 *   shell, 'a\.b', means the same here.
 * - A backslash at the end of a line joins the next one to it. A quoted text
 *   otherwise ends on the line on which it began.
 */
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace lctl::shell {

/** A place in the text, counted from 1. */
struct Place {
    std::size_t line = 1;
    std::size_t column = 1;
};

struct Word {
    std::string text;    // without the quotes and backslashes that were interpreted
    Place place;         // where it begins
    std::size_t offset;  // the same, in bytes from the beginning of the text
};

/** What the end of the text is in the middle of. */
enum class Ending { Blank, Word, Comment, SingleQuote, DoubleQuote, Backslash };

struct Scan {
    std::vector<Word> words;
    Ending ending = Ending::Blank;
    Place open;  // where the quote or backslash that the end is in the middle of stands
    std::optional<Place> nul;  // the first NUL byte, which no word can hold
};

struct SyntaxError {
    Place place;
    std::string message;
};

/**
 * Split a text that may be unfinished, as completion meets it.
 *
 * The word that the text breaks off in is the last of the words; it has the
 * characters seen so far.
 */
Scan scan_words(std::string_view text, std::size_t first_line = 1);

/** Split a whole text; an open quote is an error, a comment is skipped. */
tl::expected<std::vector<Word>, SyntaxError> split_words(std::string_view text,
                                                         std::size_t first_line = 1);

/** True if the text ends in a backslash that joins the next line to it. */
bool wants_next_line(std::string_view text);

/** The words alone. */
std::vector<std::string> texts_of(const std::vector<Word>& words);

/** Write a word so that split_words() gives it back. */
std::string quote_word(std::string_view text);

}  // namespace lctl::shell
