// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recovery: the time between two tries, the order of replays at a target, and when an
 * import is idle.
 *
 * Processors: 2
 */
#include "obd_import_fixture.h"

#include "../../ptlrpc/target/recovery_order.h"

#include "../../ptlrpc/target/recovery_order.c"

/*
 * Time between two tries.
 */

static void tries_get_rarer_up_to_a_limit(struct kunit *test)
{
	static const unsigned int want[] = { 1, 2, 4, 8, 16, 25, 25 };
	unsigned int backoff = 0, n;

	for (n = 0; n < ARRAY_SIZE(want); n++) {
		backoff = recover_backoff_next(backoff, 25);
		KUNIT_EXPECT_EQ(test, backoff, want[n]);
	}
	KUNIT_EXPECT_EQ(test, recover_backoff_next(0, 0), 1U);
	KUNIT_EXPECT_EQ(test, recover_backoff_next(1, 0), 1U);
}

static void tries_are_a_quarter_early_or_late(struct kunit *test)
{
	unsigned int least = ~0U, most = 0, ms;
	u32 chance;

	KUNIT_EXPECT_EQ(test, recover_delay_ms(0, 12345), 0U);
	for (chance = 0; chance < 20000; chance++) {
		ms = recover_delay_ms(8, chance);
		least = min(least, ms);
		most = max(most, ms);
	}
	KUNIT_EXPECT_EQ(test, least, 6000U);
	KUNIT_EXPECT_EQ(test, most, 10000U);
}

/* The longest silence of a client whose next ping and two connects get lost. */
static unsigned int silence_ms(unsigned int timeout, unsigned int interval)
{
	unsigned int round = max(interval / 4, 1U), backoff = 0, n;
	unsigned int ms = (interval + round +
			   try_seconds(timeout, interval)) * 1000;

	for (n = 0; n < 2; n++) {
		backoff = recover_backoff_next(backoff, interval);
		ms += connect_seconds(timeout) * 1000;
		ms += recover_delay_ms(backoff, backoff * 500);
	}
	return ms;
}

static void a_ping_and_two_connects_may_get_lost(struct kunit *test)
{
	unsigned int timeout = obd_timeout, interval;

	for (obd_timeout = 1; obd_timeout < 700; obd_timeout++) {
		interval = obd_ping_interval();
		KUNIT_EXPECT_LT(test, silence_ms(obd_timeout, interval),
				evict_seconds(obd_timeout, interval) * 1000);
	}
	obd_timeout = timeout;
	KUNIT_EXPECT_EQ(test, evict_seconds(1, 1), 30U);
	KUNIT_EXPECT_EQ(test, evict_seconds(20, 5), 30U);
	KUNIT_EXPECT_EQ(test, evict_seconds(100, 25), 150U);
}

/*
 * Order of replays at a target.
 */

#define CLIENTS		3
#define REPLAYS_MAX	16

static struct {
	struct recovery_order	ro;
	struct ro_client	clients[CLIENTS];
	struct ro_replay	replays[REPLAYS_MAX];
	unsigned int		used;
} target;

static void target_begin(unsigned int clients, u64 last)
{
	unsigned int n;

	memset(&target, 0, sizeof(target));
	recovery_order_init(&target.ro, target.clients, clients, last);
	for (n = 0; n < clients; n++)
		recovery_order_move(&target.ro, n, RO_REPLAYING);
}

static void target_gets(unsigned int client, u64 transno)
{
	struct ro_replay *replay = &target.replays[target.used++];

	replay->client = client;
	replay->transno = transno;
	recovery_order_add(&target.ro, replay);
}

/* Return: the transaction that is to be done now, or 0. */
static u64 target_takes(void)
{
	struct ro_replay *replay = recovery_order_take(&target.ro);

	return replay ? replay->transno : 0;
}

/* The same, and it is done. */
static u64 target_does(void)
{
	u64 transno = target_takes();

	if (transno)
		recovery_order_done(&target.ro, transno);
	return transno;
}

static void two_clients_take_turns(struct kunit *test)
{
	target_begin(2, 100);
	target_gets(1, 102);
	KUNIT_EXPECT_EQ(test, target_does(), 0ULL);
	target_gets(0, 101);
	KUNIT_EXPECT_EQ(test, target_takes(), 101ULL);
	/* The next one waits until that is done. */
	KUNIT_EXPECT_EQ(test, target_takes(), 0ULL);
	recovery_order_done(&target.ro, 101);
	KUNIT_EXPECT_EQ(test, target_does(), 102ULL);
	/* No number is missing: the other client need not be heard. */
	target_gets(1, 103);
	KUNIT_EXPECT_EQ(test, target_does(), 103ULL);
	KUNIT_EXPECT_EQ(test, target.ro.ro_next, 104ULL);
}

