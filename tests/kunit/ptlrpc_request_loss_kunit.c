// SPDX-License-Identifier: GPL-2.0-only
/*
 * What becomes of requests when connections, deadlines, imports and tasks end under
 * them. This node is client and server.
 *
 * Processors: 2
 */
#include <linux/random.h>

#include <lustre_lite/ptlrpc_test_point.h>

#include "ptlrpc_request_fixture.h"

#include "../../ptlrpc/rpc/rpc.h"

/* Connections that end. */

static void sent_again_and_done_once(struct kunit *test)
{
	struct ptlrpc_request *req;

	kr_connect(test);
	kr.on_once = kr_reset;
	req = kr_new(test, KR_ONCE);
	KUNIT_EXPECT_EQ(test, ptlrpc_queue_wait(req), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&kr.done), 1);
	/* The xid with which it was sent first. */
	KUNIT_EXPECT_EQ(test, kr.once_xid, req->rq_xid);
	KUNIT_EXPECT_GE(test, req->rq_sends, 2U);
	ptlrpc_request_put(req);
}

static void a_set_survives_its_connection(struct kunit *test)
{
	struct ptlrpc_request_set *set;

	kr_connect(test);
	kr.slow_ms = 20;
	set = kr_set(test, 30);
	ptlrpc_set_run(set);
	kr_reset();
	KUNIT_EXPECT_EQ(test, ptlrpc_set_wait(set, 0), 0);
	KUNIT_EXPECT_GE(test, atomic_read(&kr.done), 30);
	ptlrpc_set_put(set);
}

static bool one_runs(void)
{
	return atomic_read(&kr.running);
}

/* Those that are at the server stay there until then. */
static bool stays;

static bool may_go(void)
{
	return !READ_ONCE(stays);
}

static void begin_to_stay(void)
{
	WRITE_ONCE(stays, true);
	kr.slow_until = may_go;
}

static void end_to_stay(void)
{
	WRITE_ONCE(stays, false);
}

static long aside_reset(void *unused)
{
	kr_await(one_runs);
	kr_reset();
	return 0;
}

/*
 * A slow driver reports the loss of an earlier connect, just after that of the one
 * that is there was reported.
 */
static void a_loss_is_not_covered_by_an_older_one(struct kunit *test)
{
	unsigned long until = jiffies + FIXTURE_WAIT;
	u32 cnt;

	kr_connect(test);
	cnt = kr.imp->imp_conn_cnt;
	preempt_disable();
	import_note_loss(kr.imp, cnt);
	import_note_loss(kr.imp, cnt - 1);
	preempt_enable();
	while (READ_ONCE(kr.imp->imp_conn_cnt) == cnt && time_before(jiffies, until))
		msleep(20);
	KUNIT_EXPECT_TRUE(test, kr_connects_are(cnt + 1));
	KUNIT_EXPECT_EQ(test, kr_call(test, KR_ECHO), 0);
}

static void no_resend_ends_with_its_connection(struct kunit *test)
{
	struct ptlrpc_request *req;
	struct aside reset;

	kr_connect(test);
	begin_to_stay();
	req = kr_new(test, KR_SLOW);
	req->rq_no_resend = true;
	aside_start(test, &reset, aside_reset, NULL);
	KUNIT_EXPECT_EQ(test, ptlrpc_queue_wait(req), -ENOTCONN);
	end_to_stay();
	KUNIT_EXPECT_EQ(test, req->rq_sends, 1U);
	KUNIT_EXPECT_EQ(test, aside_join(test, &reset), 0);
	ptlrpc_request_put(req);
}

static void no_delay_does_not_wait(struct kunit *test)
{
	struct ptlrpc_request *req;

	kr_connect(test);
	kt_end(test, kr.srv);
	kr.srv = NULL;
	import_invalidate(kr.imp);
	KUNIT_EXPECT_NE(test, (u32)kr.imp->imp_state, (u32)LUSTRE_IMP_FULL);
	req = kr_new(test, KR_ECHO);
	req->rq_no_delay = true;
	KUNIT_EXPECT_EQ(test, ptlrpc_queue_wait(req), -ENOTCONN);
	KUNIT_EXPECT_EQ(test, req->rq_sends, 0U);
	ptlrpc_request_put(req);
}

/* Deadlines. Without adaptive timeouts (at_max) no request gets more time. */

static int timeouts_before;

