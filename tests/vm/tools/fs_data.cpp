// SPDX-License-Identifier: GPL-2.0-only
//
//	fs-data [--ops N] [--seed N] [--size BYTES] FILE [FILE]
//
// Random reads, writes, appends, truncates, private mappings, copies, syncs and new opens of one file,
// which is made for it, and may have two names: on two mounts. Each call is made through one of them,
// after the one before has returned, and has the effect that it has on the same bytes in memory. The
// positions are often near multiples of 64 KiB, where stripes end. The file is left for the caller.
// Status 1 if the file differs; the last calls are printed. Status 2 if a call fails.

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

using Bytes = std::vector<unsigned char>;

struct Options {
    unsigned long ops = 1000;
    unsigned long seed = 1;
    unsigned long size = 1UL << 20;
    std::vector<std::string> files;
};

// One of the names, open for reading and writing, and for appending.
struct Open {
    std::string path;
    int fd = -1;
    int append = -1;
};

class Checker {
public:
    explicit Checker(const Options& options) : options_(options), random_(options.seed)
    {
        for (const std::string& path : options.files)
            opens_.push_back({path});
        for (Open& each : opens_)
            open(each, O_CREAT);
    }

    void run()
    {
        for (done_ = 1; done_ <= options_.ops; done_++)
            step();
        for (const Open& each : opens_)
            compare_all(each);
    }

private:
    using Op = void (Checker::*)(Open&);

    unsigned long below(unsigned long n) { return random_() % n; }

    [[noreturn]] void end(int status, const std::string& why)
    {
        for (const std::string& line : log_)
            std::fprintf(stderr, "%s\n", line.c_str());
        std::fprintf(stderr, "fs-data: seed %lu, call %lu: %s\n", options_.seed, done_,
                     why.c_str());
        std::exit(status);
    }

    void need(bool good, const char* call)
    {
        if (!good)
            end(2, std::string(call) + ": " + std::strerror(errno));
    }

    void note(const Open& file, const char* what, std::size_t at, std::size_t len)
    {
        log_.push_back(std::to_string(done_) + " " + file.path + " " + what + " " +
                       std::to_string(at) + " " + std::to_string(len) + " of " +
                       std::to_string(bytes_.size()));
        if (log_.size() > 24)
            log_.pop_front();
    }

    std::size_t position()
    {
        const std::size_t any = below(options_.size);

        if (below(3) != 0)
            return any;
        return std::min<std::size_t>((any & ~std::size_t(0xffff)) + below(17), options_.size - 1);
    }

    std::size_t length(std::size_t at)
    {
        const std::size_t most = below(4) == 0 ? options_.size : 8192;

        return 1 + below(std::min(most, options_.size - at));
    }

    Bytes fresh(std::size_t len)
    {
        Bytes bytes(len);

        for (auto& byte : bytes)
            byte = static_cast<unsigned char>(random_());
        return bytes;
    }

    void open(Open& file, int flags)
    {
        for (int* fd : {&file.fd, &file.append})
            need(*fd < 0 || ::close(*fd) == 0, "close");
        file.fd = ::open(file.path.c_str(), O_RDWR | flags, 0644);
        need(file.fd >= 0, "open");
        file.append = ::open(file.path.c_str(), O_WRONLY | O_APPEND);
        need(file.append >= 0, "open");
    }

    void step()
    {
        static constexpr std::array OPS = {
            &Checker::read_some,  &Checker::read_some, &Checker::read_some,  &Checker::write_some,
            &Checker::write_some, &Checker::append,    &Checker::write_some, &Checker::truncate,
            &Checker::truncate,   &Checker::map_some,  &Checker::copy_some,  &Checker::look,
            &Checker::look,       &Checker::sync,      &Checker::open_again,
        };

        (this->*OPS[below(OPS.size())])(opens_[below(opens_.size())]);
    }

    void compare(std::size_t at, const unsigned char* seen, std::size_t len, std::size_t want)
    {
        if (len != want)
            end(1, std::to_string(len) + " bytes, not " + std::to_string(want));
        for (std::size_t n = 0; n < len; n++)
            if (seen[n] != bytes_[at + n])
                end(1, "byte " + std::to_string(at + n) + " is " + std::to_string(seen[n]) +
                           ", not " + std::to_string(bytes_[at + n]));
    }

    std::size_t left(std::size_t at) const { return at < bytes_.size() ? bytes_.size() - at : 0; }

    void read_at(const Open& file, std::size_t at, std::size_t len)
    {
        Bytes seen(len);
        const ssize_t got = ::pread(file.fd, seen.data(), len, static_cast<off_t>(at));

        need(got >= 0, "pread");
        compare(at, seen.data(), static_cast<std::size_t>(got), std::min(len, left(at)));
    }

    void compare_all(const Open& file)
    {
        note(file, "all", 0, bytes_.size());
        read_at(file, 0, bytes_.size() + 1);
    }

    void read_some(Open& file)
    {
        const std::size_t at = position(), len = length(at);

        note(file, "read", at, len);
        read_at(file, at, len);
    }

