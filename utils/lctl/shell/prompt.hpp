// SPDX-License-Identifier: GPL-2.0-only
/* lctl at a terminal: libedit, and the prompt over it. */
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lctl/context.hpp"
#include "lctl/shell/completion.hpp"

#include "lib/error.hpp"

namespace lctl::shell {

/** Result of a completion of the text before the cursor. */
struct Completed {
    std::string text;  // replaces that text
    std::string list;  // printed below it; "" prints nothing
};

class Editor {
public:
    using Completer = std::function<Completed(std::string_view before_cursor)>;

    /** Load libedit, before the first Editor. */
    static ll::Status load();

    /** @history_file: file that saves the lines; "": they are in memory alone. */
    Editor(Completer completer, std::string history_file);
    ~Editor();
    Editor(const Editor&) = delete;
    Editor& operator=(const Editor&) = delete;

    /** False when the terminal cannot be used. */
    bool is_usable() const;

    enum class Result { Line, Interrupted, End };

    /** Read a line, without its newline, into @line. */
    Result read_line(const char* prompt, std::string& line);

    /** Remember a line. */
    void remember(const std::string& line);

    struct State;  // libedit's

private:
    std::unique_ptr<State> state_;
};

/**
 * Read commands at the terminal until quit, exit or the end of the input. A
 * command that fails does not end it.
 *
 * Return: 0, or an errno when the terminal cannot be used.
 */
int run_prompt(Context& context);

/** Complete a line, for Tab; @columns is the width of the terminal. */
Completed complete_line(Completion& completion, std::string_view before_cursor,
                        std::size_t columns);

/** Texts in columns, read downwards, as ls(1) prints them. */
std::string in_columns(const std::vector<std::string>& texts, std::size_t columns);

}  // namespace lctl::shell
