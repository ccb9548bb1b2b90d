// SPDX-License-Identifier: GPL-2.0-only
//
//	fs-x [--ops N | --seconds N] [--seed N] [--size BYTES] [--clients 1|2] [--no-mmap] [--direct]
//	     [--reclaim] [--stripe-align BYTES] DIR [DIR]
//
// Random calls for one file, DIR/fs-x, which may be on two mounts. The calls are made one after the
// other, each through one of the clients: a mount, or a second open of the only one. Each has the
// effect that it has on the same bytes in memory, also for mappings that exist for a long time.
// Every 200 calls, and at the end, all bytes are read through each client.
//
// --no-mmap: without shared mappings. --direct: reads and writes bypass the cache; by default some do.
// --reclaim: memory is reclaimed meanwhile: a hole that a target has read is data to it until then.
// --stripe-align: where stripes end (64 KiB); many positions are near multiples of it.
//
// Each aligned word of four bytes that a call writes is the number of the call (16 bits), the number
// of the page (8 bits), and a byte that depends on the position. So wrong bytes show where they are
// from. Status 1 if the file differs, 2 if a call fails, 3 if a call takes over 5 minutes; the last
// calls are printed. The file is left for the caller unless all was right.

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t PAGE = 4096;
constexpr std::size_t SHOWN = 30;  // calls after a failure
constexpr unsigned long COMPARE_EVERY = 200;
constexpr auto CALL_TAKES = std::chrono::minutes(5);

std::size_t page_down(std::size_t at)
{
    return at & ~(PAGE - 1);
}
std::size_t page_up(std::size_t at)
{
    return page_down(at + PAGE - 1);
}

struct Options {
    unsigned long ops = 1000;
    unsigned long seconds = 0;  // instead of ops
    unsigned long seed = 1;
    unsigned long size = 4UL << 20;
    unsigned long clients = 0;
    unsigned long stripe = 64UL << 10;
    bool maps = true;
    bool direct = false;
    bool reclaim = false;
    std::vector<std::string> dirs;
};

unsigned char byte_of(unsigned long call, std::size_t at)
{
    switch (at % 4) {
        case 0:
            return static_cast<unsigned char>(call);
        case 1:
            return static_cast<unsigned char>(call >> 8);
        case 2:
            return static_cast<unsigned char>(at / PAGE);
        default:
            return static_cast<unsigned char>(at / 4 * 31 + call);
    }
}

// Memory that direct calls accept, or a mapping of a file.
class Memory {
public:
    explicit Memory(std::size_t len) : Memory(len, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) {}
    Memory(std::size_t len, int flags, int fd, std::size_t at)
        : len_(std::max<std::size_t>(len, 1)),
          at_(::mmap(nullptr, len_, PROT_READ | PROT_WRITE, flags, fd, static_cast<off_t>(at)))
    {
    }
    ~Memory()
    {
        if (at_ != MAP_FAILED)
            ::munmap(at_, len_);
    }
    Memory(Memory&& other) noexcept : len_(other.len_), at_(other.at_) { other.at_ = MAP_FAILED; }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    Memory& operator=(Memory&&) = delete;

    explicit operator bool() const { return at_ != MAP_FAILED; }
    unsigned char* data() const { return static_cast<unsigned char*>(at_); }

    void fill(unsigned long call, std::size_t at, std::size_t len) const
    {
        for (std::size_t n = 0; n < len; n++)
            data()[n] = byte_of(call, at + n);
    }

private:
    std::size_t len_;
    void* at_;
};

// The last calls, and how long the current one has been running.
class Log {
public:
    void add(const std::string& line)
    {
        const std::lock_guard guard(lock_);

        lines_.push_back(line);
        if (lines_.size() > SHOWN)
            lines_.pop_front();
        since_ = Clock::now();
    }

