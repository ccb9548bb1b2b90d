// SPDX-License-Identifier: GPL-2.0-only
//
//	fsync-rate DIR BYTES COUNT
//
// Appends BYTES to a file in DIR and waits until they are on disk, COUNT times, and prints
// the nanoseconds of one round. The file goes again.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

int main(int argc, char** argv)
{
    if (argc != 4 || std::atol(argv[2]) < 1 || std::atol(argv[3]) < 1) {
        std::fprintf(stderr, "usage: fsync-rate DIR BYTES COUNT\n");
        return 2;
    }
    const std::string file = std::string(argv[1]) + "/.fsync-rate";
    const std::vector<char> bytes(std::strtoul(argv[2], nullptr, 10), 'x');
    const long count = std::strtol(argv[3], nullptr, 10);
    const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0600);

    if (fd < 0) {
        std::perror(file.c_str());
        return 1;
    }
    ::unlink(file.c_str());
    const auto start = std::chrono::steady_clock::now();
    for (long i = 0; i < count; i++) {
        if (::write(fd, bytes.data(), bytes.size()) != ssize_t(bytes.size()) || ::fsync(fd)) {
            std::perror(file.c_str());
            return 1;
        }
    }
    const std::chrono::nanoseconds spent = std::chrono::steady_clock::now() - start;
    ::close(fd);
    std::printf("%lld\n", static_cast<long long>(spent.count()) / count);
    return 0;
}
