// SPDX-License-Identifier: GPL-2.0-only
//
// fs-matrix: each call with each kind of path.
#ifndef MATRIX_PATHS_HPP
#define MATRIX_PATHS_HPP

#include <sys/statvfs.h>

#include "matrix.hpp"

namespace matrix {

struct Call {
    const char* name;
    std::string (*run)(const char* path);
    bool changes;
};

inline std::string say_stat(long rc, const struct stat& st)
{
    return rc < 0 ? said(rc) : "ok " + attributes({st, ""});
}

inline std::string call_stat(const char* path)
{
    struct stat st {};
    const int rc = ::stat(path, &st);

    return say_stat(rc, st);
}

inline std::string call_lstat(const char* path)
{
    struct stat st {};
    const int rc = ::lstat(path, &st);

    return say_stat(rc, st);
}

inline std::string call_statx(const char* path)
{
    struct statx stx {};
    const int rc = ::statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &stx);

    return rc < 0 ? said(rc)
                  : "ok " + number(stx.stx_mask & STATX_BASIC_STATS, "%#lx") +
                        number(stx.stx_mode, " %07lo") + number(stx.stx_nlink, " links %lu");
}

inline std::string call_readlink(const char* path)
{
    char target[64];
    const ssize_t length = ::readlink(path, target, sizeof(target));

    return length < 0 ? said(length)
                      : "ok " + shown(std::string(target, static_cast<std::size_t>(length)));
}

inline std::string call_chdir(const char* path)
{
    const int here = ::open(".", O_PATH | O_DIRECTORY);
    const int rc = ::chdir(path);
    std::string text = said(rc);

    need(::fchdir(here) == 0, "fchdir");
    ::close(here);
    return text;
}

inline std::string call_statvfs(const char* path)
{
    struct statvfs st {};
    const int rc = ::statvfs(path, &st);

    return rc < 0 ? said(rc) : "ok names of " + std::to_string(st.f_namemax);
}

inline std::string call_opendir(const char* path)
{
    DIR* dir = ::opendir(path);

    if (dir == nullptr)
        return said(-1);
    ::closedir(dir);
    return "ok";
}

inline std::string call_utimes(const char* path, int flags)
{
    const timespec at[2] = {{1, 2}, {3, 4}};

    return said(::utimensat(AT_FDCWD, path, at, flags));
}

// Calls that change nothing.
inline const std::vector<Call>& asking_calls()
{
    static const std::vector<Call> calls = {
        {"stat", call_stat, false},
        {"lstat", call_lstat, false},
        {"statx", call_statx, false},
        {"access-f", [](const char* p) { return said(::access(p, F_OK)); }, false},
        {"access-r", [](const char* p) { return said(::access(p, R_OK)); }, false},
        {"access-w", [](const char* p) { return said(::access(p, W_OK)); }, false},
        {"access-x", [](const char* p) { return said(::access(p, X_OK)); }, false},
        {"readlink", call_readlink, false},
        {"chdir", call_chdir, false},
        {"statvfs", call_statvfs, false},
        {"opendir", call_opendir, false},
        {"getxattr", [](const char* p) { return said(::getxattr(p, "user.a", nullptr, 0)); },
         false},
        {"lgetxattr", [](const char* p) { return said(::lgetxattr(p, "user.a", nullptr, 0)); },
         false},
        {"getxattr-acl",
         [](const char* p) { return said(::getxattr(p, "system.posix_acl_access", nullptr, 0)); },
         false},
        {"open-r", [](const char* p) { return opened(::open(p, O_RDONLY | O_NONBLOCK)); }, false},
        {"open-nofollow",
         [](const char* p) { return opened(::open(p, O_RDONLY | O_NONBLOCK | O_NOFOLLOW)); },
         false},
        {"open-path", [](const char* p) { return opened(::open(p, O_PATH)); }, false},
        {"open-path-nofollow", [](const char* p) { return opened(::open(p, O_PATH | O_NOFOLLOW)); },
         false},
        {"open-directory",
         [](const char* p) { return opened(::open(p, O_RDONLY | O_NONBLOCK | O_DIRECTORY)); },
         false},
        {"open-w", [](const char* p) { return opened(::open(p, O_WRONLY | O_NONBLOCK)); }, false},
        {"open-rw", [](const char* p) { return opened(::open(p, O_RDWR | O_NONBLOCK)); }, false},
        {"truncate-negative", [](const char* p) { return said(::truncate(p, -1)); }, false},
        {"rename-to-dot", [](const char* p) { return said(::rename(p, ".")); }, true},
        {"rename-to-proc", [](const char* p) { return said(::rename(p, "/proc/new")); }, false},
        {"link-to-proc", [](const char* p) { return said(::link(p, "/proc/new")); }, false},
    };

    return calls;
}

