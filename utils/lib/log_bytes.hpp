// SPDX-License-Identifier: LGPL-2.1-or-later
// Where the bytes of a log are: a file, or memory.
#ifndef LL_LOG_BYTES_HPP
#define LL_LOG_BYTES_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "error.hpp"
#include "fd.hpp"

namespace ll {

// What makes a log known: of a plain file its inode and device.
struct LogId {
    uint64_t object = 0;
    uint64_t sequence = 0;
};

class LogBytes {
public:
    LogBytes() = default;
    LogBytes(const LogBytes&) = delete;
    LogBytes& operator=(const LogBytes&) = delete;
    virtual ~LogBytes() = default;

    virtual const std::string& name() const = 0;
    virtual LogId id() const = 0;

    // As many bytes as there are from `offset` on, at most what `into` holds.
    virtual Result<size_t> read(uint64_t offset, std::span<std::byte> into) = 0;
    virtual Status write(uint64_t offset, std::span<const std::byte> from) = 0;
    // All that was written survives a power cut from here on.
    virtual Status sync() = 0;
};

enum class LogAccess {
    Read,
    Change,  // also locked: EBUSY while another program changes it
};

// A regular file is read as it is needed, anything else ("-" is standard input)
// at once. Errors name the file and its damage.
Result<std::unique_ptr<LogBytes>> open_log_bytes(const std::string& path,
                                                 LogAccess access = LogAccess::Read);

class MemoryLogBytes final : public LogBytes {
public:
    MemoryLogBytes(std::string name, std::vector<std::byte> bytes)
        : bytes_(std::move(bytes)), name_(std::move(name))
    {
    }

    const std::string& name() const override { return name_; }
    LogId id() const override { return {}; }
    Result<size_t> read(uint64_t offset, std::span<std::byte> into) override;
    Status write(uint64_t offset, std::span<const std::byte> from) override;
    Status sync() override { return {}; }

    const std::vector<std::byte>& bytes() const { return bytes_; }

private:
    std::vector<std::byte> bytes_;
    std::string name_;
};

}  // namespace ll

#endif
