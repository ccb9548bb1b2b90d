// SPDX-License-Identifier: GPL-2.0-only
#include "lfs/system_files.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <dirent.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/xattr.h>

#include "disk/mounts.hpp"
#include "lfs/layout.hpp"
#include "lfs/mount_table.hpp"
#include "lfs/system_call.hpp"

namespace lfs {

namespace {

constexpr long kMagic = 0x0bd00bd0;

struct Kinds {
    mode_t format;
    unsigned char entry;
    Kind kind;
    char type;
};

constexpr Kinds kKinds[] = {
    {S_IFREG, DT_REG, Kind::File, 'f'},    {S_IFDIR, DT_DIR, Kind::Directory, 'd'},
    {S_IFLNK, DT_LNK, Kind::Symlink, 'l'}, {S_IFCHR, DT_CHR, Kind::Other, 'c'},
    {S_IFBLK, DT_BLK, Kind::Other, 'b'},   {S_IFIFO, DT_FIFO, Kind::Other, 'p'},
    {S_IFSOCK, DT_SOCK, Kind::Other, 's'},
};

Entry entry_of(const dirent& found)
{
    Entry entry{.name = found.d_name};

    for (const Kinds& kinds : kKinds) {
        if (kinds.entry != found.d_type)
            continue;
        entry.kind = kinds.kind;
        entry.type = kinds.type;
    }
    return entry;
}

std::int64_t ns_of(const timespec& time)
{
    constexpr std::int64_t kSecond = 1000000000;

    return time.tv_sec * kSecond + time.tv_nsec;
}

/* In full, without symbolic links but the last component where it is one that is not followed. */
ll::Result<std::string> real_path(const std::string& path, bool follow)
{
    struct stat found = {};
    const std::size_t slash = path.rfind('/');
    const bool link = !follow && lstat(path.c_str(), &found) == 0 && S_ISLNK(found.st_mode);
    const std::string start = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    const std::unique_ptr<char, void (*)(void*)> real(
        realpath(link ? start.c_str() : path.c_str(), nullptr), std::free);

    if (!real)
        return failed(errno);
    return link ? join(real.get(), path.substr(slash + 1)) : std::string(real.get());
}

/* @len: result of the call that has filled @value; of -1 errno says why */
ll::Result<std::optional<std::string>> layout_read(std::string value, ssize_t len)
{
    if (len < 0 && errno == ENODATA)
        return std::optional<std::string>();
    if (len < 0)
        return failed(errno);
    value.resize(static_cast<std::size_t>(len));
    return std::optional<std::string>(std::move(value));
}

lu_fid fid_of(const ll_user_fid& fid)
{
    return {fid.f_seq, fid.f_oid, fid.f_ver};
}

/* Directories below .lustre have no attributes. */
ll::Result<lu_fid> fid_of_directory(const std::string& path)
{
    const auto fd = open_ours(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    ll_user_fid fid = {};

    if (!fd && fd.error().code == ENOTDIR)
        return ll::fail(ENOTTY, "not on a Lustre filesystem");
    if (!fd)
        return tl::unexpected(fd.error());
    if (const auto done = call(*fd, LL_IOC_PATH2FID, &fid); !done)
        return tl::unexpected(done.error());
    return fid_of(fid);
}

ll::Status set_attribute(const std::string& path, const char* name, const std::string& value)
{
    if (setxattr(path.c_str(), name, value.data(), value.size(), 0) != 0)
        return failed(errno);
    return {};
}

}  // namespace

tl::unexpected<ll::Error> failed(int code)
{
    return ll::fail(code, ll::errno_text(code));
}

ll::Result<ll::Fd> open_ours(const std::string& path, int flags, unsigned mode)
{
    ll::Fd fd(open(path.c_str(), flags | O_CLOEXEC, mode));
    struct statfs found = {};

    if (!fd || fstatfs(fd.get(), &found) != 0)
        return failed(errno);
    if (found.f_type != kMagic)
        return ll::fail(ENOTTY, "not on a Lustre filesystem");
    return fd;
}

ll::Status call(const ll::Fd& fd, unsigned long number, void* argument)
{
    if (ioctl(fd.get(), number, argument) != 0)
        return failed(errno);
    return {};
}

ll::Status give_layout(const ll::Result<ll::Fd>& fd, const std::string& layout)
{
    std::string copy = layout;

    if (!fd)
        return tl::unexpected(fd.error());
    return call(*fd, LL_IOC_LOV_SETSTRIPE, copy.data());
}

ll::Result<Status> SystemFiles::status(const std::string& path, bool follow)
{
    struct stat found = {};

    if ((follow ? stat(path.c_str(), &found) : lstat(path.c_str(), &found)) != 0)
        return failed(errno);

    Status status{.size = static_cast<std::uint64_t>(found.st_size),
                  .uid = found.st_uid,
                  .gid = found.st_gid,
                  .atime = ns_of(found.st_atim),
                  .mtime = ns_of(found.st_mtim),
                  .ctime = ns_of(found.st_ctim)};

    for (const Kinds& kinds : kKinds) {
        if (kinds.format != (found.st_mode & S_IFMT))
            continue;
        status.kind = kinds.kind;
        status.type = kinds.type;
    }
    return status;
}

ll::Result<std::vector<Entry>> SystemFiles::entries(const std::string& path)
{
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(path.c_str()), closedir);
    std::vector<Entry> entries;

