// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests: their phases, references, answers, sets, slots, bulk data. This node is
 * client and server.
 */
#include <lustre_lite/ptlrpc_test_point.h>

#include "../../ptlrpc/net/net.h"
#include "../../ptlrpc/service/service.h"
#include "ptlrpc_request_fixture.h"

/* Which phase may follow which, a row for each, columns in the same order. */
static const char * const moves[RQ_PHASE_COUNT] = {
	/*		      NWRUIC */
	[RQ_NEW]	   = ".x....",
	[RQ_WAITING]	   = "..xxx.",
	[RQ_RPC]	   = ".x.xx.",
	[RQ_UNREGISTERING] = "....x.",
	[RQ_INTERPRET]	   = ".....x",
	[RQ_COMPLETE]	   = "......",
};

static void every_move_from_every_phase(struct kunit *test)
{
	unsigned int from, to;

	for (from = 0; from < RQ_PHASE_COUNT; from++)
		for (to = 0; to < RQ_PHASE_COUNT; to++)
			KUNIT_EXPECT_EQ_MSG(test, rq_phase_may(from, to),
					    moves[from][to] == 'x',
					    "from %s to %s", rq_phase_name(from),
					    rq_phase_name(to));
	KUNIT_EXPECT_FALSE(test, rq_phase_may(RQ_NEW, RQ_PHASE_COUNT));
	KUNIT_EXPECT_FALSE(test, rq_phase_may(RQ_PHASE_COUNT, RQ_NEW));
	KUNIT_EXPECT_STREQ(test, rq_phase_name(RQ_PHASE_COUNT), "UNKNOWN");
}

/* Replies that the server keeps for the client. */
static unsigned int kr_replies_kept(struct kunit *test)
{
	struct obd_export *exp;
	unsigned int kept = 0;

	spin_lock(&kr.srv->obd_export_lock);
	list_for_each_entry(exp, &kr.srv->obd_exports, exp_obd_chain)
		if (ptlrpc_export(exp))
			kept += READ_ONCE(ptlrpc_export(exp)->pe_reply_count);
	spin_unlock(&kr.srv->obd_export_lock);
	return kept;
}

static void an_xid_is_larger_than_those_before(struct kunit *test)
{
	struct ptlrpc_request *a, *b;

	kr_connect(test);
	a = kr_new(test, KR_ECHO);
	b = kr_new(test, KR_ECHO);
	/* It counts when a request is sent, not when it is made. */
	KUNIT_EXPECT_EQ(test, a->rq_xid, 0ULL);
	KUNIT_EXPECT_EQ(test, ptlrpc_queue_wait(b), 0);
	KUNIT_EXPECT_EQ(test, ptlrpc_queue_wait(a), 0);
	swap(a, b);
	KUNIT_EXPECT_GT(test, b->rq_xid, a->rq_xid);
	/* A node that starts again later begins with a larger one. */
	KUNIT_EXPECT_LT(test, b->rq_xid >> 24, (u64)ktime_get_real_seconds() + 1);
	KUNIT_EXPECT_GT(test, b->rq_xid >> 24,
			(u64)ktime_get_real_seconds() - 24 * 3600);
	ptlrpc_request_put(a);
	ptlrpc_request_put(b);
}

static void maker_and_set_hold_a_request(struct kunit *test)
{
	struct ptlrpc_request *req;

	kr_connect(test);
	req = kr_new(test, KR_ECHO);
	KR_EXPECT_PHASE(test, req, NEW);
	KUNIT_EXPECT_EQ(test, refcount_read(&req->rq_refcount), 1U);
	KUNIT_EXPECT_EQ(test, *(u64 *)ptlrpc_req_buf(req, 0), 0ULL);
	KUNIT_EXPECT_PTR_EQ(test, ptlrpc_rep_buf(req, 0, 0), NULL);
	KUNIT_EXPECT_EQ(test, ptlrpc_queue_wait(req), 0);
	KR_EXPECT_PHASE(test, req, COMPLETE);
	KUNIT_EXPECT_TRUE(test, kr_is_held_once(req));
	ptlrpc_request_put(req);
}

