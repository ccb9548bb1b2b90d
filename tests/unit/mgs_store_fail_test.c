// SPDX-License-Identifier: GPL-2.0-only
/*
 * Failing operations and allocations. The store has all acknowledged changes and no refused
 * one, and readers never see a part of a change.
 */
#include "mgs_fixture.h"
#include "rounds.h"

#include <stdlib.h>

#include "mgs/store/store_internal.h"

static struct mgs_picture pictures[MGS_STEPS + 1];
static struct mem_backend backend;

/* The logs alone: the other files are stale while they cannot be written. */
static int take_pictures(void **state)
{
	(void)state;
	mgs_pictures_take(pictures, &backend, false);
	return 0;
}

static int free_pictures(void **state)
{
	(void)state;
	mgs_pictures_free(pictures);
	return 0;
}

static bool is_there(struct mgs_store *store, unsigned int done)
{
	struct mgs_picture now;
	bool same;

	mgs_picture_take(&now, store, NULL);
	same = mgs_picture_same(&now, &pictures[done]);
	mgs_picture_free(&now);
	return same;
}

/* Return: number of acknowledged changes before the first refused one */
static unsigned int run(struct mgs_store *store, unsigned int first)
{
	struct mgs_txn *txn;
	u64 generation;
	unsigned int n;

	for (n = first; n < MGS_STEPS; n++) {
		txn = mgs_begin(store);
		assert_int_equal(mgs_step(txn, n), 0);
		if (mgs_txn_commit(txn, &generation)) {
			assert_int_equal(generation, 0);
			break;
		}
		if (!is_there(store, n + 1))
			fail_msg("step %u, operation %u of %u", n,
				 backend.fail_at, backend.ops);
	}
	return n;
}

/* Run with operation @at failing. Return: whether that operation was reached */
static bool fail_one(u64 length, unsigned int at, int rc)
{
	struct mgs_store *store = mgs_have(&backend);
	unsigned int done;
	bool failed;

	store->ms_journal.jn_max = length;
	backend.fail_at = at;
	backend.fail_rc = rc;
	done = run(store, 0);
	failed = backend.ops >= at;
	assert_true(is_there(store, done));
	/* Failed operations are repeated before the next change. */
	assert_int_equal(run(store, done), MGS_STEPS);
	assert_int_equal(mgs_store_retry(store), 0);
	backend.fail_at = 0;
	assert_int_equal(mgs_store_close(store), 0);
	mem_power_cut(&backend, MEM_LOST, 0);
	store = mgs_have(&backend);
	assert_true(is_there(store, MGS_STEPS));
	mgs_store_close(store);
	mem_free(&backend);
	return failed;
}

static void an_operation_that_fails_is_done_later(void **state)
{
	static const int errors[] = { -ENOSPC, -EIO, -EINTR, -EFBIG };
	unsigned int at, n;

	(void)state;
	for (n = 0; n < 2 * ARRAY_SIZE(errors); n++) {
		backend.lossy = n % 2;
		at = 1 + rounds_turn(13);
		while (fail_one(n % 2 ? MGS_JOURNAL_BEGIN + 5000 :
					MGS_JOURNAL_MAX,
				at, errors[n / 2])) {
			backend.lossy = n % 2;
			at += rounds_step(13);
		}
		assert_true(at > 4 * MGS_STEPS);
	}
}

/*
 * A signal arrives during operation @at, and all later operations of the caller fail. Return:
 * whether that operation was reached
 */
