// SPDX-License-Identifier: GPL-2.0-only
//
//	obd-churn [--seconds N] [--threads N] [--names N] [--seed N]
//
// Threads that attach, set up, connect, evict, deactivate, clean up and detach
// devices of the same few names, each without a thought for the others. A step
// may be refused because another thread was faster, with an errno that says so.
// At the end everything is taken down. Prints what came of each step and
//
//	D devices lived, C connections, E evictions, B broken promises
//
// Status 1 when a step came back with another errno, when none came back for
// twenty seconds, or when a device is left.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include <unistd.h>

#include "obd.hpp"

namespace {

using vm::Command;

// Errors that a thread may get when others were there first: the device, its target
// or its type is gone or busy, or its number is another's by now.
constexpr std::array EXPECTED = {0,         ENOENT,     ENODEV,      EEXIST, EBUSY,
                                 EALREADY,  ENOTCONN,   ESHUTDOWN,   ENXIO,  EINVAL,
                                 ETIMEDOUT, EOPNOTSUPP, EHOSTUNREACH};

struct Options {
    unsigned int seconds = 10;
    unsigned int threads = 4;
    unsigned int names = 3;
    uint64_t seed = 1;
};

struct Tally {
    std::mutex lock;
    std::map<std::string, std::map<int, unsigned long>> outcomes;
    std::atomic<unsigned long> steps{0};
    std::atomic<unsigned long> broken{0};
};

class Churner {
public:
    Churner(const vm::Device& device, const Options& options, Tally& tally, uint64_t seed)
        : device_(device), options_(options), tally_(tally), random_(seed)
    {
    }

    void run(const std::atomic<bool>& stop)
    {
        while (!stop)
            one();
        const std::lock_guard guard(tally_.lock);
        for (const auto& [name, counts] : outcomes_)
            for (const auto& [rc, count] : counts)
                tally_.outcomes[name][rc] += count;
    }

private:
    using Step = void (Churner::*)();

    uint64_t below(uint64_t limit) { return random_() % limit; }
    std::string name(const char* prefix) { return prefix + std::to_string(below(options_.names)); }
    std::string any() { return name(std::array{"cs", "cc", "co"}[below(3)]); }

    void count(const char* step, int rc)
    {
        outcomes_[step][-rc]++;
        tally_.steps++;
        if (std::find(EXPECTED.begin(), EXPECTED.end(), -rc) == EXPECTED.end() &&
            tally_.broken++ < 20)
            std::printf("%s: %s, which nobody can be told here\n", step, ::strerrorname_np(-rc));
    }

    void attach_server()
    {
        const std::string server = name("cs");

        count("attach", vm::attach(device_, "obdecho", server, server + "_UUID"));
    }

    void attach_client()
    {
        const std::string client = name("cc");

        count("attach", vm::attach(device_, "echo_client", client, client + "_UUID"));
    }

    void attach_osc()
    {
        const std::string osc = name("co");

        count("attach", vm::attach(device_, "osc", osc, osc + "_UUID"));
    }

    void setup_server() { count("setup", vm::setup(device_, name("cs"))); }
    void setup_client() { count("connect", vm::setup(device_, name("cc"), {name("cs")})); }

    void setup_osc()
    {
        vm::config(device_, Command(LCFG_ADD_UUID, {}, {"churn-node", "0@lo"}));
        count("setup", vm::setup(device_, name("co"), {name("cs") + "_UUID", "churn-node"}));
    }

    void import_op()
    {
        static constexpr std::array OPS = {OBD_IMPORT_RECOVER, OBD_IMPORT_RECOVER,
                                           OBD_IMPORT_DEACTIVATE, OBD_IMPORT_ACTIVATE};
        const uint32_t op = OPS[below(OPS.size())];
        const long long index = vm::find(device_, name("co"));
        auto arg = vm::argument<obd_ioc_import>();

        arg.oi_index = static_cast<uint32_t>(index);
        arg.oi_op = op;
        if (index >= 0)
            count(op == OBD_IMPORT_RECOVER ? "connect" : "activate",
                  device_.call(OBD_IOC_IMPORT, arg));
    }

    void evict()
    {
        const std::string path = "obdecho/" + name("cs") + "/evict_client";
        const std::string whom = below(3) ? name(below(2) ? "cc" : "co") + "_UUID" : "nid:0@lo";
        auto pw = vm::argument<params_ioc_write>();
        std::string reason;

        count("evict", device_.write(path, whom, pw, reason));
    }

