/* SPDX-License-Identifier: (GPL-2.0-only OR LGPL-2.1-or-later) */
/*
 * All that a codec needs: fixed-width types, memcpy, errnos, and integers of
 * either byte order at any address. A file that includes nothing else compiles
 * unchanged in the kernel and in user space, as C and (headers) as C++.
 */
#ifndef _LUSTRE_LITE_CODEC_H
#define _LUSTRE_LITE_CODEC_H

#ifdef __KERNEL__

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/export.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>

#include <lustre_lite/compat.h>

#else

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#endif

/* Nothing is exported; takes the semicolon. */
#define EXPORT_SYMBOL_NS_GPL(symbol, space)	struct ll_export_##symbol
#define EXPORT_FOR_KUNIT(symbol)		struct ll_export_##symbol

#endif /* __KERNEL__ */

/* An integer of 4 bytes: little-endian, or big-endian where @swapped. */
static inline u32 codec_get32(const void *at, bool swapped)
{
	const u8 *p = (const u8 *)at;

	if (swapped)
		return (u32)p[0] << 24 | (u32)p[1] << 16 | (u32)p[2] << 8 |
			(u32)p[3];
	return (u32)p[3] << 24 | (u32)p[2] << 16 | (u32)p[1] << 8 | (u32)p[0];
}

static inline u64 codec_get64(const void *at, bool swapped)
{
	const u8 *p = (const u8 *)at;
	u32 first = codec_get32(p, swapped);
	u32 second = codec_get32(p + 4, swapped);

	return swapped ? (u64)first << 32 | second : (u64)second << 32 | first;
}

/* 2 bytes, little-endian. */
static inline u16 codec_get16(const void *at)
{
	const u8 *p = (const u8 *)at;

	return (u16)(p[1] << 8 | p[0]);
}

static inline void codec_put16(void *at, u16 value)
{
	u8 *p = (u8 *)at;

	p[0] = (u8)(value & 0xff);
	p[1] = (u8)(value >> 8);
}

static inline void codec_put32(void *at, u32 value)
{
	u8 *p = (u8 *)at;

	p[0] = value & 0xff;
	p[1] = value >> 8 & 0xff;
	p[2] = value >> 16 & 0xff;
	p[3] = (u8)(value >> 24);
}

static inline void codec_put64(void *at, u64 value)
{
	u8 *p = (u8 *)at;

	codec_put32(p, (u32)value);
	codec_put32(p + 4, (u32)(value >> 32));
}

static inline size_t codec_round8(size_t len)
{
	return (len + 7) & ~(size_t)7;
}

#endif /* _LUSTRE_LITE_CODEC_H */
