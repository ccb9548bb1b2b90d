/* SPDX-License-Identifier: (GPL-2.0-only OR LGPL-2.1-or-later) */
/*
 * Patterns of parameter names: matching one component, and finding its end. One
 * implementation for the kernel, which applies permanent settings, and for the
 * tools, which add "{a,b}" and "**".
 *
 * In a component '*' matches any text, '?' any byte, "[abc]" one of these,
 * "[a-c]" one of a range, "[!abc]" and "[^abc]" any other; a backslash takes
 * the next byte literally, in a set too. A '[' without its ']' is literal. '.'
 * and '/' join components, except in a set, after a backslash, and in the dots
 * of a NID after "MGC" or after a component "exports".
 */
#ifndef _LUSTRE_LITE_PATTERN_H
#define _LUSTRE_LITE_PATTERN_H

#include <lustre_lite/codec.h>

#ifdef __cplusplus
extern "C" {
#endif

bool params_pattern_match(const char *part, size_t part_len, const char *name,
			  size_t name_len);
size_t params_pattern_set(const char *text, size_t len);
size_t params_pattern_unit(const char *text, size_t len, bool nid);
size_t params_pattern_nid(const char *text, size_t len, bool patterns);
size_t params_pattern_nid_at(const char *text, size_t len, const char *before,
			     size_t before_len);
size_t params_pattern_part(const char *text, size_t len, const char *before,
			   size_t before_len);

#ifdef __cplusplus
}
#endif

#endif /* _LUSTRE_LITE_PATTERN_H */
