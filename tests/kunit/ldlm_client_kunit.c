// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lock manager at the client: locks that are used again, unused locks and their age, and
 * callbacks that cross other messages. The server is the case.
 *
 * Processors: 2
 */
#include <linux/ktime.h>

#include "ldlm_fixture.h"

#define KL_DIR	"ldlm/namespaces/" KL_CLIENT "/"

static void drop(struct ldlm_lock *lock)
{
	ldlm_lock_decref(lock);
	ldlm_lock_put(lock);
}

static void a_lock_is_used_again(struct kunit *test)
{
	struct ldlm_lock *lock = kl_client_lock(test, 1, LCK_PW);
	struct ldlm_lock *again = kl_match(1, LCK_PR);

	KUNIT_EXPECT_PTR_EQ(test, lock, again);
	KUNIT_EXPECT_EQ(test, 2U, lock->l_users);
	KUNIT_EXPECT_NULL(test, kl_match(1, LCK_EX));
	KUNIT_EXPECT_NULL(test, kl_match(2, LCK_PR));
	drop(again);
	KUNIT_EXPECT_EQ(test, 0U, kl.client->ns_unused);
	drop(lock);
	KUNIT_EXPECT_EQ(test, 1U, kl.client->ns_unused);
	again = kl_match(1, LCK_CR);
	KUNIT_EXPECT_PTR_EQ(test, lock, again);
	KUNIT_EXPECT_EQ(test, 0U, kl.client->ns_unused);
	drop(again);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.blocked));
}

static void a_lock_of_another_owner_is_not_used(struct kunit *test)
{
	struct ldlm_lock *lock = kl_client_lock(test, 1, LCK_PW);
	struct ldlm_res_id id = { .name = { 1 } };

	KUNIT_EXPECT_NULL(test, ldlm_client_match(kl.client, &id, LCK_PR, &kl_all,
						  NULL, NULL));
	KUNIT_EXPECT_NULL(test, ldlm_client_match(kl.client, &id, LCK_PR, &kl_all,
						  &kl_cbs, &id));
	drop(lock);
}

static void one_that_waits_is_not_used(struct kunit *test)
{
	struct ldlm_lock *lock = kl_client_ask(test, 1, LCK_PR);

	KUNIT_EXPECT_NULL(test, kl_match(1, LCK_PR));
	KUNIT_EXPECT_FALSE(test, ldlm_lock_is_granted(lock));
	KUNIT_EXPECT_EQ(test, -EBUSY, ldlm_cli_cancel(lock));
	ldlm_client_abandon(lock, -EIO);
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, lock->l_state);
	ldlm_lock_put(lock);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.cancelled));
}

static void unused_and_wanted_goes_at_once(struct kunit *test)
{
	struct ldlm_lock *lock = kl_client_lock(test, 1, LCK_PR);

	ldlm_lock_decref(lock);
	KUNIT_EXPECT_EQ(test, 0, kl_client_bl(lock));
	KUNIT_EXPECT_NULL(test, kl_match(1, LCK_PR));
	kl_settle(test);
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, lock->l_state);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.cancelled));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.blocked));
	KUNIT_EXPECT_EQ(test, 0U, kl.client->ns_unused);
	/* And the server hears that it is gone. */
	KUNIT_EXPECT_EQ(test, -ESTALE, kl_client_bl(lock));
	KUNIT_EXPECT_EQ(test, -ESTALE, kl_client_cp(lock, LCK_PR));
	ldlm_lock_put(lock);
}

static void used_and_wanted_goes_with_its_last_use(struct kunit *test)
{
	struct ldlm_lock *lock = kl_client_lock(test, 1, LCK_PR);
	struct ldlm_lock *again = kl_match(1, LCK_PR);

	KUNIT_EXPECT_EQ(test, 0, kl_client_bl(lock));
	KUNIT_EXPECT_EQ(test, 0, kl_client_bl(lock));
	kl_settle(test);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.blocked));
	KUNIT_EXPECT_NULL(test, kl_match(1, LCK_PR));
	drop(again);
	kl_settle(test);
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_granted(lock));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.cancelled));
	ldlm_lock_decref(lock);
	kl_settle(test);
	KUNIT_EXPECT_FALSE(test, ldlm_lock_is_granted(lock));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.cancelled));
	ldlm_lock_put(lock);
}

