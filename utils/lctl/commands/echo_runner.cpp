// SPDX-License-Identifier: GPL-2.0
#include "lctl/commands/echo_runner.hpp"

#include <algorithm>
#include <string>
#include <system_error>

namespace lctl {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBatch{250};
constexpr std::chrono::seconds kTell{1};

}  // namespace

/* Calls are dealt out evenly; the first threads get what is left over. */
std::uint64_t EchoRunner::share_of(unsigned int thread) const
{
    return plan_.calls / plan_.threads + (thread < plan_.calls % plan_.threads ? 1 : 0);
}

milliseconds EchoRunner::time_left() const
{
    if (!plan_.time)
        return kBatch;

    const auto gone =
        std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin_);

    return std::min(kBatch, *plan_.time - gone);
}

void EchoRunner::note(const ll::EchoResult& result)
{
    const std::lock_guard<std::mutex> guard(lock_);

    sum_.add(result);
}

void EchoRunner::fail(const ll::Error& error)
{
    const std::lock_guard<std::mutex> guard(lock_);

    if (!error_)
        error_ = error;
    stop_ = true;
}

/* Return: whether there is more to do. */
bool EchoRunner::batch(std::uint64_t calls_left, ll::EchoResult& own)
{
    const milliseconds time = time_left();
    ll::EchoTest test = plan_.test;

    if (stop_ || time.count() <= 0)
        return false;
    test.time_ms = std::uint32_t(time.count());
    test.calls = calls_left;

    const auto result = ll::echo_test(port_, plan_.device, test);

    if (!result) {
        fail(result.error());
        return false;
    }
    note(*result);
    own.add(*result);
    own.ns += result->ns;
    return true;
}

void EchoRunner::work(unsigned int thread)
{
    const std::uint64_t share = share_of(thread);
    ll::EchoResult own;
    bool more = plan_.calls == 0 || share != 0;

    while (more)
        more = batch(share - std::min(share, own.ended()), own) &&
               (plan_.calls == 0 || own.ended() < share);

    const std::lock_guard<std::mutex> guard(lock_);

    sum_.ns = std::max(sum_.ns, own.ns);
    if (--running_ == 0)
        ended_.notify_one();
}

void EchoRunner::wait(Progress progress)
{
    std::unique_lock<std::mutex> guard(lock_);

    while (!ended_.wait_for(guard, kTell, [&] { return running_ == 0; })) {
        ll::EchoResult so_far = sum_;

        guard.unlock();
        so_far.ns = std::uint64_t(
            std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin_).count());
        progress(so_far);
        guard.lock();
    }
}

/* Where a thread cannot be started the others end at their next batch. */
void EchoRunner::start(std::vector<std::jthread>& threads)
{
    threads.reserve(plan_.threads);
    running_ = plan_.threads;
    for (unsigned int n = 0; n < plan_.threads; n++) {
        try {
            threads.emplace_back([this, n] { work(n); });
        } catch (const std::system_error& error) {
            fail(ll::make_error(error.code().value(), "thread " + std::to_string(n + 1) + " of " +
                                                          std::to_string(plan_.threads) +
                                                          " cannot be started"));

            const std::lock_guard<std::mutex> guard(lock_);

            running_ -= plan_.threads - n;
            return;
        }
    }
}

ll::Result<ll::EchoResult> EchoRunner::run(Progress progress)
{
    std::vector<std::jthread> threads;

    begin_ = std::chrono::steady_clock::now();
    start(threads);
    wait(progress);
    threads.clear();
    if (error_)
        return tl::unexpected(*error_);
    return sum_;
}

}  // namespace lctl
