// SPDX-License-Identifier: GPL-2.0-only
/*
 * Early cancels: the locks that a request of a client takes along, and those that it leaves
 * alone; what becomes of them at the end of the request; and the server's side.
 */
#include "ldlm_fixture.h"

#define ELC_RES	3

static struct ldlm_lock *unused_lock(struct kunit *test, u64 name, u32 mode)
{
	struct ldlm_lock *lock = kl_client_lock(test, name, mode);

	ldlm_lock_decref(lock);
	return lock;
}

static void take(u32 mode, struct ldlm_elc *elc)
{
	const struct ldlm_res_id id = { .name = { ELC_RES } };

	ldlm_elc_take(kl.client_obd, &id, mode, &kl_all, elc);
}

static void unused_locks_go_with_a_request(struct kunit *test)
{
	struct ldlm_lock *one = unused_lock(test, ELC_RES, LCK_PR);
	struct ldlm_lock *two = unused_lock(test, ELC_RES, LCK_PR);
	struct ldlm_elc elc;
	__le64 cookies[2] = { 0 };

	take(LCK_EX, &elc);
	KUNIT_EXPECT_EQ(test, 2U, elc.elc_count);
	KUNIT_EXPECT_EQ(test, (u32)sizeof(cookies), ldlm_elc_bytes(&elc));
	/* The owner hears of it before the server does. */
	KUNIT_EXPECT_EQ(test, 2, atomic_read(&kl.cancelled));
	KUNIT_EXPECT_EQ(test, LOCK_CANCELLING, one->l_state);
	KUNIT_EXPECT_NULL(test, kl_match(ELC_RES, LCK_PR));
	ldlm_elc_pack(&elc, cookies);
	KUNIT_EXPECT_EQ(test, 0x77ULL, le64_to_cpu(cookies[0]));
	KUNIT_EXPECT_EQ(test, 0x77ULL, le64_to_cpu(cookies[1]));
	ldlm_elc_done(&elc, 0);
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, one->l_state);
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, two->l_state);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.client->ns_locks));
	KUNIT_EXPECT_EQ(test, 2, atomic_read(&kl.cancelled));
	ldlm_lock_put(one);
	ldlm_lock_put(two);
}

static void other_locks_stay(struct kunit *test)
{
	struct ldlm_lock *used = kl_client_lock(test, ELC_RES, LCK_PR);
	struct ldlm_lock *shared = unused_lock(test, ELC_RES, LCK_CR);
	struct ldlm_lock *other = unused_lock(test, ELC_RES + 1, LCK_PR);
	struct ldlm_lock *waits = kl_client_ask(test, ELC_RES, LCK_EX);
	struct ldlm_elc elc;

	/* A PW lock of the server conflicts with the first one only. */
	take(LCK_PW, &elc);
	KUNIT_EXPECT_EQ(test, 0U, elc.elc_count);
	KUNIT_EXPECT_EQ(test, 0U, ldlm_elc_bytes(&elc));
	ldlm_elc_done(&elc, 0);
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_granted(used));
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_granted(shared));
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_granted(other));
	KUNIT_EXPECT_EQ(test, LOCK_WAITING, waits->l_state);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.cancelled));
	ldlm_client_abandon(waits, -EWOULDBLOCK);
	ldlm_lock_put(waits);
	ldlm_lock_decref(used);
	ldlm_lock_put(used);
	ldlm_lock_put(shared);
	ldlm_lock_put(other);
}

/* The server's cookie of a lock may be unknown: it is cancelled by the client's. */
static void a_lock_without_a_cookie_stays(struct kunit *test)
{
	struct ldlm_lock *lock = kl_client_ask(test, ELC_RES, LCK_PR);
	const struct ldlm_policy policy = lock->l_policy;
	struct ldlm_elc elc;

	KUNIT_EXPECT_EQ(test, 0, ldlm_client_completion(NULL, lock->l_handle.h_cookie, 0,
							LCK_PR, &policy, NULL));
	ldlm_lock_decref(lock);
	take(LCK_EX, &elc);
	KUNIT_EXPECT_EQ(test, 0U, elc.elc_count);
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_granted(lock));
	ldlm_lock_put(lock);
}

