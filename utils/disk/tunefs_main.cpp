// SPDX-License-Identifier: GPL-2.0-only
/*
 * tunefs.lustre-lite: prints and changes what a target is.
 */
#include <unistd.h>

#include "disk/tunefs.hpp"
#include "lctl/guard.hpp"

int main(int argc, char** argv)
{
    return lctl::guarded("tunefs.lustre-lite", 1, [&] {
        lctl::Writer out(STDOUT_FILENO);
        lctl::Writer err(STDERR_FILENO);

        return disk::run_tunefs(out, err, argc, argv);
    });
}
