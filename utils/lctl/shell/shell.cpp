// SPDX-License-Identifier: GPL-2.0-only
#include "lctl/shell.hpp"

#include <cerrno>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "lctl/context.hpp"
#include "lctl/shell/session.hpp"
#include "lctl/shell/completion.hpp"
#include "lctl/shell/prompt.hpp"
#include "lib/fd.hpp"

namespace lctl {

int run_shell(Context& context, const ShellOptions& options)
{
    if (options.file != nullptr) {
        const ll::Fd file(::open(options.file, O_RDONLY | O_CLOEXEC));

        if (!file)
            return context.error("lctl", ll::make_error(errno, options.file));
        return shell::run_batch(context, file.get(), options.file, options.ignore_errors);
    }
    if (isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1)
        return shell::run_prompt(context);
    return shell::run_batch(context, STDIN_FILENO, "<stdin>", options.ignore_errors);
}

int print_completions(Context& context, int count, char* const* words)
{
    std::vector<std::string> before(words, words + count);
    std::string word;

    if (!before.empty()) {
        word = std::move(before.back());
        before.pop_back();
    }

    shell::Completion completion(context, shell::Completion::Where::CommandLine);
    for (const shell::Candidate& candidate : completion.complete(before, word)) {
        // A newline in a name would make two of it.
        if (candidate.text.find('\n') != std::string::npos)
            continue;
        context.out.put(candidate.text + (candidate.finished ? " \n" : "\n"));
    }
    return 0;
}

}  // namespace lctl
