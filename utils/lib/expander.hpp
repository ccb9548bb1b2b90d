// SPDX-License-Identifier: LGPL-2.1-or-later
// The search of expand() and visit_matching(), for use within the library.
#ifndef LL_EXPANDER_HPP
#define LL_EXPANDER_HPP

#include <span>
#include <string>
#include <vector>

#include "expand.hpp"

namespace ll {

// Hands every entry that `spec` means to `sink`. One that was not looked up has
// mode 0. With `recursive` all below a match comes too.
class Expander {
public:
    Expander(Params& params, const PathSpec& spec, Tail tail, bool links, bool recursive,
             EntryVisitor sink)
        : params_(params),
          spec_(spec),
          sink_(sink),
          tail_(tail),
          links_(links),
          recursive_(recursive)
    {
    }

    Status run();

    // The sink does not look at `display`.
    void leave_out_display() { display_ = false; }

private:
    Visit hand_on(const EntryView& entry, EntryVisitor to);
    void give(std::string_view path, const Entry& entry);
    Status match_below(const std::string& base, std::span<const Component> parts, bool inherit,
                       EntryVisitor found);
    Status finish(const std::string& path);
    bool skips(const Entry& entry) const;
    Status list_below(const std::string& path);
    Status finish_all(const std::vector<std::string>& paths, std::string_view tail);
    Status descend(std::vector<std::string>& paths, size_t first, size_t last);
    Status match_rest(const std::vector<std::string>& paths, size_t first);

    Params& params_;
    const PathSpec& spec_;
    EntryVisitor sink_;
    Tail tail_;
    bool links_;
    bool recursive_;
    bool display_ = true;
    bool stopped_ = false;
};

// The entry `path` as a visitor sees it.
EntryView view_of(std::string_view path, const Entry& entry, std::string_view display);

// Where a literal beginning of `spec` is not there as typed: another reading in
// which some of its dots belong to names ("a.b" for a name "a.b"). A shell eats
// the backslash of "a\.b", so this is what a name that was pasted looks like.
std::optional<PathSpec> reread_dots(Params& params, const PathSpec& spec);

}  // namespace ll

#endif
