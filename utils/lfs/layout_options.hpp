// SPDX-License-Identifier: GPL-2.0-only
/*
 * Options that say which layout a file is to have, of setstripe and migrate.
 */
#pragma once

#include <array>
#include <string>
#include <vector>

#include "lfs/lfs.hpp"
#include "lfs/request.hpp"

namespace lfs {

inline constexpr std::array kLayoutOptions = {
    Option{.letter = 'c',
           .name = "stripe-count",
           .argument = "COUNT",
           .help = "number of stripes (0: the default; -1: all OSTs)"},
    Option{.letter = 'S',
           .name = "stripe-size",
           .argument = "SIZE",
           .help = "bytes of a stripe, a multiple of 64k; k, m and g are units (0: the default)"},
    Option{
        .letter = 'i', .name = "stripe-index", .argument = "INDEX", .help = "first OST (-1: any)"},
    Option{.letter = 'o',
           .name = "ost",
           .argument = "LIST",
           .help = "use these OSTs in this order, such as 1,3-5"},
    Option{.letter = 'p',
           .name = "pool",
           .argument = "POOL",
           .help = "use OSTs of a pool (none: any)"},
    Option{.letter = 'E',
           .name = "component-end",
           .argument = "END",
           .help = "the options after it are for a component that ends there (-1: with the file)"},
    Option{.letter = 'L',
           .name = "layout",
           .argument = "PATTERN",
           .help = "raid0, which is the default; mdt, released and others are refused"},
    Option{.letter = 'C',
           .name = "overstripe-count",
           .argument = "COUNT",
           .help = "refused: an OST has no more than one stripe of a layout"},
    Option{.letter = 'N',
           .name = "mirror-count",
           .argument = "COUNT",
           .help = "refused: files have one copy of their data"},
};

using Components = std::vector<ComponentRequest>;

/** The layout that the options ask for: one component if it is plain. */
ll::Result<Components> components_of(const Arguments& arguments);

/** The bytes for LL_IOC_LOV_SETSTRIPE. */
std::string bytes_of(const Arguments& arguments, const Components& components);

/** The OSTs that are named, against those that the file system has. */
ll::Status check_targets(Files& files, const std::string& mount, const Components& components);

/** A layout needs space for its objects, or for itself. */
enum class SpaceFor { Objects, Layout };

/**
 * Why the server refused a layout: it knows more than its errno says.
 */
std::string refusal_of(const ll::Error& error, const Components& components,
                       SpaceFor space = SpaceFor::Objects);

}  // namespace lfs