/* Wanted before we know that we have it: the wish is kept. */
static void a_wish_may_come_before_the_grant(struct kunit *test)
{
	struct ldlm_lock *lock = kl_client_ask(test, 1, LCK_EX);

	KUNIT_EXPECT_EQ(test, 0, kl_client_bl(lock));
	kl_settle(test);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.blocked));
	KUNIT_EXPECT_EQ(test, LOCK_WAITING, lock->l_state);
	KUNIT_EXPECT_EQ(test, 0, kl_client_cp(lock, LCK_EX));
	kl_settle(test);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.blocked));
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_granted(lock));
	ldlm_lock_decref(lock);
	kl_settle(test);
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, lock->l_state);
	ldlm_lock_put(lock);
}

/* The callback comes first, then the answer that says it waits, or has it. */
static void a_grant_may_come_before_the_answer(struct kunit *test)
{
	struct ldlm_lock *lock = kl_client_ask(test, 1, LCK_PR);

	KUNIT_EXPECT_EQ(test, 0, kl_client_cp(lock, LCK_PR));
	KUNIT_EXPECT_EQ(test, LOCK_GRANTED, lock->l_state);
	KUNIT_EXPECT_EQ(test, 0x77ULL, lock->l_remote);
	spin_lock(ldlm_lock_lock(lock));
	KUNIT_EXPECT_EQ(test, 0, ldlm_client_granted(lock, LCK_PR, &kl_all,
						     0x77));
	spin_unlock(ldlm_lock_lock(lock));
	KUNIT_EXPECT_EQ(test, 1U, lock->l_users);
	drop(lock);
}

static void a_grant_that_was_not_wanted_is_refused(struct kunit *test)
{
	struct ldlm_lock *lock = kl_client_ask(test, 1, LCK_PW);

	KUNIT_EXPECT_EQ(test, -EPROTO, kl_client_cp(lock, LCK_PR));
	KUNIT_EXPECT_EQ(test, -EPROTO, kl_client_cp(lock, 0));
	KUNIT_EXPECT_EQ(test, -EPROTO, kl_client_cp(lock, 3));
	KUNIT_EXPECT_EQ(test, LOCK_WAITING, lock->l_state);
	KUNIT_EXPECT_EQ(test, 0, kl_client_cp(lock, LCK_EX));
	KUNIT_EXPECT_EQ(test, (u32)LCK_EX, ldlm_lock_mode(lock));
	drop(lock);
}

/* The waiting task was killed: the grant that crosses it finds no waiter. */
static void a_grant_too_late_is_given_back(struct kunit *test)
{
	struct ldlm_lock *lock = kl_client_ask(test, 1, LCK_PR);

	ldlm_client_abandon(lock, -EINTR);
	KUNIT_EXPECT_EQ(test, -ESTALE, kl_client_cp(lock, LCK_PR));
	KUNIT_EXPECT_FALSE(test, ldlm_lock_is_granted(lock));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.cancelled));
	ldlm_lock_put(lock);
	/* It came just before: it goes back, and its owner never had it. */
	lock = kl_client_lock(test, 1, LCK_PR);
	ldlm_client_abandon(lock, -EINTR);
	kl_settle(test);
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, lock->l_state);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.cancelled));
	ldlm_lock_put(lock);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.client->ns_locks));
}

