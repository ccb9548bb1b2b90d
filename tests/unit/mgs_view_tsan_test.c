// SPDX-License-Identifier: GPL-2.0-only
/* Views of a store: they do not change, readers need no lock, the largest log. */
#include "mgs_store_fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <linux/atomic.h>

#define READERS		3
/* Of each reader, while changes are committed. */
#define READS		200

static u32 records(const struct mgs_view *view, const char *log)
{
	struct mgs_log_info info;

	return mgs_view_info(view, log, &info) ? 0 : info.li_records;
}

static int count_record(void *data, const struct mgs_rec *rec)
{
	(void)rec;
	++*(u32 *)data;
	return 0;
}

static u32 walked(const struct mgs_view *view, const char *log)
{
	u32 count = 0;

	return mgs_view_walk(view, log, count_record, &count) ? 0 : count;
}

static void expect_first(const struct mgs_view *view)
{
	char line[256];
	bool cut;

	assert_int_equal(mgs_view_generation(view), 2);
	assert_int_equal(records(view, "a"), 1);
	assert_int_equal(walked(view, "a"), 1);
	assert_int_equal(walked(view, "b"), 1);
	assert_int_equal(records(view, "c"), 0);
	assert_true(mgs_view_history(view, line, sizeof(line), &cut) > 0);
}

static void a_view_stays_as_it_is_while_changes_are_committed(void **state)
{
	struct mgs_view *view;
	struct mgs_txn *txn;
	unsigned int n;

	(void)state;
	set("a", "x=1");
	set("b", "x=1");
	view = mgs_store_view(store);
	for (n = 0; n < 5; n++)
		set("a", "x=2");
	set("c", "x=1");
	txn = mgs_begin(store);
	assert_int_equal(mgs_txn_remove(txn, "b"), 0);
	assert_int_equal(mgs_txn_cancel(txn, "a", 1), 0);
	mgs_done(txn);
	expect_first(view);
	assert_int_equal(walked(mgs_now(store), "a"), 6);
	assert_int_equal(records(mgs_now(store), "b"), 0);
	mgs_view_put(view);
}

static void a_view_outlives_its_store(void **state)
{
	struct mgs_view *view;

	(void)state;
	set("a", "x=1");
	set("b", "x=1");
	view = mgs_store_view(store);
	mgs_store_close(store);
	store = NULL;
	expect_first(view);
	mgs_view_put(view);
}

static void a_change_that_is_refused_is_in_no_view(void **state)
{
	struct mgs_txn *txn;
	u64 generation;

	(void)state;
	set("a", "x=1");
	txn = mgs_begin(store);
	assert_int_equal(mgs_append_setting(txn, "a", "x=2"), 0);
	assert_int_equal(walked(mgs_txn_view(txn), "a"), 2);
	backend.fail_at = backend.ops + 1;
	backend.fail_rc = -ENOSPC;
	assert_int_equal(mgs_txn_commit(txn, &generation), -ENOSPC);
	assert_int_equal(mgs_view_generation(mgs_now(store)), 1);
	assert_int_equal(walked(mgs_now(store), "a"), 1);
}

static void a_log_that_would_be_too_large_is_refused(void **state)
{
	u8 cfg[LUSTRE_CFG_SIZE_MAX];
	char text[4000];
	struct mgs_txn *txn;
	int rc = 0, count;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[1] = '=';
	text[sizeof(text) - 1] = '\0';
	store->ms_file_max = 10 * MGS_PIECE;
	for (count = 0; count < 100; count++) {
		txn = mgs_begin(store);
		rc = mgs_txn_append(txn, "a", cfg, mgs_setting(cfg, text), NULL);
		if (rc) {
			mgs_txn_end(txn);
			break;
		}
		mgs_done(txn);
	}
	assert_int_equal(rc, -EFBIG);
	assert_in_range(count, 5, 20);
	assert_int_equal(walked(mgs_now(store), "a"), count);
	set("b", "x=1");
	mgs_store_close(store);
	store = mgs_have(&backend);
	assert_int_equal(walked(mgs_now(store), "a"), count);
	assert_int_equal(walked(mgs_now(store), "b"), 1);
}

/* Shared by readers and the writer of a test */
static atomic_t torn, readers;

/* Each change appends one record to each of two logs. */
static void *read_views(void *data)
{
	struct mgs_view *view;
	unsigned int n;
	u32 a, b;

	(void)data;
	for (n = 0; n < READS; n++) {
		view = mgs_store_view(store);
		a = walked(view, "a");
		b = walked(view, "b");
		if (a != b || a != records(view, "a") ||
		    a != mgs_view_generation(view))
			atomic_add(1, &torn);
		mgs_view_put(view);
	}
	atomic_sub(1, &readers);
	return NULL;
}

static void readers_see_whole_changes_and_take_no_lock(void **state)
{
	pthread_t threads[READERS];
	struct mgs_txn *txn;
	unsigned int n;

	(void)state;
	atomic_set(&torn, 0);
	atomic_set(&readers, READERS);
	for (n = 0; n < READERS; n++)
		assert_int_equal(pthread_create(&threads[n], NULL, read_views,
						NULL), 0);
	while (atomic_read(&readers)) {
		txn = mgs_begin(store);
		assert_int_equal(mgs_append_setting(txn, "a", "x=1"), 0);
		assert_int_equal(mgs_append_setting(txn, "b", "x=1"), 0);
		mgs_done(txn);
	}
	for (n = 0; n < READERS; n++)
		pthread_join(threads[n], NULL);
	assert_int_equal(atomic_read(&torn), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		store_case(a_view_stays_as_it_is_while_changes_are_committed),
		store_case(a_view_outlives_its_store),
		store_case(a_change_that_is_refused_is_in_no_view),
		store_case(a_log_that_would_be_too_large_is_refused),
		store_case(readers_see_whole_changes_and_take_no_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
