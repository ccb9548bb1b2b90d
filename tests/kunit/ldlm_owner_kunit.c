// SPDX-License-Identifier: GPL-2.0-only
/*
 * Owners of locks: one that writes before its lock is cancelled, while what has nothing to write
 * goes on; one that needs its lock no longer; one that uses it again and again.
 */
#include <linux/workqueue.h>

#include "ldlm_fixture.h"

static struct gate writer;

static void write_before_cancel(struct ldlm_lock *lock, void *data)
{
	atomic_inc(&writer.inside);
	complete(&writer.entered);
	/* It gives up later than the case does. */
	wait_for_completion_timeout(&writer.leave, 4 * FIXTURE_WAIT);
	atomic_dec(&writer.inside);
}

static const struct ldlm_callbacks writer_cbs = {
	.lcb_cancelled = write_before_cancel,
};

/* A lock that is used once. */
static struct ldlm_lock *used_lock(struct kunit *test, u64 name, u32 mode,
				   const struct ldlm_callbacks *cbs)
{
	const struct ldlm_res_id id = { .name = { name } };
	struct ldlm_lock *lock;

	lock = ldlm_client_lock_new(kl.client, LDLM_PLAIN, &id, mode, &kl_all, cbs, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, lock);
	KUNIT_EXPECT_EQ(test, 0, kl_client_cp(lock, mode));
	return lock;
}

/* An unused lock. */
static struct ldlm_lock *owned_lock(struct kunit *test, u64 name,
				    const struct ldlm_callbacks *cbs)
{
	struct ldlm_lock *lock = used_lock(test, name, LCK_PR, cbs);

	ldlm_lock_decref(lock);
	return lock;
}

/* It still wrote when the case had seen what it wanted. */
static void writer_end(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&writer.inside));
	complete_all(&writer.leave);
	kl_settle(test);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&writer.inside));
}

static long flush_others(void *arg)
{
	flush_workqueue(ldlm_wq);
	return 0;
}

/* Cancels that are sent, deadlines of servers, and the caches of unused locks. */
static void a_writer_holds_up_no_other_work(struct kunit *test)
{
	struct ldlm_lock *lock = owned_lock(test, 1, &writer_cbs);
	struct aside aside;

	gate_init(&writer);
	KUNIT_EXPECT_EQ(test, 0, kl_client_bl(lock));
	gate_await(test, &writer);
	aside_start(test, &aside, flush_others, NULL);
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &aside));
	writer_end(test);
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, lock->l_state);
	ldlm_lock_put(lock);
}

static void a_writer_does_not_hold_up_the_cache(struct kunit *test)
{
	struct ldlm_lock *oldest = owned_lock(test, 1, &writer_cbs);
	struct ldlm_lock *lock = owned_lock(test, 2, NULL);
	struct ldlm_lock *last = owned_lock(test, 3, NULL);

	gate_init(&writer);
	KUNIT_EXPECT_EQ(test, 0L, client_write(fx.client, "ldlm/namespaces/" KL_CLIENT
					       "/lru_size", "1"));
	KUNIT_EXPECT_NE(test, 0L, wait_event_timeout(lock->l_wait,
						     READ_ONCE(lock->l_state) ==
						     LOCK_DESTROYED, FIXTURE_WAIT));
	gate_await(test, &writer);
	KUNIT_EXPECT_EQ(test, LOCK_CANCELLING, oldest->l_state);
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_granted(last));
	writer_end(test);
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, oldest->l_state);
	ldlm_lock_put(oldest);
	ldlm_lock_put(lock);
	ldlm_lock_put(last);
}

static const struct ldlm_callbacks quick_cbs = {
	.lcb_cancelled = kl_cancelled,
	.lcb_quick = true,
};

/* However many write: here one takes all threads. */
static void a_writer_does_not_hold_up_a_quick_owner(struct kunit *test)
{
	struct ldlm_lock *written = owned_lock(test, 1, &writer_cbs);
	struct ldlm_lock *quick = owned_lock(test, 2, &quick_cbs);

	gate_init(&writer);
	workqueue_set_max_active(ldlm_owner_wq, 1);
	KUNIT_EXPECT_EQ(test, 0, kl_client_bl(written));
	gate_await(test, &writer);
	KUNIT_EXPECT_EQ(test, 0, kl_client_bl(quick));
	KUNIT_EXPECT_NE(test, 0L, wait_event_timeout(quick->l_wait,
						     READ_ONCE(quick->l_state) ==
						     LOCK_DESTROYED, FIXTURE_WAIT));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.cancelled));
	workqueue_set_max_active(ldlm_owner_wq, WQ_DFL_ACTIVE);
	writer_end(test);
	ldlm_lock_put(written);
	ldlm_lock_put(quick);
}

