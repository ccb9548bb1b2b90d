// SPDX-License-Identifier: GPL-2.0-only
//
//	fs-file FILE
//
// A process that has FILE open, which it makes if it is missing, and makes a call for each line of its
// standard input. It answers "ok", with a result, or the error's text:
//
//	write AT TEXT, append TEXT, read AT LENGTH
//	map AT TEXT, mapped AT LENGTH    the same through a shared mapping that stays
//	truncate SIZE, size, fsync, msync
//	fill MOST                        append blocks of 64 KiB up to MOST bytes: "ok BYTES", or
//	                                 "BYTES TEXT" with what was accepted and why there was no more
//	mapfill AT MOST                  the same from AT on, page by page through the mapping; the file
//	                                 has that size already
//	verify BYTES                     so many are as a fill wrote them
//	allocate AT LENGTH, keep, punch, zero, zerokeep, collapse, insert, unshare
//	                                 fallocate() in that mode
//	data AT, hole AT                 SEEK_DATA, SEEK_HOLE
//	copy FILE                        a new file with its data and its holes, as cp makes it

#include <algorithm>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fd.hpp"

namespace {

constexpr std::size_t BLOCK = 65536;
constexpr std::size_t PAGE = 4096;
constexpr std::size_t MAPPED = 16UL << 20;

sigjmp_buf bus_error;

void done(bool good)
{
    if (!good)
        throw std::runtime_error(std::strerror(errno));
}

unsigned char byte_at(std::size_t at)
{
    return static_cast<unsigned char>((at * 2654435761U >> 13) % 255 + 1);
}

class File {
public:
    explicit File(const char* name) : fd_(::open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0644))
    {
        done(bool(fd_));
    }

    std::string run(const std::string& line)
    {
        std::istringstream words(line);
        std::string name;
        const std::map<std::string, std::function<std::string(std::istream&)>> calls = {
            {"write", [this](auto& in) { return write(in); }},
            {"append", [this](auto& in) { return append(in); }},
            {"read", [this](auto& in) { return read(in); }},
            {"map", [this](auto& in) { return map(in); }},
            {"mapped", [this](auto& in) { return mapped(in); }},
            {"truncate", [this](auto& in) { return truncate(in); }},
            {"size", [this](auto&) { return std::to_string(size()); }},
            {"fsync", [this](auto&) { return sync(); }},
            {"msync", [this](auto&) { return sync_mapping(); }},
            {"fill", [this](auto& in) { return fill(in); }},
            {"mapfill", [this](auto& in) { return map_fill(in); }},
            {"verify", [this](auto& in) { return verify(in); }},
            {"data", [this](auto& in) { return seek(number(in), SEEK_DATA); }},
            {"hole", [this](auto& in) { return seek(number(in), SEEK_HOLE); }},
            {"copy", [this](auto& in) { return copy(rest(in)); }},
        };

        words >> name;
        if (const auto mode = MODES.find(name); mode != MODES.end())
            return allocate(mode->second, words);
        const auto call = calls.find(name);
        if (call == calls.end())
            throw std::runtime_error("what is " + name + "?");
        return call->second(words);
    }

private:
    static std::size_t number(std::istream& in)
    {
        std::size_t value = 0;

        in >> value;
        return value;
    }

    static std::string rest(std::istream& in)
    {
        std::string text;

        std::getline(in >> std::ws, text);
        return text;
    }

    std::size_t size() const
    {
        struct stat st {};

        done(::fstat(fd_.get(), &st) == 0);
        return static_cast<std::size_t>(st.st_size);
    }

    std::string put(const std::string& text, std::size_t at)
    {
        const ssize_t wrote = ::pwrite(fd_.get(), text.data(), text.size(), static_cast<off_t>(at));

        done(wrote >= 0);
        return static_cast<std::size_t>(wrote) == text.size() ? "" : std::to_string(wrote);
    }

    std::string write(std::istream& in)
    {
        const std::size_t at = number(in);

        return put(rest(in), at);
    }

    std::string append(std::istream& in) { return put(rest(in), size()); }

    std::string read(std::istream& in)
    {
        const std::size_t at = number(in);
        std::string text(number(in), '\0');
        const ssize_t got = ::pread(fd_.get(), text.data(), text.size(), static_cast<off_t>(at));

        done(got >= 0);
        text.resize(static_cast<std::size_t>(got));
        return text;
    }

    char* mapping()
    {
        if (mapping_ == MAP_FAILED)
            mapping_ = ::mmap(nullptr, MAPPED, PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0);
        done(mapping_ != MAP_FAILED);
        return static_cast<char*>(mapping_);
    }

    std::string map(std::istream& in)
    {
        const std::size_t at = number(in);
        const std::string text = rest(in);

        std::memcpy(mapping() + at, text.data(), text.size());
        return "";
    }

    std::string mapped(std::istream& in)
    {
        const std::size_t at = number(in);

        return {mapping() + at, number(in)};
    }

    std::string truncate(std::istream& in)
    {
        done(::ftruncate(fd_.get(), static_cast<off_t>(number(in))) == 0);
        return "";
    }

