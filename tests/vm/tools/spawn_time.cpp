// SPDX-License-Identifier: GPL-2.0-only
//
//	spawn-time [-n COUNT] COMMAND [ARG...]
//
// Runs COMMAND once, or COUNT times, with its output thrown away and prints how
// long that took from start to end, in nanoseconds for one run, and the status
// of the last run.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace {

// Status of COMMAND, or -1 when it cannot be started.
int run(char** command, const posix_spawn_file_actions_t& actions)
{
    pid_t child = 0;
    int status = 0;

    if (::posix_spawnp(&child, command[0], &actions, nullptr, command, environ))
        return -1;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

}  // namespace

int main(int argc, char** argv)
{
    posix_spawn_file_actions_t actions;
    const bool counted = argc > 2 && !std::strcmp(argv[1], "-n");
    const long count = counted ? std::strtol(argv[2], nullptr, 10) : 1;
    char** command = argv + (counted ? 3 : 1);
    int status = 0;

    if (!*argv || !*command || count < 1) {
        std::fprintf(stderr, "usage: spawn-time [-n COUNT] COMMAND [ARG...]\n");
        return 2;
    }
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    const auto start = std::chrono::steady_clock::now();
    for (long i = 0; i < count && status >= 0; i++)
        status = run(command, actions);
    const std::chrono::nanoseconds spent = std::chrono::steady_clock::now() - start;
    ::posix_spawn_file_actions_destroy(&actions);
    if (status < 0) {
        std::perror(command[0]);
        return 127;
    }
    std::printf("%lld %d\n", static_cast<long long>(spent.count()) / count, status);
    return 0;
}
