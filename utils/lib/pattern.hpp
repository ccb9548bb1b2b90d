// SPDX-License-Identifier: GPL-2.0
// A glob over one component of a name.
#ifndef LL_PATTERN_HPP
#define LL_PATTERN_HPP

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "error.hpp"

namespace ll {

// * any bytes, ? one byte, [set] [!set] [^set] one byte of a set, {a,b} either
// of some patterns, \c the byte c. A '[' that is not closed is itself. Matching
// takes time linear in pattern times name: it does not branch.
class Pattern {
public:
    // EINVAL, E2BIG (too many alternatives), ENAMETOOLONG; with words.
    static Result<Pattern> parse(std::string_view text);

    bool matches(std::string_view name) const;
    bool matches_all() const { return matches_all_; }  // it is "*"

    // Does `text` hold a glob character that no backslash takes away?
    static bool has_glob(std::string_view text);

    // Behind the set or the braces that begin at text[at]; npos if they are
    // not closed.
    static size_t set_end(std::string_view text, size_t at);
    static size_t brace_end(std::string_view text, size_t at);

private:
    struct Token {
        enum Kind : uint8_t { Byte, Any, Set, Star } kind;
        uint8_t byte;
        uint16_t set;  // index into sets_
    };
    using Tokens = std::vector<Token>;

    Status add_alternatives(const std::string& text, size_t from);
    Status add_alternative(std::string_view text);
    size_t add_token(Tokens& tokens, std::string_view text, size_t i);
    void add_set(std::string_view inside);
    bool run(const Tokens& tokens, std::string_view name) const;
    bool token_matches(const Token& token, uint8_t byte) const;

    std::vector<Tokens> alternatives_;
    size_t tokens_ = 0;  // of all alternatives
    std::vector<std::bitset<256>> sets_;
    bool matches_all_ = false;
};

}  // namespace ll

#endif
