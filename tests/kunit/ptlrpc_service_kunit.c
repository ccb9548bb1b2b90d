// SPDX-License-Identifier: GPL-2.0-only
/*
 * Services: which request is for whom, what is refused, threads, order, early
 * replies, deadlines, memory and history; asked by a node that the case plays.
 */
#include "ptlrpc_service_fixture.h"

/* States. */

static const struct {
	enum sr_state from;
	enum sr_state to;
} state_moves[] = {
	{ SR_NEW, SR_QUEUED }, { SR_NEW, SR_RUNNING }, { SR_NEW, SR_DONE },
	{ SR_QUEUED, SR_RUNNING }, { SR_QUEUED, SR_DONE },
	{ SR_RUNNING, SR_QUEUED }, { SR_RUNNING, SR_REPLYING },
	{ SR_RUNNING, SR_DONE }, { SR_REPLYING, SR_DONE },
};

static bool move_is_listed(enum sr_state from, enum sr_state to)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(state_moves); n++) {
		if (state_moves[n].from == from && state_moves[n].to == to)
			return true;
	}
	return false;
}

static void state_moves_as_drawn(struct kunit *test)
{
	unsigned int from, to;

	for (from = 0; from < SR_STATE_COUNT; from++) {
		for (to = 0; to < SR_STATE_COUNT; to++)
			KUNIT_EXPECT_EQ_MSG(test, sr_state_may(from, to),
					    move_is_listed(from, to),
					    "from %u to %u", from, to);
	}
}

/* Dispatch. */

static void request_gets_its_answer(struct kunit *test)
{
	static const char text[] = "there and back";
	const void *bufs[] = { text };
	const u32 lens[] = { sizeof(text) };
	struct wire_msg msg = ks_msg(KS_ECHO);
	const char *back;

	KUNIT_ASSERT_EQ(test, wire_peer_send(ks.wp, &msg, lens, bufs, 1, 0), 0);
	KUNIT_ASSERT_EQ(test, wire_peer_recv(ks.wp), 0);
	KUNIT_EXPECT_EQ(test, ks.wp->rep.type, (u32)PTL_RPC_MSG_REPLY);
	KUNIT_EXPECT_EQ(test, ks.wp->rep.status, 0);
	KUNIT_EXPECT_EQ(test, ks.wp->rep.xid, msg.xid);
	KUNIT_EXPECT_GE(test, ks.wp->rep.timeout, 1U);
	back = wire_text(&ks.wp->rep, 0);
	KUNIT_ASSERT_TRUE(test, back != NULL);
	KUNIT_EXPECT_STREQ(test, back, text);
}

static void answer_without_buffers_is_complete(struct kunit *test)
{
	complete_all(&ks.gate);
	KUNIT_EXPECT_EQ(test, ks_call(test, ks_msg(KS_WAIT)), 0);
	KUNIT_EXPECT_EQ(test, ks.wp->rep.type, (u32)PTL_RPC_MSG_REPLY);
	KUNIT_EXPECT_EQ(test, ks.wp->rep.bufcount, 0);
}

static void refused(struct kunit *test, struct wire_msg msg, int status)
{
	KUNIT_EXPECT_EQ(test, ks_call(test, msg), status);
	KUNIT_EXPECT_EQ(test, ks.wp->rep.type, (u32)PTL_RPC_MSG_ERR);
}

static void unknown_operation_is_refused(struct kunit *test)
{
	refused(test, ks_msg(4242), -EOPNOTSUPP);
}

static void unknown_portal_is_refused(struct kunit *test)
{
	struct wire_msg msg = ks_msg(KS_ECHO);

	msg.portal = KS_PORTAL + 1;
	refused(test, msg, -ENODEV);
}

static void missing_buffer_is_refused(struct kunit *test)
{
	refused(test, ks_msg(KS_ECHO), -EPROTO);
}

