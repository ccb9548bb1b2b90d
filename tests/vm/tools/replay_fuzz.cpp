// SPDX-License-Identifier: GPL-2.0-only
//
//	replay-fuzz [--seed N] [--count N] [--first N] [--save FILE] LOG...
//
// Feeds mutated config logs to the kernel's consumer, each to an instance of its
// own that is taken down again. Log number N of seed S is the same wherever it is
// made: --first N --count 1 runs it again, and --save keeps what was fed.
//
// A log may be refused, and its records may fail; the report must be well-formed,
// the replay must end, and no device may be left. Prints what came of it:
//
//	N logs, A records applied, S skipped, F failed, R logs refused, B broken promises
//
// Status 1 when a promise was broken.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <random>

#include <sys/mman.h>
#include <unistd.h>

#include <uapi/lustre_lite/llog.h>

#include "obd.hpp"

namespace {

constexpr uint64_t INSTANCE_BASE = 0x5eed0000;

struct Options {
    uint64_t seed = 1;
    uint64_t count = 1000;
    uint64_t first = 0;
    const char* save = nullptr;
    std::vector<std::string> logs;
};

constexpr std::array<uint32_t, 16> NUMBERS = {
    0, 1, 7, 8, 16, 23, 24, 31, 32, 40, 8192, 8193, 65536, 0x7fffffff, 0x80000000, 0xffffffff};

constexpr std::array<uint32_t, 30> COMMANDS = {
    LCFG_ATTACH,   LCFG_DETACH,           LCFG_SETUP,        LCFG_CLEANUP,     LCFG_ADD_UUID,
    LCFG_DEL_UUID, LCFG_MOUNTOPT,         LCFG_DEL_MOUNTOPT, LCFG_SET_TIMEOUT, LCFG_SET_UPCALL,
    LCFG_ADD_CONN, LCFG_DEL_CONN,         LCFG_LOV_ADD_OBD,  LCFG_LOV_DEL_OBD, LCFG_PARAM,
    LCFG_MARKER,   LCFG_LOG_START,        LCFG_LOG_END,      LCFG_LOV_ADD_INA, LCFG_ADD_MDC,
    LCFG_DEL_MDC,  LCFG_SPTLRPC_CONF,     LCFG_POOL_NEW,     LCFG_POOL_ADD,    LCFG_POOL_REM,
    LCFG_POOL_DEL, LCFG_SET_LDLM_TIMEOUT, LCFG_PRE_CLEANUP,  LCFG_SET_PARAM,   0x00cf0ff,
};

// One log, changed somewhere.
class Mutant {
public:
    Mutant(std::string bytes, uint64_t seed, uint64_t number) : bytes_(std::move(bytes))
    {
        std::seed_seq mix{seed, seed >> 32, number, number >> 32};

        random_.seed(mix);
        for (uint64_t n = 1 + below(6); n; n--) {
            find_records();
            change();
        }
    }

    const std::string& bytes() const { return bytes_; }

private:
    uint64_t below(uint64_t limit) { return limit ? random_() % limit : 0; }
    template <typename T>
    const auto& pick(const T& from)
    {
        return from[below(from.size())];
    }

    uint32_t load(size_t at) const
    {
        uint32_t value = 0;

        if (at + sizeof(value) <= bytes_.size())
            std::memcpy(&value, &bytes_[at], sizeof(value));
        return value;
    }

    void store(size_t at, uint32_t value)
    {
        if (at + sizeof(value) <= bytes_.size())
            std::memcpy(&bytes_[at], &value, sizeof(value));
    }

    // Offsets of the records, as far as their lengths lead.
    void find_records()
    {
        size_t at = LLOG_MIN_CHUNK_SIZE;

        records_.clear();
        while (at + LLOG_MIN_REC_SIZE <= bytes_.size()) {
            const uint32_t len = load(at);

            if (len < LLOG_MIN_REC_SIZE || len % LLOG_ALIGN || len > bytes_.size() - at)
                break;
            records_.push_back(at);
            at += len;
        }
    }

    void change()
    {
        using Change = void (Mutant::*)();
        static constexpr std::array<Change, 11> CHANGES = {
            &Mutant::flip,    &Mutant::number,   &Mutant::cut,    &Mutant::command,
            &Mutant::command, &Mutant::bufcount, &Mutant::letter, &Mutant::letter,
            &Mutant::swap,    &Mutant::repeat,   &Mutant::bitmap,
        };

        if (!bytes_.empty() && !records_.empty())
            (this->*pick(CHANGES))();
    }

