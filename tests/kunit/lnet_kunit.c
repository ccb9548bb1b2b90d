// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nodes and their connections, rules for messages, networks that may connect, NIDs of
 * this node. Memory that is charged to nodes is in lnet_memory_kunit.c.
 *
 * Processors: 2
 * Every: 2
 */
#include "net_fixture.h"

#define NODE	"10.1.2.3@tcp"

/*
 * Nodes.
 */

static void a_node_is_one_as_long_as_it_is_used(struct kunit *test)
{
	struct lnet_peer *a = net_fx_peer(test, NODE);
	struct lnet_peer *b = net_fx_peer(test, NODE);
	struct lnet_peer *c = net_fx_peer(test, "10.1.2.3@tcp1");
	struct lnet_nid lo = net_fx_nid("0@lo");

	KUNIT_EXPECT_PTR_EQ(test, a, b);
	KUNIT_EXPECT_PTR_NE(test, a, c);
	KUNIT_EXPECT_EQ(test, nf.net->nn_peer_count, 2);
	lnet_peer_put(a);
	KUNIT_EXPECT_EQ(test, nf.net->nn_peer_count, 2);
	lnet_peer_put(b);
	KUNIT_EXPECT_EQ(test, nf.net->nn_peer_count, 1);
	lnet_peer_put(c);
	KUNIT_EXPECT_EQ(test, PTR_ERR(net_peer_find(nf.net, &lo)),
			-EAFNOSUPPORT);
}

/* Connects to NODE, for aside_start(). */
struct connecting {
	struct lnet_peer	*peer;
	long		timeout;
	bool		cancel;
	struct lnet_conn	*conn;
};

static bool connecting_cancel(void *arg)
{
	struct connecting *c = arg;

	return READ_ONCE(c->cancel);
}

static long connecting_run(void *arg)
{
	struct connecting *c = arg;

	c->conn = lnet_peer_connect(c->peer, c->timeout, connecting_cancel, c);
	return PTR_ERR_OR_ZERO(c->conn);
}

static unsigned int waiters(struct lnet_peer *peer)
{
	unsigned int count;

	spin_lock_bh(&peer->lnp_lock);
	count = peer->lnp_lanes[LNET_CONTROL].pel_waiters;
	spin_unlock_bh(&peer->lnp_lock);
	return count;
}

static void connecting_await(struct kunit *test, struct lnet_peer *peer,
			     unsigned int count)
{
	unsigned long until = jiffies + FIXTURE_WAIT;

	while (waiters(peer) != count && time_before(jiffies, until))
		msleep(20);
	KUNIT_ASSERT_EQ(test, waiters(peer), count);
	KUNIT_ASSERT_TRUE(test,
			  wait_event_timeout(nf.wq, READ_ONCE(nf.last),
					     FIXTURE_WAIT));
}

/* @count tasks connect to @peer; returns when each of them waits for the connection. */
static void connecting_start(struct kunit *test, struct lnet_peer *peer,
			     struct connecting *c, struct aside *a, unsigned int count)
{
	unsigned int n;

	for (n = 0; n < count; n++) {
		c[n] = (struct connecting){ .peer = peer, .timeout = FIXTURE_WAIT };
		aside_start(test, &a[n], connecting_run, &c[n]);
	}
	connecting_await(test, peer, count);
}

static void one_connects_and_all_have_it(struct kunit *test)
{
	struct lnet_peer *peer = net_fx_peer(test, NODE);
	struct connecting c[3];
	struct aside a[3];
	unsigned int n;

	connecting_start(test, peer, c, a, 3);
	KUNIT_EXPECT_EQ(test, PTR_ERR(lnet_peer_conn(peer, LNET_CONTROL)), -ENOTCONN);
	net_fx_open(nf.last, 7);
	for (n = 0; n < 3; n++) {
		KUNIT_EXPECT_EQ(test, aside_join(test, &a[n]), 0);
		KUNIT_EXPECT_PTR_EQ(test, c[n].conn, nf.last);
		lnet_conn_put(c[n].conn);
	}
	KUNIT_EXPECT_EQ(test, nf.made, 1);
	KUNIT_EXPECT_EQ(test, peer->lnp_incarnation, 7);
	lnet_peer_put(peer);
	/* The connection keeps its node. */
	KUNIT_EXPECT_EQ(test, nf.net->nn_peer_count, 1);
}

