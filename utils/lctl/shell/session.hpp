// SPDX-License-Identifier: GPL-2.0-only
/* Commands one after the other: lines of a file, a run over them, a whole batch. */
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "lctl/context.hpp"
#include "lctl/shell/tokenizer.hpp"

namespace lctl::shell {

/** A line with those that a backslash at its end joins to it. */
struct Line {
    std::string text;
    std::size_t number;  // of its first line, from 1
};

class LineReader {
public:
    /** @fd stays the caller's. */
    explicit LineReader(int fd) : fd_(fd) {}

    /**
     * Return: the next line, nothing at the end of the input, or the errno of
     * a read that failed.
     */
    tl::expected<std::optional<Line>, int> next();

private:
    tl::expected<bool, int> fill();
    tl::expected<std::optional<std::string>, int> physical_line();

    int fd_;
    std::size_t number_ = 0;  // lines handed out
    bool at_end_ = false;
    std::string buffer_;  // read and not handed out
};

/** Words that only a session knows: quit, exit, ignore_errors. */
std::span<const std::string_view> session_words();

class Session {
public:
    enum class Names {
        Whole,        // in batch: a command added later must not change a script
        Abbreviated,  // at the prompt: any beginning that fits one command only
    };

    /** Errors name @source and the line; without a source they stand alone. */
    Session(Context& context, Names names, std::string_view source = {})
        : context_(context), names_(names), source_(source)
    {
    }

    /**
     * Run the line that begins at @number.
     *
     * Return: its status: 0 or an errno. Output is written out.
     */
    int run_line(std::string_view text, std::size_t number);

    /** Return: status of what failed first, or 0. */
    int first_error() const { return first_error_; }

    bool wants_to_end() const { return ended_; }

    bool ignores_errors() const { return ignore_errors_; }
    void ignore_errors() { ignore_errors_ = true; }

private:
    int run_words(std::vector<std::string> words);
    bool run_session_word(const std::vector<std::string>& words);
    bool complete_name(std::string& name);
    int refuse(const SyntaxError& error);
    int finish(int status);

    Context& context_;
    Names names_;
    std::string source_;
    bool ignore_errors_ = false;
    bool ended_ = false;
    int first_error_ = 0;
};

/**
 * Run the lines of @fd until the first that fails, or all of them with
 * @ignore_errors or after a line "ignore_errors". Errors name @source and the
 * line.
 *
 * Return: status of what failed first, or 0.
 */
int run_batch(Context& context, int fd, std::string_view source, bool ignore_errors);

}  // namespace lctl::shell
