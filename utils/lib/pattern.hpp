// SPDX-License-Identifier: LGPL-2.1-or-later
// A glob over one component of a name.
#ifndef LL_PATTERN_HPP
#define LL_PATTERN_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "error.hpp"

namespace ll {

// What the kernel's patterns have, <lustre_lite/pattern.h>, and on top of it {a,b}:
// either of some patterns. Matching takes time linear in pattern times name for
// each alternative: it does not branch.
class Pattern {
public:
    // EINVAL, E2BIG (too many alternatives), ENAMETOOLONG; with words.
    static Result<Pattern> parse(std::string_view text);

    bool matches(std::string_view name) const;
    bool matches_all() const { return matches_all_; }  // it is "*"

    // Does `text` hold a glob character that no backslash takes away?
    static bool has_glob(std::string_view text);

    // Bytes of what goes together at text[at], as the kernel reads it: an escaped
    // character, a set, or one byte.
    static size_t unit(std::string_view text, size_t at);

    // After the braces that open at text[at]; npos if they are not closed.
    static size_t brace_end(std::string_view text, size_t at);

    // The patterns without braces that it is made of, as the kernel takes them.
    const std::vector<std::string>& alternatives() const { return alternatives_; }

private:
    Status add_alternatives(const std::string& text, size_t from);
    Status add_alternative(std::string text);

    std::vector<std::string> alternatives_;
    size_t bytes_ = 0;  // of all alternatives
    bool matches_all_ = false;
};

}  // namespace ll

#endif
