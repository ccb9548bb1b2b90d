// SPDX-License-Identifier: GPL-2.0
/*
 * Operations that fail, and memory that is not there. A change that was refused is
 * not there, one that was acknowledged is, and reading never sees a part of one.
 */
#include "mgs_fixture.h"

#include <stdlib.h>

#include "mgs/store_internal.h"

static struct mgs_picture pictures[MGS_STEPS + 1];
static struct mem_folder folder;

/*
 * Pictures without the files besides the logs, which are not written where the store
 * has failed.
 */
static void take(struct mgs_picture *picture, struct mgs_store *store)
{
	int failed = store->ms_failed;

	store->ms_failed = failed ? failed : -EIO;
	mgs_picture_take(picture, store, &folder);
	store->ms_failed = failed;
}

static int take_pictures(void **state)
{
	struct mgs_store *store = mgs_have(&folder);
	struct mgs_txn *txn;
	unsigned int n;

	(void)state;
	take(&pictures[0], store);
	for (n = 0; n < MGS_STEPS; n++) {
		txn = mgs_begin(store);
		assert_int_equal(mgs_step(txn, n), 0);
		mgs_done(txn);
		take(&pictures[n + 1], store);
	}
	mgs_store_close(store);
	mem_free(&folder);
	return 0;
}

static int free_pictures(void **state)
{
	unsigned int n;

	(void)state;
	for (n = 0; n <= MGS_STEPS; n++)
		mgs_picture_free(&pictures[n]);
	return 0;
}

static bool is_there(struct mgs_store *store, unsigned int done)
{
	struct mgs_picture now;
	bool same;

	take(&now, store);
	same = mgs_picture_same(&now, &pictures[done]);
	mgs_picture_free(&now);
	return same;
}

/* Return: how many changes were acknowledged, until one was not */
static unsigned int run(struct mgs_store *store, unsigned int first)
{
	struct mgs_txn *txn;
	u64 generation;
	unsigned int n;

	for (n = first; n < MGS_STEPS && !mgs_store_failed(store); n++) {
		txn = mgs_begin(store);
		assert_int_equal(mgs_step(txn, n), 0);
		if (mgs_txn_commit(txn, &generation)) {
			assert_int_equal(generation, 0);
			break;
		}
		if (!is_there(store, n + 1))
			fail_msg("step %u, operation %u of %u", n,
				 folder.fail_at, folder.ops);
	}
	return n;
}

/* After it: the store goes on, or says that it does not and tells what is there. */
static void check_failure(struct mgs_store *store, unsigned int done, int rc)
{
	struct mgs_txn *txn;
	struct mgs_who who = { .when = 1 };

	assert_true(is_there(store, done));
	if (!mgs_store_failed(store)) {
		assert_int_equal(run(store, done), MGS_STEPS);
		return;
	}
	assert_int_equal(mgs_store_failed(store), rc);
	assert_int_equal(mgs_txn_begin(store, &who, &txn), rc);
	assert_null(txn);
	assert_int_equal(mgs_store_sync(store), rc);
}

/* Return: whether it came to a failure; @store goes on by itself then: *@again */
static bool fail_one(u64 length, unsigned int at, int rc, bool *again)
{
	struct mgs_store *store = mgs_have(&folder);
	unsigned int done;
	bool failed;

	store->ms_journal.jn_max = length;
	folder.fail_at = at;
	folder.fail_rc = rc;
	done = run(store, 0);
	failed = folder.ops >= at;
	if (failed)
		check_failure(store, done, rc);
	*again = !mgs_store_failed(store);
	mgs_store_close(store);
	folder.fail_at = 0;
	store = mgs_have(&folder);
	if (*again)
		done = MGS_STEPS;
	/* A sync that failed does not say what is on the disk. */
	if (!is_there(store, done))
		assert_true(!*again && is_there(store, done + 1));
	done = (unsigned int)mgs_store_generation(store);
	assert_int_equal(run(store, done), MGS_STEPS);
	mgs_store_close(store);
	mem_free(&folder);
	return failed;
}

static void an_operation_that_fails_leaves_whole_changes(void **state)
{
	static const int errors[] = { -ENOSPC, -EIO };
	unsigned int at, n, goes_on = 0, ends = 0;
	bool again;

	(void)state;
	for (n = 0; n < 2; n++) {
		for (at = 1; fail_one(n ? 6000 : MGS_JOURNAL_MAX, at, errors[n],
				      &again); at++) {
			goes_on += again;
			ends += !again;
		}
	}
	/* The one write of each change can be taken back. */
	assert_true(goes_on >= MGS_STEPS);
	assert_true(ends > 2 * MGS_STEPS);
}

