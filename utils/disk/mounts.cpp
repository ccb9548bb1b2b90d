// SPDX-License-Identifier: GPL-2.0-only
#include "disk/mounts.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace disk {

namespace {

/* Words of a line, parted by single blanks. */
std::vector<std::string_view> words_of(std::string_view line)
{
    std::vector<std::string_view> words;

    while (!line.empty()) {
        const std::size_t end = std::min(line.find(' '), line.size());

        words.push_back(line.substr(0, end));
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    return words;
}

bool is_octal(char c)
{
    return c >= '0' && c <= '7';
}

/* The kernel writes blanks and the like as a backslash and three octal digits. */
std::string unescape(std::string_view text)
{
    std::string plain;

    while (!text.empty()) {
        std::size_t used = 1;
        char c = text[0];

        if (c == '\\' && text.size() >= 4 && std::all_of(&text[1], &text[1] + 3, is_octal)) {
            c = static_cast<char>((text[1] - '0') * 64 + (text[2] - '0') * 8 + (text[3] - '0'));
            used = 4;
        }
        plain.push_back(c);
        text.remove_prefix(used);
    }
    return plain;
}

/* Words 3 to 5 are the device, the root and the directory; type and source follow a "-". */
void add_mount(std::string_view line, std::vector<Mount>& mounts)
{
    constexpr std::size_t kDevice = 2;
    constexpr std::size_t kRoot = 3;
    constexpr std::size_t kDirectory = 4;
    const auto words = words_of(line);
    const auto dash = std::find(words.begin(), words.end(), "-");

    if (words.size() <= kDirectory || words.end() - dash < 3)
        return;
    mounts.push_back({unescape(dash[2]), unescape(words[kDirectory]), std::string(dash[1]),
                      unescape(words[kRoot]), std::string(words[kDevice])});
}

}  // namespace

std::vector<Mount> parse_mountinfo(std::string_view mountinfo)
{
    std::vector<Mount> mounts;

    while (!mountinfo.empty()) {
        const std::size_t end = std::min(mountinfo.find('\n'), mountinfo.size());

        add_mount(mountinfo.substr(0, end), mounts);
        mountinfo.remove_prefix(std::min(end + 1, mountinfo.size()));
    }
    return mounts;
}

std::vector<Mount> all_mounts()
{
    std::ifstream file("/proc/self/mountinfo");
    const std::string text{std::istreambuf_iterator<char>(file), {}};

    return parse_mountinfo(text);
}

std::vector<Mount> our_mounts()
{
    std::vector<Mount> mounts = all_mounts();

    std::erase_if(mounts, [](const Mount& mount) { return !mount.is_ours(); });
    return mounts;
}

}  // namespace disk