static void what_fails_is_told_to_all_and_tried_again(struct kunit *test)
{
	struct lnet_peer *peer = net_fx_peer(test, NODE);
	struct connecting c[2];
	struct aside a[2];
	unsigned int n;

	connecting_start(test, peer, c, a, 2);
	lnet_conn_close(nf.last, -ECONNREFUSED);
	for (n = 0; n < 2; n++)
		KUNIT_EXPECT_EQ(test, aside_join(test, &a[n]), -ECONNREFUSED);
	nf.make_rc = -ENOMEM;
	KUNIT_EXPECT_EQ(test, connecting_run(&c[0]), -ENOMEM);
	nf.make_rc = 0;
	c[0].timeout = 1;
	KUNIT_EXPECT_EQ(test, connecting_run(&c[0]), -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, nf.made, 2);
	KUNIT_EXPECT_EQ(test, nf.freed, 2);
	lnet_peer_put(peer);
}

/* The one that gives up does not take the connection from the other. */
static void who_gives_up_harms_nobody(struct kunit *test)
{
	struct lnet_peer *peer = net_fx_peer(test, NODE);
	struct connecting c[2];
	struct aside a[2];

	connecting_start(test, peer, c, a, 2);
	WRITE_ONCE(c[0].cancel, true);
	KUNIT_EXPECT_EQ(test, aside_join(test, &a[0]), -ECANCELED);
	KUNIT_EXPECT_EQ(test, nf.freed, 0);
	net_fx_open(nf.last, 1);
	KUNIT_EXPECT_EQ(test, aside_join(test, &a[1]), 0);
	lnet_conn_put(c[1].conn);
	lnet_peer_put(peer);
}

static void the_active_connection_comes_first(struct kunit *test)
{
	struct lnet_conn *passive = net_fx_passive(test, NODE, 5);
	struct lnet_peer *peer = net_fx_peer(test, NODE);
	struct lnet_conn *conn, *active;

	conn = lnet_peer_conn(peer, LNET_CONTROL);
	KUNIT_EXPECT_PTR_EQ(test, conn, passive);
	lnet_conn_put(conn);
	/* As if it had been begun before the other node's was there. */
	peer->lnp_lanes[LNET_CONTROL].pel_trying = true;
	peer_try_start(peer, LNET_CONTROL);
	active = nf.last;
	net_fx_open(active, 5);
	conn = lnet_peer_conn(peer, LNET_CONTROL);
	KUNIT_EXPECT_PTR_EQ(test, conn, active);
	lnet_conn_put(conn);
	lnet_conn_close(active, -ECONNRESET);
	conn = lnet_peer_conn(peer, LNET_CONTROL);
	KUNIT_EXPECT_PTR_EQ(test, conn, passive);
	lnet_conn_put(conn);
	lnet_peer_put(peer);
}

static void a_node_that_connects_again_has_one_connection(struct kunit *test)
{
	struct lnet_peer *peer = net_fx_peer(test, NODE);
	struct lnet_conn *conn, *second;

	net_fx_passive(test, NODE, 5);
	second = net_fx_passive(test, NODE, 5);
	KUNIT_EXPECT_EQ(test, nf.freed, 1);
	conn = lnet_peer_conn(peer, LNET_CONTROL);
	KUNIT_EXPECT_PTR_EQ(test, conn, second);
	lnet_conn_put(conn);
	lnet_peer_put(peer);
}

static void a_node_that_restarted_has_no_older_connection(struct kunit *test)
{
	struct lnet_peer *peer = net_fx_peer(test, NODE);
	struct lnet_conn *conn, *passive;

	peer->lnp_lanes[LNET_CONTROL].pel_trying = true;
	peer_try_start(peer, LNET_CONTROL);
	net_fx_open(nf.last, 5);
	passive = net_fx_passive(test, NODE, 6);
	KUNIT_EXPECT_EQ(test, nf.freed, 1);
	KUNIT_EXPECT_EQ(test, peer->lnp_incarnation, 6);
	conn = lnet_peer_conn(peer, LNET_CONTROL);
	KUNIT_EXPECT_PTR_EQ(test, conn, passive);
	lnet_conn_put(conn);
	lnet_peer_put(peer);
}

/* A control connection, whose other end has lanes if @lanes. */
static struct lnet_conn *control_conn(struct kunit *test, struct lnet_peer *peer,
				      bool lanes)
{
	peer->lnp_lanes[LNET_CONTROL].pel_trying = true;
	peer_try_start(peer, LNET_CONTROL);
	if (lanes)
		set_bit(CNF_LANES, &nf.last->cn_flags);
	net_fx_open(nf.last, 5);
	return nf.last;
}

/* What a lane has: a connection, or ERR_PTR; not referenced. */
static struct lnet_conn *lane_conn(struct lnet_peer *peer, enum lnet_lane lane)
{
	struct lnet_conn *conn = lnet_peer_conn(peer, lane);

	if (!IS_ERR(conn))
		lnet_conn_put(conn);
	return conn;
}

