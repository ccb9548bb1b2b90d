// SPDX-License-Identifier: GPL-2.0-only
//
//	disk-log cuts LOG			print after how many entries a power cut is tried
//	disk-log replay LOG DISK FROM TO	write the entries FROM to TO - 1 to DISK
//	disk-log copy FROM TO			copy a file without its zeros
//	disk-log forget				make btrfs forget the devices that it has seen
//
// LOG is what the device mapper's target log-writes has recorded: a super block, then entries of
// one sector each, with their data after them. Writes are in the log in the order in which flushes
// made them durable, so the disk after an entry that flushed is what a power cut leaves at least.

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <linux/btrfs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fd.hpp"

namespace {

constexpr uint64_t log_magic = 0x6a736677736872;
constexpr uint64_t log_version = 1;
constexpr size_t copied_at_once = 64 * 1024;

enum Flag : uint64_t { flush = 1, fua = 2, discard = 4, mark = 8 };

// On the disk, little-endian as this machine is.
struct Super {
    uint64_t magic;
    uint64_t version;
    uint64_t entries;
    uint32_t sector_size;
};

struct Entry {
    uint64_t sector;
    uint64_t sectors;
    uint64_t flags;
    uint64_t data_len;
};

[[noreturn]] void die(const std::string& what)
{
    throw std::runtime_error(what + ": " + std::strerror(errno));
}

class File {
public:
    File(const char* name, int flags) : name_(name), fd_(::open(name, flags | O_CLOEXEC, 0600))
    {
        if (!fd_)
            die(name_);
    }

    // Whether all of it is there.
    bool read(void* to, size_t len, uint64_t at) const
    {
        const ssize_t got = ::pread(fd_.get(), to, len, static_cast<off_t>(at));

        if (got < 0)
            die(name_);
        return static_cast<size_t>(got) == len;
    }

    void write(const void* from, size_t len, uint64_t at) const
    {
        if (::pwrite(fd_.get(), from, len, static_cast<off_t>(at)) != static_cast<ssize_t>(len))
            die(name_);
    }

    void resize(uint64_t size) const
    {
        if (::ftruncate(fd_.get(), static_cast<off_t>(size)) < 0)
            die(name_);
    }

    uint64_t size() const
    {
        struct stat st = {};

        if (::fstat(fd_.get(), &st) < 0)
            die(name_);
        return static_cast<uint64_t>(st.st_size);
    }

    int fd() const { return fd_.get(); }

private:
    std::string name_;
    ll::Fd fd_;
};

// Calls back with the number of each entry, the entry, and where its data is.
template <typename Callback>
void for_entries(const File& log, Callback callback)
{
    Super super = {};

    if (!log.read(&super, sizeof(super), 0) || super.magic != log_magic ||
        super.version != log_version)
        throw std::runtime_error("the log has no super block");
    uint64_t at = super.sector_size;
    for (uint64_t n = 0; n < super.entries; n++) {
        Entry entry = {};

        if (!log.read(&entry, sizeof(entry), at))
            throw std::runtime_error("the log ends at entry " + std::to_string(n));
        at += super.sector_size;
        callback(n, entry, at);
        if (!(entry.flags & discard))
            at += entry.sectors * super.sector_size;
    }
}

void cuts(const char* name)
{
    const File log(name, O_RDONLY);

    for_entries(log, [](uint64_t n, const Entry& entry, uint64_t) {
        if (entry.flags & (flush | fua))
            std::printf("%llu\n", static_cast<unsigned long long>(n + 1));
    });
}

// A discard changes nothing here: what a disk has in that place is undefined, so its old
// contents are allowed.
void replay(const char* name, const char* to, uint64_t first, uint64_t end)
{
    const File log(name, O_RDONLY);
    const File disk(to, O_WRONLY);
    Super super = {};

    log.read(&super, sizeof(super), 0);
    for_entries(log, [&](uint64_t n, const Entry& entry, uint64_t at) {
        if (n < first || n >= end || entry.flags & (discard | mark) || !entry.sectors)
            return;
        std::vector<char> data(entry.sectors * super.sector_size);
        if (!log.read(data.data(), data.size(), at))
            throw std::runtime_error("the log ends in entry " + std::to_string(n));
        disk.write(data.data(), data.size(), entry.sector * super.sector_size);
    });
}

bool is_zero(const char* bytes, size_t len)
{
    return !bytes[0] && !std::memcmp(bytes, bytes + 1, len - 1);
}

void copy(const char* from_name, const char* to_name)
{
    const File from(from_name, O_RDONLY);
    const File to(to_name, O_RDWR | O_CREAT | O_TRUNC);
    const uint64_t size = from.size();
    std::vector<char> part(copied_at_once);

    to.resize(size);
    off_t at = ::lseek(from.fd(), 0, SEEK_DATA);
    while (at >= 0 && static_cast<uint64_t>(at) < size) {
        const uint64_t start = static_cast<uint64_t>(at) / copied_at_once * copied_at_once;
        const size_t len = std::min<uint64_t>(copied_at_once, size - start);

        if (!from.read(part.data(), len, start))
            throw std::runtime_error(std::string(from_name) + " became shorter");
        if (!is_zero(part.data(), len))
            to.write(part.data(), len, start);
        at = ::lseek(from.fd(), static_cast<off_t>(start + len), SEEK_DATA);
    }
}

// Else a copy of a disk is refused as an older state of one that it has seen.
void forget()
{
    const File control("/dev/btrfs-control", O_RDWR);
    btrfs_ioctl_vol_args all = {};

    if (::ioctl(control.fd(), BTRFS_IOC_FORGET_DEV, &all) < 0)
        die("btrfs-control");
}

int run(int argc, char** argv)
{
    const std::string_view command = argc > 1 ? argv[1] : "";

    if (command == "cuts" && argc == 3)
        cuts(argv[2]);
    else if (command == "replay" && argc == 6)
        replay(argv[2], argv[3], std::strtoull(argv[4], nullptr, 10),
               std::strtoull(argv[5], nullptr, 10));
    else if (command == "copy" && argc == 4)
        copy(argv[2], argv[3]);
    else if (command == "forget" && argc == 2)
        forget();
    else {
        std::fprintf(
            stderr, "usage: disk-log cuts LOG | replay LOG DISK FROM TO | copy FROM TO | forget\n");
        return 2;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        return run(argc, argv);
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "disk-log: %s\n", failure.what());
        return 1;
    }
}
