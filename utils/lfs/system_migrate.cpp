// SPDX-License-Identifier: GPL-2.0-only
/*
 * A file is copied to one without a name, whose objects it gets. That has an end with its last close, so
 * also with this program's: then the file is as it was.
 */
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lfs/system_call.hpp"
#include "lfs/system_files.hpp"

namespace lfs {

namespace {

constexpr std::size_t kBuffer = 4UL << 20;

/* Of the directory of the file: the name is that of the file, not of a link to it. */
ll::Result<std::string> volatile_path(const std::string& path)
{
    const std::unique_ptr<char, void (*)(void*)> real(realpath(path.c_str(), nullptr), std::free);
    std::random_device random;

    if (!real)
        return failed(errno);

    const std::string directory = real.get();

    return fmt::format("{}/{}:0000:{:08x}", directory.substr(0, directory.rfind('/')),
                       LUSTRE_VOLATILE_HDR, random());
}

ll::Status write_all(const ll::Fd& to, const char* from, std::size_t len, off_t pos)
{
    while (len > 0) {
        const ssize_t done = pwrite(to.get(), from, len, pos);

        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return failed(errno);
        from += done;
        len -= static_cast<std::size_t>(done);
        pos += done;
    }
    return {};
}

ll::Status copy_range(const ll::Fd& from, const ll::Fd& to, off_t pos, off_t end)
{
    std::vector<char> buffer(
        static_cast<std::size_t>(std::min<off_t>(end - pos, static_cast<off_t>(kBuffer))));

    while (pos < end) {
        const auto want = std::min(static_cast<std::size_t>(end - pos), buffer.size());
        const ssize_t got = pread(from.get(), buffer.data(), want, pos);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return failed(errno);
        /* The file has become shorter. */
        if (got == 0)
            return failed(EAGAIN);
        if (auto done = write_all(to, buffer.data(), static_cast<std::size_t>(got), pos); !done)
            return done;
        pos += got;
    }
    return {};
}

/* Holes stay. */
ll::Status copy_data(const ll::Fd& from, const ll::Fd& to, off_t size)
{
    off_t end = 0;

    while (end < size) {
        const off_t data = lseek(from.get(), end, SEEK_DATA);

        if (data < 0 && errno == ENXIO)
            return {};
        if (data < 0)
            return failed(errno);
        /* The file has become longer. */
        if (data >= size)
            return {};
        end = lseek(from.get(), data, SEEK_HOLE);
        if (end < 0)
            return failed(errno == ENXIO ? EAGAIN : errno);
        end = std::min(end, size);
        if (auto done = copy_range(from, to, data, end); !done)
            return done;
    }
    return {};
}

/* The copy, with the times of the file, which are those of its objects. */
ll::Status copy(const ll::Fd& from, const ll::Fd& to)
{
    struct stat found = {};

    if (fstat(from.get(), &found) != 0)
        return failed(errno);
    if (ftruncate(to.get(), found.st_size) != 0)
        return failed(errno);
    if (auto done = copy_data(from, to, found.st_size); !done)
        return done;
    if (fsync(to.get()) != 0)
        return failed(errno);

    const struct timespec times[2] = {found.st_atim, found.st_mtim};

    if (futimens(to.get(), times) != 0)
        return failed(errno);
    return {};
}

ll::Status swap(const ll::Fd& file, const ll::Fd& copied, std::uint64_t version)
{
    lustre_swap_layouts request = {};

    request.sl_flags = SWAP_LAYOUTS_CHECK_DV1;
    request.sl_fd = static_cast<std::uint32_t>(copied.get());
    request.sl_dv1 = version;
    return call(file, LL_IOC_LOV_SWAP_LAYOUTS, &request);
}

ll::Result<ll::Fd> open_volatile(const std::string& path, const std::optional<std::string>& layout)
{
    const auto name = volatile_path(path);

    if (!name)
        return tl::unexpected(name.error());

    auto fd = open_ours(*name, O_RDWR | O_CREAT | O_EXCL | (layout ? O_LOV_DELAY_CREATE : 0),
                        S_IRUSR | S_IWUSR);

    if (fd && layout)
        if (const auto given = give_layout(fd, *layout); !given)
            return tl::unexpected(given.error());
    return fd;
}

ll::Result<std::uint64_t> version_of(const ll::Fd& file, std::uint32_t flags)
{
    ioc_data_version version = {};

    version.idv_flags = flags;
    if (const auto asked = call(file, LL_IOC_DATA_VERSION, &version); !asked)
        return tl::unexpected(asked.error());
    return version.idv_version;
}

}  // namespace

ll::Result<std::uint64_t> SystemFiles::data_version(const std::string& path, std::uint32_t flags)
{
    const auto file = open_ours(path, O_RDONLY | O_NONBLOCK);

    if (!file)
        return tl::unexpected(file.error());
    return version_of(*file, flags);
}

ll::Status SystemFiles::migrate(const std::string& path, const std::optional<std::string>& layout)
{
    const auto file = open_ours(path, O_RDONLY | O_NONBLOCK);

    if (!file)
        return tl::unexpected(file.error());

    const auto version = version_of(*file, LL_DV_RD_FLUSH);

    if (!version) {
        /* Without a layout it has no content that could be copied. */
        if (version.error().code == ENODATA && layout)
            return give_layout(open_ours(path, O_WRONLY | O_LOV_DELAY_CREATE), *layout);
        return version.error().code == ENODATA ? ll::Status() : tl::unexpected(version.error());
    }

    const auto copied = open_volatile(path, layout);

    if (!copied)
        return tl::unexpected(copied.error());
    if (auto done = copy(*file, *copied); !done)
        return done;
    return swap(*file, *copied, *version);
}

}  // namespace lfs
