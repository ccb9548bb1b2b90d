// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connections inside one kernel: who receives, what is not received now, the end. conn_cases.h
 * has what is the same over TCP.
 *
 * Processors: 2
 * Every: 2
 */
#include "conn_cases.h"

static struct parcel *parcel_post(struct kunit *test, struct end *from, u64 xid)
{
	struct parcel *p = parcel_make(test, PTL_RPC_MSG_REQUEST, xid, 100);

	KUNIT_EXPECT_EQ(test, lnet_conn_send(from->conn, &p->tx), 0);
	return p;
}

static void parcel_end(struct kunit *test, struct parcel *p, int rc)
{
	parcel_await(test, p, rc);
	parcel_free(p);
}

static void both_ends_are_in_this_kernel(struct kunit *test)
{
	struct ll_rpc_conn told = {};
	struct end a, b;

	cf.lane = LNET_BULK;
	conn_fx_pair(test, &a, &b);
	KUNIT_EXPECT_EQ(test, (int)b.conn->cn_lane, LNET_BULK);
	KUNIT_EXPECT_TRUE(test, test_bit(CNF_LANES, &a.conn->cn_flags));
	KUNIT_EXPECT_NULL(test, a.conn->cn_sock);
	KUNIT_EXPECT_NULL(test, b.conn->cn_sock);
	KUNIT_EXPECT_FALSE(test, test_bit(CNF_PASSIVE, &a.conn->cn_flags));
	KUNIT_EXPECT_TRUE(test, test_bit(CNF_PASSIVE, &b.conn->cn_flags));
	KUNIT_EXPECT_FALSE(test, test_bit(CNF_CRC, &a.conn->cn_flags));
	KUNIT_EXPECT_PTR_EQ(test, a.conn->cn_peer, b.conn->cn_peer);
	conn_describe(b.conn, &told);
	KUNIT_EXPECT_STREQ(test, told.rc_remote, "local");
	KUNIT_EXPECT_EQ(test, conn_fx_counter(LNET_CONNECTS), 1);
	KUNIT_EXPECT_EQ(test, conn_fx_counter(LNET_ACCEPTS), 1);
	parcel_send(test, a.conn, 1, 100);
	parcel_send(test, b.conn, 1, 200);
	end_await_messages(test, &a, 1);
	end_await_messages(test, &b, 1);
	conn_fx_part(test, &a, &b);
	KUNIT_EXPECT_EQ(test, conn_fx_counter(LNET_CLOSED), 2);
	KUNIT_EXPECT_EQ(test, conn_fx_counter(LNET_TX_BYTES),
			conn_fx_counter(LNET_RX_BYTES));
}

/* The passive end ends first. */
static void either_end_closes_both(struct kunit *test)
{
	struct end a, b;

	conn_fx_pair(test, &a, &b);
	conn_fx_part(test, &b, &a);
}

static void one_that_may_not_open_leaves_nothing(struct kunit *test)
{
	struct end a;

	cf.add_fails = true;
	end_connect(test, &a, "127.0.0.1@tcp");
	end_await_closed(test, &a, -ENETDOWN);
	KUNIT_EXPECT_FALSE(test, completion_done(&a.opened));
}

static void an_end_that_is_closed_is_opened_first(struct kunit *test)
{
	struct end a, b;

	end_init(&b);
	cf.passive = &b;
	cf.close_passive = true;
	end_connect(test, &a, "127.0.0.1@tcp");
	end_await_closed(test, &b, -EPIPE);
	end_await_closed(test, &a, -ECONNRESET);
	KUNIT_EXPECT_TRUE(test, completion_done(&b.opened));
}

static void tcp_is_used_where_it_is_wanted(struct kunit *test)
{
	struct end a, b;

	lnet_settings.lns_local_conn = false;
	end_connect(test, &a, "127.0.0.1@tcp");
	end_accept(test, &b);
	end_await_open(test, &a);
	end_await_open(test, &b);
	KUNIT_EXPECT_NOT_NULL(test, a.conn->cn_sock);
	conn_fx_part(test, &a, &b);
	/* This node does not listen. */
	lnet_settings.lns_local_conn = true;
	cf.net.nn_listener = NULL;
	sock_release(cf.listener);
	cf.listener = NULL;
	end_connect(test, &a, "127.0.0.1@tcp");
	end_await_closed(test, &a, -ECONNREFUSED);
}

static void a_receiver_does_not_run_on_the_stack_of_a_sender(struct kunit *test)
{
	struct end a, b;

	conn_fx_pair(test, &a, &b);
	parcel_send(test, a.conn, 1, 100);
	end_await_messages(test, &b, 1);
	KUNIT_EXPECT_PTR_NE(test, b.reader, current);
	KUNIT_EXPECT_EQ(test, atomic_read(&b.inline_count), 1);
	conn_fx_part(test, &a, &b);
}

/* A message that is not taken now stays with its sender. */
static void one_that_is_not_taken_can_be_recalled(struct kunit *test)
{
	struct parcel *p;
	struct end a, b;

	conn_fx_pair(test, &a, &b);
	b.refuse = -EAGAIN;
	p = parcel_post(test, &a, 1);
	await_paused(&b);
	KUNIT_EXPECT_FALSE(test, completion_done(&p->done));
	lnet_conn_recall(a.conn, &p->tx);
	parcel_end(test, p, -ECANCELED);
	/* Nothing is there; memory that was granted for it is given back. */
	WRITE_ONCE(b.refuse, 0);
	lnet_conn_resume(b.conn);
	flush_work(&conn_private(b.conn)->cp_rx_work);
	KUNIT_EXPECT_GT(test, atomic_read(&cf.cancels), 0);
	parcel_send(test, a.conn, 1, 100);
	end_await_messages(test, &b, 1);
	conn_fx_part(test, &a, &b);
}

