// SPDX-License-Identifier: GPL-2.0-only
/*
 * The connections of a network namespace: the list that references them from
 * start to end, and closing of late and idle ones.
 */
#define DEBUG_SUBSYSTEM S_LNET

#include <linux/kernel.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "conn.h"
#include "net.h"

/* Connections collected in one pass over the list. */
#define CLOSE_BATCH	16
/* Period of the check for late and idle connections. */
#define SWEEP_PERIOD	HZ
/* Period of the messages while the end of a namespace waits. */
#define END_COMPLAIN	(10 * HZ)

/* Initialize a connection's part of its namespace. */
void net_conn_init(struct net_conn *node, struct lnet_conn *conn)
{
	node->nc_conn = conn;
	INIT_LIST_HEAD(&node->nc_net_item);
	INIT_LIST_HEAD(&node->nc_unfinished_item);
	INIT_LIST_HEAD(&node->nc_memory_item);
	node->nc_made = jiffies;
}

/**
 * __net_conn_add() - add a new connection to the list, which takes a reference
 * @net: namespace
 * @conn: connection
 *
 * Context: nn_lock is held
 * Return: false if the namespace is going away
 */
bool __net_conn_add(struct lnet *net, struct lnet_conn *conn)
{
	lockdep_assert_held(&net->nn_lock);
	if (net->nn_stopping)
		return false;
	list_add_tail(&conn_node(conn)->nc_net_item, &net->nn_conns);
	lnet_conn_get(conn);
	queue_delayed_work(lnet_wq, &net->nn_sweep, SWEEP_PERIOD);
	return true;
}

static void unfinished_del(struct lnet *net, struct net_conn *node)
{
	lockdep_assert_held(&net->nn_lock);
	if (list_empty(&node->nc_unfinished_item))
		return;
	list_del_init(&node->nc_unfinished_item);
	net->nn_unfinished_count--;
}

/**
 * net_conn_finished() - a connection is open
 * @conn: connection
 *
 * Context: any but hard interrupt
 */
void net_conn_finished(struct lnet_conn *conn)
{
	struct lnet *net = conn->cn_net;

	spin_lock_bh(&net->nn_lock);
	unfinished_del(net, conn_node(conn));
	spin_unlock_bh(&net->nn_lock);
}

/**
 * net_conn_del() - a connection is closed: drop the list's reference
 * @conn: connection
 *
 * Context: may sleep
 */
void net_conn_del(struct lnet_conn *conn)
{
	struct net_conn *node = conn_node(conn);
	struct lnet *net = conn->cn_net;
	bool listed;

	spin_lock_bh(&net->nn_lock);
	unfinished_del(net, node);
	listed = !list_empty(&node->nc_net_item);
	list_del_init(&node->nc_net_item);
	if (list_empty(&net->nn_conns))
		wake_up_all(&net->nn_wait);
	spin_unlock_bh(&net->nn_lock);
	if (listed)
		lnet_conn_put(conn);
}

/* At most CLOSE_BATCH that match and are not closing yet, referenced. */
static unsigned int conns_collect(struct lnet *net, net_match_t *match,
				  void *arg, struct lnet_conn **batch)
{
	struct net_conn *node;
	unsigned int count = 0;

	spin_lock_bh(&net->nn_lock);
	list_for_each_entry(node, &net->nn_conns, nc_net_item) {
		if (count == CLOSE_BATCH)
			break;
		if (test_bit(NCF_CLOSED, &node->nc_flags) ||
		    !match(node->nc_conn, arg))
			continue;
		set_bit(NCF_CLOSED, &node->nc_flags);
		batch[count++] = lnet_conn_get(node->nc_conn);
	}
	spin_unlock_bh(&net->nn_lock);
	return count;
}

/**
 * net_conns_close() - close some connections of a namespace
 * @net: namespace
 * @match: selects them; called under nn_lock
 * @arg: argument of @match
 * @rc: reason
 *
 * Context: may sleep; does not wait for them
 */
void net_conns_close(struct lnet *net, net_match_t *match, void *arg, int rc)
{
	struct lnet_conn *batch[CLOSE_BATCH];
	unsigned int count, n;

	do {
		count = conns_collect(net, match, arg, batch);
		for (n = 0; n < count; n++) {
			lnet_conn_close(batch[n], rc);
			lnet_conn_put(batch[n]);
		}
	} while (count == CLOSE_BATCH);
}

static bool match_all(struct lnet_conn *conn, void *arg)
{
	return true;
}

