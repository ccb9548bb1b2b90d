// SPDX-License-Identifier: GPL-2.0-only
/*
 * Races of the lock manager's client, each in the one order that matters: a hook
 * (lustre_lite/ptlrpc_test_point.h) does what another CPU would do at that moment. One of them also
 * in all orders that two CPUs make of it.
 *
 * Processors: 2
 */
#include "ldlm_fixture.h"

#include <linux/delay.h>
#include <linux/shrinker.h>

static struct {
	struct ldlm_namespace	*ns;
	struct ldlm_lock	*lock;
	struct list_head	taken;
	unsigned int		works;
	bool			done;
} race;

static int race_init(struct kunit *test)
{
	memset(&race, 0, sizeof(race));
	INIT_LIST_HEAD(&race.taken);
	return kl_init(test);
}

static void race_exit(struct kunit *test)
{
	WRITE_ONCE(ptlrpc_test_hook, NULL);
	kl_exit(test);
}

static void drop(struct ldlm_lock *lock)
{
	ldlm_lock_decref(lock);
	ldlm_lock_put(lock);
}

/* The shrinker has chosen the namespace: its device is cleaned up. */
static void free_namespace(enum ptlrpc_test_point at, void *object)
{
	if (object != race.ns)
		return;
	if (at == PTP_LRU_WORK)
		race.works++;
	if (at != PTP_LRU_SCAN || race.done)
		return;
	race.done = true;
	ldlm_namespace_free(race.ns);
	race.works = 0;
}

/* The namespace is kept by the case, or its work would run in freed memory. */
static void the_shrinker_leaves_a_dead_namespace(struct kunit *test)
{
	struct obd_device *obd = ke_start(test, "kunit_third");
	struct ldlm_res_id id = { .name = { 1 } };
	struct ldlm_lock *lock;

	race.ns = ldlm_namespace_new(obd, LDLM_CLIENT);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, race.ns);
	lock = ldlm_client_lock_new(race.ns, LDLM_PLAIN, &id, LCK_PR,
				    &kl_all, &kl_cbs, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, lock);
	KUNIT_EXPECT_EQ(test, 0, kl_client_cp(lock, LCK_PR));
	ldlm_lock_decref(lock);
	KUNIT_EXPECT_EQ(test, 1U, race.ns->ns_unused);
	WRITE_ONCE(ptlrpc_test_hook, free_namespace);
	KUNIT_EXPECT_EQ(test, SHRINK_STOP, ldlm_lru_shrink(1000));
	KUNIT_EXPECT_TRUE(test, race.done);
	/* The lock keeps the memory of the namespace. */
	flush_delayed_work(&race.ns->ns_work);
	KUNIT_EXPECT_EQ(test, 0U, race.works);
	WRITE_ONCE(ptlrpc_test_hook, NULL);
	ldlm_lock_put(lock);
	kt_end(test, obd);
}

#define CHURN_MS	2000
/* Longest time by which the shrinker is late, microseconds. */
#define CHURN_LATE_US	64

static struct {
	struct ldlm_namespace	*freed;
	unsigned int		scans;
	unsigned int		passes;
	atomic_t		works;
	bool			stop;
} churn;

/* The shrinker is at another place of its road each time that a namespace ends. */
static void shrinker_is_late(enum ptlrpc_test_point at, void *object)
{
	if (at == PTP_LRU_SCAN)
		udelay(churn.scans++ % CHURN_LATE_US);
	else if (at == PTP_LRU_WORK && object == READ_ONCE(churn.freed))
		atomic_inc(&churn.works);
}

static long shrink_always(void *arg)
{
	while (!READ_ONCE(churn.stop)) {
		ldlm_lru_shrink(1000);
		WRITE_ONCE(churn.passes, churn.passes + 1);
		usleep_range(10, 20);
	}
	return 0;
}

/* The shrinker has left all namespaces that it had chosen before. */
static void await_pass(void)
{
	unsigned int from = READ_ONCE(churn.passes);

	while (READ_ONCE(churn.passes) - from < 2)
		usleep_range(10, 20);
}

