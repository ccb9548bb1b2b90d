/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_KERNEL_H
#define _SHIM_LINUX_KERNEL_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <linux/bits.h>
#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/printk.h>
#include <linux/types.h>

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define sizeof_field(type, member)	sizeof(((type *)0)->member)
#define ALIGN(n, a)		(((n) + (a) - 1) & ~((__typeof__(n))(a) - 1))
#define PTR_ALIGN(p, a)		((__typeof__(p))ALIGN((unsigned long)(p), a))
#define container_of(ptr, type, member)	\
	((type *)((char *)(ptr) - offsetof(type, member)))
#define u64_to_user_ptr(n)	((void *)(unsigned long)(n))
#define abs(n)			\
	({ __typeof__(n) __n = (n); __n < 0 ? -__n : __n; })
#define swap(a, b)		\
	do { __typeof__(a) __t = (a); (a) = (b); (b) = __t; } while (0)

__printf(3, 4) int scnprintf(char *buf, size_t size, const char *fmt, ...);
int vscnprintf(char *buf, size_t size, const char *fmt, va_list args);
int hex_to_bin(unsigned char c);

#endif /* _SHIM_LINUX_KERNEL_H */
