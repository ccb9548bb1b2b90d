/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_WAIT_H
#define _SHIM_WAIT_H

#include <linux/types.h>

/* A wait for a variable; the condition is looked at with the queue locked. */
struct shim_wait {
	const void	*var;
	u64		deadline;
};

/* A jiffy is a millisecond here. */
void shim_wait_begin(struct shim_wait *wait, const void *var, long jiffies);
bool shim_wait_sleep(struct shim_wait *wait);
void shim_wait_end(struct shim_wait *wait);
void shim_wake_up(const void *var);

#endif /* _SHIM_WAIT_H */
