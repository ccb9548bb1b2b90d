// SPDX-License-Identifier: GPL-2.0
/*
 * mount.lustre-lite: what mount(8) runs for this type of file system.
 */
#include <unistd.h>

#include "disk/mounter.hpp"

int main(int argc, char** argv)
{
    lctl::Writer out(STDOUT_FILENO);
    lctl::Writer err(STDERR_FILENO);
    disk::RealMountSystem system;

    return disk::run_mount(system, out, err, argc, argv);
}
