// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fault injection: what each flag of fail_loc makes of a place that is passed
 * several times.
 *
 * Every: 2
 */
#include <lustre_lite/fail.h>

#include "fixture.h"

#define HERE	0x906
#define THERE	0x907

static void set_fail(struct kunit *test, const char *loc, const char *val)
{
	KUNIT_ASSERT_EQ(test, client_write(fx.client, "fail_val", val), 0);
	KUNIT_ASSERT_EQ(test, client_write(fx.client, "fail_loc", loc), 0);
}

static u64 get_fail(struct kunit *test, const char *name)
{
	KUNIT_EXPECT_EQ(test, client_read(fx.client, name), 0);
	return client_number(fx.client);
}

static int fail_case_init(struct kunit *test)
{
	int rc = fixture_init(test);

	if (!rc)
		set_fail(test, "0", "0");
	return rc;
}

static void fail_case_exit(struct kunit *test)
{
	if (fx.client) {
		client_write(fx.client, "fail_loc", "0");
		client_write(fx.client, "fail_val", "0");
		client_write(fx.client, "fail_err", "0");
	}
	fixture_exit(test);
}

/* Passes as bits, the first one lowest. */
static unsigned int pass(unsigned int times)
{
	unsigned int hits = 0;
	unsigned int n;

	for (n = 0; n < times; n++)
		hits |= (unsigned int)CFS_FAIL_CHECK(HERE) << n;
	return hits;
}

static void zero_fails_nowhere(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, pass(4), 0);
	set_fail(test, "0x80000000", "0");
	KUNIT_EXPECT_FALSE(test, CFS_FAIL_CHECK(0));
}

static void plain_fails_each_time_and_only_here(struct kunit *test)
{
	set_fail(test, "0x906", "0");
	KUNIT_EXPECT_FALSE(test, CFS_FAIL_CHECK(THERE));
	KUNIT_EXPECT_EQ(test, get_fail(test, "fail_loc"), 0x906ULL);
	KUNIT_EXPECT_EQ(test, pass(4), 0xf);
	KUNIT_EXPECT_EQ(test, get_fail(test, "fail_loc"), 0x40000906ULL);
}

static void once_fails_once(struct kunit *test)
{
	set_fail(test, "0x80000906", "0");
	KUNIT_EXPECT_EQ(test, pass(4), 0x1);
	KUNIT_EXPECT_EQ(test, get_fail(test, "fail_loc"), 0xc0000906ULL);
	/* Setting it again makes it fail again. */
	set_fail(test, "0x80000906", "0");
	KUNIT_EXPECT_EQ(test, pass(4), 0x1);
}

static void skip_passes_over_the_first(struct kunit *test)
{
	set_fail(test, "0x20000906", "2");
	KUNIT_EXPECT_EQ(test, pass(5), 0x1c);
	set_fail(test, "0xa0000906", "2");
	KUNIT_EXPECT_EQ(test, pass(5), 0x04);
}

static void some_fails_the_first(struct kunit *test)
{
	set_fail(test, "0x10000906", "2");
	KUNIT_EXPECT_EQ(test, pass(5), 0x03);
}

static void rand_fails_now_and_then(struct kunit *test)
{
	unsigned int hits = 0;
	int n;

	set_fail(test, "0x8000906", "2");
	for (n = 0; n < 200; n++)
		hits += CFS_FAIL_CHECK(HERE);
	/* Off with a probability of less than one in 10^20. */
	KUNIT_EXPECT_GT(test, hits, 30U);
	KUNIT_EXPECT_LT(test, hits, 170U);
	set_fail(test, "0x8000906", "1");
	KUNIT_EXPECT_EQ(test, pass(8), 0xff);
	set_fail(test, "0x8000906", "0");
	KUNIT_EXPECT_EQ(test, pass(8), 0);
}

static void value_names_the_one_that_fails(struct kunit *test)
{
	set_fail(test, "0x906", "7");
	KUNIT_EXPECT_FALSE(test, CFS_FAIL_CHECK_VALUE(HERE, 6));
	KUNIT_EXPECT_TRUE(test, CFS_FAIL_CHECK_VALUE(HERE, 7));
}

