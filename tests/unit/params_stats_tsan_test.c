// SPDX-License-Identifier: GPL-2.0-only
/* Counters and histograms: figures, limits, one moment for all of them. */
#include "shim_cmocka.h"

#include <stdlib.h>

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <shim/alloc.h>
#include <shim/log.h>
#include <shim/task.h>

#include "params/params_internal.h"
#include "params/wide.h"
#include "params_client.h"
#include "params_subject.h"
#include "params_threads.h"

enum { COUNT, LATENCY, SIZES, BYTES, FINE };

static const struct params_stat_desc descs[] = {
	[COUNT] = { .name = "count", .unit = PARAMS_UNIT_REQS },
	[LATENCY] = { .name = "latency", .unit = PARAMS_UNIT_USEC,
		      .flags = PARAMS_CF_MINMAX | PARAMS_CF_STDDEV },
	[SIZES] = { .name = "sizes", .unit = PARAMS_UNIT_PAGES, .buckets = 4 },
	[BYTES] = { .name = "bytes", .unit = PARAMS_UNIT_BYTES,
		    .flags = PARAMS_CF_MINMAX },
	[FINE] = { .name = "fine", .buckets = 65 },
};

static struct params_stats *stats;

static int setup(void **state)
{
	shim_cpus = 4;
	shim_task()->cpu = 0;
	stats = params_stats_alloc(descs, ARRAY_SIZE(descs));
	return stats ? 0 : -1;
}

static int teardown(void **state)
{
	params_stats_free(stats);
	assert_int_equal(shim_alloc_live(), 0);
	return 0;
}

static struct params_counter figures(unsigned int idx)
{
	struct params_counter c;

	assert_int_equal(params_stats_read(stats, idx, &c), 0);
	return c;
}

/* A sample on each processor: more of them than there are slots. */
static void add_on(unsigned int cpu, unsigned int idx, u64 val)
{
	shim_task()->cpu = cpu;
	params_stats_add(stats, idx, val);
}

static void figures_are_over_all_processors(void **state)
{
	struct params_counter c;

	add_on(0, LATENCY, 10);
	add_on(1, LATENCY, 3);
	add_on(2, LATENCY, 200);
	add_on(97, LATENCY, 7);
	c = figures(LATENCY);
	assert_int_equal(c.pc_count, 4);
	assert_int_equal(c.pc_min, 3);
	assert_int_equal(c.pc_max, 200);
	assert_int_equal(c.pc_sum_lo, 220);
	assert_int_equal(c.pc_sum_hi, 0);
	assert_int_equal(c.pc_sumsq_lo, 100 + 9 + 40000 + 49);
	assert_int_equal(c.pc_unit, PARAMS_UNIT_USEC);
	assert_int_equal(c.pc_flags, PARAMS_CF_MINMAX | PARAMS_CF_STDDEV);
	assert_int_equal(figures(BYTES).pc_count, 0);
}

static void a_counter_keeps_what_was_declared_only(void **state)
{
	struct params_counter c;

	add_on(0, COUNT, 5);
	c = figures(COUNT);
	assert_int_equal(c.pc_count, 1);
	assert_int_equal(c.pc_sum_lo, 0);
	assert_int_equal(c.pc_max, 0);
	add_on(0, BYTES, 5);
	c = figures(BYTES);
	assert_int_equal(c.pc_sum_lo, 5);
	assert_int_equal(c.pc_sumsq_lo, 0);
}

static void a_sample_of_zero_is_the_smallest(void **state)
{
	add_on(0, LATENCY, 5);
	add_on(1, LATENCY, 0);
	assert_int_equal(figures(LATENCY).pc_min, 0);
	assert_int_equal(figures(LATENCY).pc_max, 5);
	params_stats_clear(stats);
	assert_int_equal(figures(LATENCY).pc_count, 0);
	add_on(1, LATENCY, 9);
	/* Processors without a sample do not affect the minimum. */
	assert_int_equal(figures(LATENCY).pc_min, 9);
}

