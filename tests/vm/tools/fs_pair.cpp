// SPDX-License-Identifier: GPL-2.0-only
//
//	fs-pair [--seconds N] [--seed N] [--no-mmap] DIR DIR
//
// DIR and DIR are one directory on two mounts. Processes on both use the same files at the same time:
// numbers that are increased under a lock, appended records, interleaved writes, a record that is
// rewritten while it is read, a file that grows while it is read, and files that are read into
// mappings of each other. A line "ok TEXT" or "failed TEXT: why" for each check; status 1 if one
// failed. --no-mmap: without shared mappings. The files are removed.
//
// Processes with odd numbers are on the second mount, and so are all readers of what process 0 writes.
//
// A local file system may fail "a record that is rewritten is read whole": it reads without a lock.

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fd.hpp"

namespace {

using Bytes = std::vector<unsigned char>;
using Clock = std::chrono::steady_clock;
using Random = std::mt19937_64;

constexpr int WORKERS = 4;  // of most checks; every other one on the second mount
constexpr std::size_t PAGE = 4096;
constexpr int GRACE = 120;  // seconds that a worker may take longer than it should

struct Options {
    unsigned long seconds = 8;
    unsigned long seed = 1;
    bool maps = true;
    std::vector<std::string> dirs;
};

// A process of a check throws it; the text is shown.
struct Wrong : std::runtime_error {
    using std::runtime_error::runtime_error;
};

void need(bool good, const std::string& what)
{
    if (!good)
        throw Wrong(what);
}

void done(bool good, const std::string& call)
{
    if (!good)
        throw Wrong(call + ": " + std::strerror(errno));
}

// --- files --------------------------------------------------------------------------

ll::Fd open_file(const std::string& path, int flags = O_RDWR)
{
    ll::Fd fd(::open(path.c_str(), flags | O_CREAT | O_CLOEXEC, 0644));

    done(bool(fd), "open " + path);
    return fd;
}

Bytes read_at(int fd, std::size_t at, std::size_t len)
{
    Bytes bytes(len);
    const ssize_t got = ::pread(fd, bytes.data(), len, static_cast<off_t>(at));

    done(got >= 0, "pread");
    bytes.resize(static_cast<std::size_t>(got));
    return bytes;
}

void write_at(int fd, const void* bytes, std::size_t len, std::size_t at)
{
    const ssize_t wrote = ::pwrite(fd, bytes, len, static_cast<off_t>(at));

    done(wrote >= 0, "pwrite");
    need(static_cast<std::size_t>(wrote) == len, "pwrite writes less");
}

std::size_t size_of(int fd)
{
    struct stat st {};

    done(::fstat(fd, &st) == 0, "fstat");
    return static_cast<std::size_t>(st.st_size);
}

class Mapping {
public:
    Mapping(int fd, std::size_t len)
        : len_(len), at_(::mmap(nullptr, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0))
    {
        done(at_ != MAP_FAILED, "mmap");
    }
    ~Mapping() { ::munmap(at_, len_); }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;

    unsigned char* data() const { return static_cast<unsigned char*>(at_); }
    // The next access finds the pages from scratch.
    void forget() const { ::madvise(at_, len_, MADV_DONTNEED); }

private:
    std::size_t len_;
    void* at_;
};

std::uint64_t hash_of(const unsigned char* bytes, std::size_t len)
{
    std::uint64_t hash = 14695981039346656037U;

    for (std::size_t n = 0; n < len; n++)
        hash = (hash ^ bytes[n]) * 1099511628211U;
    return hash;
}

// Never 0.
unsigned char byte_at(std::size_t at, std::size_t seed = 0)
{
    return static_cast<unsigned char>(((at + seed * 7919) * 2654435761U >> 13) % 255 + 1);
}

void need_bytes(const Bytes& seen, std::size_t at, std::size_t seed, const std::string& where)
{
    for (std::size_t n = 0; n < seen.size(); n++)
        if (seen[n] != byte_at(at + n, seed))
            throw Wrong(where + ": byte " + std::to_string(at + n) + " is " +
                        std::to_string(seen[n]) + ", not " + std::to_string(byte_at(at + n, seed)));
}

// --- processes ----------------------------------------------------------------------

// Memory that the processes of a check share.
struct Board {
    std::uint64_t count[WORKERS];
    char text[WORKERS][200];
    bool ended;  // process 0 writes nothing more
};

class Checks {
public:
    explicit Checks(const Options& options) : options_(options), board_(make_board()) {}

