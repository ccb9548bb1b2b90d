// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints how fast this processor's time stamp counter runs, in kHz. QEMU's
 * translator shows it to its guests.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

#define TRIES	1000
#define WAIT_NS	200000000

struct sample {
	uint64_t	ticks;
	uint64_t	ns;
};

/* Both at one moment: of many tries the one that took least. */
static struct sample take(void)
{
	uint64_t before, after, least = UINT64_MAX;
	struct sample best = { 0, 0 };
	struct timespec now;
	int n;

	for (n = 0; n < TRIES; n++) {
		before = __rdtsc();
		clock_gettime(CLOCK_MONOTONIC_RAW, &now);
		after = __rdtsc();
		if (after - before >= least)
			continue;
		least = after - before;
		best.ticks = before + least / 2;
		best.ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	}
	return best;
}

int main(void)
{
	const struct timespec wait = { 0, WAIT_NS };
	struct sample first = take(), last;

	nanosleep(&wait, NULL);
	last = take();
	printf("%.0f\n", (double)(last.ticks - first.ticks) * 1e6 /
	       (double)(last.ns - first.ns));
	return 0;
}
