// SPDX-License-Identifier: GPL-2.0
#include "lctl/commands/read_file.hpp"

#include <cerrno>
#include <cstddef>

#include <fcntl.h>
#include <unistd.h>

#include "lib/fd.hpp"

namespace lctl {

namespace {

constexpr std::size_t chunk = 256 * 1024;

ll::Result<std::string> read_all(int fd, const std::string& path)
{
    std::string bytes;
    ssize_t got;

    do {
        const std::size_t have = bytes.size();

        bytes.resize(have + chunk);
        got = ::read(fd, bytes.data() + have, chunk);
        bytes.resize(have + static_cast<std::size_t>(got > 0 ? got : 0));
    } while (got > 0 || (got < 0 && errno == EINTR));
    if (got < 0)
        return tl::unexpected(ll::make_error(errno, path));
    return bytes;
}

}  // namespace

ll::Result<std::string> read_file(const std::string& path)
{
    if (path == "-")
        return read_all(STDIN_FILENO, "standard input");

    const ll::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file)
        return tl::unexpected(ll::make_error(errno, path));
    return read_all(file.get(), path);
}

}  // namespace lctl