static void a_call_gets_its_answer(struct kunit *test)
{
	struct ptlrpc_request *req;
	const u64 *got;
	s64 calls;

	kr_connect(test);
	calls = atomic64_read(&kr.imp->imp_calls);
	req = kr_new(test, KR_ECHO);
	*(u64 *)ptlrpc_req_buf(req, 0) = 0x1122334455667788ULL;
	KUNIT_EXPECT_EQ(test, ptlrpc_queue_wait(req), 0);
	got = ptlrpc_rep_buf(req, 0, sizeof(*got));
	KUNIT_EXPECT_TRUE(test, got && *got == 0x1122334455667788ULL);
	KUNIT_EXPECT_PTR_EQ(test, ptlrpc_rep_buf(req, 0, sizeof(*got) + 1), NULL);
	KUNIT_EXPECT_EQ(test, req->rq_rep.type, (u32)PTL_RPC_MSG_REPLY);
	KUNIT_EXPECT_EQ(test, req->rq_rep.xid, req->rq_xid);
	KUNIT_EXPECT_EQ(test, req->rq_sends, 1U + kr_timeouts());
	KUNIT_EXPECT_EQ(test, atomic64_read(&kr.imp->imp_calls), calls + 1);
	ptlrpc_request_put(req);
}

static void the_status_is_the_callers(struct kunit *test)
{
	kr_connect(test);
	kr.status = -ENOSPC;
	atomic_set(&kr.status_times, 1);
	KUNIT_EXPECT_EQ(test, kr_call(test, KR_STATUS), -ENOSPC);
	KUNIT_EXPECT_EQ(test, kr_call(test, KR_STATUS), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&kr.done), 2);
}

/* The server keeps replies for a request on its way, not for one that waits to be sent. */
static void an_unsent_request_keeps_no_replies(struct kunit *test)
{
	struct ptlrpc_request *unsent;
	unsigned int n, kept;

	kr_connect(test);
	unsent = kr_new(test, KR_ONCE);
	for (n = 1; n <= 600; n++) {
		KUNIT_ASSERT_EQ(test, kr_call(test, KR_ONCE), 0);
		kept = kr_replies_kept(test);
		KUNIT_ASSERT_LE_MSG(test, kept, 2U, "after %u calls", n);
	}
	/* Each was done at once: none was refused and sent again. */
	KUNIT_EXPECT_EQ(test, atomic_read(&kr.done), 600);
	KUNIT_EXPECT_EQ(test, ptlrpc_queue_wait(unsent), 0);
	ptlrpc_request_put(unsent);
}

static bool one_came(void)
{
	return atomic_read(&kr.running_max) >= 1;
}

/* Nor does it keep those to later requests for one that takes long. */
static void a_long_request_keeps_no_replies(struct kunit *test)
{
	struct ptlrpc_request_set *set;
	unsigned int n;

	kr_connect(test);
	kr.slow_until = kr_slow_may_end;
	set = kr_set(test, 1);
	ptlrpc_set_run(set);
	kr_await(one_came);
	for (n = 1; n <= 50; n++) {
		KUNIT_EXPECT_EQ(test, kr_call(test, KR_ONCE), 0);
		KUNIT_EXPECT_LE_MSG(test, kr_replies_kept(test), 2U, "after %u calls", n);
	}
	/* Each was done at once, and the long one goes on. */
	KUNIT_EXPECT_EQ(test, atomic_read(&kr.done), 50);
	KUNIT_EXPECT_EQ(test, bitmap_weight(kr.imp->imp_tags, WIRE_TAG_MAX), 1);
	WRITE_ONCE(kr.slow_may_end, true);
	KUNIT_EXPECT_EQ(test, ptlrpc_set_wait(set, 0), 0);
	KUNIT_EXPECT_EQ(test, bitmap_weight(kr.imp->imp_tags, WIRE_TAG_MAX), 0);
	ptlrpc_set_put(set);
}

/* There are fewer tags than requests may be on their way. */
static void more_requests_than_tags_are_sent(struct kunit *test)
{
	struct ptlrpc_request_set *set;

	kr_connect(test);
	kr.slow_until = kr_slow_may_end;
	kr.imp->imp_rpcs_max = 2 * WIRE_TAG_MAX;
	set = kr_set(test, 2 * WIRE_TAG_MAX);
	ptlrpc_set_run(set);
	KUNIT_EXPECT_TRUE(test, bitmap_full(kr.imp->imp_tags, WIRE_TAG_MAX));
	WRITE_ONCE(kr.slow_may_end, true);
	KUNIT_EXPECT_EQ(test, ptlrpc_set_wait(set, 0), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&kr.done), (int)(2 * WIRE_TAG_MAX));
	KUNIT_EXPECT_TRUE(test, bitmap_empty(kr.imp->imp_tags, WIRE_TAG_MAX));
	ptlrpc_set_put(set);
}

