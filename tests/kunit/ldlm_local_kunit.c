// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locks of a server itself: they compete with those of clients, in the same order, and
 * end with the server.
 */
#include "ldlm_fixture.h"

struct local_ask {
	u32			mode;
	u32			flags;
	unsigned int		seconds;
	struct obd_export	*exp;
	struct ldlm_lock	*lock;
};

static long take_local(void *arg)
{
	struct ldlm_res_id id = { .name = { 1 } };
	struct local_ask *ask = arg;

	return ldlm_local_lock(kl.server_obd, LDLM_PLAIN, &id, ask->mode, &kl_all,
			       ask->flags, ask->seconds, ask->exp, &ask->lock);
}

/* A task that waits for its lock. */
static void local_wait(struct kunit *test, struct aside *aside,
		       struct local_ask *ask)
{
	int before = atomic_read(&kl.server->ns_waiting);
	unsigned int n;

	aside_start(test, aside, take_local, ask);
	for (n = 0; n < 400 && atomic_read(&kl.server->ns_waiting) == before; n++)
		msleep(20);
	KUNIT_EXPECT_EQ(test, before + 1, atomic_read(&kl.server->ns_waiting));
}

static void a_server_competes_with_its_clients(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	struct local_ask ask = { .mode = LCK_EX, .seconds = 60 };
	u64 held = kl_lock(test, one, 1, LCK_PR, 0), late;
	struct aside aside;

	local_wait(test, &aside, &ask);
	KUNIT_EXPECT_TRUE(test, kl_asked(held));
	late = kl_lock(test, two, 1, LCK_PR, 1);
	KUNIT_EXPECT_FALSE(test, aside_is_done(&aside));
	kl_cancel(one, held);
	KUNIT_ASSERT_EQ(test, 0L, aside_join(test, &aside));
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_granted(ask.lock));
	KL_WAITS(test, late);
	/* It is not revoked, and no client is waited for. */
	KUNIT_EXPECT_TRUE(test, list_empty(&ask.lock->l_waiting_item));
	ldlm_local_unlock(ask.lock);
	KL_GRANTED(test, late);
}

static void a_lock_for_a_client_leaves_its_locks(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	struct local_ask ask = { .mode = LCK_PW, .exp = one, .seconds = 60 };
	u64 own = kl_lock(test, one, 1, LCK_PR, 0);
	u64 others = kl_lock(test, two, 1, LCK_PR, 0), late;
	struct aside aside;

	local_wait(test, &aside, &ask);
	KUNIT_EXPECT_FALSE(test, kl_asked(own));
	KUNIT_EXPECT_TRUE(test, kl_asked(others));
	/* It comes after the server's lock, as all others do. */
	late = kl_lock(test, one, 1, LCK_PR, 1);
	kl_cancel(two, others);
	KUNIT_ASSERT_EQ(test, 0L, aside_join(test, &aside));
	KL_GRANTED(test, own);
	KL_WAITS(test, late);
	KUNIT_EXPECT_FALSE(test, kl_asked(own));
	ldlm_local_unlock(ask.lock);
	KL_GRANTED(test, late);
}

/* The other client waits for a lock that the first one uses until its request has ended. */
static void a_lock_for_a_client_overtakes_those_that_wait_for_it(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	struct local_ask ask = { .mode = LCK_PW, .exp = one, .flags = LDLM_FL_BLOCK_NOWAIT };
	u64 own = kl_lock(test, one, 1, LCK_EX, 0);
	u64 waits = kl_lock(test, two, 1, LCK_EX, 1);

	KUNIT_ASSERT_EQ(test, 0L, take_local(&ask));
	KL_GRANTED(test, own);
	KL_WAITS(test, waits);
	kl_cancel(one, own);
	KL_WAITS(test, waits);
	ldlm_local_unlock(ask.lock);
	KL_GRANTED(test, waits);
	/* A client that has no lock there waits for its turn. */
	own = kl_lock(test, one, 2, LCK_PR, 0);
	KUNIT_EXPECT_EQ(test, (long)-EWOULDBLOCK, take_local(&ask));
	kl_cancel(two, waits);
	kl_cancel(one, own);
}

static void one_that_waits_for_others_is_overtaken_by_none(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	struct local_ask ask = { .mode = LCK_EX, .exp = one, .seconds = 60 };
	u64 held = kl_lock(test, two, 1, LCK_PR, 0);
	u64 first = kl_lock(test, one, 1, LCK_EX, 1), late;
	struct aside aside;

	local_wait(test, &aside, &ask);
	late = kl_lock(test, two, 1, LCK_PR, 1);
	/* The client's own one is granted first, and is not in the way. */
	kl_cancel(two, held);
	KUNIT_ASSERT_EQ(test, 0L, aside_join(test, &aside));
	KL_GRANTED(test, first);
	/* Another client waits for it, the server does not. */
	KUNIT_EXPECT_TRUE(test, kl_asked(first));
	KL_WAITS(test, late);
	kl_cancel(one, first);
	KL_WAITS(test, late);
	ldlm_local_unlock(ask.lock);
	KL_GRANTED(test, late);
}

