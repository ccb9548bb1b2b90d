// SPDX-License-Identifier: LGPL-2.1-or-later
// Calls of an echo server, many at a time, and how long they took.
#ifndef LL_ECHO_HPP
#define LL_ECHO_HPP

#include <array>
#include <cstdint>

#include "devices.hpp"
#include "error.hpp"
#include "port.hpp"

#include <uapi/lustre_lite/rpc_ioctl.h>

namespace ll {

// What is asked for.
struct EchoTest {
    ll_echo_op op = LL_ECHO_PING;
    bool check = false;
    bool unstable = false;
    uint32_t inflight = 1;
    uint32_t size = 0;
    uint32_t time_ms = 1000;
    uint64_t calls = 0;  // at most; 0: no limit
    uint64_t resource = 0;
    uint32_t mode = 0;
    uint32_t type = 0;                 // of locks: LDLM_*; 0: LDLM_PLAIN
    std::array<uint64_t, 4> policy{};  // of locks: extent or bits, as wl_policy
    bool exact = false;
    bool keep = false;
    bool nowait = false;
    bool probe = false;        // of locks of users: only what is in the way
    uint64_t grow = 0;         // of locks: bytes of the object from then on; 0: as it is
    uint64_t object_size = 0;  // of punches: likewise
};

// What came of it; results of several tests add up.
struct EchoResult {
    uint64_t done = 0;
    uint64_t failed = 0;
    uint64_t bytes = 0;
    uint64_t ns = 0;  // all of it, the longest of those that ran side by side
    uint64_t min_ns = 0;
    uint64_t max_ns = 0;
    uint64_t sum_ns = 0;
    int first_error = 0;                // errno
    std::array<uint64_t, 4> granted{};  // of locks: policy of the last one, or et_granted
    uint64_t object_size = 0;           // of glimpses: the last one
    std::array<uint64_t, LL_ECHO_BUCKETS> histogram{};

    // All but ns, which is for the caller to say.
    void add(const EchoResult& other);
    uint64_t ended() const { return done + failed; }
    uint64_t average_ns() const { return done == 0 ? 0 : sum_ns / done; }
    // The time within which that part (0 to 1) of the calls that succeeded ended.
    uint64_t within_ns(double part) const;
};

// The shortest time that a bar of the histogram counts, in nanoseconds.
uint64_t echo_bucket_ns(unsigned int bucket);

// One call of LL_RPC_IOC_ECHO_TEST.
Result<EchoResult> echo_test(KernelPort& port, const Device& device, const EchoTest& test);

}  // namespace ll

#endif