static bool interrupt_one(unsigned int at, enum mem_cut cut)
{
	struct mgs_store *store = mgs_have(&backend);
	bool interrupted = false, doubt = false;
	struct mgs_txn *txn;
	u64 generation;
	unsigned int n, done = 0;

	store->ms_journal.jn_max = MGS_JOURNAL_BEGIN + 5000;
	for (n = 0; n < MGS_STEPS && !interrupted; n++) {
		backend.fail_at = at;
		backend.fail_count = 1000;
		backend.fail_rc = -EINTR;
		txn = mgs_begin(store);
		assert_int_equal(mgs_step(txn, n), 0);
		if (!mgs_txn_commit(txn, &generation))
			done++;
		interrupted = backend.ops >= at;
		doubt = mgs_store_doubt(store);
	}
	backend.fail_at = 0;
	assert_true(is_there(store, done));
	/* The power fails at once; or the next caller repeats them. */
	if (at % 2) {
		mgs_store_free(store);
		mem_power_cut(&backend, cut, at);
		store = mgs_have(&backend);
		if (doubt && is_there(store, done + 1))
			done++;
	} else if (interrupted) {
		assert_int_equal(mgs_store_retry(store), 0);
	}
	assert_true(is_there(store, done));
	assert_int_equal(run(store, done), MGS_STEPS);
	mgs_store_close(store);
	mem_free(&backend);
	return interrupted;
}

static void a_signal_does_not_end_the_store(void **state)
{
	unsigned int at, how;

	(void)state;
	for (how = 0; how < MEM_MIXED + 3; how++) {
		at = 1 + rounds_turn(13);
		/* An odd step, as odd operations are tested in another way. */
		while (interrupt_one(at, how < MEM_MIXED ? how : MEM_MIXED))
			at += rounds_step(13);
		assert_true(at > 4 * MGS_STEPS);
	}
}

/* It is unknown whether it is on the disk, until a new round of the journal starts. */
static void a_sync_of_the_journal_that_fails_leaves_doubt(void **state)
{
	struct mgs_store *store;
	struct mgs_txn *txn;
	u64 generation;
	unsigned int how, retry;

	(void)state;
	for (how = 0; how < 2 * MEM_MIXED; how++) {
		retry = how % 2;
		store = mgs_have(&backend);
		assert_int_equal(run(store, 0), MGS_STEPS);
		txn = mgs_begin(store);
		assert_int_equal(mgs_append_setting(txn, "params", "x=1"), 0);
		backend.fail_at = backend.ops + 2;
		backend.fail_rc = -EIO;
		assert_int_equal(mgs_txn_commit(txn, &generation), -EIO);
		assert_true(mgs_store_doubt(store));
		assert_int_equal(mgs_store_failed(store), -EIO);
		assert_true(is_there(store, MGS_STEPS));
		if (retry)
			assert_int_equal(mgs_store_retry(store), 0);
		assert_int_equal(mgs_store_failed(store), retry ? 0 : -EIO);
		mgs_store_free(store);
		mem_power_cut(&backend, how / 2, how);
		store = mgs_have(&backend);
		/* Only a completely written one can be found. */
		if (retry || how / 2 != MEM_KEPT)
			assert_true(is_there(store, MGS_STEPS));
		else
			assert_int_equal(mgs_view_generation(mgs_now(store)),
					 MGS_STEPS + 1);
		mgs_store_close(store);
		mem_free(&backend);
	}
}

static void assert_refused(struct mgs_store *store, int rc)
{
	static const struct mgs_who who = { .when = 1 };
	struct mgs_txn *txn;

	assert_int_equal(mgs_txn_begin(store, &who, &txn), rc);
	assert_null(txn);
	assert_int_equal(mgs_store_failed(store), rc);
	assert_false(mgs_store_doubt(store));
}

/*
 * The disk is full at step @n; @again: the power fails, and it is full when the store is
 * opened. Return: whether the step was committed without writing its files
 */
static bool fill_at(unsigned int n, bool again)
{
	struct mgs_store *store = mgs_have(&backend);
	struct mgs_txn *txn;
	unsigned int m, done;
	u64 generation;
	bool behind;

	for (m = 0; m < n; m++)
		mgs_step_done(store, m);
	backend.full = true;
	txn = mgs_begin(store);
	assert_int_equal(mgs_step(txn, n), 0);
	done = n + !mgs_txn_commit(txn, &generation);
	behind = mgs_store_failed(store);
	if (behind)
		assert_refused(store, -ENOSPC);
	assert_true(is_there(store, done));
	if (again) {
		mgs_store_free(store);
		mem_power_cut(&backend, MEM_LOST, 0);
		store = mgs_have(&backend);
		assert_true(is_there(store, done));
		if (mgs_store_failed(store))
			assert_refused(store, -ENOSPC);
	}
	backend.full = false;
	/* There is space: the store need not be opened again. */
	assert_int_equal(run(store, done), MGS_STEPS);
	assert_int_equal(mgs_store_close(store), 0);
	mem_power_cut(&backend, MEM_LOST, 0);
	store = mgs_have(&backend);
	assert_true(is_there(store, MGS_STEPS));
	mgs_store_close(store);
	mem_free(&backend);
	return behind;
}

