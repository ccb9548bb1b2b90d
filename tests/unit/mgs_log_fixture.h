/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The store of a test of logs: opened before each case, checked and closed after it; and
 * checks of refused changes.
 */
#ifndef _MGS_LOG_FIXTURE_H
#define _MGS_LOG_FIXTURE_H

#include <string.h>

#include "mgs_log_env.h"

static struct env env;

static inline int setup(void **state)
{
	env_open(&env);
	return 0;
}

static inline int setup_fs(void **state)
{
	env_open_fs(&env);
	return 0;
}

static inline int teardown(void **state)
{
	env_check(&env);
	env_close(&env);
	return 0;
}

#define env_case(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
#define fs_case(test) cmocka_unit_test_setup_teardown(test, setup_fs, teardown)

/* With @want, with a reason that contains @words, and without a change. */
static inline void refused(int want, int rc, const char *words, u64 generation)
{
	if (rc != want || !strstr(env.why.text, words))
		fail_msg("%d instead of %d; '%s' in '%s'?", rc, want, words,
			 env.why.text);
	assert_int_equal(mgs_view_generation(mgs_now(env.store)), generation);
}

#define refuse(want, words, ...) do {					\
	u64 __generation = mgs_view_generation(mgs_now(env.store));		\
	int __rc = env_do(&env, __VA_ARGS__);				\
									\
	refused(want, __rc, words, __generation);			\
} while (0)

/* Logs from before the time of identities. */
static inline void forget_identity(const char *svname)
{
	struct mgs_who who = { .when = ENV_WHEN };
	char name[MGS_FILE_MAX];
	struct mgs_txn *txn;

	snprintf(name, sizeof(name), "mgs_targets/%s", svname);
	assert_int_equal(mgs_txn_begin(env.store, &who, &txn), 0);
	assert_int_equal(mgs_txn_drop(txn, name), 0);
	assert_int_equal(mgs_txn_commit(txn, &env.generation), 0);
}

/* The service restarts. */
static inline void store_reopen(void)
{
	struct mgs_fault fault;

	mgs_store_close(env.store);
	assert_int_equal(mgs_store_open(&mem_io, &env.backend, 7, &env.store,
					&fault), 0);
}

#endif /* _MGS_LOG_FIXTURE_H */
