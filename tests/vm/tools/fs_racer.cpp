// SPDX-License-Identifier: GPL-2.0-only
//
//	fs-racer [--processes N] [--ops N | --seconds N] [--seed N] DIR [DIR]
//
// Processes that create, link, rename, remove, list, change, write, truncate and read the same few
// names, each without regard for the others, in one directory that may be mounted twice. A call may
// fail because another process was faster, with an errno that says so. A byte of a file is 0 or what
// its position says. At the end the processes' files are compared: both mounts show the same
// attributes, bytes and names, and a file has as many names as its link count says. They are left
// for the caller. Prints what the calls returned. Status 1 if a call returned another errno, if a
// byte is wrong, or if the mounts differ.

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace {

// The name is gone, another has it, or it is of another type by now. EINVAL: a directory would
// move into itself. ESTALE: removed by another client during the call.
constexpr std::array EXPECTED = {0,     ENOENT, EEXIST,  ENOTDIR, EISDIR, ENOTEMPTY,   EINVAL,
                                 ELOOP, EBUSY,  ENODATA, ENXIO,   ESTALE, ENAMETOOLONG};
constexpr int ERRNOS = 256;

// Of a file.
constexpr std::size_t SIZE = 300000;

unsigned char byte_at(std::size_t at)
{
    return static_cast<unsigned char>((at * 2654435761U >> 13) % 255 + 1);
}

// Where bytes from position at are neither 0 nor what they can be; len if they are right.
std::size_t wrong_byte(const unsigned char* bytes, std::size_t at, std::size_t len)
{
    for (std::size_t n = 0; n < len; n++)
        if (bytes[n] != 0 && bytes[n] != byte_at(at + n))
            return n;
    return len;
}

struct Options {
    unsigned long processes = 4;
    unsigned long ops = 2000;
    unsigned long seconds = 0;  // instead of ops
    unsigned long seed = 1;
    std::vector<std::string> dirs;
};

// Of all processes.
struct Counts {
    unsigned long of[ERRNOS];
    unsigned long unexpected;
};

class Racer {
public:
    Racer(std::string dir, std::uint64_t seed, Counts& counts)
        : dir_(std::move(dir)), random_(seed), counts_(counts)
    {
    }

    void run(const Options& options)
    {
        const auto end = Clock::now() + std::chrono::seconds(options.seconds);

        if (options.seconds != 0)
            while (Clock::now() < end)
                step();
        else
            for (unsigned long n = 0; n < options.ops; n++)
                step();
        close_one();
    }

private:
    using Clock = std::chrono::steady_clock;
    using Op = int (Racer::*)();

    struct Named {
        const char* name;
        Op op;
    };

    unsigned long below(unsigned long n) { return random_() % n; }

    std::string name()
    {
        std::string path = dir_;

        for (unsigned long depth = below(4) == 0 ? 1 + below(2) : 0; depth > 0; depth--)
            path += "/d" + std::to_string(below(3));
        return path + (below(3) == 0 ? "/d" : "/n") + std::to_string(below(6));
    }

    void step()
    {
        static constexpr Named OPS[] = {
            {"creat", &Racer::creat},           {"open", &Racer::open_one},
            {"mkdir", &Racer::mkdir_one},       {"symlink", &Racer::symlink_one},
            {"mknod", &Racer::mknod_one},       {"link", &Racer::link_one},
            {"unlink", &Racer::unlink_one},     {"rmdir", &Racer::rmdir_one},
            {"rename", &Racer::rename_one},     {"rename", &Racer::rename_one},
            {"readdir", &Racer::list},          {"chmod", &Racer::chmod_one},
            {"chown", &Racer::chown_one},       {"utimensat", &Racer::times},
            {"setxattr", &Racer::setxattr_one}, {"getxattr", &Racer::getxattr_one},
            {"stat", &Racer::stat_one},         {"fchmod", &Racer::fchmod_one},
            {"pwrite", &Racer::write_one},      {"pwrite", &Racer::write_one},
            {"pread", &Racer::read_one},        {"pread", &Racer::read_one},
            {"ftruncate", &Racer::cut_one},     {"mmap", &Racer::map_one},
            {"truncate", &Racer::cut_by_name},  {"fsync", &Racer::sync_one},
        };
        const Named& op = OPS[below(std::size(OPS))];

        errno = 0;
        note(op.name, (this->*op.op)() < 0 ? errno : 0);
    }

    void note(const char* op, int error)
    {
        __atomic_add_fetch(&counts_.of[error % ERRNOS], 1, __ATOMIC_RELAXED);
        for (const int each : EXPECTED)
            if (error == each)
                return;
        __atomic_add_fetch(&counts_.unexpected, 1, __ATOMIC_RELAXED);
        std::fprintf(stderr, "fs-racer: %s: %s\n", op, std::strerror(error));
    }

    void close_one()
    {
        if (fd_ >= 0)
            ::close(fd_);
        fd_ = -1;
    }

    int keep(int fd)
    {
        if (fd < 0)
            return fd;
        close_one();
        fd_ = fd;
        return 0;
    }

    int creat() { return keep(::open(name().c_str(), O_RDWR | O_CREAT | O_NONBLOCK, 0644)); }
    int open_one() { return keep(::open(name().c_str(), O_RDONLY | O_NONBLOCK)); }
    int mkdir_one() { return ::mkdir(name().c_str(), 0755); }
    int symlink_one()
    {
        return ::symlink(("n" + std::to_string(below(6))).c_str(), name().c_str());
    }
    int mknod_one() { return ::mknod(name().c_str(), S_IFIFO | 0600, 0); }
    // A directory has one name.
    int link_one()
    {
        const int rc = ::link(name().c_str(), name().c_str());

        return rc < 0 && errno == EPERM ? 0 : rc;
    }
    int unlink_one() { return ::unlink(name().c_str()); }
    int rmdir_one() { return ::rmdir(name().c_str()); }
    int rename_one() { return ::rename(name().c_str(), name().c_str()); }
    int chmod_one() { return ::chmod(name().c_str(), static_cast<mode_t>(0600 | below(0200))); }
    int chown_one()
    {
        return ::lchown(name().c_str(), static_cast<uid_t>(below(5)), static_cast<gid_t>(below(5)));
    }
    int fchmod_one() { return fd_ < 0 ? 0 : ::fchmod(fd_, 0640); }

    int times()
    {
        const timespec at[2] = {{static_cast<time_t>(below(1000)), 0},
                                {static_cast<time_t>(below(1000)), 0}};

        return ::utimensat(AT_FDCWD, name().c_str(), at, AT_SYMLINK_NOFOLLOW);
    }

    int setxattr_one()
    {
        const std::string value = std::to_string(below(1000));

        return ::setxattr(name().c_str(), "trusted.r", value.data(), value.size(), 0);
    }

    int getxattr_one()
    {
        char value[16];

        return static_cast<int>(::getxattr(name().c_str(), "trusted.r", value, sizeof(value)));
    }

    int stat_one()
    {
        struct stat st {};

        return ::lstat(name().c_str(), &st);
    }

    // A file, which may have lost its name: -1 and errno if it is none, to be closed.
    int file()
    {
        const int flags = O_RDWR | O_NONBLOCK | (below(8) == 0 ? O_TRUNC : 0);
        const int fd = fd_ >= 0 && below(2) == 0 ? ::dup(fd_) : ::open(name().c_str(), flags);
        struct stat st {};

        if (fd < 0)
            return fd;
        if (::fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
            (::fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR)
            return fd;
        ::close(fd);
        errno = ENXIO;
        return -1;
    }

    // close_file(FD, RC): RC and its errno.
    static int close_file(int fd, ssize_t rc)
    {
        const int error = errno;

        if (::close(fd) != 0 && rc >= 0)
            return -1;
        errno = error;
        return rc < 0 ? -1 : 0;
    }

    std::size_t length(std::size_t at)
    {
        return 1 + below(std::min<std::size_t>(SIZE - at, below(4) == 0 ? SIZE : 6000));
    }

    int write_one()
    {
        const std::size_t at = below(SIZE);
        std::vector<unsigned char> bytes(length(at));
        const int fd = file();

        if (fd < 0)
            return fd;
        for (std::size_t n = 0; n < bytes.size(); n++)
            bytes[n] = byte_at(at + n);
        return close_file(fd, ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(at)));
    }

    void look_at(const unsigned char* bytes, std::size_t at, std::size_t len)
    {
        const std::size_t wrong = wrong_byte(bytes, at, len);

        if (wrong == len)
            return;
        __atomic_add_fetch(&counts_.unexpected, 1, __ATOMIC_RELAXED);
        std::fprintf(stderr, "fs-racer: byte %zu of %zu to %zu is %u\n", at + wrong, at, at + len,
                     bytes[wrong]);
    }

    int read_one()
    {
        const std::size_t at = below(SIZE);
        std::vector<unsigned char> bytes(length(at));
        const int fd = file();

        if (fd < 0)
            return fd;
        const ssize_t got = ::pread(fd, bytes.data(), bytes.size(), static_cast<off_t>(at));

        if (got > 0)
            look_at(bytes.data(), at, static_cast<std::size_t>(got));
        return close_file(fd, got);
    }

    // The file may be shorter when the pages are read: the kernel copies them to a pipe.
    int map_one()
    {
        const std::size_t at = below(SIZE) & ~std::size_t(4095);
        const int fd = file();

        if (fd < 0)
            return fd;
        void* mapped = ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, fd, static_cast<off_t>(at));

        if (mapped != MAP_FAILED) {
            copy_out(mapped, at);
            ::munmap(mapped, 4096);
        }
        return close_file(fd, mapped == MAP_FAILED ? -1 : 0);
    }

    void copy_out(const void* mapped, std::size_t at)
    {
        unsigned char bytes[4096];
        int ends[2];

        if (::pipe(ends) != 0)
            return;
        if (::write(ends[1], mapped, sizeof(bytes)) == sizeof(bytes) &&
            ::read(ends[0], bytes, sizeof(bytes)) == sizeof(bytes))
            look_at(bytes, at, sizeof(bytes));
        ::close(ends[0]);
        ::close(ends[1]);
    }

    int cut_one()
    {
        const int fd = file();

        return fd < 0 ? fd : close_file(fd, ::ftruncate(fd, static_cast<off_t>(below(SIZE))));
    }

    int cut_by_name() { return ::truncate(name().c_str(), static_cast<off_t>(below(SIZE))); }

    int sync_one()
    {
        const int fd = file();

        return fd < 0 ? fd : close_file(fd, ::fsync(fd));
    }

    int list()
    {
        DIR* dir = ::opendir(name().c_str());

        if (dir == nullptr)
            return -1;
        errno = 0;
        while (::readdir(dir) != nullptr) {
        }

        const int error = errno;

        ::closedir(dir);
        errno = error;
        return error == 0 ? 0 : -1;
    }

    std::string dir_;
    std::mt19937_64 random_;
    Counts& counts_;
    int fd_ = -1;
};

