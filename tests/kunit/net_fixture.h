/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Nodes, memory, rules and networks with nothing below them: the files of ptlrpc
 * are compiled in here, and connections are the case's own. They open when the case
 * says so, close at once, and keep what is sent on them.
 */
#ifndef _KUNIT_NET_FIXTURE_H
#define _KUNIT_NET_FIXTURE_H

#include "fixture.h"

#undef EXPORT_SYMBOL_NS_GPL
#define EXPORT_SYMBOL_NS_GPL(symbol, ns)

#include "../../ptlrpc/net/held.c"
#include "../../ptlrpc/net/net.c"
#include "../../ptlrpc/net/access.c"
#include "../../ptlrpc/net/conns.c"
#include "../../ptlrpc/net/memory.c"
#include "../../ptlrpc/net/nids.c"
#include "../../ptlrpc/net/peer.c"
#include "../../ptlrpc/net/peer_connect.c"
#include "../../ptlrpc/net/rules.c"
#include "../../ptlrpc/net/tx_copy.c"

static struct net_fx {
	struct lnet	*net;
	unsigned int	made;		/* connections */
	unsigned int	started;
	unsigned int	freed;
	unsigned int	resumed;
	unsigned int	sent;		/* messages that went out */
	bool		sent_plain;	/* tx_bulk_plain of the last one */
	unsigned int	connected;	/* calls of no_connected() */
	int		make_rc;	/* what conn_make() fails with */
	int		identify_rc;	/* what peer_conn_identify() is to return */
	int		send_rc;	/* what conn_send_now() fails with */
	struct lnet_conn	*last;		/* the connection that was started last */
	struct lnet_conn	*late;		/* has a message that is half read */
	atomic_t	counters[LNET_COUNTER_COUNT];
	wait_queue_head_t wq;
} nf;

struct lnet_settings lnet_settings;

/*
 * What the rest of the network is asked for.
 */

void lnet_count(enum lnet_counter counter, u64 value)
{
	atomic_add(value, &nf.counters[counter]);
}

void net_listener_init(struct lnet *net)
{
}

void net_listener_stop(struct lnet *net)
{
}

int net_params_init(void)
{
	return 0;
}

void net_params_exit(void)
{
}

int net_stats_init(void)
{
	return 0;
}

void net_stats_exit(void)
{
}

int net_ioctl_init(void)
{
	return 0;
}

void net_ioctl_exit(void)
{
}

void conn_wait_freed(void)
{
}

/* IPv4 only. */
int lnet_nid_from_sockaddr(const struct sockaddr_storage *addr, u16 net,
			   struct lnet_nid *nid)
{
	const struct sockaddr_in *in = (const struct sockaddr_in *)addr;

	if (addr->ss_family != AF_INET)
		return -EAFNOSUPPORT;
	memset(nid, 0, sizeof(*nid));
	nid->nid_type = LNET_TCP;
	nid->nid_net = net;
	nid->nid_len = sizeof(in->sin_addr);
	memcpy(nid->nid_addr, &in->sin_addr, sizeof(in->sin_addr));
	return 0;
}

static void net_fx_connected(struct lnet_peer *peer)
{
	nf.connected++;
}

static const struct lnet_ops net_fx_ops = {
	.no_connected = net_fx_connected,
};

/*
 * Connections.
 */

struct lnet_conn *lnet_conn_get(struct lnet_conn *conn)
{
	refcount_inc(&conn->cn_refcount);
	return conn;
}

void lnet_conn_put(struct lnet_conn *conn)
{
	if (!refcount_dec_and_test(&conn->cn_refcount))
		return;
	if (conn->cn_peer)
		lnet_peer_put(conn->cn_peer);
	lnet_put(conn->cn_net);
	libcfs_free(conn_private(conn), sizeof(struct lnet_conn_private));
	nf.freed++;
}

struct lnet_conn *conn_make(struct lnet *net, struct lnet_peer *peer,
			    struct socket *sock)
{
	struct lnet_conn_private *cp;

	if (nf.make_rc)
		return ERR_PTR(nf.make_rc);
	cp = libcfs_zalloc(sizeof(*cp), GFP_KERNEL);
	if (!cp)
		return ERR_PTR(-ENOMEM);
	refcount_set(&cp->cp_conn.cn_refcount, 1);
	spin_lock_init(&cp->cp_conn.cn_lock);
	cp->cp_conn.cn_net = lnet_get(net);
	if (peer) {
		cp->cp_conn.cn_peer = lnet_peer_get(peer);
		cp->cp_conn.cn_nid = *lnet_peer_nid(peer);
	} else {
		set_bit(CNF_PASSIVE, &cp->cp_conn.cn_flags);
	}
	/* Or the next sweep finds it idle. */
	cp->cp_last = jiffies;
	net_conn_init(&cp->cp_node, &cp->cp_conn);
	nf.made++;
	return &cp->cp_conn;
}

void conn_start(struct lnet_conn *conn)
{
	nf.started++;
	WRITE_ONCE(nf.last, conn);
	wake_up_all(&nf.wq);
}

