// SPDX-License-Identifier: GPL-2.0-only
/*
 * The management service in memory: logs are given, changes are kept as text, refusals and
 * results of nodes are scripted. Calls of the parameters tree go to a tree.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "fake_tree.hpp"
#include "lib/port.hpp"

#include <uapi/lustre_lite/mgs_ioctl.h>

namespace lctl_test {

class FakeMgs final : public ll::KernelPort {
public:
    struct Log {
        std::vector<std::byte> bytes;
        std::uint64_t generation = 1;
    };

    int call(unsigned long cmd, void* arg) noexcept override;

    /** Calls since the last look, one a line. */
    std::string take();

    FakeTree tree;
    std::map<std::string, Log> logs;
    bool runs = true;    // false: no service runs here
    bool loaded = true;  // false: no module answers the calls

    /* Changes: errno and words by the first text of a change, "" for all. */
    std::map<std::string, std::pair<int, std::string>> refusals;
    std::string remark;
    std::uint64_t generation = 100;  // of the next change; 0: it changes nothing

    /* Result of a wait. */
    int wait_rc = 0;
    std::uint32_t nodes = 3;
    std::uint32_t behind = 0;
    std::uint32_t failed = 0;
    std::string wait_why;

    std::function<void()> at_read;         // runs before each read of a log
    std::uint32_t most_read = UINT32_MAX;  // bytes of one read

private:
    int change(mgs_ioc_change& arg);
    int wait(mgs_ioc_wait& arg);
    int list(mgs_ioc_logs& arg) const;
    int read(mgs_ioc_read& arg);

    std::string sent_;
};

}  // namespace lctl_test
