// SPDX-License-Identifier: GPL-2.0-only
// Makes every allocation of an operation fail in turn: the kernel fails the n-th one of a
// system call, n rises until the call needs no more. The call must return -ENOMEM or succeed
// all the same, no memory may stay allocated, and the next call must work.
#ifndef VM_TOOLS_FAIL_NTH_HPP
#define VM_TOOLS_FAIL_NTH_HPP

#include <cstdio>
#include <cstdlib>
#include <functional>

#include <unistd.h>

#include "device.hpp"

namespace vm {

constexpr unsigned int FAIL_POINTS_MAX = 20000;

inline bool put_file(const char* path, const char* text)
{
    const ll::Fd fd(::open(path, O_WRONLY));

    return fd && ::write(fd.get(), text, std::strlen(text)) > 0;
}

// By default only atomic allocations fail.
inline bool failures_possible()
{
    put_file("/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait", "N");
    put_file("/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem", "N");
    put_file("/sys/kernel/debug/fail_page_alloc/min-order", "0");
    return put_file("/sys/kernel/debug/failslab/ignore-gfp-wait", "N");
}

// The counter of this task; one open file, so that arming allocates nothing.
class Injector {
public:
    Injector() : fd_(::open("/proc/thread-self/fail-nth", O_RDWR)) {}

    explicit operator bool() const { return static_cast<bool>(fd_); }

    void arm(unsigned int nth) const
    {
        char text[16];
        const int len = std::snprintf(text, sizeof(text), "%u", nth);

        if (::pwrite(fd_.get(), text, len, 0) != len)
            std::perror("fail-nth: arming");
    }

    // Disarms; whether the failure was used up.
    bool fired() const
    {
        char text[16] = {};

        if (::pread(fd_.get(), text, sizeof(text) - 1, 0) < 0)
            std::perror("fail-nth: reading");
        arm(0);
        return std::strtoul(text, nullptr, 10) == 0;
    }

private:
    ll::Fd fd_;
};

struct Operation {
    const char* name;
    std::function<int(const Device&)> run;
    // Before each run, and after it with what it returned; nothing fails in them.
    std::function<void(const Device&)> before = nullptr;
    std::function<void(const Device&, int rc)> after = nullptr;
    // 0 or -ENOMEM are right; some may only succeed.
    bool must_succeed = false;
};

// libcfs's account, -1 when it cannot be read.
inline long long memused(const Device& device)
{
    struct {
        params_value_rec rec;
        uint64_t value;
    } out{};
    auto pr = argument<params_ioc_read>();

    pr.pr_path = user("memused");
    pr.pr_path_len = 7;
    pr.pr_buf = user(&out);
    pr.pr_buf_len = sizeof(out);
    return device.call(PARAMS_IOC_READ, pr) ? -1 : static_cast<long long>(out.value);
}

// The same once it is @expected, or after a while: the last put of many an object is
// made by a work queue or after a grace period, on a processor that may have stood
// still. Less than @expected is not waited for as long as more is: it was the other
// figure that came too early then.
inline long long memused_settled(const Device& device, long long expected)
{
    long long now = memused(device);

    for (int i = 0; i < 2000 && now != expected && (now > expected || i < 200); i++) {
        ::usleep(10000);
        now = memused(device);
    }
    return now;
}

// One that no longer changes.
inline long long memused_at_rest(const Device& device)
{
    long long last = -1, now = memused(device);

    for (int i = 0; i < 20 && now != last; i++) {
        ::usleep(100000);
        last = now;
        now = memused(device);
    }
    return now;
}

// The calls keep the snapshot of a value on their open file; a read of another
// value on the same file gives it up.
inline void forget_snapshot(const Device& device)
{
    std::vector<char> buf(4096);
    auto pr = argument<params_ioc_read>();

    device.read("version", buf, pr);
}

struct Outcome {
    int rc;
    bool fired;
};

// One run with the n-th allocation failing (0: none), and back to where it began.
inline Outcome inject(const Operation& op, const Device& device, const Injector& injector,
                      unsigned int nth)
{
    if (op.before)
        op.before(device);
    injector.arm(nth);
    const int rc = op.run(device);
    const bool fired = injector.fired();

    if (op.after)
        op.after(device, rc);
    forget_snapshot(device);
    return {rc, fired};
}

// The kernel's sockets have other words for it: no file, no buffer, no port.
inline bool is_no_memory(int rc)
{
    return rc == -ENOMEM || rc == -ENFILE || rc == -ENOBUFS || rc == -EADDRINUSE;
}

inline bool is_right(const Operation& op, const Outcome& outcome)
{
    return outcome.rc == 0 || (is_no_memory(outcome.rc) && outcome.fired && !op.must_succeed);
}

// Prints "OPERATION: N allocations failed in turn, M of them noticed"; false when
// something was wrong.
inline bool walk(const Operation& op, const Device& device, const Injector& injector)
{
    unsigned int nth = 1, noticed = 0;
    bool good = true, fired = true;

    // Once without failures: what stays for good is allocated now.
    const Outcome first = inject(op, device, injector, 0);
    if (first.rc) {
        std::printf("%s: without any failure: %s\n", op.name, std::strerror(-first.rc));
        return false;
    }
    long long before = memused_at_rest(device);
    for (; fired && good && nth < FAIL_POINTS_MAX; nth += fired) {
        const Outcome outcome = inject(op, device, injector, nth);
        const long long after = memused_settled(device, before);

        fired = outcome.fired;
        noticed += outcome.rc != 0;
        good = is_right(op, outcome) && after >= 0 && after <= before;
        if (!good)
            std::printf("%s: allocation %u: %s; memory in use was %lld and is %lld\n", op.name, nth,
                        std::strerror(-outcome.rc), before, after);
        // Something that was still to go when it seemed to rest: that is none of this.
        before = after;
    }
    std::printf("%s: %u allocations failed in turn, %u of them noticed\n", op.name, nth - 1,
                noticed);
    return good && nth < FAIL_POINTS_MAX;
}

// Walks the operations that are named on the command line, or all; the status of
// the program.
inline int walk_all(const std::vector<Operation>& operations, int argc, char** argv,
                    const Device& device)
{
    const Injector injector;
    unsigned int failed = 0;

    if (!failures_possible() || !injector) {
        std::fprintf(stderr, "%s: this kernel has no fault injection\n", argv[0]);
        return 77;
    }
    for (const Operation& op : operations) {
        bool wanted = argc == 1;

        for (int i = 1; i < argc; i++)
            wanted = wanted || !std::strcmp(op.name, argv[i]);
        failed += wanted && !walk(op, device, injector);
    }
    return failed ? 1 : 0;
}

}  // namespace vm

#endif
