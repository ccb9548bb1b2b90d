// SPDX-License-Identifier: GPL-2.0-only
//
// fs-matrix: extended attributes, names, directories, and objects that are open without a name.
#ifndef MATRIX_NAMES_HPP
#define MATRIX_NAMES_HPP

#include <set>

#include "matrix.hpp"

namespace matrix {

inline std::string value_of(const char* path, const char* name, std::size_t size)
{
    std::string value(size, '\0');
    const ssize_t length = ::lgetxattr(path, name, value.data(), size);

    return length < 0 ? said(length)
                      : "ok " + std::to_string(length) + " " +
                            shown(value.substr(0, static_cast<std::size_t>(length)));
}

// Names in order, without those of a file system's own.
inline std::string list_of(const char* path)
{
    char list[4096];
    const ssize_t length = ::llistxattr(path, list, sizeof(list));
    std::set<std::string> names;
    std::string text = "ok";

    if (length < 0)
        return said(length);
    for (const char* at = list; at < list + length; at += std::strlen(at) + 1)
        names.insert(at);
    for (const std::string& name : names)
        text += name.starts_with("user.") || name == "trusted.a" || name.starts_with("system.")
                    ? " " + name
                    : "";
    return text;
}

inline void build_xattrs()
{
    build_objects();
    for (const char* each : {"file", "dir"})
        need(!is_missing(each) || (::setxattr(each, "user.a", "value", 5, 0) == 0 &&
                                   ::setxattr(each, "user.empty", "", 0, 0) == 0 &&
                                   ::setxattr(each, "trusted.a", "secret", 6, 0) == 0),
             each);
}

inline void xattr_sizes(Part& part, const char* path)
{
    const std::string at = std::string(" ") + path;

    for (const std::size_t size : {0U, 1U, 4U, 5U, 6U, 65536U})
        part.ask("get " + std::to_string(size) + at, root,
                 [&] { return value_of(path, "user.a", size); });
    for (const std::size_t size : {0U, 1U, 1000U, 2000U, 65536U, 65537U})
        part.run("set " + std::to_string(size) + at, owner, [&] {
            const std::string value(size, 'v');

            // The largest value depends on the file system, the limit of the system does not.
            return size == 65536 ? std::string("-")
                                 : said(::lsetxattr(path, "user.b", value.data(), size, 0));
        });
}

inline void xattr_names(Part& part, const char* path, const User& user)
{
    const std::vector<std::string> names = {"user.a",
                                            "user.none",
                                            "user.",
                                            "user.empty",
                                            "trusted.a",
                                            "trusted.b",
                                            "security.x",
                                            "system.x",
                                            "nothing.x",
                                            "user",
                                            "",
                                            "user." + std::string(250, 'l'),
                                            "user." + std::string(251, 'l')};

    for (const std::string& name : names) {
        const std::string text = shown(name) + " " + path;

        part.ask("get " + text, user, [&] { return value_of(path, name.c_str(), 100); });
        for (const int flags : std::initializer_list<int>{0, XATTR_CREATE, XATTR_REPLACE, 4})
            part.run("set " + text + " " + std::to_string(flags), user, [&] {
                const std::string done = said(::lsetxattr(path, name.c_str(), "new", 3, flags));

                return done + " " + value_of(path, name.c_str(), 100);
            });
        part.run("remove " + text, user, [&] {
            const std::string done = said(::lremovexattr(path, name.c_str()));

            return done + " " + list_of(path);
        });
    }
    part.ask(std::string("list ") + path, user, [&] { return list_of(path); });
    part.ask(std::string("list 1 ") + path, user, [&] {
        char byte[1];
        const ssize_t length = ::llistxattr(path, byte, 1);

        return length == 0 ? std::string("none") : said(length);
    });
}

inline void xattrs()
{
    Part part("xattr", build_xattrs);

    for (const char* path : {"file", "dir", "fifo", "sock", "chr", "link", "locked/file"})
        for (const User* user : {&root, &owner, &other})
            xattr_names(part, path, *user);
    xattr_sizes(part, "file");
    xattr_sizes(part, "dir");
    part.run("many", owner, [] {
        for (int n = 0; n < 20; n++)
            if (::setxattr("file", ("user.n" + std::to_string(n)).c_str(), &n, sizeof(n), 0) != 0)
                return said(-1);
        return list_of("file");
    });
}

// --- names ---------------------------------------------------------------------------

inline void name_bytes()
{
    Part part("bytes", build_objects);
    std::vector<std::string> names = {
        std::string(255, 'x'), std::string(256, 'x'), "...", ".hidden",
        "with space",          "new\nline",           "-",   "a\\b"};

    for (const int byte : {1, 31, 127, 128, 255})
        names.push_back("byte" + std::string(1, static_cast<char>(byte)));
    for (const std::string& name : names) {
        part.run("creat " + shown(name), owner,
                 [&] { return opened(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600)); });
        part.run("mkdir " + shown(name), owner, [&] {
            return said(::mkdir(name.c_str(), 0700)) + said(::rename(name.c_str(), "new")) +
                   said(::rename("new", name.c_str()));
        });
    }
    for (const std::size_t length : {1U, 59U, 60U, 61U, 1000U, 4095U, 4096U})
        part.run("symlink " + std::to_string(length), owner,
                 [&] { return said(::symlink(std::string(length, 't').c_str(), "new")); });
    part.ask("symlink empty", owner, [] { return said(::symlink("", "new")); });
    part.run("readlink, short", owner, [] {
        char two[2];

        return said(::symlink("abc", "new")) + " " +
               std::to_string(::readlink("new", two, sizeof(two)));
    });
}

