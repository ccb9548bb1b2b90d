// SPDX-License-Identifier: GPL-2.0-only
//
//	fs-clients A B
//	fs-clients --without DIR
//
// A and B are the same empty directory on two mounts. What one client does to files and
// directories that the other one has open, has as its working directory, or has just looked at;
// positions in directories; data. The second form: DIR is on a mount that has
// neither ACLs nor attributes of users. Each check prints "ok WHAT" or "wrong WHAT";
// status 1 if one is wrong.

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace {

bool good = true;

void check(const char* what, bool passed)
{
    const int saved = errno;

    std::printf("%s %s%s%s\n", passed ? "ok" : "wrong", what, passed ? "" : ": ",
                passed ? "" : std::strerror(saved));
    std::fflush(stdout);
    good = good && passed;
}

// Does the call fail with this errno? Pointers: MAP_FAILED.
template <typename Result>
bool fails(Result result, int want)
{
    return result == (Result)-1 && errno == want;
}

struct stat attributes(const std::string& path)
{
    struct stat st = {};

    if (::lstat(path.c_str(), &st) != 0)
        st.st_nlink = 0;
    return st;
}

int make(const std::string& path, int flags = O_RDWR, mode_t mode = 0644)
{
    return ::open(path.c_str(), flags | O_CREAT, mode);
}

class Dir {
public:
    explicit Dir(const std::string& path) : dir_(::opendir(path.c_str())) {}
    ~Dir()
    {
        if (dir_ != nullptr)
            ::closedir(dir_);
    }
    Dir(const Dir&) = delete;
    Dir& operator=(const Dir&) = delete;

    DIR* get() { return dir_; }

    std::vector<std::string> rest()
    {
        std::vector<std::string> names;

        errno = 0;
        while (const dirent* entry = ::readdir(dir_))
            names.emplace_back(entry->d_name);
        return names;
    }

private:
    DIR* dir_;
};

// In a process of its own, as user 1000.
template <typename Function>
bool as_user(Function function)
{
    const pid_t pid = ::fork();
    int status = 1;

    if (pid == 0) {
        if (::setgid(1000) != 0 || ::setuid(1000) != 0)
            ::_exit(2);
        ::_exit(function() ? 0 : 1);
    }
    ::waitpid(pid, &status, 0);
    return status == 0;
}

void open_files(const std::string& a, const std::string& b)
{
    const int fd = make(a + "/open");
    struct stat st = {};

    check("a new file is empty", ::fstat(fd, &st) == 0 && st.st_size == 0 && st.st_nlink == 1);
    check("it has the same number on both clients", attributes(b + "/open").st_ino == st.st_ino);
    check("the other client removes it", ::unlink((b + "/open").c_str()) == 0);
    check("it is gone", fails(::access((a + "/open").c_str(), F_OK), ENOENT));
    check("it lives while it is open", ::fstat(fd, &st) == 0 && st.st_nlink == 0);
    check("its mode can be changed",
          ::fchmod(fd, 0600) == 0 && ::fstat(fd, &st) == 0 && (st.st_mode & 07777) == 0600);
    check("a new one of that name is another",
          ::close(make(b + "/open")) == 0 && attributes(a + "/open").st_ino != st.st_ino);
    check("it can be closed", ::close(fd) == 0);
    check("the new one can be removed", ::unlink((a + "/open").c_str()) == 0);
}

void own_files(const std::string& a, const std::string& b)
{
    const int own = make(a + "/own");
    struct stat st = {};

    check("a file removed by its own client lives, too",
          ::unlink((a + "/own").c_str()) == 0 && ::fstat(own, &st) == 0 && st.st_nlink == 0);
    ::close(own);

    check("a file that may only be read is created for writing, and truncated", as_user([&] {
              const int strict = make(a + "/user/strict", O_RDWR, 0444);

              return strict >= 0 && ::ftruncate(strict, 0) == 0 && ::close(strict) == 0 &&
                     fails(::open((a + "/user/strict").c_str(), O_RDWR), EACCES) &&
                     fails(::truncate((a + "/user/strict").c_str(), 0), EACCES);
          }));
    check("exclusive", fails(make(b + "/user/strict", O_RDWR | O_EXCL), EEXIST));
    check("a task that ends closes its files",
          as_user([&] { return make(a + "/user/left") >= 0; }));
}

void directories(const std::string& a, const std::string& b)
{
    check("a directory in use",
          ::mkdir((a + "/cwd").c_str(), 0755) == 0 && ::chdir((a + "/cwd").c_str()) == 0);
    const int fd = ::open(".", O_RDONLY | O_DIRECTORY);
    Dir inside(".");

    check("it is removed by the other client", ::rmdir((b + "/cwd").c_str()) == 0);
    const int made = ::open("file", O_CREAT | O_WRONLY, 0644);
    check("nothing can be made in it", made < 0 && (errno == ENOENT || errno == ESTALE));
    check("nothing is in it", inside.rest().size() <= 2);
    check("it can be left", ::chdir("/") == 0 && ::close(fd) == 0);
    check("its name is free",
          ::mkdir((a + "/cwd").c_str(), 0755) == 0 && ::rmdir((b + "/cwd").c_str()) == 0);

    check("a directory moves", ::mkdir((a + "/from").c_str(), 0755) == 0 &&
                                   ::close(make(a + "/from/file")) == 0 &&
                                   attributes(b + "/from/file").st_nlink == 1 &&
                                   ::rename((b + "/from").c_str(), (b + "/to").c_str()) == 0);
    check("its old name is gone", fails(::access((a + "/from/file").c_str(), F_OK), ENOENT));
    check("its new name is there", attributes(a + "/to/file").st_nlink == 1);
    check("not into itself", fails(::rename((a + "/to").c_str(), (a + "/to/sub").c_str()), EINVAL));
    check("removed", ::unlink((a + "/to/file").c_str()) == 0 && ::rmdir((b + "/to").c_str()) == 0);
}

void permissions(const std::string& a, const std::string& b)
{
    const std::string dir = a + "/closed", other = b + "/closed";

    check("a directory for its owner",
          ::mkdir(dir.c_str(), 0700) == 0 && ::close(make(dir + "/file")) == 0);
    check("a user may not enter",
          as_user([&] { return fails(::access((dir + "/file").c_str(), F_OK), EACCES); }));
    check("the other client opens it", ::chmod(other.c_str(), 0755) == 0);
    check("the user may enter at once",
          as_user([&] { return ::access((dir + "/file").c_str(), F_OK) == 0; }));
    check("the other client closes it", ::chmod(other.c_str(), 0700) == 0);
    check("the user may not enter any more",
          as_user([&] { return fails(::access((dir + "/file").c_str(), F_OK), EACCES); }));
    check("removed", ::unlink((other + "/file").c_str()) == 0 && ::rmdir(dir.c_str()) == 0);
}

// Copies of the shell's program sleep until they are killed.
pid_t sleeper(const std::string& program)
{
    const pid_t pid = ::fork();

    if (pid == 0) {
        ::execl(program.c_str(), "sleep", "600", nullptr);
        ::_exit(errno);
    }
    return pid;
}

bool runs(pid_t pid, const std::string& program)
{
    char path[4096];
    ssize_t length = 0;

    for (int tries = 0; tries < 600; tries++) {
        length = ::readlink(("/proc/" + std::to_string(pid) + "/exe").c_str(), path, sizeof(path));
        if (length > 0 && std::string(path, static_cast<std::size_t>(length)) == program)
            return true;
        ::usleep(100000);
    }
    return false;
}

void ends(pid_t pid)
{
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
}

// The program ends, and its client closes it a little later.
bool can_be_written(const std::string& program)
{
    int fd = -1;

    for (int tries = 0; fd < 0 && tries < 600; tries++) {
        fd = ::open(program.c_str(), O_WRONLY);
        if (fd < 0 && errno != ETXTBSY)
            return false;
        if (fd < 0)
            ::usleep(100000);
    }
    return fd >= 0 && ::close(fd) == 0;
}

bool copied(const char* from, const std::string& to)
{
    const int in = ::open(from, O_RDONLY), out = make(to, O_WRONLY, 0755);
    ssize_t sent = 1;

    while (sent > 0)
        sent = ::sendfile(out, in, nullptr, 1 << 20);
    ::close(in);
    return ::close(out) == 0 && sent == 0;
}

void programs(const std::string& a, const std::string& b)
{
    const std::string mine = a + "/program", other = b + "/program";
    int status = 0;

    check("a program", copied("/bin/busybox", mine));
    pid_t pid = sleeper(other);
    check("the other client executes it", runs(pid, other));
    check("it is not opened for writing", fails(::open(mine.c_str(), O_WRONLY), ETXTBSY));
    check("it is not truncated", fails(::truncate(mine.c_str(), 1), ETXTBSY));
    check("it is read", ::close(::open(mine.c_str(), O_RDONLY)) == 0);
    ends(pid);
    check("it is written once it has ended", can_be_written(mine));
    const int fd = ::open(mine.c_str(), O_WRONLY);
    pid = sleeper(other);
    check("what is written is not executed",
          ::waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == ETXTBSY);
    ::close(fd);
    pid = ::fork();
    if (pid == 0)
        ::_exit(::open(mine.c_str(), O_WRONLY) < 0);
    ::waitpid(pid, nullptr, 0);
    pid = sleeper(mine);
    check("it is executed after a task that ended with it open", runs(pid, mine));
    ends(pid);
    check("removed", ::unlink(other.c_str()) == 0);
}

constexpr int MANY = 3000;

std::string numbered(const std::string& dir, int n)
{
    return dir + "/a-rather-long-name-of-a-file-" + std::to_string(n);
}

void positions(const std::string& a, const std::string& b)
{
    const std::string dir = a + "/many", other = b + "/many";
    bool all = ::mkdir(dir.c_str(), 0755) == 0;

    for (int n = 0; n < MANY && all; n++)
        all = ::close(make(numbered(dir, n))) == 0;
    check("many files", all);

    Dir listed(other);
    const std::vector<std::string> names = listed.rest();
    const std::set<std::string> once(names.begin(), names.end());
    check("all are listed once", names.size() == MANY + 2 && once.size() == names.size());
    check("and nothing after the end", listed.rest().empty());

    ::rewinddir(listed.get());
    std::vector<std::string> start;
    for (int n = 0; n < 1000; n++)
        start.emplace_back(::readdir(listed.get())->d_name);
    const long at = ::telldir(listed.get());
    const std::vector<std::string> rest = listed.rest();
    check("from the start", rest.size() == names.size() - 1000);
    ::seekdir(listed.get(), at);
    check("from a position", listed.rest() == rest);

    check("one is removed", ::unlink(numbered(dir, 7).c_str()) == 0);
    ::rewinddir(listed.get());
    check("it is not listed again", listed.rest().size() == MANY + 1);

    ::rewinddir(listed.get());
    all = ::readdir(listed.get()) != nullptr;
    for (int n = 0; n < MANY && all; n++)
        all = n == 7 || ::unlink(numbered(other, n).c_str()) == 0;
    check("all are removed while they are listed", all);
    listed.rest();
    check("the directory is empty", ::rmdir(dir.c_str()) == 0);
}

std::string bytes_at(int fd, off_t at)
{
    char bytes[64];
    const ssize_t got = ::pread(fd, bytes, sizeof(bytes), at);

    return got < 0 ? "error" : std::string(bytes, static_cast<std::size_t>(got));
}

off_t size_of(int fd)
{
    struct stat st = {};

    return ::fstat(fd, &st) == 0 ? st.st_size : -1;
}

bool put(int fd, const std::string& bytes, off_t at)
{
    return ::pwrite(fd, bytes.data(), bytes.size(), at) == static_cast<ssize_t>(bytes.size());
}

// A new private mapping shows what was written before.
bool mapped(int fd, const std::string& bytes)
{
    void* at = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    const bool same = at != MAP_FAILED && std::memcmp(at, bytes.data(), bytes.size()) == 0;

    return same && std::memset(at, 'x', 4096) != nullptr && ::munmap(at, 4096) == 0;
}

// A file that both clients have open, the second one also for appending.
struct Shared {
    int fd;
    int other;
    int more;

    Shared(const std::string& a, const std::string& b)
        : fd(make(a + "/data")),
          other(::open((b + "/data").c_str(), O_RDWR)),
          more(::open((b + "/data").c_str(), O_WRONLY | O_APPEND))
    {
    }
    ~Shared()
    {
        for (const int each : {fd, other, more})
            check("closed", ::close(each) == 0);
    }
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;

    bool both(const std::string& bytes) const
    {
        return bytes_at(fd, 0) == bytes && bytes_at(other, 0) == bytes &&
               size_of(fd) == size_of(other);
    }
};

// Bytes that one client writes the other one reads by its next call.
void written(const std::string& a, const std::string& b, const Shared& file)
{
    char byte = 'x';

    check("an empty file reads as empty", file.both(""));
    check("nothing to write is written", ::write(file.fd, &byte, 0) == 0 && size_of(file.fd) == 0);
    check("written", put(file.fd, "hello", 0));
    check("both clients read it", file.both("hello"));
    check("with its times",
          attributes(a + "/data").st_mtim.tv_nsec == attributes(b + "/data").st_mtim.tv_nsec);
    check("appended", ::write(file.more, " all", 4) == 4 && file.both("hello all"));
    check("appended after the other client's bytes",
          put(file.fd, "!", 9) && ::write(file.more, "?", 1) == 1 && file.both("hello all!?"));
}

void resized(const std::string& b, const Shared& file)
{
    check("shorter",
          put(file.fd, "hello", 0) && ::ftruncate(file.other, 3) == 0 && file.both("hel"));
    check("longer", ::ftruncate(file.fd, 6) == 0 && file.both(std::string("hel\0\0\0", 6)));
    check("after a hole", put(file.other, "end", 1000000) && size_of(file.fd) == 1000003);
    check("the hole", bytes_at(file.fd, 500000) == std::string(64, '\0'));
    check("its end", bytes_at(file.fd, 1000001) == "nd" &&
                         ::lseek(file.fd, -1, SEEK_END) == 1000002 &&
                         ::lseek(file.other, 0, SEEK_END) == 1000003);
    check("emptied by an open",
          ::close(::open((b + "/data").c_str(), O_WRONLY | O_TRUNC)) == 0 && file.both(""));
}

// Bytes that one client stores in a shared mapping the other one reads, and the other way round.
void shared(const Shared& file)
{
    check("bytes to map", put(file.fd, "file", 0));
    void* at = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file.fd, 0);
    auto* bytes = static_cast<char*>(at);

    check("a shared mapping", at != MAP_FAILED);
    if (at == MAP_FAILED)
        return;
    check("of what is written", put(file.other, "four", 0) && std::memcmp(at, "four", 4) == 0);
    bytes[1] = 'a';
    check("what is stored is read", bytes_at(file.other, 0).substr(0, 4) == "faur");
    check("and the other way", put(file.other, "n", 2) && bytes[2] == 'n' && bytes[1] == 'a');
    check("unmapped", ::munmap(at, 4096) == 0);
}