    // Any byte, those of the header's bitmap less often.
    void flip()
    {
        const size_t from = below(4) ? LLOG_MIN_CHUNK_SIZE : 0;

        if (bytes_.size() > from)
            bytes_[from + below(bytes_.size() - from)] ^= static_cast<char>(1 << below(8));
    }

    // A word, in the header or in a record.
    void number()
    {
        const size_t at =
            below(8) ? pick(records_) + below(64) / 4 * 4 : below(LLOG_HEADER_SIZE) / 4 * 4;

        store(at, pick(NUMBERS) + static_cast<uint32_t>(below(3)));
    }

    void cut()
    {
        if (!below(4))
            bytes_.resize(below(bytes_.size()) + 1);
        else if (!below(4))
            bytes_.append(below(10000), static_cast<char>(random_()));
    }

    size_t body() { return pick(records_) + sizeof(llog_rec_hdr); }

    void command() { store(body() + offsetof(lustre_cfg, lcfg_command), pick(COMMANDS)); }

    void bufcount()
    {
        const size_t at = body();

        if (below(2))
            store(at + offsetof(lustre_cfg, lcfg_bufcount), static_cast<uint32_t>(below(10)));
        else
            store(at + offsetof(lustre_cfg, lcfg_buflens) + below(4) * 4,
                  static_cast<uint32_t>(below(300)));
    }

    // A byte of the texts after the head of a lustre_cfg.
    void letter()
    {
        const size_t at = pick(records_), len = load(at);

        if (len > 80)
            bytes_[at + 56 + below(len - 64)] =
                below(2) ? static_cast<char>(random_()) : "\0/.-_=*@:0"[below(10)];
    }

    // Two records trade places.
    void swap()
    {
        const size_t one = pick(records_), two = pick(records_), len = load(one);

        if (one != two && len == load(two))
            std::swap_ranges(&bytes_[one + 16], &bytes_[one + len - 8], &bytes_[two + 16]);
    }

    // The end of the log once more, with indexes that go on.
    void repeat()
    {
        const size_t at = pick(records_);
        const auto last = static_cast<uint32_t>(load(LLOG_MIN_CHUNK_SIZE - 4));
        uint32_t index = last;
        std::string more = bytes_.substr(at);

        if (bytes_.size() + more.size() > 3 * LLOG_MIN_CHUNK_SIZE ||
            records_.back() + load(records_.back()) != bytes_.size())
            return;
        bytes_ += more;
        find_records();
        for (size_t record : records_) {
            if (record < bytes_.size() - more.size())
                continue;
            index++;
            store(record + 4, index);
            store(record + load(record) - 4, index);
            bytes_[LLOG_HEADER_SIZE + index / 8] |= static_cast<char>(1 << index % 8);
        }
        store(LLOG_MIN_CHUNK_SIZE - 4, index);
        store(offsetof(llog_log_hdr, llh_count),
              load(offsetof(llog_log_hdr, llh_count)) + index - last);
    }

    void bitmap() { bytes_[LLOG_HEADER_SIZE + below(8)] ^= static_cast<char>(1 << below(8)); }

