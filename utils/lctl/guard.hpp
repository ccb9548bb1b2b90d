// SPDX-License-Identifier: GPL-2.0-only
/*
 * main() of each tool: an exception ends the tool with a message and a status.
 *
 * The tools return their errors; the standard library throws when it has no memory or no
 * thread.
 */
#pragma once

#include <cerrno>
#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

namespace lctl {

/** Run a tool. @failed: its status for a failure; 0 where that is the errno. */
template <class Run>
int guarded(const char* tool, int failed, Run run)
{
    const auto end = [&](const char* message, int code) {
        std::fprintf(stderr, "error: %s: %s\n", tool, message);
        return failed != 0 ? failed : code;
    };

    try {
        return run();
    } catch (const std::bad_alloc&) {
        return end("Cannot allocate memory", ENOMEM);
    } catch (const std::system_error& error) {
        return end(error.what(), error.code().value());
    } catch (const std::exception& error) {
        return end(error.what(), EPROTO);
    }
}

}  // namespace lctl