static void a_busy_server_is_asked_again(struct kunit *test)
{
	struct ptlrpc_request *req;

	kr_connect(test);
	kr.status = -EINPROGRESS;
	atomic_set(&kr.status_times, 1);
	req = kr_new(test, KR_STATUS);
	KUNIT_EXPECT_EQ(test, ptlrpc_queue_wait(req), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&kr.done), 2);
	/* It was answered, so the second one is another request. */
	KUNIT_EXPECT_GT(test, kr.status_xid[0], kr.status_xid[1]);
	ptlrpc_request_put(req);
}

static void who_is_not_known_connects_again(struct kunit *test)
{
	u32 connects;

	kr_connect(test);
	connects = kr.imp->imp_conn_cnt;
	kr.status = -ENOTCONN;
	atomic_set(&kr.status_times, 1);
	KUNIT_EXPECT_EQ(test, kr_call(test, KR_STATUS), 0);
	KUNIT_EXPECT_TRUE(test, kr_connects_are(connects + 1));
}

static bool one_was_answered(void)
{
	return atomic_read(&kr.done) == 1;
}

static long aside_status(void *test)
{
	return kr_call(test, KR_STATUS);
}

/* A task that gives up the connection has not changed the state yet. */
static void who_is_not_known_waits_for_the_end_of_a_disconnect(struct kunit *test)
{
	struct obd_import *imp;
	struct aside call;
	u32 connects;

	kr_connect(test);
	imp = kr.imp;
	connects = imp->imp_conn_cnt;
	mutex_lock(&imp->imp_connect_mutex);
	spin_lock(&imp->imp_lock);
	WRITE_ONCE(imp->imp_link, IMP_LINK_NONE);
	spin_unlock(&imp->imp_lock);
	kr.status = -ENOTCONN;
	atomic_set(&kr.status_times, 1);
	aside_start(test, &call, aside_status, test);
	kr_await(one_was_answered);
	aside_await_sleep(test, &call);
	KUNIT_EXPECT_EQ(test, 0, import_set_state(imp, LUSTRE_IMP_DISCON));
	mutex_unlock(&imp->imp_connect_mutex);
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &call));
	KUNIT_EXPECT_TRUE(test, kr_connects_are(connects + 1));
}

/* Interpret. */

static int note_and_change(struct ptlrpc_request *req, void *data, int rc)
{
	atomic_inc(data);
	return rc ?: (req->rq_phase == RQ_INTERPRET ? -EXDEV : -EINVAL);
}

static void interpret_says_what_becomes_of_it(struct kunit *test)
{
	struct ptlrpc_request *req;
	atomic_t told = ATOMIC_INIT(0);

	kr_connect(test);
	req = kr_new(test, KR_ECHO);
	req->rq_interpret = note_and_change;
	req->rq_interpret_data = &told;
	KUNIT_EXPECT_EQ(test, ptlrpc_queue_wait(req), -EXDEV);
	KUNIT_EXPECT_EQ(test, atomic_read(&told), 1);
	ptlrpc_request_put(req);
}

static int tell(struct ptlrpc_request *req, void *data, int rc)
{
	complete(data);
	return rc;
}

static void a_thread_drives_what_nobody_waits_for(struct kunit *test)
{
	struct ptlrpc_request *req;
	DECLARE_COMPLETION_ONSTACK(told);

	kr_connect(test);
	req = kr_new(test, KR_ECHO);
	req->rq_interpret = tell;
	req->rq_interpret_data = &told;
	ptlrpcd_add(req);
	KUNIT_EXPECT_GT(test, wait_for_completion_timeout(&told, FIXTURE_WAIT), 0UL);
	KUNIT_EXPECT_EQ(test, req->rq_status, 0);
	/* What the thread holds keeps the client's device. */
	KUNIT_EXPECT_TRUE(test, kr_is_held_once(req));
	ptlrpc_request_put(req);
}