    int run();

private:
    // Of a process: its number, the path of a name on its mount.
    using Work = std::function<void(int)>;

    struct Check {
        const char* what;
        void (Checks::*function)();
        bool maps;
    };

    static const std::array<Check, 10> CHECKS;

    static Board* make_board()
    {
        void* at = ::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);

        done(at != MAP_FAILED, "mmap");
        return static_cast<Board*>(at);
    }

    std::string path(int mount, const char* name) const
    {
        return options_.dirs[static_cast<std::size_t>(mount % 2)] + "/pair-" + name;
    }

    Random random(int worker) const
    {
        return Random(options_.seed * 100 + static_cast<unsigned long>(worker));
    }

    void remove_files() const;
    // Of a process: it takes one step at least, however busy the machine is.
    bool goes_on() { return !std::exchange(began_, true) || Clock::now() < end_; }

    void together(int workers, const Work& work);
    void worker(int number, const Work& work);
    std::string result_of(int number, pid_t pid) const;

    void increase(const ll::Fd& fd, const Mapping* mapping, int worker) const;
    void count_with(const std::function<bool(int)>& mapped);
    void count_by_calls();
    void count_by_mappings();
    void count_by_both();

    void append(int worker);
    void appended_on(int mount);
    void appenders();

    void write_stripes(int worker, bool mapped);
    void stripes_on(int mount);
    void stripes(bool mapped);
    void stripes_by_calls();
    void stripes_by_mappings();

    void rewrite();
    void reread(int worker);
    void rewritten();

    void grow();
    void follow(int worker);
    void growing();

    void cross(int worker);
    void crosswise();
    void into_itself();

    const Options& options_;
    Board* board_;
    Clock::time_point end_;
    bool began_ = false;
};

void Checks::worker(int number, const Work& work)
{
    ::alarm(static_cast<unsigned>(options_.seconds) + GRACE);
    try {
        work(number);
    } catch (const std::exception& wrong) {
        std::snprintf(board_->text[number], sizeof(board_->text[number]), "%s", wrong.what());
    }
    if (number == 0)
        __atomic_store_n(&board_->ended, true, __ATOMIC_RELEASE);
    ::_exit(0);
}

// A task that sleeps in the kernel may not die of the alarm.
std::string Checks::result_of(int number, pid_t pid) const
{
    int status = 0;

    for (unsigned long tries = (options_.seconds + GRACE + 10) * 10; tries > 0; tries--) {
        if (::waitpid(pid, &status, WNOHANG) == pid)
            return WIFSIGNALED(status) ? ::strsignal(WTERMSIG(status)) : board_->text[number];
        ::usleep(100000);
    }
    ::kill(pid, SIGKILL);
    return "does not end";
}

// together(N, WORK): N processes, every other one on the second mount.
void Checks::together(int workers, const Work& work)
{
    std::vector<pid_t> pids;
    std::string wrong;

    std::memset(board_, 0, sizeof(*board_));
    std::fflush(stdout);
    for (int n = 0; n < workers; n++) {
        pids.push_back(::fork());
        if (pids.back() == 0)
            worker(n, work);
    }
    for (int n = 0; n < workers; n++) {
        const std::string text = result_of(n, pids[static_cast<std::size_t>(n)]);

        if (!text.empty() && wrong.empty())
            wrong = "process " + std::to_string(n) + ": " + text;
    }
    need(wrong.empty(), wrong);
}

// --- numbers under a lock -----------------------------------------------------------

// At the start, over the end of a page, and over the end of a stripe.
constexpr std::array<std::size_t, 3> NUMBERS = {0, PAGE - 4, 65536 - 4};
constexpr std::size_t NUMBERS_SIZE = 65536 + PAGE;

std::uint64_t number_at(int fd, const Mapping* mapping, std::size_t at)
{
    std::uint64_t number = 0;

    if (mapping != nullptr) {
        std::memcpy(&number, mapping->data() + at, sizeof(number));
    } else {
        const ssize_t got = ::pread(fd, &number, sizeof(number), static_cast<off_t>(at));

        done(got >= 0, "pread");
        need(got == sizeof(number), "pread reads less");
    }
    return number;
}

