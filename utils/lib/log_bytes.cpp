// SPDX-License-Identifier: LGPL-2.1-or-later
#include "log_bytes.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

namespace ll {

Result<size_t> MemoryLogBytes::read(uint64_t offset, std::span<std::byte> into)
{
    if (offset >= bytes_.size())
        return size_t(0);
    const size_t count = std::min(into.size(), bytes_.size() - size_t(offset));
    std::copy_n(bytes_.begin() + ptrdiff_t(offset), count, into.begin());
    return count;
}

Status MemoryLogBytes::write(uint64_t offset, std::span<const std::byte> from)
{
    if (offset > bytes_.size() || from.size() > bytes_.size() - size_t(offset))
        return fail(EFBIG, name_ + ": write beyond the end");
    std::copy(from.begin(), from.end(), bytes_.begin() + ptrdiff_t(offset));
    return {};
}

namespace {

// What has no end would never be read.
constexpr size_t kMostOfAStream = size_t(1) << 30;
constexpr size_t kStreamStep = 64 * 1024;

Error errno_error(const std::string& name)
{
    return make_error(errno, name);
}

class FileLogBytes final : public LogBytes {
public:
    FileLogBytes(std::string name, Fd fd, LogId id)
        : name_(std::move(name)), fd_(std::move(fd)), id_(id)
    {
    }

    const std::string& name() const override { return name_; }
    LogId id() const override { return id_; }

    Result<size_t> read(uint64_t offset, std::span<std::byte> into) override
    {
        size_t done = 0;

        while (done < into.size()) {
            const ssize_t n =
                ::pread(fd_.get(), into.data() + done, into.size() - done, off_t(offset + done));
            if (n < 0 && errno == EINTR)
                continue;
            if (n < 0)
                return tl::unexpected(errno_error(name_));
            if (n == 0)
                break;
            done += size_t(n);
        }
        return done;
    }

    Status write(uint64_t offset, std::span<const std::byte> from) override
    {
        size_t done = 0;

        while (done < from.size()) {
            const ssize_t n =
                ::pwrite(fd_.get(), from.data() + done, from.size() - done, off_t(offset + done));
            if (n < 0 && errno == EINTR)
                continue;
            if (n < 0)
                return tl::unexpected(errno_error(name_));
            done += size_t(n);
        }
        return {};
    }

    Status sync() override
    {
        if (::fsync(fd_.get()) != 0)
            return tl::unexpected(errno_error(name_));
        return {};
    }

private:
    std::string name_;
    Fd fd_;
    LogId id_;
};

Result<std::unique_ptr<LogBytes>> read_stream(int fd, const std::string& name)
{
    std::vector<std::byte> bytes;
    ssize_t n = 0;

    do {
        const size_t have = bytes.size();
        if (have > kMostOfAStream)
            return fail(EFBIG, name + ": too large for a log");
        bytes.resize(have + kStreamStep);
        n = ::read(fd, bytes.data() + have, kStreamStep);
        bytes.resize(have + size_t(std::max<ssize_t>(n, 0)));
    } while (n > 0 || (n < 0 && errno == EINTR));
    if (n < 0)
        return tl::unexpected(errno_error(name));
    return std::make_unique<MemoryLogBytes>(name, std::move(bytes));
}

// A file that is open for changing it, locked.
Status lock_file(const Fd& fd, const std::string& path)
{
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0)
        return {};
    if (errno == EWOULDBLOCK)
        return fail(EBUSY, path + ": in use by another program; try again");
    return tl::unexpected(errno_error(path));
}

Result<std::unique_ptr<LogBytes>> open_regular(Fd fd, const struct stat& about,
                                               const std::string& path, LogAccess access)
{
    if (access == LogAccess::Change)
        if (auto locked = lock_file(fd, path); !locked)
            return tl::unexpected(locked.error());
    return std::make_unique<FileLogBytes>(path, std::move(fd), LogId{about.st_ino, about.st_dev});
}

}  // namespace

Result<std::unique_ptr<LogBytes>> open_log_bytes(const std::string& path, LogAccess access)
{
    const bool change = access == LogAccess::Change;

    if (path == "-" && !change)
        return read_stream(STDIN_FILENO, "standard input");

    Fd fd(::open(path.c_str(), (change ? O_RDWR : O_RDONLY) | O_CLOEXEC));
    struct stat about {};
    if (!fd || ::fstat(fd.get(), &about) != 0)
        return tl::unexpected(errno_error(path));
    if (S_ISREG(about.st_mode))
        return open_regular(std::move(fd), about, path, access);
    if (S_ISDIR(about.st_mode))
        return fail(EISDIR, path + ": a directory, not a log");
    if (change)
        return fail(EINVAL, path + ": not a regular file");
    return read_stream(fd.get(), path);
}

}  // namespace ll