static void unwanted_bulk_is_refused(struct kunit *test)
{
	struct wire_msg msg = ks_msg(KS_WAIT);

	KUNIT_ASSERT_EQ(test, wire_peer_send(ks.wp, &msg, NULL, NULL, 0, 9000),
			0);
	KUNIT_ASSERT_EQ(test, wire_peer_recv(ks.wp), 0);
	KUNIT_EXPECT_EQ(test, ks.wp->rep.status, -EPROTO);
	/* The connection works after it. */
	complete_all(&ks.gate);
	KUNIT_EXPECT_EQ(test, ks_call(test, ks_msg(KS_WAIT)), 0);
}

static void memory_is_short(enum ptlrpc_test_point at, void *object)
{
	if (at == PTP_SERVICE_MEMORY)
		*(bool *)object = true;
}

/* It was not executed, so it is sent again; but not as a new one if it was executed before. */
static void request_without_memory_is_sent_again(struct kunit *test)
{
	struct wire_msg msg = ks_msg(KS_WAIT);

	complete_all(&ks.gate);
	WRITE_ONCE(ptlrpc_test_hook, memory_is_short);
	refused(test, msg, -EINPROGRESS);
	msg = ks_msg(KS_WAIT);
	msg.flags = MSG_RESENT;
	ks_send(test, msg);
	ks_await_counted(test, SVC_STAT_NO_MEMORY, 2);
	KUNIT_EXPECT_TRUE(test, wire_peer_is_quiet(ks.wp));
	WRITE_ONCE(ptlrpc_test_hook, NULL);
	KUNIT_EXPECT_EQ(test, ks_call(test, ks_msg(KS_WAIT)), 0);
}

static void unknown_client_is_refused(struct kunit *test)
{
	struct wire_msg msg = ks_msg(OBD_PING);

	refused(test, msg, -ENOTCONN);
	msg.xid = ks.xid++;
	msg.handle = 0x1234;
	refused(test, msg, -ENOTCONN);
}

static void bulk_arrives_whole(struct kunit *test)
{
	static const u32 sizes[] = { 1, 4096, 4097, 65536, 300001, 1048576 };
	struct wire_msg msg;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(sizes); n++) {
		msg = ks_msg(KS_BULK);
		KUNIT_ASSERT_EQ(test, wire_peer_send(ks.wp, &msg, NULL, NULL, 0,
						     sizes[n]), 0);
		KUNIT_ASSERT_EQ(test, wire_peer_recv(ks.wp), 0);
		KUNIT_EXPECT_EQ(test, ks.wp->rep.status, 0);
		KUNIT_EXPECT_EQ(test, ks.bulk_len, sizes[n]);
	}
}

static void quick_operation_is_not_for_threads(struct kunit *test)
{
	struct task_struct *thread;

	KUNIT_EXPECT_EQ(test, ks_call(test, ks_msg(KS_QUICK)), 0);
	thread = ks.quick_task;
	KUNIT_ASSERT_TRUE(test, thread != NULL);
	KUNIT_EXPECT_TRUE(test, thread->flags & PF_WQ_WORKER);
}

/* Threads and order. */

static void threads_grow_when_all_are_at_work(struct kunit *test)
{
	struct wire_msg first;
	unsigned int n;

	KUNIT_EXPECT_EQ(test, ks_param("threads_started"), 1ULL);
	for (n = 0; n < 3; n++) {
		ks_send(test, ks_msg(KS_WAIT));
		ks_await(test, n + 1);
	}
	/* The last one that there may be is for what goes before others. */
	ks_send(test, ks_msg(KS_WAIT));
	ks_await_queued(test, 4);
	first = ks_msg(KS_FIRST);
	ks_send(test, first);
	ks_await(test, 4);
	KUNIT_EXPECT_EQ(test, ks.order[3], first.xid);
	KUNIT_EXPECT_EQ(test, ks_param("threads_started"), 4ULL);
	complete_all(&ks.gate);
	for (n = 0; n < 5; n++)
		KUNIT_EXPECT_EQ(test, wire_peer_recv(ks.wp), 0);
}