void set_lock(int fd, short type)
{
    struct flock lock {};

    lock.l_type = type;
    done(::fcntl(fd, F_SETLKW, &lock) == 0, "fcntl F_SETLKW");
}

void Checks::increase(const ll::Fd& fd, const Mapping* mapping, int worker) const
{
    set_lock(fd.get(), F_WRLCK);

    const std::uint64_t number = number_at(fd.get(), mapping, 0) + 1;

    for (const std::size_t at : NUMBERS) {
        const std::uint64_t seen = number_at(fd.get(), mapping, at);

        need(seen + 1 == number, "the number at " + std::to_string(at) + " is " +
                                     std::to_string(seen) + ", that at 0 is " +
                                     std::to_string(number - 1));
        if (mapping != nullptr)
            std::memcpy(mapping->data() + at, &number, sizeof(number));
        else
            write_at(fd.get(), &number, sizeof(number), at);
    }
    board_->count[worker]++;
    set_lock(fd.get(), F_UNLCK);
}

void Checks::count_with(const std::function<bool(int)>& mapped)
{
    done(::ftruncate(open_file(path(0, "number")).get(), NUMBERS_SIZE) == 0, "ftruncate");
    together(WORKERS, [&](int n) {
        const ll::Fd fd = open_file(path(n, "number"));

        if (mapped(n)) {
            const Mapping mapping(fd.get(), NUMBERS_SIZE);

            while (goes_on())
                increase(fd, &mapping, n);
        } else {
            while (goes_on())
                increase(fd, nullptr, n);
        }
    });

    std::uint64_t sum = 0;

    for (const std::uint64_t count : board_->count)
        sum += count;
    for (const int mount : {0, 1})
        for (const std::size_t at : NUMBERS) {
            const std::uint64_t seen =
                number_at(open_file(path(mount, "number")).get(), nullptr, at);

            need(seen == sum, "it is " + std::to_string(seen) + " at " + std::to_string(at) +
                                  ", after " + std::to_string(sum) + " steps");
        }
    need(sum > 0, "no steps");
}

void Checks::count_by_calls()
{
    count_with([](int) { return false; });
}

void Checks::count_by_mappings()
{
    count_with([](int) { return true; });
}

// One of each kind on each mount.
void Checks::count_by_both()
{
    count_with([](int n) { return n < 2; });
}

// --- appended records ---------------------------------------------------------------

constexpr std::uint32_t RECORD = 0x70616972;
constexpr std::size_t APPENDED_MOST = 32UL << 20;

struct Header {
    std::uint32_t magic;
    std::uint32_t worker;
    std::uint64_t sequence;
    std::uint64_t length;
    std::uint64_t hash;  // of the bytes that follow
};

void Checks::append(int worker)
{
    const ll::Fd fd = open_file(path(worker, "records"), O_WRONLY | O_APPEND);
    Random random = this->random(worker);
    std::size_t total = 0;

    while (goes_on() && total < APPENDED_MOST / WORKERS) {
        const std::size_t length = random() % (random() % 8 == 0 ? 100000 : 6000);
        Bytes record(sizeof(Header) + length);

        for (std::size_t n = sizeof(Header); n < record.size(); n++)
            record[n] = static_cast<unsigned char>(random());

        const Header header = {RECORD, static_cast<std::uint32_t>(worker), board_->count[worker],
                               length, hash_of(record.data() + sizeof(Header), length)};

        std::memcpy(record.data(), &header, sizeof(header));
        const ssize_t wrote = ::write(fd.get(), record.data(), record.size());
        done(wrote >= 0, "write");
        need(static_cast<std::size_t>(wrote) == record.size(), "write writes less");
        board_->count[worker]++;
        total += record.size();
    }
}

