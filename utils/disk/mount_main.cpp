// SPDX-License-Identifier: GPL-2.0-only
/*
 * mount.lustre-lite: what mount(8) runs for this type of file system.
 */
#include <unistd.h>

#include "disk/mounter.hpp"
#include "lctl/guard.hpp"

/* What mount(8) calls a failed mount. */
constexpr int kMountFailed = 32;

int main(int argc, char** argv)
{
    return lctl::guarded("mount.lustre-lite", kMountFailed, [&] {
        lctl::Writer out(STDOUT_FILENO);
        lctl::Writer err(STDERR_FILENO);
        disk::RealMountSystem system;

        return disk::run_mount(system, out, err, argc, argv);
    });
}
