/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_STRINGHASH_H
#define _SHIM_LINUX_STRINGHASH_H

#include <linux/types.h>

/* Any hash does: FNV-1a, seeded as the kernel's is. */
static inline unsigned int full_name_hash(const void *salt, const char *name,
					  unsigned int len)
{
	unsigned int hash = 2166136261u ^ (unsigned int)(unsigned long)salt;

	while (len--)
		hash = (hash ^ (unsigned char)*name++) * 16777619u;
	return hash ^ hash >> 15;
}

#endif /* _SHIM_LINUX_STRINGHASH_H */
