// SPDX-License-Identifier: GPL-2.0
/*
 * Changes of the configuration, as commands make them: options that all have, and
 * what is said of what became of it.
 */
#pragma once

#include <span>
#include <string>

#include "lctl/command.hpp"
#include "lctl/context.hpp"
#include "lib/mgs.hpp"

namespace lctl {

namespace options {

constexpr Option kMgsDryRun = {
    .letter = 'n', .name = "dry-run", .help = "check, and say what would be done"};
constexpr Option kMgsForce = {.name = "force", .help = "store what no parameter takes, too"};
constexpr Option kMgsWait = {
    .letter = 'w',
    .name = "wait",
    .argument = "SECONDS",
    .optional = true,
    .help = "return when all connected nodes have applied it, after SECONDS (60) at most",
};

}  // namespace options

/**
 * Make a change and, with --wait, wait for the nodes. Errors were printed.
 *
 * @change: --dry-run and --force are taken from @arguments
 * @what: begins what is printed: "osc.*.max_dirty_mb=64"; empty: print nothing
 * Return: 0 or an errno: ETIMEDOUT when nodes are behind, EREMOTEIO when one could
 * not apply it
 */
int make_change(Context& context, const Arguments& arguments, ll::MgsChange change,
                const std::string& what);

}  // namespace lctl
