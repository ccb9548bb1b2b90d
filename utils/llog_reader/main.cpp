// SPDX-License-Identifier: GPL-2.0-only
/*
 * llog_reader: prints config logs.
 */
#include <unistd.h>

#include "lctl/guard.hpp"
#include "llog_reader/reader.hpp"

int main(int argc, char** argv)
{
    return lctl::guarded("llog_reader", 1, [&] {
        lctl::Writer out(STDOUT_FILENO);
        lctl::Writer err(STDERR_FILENO);

        return llog_reader::run(out, err, argc, argv);
    });
}
