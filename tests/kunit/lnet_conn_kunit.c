// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connections over loopback TCP: states, taking messages back, pausing, a leader, the end;
 * conn_cases.h has what is the same inside one kernel. What a node does that sends wrong
 * bytes is in lnet_conn_wire_kunit.c, what both ends agree on in lnet_conn_hello_kunit.c.
 *
 * Processors: 2
 * Every: 2
 */
#include "conn_cases.h"

static const bool may_go[CONN_STATE_COUNT][CONN_STATE_COUNT] = {
	[CONN_NEW][CONN_HELLO] = true,
	[CONN_NEW][CONN_CLOSING] = true,
	[CONN_HELLO][CONN_OPEN] = true,
	[CONN_HELLO][CONN_CLOSING] = true,
	[CONN_OPEN][CONN_CLOSING] = true,
	[CONN_CLOSING][CONN_CLOSED] = true,
};

static void a_state_goes_where_the_table_says(struct kunit *test)
{
	struct lnet_conn conn = {};
	unsigned int from, to;
	bool moved;

	spin_lock_init(&conn.cn_lock);
	for (from = 0; from < CONN_STATE_COUNT; from++) {
		for (to = 0; to <= CONN_STATE_COUNT; to++) {
			bool may = to < CONN_STATE_COUNT && may_go[from][to];

			conn.cn_state = from;
			spin_lock_bh(&conn.cn_lock);
			moved = conn_set_state(&conn, to);
			spin_unlock_bh(&conn.cn_lock);
			KUNIT_EXPECT_EQ(test, moved, may);
			KUNIT_EXPECT_EQ(test, (unsigned int)conn.cn_state,
					may ? to : from);
		}
	}
}

/* The local port of an end. */
static unsigned int port_of(struct kunit *test, struct end *e)
{
	struct ll_rpc_conn told = {};
	unsigned int port;

	conn_describe(e->conn, &told);
	if (sscanf(told.rc_local, "127.0.0.1:%u", &port) == 1)
		return port;
	KUNIT_FAIL(test, "local end is %s", told.rc_local);
	return 0;
}

static void both_ends_know_each_other(struct kunit *test)
{
	struct ll_rpc_conn told = {};
	char nid[LNET_NID_TEXT_MAX];
	struct end a, b;

	conn_fx_pair(test, &a, &b);
	KUNIT_EXPECT_GT(test, libcfs_nid_print(&b.conn->cn_nid, nid,
					       sizeof(nid)), 0);
	KUNIT_EXPECT_STREQ(test, nid, "127.0.0.1@tcp");
	KUNIT_EXPECT_TRUE(test, test_bit(CNF_CRC, &a.conn->cn_flags));
	KUNIT_EXPECT_TRUE(test, test_bit(CNF_CRC, &b.conn->cn_flags));
	KUNIT_EXPECT_FALSE(test, test_bit(CNF_PASSIVE, &a.conn->cn_flags));
	conn_describe(a.conn, &told);
	KUNIT_EXPECT_STREQ(test, told.rc_state, "OPEN");
	KUNIT_EXPECT_STREQ(test, told.rc_remote, "127.0.0.1:9988");
	KUNIT_EXPECT_LT(test, port_of(test, &a), 1024U);
	KUNIT_EXPECT_EQ(test, conn_fx_counter(LNET_CONNECTS), 1);
	KUNIT_EXPECT_EQ(test, conn_fx_counter(LNET_ACCEPTS), 1);
	conn_fx_part(test, &a, &b);
	KUNIT_EXPECT_EQ(test, conn_fx_counter(LNET_CLOSED), 2);
}

static void ipv6_is_as_good(struct kunit *test)
{
	struct end a, b;

	end_connect(test, &a, "::1@tcp2");
	end_accept(test, &b);
	end_await_open(test, &a);
	end_await_open(test, &b);
	KUNIT_EXPECT_EQ(test, b.conn->cn_nid.nid_len, 16);
	KUNIT_EXPECT_EQ(test, b.conn->cn_nid.nid_net, 2);
	parcel_send(test, a.conn, 1, 100);
	end_await_messages(test, &b, 1);
	conn_fx_part(test, &a, &b);
}

/* The message that is half sent, if there is one. */
static struct parcel *stuck_half(struct stuck *s)
{
	unsigned int n;

	for (n = 0; n < STUCK && s->p[n]; n++) {
		if (READ_ONCE(s->p[n]->tx.tx_state) == LNET_TX_SENDING &&
		    READ_ONCE(s->p[n]->tx.tx_sent))
			return s->p[n];
	}
	return NULL;
}

/*
 * Take back the one that is half sent. The socket may have taken the rest of it before that;
 * then it is the next one.
 */
static struct parcel *stuck_recall_half(struct kunit *test, struct stuck *s)
{
	unsigned long until = jiffies + CONN_WAIT;
	struct parcel *half;

	do {
		half = stuck_half(s);
		if (half)
			lnet_conn_recall(s->a.conn, &half->tx);
		else
			msleep(20);
	} while ((!half || !half->rc) && time_before(jiffies, until));
	KUNIT_ASSERT_NOT_NULL(test, half);
	return half;
}