static bool is_done(void)
{
	return atomic_read(&kr.done);
}

static void a_deadline_ends_what_is_not_sent_again(struct kunit *test)
{
	struct ptlrpc_request *req;

	kr_connect(test);
	timeouts_before = atomic_read(&kr.imp->imp_timeouts);
	at_max = 0;
	begin_to_stay();
	req = kr_new(test, KR_SLOW);
	req->rq_no_resend = true;
	req->rq_timeout = 1;
	KUNIT_EXPECT_EQ(test, ptlrpc_queue_wait(req), -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, atomic_read(&kr.imp->imp_timeouts),
			timeouts_before + 1);
	KUNIT_EXPECT_EQ(test, req->rq_rep.type, 0U);
	ptlrpc_request_put(req);
	/* The reply that comes later belongs to no request, and is dropped. */
	end_to_stay();
	kr_await(is_done);
	KUNIT_EXPECT_EQ(test, kr_call(test, KR_ECHO), 0);
}

static struct ptlrpc_request *waits;

static bool is_sent_again(void)
{
	return READ_ONCE(waits->rq_sends) >= 2;
}

/* Its reply would do, however late it is. */
static void stay_beyond_deadline(void)
{
	kr_await(is_sent_again);
}

static void a_deadline_has_others_sent_again(struct kunit *test)
{
	struct ptlrpc_request *req;

	kr_connect(test);
	timeouts_before = atomic_read(&kr.imp->imp_timeouts);
	at_max = 0;
	kr.on_once = stay_beyond_deadline;
	req = kr_new(test, KR_ONCE);
	waits = req;
	req->rq_timeout = 1;
	KUNIT_EXPECT_EQ(test, ptlrpc_queue_wait(req), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&kr.done), 1);
	KUNIT_EXPECT_GT(test, atomic_read(&kr.imp->imp_timeouts),
			timeouts_before);
	KUNIT_EXPECT_GE(test, req->rq_sends, 2U);
	ptlrpc_request_put(req);
}

/*
 * The head of a reply arrives when its request is considered lost, and the rest when the driver
 * has gone on.
 */
static struct {
	struct ptlrpc_request	*req;
	struct lnet_rx		rx;
	struct aside		rest;
	struct kunit		*test;
	bool			began;
} halves;

static bool has_gone_on(void)
{
	return !READ_ONCE(halves.req->rq_rep_msg);
}

/* The driver must not have forgotten what is coming in. */
static long aside_rest(void *unused)
{
	unsigned long until = jiffies + HZ / 10;
	bool forgotten = false;

	while (!forgotten && time_before(jiffies, until)) {
		forgotten = has_gone_on();
		schedule_timeout_uninterruptible(1);
	}
	ptlrpc_rx_reply_done(&halves.rx, 0);
	return forgotten;
}

static void reply_begins(enum ptlrpc_test_point at, void *object)
{
	struct ptlrpc_request *req = object;

	if (at != PTP_REQUEST_LOST || req != halves.req || halves.began)
		return;
	halves.began = true;
	halves.rx.rx_conn = req->rq_conn;
	halves.rx.rx_view = (struct wire_msg) {
		.type = PTL_RPC_MSG_REPLY, .opc = req->rq_opc, .xid = req->rq_xid,
	};
	KUNIT_EXPECT_EQ(halves.test, ptlrpc_rx_reply(&halves.rx), 0);
	aside_start(halves.test, &halves.rest, aside_rest, NULL);
}

static void a_reply_that_has_begun_is_not_forgotten(struct kunit *test)
{
	kr_connect(test);
	at_max = 0;
	begin_to_stay();
	memset(&halves, 0, sizeof(halves));
	halves.test = test;
	halves.rx.rx_msg = kvzalloc(8, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, halves.rx.rx_msg);
	halves.req = kr_new(test, KR_SLOW);
	halves.req->rq_timeout = 1;
	WRITE_ONCE(ptlrpc_test_hook, reply_begins);
	KUNIT_EXPECT_EQ(test, ptlrpc_queue_wait(halves.req), 0);
	WRITE_ONCE(ptlrpc_test_hook, NULL);
	end_to_stay();
	KUNIT_EXPECT_TRUE(test, halves.began);
	KUNIT_EXPECT_EQ(test, aside_join(test, &halves.rest), 0);
	KUNIT_EXPECT_EQ(test, halves.req->rq_rep.type, (u32)PTL_RPC_MSG_REPLY);
	KUNIT_EXPECT_EQ(test, halves.req->rq_sends, 1U);
	ptlrpc_request_put(halves.req);
}

