// SPDX-License-Identifier: GPL-2.0-only
//
//	fs-rate OP PATH COUNT [THREADS]
//
// Does COUNT operations of a kind, divided among THREADS (1), and prints how many there were in a
// second. PATH is a directory with the files f0, f1, ... and the directories d0, d1, ...:
//
//	create, small	make a file; small: and write 4 KiB
//	stat, open	of each file; open: and close it
//	first		open each file, read its first 4 KiB, close it
//	rename, unlink	each file; rename: to another name, and back, which are two operations
//	mkdir, rmdir
//	list		read the directory and the attributes of each name; COUNT of them are expected
//
// or a file of COUNT MiB, or for the last two of DATA_MIB, and prints MiB in a second:
//
//	write		from its start to its end, then fsync
//	read		from its start to its end
//	random-read	4 KiB in COUNT places
//	random-write	likewise, and fsync after the last one
//
// Threads share nothing but the clock: each has its own open file.

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fd.hpp"

namespace {

constexpr std::size_t PAGE = 4096;
constexpr std::size_t MIB = 1UL << 20;
// Size of the file of random-read and random-write.
constexpr std::size_t DATA_MIB = 64;

// The part of one thread.
struct Part {
    std::string path;
    unsigned long number;
    unsigned long threads;
    unsigned long count;
};

std::string name(const Part& part, const char* kind, unsigned long i)
{
    return part.path + "/" + kind + std::to_string(i);
}

// Calls @step for each number of @part until one fails.
template <typename Step>
bool each(const Part& part, Step&& step)
{
    for (unsigned long i = part.number; i < part.count; i += part.threads) {
        if (!step(i))
            return false;
    }
    return true;
}

bool make_file(const std::string& path, std::size_t bytes)
{
    static const std::vector<char> data(PAGE, 'x');
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0644);

    if (fd < 0)
        return false;
    const bool good = ::write(fd, data.data(), bytes) == static_cast<ssize_t>(bytes);
    return ::close(fd) == 0 && good;
}

bool open_file(const std::string& path, bool read)
{
    std::array<char, PAGE> data;
    const int fd = ::open(path.c_str(), O_RDONLY);

    if (fd < 0)
        return false;
    const bool good = !read || ::read(fd, data.data(), data.size()) >= 0;
    return ::close(fd) == 0 && good;
}

bool stat_file(const std::string& path)
{
    struct stat st;

    return ::lstat(path.c_str(), &st) == 0;
}

bool create(const Part& part)
{
    return each(part, [&](auto i) { return make_file(name(part, "f", i), 0); });
}

bool small(const Part& part)
{
    return each(part, [&](auto i) { return make_file(name(part, "f", i), PAGE); });
}

bool stat_all(const Part& part)
{
    return each(part, [&](auto i) { return stat_file(name(part, "f", i)); });
}

bool open_all(const Part& part)
{
    return each(part, [&](auto i) { return open_file(name(part, "f", i), false); });
}

bool first(const Part& part)
{
    return each(part, [&](auto i) { return open_file(name(part, "f", i), true); });
}

bool unlink_all(const Part& part)
{
    return each(part, [&](auto i) { return ::unlink(name(part, "f", i).c_str()) == 0; });
}

bool make_directories(const Part& part)
{
    return each(part, [&](auto i) { return ::mkdir(name(part, "d", i).c_str(), 0755) == 0; });
}

bool remove_directories(const Part& part)
{
    return each(part, [&](auto i) { return ::rmdir(name(part, "d", i).c_str()) == 0; });
}

// Operation 2i gives file i another name, operation 2i + 1 its own.
bool rename_all(const Part& part)
{
    return each(part, [&](auto i) {
        const std::string one = name(part, "f", i / 2);
        const std::string other = name(part, "r", i / 2);

        return (i % 2 ? ::rename(other.c_str(), one.c_str())
                      : ::rename(one.c_str(), other.c_str())) == 0;
    });
}

bool list(const Part& part)
{
    const std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(part.path.c_str()), ::closedir);
    unsigned long seen = 0;

    while (const dirent* entry = dir ? ::readdir(dir.get()) : nullptr) {
        struct stat st;

        if (entry->d_name[0] == '.')
            continue;
        if (::fstatat(::dirfd(dir.get()), entry->d_name, &st, AT_SYMLINK_NOFOLLOW))
            return false;
        seen++;
    }
    if (dir && seen != part.count)
        errno = ENOENT;
    return seen == part.count;
}

