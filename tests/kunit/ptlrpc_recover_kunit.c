// SPDX-License-Identifier: GPL-2.0
/*
 * Recovery: the time between two tries, the order of replays at a target, what a
 * client keeps and replays, and when an import is idle. The network is the
 * suite's own: ptlrpc/rpc/replay.c is compiled into it, over requests that keep what
 * is done with them.
 *
 * Processors: 2
 */
#include "obd_import_fixture.h"

#include "../../ptlrpc/target/recovery_order.h"

#include "../../ptlrpc/target/recovery_order.c"

/*
 * Requests.
 */

#define SENT_MAX	16

static struct {
	unsigned int	live;		/* requests */
	unsigned int	count;		/* what was sent */
	struct {
		u64			xid;
		u64			transno;
		u32			flags;
		u32			opc;
		u32			timeout;
		u8			first;
		enum lustre_imp_state	state;
	} sent[SENT_MAX];
	unsigned int	fail_at;	/* which fails, 1 for the first */
	int		fail_rc;
	bool		fail_answered;
	unsigned int	lock_replays;
} net;

/* Buffers of what is kept. */
static const u32 lens[] = { 8 };

static struct ptlrpc_request *fake_new(struct obd_import *imp, u32 opc,
				       u16 portal, const u32 *lens,
				       unsigned int count)
{
	struct wire_msg msg = { .type = PTL_RPC_MSG_REQUEST, .opc = opc };
	struct ptlrpc_request *req = kzalloc(sizeof(*req), GFP_KERNEL);

	if (!req)
		return NULL;
	req->rq_req_len = wire_msg_size(lens, count);
	req->rq_req_msg = kzalloc(req->rq_req_len, GFP_KERNEL);
	if (!req->rq_req_msg) {
		kfree(req);
		return NULL;
	}
	wire_msg_init(req->rq_req_msg, lens, count);
	wire_msg_encode(req->rq_req_msg, &msg);
	refcount_set(&req->rq_refcount, 1);
	INIT_LIST_HEAD(&req->rq_replay_item);
	req->rq_import = imp;
	req->rq_opc = opc;
	req->rq_portal = portal;
	req->rq_xid = 1000 + net.live;
	req->rq_generation = imp->imp_generation;
	net.live++;
	return req;
}

static struct ptlrpc_request *fake_again(const struct ptlrpc_request *old)
{
	struct ptlrpc_request *req = fake_new(old->rq_import, old->rq_opc,
					      old->rq_portal, &lens[0], 1);

	if (!req)
		return NULL;
	req->rq_xid = old->rq_xid;
	memcpy(req->rq_req_msg, old->rq_req_msg, old->rq_req_len);
	return req;
}

static struct ptlrpc_request *fake_get(struct ptlrpc_request *req)
{
	refcount_inc(&req->rq_refcount);
	return req;
}

static void fake_put(struct ptlrpc_request *req)
{
	if (!refcount_dec_and_test(&req->rq_refcount))
		return;
	net.live--;
	kfree(req->rq_req_msg);
	kfree(req);
}

static void *fake_buf(struct ptlrpc_request *req, unsigned int n)
{
	return wire_msg_buf(req->rq_req_msg, n);
}

static int fake_wait(struct ptlrpc_request *req)
{
	struct wire_msg view;
	bool fails;

	if (net.count == SENT_MAX)
		return -ENOSPC;
	net.sent[net.count].xid = req->rq_xid;
	net.sent[net.count].transno = req->rq_replay_transno;
	net.sent[net.count].flags = req->rq_msg_flags;
	net.sent[net.count].opc = req->rq_opc;
	net.sent[net.count].timeout = req->rq_timeout;
	net.sent[net.count].state = req->rq_send_state;
	if (wire_msg_view(req->rq_req_msg, req->rq_req_len, &view) == WIRE_OK &&
	    view.bufcount)
		net.sent[net.count].first = *(const u8 *)view.bufs[0];
	fails = ++net.count == net.fail_at;
	if (!fails || net.fail_answered)
		req->rq_rep.type = PTL_RPC_MSG_REPLY;
	return fails ? net.fail_rc : 0;
}

static int fake_replay_locks(struct obd_import *imp)
{
	net.lock_replays++;
	return imp->imp_state == LUSTRE_IMP_REPLAY_LOCKS ? 0 : -EINVAL;
}

static const struct import_lock_ops fake_locks = {
	.il_replay = fake_replay_locks,
};

const struct import_lock_ops *import_locks = &fake_locks;

