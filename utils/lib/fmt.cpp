// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The part of libfmt that is not templates, compiled here once instead of in
// every file that formats; without locales, which are most of libstdc++ and two
// thirds of the relocations that each start of a tool would do.

#define FMT_STATIC_THOUSANDS_SEPARATOR ','
#define FMT_USE_LOCALE 0
#include <fmt/format-inl.h>

// Templates that its headers only declare.
template char fmt::detail::decimal_point_impl<char>(fmt::detail::locale_ref);
template fmt::detail::thousands_sep_result<char> fmt::detail::thousands_sep_impl<char>(
    fmt::detail::locale_ref);
#if FMT_VERSION >= 100000
template void fmt::detail::vformat_to(buffer<char>&, string_view, vformat_args<>::type, locale_ref);
#endif
