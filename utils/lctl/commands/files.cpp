// SPDX-License-Identifier: GPL-2.0-only
#include "lctl/commands/files.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lctl {

namespace {

constexpr mode_t kPermissions = 07777;

/* The file that a name leads to, so that a symbolic link stays one. */
std::string resolved(const std::string& path)
{
    char* const real = ::realpath(path.c_str(), nullptr);

    if (real == nullptr)
        return path;
    std::string text = real;
    std::free(real);
    return text;
}

constexpr std::size_t kChunk = 256 * 1024;

ll::Result<std::string> read_all(int fd, const std::string& path)
{
    std::string bytes;
    ssize_t got;

    do {
        const std::size_t have = bytes.size();

        bytes.resize(have + kChunk);
        got = ::read(fd, bytes.data() + have, kChunk);
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

FileOutput::FileOutput(std::string path, std::string temporary, ll::Fd fd)
    : path_(std::move(path)),
      temporary_(std::move(temporary)),
      fd_(std::move(fd)),
      writer_(std::make_unique<Writer>(fd_.get()))
{
}

ll::Result<FileOutput> FileOutput::create(const std::string& path, mode_t mode)
{
    struct stat about {};
    const bool exists = ::stat(path.c_str(), &about) == 0;

    if (exists && !S_ISREG(about.st_mode)) {
        ll::Fd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
        if (!fd)
            return tl::unexpected(ll::make_error(errno, path));
        return FileOutput(path, "", std::move(fd));
    }

    const std::string target = resolved(path);
    std::string temporary = target + ".XXXXXX";
    ll::Fd fd(::mkostemp(temporary.data(), O_CLOEXEC));
    if (!fd)
        return tl::unexpected(ll::make_error(errno, path));

    FileOutput output(target, std::move(temporary), std::move(fd));
    if (::fchmod(output.fd_.get(), exists ? about.st_mode & kPermissions : mode) != 0)
        return tl::unexpected(ll::make_error(errno, path));
    return output;
}

FileOutput::~FileOutput()
{
    if (writer_ != nullptr && !temporary_.empty())
        ::unlink(temporary_.c_str());
}

ll::Status FileOutput::commit()
{
    writer_->flush();
    if (writer_->error() != 0)
        return tl::unexpected(ll::make_error(writer_->error(), path_));
    if (temporary_.empty())
        return {};
    if (::fsync(fd_.get()) != 0 || ::rename(temporary_.c_str(), path_.c_str()) != 0)
        return tl::unexpected(ll::make_error(errno, path_));
    temporary_.clear();
    return {};
}

}  // namespace lctl
