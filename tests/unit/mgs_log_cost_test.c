// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of a setting must not grow with the log: the bytes that are read from memory
 * for it are counted by a wrapper of mgs_bytes_read(). And the index of the settings must
 * match the log: the same settings are made in a store that stays open and in one that is
 * reopened for each of them.
 */
#include "mgs_log_fixture.h"
#include "rounds.h"

#include "mgs/log/log_internal.h"
#include "mgs/store/store_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of three records each. */
#define SETTINGS	(rounds_full() ? 3334 : 600)
/* A section may span two chunks. */
#define READ_MAX	(12 * LLOG_MIN_CHUNK_SIZE)

static u64 bytes_read;

size_t __real_mgs_bytes_read(const struct mgs_bytes *bytes, u64 offset, void *to,
			     size_t len);
size_t __wrap_mgs_bytes_read(const struct mgs_bytes *bytes, u64 offset, void *to,
			     size_t len);

size_t __wrap_mgs_bytes_read(const struct mgs_bytes *bytes, u64 offset, void *to,
			     size_t len)
{
	size_t got = __real_mgs_bytes_read(bytes, offset, to, len);

	bytes_read += got;
	return got;
}

/* There are too many records to check all of them. */
static int teardown_large(void **state)
{
	env_close(&env);
	return 0;
}

static void reopen(struct env *at)
{
	struct mgs_fault fault;

	mgs_store_close(at->store);
	assert_int_equal(mgs_store_open(&mem_io, &at->backend, 7, &at->store,
					&fault), 0);
	assert_null(fault.what);
}

static void set(struct env *at, unsigned int n, unsigned int value)
{
	char name[32], text[16];

	snprintf(name, sizeof(name), "osc.*.setting_%u", n);
	snprintf(text, sizeof(text), "%u", value);
	assert_int_equal(env_do(at, MGS_SET_PARAM, name, text), 0);
}

static int del(struct env *at, unsigned int n)
{
	char name[32];

	snprintf(name, sizeof(name), "osc.*.setting_%u", n);
	return env_do(at, MGS_DEL_PARAM, name);
}

static void have_settings(unsigned int count)
{
	struct mgs_log_info info;
	unsigned int n;

	for (n = 0; n < count; n++)
		set(&env, n, n);
	assert_int_equal(mgs_view_info(mgs_now(env.store), PARAMS, &info), 0);
	assert_true(info.li_records >= 3 * count);
}

/* Bytes that are read for each kind of change of a setting. */
struct costs {
	u64	again;
	u64	fresh;
	u64	same;
	u64	gone;
};

static u64 since(u64 *mark)
{
	u64 cost = bytes_read - *mark;

	*mark = bytes_read;
	return cost;
}

static void take_costs(struct costs *costs, unsigned int n, unsigned int fresh)
{
	u64 mark = bytes_read;

	set(&env, n, 7000);
	costs->again = since(&mark);
	assert_int_equal(env.records, 5);
	set(&env, fresh, 7000);
	costs->fresh = since(&mark);
	assert_int_equal(env.records, 3);
	set(&env, n, 7000);
	costs->same = since(&mark);
	assert_int_equal(env.records, 0);
	assert_int_equal(del(&env, n), 0);
	costs->gone = since(&mark);
	assert_int_equal(env.records, 2);
	/* The wrapper counts. */
	assert_true(costs->again && costs->gone);
}

static void check_costs(const struct costs *costs)
{
	assert_in_range(costs->again, 0, READ_MAX);
	assert_in_range(costs->fresh, 0, READ_MAX);
	assert_in_range(costs->same, 0, READ_MAX);
	assert_in_range(costs->gone, 0, READ_MAX);
}

static void test_cost(void **state)
{
	struct costs few, many, late;
	struct mgs_log_info info;
	u64 mark;

	have_settings(10);
	take_costs(&few, 5, 5000);
	check_costs(&few);
	have_settings(SETTINGS);
	take_costs(&many, SETTINGS / 2, 5001);
	check_costs(&many);
	/* Only the first change after a start walks through the log. */
	assert_int_equal(mgs_view_info(mgs_now(env.store), PARAMS, &info), 0);
	assert_true(info.li_size > 2 * READ_MAX);
	reopen(&env);
	mark = bytes_read;
	set(&env, 3, 7001);
	assert_true(since(&mark) > info.li_size);
	take_costs(&late, SETTINGS / 3, 5002);
	check_costs(&late);
}

/* A refused change, or a dry run, does not modify it. */
static void test_cost_after_abort(void **state)
{
	struct mgs_who who = { .who = "root" };
	const char *args[] = { "osc.*.setting_3", "8000" };
	struct costs costs;
	struct mgs_txn *txn;
	int n;

	have_settings(SETTINGS);
	for (n = 0; n < 2; n++) {
		assert_int_equal(mgs_txn_begin(env.store, &who, &txn), 0);
		assert_int_equal(mgs_log_change(txn, MGS_SET_PARAM, args, 2, 0,
						&env.why), 0);
		mgs_txn_end(txn);
	}
	assert_int_equal(del(&env, 6000), -ENOENT);
	assert_int_equal(env_do(&env, MGS_SET_PARAM, "osc.*.x y", "1"),
			 -EINVAL);
	take_costs(&costs, 3, 5000);
	check_costs(&costs);
}

static u64 start_again(unsigned int n)
{
	char name[32], nids[32];
	u64 mark = bytes_read;

	snprintf(name, sizeof(name), "lustre-OST%04x", n);
	snprintf(nids, sizeof(nids), "10.0.0.%u@tcp", n + 1);
	assert_int_equal(env_register(&env, &(struct env_target){
					       .name = name, .nids = nids }), 0);
	return since(&mark);
}