static struct ptlrpc_request *patient;
static const void *patient_buf;

static bool patient_has_time(void)
{
	return READ_ONCE(patient->rq_early) && READ_ONCE(patient_buf);
}

static void early_replies_give_time(struct kunit *test)
{
	unsigned int margin = at_early_margin, extra = at_extra;
	struct ptlrpc_request_set *set;
	struct ptlrpc_request *req;
	int before;

	kr_connect(test);
	before = atomic_read(&kr.imp->imp_timeouts);
	/* They are due at once, with much time left. */
	at_early_margin = 30;
	at_extra = 100;
	kr.slow_until = patient_has_time;
	set = ptlrpc_set_new();
	KUNIT_ASSERT_NOT_NULL(test, set);
	req = kr_new(test, KR_SLOW);
	req->rq_timeout = 30;
	patient = req;
	patient_buf = NULL;
	ptlrpc_set_add(set, req);
	ptlrpc_set_run(set);
	WRITE_ONCE(patient_buf, READ_ONCE(req->rq_rep_buf));
	KUNIT_EXPECT_EQ(test, ptlrpc_set_wait(set, 0), 0);
	KUNIT_EXPECT_EQ(test, req->rq_status, 0);
	/* The early replies have returned the buffer to the request. */
	KUNIT_EXPECT_NOT_NULL(test, patient_buf);
	KUNIT_EXPECT_PTR_EQ(test, (const void *)req->rq_rep_msg, patient_buf);
	KUNIT_EXPECT_GE(test, req->rq_early, 1U);
	KUNIT_EXPECT_GT(test, req->rq_deadline_ns - req->rq_sent_ns, 60ULL * NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, req->rq_sends, 1U);
	KUNIT_EXPECT_EQ(test, atomic_read(&kr.imp->imp_timeouts), before);
	at_early_margin = margin;
	at_extra = extra;
	ptlrpc_request_put(req);
	ptlrpc_set_put(set);
}

/* Tasks that are killed. */

static struct task_struct *victim;

static long aside_killed(void *req)
{
	allow_signal(SIGKILL);
	WRITE_ONCE(victim, current);
	return ptlrpc_queue_wait(req);
}

static void a_kill_ends_the_wait(struct kunit *test)
{
	struct ptlrpc_request *req;
	struct aside caller;

	kr_connect(test);
	begin_to_stay();
	req = kr_new(test, KR_SLOW);
	victim = NULL;
	aside_start(test, &caller, aside_killed, req);
	kr_await(one_runs);
	send_sig(SIGKILL, victim, 1);
	KUNIT_EXPECT_EQ(test, aside_join(test, &caller), -EINTR);
	end_to_stay();
	KR_EXPECT_PHASE(test, req, COMPLETE);
	KUNIT_EXPECT_TRUE(test, kr_is_held_once(req));
	ptlrpc_request_put(req);
}

/* Imports that come to an end, with 20 requests of theirs under way. */

static long aside_deactivate(void *unused)
{
	kr_await(one_runs);
	return import_set_active(kr.imp, false, NULL);
}

static long aside_close(void *unused)
{
	kr_await(one_runs);
	return import_disconnect(kr.imp);
}

static long aside_invalidate(void *unused)
{
	kr_await(one_runs);
	import_invalidate(kr.imp);
	return 0;
}

static atomic_t ended;

static int count_if(struct ptlrpc_request *req, void *data, int rc)
{
	if (rc == *(int *)data)
		atomic_inc(&ended);
	return rc;
}

static void ends_with(struct kunit *test, long (*end)(void *), int rc)
{
	struct ptlrpc_request_set *set = ptlrpc_set_new();
	struct ptlrpc_request *req;
	struct aside ending;
	unsigned int n;

	kr_connect(test);
	KUNIT_ASSERT_TRUE(test, set != NULL);
	begin_to_stay();
	atomic_set(&ended, 0);
	for (n = 0; n < 20; n++) {
		req = kr_new(test, KR_SLOW);
		req->rq_interpret = count_if;
		req->rq_interpret_data = &rc;
		ptlrpc_set_add(set, req);
		ptlrpc_request_put(req);
	}
	aside_start(test, &ending, end, NULL);
	KUNIT_EXPECT_EQ(test, ptlrpc_set_wait(set, 0), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&ended), 20);
	end_to_stay();
	KUNIT_EXPECT_EQ(test, aside_join(test, &ending), 0);
	ptlrpc_set_put(set);
}

