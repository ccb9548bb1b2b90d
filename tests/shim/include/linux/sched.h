/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_SCHED_H
#define _SHIM_LINUX_SCHED_H

#include <shim/task.h>

#define cond_resched()	shim_might_sleep("cond_resched")
#define might_sleep()	shim_might_sleep("might_sleep")

#endif /* _SHIM_LINUX_SCHED_H */
