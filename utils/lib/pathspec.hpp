// SPDX-License-Identifier: LGPL-2.1-or-later
// What a person types for a parameter's name, and how a name is printed.
//
// The kernel's form of a path is "raw": components joined by '/', any other
// byte as it is. The form of a person is "display": joined by '.', with a
// backslash before what would be read otherwise.
#ifndef LL_PATHSPEC_HPP
#define LL_PATHSPEC_HPP

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "error.hpp"
#include "pattern.hpp"

namespace ll {

struct Component {
    enum class Kind {
        Literal,   // `text` is the name
        Glob,      // `glob` matches the name; `text` is its source
        AnyDepth,  // "**": any number of components, also none
    };
    Kind kind = Kind::Literal;
    bool dot_follows = false;  // the separator after it was '.', not '/'
    std::string text;
    Pattern glob;
};

class PathSpec {
public:
    // Separators are '.' and '/'. A dot belongs to the name when it is
    // written "\.", stands in quotes ("..." or '...'; globs are plain there
    // too), or is part of a NID after a component "exports" or after "MGC".
    // One trailing '/', '@' or '=' (list_param -F) is dropped. An empty text
    // is the root. EINVAL with words otherwise.
    static Result<PathSpec> parse(std::string_view text);

    // A raw path, taken as it is: no globs, no escapes.
    static PathSpec from_raw(std::string_view raw);

    // The same with the literal components first .. last made one, dots between.
    PathSpec joined(size_t first, size_t last) const;

    // Its first `count` components.
    PathSpec beginning(size_t count) const;

    const std::vector<Component>& components() const { return components_; }
    const std::string& source() const { return source_; }  // as typed
    bool is_literal() const;
    size_t literal_prefix() const;  // leading components without a glob

    // Components [first, last) joined by '/': a raw path if all are literal.
    std::string raw(size_t first, size_t last) const;
    std::string raw() const { return raw(0, components_.size()); }

    // As real lctl names a path that it did not find: joined by '/'.
    std::string slashed() const;

private:
    std::string source_;
    std::vector<Component> components_;
};

// The patterns that the kernel stores for what a person typed, one for each choice
// of its braces; as typed where there are neither braces nor quotes. EINVAL with
// words also for "**", which the kernel does not apply.
Result<std::vector<std::string>> stored_patterns(std::string_view text);

// Is this a NID: address, '@', network ("10.0.0.1@tcp", "fe80::1@tcp3", "0@lo")?
bool is_nid(std::string_view text);

// What the bytes of a name ask for, all of them together.
enum NameNeeds : uint8_t {
    NeedsNothing = 0,  // it is displayed as it is
    NeedsLook = 1,     // append_display() has to decide
    NeedsRefusal = 2,  // no name holds such a byte
};
extern const std::array<uint8_t, 256> kNameNeeds;

// Append one component as it is displayed; `parent` is the component before it
// (after "exports" a NID keeps its dots). No separator is put.
void append_display(std::string& out, std::string_view parent, std::string_view name);

// A raw path as it is displayed; parsing it gives the raw path back.
std::string display_path(std::string_view raw);

// The last component of a raw path, and all before it.
std::string_view raw_name(std::string_view raw);
std::string_view raw_parent(std::string_view raw);

}  // namespace ll

#endif