/* Sets. */

static void a_set_of_100_has_8_slots(struct kunit *test)
{
	struct ptlrpc_request_set *set;

	kr_connect(test);
	kr.slow_ms = 5;
	set = kr_set(test, 100);
	KUNIT_EXPECT_EQ(test, atomic_read(&kr.imp->imp_inflight), 100);
	KUNIT_EXPECT_EQ(test, ptlrpc_set_wait(set, 60), 0);
	KUNIT_EXPECT_GE(test, atomic_read(&kr.done), 40);
	KUNIT_EXPECT_EQ(test, ptlrpc_set_wait(set, 0), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&kr.done), 100);
	KUNIT_EXPECT_LE(test, atomic_read(&kr.running_max), 8);
	KUNIT_EXPECT_GE(test, atomic_read(&kr.running_max), 2);
	ptlrpc_set_put(set);
}

static void a_limit_of_1_is_one_after_the_other(struct kunit *test)
{
	struct ptlrpc_request_set *set;

	kr_connect(test);
	kr.slow_ms = 5;
	kr.imp->imp_rpcs_max = 1;
	set = kr_set(test, 10);
	KUNIT_EXPECT_EQ(test, ptlrpc_set_wait(set, 0), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&kr.running_max), 1);
	/* Who came first goes first. */
	KUNIT_EXPECT_FALSE(test, kr.disorder);
	ptlrpc_set_put(set);
}

static bool four_came(void)
{
	return atomic_read(&kr.running_max) >= 4;
}

static long aside_raise_limit(void *client)
{
	kr_await(one_came);
	return client_write(client, "kunit_rcli/rcli/max_rpcs_in_flight", "6");
}

static void a_new_limit_takes_effect_at_once(struct kunit *test)
{
	struct ptlrpc_request_set *set;
	struct aside raise;

	kr_connect(test);
	/* The first one stays at the server until others went there. */
	kr.slow_until = four_came;
	kr.imp->imp_rpcs_max = 1;
	set = kr_set(test, 7);
	aside_start(test, &raise, aside_raise_limit, fx.client);
	KUNIT_EXPECT_EQ(test, ptlrpc_set_wait(set, 6), 0);
	KUNIT_EXPECT_GE(test, atomic_read(&kr.running_max), 4);
	KUNIT_EXPECT_EQ(test, aside_join(test, &raise), 0);
	KUNIT_EXPECT_EQ(test, ptlrpc_set_wait(set, 0), 0);
	KUNIT_EXPECT_LE(test, atomic_read(&kr.running_max), 6);
	ptlrpc_set_put(set);
}

/* The one slot is taken, by a request that stays at the server. */
static void bulk_data_leaves_slots_for_the_rest(struct kunit *test)
{
	struct ptlrpc_bulk bulk = {
		.bk_vec = kr.pages, .bk_nr = KR_PAGES, .bk_len = KR_BULK_LEN,
	};
	struct ptlrpc_request_set *set = ptlrpc_set_new();
	struct ptlrpc_request *req;

	KUNIT_ASSERT_NOT_NULL(test, set);
	kr_connect(test);
	kr.slow_until = kr_slow_may_end;
	kr.imp->imp_rpcs_max = 1;
	req = kr_new(test, KR_SLOW);
	req->rq_bulk_in = &bulk;
	ptlrpc_set_add(set, req);
	ptlrpc_set_run(set);
	KUNIT_EXPECT_TRUE(test, req->rq_has_slot);
	KUNIT_EXPECT_EQ(test, kr_call(test, KR_ECHO), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&kr.done), 0);
	WRITE_ONCE(kr.slow_may_end, true);
	KUNIT_EXPECT_EQ(test, ptlrpc_set_wait(set, 0), 0);
	KUNIT_EXPECT_EQ(test, req->rq_status, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&kr.done), 1);
	ptlrpc_request_put(req);
	ptlrpc_set_put(set);
}

