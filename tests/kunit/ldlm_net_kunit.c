// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locks over the loopback network: clients of one server, which they reach
 * through sockets, compete; one does not answer; one is killed while it waits.
 *
 * Processors: 2
 */
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/sched/signal.h>

#include "ldlm_net_fixture.h"

/* How often the first client was asked to give something back. */
static int nl_first_blocked(void)
{
	return atomic_read(&nl.owner[0].blocked);
}

static int nl_all_client_locks(void)
{
	unsigned int n;
	int all = 0;

	for (n = 0; n < NL_CLIENTS; n++)
		all += nl_client_locks(n);
	return all;
}

static void a_lock_is_known_to_both(struct kunit *test)
{
	struct ldlm_lock *lock = nl_lock(test, 0, 1, LCK_PR), *other;

	KUNIT_EXPECT_EQ(test, 1, nl_server_locks());
	other = nl_lock(test, 1, 1, LCK_PR);
	KUNIT_EXPECT_EQ(test, 2, nl_server_locks());
	nl_drop(other);
	/* The next use needs no server. */
	other = nl_lock(test, 1, 1, LCK_CR);
	KUNIT_EXPECT_EQ(test, 2, nl_server_locks());
	KUNIT_EXPECT_EQ(test, (u32)LCK_PR, ldlm_lock_mode(other));
	nl_drop(other);
	KUNIT_EXPECT_EQ(test, -EBUSY, ldlm_cli_cancel(lock));
	ldlm_lock_decref(lock);
	KUNIT_EXPECT_EQ(test, 0, ldlm_cli_cancel(lock));
	KUNIT_EXPECT_EQ(test, 1, nl_server_locks());
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&nl.owner[0].cancelled));
	ldlm_lock_put(lock);
	KUNIT_EXPECT_EQ(test, 1, ldlm_cli_cancel_unused(nl.client[1]));
	nl_await(test, nl_server_locks, 0);
	KUNIT_EXPECT_EQ(test, 0, nl_client_locks(0));
}

static void what_is_unused_goes_to_who_wants_it(struct kunit *test)
{
	struct ldlm_lock *lock;

	nl_drop(nl_lock(test, 0, 1, LCK_EX));
	lock = nl_lock(test, 1, 1, LCK_EX);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&nl.owner[0].blocked));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&nl.owner[0].cancelled));
	nl_drop(lock);
	/* And back again. */
	nl_drop(nl_lock(test, 0, 1, LCK_PW));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&nl.owner[1].cancelled));
}

static void what_is_used_goes_when_its_owner_is_done(struct kunit *test)
{
	struct nl_ask ask = { .client = 1, .name = 1, .mode = LCK_EX };
	struct ldlm_lock *lock = nl_lock(test, 0, 1, LCK_EX);
	struct aside aside;

	aside_start(test, &aside, nl_enqueue, &ask);
	nl_await(test, nl_server_waiting, 1);
	nl_await(test, nl_first_blocked, 1);
	KUNIT_EXPECT_FALSE(test, aside_is_done(&aside));
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_granted(lock));
	nl_drop(lock);
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &aside));
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_granted(ask.lock));
	nl_drop(ask.lock);
}

static void an_owner_may_give_up_when_asked(struct kunit *test)
{
	struct ldlm_lock *lock = nl_lock(test, 0, 1, LCK_EX), *other;

	nl.owner[0].gives = true;
	other = nl_lock(test, 1, 1, LCK_PR);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&nl.owner[0].blocked));
	nl_drop(other);
	ldlm_lock_put(lock);
}

static void who_may_not_wait_hears_so(struct kunit *test)
{
	struct nl_ask ask = { .client = 1, .name = 1, .mode = LCK_PR,
			      .flags = LDLM_FL_BLOCK_NOWAIT };
	struct ldlm_lock *lock = nl_lock(test, 0, 1, LCK_EX);

	KUNIT_EXPECT_EQ(test, (long)-EWOULDBLOCK, nl_enqueue(&ask));
	KUNIT_EXPECT_EQ(test, 0, nl_client_locks(1));
	KUNIT_EXPECT_EQ(test, 1, nl_server_locks());
	nl_drop(lock);
}

