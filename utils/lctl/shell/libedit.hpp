// SPDX-License-Identifier: GPL-2.0-only
/* libedit, which the prompt alone needs. */
#pragma once

#include <histedit.h>

#include "lctl/lazy_library.hpp"

#define LIBEDIT_FUNCTIONS(DO) \
    DO(el_deletestr)          \
    DO(el_end)                \
    DO(el_get)                \
    DO(el_gets)               \
    DO(el_init)               \
    DO(el_insertstr)          \
    DO(el_line)               \
    DO(el_reset)              \
    DO(el_set)                \
    DO(el_wline)              \
    DO(history)               \
    DO(history_end)           \
    DO(history_init)

namespace lctl {

// Set when the library is loaded.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
LIBEDIT_FUNCTIONS(LL_LAZY_DECLARE);

}  // namespace lctl