/* A lock that is not needed any more. */

static void an_unneeded_lock_goes_with_its_last_use(struct kunit *test)
{
	struct ldlm_lock *lock = kl_client_lock(test, 1, LCK_PR);
	struct ldlm_lock *again = kl_match(1, LCK_PR);

	KUNIT_EXPECT_PTR_EQ(test, lock, again);
	ldlm_lock_decref_and_cancel(lock);
	kl_settle(test);
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_granted(lock));
	KUNIT_EXPECT_PTR_EQ(test, kl_match(1, LCK_PR), (struct ldlm_lock *)NULL);
	/* The server wants it, too. */
	KUNIT_EXPECT_EQ(test, 0, kl_client_bl(lock));
	ldlm_lock_decref(again);
	kl_settle(test);
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, lock->l_state);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.cancelled));
	ldlm_lock_put(again);
	ldlm_lock_put(lock);
}

static void a_task_does_not_wait_for_the_writer(struct kunit *test)
{
	struct ldlm_lock *lock = kl_client_ask(test, 1, LCK_PR);

	lock->l_cbs = &writer_cbs;
	gate_init(&writer);
	KUNIT_EXPECT_EQ(test, 0, kl_client_cp(lock, LCK_PR));
	ldlm_lock_decref_and_cancel(lock);
	gate_await(test, &writer);
	KUNIT_EXPECT_EQ(test, LOCK_CANCELLING, lock->l_state);
	writer_end(test);
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, lock->l_state);
	ldlm_lock_put(lock);
}

static void a_lost_lock_is_not_cancelled_again(struct kunit *test)
{
	struct ldlm_lock *lock = kl_client_lock(test, 1, LCK_PR);

	ldlm_client_drop(lock, -EIO);
	ldlm_lock_decref_and_cancel(lock);
	kl_settle(test);
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_lost(lock));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.cancelled));
	ldlm_lock_put(lock);
}

/* --- a lock in steady use ---------------------------------------------------------------- */

static const struct ldlm_callbacks hold_cbs = {
	.lcb_cancelled = kl_cancelled,
	.lcb_hold = true,
};

/* Use a lock once more. Return: false: it does not match any more */
static bool use_again(u64 name)
{
	const struct ldlm_res_id id = { .name = { name } };
	struct ldlm_lock *lock;

	lock = ldlm_client_match(kl.client, &id, LCK_PW, &kl_all, &hold_cbs, NULL);
	if (!lock)
		return false;
	ldlm_lock_decref(lock);
	ldlm_lock_put(lock);
	return true;
}

/* @uses: out, how often. Return: for how many jiffies a lock in constant use was kept */
static unsigned long kept_in_use(struct kunit *test, unsigned long *uses)
{
	struct ldlm_lock *lock = used_lock(test, 1, LCK_PW, &hold_cbs);
	unsigned long began = jiffies, kept;

	KUNIT_EXPECT_EQ(test, 0, kl_client_bl(lock));
	/* The server may ask again. */
	KUNIT_EXPECT_EQ(test, 0, kl_client_bl(lock));
	ldlm_lock_decref(lock);
	for (*uses = 0; use_again(1) && time_before(jiffies, began + FIXTURE_WAIT); ++*uses)
		cond_resched();
	kept = jiffies - began;
	kl_settle(test);
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, lock->l_state);
	ldlm_lock_put(lock);
	return kept;
}

/* One that this task has no time to use is not in steady use. */
static void a_lock_in_steady_use_is_held_for_a_while(struct kunit *test)
{
	unsigned long kept = 0, uses = 0;
	int n;

	for (n = 0; n < 10 && (kept < msecs_to_jiffies(50) || uses <= 1); n++) {
		atomic_set(&kl.client->ns_hold_skip, 0);
		kept = kept_in_use(test, &uses);
	}
	KUNIT_EXPECT_GT(test, uses, 1UL);
	KUNIT_EXPECT_GE(test, kept, msecs_to_jiffies(50));
	KUNIT_EXPECT_LT(test, kept, (unsigned long)FIXTURE_WAIT);
	KUNIT_EXPECT_EQ(test, n, atomic_read(&kl.cancelled));
}

