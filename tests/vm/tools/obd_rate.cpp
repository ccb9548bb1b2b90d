// SPDX-License-Identifier: GPL-2.0-only
//
//	obd-rate make COUNT		attach COUNT devices of obdecho: rate0, rate1 ...
//	obd-rate lookup N COUNT		look N of the first COUNT up by name: nanoseconds for one
//	obd-rate remove COUNT		detach them again
//
// make and remove print nanoseconds for one, too.

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "obd.hpp"

namespace {

std::string name_of(uint64_t number)
{
    return "rate" + std::to_string(number);
}

// Runs @step @count times; nanoseconds for one, negative when one of them failed.
template <typename Step>
double timed(uint64_t count, Step&& step)
{
    const auto start = std::chrono::steady_clock::now();

    for (uint64_t i = 0; i < count; i++) {
        const int rc = step(i);

        if (rc) {
            std::fprintf(stderr, "obd-rate: number %llu: %s\n", static_cast<unsigned long long>(i),
                         std::strerror(-rc));
            return -1;
        }
    }
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
    return spent.count() / static_cast<double>(count);
}

double make(const vm::Device& device, uint64_t count)
{
    return timed(count, [&](uint64_t i) {
        return vm::attach(device, "obdecho", name_of(i), name_of(i) + "_UUID");
    });
}

double remove(const vm::Device& device, uint64_t count)
{
    return timed(count, [&](uint64_t i) { return vm::detach(device, name_of(i)); });
}

double lookup(const vm::Device& device, uint64_t n, uint64_t count)
{
    std::mt19937_64 random(n);
    std::vector<std::string> names;

    for (uint64_t i = 0; i < n; i++)
        names.push_back(name_of(random() % count));
    return timed(
        n, [&](uint64_t i) { return static_cast<int>(std::min(vm::find(device, names[i]), 0LL)); });
}

// The figure that the command line asks for, negative when it failed; false: it asks for none.
bool run(const vm::Device& device, std::string_view what, const std::array<uint64_t, 2>& numbers,
         double& spent)
{
    if (what == "make" && !numbers[1])
        spent = make(device, numbers[0]);
    else if (what == "remove" && !numbers[1])
        spent = remove(device, numbers[0]);
    else if (what == "lookup" && numbers[1])
        spent = lookup(device, numbers[0], numbers[1]);
    else
        return false;
    return true;
}

}  // namespace

int main(int argc, char** argv)
{
    std::array<uint64_t, 2> numbers{};
    const vm::Device device;
    double spent = -1;

    if (!device) {
        std::perror("obd-rate: " LIBCFS_DEV_PATH);
        return 1;
    }
    for (int i = 2; i < argc && i < 4; i++)
        numbers[i - 2] = std::strtoull(argv[i], nullptr, 0);
    if (argc < 3 || !numbers[0] || !run(device, argv[1], numbers, spent)) {
        std::fprintf(stderr, "usage: obd-rate make COUNT | lookup N COUNT | remove COUNT\n");
        return 2;
    }
    if (spent >= 0)
        std::printf("%.0f\n", spent);
    return spent < 0;
}
