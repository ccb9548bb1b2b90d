// SPDX-License-Identifier: GPL-2.0-only
/*
 * Adaptive timeouts: arithmetic.
 */
#include <lustre_lite/at.h>

/* Saturating sum: peers send arbitrary numbers. */
static u32 at_sum(u64 a, u64 b)
{
	return a + b < 0xffffffff ? (u32)(a + b) : 0xffffffff;
}

static u32 at_bound(const struct at_settings *set, u32 seconds)
{
	if (set->max && seconds > set->max)
		seconds = set->max;
	return seconds > set->min ? seconds : set->min;
}

/**
 * at_init() - start with an estimate
 * @at: out
 * @seconds: estimate, 0 for none
 * @now: seconds, of any monotonic clock
 *
 * Context: any
 */
void at_init(struct adaptive_timeout *at, u32 seconds, u64 now)
{
	memset(at, 0, sizeof(*at));
	at->at_current = seconds;
	at->at_worst = seconds;
	at->at_worst_time = now;
}

/* Start as many bins as have passed; the oldest are dropped. */
static void at_shift(struct adaptive_timeout *at, u32 bin_sec, u64 now)
{
	u64 passed = now > at->at_bin_start ?
		     (now - at->at_bin_start) : 0;
	u32 shift = 0, n;

	while (passed >= bin_sec && shift < AT_BINS) {
		passed -= bin_sec;
		shift++;
	}
	if (!shift)
		return;
	for (n = AT_BINS; n-- > 0;)
		at->at_hist[n] = n >= shift ? at->at_hist[n - shift] : 0;
	at->at_bin_start = shift < AT_BINS ?
			   at->at_bin_start + (u64)shift * bin_sec : now;
}

/**
 * at_measured() - add a measurement
 * @at: estimate
 * @set: settings of the node
 * @seconds: measured time; 0 is ignored
 * @now: seconds, of the clock of at_init()
 *
 * Context: any; the caller serializes access to @at
 * Return: the previous estimate
 */
u32 at_measured(struct adaptive_timeout *at, const struct at_settings *set,
		u32 seconds, u64 now)
{
	u32 bin_sec = set->history / AT_BINS, old = at->at_current, n;

	if (!seconds)
		return old;
	if (!at->at_bin_start)
		at->at_bin_start = now;
	at_shift(at, bin_sec ? bin_sec : 1, now);
	if (seconds > at->at_hist[0])
		at->at_hist[0] = seconds;
	at->at_current = 0;
	for (n = 0; n < AT_BINS; n++) {
		if (at->at_hist[n] > at->at_current)
			at->at_current = at->at_hist[n];
	}
	if (seconds > at->at_worst) {
		at->at_worst = seconds;
		at->at_worst_time = now;
	}
	at->at_current = at_bound(set, at->at_current);
	return old;
}

/**
 * at_get() - the estimate within the node's bounds
 * @at: estimate
 * @set: settings of the node
 *
 * Context: any
 * Return: seconds
 */
u32 at_get(const struct adaptive_timeout *at, const struct at_settings *set)
{
	return at_bound(set, at->at_current);
}

/**
 * at_est2timeout() - timeout for an estimate
 * @estimate: seconds
 *
 * Context: any
 * Return: seconds
 */
u32 at_est2timeout(u32 estimate)
{
	return at_sum(estimate, (u64)(estimate >> 2) + AT_EXTRA_SEC);
}

/**
 * at_request_timeout() - timeout of a request
 * @set: settings of the node; with a max of 0 the timeout is set->timeout
 * @service: estimate of the service, seconds
 * @network: estimate of the round trip, seconds
 *
 * Context: any
 * Return: seconds
 */
u32 at_request_timeout(const struct at_settings *set, u32 service, u32 network)
{
	if (!set->max)
		return set->timeout;
	return at_sum(at_est2timeout(service), network);
}