static bool match_nid(struct lnet_conn *conn, void *arg)
{
	return libcfs_nid_same(&conn->cn_nid, arg);
}

/**
 * lnet_reset() - close the connections to one node or to all
 * @ns: namespace
 * @nid: node, or NULL for all
 *
 * Context: may sleep; does not wait for them
 */
void lnet_reset(struct net *ns, const struct lnet_nid *nid)
{
	struct lnet *net = lnet_lookup(ns);
	struct lnet_nid copy;

	if (!net)
		return;
	if (nid) {
		copy = *nid;
		net_conns_close(net, match_nid, &copy, -ECONNRESET);
	} else {
		net_conns_close(net, match_all, NULL, -ECONNRESET);
	}
	lnet_put(net);
}
EXPORT_FOR_KUNIT(lnet_reset);

static bool match_late(struct lnet_conn *conn, void *arg)
{
	unsigned long limit = READ_ONCE(lnet_settings.lns_hello_timeout) * HZ;

	return READ_ONCE(conn->cn_state) < CONN_OPEN &&
	       time_after(jiffies, conn_node(conn)->nc_made + limit);
}

/*
 * Only the namespace's list references it, and the other end in this kernel if there is
 * one; only connections reference its node.
 */
static bool is_unused(const struct lnet_conn *conn)
{
	unsigned int holders = conn_is_local(conn) ? 2 : 1;
	const struct lnet_peer *peer = conn->cn_peer;

	return refcount_read(&conn->cn_refcount) == holders && peer &&
	       refcount_read(&peer->lnp_refcount) <=
	       atomic_read(&peer->lnp_conns);
}

static bool match_idle(struct lnet_conn *conn, void *arg)
{
	unsigned long limit = READ_ONCE(lnet_settings.lns_conn_idle) * HZ;
	unsigned long since;

	return limit && lnet_conn_is_open(conn) && is_unused(conn) &&
	       conn_is_idle(conn, &since) && time_after(jiffies, since + limit);
}

static bool match_late_counted(struct lnet_conn *conn, void *arg)
{
	if (!match_late(conn, arg))
		return false;
	lnet_count(LNET_HELLO_TIMEOUT, 1);
	return true;
}

/* Closing frees the memory that a half-received request holds. */
static bool match_half_received(struct lnet_conn *conn, void *arg)
{
	char nid[LNET_NID_TEXT_MAX];

	if (!lnet_conn_is_open(conn) || !conn_rx_is_late(conn))
		return false;
	lnet_count(LNET_RX_TIMEOUT, 1);
	if (libcfs_nid_print(&conn->cn_nid, nid, sizeof(nid)) < 0)
		strscpy(nid, "?", sizeof(nid));
	CWARN("%s: timed out reading the rest of a message, closing the connection\n",
	      nid);
	return true;
}

static void net_sweep(struct work_struct *work)
{
	struct lnet *net = container_of(to_delayed_work(work), struct lnet,
					nn_sweep);
	bool again;

	net_conns_close(net, match_late_counted, NULL, -ETIMEDOUT);
	net_conns_close(net, match_half_received, NULL, -ETIMEDOUT);
	net_conns_close(net, match_idle, NULL, -ESHUTDOWN);
	spin_lock_bh(&net->nn_lock);
	again = !net->nn_stopping && !list_empty(&net->nn_conns);
	if (again)
		queue_delayed_work(lnet_wq, &net->nn_sweep, SWEEP_PERIOD);
	spin_unlock_bh(&net->nn_lock);
}

static bool conns_gone(struct lnet *net)
{
	bool gone;

	spin_lock_bh(&net->nn_lock);
	gone = list_empty(&net->nn_conns);
	spin_unlock_bh(&net->nn_lock);
	return gone;
}

/**
 * net_conns_end() - close all connections and wait for their end
 * @net: namespace, nn_stopping
 *
 * Context: may sleep; waits for no other node
 */
void net_conns_end(struct lnet *net)
{
	cancel_delayed_work_sync(&net->nn_sweep);
	net_conns_close(net, match_all, NULL, -ENETDOWN);
	while (!wait_event_timeout(net->nn_wait, conns_gone(net), END_COMPLAIN))
		CWARN("network: still waits for connections to be closed\n");
}

/* Constructor. */
void net_conns_init(struct lnet *net)
{
	INIT_LIST_HEAD(&net->nn_conns);
	INIT_LIST_HEAD(&net->nn_unfinished);
	init_waitqueue_head(&net->nn_wait);
	INIT_DEFERRABLE_WORK(&net->nn_sweep, net_sweep);
}
