// SPDX-License-Identifier: GPL-2.0-only
//
//	file-client all DIR
//	file-client fuzz DIR CALLS SEED
//
// ioctls of files on a client mount. The first form makes each call, and prints a line for it: a
// 64-bit and a 32-bit program print the same. The second form makes random calls, with arguments
// that end where memory ends: a call may be refused, but only with an errno of the list. DIR is an
// empty directory; what is made in it is removed. Status 1 if a call broke a promise, 2 if the
// program cannot go on.

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.hpp"
#include "uapi/lustre_lite/lustre_user.h"

namespace {

constexpr const char* FILE_NAME = "file-client.file";
constexpr const char* DIR_NAME = "file-client.dir";

constexpr std::array CALLS = {LL_IOC_LOV_SETSTRIPE,    LL_IOC_LOV_GETSTRIPE,  LL_IOC_PATH2FID,
                              OBD_IOC_GETDTNAME,       OBD_IOC_GETMDNAME,     LL_IOC_TARGET,
                              IOC_OBD_STATFS,          IOC_MDC_GETFILESTRIPE, LL_IOC_GETOBDCOUNT,
                              LL_IOC_GET_MDTIDX,       LL_IOC_FID2MDTIDX,     LL_IOC_GETPARENT,
                              LL_IOC_GET_CONNECT_FLAGS};

void need(bool fine, const char* what)
{
    if (fine)
        return;
    std::perror(what);
    std::exit(2);
}

std::string said(int rc)
{
    return rc < 0 ? ::strerrorname_np(errno) : "ok";
}

lov_mds_md layout(uint32_t magic, uint32_t size, uint16_t count, uint16_t first)
{
    lov_mds_md lmm{};

    lmm.lmm_magic = magic;
    lmm.lmm_pattern = LOV_PATTERN_RAID0;
    lmm.lmm_stripe_size = size;
    lmm.lmm_stripe_count = count;
    lmm.lmm_layout_gen = first;
    return lmm;
}

// A file without a layout, open with @flags.
int new_file(int flags)
{
    ::unlink(FILE_NAME);
    const int made =
        ::open(FILE_NAME, O_WRONLY | O_CREAT | O_EXCL | O_LOV_DELAY_CREATE | O_CLOEXEC, 0600);

    need(made >= 0, FILE_NAME);
    if (flags == O_WRONLY)
        return made;
    const int fd = ::open(FILE_NAME, flags | O_CLOEXEC);

    ::close(made);
    need(fd >= 0, FILE_NAME);
    return fd;
}

int open_dir()
{
    need(::mkdir(DIR_NAME, 0700) == 0 || errno == EEXIST, DIR_NAME);
    const int fd = ::open(DIR_NAME, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    need(fd >= 0, DIR_NAME);
    return fd;
}

void remove_all()
{
    ::unlink(FILE_NAME);
    ::rmdir(DIR_NAME);
}

// --- each call --------------------------------------------------------------------------

void show(const char* what, const std::string& result)
{
    std::printf("%s: %s\n", what, result.c_str());
}

void show_layout(const char* what, int fd, uint16_t fits)
{
    struct {
        lov_mds_md head;
        char rest[1024];
    } got{layout(LOV_MAGIC_V1, 0, fits, 0), {}};
    const int rc = ::ioctl(fd, LL_IOC_LOV_GETSTRIPE, &got);

    show(what, said(rc) + " size " + std::to_string(got.head.lmm_stripe_size) + " count " +
                   std::to_string(got.head.lmm_stripe_count));
}

void show_targets(int fd, uint32_t type)
{
    ll_user_target target{};
    int rc = 0;

    for (uint32_t index = 0; rc == 0; index = target.lt_index + 1) {
        target.lt_type = type;
        target.lt_index = index;
        rc = ::ioctl(fd, LL_IOC_TARGET, &target);
        show("target",
             said(rc) + (rc != 0 ? ""
                                 : " " + std::to_string(target.lt_index) + " " + target.lt_uuid +
                                       " " + (target.lt_blocks != 0 ? "space" : "none") + " " +
                                       std::to_string(target.lt_error)));
    }
}

// Real Lustre's call for the free space, as its library makes it.
void show_space(int fd, uint32_t type, uint32_t index)
{
    struct {
        obd_ioctl_data data;
        uint32_t type, padding, index;
    } arg{};
    ll_user_statfs space{};
    char uuid[40] = "";

    arg.data.ioc_len = sizeof(arg);
    arg.data.ioc_plen1 = sizeof(space);
    arg.data.ioc_pbuf1 = reinterpret_cast<uintptr_t>(&space);
    arg.data.ioc_plen2 = sizeof(uuid);
    arg.data.ioc_pbuf2 = reinterpret_cast<uintptr_t>(uuid);
    arg.data.ioc_inl[0].len = sizeof(arg.type);
    arg.data.ioc_inl[1].len = sizeof(arg.index);
    arg.type = type;
    arg.index = index;
    const int rc = ::ioctl(fd, IOC_OBD_STATFS, &arg);

    show("free space", said(rc) + " " + uuid + " " + (space.os_blocks != 0 ? "space" : "none"));
}

void show_spaces(int fd)
{
    for (uint32_t index = 0; index < 4; index++)
        show_space(fd, LL_STATFS_LOV, index);
    show_space(fd, LL_STATFS_LMV, 0);
    show_space(fd, LL_STATFS_LMV, 1);
    show_space(fd, 0, 0);
}

void show_number(const char* what, int fd, unsigned long cmd, int number)
{
    const int rc = ::ioctl(fd, cmd, &number);

    show(what, said(rc) + " " + std::to_string(number));
}

void show_named(int dir, const char* name)
{
    union {
        char name[4096];
        lov_mds_md head;
    } arg{};

    std::strncpy(arg.name, name, sizeof(arg.name) - 1);
    const int rc = ::ioctl(dir, IOC_MDC_GETFILESTRIPE, &arg);

    show("get by name",
         said(rc) + (rc != 0 ? ""
                             : " size " + std::to_string(arg.head.lmm_stripe_size) + " count " +
                                   std::to_string(arg.head.lmm_stripe_count)));
}

// The directory of @fd by its name, as real Lustre's library asks.
void show_parent(int fd, uint32_t number, uint32_t size)
{
    union {
        getparent head;
        char bytes[sizeof(getparent) + 4096];
    } arg{};

    arg.head.gp_linkno = number;
    arg.head.gp_name_size = size;
    const int rc = ::ioctl(fd, LL_IOC_GETPARENT, &arg);

    show("parent", said(rc) + (rc != 0 ? ""
                                       : " " + std::to_string(arg.head.gp_fid.f_seq != 0) + " " +
                                             (arg.bytes + sizeof(getparent))));
}

void show_parents(int fd)
{
    const uint32_t fits = std::strlen(DIR_NAME) + 1;
    ll_user_fid fid{};
    uint64_t flags = 0;

    show_parent(fd, 0, 4096);
    show_parent(fd, 0, fits);
    show_parent(fd, 0, fits - 1);
    show_parent(fd, 0, 4097);
    show_parent(fd, 1, 4096);
    need(::ioctl(fd, LL_IOC_PATH2FID, &fid) == 0, "FID");
    show("MDT of a FID", std::to_string(::ioctl(fd, LL_IOC_FID2MDTIDX, &fid)));
    fid.f_seq = 0;
    show("MDT of another", said(::ioctl(fd, LL_IOC_FID2MDTIDX, &fid)));
    const int rc = ::ioctl(fd, LL_IOC_GET_CONNECT_FLAGS, &flags);

    show("flags of the MDT", said(rc) + " " + std::to_string(flags != 0));
}

void names(int fd)
{
    char name[MAX_OBD_NAME] = "";
    ll_user_fid fid{};

    show("data volume", said(::ioctl(fd, OBD_IOC_GETDTNAME, name)) + " " + name);
    show("metadata volume", said(::ioctl(fd, OBD_IOC_GETMDNAME, name)) + " " + name);
    const int rc = ::ioctl(fd, LL_IOC_PATH2FID, &fid);

    show("FID", said(rc) + " " + std::to_string(fid.f_seq != 0) + " " + std::to_string(fid.f_ver));
}

void layouts(int dir)
{
    const lov_mds_md two = layout(LOV_MAGIC_V1, 65536, 2, 0xffff);
    const lov_mds_md odd = layout(LOV_MAGIC_V1, 1000, 2, 0xffff);
    const lov_mds_md kind = layout(0x12345678, 65536, 2, 0xffff);
    const int reader = new_file(O_RDONLY);

    show("set, not open for writing", said(::ioctl(reader, LL_IOC_LOV_SETSTRIPE, &two)));
    show_layout("none yet", reader, 8);
    ::close(reader);
    const int fd = new_file(O_WRONLY);

    show("set, odd size", said(::ioctl(fd, LL_IOC_LOV_SETSTRIPE, &odd)));
    show("set, other kind", said(::ioctl(fd, LL_IOC_LOV_SETSTRIPE, &kind)));
    show("set", said(::ioctl(fd, LL_IOC_LOV_SETSTRIPE, &two)));
    show("set again", said(::ioctl(fd, LL_IOC_LOV_SETSTRIPE, &two)));
    show_layout("get", fd, 8);
    show_layout("get, too small", fd, 0);
    ::close(fd);
    show("set of a directory", said(::ioctl(dir, LL_IOC_LOV_SETSTRIPE, &two)));
    show_layout("get of a directory", dir, 8);
    // It has no layout before it is opened for writing, by its FID.
    need(::mknodat(dir, "node", S_IFREG | 0600, 0) == 0, "mknod");
    const int node = ::openat(dir, "node", O_WRONLY | O_CLOEXEC);

    show_layout("get of a node in it", node, 8);
    show_named(dir, "node");
    show_named(dir, "missing");
    show_named(dir, "a/b");
    show_named(dir, std::string(300, 'x').c_str());
    show_named(node, "node");
    ::close(node);
    need(::unlinkat(dir, "node", 0) == 0, "unlink");
}

void all()
{
    const int dir = open_dir();

    names(dir);
    layouts(dir);
    show_targets(dir, LL_TARGET_MDT);
    show_targets(dir, LL_TARGET_OST);
    show_targets(dir, 7);
    show_spaces(dir);
    show_number("OSTs", dir, LL_IOC_GETOBDCOUNT, 0);
    show_number("MDTs", dir, LL_IOC_GETOBDCOUNT, 1);
    show_number("MDT of it", dir, LL_IOC_GET_MDTIDX, 77);
    show_parents(dir);
    for (const unsigned long cmd : CALLS)
        show("no memory", said(::ioctl(dir, cmd, nullptr)));
    show("unknown", said(::ioctl(dir, _IO('f', 250), nullptr)));
    ::close(dir);
}

// --- random calls -----------------------------------------------------------------------

constexpr std::array REFUSALS = {EFAULT,     EINVAL, ENOTTY, EBADF,  EEXIST,  EOVERFLOW,
                                 ENODATA,    ENODEV, ENOSPC, EIO,    E2BIG,   ENOMEM,
                                 EOPNOTSUPP, EAGAIN, ENOENT, EACCES, ENOTDIR, ENAMETOOLONG};

class Fuzzer : private vm::Dice {
public:
    Fuzzer(unsigned long seed) : Dice(seed), dir_(open_dir()) {}
    ~Fuzzer() { ::close(dir_); }
    Fuzzer(const Fuzzer&) = delete;
    Fuzzer& operator=(const Fuzzer&) = delete;

    // Return: calls that were refused in a way that is not on the list.
    unsigned long run(unsigned long calls)
    {
        unsigned long wrong = 0;

        for (unsigned long n = 0; n < calls;) {
            const int file = new_file(one_in(3) ? O_RDONLY : O_WRONLY);

            for (uint64_t same = 1 + below(8); same != 0; same--, n++)
                wrong += one(one_in(3) ? dir_ : file) ? 0 : 1;
            ::close(file);
        }
        return wrong;
    }

private:
    uint32_t magic()
    {
        return one_in(8)
                   ? static_cast<uint32_t>(number())
                   : pick(std::array<uint32_t, 4>{LOV_MAGIC_V1, LOV_MAGIC_V3,
                                                  LOV_USER_MAGIC_SPECIFIC, LOV_MAGIC_COMP_V1});
    }

    lov_mds_md wanted()
    {
        lov_mds_md lmm = layout(magic(), static_cast<uint32_t>(below(4) << 16),
                                static_cast<uint16_t>(one_in(5) ? number() : below(5)),
                                one_in(3) ? static_cast<uint16_t>(below(8)) : 0xffff);

        if (one_in(8))
            lmm.lmm_pattern = static_cast<uint32_t>(number());
        return lmm;
    }

    // Something like a layout, or like a question for a target.
    std::string argument(unsigned long cmd)
    {
        std::string bytes = noise(below(one_in(10) ? 5000 : 200));

        if (cmd == LL_IOC_TARGET && bytes.size() >= 8 && !one_in(4)) {
            const uint32_t head[2] = {1 + static_cast<uint32_t>(below(2)),
                                      static_cast<uint32_t>(one_in(4) ? number() : below(4))};

            std::memcpy(bytes.data(), head, sizeof(head));
        } else if (bytes.size() >= sizeof(lov_mds_md) && !one_in(6)) {
            const lov_mds_md lmm = wanted();

            std::memcpy(bytes.data(), &lmm, sizeof(lmm));
        }
        return bytes;
    }

    bool one(int fd)
    {
        const unsigned long cmd =
            one_in(20) ? static_cast<unsigned long>(_IO('f', 100 + below(156))) : pick(CALLS);
        const std::string bytes = argument(cmd);
        char* at = area_.tail(bytes.size());

        std::memcpy(at, bytes.data(), bytes.size());
        const unsigned long arg =
            one_in(25) ? static_cast<unsigned long>(number()) : reinterpret_cast<unsigned long>(at);

        // A number may be an address of this program.
        if (arg != reinterpret_cast<unsigned long>(at) && arg >= 4096 && arg < (~0UL >> 1))
            return true;
        if (::ioctl(fd, cmd, arg) >= 0)
            return true;
        for (const int each : REFUSALS)
            if (errno == each)
                return true;
        std::printf("call %#lx with %zu bytes: %s\n", cmd, bytes.size(), said(-1).c_str());
        return false;
    }

    vm::Area area_;
    int dir_;
};

}  // namespace

int main(int argc, char** argv)
{
    const std::string form = argc > 1 ? argv[1] : "";
    unsigned long wrong = 0;

    if (!(form == "all" && argc == 3) && !(form == "fuzz" && argc == 5)) {
        std::fputs("usage: file-client all DIR | fuzz DIR CALLS SEED\n", stderr);
        return 2;
    }
    need(::chdir(argv[2]) == 0, argv[2]);
    if (form == "all") {
        all();
    } else {
        wrong = Fuzzer(std::strtoul(argv[4], nullptr, 0)).run(std::strtoul(argv[3], nullptr, 0));
        std::printf("%lu calls, wrong: %lu\n", std::strtoul(argv[3], nullptr, 0), wrong);
    }
    remove_all();
    return wrong != 0 ? 1 : 0;
}