static void a_gap_waits_for_all_clients(struct kunit *test)
{
	target_begin(3, 100);
	target_gets(0, 105);
	target_gets(1, 103);
	KUNIT_EXPECT_EQ(test, target_does(), 0ULL);
	target_gets(2, 110);
	KUNIT_EXPECT_EQ(test, target_does(), 103ULL);
	/* Client 1 may have 104 still. */
	KUNIT_EXPECT_EQ(test, target_does(), 0ULL);
	KUNIT_EXPECT_TRUE(test, recovery_order_move(&target.ro, 1, RO_LOCKS));
	KUNIT_EXPECT_EQ(test, target_does(), 105ULL);
	KUNIT_EXPECT_EQ(test, target_does(), 0ULL);
	KUNIT_EXPECT_TRUE(test, recovery_order_move(&target.ro, 0, RO_DONE));
	KUNIT_EXPECT_EQ(test, target_does(), 110ULL);
	KUNIT_EXPECT_EQ(test, target.ro.ro_next, 111ULL);
}

static void a_missing_client_is_waited_for_until_it_is_given_up(struct kunit *test)
{
	memset(&target, 0, sizeof(target));
	recovery_order_init(&target.ro, target.clients, 2, 7);
	KUNIT_EXPECT_TRUE(test, recovery_order_move(&target.ro, 0, RO_REPLAYING));
	target_gets(0, 9);
	KUNIT_EXPECT_EQ(test, target_does(), 0ULL);
	KUNIT_EXPECT_TRUE(test, recovery_order_move(&target.ro, 1, RO_GONE));
	KUNIT_EXPECT_EQ(test, target_does(), 9ULL);
	/* It comes too late. */
	KUNIT_EXPECT_FALSE(test, recovery_order_move(&target.ro, 1, RO_REPLAYING));
	KUNIT_EXPECT_FALSE(test, recovery_order_is_over(&target.ro));
	KUNIT_EXPECT_TRUE(test, recovery_order_move(&target.ro, 0, RO_DONE));
	KUNIT_EXPECT_TRUE(test, recovery_order_is_over(&target.ro));
}

static void a_client_lost_while_one_runs(struct kunit *test)
{
	target_begin(2, 0);
	target_gets(1, 5);
	target_gets(0, 1);
	KUNIT_EXPECT_EQ(test, target_takes(), 1ULL);
	KUNIT_EXPECT_TRUE(test, recovery_order_move(&target.ro, 0, RO_GONE));
	KUNIT_EXPECT_EQ(test, target_takes(), 0ULL);
	/* It never was done: its number stays the next. */
	recovery_order_done(&target.ro, 0);
	KUNIT_EXPECT_EQ(test, target.ro.ro_next, 1ULL);
	KUNIT_EXPECT_EQ(test, target_does(), 5ULL);
}

static void a_copy_goes_as_soon_as_it_may(struct kunit *test)
{
	target_begin(2, 0);
	target_gets(1, 9);
	target_gets(0, 1);
	KUNIT_EXPECT_EQ(test, target_does(), 1ULL);
	target_gets(0, 1);
	KUNIT_EXPECT_EQ(test, target_does(), 1ULL);
	KUNIT_EXPECT_EQ(test, target.ro.ro_next, 2ULL);
}

/* Opens that are on disk come before a removal, also if its number is the very next. */
static void what_is_on_disk_is_replayed_first(struct kunit *test)
{
	memset(&target, 0, sizeof(target));
	recovery_order_init(&target.ro, target.clients, 2, 10);
	recovery_order_move(&target.ro, 1, RO_REPLAYING);
	target_gets(1, 11);
	KUNIT_EXPECT_EQ(test, target_does(), 0ULL);
	recovery_order_move(&target.ro, 0, RO_REPLAYING);
	KUNIT_EXPECT_EQ(test, target_does(), 0ULL);
	target_gets(0, 4);
	KUNIT_EXPECT_EQ(test, target_does(), 4ULL);
	/* It may have another one. */
	KUNIT_EXPECT_EQ(test, target_does(), 0ULL);
	target_gets(0, 7);
	KUNIT_EXPECT_EQ(test, target_does(), 7ULL);
	KUNIT_EXPECT_EQ(test, target_does(), 0ULL);
	KUNIT_EXPECT_TRUE(test, recovery_order_move(&target.ro, 0, RO_LOCKS));
	KUNIT_EXPECT_EQ(test, target_does(), 11ULL);
	KUNIT_EXPECT_EQ(test, target.ro.ro_next, 12ULL);
}