static void a_request_takes_so_many(struct kunit *test)
{
	struct ldlm_elc elc;
	unsigned int n;

	for (n = 0; n <= LDLM_ELC_MAX; n++)
		ldlm_lock_put(unused_lock(test, ELC_RES, LCK_PR));
	take(LCK_EX, &elc);
	KUNIT_EXPECT_EQ(test, (u32)LDLM_ELC_MAX, elc.elc_count);
	ldlm_elc_done(&elc, 0);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.client->ns_locks));
}

/* There is no server here: what is sent to it is lost, and the locks are gone. */
static void a_request_that_failed_leaves_no_lock(struct kunit *test)
{
	struct ldlm_lock *lock = unused_lock(test, ELC_RES, LCK_PR);
	struct ldlm_elc elc;

	take(LCK_EX, &elc);
	ldlm_elc_done(&elc, -EINTR);
	KUNIT_EXPECT_EQ(test, 0U, elc.elc_count);
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, lock->l_state);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.cancelled));
	ldlm_lock_put(lock);
}

/* A blocking AST overtakes the request: the lock is on its way already. */
static void an_ast_finds_the_lock_meanwhile(struct kunit *test)
{
	struct ldlm_lock *lock = unused_lock(test, ELC_RES, LCK_PR);
	struct ldlm_elc elc;

	take(LCK_EX, &elc);
	KUNIT_EXPECT_EQ(test, 0, kl_client_bl(lock));
	kl_settle(test);
	KUNIT_EXPECT_EQ(test, LOCK_CANCELLING, lock->l_state);
	ldlm_elc_done(&elc, 0);
	KUNIT_EXPECT_EQ(test, -ESTALE, kl_client_bl(lock));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.cancelled));
	ldlm_lock_put(lock);
}

/* A request of @exp whose second buffer has cookies. */
static int cancel_by(struct obd_export *exp, const __le64 *cookies, u32 bytes)
{
	struct ptlrpc_svc_req sr = { .sr_exp = exp };

	sr.sr_msg.bufcount = 2;
	sr.sr_msg.bufs[1] = (void *)cookies;
	sr.sr_msg.buflens[1] = bytes;
	return ldlm_elc_cancel(&sr, 1);
}

static void a_server_drops_them_first(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	u64 own = kl_lock(test, one, ELC_RES, LCK_PR, 0);
	u64 others = kl_lock(test, two, ELC_RES, LCK_PR, 0);
	const __le64 cookies[] = { cpu_to_le64(own), cpu_to_le64(others),
				   cpu_to_le64(12345) };

	KUNIT_EXPECT_EQ(test, 0, cancel_by(one, cookies, 0));
	KL_GRANTED(test, own);
	KUNIT_EXPECT_EQ(test, 0, cancel_by(one, cookies, sizeof(cookies)));
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, kl_state(own));
	/* A client cancels its own locks only. */
	KL_GRANTED(test, others);
	KUNIT_EXPECT_EQ(test, 0, cancel_by(one, cookies, sizeof(cookies)));
}

static void an_invalid_list_is_refused(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	u64 own = kl_lock(test, one, ELC_RES, LCK_PR, 0);
	__le64 cookies[LDLM_ELC_MAX + 1] = { cpu_to_le64(own) };

	KUNIT_EXPECT_EQ(test, -EPROTO, cancel_by(one, cookies, sizeof(cookies)));
	KUNIT_EXPECT_EQ(test, -EPROTO, cancel_by(one, cookies, sizeof(*cookies) + 1));
	KL_GRANTED(test, own);
	KUNIT_EXPECT_EQ(test, 0, cancel_by(one, cookies, LDLM_ELC_MAX * sizeof(*cookies)));
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, kl_state(own));
}

static struct kunit_case ldlm_elc_cases[] = {
	KUNIT_CASE(unused_locks_go_with_a_request),
	KUNIT_CASE(other_locks_stay),
	KUNIT_CASE(a_lock_without_a_cookie_stays),
	KUNIT_CASE(a_request_takes_so_many),
	KUNIT_CASE(a_request_that_failed_leaves_no_lock),
	KUNIT_CASE(an_ast_finds_the_lock_meanwhile),
	KUNIT_CASE(a_server_drops_them_first),
	KUNIT_CASE(an_invalid_list_is_refused),
	{}
};

static struct kunit_suite ldlm_elc_suite = {
	.name = "ldlm_elc",
	.suite_init = client_suite_init,
	.init = kl_init,
	.exit = kl_exit,
	.test_cases = ldlm_elc_cases,
};
kunit_test_suite(ldlm_elc_suite);

MODULE_DESCRIPTION("cancels of locks by other requests");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