/* A server that is left for a while forgets the client, and what it had. */
static void who_has_locks_is_not_idle(struct kunit *test)
{
	struct obd_import *imp = nl.client[0]->obd_cli->cl_import;
	struct ldlm_lock *lock = nl_lock(test, 0, 1, LCK_PR);

	KUNIT_EXPECT_EQ(test, 1, atomic_read(&imp->imp_locks));
	KUNIT_EXPECT_EQ(test, -EBUSY, import_idle(imp));
	ldlm_lock_decref(lock);
	KUNIT_EXPECT_EQ(test, -EBUSY, import_idle(imp));
	KUNIT_EXPECT_EQ(test, 0, ldlm_cli_cancel(lock));
	ldlm_lock_put(lock);
	KUNIT_EXPECT_EQ(test, 0, import_idle(imp));
	KUNIT_EXPECT_EQ(test, LUSTRE_IMP_IDLE, imp->imp_state);
	/* The next one wakes it up. */
	nl_drop(nl_lock(test, 0, 1, LCK_PR));
	KUNIT_EXPECT_EQ(test, LUSTRE_IMP_FULL, imp->imp_state);
}

/* A task of its own that can be killed. */
struct nl_victim {
	struct nl_ask		ask;
	struct task_struct	*task;
	struct completion	begun;
	struct aside		aside;
};

static long nl_victim_run(void *arg)
{
	struct nl_victim *victim = arg;

	allow_signal(SIGKILL);
	victim->task = current;
	complete(&victim->begun);
	return nl_enqueue(&victim->ask);
}

static void nl_victim_start(struct kunit *test, struct nl_victim *victim)
{
	init_completion(&victim->begun);
	aside_start(test, &victim->aside, nl_victim_run, victim);
	wait_for_completion(&victim->begun);
	nl_await(test, nl_server_waiting, 1);
	msleep(20);
}

static long nl_victim_kill(struct kunit *test, struct nl_victim *victim)
{
	send_sig(SIGKILL, victim->task, 1);
	return aside_join(test, &victim->aside);
}

static void who_is_killed_waits_no_more(struct kunit *test)
{
	struct nl_victim victim = { .ask = { 1, 1, LCK_EX } };
	struct ldlm_lock *lock = nl_lock(test, 0, 1, LCK_EX);

	nl_victim_start(test, &victim);
	KUNIT_EXPECT_EQ(test, (long)-EINTR, nl_victim_kill(test, &victim));
	nl_await(test, nl_server_waiting, 0);
	nl_await(test, nl_server_locks, 1);
	nl_await(test, nl_all_client_locks, 1);
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_granted(lock));
	nl_drop(lock);
}

/* It is asked, and goes on to use the lock: it is evicted, and comes back. */
static void who_does_not_give_back_loses_all(struct kunit *test)
{
	struct nl_ask ask = { .client = 1, .name = 1, .mode = LCK_EX };
	struct ldlm_lock *lock = nl_lock(test, 0, 1, LCK_EX);
	struct ldlm_lock *other = nl_lock(test, 0, 2, LCK_PR);
	unsigned long before = jiffies;
	struct obd_statfs st;
	struct aside aside;
	unsigned int ms;

	ldlm_timeout = 1;
	aside_start(test, &aside, nl_enqueue, &ask);
	nl_await(test, nl_first_blocked, 1);
	/* The next owner of the lock has all the time that it may need. */
	ldlm_timeout = nl.timeout;
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &aside));
	KUNIT_EXPECT_TRUE(test, time_after_eq(jiffies, before + HZ));
	/* It is that of this case, and not the one from before. */
	KUNIT_EXPECT_TRUE(test, time_before(jiffies, before + 19 * HZ));
	KUNIT_EXPECT_EQ(test, 1, nl_server_timeouts());
	/* It hears of it when it calls next. */
	obd_statfs(nl.exp[0], &st, 0);
	for (ms = 0; ms < NL_SOON_MS && nl_client_locks(0); ms += 20)
		msleep(20);
	KUNIT_EXPECT_FALSE(test, ldlm_lock_is_granted(lock));
	KUNIT_EXPECT_FALSE(test, ldlm_lock_is_granted(other));
	for (ms = 0; ms < NL_SOON_MS &&
	     atomic_read(&nl.owner[0].cancelled) != 2; ms += 20)
		msleep(20);
	KUNIT_EXPECT_EQ(test, 2, atomic_read(&nl.owner[0].cancelled));
	nl_drop(lock);
	nl_drop(other);
	nl_drop(ask.lock);
	nl_drop(nl_lock(test, 0, 1, LCK_EX));
}