/* Each change is refused once, and done then. */
static void a_full_disk_refuses_changes_and_is_no_end(void **state)
{
	struct mgs_store *store = mgs_have(&folder);
	struct mgs_txn *txn;
	u64 generation;
	unsigned int n;

	(void)state;
	for (n = 0; n < MGS_STEPS; n++) {
		folder.fail_at = folder.ops + 1;
		folder.fail_rc = -ENOSPC;
		txn = mgs_begin(store);
		assert_int_equal(mgs_step(txn, n), 0);
		assert_int_equal(mgs_txn_commit(txn, &generation), -ENOSPC);
		assert_int_equal(mgs_store_failed(store), 0);
		assert_true(is_there(store, n));
		txn = mgs_begin(store);
		assert_int_equal(mgs_step(txn, n), 0);
		assert_int_equal(mgs_done(txn), n + 1);
		assert_true(is_there(store, n + 1));
	}
	mgs_store_close(store);
	store = mgs_have(&folder);
	assert_true(is_there(store, MGS_STEPS));
	mgs_store_close(store);
	mem_free(&folder);
}

/* Step @n with the @nth allocation failing. Return: whether it came to that */
static bool step_without_memory(struct mgs_store *store, unsigned int n,
				unsigned int nth)
{
	static const struct mgs_who who = {
		.who = "root", .from = "10.0.0.1@tcp", .when = 1795288853,
	};
	struct mgs_txn *txn;
	u64 generation = 0;
	bool failed;
	int rc;

	shim_alloc_fail(nth);
	rc = mgs_txn_begin(store, &who, &txn);
	if (!rc)
		rc = mgs_step(txn, n);
	if (!rc)
		rc = mgs_txn_commit(txn, &generation);
	else if (txn)
		assert_int_equal(mgs_txn_commit(txn, &generation), -ENOMEM);
	failed = shim_alloc_failed();
	assert_int_equal(mgs_store_failed(store), 0);
	assert_int_equal(rc, failed ? -ENOMEM : 0);
	assert_int_equal(generation, failed ? 0 : n + 1);
	assert_true(is_there(store, failed ? n : n + 1));
	return failed;
}

static void a_change_without_memory_is_not_there(void **state)
{
	struct mgs_store *store = mgs_have(&folder);
	unsigned int n, nth;

	(void)state;
	for (n = 0; n < MGS_STEPS; n++) {
		nth = 1;
		while (step_without_memory(store, n, nth))
			nth++;
		assert_true(nth > 3);
	}
	mgs_store_close(store);
	store = mgs_have(&folder);
	assert_true(is_there(store, MGS_STEPS));
	mgs_store_close(store);
	mem_free(&folder);
	assert_int_equal(shim_alloc_live(), 0);
}

static void a_store_that_could_not_be_opened_can_be(void **state)
{
	struct mgs_store *store = mgs_have(&folder);
	struct mgs_fault fault;
	unsigned int nth;
	int rc = -ENOMEM;

	(void)state;
	assert_int_equal(run(store, 0), MGS_STEPS);
	/* The journal is full, and one log is not known yet. */
	folder.dead_at = folder.ops + 1;
	mgs_store_close(store);
	mem_power_cut(&folder, MEM_LOST, 0);
	for (nth = 1; rc; nth++) {
		shim_alloc_fail(nth);
		rc = mgs_store_open(&mem_io, &folder, 7, &store, &fault);
		assert_int_equal(rc, shim_alloc_failed() ? -ENOMEM : 0);
		if (rc)
			assert_int_equal(shim_alloc_live(), 0);
	}
	assert_true(nth > 10);
	assert_true(is_there(store, MGS_STEPS));
	mgs_store_close(store);
	mem_free(&folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_operation_that_fails_leaves_whole_changes),
		cmocka_unit_test(a_full_disk_refuses_changes_and_is_no_end),
		cmocka_unit_test(a_change_without_memory_is_not_there),
		cmocka_unit_test(a_store_that_could_not_be_opened_can_be),
	};

	return cmocka_run_group_tests(tests, take_pictures, free_pictures);
}
