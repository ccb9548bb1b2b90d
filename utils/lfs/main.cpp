// SPDX-License-Identifier: GPL-2.0-only
/*
 * lfs: layouts of files, free space and targets of mounted file systems.
 */
#include <unistd.h>

#include "lctl/guard.hpp"
#include "lfs/lfs.hpp"
#include "lfs/system_files.hpp"

int main(int argc, char** argv)
{
    return lctl::guarded("lfs", 0, [&] {
        lctl::Writer out(STDOUT_FILENO);
        lctl::Writer err(STDERR_FILENO);
        lfs::SystemFiles files;
        lfs::Context context(files, out, err);

        return lfs::run(context, argc, argv);
    });
}
