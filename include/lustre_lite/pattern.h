/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Patterns of parameter names: what a component matches, and where it ends. One
 * implementation for the kernel, which applies permanent settings, and for the
 * tools, which add "{a,b}" and "**" on top.
 *
 * In a component '*' is any text, '?' any byte, "[abc]" one of these, "[a-c]"
 * one between, "[!abc]" and "[^abc]" any other, and a backslash takes the next
 * byte as it is, in a set too. A '[' without its ']' is itself. '.' and '/' join
 * components, but for those in a set or after a backslash, and for the dots of a
 * NID after "MGC" or after a component "exports".
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
