// SPDX-License-Identifier: GPL-2.0-only
#include "disk/directory.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "disk/mounts.hpp"

namespace disk {

namespace {

constexpr const char* kNewFile = MOUNT_CONFIGS_DIR "/mountdata.new";

bool has_mountdata(const std::string& directory)
{
    struct stat st {};

    return ::lstat((directory + "/" MOUNT_DATA_FILE).c_str(), &st) == 0;
}

/* Bytes of a file, one more than mountdata has where there are more. Return: an errno. */
int read_bytes(int fd, std::vector<std::byte>& bytes)
{
    bytes.resize(sizeof(lustre_disk_data) + 1);
    std::size_t used = 0;

    while (used < bytes.size()) {
        const ssize_t got = ::read(fd, bytes.data() + used, bytes.size() - used);

        if (got < 0 && errno != EINTR)
            return errno;
        if (got == 0)
            break;
        used += got > 0 ? static_cast<std::size_t>(got) : 0;
    }
    bytes.resize(used);
    return 0;
}

int write_bytes(int fd, std::span<const std::byte> bytes)
{
    while (!bytes.empty()) {
        const ssize_t put = ::write(fd, bytes.data(), bytes.size());

        if (put < 0 && errno != EINTR)
            return errno;
        bytes = bytes.subspan(put > 0 ? static_cast<std::size_t>(put) : 0);
    }
    return ::fsync(fd) == 0 ? 0 : errno;
}

std::string parent_of(const std::string& path)
{
    const std::size_t slash = path.rfind('/');

    return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

/* A file system whose files are elsewhere, or nowhere. */
bool is_foreign(const struct statfs& fs)
{
    constexpr std::array<unsigned long, 9> kForeign = {
        NFS_SUPER_MAGIC,  SMB_SUPER_MAGIC, CIFS_SUPER_MAGIC,
        SMB2_SUPER_MAGIC, V9FS_MAGIC,      CEPH_SUPER_MAGIC,
        PROC_SUPER_MAGIC, SYSFS_MAGIC,     0x0bd00bd0 /* of Lustre */,
    };

    return std::find(kForeign.begin(), kForeign.end(),
                     static_cast<unsigned long>(fs.f_type) & 0xffffffffUL) != kForeign.end();
}

}  // namespace

ll::Result<TargetDirectory> TargetDirectory::open(const std::string& path)
{
    ll::Fd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));

    if (!fd && errno == ENOTDIR)
        return ll::fail(ENOTDIR, fmt::format("{}: Not a directory; a target is a directory on a "
                                             "mounted local file system",
                                             path));
    if (!fd)
        return tl::unexpected(ll::make_error(errno, path));

    const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
    if (!real)
        return tl::unexpected(ll::make_error(errno, path));
    return TargetDirectory(real.get(), std::move(fd));
}

ll::Error TargetDirectory::error(int code, std::string_view file) const
{
    return ll::make_error(code, fmt::format("{}/{}", path_, file));
}

bool TargetDirectory::is_target() const
{
    return has_mountdata(path_);
}

ll::Result<std::vector<std::byte>> TargetDirectory::read_mountdata() const
{
    const ll::Fd file(::openat(fd_.get(), MOUNT_DATA_FILE, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    std::vector<std::byte> bytes;

    if (!file && errno == ENOENT)
        return ll::fail(ENOENT, fmt::format("{} is not a target: {} is missing; create a target "
                                            "with mkfs.lustre-lite",
                                            path_, MOUNT_DATA_FILE));
    if (!file)
        return tl::unexpected(error(errno, MOUNT_DATA_FILE));
    if (const int rc = read_bytes(file.get(), bytes); rc != 0)
        return tl::unexpected(error(rc, MOUNT_DATA_FILE));
    return bytes;
}

ll::Result<MountData> TargetDirectory::read() const
{
    const auto bytes = read_mountdata();

    if (!bytes)
        return tl::unexpected(bytes.error());
    return MountData::decode(mountdata_path(), *bytes);
}

ll::Result<MountData> TargetDirectory::read_foreign() const
{
    const auto bytes = read_mountdata();

    if (!bytes)
        return tl::unexpected(bytes.error());
    return MountData::import(mountdata_path(), *bytes);
}

bool TargetDirectory::has(const std::string& name) const
{
    struct stat st {};

    return ::fstatat(fd_.get(), name.c_str(), &st, AT_SYMLINK_NOFOLLOW) == 0;
}

ll::Status TargetDirectory::rename(const std::string& name, const std::string& new_name) const
{
    if (::renameat(fd_.get(), name.c_str(), fd_.get(), new_name.c_str()) != 0 ||
        ::fsync(fd_.get()) != 0)
        return tl::unexpected(error(errno, name));
    return {};
}

ll::Status TargetDirectory::write(const MountData& data) const
{
    if (::mkdirat(fd_.get(), MOUNT_CONFIGS_DIR, 0755) != 0 && errno != EEXIST)
        return tl::unexpected(error(errno, MOUNT_CONFIGS_DIR));

    const ll::Fd configs(
        ::openat(fd_.get(), MOUNT_CONFIGS_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!configs)
        return tl::unexpected(error(errno, MOUNT_CONFIGS_DIR));

    const ll::Fd file(
        ::openat(fd_.get(), kNewFile, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (!file)
        return tl::unexpected(error(errno, kNewFile));
    if (const int rc = write_bytes(file.get(), data.bytes()); rc != 0) {
        ::unlinkat(fd_.get(), kNewFile, 0);
        return tl::unexpected(error(rc, kNewFile));
    }
    if (::renameat(fd_.get(), kNewFile, fd_.get(), MOUNT_DATA_FILE) != 0)
        return tl::unexpected(error(errno, MOUNT_DATA_FILE));
    if (::fsync(configs.get()) != 0 || ::fsync(fd_.get()) != 0)
        return tl::unexpected(error(errno, MOUNT_CONFIGS_DIR));
    return {};
}

ll::Status TargetDirectory::lock() const
{
    if (::flock(fd_.get(), LOCK_EX | LOCK_NB) == 0)
        return {};
    if (errno == EWOULDBLOCK)
        return ll::fail(EBUSY, fmt::format("{} is being changed by another tool", path_));
    return tl::unexpected(ll::make_error(errno, path_));
}

std::string TargetDirectory::mounted_at() const
{
    struct stat own {};

    if (::fstat(fd_.get(), &own) != 0)
        return {};
    for (const Mount& mount : our_mounts()) {
        struct stat st {};

        if (::stat(mount.source.c_str(), &st) == 0 && st.st_dev == own.st_dev &&
            st.st_ino == own.st_ino)
            return mount.directory;
    }
    return {};
}

std::string TargetDirectory::target_above() const
{
    for (std::string directory = path_; directory != "/";) {
        directory = parent_of(directory);
        if (has_mountdata(directory))
            return directory;
    }
    return {};
}

ll::Status TargetDirectory::check_local() const
{
    struct statfs fs {};

    if (::fstatfs(fd_.get(), &fs) != 0)
        return tl::unexpected(ll::make_error(errno, path_));
    if (is_foreign(fs))
        return ll::fail(EOPNOTSUPP, fmt::format("{}: its file system, type {:#x}, is remote or not "
                                                "persistent; a target needs a local one",
                                                path_, fs.f_type));
    return {};
}

}  // namespace disk