// Calls that change attributes, or an object that is there.
inline const std::vector<Call>& changing_calls()
{
    static const std::vector<Call> calls = {
        {"chmod", [](const char* p) { return said(::chmod(p, 0610)); }, true},
        {"chown", [](const char* p) { return said(::chown(p, 2000, 2000)); }, true},
        {"lchown", [](const char* p) { return said(::lchown(p, 2000, 2000)); }, true},
        {"truncate", [](const char* p) { return said(::truncate(p, 0)); }, true},
        {"utimensat", [](const char* p) { return call_utimes(p, 0); }, true},
        {"utimensat-nofollow", [](const char* p) { return call_utimes(p, AT_SYMLINK_NOFOLLOW); },
         true},
        {"setxattr", [](const char* p) { return said(::setxattr(p, "user.a", "1", 1, 0)); }, true},
        {"lsetxattr", [](const char* p) { return said(::lsetxattr(p, "user.a", "1", 1, 0)); },
         true},
        {"lsetxattr-trusted",
         [](const char* p) { return said(::lsetxattr(p, "trusted.a", "1", 1, 0)); }, true},
        {"removexattr", [](const char* p) { return said(::removexattr(p, "user.a")); }, true},
        {"removexattr-acl",
         [](const char* p) { return said(::removexattr(p, "system.posix_acl_access")); }, true},
        {"open-trunc",
         [](const char* p) { return opened(::open(p, O_WRONLY | O_TRUNC | O_NONBLOCK)); }, true},
    };

    return calls;
}

// Calls that change names.
inline const std::vector<Call>& naming_calls()
{
    static const std::vector<Call> calls = {
        {"open-creat",
         [](const char* p) { return opened(::open(p, O_WRONLY | O_CREAT | O_NONBLOCK, 0640)); },
         true},
        {"open-creat-r",
         [](const char* p) { return opened(::open(p, O_RDONLY | O_CREAT | O_NONBLOCK, 0)); }, true},
        {"open-excl",
         [](const char* p) { return opened(::open(p, O_RDWR | O_CREAT | O_EXCL, 0604)); }, true},
        {"open-creat-trunc",
         [](const char* p) {
             return opened(::open(p, O_RDWR | O_CREAT | O_TRUNC | O_NONBLOCK, 0600));
         },
         true},
        {"open-creat-nofollow",
         [](const char* p) {
             return opened(::open(p, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0600));
         },
         true},
        {"mkdir", [](const char* p) { return said(::mkdir(p, 0751)); }, true},
        {"mknod", [](const char* p) { return said(::mknod(p, S_IFREG | 0641, 0)); }, true},
        {"mkfifo", [](const char* p) { return said(::mkfifo(p, 0642)); }, true},
        {"mknod-chr",
         [](const char* p) { return said(::mknod(p, S_IFCHR | 0600, makedev(300, 70000))); }, true},
        {"symlink", [](const char* p) { return said(::symlink("to/where", p)); }, true},
        {"unlink", [](const char* p) { return said(::unlink(p)); }, true},
        {"rmdir", [](const char* p) { return said(::rmdir(p)); }, true},
        {"link-from", [](const char* p) { return said(::link(p, "full/new")); }, true},
        {"link-follow",
         [](const char* p) {
             return said(::linkat(AT_FDCWD, p, AT_FDCWD, "full/new", AT_SYMLINK_FOLLOW));
         },
         true},
        {"link-to", [](const char* p) { return said(::link("fifo", p)); }, true},
        {"rename-from", [](const char* p) { return said(::rename(p, "full/new")); }, true},
        {"rename-file-to", [](const char* p) { return said(::rename("file", p)); }, true},
        {"rename-dir-to", [](const char* p) { return said(::rename("dir", p)); }, true},
        {"rename-self", [](const char* p) { return said(::rename(p, p)); }, true},
    };

    return calls;
}

