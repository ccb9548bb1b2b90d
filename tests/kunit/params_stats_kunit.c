// SPDX-License-Identifier: GPL-2.0-only
/*
 * Statistics on real processors: no sample is lost, and a read and a clear are one
 * moment for all counters. Figures, bars and texts: tests/unit/params_stats_tsan_test.c.
 *
 * Every: 2
 */
#include <linux/cpumask.h>

#include "fixture.h"

enum { FIRST, SECOND };

static const struct params_stat_desc descs[] = {
	[FIRST] = { .name = "first", .unit = PARAMS_UNIT_BYTES,
		    .flags = PARAMS_CF_MINMAX | PARAMS_CF_STDDEV },
	[SECOND] = { .name = "second", .unit = PARAMS_UNIT_USEC,
		     .flags = PARAMS_CF_MINMAX },
};

static struct params_stats *stats;

static struct params_stats *stats_get(void *data)
{
	return stats;
}

static const struct lustre_params_attr attrs[] = {
	LP_STATS_RWC("stats", stats_get),
};

#define STATS	(FIXTURE_DIR "/stats")

static struct params_counter figures(unsigned int idx)
{
	struct params_counter c = {};

	params_stats_read(stats, idx, &c);
	return c;
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

/* A clear is one moment for all counters: they restart as a pair. */
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
	/* An adder that was between the two lost its first addition, not its second. */
	KUNIT_EXPECT_LE(test, first.pc_count, second.pc_count);
	KUNIT_EXPECT_LE(test, second.pc_count, first.pc_count + ADDERS);
	KUNIT_EXPECT_EQ(test, first.pc_sum_lo, first.pc_count * 8);
}

static struct kunit_case stats_cases[] = {
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
