/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_KTIME_H
#define _SHIM_LINUX_KTIME_H

#include <linux/time64.h>
#include <linux/types.h>

u64 ktime_get_ns(void);
u64 ktime_get_real_ns(void);

#endif /* _SHIM_LINUX_KTIME_H */
