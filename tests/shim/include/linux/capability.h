/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_CAPABILITY_H
#define _SHIM_LINUX_CAPABILITY_H

#include <shim/task.h>

#define CAP_SYS_ADMIN	21

static inline bool capable(int cap)
{
	return shim_task()->capable;
}

#endif /* _SHIM_LINUX_CAPABILITY_H */