static void bulk_data_has_a_connection_when_it_needs_one(struct kunit *test)
{
	struct lnet_peer *peer = net_fx_peer(test, NODE);
	struct lnet_conn *control, *bulk;

	KUNIT_EXPECT_EQ(test, PTR_ERR(lane_conn(peer, LNET_BULK)), -ENOTCONN);
	KUNIT_EXPECT_EQ(test, nf.made, 0);
	control = control_conn(test, peer, true);
	KUNIT_EXPECT_EQ(test, nf.made, 1);
	/* One attempt for all requests. */
	KUNIT_EXPECT_EQ(test, PTR_ERR(lane_conn(peer, LNET_BULK)), -EINPROGRESS);
	KUNIT_EXPECT_EQ(test, PTR_ERR(lane_conn(peer, LNET_BULK)), -EINPROGRESS);
	KUNIT_EXPECT_EQ(test, nf.made, 2);
	bulk = nf.last;
	KUNIT_EXPECT_EQ(test, (int)bulk->cn_lane, (int)LNET_BULK);
	KUNIT_EXPECT_PTR_EQ(test, lane_conn(peer, LNET_CONTROL), control);
	KUNIT_EXPECT_EQ(test, nf.connected, 0);
	net_fx_open(bulk, 5);
	KUNIT_EXPECT_EQ(test, nf.connected, 1);
	KUNIT_EXPECT_PTR_EQ(test, lane_conn(peer, LNET_BULK), bulk);
	KUNIT_EXPECT_PTR_EQ(test, lane_conn(peer, LNET_CONTROL), control);
	/* The end of one is not the end of the other. */
	lnet_conn_close(bulk, -ECONNRESET);
	KUNIT_EXPECT_TRUE(test, lnet_conn_is_open(control));
	KUNIT_EXPECT_EQ(test, PTR_ERR(lane_conn(peer, LNET_BULK)), -EINPROGRESS);
	net_fx_open(nf.last, 5);
	lnet_conn_close(control, -ECONNRESET);
	KUNIT_EXPECT_EQ(test, PTR_ERR(lane_conn(peer, LNET_CONTROL)), -ENOTCONN);
	lnet_peer_put(peer);
}

/* With a node that has no lanes, or does not take a second connection. */
static void bulk_data_goes_with_the_rest_if_it_must(struct kunit *test)
{
	struct lnet_peer *peer = net_fx_peer(test, NODE);
	struct lnet_peer *old = net_fx_peer(test, "10.1.2.4@tcp");
	struct lnet_conn *control = control_conn(test, old, false);

	KUNIT_EXPECT_PTR_EQ(test, lane_conn(old, LNET_BULK), control);
	KUNIT_EXPECT_EQ(test, nf.made, 1);
	control = control_conn(test, peer, true);
	KUNIT_EXPECT_EQ(test, PTR_ERR(lane_conn(peer, LNET_BULK)), -EINPROGRESS);
	lnet_conn_close(nf.last, -EUSERS);
	KUNIT_EXPECT_EQ(test, nf.connected, 1);
	KUNIT_EXPECT_PTR_EQ(test, lane_conn(peer, LNET_BULK), control);
	peer->lnp_lanes[LNET_BULK].pel_failed = jiffies - LANE_RETRY - 1;
	nf.make_rc = -ENOMEM;
	KUNIT_EXPECT_EQ(test, PTR_ERR(lane_conn(peer, LNET_BULK)), -EINPROGRESS);
	KUNIT_EXPECT_EQ(test, nf.connected, 2);
	KUNIT_EXPECT_PTR_EQ(test, lane_conn(peer, LNET_BULK), control);
	lnet_peer_put(peer);
	lnet_peer_put(old);
}

static void a_node_that_restarted_has_no_older_lanes(struct kunit *test)
{
	struct lnet_peer *peer = net_fx_peer(test, NODE);
	struct lnet_conn *last;

	control_conn(test, peer, true);
	KUNIT_EXPECT_EQ(test, PTR_ERR(lane_conn(peer, LNET_BULK)), -EINPROGRESS);
	net_fx_open(nf.last, 5);
	net_fx_passive(test, NODE, 5);
	net_fx_passive_lane(test, NODE, 5, LNET_BULK);
	KUNIT_EXPECT_EQ(test, nf.made, 4);
	KUNIT_EXPECT_EQ(test, nf.freed, 0);
	last = net_fx_passive_lane(test, NODE, 6, LNET_BULK);
	KUNIT_EXPECT_EQ(test, nf.freed, 4);
	KUNIT_EXPECT_PTR_EQ(test, lane_conn(peer, LNET_BULK), last);
	KUNIT_EXPECT_EQ(test, PTR_ERR(lane_conn(peer, LNET_CONTROL)), -ENOTCONN);
	lnet_peer_put(peer);
}