static void err_takes_the_place_of_the_usual_one(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, libcfs_fail_err(-EIO), -EIO);
	KUNIT_ASSERT_EQ(test, client_write(fx.client, "fail_err", "28"), 0);
	KUNIT_EXPECT_EQ(test, libcfs_fail_err(-EIO), -ENOSPC);
	KUNIT_EXPECT_EQ(test, client_write(fx.client, "fail_err", "4096"),
			-ERANGE);
}

static void timeout_sleeps_only_when_asked(struct kunit *test)
{
	ktime_t start = ktime_get();

	KUNIT_EXPECT_FALSE(test, CFS_FAIL_TIMEOUT(HERE, 20));
	set_fail(test, "0x80000906", "0");
	KUNIT_EXPECT_TRUE(test, CFS_FAIL_TIMEOUT_MS(HERE, 100));
	KUNIT_EXPECT_GE(test, ktime_ms_delta(ktime_get(), start), 100LL);
	KUNIT_EXPECT_FALSE(test, CFS_FAIL_TIMEOUT(HERE, 20));
	KUNIT_EXPECT_LT(test, ktime_ms_delta(ktime_get(), start), 15000LL);
}

static long sleep_here(void *arg)
{
	return CFS_FAIL_TIMEOUT(HERE, 500);
}

static void new_fail_loc_ends_a_sleep(struct kunit *test)
{
	static struct aside sleeper;

	set_fail(test, "0x906", "0");
	aside_start(test, &sleeper, sleep_here, NULL);
	aside_await_sleep(test, &sleeper);
	set_fail(test, "0", "0");
	KUNIT_EXPECT_EQ(test, aside_join(test, &sleeper), 1);
}

static long race_here(void *arg)
{
	CFS_RACE(HERE);
	return 0;
}

static void race_makes_two_meet(struct kunit *test)
{
	static struct aside first;

	set_fail(test, "0x80000906", "0");
	aside_start(test, &first, race_here, NULL);
	aside_await_sleep(test, &first);
	CFS_RACE(THERE);
	msleep(20);
	KUNIT_EXPECT_FALSE(test, aside_is_done(&first));
	CFS_RACE(HERE);
	KUNIT_EXPECT_EQ(test, aside_join(test, &first), 0);
	/* ONCE is used up: later passes do not wait. */
	CFS_RACE(HERE);
}

static void new_fail_loc_ends_a_race(struct kunit *test)
{
	static struct aside first;

	set_fail(test, "0x906", "0");
	aside_start(test, &first, race_here, NULL);
	aside_await_sleep(test, &first);
	set_fail(test, "0", "0");
	KUNIT_EXPECT_EQ(test, aside_join(test, &first), 0);
}

static struct kunit_case fail_cases[] = {
	KUNIT_CASE(zero_fails_nowhere),
	KUNIT_CASE(plain_fails_each_time_and_only_here),
	KUNIT_CASE(once_fails_once),
	KUNIT_CASE(skip_passes_over_the_first),
	KUNIT_CASE(some_fails_the_first),
	KUNIT_CASE(rand_fails_now_and_then),
	KUNIT_CASE(value_names_the_one_that_fails),
	KUNIT_CASE(err_takes_the_place_of_the_usual_one),
	KUNIT_CASE(timeout_sleeps_only_when_asked),
	KUNIT_CASE(new_fail_loc_ends_a_sleep),
	KUNIT_CASE(race_makes_two_meet),
	KUNIT_CASE(new_fail_loc_ends_a_race),
	{}
};

static struct kunit_suite fail_suite = {
	.name = "libcfs_fail",
	.suite_init = client_suite_init,
	.init = fail_case_init,
	.exit = fail_case_exit,
	.test_cases = fail_cases,
};
kunit_test_suite(fail_suite);

MODULE_DESCRIPTION("fault injection");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