    std::string sync()
    {
        done(::fsync(fd_.get()) == 0);
        return "";
    }

    std::string sync_mapping()
    {
        done(::msync(mapping(), MAPPED, MS_SYNC) == 0);
        return "";
    }

    static std::vector<unsigned char> block(std::size_t at, std::size_t len)
    {
        std::vector<unsigned char> bytes(len);

        for (std::size_t n = 0; n < len; n++)
            bytes[n] = byte_at(at + n);
        return bytes;
    }

    std::string fill(std::istream& in)
    {
        const std::size_t most = number(in);
        std::size_t at = size();

        while (at < most) {
            const std::vector<unsigned char> bytes = block(at, std::min(BLOCK, most - at));
            const ssize_t wrote =
                ::pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(at));

            if (wrote < 0)
                throw std::runtime_error(std::to_string(at) + " " + std::strerror(errno));
            at += static_cast<std::size_t>(wrote);
        }
        return std::to_string(at);
    }

    std::string map_fill(std::istream& in)
    {
        filled_ = number(in);

        const std::size_t most = number(in);
        char* const to = mapping();

        std::signal(SIGBUS, [](int) { siglongjmp(bus_error, 1); });
        // A member, and not a register, changes between the two.
        if (sigsetjmp(bus_error, 1) != 0)
            throw std::runtime_error(std::to_string(filled_) + " Bus error");
        for (; filled_ < most; filled_ += PAGE)
            store_page(to);
        return std::to_string(filled_);
    }

    void store_page(char* to) const
    {
        for (std::size_t n = 0; n < PAGE; n++)
            to[filled_ + n] = static_cast<char>(byte_at(filled_ + n));
    }

    std::string verify(std::istream& in)
    {
        const std::size_t most = number(in);

        for (std::size_t at = 0; at < most; at += BLOCK) {
            std::vector<unsigned char> bytes(BLOCK);
            const std::size_t len = std::min(BLOCK, most - at);
            const ssize_t got = ::pread(fd_.get(), bytes.data(), BLOCK, static_cast<off_t>(at));

            done(got >= 0);
            bytes.resize(std::min(static_cast<std::size_t>(got), len));
            if (bytes != block(at, len))
                throw std::runtime_error("wrong bytes at " + std::to_string(at));
        }
        return "";
    }

    std::string allocate(int mode, std::istream& in)
    {
        const std::size_t at = number(in);

        done(::fallocate(fd_.get(), mode, static_cast<off_t>(at), static_cast<off_t>(number(in))) ==
             0);
        return "";
    }

    std::string seek(std::size_t at, int whence)
    {
        const off_t found = ::lseek(fd_.get(), static_cast<off_t>(at), whence);

        done(found >= 0);
        return std::to_string(found);
    }

    void copy_part(int to, std::size_t at, std::size_t end)
    {
        std::vector<char> bytes(end - at);

        done(::pread(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(at)) ==
             static_cast<ssize_t>(bytes.size()));
        done(::pwrite(to, bytes.data(), bytes.size(), static_cast<off_t>(at)) ==
             static_cast<ssize_t>(bytes.size()));
    }

    std::string copy(const std::string& name)
    {
        const ll::Fd to(::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
        std::size_t at = 0;

        done(bool(to));
        for (off_t data; (data = ::lseek(fd_.get(), static_cast<off_t>(at), SEEK_DATA)) >= 0;) {
            const off_t hole = ::lseek(fd_.get(), data, SEEK_HOLE);

            done(hole > data);
            at = static_cast<std::size_t>(hole);
            copy_part(to.get(), static_cast<std::size_t>(data), at);
        }
        done(errno == ENXIO);
        done(::ftruncate(to.get(), static_cast<off_t>(size())) == 0);
        done(::fsync(to.get()) == 0);
        return "";
    }

    static const std::map<std::string, int> MODES;

    ll::Fd fd_;
    void* mapping_ = MAP_FAILED;
    std::size_t filled_ = 0;
};

const std::map<std::string, int> File::MODES = {
    {"allocate", 0},
    {"keep", FALLOC_FL_KEEP_SIZE},
    {"punch", FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE},
    {"zero", FALLOC_FL_ZERO_RANGE},
    {"zerokeep", FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE},
    {"collapse", FALLOC_FL_COLLAPSE_RANGE},
    {"insert", FALLOC_FL_INSERT_RANGE},
    {"unshare", FALLOC_FL_UNSHARE_RANGE},
};

}  // namespace

int main(int argc, char** argv)
{
    if (argc != 2) {
        std::fputs("usage: fs-file FILE\n", stderr);
        return 2;
    }
    try {
        File file(argv[1]);

        for (std::string line; std::getline(std::cin, line);)
            try {
                const std::string result = file.run(line);

                std::cout << "ok" << (result.empty() ? "" : " ") << result << std::endl;
            } catch (const std::exception& wrong) {
                std::cout << wrong.what() << std::endl;
            }
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "fs-file: %s: %s\n", argv[1], failure.what());
        return 1;
    }
    return 0;
}