// The records of each process are there in their order.
void Checks::appended_on(int mount)
{
    const ll::Fd fd = open_file(path(mount, "records"));
    const Bytes all = read_at(fd.get(), 0, size_of(fd.get()));
    std::uint64_t next[WORKERS] = {};
    std::size_t at = 0;

    need(all.size() == size_of(fd.get()), "read reads less");
    while (at < all.size()) {
        const std::string where = "record at " + std::to_string(at) + " on mount " + "ab"[mount];
        Header header = {};

        need(all.size() - at >= sizeof(header), where + ": the file ends");
        std::memcpy(&header, all.data() + at, sizeof(header));
        at += sizeof(header);
        need(header.magic == RECORD && header.worker < WORKERS, where + ": not a header");
        need(header.length <= all.size() - at, where + ": the file ends");
        need(hash_of(all.data() + at, header.length) == header.hash, where + ": wrong bytes");
        need(header.sequence == next[header.worker],
             where + ": number " + std::to_string(header.sequence) + ", not " +
                 std::to_string(next[header.worker]));
        next[header.worker]++;
        at += header.length;
    }
    for (int n = 0; n < WORKERS; n++)
        need(next[n] == board_->count[n], "records of process " + std::to_string(n) + ": " +
                                              std::to_string(next[n]) + ", not " +
                                              std::to_string(board_->count[n]));
}

void Checks::appenders()
{
    together(WORKERS, [&](int n) { append(n); });
    for (const int mount : {0, 1})
        appended_on(mount);
}

// --- interleaved writes -------------------------------------------------------------

constexpr std::size_t STRIPE = 5000;
constexpr std::size_t STRIPES = 64;

// Its stripes in a random order, with other bytes in each round.
void Checks::write_stripes(int worker, bool mapped)
{
    const ll::Fd fd = open_file(path(worker, "stripes"));
    Random random = this->random(worker);
    std::vector<std::size_t> mine;

    for (std::size_t n = static_cast<std::size_t>(worker); n < STRIPES; n += WORKERS)
        mine.push_back(n * STRIPE);
    while (goes_on()) {
        const std::uint64_t round = ++board_->count[worker];

        std::shuffle(mine.begin(), mine.end(), random);
        for (const std::size_t at : mine) {
            Bytes bytes(STRIPE);

            for (std::size_t n = 0; n < STRIPE; n++)
                bytes[n] = byte_at(at + n, round);
            if (!mapped) {
                write_at(fd.get(), bytes.data(), STRIPE, at);
                continue;
            }

            const Mapping mapping(fd.get(), STRIPES * STRIPE);

            std::memcpy(mapping.data() + at, bytes.data(), STRIPE);
        }
    }
}

void Checks::stripes_on(int mount)
{
    const ll::Fd fd = open_file(path(mount, "stripes"));
    const std::string where = std::string("mount ") + "ab"[mount];

    need(size_of(fd.get()) == STRIPES * STRIPE, where + ": another size");
    for (std::size_t n = 0; n < STRIPES; n++) {
        const Bytes seen = read_at(fd.get(), n * STRIPE, STRIPE);

        need(seen.size() == STRIPE, where + ": read reads less");
        need_bytes(seen, n * STRIPE, board_->count[n % WORKERS], where);
    }
}

void Checks::stripes(bool mapped)
{
    if (mapped)
        done(::ftruncate(open_file(path(0, "stripes")).get(), STRIPES * STRIPE) == 0, "ftruncate");
    together(WORKERS, [&](int n) { write_stripes(n, mapped); });
    for (const int mount : {0, 1})
        stripes_on(mount);
}

void Checks::stripes_by_calls()
{
    stripes(false);
}
void Checks::stripes_by_mappings()
{
    stripes(true);
}

// --- a record that is rewritten -----------------------------------------------------

constexpr std::size_t REWRITTEN_AT = 1000;

struct Rewritten {
    std::uint64_t sequence;
    std::uint64_t fill[6];
    std::uint64_t hash;

    std::uint64_t wanted() const
    {
        return hash_of(reinterpret_cast<const unsigned char*>(this), offsetof(Rewritten, hash));
    }
};
static_assert(sizeof(Rewritten) == 64);

void Checks::rewrite()
{
    const ll::Fd fd = open_file(path(0, "record"));
    Rewritten record = {};

    while (goes_on()) {
        record.sequence++;
        for (std::uint64_t& each : record.fill)
            each = record.sequence * 0x0101010101010101U;
        record.hash = record.wanted();
        write_at(fd.get(), &record, sizeof(record), REWRITTEN_AT);
    }
}

