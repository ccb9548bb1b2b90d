/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Adaptive timeouts: the worst time that something took lately, and what timeout
 * follows from it. Numbers only: no clock and no lock in here, so that it can be
 * tried with any times.
 *
 * The worst time is remembered for at_history seconds, in AT_BINS stretches of a
 * part of that each: when a stretch is over the oldest is forgotten.
 */
#ifndef _LUSTRE_LITE_AT_H
#define _LUSTRE_LITE_AT_H

#include <lustre_lite/codec.h>

#define AT_BINS		4
/* Added to a timeout beside a quarter of the estimate, seconds. */
#define AT_EXTRA_SEC	5

/**
 * struct at_settings - the node's settings, seconds
 * @min: least estimate
 * @max: largest estimate; 0: no adaptive timeouts
 * @history: how long the worst time is remembered
 * @timeout: timeout where there are no adaptive ones
 */
struct at_settings {
	u32	min;
	u32	max;
	u32	history;
	u32	timeout;
};

/**
 * struct adaptive_timeout - what something takes
 * @at_current: estimate, seconds, 0 while there is none
 * @at_worst: largest estimate ever
 * @at_worst_time: when that was
 * @at_bin_start: when the first bin began, 0 before the first measurement
 * @at_hist: worst time of each bin, the youngest first
 *
 * Its owner has a lock for it.
 */
struct adaptive_timeout {
	u32	at_current;
	u32	at_worst;
	u64	at_worst_time;
	u64	at_bin_start;
	u32	at_hist[AT_BINS];
};

void at_init(struct adaptive_timeout *at, u32 seconds, u64 now);
u32 at_measured(struct adaptive_timeout *at, const struct at_settings *set,
		u32 seconds, u64 now);
u32 at_get(const struct adaptive_timeout *at, const struct at_settings *set);
u32 at_est2timeout(u32 estimate);
u32 at_timeout2est(u32 timeout);
u32 at_request_timeout(const struct at_settings *set, u32 service, u32 network);

#endif /* _LUSTRE_LITE_AT_H */
