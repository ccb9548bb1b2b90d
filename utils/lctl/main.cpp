// SPDX-License-Identifier: GPL-2.0
/*
 * lctl: looks at and changes the configuration of lustre-lite on this node.
 */
#include <cerrno>
#include <cstdio>
#include <new>
#include <system_error>

#include <unistd.h>

#include "lctl/lctl.hpp"
#include "lctl/system.hpp"

namespace {

int run(int argc, char** argv)
{
    lctl::RealSystem system;
    lctl::Writer out(STDOUT_FILENO);
    lctl::Writer err(STDERR_FILENO);
    lctl::Context context(system, out, err);

    return lctl::run_lctl(context, argc, argv);
}

}  // namespace

/* The library itself throws where it has no memory or no thread. */
int main(int argc, char** argv)
{
    try {
        return run(argc, argv);
    } catch (const std::bad_alloc&) {
        std::fputs("error: lctl: Cannot allocate memory\n", stderr);
        return ENOMEM;
    } catch (const std::system_error& error) {
        std::fprintf(stderr, "error: lctl: %s\n", error.what());
        return error.code().value();
    }
}
