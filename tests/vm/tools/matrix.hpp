// SPDX-License-Identifier: GPL-2.0-only
//
// Shared by the parts of fs-matrix: users, a directory with objects of every type, and a report
// of what a call returned and what it changed.
#ifndef MATRIX_HPP
#define MATRIX_HPP

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

namespace matrix {

struct User {
    const char* name;
    uid_t id;  // and the number of the group
    std::vector<gid_t> groups;
};

// Objects belong to `owner` unless a part says otherwise.
inline const User root{"root", 0, {}};
inline const User owner{"owner", 1000, {3000}};
inline const User member{"member", 1001, {1000}};
inline const User other{"other", 2000, {}};

[[noreturn]] inline void die(const std::string& what)
{
    std::fprintf(stderr, "fs-matrix: %s: %s\n", what.c_str(), std::strerror(errno));
    std::exit(2);
}

inline void need(bool fine, const std::string& what)
{
    if (!fine)
        die(what);
}

// Runs calls as @user. The saved ids stay those of root.
class As {
public:
    explicit As(const User& user)
    {
        need(::setgroups(user.groups.size(), user.groups.data()) == 0 &&
                 ::setresgid(user.id, user.id, 0) == 0 && ::setresuid(user.id, user.id, 0) == 0,
             user.name);
    }
    ~As()
    {
        need(::setresuid(0, 0, 0) == 0 && ::setresgid(0, 0, 0) == 0 && ::setgroups(0, nullptr) == 0,
             "root");
    }
    As(const As&) = delete;
    As& operator=(const As&) = delete;
};

// Result of a call: "ok", or the name of its errno.
inline std::string said(long rc)
{
    const char* name = rc < 0 ? ::strerrorname_np(errno) : "ok";

    return name != nullptr ? name : "errno " + std::to_string(errno);
}

// A descriptor, which is closed.
inline std::string opened(int fd)
{
    std::string text = said(fd);

    if (fd >= 0)
        ::close(fd);
    return text;
}

inline std::string number(unsigned long value, const char* format)
{
    char text[32];

    std::snprintf(text, sizeof(text), format, value);
    return text;
}

// A name as text of one line; long ones as their length.
inline std::string shown(const std::string& name)
{
    std::string text;

    if (name.size() > 100)
        return "<" + std::to_string(name.size()) + " bytes>";
    for (const char c : name)
        text += c > ' ' && c < '\x7f' ? std::string(1, c)
                                      : number(static_cast<unsigned char>(c), "\\x%02lx");
    return text;
}

struct Seen {
    struct stat st {};
    std::string target;
};

using Snapshot = std::map<std::string, Seen>;

// Attributes that do not differ by nature. Sizes of directories do.
inline std::string attributes(const Seen& seen)
{
    const struct stat& st = seen.st;
    std::string text = number(st.st_mode, "%07lo") + " " + std::to_string(st.st_uid) + ":" +
                       std::to_string(st.st_gid) + " links " + std::to_string(st.st_nlink);

    if (S_ISREG(st.st_mode) || S_ISLNK(st.st_mode))
        text += " size " + std::to_string(st.st_size);
    if (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode))
        text += " device " + std::to_string(major(st.st_rdev)) + "," +
                std::to_string(minor(st.st_rdev));
    return seen.target.empty() ? text : text + " -> " + shown(seen.target);
}

inline bool later(const timespec& a, const timespec& b)
{
    return a.tv_sec != b.tv_sec || a.tv_nsec != b.tv_nsec;
}

// "mc": the times that differ.
inline std::string times(const Seen& before, const Seen& after)
{
    return std::string(later(before.st.st_mtim, after.st.st_mtim) ? "m" : "") +
           (later(before.st.st_ctim, after.st.st_ctim) ? "c" : "");
}

inline std::vector<std::string> names_in(const std::string& path)
{
    std::vector<std::string> names;
    DIR* dir = ::opendir(path.c_str());

    need(dir != nullptr, "opendir " + path);
    while (const dirent* entry = ::readdir(dir))
        if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0)
            names.emplace_back(entry->d_name);
    ::closedir(dir);
    return names;
}