    void print()
    {
        const std::lock_guard guard(lock_);

        for (const std::string& line : lines_)
            std::fprintf(stderr, "%s\n", line.c_str());
    }

    bool hangs()
    {
        const std::lock_guard guard(lock_);

        return Clock::now() - since_ > CALL_TAKES;
    }

private:
    std::mutex lock_;
    std::deque<std::string> lines_;
    Clock::time_point since_ = Clock::now();
};

// One of the clients. map: the whole file and beyond, for as long as the client has it open.
struct Client {
    std::string name;
    std::string path;
    int fd = -1;
    int append = -1;
    int direct = -1;
    unsigned char* map = nullptr;
};

Log calls;

// A page of a mapping cannot be read or written.
void on_signal(int number)
{
    calls.print();
    std::fprintf(stderr, "fs-x: the last call: %s\n", ::strsignal(number));
    ::_exit(1);
}

class Checker {
public:
    explicit Checker(const Options& options) : options_(options), random_(options.seed)
    {
        for (unsigned long n = 0; n < options.clients; n++)
            clients_.push_back({std::string(1, static_cast<char>('a' + n)),
                                options.dirs[n % options.dirs.size()] + "/fs-x"});
        for (const Named& each : OPS)
            if (options.maps || !each.maps)
                ops_.insert(ops_.end(), each.weight, &each);
        for (Client& each : clients_)
            open(each, &each == &clients_.front() ? O_CREAT | O_TRUNC : 0);
    }

    void run()
    {
        const auto end = Clock::now() + std::chrono::seconds(options_.seconds);

        for (call_ = 1; options_.seconds != 0 ? Clock::now() < end : call_ <= options_.ops; call_++)
            step();
        compare_all();
        std::printf("%lu calls, %zu bytes\n", call_ - 1, bytes_.size());
        need(::unlink(clients_.back().path.c_str()) == 0, "unlink");
    }

private:
    using Op = void (Checker::*)(Client&);

    struct Named {
        Op op;
        unsigned weight;
        bool maps;
    };

    static const std::array<Named, 15> OPS;

    // --- random numbers -----------------------------------------------------------

    unsigned long below(unsigned long n) { return random_() % n; }
    bool one_of(unsigned long n) { return below(n) == 0; }

    // A few bytes before or after a multiple of unit.
    std::size_t near(std::size_t unit)
    {
        const std::size_t at = (below(options_.size / unit + 1)) * unit + below(17);

        return at < 8 ? at : at - 8;
    }

    std::size_t position()
    {
        const std::size_t last = options_.size - 1;

        switch (below(8)) {
            case 0:
                return below(std::min<std::size_t>(17, options_.size));
            case 1:
                return std::min(last, near(PAGE));
            case 2:
            case 3:
                return std::min(last, near(options_.stripe));
            case 4:
                return std::min(last, near(1UL << 20));
            case 5:
                return std::min(last,
                                bytes_.size() + below(17) - std::min(bytes_.size(), below(17)));
            default:
                return below(options_.size);
        }
    }

    std::size_t length(std::size_t at)
    {
        static constexpr std::array<std::size_t, 6> MOST = {16,       5000,   5000,
                                                            3 * PAGE, 150000, SIZE_MAX};
        const std::size_t left = options_.size - at;

        if (one_of(8))
            return std::min(left, PAGE * (1 + below(4)));
        return 1 + below(std::min(MOST[below(MOST.size())], left));
    }

    // --- the model ----------------------------------------------------------------

    // Bytes from at to the end of the file.
    std::size_t left(std::size_t at) const { return at < bytes_.size() ? bytes_.size() - at : 0; }

    void put(const unsigned char* bytes, std::size_t at, std::size_t len)
    {
        if (bytes_.size() < at + len)
            bytes_.resize(at + len);
        std::copy(bytes, bytes + len, bytes_.begin() + static_cast<std::ptrdiff_t>(at));
    }