bool write_file(const Part& part)
{
    const std::vector<char> data(MIB, 'x');
    const ll::Fd fd(::open(part.path.c_str(), O_WRONLY | O_CREAT, 0644));

    for (unsigned long i = 0; i < part.count; i++) {
        if (::write(fd.get(), data.data(), data.size()) != static_cast<ssize_t>(data.size()))
            return false;
    }
    return ::fsync(fd.get()) == 0;
}

bool read_file(const Part& part)
{
    std::vector<char> data(MIB);
    const ll::Fd fd(::open(part.path.c_str(), O_RDONLY));

    for (unsigned long i = 0; i < part.count; i++) {
        if (::read(fd.get(), data.data(), data.size()) != static_cast<ssize_t>(data.size()))
            return false;
    }
    return true;
}

// @io: pread() or pwrite().
template <typename Io>
bool random_io(const Part& part, int fd, Io&& io)
{
    std::vector<char> data(PAGE, 'y');
    std::mt19937_64 random(part.number + 1);

    return each(part, [&](auto) {
        const auto at = static_cast<off_t>(random() % (DATA_MIB * MIB / PAGE) * PAGE);

        return io(fd, data.data(), data.size(), at) == static_cast<ssize_t>(data.size());
    });
}

bool random_read(const Part& part)
{
    const ll::Fd fd(::open(part.path.c_str(), O_RDONLY));

    return random_io(part, fd.get(), ::pread);
}

bool random_write(const Part& part)
{
    const ll::Fd fd(::open(part.path.c_str(), O_WRONLY));

    return random_io(part, fd.get(), ::pwrite) && ::fsync(fd.get()) == 0;
}

struct Op {
    std::string_view name;
    bool (*run)(const Part&);
    // The weight of an operation in the figure: 1, or its MiB.
    double unit;
};

constexpr std::array<Op, 14> ops{{
    {"create", create, 1},
    {"small", small, 1},
    {"stat", stat_all, 1},
    {"open", open_all, 1},
    {"first", first, 1},
    {"rename", rename_all, 1},
    {"unlink", unlink_all, 1},
    {"mkdir", make_directories, 1},
    {"rmdir", remove_directories, 1},
    {"list", list, 1},
    {"write", write_file, 1},
    {"read", read_file, 1},
    {"random-read", random_read, double(PAGE) / MIB},
    {"random-write", random_write, double(PAGE) / MIB},
}};

const Op* find(std::string_view name)
{
    for (const Op& op : ops) {
        if (op.name == name)
            return &op;
    }
    return nullptr;
}

// Return: seconds, or less than 0 if an operation failed.
double timed(const Op& op, const std::string& path, unsigned long count, unsigned long threads)
{
    std::vector<std::thread> pool;
    std::atomic<int> error{0};

    const auto start = std::chrono::steady_clock::now();
    for (unsigned long i = 0; i < threads; i++) {
        pool.emplace_back([&, i] {
            errno = 0;
            if (!op.run({path, i, threads, count}))
                error = errno ? errno : EIO;
        });
    }
    for (std::thread& each : pool)
        each.join();
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    if (error) {
        std::fprintf(stderr, "fs-rate: %s: %s\n", path.c_str(), std::strerror(error));
        return -1;
    }
    return spent.count();
}

}  // namespace

int main(int argc, char** argv)
{
    const Op* op = argc > 1 ? find(argv[1]) : nullptr;
    const unsigned long count = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 0;
    const unsigned long threads = argc > 4 ? std::strtoul(argv[4], nullptr, 10) : 1;

    if (!op || argc > 5 || !count || !threads) {
        std::fprintf(stderr, "usage: fs-rate OP PATH COUNT [THREADS]; operations:");
        for (const Op& each : ops)
            std::fprintf(stderr, " %s", each.name.data());
        std::fprintf(stderr, "\n");
        return 2;
    }
    const double spent = timed(*op, argv[2], count, threads);
    if (spent < 0)
        return 1;
    std::printf("%.1f\n", static_cast<double>(count) * op->unit / spent);
    return 0;
}
