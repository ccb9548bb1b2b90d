// SPDX-License-Identifier: LGPL-2.1-or-later
// Suggestions for mistyped names: of a list, of the tree.
#ifndef LL_SUGGEST_HPP
#define LL_SUGGEST_HPP

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ll {

class Params;
class PathSpec;

// Number of single-byte edits (insert, delete, replace, swap neighbours) between
// two names; `limit` + 1 when there are more than `limit`.
size_t edit_distance(std::string_view a, std::string_view b, size_t limit);

// The one of `names` that `typed` was meant to be: it begins so, or one or two bytes
// differ; "" for none.
std::string_view nearest_name(std::string_view typed, std::span<const std::string_view> names);

// "; did you mean 'NAME'?", or "" without a name.
std::string did_you_mean(std::string_view name);

// Names like the one that was not found, nearest first, displayed in full; from
// the directory where `spec` stops to match. At most `count`.
std::vector<std::string> near_names(Params& params, const PathSpec& spec, size_t count = 3);

}  // namespace ll

#endif