// Everything that a mount shows of a tree, and its link counts.
class Tree {
public:
    explicit Tree(const std::string& dir) : dir_(dir) { walk(""); }

    const std::map<std::string, std::string>& lines() const { return lines_; }
    bool whole() const { return whole_; }

    // Each file has as many names as it says.
    bool links_are_right() const
    {
        bool right = true;

        for (const auto& [number, links] : links_)
            if (links.names != links.count) {
                std::fprintf(stderr, "fs-racer: %s: %lu names, its link count is %lu\n",
                             links.path.c_str(), links.names, links.count);
                right = false;
            }
        return right;
    }

private:
    struct Links {
        std::string path;
        unsigned long names = 0;
        unsigned long count = 0;
    };

    void broken(const std::string& path, const char* call)
    {
        std::fprintf(stderr, "fs-racer: %s: %s: %s\n", path.c_str(), call, std::strerror(errno));
        whole_ = false;
    }

    // Of size and bytes.
    std::size_t hash_of(const std::string& path, const struct stat& st)
    {
        const int fd = ::open(path.c_str(), O_RDONLY);
        std::string bytes(SIZE + 1, '\0');
        const ssize_t got = fd < 0 ? -1 : ::pread(fd, bytes.data(), bytes.size(), 0);

        if (got < 0)
            broken(path, fd < 0 ? "open" : "pread");
        ::close(fd);
        bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
        if (wrong_byte(reinterpret_cast<const unsigned char*>(bytes.data()), 0, bytes.size()) !=
                bytes.size() ||
            st.st_size != static_cast<off_t>(bytes.size())) {
            std::fprintf(stderr, "fs-racer: %s: wrong bytes, or not %ld of them but %zu\n",
                         path.c_str(), st.st_size, bytes.size());
            whole_ = false;
        }
        return std::hash<std::string>{}(bytes);
    }