/* A peer that guesses: nothing of the sort, or a cookie of something else. */
static void a_callback_without_a_lock_is_stale(struct kunit *test)
{
	struct obd_export *exp = kl_join(test, "one");
	u64 server = kl_lock(test, exp, 1, LCK_PR, 0);
	struct obd_import *imp;
	struct obd_uuid uuid = kt_uuid("target");
	struct ldlm_lock *lock = kl_client_lock(test, 1, LCK_PR);

	KUNIT_EXPECT_EQ(test, -ESTALE, ldlm_client_blocking(NULL, 0, 0));
	KUNIT_EXPECT_EQ(test, -ESTALE, ldlm_client_blocking(NULL, 0x1234, 0));
	KUNIT_EXPECT_EQ(test, -ESTALE,
			ldlm_client_blocking(NULL, exp->exp_handle.h_cookie, 0));
	/* A lock of this client, named by the server of another import. */
	imp = class_new_import(kl.client_obd, &uuid);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, imp);
	KUNIT_EXPECT_EQ(test, -ESTALE,
			ldlm_client_blocking(imp, lock->l_handle.h_cookie, 0));
	KUNIT_EXPECT_EQ(test, -ESTALE,
			ldlm_client_completion(imp, lock->l_handle.h_cookie, 1,
					       LCK_PR, &kl_all, NULL));
	KUNIT_EXPECT_EQ(test, -ESTALE, ldlm_client_blocking(imp, server, 0));
	class_destroy_import(imp);
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_granted(lock));
	KUNIT_EXPECT_EQ(test, LOCK_GRANTED, kl_state(server));
	drop(lock);
}

static void a_cancel_by_hand_waits_for_the_last_use(struct kunit *test)
{
	struct ldlm_lock *lock = kl_client_lock(test, 1, LCK_PR);

	KUNIT_EXPECT_EQ(test, -EBUSY, ldlm_cli_cancel(lock));
	ldlm_lock_decref(lock);
	KUNIT_EXPECT_EQ(test, 0, ldlm_cli_cancel(lock));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.cancelled));
	KUNIT_EXPECT_EQ(test, 0, ldlm_cli_cancel(lock));
	KUNIT_EXPECT_EQ(test, -ESTALE, kl_client_bl(lock));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.cancelled));
	ldlm_lock_put(lock);
}

static void an_unused_lock_has_no_use_to_end(struct kunit *test)
{
	struct ldlm_lock *lock = kl_client_lock(test, 1, LCK_PR);

	ldlm_lock_decref(lock);
	ldlm_lock_decref(lock);
	KUNIT_EXPECT_EQ(test, 0U, lock->l_users);
	KUNIT_EXPECT_EQ(test, 1U, kl.client->ns_unused);
	ldlm_lock_put(lock);
}

#define KEPT	4

/* Until @want locks are unused, and the works have run. */
static void await_unused(struct kunit *test, unsigned int want)
{
	unsigned int n;

	for (n = 0; n < 200 && READ_ONCE(kl.client->ns_unused) != want; n++)
		msleep(20);
	/* It has counted them, and may be about to cancel them. */
	flush_delayed_work(&kl.client->ns_work);
	kl_settle(test);
	KUNIT_EXPECT_EQ(test, want, kl.client->ns_unused);
}

static void the_oldest_go_when_there_are_too_many(struct kunit *test)
{
	struct ldlm_lock *lock;
	unsigned int n;

	KUNIT_EXPECT_EQ(test, 0L, client_write(fx.client, KL_DIR "lru_size", "4"));
	for (n = 0; n < 2 * KEPT; n++)
		drop(kl_client_lock(test, n, LCK_PR));
	await_unused(test, KEPT);
	KUNIT_EXPECT_EQ(test, KEPT, atomic_read(&kl.cancelled));
	for (n = 0; n < 2 * KEPT; n++) {
		lock = kl_match(n, LCK_PR);
		KUNIT_EXPECT_EQ_MSG(test, n >= KEPT, !!lock, "%u", n);
		if (lock)
			drop(lock);
	}
}

/* The bound that memory suggests is one of some thousand locks. */
static void memory_bounds_a_list_without_a_size(struct kunit *test)
{
	unsigned int n, suggested = ldlm_lru_auto;

	KUNIT_EXPECT_GE(test, suggested, (unsigned int)LDLM_LRU_AUTO_MIN);
	KUNIT_EXPECT_LE(test, suggested, (unsigned int)LDLM_LRU_AUTO_MAX);
	WRITE_ONCE(ldlm_lru_auto, KEPT);
	for (n = 0; n < 2 * KEPT; n++)
		drop(kl_client_lock(test, n, LCK_PR));
	await_unused(test, KEPT);
	/* A size that was set counts instead. */
	KUNIT_EXPECT_EQ(test, 0L, client_write(fx.client, KL_DIR "lru_size", "6"));
	for (n = 0; n < 2 * KEPT; n++)
		drop(kl_client_lock(test, 100 + n, LCK_PR));
	await_unused(test, 6);
	WRITE_ONCE(ldlm_lru_auto, suggested);
}

