// SPDX-License-Identifier: GPL-2.0
/* The kernel's debug log as the commands use it. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "lib/error.hpp"
#include "lib/port.hpp"

namespace lctl {

/** What was read of the log. */
struct DebugLog {
    std::string bytes;         // records as the kernel packs them
    std::uint64_t lost = 0;    // overwritten while they were read
    std::uint64_t cursor = 0;  // stands behind the last record read

    std::span<const std::byte> records() const
    {
        return std::as_bytes(std::span(bytes.data(), bytes.size()));
    }
};

/** All that the log holds now. */
ll::Result<DebugLog> read_debug_log(ll::KernelPort& port);

/** Drop the records before @cursor, all of them for 0. */
ll::Status clear_debug_log(ll::KernelPort& port, std::uint64_t cursor);

/** Write a text into the log. */
ll::Status mark_debug_log(ll::KernelPort& port, std::string_view text);

}  // namespace lctl
