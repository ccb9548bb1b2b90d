/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The store of a case: opened before the case by setup(), closed after it by teardown(),
 * which also reports memory that is still allocated. The directory starts empty.
 */
#ifndef _MGS_STORE_FIXTURE_H
#define _MGS_STORE_FIXTURE_H

#include "mgs_fixture.h"

#include "mgs/store/store_internal.h"

static struct mem_backend backend;
static struct mgs_store *store;

static inline int setup(void **state)
{
	(void)state;
	store = mgs_have(&backend);
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	mgs_store_close(store);
	store = NULL;
	mem_free(&backend);
	assert_int_equal(shim_alloc_live(), 0);
	return 0;
}

#define store_case(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static inline void reopen(void)
{
	mgs_store_close(store);
	store = mgs_have(&backend);
}

/* The power fails before the journal is applied: its entries are all that is on the disk. */
static inline void close_unapplied(void)
{
	backend.dead_at = backend.ops + 1;
	mgs_store_close(store);
	store = NULL;
	mem_power_cut(&backend, MEM_LOST, 0);
}

/* A change that appends a setting. Return: generation */
static inline u64 set(const char *log, const char *text)
{
	struct mgs_txn *txn = mgs_begin(store);

	assert_int_equal(mgs_append_setting(txn, log, text), 0);
	return mgs_done(txn);
}

#endif /* _MGS_STORE_FIXTURE_H */
