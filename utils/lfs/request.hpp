// SPDX-License-Identifier: GPL-2.0-only
/*
 * A layout that a user asks for.
 */
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/error.hpp"

namespace lfs {

inline constexpr std::uint16_t kAll = 0xffff;  // as a count
inline constexpr std::uint16_t kAny = 0xffff;  // as an index

struct LayoutRequest {
    std::optional<std::uint16_t> stripe_count;  // 0: the default; kAll
    std::uint32_t stripe_size = 0;              // 0: the default
    std::uint16_t stripe_offset = kAny;
    std::vector<std::uint16_t> osts;  // empty: any
    std::string pool;                 // empty: none
};

inline constexpr std::uint64_t kEndOfFile = ~0ULL;

/** A part of a file, from the end of the one before, or its start, on. */
struct ComponentRequest {
    LayoutRequest layout;
    std::uint64_t end = kEndOfFile;
};

/* Errors of these have real Lustre's words. */
ll::Result<std::uint16_t> parse_stripe_count(std::string_view text);
ll::Result<std::uint32_t> parse_stripe_size(std::string_view text);
ll::Result<std::uint16_t> parse_stripe_offset(std::string_view text);
/** "1,3-5" */
ll::Result<std::vector<std::uint16_t>> parse_ost_list(std::string_view text);
/** "POOL" or "FSNAME.POOL"; "none" stands for an empty name. */
ll::Result<std::string> parse_pool(std::string_view text);

/** "64M"; "-1" and "EOF" stand for kEndOfFile. */
ll::Result<std::uint64_t> parse_component_end(std::string_view text);
/** Whether components follow each other from @start on; the error names the first one that does not. */
ll::Status check_components(const std::vector<ComponentRequest>& components, std::uint64_t start);

/** The bytes for LL_IOC_LOV_SETSTRIPE, or LL_XATTR_NAME_LOV_ADD. */
std::string encode_components(const std::vector<ComponentRequest>& components, std::uint64_t start);
/** The bytes for LL_XATTR_NAME_LOV_DEL: the components of a number, or of LCME_FL_*. */
std::string encode_choice(std::uint32_t id, std::uint32_t flags);
std::string encode_request(const LayoutRequest& request);

}  // namespace lfs
