/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Adaptive timeouts: the worst time an operation took lately, and the timeout
 * that follows from it. Numbers only: no clock and no lock, so tests can feed
 * any times.
 *
 * The worst time is remembered for at_history seconds in AT_BINS bins of equal
 * length. When a bin is over, the oldest one is dropped.
 */
#ifndef _LUSTRE_LITE_AT_H
#define _LUSTRE_LITE_AT_H

#include <lustre_lite/codec.h>

#define AT_BINS		4
/* Added to a timeout besides a quarter of the estimate, seconds. */
#define AT_EXTRA_SEC	5

/**
 * struct at_settings - the node's settings, seconds
 * @min: least estimate
 * @max: largest estimate; 0: no adaptive timeouts
 * @history: how long the worst time is remembered
 * @timeout: timeout without adaptive timeouts
 */
struct at_settings {
	u32	min;
	u32	max;
	u32	history;
	u32	timeout;
};

/**
 * struct adaptive_timeout - service time estimate
 * @at_current: estimate, seconds; 0 before the first measurement
 * @at_worst: largest estimate ever
 * @at_worst_time: time of that measurement
 * @at_bin_start: start of the first bin; 0 before the first measurement
 * @at_hist: worst time of each bin, the youngest first
 *
 * The owner serializes access.
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
u32 at_request_timeout(const struct at_settings *set, u32 service, u32 network);

#endif /* _LUSTRE_LITE_AT_H */
