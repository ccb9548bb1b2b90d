/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_TIME_H
#define _SHIM_LINUX_TIME_H

#include <time.h>

#include <linux/types.h>

typedef s64 time64_t;

static inline void time64_to_tm(time64_t secs, int offset, struct tm *result)
{
	time_t when = secs + offset;

	gmtime_r(&when, result);
}

#endif /* _SHIM_LINUX_TIME_H */
