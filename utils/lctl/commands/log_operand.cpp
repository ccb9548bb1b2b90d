// SPDX-License-Identifier: GPL-2.0-only
#include "lctl/commands/log_operand.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <memory>
#include <utility>

#include <dirent.h>
#include <sys/stat.h>

namespace lctl {

namespace {

/* A name alone may be that of a log of the service, as real Lustre has it. */
bool may_be_of_service(std::string_view operand, int code)
{
    return code == ENOENT && !operand.empty() && operand.find('/') == std::string_view::npos;
}

ll::Error no_service(const std::string& name, const ll::Error& why)
{
    if (why.code != ENODEV)
        return why;
    return {ENOENT, name + ": " + ll::errno_text(ENOENT) +
                        "; no management service on this node could have a log of that "
                        "name"};
}

struct CloseDirectory {
    void operator()(DIR* directory) const { ::closedir(directory); }
};

bool is_log(const std::string& path)
{
    struct stat about {};

    if (::stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode))
        return false;

    const auto bytes = ll::open_log_bytes(path);

    return bytes && ll::looks_like_log(**bytes);
}

ll::Result<std::vector<LogName>> logs_in(const std::string& directory)
{
    const std::unique_ptr<DIR, CloseDirectory> stream(::opendir(directory.c_str()));
    const std::string begin = directory.ends_with('/') ? directory : directory + "/";
    std::vector<LogName> logs;

    if (!stream)
        return tl::unexpected(ll::make_error(errno, directory));
    errno = 0;
    while (const dirent* const entry = ::readdir(stream.get())) {
        const std::string name = entry->d_name;

        if (is_log(begin + name))
            logs.push_back({name, begin + name, false});
        errno = 0;
    }
    if (errno != 0)
        return tl::unexpected(ll::make_error(errno, directory));
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

bool is_log_directory(std::string_view operand)
{
    struct stat about {};

    return ::stat(std::string(operand).c_str(), &about) == 0 && S_ISDIR(about.st_mode);
}

ll::Result<std::vector<LogName>> find_logs(std::string_view operand)
{
    const std::string path(operand);
    struct stat about {};

    if (path == "-")
        return std::vector<LogName>{{"standard input", path, false}};
    if (::stat(path.c_str(), &about) != 0) {
        const int code = errno;

        if (may_be_of_service(operand, code))
            return std::vector<LogName>{{path, path, true}};
        return tl::unexpected(ll::make_error(code, path));
    }
    if (S_ISDIR(about.st_mode))
        return logs_in(path);
    return std::vector<LogName>{{std::string(base_name(path)), path, false}};
}

ll::Result<std::vector<ll::MgsLog>> service_logs(Context& context)
{
    const auto params = context.params();

    if (!params)
        return tl::unexpected(params.error());
    return ll::mgs_logs((*params)->port());
}

ll::Result<std::unique_ptr<ll::LogBytes>> open_log(Context& context, const LogName& log)
{
    if (!log.of_service)
        return ll::open_log_bytes(log.path);

    const auto params = context.params();

    if (!params)
        return ll::fail(params.error().code,
                        log.path +
                            ": not a file, and the management service cannot be asked "
                            "for a log of that name: " +
                            params.error().text);

    auto bytes = ll::mgs_log_bytes((*params)->port(), log.name);

    if (!bytes)
        return tl::unexpected(no_service(log.path, bytes.error()));
    return bytes;
}

ll::Result<ll::LogFile> open_log_file(Context& context, const LogName& log, bool damaged)
{
    auto bytes = open_log(context, log);

    if (!bytes)
        return tl::unexpected(bytes.error());
    return damaged ? ll::LogFile::open_damaged(std::move(*bytes))
                   : ll::LogFile::open(std::move(*bytes));
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
        return ll::fail(EINVAL, "--start is greater than --end");
    return range;
}

}  // namespace lctl