static void a_paused_end_takes_the_same_message_again(struct kunit *test)
{
	struct parcel *p[10];
	struct end a, b;
	unsigned int n;

	conn_fx_pair(test, &a, &b);
	b.refuse = -EAGAIN;
	for (n = 0; n < ARRAY_SIZE(p); n++)
		p[n] = parcel_post(test, &a, n + 1);
	await_paused(&b);
	msleep(50);
	KUNIT_EXPECT_EQ(test, atomic_read(&b.offers), 1);
	lnet_conn_resume(b.conn);
	end_await(test, &b, atomic_read(&b.offers) == 2);
	WRITE_ONCE(b.refuse, 0);
	lnet_conn_resume(b.conn);
	for (n = 0; n < ARRAY_SIZE(p); n++)
		parcel_end(test, p[n], 0);
	end_await_messages(test, &b, 10);
	KUNIT_EXPECT_EQ(test, atomic_read(&b.offers), 12);
	conn_fx_part(test, &a, &b);
}

static void a_task_that_waits_receives_for_itself(struct kunit *test)
{
	struct parcel *p;
	struct end a, b;

	conn_fx_pair(test, &a, &b);
	/* The work that has made it may still read. */
	KUNIT_ASSERT_TRUE(test, wait_event_timeout(conn_private(b.conn)->cp_wait,
						   !test_bit(CNF_RX_BUSY, &b.conn->cn_flags),
						   CONN_WAIT));
	KUNIT_ASSERT_TRUE(test, lnet_conn_reader_begin(b.conn, &b.wq));
	p = parcel_post(test, &a, 1);
	end_await(test, &b, lnet_conn_reader_ready(b.conn));
	KUNIT_EXPECT_EQ(test, atomic_read(&b.offers), 0);
	lnet_conn_read(b.conn);
	parcel_end(test, p, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&b.messages), 1);
	KUNIT_EXPECT_PTR_EQ(test, b.reader, current);
	KUNIT_EXPECT_FALSE(test, lnet_conn_reader_ready(b.conn));
	/* What it leaves is for the work. */
	p = parcel_post(test, &a, 2);
	lnet_conn_reader_end(b.conn, &b.wq);
	parcel_end(test, p, 0);
	end_await_messages(test, &b, 2);
	KUNIT_EXPECT_PTR_NE(test, b.reader, current);
	conn_fx_part(test, &a, &b);
}

static void a_refused_message_ends_both_ends(struct kunit *test)
{
	struct parcel *p;
	struct end a, b;

	conn_fx_pair(test, &a, &b);
	b.refuse = -ENOMEM;
	p = parcel_post(test, &a, 1);
	end_await_closed(test, &b, -ENOMEM);
	end_await_closed(test, &a, -ECONNRESET);
	parcel_end(test, p, -ECONNRESET);
	KUNIT_EXPECT_EQ(test, atomic_read(&b.failed), 0);
}

static struct kunit_case local_cases[] = {
	KUNIT_CASE(both_ends_are_in_this_kernel),
	KUNIT_CASE(either_end_closes_both),
	KUNIT_CASE(one_that_may_not_open_leaves_nothing),
	KUNIT_CASE(an_end_that_is_closed_is_opened_first),
	KUNIT_CASE(tcp_is_used_where_it_is_wanted),
	KUNIT_CASE(a_receiver_does_not_run_on_the_stack_of_a_sender),
	KUNIT_CASE(one_that_is_not_taken_can_be_recalled),
	KUNIT_CASE(a_paused_end_takes_the_same_message_again),
	KUNIT_CASE(a_task_that_waits_receives_for_itself),
	KUNIT_CASE(a_refused_message_ends_both_ends),
	/* As over TCP. */
	KUNIT_CASE(silence_is_known),
	KUNIT_CASE(messages_of_every_size_arrive),
	KUNIT_CASE(a_burst_arrives_in_order),
	KUNIT_CASE(bulk_data_of_every_size_arrives),
	KUNIT_CASE(bulk_data_over_page_boundaries_arrives),
	KUNIT_CASE(bulk_data_nobody_wants_is_thrown_away),
	KUNIT_CASE(what_is_too_long_for_the_other_end_is_not_sent),
	KUNIT_CASE(what_is_queued_can_be_taken_back),
	KUNIT_CASE(no_resume_is_lost),
	KUNIT_CASE(answers_that_do_not_go_out_stop_requests),
	KUNIT_CASE(two_that_do_not_read_get_further_slowly),
	KUNIT_CASE(an_end_that_never_reads_is_given_up),
	KUNIT_CASE(leaders_come_and_go_and_nothing_is_left),
	KUNIT_CASE(a_reader_that_does_not_read_loses_the_role),
	KUNIT_CASE(senders_and_readers_do_not_enter_reclaim),
	KUNIT_CASE(a_reply_is_received_in_the_reserved_buffer),
	KUNIT_CASE(an_end_under_load_leaves_nothing),
	{}
};

static struct kunit_suite local_suite = {
	.name = "lnet_conn_local",
	.suite_init = client_suite_init,
	.init = conn_fx_init_local,
	.exit = conn_fx_exit,
	.test_cases = local_cases,
};
kunit_test_suite(local_suite);

MODULE_DESCRIPTION("connections inside one kernel");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