static void a_client_that_leaves_has_no_locks(struct kunit *test)
{
	struct nl_ask ask = { .client = 1, .name = 1, .mode = LCK_EX };
	struct ldlm_lock *lock = nl_lock(test, 0, 1, LCK_EX);
	struct aside aside;

	aside_start(test, &aside, nl_enqueue, &ask);
	nl_await(test, nl_server_waiting, 1);
	KUNIT_EXPECT_EQ(test, 0, obd_disconnect(nl.exp[0]));
	nl.exp[0] = NULL;
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &aside));
	KUNIT_EXPECT_FALSE(test, ldlm_lock_is_granted(lock));
	KUNIT_EXPECT_EQ(test, 1, nl_server_locks());
	nl_drop(lock);
	nl_drop(ask.lock);
}

/* The server goes while one waits and one has: both hear of it, in time. */
static void a_server_that_goes_keeps_nobody(struct kunit *test)
{
	struct nl_victim victim = { .ask = { 1, 1, LCK_EX } };
	struct ldlm_lock *lock = nl_lock(test, 0, 1, LCK_EX);

	nl_victim_start(test, &victim);
	KUNIT_EXPECT_EQ(test, 0, class_cleanup(nl.server, true, false, NULL));
	KUNIT_EXPECT_EQ(test, 0, obd_disconnect(nl.exp[1]));
	nl.exp[1] = NULL;
	KUNIT_EXPECT_NE(test, 0L, aside_join(test, &victim.aside));
	nl_await(test, nl_all_client_locks, 1);
	nl_drop(lock);
}

/* The request of the first client is not sent before the other client has the lock. */
static void a_lock_that_a_request_takes_along_may_be_wanted_sooner(struct kunit *test)
{
	const struct ldlm_res_id id = { .name = { 1, 0, 7, ~0ULL } };
	const struct ldlm_policy all = {};
	struct ldlm_elc elc;

	nl_drop(nl_lock(test, 0, 1, LCK_PR));
	ldlm_elc_take(nl.client[0], &id, LCK_EX, &all, &elc);
	KUNIT_EXPECT_EQ(test, 1U, elc.elc_count);
	nl_drop(nl_lock(test, 1, 1, LCK_EX));
	KUNIT_EXPECT_EQ(test, 0, nl_server_timeouts());
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&nl.owner[0].cancelled));
	ldlm_elc_done(&elc, 0);
	KUNIT_EXPECT_EQ(test, 0, nl_client_locks(0));
}

/* The reply was lost, and the request that came again found another result. */
static void a_lock_that_no_reply_brings_is_given_back(struct kunit *test)
{
	struct nl_ask ask = { .client = 1, .name = 1, .mode = LCK_EX };
	struct ldlm_intent *intent = nl_intent(test);
	struct lustre_lock body;
	struct ldlm_lock *lock;
	struct aside aside;

	nl_grant(test, intent, &body);
	aside_start(test, &aside, nl_enqueue, &ask);
	nl_await(test, nl_server_waiting, 1);
	/* Time for the AST; without it the case proves less. */
	msleep(300);
	KUNIT_EXPECT_EQ(test, -ENOENT, ldlm_intent_done(intent, NULL, 0, -ENOENT, &lock));
	KUNIT_EXPECT_NULL(test, lock);
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &aside));
	KUNIT_EXPECT_EQ(test, 0, nl_server_timeouts());
	nl_drop(ask.lock);
}