    std::string bytes_;
    std::vector<size_t> records_;
    std::mt19937_64 random_;
};

struct Tally {
    uint64_t logs = 0;
    uint64_t applied = 0;
    uint64_t skipped = 0;
    uint64_t failed = 0;
    uint64_t refused = 0;
    uint64_t broken = 0;
};

bool read_file(const char* path, std::string& bytes)
{
    const ll::Fd fd(::open(path, O_RDONLY | O_CLOEXEC));
    char buf[65536];
    ssize_t got = -1;

    while (fd && (got = ::read(fd.get(), buf, sizeof(buf))) > 0)
        bytes.append(buf, static_cast<size_t>(got));
    return got == 0;
}

bool read_files(const std::vector<std::string>& paths, std::vector<std::string>& logs)
{
    for (const std::string& path : paths) {
        if (!read_file(path.c_str(), logs.emplace_back())) {
            std::perror(path.c_str());
            return false;
        }
    }
    return true;
}

bool write_file(int fd, const std::string& bytes)
{
    return ::ftruncate(fd, static_cast<off_t>(bytes.size())) == 0 &&
           ::pwrite(fd, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
}

void broken(Tally& tally, const Options& options, uint64_t number, const char* what,
            const char* which)
{
    tally.broken++;
    std::printf("log %llu of seed %llu: %s%s\n", static_cast<unsigned long long>(number),
                static_cast<unsigned long long>(options.seed), what, which);
    std::fflush(stdout);
}

// The lowest free number is given out first: what is left is among these.
void look_for_devices(const vm::Device& device, Tally& tally, const Options& options,
                      uint64_t number)
{
    for (uint32_t index = 0; index < 32; index++) {
        auto arg = vm::argument<obd_ioc_device>();

        arg.od_index = index;
        if (device.call(OBD_IOC_DEVICE, arg) == 0)
            broken(tally, options, number, "left behind: ", arg.od_name);
    }
}

void one(const vm::Device& device, int fd, const Options& options, uint64_t number,
         const std::string& log, Tally& tally)
{
    const Mutant mutant(log, options.seed, number);
    const uint64_t instance = INSTANCE_BASE + number % 7;

    if (!write_file(fd, mutant.bytes())) {
        broken(tally, options, number, "cannot be written", "");
        return;
    }
    const vm::Replayed done =
        vm::replay(device, fd, instance, "replay-fuzz-uuid", 0, number % 3 ? 65536 : 1024);
    if (!done.sound)
        broken(tally, options, number, "the report is not well-formed, or does not get on", "");
    tally.logs++;
    tally.applied += done.applied;
    tally.skipped += done.skipped;
    tally.failed += done.failed;
    tally.refused += done.rc != 0;
    const int gone = vm::instance_cleanup(device, instance, true);
    if (gone < 0)
        broken(tally, options, number, "the instance does not go: ", std::strerror(-gone));
    look_for_devices(device, tally, options, number);
}

// The status of the program.
int report(const Tally& tally)
{
    std::printf(
        "%llu logs, %llu records applied, %llu skipped, %llu failed, %llu logs refused, %llu "
        "broken promises\n",
        static_cast<unsigned long long>(tally.logs), static_cast<unsigned long long>(tally.applied),
        static_cast<unsigned long long>(tally.skipped),
        static_cast<unsigned long long>(tally.failed),
        static_cast<unsigned long long>(tally.refused),
        static_cast<unsigned long long>(tally.broken));
    return tally.broken ? 1 : 0;
}

bool take_option(std::string_view name, const char* value, Options& options)
{
    const uint64_t number = std::strtoull(value, nullptr, 0);

    if (name == "--seed")
        options.seed = number;
    else if (name == "--count")
        options.count = number;
    else if (name == "--first")
        options.first = number;
    else if (name == "--save")
        options.save = value;
    else
        return false;
    return true;
}

bool parse(int argc, char** argv, Options& options)
{
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-')
            options.logs.emplace_back(argv[i]);
        else if (i + 1 == argc || !take_option(argv[i], argv[i + 1], options))
            return false;
        else
            i++;
    }
    return !options.logs.empty();
}

}  // namespace

int main(int argc, char** argv)
{
    std::vector<std::string> logs;
    const vm::Device device;
    Options options;
    Tally tally;

    if (!parse(argc, argv, options)) {
        std::fprintf(
            stderr, "usage: replay-fuzz [--seed N] [--count N] [--first N] [--save FILE] LOG...\n");
        return 2;
    }
    if (!read_files(options.logs, logs))
        return 1;
    const ll::Fd file(options.save ? ::open(options.save, O_RDWR | O_CREAT | O_CLOEXEC, 0644)
                                   : ::memfd_create("replay-fuzz", MFD_CLOEXEC));
    if (!device || !file) {
        std::perror(device ? "replay-fuzz: file" : LIBCFS_DEV_PATH);
        return 1;
    }
    for (uint64_t n = options.first; n < options.first + options.count && tally.broken < 20; n++)
        one(device, file.get(), options, n, logs[n % logs.size()], tally);
    // Names of servers, which belong to no instance.
    vm::config(device, vm::Command(LCFG_DEL_UUID));
    return report(tally);
}