static void many_clients_share_the_memory(struct kunit *test)
{
	unsigned int suggested = ldlm_lru_auto;

	ldlm_lru_auto_set(1);
	KUNIT_EXPECT_GE(test, ldlm_lru_auto, suggested);
	ldlm_lru_auto_set(100000);
	KUNIT_EXPECT_EQ(test, (unsigned int)LDLM_LRU_AUTO_MIN, ldlm_lru_auto);
	WRITE_ONCE(ldlm_lru_auto, suggested);
}

static void what_is_used_does_not_grow_old(struct kunit *test)
{
	struct ldlm_lock *used = kl_client_lock(test, 1, LCK_PR);

	drop(kl_client_lock(test, 2, LCK_PR));
	drop(kl_client_lock(test, 3, LCK_PR));
	KUNIT_EXPECT_EQ(test, 0L, client_write(fx.client, KL_DIR "lru_max_age",
					       "50"));
	await_unused(test, 0);
	KUNIT_EXPECT_EQ(test, 2, atomic_read(&kl.cancelled));
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_granted(used));
	drop(used);
	await_unused(test, 0);
}

static void clear_gives_all_unused_back(struct kunit *test)
{
	struct ldlm_lock *used = kl_client_lock(test, 100, LCK_PR);
	unsigned int n;

	for (n = 0; n < 1000; n++)
		drop(kl_client_lock(test, n, LCK_PW));
	KUNIT_EXPECT_EQ(test, 1001, atomic_read(&kl.client->ns_locks));
	KUNIT_EXPECT_EQ(test, 0L, client_write(fx.client, KL_DIR "lru_size",
					       "clear"));
	KUNIT_EXPECT_EQ(test, 0U, kl.client->ns_unused);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.client->ns_locks));
	KUNIT_EXPECT_EQ(test, 1000, atomic_read(&kl.cancelled));
	KUNIT_EXPECT_EQ(test, 0L, client_read(fx.client, KL_DIR "lru_size"));
	KUNIT_EXPECT_EQ(test, 0ULL, client_number(fx.client));
	drop(used);
	KUNIT_EXPECT_EQ(test, 1, ldlm_cli_cancel_unused(kl.client_obd));
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
			ldlm_cli_cancel_unused(kl.server_obd));
}

static void a_size_that_is_none_is_refused(struct kunit *test)
{
	static const char * const bad[] = { "-1", "x", "10000001", "clearly" };
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(bad); n++)
		KUNIT_EXPECT_NE_MSG(test, 0L,
				    client_write(fx.client, KL_DIR "lru_size",
						 bad[n]), "%s", bad[n]);
	KUNIT_EXPECT_EQ(test, 0U, kl.client->ns_lru_size);
}

static void little_memory_shortens_the_list(struct kunit *test)
{
	unsigned int n;

	for (n = 0; n < 2 * KEPT; n++)
		drop(kl_client_lock(test, n, LCK_PR));
	atomic_set(&kl.client->ns_shrink, KEPT);
	KUNIT_EXPECT_EQ(test, (unsigned int)KEPT, ldlm_lru_shorten(kl.client));
	KUNIT_EXPECT_EQ(test, (unsigned int)KEPT, kl.client->ns_unused);
	KUNIT_EXPECT_NULL(test, kl_match(0, LCK_PR));
}

/* Reclaim asks for a batch at a time, and has asked for all before the first one is cancelled. */
static void the_shrinker_cancels_each_batch(struct kunit *test)
{
	unsigned long chosen;
	unsigned int n;

	for (n = 0; n < 2 * KEPT; n++)
		drop(kl_client_lock(test, n, LCK_PR));
	preempt_disable();
	chosen = ldlm_lru_shrink(KEPT);
	chosen += ldlm_lru_shrink(KEPT);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, 2UL * KEPT, chosen);
	flush_delayed_work(&kl.client->ns_work);
	KUNIT_EXPECT_EQ(test, 0U, kl.client->ns_unused);
}

