/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_WAIT_BIT_H
#define _SHIM_LINUX_WAIT_BIT_H

#include <linux/jiffies.h>
#include <shim/wait.h>

#define wait_var_event_timeout(var, cond, timeout) ({		\
	struct shim_wait __wait;				\
	long __left = 1;					\
								\
	shim_wait_begin(&__wait, var, timeout);			\
	while (!(cond)) {					\
		if (shim_wait_sleep(&__wait))			\
			continue;				\
		__left = !!(cond);				\
		break;						\
	}							\
	shim_wait_end(&__wait);					\
	__left;							\
})
#define wait_var_event(var, cond)	\
	do { } while (!wait_var_event_timeout(var, cond, 1000 * HZ))
#define wake_up_var(var)		shim_wake_up(var)

#endif /* _SHIM_LINUX_WAIT_BIT_H */
