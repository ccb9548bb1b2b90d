// SPDX-License-Identifier: GPL-2.0-only
/*
 * The power is cut before every write, sync, truncation and removal of a series of changes,
 * and of the open after it. The store then has all acknowledged changes, and the interrupted
 * one completely or not at all.
 */
#include "mgs_fixture.h"
#include "rounds.h"

#include "mgs/store/store_internal.h"

#define MIXES	5

static struct mgs_picture pictures[MGS_STEPS + 1];
static struct mem_backend backend;

/* Lengths of the journal: so short that it is emptied often, and never emptied. */
static const u64 lengths[] = { MGS_JOURNAL_BEGIN, MGS_JOURNAL_BEGIN + 5000, MGS_JOURNAL_MAX };

static struct mgs_store *store_of(u64 length)
{
	struct mgs_store *store = mgs_have(&backend);

	store->ms_journal.jn_max = length;
	return store;
}

/* Return: number of acknowledged changes */
static unsigned int run(struct mgs_store *store, unsigned int first)
{
	struct mgs_txn *txn;
	u64 generation;
	unsigned int n;

	for (n = first; n < MGS_STEPS && !mgs_store_failed(store); n++) {
		txn = mgs_begin(store);
		assert_int_equal(mgs_step(txn, n), 0);
		if (mgs_txn_commit(txn, &generation))
			break;
		assert_int_equal(generation, n + 1);
	}
	return n;
}

static int take_pictures(void **state)
{
	(void)state;
	mgs_pictures_take(pictures, &backend, true);
	return 0;
}

static int free_pictures(void **state)
{
	(void)state;
	mgs_pictures_free(pictures);
	return 0;
}

/* Return: number of changes in the store; @done of them were acknowledged. */
static unsigned int check(struct mgs_store *store, unsigned int done)
{
	struct mgs_picture now;
	unsigned int n;

	mgs_picture_take(&now, store, &backend);
	for (n = done; n <= done + 1 && n <= MGS_STEPS; n++)
		if (mgs_picture_same(&now, &pictures[n]))
			break;
	if (n > done + 1 || n > MGS_STEPS)
		fail_msg("%u changes were acknowledged, and generation %llu is there",
			 done, (unsigned long long)mgs_view_generation(mgs_now(store)));
	mgs_picture_free(&now);
	return n;
}

/* Operations of all changes. */
static unsigned int count_ops(u64 length)
{
	struct mgs_store *store = store_of(length);
	unsigned int ops;

	assert_int_equal(run(store, 0), MGS_STEPS);
	mgs_store_close(store);
	ops = backend.ops;
	mem_free(&backend);
	return ops;
}

/* Cut at @at. Return: number of acknowledged changes */
static unsigned int run_and_cut(u64 length, unsigned int at, enum mem_cut cut,
				unsigned int seed)
{
	struct mgs_store *store = store_of(length);
	unsigned int done;

	backend.dead_at = at;
	done = run(store, 0);
	mgs_store_close(store);
	mem_power_cut(&backend, cut, seed);
	return done;
}

/* Check the changes in the store, and make the remaining ones. */
static void go_on(u64 length, unsigned int done)
{
	struct mgs_store *store = store_of(length);
	struct mgs_picture now;

	done = check(store, done);
	assert_int_equal(run(store, done), MGS_STEPS);
	mgs_picture_take(&now, store, &backend);
	assert_true(mgs_picture_same(&now, &pictures[MGS_STEPS]));
	mgs_picture_free(&now);
	mgs_store_close(store);
	/* After a close the journal is not needed. */
	mem_power_cut(&backend, MEM_LOST, 0);
	backend.ops = 0;
	store = store_of(length);
	assert_int_equal(backend.ops, 0);
	assert_int_equal(check(store, MGS_STEPS), MGS_STEPS);
	mgs_store_close(store);
}

static void each_cut_leaves_whole_changes(u64 length)
{
	unsigned int ops = count_ops(length), at, how, done;

	for (at = 1 + rounds_turn(3); at <= ops; at += rounds_step(3)) {
		/* Each operation in one way, in turn, or in all of them. */
		how = rounds_full() ? 0 : at % (MEM_MIXED + MIXES);
		for (; how < MEM_MIXED + MIXES; how += rounds_step(MEM_MIXED + MIXES)) {
			done = run_and_cut(length, at, how < MEM_MIXED ?
					   how : MEM_MIXED, at + how);
			go_on(length, done);
			mem_free(&backend);
		}
	}
}

static void a_cut_before_any_operation_leaves_whole_changes(void **state)
{
	size_t n;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(lengths); n++)
		each_cut_leaves_whole_changes(lengths[n]);
}

/* Open with the power failing at @at. Return: whether that operation was reached */
static bool open_and_cut(unsigned int at, enum mem_cut cut, unsigned int seed)
{
	struct mgs_store *store;
	struct mgs_fault fault;
	bool dead;

	backend.ops = 0;
	backend.dead_at = at;
	if (!mgs_store_open(&mem_io, &backend, 7, &store, &fault))
		mgs_store_close(store);
	dead = backend.ops >= at;
	mem_power_cut(&backend, cut, seed);
	return dead;
}

static void a_cut_while_opening_loses_nothing(void **state)
{
	unsigned int ops = count_ops(MGS_JOURNAL_MAX), at, again, done, how;

	(void)state;
	for (at = 3 + rounds_turn(9); at <= ops; at += 5 * rounds_step(9)) {
		for (again = 1; ; again++) {
			how = again % (MEM_MIXED + 1);
			done = run_and_cut(MGS_JOURNAL_MAX, at,
					   at % 2 ? MEM_LOST : MEM_MIXED, at);
			if (!open_and_cut(again, how, again))
				break;
			go_on(MGS_JOURNAL_MAX, done);
			mem_free(&backend);
		}
		mem_free(&backend);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cut_before_any_operation_leaves_whole_changes),
		cmocka_unit_test(a_cut_while_opening_loses_nothing),
	};

	return cmocka_run_group_tests(tests, take_pictures, free_pictures);
}
