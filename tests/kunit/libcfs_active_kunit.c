// SPDX-License-Identifier: GPL-2.0-only
/*
 * Active references (include/lustre_lite/active.h): who is let in, and that a
 * drainer goes on only when the last user has left.
 *
 * Processors: 2
 * Every: 2
 */
#include <lustre_lite/active.h>

#include "fixture.h"

#define RACE_USERS	3
#define RACE_ROUNDS	200

static struct active_case {
	struct libcfs_active	gate;
	struct aside		aside[RACE_USERS];
	atomic_t		named;
	u64			data;
	atomic_t		torn;
	atomic_t		entered;
} ac;

static int active_case_init(struct kunit *test)
{
	memset(&ac, 0, sizeof(ac));
	libcfs_active_init(&ac.gate, "kunit_active");
	return 0;
}

static void active_case_name(void *arg, char *buf, size_t size)
{
	atomic_inc(&ac.named);
	snprintf(buf, size, "kunit %s", (const char *)arg);
}

static long drain_aside(void *arg)
{
	libcfs_active_drain(&ac.gate, active_case_name, arg);
	return 0;
}

static void closed_lets_nobody_in(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, libcfs_active_get(&ac.gate));
	KUNIT_EXPECT_FALSE(test, libcfs_active_is_open(&ac.gate));
	KUNIT_EXPECT_FALSE(test, libcfs_active_is_dead(&ac.gate));
}

static void open_lets_in(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, libcfs_active_open(&ac.gate));
	KUNIT_EXPECT_TRUE(test, libcfs_active_is_open(&ac.gate));
	KUNIT_ASSERT_TRUE(test, libcfs_active_get(&ac.gate));
	KUNIT_EXPECT_TRUE(test, libcfs_active_open(&ac.gate));
	libcfs_active_put(&ac.gate);
	KUNIT_EXPECT_EQ(test, atomic_read(&ac.gate.a_count), 0);
}

static void kill_is_told_once(struct kunit *test)
{
	libcfs_active_open(&ac.gate);
	KUNIT_EXPECT_TRUE(test, libcfs_active_kill(&ac.gate));
	KUNIT_EXPECT_FALSE(test, libcfs_active_kill(&ac.gate));
	KUNIT_EXPECT_TRUE(test, libcfs_active_is_dead(&ac.gate));
	KUNIT_EXPECT_FALSE(test, libcfs_active_get(&ac.gate));
}

static void nothing_opens_after_kill(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, libcfs_active_kill(&ac.gate));
	KUNIT_EXPECT_FALSE(test, libcfs_active_open(&ac.gate));
	KUNIT_EXPECT_FALSE(test, libcfs_active_get(&ac.gate));
	KUNIT_EXPECT_TRUE(test, libcfs_active_is_dead(&ac.gate));
	/* Without users there is nothing to wait for. */
	libcfs_active_drain(&ac.gate, active_case_name, "unopened");
	KUNIT_EXPECT_EQ(test, atomic_read(&ac.named), 0);
}

/* One more user would overflow into the CLOSED bit. */
static void full_lets_nobody_in(struct kunit *test)
{
	libcfs_active_open(&ac.gate);
	atomic_set(&ac.gate.a_count, LIBCFS_ACTIVE_USERS);
	KUNIT_EXPECT_FALSE(test, libcfs_active_get(&ac.gate));
	KUNIT_EXPECT_EQ(test, atomic_read(&ac.gate.a_count),
			LIBCFS_ACTIVE_USERS);
	atomic_set(&ac.gate.a_count, 0);
}

static void drain_waits_for_users(struct kunit *test)
{
	unsigned long began = jiffies;

	libcfs_active_open(&ac.gate);
	KUNIT_ASSERT_TRUE(test, libcfs_active_get(&ac.gate));
	KUNIT_ASSERT_TRUE(test, libcfs_active_get(&ac.gate));
	libcfs_active_kill(&ac.gate);
	aside_start(test, &ac.aside[0], drain_aside, "users");
	aside_await_sleep(test, &ac.aside[0]);
	libcfs_active_put(&ac.gate);
	aside_await_sleep(test, &ac.aside[0]);
	libcfs_active_put(&ac.gate);
	KUNIT_EXPECT_EQ(test, aside_join(test, &ac.aside[0]), 0);
	/* The name is requested only after two seconds. */
	if (time_before(jiffies, began + 2 * HZ))
		KUNIT_EXPECT_EQ(test, atomic_read(&ac.named), 0);
}