static void what_is_left_in_a_set_ends_with_it(struct kunit *test)
{
	struct ptlrpc_request_set *set;
	struct ptlrpc_request *req;

	kr_connect(test);
	kr.slow_ms = 300;
	set = kr_set(test, 20);
	req = kr_new(test, KR_SLOW);
	ptlrpc_set_add(set, req);
	ptlrpc_set_run(set);
	ptlrpc_set_put(set);
	KR_EXPECT_PHASE(test, req, COMPLETE);
	KUNIT_EXPECT_EQ(test, req->rq_status, -ECANCELED);
	ptlrpc_request_put(req);
	KUNIT_EXPECT_EQ(test, kr_call(test, KR_ECHO), 0);
}

/* Bulk data. */

static void bulk_data_goes_out(struct kunit *test)
{
	struct ptlrpc_bulk bulk = {
		.bk_vec = kr.pages, .bk_nr = KR_PAGES, .bk_len = KR_BULK_LEN,
	};
	struct ptlrpc_request *req;

	kr_connect(test);
	req = kr_new(test, KR_WRITE);
	req->rq_bulk_out = &bulk;
	KUNIT_EXPECT_EQ(test, ptlrpc_queue_wait(req), 0);
	KUNIT_EXPECT_EQ(test, kr.wrote, (u32)KR_BULK_LEN);
	ptlrpc_request_put(req);
}

/* A read of @len bytes into @room. Return: its status. */
static int read_into(struct kunit *test, u32 len, struct ptlrpc_bulk *room,
		     u32 *got)
{
	struct ptlrpc_request *req = kr_new(test, KR_READ);
	int rc;

	kr.read_len = len;
	req->rq_bulk_in = room;
	rc = ptlrpc_queue_wait(req);
	*got = req->rq_bulk_got;
	ptlrpc_request_put(req);
	return rc;
}

static void bulk_data_comes_in_if_there_is_room(struct kunit *test)
{
	struct page *pages = alloc_pages(GFP_KERNEL | __GFP_COMP, 1);
	struct bio_vec vec = { .bv_page = pages, .bv_len = PAGE_SIZE };
	struct ptlrpc_bulk room = {
		.bk_vec = &vec, .bk_nr = 1, .bk_len = PAGE_SIZE,
	};
	u8 *bytes;
	u32 got;

	KUNIT_ASSERT_TRUE(test, pages != NULL);
	bytes = page_address(pages);
	kr_connect(test);
	memset(bytes, 0xee, 2 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, read_into(test, PAGE_SIZE, &room, &got), 0);
	KUNIT_EXPECT_EQ(test, got, (u32)PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, kr_right(&vec, 1), (u32)PAGE_SIZE);
	/* Less than the size of the buffer. */
	memset(bytes, 0xee, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, read_into(test, 100, &room, &got), 0);
	KUNIT_EXPECT_EQ(test, got, 100U);
	KUNIT_EXPECT_EQ(test, bytes[100], 0xee);
	/* More: not a byte of it. */
	memset(bytes, 0xee, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, read_into(test, PAGE_SIZE + 1, &room, &got),
			-EOVERFLOW);
	KUNIT_EXPECT_EQ(test, got, 0U);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(bytes, 0xee, 2 * PAGE_SIZE), NULL);
	/* Not asked for. */
	KUNIT_EXPECT_EQ(test, read_into(test, 100, NULL, &got), -EPROTO);
	KUNIT_EXPECT_EQ(test, kr_call(test, KR_ECHO), 0);
	__free_pages(pages, 1);
}

/*
 * A page of bulk data changes after its CRC was computed, and is right again when the
 * receiver has refused it: a message without bulk data goes out then.
 */
static struct {
	unsigned int	changes;
	bool		changed;
} changing;

static void page_changes(enum ptlrpc_test_point at, void *object)
{
	struct lnet_tx *tx = object;
	u8 *byte = page_address(kr.pages[0].bv_page);

	if (at != PTP_TX_CRC)
		return;
	if (tx->tx_bulk_len && !changing.changes) {
		changing.changes++;
		changing.changed = true;
		*byte ^= 1;
	} else if (!tx->tx_bulk_len && changing.changed) {
		changing.changed = false;
		*byte ^= 1;
	}
}

/* With checksums, though both ends have the same address; inside one kernel there are none. */
static void changing_begin(struct kunit *test)
{
	memset(&changing, 0, sizeof(changing));
	lnet_settings.lns_local_conn = false;
	lnet_settings.lns_bulk_crc = LNET_BULK_CRC_ON;
	kr_reset();
	kr_connect(test);
	WRITE_ONCE(ptlrpc_test_hook, page_changes);
}

