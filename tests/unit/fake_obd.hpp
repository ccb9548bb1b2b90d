// SPDX-License-Identifier: GPL-2.0-only
/* Object devices in memory: calls are kept as text, refusals are scripted. */
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "lib/port.hpp"

#include <uapi/lustre_lite/obd_ioctl.h>
#include <uapi/lustre_lite/rpc_ioctl.h>

namespace lctl_test {

class FakeObd final : public ll::KernelPort {
public:
    struct Device {
        std::uint32_t index;
        std::string type;
        std::string name;
        std::string uuid;
    };

    int call(unsigned long cmd, void* arg) noexcept override;

    /** Calls since the last look, one a line. */
    std::string take();

    std::vector<Device> devices;
    int refuse = 0;      // errno of what comes
    std::string why;     // its words
    bool loaded = true;  // false: no module answers the calls of object devices

    /* Results of a load of calls: the duration of each, and one failure in so many. */
    std::uint64_t echo_ns = 10'000;
    std::uint64_t echo_fail_every = 0;
    std::uint64_t echo_per_batch = 100;           // calls of one ioctl, at most
    std::array<std::uint64_t, 4> echo_blocker{};  // of a test of a user's lock
    std::vector<ll_rpc_ioc_echo> echoes;          // what was asked for

private:
    int config(obd_ioc_config& arg);
    int device(obd_ioc_device& arg);
    int import(obd_ioc_import& arg);
    int echo(ll_rpc_ioc_echo& arg);
    void echo_learn(ll_rpc_ioc_echo& arg) const;
    std::string name_of(std::uint32_t index) const;

    std::string sent_;
    std::mutex echo_lock_;  // several threads make such calls
    std::uint64_t echo_calls_ = 0;
};

}  // namespace lctl_test
