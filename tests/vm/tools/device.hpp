// SPDX-License-Identifier: GPL-2.0-only
// The ioctls of /dev/libcfs as thinly as can be: the tests want to see errno and
// bytes, not what a library makes of them. Builds for 32 and 64 bits.
#ifndef VM_TOOLS_DEVICE_HPP
#define VM_TOOLS_DEVICE_HPP

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/ioctl.h>

#include <uapi/lustre_lite/params_ioctl.h>

#include "fd.hpp"

namespace vm {

inline uint64_t user(const void* pointer)
{
    return reinterpret_cast<uintptr_t>(pointer);
}

// A structure with its size and our ABI version in its head, all else zero.
template <typename T>
T argument()
{
    T arg{};

    auto* head = reinterpret_cast<libcfs_ioc_hdr*>(&arg);
    head->ioh_size = sizeof(T);
    head->ioh_abi = LIBCFS_ABI_VERSION;
    return arg;
}

class Device {
public:
    Device() : fd_(::open(LIBCFS_DEV_PATH, O_RDWR | O_CLOEXEC)) {}

    explicit operator bool() const { return static_cast<bool>(fd_); }
    int fd() const { return fd_.get(); }

    // 0 or a negative errno.
    template <typename T>
    int call(unsigned long cmd, T& arg) const
    {
        return ::ioctl(fd_.get(), cmd, &arg) < 0 ? -errno : 0;
    }

    int read(std::string_view path, std::vector<char>& buf, params_ioc_read& pr) const
    {
        pr.pr_path = user(path.data());
        pr.pr_path_len = path.size();
        pr.pr_buf = user(buf.data());
        pr.pr_buf_len = buf.size();
        return call(PARAMS_IOC_READ, pr);
    }

    int write(std::string_view path, std::string_view text, params_ioc_write& pw,
              std::string& reason) const
    {
        reason.assign(PARAMS_REASON_MAX, '\0');
        pw.pw_path = user(path.data());
        pw.pw_path_len = path.size();
        pw.pw_value = user(text.data());
        pw.pw_value_len = text.size();
        pw.pw_reason = user(reason.data());
        pw.pw_reason_len = reason.size();
        const int rc = call(PARAMS_IOC_WRITE, pw);
        reason.resize(rc && pw.pw_reason_len <= reason.size() ? pw.pw_reason_len : 0);
        return rc;
    }

private:
    ll::Fd fd_;
};

// Writes of a batch, packed one after the other.
class WriteBatch {
public:
    void add(std::string_view path, std::string_view text, uint32_t flags = 0, uint32_t version = 0)
    {
        params_write_rec rec{};

        rec.wr_flags = flags;
        rec.wr_version = version;
        rec.wr_path_len = static_cast<uint16_t>(path.size());
        rec.wr_value_len = static_cast<uint32_t>(text.size());
        rec.wr_len = static_cast<uint32_t>(sizeof(rec) + PARAMS_ALIGN(path.size()) +
                                           PARAMS_ALIGN(text.size()));
        append(&rec, sizeof(rec));
        append(path.data(), path.size());
        append(text.data(), text.size());
        count_++;
    }

    // The replies' statuses, empty when the call itself failed.
    int call(const Device& device, uint32_t flags, std::vector<int>& statuses)
    {
        std::vector<char> out(count_ * PARAMS_REPLY_MAX);
        auto wb = argument<params_ioc_write_batch>();

        wb.bw_in = user(bytes_.data());
        wb.bw_in_len = static_cast<uint32_t>(bytes_.size());
        wb.bw_count = count_;
        wb.bw_out = user(out.data());
        wb.bw_out_len = static_cast<uint32_t>(out.size());
        wb.bw_flags = flags;
        const int rc = device.call(PARAMS_IOC_WRITE_BATCH, wb);
        statuses.clear();
        for (size_t at = 0; !rc && at < wb.bw_used;) {
            params_reply_rec reply;

            std::memcpy(&reply, &out[at], sizeof(reply));
            statuses.push_back(reply.rr_status);
            at += reply.rr_len;
        }
        return rc;
    }

    std::vector<char>& bytes() { return bytes_; }
    uint32_t count() const { return count_; }

private:
    void append(const void* data, size_t len)
    {
        const char* from = static_cast<const char*>(data);

        bytes_.insert(bytes_.end(), from, from + len);
        bytes_.resize(PARAMS_ALIGN(bytes_.size()), '\0');
    }

    std::vector<char> bytes_;
    uint32_t count_ = 0;
};

}  // namespace vm

#endif