    std::string line_of(const std::string& path, const struct stat& st)
    {
        char text[200];
        char target[64];
        char value[16];
        const ssize_t length = S_ISLNK(st.st_mode) ? ::readlink(path.c_str(), target, 64) : 0;
        const ssize_t size = ::lgetxattr(path.c_str(), "trusted.r", value, sizeof(value));

        std::snprintf(text, sizeof(text), "%lu %o %u:%u %lu %ld.%09ld %ld.%09ld %zx", st.st_ino,
                      st.st_mode, st.st_uid, st.st_gid, st.st_nlink, st.st_mtim.tv_sec,
                      st.st_mtim.tv_nsec, st.st_ctim.tv_sec, st.st_ctim.tv_nsec,
                      S_ISREG(st.st_mode) ? hash_of(path, st) : 0);
        return text + std::string(" ") + std::string(target, length > 0 ? std::size_t(length) : 0) +
               " " + std::string(value, size > 0 ? std::size_t(size) : 0);
    }

    void walk(const std::string& below)
    {
        const std::string path = dir_ + below;
        struct stat st {};

        if (::lstat(path.c_str(), &st) != 0) {
            broken(path, "lstat");
            return;
        }
        lines_[below] = line_of(path, st);
        links_[st.st_ino].path = path;
        links_[st.st_ino].count = st.st_nlink;
        links_[st.st_ino].names++;
        if (S_ISDIR(st.st_mode))
            walk_directory(below, st.st_ino);
    }

