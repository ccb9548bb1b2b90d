// SPDX-License-Identifier: GPL-2.0-only
#include "lctl/shell/tokenizer.hpp"

#include <fmt/format.h>

namespace lctl::shell {

namespace {

bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool is_quote(char c)
{
    return c == '\'' || c == '"';
}

/* One pass over the text; which characters mean what depends on the quote. */
class Scanner {
public:
    Scanner(std::string_view text, std::size_t first_line) : text_(text)
    {
        here_.line = first_line;
    }

    Scan run()
    {
        while (offset_ < text_.size())
            step(text_[offset_]);
        if (scan_.ending != Ending::Backslash)
            scan_.ending = ending();
        return std::move(scan_);
    }

private:
    void step(char c)
    {
        if (c == '\0' && !scan_.nul)
            scan_.nul = here_;
        if (c == '\\' && quote_ != '\'')
            backslash();
        else if (quote_ != 0)
            quoted(c);
        else if (is_blank(c))
            blank();
        else if (c == '#' && !in_word_)
            comment();
        else if (is_quote(c))
            open(c);
        else
            add(c);
    }

    void quoted(char c)
    {
        if (c != quote_) {
            add(c);
            return;
        }
        quote_ = 0;
        advance();
    }

    void open(char c)
    {
        begin_word();
        quote_ = c;
        scan_.open = here_;
        advance();
    }

    void blank()
    {
        in_word_ = false;
        advance();
    }

    void comment()
    {
        in_comment_ = true;
        while (offset_ < text_.size() && text_[offset_] != '\n')
            advance();
        if (offset_ < text_.size())
            in_comment_ = false;
    }

    /* The backslash at the cursor, and what it is in front of. */
    void backslash()
    {
        const std::size_t after = offset_ + 1;

        if (after >= text_.size()) {
            scan_.ending = Ending::Backslash;
            scan_.open = here_;
            advance();
        } else if (text_[after] == '\n') {
            advance();
            advance();
        } else if (takes_meaning(text_[after])) {
            begin_word();
            advance();
            add(text_[offset_]);
        } else {
            add('\\');
        }
    }

    bool takes_meaning(char c) const
    {
        if (quote_ != 0)
            return c == '"' || c == '\\';
        return is_blank(c) || is_quote(c) || c == '#' || c == '\\';
    }

    void begin_word()
    {
        if (!in_word_)
            scan_.words.push_back({"", here_, offset_});
        in_word_ = true;
    }

    void add(char c)
    {
        begin_word();
        scan_.words.back().text += c;
        advance();
    }

    void advance()
    {
        if (text_[offset_] == '\n') {
            here_.line++;
            here_.column = 0;
        }
        here_.column++;
        offset_++;
    }

    Ending ending() const
    {
        if (quote_ != 0)
            return quote_ == '"' ? Ending::DoubleQuote : Ending::SingleQuote;
        if (in_comment_)
            return Ending::Comment;
        return in_word_ ? Ending::Word : Ending::Blank;
    }

    std::string_view text_;
    std::size_t offset_ = 0;
    Place here_;
    char quote_ = 0;
    bool in_word_ = false;
    bool in_comment_ = false;
    Scan scan_;
};

bool is_plain(std::string_view text)
{
    return text.find_first_of(" \t\r\n'\"") == std::string_view::npos && text.front() != '#';
}

/* What split_words() makes of a backslash that stands before @next. */
bool stays(std::string_view text, std::size_t offset)
{
    return offset + 1 < text.size() && text[offset + 1] != '\\' && text[offset + 1] != '#';
}

bool backslashes_stay(std::string_view text)
{
    for (std::size_t i = 0; i < text.size(); i++) {
        if (text[i] == '\\' && !stays(text, i))
            return false;
    }
    return true;
}

}  // namespace

Scan scan_words(std::string_view text, std::size_t first_line)
{
    return Scanner(text, first_line).run();
}

tl::expected<std::vector<Word>, SyntaxError> split_words(std::string_view text,
                                                         std::size_t first_line)
{
    Scan scan = scan_words(text, first_line);

    if (scan.nul)
        return tl::unexpected(SyntaxError{*scan.nul, "a NUL byte: not a text"});
    switch (scan.ending) {
        case Ending::SingleQuote:
        case Ending::DoubleQuote:
            return tl::unexpected(SyntaxError{
                scan.open, fmt::format("the quote {} is not closed on its line",
                                       scan.ending == Ending::SingleQuote ? '\'' : '"')});
        case Ending::Backslash:
            return tl::unexpected(
                SyntaxError{scan.open, "nothing follows the backslash at the end"});
        default:
            return std::move(scan.words);
    }
}

bool wants_next_line(std::string_view text)
{
    return scan_words(text).ending == Ending::Backslash;
}

std::vector<std::string> texts_of(const std::vector<Word>& words)
{
    std::vector<std::string> texts;

    texts.reserve(words.size());
    for (const Word& word : words)
        texts.push_back(word.text);
    return texts;
}

std::string quote_word(std::string_view text)
{
    if (!text.empty() && is_plain(text) && backslashes_stay(text))
        return std::string(text);
    if (text.find('\'') == std::string_view::npos)
        return fmt::format("'{}'", text);

    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            quoted += '\\';
        quoted += c;
    }
    return quoted + '"';
}

}  // namespace lctl::shell
