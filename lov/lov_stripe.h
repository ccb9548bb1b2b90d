/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RAID 0: from bytes of a file to bytes of its objects, and back. Nothing here allocates, locks or
 * logs; it is for the kernel and for user space.
 *
 *	file	| 0 | 1 | 2 | 3 | 4 | 5 | 6 |		stripes of size bytes, count = 3
 *	object 0: | 0 | 3 | 6 |   object 1: | 1 | 4 |   object 2: | 2 | 5 |
 */
#ifndef _LOV_STRIPE_H
#define _LOV_STRIPE_H

#include <lustre_lite/codec.h>

/* The last position in a file. */
#define LOV_POS_MAX	0x7fffffffffffffffULL

/**
 * struct lov_stripes - how a file is striped
 * @size: bytes of a stripe, at least 1
 * @count: objects, at least 1
 */
struct lov_stripes {
	u32	size;
	u32	count;
};

u64 lov_object_end(const struct lov_stripes *st, u32 stripe, u64 end);
u64 lov_file_pos(const struct lov_stripes *st, u32 stripe, u64 pos);
u64 lov_file_end(const struct lov_stripes *st, u32 stripe, u64 size);

#endif /* _LOV_STRIPE_H */
