// SPDX-License-Identifier: GPL-2.0-only
/* Completion of names of parameters, level by level. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/error.hpp"
#include "lib/function_ref.hpp"
#include "lib/params.hpp"
#include "lib/pathspec.hpp"
#include "lib/port.hpp"

namespace lctl::shell {

/** A name, or the beginning that several names share. */
struct Child {
    std::string name;
    bool whole = true;       // false: names go on after it
    bool directory = false;  // or a link to one
    bool readable = false;
    bool writable = false;
};

class PrefixLister {
public:
    /** Beyond @limit names that begin alike only beginnings are returned. */
    PrefixLister(ll::KernelPort& port, std::size_t limit) : port_(port), limit_(limit) {}

    /** @directory is raw: components joined by '/'. */
    ll::Result<std::vector<Child>> find(std::string_view directory, std::string_view prefix);

private:
    using Visitor = ll::FunctionRef<bool(const Child&)>;

    ll::Status walk(std::string_view directory, std::string after, std::size_t buffer_size,
                    Visitor visit);
    ll::Result<std::vector<Child>> beginnings(std::string_view directory, std::string prefix);
    ll::Result<std::vector<Child>> ways_on(std::string_view directory, std::string_view prefix);

    ll::KernelPort& port_;
    std::size_t limit_;
};

/** What a name that was begun can become. */
struct NameMatch {
    std::string text;       // as it is typed, from the first component on
    std::size_t shown = 0;  // where in it the last component begins
    bool whole = true;
    bool directory = false;
    bool readable = false;
    bool writable = false;
};

/**
 * The components before the last may have globs; then a few of the matching directories
 * represent all of them. A failed call has no matches.
 */
class NameCompleter {
public:
    explicit NameCompleter(ll::KernelPort& port);

    std::vector<NameMatch> complete(std::string_view typed);

    /** Raw path of the first entry that @typed, globs and all, stands for; or "". */
    std::string first_entry(std::string_view typed);

private:
    std::vector<std::string> directories(const ll::PathSpec& spec, std::size_t count);
    std::vector<std::string> children_like(const std::string& parent, const ll::Pattern& glob,
                                           std::size_t count);
    bool complete_below(std::string_view parent_typed, std::string_view begun,
                        std::vector<NameMatch>& matches);

    ll::Params params_;
    PrefixLister lister_;
};

}  // namespace lctl::shell