    // A directory is named by its parent, itself and its subdirectories.
    void walk_directory(const std::string& below, ino_t number)
    {
        DIR* dir = ::opendir((dir_ + below).c_str());
        std::vector<std::string> names;

        if (dir == nullptr) {
            broken(dir_ + below, "opendir");
            return;
        }
        while (const dirent* entry = ::readdir(dir))
            if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0)
                names.emplace_back(entry->d_name);
        ::closedir(dir);
        links_[number].names++;
        for (const std::string& name : names) {
            struct stat st {};

            walk(below + "/" + name);
            if (::lstat((dir_ + below + "/" + name).c_str(), &st) == 0 && S_ISDIR(st.st_mode))
                links_[number].names++;
        }
    }

    std::string dir_;
    std::map<std::string, std::string> lines_;
    std::map<ino_t, Links> links_;
    bool whole_ = true;
};

bool same(const Tree& one, const Tree& two)
{
    std::set<std::string> names;
    bool equal = true;

    for (const Tree* each : {&one, &two})
        for (const auto& [name, line] : each->lines())
            names.insert(name);
    for (const std::string& name : names) {
        const auto a = one.lines().find(name);
        const auto b = two.lines().find(name);
        const std::string left = a == one.lines().end() ? "not there" : a->second;
        const std::string right = b == two.lines().end() ? "not there" : b->second;

        if (left != right) {
            std::fprintf(stderr, "fs-racer: %s: %s, and in the second mount %s\n", name.c_str(),
                         left.c_str(), right.c_str());
            equal = false;
        }
    }
    return equal;
}

bool check(const Options& options)
{
    const Tree one(options.dirs.front());
    const Tree two(options.dirs.back());

    std::printf("%zu names are left\n", one.lines().size() - 1);
    return one.whole() && two.whole() && one.links_are_right() && same(one, two);
}

void race(const Options& options, Counts& counts)
{
    std::vector<pid_t> all;

    for (unsigned long n = 0; n < options.processes; n++) {
        const pid_t pid = ::fork();

        if (pid == 0) {
            Racer racer(options.dirs[n % options.dirs.size()], options.seed + n, counts);

            racer.run(options);
            ::_exit(0);
        }
        all.push_back(pid);
    }
    for (const pid_t pid : all) {
        int status = 0;

        if (::waitpid(pid, &status, 0) != pid || status != 0)
            counts.unexpected++;
    }
}

unsigned long* number_of(Options& options, const std::string& name)
{
    if (name == "--processes")
        return &options.processes;
    if (name == "--ops")
        return &options.ops;
    if (name == "--seconds")
        return &options.seconds;
    return name == "--seed" ? &options.seed : nullptr;
}

bool parse(int argc, char** argv, Options& options)
{
    for (int at = 1; at < argc; at++) {
        const std::string word = argv[at];

        if (unsigned long* number = number_of(options, word); number != nullptr && at + 1 < argc)
            *number = std::strtoul(argv[++at], nullptr, 0);
        else if (!word.starts_with("-"))
            options.dirs.push_back(word);
        else
            return false;
    }
    return !options.dirs.empty() && options.dirs.size() <= 2;
}

}  // namespace

int main(int argc, char** argv)
{
    Options options;

    if (!parse(argc, argv, options)) {
        std::fputs("usage: fs-racer [--processes N] [--ops N | --seconds N] [--seed N] DIR [DIR]\n",
                   stderr);
        return 2;
    }

    auto* counts = static_cast<Counts*>(
        ::mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));

    if (counts == MAP_FAILED)
        return 2;
    ::umask(0);
    std::printf("seed %lu\n", options.seed);
    std::fflush(stdout);
    race(options, *counts);
    for (int error = 0; error < ERRNOS; error++)
        if (counts->of[error] != 0)
            std::printf("%s: %lu\n", error == 0 ? "done" : std::strerror(error), counts->of[error]);
    return check(options) && counts->unexpected == 0 ? 0 : 1;
}