static void threads_follow_their_settings(struct kunit *test)
{
	unsigned long end = jiffies + FIXTURE_WAIT;

	KUNIT_EXPECT_EQ(test, ks_set("threads_min", "3"), 0L);
	while (ks_param("threads_started") != 3 && time_before(jiffies, end))
		msleep(20);
	KUNIT_EXPECT_EQ(test, ks_param("threads_started"), 3ULL);
	KUNIT_EXPECT_LT(test, ks_set("threads_max", "2"), 0L);
	KUNIT_EXPECT_EQ(test, ks_set("threads_min", "1"), 0L);
	KUNIT_EXPECT_EQ(test, ks_set("threads_max", "2"), 0L);
	end = jiffies + FIXTURE_WAIT;
	while (ks_param("threads_started") != 2 && time_before(jiffies, end))
		msleep(100);
	KUNIT_EXPECT_EQ(test, ks_param("threads_started"), 2ULL);
}

/* One thread is blocked; the other requests queue. */
static void line_up(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, ks_set("threads_max", "1"), 0L);
	ks_send(test, ks_msg(KS_WAIT));
	ks_await(test, 1);
}

static void drain(struct kunit *test, unsigned int count)
{
	complete_all(&ks.gate);
	while (count--)
		KUNIT_ASSERT_EQ(test, wire_peer_recv(ks.wp), 0);
}

static void high_priority_goes_first(struct kunit *test)
{
	u64 normal, high;

	line_up(test);
	normal = ks_send(test, ks_msg(KS_WAIT));
	high = ks_send(test, ks_msg(KS_FIRST));
	ks_await_queued(test, 3);
	drain(test, 3);
	KUNIT_EXPECT_EQ(test, ks.order[1], high);
	KUNIT_EXPECT_EQ(test, ks.order[2], normal);
}

static void others_are_not_starved(struct kunit *test)
{
	u64 normal;
	int n;

	KUNIT_ASSERT_EQ(test, ks_set("high_priority_ratio", "2"), 0L);
	line_up(test);
	normal = ks_send(test, ks_msg(KS_WAIT));
	for (n = 0; n < 5; n++)
		ks_send(test, ks_msg(KS_FIRST));
	ks_await_queued(test, 7);
	drain(test, 7);
	/* Two of high priority, and then it. */
	KUNIT_EXPECT_EQ(test, ks.order[3], normal);
}

/* Time. */

static void client_is_told_to_wait_for_longer(struct kunit *test)
{
	unsigned int margin = at_early_margin, extra = at_extra;
	struct wire_msg msg = ks_msg(KS_WAIT);

	/* It is due at once, and once, with much time left. */
	at_early_margin = 60;
	at_extra = 200;
	msg.timeout = 60;
	msg.flags = MSG_AT_SUPPORT;
	ks_send(test, msg);
	KUNIT_ASSERT_EQ(test, wire_peer_recv(ks.wp), 0);
	KUNIT_EXPECT_EQ(test, ks.wp->rep.xid, msg.xid);
	KUNIT_EXPECT_EQ(test, ks.wp->rep.flags & MSG_AT_SUPPORT,
			(u32)MSG_AT_SUPPORT);
	KUNIT_EXPECT_GE(test, ks.wp->rep.timeout, at_extra);
	KUNIT_EXPECT_TRUE(test, wire_peer_is_quiet(ks.wp));
	at_early_margin = margin;
	at_extra = extra;
	complete_all(&ks.gate);
	KUNIT_ASSERT_EQ(test, wire_peer_recv(ks.wp), 0);
	KUNIT_EXPECT_EQ(test, ks.wp->rep.xid, msg.xid);
	KUNIT_EXPECT_EQ(test, ks.wp->rep.flags & MSG_AT_SUPPORT, 0U);
}

