// SPDX-License-Identifier: GPL-2.0-only
/* RAID 0, see lov_stripe.h. */
#include "lov_stripe.h"

#ifdef __KERNEL__
#include <linux/math64.h>
#else
static inline u64 div64_u64_rem(u64 dividend, u64 divisor, u64 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}
#endif

/**
 * lov_object_end() - how many bytes of an object are among the first ones of the file
 * @st: stripes
 * @stripe: number of the object
 * @end: bytes of the file
 *
 * This is the object's size in a file of that size; and the bytes of the file from A to B, without
 * B, are those of the object from lov_object_end(A) to lov_object_end(B).
 *
 * Context: any
 * Return: bytes
 */
u64 lov_object_end(const struct lov_stripes *st, u32 stripe, u64 end)
{
	u64 before = (u64)stripe * st->size, left;
	u64 full = div64_u64_rem(end, (u64)st->size * st->count, &left);

	left = left > before ? left - before : 0;
	return full * st->size + (left < st->size ? left : st->size);
}

/**
 * lov_file_pos() - where a byte of an object is in the file
 * @st: stripes
 * @stripe: number of the object
 * @pos: position in the object
 *
 * Context: any
 * Return: position; LOV_POS_MAX if the file cannot have it
 */
u64 lov_file_pos(const struct lov_stripes *st, u32 stripe, u64 pos)
{
	u64 left, row = div64_u64_rem(pos, st->size, &left);
	u64 width = (u64)st->size * st->count;
	u64 in_row = (u64)stripe * st->size + left, ignored;

	if (in_row > LOV_POS_MAX ||
	    row > div64_u64_rem(LOV_POS_MAX - in_row, width, &ignored))
		return LOV_POS_MAX;
	return row * width + in_row;
}

/**
 * lov_file_end() - the size of the file of which an object has the last byte
 * @st: stripes
 * @stripe: number of the object
 * @size: size of the object
 *
 * The size of a file is the largest one of those of all its objects.
 *
 * Context: any
 * Return: bytes; 0 of an empty object; LOV_POS_MAX at most
 */
u64 lov_file_end(const struct lov_stripes *st, u32 stripe, u64 size)
{
	u64 last = size ? lov_file_pos(st, stripe, size - 1) : 0;

	if (!size)
		return 0;
	return last < LOV_POS_MAX ? last + 1 : LOV_POS_MAX;
}
