// SPDX-License-Identifier: GPL-2.0
/*
 * A test by several threads at a time, each of which makes short calls of the
 * kernel one after the other, so that there is something to tell meanwhile.
 */
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "lib/echo.hpp"
#include "lib/function_ref.hpp"

namespace lctl {

/** How much of it. */
struct EchoPlan {
    ll::Device device;
    ll::EchoTest test;  // its time and calls are set for each call
    unsigned int threads = 1;
    std::optional<std::chrono::milliseconds> time;  // for ever without
    std::uint64_t calls = 0;                        // of all threads; 0: no limit
};

class EchoRunner {
public:
    /** Told about every second what there is so far, by the thread that runs. */
    using Progress = ll::FunctionRef<void(const ll::EchoResult& so_far)>;

    EchoRunner(ll::KernelPort& port, const EchoPlan& plan) : port_(port), plan_(plan) {}

    /** All of it. Return: the sum, or the first refusal, which ends all threads. */
    ll::Result<ll::EchoResult> run(Progress progress);

private:
    void start(std::vector<std::jthread>& threads);
    void work(unsigned int thread);
    bool batch(std::uint64_t calls_left, ll::EchoResult& own);
    std::uint64_t share_of(unsigned int thread) const;
    std::chrono::milliseconds time_left() const;
    void note(const ll::EchoResult& result);
    void fail(const ll::Error& error);
    void wait(Progress progress);

    ll::KernelPort& port_;
    const EchoPlan& plan_;
    std::chrono::steady_clock::time_point begin_;
    std::atomic<bool> stop_ = false;
    std::mutex lock_;  // guards what follows
    std::condition_variable ended_;
    unsigned int running_ = 0;
    ll::EchoResult sum_;
    std::optional<ll::Error> error_;
};

}  // namespace lctl