void on_disk(const std::string& a, const Shared& file)
{
    check("space is reserved", ::fallocate(file.fd, 0, 0, 4096) == 0);
    check("it is on the disk", ::fsync(file.fd) == 0 && ::fdatasync(file.fd) == 0);
    check("so is the file system", ::syncfs(file.fd) == 0);
    check("a lock", ::flock(file.fd, LOCK_EX | LOCK_NB) == 0);
    const int again = ::open((a + "/data").c_str(), O_RDWR | O_TRUNC);
    check("holds on this client", fails(::flock(again, LOCK_SH | LOCK_NB), EWOULDBLOCK));
    ::close(again);
}

void data(const std::string& a, const std::string& b)
{
    const Shared file(a, b);

    written(a, b, file);
    check("mapped", put(file.fd, "one", 0) && mapped(file.other, "one") &&
                        bytes_at(file.fd, 0).starts_with("one"));
    check("mapped again",
          put(file.fd, "two", 0) && mapped(file.other, "two") && ::ftruncate(file.fd, 0) == 0);
    resized(b, file);
    shared(file);
    on_disk(a, file);
    check("removed", put(file.fd, "there", 0) && ::unlink((b + "/data").c_str()) == 0);
    check("it lives with its data", put(file.other, "!", 5) && file.both("there!"));
}

