/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_MM_H
#define _SHIM_LINUX_MM_H

#include <linux/slab.h>

#define PAGE_SHIFT	12
#define PAGE_SIZE	(1UL << PAGE_SHIFT)

#endif /* _SHIM_LINUX_MM_H */
