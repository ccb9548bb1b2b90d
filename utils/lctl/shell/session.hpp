// SPDX-License-Identifier: GPL-2.0
/* Lines run one after the other: what batch and the prompt have in common. */
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lctl/context.hpp"
#include "lctl/shell/tokenizer.hpp"

namespace lctl::shell {

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

}  // namespace lctl::shell