static void client_that_does_not_know_is_told_nothing(struct kunit *test)
{
	unsigned int margin = at_early_margin;
	struct wire_msg msg = ks_msg(KS_WAIT);

	/* It would be due at once, with much time left. */
	at_early_margin = 60;
	msg.timeout = 60;
	ks_send(test, msg);
	ks_await(test, 1);
	KUNIT_EXPECT_EQ(test, wire_peer_recv_within(ks.wp, 3 * HZ), -EAGAIN);
	at_early_margin = margin;
	drain(test, 1);
}

static void what_is_too_late_is_not_begun(struct kunit *test)
{
	struct wire_msg msg;

	line_up(test);
	msg = ks_msg(KS_WAIT);
	msg.timeout = 1;
	ks_send(test, msg);
	ks_await_queued(test, 2);
	msleep(1300);
	complete_all(&ks.gate);
	KUNIT_ASSERT_EQ(test, wire_peer_recv(ks.wp), 0);
	KUNIT_EXPECT_NE(test, ks.wp->rep.xid, msg.xid);
	KUNIT_EXPECT_TRUE(test, wire_peer_is_quiet(ks.wp));
	KUNIT_EXPECT_EQ(test, atomic_read(&ks.entered), 1);
}

/* Memory. */

#define KS_MEMORY	"ptlrpc/peer_memory"
#define KS_BIG		(2 * 1024 * 1024)
#define KS_BIGS		8

static long send_bigs(void *arg)
{
	struct wire_msg msg;
	int n, rc = 0;

	for (n = 0; n < KS_BIGS && !rc; n++) {
		msg = ks_msg(KS_BULK);
		rc = wire_peer_send(ks.wp, &msg, NULL, NULL, 0, KS_BIG);
	}
	return rc;
}

static void node_with_too_much_is_not_read(struct kunit *test)
{
	unsigned long end = jiffies + FIXTURE_WAIT;
	struct aside aside;
	char before[32];

	KUNIT_ASSERT_EQ(test, client_read(fx.client, KS_MEMORY), 0L);
	scnprintf(before, sizeof(before), "%llu", client_number(fx.client));
	KUNIT_ASSERT_EQ(test, client_write(fx.client, KS_MEMORY, "8M"), 0L);
	line_up(test);
	aside_start(test, &aside, send_bigs, NULL);
	while (ks_param("req_history_len") < 4 && time_before(jiffies, end))
		msleep(20);
	/* Three fit in, beside what is worked on; the others are not sent whole. */
	aside_await_sleep(test, &aside);
	KUNIT_EXPECT_EQ(test, ks_param("req_history_len"), 4ULL);
	drain(test, KS_BIGS + 1);
	KUNIT_EXPECT_EQ(test, aside_join(test, &aside), 0L);
	KUNIT_EXPECT_EQ(test, ks_param("req_history_len"), KS_BIGS + 1ULL);
	KUNIT_EXPECT_EQ(test, client_write(fx.client, KS_MEMORY, before), 0L);
}

#define KS_LONG		60000
#define KS_LONGS	20
/* Half of an eighth of 8M has memory for so many of them. */
#define KS_LONGS_FIT	8