/* Its owner frees it, and the other end gets all of it. */
static void the_rest_of_half_a_message_goes_out(struct kunit *test)
{
	struct stuck *s = stuck_make(test, PTL_RPC_MSG_REQUEST, 6);
	struct parcel *half = stuck_recall_half(test, s);
	unsigned int n;

	KUNIT_EXPECT_EQ(test, atomic_read(&half->calls), 1);
	KUNIT_EXPECT_EQ(test, half->rc, -ECANCELED);
	for (n = 0; n < 6; n++) {
		if (s->p[n] == half)
			s->p[n] = parcel_make(test, PTL_RPC_MSG_REQUEST, n + 1, 500);
	}
	parcel_free(half);
	s->b.throw = false;
	WRITE_ONCE(s->b.refuse, 0);
	lnet_conn_resume(s->b.conn);
	end_await_messages(test, &s->b, 6);
	KUNIT_EXPECT_EQ(test, s->b.bulk_bytes, 6ULL * WIRE_BULK_DEFAULT);
	conn_fx_part(test, &s->a, &s->b);
	stuck_free(s);
}

static void a_paused_connection_is_not_read(struct kunit *test)
{
	struct end a, b;
	unsigned int n;

	conn_fx_pair(test, &a, &b);
	b.refuse = -EAGAIN;
	for (n = 0; n < 10; n++)
		parcel_send(test, a.conn, n + 1, 100);
	await_paused(&b);
	read_once(&b);
	KUNIT_EXPECT_EQ(test, atomic_read(&b.offers), 1);
	KUNIT_EXPECT_TRUE(test, test_bit(CNF_RX_PAUSED, &b.conn->cn_flags));
	/* The same one is offered again, and still not wanted. */
	lnet_conn_resume(b.conn);
	end_await(test, &b, atomic_read(&b.offers) == 2);
	WRITE_ONCE(b.refuse, 0);
	lnet_conn_resume(b.conn);
	end_await_messages(test, &b, 10);
	KUNIT_EXPECT_EQ(test, atomic_read(&b.offers), 12);
	conn_fx_part(test, &a, &b);
}

static void a_leader_reads_for_itself(struct kunit *test)
{
	struct wait_queue_head other;
	struct end a, b;

	init_waitqueue_head(&other);
	conn_fx_pair(test, &a, &b);
	KUNIT_ASSERT_TRUE(test, lnet_conn_reader_begin(b.conn, &b.wq));
	KUNIT_EXPECT_FALSE(test, lnet_conn_reader_begin(b.conn, &other));
	/* The work that read HELLO looks for more, unless it knows of the leader. */
	flush_work(&conn_private(b.conn)->cp_rx_work);
	lnet_conn_read(b.conn);
	KUNIT_ASSERT_FALSE(test, lnet_conn_reader_ready(b.conn));
	parcel_send(test, a.conn, 1, 100);
	end_await(test, &b, lnet_conn_reader_ready(b.conn));
	KUNIT_EXPECT_EQ(test, atomic_read(&b.offers), 0);
	lnet_conn_read(b.conn);
	KUNIT_EXPECT_EQ(test, atomic_read(&b.messages), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&b.inline_count), 0);
	KUNIT_EXPECT_PTR_EQ(test, b.reader, current);
	KUNIT_EXPECT_FALSE(test, lnet_conn_reader_ready(b.conn));
	/* What comes, and is not read, is for the work. */
	parcel_send(test, a.conn, 2, 100);
	end_await(test, &b, lnet_conn_reader_ready(b.conn));
	lnet_conn_reader_end(b.conn, &b.wq);
	end_await_messages(test, &b, 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&b.inline_count), 1);
	KUNIT_EXPECT_PTR_NE(test, b.reader, current);
	conn_fx_part(test, &a, &b);
}

static void a_refused_message_ends_the_connection(struct kunit *test)
{
	struct end a, b;

	conn_fx_pair(test, &a, &b);
	b.refuse = -ENOMEM;
	parcel_send(test, a.conn, 1, 100);
	end_await_closed(test, &b, -ENOMEM);
	end_await_closed(test, &a, -ECONNRESET);
	KUNIT_EXPECT_EQ(test, atomic_read(&b.failed), 0);
}

static void nobody_there_is_said(struct kunit *test)
{
	struct end a;

	sock_release(cf.listener);
	cf.listener = NULL;
	end_connect(test, &a, "127.0.0.1@tcp");
	end_await_closed(test, &a, -ECONNREFUSED);
	KUNIT_EXPECT_FALSE(test, completion_done(&a.opened));
}

static void a_silent_node_is_not_waited_for(struct kunit *test)
{
	struct socket *sock;
	struct end a;

	end_connect(test, &a, "127.0.0.1@tcp");
	sock = conn_fx_accept(test);
	lnet_conn_close(a.conn, -ETIMEDOUT);
	end_await_closed(test, &a, -ETIMEDOUT);
	sock_release(sock);
}

