// SPDX-License-Identifier: GPL-2.0-only
//
//	wire-fuzz [--seconds N] [--seed N] [--mode NAME] [--count N] [--threads N]
//		[--port N] [--target UUID] [--half-open N] FROM TO
//
// The hostile peer: connects from FROM, an IPv4 address of this node, to the node at
// TO, and does what no honest node does. Each thread has an address of its own, FROM
// and those that follow, because a node that connects again gives up its connection
// from before; the one after them is honest. Without --mode it does all at random; with
// one (requests, messages, heads, hellos, noise, bulk, drip, replies, flood, resets,
// half-open, version, flipped, too-long, unasked) only that, and with --count that
// many times. --target is a target that it may connect to for a real handle.
//
// Prints what it did:
//
//	S seconds, C connections, F frames, H handles, R replies, X refused, N no connection
//	honest: P pings, worst W ms, B failed
//
// Meanwhile it pings the node as an honest one would. Status 0 when the node answers
// the last of these, 1 when it does not, 2 for wrong usage.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "wire_attack.hpp"

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using vm::Attacker;
using vm::Clock;

struct Options {
    uint64_t seconds = 10;
    uint64_t seed = 1;
    uint64_t count = 0;
    uint64_t threads = 4;
    uint64_t port = WIRE_PORT;
    uint64_t half_open = 1000;
    const Attacker::Attack* mode = nullptr;
    vm::Enemy enemy;
};

const Attacker::Attack* find_attack(std::string_view name)
{
    for (const Attacker::Attack& one : Attacker::ATTACKS) {
        if (one.name == name)
            return &one;
    }
    return nullptr;
}

struct NumberOption {
    std::string_view name;
    uint64_t least;
    uint64_t most;
    uint64_t Options::*where;
};

constexpr std::array NUMBERS = {
    NumberOption{"--seconds", 1, 100000, &Options::seconds},
    NumberOption{"--seed", 0, UINT64_MAX, &Options::seed},
    NumberOption{"--count", 1, UINT64_MAX, &Options::count},
    NumberOption{"--threads", 1, 64, &Options::threads},
    NumberOption{"--port", 1, 65535, &Options::port},
    NumberOption{"--half-open", 1, 1000, &Options::half_open},
};

bool number_option(Options& options, std::string_view name, const char* value)
{
    char* end = nullptr;
    const uint64_t number = std::strtoull(value, &end, 10);

    if (*value == '\0' || *end != '\0')
        return false;
    for (const NumberOption& one : NUMBERS) {
        if (one.name == name) {
            options.*one.where = number;
            return number >= one.least && number <= one.most;
        }
    }
    return false;
}

bool option(Options& options, std::string_view name, const char* value)
{
    if (name == "--mode") {
        options.mode = find_attack(value);
        return options.mode != nullptr;
    }
    if (name == "--target") {
        options.enemy.target = value;
        return true;
    }
    return number_option(options, name, value);
}

std::optional<Options> parse(int argc, char** argv)
{
    Options options;
    int at = 1;

    for (; at + 1 < argc && std::string_view(argv[at]).starts_with("--"); at += 2) {
        if (!option(options, argv[at], argv[at + 1]))
            return std::nullopt;
    }
    if (argc - at != 2 || ::inet_pton(AF_INET, argv[at], &options.enemy.from) != 1 ||
        ::inet_pton(AF_INET, argv[at + 1], &options.enemy.to.sin_addr) != 1)
        return std::nullopt;
    options.enemy.to.sin_family = AF_INET;
    options.enemy.to.sin_port = htons(static_cast<uint16_t>(options.port));
    options.enemy.half_open = static_cast<unsigned>(options.half_open);
    return options;
}

in_addr address_after(const in_addr& first, uint64_t number)
{
    return {htonl(ntohl(first.s_addr) + static_cast<uint32_t>(number))};
}