static void what_nobody_uses_is_closed(struct kunit *test)
{
	struct lnet_conn *conn = net_fx_passive(test, NODE, 5);
	struct lnet_peer *peer = net_fx_peer(test, NODE);

	conn_private(conn)->cp_last = jiffies - 61 * HZ;
	net_conns_close(nf.net, match_idle, NULL, -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, nf.freed, 0);
	conn_private(conn)->cp_last = jiffies - 30 * HZ;
	lnet_peer_put(peer);
	net_conns_close(nf.net, match_idle, NULL, -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, nf.freed, 0);
	conn_private(conn)->cp_last = jiffies - 61 * HZ;
	net_conns_close(nf.net, match_idle, NULL, -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, nf.freed, 1);
	KUNIT_EXPECT_EQ(test, nf.net->nn_peer_count, 0);
}

static void what_is_late_is_closed(struct kunit *test)
{
	struct lnet_conn *open = net_fx_passive(test, NODE, 5);
	struct lnet_conn *late = conn_make(nf.net, NULL, NULL);

	KUNIT_ASSERT_FALSE(test, IS_ERR(late));
	spin_lock_bh(&nf.net->nn_lock);
	__net_conn_add(nf.net, late);
	spin_unlock_bh(&nf.net->nn_lock);
	conn_node(open)->nc_made = jiffies - 11 * HZ;
	net_conns_close(nf.net, match_late_counted, NULL, -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, (int)late->cn_state, (int)CONN_NEW);
	conn_node(late)->nc_made = jiffies - 11 * HZ;
	net_conns_close(nf.net, match_late_counted, NULL, -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, late->cn_error, -ETIMEDOUT);
	KUNIT_EXPECT_TRUE(test, lnet_conn_is_open(open));
	KUNIT_EXPECT_EQ(test,
			atomic_read(&nf.counters[LNET_HELLO_TIMEOUT]), 1);
	lnet_conn_put(late);
}

static void what_is_half_received_for_long_is_closed(struct kunit *test)
{
	struct lnet_conn *other = net_fx_passive(test, "10.1.2.4@tcp", 1);
	struct lnet_conn *late = net_fx_passive(test, NODE, 1);

	lnet_conn_get(late);
	net_conns_close(nf.net, match_half_received, NULL, -ETIMEDOUT);
	KUNIT_EXPECT_TRUE(test, lnet_conn_is_open(late));
	nf.late = late;
	net_conns_close(nf.net, match_half_received, NULL, -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, late->cn_error, -ETIMEDOUT);
	KUNIT_EXPECT_TRUE(test, lnet_conn_is_open(other));
	KUNIT_EXPECT_EQ(test, atomic_read(&nf.counters[LNET_RX_TIMEOUT]), 1);
	lnet_conn_put(late);
}

/* More than one batch. */
static void a_namespace_that_goes_away_closes_all(struct kunit *test)
{
	char text[LNET_NID_TEXT_MAX];
	struct lnet_nid nid = net_fx_nid(NODE);
	unsigned int n;

	for (n = 0; n < 3 * CLOSE_BATCH + 1; n++) {
		snprintf(text, sizeof(text), "10.2.0.%u@tcp", n);
		net_fx_passive(test, text, n + 1);
	}
	net_stop(nf.net);
	KUNIT_EXPECT_EQ(test, nf.freed, 3 * CLOSE_BATCH + 1);
	KUNIT_EXPECT_EQ(test, PTR_ERR(net_peer_find(nf.net, &nid)), -ENETDOWN);
}

/*
 * Rules.
 */

/* A message of the case. */
struct letter {
	struct lnet_tx		tx;
	struct lustre_msg	msg;
	int			rc;
	unsigned int		done;
};

static void letter_done(struct lnet_tx *tx, int rc)
{
	struct letter *letter = container_of(tx, struct letter, tx);

	letter->rc = rc;
	WRITE_ONCE(letter->done, letter->done + 1);
	wake_up_all(&nf.wq);
}

static void letter_make(struct letter *letter, u32 opc)
{
	memset(letter, 0, sizeof(*letter));
	letter->msg.lm_opc = cpu_to_le32(opc);
	letter->tx.tx_msg = &letter->msg;
	letter->tx.tx_msg_len = sizeof(letter->msg);
	letter->tx.tx_done = letter_done;
}

static u32 rule(struct kunit *test, u32 action, const char *dst, u32 rate,
		u32 delay_ms)
{
	struct ll_rpc_rule r = {
		.ru_action = action,
		.ru_rate = rate,
		.ru_delay_ms = delay_ms,
	};
	struct obd_why why = { "" };

	strscpy(r.ru_dst, dst, sizeof(r.ru_dst));
	KUNIT_EXPECT_EQ(test, rules_add(nf.net, &r, &why), 0);
	return r.ru_id;
}