static void one_that_was_never_started_is_freed(struct kunit *test)
{
	struct lnet_conn *conn;
	struct socket *sock;
	struct end a;

	end_connect(test, &a, "127.0.0.1@tcp");
	sock = conn_fx_accept(test);
	conn = conn_make(&cf.net, NULL, sock);
	KUNIT_ASSERT_FALSE(test, IS_ERR(conn));
	lnet_conn_put(conn);
	end_await_closed(test, &a, -ECONNRESET);
}

/* Keep a port from being used by anybody else. */
static struct socket *hold_port(u16 port)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
	};
	struct socket *sock;

	if (sock_create_kern(&init_net, AF_INET, SOCK_STREAM, IPPROTO_TCP,
			     &sock))
		return NULL;
	if (!kernel_bind(sock, (struct compat_sockaddr *)&addr, sizeof(addr)))
		return sock;
	sock_release(sock);
	return NULL;
}

#define HELD_PORTS	(RESERVED_PORT_FIRST - RESERVED_PORT_LAST + 1)

static void the_highest_free_port_is_used_or_any(struct kunit *test)
{
	static struct socket *held[HELD_PORTS];
	struct end a, b;
	unsigned int n;

	for (n = 0; n < HELD_PORTS; n++)
		held[n] = hold_port(RESERVED_PORT_LAST + n);
	conn_fx_pair(test, &a, &b);
	KUNIT_EXPECT_GE(test, port_of(test, &a), 1024U);
	conn_fx_part(test, &a, &b);
	sock_release(held[700 - RESERVED_PORT_LAST]);
	sock_release(held[600 - RESERVED_PORT_LAST]);
	held[700 - RESERVED_PORT_LAST] = NULL;
	held[600 - RESERVED_PORT_LAST] = NULL;
	conn_fx_pair(test, &a, &b);
	KUNIT_EXPECT_EQ(test, port_of(test, &a), 700U);
	for (n = 0; n < HELD_PORTS; n++) {
		if (held[n])
			sock_release(held[n]);
	}
	conn_fx_part(test, &a, &b);
}

static void two_to_the_same_node_have_ports_of_their_own(struct kunit *test)
{
	struct end a, b, c, d;

	conn_fx_pair(test, &a, &b);
	conn_fx_pair(test, &c, &d);
	KUNIT_EXPECT_NE(test, port_of(test, &a), port_of(test, &c));
	KUNIT_EXPECT_LT(test, port_of(test, &c), 1024U);
	conn_fx_part(test, &a, &b);
	conn_fx_part(test, &c, &d);
}

static struct kunit_case conn_cases[] = {
	KUNIT_CASE(a_state_goes_where_the_table_says),
	KUNIT_CASE(both_ends_know_each_other),
	KUNIT_CASE(silence_is_known),
	KUNIT_CASE(ipv6_is_as_good),
	KUNIT_CASE(messages_of_every_size_arrive),
	KUNIT_CASE(a_burst_arrives_in_order),
	KUNIT_CASE(bulk_data_of_every_size_arrives),
	KUNIT_CASE(bulk_data_over_page_boundaries_arrives),
	KUNIT_CASE(bulk_data_nobody_wants_is_thrown_away),
	KUNIT_CASE(what_is_too_long_for_the_other_end_is_not_sent),
	KUNIT_CASE(what_is_queued_can_be_taken_back),
	KUNIT_CASE(the_rest_of_half_a_message_goes_out),
	KUNIT_CASE(a_paused_connection_is_not_read),
	KUNIT_CASE(no_resume_is_lost),
	KUNIT_CASE(answers_that_do_not_go_out_stop_requests),
	KUNIT_CASE(two_that_do_not_read_get_further_slowly),
	KUNIT_CASE(an_end_that_never_reads_is_given_up),
	KUNIT_CASE(a_leader_reads_for_itself),
	KUNIT_CASE(a_reader_that_does_not_read_loses_the_role),
	KUNIT_CASE(leaders_come_and_go_and_nothing_is_left),
	KUNIT_CASE(senders_and_readers_do_not_enter_reclaim),
	KUNIT_CASE(a_reply_is_received_in_the_reserved_buffer),
	KUNIT_CASE(a_refused_message_ends_the_connection),
	KUNIT_CASE(an_end_under_load_leaves_nothing),
	KUNIT_CASE(nobody_there_is_said),
	KUNIT_CASE(a_silent_node_is_not_waited_for),
	KUNIT_CASE(one_that_was_never_started_is_freed),
	KUNIT_CASE(the_highest_free_port_is_used_or_any),
	KUNIT_CASE(two_to_the_same_node_have_ports_of_their_own),
	{}
};

static struct kunit_suite conn_suite = {
	.name = "lnet_conn",
	.suite_init = client_suite_init,
	.init = conn_fx_init,
	.exit = conn_fx_exit,
	.test_cases = conn_cases,
};
kunit_test_suite(conn_suite);

MODULE_DESCRIPTION("connections");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
