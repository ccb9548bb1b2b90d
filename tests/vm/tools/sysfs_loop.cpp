// SPDX-License-Identifier: GPL-2.0-only
//
// The calls that programs make for parameters in sysfs, as fast as possible:
//
//	sysfs-loop read DIR		open, read, close every file below DIR
//	sysfs-loop write DIR FILE VALUE	open, write, close each DIR/*/FILE
//
// The names are gathered before the clock starts. Prints "FILES NANOSECONDS".

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace {

std::vector<std::string> files_below(const char* dir)
{
    std::vector<std::string> files;

    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(dir))
        if (entry.is_regular_file())
            files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    return files;
}

std::vector<std::string> file_in_each(const char* dir, const char* name)
{
    std::vector<std::string> files;

    for (const fs::directory_entry& entry : fs::directory_iterator(dir))
        if (entry.is_directory())
            files.push_back((entry.path() / name).string());
    std::sort(files.begin(), files.end());
    return files;
}

bool read_one(const std::string& file)
{
    char buf[4096];
    const int fd = ::open(file.c_str(), O_RDONLY);

    if (fd < 0)
        return false;
    const bool good = ::read(fd, buf, sizeof(buf)) >= 0;
    ::close(fd);
    return good;
}

bool write_one(const std::string& file, const char* value, size_t len)
{
    const int fd = ::open(file.c_str(), O_WRONLY);

    if (fd < 0)
        return false;
    const bool good = ::write(fd, value, len) == static_cast<ssize_t>(len);
    ::close(fd);
    return good;
}

template <typename Fn>
int timed(const std::vector<std::string>& files, Fn&& fn)
{
    const auto start = std::chrono::steady_clock::now();

    for (const std::string& file : files) {
        if (!fn(file)) {
            std::perror(file.c_str());
            return 1;
        }
    }
    const std::chrono::nanoseconds spent = std::chrono::steady_clock::now() - start;
    std::printf("%zu %lld\n", files.size(), static_cast<long long>(spent.count()));
    return 0;
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc == 3 && !std::strcmp(argv[1], "read"))
        return timed(files_below(argv[2]), read_one);
    if (argc == 5 && !std::strcmp(argv[1], "write")) {
        const size_t len = std::strlen(argv[4]);

        return timed(file_in_each(argv[2], argv[3]),
                     [&](const std::string& file) { return write_one(file, argv[4], len); });
    }
    std::fprintf(stderr, "usage: sysfs-loop read DIR | write DIR FILE VALUE\n");
    return 2;
}
