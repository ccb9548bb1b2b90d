// SPDX-License-Identifier: GPL-2.0-only
//
//	fs-attr get|list|remove FILE [NAME]
//	fs-attr set FILE NAME VALUE
//	fs-attr caps FILE
//	fs-attr acl FILE access|default [USER PERMISSIONS]
//
// Extended attributes of FILE: a value, the names. caps: gives it a capability.
// acl: the ACL is printed, or set to one that gives USER (a number) PERMISSIONS
// (0 to 7) beside owner, group and others, who have 7, 0 and 0. Status 1, and
// the error's text: a call failed.

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <sys/xattr.h>

#include "matrix.hpp"
#include "matrix_access.hpp"

namespace {

using Words = std::vector<std::string>;

int said(ssize_t result, const std::string& text = "")
{
    if (result < 0)
        std::printf("%s\n", std::strerror(errno));
    else if (!text.empty())
        std::printf("%s\n", text.c_str());
    return result < 0 ? 1 : 0;
}

int get(const std::string& file, const std::string& name)
{
    std::string value(65536, '\0');
    const ssize_t size = ::getxattr(file.c_str(), name.c_str(), value.data(), value.size());

    value.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return said(size, value);
}

int list(const std::string& file)
{
    std::string names(65536, '\0');
    const ssize_t size = ::listxattr(file.c_str(), names.data(), names.size());

    names.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    for (char& each : names)
        if (each == '\0')
            each = ' ';
    return said(size, names);
}

int acl(const Words& words)
{
    using namespace matrix;
    const char* kind = words[2] == "access" ? ACCESS : DEFAULT;

    if (words.size() == 3)
        return said(0, acl_of(words[1], kind));
    const auto user = static_cast<std::uint32_t>(std::stoul(words[3]));
    const auto perm = static_cast<std::uint16_t>(std::stoul(words[4]));
    const Acl entries = {{USER_OBJ, 7, NOBODY},
                         {USER, perm, user},
                         {GROUP_OBJ, 0, NOBODY},
                         {MASK, 7, NOBODY},
                         {OTHER, 0, NOBODY}};
    return said(set_acl(words[1].c_str(), kind, entries));
}

// Version 2, effective: CAP_NET_RAW.
int caps(const std::string& file)
{
    const std::uint32_t value[5] = {0x02000001, 1U << 13, 0, 0, 0};

    return said(::setxattr(file.c_str(), matrix::CAPS, value, sizeof(value), 0));
}

int set(const Words& words)
{
    return said(
        ::setxattr(words[1].c_str(), words[2].c_str(), words[3].data(), words[3].size(), 0));
}

struct Command {
    const char* name;
    std::size_t words;
    int (*run)(const Words& words);
};

constexpr Command COMMANDS[] = {
    {"get", 3, [](const Words& words) { return get(words[1], words[2]); }},
    {"list", 2, [](const Words& words) { return list(words[1]); }},
    {"remove", 3,
     [](const Words& words) { return said(::removexattr(words[1].c_str(), words[2].c_str())); }},
    {"set", 4, set},
    {"caps", 2, [](const Words& words) { return caps(words[1]); }},
    {"acl", 3, acl},
    {"acl", 5, acl},
};

}  // namespace

int main(int argc, char** argv)
{
    const Words words(argv + 1, argv + argc);

    for (const Command& each : COMMANDS)
        if (words.size() == each.words && words[0] == each.name)
            return each.run(words);
    std::fputs("usage: fs-attr get|set|remove|list|caps|acl FILE [ARGUMENTS]\n", stderr);
    return 2;
}
