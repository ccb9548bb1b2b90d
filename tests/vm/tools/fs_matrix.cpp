// SPDX-License-Identifier: GPL-2.0-only
//
//	fs-matrix DIR [PART...]
//	fs-matrix --list
//
// Calls of POSIX for names and attributes, in a directory of DIR that is made for it and removed
// again: each with objects of each type, by several users. Prints a line for each, with its
// result, and what it has changed:
//
//	rename: file to hard flags 0 as root: ok
//	    ~./full mc 0040755 1000:1000 links 2
//
// The output of two file systems can be compared; it contains nothing that differs by nature, such
// as inode numbers, sizes of directories and the time. Data is not read. Run as root.
// Status 2 if the program itself cannot go on.

#include <set>

#include "matrix_access.hpp"
#include "matrix_names.hpp"
#include "matrix_paths.hpp"

namespace {

struct Named {
    const char* name;
    void (*run)();
};

constexpr Named PARTS[] = {
    {"paths", matrix::paths},           {"rename", matrix::renames},
    {"exchange", matrix::exchange},     {"at", matrix::descriptors},
    {"parents", matrix::parents},       {"chmod", matrix::chmods},
    {"chown", matrix::chowns},          {"open", matrix::opens},
    {"privileges", matrix::privileges}, {"times", matrix::set_all_times},
    {"umask", matrix::umasks},          {"acl", matrix::acls},
    {"named", matrix::acl_effects},     {"xattr", matrix::xattrs},
    {"bytes", matrix::name_bytes},      {"chain", matrix::chains},
    {"readdir", matrix::directories},   {"nameless", matrix::nameless},
};

int run(const char* dir, const std::set<std::string>& parts)
{
    using matrix::need;

    need(::chdir(dir) == 0, dir);
    need(::mkdir("matrix", 0755) == 0 && ::mkdir("matrix/parts", 0755) == 0 &&
             ::chdir("matrix/parts") == 0,
         "matrix");
    for (const Named& part : PARTS)
        if (parts.empty() || parts.contains(part.name))
            part.run();
    need(::chdir("../..") == 0, "..");
    matrix::remove_all("matrix");
    return std::fflush(stdout) == 0 ? 0 : 2;
}

int list()
{
    for (const Named& part : PARTS)
        std::puts(part.name);
    return 0;
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc == 2 && std::strcmp(argv[1], "--list") == 0)
        return list();
    if (argc < 2 || argv[1][0] == '-') {
        std::fputs("usage: fs-matrix DIR [PART...]\n", stderr);
        return 2;
    }
    return run(argv[1], std::set<std::string>(argv + 2, argv + argc));
}