    void zero(std::size_t at, std::size_t len)
    {
        std::fill_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at), len, 0);
    }

    // --- reports ------------------------------------------------------------------

    [[noreturn]] void end(int status, const std::string& why)
    {
        calls.print();
        std::fprintf(stderr, "fs-x: seed %lu, call %lu, client %s: %s\n", options_.seed, call_,
                     current_ == nullptr ? "-" : current_->path.c_str(), why.c_str());
        std::fflush(stderr);
        ::_exit(status);
    }

    void need(bool good, const char* call)
    {
        if (!good)
            end(2, std::string(call) + ": " + std::strerror(errno));
    }

    void note(const Client& client, const std::string& what, std::size_t at, std::size_t len)
    {
        current_ = &client;
        calls.add(std::to_string(call_) + " " + client.name + " " + what + " " +
                  std::to_string(at) + " +" + std::to_string(len) + " of " +
                  std::to_string(bytes_.size()));
    }

    // without(ERROR, CALL): the call failed with ERROR, as the file system does not have it. Noted once.
    bool without(int error, const std::string& call)
    {
        if (errno != error)
            return false;
        if (omitted_.insert(call).second)
            std::printf("%s: %s, omitted\n", call.c_str(), std::strerror(errno));
        return true;
    }

    static std::string hex(const unsigned char* bytes, std::size_t len)
    {
        std::string text;
        char digits[4];

        for (std::size_t n = 0; n < len; n++) {
            std::snprintf(digits, sizeof(digits), " %02x", bytes[n]);
            text += digits;
        }
        return text;
    }

    [[noreturn]] void differs(std::size_t at, std::size_t first, const unsigned char* seen,
                              std::size_t len)
    {
        const std::size_t from = (at + first) & ~std::size_t(3);
        const std::size_t start = from < at ? first : from - at;
        const std::size_t shown = std::min<std::size_t>(len - start, 16);
        std::size_t wrong = 0;
        std::size_t last = first;

        for (std::size_t n = first; n < len; n++)
            if (seen[n] != bytes_[at + n]) {
                wrong++;
                last = n;
            }
        end(1, std::to_string(wrong) + " bytes are wrong, from " + std::to_string(at + first) +
                   " to " + std::to_string(at + last) + "; from " + std::to_string(at + start) +
                   " expected:" + hex(bytes_.data() + at + start, shown) +
                   ", seen:" + hex(seen + start, shown));
    }

    void compare(std::size_t at, const unsigned char* seen, std::size_t len, std::size_t want)
    {
        if (len != want)
            end(1, std::to_string(len) + " bytes are read at " + std::to_string(at) + ", not " +
                       std::to_string(want));

        const auto bytes =
            bytes_.begin() + static_cast<std::ptrdiff_t>(std::min(at, bytes_.size()));
        const auto wrong = std::mismatch(seen, seen + len, bytes).first;

        if (wrong != seen + len)
            differs(at, static_cast<std::size_t>(wrong - seen), seen, len);
    }

    // --- calls --------------------------------------------------------------------

    void step()
    {
        Client& client = clients_[below(clients_.size())];

        (this->*ops_[below(ops_.size())]->op)(client);
        if (call_ % COMPARE_EVERY == 0)
            compare_all();
    }

    void open(Client& client, int flags)
    {
        note(client, (flags & O_TRUNC) != 0 ? "open O_TRUNC" : "open", 0, 0);
        for (const int fd : {client.fd, client.append, client.direct})
            need(fd < 0 || ::close(fd) == 0, "close");
        client.fd = ::open(client.path.c_str(), O_RDWR | flags, 0644);
        need(client.fd >= 0, "open");
        client.append = ::open(client.path.c_str(), O_WRONLY | O_APPEND);
        need(client.append >= 0, "open");
        client.direct = ::open(client.path.c_str(), O_RDWR | O_DIRECT);
        need(client.direct >= 0 || without(EINVAL, "O_DIRECT"), "open O_DIRECT");
        if (options_.maps && (client.map == nullptr || one_of(2)))
            map(client);
    }

    void map(Client& client)
    {
        const std::size_t len = page_up(options_.size);

        need(client.map == nullptr || ::munmap(client.map, len) == 0, "munmap");
        void* at = ::mmap(nullptr, len, PROT_READ | PROT_WRITE, MAP_SHARED, client.fd, 0);
        need(at != MAP_FAILED, "mmap");
        client.map = static_cast<unsigned char*>(at);
    }

    void read_at(const Client& client, std::size_t at, std::size_t len)
    {
        const Memory seen(len);
        const ssize_t got = ::pread(client.fd, seen.data(), len, static_cast<off_t>(at));

        need(got >= 0, "pread");
        compare(at, seen.data(), static_cast<std::size_t>(got), std::min(len, left(at)));
    }

    void compare_all()
    {
        for (Client& each : clients_) {
            look(each);
            note(each, "read all", 0, bytes_.size());
            read_at(each, 0, bytes_.size() + 1);
        }
    }

    void read_some(Client& client)
    {
        const std::size_t at = position(), len = length(at);

        if (options_.direct)
            return read_direct(client);
        note(client, "read", at, len);
        read_at(client, at, len);
    }

    void read_direct(Client& client)
    {
        const std::size_t at = page_down(position());
        const std::size_t len = page_up(length(at));
        const Memory seen(len);

        if (client.direct < 0)
            return;
        note(client, "read O_DIRECT", at, len);
        const ssize_t got = ::pread(client.direct, seen.data(), len, static_cast<off_t>(at));
        need(got >= 0, "pread");
        compare(at, seen.data(), static_cast<std::size_t>(got), std::min(len, left(at)));
    }

    // In one piece, or in three.
    void write_some(Client& client)
    {
        const std::size_t at = position(), len = length(at), part = below(len + 1);
        const Memory bytes(len);
        const bool split = one_of(3);

        if (options_.direct)
            return write_direct(client);
        note(client, split ? "writev" : "write", at, len);
        bytes.fill(call_, at, len);
        const std::array<iovec, 3> parts = {{{bytes.data(), part / 2},
                                             {bytes.data() + part / 2, part - part / 2},
                                             {bytes.data() + part, len - part}}};
        const ssize_t wrote =
            split ? ::pwritev(client.fd, parts.data(), parts.size(), static_cast<off_t>(at))
                  : ::pwrite(client.fd, bytes.data(), len, static_cast<off_t>(at));
        need(wrote == static_cast<ssize_t>(len), "pwrite");
        put(bytes.data(), at, len);
    }

    void write_direct(Client& client)
    {
        const std::size_t at = page_down(position());
        const std::size_t len = std::min(page_up(length(at)), page_down(options_.size - at));
        const Memory bytes(len);

        if (client.direct < 0 || len == 0)
            return;
        note(client, "write O_DIRECT", at, len);
        bytes.fill(call_, at, len);
        const ssize_t wrote = ::pwrite(client.direct, bytes.data(), len, static_cast<off_t>(at));
        need(wrote == static_cast<ssize_t>(len), "pwrite");
        put(bytes.data(), at, len);
    }

    void append(Client& client)
    {
        const std::size_t at = bytes_.size();

        if (at >= options_.size)
            return truncate(client);

        const std::size_t len = length(at);
        const Memory bytes(len);

        note(client, "append", at, len);
        bytes.fill(call_, at, len);
        need(::write(client.append, bytes.data(), len) == static_cast<ssize_t>(len), "write");
        put(bytes.data(), at, len);
    }

    void truncate(Client& client)
    {
        const std::size_t size = one_of(8) ? 0 : position();
        const bool by_name = one_of(2);

        note(client, by_name ? "truncate" : "ftruncate", size, 0);
        const int rc = by_name ? ::truncate(client.path.c_str(), static_cast<off_t>(size))
                               : ::ftruncate(client.fd, static_cast<off_t>(size));
        need(rc == 0, "truncate");
        bytes_.resize(size);
    }

    // The rest of the last page is 0 in memory.
    void compare_mapped(const unsigned char* seen, std::size_t at, std::size_t len)
    {
        compare(at, seen, len, len);
        if (at + len != bytes_.size())
            return;
        for (std::size_t n = len; n < page_up(at + len) - at; n++)
            if (seen[n] != 0)
                end(1, "byte " + std::to_string(at + n) + " after the end of the file is " +
                           std::to_string(seen[n]));
    }

    void map_read(Client& client)
    {
        const std::size_t at = position();
        const std::size_t len = std::min(length(at), left(at));

        if (len == 0)
            return look(client);
        if (one_of(2)) {
            note(client, "read the old mapping", at, len);
            return compare_mapped(client.map + at, at, len);
        }

        const std::size_t start = page_down(at);
        const bool own = one_of(3);

        note(client, own ? "read a private mapping" : "read a mapping", at, len);
        const Memory mapped(at + len - start, own ? MAP_PRIVATE : MAP_SHARED, client.fd, start);
        need(bool(mapped), "mmap");
        compare_mapped(mapped.data() + at - start, at, len);
    }

    // Half of the calls make the file longer first.
    void map_write(Client& client)
    {
        const std::size_t at = position();
        std::size_t len = length(at);

        if (left(at) < len && one_of(2)) {
            note(client, "ftruncate to write a mapping", at + len, 0);
            need(::ftruncate(client.fd, static_cast<off_t>(at + len)) == 0, "ftruncate");
            bytes_.resize(at + len);
        }
        len = std::min(len, left(at));
        if (len == 0)
            return look(client);
        write_mapped(client, at, len);
    }

    void write_mapped(Client& client, std::size_t at, std::size_t len)
    {
        const std::size_t start = page_down(at), end = at + len - start;
        const Memory bytes(len);
        const bool old = one_of(2);

        note(client, old ? "write the old mapping" : "write a mapping", at, len);
        bytes.fill(call_, at, len);
        const Memory fresh = old ? Memory(1) : Memory(end, MAP_SHARED, client.fd, start);
        unsigned char* mapped = old ? client.map + start : fresh.data();
        need(bool(fresh), "mmap");
        std::memcpy(mapped + at - start, bytes.data(), len);
        put(bytes.data(), at, len);
        if (one_of(4)) {
            note(client, "msync", start, end);
            need(::msync(mapped, end, one_of(2) ? MS_ASYNC : MS_SYNC) == 0, "msync");
        }
    }

    void sync(Client& client)
    {
        switch (below(4)) {
            case 0:
                note(client, "fdatasync", 0, 0);
                return need(::fdatasync(client.fd) == 0, "fdatasync");
            case 1:
                note(client, "sync_file_range", 0, 0);
                return need(::sync_file_range(client.fd, 0, 0, SYNC_FILE_RANGE_WRITE) == 0,
                            "sync_file_range");
            default:
                note(client, "fsync", 0, 0);
                return need(::fsync(client.fd) == 0, "fsync");
        }
    }

    void open_again(Client& client)
    {
        const bool empty = one_of(8);

        open(client, empty ? O_TRUNC : 0);
        if (empty)
            bytes_.clear();
        look(client);
    }

    void drop(Client& client)
    {
        const std::size_t at = one_of(2) ? 0 : position();
        const std::size_t len = at == 0 ? 0 : length(at);

        note(client, "fadvise DONTNEED", at, len);
        const int rc = ::posix_fadvise(client.fd, static_cast<off_t>(at), static_cast<off_t>(len),
                                       POSIX_FADV_DONTNEED);
        errno = rc;
        need(rc == 0, "posix_fadvise");
    }

    void look(Client& client)
    {
        struct stat by_fd {
        }, by_name{};

        note(client, "stat", 0, 0);
        need(::fstat(client.fd, &by_fd) == 0 && ::stat(client.path.c_str(), &by_name) == 0, "stat");
        const off_t end_of_file = ::lseek(client.fd, 0, SEEK_END);
        for (const off_t size : {by_fd.st_size, by_name.st_size, end_of_file})
            if (static_cast<std::size_t>(size) != bytes_.size())
                end(1, "the size is " + std::to_string(by_fd.st_size) + " by fstat, " +
                           std::to_string(by_name.st_size) + " by stat, " +
                           std::to_string(end_of_file) + " by lseek");
    }

    // A position from at on; the end of the file if there is none.
    std::size_t seek_to(const Client& client, std::size_t at, int whence)
    {
        const std::string name = whence == SEEK_HOLE ? "SEEK_HOLE" : "SEEK_DATA";
        // The end is a hole, and nothing is found from there on.
        const std::size_t last = whence == SEEK_HOLE ? bytes_.size() + 1 : bytes_.size();

        note(client, "lseek " + name, at, 0);
        const off_t found = ::lseek(client.fd, static_cast<off_t>(at), whence);

        if (found < 0) {
            need(errno == ENXIO, "lseek");
            if (whence == SEEK_HOLE && at < bytes_.size())
                end(1, name + " finds nothing");
            return bytes_.size();
        }
        const auto to = static_cast<std::size_t>(found);

        if (at >= bytes_.size() || to < at || to >= last)
            end(1, name + " finds " + std::to_string(to));
        return to;
    }

    // From at up to data: it reads as 0, and says that it is a hole.
    void expect_hole(const Client& client, std::size_t at, std::size_t data)
    {
        for (std::size_t n = at; n < data; n++)
            if (bytes_[n] != 0)
                end(1, "SEEK_DATA skips byte " + std::to_string(n));
        if (data == at || at >= bytes_.size())
            return;
        if (seek_to(client, at, SEEK_HOLE) != at && !options_.reclaim)
            end(1, "no hole is at " + std::to_string(at) + ", and no data");
    }

    // Hole and data take turns up to the end of the file.
    void seek(Client& client)
    {
        std::size_t at = position();

        for (unsigned turns = 1 + below(20); turns != 0; turns--) {
            const std::size_t data = seek_to(client, at, SEEK_DATA);

            expect_hole(client, at, data);
            at = seek_to(client, data, SEEK_HOLE);
            if (at >= bytes_.size() || (at == data && options_.reclaim))
                return;
            if (at == data)
                end(1, "a hole and data are at " + std::to_string(at));
        }
    }

    void allocate(Client& client)
    {
        static constexpr std::array MODES = {0, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                             int(FALLOC_FL_ZERO_RANGE),
                                             FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE};
        const std::size_t at = position(), len = length(at);
        const int mode = MODES[below(MODES.size())];

        note(client, "fallocate " + std::to_string(mode), at, len);
        if (::fallocate(client.fd, mode, static_cast<off_t>(at), static_cast<off_t>(len)) != 0)
            return need(without(EOPNOTSUPP, "fallocate " + std::to_string(mode)), "fallocate");
        if ((mode & FALLOC_FL_KEEP_SIZE) == 0 && bytes_.size() < at + len)
            bytes_.resize(at + len);
        if (mode != 0)
            zero(std::min(at, bytes_.size()), std::min(len, left(at)));
    }

    // The kernel may copy less than it was told to.
    void copy_some(Client& client)
    {
        const std::size_t from = position(), to = position();
        const std::size_t apart = from < to ? to - from : from - to;
        off_t in = static_cast<off_t>(from), out = static_cast<off_t>(to);

        if (left(from) == 0 || apart == 0)
            return look(client);

        const std::size_t len = std::min({length(std::max(from, to)), apart, left(from)});

        // The kernel copies up to the size that it knows.
        look(client);
        note(client, "copy to " + std::to_string(to) + " from", from, len);
        const ssize_t got = ::copy_file_range(client.fd, &in, client.fd, &out, len, 0);
        need(got > 0, "copy_file_range");
        const std::vector<unsigned char> copy(
            bytes_.begin() + static_cast<std::ptrdiff_t>(from),
            bytes_.begin() + static_cast<std::ptrdiff_t>(from) + got);
        put(copy.data(), to, copy.size());
    }

    const Options& options_;
    std::mt19937_64 random_;
    std::vector<const Named*> ops_;
    std::vector<Client> clients_;
    const Client* current_ = nullptr;
    std::vector<unsigned char> bytes_;
    std::set<std::string> omitted_;
    unsigned long call_ = 0;
};

