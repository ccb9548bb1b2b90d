// SPDX-License-Identifier: GPL-2.0
//
//	read-rate THREADS MILLISECONDS PATH...
//
// THREADS threads, each on a processor and with an open file of its own, read
// a value over and over, the first thread the first PATH and so on (and again
// from the first). Prints how many reads all of them did in a second.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include <pthread.h>
#include <sched.h>

#include "device.hpp"

namespace {

struct Shared {
	std::atomic<bool> go{ false };
	std::atomic<bool> stop{ false };
	std::atomic<bool> failed{ false };
	std::atomic<unsigned int> ready{ 0 };
};

void pin(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	::pthread_setaffinity_np(::pthread_self(), sizeof(set), &set);
}

void reader(Shared &shared, unsigned int cpu, const std::string &path, unsigned long &count)
{
	const vm::Device device;
	std::vector<char> buf(4096);
	unsigned long done = 0;

	pin(cpu);
	shared.ready++;
	while (!shared.go.load(std::memory_order_acquire))
		;
	while (!shared.stop.load(std::memory_order_relaxed)) {
		auto pr = vm::argument<params_ioc_read>();

		if (device.read(path, buf, pr)) {
			shared.failed = true;
			break;
		}
		done++;
	}
	count = done;
}

} // namespace

int main(int argc, char **argv)
{
	if (argc < 4) {
		std::fprintf(stderr, "usage: read-rate THREADS MILLISECONDS PATH...\n");
		return 2;
	}
	const auto threads = static_cast<unsigned int>(std::strtoul(argv[1], nullptr, 0));
	const auto span = std::chrono::milliseconds(std::strtoul(argv[2], nullptr, 0));
	std::vector<unsigned long> counts(threads);
	std::vector<std::thread> pool;
	Shared shared;

	for (unsigned int i = 0; i < threads; i++)
		pool.emplace_back(reader, std::ref(shared), i, std::string(argv[3 + i % (argc - 3)]), std::ref(counts[i]));
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