static void a_rule_is_for_some_messages(struct kunit *test)
{
	static const struct {
		const char *dst;
		u32 opc;
		bool is_for;
	} cases[] = {
		{ "*", 0, true },
		{ NODE, 0, true },
		{ "10.1.2.3", OBD_PING, true },
		{ NODE, OST_READ, false },
		{ "10.1.2.4@tcp", 0, false },
		{ "*@tcp", 0, true },
		{ "*@tcp3", 0, false },
	};
	struct lnet_conn *conn = net_fx_passive(test, NODE, 1);
	struct obd_why why = { "" };
	struct ll_rpc_rule r;
	struct letter letter;
	unsigned int n;

	KUNIT_EXPECT_FALSE(test, rules_active());
	for (n = 0; n < ARRAY_SIZE(cases); n++) {
		memset(&r, 0, sizeof(r));
		r.ru_action = LL_RPC_RULE_DROP;
		r.ru_rate = 1;
		r.ru_opc = cases[n].opc;
		strscpy(r.ru_dst, cases[n].dst, sizeof(r.ru_dst));
		KUNIT_ASSERT_EQ(test, rules_add(nf.net, &r, &why), 0);
		KUNIT_EXPECT_TRUE(test, rules_active());
		letter_make(&letter, OBD_PING);
		KUNIT_EXPECT_EQ(test, rules_take(conn, &letter.tx),
				cases[n].is_for);
		KUNIT_EXPECT_EQ(test, letter.done, cases[n].is_for);
		KUNIT_EXPECT_EQ(test, letter.rc, 0);
		KUNIT_ASSERT_EQ(test, rules_del(nf.net, r.ru_id, &why), 0);
	}
	KUNIT_EXPECT_FALSE(test, rules_active());
}

static void a_rule_that_makes_no_sense_is_refused(struct kunit *test)
{
	static const struct {
		struct ll_rpc_rule rule;
		int rc;
	} cases[] = {
		{ { .ru_action = 0, .ru_dst = "*", .ru_rate = 1 }, -EINVAL },
		{ { .ru_action = 5, .ru_dst = "*", .ru_rate = 1 }, -EINVAL },
		{ { .ru_action = 1, .ru_dst = "*", .ru_rate = 0 }, -EINVAL },
		{ { .ru_action = 1, .ru_dst = "", .ru_rate = 1 }, -EINVAL },
		{ { .ru_action = 1, .ru_dst = "*@x", .ru_rate = 1 }, -EINVAL },
		{ { .ru_action = 1, .ru_dst = "0@lo", .ru_rate = 1 },
		  -EAFNOSUPPORT },
		{ { .ru_action = 1, .ru_dst = "*", .ru_rate = 1,
		    .ru_delay_ms = 1 }, -EINVAL },
		{ { .ru_action = 2, .ru_dst = "*", .ru_rate = 1 }, -EINVAL },
		{ { .ru_action = 2, .ru_dst = "*", .ru_rate = 1,
		    .ru_delay_ms = 600001 }, -EINVAL },
	};
	struct obd_why why;
	struct ll_rpc_rule r;
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(cases); n++) {
		r = cases[n].rule;
		why.text[0] = '\0';
		KUNIT_EXPECT_EQ(test, rules_add(nf.net, &r, &why),
				cases[n].rc);
		KUNIT_EXPECT_NE(test, why.text[0], '\0');
	}
	KUNIT_EXPECT_EQ(test, rules_del(nf.net, 1, &why), -ENOENT);
	KUNIT_EXPECT_FALSE(test, rules_active());
}

static void a_rule_ends_after_so_many_messages(struct kunit *test)
{
	struct lnet_conn *conn = net_fx_passive(test, NODE, 1);
	struct ll_rpc_rule r = {
		.ru_action = LL_RPC_RULE_DROP, .ru_dst = "*", .ru_rate = 1,
		.ru_max = 3,
	};
	struct obd_why why = { "" };
	struct letter letter;
	unsigned int n;

	KUNIT_ASSERT_EQ(test, rules_add(nf.net, &r, &why), 0);
	for (n = 0; n < 5; n++) {
		letter_make(&letter, OBD_PING);
		KUNIT_EXPECT_EQ(test, rules_take(conn, &letter.tx), n < 3);
	}
	KUNIT_EXPECT_EQ(test, rules_list(nf.net, &r, 1), 1);
	KUNIT_EXPECT_EQ(test, r.ru_seen, 3);
	KUNIT_EXPECT_EQ(test, r.ru_done, 3);
}