inline void look(const std::string& path, Snapshot& snapshot)
{
    Seen seen;
    char target[8192];

    need(::lstat(path.c_str(), &seen.st) == 0, "lstat " + shown(path));
    if (S_ISLNK(seen.st.st_mode)) {
        const ssize_t length = ::readlink(path.c_str(), target, sizeof(target));

        need(length >= 0, "readlink " + shown(path));
        seen.target.assign(target, static_cast<std::size_t>(length));
    }
    snapshot[path] = seen;
    if (S_ISDIR(seen.st.st_mode))
        for (const std::string& name : names_in(path))
            look(path + "/" + name, snapshot);
}

inline bool is_directory(const std::string& path)
{
    struct stat st {};

    need(::lstat(path.c_str(), &st) == 0, "lstat " + shown(path));
    return S_ISDIR(st.st_mode);
}

inline void remove_all(const std::string& path)
{
    if (is_directory(path)) {
        for (const std::string& name : names_in(path))
            remove_all(path + "/" + name);
        need(::rmdir(path.c_str()) == 0, "rmdir " + shown(path));
    } else {
        need(::unlink(path.c_str()) == 0, "unlink " + shown(path));
    }
}

// Waits until the clock of file systems has moved: a change after it has another time.
inline void next_tick()
{
    timespec first{};
    timespec now{};

    ::clock_gettime(CLOCK_REALTIME_COARSE, &first);
    do {
        ::usleep(500);
        ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
    } while (!later(first, now));
}

// Names in the current directory that are to be made: those that a call has changed, or ALL.
inline constexpr const char* ALL = "";
inline std::set<std::string> missing;

// "a" of "./a/b" and of "a/b".
inline std::string top_of(const std::string& path)
{
    const std::string rest = path.starts_with("./") ? path.substr(2) : path;

    return rest.substr(0, rest.find('/'));
}

inline bool is_missing(const std::string& path)
{
    return missing.contains(ALL) || missing.contains(top_of(path));
}

// The current directory: what a part has built in it, for as long as no call changes it.
class World {
public:
    explicit World(std::function<void()> build) : build_(std::move(build))
    {
        std::set<std::string> all = {ALL, ".", ".."};

        for (const std::string& name : names_in("."))
            all.insert(name);
        rebuild(all);
    }

    // Prints the differences to before, and repairs what differs.
    void report()
    {
        const Snapshot after = snapshot();
        std::set<std::string> changed;

        for (const auto& [path, seen] : before_)
            if (!after.contains(path)) {
                std::printf("    -%s\n", shown(path).c_str());
                changed.insert(top_of(path));
            }
        for (const auto& [path, seen] : after)
            if (print_change(path, seen, after))
                changed.insert(top_of(path));
        if (!changed.empty())
            rebuild(changed);
    }

private:
    static Snapshot snapshot()
    {
        Snapshot all;

        look(".", all);
        need(::lstat("..", &all[".."].st) == 0, "lstat ..");
        return all;
    }

    static void reset_top()
    {
        for (const char* each : {"..", "."}) {
            for (const char* name :
                 {"user.a", "trusted.a", "system.posix_acl_access", "system.posix_acl_default"})
                ::removexattr(each, name);
            need(::chown(each, 0, 0) == 0 && ::chmod(each, 0777) == 0, each);
        }
    }

    // A time of the past for all that was made, so that each change is one.
    static void set_times(const std::string& path)
    {
        const timespec past[2] = {{1000000000, 0}, {1000000000, 0}};

        if (path == ".")
            for (const std::string& name : names_in("."))
                if (is_missing(name))
                    set_times(name);
        if (path.find('.') == std::string::npos && is_directory(path))
            for (const std::string& name : names_in(path))
                set_times(path + "/" + name);
        need(::utimensat(AT_FDCWD, path.c_str(), past, AT_SYMLINK_NOFOLLOW) == 0,
             "utimensat " + path);
    }