// Links of links, and directories of directories.
inline void chains()
{
    Part part("chain", build_objects);

    for (const int count : {8, 39, 40, 41})
        part.run("links " + std::to_string(count), owner, [&] {
            std::string target = "file";

            for (int n = 0; n < count; n++) {
                const std::string name = "l" + std::to_string(n);

                if (::symlink(target.c_str(), name.c_str()) != 0)
                    return said(-1);
                target = name;
            }
            return "ok " + said(::access(target.c_str(), F_OK));
        });
    part.run("deep", owner, [] {
        std::string path = "dir";

        for (int n = 0; n < 20; n++) {
            path += "/d";
            if (::mkdir(path.c_str(), 0755) != 0)
                return said(-1);
        }
        return "ok " + said(::rename("dir", (path + "/x").c_str())) + " " +
               said(::rename("dir/d/d", "moved")) + " " + said(::rename("moved", "dir/d/d"));
    });
    part.run("links of a file", owner, [] {
        for (int n = 0; n < 50; n++)
            if (::link("file", ("dir/" + std::to_string(n)).c_str()) != 0)
                return said(-1);
        for (int n = 0; n < 50; n += 2)
            ::rename(("dir/" + std::to_string(n)).c_str(), ("full/" + std::to_string(n)).c_str());
        for (int n = 0; n < 50; n += 3)
            ::unlink(("full/" + std::to_string(n)).c_str());
        return std::string("ok");
    });
}

// --- directories ---------------------------------------------------------------------

constexpr int MANY = 600;

inline std::string many_name(int n)
{
    return "many/a-name-of-some-length-that-fills-blocks-" + std::to_string(n);
}

inline void build_many()
{
    make_dir("many", 0755, 1000, 1000);
    make_dir("many/sub", 0755, 1000, 1000);
    make_link("x", "many/link");
    for (int n = 0; n < MANY; n++)
        make_node(many_name(n).c_str(), S_IFREG | 0644, 1000, 1000);
}

struct Entries {
    std::vector<std::string> names;
    std::vector<long> after;  // position after each
    int wrong = 0;            // type or number differ from those of lstat
};

