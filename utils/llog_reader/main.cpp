// SPDX-License-Identifier: GPL-2.0
/*
 * llog_reader: prints config logs.
 */
#include <cstdio>
#include <new>

#include <unistd.h>

#include "llog_reader/reader.hpp"

int main(int argc, char** argv)
{
    try {
        lctl::Writer out(STDOUT_FILENO);
        lctl::Writer err(STDERR_FILENO);

        return llog_reader::run(out, err, argc, argv);
    } catch (const std::bad_alloc&) {
        std::fputs("error: llog_reader: Cannot allocate memory\n", stderr);
        return 1;
    }
}
