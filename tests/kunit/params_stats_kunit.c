// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics: figures, bars, one moment for all counters, and the clear.
 */
#include <linux/cpumask.h>

#include "fixture.h"

enum { FIRST, SECOND, PLAIN, BARS, STATS_COUNT };

static const struct params_stat_desc descs[] = {
	[FIRST] = { .name = "first", .unit = PARAMS_UNIT_BYTES,
		    .flags = PARAMS_CF_MINMAX | PARAMS_CF_STDDEV },
	[SECOND] = { .name = "second", .unit = PARAMS_UNIT_USEC,
		     .flags = PARAMS_CF_MINMAX },
	[PLAIN] = { .name = "plain", .unit = PARAMS_UNIT_REQS },
	[BARS] = { .name = "bars", .unit = PARAMS_UNIT_PAGES, .buckets = 5 },
};

static struct params_stats *stats;

static struct params_stats *stats_get(void *data)
{
	return stats;
}

static const struct lustre_params_attr attrs[] = {
	LP_STATS_RWC("stats", stats_get),
	LP_STATS_RO("fixed", stats_get),
};

#define STATS	(FIXTURE_DIR "/stats")

static struct params_counter figures(unsigned int idx)
{
	struct params_counter c = {};

	params_stats_read(stats, idx, &c);
	return c;
}

static void figures_of_samples(struct kunit *test)
{
	struct params_counter c;

	params_stats_add(stats, FIRST, 10);
	params_stats_add(stats, FIRST, 3);
	params_stats_add(stats, FIRST, 4);
	c = figures(FIRST);
	KUNIT_EXPECT_EQ(test, c.pc_count, 3ULL);
	KUNIT_EXPECT_EQ(test, c.pc_min, 3ULL);
	KUNIT_EXPECT_EQ(test, c.pc_max, 10ULL);
	KUNIT_EXPECT_EQ(test, c.pc_sum_lo, 17ULL);
	KUNIT_EXPECT_EQ(test, c.pc_sum_hi, 0ULL);
	KUNIT_EXPECT_EQ(test, c.pc_sumsq_lo, 125ULL);
	KUNIT_EXPECT_EQ(test, c.pc_unit, (u32)PARAMS_UNIT_BYTES);
	KUNIT_EXPECT_EQ(test, c.pc_flags,
			(u32)(PARAMS_CF_MINMAX | PARAMS_CF_STDDEV));
}

static void no_sample_has_no_smallest(struct kunit *test)
{
	struct params_counter c = figures(FIRST);

	KUNIT_EXPECT_EQ(test, c.pc_count, 0ULL);
	KUNIT_EXPECT_EQ(test, c.pc_min, 0ULL);
	KUNIT_EXPECT_EQ(test, c.pc_max, 0ULL);
	KUNIT_EXPECT_EQ(test, c.pc_sum_lo, 0ULL);
}

static void sums_have_128_bits(struct kunit *test)
{
	struct params_counter c;

	params_stats_add(stats, FIRST, U64_MAX);
	params_stats_add(stats, FIRST, 2);
	c = figures(FIRST);
	KUNIT_EXPECT_EQ(test, c.pc_sum_hi, 1ULL);
	KUNIT_EXPECT_EQ(test, c.pc_sum_lo, 1ULL);
	KUNIT_EXPECT_EQ(test, c.pc_max, U64_MAX);
	/* (2^64 - 1)^2 + 4 = 2^128 - 2^65 + 5 */
	KUNIT_EXPECT_EQ(test, c.pc_sumsq_hi, U64_MAX - 1);
	KUNIT_EXPECT_EQ(test, c.pc_sumsq_lo, 5ULL);
	/* Once more and it stays at the largest number there is. */
	params_stats_add(stats, FIRST, U64_MAX);
	c = figures(FIRST);
	KUNIT_EXPECT_EQ(test, c.pc_sumsq_hi, U64_MAX);
	KUNIT_EXPECT_EQ(test, c.pc_sumsq_lo, U64_MAX);
}

