// SPDX-License-Identifier: LGPL-2.1-or-later
#include "echo.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "call.hpp"

namespace ll {

namespace {

constexpr uint64_t kNsPerUs = 1000;

uint32_t flags_of(const EchoTest& test)
{
    return (test.check ? LL_ECHO_CHECK : 0U) | (test.exact ? LL_ECHO_EXACT : 0U) |
           (test.keep ? LL_ECHO_KEEP : 0U) | (test.unstable ? LL_ECHO_UNSTABLE : 0U) |
           (test.grow != 0 ? LL_ECHO_GROW : 0U) | (test.nowait ? LL_ECHO_NOWAIT : 0U) |
           (test.probe ? LL_ECHO_TEST : 0U);
}

}  // namespace

uint64_t echo_bucket_ns(unsigned int bucket)
{
    const uint64_t base = kNsPerUs << bucket / 4;

    return bucket == 0 ? 0 : base + base * (bucket % 4) / 4;
}

void EchoResult::add(const EchoResult& other)
{
    if (other.done != 0) {
        min_ns = done == 0 ? other.min_ns : std::min(min_ns, other.min_ns);
        granted = other.granted;
        object_size = other.object_size;
    }
    max_ns = std::max(max_ns, other.max_ns);
    if (first_error == 0)
        first_error = other.first_error;
    done += other.done;
    failed += other.failed;
    bytes += other.bytes;
    sum_ns += other.sum_ns;
    for (unsigned int n = 0; n < LL_ECHO_BUCKETS; n++)
        histogram[n] += other.histogram[n];
}

// Within a bar calls are taken to be spread evenly.
uint64_t EchoResult::within_ns(double part) const
{
    const double wanted = part * double(done);
    uint64_t before = 0;

    for (unsigned int n = 0; n + 1 < LL_ECHO_BUCKETS; n++) {
        const uint64_t count = histogram[n];

        if (count != 0 && double(before + count) >= wanted) {
            const uint64_t from = echo_bucket_ns(n);
            const double width = double(echo_bucket_ns(n + 1) - from);
            const double inside = std::max(0.0, (wanted - double(before)) / double(count));

            // Not negative; std::llround() would need libm.
            // NOLINTNEXTLINE(bugprone-incorrect-roundings)
            return std::clamp(from + uint64_t(width * inside + 0.5), min_ns, max_ns);
        }
        before += count;
    }
    return max_ns;
}

Result<EchoResult> echo_test(KernelPort& port, const Device& device, const EchoTest& test)
{
    ll_rpc_ioc_echo arg{};
    EchoResult result;

    set_header(&ll_rpc_ioc_echo::et_hdr, arg);
    arg.et_index = device.index;
    arg.et_op = test.op;
    arg.et_flags = flags_of(test);
    arg.et_inflight = test.inflight;
    arg.et_size = test.size;
    arg.et_time_ms = test.time_ms;
    arg.et_calls = test.calls;
    arg.et_resource = test.resource;
    arg.et_mode = test.mode;
    arg.et_type = test.type;
    arg.et_object_size = test.grow != 0 ? test.grow : test.object_size;
    std::copy(test.policy.begin(), test.policy.end(), std::begin(arg.et_policy));

    const int rc = port.call(LL_RPC_IOC_ECHO_TEST, &arg);

    if (rc < 0)
        return call_error(rc, "obdecho", device.name, words_of(arg.et_why));
    result.done = arg.et_done;
    result.failed = arg.et_failed;
    result.bytes = arg.et_bytes;
    result.ns = arg.et_ns;
    result.min_ns = arg.et_min_ns;
    result.max_ns = arg.et_max_ns;
    result.sum_ns = arg.et_sum_ns;
    result.first_error = status_errno(arg.et_first_error);
    result.object_size = arg.et_object_size;
    std::copy(std::begin(arg.et_granted), std::end(arg.et_granted), result.granted.begin());
    std::copy(std::begin(arg.et_histogram), std::end(arg.et_histogram), result.histogram.begin());
    return result;
}

}  // namespace ll