static void deactivated_means_eshutdown(struct kunit *test)
{
	ends_with(test, aside_deactivate, -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, kr_call(test, KR_ECHO), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, import_set_active(kr.imp, true, NULL), 0);
	KUNIT_EXPECT_EQ(test, kr_call(test, KR_ECHO), 0);
}

static void closed_means_enotconn(struct kunit *test)
{
	ends_with(test, aside_close, -ENOTCONN);
	KUNIT_EXPECT_EQ(test, kr_call(test, KR_ECHO), -ENOTCONN);
}

static void invalidated_means_eio(struct kunit *test)
{
	ends_with(test, aside_invalidate, -EIO);
	/* The next use connects again. */
	KUNIT_EXPECT_EQ(test, kr_call(test, KR_ECHO), 0);
}

/* Pages of a reply. */

#define BIG_LEN		(1024 * 1024)
#define BIG_PAGES	(BIG_LEN / PAGE_SIZE)
#define BIG_ORDER	8
#define BIG_ROUNDS	60

/* An abort in the middle of the data: no byte is written afterwards. */
static void nobody_writes_into_pages_that_were_given_back(struct kunit *test)
{
	struct page *pages = alloc_pages(GFP_KERNEL | __GFP_COMP, BIG_ORDER);
	struct bio_vec vec = { .bv_page = pages, .bv_len = BIG_LEN };
	struct ptlrpc_bulk room = {
		.bk_vec = &vec, .bk_nr = 1, .bk_len = BIG_LEN,
	};
	struct ptlrpc_request_set *set;
	struct ptlrpc_request *req;
	unsigned int n;
	u32 connects;

	KUNIT_ASSERT_TRUE(test, pages != NULL);
	kr_connect(test);
	connects = READ_ONCE(kr.imp->imp_conn_cnt);
	kr.read_len = BIG_LEN;
	for (n = 0; n < BIG_ROUNDS; n++) {
		set = ptlrpc_set_new();
		req = kr_new(test, KR_READ);
		req->rq_bulk_in = &room;
		ptlrpc_set_add(set, req);
		ptlrpc_set_run(set);
		usleep_range(n * 50, n * 50 + 20);
		ptlrpc_set_put(set);
		KR_EXPECT_PHASE(test, req, COMPLETE);
		memset(page_address(pages), 0xee, BIG_LEN);
		msleep(20);
		KUNIT_EXPECT_PTR_EQ(test, NULL, memchr_inv(page_address(pages),
							   0xee, BIG_LEN));
		ptlrpc_request_put(req);
	}
	KUNIT_EXPECT_EQ(test, kr_call(test, KR_ECHO), 0);
	/* The rest was thrown away, and the connection served on. */
	KUNIT_EXPECT_TRUE(test, kr_connects_are(connects));
	__free_pages(pages, BIG_ORDER);
}

/* An abort in the middle of the data: the network sends the rest, from pages of its own. */
static void who_stops_writing_ends_no_connection(struct kunit *test)
{
	struct ptlrpc_request_set *set;
	struct ptlrpc_request *req;
	struct ptlrpc_bulk bulk;
	struct bio_vec vec;
	struct page *pages;
	unsigned int n;
	u32 connects;

	kr_connect(test);
	connects = READ_ONCE(kr.imp->imp_conn_cnt);
	for (n = 0; n < BIG_ROUNDS; n++) {
		pages = alloc_pages(GFP_KERNEL | __GFP_COMP, BIG_ORDER);
		KUNIT_ASSERT_TRUE(test, pages != NULL);
		vec = (struct bio_vec){ .bv_page = pages, .bv_len = BIG_LEN };
		bulk = (struct ptlrpc_bulk){
			.bk_vec = &vec, .bk_nr = 1, .bk_len = BIG_LEN,
		};
		set = ptlrpc_set_new();
		req = kr_new(test, KR_WRITE);
		req->rq_bulk_out = &bulk;
		ptlrpc_set_add(set, req);
		ptlrpc_set_run(set);
		usleep_range(n * 50, n * 50 + 20);
		ptlrpc_set_put(set);
		KR_EXPECT_PHASE(test, req, COMPLETE);
		memset(&vec, 0, sizeof(vec));
		ptlrpc_request_put(req);
		__free_pages(pages, BIG_ORDER);
	}
	KUNIT_EXPECT_EQ(test, kr_call(test, KR_ECHO), 0);
	KUNIT_EXPECT_TRUE(test, kr_connects_are(connects));
}