/* One sending more, on the same connect. */
static void changing_end(struct kunit *test, u32 connects)
{
	WRITE_ONCE(ptlrpc_test_hook, NULL);
	lnet_settings.lns_bulk_crc = LNET_BULK_CRC_REMOTE;
	KUNIT_EXPECT_EQ(test, changing.changes, 1U);
	KUNIT_EXPECT_FALSE(test, changing.changed);
	KUNIT_EXPECT_TRUE(test, kr_connects_are(connects));
}

/* Write a page that changes. Return: the request, which has ended with @rc */
static struct ptlrpc_request *changing_write(struct kunit *test, u32 flags, int rc)
{
	struct ptlrpc_bulk bulk = {
		.bk_vec = kr.pages, .bk_nr = KR_PAGES, .bk_len = KR_BULK_LEN,
	};
	struct ptlrpc_request *req = kr_new(test, KR_WRITE);

	req->rq_bulk_out = &bulk;
	req->rq_msg_flags = flags;
	KUNIT_EXPECT_EQ(test, ptlrpc_queue_wait(req), rc);
	return req;
}

static void a_page_that_changes_is_sent_again(struct kunit *test)
{
	struct ptlrpc_request *req;
	u32 connects;

	changing_begin(test);
	connects = READ_ONCE(kr.imp->imp_conn_cnt);
	req = changing_write(test, 0, 0);
	KUNIT_EXPECT_EQ(test, kr.wrote, (u32)KR_BULK_LEN);
	ptlrpc_request_put(req);
	changing_end(test, connects);
}

/* Without a checksum only the service notices it; the connection has them. */
static void plain_data_is_not_checked(struct kunit *test)
{
	struct ptlrpc_request *req;
	u32 connects;

	changing_begin(test);
	connects = READ_ONCE(kr.imp->imp_conn_cnt);
	req = changing_write(test, MSG_BULK_PLAIN, -EBADMSG);
	KUNIT_EXPECT_EQ(test, req->rq_sends, 1U + kr_timeouts());
	KUNIT_EXPECT_EQ(test, req->rq_rep.flags & MSG_BULK_PLAIN, (u32)MSG_BULK_PLAIN);
	ptlrpc_request_put(req);
	/* The reply to it has changed the page back. */
	changing_end(test, connects);
}

static struct {
	unsigned int	count;
	u32		flags;
} leaving;

static void disconnect_goes(enum ptlrpc_test_point at, void *object)
{
	const struct lnet_tx *tx = object;
	const struct lustre_msg *msg;

	if (at != PTP_TX_CRC)
		return;
	msg = tx->tx_msg;
	if (le32_to_cpu(msg->lm_opc) != OST_DISCONNECT ||
	    le32_to_cpu(msg->lm_type) != PTL_RPC_MSG_REQUEST)
		return;
	leaving.count++;
	leaving.flags = le32_to_cpu(msg->lm_flags);
}

/* A target that takes long could ask for more time again and again. */
static void a_disconnect_wants_no_early_reply(struct kunit *test)
{
	memset(&leaving, 0, sizeof(leaving));
	lnet_settings.lns_local_conn = false;
	kr_reset();
	kr_connect(test);
	WRITE_ONCE(ptlrpc_test_hook, disconnect_goes);
	KUNIT_EXPECT_EQ(test, import_set_active(kr.imp, false, NULL), 0);
	WRITE_ONCE(ptlrpc_test_hook, NULL);
	KUNIT_EXPECT_EQ(test, leaving.count, 1U);
	KUNIT_EXPECT_EQ(test, leaving.flags & MSG_AT_SUPPORT, 0U);
}

static void a_page_that_changes_is_read_again(struct kunit *test)
{
	struct page *page = alloc_page(GFP_KERNEL);
	struct bio_vec vec = { .bv_page = page, .bv_len = PAGE_SIZE };
	struct ptlrpc_bulk room = {
		.bk_vec = &vec, .bk_nr = 1, .bk_len = PAGE_SIZE,
	};
	u32 connects;
	u32 got;

	KUNIT_ASSERT_TRUE(test, page != NULL);
	changing_begin(test);
	connects = READ_ONCE(kr.imp->imp_conn_cnt);
	KUNIT_EXPECT_EQ(test, read_into(test, PAGE_SIZE, &room, &got), 0);
	KUNIT_EXPECT_EQ(test, got, (u32)PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, kr_right(&vec, 1), (u32)PAGE_SIZE);
	changing_end(test, connects);
	__free_page(page);
}