/* Bars 0, 1, 2-3, 4-7 and all above. */
static void bars_count_by_powers_of_two(struct kunit *test)
{
	static const u64 samples[] = { 0, 0, 1, 2, 3, 4, 7, 8, 1000, U64_MAX };
	static const u64 expected[] = { 2, 1, 2, 2, 3 };
	struct params_value_rec *rec;
	unsigned int i, bar = 0;

	for (i = 0; i < ARRAY_SIZE(samples); i++)
		params_stats_add(stats, BARS, samples[i]);
	KUNIT_ASSERT_EQ(test, client_read(fx.client, STATS), 0);
	for (i = 0; (rec = client_rec(fx.client, i)); i++) {
		struct params_bucket *b = client_rec_value(rec);

		if (rec->vr_type != PARAMS_V_BUCKET)
			continue;
		KUNIT_ASSERT_LT(test, bar, (unsigned int)ARRAY_SIZE(expected));
		KUNIT_EXPECT_EQ(test, b->pb_count, expected[bar]);
		KUNIT_EXPECT_EQ(test, b->pb_low, bar ? BIT_ULL(bar - 1) : 0ULL);
		bar++;
		KUNIT_EXPECT_EQ(test, b->pb_high,
				bar == ARRAY_SIZE(expected) ? U64_MAX :
				BIT_ULL(bar - 1) - 1);
	}
	KUNIT_EXPECT_EQ(test, bar, (unsigned int)ARRAY_SIZE(expected));
}

static void out_of_range_is_ignored_or_refused(struct kunit *test)
{
	struct params_counter c;

	KUNIT_EXPECT_EQ(test, params_stats_read(stats, STATS_COUNT, &c), -EINVAL);
}

static struct params_value_rec *counter_rec(const char *name)
{
	struct params_value_rec *rec;
	unsigned int i;

	for (i = 0; (rec = client_rec(fx.client, i)); i++)
		if (rec->vr_type == PARAMS_V_COUNTER &&
		    rec->vr_name_len == strlen(name) &&
		    !memcmp(rec + 1, name, rec->vr_name_len))
			return rec;
	return NULL;
}

static void a_read_has_them_all_by_name(struct kunit *test)
{
	struct params_counter *c;

	params_stats_add(stats, FIRST, 5);
	params_stats_add(stats, PLAIN, 1);
	KUNIT_ASSERT_EQ(test, client_read(fx.client, STATS), 0);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, counter_rec("first"));
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, counter_rec("plain"));
	c = client_rec_value(counter_rec("first"));
	KUNIT_EXPECT_EQ(test, c->pc_sum_lo, 5ULL);
	c = client_rec_value(counter_rec("plain"));
	KUNIT_EXPECT_EQ(test, c->pc_count, 1ULL);
	KUNIT_EXPECT_EQ(test, c->pc_flags, 0U);
}

static void clear_is_a_word(struct kunit *test)
{
	params_stats_add(stats, FIRST, 5);
	KUNIT_EXPECT_EQ(test, client_write(fx.client, STATS, "0"), -EINVAL);
	KUNIT_EXPECT_EQ(test, figures(FIRST).pc_count, 1ULL);
	KUNIT_EXPECT_EQ(test, client_write(fx.client, FIXTURE_DIR "/fixed",
					   "clear"), -EACCES);
	KUNIT_EXPECT_EQ(test, figures(FIRST).pc_count, 1ULL);
	KUNIT_EXPECT_EQ(test, client_write(fx.client, STATS, "clear"), 0);
	KUNIT_EXPECT_EQ(test, figures(FIRST).pc_count, 0ULL);
	params_stats_add(stats, FIRST, 9);
	KUNIT_EXPECT_EQ(test, figures(FIRST).pc_min, 9ULL);
}

static bool stop;

/* First always before second, by the same amount. */
static long add_pairs(void *arg)
{
	u64 added = 0;

	while (!READ_ONCE(stop)) {
		params_stats_add(stats, FIRST, 8);
		params_stats_add(stats, SECOND, 8);
		added++;
		if (!(added % 64))
			cond_resched();
	}
	return added;
}

#define ADDERS 3