static void sums_are_of_128_bits(void **state)
{
	unsigned __int128 sum = 0, sumsq = 0;
	struct params_counter c;
	unsigned int n;

	for (n = 0; n < 3; n++) {
		u64 val = U64_MAX - n * 12345;

		/* One square is below 2^128, and two are not. */
		if (!n)
			sumsq = (unsigned __int128)val * val;
		sum += val;
		add_on(n, LATENCY, val);
		c = figures(LATENCY);
		assert_int_equal(c.pc_sum_lo, (u64)sum);
		assert_int_equal(c.pc_sum_hi, (u64)(sum >> 64));
		assert_int_equal(c.pc_sumsq_lo, n ? U64_MAX : (u64)sumsq);
		assert_int_equal(c.pc_sumsq_hi,
				 n ? U64_MAX : (u64)(sumsq >> 64));
	}
}

/* Against the compiler's own numbers of that width. */
static void wide_numbers_agree_with_the_compilers(void **state)
{
	static const u64 vals[] = {
		0, 1, 2, 0xffff, 0xffffffff, 0x100000000, 0x1ffffffff,
		0x8000000000000000, 0xfffffffeffffffff, U64_MAX - 1, U64_MAX,
	};
	size_t a, b;

	for (a = 0; a < ARRAY_SIZE(vals); a++) {
		unsigned __int128 square = (unsigned __int128)vals[a] * vals[a];
		struct params_wide w = params_wide_square(vals[a]);

		assert_int_equal(w.lo, (u64)square);
		assert_int_equal(w.hi, (u64)(square >> 64));
		for (b = 0; b < ARRAY_SIZE(vals); b++) {
			struct params_wide sum = { vals[a], vals[b] };
			struct params_wide add = { vals[b], vals[a] };
			unsigned __int128 x = (unsigned __int128)vals[b] << 64 |
					      vals[a];
			unsigned __int128 y = (unsigned __int128)vals[a] << 64 |
					      vals[b];
			unsigned __int128 want = x + y < x ?
				~(unsigned __int128)0 : x + y;

			params_wide_add(&sum, add);
			assert_int_equal(sum.lo, (u64)want);
			assert_int_equal(sum.hi, (u64)(want >> 64));
		}
	}
}

static const struct params_value_rec *put(struct params_sink *sink,
					  const char *name)
{
	const struct params_value_rec *rec;
	u32 n;

	params_sink_init(sink, NULL, 0);
	assert_int_equal(params_stats_put(sink, stats), 0);
	assert_int_equal(params_sink_finish(sink), 0);
	for (n = 0; (rec = client_value_rec(sink->snk_buf, sink->snk_used, n)); n++)
		if (rec->vr_name_len == strlen(name) &&
		    !memcmp(rec + 1, name, strlen(name)))
			return rec;
	return NULL;
}

/* Buckets of a histogram: counts, order, no empty ones at the ends. */
static u32 bars(const char *name, struct params_bucket *to)
{
	const struct params_value_rec *rec;
	struct params_sink sink;
	u32 count = 0;
	size_t pos;

	rec = put(&sink, name);
	if (!rec) {
		params_sink_free(&sink);
		return 0;
	}
	assert_int_equal(rec->vr_type, PARAMS_V_LIST_BEGIN);
	pos = (const char *)rec - sink.snk_buf + params_rec_bytes(rec);
	for (;; pos += params_rec_bytes(rec)) {
		rec = client_value_rec(sink.snk_buf + pos, sink.snk_used - pos, 0);
		if (rec->vr_type == PARAMS_V_LIST_END)
			break;
		assert_int_equal(rec->vr_type, PARAMS_V_BUCKET);
		to[count++] = *(const struct params_bucket *)client_value(rec);
	}
	params_sink_free(&sink);
	return count;
}

