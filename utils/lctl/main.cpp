// SPDX-License-Identifier: GPL-2.0-only
/*
 * lctl: looks at and changes the configuration of lustre-lite on this node.
 */
#include <unistd.h>

#include "lctl/guard.hpp"
#include "lctl/lctl.hpp"
#include "lctl/system.hpp"

int main(int argc, char** argv)
{
    return lctl::guarded("lctl", 0, [&] {
        lctl::RealSystem system;
        lctl::Writer out(STDOUT_FILENO);
        lctl::Writer err(STDERR_FILENO);
        lctl::Context context(system, out, err);

        return lctl::run_lctl(context, argc, argv);
    });
}
