// SPDX-License-Identifier: GPL-2.0-only
/*
 * Downgrade of IBITS locks: at the server, which grants what others wait for; at the client,
 * which keeps the bits that none waits for.
 */
#include "ldlm_fixture.h"

#define LOOKUP	MDS_INODELOCK_LOOKUP
#define UPDATE	MDS_INODELOCK_UPDATE
#define LAYOUT	MDS_INODELOCK_LAYOUT

/*
 * The server.
 */

static u64 bits_lock(struct kunit *test, struct obd_export *exp, u32 mode, u64 bits,
		     int waits)
{
	struct ldlm_enqueue ask = kl_ask(1, mode);
	u64 cookie;

	ask.type = LDLM_IBITS;
	ask.policy.ibits.bits = bits;
	KUNIT_EXPECT_EQ(test, waits, kl_enqueue(exp, &ask, &cookie));
	return cookie;
}

static u64 bits_of(u64 cookie)
{
	struct ldlm_lock *lock = ldlm_lock_find(cookie);
	u64 bits;

	if (!lock)
		return 0;
	bits = ldlm_lock_policy(lock)->ibits.bits;
	ldlm_lock_put(lock);
	return bits;
}

static int convert(struct kunit *test, u64 cookie, u64 bits)
{
	struct ldlm_lock *lock = ldlm_lock_find(cookie);
	int rc;

	KUNIT_ASSERT_NOT_NULL(test, lock);
	rc = ldlm_server_convert(lock, bits);
	ldlm_lock_put(lock);
	return rc;
}

static bool has_deadline(u64 cookie)
{
	struct ldlm_lock *lock = ldlm_lock_find(cookie);
	bool has;

	if (!lock)
		return false;
	has = test_bit(LDLM_LF_BL_PENDING, &lock->l_flags);
	ldlm_lock_put(lock);
	return has;
}

static void others_get_the_bits_that_a_client_loses(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	u64 held = bits_lock(test, one, LCK_PR, LOOKUP | UPDATE | LAYOUT, 0);
	u64 waits = bits_lock(test, two, LCK_EX, UPDATE, 1);

	KUNIT_EXPECT_TRUE(test, has_deadline(held));
	KUNIT_EXPECT_EQ(test, 0, convert(test, held, LOOKUP | LAYOUT));
	KL_GRANTED(test, waits);
	KL_GRANTED(test, held);
	KUNIT_EXPECT_EQ(test, (u64)(LOOKUP | LAYOUT), bits_of(held));
	KUNIT_EXPECT_FALSE(test, has_deadline(held));
	KUNIT_EXPECT_FALSE(test, kl_asked(held));
	/* The bits that are left exclude others. */
	waits = bits_lock(test, two, LCK_EX, LAYOUT, 1);
	KUNIT_EXPECT_TRUE(test, kl_asked(held));
	KUNIT_EXPECT_TRUE(test, has_deadline(held));
	kl_cancel(one, held);
	KL_GRANTED(test, waits);
}

static void a_client_that_did_not_lose_enough_is_asked_again(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	u64 held = bits_lock(test, one, LCK_PR, LOOKUP | UPDATE | LAYOUT, 0);
	u64 first = bits_lock(test, two, LCK_EX, UPDATE, 1);
	u64 second = bits_lock(test, two, LCK_EX, LAYOUT, 1);

	KUNIT_EXPECT_EQ(test, 0, convert(test, held, LOOKUP | LAYOUT));
	KL_GRANTED(test, first);
	KL_WAITS(test, second);
	KUNIT_EXPECT_TRUE(test, kl_asked(held));
	KUNIT_EXPECT_TRUE(test, has_deadline(held));
	/* The first request comes again. */
	KUNIT_EXPECT_EQ(test, 0, convert(test, held, LOOKUP | LAYOUT));
	KUNIT_EXPECT_TRUE(test, has_deadline(held));
	KUNIT_EXPECT_EQ(test, 0, convert(test, held, LOOKUP));
	KL_GRANTED(test, second);
	/* One that was overtaken gives no bit back. */
	KUNIT_EXPECT_EQ(test, 0, convert(test, held, LOOKUP | LAYOUT));
	KUNIT_EXPECT_EQ(test, (u64)LOOKUP, bits_of(held));
}