/* A namespace with an unused lock comes and goes; the lock keeps its memory until it is checked. */
static int churn_once(struct obd_device *obd)
{
	const struct ldlm_res_id id = { .name = { 1 } };
	struct ldlm_namespace *ns = ldlm_namespace_new(obd, LDLM_CLIENT);
	struct ldlm_lock *lock;
	int rc;

	if (IS_ERR(ns))
		return PTR_ERR(ns);
	lock = ldlm_client_lock_new(ns, LDLM_PLAIN, &id, LCK_PR, &kl_all, NULL, NULL);
	if (IS_ERR(lock)) {
		ldlm_namespace_free(ns);
		return PTR_ERR(lock);
	}
	rc = kl_client_cp(lock, LCK_PR);
	ldlm_lock_decref(lock);
	ldlm_namespace_free(ns);
	WRITE_ONCE(churn.freed, ns);
	await_pass();
	flush_delayed_work(&ns->ns_work);
	WRITE_ONCE(churn.freed, NULL);
	ldlm_lock_put(lock);
	return rc;
}

static void no_work_of_a_namespace_follows_its_end(struct kunit *test)
{
	struct obd_device *obd = ke_start(test, "kunit_third");
	unsigned long end = jiffies + msecs_to_jiffies(CHURN_MS);
	struct aside aside;
	int rc;

	memset(&churn, 0, sizeof(churn));
	WRITE_ONCE(ptlrpc_test_hook, shrinker_is_late);
	aside_start(test, &aside, shrink_always, NULL);
	do {
		rc = churn_once(obd);
	} while (!rc && time_before(jiffies, end));
	WRITE_ONCE(churn.stop, true);
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &aside));
	WRITE_ONCE(ptlrpc_test_hook, NULL);
	KUNIT_EXPECT_EQ(test, 0, rc);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&churn.works));
	kt_end(test, obd);
}

/* The lock is about to be lost: the list of unused locks gives it back. */
static void cancel_unused(enum ptlrpc_test_point at, void *object)
{
	struct ldlm_lock *lock;

	if (at != PTP_LOCK_DROP || object != race.lock || race.done)
		return;
	race.done = true;
	ldlm_lru_take(kl.client, 1, U64_MAX, &race.taken);
	list_for_each_entry(lock, &race.taken, l_todo_item)
		ldlm_cancel_notify(lock);
}

static void the_owner_hears_once_of_a_lock(struct kunit *test)
{
	race.lock = kl_client_lock(test, 1, LCK_PR);
	ldlm_lock_decref(race.lock);
	WRITE_ONCE(ptlrpc_test_hook, cancel_unused);
	ldlm_client_drop(race.lock, -EIO);
	WRITE_ONCE(ptlrpc_test_hook, NULL);
	KUNIT_EXPECT_TRUE(test, race.done);
	KUNIT_EXPECT_FALSE(test, list_empty(&race.taken));
	ldlm_cancel_send(&race.taken, 1, false);
	kl_settle(test);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.cancelled));
	ldlm_lock_put(race.lock);
}

/* Its work was queued for something else, and runs before the task has notified the owner. */
static void the_task_that_cancels_notifies_the_owner(struct kunit *test)
{
	race.lock = kl_client_lock(test, 1, LCK_PR);
	ldlm_lock_decref(race.lock);
	KUNIT_EXPECT_EQ(test, 1U, ldlm_lru_take(kl.client, 1, U64_MAX, &race.taken));
	ldlm_lock_notify(race.lock, LDLM_LF_NOTIFY_BLOCKING);
	kl_settle(test);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.cancelled));
	ldlm_cancel_notify(race.lock);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.cancelled));
	ldlm_cancel_send(&race.taken, 1, false);
	ldlm_lock_put(race.lock);
}

/* As the end of a namespace waits. */
static long await_idle(void *arg)
{
	return wait_event_timeout(kl.client->ns_idle,
				  !atomic_read(&kl.client->ns_busy),
				  FIXTURE_WAIT / 2) > 1;
}

/* Holds the work of the lock at its start until the case has told it again. */
static struct gate work_gate;

static void blocking_waits(struct ldlm_lock *lock, void *data)
{
	u64 out;

	gate_get(&work_gate, &out);
}

static const struct ldlm_callbacks waiting_cbs = {
	.lcb_blocking = blocking_waits,
};

