// SPDX-License-Identifier: LGPL-2.1-or-later
// Feeding a config log to the kernel's consumer.
#ifndef LL_REPLAY_HPP
#define LL_REPLAY_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include "function_ref.hpp"
#include "port.hpp"

#include <uapi/lustre_lite/obd_ioctl.h>

namespace ll {

struct ReplayRequest {
    int fd = -1;            // of the log
    uint64_t instance = 0;  // 0: names of devices stay as they are
    std::string uuid;       // empty: those of the log
    std::string exclude;    // targets, joined by ':'
    bool dry_run = false;
};

// What became of a record; the texts are good during the call they are given to.
struct ReplayRecord {
    uint32_t index = 0;
    uint32_t command = 0;
    obd_replay_done done = OBD_REPLAY_APPLIED;
    int code = 0;  // errno, positive; 0 where nothing failed
    std::string_view device;
    std::string_view why;
};

struct ReplayTotals {
    uint64_t applied = 0;
    uint64_t skipped = 0;
    uint64_t failed = 0;
    uint64_t ignored = 0;
    uint32_t last = 0;      // index of the last record that was looked at
    int first_failure = 0;  // errno of the first record that failed
};

// Replays all of the log; `totals` is right also where it ends with an error.
Status replay_log(KernelPort& port, const ReplayRequest& request,
                  FunctionRef<void(const ReplayRecord&)> report, ReplayTotals& totals);

// Takes all devices of an instance down. Returns how many there were.
Result<uint32_t> remove_instance(KernelPort& port, uint64_t instance, bool force);

}  // namespace ll

#endif
