// SPDX-License-Identifier: GPL-2.0-only
/* lctl over the tree of real_tree.c: for tests that need a whole program. */
#include <unistd.h>

#include "lctl/command.hpp"
#include "real_tree.h"
#include "test_system.hpp"

int main(int argc, char** argv)
{
    if (real_tree_start() != 0)
        return 1;

    int status;
    {
        TestSystem system;
        lctl::Writer out(STDOUT_FILENO);
        lctl::Writer err(STDERR_FILENO);
        lctl::Context context(system, out, err);

        system.log.add(1795248573093088570, "a record\n");
        status = lctl::run_lctl(context, argc, argv);
    }
    real_tree_stop();
    return status;
}
