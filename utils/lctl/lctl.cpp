// SPDX-License-Identifier: GPL-2.0
/*
 * What stands before the command, and the end of the run.
 */
#include "lctl/lctl.hpp"

#include <cerrno>
#include <cstring>

#include "lctl/command.hpp"
#include "lctl/context.hpp"
#include "lctl/shell.hpp"
#include "lctl/version.hpp"

namespace lctl {

namespace {

int global_usage_error(Context& context, std::string_view complaint)
{
    context.err.put("lctl: ");
    context.err.put(complaint);
    context.err.put(". See 'lctl --help'.\n");
    context.err.flush();
    return EINVAL;
}

/* "--batch=FILE" or "--batch FILE"; moves *index to the last word used. */
const char* batch_file(int argc, char* const* argv, int* index)
{
    static constexpr std::string_view kName = "--batch";
    const char* word = argv[*index];

    if (word[kName.size()] == '=')
        return word + kName.size() + 1;
    return *index + 1 < argc ? argv[++*index] : nullptr;
}


/* A word that ends the run by itself; false: it is another. */
bool run_informative(Context& context, std::string_view word)
{
    if (word == "--help" || word == "-h")
        print_overview(context);
    else if (word == "--list-commands")
        print_command_names(context);
    else if (word == "--version" || word == "-V")
        print_tool_version(context);
    else
        return false;
    return true;
}

int run_words(Context& context, int argc, char* const* argv)
{
    ShellOptions options;

    for (int i = 1; i < argc; i++) {
        const std::string_view word = argv[i];

        if (!word.starts_with('-'))
            return run_command(context, argc - i, argv + i);
        if (run_informative(context, word))
            return 0;
        if (word == "--complete")
            return print_completions(context, argc - i - 1, argv + i + 1);
        if (word == "--ignore_errors" || word == "--ignore-errors") {
            options.ignore_errors = true;
        } else if (word == "--batch" || word.starts_with("--batch=")) {
            options.file = batch_file(argc, argv, &i);
            if (options.file == nullptr)
                return global_usage_error(context, "option '--batch' needs a FILE");
        } else {
            return global_usage_error(context, "unrecognized option '" + std::string(word) + "'");
        }
    }
    return run_shell(context, options);
}

}  // namespace

int run_lctl(Context& context, int argc, char* const* argv)
{
    int status = run_words(context, argc, argv);

    context.out.flush();
    if (context.out.error() != 0 && status == 0)
        status = context.error("lctl", "standard output: " + ll::errno_text(context.out.error()),
                               context.out.error());
    context.err.flush();
    return status;
}

}  // namespace lctl