#define NL_NAMES	3
#define NL_SLOTS	8
#define NL_ROUNDS_MS	2000

static atomic_t nl_holders[NL_SLOTS];	/* readers, or -1 for a writer */
static atomic_t nl_broken;

/* Be a reader (PR), or alone (EX), and see whether that is so. */
static void nl_use(u64 name, u32 mode)
{
	atomic_t *holders = &nl_holders[name];
	bool alone = mode == LCK_EX;

	if (alone && atomic_cmpxchg(holders, 0, -1))
		atomic_inc(&nl_broken);
	if (!alone && atomic_inc_return(holders) < 1)
		atomic_inc(&nl_broken);
	usleep_range(10, 50);
	if (alone && atomic_cmpxchg(holders, -1, 0) != -1)
		atomic_inc(&nl_broken);
	if (!alone && atomic_dec_return(holders) < 0)
		atomic_inc(&nl_broken);
}

/* One task for each client. */
static long nl_compete(void *arg)
{
	u64 end = ktime_get_ns() + NL_ROUNDS_MS * NSEC_PER_MSEC;
	struct nl_ask ask = { .client = (unsigned long)arg };
	long rc, rounds = 0;

	/* Some, however slow the machine is. */
	for (; rounds <= 10 || ktime_get_ns() < end; rounds++) {
		ask.name = (rounds + ask.client) % NL_NAMES;
		ask.mode = (rounds * 5 + ask.client) % 4 ? LCK_PR : LCK_EX;
		rc = nl_enqueue(&ask);
		if (rc)
			return rc;
		nl_use(ask.name, ldlm_lock_mode(ask.lock));
		ldlm_lock_decref(ask.lock);
		if (rounds % 7 == 0)
			ldlm_cli_cancel(ask.lock);
		ldlm_lock_put(ask.lock);
	}
	return rounds;
}

static void many_compete_and_nothing_is_left(struct kunit *test)
{
	struct aside asides[NL_CLIENTS];
	unsigned long n;

	atomic_set(&nl_broken, 0);
	for (n = 0; n < NL_CLIENTS; n++)
		aside_start(test, &asides[n], nl_compete, (void *)n);
	for (n = 0; n < NL_CLIENTS; n++)
		KUNIT_EXPECT_GT(test, aside_join(test, &asides[n]), 10L);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&nl_broken));
	for (n = 0; n < NL_CLIENTS; n++)
		KUNIT_EXPECT_GE(test, ldlm_cli_cancel_unused(nl.client[n]), 0);
	nl_await(test, nl_server_locks, 0);
	KUNIT_EXPECT_EQ(test, 0, nl_server_timeouts());
	nl_await(test, nl_all_client_locks, 0);
}

/* One task for each client; bytes of one resource take the place of resources. */
static long nl_compete_for_bytes(void *arg)
{
	u64 end = ktime_get_ns() + NL_ROUNDS_MS * NSEC_PER_MSEC, slot;
	struct nl_ask ask = { .client = (unsigned long)arg, .name = 9 };
	struct ldlm_extent *part = &ask.part.extent;
	long rc, rounds = 0;

	for (; rounds <= 10 || ktime_get_ns() < end; rounds++) {
		part->first = (rounds * 3 + ask.client) % NL_SLOTS;
		part->last = min_t(u64, part->first + 1 + rounds % 3, NL_SLOTS - 1);
		ask.mode = (rounds * 5 + ask.client) % 4 ? LCK_PR : LCK_EX;
		ask.flags = rounds % 3 ? 0 : LDLM_FL_NO_EXPANSION;
		rc = nl_enqueue(&ask);
		if (rc)
			return rc;
		for (slot = part->first; slot <= part->last; slot++)
			nl_use(slot, ldlm_lock_mode(ask.lock));
		ldlm_lock_decref(ask.lock);
		if (rounds % 7 == 0)
			ldlm_cli_cancel(ask.lock);
		ldlm_lock_put(ask.lock);
	}
	return rounds;
}