inline std::vector<std::string> all_paths()
{
    return {"file",
            "hard",
            "dir",
            "full",
            "full/inside",
            "fifo",
            "sock",
            "chr",
            "blk",
            "link",
            "dirlink",
            "dirlink/inside",
            "dirlink/new",
            "dangling",
            "loop",
            "loop/x",
            "none",
            "none/x",
            "file/x",
            "fifo/x",
            "locked",
            "locked/file",
            "locked/none",
            "",
            "dir/",
            "file/",
            "link/",
            "dirlink/",
            "none/",
            "dir/.",
            "dir/..",
            ".",
            "..",
            "/",
            std::string(255, 'n'),
            std::string(256, 'n'),
            "dir/" + std::string(255, 'n'),
            std::string(4095, '/'),
            std::string(4096, 'p')};
}

inline void run_calls(const char* name, const std::vector<Call>& calls,
                      const std::vector<const User*>& users)
{
    Part part(name, build_objects);

    for (const Call& call : calls)
        for (const std::string& path : all_paths())
            for (const User* user : users) {
                const std::string text = std::string(call.name) + "(" + shown(path) + ")";
                const auto run = [&] { return call.run(path.c_str()); };

                // The root of this machine is not of the file system.
                if (path.starts_with("/") && call.changes)
                    continue;
                if (call.changes)
                    part.run(text, *user, run);
                else
                    part.ask(text, *user, run);
            }
}

inline void paths()
{
    run_calls("ask", asking_calls(), {&root, &other});
    run_calls("change", changing_calls(), {&root, &owner, &other});
    run_calls("names", naming_calls(), {&root, &other});
}

// Each type over each type.
inline void rename_pairs(const char* name, const std::vector<unsigned int>& all_flags)
{
    const std::vector<std::string> from = {"file", "hard", "dir",  "full", "fifo",
                                           "chr",  "link", "none", "dir/", "full/inside"};
    const std::vector<std::string> to = {"file",       "hard",     "dir",        "full",
                                         "sock",       "dangling", "none",       "full/inside",
                                         "full/new",   "dir/new",  "new/",       "full/inside/x",
                                         "full/sub/x", "./file",   "dir/../file"};
    Part part(name, build_objects);

    for (const unsigned int flags : all_flags)
        for (const std::string& a : from)
            for (const std::string& b : to)
                part.run(a + " to " + b + " flags " + std::to_string(flags), root, [&] {
                    return said(::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), flags));
                });
}

inline void renames()
{
    // RENAME_EXCHANGE with RENAME_NOREPLACE is invalid anywhere.
    rename_pairs("rename", {0, RENAME_NOREPLACE, RENAME_NOREPLACE | RENAME_EXCHANGE});
}

inline void exchange()
{
    rename_pairs("exchange", {RENAME_EXCHANGE});
}

inline std::string call_at(const char* what, int fd)
{
    const std::string call = what;
    struct stat st {};

    if (call == "fstatat")
        return say_stat(::fstatat(fd, "", &st, AT_EMPTY_PATH), st);
    if (call == "linkat")
        return said(::linkat(fd, "", AT_FDCWD, "new", AT_EMPTY_PATH));
    if (call == "fchownat")
        return said(::fchownat(fd, "", 2000, 2000, AT_EMPTY_PATH));
    if (call == "openat")
        return opened(::openat(fd, "inside", O_RDONLY));
    return said(::mkdirat(fd, "new", 0700));
}

// Calls at a descriptor of each type.
inline void descriptors()
{
    Part part("at", build_objects);

    for (const char* path : {"file", "dir", "full", "fifo", "sock", "link", "chr"})
        for (const char* call : {"fstatat", "linkat", "fchownat", "openat", "mkdirat"})
            for (const User* user : {&root, &owner, &other})
                part.run(std::string(call) + "(" + path + ")", *user, [&] {
                    const int fd = ::open(path, O_PATH | O_NOFOLLOW);

                    if (fd < 0)
                        return said(fd);

                    std::string text = call_at(call, fd);

                    ::close(fd);
                    return text;
                });
}

}  // namespace matrix

#endif