static void a_disk_that_is_full_after_the_commit_is_no_end(void **state)
{
	unsigned int n, behind = 0;

	(void)state;
	for (n = 0; n < 2 * MGS_STEPS; n++)
		behind += fill_at(n / 2, n % 2);
	assert_true(behind > MGS_STEPS);
}

/* Each change is refused once, and then succeeds. */
static void a_full_disk_refuses_changes_and_is_no_end(void **state)
{
	struct mgs_store *store = mgs_have(&backend);
	struct mgs_txn *txn;
	u64 generation;
	unsigned int n;

	(void)state;
	for (n = 0; n < MGS_STEPS; n++) {
		backend.fail_at = backend.ops + 1;
		backend.fail_rc = -ENOSPC;
		txn = mgs_begin(store);
		assert_int_equal(mgs_step(txn, n), 0);
		assert_int_equal(mgs_txn_commit(txn, &generation), -ENOSPC);
		assert_int_equal(mgs_store_failed(store), 0);
		assert_true(is_there(store, n));
		mgs_step_done(store, n);
		assert_true(is_there(store, n + 1));
	}
	mgs_store_close(store);
	store = mgs_have(&backend);
	assert_true(is_there(store, MGS_STEPS));
	mgs_store_close(store);
	mem_free(&backend);
}

/* Step @n with the @nth allocation failing. Return: whether there were so many */
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
	struct mgs_store *store = mgs_have(&backend);
	unsigned int n, nth;

	(void)state;
	for (n = 0; n < MGS_STEPS; n++) {
		nth = 1;
		while (step_without_memory(store, n, nth))
			nth++;
		assert_true(nth > 3);
	}
	mgs_store_close(store);
	store = mgs_have(&backend);
	assert_true(is_there(store, MGS_STEPS));
	mgs_store_close(store);
	mem_free(&backend);
	assert_int_equal(shim_alloc_live(), 0);
}

static void a_store_that_could_not_be_opened_can_be(void **state)
{
	struct mgs_store *store = mgs_have(&backend);
	struct mgs_fault fault;
	unsigned int nth;
	int rc = -ENOMEM;

	(void)state;
	assert_int_equal(run(store, 0), MGS_STEPS);
	/* The journal is full, and one log is unknown to the state. */
	backend.dead_at = backend.ops + 1;
	mgs_store_close(store);
	mem_power_cut(&backend, MEM_LOST, 0);
	for (nth = 1; rc; nth++) {
		shim_alloc_fail(nth);
		rc = mgs_store_open(&mem_io, &backend, 7, &store, &fault);
		assert_int_equal(rc, shim_alloc_failed() ? -ENOMEM : 0);
		if (rc)
			assert_int_equal(shim_alloc_live(), 0);
	}
	assert_true(nth > 10);
	assert_true(is_there(store, MGS_STEPS));
	mgs_store_close(store);
	mem_free(&backend);
}

static int setup(void **state)
{
	(void)state;
	mem_free(&backend);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(an_operation_that_fails_is_done_later, setup),
		cmocka_unit_test_setup(a_signal_does_not_end_the_store, setup),
		cmocka_unit_test_setup(a_sync_of_the_journal_that_fails_leaves_doubt, setup),
		cmocka_unit_test_setup(a_disk_that_is_full_after_the_commit_is_no_end, setup),
		cmocka_unit_test_setup(a_full_disk_refuses_changes_and_is_no_end, setup),
		cmocka_unit_test_setup(a_change_without_memory_is_not_there, setup),
		cmocka_unit_test_setup(a_store_that_could_not_be_opened_can_be, setup),
	};

	return cmocka_run_group_tests(tests, take_pictures, free_pictures);
}
