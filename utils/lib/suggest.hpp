// SPDX-License-Identifier: LGPL-2.1-or-later
// Suggestions for mistyped names.
#ifndef LL_SUGGEST_HPP
#define LL_SUGGEST_HPP

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace ll {

// Number of single-byte edits (insert, delete, replace, swap neighbours) between
// two names; `limit` + 1 when there are more than `limit`.
size_t edit_distance(std::string_view a, std::string_view b, size_t limit);

// The one of `names` that `typed` was meant to be: it begins so, or one or two bytes
// differ; "" for none.
std::string_view nearest_name(std::string_view typed, std::span<const std::string_view> names);

// "; did you mean 'NAME'?", or "" without a name.
std::string did_you_mean(std::string_view name);

}  // namespace ll

#endif
