// SPDX-License-Identifier: GPL-2.0-only
/*
 * Object devices in memory: what is sent is kept as text, refusals are scripted.
 */
#pragma once

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

    /** What was sent since the last call, a line each. */
    std::string take();

    std::vector<Device> devices;
    int refuse = 0;      // errno of what comes
    std::string why;     // its words
    bool loaded = true;  // false: no module answers the calls of object devices

    /* What a load of calls meets: each takes so long, and one in so many fails. */
    std::uint64_t echo_ns = 10'000;
    std::uint64_t echo_fail_every = 0;
    std::uint64_t echo_per_batch = 100;   // calls of one ioctl, at most
    std::vector<ll_rpc_ioc_echo> echoes;  // what was asked for

private:
    int config(obd_ioc_config& arg);
    int device(obd_ioc_device& arg);
    int import(obd_ioc_import& arg);
    int echo(ll_rpc_ioc_echo& arg);
    std::string name_of(std::uint32_t index) const;

    std::string sent_;
    std::mutex echo_lock_;  // several threads make such calls
    std::uint64_t echo_calls_ = 0;
};

}  // namespace lctl_test
