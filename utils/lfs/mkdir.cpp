// SPDX-License-Identifier: GPL-2.0-only
/*
 * mkdir: directories of other metadata targets, which this release does not make.
 */
#include <cerrno>

#include "lfs/lfs.hpp"

namespace lfs {

namespace {

constexpr Option kOptions[] = {
    {.letter = 'i', .name = "mdt-index", .argument = "INDEX", .help = "on this MDT"},
    {.letter = 'c', .name = "mdt-count", .argument = "COUNT", .help = "over so many MDTs"},
};

void run_mkdir(Context& context, const Arguments& arguments)
{
    const bool chosen = arguments.has("mdt-index") || arguments.has("mdt-count");

    context.error(chosen ? "this release has directories on MDT0000 only: use mkdir(1)"
                         : "without an MDT to choose use mkdir(1)",
                  chosen ? EOPNOTSUPP : EINVAL);
}

}  // namespace

const Command mkdir_command = {
    .spec = {.name = "mkdir",
             .operands = "DIRECTORY...",
             .takes = {1, lctl::kMany},
             .summary = "refused: directories on a chosen MDT are not supported yet",
             .options = kOptions},
    .run = run_mkdir,
};

}  // namespace lfs
