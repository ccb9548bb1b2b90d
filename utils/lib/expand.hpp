// SPDX-License-Identifier: LGPL-2.1-or-later
// From a name with globs to the entries that it means.
#ifndef LL_EXPAND_HPP
#define LL_EXPAND_HPP

#include <string>
#include <vector>

#include "params.hpp"
#include "pathspec.hpp"

namespace ll {

// Treatment of literal components after the last glob ("b" in "a.*.b").
enum class Tail {
    Verify,  // they are looked up: every path exists, with mode and type
    Leave,   // they are appended: reading or writing finds out (ENOENT: drop it)
};

// The paths that `spec` means. In Tail::Leave, and for a spec without any glob,
// an entry may not exist and has mode 0. A wide glob costs a handful of calls.
// No value is read. Links are followed only where a component names them; "**"
// does not follow any. A path is found once.
Result<std::vector<Entry>> expand(Params& params, const PathSpec& spec, Tail tail,
                                  bool links = true);

struct Query {
    bool recursive = false;  // also all below what matches
    bool values = true;      // false: names only, no value is read
    bool links = true;       // false: a glob neither matches nor follows a link
};

// The entries that match, with their values unless asked otherwise, handed to
// `visit` as they come. Returns how many were visited; nothing found is 0. In a
// recursion, what has a side effect when read comes without a value, unless the
// spec names it without a glob. A directory comes without a value and without
// an error.
Result<size_t> visit_matching(Params& params, const PathSpec& spec, Query query,
                              EntryVisitor visit);

// The writes of one text to all that match; a directory that a glob matched is skipped. If
// the spec ends in literal components after a glob, the writes are `optional`: the entry may
// be missing. Collect what several specs plan and give it to write_planned() at once.
Result<std::vector<Write>> plan_writes(Params& params, const PathSpec& spec, std::string_view text);

// Results of planned writes; optional ones without an entry are skipped. Entries that cannot
// be written are among the replies as failed.
struct SetResult {
    std::vector<std::string> paths;  // raw, one for each reply
    BatchReply batch;
};
Result<SetResult> write_planned(Params& params, std::vector<Write> writes, WriteMode mode);

}  // namespace ll

#endif
