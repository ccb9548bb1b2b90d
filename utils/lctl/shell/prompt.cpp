// SPDX-License-Identifier: GPL-2.0-only
#include "lctl/shell/prompt.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <utility>

#include <histedit.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lctl/lazy_library.hpp"
#include "lctl/shell/session.hpp"
#include "lctl/shell/tokenizer.hpp"

/* libedit, which the prompt alone needs. */
#define LIBEDIT_FUNCTIONS(DO) \
    DO(el_deletestr)          \
    DO(el_end)                \
    DO(el_get)                \
    DO(el_gets)               \
    DO(el_init)               \
    DO(el_insertstr)          \
    DO(el_line)               \
    DO(el_reset)              \
    DO(el_set)                \
    DO(el_wline)              \
    DO(history)               \
    DO(history_end)           \
    DO(history_init)

namespace lctl::shell {

namespace {

// Set when the library is loaded.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
LIBEDIT_FUNCTIONS(LL_LAZY_DECLARE);

}  // namespace

struct Editor::State {
    EditLine* edit = nullptr;
    History* history = nullptr;
    std::string history_file;
    const char* prompt = "";
    sigset_t mask{};  // while a character is waited for
    Completer completer;
};

namespace {

LL_LAZY_NOTE(libedit_note, "prompt", "libedit.so.2");

constexpr int kLinesKept = 1000;

Editor::State* state_of(EditLine* edit)
{
    void* data = nullptr;

    el_get(edit, EL_CLIENTDATA, &data);
    return static_cast<Editor::State*>(data);
}

/* libedit does not change the text. */
char* prompt_of(EditLine* edit)
{
    return const_cast<char*>(state_of(edit)->prompt);
}

/* Tab. */
unsigned char complete(EditLine* edit, int /*key*/)
{
    const LineInfo* const line = el_line(edit);
    const std::string_view before(line->buffer,
                                  static_cast<std::size_t>(line->cursor - line->buffer));
    const Completed completed = state_of(edit)->completer(before);
    const bool is_changed = completed.text != before;

    if (!completed.list.empty()) {
        std::fputc('\n', stdout);
        std::fputs(completed.list.c_str(), stdout);
        std::fflush(stdout);
    }
    if (is_changed) {
        // It counts characters, which in a UTF-8 locale are not bytes.
        const LineInfoW* const wide = el_wline(edit);

        el_deletestr(edit, static_cast<int>(wide->cursor - wide->buffer));
        if (!completed.text.empty() && el_insertstr(edit, completed.text.c_str()) != 0)
            return CC_ERROR;
    } else if (completed.list.empty()) {
        return CC_REFRESH_BEEP;
    }
    return completed.list.empty() ? CC_REFRESH : CC_REDISPLAY;
}

/*
 * SIGINT ends the line that is typed, not lctl. It is let through only while a
 * character is waited for, so that none comes unseen before that.
 */
class InterruptCatcher {
public:
    InterruptCatcher()
    {
        struct sigaction action {};
        sigset_t interrupt;

        // Being caught is all: the wait then fails with EINTR.
        action.sa_handler = [](int) {};
        sigemptyset(&action.sa_mask);
        sigaction(SIGINT, &action, &action_before_);
        sigemptyset(&interrupt);
        sigaddset(&interrupt, SIGINT);
        sigprocmask(SIG_BLOCK, &interrupt, &mask_before_);
    }
    ~InterruptCatcher()
    {
        sigaction(SIGINT, &action_before_, nullptr);
        sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
    }
    InterruptCatcher(const InterruptCatcher&) = delete;
    InterruptCatcher& operator=(const InterruptCatcher&) = delete;