static void samples_of_all_processors_count(struct kunit *test)
{
	static struct aside adders[ADDERS];
	u64 added = 0;
	unsigned int i;

	WRITE_ONCE(stop, false);
	for (i = 0; i < ADDERS; i++)
		aside_start(test, &adders[i], add_pairs, NULL);
	msleep(200);
	WRITE_ONCE(stop, true);
	for (i = 0; i < ADDERS; i++)
		added += aside_join(test, &adders[i]);
	KUNIT_EXPECT_EQ(test, figures(FIRST).pc_count, added);
	KUNIT_EXPECT_EQ(test, figures(FIRST).pc_sum_lo, added * 8);
	KUNIT_EXPECT_EQ(test, figures(SECOND).pc_count, added);
}

/*
 * All counters at one moment: first may be ahead of second by one for each
 * adder, never behind, and each one's sum fits its count.
 */
static void a_snapshot_is_one_moment(struct kunit *test)
{
	static struct aside adders[ADDERS];
	unsigned int i;

	WRITE_ONCE(stop, false);
	for (i = 0; i < ADDERS; i++)
		aside_start(test, &adders[i], add_pairs, NULL);
	for (i = 0; i < 300; i++) {
		struct params_counter *first, *second;

		if (client_read(fx.client, STATS))
			break;
		first = client_rec_value(counter_rec("first"));
		second = client_rec_value(counter_rec("second"));
		if (first->pc_count < second->pc_count ||
		    first->pc_count > second->pc_count + ADDERS ||
		    first->pc_sum_lo != first->pc_count * 8 ||
		    second->pc_sum_lo != second->pc_count * 8)
			break;
	}
	WRITE_ONCE(stop, true);
	KUNIT_EXPECT_EQ(test, i, 300U);
	for (i = 0; i < ADDERS; i++)
		aside_join(test, &adders[i]);
}

/* A clear takes all counters at one moment too: they start again as a pair. */
static void a_clear_is_one_moment(struct kunit *test)
{
	static struct aside adders[ADDERS];
	struct params_counter first, second;
	unsigned int i;

	WRITE_ONCE(stop, false);
	for (i = 0; i < ADDERS; i++)
		aside_start(test, &adders[i], add_pairs, NULL);
	for (i = 0; i < 100; i++) {
		params_stats_clear(stats);
		usleep_range(200, 400);
	}
	WRITE_ONCE(stop, true);
	for (i = 0; i < ADDERS; i++)
		aside_join(test, &adders[i]);
	first = figures(FIRST);
	second = figures(SECOND);
	/* An adder that was between the two lost its first, not its second. */
	KUNIT_EXPECT_LE(test, first.pc_count, second.pc_count);
	KUNIT_EXPECT_LE(test, second.pc_count, first.pc_count + ADDERS);
	KUNIT_EXPECT_EQ(test, first.pc_sum_lo, first.pc_count * 8);
}

static struct kunit_case stats_cases[] = {
	KUNIT_CASE(figures_of_samples),
	KUNIT_CASE(no_sample_has_no_smallest),
	KUNIT_CASE(sums_have_128_bits),
	KUNIT_CASE(bars_count_by_powers_of_two),
	KUNIT_CASE(out_of_range_is_ignored_or_refused),
	KUNIT_CASE(a_read_has_them_all_by_name),
	KUNIT_CASE(clear_is_a_word),
	KUNIT_CASE(samples_of_all_processors_count),
	KUNIT_CASE(a_snapshot_is_one_moment),
	KUNIT_CASE(a_clear_is_one_moment),
	{}
};

static int stats_init(struct kunit *test)
{
	int rc = fixture_init(test);

	if (rc)
		return rc;
	stats = params_stats_alloc(descs, ARRAY_SIZE(descs));
	if (!stats)
		return -ENOMEM;
	return params_add_attrs(fx.dir, attrs, ARRAY_SIZE(attrs), NULL);
}

static void stats_exit(struct kunit *test)
{
	params_remove(fx.dir);
	fx.dir = NULL;
	if (stats)
		params_stats_free(stats);
	stats = NULL;
	fixture_exit(test);
}

static struct kunit_suite stats_suite = {
	.name = "params_stats",
	.suite_init = client_suite_init,
	.init = stats_init,
	.exit = stats_exit,
	.test_cases = stats_cases,
};
kunit_test_suite(stats_suite);

MODULE_DESCRIPTION("counters and histograms of the parameters tree");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
