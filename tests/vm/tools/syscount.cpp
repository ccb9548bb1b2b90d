// SPDX-License-Identifier: GPL-2.0-only
//
//	syscount FILE COMMAND [ARG...]
//
// Runs COMMAND and writes the number of system calls that it made, from its
// first instruction to its end, to FILE. Its own status is COMMAND's.

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

[[noreturn]] void run(char** argv)
{
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    ::raise(SIGSTOP);
    ::execvp(argv[0], argv);
    std::fprintf(stderr, "syscount: %s: %s\n", argv[0], std::strerror(errno));
    ::_exit(127);
}

// Counts entries into system calls until the child ends; returns its status.
int trace(pid_t child, unsigned long& calls)
{
    bool inside = false;
    int status = 0;

    ::waitpid(child, &status, 0);
    ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC);
    for (int signal = 0;; signal = 0) {
        ::ptrace(PTRACE_SYSCALL, child, nullptr, signal);
        if (::waitpid(child, &status, 0) < 0 || WIFEXITED(status) || WIFSIGNALED(status))
            return status;
        if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8)) {
            // The exec itself was ours; its exit stop follows.
            calls = 0;
        } else if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
            inside = !inside;
            calls += inside;
        } else {
            signal = WSTOPSIG(status);
        }
    }
}

}  // namespace

int main(int argc, char** argv)
{
    unsigned long calls = 0;

    if (argc < 3) {
        std::fprintf(stderr, "usage: syscount FILE COMMAND [ARG...]\n");
        return 2;
    }
    const pid_t child = ::fork();
    if (child == 0)
        run(argv + 2);
    const int status = trace(child, calls);
    std::FILE* file = std::fopen(argv[1], "w");
    if (!file)
        return 1;
    std::fprintf(file, "%lu\n", calls);
    std::fclose(file);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