static bool young_may_end;

static bool young_ends(void)
{
	return READ_ONCE(young_may_end);
}

static long wait_aside(void *req)
{
	return ptlrpc_queue_wait(req);
}

/* What was answered can be made again, in its old place. */
static void a_replay_has_the_old_xid(struct kunit *test)
{
	struct ptlrpc_request *old, *young, *again;
	struct aside aside;
	const u64 *got;

	kr_connect(test);
	old = kr_new(test, KR_ECHO);
	*(u64 *)ptlrpc_req_buf(old, 0) = 77;
	KUNIT_EXPECT_EQ(test, ptlrpc_queue_wait(old), 0);
	again = ptlrpc_request_again(old);
	KUNIT_ASSERT_TRUE(test, again != NULL);
	KUNIT_EXPECT_EQ(test, again->rq_xid, old->rq_xid);
	KUNIT_EXPECT_EQ(test, ptlrpc_queue_wait(again), 0);
	got = ptlrpc_rep_buf(again, 0, sizeof(*got));
	KUNIT_EXPECT_TRUE(test, got && *got == 77);
	ptlrpc_request_put(again);
	/* Its place is before a younger one that is on its way. */
	young_may_end = false;
	kr.slow_until = young_ends;
	young = kr_new(test, KR_SLOW);
	aside_start(test, &aside, wait_aside, young);
	kr_await(one_came);
	again = ptlrpc_request_again(old);
	KUNIT_ASSERT_TRUE(test, again != NULL);
	KUNIT_EXPECT_PTR_EQ(test, list_next_entry(again, rq_import_item), young);
	ptlrpc_request_put(again);
	WRITE_ONCE(young_may_end, true);
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &aside));
	ptlrpc_request_put(young);
	ptlrpc_request_put(old);
}

/*
 * Memory.
 */

/* Allocations at @fail_at that are still to fail. */
static atomic_t failures;
static enum ptlrpc_test_point fail_at;

static void fail_memory(enum ptlrpc_test_point at, void *object)
{
	if (at == fail_at && atomic_dec_if_positive(&failures) >= 0)
		*(bool *)object = true;
}

static void fail_begin(enum ptlrpc_test_point at, int count)
{
	fail_at = at;
	atomic_set(&failures, count);
	WRITE_ONCE(ptlrpc_test_hook, fail_memory);
}

static void fail_end(void)
{
	WRITE_ONCE(ptlrpc_test_hook, NULL);
}

static int note_scope(struct ptlrpc_request *req, void *data, int rc)
{
	*(bool *)data = current->flags & PF_MEMALLOC_NOIO;
	return rc;
}

static void requests_have_a_reserve(struct kunit *test)
{
	struct ptlrpc_request *req;
	unsigned int n;

	kr_connect(test);
	for (n = 0; n < 50; n++) {
		fail_begin(PTP_REQUEST_MEMORY, 1);
		req = kr_new(test, KR_ECHO);
		fail_end();
		KUNIT_EXPECT_TRUE(test, req->rq_pooled);
		KUNIT_EXPECT_EQ(test, *(u64 *)ptlrpc_req_buf(req, 0), 0ULL);
		*(u64 *)ptlrpc_req_buf(req, 0) = n + 1;
		KUNIT_EXPECT_EQ(test, ptlrpc_queue_wait(req), 0);
		ptlrpc_request_put(req);
	}
	req = kr_new(test, KR_ECHO);
	KUNIT_EXPECT_FALSE(test, req->rq_pooled);
	ptlrpc_request_put(req);
}

