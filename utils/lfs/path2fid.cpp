// SPDX-License-Identifier: GPL-2.0-only
/*
 * path2fid: FIDs of files.
 */
#include <fmt/format.h>

#include "lfs/lfs.hpp"

namespace lfs {

namespace {

void run_path2fid(Context& context, const Arguments& arguments)
{
    const bool several = arguments.operands.size() > 1;

    for (const std::string_view path : arguments.operands) {
        const auto fid = context.files.fid(std::string(path));
        char text[FID_TEXT_SIZE];

        if (!fid)
            context.error(path, fid.error());
        else if (!context.is_text())
            context.printer().item({{"file", path}, {"fid", fid_text(&*fid, text)}});
        else
            context.out.put(fmt::format("{}{}[{}]\n", several ? path : "", several ? ": " : "",
                                        fid_text(&*fid, text)));
    }
}

}  // namespace

const Command path2fid_command = {
    .spec = {.name = "path2fid",
             .operands = "PATH...",
             .takes = {1, lctl::kMany},
             .summary = "print the FIDs of files",
             .prints = lctl::Prints::Array},
    .run = run_path2fid,
};

}  // namespace lfs