static void bars_are_powers_of_two(void **state)
{
	struct params_bucket b[65];
	u32 n;

	assert_int_equal(bars("sizes", b), 0);
	add_on(0, SIZES, 0);
	add_on(1, SIZES, 1);
	add_on(2, SIZES, 2);
	add_on(3, SIZES, 3);
	assert_int_equal(bars("sizes", b), 3);
	assert_int_equal(b[0].pb_low, 0);
	assert_int_equal(b[0].pb_high, 0);
	assert_int_equal(b[0].pb_count, 1);
	assert_int_equal(b[1].pb_low, 1);
	assert_int_equal(b[1].pb_high, 1);
	assert_int_equal(b[2].pb_low, 2);
	assert_int_equal(b[2].pb_high, 3);
	assert_int_equal(b[2].pb_count, 2);
	assert_int_equal(b[2].pb_unit, PARAMS_UNIT_PAGES);
	/* The last one has all that is above. */
	add_on(0, SIZES, 4);
	add_on(0, SIZES, U64_MAX);
	assert_int_equal(bars("sizes", b), 4);
	assert_int_equal(b[3].pb_low, 4);
	assert_int_equal(b[3].pb_high, U64_MAX);
	assert_int_equal(b[3].pb_count, 2);
	for (n = 0; n < 64; n++)
		add_on(n, FINE, 1ULL << n);
	assert_int_equal(bars("fine", b), 65);
	for (n = 1; n < 65; n++) {
		assert_int_equal(b[n].pb_low, 1ULL << (n - 1));
		assert_int_equal(b[n].pb_count, 1);
	}
	assert_int_equal(b[64].pb_high, U64_MAX);
}

static const struct params_time *time_of(const struct params_value_rec *rec)
{
	assert_non_null(rec);
	assert_int_equal(rec->vr_type, PARAMS_V_TIME);
	return client_value(rec);
}

static void a_value_has_times_and_what_has_samples(void **state)
{
	const struct params_value_rec *rec;
	const struct params_time *now, *begin, *elapsed;
	struct params_sink sink;

	add_on(0, COUNT, 1);
	rec = put(&sink, "count");
	assert_int_equal(rec->vr_type, PARAMS_V_COUNTER);
	assert_int_equal(((const struct params_counter *)
			  client_value(rec))->pc_count, 1);
	now = time_of(client_value_rec(sink.snk_buf, sink.snk_used, 0));
	begin = time_of(client_value_rec(sink.snk_buf, sink.snk_used, 1));
	elapsed = time_of(client_value_rec(sink.snk_buf, sink.snk_used, 2));
	assert_int_equal(now->pt_kind, PARAMS_TIME_WALL);
	assert_int_equal(begin->pt_kind, PARAMS_TIME_WALL);
	assert_int_equal(elapsed->pt_kind, PARAMS_TIME_SPAN);
	assert_true(begin->pt_ns <= now->pt_ns && elapsed->pt_ns >= 0);
	/* Three times and one counter: counters without samples are not printed. */
	assert_null(client_value_rec(sink.snk_buf, sink.snk_used, 4));
	params_sink_free(&sink);
	rec = put(&sink, "snapshot_time");
	assert_ptr_equal(rec, sink.snk_buf);
	params_sink_free(&sink);
}

static void a_clear_restarts_the_time(void **state)
{
	struct params_sink sink;
	s64 before, after;

	before = time_of(put(&sink, "start_time"))->pt_ns;
	params_sink_free(&sink);
	add_on(0, COUNT, 1);
	sleep_ms(2);
	params_stats_clear(stats);
	after = time_of(put(&sink, "start_time"))->pt_ns;
	assert_true(after > before);
	assert_null(client_value_rec(sink.snk_buf, sink.snk_used, 3));
	params_sink_free(&sink);
}

static void what_is_not_declared_is_refused(void **state)
{
	static const struct params_stat_desc bad[] = {
		{ .name = "one bar", .buckets = 1 },
		{ .name = "too many bars", .buckets = 66 },
		{ .name = "no such unit", .unit = PARAMS_UNIT_MAX },
		{ .name = NULL },
	};
	struct params_counter c;
	size_t n;

	assert_int_equal(params_stats_read(stats, 5, &c), -EINVAL);
	assert_int_equal(params_stats_read(stats, SIZES, &c), -EINVAL);
	shim_warn_expect();
	params_stats_add(stats, 5, 1);
	for (n = 0; n < ARRAY_SIZE(bad); n++)
		assert_null(params_stats_alloc(&bad[n], 1));
	assert_int_equal(shim_warn_expected(), 1 + ARRAY_SIZE(bad));
}

static void none_are_counters_too(void **state)
{
	struct params_stats *none = params_stats_alloc(NULL, 0);
	struct params_sink sink;

	assert_non_null(none);
	params_sink_init(&sink, NULL, 0);
	assert_int_equal(params_stats_put(&sink, none), 0);
	params_stats_clear(none);
	params_sink_free(&sink);
	params_stats_free(none);
	params_stats_free(NULL);
}