static void a_request_is_sent_when_its_reply_has_memory(struct kunit *test)
{
	struct ptlrpc_request *req;

	kr_connect(test);
	fail_begin(PTP_REPLY_MEMORY, 2);
	req = kr_new(test, KR_ECHO);
	KUNIT_EXPECT_EQ(test, ptlrpc_queue_wait(req), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&failures), 0);
	KUNIT_EXPECT_EQ(test, req->rq_sends, 1U + kr_timeouts());
	ptlrpc_request_put(req);
	/* One that is sent once does not wait. */
	fail_begin(PTP_REPLY_MEMORY, 1);
	req = kr_new(test, KR_ECHO);
	req->rq_no_resend = true;
	KUNIT_EXPECT_EQ(test, ptlrpc_queue_wait(req), -ENOMEM);
	KUNIT_EXPECT_EQ(test, req->rq_sends, 0U);
	ptlrpc_request_put(req);
	fail_end();
}

static void a_reply_takes_no_memory(struct kunit *test)
{
	struct ptlrpc_request_set *set;
	struct ptlrpc_request *req;
	bool in_scope = false;
	const void *reserved;

	kr_connect(test);
	kr.slow_until = kr_slow_may_end;
	set = ptlrpc_set_new();
	KUNIT_ASSERT_NOT_NULL(test, set);
	req = kr_new(test, KR_SLOW);
	req->rq_interpret = note_scope;
	req->rq_interpret_data = &in_scope;
	KUNIT_EXPECT_NULL(test, req->rq_rep_buf);
	ptlrpc_set_add(set, req);
	ptlrpc_set_run(set);
	reserved = READ_ONCE(req->rq_rep_buf);
	KUNIT_EXPECT_NOT_NULL(test, reserved);
	WRITE_ONCE(kr.slow_may_end, true);
	KUNIT_EXPECT_EQ(test, ptlrpc_set_wait(set, 0), 0);
	KUNIT_EXPECT_PTR_EQ(test, (const void *)req->rq_rep_msg, reserved);
	KUNIT_EXPECT_NULL(test, req->rq_rep_buf);
	KUNIT_EXPECT_TRUE(test, in_scope);
	KUNIT_EXPECT_FALSE(test, current->flags & PF_MEMALLOC_NOIO);
	ptlrpc_request_put(req);
	ptlrpc_set_put(set);
}

static struct kunit_case request_cases[] = {
	KUNIT_CASE(every_move_from_every_phase),
	KUNIT_CASE(an_xid_is_larger_than_those_before),
	KUNIT_CASE(maker_and_set_hold_a_request),
	KUNIT_CASE(a_call_gets_its_answer),
	KUNIT_CASE(the_status_is_the_callers),
	KUNIT_CASE(an_unsent_request_keeps_no_replies),
	KUNIT_CASE(a_long_request_keeps_no_replies),
	KUNIT_CASE(more_requests_than_tags_are_sent),
	KUNIT_CASE(a_busy_server_is_asked_again),
	KUNIT_CASE(who_is_not_known_connects_again),
	KUNIT_CASE(who_is_not_known_waits_for_the_end_of_a_disconnect),
	KUNIT_CASE(interpret_says_what_becomes_of_it),
	KUNIT_CASE(a_thread_drives_what_nobody_waits_for),
	KUNIT_CASE(a_set_of_100_has_8_slots),
	KUNIT_CASE(a_limit_of_1_is_one_after_the_other),
	KUNIT_CASE(a_new_limit_takes_effect_at_once),
	KUNIT_CASE(bulk_data_leaves_slots_for_the_rest),
	KUNIT_CASE(what_is_left_in_a_set_ends_with_it),
	KUNIT_CASE(bulk_data_goes_out),
	KUNIT_CASE(bulk_data_comes_in_if_there_is_room),
	KUNIT_CASE(a_page_that_changes_is_sent_again),
	KUNIT_CASE(plain_data_is_not_checked),
	KUNIT_CASE(a_disconnect_wants_no_early_reply),
	KUNIT_CASE(a_page_that_changes_is_read_again),
	KUNIT_CASE(a_replay_has_the_old_xid),
	KUNIT_CASE(requests_have_a_reserve),
	KUNIT_CASE(a_request_is_sent_when_its_reply_has_memory),
	KUNIT_CASE(a_reply_takes_no_memory),
	{}
};

static struct kunit_suite request_suite = {
	.name = KR_SUITE("ptlrpc_request"),
	.suite_init = client_suite_init,
	.init = kr_init,
	.exit = kr_exit,
	.test_cases = request_cases,
};
kunit_test_suite(request_suite);

MODULE_DESCRIPTION("requests");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