static struct ldlm_lock *waiting_lock(struct kunit *test)
{
	struct ldlm_res_id id = { .name = { 9 } };
	struct ldlm_lock *lock;

	lock = ldlm_client_lock_new(kl.client, LDLM_PLAIN, &id, LCK_PR,
				    &kl_all, &waiting_cbs, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, lock);
	KUNIT_EXPECT_EQ(test, 0, kl_client_cp(lock, LCK_PR));
	return lock;
}

/*
 * Three calls: the first one's work runs and waits, the second queues it again, the
 * third finds it queued. Before the third gives back what it counted, both works
 * run to their end.
 */
static void let_works_end(enum ptlrpc_test_point at, void *object)
{
	if (at != PTP_LOCK_NOTIFY || object != race.lock || race.done)
		return;
	race.done = true;
	complete_all(&work_gate.leave);
	flush_work(&race.lock->l_work);
}

static void a_cleanup_sees_the_end_of_the_last_work(struct kunit *test)
{
	struct aside aside;

	gate_init(&work_gate);
	race.lock = waiting_lock(test);
	ldlm_lock_notify(race.lock, LDLM_LF_NOTIFY_BLOCKING);
	gate_await(test, &work_gate);
	ldlm_lock_notify(race.lock, LDLM_LF_NOTIFY_BLOCKING);
	aside_start(test, &aside, await_idle, NULL);
	aside_await_sleep(test, &aside);
	WRITE_ONCE(ptlrpc_test_hook, let_works_end);
	ldlm_lock_notify(race.lock, LDLM_LF_NOTIFY_BLOCKING);
	WRITE_ONCE(ptlrpc_test_hook, NULL);
	KUNIT_EXPECT_TRUE(test, race.done);
	KUNIT_EXPECT_EQ(test, 1L, aside_join(test, &aside));
	drop(race.lock);
}

#define REVOKED	300

/* The number of locks whose cancel waits to be sent. */
static unsigned int cancels_queued(void)
{
	struct list_head *at;
	unsigned int count = 0;

	spin_lock(&kl.client->ns_lock);
	list_for_each(at, &kl.client->ns_cancels)
		count++;
	spin_unlock(&kl.client->ns_lock);
	return count;
}

/* The first request waits for the last lock, as one does that is being sent. */
static void let_cancels_gather(enum ptlrpc_test_point at, void *object)
{
	unsigned int n;

	if (at != PTP_CANCEL_WORK || object != kl.client)
		return;
	for (n = 0; !race.works && n < 1000 && cancels_queued() < REVOKED; n++)
		msleep(20);
	if (cancels_queued())
		race.works++;
}

static void revoked_locks_are_cancelled_together(struct kunit *test)
{
	struct ldlm_lock *lock;
	unsigned int n;

	WRITE_ONCE(ptlrpc_test_hook, let_cancels_gather);
	for (n = 0; n < REVOKED; n++) {
		lock = kl_client_lock(test, n, LCK_PR);
		ldlm_lock_decref(lock);
		KUNIT_EXPECT_EQ(test, 0, kl_client_bl(lock));
		ldlm_lock_put(lock);
	}
	kl_settle(test);
	KUNIT_EXPECT_EQ(test, 1U, race.works);
	KUNIT_EXPECT_EQ(test, REVOKED, atomic_read(&kl.cancelled));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.client->ns_locks));
}

static struct kunit_case ldlm_race_cases[] = {
	KUNIT_CASE(the_shrinker_leaves_a_dead_namespace),
	KUNIT_CASE(no_work_of_a_namespace_follows_its_end),
	KUNIT_CASE(the_owner_hears_once_of_a_lock),
	KUNIT_CASE(the_task_that_cancels_notifies_the_owner),
	KUNIT_CASE(a_cleanup_sees_the_end_of_the_last_work),
	KUNIT_CASE(revoked_locks_are_cancelled_together),
	{}
};

static struct kunit_suite ldlm_race_suite = {
	.name = "ldlm_race",
	.suite_init = client_suite_init,
	.init = race_init,
	.exit = race_exit,
	.test_cases = ldlm_race_cases,
};
kunit_test_suite(ldlm_race_suite);

MODULE_DESCRIPTION("races of the lock manager's client");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