/* Requests that fill their memory are refused, and the connection is read on. */
static void cancels_are_not_behind_what_waits_for_them(struct kunit *test)
{
	static const u32 lens[] = { KS_LONG };
	const void *bufs[] = { kunit_kzalloc(test, KS_LONG, GFP_KERNEL) };
	struct wire_msg msg;
	char before[32];
	int n;

	KUNIT_ASSERT_TRUE(test, bufs[0] != NULL);
	KUNIT_ASSERT_EQ(test, client_read(fx.client, KS_MEMORY), 0L);
	scnprintf(before, sizeof(before), "%llu", client_number(fx.client));
	KUNIT_ASSERT_EQ(test, client_write(fx.client, KS_MEMORY, "8M"), 0L);
	line_up(test);
	for (n = 0; n < KS_LONGS; n++) {
		msg = ks_msg(KS_ECHO);
		KUNIT_ASSERT_EQ(test, wire_peer_send(ks.wp, &msg, lens, bufs, 1, 0), 0);
	}
	for (n = KS_LONGS_FIT; n < KS_LONGS; n++) {
		KUNIT_ASSERT_EQ(test, wire_peer_recv(ks.wp), 0);
		KUNIT_EXPECT_EQ(test, ks.wp->rep.status, -EINPROGRESS);
	}
	/* One that was sent before may have been executed: it is not refused. */
	msg = ks_msg(KS_ECHO);
	msg.flags = MSG_RESENT;
	KUNIT_ASSERT_EQ(test, wire_peer_send(ks.wp, &msg, lens, bufs, 1, 0), 0);
	ks_send(test, ks_msg(KS_FIRST));
	ks_await_queued(test, KS_LONGS_FIT + 3);
	drain(test, KS_LONGS_FIT + 3);
	KUNIT_EXPECT_EQ(test, client_write(fx.client, KS_MEMORY, before), 0L);
}

/* History. */

static bool history_has(const char *text)
{
	bool has = false;
	unsigned int n;
	char *line;

	if (client_read(fx.client, KS_DIR "req_history"))
		return false;
	for (n = 0; !has && n < client_rec_count(fx.client); n++) {
		struct params_value_rec *rec = client_rec(fx.client, n);

		line = kstrndup(client_rec_value(rec), rec->vr_len, GFP_KERNEL);
		has = line && strstr(line, text);
		kfree(line);
	}
	return has;
}

static void history_says_what_came(struct kunit *test)
{
	char text[96];
	u64 xid;

	xid = ks_send(test, ks_msg(KS_WAIT));
	ks_await(test, 1);
	scnprintf(text, sizeof(text), "1:127.0.0.1@tcp:x%llu:144:Running:", xid);
	KUNIT_EXPECT_TRUE(test, history_has(text));
	scnprintf(text, sizeof(text), "opc %u", KS_WAIT);
	KUNIT_EXPECT_TRUE(test, history_has(text));
	drain(test, 1);
	scnprintf(text, sizeof(text), ":x%llu:144:Complete:", xid);
	KUNIT_EXPECT_TRUE(test, history_has(text));
	KUNIT_EXPECT_EQ(test, ks_param("req_history_len"), 1ULL);
}

static void history_keeps_the_last_ones(struct kunit *test)
{
	u64 xid = 0;
	char text[32];
	int n;

	KUNIT_ASSERT_EQ(test, ks_set("req_history_max", "4"), 0L);
	for (n = 0; n < 9; n++) {
		xid = ks.xid;
		ks_call(test, ks_msg(KS_QUICK));
	}
	KUNIT_EXPECT_EQ(test, ks_param("req_history_len"), 4ULL);
	scnprintf(text, sizeof(text), ":x%llu:", xid);
	KUNIT_EXPECT_TRUE(test, history_has(text));
	scnprintf(text, sizeof(text), ":x%llu:", xid - 4);
	KUNIT_EXPECT_FALSE(test, history_has(text));
	KUNIT_ASSERT_EQ(test, ks_set("req_history_max", "2"), 0L);
	KUNIT_EXPECT_EQ(test, ks_param("req_history_len"), 2ULL);
	scnprintf(text, sizeof(text), ":x%llu:", xid);
	KUNIT_EXPECT_TRUE(test, history_has(text));
	/* A longer history has no others. */
	KUNIT_ASSERT_EQ(test, ks_set("req_history_max", "100"), 0L);
	KUNIT_EXPECT_EQ(test, ks_param("req_history_len"), 2ULL);
	KUNIT_EXPECT_TRUE(test, history_has(text));
	KUNIT_EXPECT_FALSE(test, history_has("\n0:"));
	KUNIT_ASSERT_EQ(test, ks_set("req_history_max", "0"), 0L);
	KUNIT_EXPECT_FALSE(test, history_has("opc"));
	KUNIT_EXPECT_EQ(test, ks_call(test, ks_msg(KS_QUICK)), 0);
	KUNIT_ASSERT_EQ(test, ks_set("req_history_max", "100"), 0L);
	KUNIT_EXPECT_EQ(test, ks_param("req_history_len"), 0ULL);
	KUNIT_EXPECT_FALSE(test, history_has("opc"));
}

