// SPDX-License-Identifier: GPL-2.0
//
//	spawn-time COMMAND [ARG...]
//
// Runs COMMAND once with its output thrown away and prints how long it took
// from its start to its end, in nanoseconds, and its status.

#include <chrono>
#include <cstdio>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int main(int argc, char **argv)
{
	posix_spawn_file_actions_t actions;
	int status = 0;
	pid_t child = 0;

	if (argc < 2) {
		std::fprintf(stderr, "usage: spawn-time COMMAND [ARG...]\n");
		return 2;
	}
	::posix_spawn_file_actions_init(&actions);
	::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	const auto start = std::chrono::steady_clock::now();
	if (::posix_spawnp(&child, argv[1], &actions, nullptr, argv + 1, environ)) {
		std::perror(argv[1]);
		return 127;
	}
	::waitpid(child, &status, 0);
	const std::chrono::nanoseconds spent = std::chrono::steady_clock::now() - start;
	std::printf("%lld %d\n", static_cast<long long>(spent.count()), WIFEXITED(status) ? WEXITSTATUS(status) : 255);
	return 0;
}