/* And the last use cancels it, as without a hold. */
static void a_hold_ends_under_a_use(struct kunit *test)
{
	struct ldlm_lock *lock = used_lock(test, 1, LCK_PW, &hold_cbs);

	KUNIT_EXPECT_EQ(test, 0, kl_client_bl(lock));
	KUNIT_EXPECT_TRUE(test, test_bit(LDLM_LF_HELD, &lock->l_flags));
	kl_settle(test);
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_granted(lock));
	KUNIT_EXPECT_FALSE(test, use_again(1));
	ldlm_lock_decref(lock);
	kl_settle(test);
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, lock->l_state);
	ldlm_lock_put(lock);
}

static bool is_returned_at_once(struct kunit *test, u32 mode, const struct ldlm_callbacks *cbs)
{
	struct ldlm_lock *lock = used_lock(test, 1, mode, cbs);
	bool returned;

	/* That a use has just ended counts for a jiffy only, which may pass here. */
	KUNIT_EXPECT_EQ(test, 0, kl_client_bl(lock));
	ldlm_lock_decref(lock);
	returned = READ_ONCE(lock->l_state) != LOCK_GRANTED;
	kl_settle(test);
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, lock->l_state);
	ldlm_lock_put(lock);
	return returned;
}

/* Clients that take turns, one call each. */
static void a_hold_in_vain_is_not_repeated(struct kunit *test)
{
	unsigned int n;

	KUNIT_EXPECT_FALSE(test, is_returned_at_once(test, LCK_PW, &hold_cbs));
	for (n = 0; n < 16; n++)
		KUNIT_EXPECT_TRUE(test, is_returned_at_once(test, LCK_PW, &hold_cbs));
	KUNIT_EXPECT_FALSE(test, is_returned_at_once(test, LCK_PW, &hold_cbs));
	atomic_set(&kl.client->ns_hold_skip, 0);
	KUNIT_EXPECT_TRUE(test, is_returned_at_once(test, LCK_PR, &hold_cbs));
	KUNIT_EXPECT_TRUE(test, is_returned_at_once(test, LCK_PW, &quick_cbs));
}

/* An eviction, or the cache that is shortened, does not wait. */
static void a_held_lock_can_go(struct kunit *test)
{
	struct ldlm_lock *lost = used_lock(test, 1, LCK_PW, &hold_cbs);
	struct ldlm_lock *dropped = used_lock(test, 2, LCK_PW, &hold_cbs);

	KUNIT_EXPECT_EQ(test, 0, kl_client_bl(lost));
	ldlm_client_drop(lost, -EIO);
	KUNIT_EXPECT_EQ(test, 0, kl_client_bl(dropped));
	ldlm_lock_decref_and_cancel(dropped);
	kl_settle(test);
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_lost(lost));
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, dropped->l_state);
	KUNIT_EXPECT_EQ(test, 2, atomic_read(&kl.cancelled));
	ldlm_lock_put(lost);
	ldlm_lock_put(dropped);
}

static struct kunit_case ldlm_owner_cases[] = {
	KUNIT_CASE(a_writer_holds_up_no_other_work),
	KUNIT_CASE(a_writer_does_not_hold_up_the_cache),
	KUNIT_CASE(a_writer_does_not_hold_up_a_quick_owner),
	KUNIT_CASE(an_unneeded_lock_goes_with_its_last_use),
	KUNIT_CASE(a_task_does_not_wait_for_the_writer),
	KUNIT_CASE(a_lost_lock_is_not_cancelled_again),
	KUNIT_CASE(a_lock_in_steady_use_is_held_for_a_while),
	KUNIT_CASE(a_hold_ends_under_a_use),
	KUNIT_CASE(a_hold_in_vain_is_not_repeated),
	KUNIT_CASE(a_held_lock_can_go),
	{}
};

static struct kunit_suite ldlm_owner_suite = {
	.name = "ldlm_owner",
	.suite_init = client_suite_init,
	.init = kl_init,
	.exit = kl_exit,
	.test_cases = ldlm_owner_cases,
};
kunit_test_suite(ldlm_owner_suite);

MODULE_DESCRIPTION("owners of locks that write before a cancel");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