/* 4000 times one in 10: less than 280 or more than 520 is six sigma away. */
static void a_rate_is_kept(struct kunit *test)
{
	struct lnet_conn *conn = net_fx_passive(test, NODE, 1);
	struct ll_rpc_rule r;
	struct letter letter;
	unsigned int n;

	rule(test, LL_RPC_RULE_DROP, "*", 10, 0);
	for (n = 0; n < 4000; n++) {
		letter_make(&letter, OBD_PING);
		rules_take(conn, &letter.tx);
	}
	KUNIT_EXPECT_EQ(test, rules_list(nf.net, &r, 1), 1);
	KUNIT_EXPECT_EQ(test, r.ru_seen, 4000);
	KUNIT_EXPECT_GT(test, r.ru_done, 280);
	KUNIT_EXPECT_LT(test, r.ru_done, 520);
	KUNIT_EXPECT_EQ(test, atomic_read(&nf.counters[LNET_DROPPED]),
			(int)r.ru_done);
}

static void a_late_message_goes_out_in_time(struct kunit *test)
{
	struct lnet_conn *conn = net_fx_passive(test, NODE, 1);
	unsigned long begin = jiffies;
	struct letter letter;

	rule(test, LL_RPC_RULE_DELAY, "*", 1, 200);
	letter_make(&letter, OBD_PING);
	KUNIT_EXPECT_TRUE(test, rules_take(conn, &letter.tx));
	KUNIT_EXPECT_TRUE(test,
			  wait_event_timeout(nf.wq, READ_ONCE(letter.done),
					     FIXTURE_WAIT));
	KUNIT_EXPECT_GE(test, jiffies - begin, msecs_to_jiffies(200));
	KUNIT_EXPECT_EQ(test, nf.sent, 1);
	KUNIT_EXPECT_EQ(test, letter.rc, 0);
	rules_wait(conn, &letter.tx);
}

static void a_late_message_may_be_recalled(struct kunit *test)
{
	struct lnet_conn *conn = net_fx_passive(test, NODE, 1);
	struct letter letter;

	rule(test, LL_RPC_RULE_DELAY, "*", 1, 600000);
	letter_make(&letter, OBD_PING);
	KUNIT_EXPECT_TRUE(test, rules_take(conn, &letter.tx));
	KUNIT_EXPECT_EQ(test, letter.tx.tx_state, LNET_TX_HELD);
	KUNIT_EXPECT_TRUE(test, rules_recall(conn, &letter.tx, -ECANCELED));
	KUNIT_EXPECT_EQ(test, letter.rc, -ECANCELED);
	KUNIT_EXPECT_EQ(test, letter.done, 1);
	KUNIT_EXPECT_FALSE(test, rules_recall(conn, &letter.tx, -ECANCELED));
	KUNIT_EXPECT_EQ(test, letter.done, 1);
}

static void a_late_message_ends_with_its_connection(struct kunit *test)
{
	struct lnet_conn *conn = net_fx_passive(test, NODE, 1);
	struct letter letter[3];
	unsigned int n;

	rule(test, LL_RPC_RULE_DELAY, "*", 1, 600000);
	for (n = 0; n < 3; n++) {
		letter_make(&letter[n], OBD_PING);
		KUNIT_EXPECT_TRUE(test, rules_take(conn, &letter[n].tx));
	}
	lnet_conn_close(conn, -EPIPE);
	for (n = 0; n < 3; n++) {
		KUNIT_EXPECT_EQ(test, letter[n].done, 1);
		KUNIT_EXPECT_EQ(test, letter[n].rc, -EPIPE);
	}
	KUNIT_EXPECT_EQ(test, nf.freed, 1);
	KUNIT_EXPECT_EQ(test, nf.net->nn_rules.nr_held_count, 0);
}

static void what_a_deleted_rule_holds_goes_out(struct kunit *test)
{
	struct lnet_conn *conn = net_fx_passive(test, NODE, 1);
	u32 id = rule(test, LL_RPC_RULE_DELAY, NODE, 1, 600000);
	struct obd_why why = { "" };
	struct letter letter;

	letter_make(&letter, OBD_PING);
	KUNIT_EXPECT_TRUE(test, rules_take(conn, &letter.tx));
	KUNIT_EXPECT_EQ(test, rules_del(nf.net, id, &why), 0);
	KUNIT_EXPECT_TRUE(test,
			  wait_event_timeout(nf.wq, READ_ONCE(letter.done),
					     FIXTURE_WAIT));
	KUNIT_EXPECT_EQ(test, nf.sent, 1);
	rules_wait(conn, &letter.tx);
}

