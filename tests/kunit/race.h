/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Races over the tree: threads that do one thing again and again beside each other
 * for a second. What they meet on their way - an owner of parameters, the scope of a
 * rule - is LIVE until it is freed, and POISON then: a callback that runs too late is
 * seen by KASAN, and is counted on other kernels.
 */
#ifndef _KUNIT_RACE_H
#define _KUNIT_RACE_H

#include "fixture.h"

#define LIVE		0x11fe11feU
#define POISON		0xdeaddeadU
#define RACE_MS		1000
#define RACE_NAPS	50

static atomic_t late;
static bool stop;

/* Called by a callback, any number of times. */
static inline void race_alive(const u32 *magic)
{
	if (READ_ONCE(*magic) != LIVE)
		atomic_inc(&late);
}

/*
 * Call @once with a client of its own until the end, at least once. Return: number of calls,
 * or an errno
 */
static inline long race_calls(long (*once)(struct client *c, const char *path,
					   long n), const char *path)
{
	struct client *c = client_open();
	long calls = 0, rc = 0;

	if (!c)
		return -ENOMEM;
	do {
		rc = once(c, path, calls);
		if (rc && rc != -ENOENT && rc != -ENODEV && rc != -ESTALE)
			break;
		rc = 0;
		calls++;
	} while (!READ_ONCE(stop));
	client_close(c);
	return rc ?: calls;
}

/**
 * struct racer - a thread of a race
 * @fn: what it does until @stop; how often, or an errno
 * @arg: its argument
 * @what: for people
 */
struct racer {
	long		(*fn)(void *arg);
	void		*arg;
	const char	*what;
};

static inline void race(struct kunit *test, const struct racer *racers,
			unsigned int count)
{
	static struct aside asides[8];
	unsigned int i;

	KUNIT_ASSERT_LE(test, count, (unsigned int)ARRAY_SIZE(asides));
	WRITE_ONCE(stop, false);
	for (i = 0; i < count; i++)
		aside_start(test, &asides[i], racers[i].fn, racers[i].arg);
	/*
	 * In short sleeps: a thread that pauses for long wakes together with the others.
	 */
	for (i = 0; i < RACE_NAPS; i++)
		msleep(RACE_MS / RACE_NAPS);
	WRITE_ONCE(stop, true);
	for (i = 0; i < count; i++) {
		long n = aside_join(test, &asides[i]);

		kunit_info(test, "%s: %ld", racers[i].what, n);
		KUNIT_EXPECT_GT_MSG(test, n, 0L, "%s", racers[i].what);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&late), 0);
}

#endif /* _KUNIT_RACE_H */