const std::array<Checker::Named, 15> Checker::OPS = {{
    {&Checker::read_some, 8, false},
    {&Checker::read_direct, 2, false},
    {&Checker::write_some, 8, false},
    {&Checker::write_direct, 2, false},
    {&Checker::append, 2, false},
    {&Checker::truncate, 3, false},
    {&Checker::map_read, 5, true},
    {&Checker::map_write, 5, true},
    {&Checker::sync, 1, false},
    {&Checker::open_again, 1, false},
    {&Checker::drop, 1, false},
    {&Checker::look, 3, false},
    {&Checker::seek, 2, false},
    {&Checker::allocate, 4, false},
    {&Checker::copy_some, 2, false},
}};

// Ends the program if a call does not return.
void watch(const std::atomic<bool>& ended)
{
    while (!ended) {
        ::usleep(100000);
        if (calls.hangs()) {
            calls.print();
            std::fprintf(stderr, "fs-x: the last call does not return\n");
            ::_exit(3);
        }
    }
}

unsigned long* number_of(Options& options, const std::string& name)
{
    if (name == "--ops")
        return &options.ops;
    if (name == "--seconds")
        return &options.seconds;
    if (name == "--seed")
        return &options.seed;
    if (name == "--size")
        return &options.size;
    if (name == "--clients")
        return &options.clients;
    return name == "--stripe-align" ? &options.stripe : nullptr;
}