// A reader that starts after the end of the writer reads the last record.
void Checks::reread(int worker)
{
    const ll::Fd fd = open_file(path(1, "record"));
    std::uint64_t last = 0;

    for (bool ended = false; !ended;) {
        Rewritten record = {};

        ended = __atomic_load_n(&board_->ended, __ATOMIC_ACQUIRE);
        const ssize_t got = ::pread(fd.get(), &record, sizeof(record), REWRITTEN_AT);
        done(got >= 0, "pread");
        if (got == 0 && last == 0)
            continue;
        need(got == sizeof(record), "pread reads " + std::to_string(got) + " bytes");
        need(record.hash == record.wanted(), "a torn record after number " + std::to_string(last));
        need(record.sequence >= last,
             "number " + std::to_string(record.sequence) + " after " + std::to_string(last));
        last = record.sequence;
        board_->count[worker]++;
    }
}

void Checks::rewritten()
{
    together(3, [&](int n) { n == 0 ? rewrite() : reread(n); });
    need(board_->count[1] > 0 && board_->count[2] > 0, "nothing was read");
}

// --- a file that grows --------------------------------------------------------------

void Checks::grow()
{
    const ll::Fd fd = open_file(path(0, "grows"), O_WRONLY | O_APPEND);
    Random random = this->random(0);
    std::size_t size = 0;

    while (goes_on() && size < APPENDED_MOST) {
        Bytes bytes(1 + random() % (random() % 4 == 0 ? 70000 : 3000));

        for (std::size_t n = 0; n < bytes.size(); n++)
            bytes[n] = byte_at(size + n);
        const ssize_t wrote = ::write(fd.get(), bytes.data(), bytes.size());
        done(wrote >= 0, "write");
        need(static_cast<std::size_t>(wrote) == bytes.size(), "write writes less");
        size += bytes.size();
    }
    board_->count[0] = size;
}

// One of them asks by name.
void Checks::follow(int worker)
{
    const ll::Fd fd = open_file(path(1, "grows"));
    std::size_t last = 0;

    for (bool ended = false; !ended;) {
        struct stat st {};

        ended = __atomic_load_n(&board_->ended, __ATOMIC_ACQUIRE);
        if (worker == 1)
            done(::stat(path(1, "grows").c_str(), &st) == 0, "stat");
        else
            done(::fstat(fd.get(), &st) == 0, "fstat");
        const auto size = static_cast<std::size_t>(st.st_size);
        need(size >= last,
             "the size is " + std::to_string(size) + " after " + std::to_string(last));

        const std::size_t from = size - std::min<std::size_t>(size - last, 10000);
        const Bytes seen = read_at(fd.get(), from, size - from);

        need(seen.size() == size - from, "the size is " + std::to_string(size) + ", and pread at " +
                                             std::to_string(from) + " reads " +
                                             std::to_string(seen.size()));
        need_bytes(seen, from, 0, "up to the size");
        last = size;
        if (ended)
            need(size == board_->count[0], "the size at the end is " + std::to_string(size));
    }
}

void Checks::growing()
{
    together(3, [&](int n) { n == 0 ? grow() : follow(n); });
    need(board_->count[0] > 0, "nothing was written");
}

// --- mappings of other files --------------------------------------------------------

constexpr std::size_t CROSSED = 192UL << 10;

void make_crossed(const std::string& path)
{
    Bytes bytes(CROSSED);

    for (std::size_t n = 0; n < CROSSED; n++)
        bytes[n] = byte_at(n);
    write_at(open_file(path).get(), bytes.data(), CROSSED, 0);
}

// transfer(FD, MEMORY, LEN, AT, READS): all of it, in as many calls as the kernel takes.
void transfer(int fd, unsigned char* memory, std::size_t len, std::size_t at, bool reads)
{
    while (len > 0) {
        const ssize_t got = reads ? ::pread(fd, memory, len, static_cast<off_t>(at))
                                  : ::pwrite(fd, memory, len, static_cast<off_t>(at));

        done(got >= 0, reads ? "pread into a mapping" : "pwrite from a mapping");
        need(got > 0, "nothing is transferred at " + std::to_string(at));
        memory += got;
        at += static_cast<std::size_t>(got);
        len -= static_cast<std::size_t>(got);
    }
}

