/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_VMALLOC_H
#define _SHIM_LINUX_VMALLOC_H

#include <linux/mm.h>

#endif /* _SHIM_LINUX_VMALLOC_H */