bool valid(Options& options)
{
    if (options.dirs.empty() || options.dirs.size() > 2 || options.size == 0 || options.stripe == 0)
        return false;
    if (options.clients == 0)
        options.clients = options.dirs.size();
    return options.clients <= 2;
}

bool parse(int argc, char** argv, Options& options)
{
    for (int at = 1; at < argc; at++) {
        const std::string word = argv[at];

        if (unsigned long* number = number_of(options, word); number != nullptr && at + 1 < argc)
            *number = std::strtoul(argv[++at], nullptr, 0);
        else if (word == "--no-mmap")
            options.maps = false;
        else if (word == "--direct")
            options.direct = true;
        else if (word == "--reclaim")
            options.reclaim = true;
        else if (!word.starts_with("-"))
            options.dirs.push_back(word);
        else
            return false;
    }
    return valid(options);
}

}  // namespace

int main(int argc, char** argv)
{
    Options options;

    if (!parse(argc, argv, options)) {
        std::fputs(
            "usage: fs-x [--ops N | --seconds N] [--seed N] [--size BYTES] [--clients 1|2] "
            "[--no-mmap]\n"
            "            [--direct] [--reclaim] [--stripe-align BYTES] DIR [DIR]\n",
            stderr);
        return 2;
    }
    ::signal(SIGBUS, on_signal);
    ::signal(SIGSEGV, on_signal);
    std::printf("seed %lu\n", options.seed);
    std::fflush(stdout);

    std::atomic<bool> ended = false;
    std::thread watcher([&] { watch(ended); });

    Checker(options).run();
    ended = true;
    watcher.join();
    return 0;
}
