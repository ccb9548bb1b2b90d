/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_SCHED_SIGNAL_H
#define _SHIM_LINUX_SCHED_SIGNAL_H

#include <linux/sched.h>

#define signal_pending(task)		shim_signalled(task)
#define fatal_signal_pending(task)	shim_signalled(task)

#endif /* _SHIM_LINUX_SCHED_SIGNAL_H */
