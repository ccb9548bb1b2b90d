// SPDX-License-Identifier: GPL-2.0-only
/* What could stand for an unfinished word: commands, options, names, values. */
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lctl/command.hpp"
#include "lctl/context.hpp"

namespace lctl::shell {

struct Candidate {
    std::string text;       // for the whole word
    bool finished = true;   // false: the word goes on ("osc.", "timeout=")
    std::size_t shown = 0;  // where in the text begins what a list need show
};

class Completion {
public:
    enum class Where {
        CommandLine,  // of another shell: global options stand before the command
        Prompt,       // lctl's own: quit and similar words are commands
    };

    Completion(Context& context, Where where) : context_(context), where_(where) {}

    /**
     * @before: the words before the one that is being typed, without "lctl"
     * @word: what there is of it, without quotes
     *
     * Return: candidates, sorted; none when nothing fits or can be asked.
     */
    std::vector<Candidate> complete(std::span<const std::string> before, std::string_view word);

private:
    using Candidates = std::vector<Candidate>;

    void first_word(std::string_view word, Candidates& found);
    void command_word(const Command& command, std::span<const std::string> before,
                      std::string_view word, Candidates& found);
    void option_name(std::span<const Option* const> options, std::string_view word,
                     Candidates& found);
    void option_argument(const Option& option, std::string_view head, std::string_view word,
                         Candidates& found);
    void operand(const Command& command, std::string_view last, std::string_view word,
                 Candidates& found);
    void of_kind(Complete kind, std::string_view word, Candidates& found);
    void parameter(std::string_view word, bool writable, Candidates& found);
    void value(std::string_view name, std::string_view head, std::string_view word,
               Candidates& found);
    void debug_name(std::string_view word, Candidates& found);
    void device_name(std::string_view word, Candidates& found);
    void of_service(Complete kind, std::string_view word, Candidates& found);
    void command_name(std::string_view word, Candidates& found);

    Context& context_;
    Where where_;
};

/** The longest text that all candidates begin with. */
std::string common_beginning(const std::vector<Candidate>& candidates);

/**
 * `lctl --complete WORD...`: what could stand for the last word, a line each,
 * for the completion of shells. The words do not include "lctl". Behind a line
 * that ends with a blank the word is complete; without it the word goes on.
 */
int print_completions(Context& context, int count, char* const* words);

}  // namespace lctl::shell