    void put(std::size_t at, const Bytes& bytes)
    {
        if (bytes_.size() < at + bytes.size())
            bytes_.resize(at + bytes.size());
        std::copy(bytes.begin(), bytes.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(at));
    }

    void write_some(Open& file)
    {
        const std::size_t at = position();
        const Bytes bytes = fresh(length(at));

        note(file, "write", at, bytes.size());
        const ssize_t wrote = ::pwrite(file.fd, bytes.data(), bytes.size(), static_cast<off_t>(at));
        need(wrote == static_cast<ssize_t>(bytes.size()), "pwrite");
        put(at, bytes);
    }

    void append(Open& file)
    {
        if (bytes_.size() >= options_.size)
            return truncate(file);

        const Bytes bytes = fresh(length(bytes_.size()));

        note(file, "append", bytes_.size(), bytes.size());
        const ssize_t wrote = ::write(file.append, bytes.data(), bytes.size());
        need(wrote == static_cast<ssize_t>(bytes.size()), "write");
        put(bytes_.size(), bytes);
    }

    void truncate(Open& file)
    {
        const std::size_t size = below(4) == 0 ? 0 : position();
        const bool by_name = below(2) == 0;

        note(file, by_name ? "truncate" : "ftruncate", size, 0);
        if (by_name)
            need(::truncate(file.path.c_str(), static_cast<off_t>(size)) == 0, "truncate");
        else
            need(::ftruncate(file.fd, static_cast<off_t>(size)) == 0, "ftruncate");
        bytes_.resize(size);
    }

    void map_some(Open& file)
    {
        const std::size_t at = position() & ~std::size_t(4095);
        const std::size_t len = std::min(length(at), left(at));

        if (len == 0)
            return look(file);
        note(file, "map", at, len);
        void* mapped =
            ::mmap(nullptr, len, PROT_READ, MAP_PRIVATE, file.fd, static_cast<off_t>(at));
        need(mapped != MAP_FAILED, "mmap");
        compare(at, static_cast<const unsigned char*>(mapped), len, len);
        ::munmap(mapped, len);
    }

    // The kernel may copy less than it was told to.
    void copy_some(Open& file)
    {
        const std::size_t from = position(), to = position();
        const std::size_t apart = from < to ? to - from : from - to;
        off_t in = static_cast<off_t>(from), out = static_cast<off_t>(to);

        if (left(from) == 0 || apart == 0)
            return look(file);
        const std::size_t len = std::min({length(std::max(from, to)), apart, left(from)});
        struct stat st {};

        note(file, "copy", from, len);
        // The kernel copies up to the size that it knows.
        need(::fstat(file.fd, &st) == 0, "fstat");
        const ssize_t got = ::copy_file_range(file.fd, &in, file.fd, &out, len, 0);
        need(got > 0, "copy_file_range");
        const auto start = bytes_.begin() + static_cast<std::ptrdiff_t>(from);
        put(to, Bytes(start, start + got));
    }

    void look(Open& file)
    {
        struct stat by_fd {
        }, by_name{};

        note(file, "stat", 0, 0);
        need(::fstat(file.fd, &by_fd) == 0 && ::stat(file.path.c_str(), &by_name) == 0, "stat");
        if (static_cast<std::size_t>(by_fd.st_size) != bytes_.size() ||
            by_name.st_size != by_fd.st_size || ::lseek(file.fd, 0, SEEK_END) != by_fd.st_size)
            end(1, "the size is " + std::to_string(by_fd.st_size) + " and " +
                       std::to_string(by_name.st_size));
    }

    void sync(Open& file)
    {
        note(file, "fsync", 0, 0);
        need(::fsync(file.fd) == 0, "fsync");
    }

    void open_again(Open& file)
    {
        const bool empty = below(3) == 0;

        note(file, empty ? "open O_TRUNC" : "open", 0, 0);
        open(file, empty ? O_TRUNC : 0);
        if (empty)
            bytes_.clear();
        compare_all(file);
    }

    const Options& options_;
    std::mt19937_64 random_;
    std::vector<Open> opens_;
    Bytes bytes_;
    std::deque<std::string> log_;
    unsigned long done_ = 0;
};

unsigned long* number_of(Options& options, const std::string& name)
{
    if (name == "--ops")
        return &options.ops;
    if (name == "--size")
        return &options.size;
    return name == "--seed" ? &options.seed : nullptr;
}

bool parse(int argc, char** argv, Options& options)
{
    for (int at = 1; at < argc; at++) {
        const std::string word = argv[at];

        if (unsigned long* number = number_of(options, word); number != nullptr && at + 1 < argc)
            *number = std::strtoul(argv[++at], nullptr, 0);
        else if (!word.starts_with("-"))
            options.files.push_back(word);
        else
            return false;
    }
    return !options.files.empty() && options.files.size() <= 2 && options.size != 0;
}

}  // namespace

int main(int argc, char** argv)
{
    Options options;

    if (!parse(argc, argv, options)) {
        std::fputs("usage: fs-data [--ops N] [--seed N] [--size BYTES] FILE [FILE]\n", stderr);
        return 2;
    }
    std::printf("seed %lu\n", options.seed);
    std::fflush(stdout);
    Checker(options).run();
    return 0;
}