/* Registration. */

static void portal_has_one_service(struct kunit *test)
{
	struct ptlrpc_service_conf conf = ks_conf;
	struct ptlrpc_service *svc;

	conf.psc_params = "kunit_svc.other";
	svc = ptlrpc_register_service(&conf);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(svc), -EBUSY);
	conf.psc_portals[0] = KS_PORTAL + 1;
	conf.psc_threads_max = 0;
	svc = ptlrpc_register_service(&conf);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(svc), -EINVAL);
}

static long unregister(void *arg)
{
	ptlrpc_unregister_service(arg);
	return 0;
}

static void what_waits_is_dropped_at_the_end(struct kunit *test)
{
	struct aside aside;

	line_up(test);
	ks_send(test, ks_msg(KS_WAIT));
	ks_await_queued(test, 2);
	aside_start(test, &aside, unregister, ks.svc);
	ks.svc = NULL;
	/* For the thread that is at work. */
	aside_await_sleep(test, &aside);
	drain(test, 1);
	aside_join(test, &aside);
	KUNIT_EXPECT_EQ(test, atomic_read(&ks.entered), 1);
	KUNIT_EXPECT_EQ(test, client_read(fx.client, KS_DIR "threads_max"),
			(long)-ENOENT);
	refused(test, ks_msg(KS_WAIT), -ENODEV);
}

static struct kunit_case service_cases[] = {
	KUNIT_CASE(state_moves_as_drawn),
	KUNIT_CASE(request_gets_its_answer),
	KUNIT_CASE(answer_without_buffers_is_complete),
	KUNIT_CASE(unknown_operation_is_refused),
	KUNIT_CASE(unknown_portal_is_refused),
	KUNIT_CASE(missing_buffer_is_refused),
	KUNIT_CASE(unwanted_bulk_is_refused),
	KUNIT_CASE(request_without_memory_is_sent_again),
	KUNIT_CASE(unknown_client_is_refused),
	KUNIT_CASE(bulk_arrives_whole),
	KUNIT_CASE(quick_operation_is_not_for_threads),
	KUNIT_CASE(threads_grow_when_all_are_at_work),
	KUNIT_CASE(threads_follow_their_settings),
	KUNIT_CASE(high_priority_goes_first),
	KUNIT_CASE(others_are_not_starved),
	KUNIT_CASE(client_is_told_to_wait_for_longer),
	KUNIT_CASE(client_that_does_not_know_is_told_nothing),
	KUNIT_CASE(what_is_too_late_is_not_begun),
	KUNIT_CASE(node_with_too_much_is_not_read),
	KUNIT_CASE(cancels_are_not_behind_what_waits_for_them),
	KUNIT_CASE(history_says_what_came),
	KUNIT_CASE(history_keeps_the_last_ones),
	KUNIT_CASE(portal_has_one_service),
	KUNIT_CASE(what_waits_is_dropped_at_the_end),
	{}
};

static struct kunit_suite service_suite = {
	.name = "ptlrpc_service",
	.suite_init = ks_suite_init,
	.init = ks_init,
	.exit = ks_exit,
	.test_cases = service_cases,
};
kunit_test_suite(service_suite);

MODULE_DESCRIPTION("KUnit suite of ptlrpc's services");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