    void rebuild(const std::set<std::string>& tops)
    {
        struct stat st {};

        ::umask(0);
        for (const std::string& name : tops)
            if (name != "." && name != ".." && ::lstat(name.c_str(), &st) == 0)
                remove_all(name);
        if (tops.contains(".") || tops.contains(".."))
            reset_top();
        missing = tops;
        build_();
        set_times(".");
        set_times("..");
        next_tick();
        before_ = snapshot();
    }

    // Is it not as before?
    bool print_change(const std::string& path, const Seen& seen, const Snapshot& after) const
    {
        const auto was = before_.find(path);
        const bool created = was == before_.end();

        if (!created && was->second.st.st_ino == seen.st.st_ino &&
            attributes(was->second) == attributes(seen) && times(was->second, seen).empty())
            return false;
        std::printf("    %s%s %s%s%s\n", created ? "+" : "~", shown(path).c_str(),
                    created ? "" : (times(was->second, seen) + " ").c_str(),
                    attributes(seen).c_str(), same_as(path, seen, after).c_str());
        return true;
    }

    // Another name of it.
    static std::string same_as(const std::string& path, const Seen& seen, const Snapshot& after)
    {
        for (const auto& [name, each] : after)
            if (name != path && each.st.st_ino == seen.st.st_ino)
                return " = " + shown(name);
        return "";
    }

    std::function<void()> build_;
    Snapshot before_;
};

// One line for a call, and what it changed if it succeeded.
class Part {
public:
    Part(const char* name, std::function<void()> build) : name_(name), world_(std::move(build)) {}
    // A call that failed has changed nothing.
    ~Part()
    {
        std::printf("%s: end\n", name_);
        world_.report();
    }
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;

    void run(const std::string& call, const User& user, const std::function<std::string()>& f)
    {
        const std::string result = as(user, f);

        std::printf("%s: %s as %s: %s\n", name_, call.c_str(), user.name, result.c_str());
        if (result.starts_with("ok"))
            world_.report();
    }

    // The same of a call that can change nothing.
    void ask(const std::string& call, const User& user, const std::function<std::string()>& f)
    {
        std::printf("%s: %s as %s: %s\n", name_, call.c_str(), user.name, as(user, f).c_str());
    }

private:
    static std::string as(const User& user, const std::function<std::string()>& f)
    {
        const As now(user);

        return f();
    }

    const char* name_;
    World world_;
};

inline void make_dir(const char* path, mode_t mode, uid_t uid, gid_t gid)
{
    need(!is_missing(path) ||
             (::mkdir(path, 0700) == 0 && ::chown(path, uid, gid) == 0 && ::chmod(path, mode) == 0),
         path);
}

inline void make_node(const char* path, mode_t mode, uid_t uid, gid_t gid, dev_t dev = 0)
{
    need(!is_missing(path) || (::mknod(path, mode, dev) == 0 && ::lchown(path, uid, gid) == 0 &&
                               ::chmod(path, mode & 07777) == 0),
         path);
}

inline void make_link(const char* target, const char* path)
{
    need(!is_missing(path) || (::symlink(target, path) == 0 && ::lchown(path, 1000, 1000) == 0),
         path);
}

// One object of each type, and directories in which a path can end.
inline void build_objects()
{
    make_node("file", S_IFREG | 0644, 1000, 1000);
    make_dir("dir", 0755, 1000, 1000);
    make_dir("full", 0755, 1000, 1000);
    make_node("full/inside", S_IFREG | 0644, 1000, 1000);
    make_node("fifo", S_IFIFO | 0644, 1000, 1000);
    make_node("sock", S_IFSOCK | 0644, 1000, 1000);
    make_node("chr", S_IFCHR | 0666, 1000, 1000, makedev(1, 3));
    make_node("blk", S_IFBLK | 0660, 1000, 1000, makedev(251, 70000));
    make_link("file", "link");
    make_link("full", "dirlink");
    make_link("nowhere", "dangling");
    make_link("loop", "loop");
    make_dir("locked", 0700, 0, 0);
    make_node("locked/file", S_IFREG | 0644, 1000, 1000);
    need(!is_missing("hard") || ::link("file", "hard") == 0, "link");
}

}  // namespace matrix

#endif