static u16 fake_portal(const struct obd_import *imp)
{
	return OST_REQUEST_PORTAL;
}

#define ptlrpc_request_new	fake_new
#define ptlrpc_request_again	fake_again
#define ptlrpc_request_get	fake_get
#define ptlrpc_request_put	fake_put
#define ptlrpc_queue_wait	fake_wait
#define import_portal		fake_portal
#include "../../ptlrpc/rpc/replay.c"

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

#define CLIENTS	3

static struct {
	struct recovery_order	ro;
	struct ro_client	clients[CLIENTS];
	struct ro_replay	replays[SENT_MAX];
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
	target_gets(0, 1);
	KUNIT_EXPECT_EQ(test, target_takes(), 1ULL);
	target_gets(1, 5);
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
	target_gets(0, 1);
	KUNIT_EXPECT_EQ(test, target_does(), 1ULL);
	target_gets(0, 1);
	KUNIT_EXPECT_EQ(test, target_does(), 1ULL);
	KUNIT_EXPECT_EQ(test, target.ro.ro_next, 2ULL);
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
 * What a client keeps.
 */

static struct obd_import *begin(struct kunit *test)
{
	struct obd_device *obd = kt_attach(test, "dev");
	struct obd_uuid uuid = kt_uuid("srv_UUID");
	struct obd_import *imp;

	memset(&net, 0, sizeof(net));
	imp = class_new_import(obd, &uuid);
	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(imp));
	set_bit(IMPF_REPLAYABLE, &imp->imp_flags);
	return imp;
}

static void end(struct kunit *test, struct obd_import *imp)
{
	struct obd_device *obd = imp->imp_obd;

	replay_forget(imp);
	KUNIT_EXPECT_EQ(test, net.live, 0U);
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 0U);
	class_destroy_import(imp);
	kt_end(test, obd);
}

/* A request that was answered; what it said first is its transaction. */
static void answered(struct kunit *test, struct obd_import *imp, u64 transno)
{
	struct ptlrpc_request *req = fake_new(imp, OST_SET_INFO,
					      OST_REQUEST_PORTAL, lens, 1);

	KUNIT_ASSERT_NOT_NULL(test, req);
	req->rq_xid = 5000 + transno;
	req->rq_rep.type = PTL_RPC_MSG_REPLY;
	req->rq_rep.transno = transno;
	*(u8 *)fake_buf(req, 0) = transno;
	ptlrpc_replay_note(req);
	fake_put(req);
}

static void kept_until_it_is_on_disk(struct kunit *test)
{
	struct obd_import *imp = begin(test);
	u64 transno;

	answered(test, imp, 0);
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 0U);
	for (transno = 1; transno <= 6; transno++)
		answered(test, imp, transno);
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 6U);
	imp->imp_last_committed = 4;
	ptlrpc_replay_drop(imp);
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 2U);
	KUNIT_EXPECT_EQ(test, net.live, 2U);
	KUNIT_EXPECT_EQ(test, imp->imp_peer_committed, 4ULL);
	/* The reply was late: that is on disk already. */
	answered(test, imp, 3);
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 2U);
	end(test, imp);
}

static void nothing_is_kept_for_a_target_that_keeps_nothing(struct kunit *test)
{
	struct obd_import *imp = begin(test);

	clear_bit(IMPF_REPLAYABLE, &imp->imp_flags);
	answered(test, imp, 1);
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 0U);
	end(test, imp);
}

static void an_invalidation_forgets_all(struct kunit *test)
{
	struct obd_import *imp = begin(test);

	answered(test, imp, 1);
	answered(test, imp, 2);
	replay_import_changed(imp);
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 2U);
	imp->imp_generation++;
	replay_import_changed(imp);
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 0U);
	KUNIT_EXPECT_EQ(test, net.live, 0U);
	end(test, imp);
}

