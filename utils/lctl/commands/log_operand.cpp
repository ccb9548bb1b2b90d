// SPDX-License-Identifier: GPL-2.0
#include "lctl/commands/log_operand.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <memory>

#include <dirent.h>
#include <sys/stat.h>

namespace lctl {

namespace {

ll::Error no_such_log(const std::string& path, int code)
{
    std::string text = path + ": " + ll::errno_text(code);

    // Real Lustre takes the name of a log and asks the management server for it.
    if (code == ENOENT && path.find('/') == std::string::npos)
        text +=
            "; a name alone is for a management server, which this release does not have: "
            "give the path of a log or of a folder of logs";
    return {code, text};
}

struct CloseFolder {
    void operator()(DIR* folder) const { ::closedir(folder); }
};

bool is_log(const std::string& path)
{
    struct stat about {};

    if (::stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode))
        return false;

    const auto bytes = ll::open_log_bytes(path);

    return bytes && ll::looks_like_log(**bytes);
}

ll::Result<std::vector<LogName>> logs_in(const std::string& folder)
{
    const std::unique_ptr<DIR, CloseFolder> stream(::opendir(folder.c_str()));
    const std::string begin = folder.ends_with('/') ? folder : folder + "/";
    std::vector<LogName> logs;

    if (!stream)
        return tl::unexpected(ll::make_error(errno, folder));
    errno = 0;
    while (const dirent* const entry = ::readdir(stream.get())) {
        const std::string name = entry->d_name;

        if (is_log(begin + name))
            logs.push_back({name, begin + name});
        errno = 0;
    }
    if (errno != 0)
        return tl::unexpected(ll::make_error(errno, folder));
    std::ranges::sort(logs, {}, &LogName::name);
    return logs;
}

std::string_view base_name(std::string_view path)
{
    return path.substr(path.rfind('/') + 1);
}

ll::Result<std::uint32_t> option_index(const Given& given)
{
    auto index = log_index(given.argument.value_or(""));

    if (!index)
        index.error().text = std::string("--") + given.option->name + ": " + index.error().text;
    return index;
}

}  // namespace

bool is_log_folder(std::string_view operand)
{
    struct stat about {};

    return ::stat(std::string(operand).c_str(), &about) == 0 && S_ISDIR(about.st_mode);
}

ll::Result<std::vector<LogName>> find_logs(std::string_view operand)
{
    const std::string path(operand);
    struct stat about {};

    if (path == "-")
        return std::vector<LogName>{{"standard input", path}};
    if (::stat(path.c_str(), &about) != 0)
        return tl::unexpected(no_such_log(path, errno));
    if (S_ISDIR(about.st_mode))
        return logs_in(path);
    return std::vector<LogName>{{std::string(base_name(path)), path}};
}

ll::Result<std::uint32_t> log_index(std::string_view text)
{
    const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
    const std::string_view digits = is_hex ? text.substr(2) : text;
    std::uint32_t index = 0;
    const auto end = digits.data() + digits.size();
    const auto [at, error] = std::from_chars(digits.data(), end, index, is_hex ? 16 : 10);

    if (error == std::errc::result_out_of_range)
        return ll::fail(ERANGE, "'" + std::string(text) + "' is more than any index of a record");
    if (error != std::errc() || at != end)
        return ll::fail(EINVAL,
                        "'" + std::string(text) + "' is not the index of a record: a number is");
    return index;
}

ll::Result<ll::LogRange> log_range(const Arguments& arguments)
{
    ll::LogRange range;

    for (const Given& given : arguments.options) {
        if (!given.is("start") && !given.is("end"))
            continue;

        const auto index = option_index(given);

        if (!index)
            return tl::unexpected(index.error());
        (given.is("start") ? range.first : range.last) = *index;
    }
    if (range.first > range.last)
        return ll::fail(EINVAL, "--start is behind --end: no record is between them");
    return range;
}

}  // namespace lctl