bool earlier(const timespec& a, const timespec& b)
{
    return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

bool same(const timespec& a, const timespec& b)
{
    return !earlier(a, b) && !earlier(b, a);
}

// Objects and metadata target each know some of the changes.
void data_times(const std::string& a, const std::string& b)
{
    const std::string path = a + "/times", other = b + "/times";
    const timespec past[2] = {{1000, 1}, {1000, 2}};
    const int fd = make(path);

    check("written", put(fd, "bytes", 0));
    const timespec before = attributes(path).st_mtim;
    check("a mode has no time of data",
          ::chmod(other.c_str(), 0600) == 0 && same(attributes(path).st_mtim, before));
    check("times are set", ::utimensat(AT_FDCWD, other.c_str(), past, 0) == 0);
    check("they are shown", attributes(path).st_mtim.tv_nsec == 2 &&
                                attributes(path).st_mtim.tv_sec == 1000 &&
                                attributes(path).st_atim.tv_sec == 1000);
    check("also after another mode",
          ::fchmod(fd, 0640) == 0 && attributes(other).st_mtim.tv_sec == 1000);
    check("until it is written", put(fd, "b", 0) && !earlier(attributes(other).st_mtim, before));
    check("or truncated", ::futimens(fd, past) == 0 && ::truncate(other.c_str(), 1) == 0 &&
                              !earlier(attributes(path).st_mtim, before));
    check("removed", ::close(fd) == 0 && ::unlink(path.c_str()) == 0);
}

// A page of memory with no page after it.
class Page {
public:
    Page()
        : at_(static_cast<char*>(::mmap(nullptr, 2 * SIZE, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)))
    {
        std::memset(at_, 'm', SIZE);
        ::munmap(at_ + SIZE, SIZE);
    }
    ~Page() { ::munmap(at_, SIZE); }
    Page(const Page&) = delete;
    Page& operator=(const Page&) = delete;

    char* at(std::size_t offset) const { return at_ + offset; }

    static constexpr std::size_t SIZE = 4096;

private:
    char* at_;
};

// Of a process that may write up to byte 5000.
bool limited(int fd, const Page& page)
{
    const rlimit limit = {5000, 5000};

    ::signal(SIGXFSZ, SIG_IGN);
    return ::setrlimit(RLIMIT_FSIZE, &limit) == 0 && ::pwrite(fd, page.at(0), 2000, 4000) == 1000 &&
           fails(::pwrite(fd, page.at(0), 1, 5000), EFBIG) && fails(::ftruncate(fd, 6000), EFBIG) &&
           ::ftruncate(fd, 4500) == 0;
}

bool copied(const std::string& from, const std::string& to)
{
    const int in = ::open(from.c_str(), O_RDONLY);
    const int out = make(to);
    const bool good = ::copy_file_range(in, nullptr, out, nullptr, 9000, 0) == 4500 &&
                      ::lseek(in, 500, SEEK_SET) == 500 &&
                      ::sendfile(out, in, nullptr, 9000) == 4000 && size_of(out) == 8500;

    return ::close(in) == 0 && ::close(out) == 0 && good;
}

bool overwritten(const std::string& path)
{
    const int fd = ::open(path.c_str(), O_WRONLY);

    return fd >= 0 && ::write(fd, "x", 1) == 1 && ::close(fd) == 0;
}

// Calls that end early, or have effects besides.
void partial_data(const std::string& a, const std::string& b)
{
    const std::string path = a + "/partial";
    const int fd = make(path, O_RDWR | O_DIRECT);
    const Page page;

    check("direct, at any position", ::pwrite(fd, page.at(0), 1000, 1) == 1000);
    check("memory that is not there", fails(::pwrite(fd, page.at(Page::SIZE), 10, 0), EFAULT) &&
                                          fails(::pread(fd, page.at(Page::SIZE), 10, 0), EFAULT));
    check("memory that ends", ::pwrite(fd, page.at(0), 8192, 0) == 4096 && size_of(fd) == 4096 &&
                                  ::pread(fd, page.at(1096), 4096, 0) == 3000);
    check("the limit of a process", as_user([&] { return limited(fd, page); }));
    check("copied in the kernel", copied(b + "/partial", b + "/copy"));
    check("a user writes to a program",
          ::fchmod(fd, 04777) == 0 && as_user([&] { return overwritten(b + "/partial"); }));
    check("which loses its privileges", (attributes(path).st_mode & 07777) == 0777);
    check("removed", ::unlink(path.c_str()) == 0 && ::unlink((a + "/copy").c_str()) == 0);
    ::close(fd);
}

bool lists_layout(const std::string& path)
{
    char names[1024];
    const ssize_t length = ::listxattr(path.c_str(), names, sizeof(names));

    if (length < 0 || ::listxattr(path.c_str(), nullptr, 0) != length)
        return false;
    for (const char* at = names; at < names + length; at += std::strlen(at) + 1)
        if (std::strcmp(at, "lustre.lov") == 0)
            return true;
    return false;
}

// A file is restored with all attributes of another one, as tar and cp do.
void restored(const std::string& dir)
{
    const std::string from = dir + "/from", to = dir + "/to";
    char value[1024];

    check("a file with a layout", ::close(make(from)) == 0 && lists_layout(from));
    check("one without", ::mknod(to.c_str(), S_IFREG | 0644, 0) == 0 && !lists_layout(to));
    const ssize_t length = ::getxattr(from.c_str(), "lustre.lov", value, sizeof(value));
    check("is given one", length > 0 && ::setxattr(to.c_str(), "lustre.lov", value,
                                                   static_cast<std::size_t>(length), 0) == 0);
    check("which is listed", lists_layout(to));
    for (const char* name : {"trusted.lma", "trusted.link", "trusted.fid"}) {
        check(name, ::setxattr(to.c_str(), name, "1", 1, 0) == 0);
        check(name, as_user([&] { return fails(::setxattr(to.c_str(), name, "1", 1, 0), EPERM); }));
    }
    check("removed", ::unlink(from.c_str()) == 0 && ::unlink(to.c_str()) == 0);
}

void without(const std::string& dir)
{
    const std::string path = dir + "/without";
    char names[256];

    check("a file", ::close(make(path)) == 0);
    check("no attributes of users",
          fails(::setxattr(path.c_str(), "user.a", "1", 1, 0), EOPNOTSUPP) &&
              fails(::getxattr(path.c_str(), "user.a", nullptr, 0), EOPNOTSUPP));
    check("others", ::setxattr(path.c_str(), "trusted.a", "1", 1, 0) == 0 &&
                        ::listxattr(path.c_str(), names, sizeof(names)) == 21 &&
                        ::removexattr(path.c_str(), "trusted.a") == 0);
    check("no ACLs",
          fails(::getxattr(path.c_str(), "system.posix_acl_access", nullptr, 0), EOPNOTSUPP));
    check("removed", ::unlink(path.c_str()) == 0);
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc != 3) {
        std::fprintf(stderr, "usage: fs-clients A B, fs-clients --without DIR\n");
        return 2;
    }
    if (std::strcmp(argv[1], "--without") == 0) {
        without(argv[2]);
        return good ? 0 : 1;
    }
    const std::string a = argv[1], b = argv[2];

    ::umask(0);
    check("a directory of a user", ::mkdir((a + "/user").c_str(), 0777) == 0);
    open_files(a, b);
    own_files(a, b);
    restored(a);
    directories(a, b);
    permissions(a, b);
    programs(a, b);
    positions(a, b);
    data(a, b);
    data_times(a, b);
    partial_data(a, b);
    check("the user's files are removed", ::unlink((b + "/user/strict").c_str()) == 0 &&
                                              ::unlink((b + "/user/left").c_str()) == 0 &&
                                              ::rmdir((a + "/user").c_str()) == 0);
    return good ? 0 : 1;
}
