/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_JIFFIES_H
#define _SHIM_LINUX_JIFFIES_H

/* Short, so that what waits for seconds does not take seconds to test. */
#define HZ	10

#endif /* _SHIM_LINUX_JIFFIES_H */
