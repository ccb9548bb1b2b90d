// SPDX-License-Identifier: GPL-2.0-only
//
//	fs-links ROOT
//
// Checks the tree of a metadata target, the directory ROOT of its backend: each object has a FID
// in trusted.lma, no two have the same, and trusted.link lists exactly the names that it has. The
// attributes are decoded here, not by the code that wrote them. Prints each object that differs,
// and how many there are. Status 1 if one differs.

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <dirent.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace {

constexpr std::size_t LMA_SIZE = 24;
constexpr std::size_t LINK_HEAD = 24;
constexpr std::size_t LINK_ENTRY = 18;  // without the name
constexpr std::uint32_t LINK_MAGIC = 0x11eaf1df;

using Bytes = std::vector<std::uint8_t>;

std::uint64_t little(const Bytes& bytes, std::size_t at, std::size_t size)
{
    std::uint64_t value = 0;

    while (size-- > 0)
        value = value << 8 | bytes[at + size];
    return value;
}

std::uint64_t big(const Bytes& bytes, std::size_t at, std::size_t size)
{
    std::uint64_t value = 0;

    for (std::size_t n = 0; n < size; n++)
        value = value << 8 | bytes[at + n];
    return value;
}

std::string fid_text(std::uint64_t seq, std::uint64_t oid, std::uint64_t ver)
{
    char text[64];

    std::snprintf(text, sizeof(text), "[0x%lx:0x%lx:0x%lx]", seq, oid, ver);
    return text;
}

Bytes attribute(const std::string& path, const char* name)
{
    Bytes bytes(65536);
    const ssize_t size = ::lgetxattr(path.c_str(), name, bytes.data(), bytes.size());

    bytes.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return bytes;
}

std::string fid_of(const std::string& path)
{
    const Bytes lma = attribute(path, "trusted.lma");

    return lma.size() < LMA_SIZE
               ? ""
               : fid_text(little(lma, 8, 8), little(lma, 16, 4), little(lma, 20, 4));
}

// Names as "FID of the directory/name".
using Names = std::multiset<std::string>;

bool decode_links(const Bytes& link, Names& names)
{
    std::size_t at = LINK_HEAD;

    if (link.size() < LINK_HEAD || little(link, 0, 4) != LINK_MAGIC ||
        little(link, 8, 8) != link.size())
        return false;
    for (std::uint64_t left = little(link, 4, 4); left > 0; left--) {
        const std::size_t size = at + 2 <= link.size() ? big(link, at, 2) : 0;

        if (size <= LINK_ENTRY || at + size > link.size())
            return false;
        names.insert(fid_text(big(link, at + 2, 8), big(link, at + 10, 4), big(link, at + 14, 4)) +
                     "/" +
                     std::string(link.begin() + static_cast<std::ptrdiff_t>(at + LINK_ENTRY),
                                 link.begin() + static_cast<std::ptrdiff_t>(at + size)));
        at += size;
    }
    return at == link.size();
}

class Checker {
public:
    void walk(const std::string& path, const std::string& parent_fid, const std::string& name)
    {
        struct stat st {};

        if (::lstat(path.c_str(), &st) != 0) {
            complain(path, std::strerror(errno));
            return;
        }

        Object& object = objects_[st.st_ino];

        object.path = path;
        object.fid = fid_of(path);
        if (!name.empty())
            object.names.insert(parent_fid + "/" + name);
        if (S_ISDIR(st.st_mode))
            walk_directory(path, object.fid);
    }

    bool check()
    {
        std::map<std::string, std::string> fids;

        for (const auto& [number, object] : objects_) {
            if (object.fid.empty())
                complain(object.path, "no FID");
            else if (!fids.emplace(object.fid, object.path).second)
                complain(object.path, object.fid + " is also that of " + fids[object.fid]);
            // .lustre and what is in it are made with the file system.
            if (!object.names.empty() && !object.fid.starts_with("[0x200000002:"))
                check_links(object);
        }
        std::printf("%zu objects\n", objects_.size());
        return fine_;
    }

private:
    struct Object {
        std::string path;
        std::string fid;
        Names names;
    };

    void complain(const std::string& path, const std::string& text)
    {
        std::printf("%s: %s\n", path.c_str(), text.c_str());
        fine_ = false;
    }

    void walk_directory(const std::string& path, const std::string& fid)
    {
        DIR* dir = ::opendir(path.c_str());

        if (dir == nullptr) {
            complain(path, std::strerror(errno));
            return;
        }
        while (const dirent* entry = ::readdir(dir)) {
            const std::string name = entry->d_name;

            if (name != "." && name != "..")
                walk(path + "/" + name, fid, name);
        }
        ::closedir(dir);
    }

    void check_links(const Object& object)
    {
        const Bytes link = attribute(object.path, "trusted.link");
        Names names;

        if (!decode_links(link, names)) {
            complain(object.path, link.empty() ? "no trusted.link" : "trusted.link is malformed");
            return;
        }
        for (const std::string& each : object.names)
            if (!names.contains(each))
                complain(object.path, "trusted.link does not have " + each);
        for (const std::string& each : names)
            if (!object.names.contains(each))
                complain(object.path, "trusted.link has " + each);
        if (names.size() != std::set<std::string>(names.begin(), names.end()).size())
            complain(object.path, "trusted.link has a name twice");
    }

    std::map<ino_t, Object> objects_;
    bool fine_ = true;
};

}  // namespace

int main(int argc, char** argv)
{
    Checker checker;

    if (argc != 2) {
        std::fputs("usage: fs-links ROOT\n", stderr);
        return 2;
    }
    checker.walk(argv[1], "", "");
    return checker.check() ? 0 : 1;
}
