// SPDX-License-Identifier: GPL-2.0-only
//
//	fs-clients A B
//	fs-clients --without DIR
//
// A and B are the same empty directory on two mounts. What one client does to files and
// directories that the other one has open, has as its working directory, or has just looked at;
// positions in directories; data, which is refused. The second form: DIR is on a mount that has
// neither ACLs nor attributes of users. Each check prints "ok WHAT" or "wrong WHAT";
// status 1 if one is wrong.

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
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

// Does the call fail with this errno?
template <typename Result>
bool fails(Result result, int want)
{
    return result == static_cast<Result>(-1) && errno == want;
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

void data(const std::string& a, const std::string& b)
{
    const int fd = make(a + "/data");
    char byte = 'x';

    check("an empty file reads as empty", ::read(fd, &byte, 1) == 0);
    check("nothing can be written", fails(::write(fd, &byte, 1), EOPNOTSUPP));
    check("nothing to write is written", ::write(fd, &byte, 0) == 0);
    check("no mapping",
          ::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED && errno == EOPNOTSUPP);
    check("no space", fails(::fallocate(fd, 0, 0, 4096), EOPNOTSUPP));
    check("no size", fails(::ftruncate(fd, 1), EOPNOTSUPP) && ::ftruncate(fd, 0) == 0);
    check("its end is its start", ::lseek(fd, 0, SEEK_END) == 0 && ::lseek(fd, 9, SEEK_CUR) == 9);
    check("it is on the disk", ::fsync(fd) == 0 && ::fdatasync(fd) == 0);
    check("so is the file system", ::syncfs(fd) == 0);
    check("a lock", ::flock(fd, LOCK_EX | LOCK_NB) == 0);
    const int again = ::open((a + "/data").c_str(), O_RDWR | O_TRUNC);
    check("holds on this client", fails(::flock(again, LOCK_SH | LOCK_NB), EWOULDBLOCK));
    ::close(again);
    ::close(fd);
    check("removed", ::unlink((b + "/data").c_str()) == 0);
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
                        ::listxattr(path.c_str(), names, sizeof(names)) == 10 &&
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
    directories(a, b);
    permissions(a, b);
    positions(a, b);
    data(a, b);
    check("the user's files are removed", ::unlink((b + "/user/strict").c_str()) == 0 &&
                                              ::unlink((b + "/user/left").c_str()) == 0 &&
                                              ::rmdir((a + "/user").c_str()) == 0);
    return good ? 0 : 1;
}