/*
 * Each thread adds the same sample to two counters, one after the other, on a processor of
 * its own. At any moment the first is ahead by at most one for each thread, and never less;
 * and the cleared and the read values add up.
 */
#define ADDERS	4
#define ROUNDS	3000

static long add_pairs(void *arg)
{
	unsigned int n;

	shim_task()->cpu = (unsigned long)arg;
	for (n = 0; n < ROUNDS; n++) {
		params_stats_add(stats, LATENCY, 7);
		params_stats_add(stats, BYTES, 7);
	}
	return 0;
}

static void look(u64 *latency, u64 *bytes)
{
	const struct params_value_rec *rec;
	struct params_sink sink;
	u32 n;

	*latency = 0;
	*bytes = 0;
	params_sink_init(&sink, NULL, 0);
	assert_int_equal(params_stats_put(&sink, stats), 0);
	for (n = 3; (rec = client_value_rec(sink.snk_buf, sink.snk_used, n)); n++) {
		const struct params_counter *c = client_value(rec);

		assert_int_equal(c->pc_sum_lo, c->pc_count * 7);
		*(c->pc_unit == PARAMS_UNIT_USEC ? latency : bytes) = c->pc_count;
	}
	params_sink_free(&sink);
}

static void a_snapshot_is_one_moment_over_all_counters(void **state)
{
	struct aside adders[ADDERS];
	unsigned int left = ADDERS;
	u64 latency, bytes;
	unsigned long n;

	for (n = 0; n < ADDERS; n++)
		aside_start(&adders[n], add_pairs, (void *)n);
	while (left) {
		look(&latency, &bytes);
		assert_true(latency >= bytes && latency - bytes <= ADDERS);
		for (n = 0, left = 0; n < ADDERS; n++)
			left += !aside_done(&adders[n]);
	}
	for (n = 0; n < ADDERS; n++)
		aside_join(&adders[n]);
	look(&latency, &bytes);
	assert_int_equal(latency, ADDERS * ROUNDS);
	assert_int_equal(bytes, ADDERS * ROUNDS);
}

static long read_often(void *arg)
{
	struct params_counter c;
	unsigned int n;

	for (n = 0; n < 300; n++) {
		params_stats_read(stats, LATENCY, &c);
		if (c.pc_sum_lo != c.pc_count * 7 ||
		    (c.pc_count && (c.pc_min != 7 || c.pc_max != 7)))
			return -EILSEQ;
	}
	return 0;
}

static void a_clear_loses_nothing_halfway(void **state)
{
	struct aside adders[ADDERS], reader;
	unsigned int left = ADDERS;
	unsigned long n;
	u64 latency, bytes;

	for (n = 0; n < ADDERS; n++)
		aside_start(&adders[n], add_pairs, (void *)n);
	aside_start(&reader, read_often, NULL);
	while (left) {
		params_stats_clear(stats);
		look(&latency, &bytes);
		/* A clear between the two of a pair leaves the second alone. */
		assert_true(latency + ADDERS >= bytes);
		for (n = 0, left = 0; n < ADDERS; n++)
			left += !aside_done(&adders[n]);
	}
	for (n = 0; n < ADDERS; n++)
		aside_join(&adders[n]);
	assert_int_equal(aside_join(&reader), 0);
}

int main(void)
{
#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(figures_are_over_all_processors),
		TEST(a_counter_keeps_what_was_declared_only),
		TEST(a_sample_of_zero_is_the_smallest),
		TEST(sums_are_of_128_bits),
		TEST(wide_numbers_agree_with_the_compilers),
		TEST(bars_are_powers_of_two),
		TEST(a_value_has_times_and_what_has_samples),
		TEST(a_clear_restarts_the_time),
		TEST(what_is_not_declared_is_refused),
		TEST(none_are_counters_too),
		TEST(a_snapshot_is_one_moment_over_all_counters),
		TEST(a_clear_loses_nothing_halfway),
	};

	return cmocka_run_group_tests_name("params_stats_tsan", tests, NULL, NULL);
}
