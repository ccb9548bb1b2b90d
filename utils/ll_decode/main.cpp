// SPDX-License-Identifier: GPL-2.0-only
/*
 * ll_decode: prints the extended attributes of a target's files.
 */
#include <unistd.h>

#include "lctl/guard.hpp"
#include "ll_decode/run.hpp"

int main(int argc, char** argv)
{
    return lctl::guarded("ll_decode", 1, [&] {
        lctl::Writer out(STDOUT_FILENO);
        lctl::Writer err(STDERR_FILENO);
        const ll_decode::Files files;

        return ll_decode::run({out, err, files}, argc, argv);
    });
}
