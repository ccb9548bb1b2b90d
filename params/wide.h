/* SPDX-License-Identifier: GPL-2.0-only */
/* Sums beyond 64 bits, which saturate instead of wrapping. */
#ifndef _PARAMS_WIDE_H
#define _PARAMS_WIDE_H

#include <linux/limits.h>
#include <linux/types.h>

/**
 * struct params_wide - an unsigned number of 128 bits
 * @lo: low half
 * @hi: high half
 */
struct params_wide {
	u64	lo;
	u64	hi;
};

static inline void params_wide_add(struct params_wide *sum,
				   struct params_wide add)
{
	u64 carry;

	sum->lo += add.lo;
	carry = sum->lo < add.lo;
	sum->hi += add.hi;
	if (sum->hi >= add.hi && sum->hi + carry >= carry) {
		sum->hi += carry;
		return;
	}
	sum->lo = U64_MAX;
	sum->hi = U64_MAX;
}

static inline struct params_wide params_wide_square(u64 val)
{
	u64 low = (u32)val;
	u64 high = val >> 32;
	struct params_wide square = { .lo = low * low, .hi = high * high };
	u64 cross = low * high;

	/* (high + low)^2: the product in the middle counts twice, 32 bits up. */
	params_wide_add(&square, (struct params_wide){ cross << 33, cross >> 31 });
	return square;
}

#endif /* _PARAMS_WIDE_H */
