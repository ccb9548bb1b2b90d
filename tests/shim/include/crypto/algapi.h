/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_CRYPTO_ALGAPI_H
#define _SHIM_CRYPTO_ALGAPI_H

#include <linux/types.h>

static inline int crypto_memneq(const void *a, const void *b, size_t len)
{
	const u8 *p = (const u8 *)a, *q = (const u8 *)b;
	volatile u8 differ = 0;

	while (len--)
		differ |= *p++ ^ *q++;
	return differ != 0;
}

#endif /* _SHIM_CRYPTO_ALGAPI_H */