inline Entries entries_of(DIR* dir)
{
    Entries all;

    while (const dirent* entry = ::readdir(dir)) {
        struct stat st {};

        if (::fstatat(::dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
            (std::strcmp(entry->d_name, "..") != 0 && st.st_ino != entry->d_ino) ||
            (entry->d_type != DT_UNKNOWN &&
             static_cast<mode_t>(DTTOIF(entry->d_type)) != (st.st_mode & S_IFMT)))
            all.wrong++;
        all.names.emplace_back(entry->d_name);
        all.after.push_back(::telldir(dir));
    }
    return all;
}

// From each position the rest is seen.
inline std::string seeks(DIR* dir, const Entries& all)
{
    int bad = 0;

    for (std::size_t n = 0; n < all.names.size(); n += 37) {
        std::size_t rest = 0;

        ::seekdir(dir, all.after[n]);
        while (const dirent* entry = ::readdir(dir))
            rest += n + 1 + rest < all.names.size() && all.names[n + 1 + rest] == entry->d_name
                        ? 1
                        : 100000;
        bad += rest == all.names.size() - n - 1 ? 0 : 1;
    }
    return std::to_string(bad);
}

inline std::string distinct(const std::vector<std::string>& names)
{
    return std::to_string(names.size()) + " entries, " +
           std::to_string(std::set<std::string>(names.begin(), names.end()).size()) + " names";
}

// Removes every other name halfway; the others are seen once.
inline std::string read_and_remove(DIR* dir)
{
    std::set<std::string> seen;
    int twice = 0;
    int missed = 0;

    for (int n = 0; n < MANY / 2; n++)
        if (const dirent* entry = ::readdir(dir))
            seen.insert(entry->d_name);
    for (int n = 0; n < MANY; n += 2)
        ::unlink(many_name(n).c_str());
    while (const dirent* entry = ::readdir(dir))
        twice += seen.insert(entry->d_name).second ? 0 : 1;
    for (int n = 1; n < MANY; n += 2)
        missed += seen.contains(many_name(n).substr(5)) ? 0 : 1;
    return std::to_string(twice) + " twice, " + std::to_string(missed) + " missed";
}

inline void directories()
{
    Part part("readdir", build_many);
    DIR* dir = ::opendir("many");
    const auto text = [&](const std::string& what, const std::string& result) {
        part.ask(what, root, [&] { return result; });
    };

    need(dir != nullptr, "many");
    Entries all = entries_of(dir);
    text("all", distinct(all.names) + ", " + std::to_string(all.wrong) + " wrong");
    text("seek", seeks(dir, all) + " bad");
    ::rewinddir(dir);
    text("rewind", distinct(entries_of(dir).names));
    make_node("many/new", S_IFREG | 0644, 1000, 1000);
    ::rewinddir(dir);
    text("a new one", distinct(entries_of(dir).names));
    need(::unlink("many/new") == 0, "many/new");
    ::rewinddir(dir);
    text("remove", read_and_remove(dir));
    ::rewinddir(dir);
    text("rest", distinct(entries_of(dir).names));
    ::closedir(dir);
}

// --- without a name --------------------------------------------------------------------

inline std::string fd_path(int fd)
{
    return "/proc/self/fd/" + std::to_string(fd);
}

inline std::string state_of(int fd)
{
    struct stat st {};

    return ::fstat(fd, &st) == 0 ? attributes({st, ""}) : said(-1);
}

inline std::string after_unlink(int fd)
{
    std::string text = state_of(fd) + ": " + said(::fchmod(fd, 0600)) + " " +
                       said(::fchown(fd, 2000, 2000)) + " " + said(::ftruncate(fd, 0)) + " " +
                       said(::fsetxattr(fd, "user.b", "1", 1, 0)) + " " +
                       said(::fgetxattr(fd, "user.b", nullptr, 0)) + " " + said(::fsync(fd)) + " ";

    text += said(::linkat(AT_FDCWD, fd_path(fd).c_str(), AT_FDCWD, "back", AT_SYMLINK_FOLLOW));
    return text + " " + opened(::open(fd_path(fd).c_str(), O_RDONLY)) + " " + state_of(fd);
}

inline void unlinked_files(Part& part)
{
    for (const char* how : {"unlink", "rename over", "unlink one of two"})
        part.run(how, root, [&] {
            const int fd =
                ::open(std::strcmp(how, "rename over") == 0 ? "full/inside" : "file", O_RDWR);
            const std::string call = how;
            std::string text = said(fd) + " ";

            if (call == "unlink")
                text += said(::unlink("hard")) + said(::unlink("file"));
            else if (call == "rename over")
                text += said(::rename("file", "full/inside"));
            else
                text += said(::unlink("hard"));
            text += " " + after_unlink(fd);
            ::close(fd);
            return text;
        });
}

inline std::string in_removed_directory(int fd)
{
    struct stat st {};
    std::string text = state_of(fd) + ": " + said(::mkdirat(fd, "x", 0700)) + " " +
                       opened(::openat(fd, "x", O_WRONLY | O_CREAT, 0600)) + " " +
                       opened(::openat(fd, ".", O_RDONLY)) + " " + said(::symlinkat("t", fd, "x")) +
                       " " + said(::linkat(AT_FDCWD, "file", fd, "x", 0)) + " " +
                       said(::renameat(AT_FDCWD, "file", fd, "x")) + " " +
                       said(::fstatat(fd, "x", &st, 0)) + " " + said(::fchmod(fd, 0700)) + " ";
    DIR* dir = ::fdopendir(::dup(fd));
    int count = 0;

    while (dir != nullptr && ::readdir(dir) != nullptr)
        count++;
    if (dir != nullptr)
        ::closedir(dir);
    return text + std::to_string(count) + " entries";
}

inline void removed_directories(Part& part)
{
    part.run("rmdir", root, [] {
        const int fd = ::open("dir", O_RDONLY | O_DIRECTORY);
        std::string text = said(::rmdir("dir")) + " " + in_removed_directory(fd);

        ::close(fd);
        return text;
    });
    part.run("rename over a directory", root, [] {
        const int fd = ::open("dir", O_RDONLY | O_DIRECTORY);
        std::string text = said(::rename("full", "dir")) + " " + in_removed_directory(fd);

        ::close(fd);
        return text;
    });
    part.run("rmdir of the current one", root, [] {
        const int here = ::open(".", O_RDONLY | O_DIRECTORY);
        char cwd[64];
        struct stat st {};
        std::string text = said(::chdir("dir")) + " " + said(::rmdir("../dir")) + " " +
                           said(::getcwd(cwd, 1) == nullptr ? -1 : 0) + " " +
                           said(::stat(".", &st)) + " " + said(::mkdir("x", 0700)) + " " +
                           said(::stat("x", &st)) + " " + said(::stat("..", &st));

        need(::fchdir(here) == 0, "fchdir");
        ::close(here);
        return text;
    });
}

inline void nameless()
{
    Part part("nameless", build_objects);

    unlinked_files(part);
    removed_directories(part);
    part.run("renamed while open", root, [] {
        const int fd = ::open("file", O_RDWR);
        std::string text = said(::rename("file", "full/new")) + " " + said(::fchmod(fd, 0600)) +
                           " " + state_of(fd);

        ::close(fd);
        return text;
    });
    part.run("mode is that of the open", owner, [] {
        const int fd = ::open("file", O_RDWR);
        std::string text = said(::chmod("file", 0)) + " " + said(::ftruncate(fd, 0)) + " " +
                           opened(::open("file", O_RDONLY));

        ::close(fd);
        return text;
    });
    part.run("created without permission", owner, [] {
        const int fd = ::open("new", O_RDWR | O_CREAT | O_EXCL, 0);
        std::string text = said(fd) + " " + state_of(fd) + " " + said(::ftruncate(fd, 0)) + " " +
                           opened(::open("new", O_RDONLY));

        ::close(fd);
        return text;
    });
}

}  // namespace matrix

#endif