    if (!directory)
        return failed(errno);
    errno = 0;
    while (const dirent* const entry = readdir(directory.get())) {
        const std::string_view name = entry->d_name;

        if (name != "." && name != "..")
            entries.push_back(entry_of(*entry));
        errno = 0;
    }
    if (errno != 0)
        return failed(errno);
    std::ranges::sort(entries, {}, &Entry::name);
    return entries;
}

ll::Result<std::optional<std::string>> SystemFiles::layout(const std::string& path)
{
    /* The kernel's limit for an attribute. */
    std::string value(XATTR_SIZE_MAX, '\0');
    const ssize_t len = getxattr(path.c_str(), LL_XATTR_NAME_LOV, value.data(), value.size());

    return layout_read(std::move(value), len);
}

/* The largest layout fits, which the start of the buffer says. */
ll::Result<std::optional<std::string>> SystemFiles::root_layout(const std::string& path)
{
    const auto fd = open_ours(path, O_RDONLY | O_DIRECTORY);
    std::string value(XATTR_SIZE_MAX, '\0');
    lov_comp_md_v1 space = {};

    if (!fd)
        return tl::unexpected(fd.error());
    space.lcm_magic = LOV_MAGIC_COMP_V1;
    space.lcm_size = XATTR_SIZE_MAX;
    std::memcpy(value.data(), &space, sizeof(space));

    const int len = ioctl(fd->get(), LL_IOC_ROOT_DEFAULT, value.data());

    return layout_read(std::move(value), len);
}

/* A file that was created for a layout which is refused is removed again. */
ll::Status SystemFiles::set_file_layout(const std::string& path, const std::string& layout)
{
    constexpr int kFlags = O_WRONLY | O_LOV_DELAY_CREATE;

    const auto fd = open_ours(path, kFlags | O_CREAT | O_EXCL);

    if (!fd && fd.error().code == EEXIST)
        return give_layout(open_ours(path, kFlags), layout);

    auto done = give_layout(fd, layout);

    if (fd && !done)
        unlink(path.c_str());
    return done;
}

ll::Status SystemFiles::add_components(const std::string& path, const std::string& components)
{
    return set_attribute(path, LL_XATTR_NAME_LOV_ADD, components);
}

ll::Status SystemFiles::delete_components(const std::string& path, const std::string& which)
{
    return set_attribute(path, LL_XATTR_NAME_LOV_DEL, which);
}

ll::Status SystemFiles::set_default(const std::string& path, const std::string& layout)
{
    return give_layout(open_ours(path, O_RDONLY | O_DIRECTORY), layout);
}

ll::Result<lu_fid> SystemFiles::fid(const std::string& path)
{
    ll_user_fid fid = {};
    const ssize_t len = lgetxattr(path.c_str(), LL_XATTR_NAME_FID, &fid, sizeof(fid));

    if (len < 0 && (errno == EOPNOTSUPP || errno == ENODATA))
        return fid_of_directory(path);
    if (len < 0)
        return failed(errno);
    return fid_of(fid);
}

ll::Result<PathName> SystemFiles::path(const std::string& mount, const lu_fid& fid,
                                       std::uint32_t number)
{
    const auto fd = open_ours(mount, O_RDONLY | O_DIRECTORY);
    std::vector<char> bytes(sizeof(getinfo_fid2path) + PATH_MAX);
    getinfo_fid2path asked = {};

    if (!fd)
        return tl::unexpected(fd.error());
    asked.gf_fid = {.f_seq = fid.f_seq, .f_oid = fid.f_oid, .f_ver = fid.f_ver};
    asked.gf_linkno = number;
    asked.gf_pathlen = PATH_MAX;
    std::memcpy(bytes.data(), &asked, sizeof(asked));
    if (const auto done = call(*fd, OBD_IOC_FID2PATH, bytes.data()); !done)
        return tl::unexpected(done.error());
    std::memcpy(&asked, bytes.data(), sizeof(asked));
    bytes.back() = '\0';
    return PathName{.path = bytes.data() + sizeof(asked), .next = asked.gf_linkno};
}

std::vector<std::string> SystemFiles::mounts()
{
    return file_systems(disk::all_mounts());
}

ll::Result<std::string> SystemFiles::mount_of(const std::string& path, bool follow)
{
    const auto real = real_path(path, follow);

    if (!real)
        return tl::unexpected(real.error());

    const auto mount = client_mount_at(disk::all_mounts(), *real);

    if (!mount)
        return ll::fail(ENODEV, "not on a Lustre filesystem");
    return mount->directory;
}

/* The table of mounts may have an old name: another client can have renamed the directory. */
ll::Result<std::string> SystemFiles::root_of(const std::string& mount)
{
    const auto found = client_mount_at(disk::all_mounts(), mount);

    if (!found)
        return ll::fail(ENODEV, "not on a Lustre filesystem");
    if (found->root == "/")
        return std::string();

    const auto own = fid(mount);

    if (!own)
        return tl::unexpected(own.error());

    const auto name = path(mount, *own, 0);

    if (!name)
        return tl::unexpected(name.error());
    return name->path;
}

ll::Result<std::optional<ll_user_target>> SystemFiles::target(const std::string& mount,
                                                              TargetType type, std::uint32_t index)
{
    const auto fd = open_ours(mount, O_RDONLY | O_DIRECTORY);
    ll_user_target target = {};

    if (!fd)
        return tl::unexpected(fd.error());
    target.lt_type = static_cast<std::uint32_t>(type);
    target.lt_index = index;
    if (const auto done = call(*fd, LL_IOC_TARGET, &target); !done) {
        if (done.error().code == ENODEV)
            return std::optional<ll_user_target>();
        return tl::unexpected(done.error());
    }
    return std::optional(target);
}

ll::Result<std::string> SystemFiles::volume(const std::string& mount)
{
    const auto fd = open_ours(mount, O_RDONLY | O_DIRECTORY);
    char name[MAX_OBD_NAME] = {};

    if (!fd)
        return tl::unexpected(fd.error());
    if (const auto done = call(*fd, OBD_IOC_GETDTNAME, name); !done)
        return tl::unexpected(done.error());
    name[sizeof(name) - 1] = '\0';
    return std::string(name);
}

ll::Result<lctl::Pools> SystemFiles::pools(const std::string& name)
{
    const auto port = ll::open_device();

    if (!port)
        return tl::unexpected(port.error());

    ll::Params params(**port);

    return lctl::find_pools(params, name);
}

ll::Status each_name(Files& files, const std::string& mount, const lu_fid& fid,
                     const std::function<ll::Status(std::uint32_t, const std::string&)>& take)
{
    for (std::uint32_t number = 0;;) {
        const auto name = files.path(mount, fid, number);

        if (!name && name.error().code == ENODATA && number != 0)
            return {};
        if (!name)
            return tl::unexpected(name.error());
        if (auto taken = take(number, name->path); !taken)
            return taken;
        if (name->next <= number)
            return {};
        number = name->next;
    }
}

ll::Result<std::vector<ll_user_target>> targets_of(Files& files, const std::string& mount,
                                                   TargetType type)
{
    std::vector<ll_user_target> targets;
    std::uint32_t index = 0;

    for (;;) {
        const auto target = files.target(mount, type, index);

        if (!target)
            return tl::unexpected(target.error());
        if (!*target)
            return targets;
        targets.push_back(**target);
        index = targets.back().lt_index + 1;
    }
}

}  // namespace lfs