// Says hello and asks the node whether it is there. Milliseconds, or nothing.
std::optional<long> honest_ping(const in_addr& from, const sockaddr_in& to, uint64_t number)
{
    const auto begin = Clock::now();
    const uint64_t xid = 0x1000 + number;
    vm::Connection conn;

    if (!conn.open(from, to, static_cast<unsigned>(number * 7 % 1021), seconds(10)) ||
        !conn.greet(seconds(10)) ||
        !conn.send_frame(LNET_FRAME_MSG,
                         vm::message(vm::request(OBD_PING, OST_REQUEST_PORTAL, xid, 0), {}), {},
                         seconds(10)))
        return std::nullopt;
    const auto reply = conn.receive_reply(xid, seconds(10));
    if (!reply || reply->head.lm_status != 0 || reply->head.lm_bufcount != 1)
        return std::nullopt;
    return std::chrono::duration_cast<vm::milliseconds>(Clock::now() - begin).count();
}

class Battle {
public:
    explicit Battle(const Options& options) : options_(options) {}

    int run()
    {
        const auto begin = Clock::now();
        const auto end = begin + std::chrono::seconds(options_.seconds);
        std::vector<std::thread> threads;

        for (uint64_t n = 0; n < options_.threads; n++)
            threads.emplace_back([this, n, end] { attack(n, end); });
        while (busy_ < options_.threads)
            std::this_thread::sleep_for(milliseconds(1));
        while (running_ > 0) {
            ping();
            std::this_thread::sleep_for(milliseconds(200));
        }
        for (std::thread& one : threads)
            one.join();
        // All that was there before this one has ended.
        std::this_thread::sleep_for(milliseconds(500));
        const bool there = ping();
        report(std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin).count());
        return there ? EXIT_SUCCESS : EXIT_FAILURE;
    }

private:
    void attack(uint64_t number, Clock::time_point end)
    {
        vm::Enemy enemy = options_.enemy;
        enemy.from = address_after(enemy.from, number);
        Attacker attacker(enemy, tally_, options_.seed * 1000 + number);

        running_++;
        busy_++;
        while (Clock::now() < end && (options_.count == 0 || done_++ < options_.count)) {
            if (options_.mode != nullptr)
                attacker.attack(*options_.mode);
            else
                attacker.attack_any();
        }
        running_--;
    }

    bool ping()
    {
        const auto took = honest_ping(address_after(options_.enemy.from, options_.threads),
                                      options_.enemy.to, pings_++);

        if (!took)
            failed_++;
        else
            worst_ = std::max(worst_, *took);
        return took.has_value();
    }

    void report(long seconds) const
    {
        std::printf(
            "%ld seconds, %llu connections, %llu frames, %llu handles, %llu replies, "
            "%llu refused, %llu no connection\n",
            seconds, value(tally_.connections), value(tally_.frames), value(tally_.handles),
            value(tally_.replies), value(tally_.refused), value(tally_.no_connection));
        std::printf("honest: %llu pings, worst %ld ms, %llu failed\n",
                    static_cast<unsigned long long>(pings_), worst_,
                    static_cast<unsigned long long>(failed_));
    }

    static unsigned long long value(const std::atomic<uint64_t>& counter) { return counter; }

    const Options& options_;
    vm::Tally tally_;
    std::atomic<uint64_t> running_ = 0;
    std::atomic<uint64_t> busy_ = 0;
    std::atomic<uint64_t> done_ = 0;
    uint64_t pings_ = 0;
    uint64_t failed_ = 0;
    long worst_ = 0;
};

}  // namespace

int main(int argc, char** argv)
{
    const auto options = parse(argc, argv);

    if (!options) {
        std::fputs(
            "usage: wire-fuzz [--seconds N] [--seed N] [--mode NAME] [--count N] "
            "[--threads N] [--port N] [--target UUID] [--half-open N] FROM TO\n",
            stderr);
        return 2;
    }
    return Battle(*options).run();
}
