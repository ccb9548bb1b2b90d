// SPDX-License-Identifier: LGPL-2.1-or-later
// The management service of this node: changes, nodes that have applied them, logs.
#ifndef LL_MGS_HPP
#define LL_MGS_HPP

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "error.hpp"
#include "log_bytes.hpp"
#include "port.hpp"

#include <uapi/lustre_lite/mgs_ioctl.h>

namespace ll {

// A change that is asked for; what texts it takes mgs_ioctl.h says.
struct MgsChange {
    mgs_change_op op = MGS_SET_PARAM;
    std::vector<std::string> args;
    uint32_t index = 0;
    bool dry_run = false;
    bool force = false;
};

struct MgsChanged {
    uint64_t generation = 0;  // to wait for; 0: nothing had to be changed
    uint32_t records = 0;
    uint32_t logs = 0;
    std::string remark;  // what there is to say besides, may be empty
};

// Nodes that follow what a generation changed.
struct MgsNodes {
    uint32_t all = 0;
    uint32_t behind = 0;
    uint32_t failed = 0;
    std::string why;  // the first of those, and why
};

struct MgsLog {
    std::string name;
    uint64_t epoch = 0;
    uint64_t generation = 0;
    uint64_t size = 0;
    uint32_t records = 0;
    uint32_t last_index = 0;
};

// ENODEV, with a reason, if no service runs on this node.
Result<MgsChanged> mgs_change(KernelPort& port, const MgsChange& change);
// Until every connected node has applied the change, or the time is over: then `behind` is not 0.
Result<MgsNodes> mgs_wait(KernelPort& port, uint64_t generation, std::chrono::milliseconds limit);
Result<std::vector<MgsLog>> mgs_logs(KernelPort& port);
// The bytes of a log, of one moment.
Result<std::unique_ptr<LogBytes>> mgs_log_bytes(KernelPort& port, const std::string& name);

}  // namespace ll

#endif