static void a_message_goes_out_twice(struct kunit *test)
{
	struct lnet_conn *conn = net_fx_passive(test, NODE, 1);
	struct page *page = alloc_page(GFP_KERNEL);
	struct bio_vec part = { .bv_page = page, .bv_len = 100 };
	struct letter letter;

	KUNIT_ASSERT_NOT_NULL(test, page);
	rule(test, LL_RPC_RULE_DUPLICATE, "*", 1, 0);
	letter_make(&letter, OST_WRITE);
	letter.tx.tx_bulk = &part;
	letter.tx.tx_bulk_nr = 1;
	letter.tx.tx_bulk_len = 100;
	letter.tx.tx_bulk_plain = true;
	/* The copy went; the message itself is for the caller to send. */
	KUNIT_EXPECT_FALSE(test, rules_take(conn, &letter.tx));
	KUNIT_EXPECT_EQ(test, nf.sent, 1);
	KUNIT_EXPECT_TRUE(test, nf.sent_plain);
	KUNIT_EXPECT_EQ(test, letter.done, 0);
	KUNIT_EXPECT_EQ(test, page_count(page), 1);
	nf.send_rc = -ENOTCONN;
	KUNIT_EXPECT_FALSE(test, rules_take(conn, &letter.tx));
	KUNIT_EXPECT_EQ(test, page_count(page), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&nf.counters[LNET_DUPLICATED]), 1);
	__free_page(page);
}

static void a_message_ends_its_connection(struct kunit *test)
{
	struct lnet_conn *conn = lnet_conn_get(net_fx_passive(test, NODE, 1));
	struct letter letter;

	rule(test, LL_RPC_RULE_RESET, "*", 1, 0);
	letter_make(&letter, OBD_PING);
	KUNIT_EXPECT_TRUE(test, rules_take(conn, &letter.tx));
	KUNIT_EXPECT_EQ(test, letter.rc, -ECONNRESET);
	KUNIT_EXPECT_EQ(test, conn->cn_error, -ECONNRESET);
	lnet_conn_put(conn);
}

/*
 * Who may connect.
 */

static bool may_connect(u32 a, u16 port)
{
	struct sockaddr_storage addr = {};
	struct sockaddr_in *in = (struct sockaddr_in *)&addr;

	in->sin_family = AF_INET;
	in->sin_addr.s_addr = htonl(a);
	in->sin_port = htons(port);
	return lnet_accepts(&addr);
}

static int set_networks(const char *text)
{
	return net_networks_set(text, strlen(text));
}

static void ports_say_who_may_connect(struct kunit *test)
{
	lnet_settings.lns_accept = LNET_ACCEPT_SECURE;
	KUNIT_EXPECT_TRUE(test, may_connect(0x0a010203, 1023));
	KUNIT_EXPECT_FALSE(test, may_connect(0x0a010203, 1024));
	lnet_settings.lns_accept = LNET_ACCEPT_ALL;
	KUNIT_EXPECT_TRUE(test, may_connect(0x0a010203, 65535));
	lnet_settings.lns_accept = LNET_ACCEPT_NONE;
	KUNIT_EXPECT_FALSE(test, may_connect(0x0a010203, 1));
}

static void networks_say_who_may_connect(struct kunit *test)
{
	static const struct {
		const char *text;
		u32 addr;
		bool may;
	} cases[] = {
		{ "any", 0x0a010203, true },
		{ "", 0x0a010203, true },
		{ "10.1.2.3", 0x0a010203, true },
		{ "10.1.2.3", 0x0a010204, false },
		{ "10.0.0.0/8", 0x0a010203, true },
		{ "10.0.0.0/8", 0x0b010203, false },
		{ "10.1.2.0/23", 0x0a010300, true },
		{ "10.1.2.0/23", 0x0a010400, false },
		{ "0.0.0.0/0", 0x0b010203, true },
		{ "::/0", 0x0b010203, false },
		{ "1.2.3.4/32, ::1 10.1.2.3/31", 0x0a010202, true },
	};
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(cases); n++) {
		KUNIT_EXPECT_EQ(test, set_networks(cases[n].text), 0);
		KUNIT_EXPECT_EQ_MSG(test, may_connect(cases[n].addr, 1000),
				    cases[n].may, "%s", cases[n].text);
	}
}

static void networks_read_back_as_they_are(struct kunit *test)
{
	static const struct {
		const char *text;
		int rc;
	} wrong[] = {
		{ "10.0.0.0/33", -ERANGE }, { "::/129", -ERANGE },
		{ "10.0.0.0/", -EINVAL }, { "10.0.0.0/x", -EINVAL },
		{ "10.0.0.0/0008", -EINVAL }, { "10.0.0/8", -EINVAL },
		{ "10.0.0.0@tcp/8", -EINVAL }, { "any 10.0.0.0/8", -EINVAL },
	};
	char buf[64];
	unsigned int n;

	KUNIT_EXPECT_EQ(test, set_networks(" 10.1.2.3/8,, 2001:db8::/32 "), 0);
	for (n = 0; n < ARRAY_SIZE(wrong); n++)
		KUNIT_EXPECT_EQ_MSG(test, set_networks(wrong[n].text), wrong[n].rc,
				    "%s", wrong[n].text);
	memset(buf, 0, sizeof(buf));
	KUNIT_EXPECT_EQ(test, net_networks_text(buf, sizeof(buf)), 24);
	KUNIT_EXPECT_STREQ(test, buf, "10.1.2.3/8 2001:db8::/32");
	KUNIT_EXPECT_EQ(test, net_networks_text(buf, 12), -EOVERFLOW);
	KUNIT_EXPECT_EQ(test, set_networks("any"), 0);
	memset(buf, 0, sizeof(buf));
	KUNIT_EXPECT_EQ(test, net_networks_text(buf, sizeof(buf)), 3);
	KUNIT_EXPECT_STREQ(test, buf, "any");
}