static void several_drainers_all_wait(struct kunit *test)
{
	int n;

	libcfs_active_open(&ac.gate);
	KUNIT_ASSERT_TRUE(test, libcfs_active_get(&ac.gate));
	libcfs_active_kill(&ac.gate);
	for (n = 0; n < RACE_USERS; n++)
		aside_start(test, &ac.aside[n], drain_aside, "several");
	for (n = 0; n < RACE_USERS; n++)
		aside_await_sleep(test, &ac.aside[n]);
	libcfs_active_put(&ac.gate);
	for (n = 0; n < RACE_USERS; n++)
		KUNIT_EXPECT_EQ(test, aside_join(test, &ac.aside[n]), 0);
}

static void drain_names_what_it_waits_for(struct kunit *test)
{
	unsigned long began;

	libcfs_active_open(&ac.gate);
	KUNIT_ASSERT_TRUE(test, libcfs_active_get(&ac.gate));
	libcfs_active_kill(&ac.gate);
	began = jiffies;
	aside_start(test, &ac.aside[0], drain_aside, "slow user");
	while (!atomic_read(&ac.named) && time_before(jiffies, began + 20 * HZ))
		msleep(20);
	KUNIT_EXPECT_GE(test, atomic_read(&ac.named), 1);
	KUNIT_EXPECT_TRUE(test, time_after_eq(jiffies, began + 2 * HZ));
	libcfs_active_put(&ac.gate);
	KUNIT_EXPECT_EQ(test, aside_join(test, &ac.aside[0]), 0);
}

/* Use the data while the gate admits users; count invalid data. */
static long use_until_dead(void *arg)
{
	while (!libcfs_active_is_dead(&ac.gate)) {
		if (!libcfs_active_get(&ac.gate)) {
			cond_resched();
			continue;
		}
		atomic_inc(&ac.entered);
		if (READ_ONCE(ac.data) != 1)
			atomic_inc(&ac.torn);
		cond_resched();
		if (READ_ONCE(ac.data) != 1)
			atomic_inc(&ac.torn);
		libcfs_active_put(&ac.gate);
	}
	return 0;
}

/* Wait until users have entered; at the latest they then find the gate dead. */
static void await_users(void)
{
	int before = atomic_read(&ac.entered);
	unsigned long end = jiffies + FIXTURE_WAIT;

	while (atomic_read(&ac.entered) == before && time_before(jiffies, end))
		usleep_range(10, 100);
}

/* Owner and users race: no user sees the data before open or after drain. */
static void users_see_only_live_data(struct kunit *test)
{
	int round, n;

	for (round = 0; round < RACE_ROUNDS; round++) {
		libcfs_active_init(&ac.gate, "kunit_race");
		WRITE_ONCE(ac.data, 0);
		for (n = 0; n < RACE_USERS; n++)
			aside_start(test, &ac.aside[n], use_until_dead, NULL);
		WRITE_ONCE(ac.data, 1);
		libcfs_active_open(&ac.gate);
		if (round % 2)
			await_users();
		else
			udelay(round * 3);
		libcfs_active_kill(&ac.gate);
		libcfs_active_drain(&ac.gate, active_case_name, "race");
		WRITE_ONCE(ac.data, 2);
		for (n = 0; n < RACE_USERS; n++)
			KUNIT_ASSERT_EQ(test, aside_join(test, &ac.aside[n]),
					0);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&ac.torn), 0);
	KUNIT_EXPECT_GT(test, atomic_read(&ac.entered), 0);
}

static struct kunit_case active_cases[] = {
	KUNIT_CASE(closed_lets_nobody_in),
	KUNIT_CASE(open_lets_in),
	KUNIT_CASE(kill_is_told_once),
	KUNIT_CASE(nothing_opens_after_kill),
	KUNIT_CASE(full_lets_nobody_in),
	KUNIT_CASE(drain_waits_for_users),
	KUNIT_CASE(several_drainers_all_wait),
	KUNIT_CASE(drain_names_what_it_waits_for),
	KUNIT_CASE(users_see_only_live_data),
	{}
};

static struct kunit_suite active_suite = {
	.name = "libcfs_active",
	.init = active_case_init,
	.test_cases = active_cases,
};
kunit_test_suite(active_suite);

MODULE_DESCRIPTION("active references");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