    const sigset_t& mask_to_wait_with() const { return mask_before_; }

private:
    struct sigaction action_before_ {};
    sigset_t mask_before_{};
};

/* Return: 1; 0 at the end; -1 and errno, EINTR for SIGINT. */
ssize_t read_byte(int fd, const sigset_t& mask, char* byte)
{
    pollfd wanted{.fd = fd, .events = POLLIN, .revents = 0};

    if (::ppoll(&wanted, 1, nullptr, &mask) < 0)
        return -1;
    return ::read(fd, byte, 1);
}

/* A character from the terminal, for libedit. */
int read_character(EditLine* edit, wchar_t* character)
{
    std::mbstate_t state{};

    for (;;) {
        char byte;
        const ssize_t got = read_byte(STDIN_FILENO, state_of(edit)->mask, &byte);

        if (got <= 0)
            return static_cast<int>(got);

        const std::size_t used = std::mbrtowc(character, &byte, 1, &state);
        if (used <= 1)
            return 1;
        // No character of this locale: left out.
        if (used == static_cast<std::size_t>(-1))
            state = {};
    }
}

void bind_keys(EditLine* edit)
{
    el_set(edit, EL_EDITOR, "emacs");
    el_set(edit, EL_GETCFN, read_character);
    el_set(edit, EL_ADDFN, "lctl-complete", "complete the word", complete);
    el_set(edit, EL_BIND, "^I", "lctl-complete", nullptr);
    el_set(edit, EL_BIND, "^R", "em-inc-search-prev", nullptr);
}

}  // namespace

ll::Status Editor::load()
{
    return LL_LAZY_LOAD("libedit.so.2", LIBEDIT_FUNCTIONS);
}

Editor::Editor(Completer completer, std::string history_file) : state_(std::make_unique<State>())
{
    HistEvent event;

    state_->completer = std::move(completer);
    state_->history_file = std::move(history_file);
    state_->edit = el_init("lctl", stdin, stdout, stderr);
    state_->history = history_init();
    if (!is_usable())
        return;
    history(state_->history, &event, H_SETSIZE, kLinesKept);
    history(state_->history, &event, H_SETUNIQUE, 1);
    if (!state_->history_file.empty())
        history(state_->history, &event, H_LOAD, state_->history_file.c_str());
    el_set(state_->edit, EL_CLIENTDATA, state_.get());
    el_set(state_->edit, EL_PROMPT, prompt_of);
    el_set(state_->edit, EL_HIST, pointer_to(history), state_->history);
    bind_keys(state_->edit);
}

Editor::~Editor()
{
    HistEvent event;

    if (state_->history != nullptr && !state_->history_file.empty())
        history(state_->history, &event, H_SAVE, state_->history_file.c_str());
    if (state_->edit != nullptr)
        el_end(state_->edit);
    if (state_->history != nullptr)
        history_end(state_->history);
}

bool Editor::is_usable() const
{
    return state_->edit != nullptr && state_->history != nullptr;
}

Editor::Result Editor::read_line(const char* prompt, std::string& line)
{
    const InterruptCatcher catcher;
    int length = 0;

    state_->prompt = prompt;
    state_->mask = catcher.mask_to_wait_with();
    // Before the prompt is seen, or what is typed at once is read as lines are.
    el_set(state_->edit, EL_PREP_TERM, 1);
    errno = 0;
    const char* const text = el_gets(state_->edit, &length);
    if (text == nullptr || length <= 0) {
        std::fputc('\n', stdout);
        std::fflush(stdout);
        if (length >= 0 || errno != EINTR)
            return Result::End;
        el_reset(state_->edit);
        return Result::Interrupted;
    }
    line.assign(text, static_cast<std::size_t>(length));
    while (line.ends_with('\n') || line.ends_with('\r'))
        line.pop_back();
    return Result::Line;
}

void Editor::remember(const std::string& line)
{
    HistEvent event;

    if (line.find_first_not_of(" \t") != std::string::npos)
        history(state_->history, &event, H_ENTER, line.c_str());
}

namespace {

constexpr std::size_t kUsualColumns = 80;
constexpr std::size_t kColumnGap = 2;

std::size_t terminal_columns()
{
    winsize size{};

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return kUsualColumns;
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
        width = std::max(width, text.size() + kColumnGap);

    const std::size_t across =
        std::max<std::size_t>(1, (columns + kColumnGap) / std::max<std::size_t>(width, 1));
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
