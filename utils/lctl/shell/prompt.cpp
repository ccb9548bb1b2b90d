// SPDX-License-Identifier: GPL-2.0
#include "lctl/shell/prompt.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

#include "lctl/shell/session.hpp"
#include "lctl/shell/tokenizer.hpp"

namespace lctl::shell {

namespace {

constexpr std::size_t usual_columns = 80;
constexpr std::size_t column_gap = 2;

std::size_t terminal_columns()
{
    winsize size{};

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return usual_columns;
    return size.ws_col;
}

/* History outlives lctl only for who made the file. */
std::string history_file()
{
    const char* const home = std::getenv("HOME");

    if (home == nullptr || *home == '\0')
        return {};
    std::string path = std::string(home) + "/.lctl_history";
    return access(path.c_str(), R_OK | W_OK) == 0 ? path : std::string();
}

/* A whole word as it is typed, in the quotes that it was begun in. */
std::string finished_word(const std::string& text, Ending ending)
{
    if (ending == Ending::SingleQuote && text.find('\'') == std::string::npos)
        return "'" + text + "' ";
    return quote_word(text) + ' ';
}

/* A word that goes on: where it needs quotes they stay open. */
std::string unfinished_word(const std::string& text, Ending ending)
{
    const std::string quoted = quote_word(text);
    const bool is_plain = quoted == text;

    if (is_plain && ending != Ending::SingleQuote && ending != Ending::DoubleQuote)
        return text;
    if (!is_plain)
        return quoted.substr(0, quoted.size() - 1);
    return (ending == Ending::SingleQuote ? '\'' : '"') + text;
}

std::string list_of(const std::vector<Candidate>& candidates, std::size_t columns)
{
    std::vector<std::string> texts;

    texts.reserve(candidates.size());
    for (const Candidate& candidate : candidates)
        texts.push_back(candidate.text.substr(candidate.shown));
    return in_columns(texts, columns);
}

/* A line with those that its backslash joins to it. */
Editor::Result read_whole_line(Editor& editor, std::string& line)
{
    Editor::Result result = editor.read_line("> ", line);

    while (result == Editor::Result::Line && wants_next_line(line)) {
        std::string more;

        result = editor.read_line("... ", more);
        line += '\n' + more;
    }
    return result;
}

}  // namespace

std::string in_columns(const std::vector<std::string>& texts, std::size_t columns)
{
    std::size_t width = 0;
    std::string table;

    for (const std::string& text : texts)
        width = std::max(width, text.size() + column_gap);

    const std::size_t across =
        std::max<std::size_t>(1, (columns + column_gap) / std::max<std::size_t>(width, 1));
    const std::size_t down = (texts.size() + across - 1) / across;
    for (std::size_t row = 0; row < down; row++) {
        for (std::size_t i = row; i < texts.size(); i += down) {
            table += texts[i];
            if (i + down < texts.size())
                table.append(width - texts[i].size(), ' ');
        }
        table += '\n';
    }
    return table;
}

Completed complete_line(Completion& completion, std::string_view before_cursor, std::size_t columns)
{
    Completed completed{std::string(before_cursor), ""};
    const Scan scan = scan_words(before_cursor);
    std::vector<std::string> words = texts_of(scan.words);
    std::string word;
    std::size_t offset = before_cursor.size();

    if (scan.ending == Ending::Comment || scan.ending == Ending::Backslash)
        return completed;
    if (scan.ending != Ending::Blank) {
        word = std::move(words.back());
        words.pop_back();
        offset = scan.words.back().offset;
    }

    const std::vector<Candidate> candidates = completion.complete(words, word);
    const std::string common = common_beginning(candidates);
    completed.text.resize(offset);
    if (candidates.size() == 1 && candidates.front().finished)
        completed.text += finished_word(common, scan.ending);
    else if (common.size() > word.size())
        completed.text += unfinished_word(common, scan.ending);
    else
        completed = {std::string(before_cursor), list_of(candidates, columns)};
    return completed;
}

int run_prompt(Context& context)
{
    if (const auto loaded = Editor::load(); !loaded)
        return context.error("lctl", loaded.error().text, loaded.error().code);

    Completion completion(context, Completion::Where::Prompt);
    Session session(context, Session::Names::Abbreviated);
    Editor editor(
        [&](std::string_view before) {
            return complete_line(completion, before, terminal_columns());
        },
        history_file());

    if (!editor.is_usable())
        return context.error("lctl", "the terminal cannot be used", EIO);
    while (!session.wants_to_end()) {
        std::string line;
        const Editor::Result result = read_whole_line(editor, line);

        if (result == Editor::Result::End)
            break;
        if (result == Editor::Result::Interrupted)
            continue;
        editor.remember(line);
        session.run_line(line, 1);
    }
    return 0;
}

}  // namespace lctl::shell
