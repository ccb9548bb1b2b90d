// SPDX-License-Identifier: GPL-2.0-only
/*
 * mkfs.lustre-lite: makes a directory a target.
 */
#include <unistd.h>

#include "disk/mkfs.hpp"
#include "lctl/guard.hpp"

int main(int argc, char** argv)
{
    return lctl::guarded("mkfs.lustre-lite", 1, [&] {
        lctl::Writer out(STDOUT_FILENO);
        lctl::Writer err(STDERR_FILENO);

        return disk::run_mkfs(out, err, argc, argv);
    });
}