static long wait_for_lock(void *arg)
{
	struct ldlm_lock *lock = arg;

	wait_event(lock->l_wait, READ_ONCE(lock->l_state) != LOCK_WAITING);
	return lock->l_error;
}

/* The server evicted this client: all locks are gone, also those that are used or waited for. */
static void an_eviction_takes_all(struct kunit *test)
{
	struct ldlm_lock *used = kl_client_lock(test, 1, LCK_PR);
	struct ldlm_lock *waits = kl_client_ask(test, 2, LCK_PR);
	struct aside aside;

	drop(kl_client_lock(test, 3, LCK_PR));
	aside_start(test, &aside, wait_for_lock, waits);
	ldlm_client_drop_all(kl.client, NULL, -EIO);
	KUNIT_EXPECT_EQ(test, (long)-EIO, aside_join(test, &aside));
	kl_settle(test);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.client->ns_locks));
	KUNIT_EXPECT_EQ(test, 2, atomic_read(&kl.cancelled));
	KUNIT_EXPECT_FALSE(test, ldlm_lock_is_granted(used));
	ldlm_lock_decref(used);
	KUNIT_EXPECT_EQ(test, 0U, kl.client->ns_unused);
	ldlm_lock_put(used);
	ldlm_lock_put(waits);
}

/* What was asked for since is of the next generation, and stays. */
static void an_eviction_leaves_what_is_new(struct kunit *test)
{
	struct ldlm_lock *old = kl_client_lock(test, 1, LCK_PR);
	struct ldlm_lock *new = kl_client_ask(test, 1, LCK_PR);
	u32 generation = 7;

	new->l_generation = generation;
	ldlm_client_drop_all(kl.client, &generation, -EIO);
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, old->l_state);
	KUNIT_EXPECT_EQ(test, LOCK_WAITING, new->l_state);
	KUNIT_EXPECT_EQ(test, 0, kl_client_cp(new, LCK_PR));
	drop(new);
	ldlm_lock_decref(old);
	ldlm_lock_put(old);
}

static void without_a_server_nothing_is_enqueued(struct kunit *test)
{
	struct ldlm_res_id id = { .name = { 1 } };
	struct ldlm_lock *lock;

	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
			ldlm_cli_enqueue(kl.server_obd, LDLM_PLAIN, &id,
					 LCK_PR, NULL, 0, NULL, NULL, &lock));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			ldlm_cli_enqueue(kl.client_obd, LDLM_PLAIN, &id, 3,
					 NULL, 0, NULL, NULL, &lock));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			ldlm_cli_enqueue(kl.client_obd, LDLM_PLAIN, &id,
					 LCK_PR, NULL, LDLM_FL_REPLAY, NULL,
					 NULL, &lock));
	KUNIT_EXPECT_EQ(test, -ENOTCONN,
			ldlm_cli_enqueue(kl.client_obd, LDLM_PLAIN, &id,
					 LCK_PR, NULL, 0, NULL, NULL, &lock));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.client->ns_locks));
}

/* Its owner may keep a lock for longer than its device has locks. */
static void a_lock_outlives_its_namespace(struct kunit *test)
{
	struct obd_device *obd = ke_start(test, "kunit_third");
	struct ldlm_namespace *ns = ldlm_namespace_new(obd, LDLM_CLIENT);
	struct ldlm_res_id id = { .name = { 1 } };
	struct ldlm_lock *lock;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, ns);
	lock = ldlm_client_lock_new(ns, LDLM_PLAIN, &id, LCK_PR, &kl_all,
				    &kl_cbs, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, lock);
	KUNIT_EXPECT_EQ(test, 0, kl_client_cp(lock, LCK_PR));
	ldlm_namespace_free(ns);
	KUNIT_EXPECT_NULL(test, obd->obd_namespace);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.cancelled));
	KUNIT_EXPECT_FALSE(test, ldlm_lock_is_granted(lock));
	KUNIT_EXPECT_EQ(test, 0, ldlm_cli_cancel(lock));
	ldlm_lock_decref(lock);
	ldlm_lock_put(lock);
	/* The name is free again. */
	ns = ldlm_namespace_new(obd, LDLM_CLIENT);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, ns);
	ldlm_namespace_free(ns);
	kt_end(test, obd);
}