/* Load, while the connection is ended again and again. */

#define LOAD_TASKS	8
#define LOAD_CALLS	150
#define LOAD_RESETS	2

static atomic_t load_calls;
static bool load_enough;

/* So many calls, and more until they were disturbed often enough. */
static long aside_load(void *data)
{
	struct ptlrpc_request *req;
	unsigned int n;
	int rc = 0;

	for (n = 0; (n < LOAD_CALLS || !READ_ONCE(load_enough)) && !rc; n++) {
		req = ptlrpc_request_new(kr.imp, KR_ONCE, OST_REQUEST_PORTAL,
					 NULL, 0);
		if (!req)
			return -ENOMEM;
		rc = ptlrpc_queue_wait(req);
		ptlrpc_request_put(req);
		atomic_inc(&load_calls);
	}
	return rc;
}

static bool all_done(struct aside *tasks)
{
	unsigned int n;

	for (n = 0; n < LOAD_TASKS; n++)
		if (!aside_is_done(&tasks[n]))
			return false;
	return true;
}

static void nothing_is_lost_or_done_twice(struct kunit *test)
{
	struct aside *tasks = kunit_kcalloc(test, LOAD_TASKS, sizeof(*tasks),
					    GFP_KERNEL);
	unsigned long until = jiffies + FIXTURE_WAIT;
	unsigned int n, resets = 0;
	int done = 0;

	KUNIT_ASSERT_TRUE(test, tasks != NULL);
	kr_connect(test);
	atomic_set(&load_calls, 0);
	load_enough = false;
	for (n = 0; n < LOAD_TASKS; n++)
		aside_start(test, &tasks[n], aside_load, NULL);
	/* A slow machine needs longer to connect than it is let alone here. */
	while (!all_done(tasks) && time_before(jiffies, until)) {
		msleep(10 + get_random_u32() % 40);
		if (atomic_read(&kr.done) == done)
			continue;
		done = atomic_read(&kr.done);
		kr_reset();
		if (++resets == LOAD_RESETS)
			WRITE_ONCE(load_enough, true);
	}
	WRITE_ONCE(load_enough, true);
	for (n = 0; n < LOAD_TASKS; n++)
		KUNIT_EXPECT_EQ(test, aside_join(test, &tasks[n]), 0);
	KUNIT_EXPECT_GE(test, atomic_read(&load_calls), LOAD_TASKS * LOAD_CALLS);
	KUNIT_EXPECT_EQ(test, atomic_read(&kr.done), atomic_read(&load_calls));
	KUNIT_EXPECT_GE(test, resets, (unsigned int)LOAD_RESETS);
}

static struct kunit_case loss_cases[] = {
	KUNIT_CASE(sent_again_and_done_once),
	KUNIT_CASE(a_set_survives_its_connection),
	KUNIT_CASE(a_loss_is_not_covered_by_an_older_one),
	KUNIT_CASE(no_resend_ends_with_its_connection),
	KUNIT_CASE(no_delay_does_not_wait),
	KUNIT_CASE(a_deadline_ends_what_is_not_sent_again),
	KUNIT_CASE(a_deadline_has_others_sent_again),
	KUNIT_CASE(a_reply_that_has_begun_is_not_forgotten),
	KUNIT_CASE(early_replies_give_time),
	KUNIT_CASE(a_kill_ends_the_wait),
	KUNIT_CASE(deactivated_means_eshutdown),
	KUNIT_CASE(closed_means_enotconn),
	KUNIT_CASE(invalidated_means_eio),
	KUNIT_CASE(nobody_writes_into_pages_that_were_given_back),
	KUNIT_CASE(who_stops_writing_ends_no_connection),
	KUNIT_CASE(nothing_is_lost_or_done_twice),
	{}
};

static struct kunit_suite loss_suite = {
	.name = KR_SUITE("ptlrpc_request_loss"),
	.suite_init = client_suite_init,
	.init = kr_init,
	.exit = kr_exit,
	.test_cases = loss_cases,
};
kunit_test_suite(loss_suite);

MODULE_DESCRIPTION("requests that lose what they rely on");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
