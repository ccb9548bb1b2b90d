/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_STRING_H
#define _SHIM_LINUX_STRING_H

#include <stdarg.h>
#include <string.h>
#include <strings.h>

#include <linux/gfp.h>
#include <linux/types.h>

ssize_t strscpy(char *to, const char *from, size_t size);
char *kstrdup(const char *text, gfp_t gfp);
char *kstrndup(const char *text, size_t len, gfp_t gfp);
char *kvasprintf(gfp_t gfp, const char *fmt, va_list args);
__printf(2, 3) char *kasprintf(gfp_t gfp, const char *fmt, ...);
void *kmemdup(const void *from, size_t len, gfp_t gfp);
char *kmemdup_nul(const char *from, size_t len, gfp_t gfp);
void memzero_explicit(void *bytes, size_t len);
void *memchr_inv(const void *from, int c, size_t len);

#endif /* _SHIM_LINUX_STRING_H */
