// SPDX-License-Identifier: GPL-2.0-only
// CMocka for C++, with what it forgets to include.
#ifndef LL_TESTS_CMOCKA_HPP
#define LL_TESTS_CMOCKA_HPP

#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

extern "C" {
#include <cmocka.h>
}

#undef fail  // too common a name for a macro
#define fail_here() _fail(__FILE__, __LINE__)
#undef fail_msg  // it calls the macro that is gone
#define fail_msg(...) (print_error(__VA_ARGS__), print_error("\n"), fail_here())

// Strings compared with both shown where they differ.
inline void expect_text(std::string_view got, std::string_view want, const char* file, int line)
{
    if (got == want)
        return;
    print_error("got:  '%.*s'\nwant: '%.*s'\n", int(got.size()), got.data(), int(want.size()),
                want.data());
    _fail(file, line);
}

#define assert_text(got, want) expect_text(got, want, __FILE__, __LINE__)

#endif
