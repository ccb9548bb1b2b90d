// SPDX-License-Identifier: GPL-2.0-only
/*
 * golden-tree DIR <ATTRIBUTES: make the files of tests/golden/NAME/attributes below DIR, with
 * their extended attributes. Files are empty, and links lead nowhere.
 */
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>

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

int digit(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

bool set_attribute(const std::string& path, const std::string& name, const std::string& hex)
{
    std::string value;

    for (std::size_t at = 0; at + 1 < hex.size(); at += 2)
        value.push_back(static_cast<char>(digit(hex[at]) << 4 | digit(hex[at + 1])));
    return lsetxattr(path.c_str(), name.c_str(), value.data(), value.size(), 0) == 0 ||
           fails(name.c_str(), path);
}

}  // namespace

int main(int argc, char** argv)
{
    std::string path;
    std::string name;
    std::string hex;
    char kind = 0;

    if (argc != 2) {
        std::fputs("usage: golden-tree DIR <ATTRIBUTES\n", stderr);
        return 2;
    }
    while (std::cin >> kind >> path >> name >> hex) {
        path = std::string(argv[1]) + "/" + path;
        if (!make_file(kind, path) || !set_attribute(path, name, hex))
            return 1;
    }
    return 0;
}
