// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers as a person types them to a tool. (Values of parameters are parsed by
// the kernel, which knows their type and range.)
#ifndef LL_NUMBER_HPP
#define LL_NUMBER_HPP

#include <cstdint>
#include <string_view>

#include "error.hpp"

namespace ll {

// Decimal, or hexadecimal after "0x"; nothing before or after. EINVAL if it is not a number,
// ERANGE above `max`.
Result<uint64_t> parse_number(std::string_view text, uint64_t max = UINT64_MAX);

// The same with an optional K, M, G, T, P or E (powers of 1024; also "KiB",
// "kB" ...), and an optional decimal fraction ("1.5M").
Result<uint64_t> parse_size(std::string_view text);

}  // namespace ll

#endif
