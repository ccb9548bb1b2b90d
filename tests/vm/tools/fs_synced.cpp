// SPDX-License-Identifier: GPL-2.0-only
//
//	fs-synced run FILE JOURNAL SEED [PAGES]
//	fs-synced check FILE JOURNAL
//
// run: writes pages of FILE in random order, until SIGTERM, by pwrite() of one page or of some, by
// O_DIRECT and by appends, with an fsync() or fdatasync() now and then. Each page has its number, a
// number of the write, and bytes that depend on both. JOURNAL, which is on another file system, has a
// line "write N PAGE COUNT" before each write, "done" after it, and "synced" after a sync that
// succeeded. No call may fail. FILE and JOURNAL are made from scratch.
//
// check: each page of FILE is whole: that of its last write before the last "synced", or of a later
// write. Only pages that no sync followed may be missing, or 0. Prints how many there are.
//
// Status 1 if a call or the check fails.

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fd.hpp"

namespace {

constexpr std::size_t PAGE = 4096;

void need(bool good, const std::string& what)
{
    if (!good)
        throw std::runtime_error(what + ": " + std::strerror(errno));
}

// --- pages --------------------------------------------------------------------------

using Words = std::array<std::uint64_t, PAGE / sizeof(std::uint64_t)>;

struct Page {
    alignas(PAGE) Words words;  // of the page, of the write, then those that depend on both

    static Page of(std::uint64_t number, std::uint64_t write)
    {
        std::mt19937_64 random(number * 1000003 + write);
        Page page = {{number, write}};

        std::generate(page.words.begin() + 2, page.words.end(), std::ref(random));
        return page;
    }

    bool empty() const
    {
        return std::all_of(words.begin(), words.end(), [](auto word) { return word == 0; });
    }
};
static_assert(sizeof(Page) == PAGE);

// --- the journal --------------------------------------------------------------------

struct Journal {
    std::uint64_t writes = 0;
    std::uint64_t syncs = 0;
    // For each page the last write before the last sync, and the writes since; 0: none.
    std::vector<std::uint64_t> synced;
    std::vector<std::vector<std::uint64_t>> since;

    explicit Journal(const char* name)
    {
        std::ifstream file(name);
        std::string line;

        while (std::getline(file, line))
            if (!file.eof())  // a line that has its end
                add(line);
    }

private:
    void add(const std::string& line)
    {
        std::istringstream words(line);
        std::string word;
        std::uint64_t first = 0, count = 0;

        words >> word;
        if (word == "synced")
            return sync();
        if (word != "write" || !(words >> writes >> first >> count))
            return;
        if (since.size() < first + count) {
            since.resize(first + count);
            synced.resize(first + count);
        }
        for (std::uint64_t n = first; n < first + count; n++)
            since[n].push_back(writes);
    }

    void sync()
    {
        syncs++;
        for (std::size_t n = 0; n < since.size(); n++)
            if (!since[n].empty()) {
                synced[n] = since[n].back();
                since[n].clear();
            }
    }
};

// --- run ----------------------------------------------------------------------------

volatile std::sig_atomic_t ended = 0;

class Runner {
public:
    Runner(const char* file, const char* journal, std::uint64_t seed, std::uint64_t pages)
        : random_(seed), pages_(pages)
    {
        journal_ = open(journal, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND);
        file_ = open(file, O_RDWR | O_CREAT | O_TRUNC);
        append_ = open(file, O_WRONLY | O_APPEND);
        direct_ = ll::Fd(::open(file, O_RDWR | O_DIRECT | O_CLOEXEC));
    }

    void run()
    {
        while (ended == 0) {
            write();
            if (random_() % 16 == 0)
                sync();
        }
    }

private:
    static ll::Fd open(const char* name, int flags)
    {
        ll::Fd fd(::open(name, flags | O_CLOEXEC, 0644));

        need(bool(fd), name);
        return fd;
    }

    void note(const std::string& line)
    {
        need(::write(journal_.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size()),
             "journal");
    }