static void many_compete_for_bytes(struct kunit *test)
{
	struct aside asides[NL_CLIENTS];
	unsigned long n;

	atomic_set(&nl_broken, 0);
	for (n = 0; n < NL_CLIENTS; n++)
		aside_start(test, &asides[n], nl_compete_for_bytes, (void *)n);
	for (n = 0; n < NL_CLIENTS; n++)
		KUNIT_EXPECT_GT(test, aside_join(test, &asides[n]), 10L);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&nl_broken));
	for (n = 0; n < NL_CLIENTS; n++)
		KUNIT_EXPECT_GE(test, ldlm_cli_cancel_unused(nl.client[n]), 0);
	nl_await(test, nl_server_locks, 0);
	KUNIT_EXPECT_EQ(test, 0, nl_server_timeouts());
	nl_await(test, nl_all_client_locks, 0);
}

static long nl_break(void *arg)
{
	u64 end = ktime_get_ns() + NL_ROUNDS_MS * NSEC_PER_MSEC;

	while (ktime_get_ns() < end) {
		msleep(70);
		lnet_reset(&init_net, NULL);
	}
	return 0;
}

/* Connections end all the time: each call succeeds, once, and no client is evicted. */
static void many_compete_on_bad_connections(struct kunit *test)
{
	struct aside asides[NL_CLIENTS], breaks;
	unsigned long n;

	atomic_set(&nl_broken, 0);
	for (n = 0; n < NL_CLIENTS; n++)
		aside_start(test, &asides[n], nl_compete, (void *)n);
	aside_start(test, &breaks, nl_break, NULL);
	for (n = 0; n < NL_CLIENTS; n++)
		KUNIT_EXPECT_GT(test, aside_join(test, &asides[n]), 0L);
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &breaks));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&nl_broken));
	for (n = 0; n < NL_CLIENTS; n++)
		KUNIT_EXPECT_GE(test, ldlm_cli_cancel_unused(nl.client[n]), 0);
	nl_await(test, nl_server_locks, 0);
	nl_await(test, nl_all_client_locks, 0);
	KUNIT_EXPECT_EQ(test, 0, nl_server_timeouts());
}

static struct kunit_case ldlm_net_cases[] = {
	KUNIT_CASE(a_lock_is_known_to_both),
	KUNIT_CASE(what_is_unused_goes_to_who_wants_it),
	KUNIT_CASE(what_is_used_goes_when_its_owner_is_done),
	KUNIT_CASE(an_owner_may_give_up_when_asked),
	KUNIT_CASE(who_may_not_wait_hears_so),
	KUNIT_CASE(who_has_locks_is_not_idle),
	KUNIT_CASE(who_is_killed_waits_no_more),
	KUNIT_CASE(who_does_not_give_back_loses_all),
	KUNIT_CASE(a_client_that_leaves_has_no_locks),
	KUNIT_CASE(a_server_that_goes_keeps_nobody),
	KUNIT_CASE(a_lock_that_a_request_takes_along_may_be_wanted_sooner),
	KUNIT_CASE(a_lock_that_no_reply_brings_is_given_back),
	KUNIT_CASE(many_compete_and_nothing_is_left),
	KUNIT_CASE(many_compete_for_bytes),
	KUNIT_CASE(many_compete_on_bad_connections),
	{}
};

static struct kunit_suite ldlm_net_suite = {
	.name = "ldlm_net",
	.suite_init = ty_suite_init,
	.init = nl_init,
	.exit = nl_exit,
	.test_cases = ldlm_net_cases,
};
kunit_test_suite(ldlm_net_suite);

MODULE_DESCRIPTION("locks over the network");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