void lnet_conn_close(struct lnet_conn *conn, int rc)
{
	bool first;

	spin_lock_bh(&conn->cn_lock);
	first = conn->cn_state < CONN_CLOSING;
	if (first) {
		conn->cn_state = CONN_CLOSED;
		conn->cn_error = rc;
	}
	spin_unlock_bh(&conn->cn_lock);
	if (!first)
		return;
	rules_conn_closing(conn);
	peer_conn_closed(conn);
}

void lnet_conn_resume(struct lnet_conn *conn)
{
	nf.resumed++;
}

bool conn_rx_is_late(struct lnet_conn *conn)
{
	return nf.late == conn;
}

bool conn_is_idle(struct lnet_conn *conn, unsigned long *since)
{
	*since = conn_private(conn)->cp_last;
	return true;
}

int conn_send_now(struct lnet_conn *conn, struct lnet_tx *tx)
{
	if (nf.send_rc)
		return nf.send_rc;
	nf.sent++;
	nf.sent_plain = tx->tx_bulk_plain;
	spin_lock_bh(&conn->cn_lock);
	tx->tx_state = LNET_TX_IDLE;
	spin_unlock_bh(&conn->cn_lock);
	tx->tx_done(tx, 0);
	wake_up_all(&nf.wq);
	return 0;
}

/*
 * For cases.
 */

static struct lnet_nid net_fx_nid(const char *text)
{
	struct lnet_nid nid;

	if (libcfs_nid_parse(text, strlen(text), &nid, NULL))
		memset(&nid, 0, sizeof(nid));
	return nid;
}

static struct lnet_peer * __maybe_unused
net_fx_peer(struct kunit *test, const char *text)
{
	struct lnet_nid nid = net_fx_nid(text);
	struct lnet_peer *peer = net_peer_find(nf.net, &nid);

	KUNIT_ASSERT_FALSE(test, IS_ERR(peer));
	return peer;
}

static void net_fx_open(struct lnet_conn *conn, u64 incarnation)
{
	WRITE_ONCE(conn->cn_state, CONN_OPEN);
	peer_conn_opened(conn, incarnation);
}

/* An open passive connection of a node; the namespace's list has it. */
static struct lnet_conn *net_fx_passive_lane(struct kunit *test, const char *text,
					     u64 incarnation, enum lnet_lane lane)
{
	struct lnet_conn *conn = conn_make(nf.net, NULL, NULL);
	struct lnet_nid nid = net_fx_nid(text);
	bool added;

	KUNIT_ASSERT_FALSE(test, IS_ERR(conn));
	conn->cn_lane = lane;
	spin_lock_bh(&nf.net->nn_lock);
	added = __net_conn_add(nf.net, conn);
	spin_unlock_bh(&nf.net->nn_lock);
	KUNIT_ASSERT_TRUE(test, added);
	KUNIT_ASSERT_EQ(test, peer_conn_identify(conn, &nid), nf.identify_rc);
	if (nf.identify_rc)
		lnet_conn_close(conn, nf.identify_rc);
	else
		net_fx_open(conn, incarnation);
	lnet_conn_put(conn);
	return conn;
}

static struct lnet_conn * __maybe_unused
net_fx_passive(struct kunit *test, const char *text, u64 incarnation)
{
	return net_fx_passive_lane(test, text, incarnation, LNET_CONTROL);
}

static int net_fixture_init(struct kunit *test)
{
	int rc = fixture_init(test);

	if (rc)
		return rc;
	memset(&nf, 0, sizeof(nf));
	init_waitqueue_head(&nf.wq);
	lnet_ops = &net_fx_ops;
	lnet_settings = (struct lnet_settings) {
		.lns_memory = 4000,
		.lns_peer_memory = 1000,
		.lns_hello_timeout = 10,
		.lns_conn_idle = 60,
		.lns_conns_addr = 4,
	};
	lnet_wq = alloc_workqueue("kunit_net", WQ_UNBOUND, 0);
	if (!lnet_wq)
		return -ENOMEM;
	nf.net = net_make(&init_net);
	return nf.net ? 0 : -ENOMEM;
}

static void net_fixture_exit(struct kunit *test)
{
	if (nf.net) {
		net_stop(nf.net);
		KUNIT_EXPECT_EQ(test, nf.net->nn_peer_count, 0);
		KUNIT_EXPECT_EQ(test, refcount_read(&nf.net->nn_refcount), 1);
		KUNIT_EXPECT_EQ(test, nf.made, nf.freed);
		lnet_put(nf.net);
	}
	if (lnet_wq)
		destroy_workqueue(lnet_wq);
	lnet_wq = NULL;
	net_networks_free();
	KUNIT_EXPECT_EQ(test, memory_lanes[LNET_CONTROL].lam_used, 0ULL);
	KUNIT_EXPECT_EQ(test, memory_lanes[LNET_BULK].lam_used, 0ULL);
	fixture_exit(test);
}

#endif /* _KUNIT_NET_FIXTURE_H */