    // Without holes.
    void write()
    {
        const bool appends = size_ < pages_ && random_() % 4 == 0;
        const std::uint64_t first = appends ? size_ : random_() % std::min(size_ + 1, pages_);
        const std::uint64_t most = random_() % 4 == 0 ? 64 : 4;
        const std::uint64_t count = std::min(1 + random_() % most, pages_ - first);
        std::vector<Page> pages;

        write_++;
        for (std::uint64_t n = 0; n < count; n++)
            pages.push_back(Page::of(first + n, write_));
        note("write " + std::to_string(write_) + " " + std::to_string(first) + " " +
             std::to_string(count) + "\n");
        put(pages, first, appends);
        size_ = std::max(size_, first + count);
        note("done\n");
    }

    void put(const std::vector<Page>& pages, std::uint64_t first, bool appends)
    {
        const std::size_t len = pages.size() * PAGE;
        const bool direct = direct_ && random_() % 8 == 0;
        const ssize_t wrote = appends ? ::write(append_.get(), pages.data(), len)
                                      : ::pwrite(direct ? direct_.get() : file_.get(), pages.data(),
                                                 len, static_cast<off_t>(first * PAGE));

        need(wrote >= 0, "write");
        if (static_cast<std::size_t>(wrote) != len)
            throw std::runtime_error("write writes less");
    }

    void sync()
    {
        need((random_() % 2 == 0 ? ::fsync(file_.get()) : ::fdatasync(file_.get())) == 0, "fsync");
        note("synced\n");
    }

    ll::Fd journal_, file_, append_, direct_;
    std::mt19937_64 random_;
    std::uint64_t pages_;
    std::uint64_t size_ = 0;
    std::uint64_t write_ = 0;
};

void run(const char* file, const char* journal, const char* seed, const char* pages)
{
    Runner runner(file, journal, std::strtoull(seed, nullptr, 10),
                  std::strtoull(pages, nullptr, 10));
    struct sigaction action = {};

    action.sa_handler = [](int) { ended = 1; };
    action.sa_flags = SA_RESTART;
    need(::sigaction(SIGTERM, &action, nullptr) == 0, "sigaction");
    runner.run();
}

// --- check --------------------------------------------------------------------------

// Why a page is wrong; empty if it is right.
std::string judge(const Page& page, std::uint64_t number, std::uint64_t synced,
                  const std::vector<std::uint64_t>& since)
{
    const std::uint64_t write = page.words[1];

    if (page.empty())
        return synced == 0 ? "" : "is 0, write " + std::to_string(synced) + " was synced";
    if (page.words != Page::of(number, write).words)
        return "is torn or of another file, its first words are " + std::to_string(page.words[0]) +
               " and " + std::to_string(write);
    if (write != synced && std::find(since.begin(), since.end(), write) == since.end())
        return "is of write " + std::to_string(write) + ", write " + std::to_string(synced) +
               " was synced";
    return "";
}

void check(const char* name, const char* journal_name)
{
    const Journal journal(journal_name);
    const ll::Fd fd(::open(name, O_RDONLY | O_CLOEXEC));
    unsigned long later = 0;
    unsigned long wrong = 0;

    need(bool(fd), name);
    for (std::uint64_t n = 0; n < journal.since.size(); n++) {
        Page page = {};
        const ssize_t got = ::pread(fd.get(), &page, PAGE, static_cast<off_t>(n * PAGE));

        need(got >= 0, "pread of page " + std::to_string(n));
        const std::string text = judge(page, n, journal.synced[n], journal.since[n]);
        if (!text.empty() && ++wrong <= 10)
            std::printf("page %lu %s\n", static_cast<unsigned long>(n), text.c_str());
        later += page.words[1] != journal.synced[n] ? 1 : 0;
    }
    if (wrong != 0)
        throw std::runtime_error(std::to_string(wrong) + " pages are wrong");
    std::printf("%zu pages, %lu of later writes; %lu writes, %lu syncs\n", journal.since.size(),
                later, static_cast<unsigned long>(journal.writes),
                static_cast<unsigned long>(journal.syncs));
}

int command(int argc, char** argv)
{
    const std::string_view name = argc > 1 ? argv[1] : "";

    if (name == "run" && (argc == 5 || argc == 6))
        run(argv[2], argv[3], argv[4], argc == 6 ? argv[5] : "512");
    else if (name == "check" && argc == 4)
        check(argv[2], argv[3]);
    else {
        std::fputs("usage: fs-synced run FILE JOURNAL SEED [PAGES] | check FILE JOURNAL\n", stderr);
        return 2;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        return command(argc, argv);
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "fs-synced: %s\n", failure.what());
        return 1;
    }
}
