// SPDX-License-Identifier: GPL-2.0
/*
 * mkfs.lustre-lite: makes a folder a target.
 */
#include <unistd.h>

#include "disk/mkfs.hpp"

int main(int argc, char** argv)
{
    lctl::Writer out(STDOUT_FILENO);
    lctl::Writer err(STDERR_FILENO);

    return disk::run_mkfs(out, err, argc, argv);
}
