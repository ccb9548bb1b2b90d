// SPDX-License-Identifier: GPL-2.0
/* Completion of a parameter's name, one component at a time. */
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lib/params.hpp"
#include "lib/pathspec.hpp"
#include "lctl/shell/prefix_lister.hpp"

namespace lctl::shell {

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
 * The components before the last may have globs; then a few of the directories
 * that match speak for all of them. Whatever fails has no matches.
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