// Processes 0 and 1 read, 2 and 3 write; on one mount the mapping is of x, on the other one of y.
void Checks::cross(int worker)
{
    const ll::Fd x = open_file(path(worker, "x")), y = open_file(path(worker, "y"));
    const bool first = worker % 2 == 0;
    const Mapping mapping(first ? x.get() : y.get(), CROSSED);
    Random random = this->random(worker);

    while (goes_on()) {
        const std::size_t at = random() % CROSSED;
        const std::size_t len = 1 + random() % (CROSSED - at);

        mapping.forget();
        transfer(first ? y.get() : x.get(), mapping.data() + at, len, at, worker < 2);
        board_->count[worker]++;
    }
}

void Checks::crosswise()
{
    make_crossed(path(0, "x"));
    make_crossed(path(1, "y"));
    together(WORKERS, [&](int n) { cross(n); });
    for (const int mount : {0, 1})
        for (const char* name : {"x", "y"}) {
            const Bytes seen = read_at(open_file(path(mount, name)).get(), 0, CROSSED + 1);

            need(seen.size() == CROSSED, std::string("the size of ") + name);
            need_bytes(seen, 0, 0, name);
        }
}

// Each byte is copied to itself.
void Checks::into_itself()
{
    make_crossed(path(0, "x"));
    together(WORKERS, [&](int n) {
        const ll::Fd fd = open_file(path(n, "x"));
        const Mapping mapping(fd.get(), CROSSED);
        Random random = this->random(n);

        while (goes_on()) {
            const std::size_t at = random() % CROSSED;

            mapping.forget();
            transfer(fd.get(), mapping.data() + at, 1 + random() % (CROSSED - at), at, n < 2);
        }
    });
    for (const int mount : {0, 1})
        need_bytes(read_at(open_file(path(mount, "x")).get(), 0, CROSSED), 0, 0, "x");
}

// --- all of it ----------------------------------------------------------------------

const std::array<Checks::Check, 10> Checks::CHECKS = {{
    {"no increment of a number is lost", &Checks::count_by_calls, false},
    {"no increment through mappings is lost", &Checks::count_by_mappings, true},
    {"no increment by calls and through mappings is lost", &Checks::count_by_both, true},
    {"appended records are whole and there once", &Checks::appenders, false},
    {"interleaved writes are there", &Checks::stripes_by_calls, false},
    {"interleaved writes through mappings are there", &Checks::stripes_by_mappings, true},
    {"a record that is rewritten is read whole", &Checks::rewritten, false},
    {"a file that grows is read up to its size", &Checks::growing, false},
    {"two files are read into mappings of each other", &Checks::crosswise, true},
    {"a file is read into its own mapping", &Checks::into_itself, true},
}};

void Checks::remove_files() const
{
    for (const char* name : {"number", "records", "stripes", "record", "grows", "x", "y"})
        ::unlink(path(0, name).c_str());
}

int Checks::run()
{
    const auto each = std::chrono::milliseconds(options_.seconds * 1000) / CHECKS.size();
    bool good = true;

    for (const Check& check : CHECKS) {
        if (check.maps && !options_.maps)
            continue;
        end_ = Clock::now() + each;
        try {
            remove_files();
            (this->*check.function)();
            std::printf("ok %s\n", check.what);
        } catch (const std::exception& wrong) {
            std::printf("failed %s: %s\n", check.what, wrong.what());
            good = false;
        }
        std::fflush(stdout);
    }
    remove_files();
    return good ? 0 : 1;
}

bool parse(int argc, char** argv, Options& options)
{
    for (int at = 1; at < argc; at++) {
        const std::string word = argv[at];

        if (word == "--no-mmap")
            options.maps = false;
        else if (word == "--seconds" && at + 1 < argc)
            options.seconds = std::strtoul(argv[++at], nullptr, 0);
        else if (word == "--seed" && at + 1 < argc)
            options.seed = std::strtoul(argv[++at], nullptr, 0);
        else if (!word.starts_with("-"))
            options.dirs.push_back(word);
        else
            return false;
    }
    return options.dirs.size() == 2;
}

}  // namespace

int main(int argc, char** argv)
{
    Options options;

    if (!parse(argc, argv, options)) {
        std::fputs("usage: fs-pair [--seconds N] [--seed N] [--no-mmap] DIR DIR\n", stderr);
        return 2;
    }
    return Checks(options).run();
}
