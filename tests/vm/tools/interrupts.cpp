// SPDX-License-Identifier: GPL-2.0-only
// A storm of interrupted commands:
//
//	interrupts ROUNDS FILE
//
// runs 'lctl set_param -P --force osc.x.sN=N' so many times, and sends INT, TERM or KILL
// in turn to each a moment after its start. The moments are spread over the time that a
// command takes. The name sN of each setting that was acknowledged (status 0) is a line
// of FILE. The status is 1 when a command does not end.
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

constexpr int MOMENTS = 16;
constexpr auto END = std::chrono::seconds(120);

pid_t start(const std::string& setting)
{
    const pid_t pid = fork();

    if (pid)
        return pid;
    execlp("lctl", "lctl", "set_param", "-P", "--force", setting.c_str(), nullptr);
    _exit(127);
}

// The wait status; -1 when it does not end.
int end(pid_t pid)
{
    const auto until = Clock::now() + END;
    int status = 0;

    while (Clock::now() < until) {
        if (waitpid(pid, &status, WNOHANG) == pid)
            return status;
        std::this_thread::sleep_for(microseconds(200));
    }
    return -1;
}

microseconds measure()
{
    const auto begin = Clock::now();

    for (int n = 0; n < 4; n++)
        if (end(start("osc.x.first=" + std::to_string(n))) != 0)
            return microseconds(0);
    return std::chrono::duration_cast<microseconds>(Clock::now() - begin) / 4;
}

}  // namespace

int main(int argc, char** argv)
{
    constexpr int signals[] = {SIGINT, SIGTERM, SIGKILL};
    const int rounds = argc == 3 ? atoi(argv[1]) : 0;
    std::FILE* done = argc == 3 ? std::fopen(argv[2], "w") : nullptr;
    const microseconds life = measure();

    if (!rounds || !done || life.count() == 0) {
        std::fprintf(stderr, "interrupts: ROUNDS FILE; and a service that takes settings\n");
        return 2;
    }
    std::fprintf(stderr, "interrupts: a command takes %lld us\n",
                 static_cast<long long>(life.count()));
    for (int n = 0; n < rounds; n++) {
        const std::string name = "s" + std::to_string(n);
        const pid_t pid = start("osc.x." + name + "=" + std::to_string(n));
        std::this_thread::sleep_for(life * (1 + n % MOMENTS) / MOMENTS);
        kill(pid, signals[n % 3]);
        const int status = end(pid);
        if (status < 0) {
            std::fprintf(stderr, "interrupts: command %d does not end\n", n);
            return 1;
        }
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
            std::fprintf(done, "%s\n", name.c_str());
        else if (WIFEXITED(status))
            std::fprintf(stderr, "interrupts: command %d: status %d\n", n, WEXITSTATUS(status));
    }
    return std::fclose(done) == 0 ? 0 : 1;
}
