// SPDX-License-Identifier: LGPL-2.1-or-later
#include "port.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/ioctl.h>

namespace ll {

int DevicePort::call(unsigned long cmd, void* arg) noexcept
{
    return call_again([&]() noexcept {
        const int rc = ::ioctl(fd_.get(), cmd, arg);

        return rc < 0 ? -errno : rc;
    });
}

static std::string abi_text(uint32_t abi)
{
    return std::to_string(LIBCFS_ABI_MAJOR_OF(abi)) + '.' +
           std::to_string(LIBCFS_ABI_MINOR_OF(abi));
}

Result<libcfs_ioc_version> handshake(KernelPort& port)
{
    libcfs_ioc_version version{};

    set_header(&libcfs_ioc_version::v_hdr, version);
    const int rc = port.call(LIBCFS_IOC_VERSION, &version);
    if (rc == -ENOTTY || rc == -EINVAL)
        return fail(EPROTO,
                    "it does not answer like libcfs; check whether another "
                    "module uses this device name");
    if (rc < 0)
        return tl::unexpected(make_error(-rc, "asking for its version"));
    if (LIBCFS_ABI_MAJOR_OF(version.v_abi) != LIBCFS_ABI_MAJOR) {
        version.v_release[LIBCFS_RELEASE_LEN - 1] = '\0';
        return fail(EPROTO, "the module libcfs (release " + std::string(version.v_release) +
                                ") has ABI " + abi_text(version.v_abi) + ", this program has ABI " +
                                abi_text(LIBCFS_ABI_VERSION) +
                                "; use tools and modules of the same release");
    }
    return version;
}

static std::string open_advice(int code, const std::string& path)
{
    switch (code) {
        case ENOENT:
        case ENODEV:
        case ENXIO:
            return "; load the module: modprobe libcfs";
        case EACCES:
        case EPERM:
            return "; its mode is no longer 0666: chmod "
                   "666 " +
                   path;
        default:
            return {};
    }
}

Result<std::unique_ptr<KernelPort>> open_device(const char* path)
{
    const std::string name(path);
    Fd fd(::open(path, O_RDONLY | O_CLOEXEC));

    if (!fd) {
        const int code = errno;
        return fail(code,
                    "cannot open " + name + ": " + errno_text(code) + open_advice(code, name));
    }
    auto port = std::make_unique<DevicePort>(std::move(fd));
    if (auto version = handshake(*port); !version)
        return fail(version.error().code, name + ": " + version.error().text);
    return port;
}

}  // namespace ll
