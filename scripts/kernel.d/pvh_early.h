/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Put in front of the kernel's PVH entry code in instrumented kernels
 * (# make lines in *.config). That code runs before there is shadow memory,
 * and the kernel's memcmp() is instrumented, so its calls get one that is not.
 */
#ifndef LUSTRE_LITE_PVH_EARLY_H
#define LUSTRE_LITE_PVH_EARLY_H

int memcmp(const void *a, const void *b, unsigned long size) __asm__("pvh_early_memcmp");

static __attribute__((used)) int pvh_early_memcmp(const void *a, const void *b, unsigned long size)
{
	const unsigned char *p = a, *q = b;

	for (; size; size--, p++, q++)
		if (*p != *q)
			return *p - *q;
	return 0;
}

#endif /* LUSTRE_LITE_PVH_EARLY_H */
