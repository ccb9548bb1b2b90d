// SPDX-License-Identifier: LGPL-2.1-or-later
// The way to the kernel: an interface of ioctl calls that tests replace.
#ifndef LL_PORT_HPP
#define LL_PORT_HPP

#include <cerrno>
#include <memory>

#include "error.hpp"
#include "fd.hpp"

#include <uapi/lustre_lite/libcfs_ioctl.h>

namespace ll {

class KernelPort {
public:
    KernelPort() = default;
    KernelPort(const KernelPort&) = delete;
    KernelPort& operator=(const KernelPort&) = delete;
    virtual ~KernelPort() = default;

    // One ioctl. `arg` begins with a struct libcfs_ioc_hdr that is filled in.
    // Returns what the call returned, or a negative errno.
    virtual int call(unsigned long cmd, void* arg) noexcept = 0;
};

// The real one: /dev/libcfs, opened for reading, closed on exec.
class DevicePort final : public KernelPort {
public:
    explicit DevicePort(Fd fd) noexcept : fd_(std::move(fd)) {}
    int call(unsigned long cmd, void* arg) noexcept override;

private:
    Fd fd_;
};

// A call that a signal interrupted is made again, kCallsMax times at most: where each
// one says so, it is not a signal, and the caller is told.
inline constexpr int kCallsMax = 16;

template <class F>
int call_again(F&& call) noexcept
{
    int rc = call();

    for (int calls = 1; rc == -EINTR && calls < kCallsMax; calls++)
        rc = call();
    return rc;
}

// Fill in the head of an argument.
template <class T>
void set_header(libcfs_ioc_hdr T::*head, T& arg)
{
    (arg.*head).ioh_size = sizeof(T);
    (arg.*head).ioh_abi = LIBCFS_ABI_VERSION;
}

// Ask who is there. Another ABI major is an error (EPROTO) that names both.
Result<libcfs_ioc_version> handshake(KernelPort& port);

// Open the device and shake hands. The errors say what to do: load the module
// (ENOENT, ENODEV, ENXIO), mend the device's mode (EACCES), match the versions.
Result<std::unique_ptr<KernelPort>> open_device(const char* path = LIBCFS_DEV_PATH);

}  // namespace ll

#endif