    void cleanup()
    {
        count("cleanup", vm::cleanup(device_, any(), std::array{"", "F", "FA"}[below(3)]));
    }
    void detach() { count("detach", vm::detach(device_, any())); }
    void find() { count("find", static_cast<int>(std::min(vm::find(device_, any()), 0LL))); }

    // Now and then all devices go, so that modules of types can.
    static bool is_ebb()
    {
        const auto now = std::chrono::steady_clock::now().time_since_epoch();

        return std::chrono::duration_cast<std::chrono::milliseconds>(now).count() % 2000 > 1500;
    }

    void one()
    {
        if (is_ebb()) {
            cleanup();
            detach();
            return;
        }
        static constexpr std::array<Step, 14> STEPS = {
            &Churner::attach_server, &Churner::attach_client, &Churner::attach_osc,
            &Churner::setup_server,  &Churner::setup_server,  &Churner::setup_client,
            &Churner::setup_client,  &Churner::setup_osc,     &Churner::import_op,
            &Churner::evict,         &Churner::cleanup,       &Churner::detach,
            &Churner::detach,        &Churner::find,
        };

        (this->*STEPS[below(STEPS.size())])();
    }

    const vm::Device& device_;
    const Options& options_;
    Tally& tally_;
    std::mt19937_64 random_;
    std::map<std::string, std::map<int, unsigned long>> outcomes_;
};

bool parse(int argc, char** argv, Options& options)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string_view name = argv[i];
        const auto value = std::strtoull(argv[i + 1], nullptr, 0);

        if (name == "--seconds")
            options.seconds = static_cast<unsigned int>(value);
        else if (name == "--threads")
            options.threads = static_cast<unsigned int>(value);
        else if (name == "--names")
            options.names = static_cast<unsigned int>(std::max(value, 1ULL));
        else if (name == "--seed")
            options.seed = value;
        else
            return false;
    }
    return argc % 2 == 1;
}

// Wait, and see that steps go on.
void watch(const Tally& tally, unsigned int seconds)
{
    unsigned long last = 0;
    unsigned int idle = 0;

    for (unsigned int past = 0; past < seconds; past++) {
        std::this_thread::sleep_for(std::chrono::seconds(1));
        const unsigned long now = tally.steps;
        idle = now == last ? idle + 1 : 0;
        last = now;
        if (idle == 20) {
            std::printf("no step came back for %u seconds\n", idle);
            std::fflush(stdout);
            ::_exit(1);
        }
    }
}

// Those above first; false when one is left.
bool take_down(const vm::Device& device, const Options& options)
{
    bool gone = true;

    for (const char* prefix : {"cc", "co", "cs"}) {
        for (unsigned int i = 0; i < options.names; i++) {
            const std::string name = prefix + std::to_string(i);

            vm::cleanup(device, name, "F");
            vm::detach(device, name);
            if (vm::find(device, name) != -ENODEV) {
                std::printf("%s is left\n", name.c_str());
                gone = false;
            }
        }
    }
    vm::config(device, Command(LCFG_DEL_UUID));
    return gone;
}

unsigned long succeeded(const Tally& tally, const char* step)
{
    const auto found = tally.outcomes.find(step);

    return found == tally.outcomes.end() || !found->second.contains(0) ? 0 : found->second.at(0);
}

void report(const Tally& tally)
{
    for (const auto& [name, counts] : tally.outcomes) {
        std::printf("%s:", name.c_str());
        for (const auto& [rc, count] : counts)
            std::printf(" %s %lu", rc ? ::strerrorname_np(rc) : "ok", count);
        std::printf("\n");
    }
    std::printf("%lu devices lived, %lu connections, %lu evictions, %lu broken promises\n",
                succeeded(tally, "detach"), succeeded(tally, "connect"), succeeded(tally, "evict"),
                tally.broken.load());
}

}  // namespace

int main(int argc, char** argv)
{
    Options options;
    Tally tally;

    if (!parse(argc, argv, options)) {
        std::fprintf(stderr,
                     "usage: obd-churn [--seconds N] [--threads N] [--names N] [--seed N]\n");
        return 2;
    }
    const vm::Device device;
    if (!device) {
        std::perror("obd-churn: " LIBCFS_DEV_PATH);
        return 1;
    }
    std::atomic<bool> stop{false};
    std::vector<std::thread> pool;
    for (unsigned int i = 0; i < options.threads; i++)
        pool.emplace_back([&, i] { Churner(device, options, tally, options.seed + i).run(stop); });
    watch(tally, options.seconds);
    stop = true;
    for (std::thread& thread : pool)
        thread.join();
    report(tally);
    return take_down(device, options) && !tally.broken ? 0 : 1;
}