/* The first client still has its lock, and replays it when the server starts again. */
static void a_stopping_server_gives_no_bits(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	struct obd_export *three = kl_join(test, "three");
	u64 held, waits;

	bits_lock(test, one, LCK_PR, UPDATE, 0);
	held = bits_lock(test, two, LCK_PR, LOOKUP | UPDATE, 0);
	waits = bits_lock(test, three, LCK_EX, UPDATE, 1);
	kl_stop(one);
	KUNIT_EXPECT_EQ(test, 0, convert(test, held, LOOKUP));
	KUNIT_EXPECT_EQ(test, (u64)LOOKUP, bits_of(held));
	KL_WAITS(test, waits);
}

static void a_blocking_ast_names_bits(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	u64 held = bits_lock(test, one, LCK_PR, LOOKUP | UPDATE, 0);
	struct ldlm_lock *lock = ldlm_lock_find(held);
	u64 wanted;

	KUNIT_ASSERT_NOT_NULL(test, lock);
	bits_lock(test, two, LCK_PR, LOOKUP, 0);
	bits_lock(test, two, LCK_EX, UPDATE | LAYOUT, 1);
	spin_lock(ldlm_lock_lock(lock));
	wanted = ldlm_queue_wanted(lock);
	spin_unlock(ldlm_lock_lock(lock));
	KUNIT_EXPECT_EQ(test, (u64)UPDATE, wanted);
	ldlm_lock_put(lock);
}

static void a_server_refuses_what_is_no_downgrade(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	u64 held = bits_lock(test, one, LCK_PR, LOOKUP, 0);
	u64 plain = kl_lock(test, one, 2, LCK_PR, 0);

	KUNIT_EXPECT_EQ(test, -EINVAL, convert(test, held, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, convert(test, held, UPDATE));
	KUNIT_EXPECT_EQ(test, 0, convert(test, held, ~0ULL));
	KUNIT_EXPECT_EQ(test, (u64)LOOKUP, bits_of(held));
	KUNIT_EXPECT_EQ(test, -EINVAL, convert(test, plain, LOOKUP));
	KL_GRANTED(test, plain);
}

/*
 * The client.
 */

static atomic_t lost;

static void note_lost(struct ldlm_lock *lock, void *data)
{
	atomic_inc(&lost);
}

static const struct ldlm_callbacks bits_cbs = {
	.lcb_cancelled = kl_cancelled,
	.lcb_bits_lost = note_lost,
};

/* A lock in use. */
static struct ldlm_lock *client_bits(struct kunit *test, const struct ldlm_callbacks *cbs)
{
	const struct ldlm_policy policy = { .ibits = { LOOKUP | UPDATE | LAYOUT } };
	const struct ldlm_res_id id = { .name = { 1 } };
	struct ldlm_lock *lock;

	atomic_set(&lost, 0);
	lock = ldlm_client_lock_new(kl.client, LDLM_IBITS, &id, LCK_PR, &policy, cbs, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, lock);
	KUNIT_EXPECT_EQ(test, 0, kl_client_cp(lock, LCK_PR));
	return lock;
}

static int blocking(struct ldlm_lock *lock, u64 bits)
{
	return ldlm_client_blocking(NULL, lock->l_handle.h_cookie, bits);
}

static bool matches(u64 bits)
{
	const struct ldlm_policy policy = { .ibits = { bits } };
	const struct ldlm_res_id id = { .name = { 1 } };
	struct ldlm_lock *lock = ldlm_client_match(kl.client, &id, LCK_PR, &policy,
						   &bits_cbs, NULL);

	if (!lock)
		return false;
	ldlm_lock_decref(lock);
	ldlm_lock_put(lock);
	return true;
}

static void an_unused_lock_keeps_the_other_bits(struct kunit *test)
{
	struct ldlm_lock *lock = client_bits(test, &bits_cbs);

	ldlm_lock_decref(lock);
	KUNIT_EXPECT_EQ(test, 0, blocking(lock, UPDATE));
	KUNIT_EXPECT_FALSE(test, matches(UPDATE));
	KUNIT_EXPECT_TRUE(test, matches(LOOKUP | LAYOUT));
	kl_settle(test);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&lost));
	/* The AST comes again. */
	KUNIT_EXPECT_EQ(test, 0, blocking(lock, UPDATE));
	KUNIT_EXPECT_TRUE(test, matches(LOOKUP | LAYOUT));
	KUNIT_EXPECT_EQ(test, 1U, kl.client->ns_unused);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.cancelled));
	/* Bits that it never had are of no interest if some of its own are wanted. */
	KUNIT_EXPECT_EQ(test, 0, blocking(lock, LOOKUP | UPDATE | LAYOUT));
	kl_settle(test);
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, lock->l_state);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.cancelled));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&lost));
	ldlm_lock_put(lock);
}

