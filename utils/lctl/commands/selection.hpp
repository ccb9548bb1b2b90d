// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the commands that look at parameters have in common: which entries are
 * meant, how they are printed, and the options that say so.
 */
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

#include <tl/expected.hpp>

#include "lctl/command.hpp"
#include "lctl/context.hpp"
#include "lctl/output/output.hpp"
#include "lib/function_ref.hpp"
#include "lib/params.hpp"
#include "lib/pathspec.hpp"

namespace lctl {

struct Selection {
    Style style;
    bool recursive = false;
    bool links = true;
    bool merge = false;     // a name once, though several patterns match it
    bool readable = false;  // only those that can be read
    bool writable = false;  // only those that can be written
    bool tunable = false;   // only settings
    bool dirs = false;      // only directories
    bool describe = false;

    bool accepts(const ll::EntryView& entry) const;
    bool has_filter() const { return !links || readable || writable || tunable || dirs; }

private:
    bool accepts_kind(const ll::EntryView& entry) const;
};

/**
 * @selection has the command's defaults and is changed by what was given.
 *
 * Return: the selection, or an error text
 */
tl::expected<Selection, std::string> parse_selection(Context& context, const Arguments& arguments,
                                                     Selection selection);

/** From the patterns on a command line to the entries that are meant. */
class PatternVisitor {
public:
    PatternVisitor(ll::Params& params, const Selection& selection, Report& report);

    /**
     * @named: the pattern names what matches, rather than leaving it to a glob at
     * its end or to a recursion
     */
    using Visitor = ll::FunctionRef<void(const ll::EntryView& entry, bool named)>;

    /**
     * What a pattern matches and the selection accepts goes to @visit; that
     * nothing matches is reported. What a read would change is read only when it
     * is named and accepted, and comes without a value otherwise.
     *
     * Return: false when a failure was reported.
     */
    bool visit(std::string_view pattern, Visitor visit);

private:
    bool is_new(std::string_view path);
    bool must_look_first(const ll::PathSpec& spec) const;
    ll::Result<std::size_t> visit_at_once(const ll::PathSpec& spec, Visitor visit);
    ll::Result<std::size_t> look_and_read(const ll::PathSpec& spec, Visitor visit);

    ll::Params& params_;
    const Selection& selection_;
    Report& report_;
    std::unordered_set<std::string> seen_;
};

/** How a path that came by itself lies to a pattern. */
enum class Relation : std::uint8_t {
    None,
    Above,  // something below the path could match
    Below,  // something above the path matches
    Match,
};

/** @path is raw. Where several are true, the later in the enum is returned. */
Relation relate(const ll::PathSpec& spec, std::string_view path);

namespace options {

inline constexpr Option kFoldDevices = {
    .letter = 'b',
    .name = "dshbak",
    .help = "print devices with equal values as one, osc.{a,b}.state=...",
};
inline constexpr Option kColor = {
    .letter = 'c',
    .name = "color",
    .argument = "WHEN",
    .help = "colour names by kind (NO_COLOR disables auto)",
    .choices = "auto|always|yes|never|no",
};
inline constexpr Option kDescribe = {
    .name = "describe",
    .help = "print type, access, unit, range, default and description",
};
inline constexpr Option kDirOnly = {
    .letter = 'D',
    .name = "dir-only",
    .help = "print directories only",
};
inline constexpr Option kClassify = {
    .letter = 'F',
    .name = "classify",
    .help = "append / to directories, @ to links, = to writable parameters",
};
inline constexpr Option kHeader = {
    .letter = 'H',
    .name = "header",
    .help = "print the name before each line of a value",
};
inline constexpr Option kLinks = {
    .letter = 'l',
    .name = "links",
    .help = "follow symbolic links (default)",
};
inline constexpr Option kNoLinks = {
    .letter = 'L',
    .name = "no-links",
    .help = "omit symbolic links",
};
inline constexpr Option kMerge = {
    .letter = 'm',
    .name = "merge",
    .help = "print a name once, even if several patterns match it",
};
inline constexpr Option kNoMerge = {
    .letter = 'M',
    .name = "no-merge",
    .help = "print a name for each pattern that matches it",
};
inline constexpr Option kModule = {
    .letter = 'o',
    .name = "module",
    .help = "refused: module parameters are not part of the tree",
};
inline constexpr Option kNoName = {
    .letter = 'n',
    .name = "no-name",
    .help = "print values without names",
};
inline constexpr Option kOnlyName = {
    .letter = 'N',
    .name = "only-name",
    .help = "print names only, read no value",
};
inline constexpr Option kPath = {
    .letter = 'p',
    .name = "path",
    .help = "print paths as in the kernel: joined by /, without escapes",
};
inline constexpr Option kReadable = {
    .letter = 'r',
    .name = "readable",
    .help = "select readable parameters only",
};
inline constexpr Option kRecursive = {
    .letter = 'R',
    .name = "recursive",
    .help = "include everything below a match",
};
inline constexpr Option kTunable = {
    .letter = 't',
    .name = "tunable",
    .help = "select settings only, not statistics and states",
};
inline constexpr Option kWritable = {
    .letter = 'w',
    .name = "writable",
    .help = "select writable parameters only; with -r: both",
};
inline constexpr Option kNull = {
    .letter = '0',
    .name = "null",
    .help = "end each item with a NUL instead of a newline",
};

}  // namespace options

}  // namespace lctl
