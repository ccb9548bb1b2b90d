// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suggest.hpp"

#include <algorithm>
#include <vector>

namespace ll {

size_t edit_distance(std::string_view a, std::string_view b, size_t limit)
{
    if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > limit)
        return limit + 1;
    // Rows of the table of distances between beginnings: two above, above, this.
    std::vector<size_t> old(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); j++)
        above[j] = j;
    for (size_t i = 1; i <= a.size(); i++) {
        row[0] = i;
        for (size_t j = 1; j <= b.size(); j++) {
            const size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], old[j - 2] + 1);
        }
        old.swap(above);
        above.swap(row);
    }
    return std::min(above[b.size()], limit + 1);
}

std::string_view nearest_name(std::string_view typed, std::span<const std::string_view> names)
{
    constexpr size_t kMost = 2;
    std::string_view best;
    size_t least = kMost + 1;

    for (const std::string_view name : names) {
        const size_t edits = name.starts_with(typed) ? 0 : edit_distance(typed, name, kMost);
        if (edits < least && edits < typed.size()) {
            least = edits;
            best = name;
        }
    }
    return best;
}

std::string did_you_mean(std::string_view name)
{
    return name.empty() ? std::string() : "; did you mean '" + std::string(name) + "'?";
}

}  // namespace ll