#define RACERS	4
#define ROUNDS	2000

/* Match, use, want, cancel, on few names from all sides. */
static long race(void *arg)
{
	unsigned int n, seed = (unsigned long)arg;
	struct ldlm_res_id id = { };
	struct ldlm_lock *lock;

	for (n = 0; n < ROUNDS; n++) {
		id.name[0] = (n * 7 + seed) % 5;
		lock = ldlm_client_match(kl.client, &id, LCK_PR, &kl_all,
					 &kl_cbs, NULL);
		if (!lock) {
			lock = ldlm_client_lock_new(kl.client, LDLM_PLAIN,
						    &id, LCK_PR, &kl_all,
						    &kl_cbs, NULL);
			if (IS_ERR(lock))
				return PTR_ERR(lock);
			kl_client_cp(lock, LCK_PR);
		}
		if ((n + seed) % 3 == 0)
			kl_client_bl(lock);
		ldlm_lock_decref(lock);
		if ((n + seed) % 5 == 0)
			ldlm_cli_cancel(lock);
		if ((n + seed) % 97 == 0)
			ldlm_lru_cancel(kl.client, 3, U64_MAX, false);
		ldlm_lock_put(lock);
	}
	return 0;
}

static void all_at_once_leaves_nothing(struct kunit *test)
{
	struct aside asides[RACERS];
	unsigned long n;

	for (n = 0; n < RACERS; n++)
		aside_start(test, &asides[n], race, (void *)n);
	for (n = 0; n < RACERS; n++)
		KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &asides[n]));
	kl_settle(test);
	ldlm_cli_cancel_unused(kl.client_obd);
	kl_settle(test);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.client->ns_locks));
	KUNIT_EXPECT_EQ(test, 0U, kl.client->ns_resource_count);
	KUNIT_EXPECT_EQ(test, 0U, kl.client->ns_unused);
}

static struct kunit_case ldlm_client_cases[] = {
	KUNIT_CASE(a_lock_is_used_again),
	KUNIT_CASE(a_lock_of_another_owner_is_not_used),
	KUNIT_CASE(one_that_waits_is_not_used),
	KUNIT_CASE(unused_and_wanted_goes_at_once),
	KUNIT_CASE(used_and_wanted_goes_with_its_last_use),
	KUNIT_CASE(a_wish_may_come_before_the_grant),
	KUNIT_CASE(a_grant_may_come_before_the_answer),
	KUNIT_CASE(a_grant_that_was_not_wanted_is_refused),
	KUNIT_CASE(a_grant_too_late_is_given_back),
	KUNIT_CASE(a_callback_without_a_lock_is_stale),
	KUNIT_CASE(a_cancel_by_hand_waits_for_the_last_use),
	KUNIT_CASE(an_unused_lock_has_no_use_to_end),
	KUNIT_CASE(the_oldest_go_when_there_are_too_many),
	KUNIT_CASE(memory_bounds_a_list_without_a_size),
	KUNIT_CASE(many_clients_share_the_memory),
	KUNIT_CASE(what_is_used_does_not_grow_old),
	KUNIT_CASE(clear_gives_all_unused_back),
	KUNIT_CASE(a_size_that_is_none_is_refused),
	KUNIT_CASE(little_memory_shortens_the_list),
	KUNIT_CASE(the_shrinker_cancels_each_batch),
	KUNIT_CASE(an_eviction_takes_all),
	KUNIT_CASE(an_eviction_leaves_what_is_new),
	KUNIT_CASE(without_a_server_nothing_is_enqueued),
	KUNIT_CASE(a_lock_outlives_its_namespace),
	KUNIT_CASE(all_at_once_leaves_nothing),
	{}
};

static struct kunit_suite ldlm_client_suite = {
	.name = "ldlm_client",
	.suite_init = client_suite_init,
	.init = kl_init,
	.exit = kl_exit,
	.test_cases = ldlm_client_cases,
};
kunit_test_suite(ldlm_client_suite);

MODULE_DESCRIPTION("the lock manager's client");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