/* A target that starts again does not read the logs of all others. */
static void test_cost_of_a_start(void **state)
{
	struct mgs_log_info info;
	char name[32];
	unsigned int n;
	u64 first;

	env_add(&env, MDT0, NULL);
	for (n = 0; n < 40; n++) {
		snprintf(name, sizeof(name), "lustre-OST%04x", n);
		env_add(&env, name, NULL);
	}
	assert_int_equal(mgs_view_info(mgs_now(env.store), CLIENT, &info), 0);
	first = start_again(3);
	assert_true(first > 40 * LLOG_MIN_CHUNK_SIZE);
	for (n = 0; n < 40; n++)
		assert_in_range(start_again(n), 0, READ_MAX);
	/* Changes of a log of the file system are noticed. */
	assert_int_equal(env_do(&env, MGS_CONF_PARAM,
				"lustre-OST0003.ost.read_cache_enable", "0"), 0);
	assert_true(start_again(3) > 40 * LLOG_MIN_CHUNK_SIZE);
	assert_in_range(start_again(3), 0, READ_MAX);
}

/* Superseded settings never use up the record numbers. */
static void test_log_does_not_fill_up(void **state)
{
	struct mgs_log_info info;
	u64 epoch = 0;
	unsigned int n, rewritten = 0;
	char *dump;

	mgs_compact_at = 600;
	for (n = 0; n < 300; n++) {
		set(&env, n % 3, n);
		assert_int_equal(mgs_view_info(mgs_now(env.store), PARAMS, &info),
				 0);
		rewritten += n && info.li_epoch != epoch;
		epoch = info.li_epoch;
	}
	assert_int_equal(rewritten, 1);
	assert_in_range(info.li_last_index, 9, 400);
	dump = env_meaning(&env, PARAMS);
	for (n = 0; n < 3; n++) {
		char line[64];

		snprintf(line, sizeof(line), "osc.*.setting_%u=%u", n, 297 + n);
		assert_non_null(strstr(dump, line));
	}
	assert_null(strstr(dump, "=296"));
	free(dump);
	mgs_compact_at = 32768;
}

static u32 next_random(u32 *seed)
{
	*seed = *seed * 1103515245 + 12345;
	return *seed >> 8;
}

/* One of a few settings, so that all combinations occur. */
static void one_change(struct env *at, u32 dice)
{
	static const char *const patterns[] = {
		"osc.*.a", "osc.lustre-*.b", "timeout", "lov.*.c",
	};
	const char *pattern = patterns[dice % 4];
	char value[16];
	int rc;

	snprintf(value, sizeof(value), "%u", dice / 4 % 5);
	if (dice / 20 % 4)
		rc = env_do(at, MGS_SET_PARAM, pattern, value);
	else
		rc = env_do(at, MGS_DEL_PARAM, pattern);
	assert_true(!rc || rc == -ENOENT);
}

/* Two in one change: the second one must see the first one. */
static void two_changes(struct env *at, u32 dice)
{
	struct mgs_who who = { .who = "root", .when = at->when };
	const char *args[] = { dice & 1 ? "osc.*.a" : "timeout", "100" };
	const char *more[] = { "osc.*.a", dice & 2 ? "100" : "101" };
	struct mgs_txn *txn;
	u64 generation;

	assert_int_equal(mgs_txn_begin(at->store, &who, &txn), 0);
	assert_int_equal(mgs_log_change(txn, MGS_SET_PARAM, args, 2, 0,
					&at->why), 0);
	assert_int_equal(mgs_log_change(txn, MGS_SET_PARAM, more, 2, 0,
					&at->why), 0);
	assert_int_equal(mgs_txn_commit(txn, &generation), 0);
}

/* Changes of another kind, after which the log must be scanned. */
static void other_change(struct env *at, u32 dice)
{
	int rc = 0;

	if (dice % 2)
		rc = env_do(at, MGS_CLEAR_CONF, PARAMS);
	else
		rc = env_change(at, MGS_CANCEL_RECORD, 2,
				(const char *const []){ PARAMS }, 1);
	assert_true(!rc || rc == -ENOENT || rc == -EINVAL);
}

static void change(struct env *at, u32 dice)
{
	at->when++;
	if (dice % 29 == 0)
		other_change(at, dice / 29);
	else if (dice % 7 == 0)
		two_changes(at, dice / 7);
	else
		one_change(at, dice);
}

static void test_same_as_after_reopen(void **state)
{
	char *dump, *want;
	struct env other;
	u32 seed, n, dice;

	env_open(&other);
	env_add(&env, "lustre-MDT0000", NULL);
	env_add(&other, "lustre-MDT0000", NULL);
	seed = 17;
	for (n = 0; n < 400; n++) {
		dice = next_random(&seed);
		reopen(&other);
		change(&env, dice);
		change(&other, dice);
		if (n < 3 || n % rounds_step(4) != 0)
			continue;
		dump = env_dump(&env, PARAMS);
		want = env_dump(&other, PARAMS);
		assert_string_equal(dump, want);
		free(dump);
		free(want);
	}
	env_close(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_cost, setup,
						teardown_large),
		cmocka_unit_test_setup_teardown(test_cost_after_abort, setup,
						teardown_large),
		env_case(test_cost_of_a_start),
		cmocka_unit_test_setup_teardown(test_log_does_not_fill_up,
						setup, teardown_large),
		env_case(test_same_as_after_reopen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
