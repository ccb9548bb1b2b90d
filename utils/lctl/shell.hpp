// SPDX-License-Identifier: GPL-2.0-only
/*
 * Entry to what lctl does without a command on its command line. Lives in
 * shell/.
 */
#pragma once

namespace lctl {

class Context;

struct ShellOptions {
    const char* file = nullptr;  // commands to run; nullptr: standard input
    bool ignore_errors = false;  // continue after a command that failed
};

/**
 * Commands from a file, or from standard input: with a prompt, history and
 * completion when that is a terminal.
 *
 * Return: exit status: 0 or the errno of the first error; at a terminal, where
 * errors were seen by who made them, 0.
 */
int run_shell(Context& context, const ShellOptions& options);

/**
 * `lctl --complete WORD...`: what could stand for the last word, a line each,
 * for the completion of shells. The words do not include "lctl". Behind a line
 * that ends with a blank the word is complete; without it the word goes on.
 */
int print_completions(Context& context, int count, char* const* words);

}  // namespace lctl
