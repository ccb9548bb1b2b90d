// SPDX-License-Identifier: GPL-2.0-only
//
//	read-rate [-R] THREADS MILLISECONDS PATH...
//
// THREADS threads, each on a processor and with an open file of its own, read
// a value over and over, the first thread the first PATH and so on (and again
// from the first). With -R a PATH is a directory, and a read one of all values
// below it. Prints how many reads all of them did in a second.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>
#include <sched.h>

#include "device.hpp"

namespace {

struct Shared {
    std::atomic<bool> go{false};
    std::atomic<bool> stop{false};
    std::atomic<bool> failed{false};
    std::atomic<unsigned int> ready{0};
};

void pin(unsigned int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    ::pthread_setaffinity_np(::pthread_self(), sizeof(set), &set);
}

// Everything below a directory, in one call.
bool read_subtree(const vm::Device& device, const std::string& path, std::vector<char>& buf)
{
    auto rb = vm::argument<params_ioc_read_batch>();

    rb.rb_paths = vm::user(path.c_str());
    rb.rb_paths_len = static_cast<uint32_t>(path.size() + 1);
    rb.rb_count = 1;
    rb.rb_flags = PARAMS_RB_SUBTREE;
    rb.rb_buf = vm::user(buf.data());
    rb.rb_buf_len = static_cast<uint32_t>(buf.size());
    return !device.call(PARAMS_IOC_READ_BATCH, rb) && rb.rb_eof;
}

bool read_value(const vm::Device& device, const std::string& path, std::vector<char>& buf)
{
    auto pr = vm::argument<params_ioc_read>();

    return !device.read(path, buf, pr);
}

using Read = bool (*)(const vm::Device&, const std::string&, std::vector<char>&);

void reader(Shared& shared, Read read, unsigned int cpu, const std::string& path,
            unsigned long& count)
{
    const vm::Device device;
    std::vector<char> buf(64 * 1024);
    unsigned long done = 0;

    pin(cpu);
    shared.ready++;
    while (!shared.go.load(std::memory_order_acquire))
        ;
    while (!shared.stop.load(std::memory_order_relaxed)) {
        if (!read(device, path, buf)) {
            shared.failed = true;
            break;
        }
        done++;
    }
    count = done;
}

}  // namespace

int main(int argc, char** argv)
{
    const bool subtree = argc > 1 && !std::strcmp(argv[1], "-R");

    argc -= subtree;
    argv += subtree;
    if (argc < 4) {
        std::fprintf(stderr, "usage: read-rate [-R] THREADS MILLISECONDS PATH...\n");
        return 2;
    }
    const auto threads = static_cast<unsigned int>(std::strtoul(argv[1], nullptr, 0));
    const auto span = std::chrono::milliseconds(std::strtoul(argv[2], nullptr, 0));
    std::vector<unsigned long> counts(threads);
    std::vector<std::thread> pool;
    Shared shared;

    for (unsigned int i = 0; i < threads; i++)
        pool.emplace_back(reader, std::ref(shared), subtree ? read_subtree : read_value, i,
                          std::string(argv[3 + i % (argc - 3)]), std::ref(counts[i]));
    while (shared.ready < threads)
        std::this_thread::yield();
    const auto start = std::chrono::steady_clock::now();
    shared.go.store(true, std::memory_order_release);
    std::this_thread::sleep_for(span);
    shared.stop = true;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    unsigned long total = 0;
    for (unsigned int i = 0; i < threads; i++) {
        pool[i].join();
        total += counts[i];
    }
    if (shared.failed) {
        std::fprintf(stderr, "read-rate: a value cannot be read\n");
        return 1;
    }
    std::printf("%.0f\n", static_cast<double>(total) / spent.count());
    return 0;
}