static void a_used_lock_keeps_all_until_it_is_released(struct kunit *test)
{
	struct ldlm_lock *lock = client_bits(test, &bits_cbs);

	KUNIT_EXPECT_EQ(test, 0, blocking(lock, UPDATE));
	KUNIT_EXPECT_EQ(test, 0, blocking(lock, LAYOUT));
	KUNIT_EXPECT_EQ(test, (u64)(LOOKUP | UPDATE | LAYOUT),
			ldlm_lock_policy(lock)->ibits.bits);
	/* No other task starts to use it. */
	KUNIT_EXPECT_FALSE(test, matches(LOOKUP));
	ldlm_lock_decref(lock);
	KUNIT_EXPECT_EQ(test, (u64)LOOKUP, ldlm_lock_policy(lock)->ibits.bits);
	KUNIT_EXPECT_TRUE(test, matches(LOOKUP));
	kl_settle(test);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&lost));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.cancelled));
	ldlm_lock_put(lock);
}

/* A server that wants all of it, or an owner that is not told of bits. */
static void other_locks_are_cancelled(struct kunit *test)
{
	struct ldlm_lock *lock = client_bits(test, &bits_cbs);

	ldlm_lock_decref(lock);
	KUNIT_EXPECT_EQ(test, 0, blocking(lock, 0));
	kl_settle(test);
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, lock->l_state);
	ldlm_lock_put(lock);
	lock = client_bits(test, &kl_cbs);
	ldlm_lock_decref(lock);
	KUNIT_EXPECT_EQ(test, 0, blocking(lock, UPDATE));
	kl_settle(test);
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, lock->l_state);
	ldlm_lock_put(lock);
	KUNIT_EXPECT_EQ(test, 2, atomic_read(&kl.cancelled));
}

static void an_unneeded_lock_keeps_no_bits(struct kunit *test)
{
	struct ldlm_lock *lock = client_bits(test, &bits_cbs);

	KUNIT_EXPECT_EQ(test, 0, blocking(lock, UPDATE));
	ldlm_lock_decref_and_cancel(lock);
	kl_settle(test);
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, lock->l_state);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.cancelled));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&lost));
	ldlm_lock_put(lock);
}

/* The words of other types are not bits. */
static void an_extent_is_not_cut(struct kunit *test)
{
	const struct ldlm_policy policy = { .extent = { 0, LDLM_EXTENT_EOF } };
	const struct ldlm_res_id id = { .name = { 1 } };
	struct ldlm_lock *lock;

	lock = ldlm_client_lock_new(kl.client, LDLM_EXTENT, &id, LCK_PR, &policy, NULL,
				    NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, lock);
	KUNIT_EXPECT_EQ(test, 0, kl_client_cp(lock, LCK_PR));
	ldlm_lock_decref(lock);
	KUNIT_EXPECT_EQ(test, 0, blocking(lock, 4095));
	kl_settle(test);
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, lock->l_state);
	ldlm_lock_put(lock);
}

static struct kunit_case ldlm_convert_cases[] = {
	KUNIT_CASE(others_get_the_bits_that_a_client_loses),
	KUNIT_CASE(a_client_that_did_not_lose_enough_is_asked_again),
	KUNIT_CASE(a_stopping_server_gives_no_bits),
	KUNIT_CASE(a_blocking_ast_names_bits),
	KUNIT_CASE(a_server_refuses_what_is_no_downgrade),
	KUNIT_CASE(an_unused_lock_keeps_the_other_bits),
	KUNIT_CASE(a_used_lock_keeps_all_until_it_is_released),
	KUNIT_CASE(other_locks_are_cancelled),
	KUNIT_CASE(an_unneeded_lock_keeps_no_bits),
	KUNIT_CASE(an_extent_is_not_cut),
	{}
};

static struct kunit_suite ldlm_convert_suite = {
	.name = "ldlm_convert",
	.suite_init = client_suite_init,
	.init = kl_init,
	.exit = kl_exit,
	.test_cases = ldlm_convert_cases,
};
kunit_test_suite(ldlm_convert_suite);

MODULE_DESCRIPTION("downgrade of locks of bits");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
