// SPDX-License-Identifier: GPL-2.0-only
//
// fs-matrix: who may do what: modes, owners, groups, sticky and setgid directories, ACLs, umask.
#ifndef MATRIX_ACCESS_HPP
#define MATRIX_ACCESS_HPP

#include "matrix.hpp"

namespace matrix {

inline const std::vector<const User*>& all_users()
{
    static const std::vector<const User*> users = {&root, &owner, &member, &other};

    return users;
}

struct AclEntry {
    std::uint16_t tag;
    std::uint16_t perm;
    std::uint32_t id;
};

// Tags of ACLs.
inline constexpr std::uint16_t USER_OBJ = 1;
inline constexpr std::uint16_t USER = 2;
inline constexpr std::uint16_t GROUP_OBJ = 4;
inline constexpr std::uint16_t GROUP = 8;
inline constexpr std::uint16_t MASK = 16;
inline constexpr std::uint16_t OTHER = 32;
inline constexpr std::uint32_t NOBODY = 0xffffffffU;

using Acl = std::vector<AclEntry>;

inline std::string acl_value(const Acl& acl)
{
    const std::uint32_t version = 2;
    std::string value(reinterpret_cast<const char*>(&version), sizeof(version));

    for (const AclEntry& each : acl)
        value.append(reinterpret_cast<const char*>(&each), sizeof(each));
    return value;
}

inline int set_acl(const char* path, const char* kind, const Acl& acl)
{
    const std::string value = acl_value(acl);

    return ::setxattr(path, kind, value.data(), value.size(), 0);
}

inline constexpr const char* ACCESS = "system.posix_acl_access";
inline constexpr const char* DEFAULT = "system.posix_acl_default";

// "tag:id:perm ..." of an attribute.
inline std::string acl_of(const std::string& path, const char* kind)
{
    char value[512];
    const ssize_t length = ::getxattr(path.c_str(), kind, value, sizeof(value));
    std::string text;

    if (length < 0)
        return said(length);
    for (std::size_t at = 4; at + sizeof(AclEntry) <= static_cast<std::size_t>(length);
         at += sizeof(AclEntry)) {
        AclEntry each{};

        std::memcpy(&each, value + at, sizeof(each));
        text += number(each.tag, "%lu") + ":" + (each.id == NOBODY ? "" : std::to_string(each.id)) +
                ":" + std::to_string(each.perm) + " ";
    }
    return text;
}

inline const Acl& named_acl()
{
    static const Acl acl = {{USER_OBJ, 7, NOBODY}, {USER, 6, 2000},   {GROUP_OBJ, 5, NOBODY},
                            {GROUP, 2, 3000},      {MASK, 7, NOBODY}, {OTHER, 1, NOBODY}};

    return acl;
}

// Directories that differ in who may change names, each with files of two owners.
inline void build_parents()
{
    struct Parent {
        const char* name;
        mode_t mode;
        uid_t uid;
        gid_t gid;
    };
    const std::vector<Parent> parents = {
        {"open", 0777, 0, 0},
        {"plain", 0755, 0, 0},
        {"sticky", 01777, 0, 0},
        {"setgid", 02777, 0, 3000},
        {"readonly", 0555, 1000, 1000},
        {"writeonly", 0300, 1000, 1000},
        {"nosearch", 0666, 1000, 1000},
        {"mysticky", 01777, 1000, 1000},
        {"acl", 0777, 0, 0},
        {"aclaccess", 0700, 0, 0},
    };

    for (const Parent& each : parents) {
        const std::string at = std::string(each.name) + "/";

        if (!is_missing(each.name))
            continue;
        make_dir(each.name, 0700, 0, 0);
        make_node((at + "mine").c_str(), S_IFREG | 0644, 1000, 1000);
        make_node((at + "theirs").c_str(), S_IFREG | 0644, 0, 0);
        make_dir((at + "sub").c_str(), 0755, 1000, 1000);
        need(::chown(each.name, each.uid, each.gid) == 0 && ::chmod(each.name, each.mode) == 0,
             each.name);
    }
    need(!is_missing("acl") || set_acl("acl", DEFAULT, named_acl()) == 0, "acl");
    need(!is_missing("aclaccess") || set_acl("aclaccess", ACCESS, named_acl()) == 0, "aclaccess");
}

struct In {
    const char* name;
    std::function<std::string(const std::string& at)> run;
};

inline const std::vector<In>& changes_in_parents()
{
    static const std::vector<In> calls = {
        {"creat",
         [](const std::string& at) {
             return opened(::open((at + "new").c_str(), O_WRONLY | O_CREAT | O_EXCL, 02775));
         }},
        {"creat-over-mine",
         [](const std::string& at) {
             return opened(::open((at + "mine").c_str(), O_WRONLY | O_CREAT, 0666));
         }},
        {"mkdir", [](const std::string& at) { return said(::mkdir((at + "new").c_str(), 01777)); }},
        {"mknod",
         [](const std::string& at) {
             return said(::mknod((at + "new").c_str(), S_IFREG | 06777, 0));
         }},
        {"mkfifo",
         [](const std::string& at) { return said(::mkfifo((at + "new").c_str(), 0666)); }},
        {"symlink",
         [](const std::string& at) { return said(::symlink("x", (at + "new").c_str())); }},
        {"link",
         [](const std::string& at) { return said(::link("open/mine", (at + "new").c_str())); }},
        {"unlink-mine",
         [](const std::string& at) { return said(::unlink((at + "mine").c_str())); }},
        {"unlink-theirs",
         [](const std::string& at) { return said(::unlink((at + "theirs").c_str())); }},
        {"rmdir", [](const std::string& at) { return said(::rmdir((at + "sub").c_str())); }},
        {"rename-mine",
         [](const std::string& at) {
             return said(::rename((at + "mine").c_str(), (at + "new").c_str()));
         }},
        {"rename-theirs",
         [](const std::string& at) {
             return said(::rename((at + "theirs").c_str(), (at + "new").c_str()));
         }},
        {"rename-over-theirs",
         [](const std::string& at) {
             return said(::rename((at + "mine").c_str(), (at + "theirs").c_str()));
         }},
        {"rename-in",
         [](const std::string& at) { return said(::rename("open/mine", (at + "new").c_str())); }},
        {"rename-dir-out",
         [](const std::string& at) { return said(::rename((at + "sub").c_str(), "open/new")); }},
    };

    return calls;
}

inline std::string list_dir(const std::string& at)
{
    DIR* dir = ::opendir(at.c_str());
    int count = 0;

    if (dir == nullptr)
        return said(-1);
    while (::readdir(dir) != nullptr)
        count++;
    ::closedir(dir);
    return "ok " + std::to_string(count);
}

inline const std::vector<In>& questions_in_parents()
{
    static const std::vector<In> calls = {
        {"stat",
         [](const std::string& at) {
             struct stat st {};

             return said(::stat((at + "mine").c_str(), &st));
         }},
        {"stat-none",
         [](const std::string& at) {
             struct stat st {};

             return said(::stat((at + "none").c_str(), &st));
         }},
        {"list", list_dir},
        {"chdir", [](const std::string& at) { return opened(::open(at.c_str(), O_PATH)); }},
        {"access",
         [](const std::string& at) {
             return said(::access(at.c_str(), R_OK)) + " " + said(::access(at.c_str(), W_OK)) +
                    " " + said(::access(at.c_str(), X_OK));
         }},
    };

    return calls;
}

inline void parents()
{
    Part part("parents", build_parents);

    for (const char* dir : {"open", "plain", "sticky", "setgid", "readonly", "writeonly",
                            "nosearch", "mysticky", "acl", "aclaccess"})
        for (const User* user : all_users()) {
            const std::string at = std::string(dir) + "/";

            for (const In& call : questions_in_parents())
                part.ask(std::string(call.name) + "(" + at + ")", *user,
                         [&] { return call.run(at); });
            for (const In& call : changes_in_parents())
                part.run(std::string(call.name) + "(" + at + ")", *user, [&] {
                    ::umask(027);
                    return call.run(at);
                });
        }
}

// Files and directories of all kinds of modes.
inline void build_modes()
{
    for (const unsigned int mode : {0U, 0200U, 0400U, 0111U, 0640U, 0644U, 0666U, 0755U, 04755U,
                                    02755U, 02745U, 06711U, 01777U}) {
        const std::string name = number(mode, "f%04lo");
        const std::string dir = number(mode, "d%04lo");

        make_node(name.c_str(), S_IFREG | mode, 1000, 1000);
        make_dir(dir.c_str(), mode, 1000, 1000);
    }
    // Owned, but of a group that the owner is in, or is not in.
    make_node("in", S_IFREG | 0755, 1000, 3000);
    make_node("out", S_IFREG | 0755, 1000, 4000);
    make_dir("dout", 0755, 1000, 4000);
    make_link("f0644", "link");
}

inline const std::vector<const char*>& mode_names()
{
    static const std::vector<const char*> names = {
        "f0000", "f0200", "f0400", "f0111", "f0640", "f0644", "f0666", "f0755", "f4755", "f2755",
        "f2745", "f6711", "f1777", "d0000", "d0755", "d2755", "d1777", "in",    "out",   "dout"};

    return names;
}

inline void chmods()
{
    Part part("chmod", build_modes);

    for (const char* name : {"f0644", "f6711", "in", "out", "d0755", "dout", "d2755", "link"})
        for (const mode_t mode : {0U, 0777U, 04755U, 02755U, 01755U, 07777U, 02644U})
            for (const User* user : all_users())
                part.run(std::string(name) + " " + number(mode, "%04lo"), *user,
                         [&] { return said(::chmod(name, mode)); });
}

inline void chowns()
{
    const std::vector<std::pair<int, int>> all = {
        {-1, -1},   {1000, -1}, {-1, 1000},   {-1, 3000},   {-1, 4000},
        {2000, -1}, {0, 0},     {1000, 3000}, {1001, 1001}, {-1, 2000}};
    Part part("chown", build_modes);

    for (const char* name : {"f0644", "f4755", "f2755", "f2745", "f6711", "d0755", "d2755", "link"})
        for (const auto& [uid, gid] : all)
            for (const User* user : all_users())
                part.run(std::string(name) + " " + std::to_string(uid) + ":" + std::to_string(gid),
                         *user, [&] {
                             return said(
                                 ::lchown(name, static_cast<uid_t>(uid), static_cast<gid_t>(gid)));
                         });
}

inline std::string try_open(const char* name, int flags)
{
    return opened(::open(name, flags | O_NONBLOCK));
}

inline void opens()
{
    Part part("open", build_modes);

    for (const char* name : mode_names())
        for (const User* user : all_users()) {
            for (const int flags : {O_RDONLY, O_WRONLY, O_RDWR, O_RDONLY | O_DIRECTORY,
                                    O_WRONLY | O_APPEND, O_RDONLY | O_NOATIME})
                part.ask(std::string(name) + number(static_cast<unsigned long>(flags), " %#lo"),
                         *user, [&] { return try_open(name, flags); });
            for (const int flags : {O_WRONLY | O_TRUNC, O_RDONLY | O_TRUNC, O_RDWR | O_CREAT,
                                    O_WRONLY | O_CREAT | O_TRUNC, O_RDONLY | O_CREAT | O_EXCL})
                part.run(std::string(name) + number(static_cast<unsigned long>(flags), " %#lo"),
                         *user, [&] { return try_open(name, flags); });
            part.ask(std::string("access ") + name, *user, [&] {
                return said(::access(name, R_OK)) + " " + said(::access(name, W_OK)) + " " +
                       said(::access(name, X_OK));
            });
            part.run(std::string("truncate ") + name, *user,
                     [&] { return said(::truncate(name, 0)); });
            part.run(std::string("setxattr ") + name, *user,
                     [&] { return said(::setxattr(name, "user.a", "x", 1, 0)); });
        }
}

inline constexpr const char* CAPS = "security.capability";

// Files that others may write to: with capabilities, with both set-id bits, and with all of it.
inline void build_privileges()
{
    // Version 2, effective: CAP_NET_RAW.
    const std::uint32_t caps[5] = {0x02000001, 1U << 13, 0, 0, 0};

    make_node("capable", S_IFREG | 0666, 1000, 1000);
    make_node("setid", S_IFREG | 06777, 1000, 1000);
    make_node("both", S_IFREG | 06777, 1000, 1000);
    for (const char* each : {"capable", "both"})
        need(!is_missing(each) || ::setxattr(each, CAPS, caps, sizeof(caps), 0) == 0, each);
}

// A write, a truncate or a change of the group takes privileges away.
inline void privileges()
{
    using Call = std::function<std::string(const char* name, int fd)>;
    const std::vector<std::pair<const char*, Call>> calls = {
        {"write", [](const char*, int fd) { return said(::write(fd, "x", 1)); }},
        {"pwrite", [](const char*, int fd) { return said(::pwrite(fd, "x", 1, 7)); }},
        {"ftruncate", [](const char*, int fd) { return said(::ftruncate(fd, 3)); }},
        {"truncate", [](const char* name, int) { return said(::truncate(name, 0)); }},
        {"O_TRUNC", [](const char* name, int) { return try_open(name, O_WRONLY | O_TRUNC); }},
        {"chgrp", [](const char* name, int) { return said(::chown(name, -1U, 3000)); }},
    };
    Part part("privileges", build_privileges);

    for (const auto& [text, call] : calls)
        for (const char* name : {"capable", "setid", "both"})
            for (const User* user : all_users())
                part.run(std::string(text) + " " + name, *user, [&, &call = call] {
                    const int fd = ::open(name, O_WRONLY);
                    const std::string result = call(name, fd);

                    ::close(fd);
                    return result + " caps " + said(::getxattr(name, CAPS, nullptr, 0));
                });
}

inline std::string at_text(const char* name)
{
    struct stat st {};

    if (::stat(name, &st) != 0)
        return said(-1);
    return " " + std::to_string(st.st_atim.tv_sec) + "." + std::to_string(st.st_atim.tv_nsec) +
           " " + std::to_string(st.st_mtim.tv_sec) + "." + std::to_string(st.st_mtim.tv_nsec);
}

inline std::string set_times(const char* name, const timespec& a, const timespec& m)
{
    const timespec both[2] = {a, m};
    const int rc = ::utimensat(AT_FDCWD, name, both, 0);
    const bool given = a.tv_nsec < 1000000000 && m.tv_nsec < 1000000000;

    // Other times are those of the run.
    return said(rc) + (rc == 0 && given ? at_text(name) : "");
}

inline void set_all_times()
{
    const timespec now{0, UTIME_NOW};
    const timespec omit{0, UTIME_OMIT};
    const std::vector<std::pair<timespec, timespec>> all = {
        {now, now},
        {omit, omit},
        {now, omit},
        {omit, now},
        {{1, 2}, {3, 999999999}},
        {{-1, 0}, {0, 0}},
        {omit, {5, 6}},
        {{7, 8}, omit},
        {{7, 8}, now},
        {{0, 1000000000}, now},
        {{0x80000000L, 0}, {0x100000000L, 1}},
        {{-0x80000000L, 0}, {0, -1}},
        {{1L << 40, 0}, {0, 0}},
    };
    Part part("times", build_modes);

    for (const char* name : {"f0644", "f0666", "f0400", "d0755", "d1777"})
        for (std::size_t n = 0; n < all.size(); n++)
            for (const User* user : {&root, &owner, &other})
                part.run(std::string(name) + " " + std::to_string(n), *user,
                         [&] { return set_times(name, all[n].first, all[n].second); });
}

inline void umasks()
{
    Part part("umask", build_parents);

    for (const mode_t mask : {0U, 022U, 077U, 0777U})
        for (const mode_t mode : {0U, 0666U, 0777U, 01777U, 02777U, 06755U})
            for (const char* dir : {"open", "acl", "setgid"})
                for (const User* user : {&root, &owner, &other}) {
                    const std::string text =
                        std::string(dir) + number(mask, " umask %03lo") + number(mode, " %04lo");
                    const std::string name = std::string(dir) + "/new";

                    part.run("open " + text, *user, [&] {
                        ::umask(mask);
                        return opened(::open(name.c_str(), O_RDWR | O_CREAT, mode)) + " " +
                               acl_of(name, ACCESS);
                    });
                    part.run("mkdir " + text, *user, [&] {
                        ::umask(mask);
                        return said(::mkdir(name.c_str(), mode)) + " " + acl_of(name, ACCESS) +
                               " " + acl_of(name, DEFAULT);
                    });
                }
}

// --- ACLs ---------------------------------------------------------------------------

inline std::vector<std::pair<const char*, Acl>> all_acls()
{
    return {
        {"minimal", {{USER_OBJ, 6, NOBODY}, {GROUP_OBJ, 4, NOBODY}, {OTHER, 0, NOBODY}}},
        {"named", named_acl()},
        {"masked",
         {{USER_OBJ, 6, NOBODY},
          {USER, 7, 2000},
          {GROUP_OBJ, 7, NOBODY},
          {MASK, 4, NOBODY},
          {OTHER, 0, NOBODY}}},
        {"no-mask",
         {{USER_OBJ, 6, NOBODY}, {USER, 7, 2000}, {GROUP_OBJ, 7, NOBODY}, {OTHER, 0, NOBODY}}},
        {"no-other", {{USER_OBJ, 6, NOBODY}, {GROUP_OBJ, 7, NOBODY}}},
        {"twice",
         {{USER_OBJ, 6, NOBODY},
          {USER, 7, 2000},
          {USER, 6, 2000},
          {GROUP_OBJ, 7, NOBODY},
          {MASK, 4, NOBODY},
          {OTHER, 0, NOBODY}}},
        {"order", {{OTHER, 0, NOBODY}, {USER_OBJ, 6, NOBODY}, {GROUP_OBJ, 7, NOBODY}}},
        {"tag", {{3, 0, NOBODY}}},
        {"perm", {{USER_OBJ, 9, NOBODY}, {GROUP_OBJ, 7, NOBODY}, {OTHER, 0, NOBODY}}},
        {"empty", {}},
    };
}

inline void acls()
{
    Part part("acl", build_modes);

    for (const auto& [text, acl] : all_acls())
        for (const char* kind : {ACCESS, DEFAULT})
            for (const char* name : {"f0644", "f2755", "d0755", "in", "out"})
                for (const User* user : {&root, &owner, &other})
                    part.run(std::string(text) + " " + kind + " " + name, *user, [&, &acl = acl] {
                        const std::string result = said(set_acl(name, kind, acl));

                        return result + " " + acl_of(name, kind);
                    });
    part.ask("version", root, [] { return said(::setxattr("f0644", ACCESS, "\1\0\0\0", 4, 0)); });
    part.ask("short", root, [] { return said(::setxattr("f0644", ACCESS, "\2\0", 2, 0)); });
}

// A file and a directory with an ACL, and what it permits.
inline void build_named()
{
    for (const char* each : {"file", "fresh"})
        make_node(each, S_IFREG | 0640, 1000, 1000);
    make_dir("dir", 0750, 1000, 1000);
    make_node("dir/inside", S_IFREG | 0600, 1000, 1000);
    for (const char* each : {"file", "dir"})
        need(!is_missing(each) || set_acl(each, ACCESS, named_acl()) == 0, each);
    need(!is_missing("dir") || set_acl("dir", DEFAULT, named_acl()) == 0, "dir");
}

inline void acl_effects()
{
    const User group{"group", 2001, {3000}};
    Part part("named", build_named);

    for (const User* user : {&root, &owner, &member, &other, &group})
        for (const char* path : {"file", "dir", "dir/inside", "fresh"}) {
            part.ask(std::string("access ") + path, *user, [&] {
                return said(::access(path, R_OK)) + " " + said(::access(path, W_OK)) + " " +
                       said(::access(path, X_OK));
            });
            part.ask(std::string("open ") + path, *user,
                     [&] { return try_open(path, O_RDONLY) + " " + try_open(path, O_WRONLY); });
            for (const mode_t mode : {0600U, 0777U, 0707U})
                part.run(std::string("chmod ") + path + number(mode, " %04lo"), *user,
                         [&] { return said(::chmod(path, mode)) + " " + acl_of(path, ACCESS); });
        }
    for (const char* path : {"file", "dir", "fresh"})
        for (const char* kind : {ACCESS, DEFAULT})
            for (const User* user : {&root, &owner, &other})
                part.run(std::string("remove ") + kind + " " + path, *user,
                         [&] { return said(::removexattr(path, kind)); });
    part.run("deep", owner, [] {
        return said(::mkdir("dir/a", 0777)) + said(::mkdir("dir/a/b", 0700)) + " " +
               acl_of("dir/a/b", ACCESS) + " " + acl_of("dir/a/b", DEFAULT);
    });
    part.run("symlink in it", owner, [] { return said(::symlink("x", "dir/l")); });
}

}  // namespace matrix

#endif
