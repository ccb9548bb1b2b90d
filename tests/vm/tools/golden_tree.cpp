// SPDX-License-Identifier: GPL-2.0-only
/*
 * golden-tree DIR [LIST] <ATTRIBUTES: make the files of tests/golden/NAME/attributes below DIR,
 * with their extended attributes. Files are empty, and links lead nowhere. With LIST, what
 * tests/golden/NAME/list says, files below mdt/ROOT also have its modes, owners, times and targets,
 * and objects below ost have the bytes and times of the file that their trusted.fid names.
 */
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "fd.hpp"

namespace {

bool fails(const char* what, const std::string& path)
{
    std::fprintf(stderr, "golden-tree: %s: %s: %s\n", path.c_str(), what, std::strerror(errno));
    return false;
}

/* The directories above a file; in the list they can come after it, or not at all. */
bool make_parents(const std::string& path)
{
    for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
        const std::string parent = path.substr(0, at);

        if (mkdir(parent.c_str(), 0755) != 0 && errno != EEXIST)
            return fails("mkdir", parent);
    }
    return true;
}

bool make_file(char kind, const std::string& path)
{
    if (!make_parents(path))
        return false;
    if (kind == 'd')
        return mkdir(path.c_str(), 0755) == 0 || errno == EEXIST || fails("mkdir", path);
    if (kind == 'l')
        return symlink("nowhere", path.c_str()) == 0 || errno == EEXIST || fails("symlink", path);

    const ll::Fd file(open(path.c_str(), O_WRONLY | O_CREAT, 0644));

    return file || fails("open", path);
}

/* A line of `ls -Rni --time-style=+%s`. */
struct Listed {
    unsigned long inode = 0;
    unsigned long size = 0;
    std::string path;
    std::string mode;
    uid_t uid = 0;
    gid_t gid = 0;
    time_t time = 0;
    std::string target;
};

bool parse(const std::string& line, const std::string& dir, Listed& listed)
{
    std::istringstream words(line);
    unsigned long links = 0;
    std::string name;
    std::string arrow;

    if (!(words >> listed.inode >> listed.mode >> links >> listed.uid >> listed.gid >>
          listed.size >> listed.time >> name))
        return false;
    listed.path = dir + "/" + name;
    words >> arrow >> listed.target;
    return true;
}

std::vector<Listed> parse_list(std::istream& list, const std::string& root)
{
    std::vector<Listed> all;
    std::string dir;

    for (std::string line; std::getline(list, line);) {
        Listed listed;

        if (line.ends_with(":"))
            dir = root + "/" + line.substr(0, line.size() - 1);
        else if (parse(line, dir, listed))
            all.push_back(listed);
    }
    return all;
}

/* "rwxr-xr-x" of a line. */
mode_t permissions(const std::string& mode)
{
    mode_t bits = 0;

    for (std::size_t n = 1; n < mode.size(); n++)
        bits = bits << 1 | (mode[n] == '-' ? 0 : 1);
    return bits;
}

bool make_listed(const Listed& listed)
{
    const char* path = listed.path.c_str();

    if (!make_parents(listed.path))
        return false;
    if (listed.mode.front() == 'l')
        return (symlink(listed.target.c_str(), path) == 0 &&
                lchown(path, listed.uid, listed.gid) == 0) ||
               fails("symlink", listed.path);
    return make_file(listed.mode.front() == 'd' ? 'd' : 'f', listed.path) &&
           ((chown(path, listed.uid, listed.gid) == 0 &&
             chmod(path, permissions(listed.mode)) == 0) ||
            fails("chmod", listed.path));
}

int digit(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

std::string bytes_of(const std::string& hex)
{
    std::string value;

    for (std::size_t at = 0; at + 1 < hex.size(); at += 2)
        value.push_back(static_cast<char>(digit(hex[at]) << 4 | digit(hex[at + 1])));
    return value;
}

/* The inode number of the file that an object's trusted.fid names. */
unsigned long parent_of(const std::string& fid)
{
    unsigned long seq = 0;
    unsigned int oid = 0;

    std::memcpy(&seq, fid.data(), sizeof(seq));
    std::memcpy(&oid, fid.data() + sizeof(seq), sizeof(oid));
    return (seq << 24) + ((seq >> 24) & 0xffffff0000UL) + oid;
}

/* The text that replaced the bytes of the object; sha1sums of the files were computed from it. */
bool fill_object(const std::string& path, const Listed& file)
{
    const unsigned long number = std::strtoul(path.c_str() + path.rfind('/') + 1, nullptr, 10);
    std::ofstream object(path, std::ios::binary);
    char line[64];

    for (unsigned long at = 0; at < file.size && object;) {
        const int length =
            std::snprintf(line, sizeof(line), "ost object 0x0:%#lx at %012lu\n", number, at);
        const auto part =
            std::min<unsigned long>(static_cast<unsigned long>(length), file.size - at);

        object.write(line, static_cast<std::streamsize>(part));
        at += part;
    }
    object.close();
    return object || fails("write", path);
}

bool set_attribute(const std::string& path, const std::string& name, const std::string& value)
{
    return lsetxattr(path.c_str(), name.c_str(), value.data(), value.size(), 0) == 0 ||
           fails(name.c_str(), path);
}

bool set_time(const std::string& path, time_t time)
{
    const timespec at[2] = {{time, 0}, {time, 0}};

    return utimensat(AT_FDCWD, path.c_str(), at, AT_SYMLINK_NOFOLLOW) == 0 ||
           fails("utimensat", path);
}

/* An object that no listed file has stays empty. */
bool set_object(const std::string& path, const std::string& fid, const std::vector<Listed>& all)
{
    for (const Listed& each : all)
        if (each.inode == parent_of(fid) && each.mode.front() == '-')
            return fill_object(path, each) && set_time(path, each.time);
    return true;
}

bool set_attributes(const std::string& dir, const std::vector<Listed>& all)
{
    std::string path;
    std::string name;
    std::string hex;
    char kind = 0;

    while (std::cin >> kind >> path >> name >> hex) {
        path = dir + "/" + path;

        const std::string value = bytes_of(hex);

        if (!make_file(kind, path) || !set_attribute(path, name, value))
            return false;
        if (name == "trusted.fid" && value.size() >= 16 && !set_object(path, value, all))
            return false;
    }
    return true;
}

bool make_all(const std::string& dir, const std::vector<Listed>& all)
{
    return std::all_of(all.begin(), all.end(), make_listed) && set_attributes(dir, all) &&
           std::all_of(all.begin(), all.end(),
                       [](const Listed& each) { return set_time(each.path, each.time); });
}

}  // namespace

int main(int argc, char** argv)
{
    std::vector<Listed> all;

    if (argc != 2 && argc != 3) {
        std::fputs("usage: golden-tree DIR [LIST] <ATTRIBUTES\n", stderr);
        return 2;
    }
    if (argc == 3) {
        std::ifstream list(argv[2]);

        all = parse_list(list, std::string(argv[1]) + "/mdt/ROOT");
        if (all.empty()) {
            fails("no entries", argv[2]);
            return 1;
        }
    }
    return make_all(argv[1], all) ? 0 : 1;
}
