// SPDX-License-Identifier: GPL-2.0-only
// Parts of a fuzzer of calls: memory that ends, addresses that lead
// nowhere, and dice.
#ifndef VM_TOOLS_FUZZ_HPP
#define VM_TOOLS_FUZZ_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include <sys/mman.h>

#include "device.hpp"

namespace vm {

constexpr size_t AREA = 256 * 1024;

// Memory whose last byte is followed by nothing.
class Area {
public:
    Area()
        : base_(static_cast<char*>(::mmap(nullptr, AREA + 4096, PROT_READ | PROT_WRITE,
                                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)))
    {
        ::mprotect(base_ + AREA, 4096, PROT_NONE);
    }
    Area(const Area&) = delete;
    Area& operator=(const Area&) = delete;
    ~Area() { ::munmap(base_, AREA + 4096); }

    // @len bytes that end where memory ends.
    char* tail(size_t len) { return base_ + AREA - std::min(len, AREA); }

    bool holds(uint64_t address) const
    {
        return address >= vm::user(base_) && address < vm::user(base_) + AREA + 4096;
    }

private:
    char* base_;
};

// Addresses that look good and lead nowhere. A mutated pointer must not happen to
// be that of the fuzzer's own memory, for the kernel would write there as told.
class Desert {
public:
    Desert()
        : base_(
              ::mmap(nullptr, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))
    {
    }
    Desert(const Desert&) = delete;
    Desert& operator=(const Desert&) = delete;
    ~Desert() { ::munmap(base_, SIZE); }

    uint64_t address(uint64_t number) const { return vm::user(base_) + number % SIZE; }

private:
    static constexpr size_t SIZE = size_t(1) << (sizeof(void*) == 8 ? 34 : 28);
    void* base_;
};

constexpr std::array FUZZ_NUMBERS = {
    0ULL,
    1ULL,
    2ULL,
    7ULL,
    8ULL,
    15ULL,
    16ULL,
    24ULL,
    63ULL,
    64ULL,
    255ULL,
    256ULL,
    4095ULL,
    4096ULL,
    4097ULL,
    65535ULL,
    65536ULL,
    0x400000ULL,
    0x400001ULL,
    0x7fffffffULL,
    0x80000000ULL,
    0xffffffffULL,
    0x100000000ULL,
    0x7fffffffffffffffULL,
    0x8000000000000000ULL,
    0xffff888000000000ULL,
    0xffffffff81000000ULL,
    0xdead000000000100ULL,
    0xffffffffffffffffULL,
};

class Dice {
public:
    explicit Dice(uint64_t seed) : random_(seed) {}

    uint64_t below(uint64_t limit) { return random_() % limit; }
    bool one_in(uint64_t n) { return below(n) == 0; }
    template <typename T>
    const auto& pick(const T& from)
    {
        return from[below(from.size())];
    }
    char byte() { return static_cast<char>(random_()); }

    uint64_t number()
    {
        return one_in(3) ? random_() >> below(64) : pick(FUZZ_NUMBERS) + below(3) - 1;
    }

    std::string noise(size_t len)
    {
        std::string bytes(len, '\0');

        std::generate(bytes.begin(), bytes.end(), [&] { return byte(); });
        return bytes;
    }

private:
    std::mt19937_64 random_;
};

}  // namespace vm

#endif