static void replay_is_in_order_and_under_the_old_xids(struct kunit *test)
{
	static const u64 order[] = { 3, 1, 7, 2, 5 };
	static const u64 want[] = { 1, 2, 3, 5, 7 };
	struct obd_import *imp = begin(test);
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(order); n++)
		answered(test, imp, order[n]);
	imp->imp_state = LUSTRE_IMP_REPLAY;
	KUNIT_EXPECT_EQ(test, ptlrpc_replay(imp), 0);
	KUNIT_ASSERT_EQ(test, net.count, (unsigned int)ARRAY_SIZE(want) + 1);
	for (n = 0; n < ARRAY_SIZE(want); n++) {
		KUNIT_EXPECT_EQ(test, net.sent[n].transno, want[n]);
		KUNIT_EXPECT_EQ(test, net.sent[n].xid, 5000 + want[n]);
		KUNIT_EXPECT_EQ(test, net.sent[n].flags, (u32)MSG_REPLAY);
		KUNIT_EXPECT_EQ(test, net.sent[n].opc, (u32)OST_SET_INFO);
		KUNIT_EXPECT_EQ(test, (u64)net.sent[n].first, want[n]);
		KUNIT_EXPECT_EQ(test, (u32)net.sent[n].state,
				(u32)LUSTRE_IMP_REPLAY);
		KUNIT_EXPECT_GT(test, net.sent[n].timeout, 0U);
	}
	KUNIT_EXPECT_EQ(test, net.sent[n].opc, (u32)OBD_PING);
	KUNIT_EXPECT_EQ(test, net.sent[n].flags,
			(u32)(MSG_REQ_REPLAY_DONE | MSG_LOCK_REPLAY_DONE));
	KUNIT_EXPECT_EQ(test, (u32)net.sent[n].state,
			(u32)LUSTRE_IMP_REPLAY_WAIT);
	KUNIT_EXPECT_EQ(test, (u32)imp->imp_state, (u32)LUSTRE_IMP_REPLAY_WAIT);
	KUNIT_EXPECT_EQ(test, imp->imp_last_replay, 7ULL);
	/* They are kept: the target may die again. */
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 5U);
	end(test, imp);
}

static void a_replay_without_an_answer_is_the_end_of_it(struct kunit *test)
{
	struct obd_import *imp = begin(test);

	answered(test, imp, 1);
	answered(test, imp, 2);
	net.fail_at = 1;
	net.fail_rc = -ETIMEDOUT;
	imp->imp_state = LUSTRE_IMP_REPLAY;
	KUNIT_EXPECT_EQ(test, ptlrpc_replay(imp), -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, net.count, 1U);
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 2U);
	end(test, imp);
}

static void an_error_of_the_operation_is_none_of_the_replay(struct kunit *test)
{
	struct obd_import *imp = begin(test);

	answered(test, imp, 1);
	answered(test, imp, 2);
	net.fail_at = 1;
	net.fail_rc = -ENOSPC;
	net.fail_answered = true;
	imp->imp_state = LUSTRE_IMP_REPLAY;
	KUNIT_EXPECT_EQ(test, ptlrpc_replay(imp), 0);
	KUNIT_EXPECT_EQ(test, net.count, 3U);
	end(test, imp);
}

/* The server was busy: it was not done, and what comes behind it must not overtake. */
static void a_replay_that_was_not_done_is_not_passed_over(struct kunit *test)
{
	struct obd_import *imp = begin(test);

	answered(test, imp, 1);
	answered(test, imp, 2);
	net.fail_at = 1;
	net.fail_rc = -EINPROGRESS;
	net.fail_answered = true;
	imp->imp_state = LUSTRE_IMP_REPLAY;
	KUNIT_EXPECT_EQ(test, ptlrpc_replay(imp), -EINPROGRESS);
	KUNIT_EXPECT_EQ(test, net.count, 1U);
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 2U);
	end(test, imp);
}

static void replay_ends_when_somebody_wants_it(struct kunit *test)
{
	struct obd_import *imp = begin(test);

	answered(test, imp, 1);
	atomic_inc(&imp->imp_cancel);
	imp->imp_state = LUSTRE_IMP_REPLAY;
	KUNIT_EXPECT_EQ(test, ptlrpc_replay(imp), -ECANCELED);
	KUNIT_EXPECT_EQ(test, net.count, 0U);
	end(test, imp);
}

/*
 * Idleness.
 */

static void idle_is_without_calls(struct kunit *test)
{
	struct obd_import *imp = begin(test);

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
	end(test, imp);
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
	KUNIT_CASE(clients_move_forward_only),
	KUNIT_CASE(kept_until_it_is_on_disk),
	KUNIT_CASE(nothing_is_kept_for_a_target_that_keeps_nothing),
	KUNIT_CASE(an_invalidation_forgets_all),
	KUNIT_CASE(replay_is_in_order_and_under_the_old_xids),
	KUNIT_CASE(a_replay_without_an_answer_is_the_end_of_it),
	KUNIT_CASE(an_error_of_the_operation_is_none_of_the_replay),
	KUNIT_CASE(a_replay_that_was_not_done_is_not_passed_over),
	KUNIT_CASE(replay_ends_when_somebody_wants_it),
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