static void clients_that_others_wait_for(struct kunit *test)
{
	target_begin(2, 100);
	KUNIT_EXPECT_TRUE(test, recovery_order_is_awaited(&target.ro, 0));
	target_gets(0, 101);
	target_gets(1, 102);
	KUNIT_EXPECT_FALSE(test, recovery_order_is_awaited(&target.ro, 0));
	KUNIT_EXPECT_EQ(test, target_takes(), 101ULL);
	/* Its replay is being executed. */
	KUNIT_EXPECT_FALSE(test, recovery_order_is_awaited(&target.ro, 0));
	recovery_order_done(&target.ro, 101);
	target_gets(1, 104);
	KUNIT_EXPECT_TRUE(test, recovery_order_is_awaited(&target.ro, 0));
	KUNIT_EXPECT_FALSE(test, recovery_order_is_awaited(&target.ro, 1));
}

static void clients_move_forward_only(struct kunit *test)
{
	static const char * const may[RO_STATE_COUNT] = {
		[RO_MISSING]	= ".xxxx",
		[RO_REPLAYING]	= "..xxx",
		[RO_LOCKS]	= "...xx",
		[RO_DONE]	= ".....",
		[RO_GONE]	= ".....",
	};
	unsigned int from, to;

	for (from = 0; from < RO_STATE_COUNT; from++) {
		for (to = 0; to < RO_STATE_COUNT; to++) {
			memset(&target, 0, sizeof(target));
			recovery_order_init(&target.ro, target.clients, 1, 0);
			if (from)
				recovery_order_move(&target.ro, 0, from);
			KUNIT_EXPECT_EQ_MSG(test,
					    recovery_order_move(&target.ro, 0, to),
					    may[from][to] == 'x',
					    "from %u to %u", from, to);
			KUNIT_EXPECT_EQ(test, target.ro.ro_states[
					may[from][to] == 'x' ? to : from], 1U);
		}
	}
}

/*
 * Idleness.
 */

static void idle_is_without_calls(struct kunit *test)
{
	struct obd_device *obd = kt_attach(test, "dev");
	struct obd_uuid uuid = kt_uuid("srv_UUID");
	struct obd_import *imp = class_new_import(obd, &uuid);

	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(imp));
	imp->imp_used_ns = 0;
	KUNIT_EXPECT_EQ(test, import_unused_ns(imp, 100), 100ULL);
	atomic64_inc(&imp->imp_calls);
	KUNIT_EXPECT_EQ(test, import_unused_ns(imp, 200), 0ULL);
	KUNIT_EXPECT_EQ(test, import_unused_ns(imp, 300), 100ULL);
	/* A request that is not answered is a use. */
	atomic_inc(&imp->imp_inflight);
	KUNIT_EXPECT_EQ(test, import_unused_ns(imp, 400), 0ULL);
	KUNIT_EXPECT_EQ(test, import_unused_ns(imp, 500), 0ULL);
	atomic_dec(&imp->imp_inflight);
	KUNIT_EXPECT_EQ(test, import_unused_ns(imp, 600), 100ULL);
	class_destroy_import(imp);
	kt_end(test, obd);
}

static struct kunit_case recover_cases[] = {
	KUNIT_CASE(tries_get_rarer_up_to_a_limit),
	KUNIT_CASE(tries_are_a_quarter_early_or_late),
	KUNIT_CASE(a_ping_and_two_connects_may_get_lost),
	KUNIT_CASE(two_clients_take_turns),
	KUNIT_CASE(a_gap_waits_for_all_clients),
	KUNIT_CASE(a_missing_client_is_waited_for_until_it_is_given_up),
	KUNIT_CASE(a_client_lost_while_one_runs),
	KUNIT_CASE(a_copy_goes_as_soon_as_it_may),
	KUNIT_CASE(what_is_on_disk_is_replayed_first),
	KUNIT_CASE(clients_that_others_wait_for),
	KUNIT_CASE(clients_move_forward_only),
	KUNIT_CASE(idle_is_without_calls),
	{}
};

static struct kunit_suite recover_suite = {
	.name = "ptlrpc_recover",
	.suite_init = client_suite_init,
	.init = import_fixture_init,
	.exit = import_fixture_exit,
	.test_cases = recover_cases,
};
kunit_test_suite(recover_suite);

MODULE_DESCRIPTION("recovery: tries, order of replays, idleness");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
