// SPDX-License-Identifier: GPL-2.0-only
/*
 * data_version: numbers of the contents of files.
 */
#include <fmt/format.h>

#include "lfs/lfs.hpp"

namespace lfs {

namespace {

constexpr Option kOptions[] = {
    {.letter = 'r',
     .name = "read",
     .help = "other clients write what they have changed before, as without it"},
    {.letter = 'w', .name = "write", .help = "likewise; for scripts of Lustre"},
    {.letter = 'n', .name = "none", .help = "likewise; for scripts of Lustre"},
};

std::uint32_t flags_of(const Arguments& arguments)
{
    if (arguments.has("write"))
        return LL_DV_WR_FLUSH;
    return arguments.has("none") ? 0 : LL_DV_RD_FLUSH;
}

void run_data_version(Context& context, const Arguments& arguments)
{
    const bool several = arguments.operands.size() > 1;

    for (const std::string_view path : arguments.operands) {
        const auto version = context.files.data_version(std::string(path), flags_of(arguments));

        if (!version)
            context.error(path, version.error());
        else if (!context.is_text())
            context.printer().item({{"file", path}, {"data_version", *version}});
        else
            context.line(several ? path : "", fmt::format("{}", *version));
    }
}

}  // namespace

const Command data_version_command = {
    .spec = {.name = "data_version",
             .operands = "FILE...",
             .takes = {1, lctl::kMany},
             .summary = "print numbers of the contents of files",
             .help =
                 "As long as a program has the file open and the number is the same, the content "
                 "is the\n"
                 "same. Numbers are those of this client.\n",
             .options = kOptions,
             .prints = lctl::Prints::Array},
    .run = run_data_version,
};

}  // namespace lfs