static void a_client_cannot_name_it(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct local_ask ask = { .mode = LCK_PR };
	u64 cookie;

	KUNIT_ASSERT_EQ(test, 0L, take_local(&ask));
	cookie = ask.lock->l_handle.h_cookie;
	KUNIT_EXPECT_FALSE(test, kl_cancel(one, cookie));
	KUNIT_EXPECT_FALSE(test, ldlm_server_cancel(kl.server, one, cookie, cookie));
	KL_GRANTED(test, cookie);
	KUNIT_EXPECT_EQ(test, 0U, ldlm_server_revoke(kl.server_obd,
						     &ask.lock->l_resource->r_id,
						     LCK_PR, 10));
	KUNIT_EXPECT_EQ(test, 0L, client_read(fx.client, "ldlm/namespaces/filter-"
					      KL_SERVER "_UUID/locks"));
	ldlm_local_unlock(ask.lock);
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, kl_state(cookie));
}

static void a_server_that_may_not_wait_is_refused(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct local_ask ask = { .mode = LCK_EX, .flags = LDLM_FL_BLOCK_NOWAIT };
	u64 held = kl_lock(test, one, 1, LCK_PR, 0), next;

	KUNIT_EXPECT_EQ(test, (long)-EWOULDBLOCK, take_local(&ask));
	KUNIT_EXPECT_FALSE(test, kl_asked(held));
	/* It gives up, and the locks after it are granted. */
	ask.flags = 0;
	ask.seconds = 1;
	KUNIT_EXPECT_EQ(test, (long)-ETIMEDOUT, take_local(&ask));
	KUNIT_EXPECT_TRUE(test, kl_asked(held));
	next = kl_lock(test, one, 1, LCK_PR, 0);
	KL_GRANTED(test, next);
	KUNIT_EXPECT_EQ(test, 2, atomic_read(&kl.server->ns_locks));
}

static void a_server_asks_for_what_there_is(struct kunit *test)
{
	struct ldlm_res_id id = { .name = { 1 } };
	const struct ldlm_policy part = { .extent = { 5, 9 } };
	struct ldlm_lock *lock;

	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
			ldlm_local_lock(kl.client_obd, LDLM_PLAIN, &id, LCK_EX,
					&kl_all, 0, 1, NULL, &lock));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			ldlm_local_lock(kl.server_obd, LDLM_PLAIN, &id, 3,
					&kl_all, 0, 1, NULL, &lock));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			ldlm_local_lock(kl.server_obd, LDLM_PLAIN, &id, LCK_EX,
					&part, 0, 1, NULL, &lock));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			ldlm_local_lock(kl.server_obd, LDLM_IBITS, &id, LCK_EX,
					&kl_all, 0, 1, NULL, &lock));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			ldlm_local_lock(kl.server_obd, LDLM_FLOCK, &id, LCK_EX,
					&kl_all, 0, 1, NULL, &lock));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.server->ns_locks));
	KUNIT_ASSERT_EQ(test, 0,
			ldlm_local_lock(kl.server_obd, LDLM_EXTENT, &id, LCK_EX,
					&part, 0, 1, NULL, &lock));
	KUNIT_EXPECT_EQ(test, 5ULL, ldlm_lock_policy(lock)->extent.first);
	KUNIT_EXPECT_EQ(test, 9ULL, ldlm_lock_policy(lock)->extent.last);
	ldlm_local_unlock(lock);
}

static void a_server_that_ends_waits_no_more(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct local_ask ask = { .mode = LCK_EX, .seconds = 600 };
	struct local_ask held = { .mode = LCK_PR };
	struct aside aside;

	KUNIT_ASSERT_EQ(test, 0L, take_local(&held));
	kl_lock(test, one, 1, LCK_PR, 0);
	local_wait(test, &aside, &ask);
	ldlm_server_namespace_end(kl.server);
	KUNIT_EXPECT_EQ(test, (long)-ESHUTDOWN, aside_join(test, &aside));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.server->ns_locks));
	/* The holder releases what is gone already. */
	ldlm_local_unlock(held.lock);
}

static struct kunit_case ldlm_local_cases[] = {
	KUNIT_CASE(a_server_competes_with_its_clients),
	KUNIT_CASE(a_lock_for_a_client_leaves_its_locks),
	KUNIT_CASE(a_lock_for_a_client_overtakes_those_that_wait_for_it),
	KUNIT_CASE(one_that_waits_for_others_is_overtaken_by_none),
	KUNIT_CASE(a_client_cannot_name_it),
	KUNIT_CASE(a_server_that_may_not_wait_is_refused),
	KUNIT_CASE(a_server_asks_for_what_there_is),
	KUNIT_CASE(a_server_that_ends_waits_no_more),
	{}
};

static struct kunit_suite ldlm_local_suite = {
	.name = "ldlm_local",
	.suite_init = client_suite_init,
	.init = kl_init,
	.exit = kl_exit,
	.test_cases = ldlm_local_cases,
};
kunit_test_suite(ldlm_local_suite);

MODULE_DESCRIPTION("locks of a server itself");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