/*
 * NIDs.
 */

static void nids_are_sorted_and_the_last_has_to_go(struct kunit *test)
{
	static const char * const texts[] = {
		"10.0.0.9", "2001:db8::1", "10.0.0.1", "10.0.0.9", "192.0.2.1",
		"9.9.9.9",
	};
	static const char * const want[] = {
		"9.9.9.9@tcp", "10.0.0.1@tcp", "10.0.0.9@tcp",
	};
	struct lnet_nid nids[3], nid;
	struct nid_list list = { .nil_nids = nids, .nil_max = 3 };
	char text[LNET_NID_TEXT_MAX];
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(texts); n++) {
		nid = net_fx_nid(texts[n]);
		list_add_nid(&list, &nid);
	}
	KUNIT_EXPECT_EQ(test, list.nil_count, 5);
	for (n = 0; n < ARRAY_SIZE(want); n++) {
		libcfs_nid_print(&nids[n], text, sizeof(text));
		KUNIT_EXPECT_STREQ(test, text, want[n]);
	}
}

static void a_node_has_a_nid_whatever_it_has(struct kunit *test)
{
	struct lnet_nid nid;

	KUNIT_EXPECT_GE(test, lnet_nids(&init_net, &nid, 1), 1);
	KUNIT_EXPECT_EQ(test, nid.nid_type, LNET_TCP);
	KUNIT_EXPECT_GE(test, lnet_nids(&init_net, NULL, 0), 1);
	nid = net_fx_nid("192.0.2.77");
	KUNIT_EXPECT_FALSE(test, lnet_is_local(nf.net, &nid));
}

static struct kunit_case net_cases[] = {
	KUNIT_CASE(a_node_is_one_as_long_as_it_is_used),
	KUNIT_CASE(one_connects_and_all_have_it),
	KUNIT_CASE(what_fails_is_told_to_all_and_tried_again),
	KUNIT_CASE(who_gives_up_harms_nobody),
	KUNIT_CASE(the_active_connection_comes_first),
	KUNIT_CASE(a_node_that_connects_again_has_one_connection),
	KUNIT_CASE(a_node_that_restarted_has_no_older_connection),
	KUNIT_CASE(bulk_data_has_a_connection_when_it_needs_one),
	KUNIT_CASE(bulk_data_goes_with_the_rest_if_it_must),
	KUNIT_CASE(a_node_that_restarted_has_no_older_lanes),
	KUNIT_CASE(what_nobody_uses_is_closed),
	KUNIT_CASE(what_is_late_is_closed),
	KUNIT_CASE(what_is_half_received_for_long_is_closed),
	KUNIT_CASE(a_namespace_that_goes_away_closes_all),
	KUNIT_CASE(a_rule_is_for_some_messages),
	KUNIT_CASE(a_rule_that_makes_no_sense_is_refused),
	KUNIT_CASE(a_rule_ends_after_so_many_messages),
	KUNIT_CASE(a_rate_is_kept),
	KUNIT_CASE(a_late_message_goes_out_in_time),
	KUNIT_CASE(a_late_message_may_be_recalled),
	KUNIT_CASE(a_late_message_ends_with_its_connection),
	KUNIT_CASE(what_a_deleted_rule_holds_goes_out),
	KUNIT_CASE(a_message_goes_out_twice),
	KUNIT_CASE(a_message_ends_its_connection),
	KUNIT_CASE(ports_say_who_may_connect),
	KUNIT_CASE(networks_say_who_may_connect),
	KUNIT_CASE(networks_read_back_as_they_are),
	KUNIT_CASE(nids_are_sorted_and_the_last_has_to_go),
	KUNIT_CASE(a_node_has_a_nid_whatever_it_has),
	{}
};

static struct kunit_suite net_suite = {
	.name = "lnet",
	.suite_init = client_suite_init,
	.init = net_fixture_init,
	.exit = net_fixture_exit,
	.test_cases = net_cases,
};
kunit_test_suite(net_suite);

MODULE_DESCRIPTION("network: nodes, rules, who may connect");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
