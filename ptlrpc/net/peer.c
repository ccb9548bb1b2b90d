// SPDX-License-Identifier: GPL-2.0-only
/* Nodes: the table by NID, their addresses, and the connections of a node. */
#define DEBUG_SUBSYSTEM S_LNET

#include <linux/jhash.h>
#include <linux/kernel.h>
#include <linux/slab.h>

#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>

#include "conn.h"
#include "net.h"

/* After a failed attempt bulk data goes over the control connection for so long. */
#define LANE_RETRY	(30 * HZ)

/* The table. */

static struct hlist_head *peer_bucket(struct lnet *net,
				      const struct lnet_nid *nid)
{
	return &net->nn_peers[jhash(nid, sizeof(*nid), 0) %
			      LNET_PEER_BUCKETS];
}

/* A node in the table has a reference: the last put removes it. */
static struct lnet_peer *__peer_lookup(struct lnet *net,
				       const struct lnet_nid *nid)
{
	struct lnet_peer *peer;

	lockdep_assert_held(&net->nn_lock);
	hlist_for_each_entry(peer, peer_bucket(net, nid), lnp_item) {
		if (libcfs_nid_same(&peer->lnp_nid, nid))
			return lnet_peer_get(peer);
	}
	return NULL;
}

static struct hlist_head *addr_bucket(struct lnet *net,
				      const struct lnet_nid *addr)
{
	return &net->nn_addrs[jhash(addr, sizeof(*addr), 0) %
			      LNET_PEER_BUCKETS];
}

static struct net_addr *__addr_lookup(struct lnet *net,
				      const struct lnet_nid *nid)
{
	struct net_addr *addr;

	lockdep_assert_held(&net->nn_lock);
	hlist_for_each_entry(addr, addr_bucket(net, nid), na_item) {
		if (libcfs_nid_same(&addr->na_nid, nid))
			return addr;
	}
	return NULL;
}

static struct net_addr *addr_make(const struct lnet_nid *nid)
{
	struct net_addr *addr = libcfs_zalloc(sizeof(*addr), GFP_NOFS);
	unsigned int lane;

	if (!addr)
		return NULL;
	INIT_HLIST_NODE(&addr->na_item);
	addr->na_nid = *nid;
	addr->na_nid.nid_net = 0;
	addr->na_peers = 1;
	for (lane = 0; lane < LNET_LANES; lane++) {
		INIT_LIST_HEAD(&addr->na_memory[lane].am_waiters);
		INIT_LIST_HEAD(&addr->na_memory[lane].am_item);
	}
	return addr;
}

static struct lnet_peer *peer_make(struct lnet *net, const struct lnet_nid *nid)
{
	struct lnet_peer *peer = libcfs_zalloc(sizeof(*peer), GFP_NOFS);

	if (!peer)
		return NULL;
	peer->lnp_addr = addr_make(nid);
	if (!peer->lnp_addr) {
		libcfs_free(peer, sizeof(*peer));
		return NULL;
	}
	refcount_set(&peer->lnp_refcount, 1);
	INIT_HLIST_NODE(&peer->lnp_item);
	peer->lnp_net = lnet_get(net);
	peer->lnp_nid = *nid;
	spin_lock_init(&peer->lnp_lock);
	init_waitqueue_head(&peer->lnp_wait);
	return peer;
}

/* @addr: its address if this was the last node there, or NULL */
static void peer_free(struct lnet_peer *peer, struct net_addr *addr)
{
	struct lnet *net = peer->lnp_net;

	if (addr)
		libcfs_free(addr, sizeof(*addr));
	libcfs_free(peer, sizeof(*peer));
	lnet_put(net);
}

/* Add to the table. Return: the address allocated for it, if it is not needed. */
static struct net_addr *__peer_add(struct lnet *net, struct lnet_peer *peer)
{
	struct net_addr *own = peer->lnp_addr;
	struct net_addr *addr = __addr_lookup(net, &own->na_nid);

	hlist_add_head(&peer->lnp_item, peer_bucket(net, &peer->lnp_nid));
	net->nn_peer_count++;
	if (!addr) {
		hlist_add_head(&own->na_item, addr_bucket(net, &own->na_nid));
		return NULL;
	}
	addr->na_peers++;
	peer->lnp_addr = addr;
	return own;
}

/* Remove from the table. Return: its address, if this was the last node there. */
static struct net_addr *__peer_del(struct lnet *net, struct lnet_peer *peer)
{
	struct net_addr *addr = peer->lnp_addr;

	lockdep_assert_held(&net->nn_lock);
	hlist_del_init(&peer->lnp_item);
	net->nn_peer_count--;
	if (--addr->na_peers)
		return NULL;
	hlist_del_init(&addr->na_item);
	return addr;
}

/* The node found, or @made after adding it; or ERR_PTR. */
static struct lnet_peer *peer_insert(struct lnet *net, struct lnet_peer *made)
{
	struct net_addr *spare = NULL;
	struct lnet_peer *peer;

	spin_lock_bh(&net->nn_lock);
	peer = __peer_lookup(net, &made->lnp_nid);
	if (!peer && net->nn_stopping) {
		peer = ERR_PTR(-ENETDOWN);
	} else if (!peer) {
		spare = __peer_add(net, made);
		peer = made;
	}
	spin_unlock_bh(&net->nn_lock);
	if (spare)
		libcfs_free(spare, sizeof(*spare));
	return peer;
}

/**
 * net_peer_find() - the node at a NID, created if needed
 * @net: namespace
 * @nid: NID
 *
 * Context: may sleep
 * Return: node, referenced; ERR_PTR: -ENOMEM, -ENETDOWN, -EAFNOSUPPORT
 */
struct lnet_peer *net_peer_find(struct lnet *net, const struct lnet_nid *nid)
{
	struct lnet_peer *peer, *made;

	if (nid->nid_type != LNET_TCP)
		return ERR_PTR(-EAFNOSUPPORT);
	spin_lock_bh(&net->nn_lock);
	peer = __peer_lookup(net, nid);
	spin_unlock_bh(&net->nn_lock);
	if (peer)
		return peer;
	made = peer_make(net, nid);
	if (!made)
		return ERR_PTR(-ENOMEM);
	peer = peer_insert(net, made);
	if (peer != made)
		peer_free(made, made->lnp_addr);
	return peer;
}

/**
 * lnet_peer_find() - the node at a NID, created if needed
 * @ns: namespace
 * @nid: NID
 *
 * Context: may sleep
 * Return: node, referenced; ERR_PTR: -ENOMEM; -ENETDOWN if the namespace is
 *  going away; -EAFNOSUPPORT for a NID that is not of tcp
 */
struct lnet_peer *lnet_peer_find(struct net *ns, const struct lnet_nid *nid)
{
	struct lnet *net = lnet_find(ns);
	struct lnet_peer *peer;

	if (IS_ERR(net))
		return ERR_CAST(net);
	peer = net_peer_find(net, nid);
	lnet_put(net);
	return peer;
}

/**
 * lnet_peer_get() - take a reference
 * @peer: node, referenced
 *
 * Context: any
 * Return: @peer
 */
struct lnet_peer *lnet_peer_get(struct lnet_peer *peer)
{
	refcount_inc(&peer->lnp_refcount);
	return peer;
}

/**
 * lnet_peer_put() - drop a reference on a node
 * @peer: node
 *
 * Context: any task
 */
void lnet_peer_put(struct lnet_peer *peer)
{
	struct lnet *net = peer->lnp_net;
	struct net_addr *addr = NULL;
	bool last;

	if (refcount_dec_not_one(&peer->lnp_refcount))
		return;
	/* Lookups are under the lock, too. */
	spin_lock_bh(&net->nn_lock);
	last = refcount_dec_and_test(&peer->lnp_refcount);
	if (last)
		addr = __peer_del(net, peer);
	spin_unlock_bh(&net->nn_lock);
	if (last)
		peer_free(peer, addr);
}

/**
 * lnet_peer_nid() - the NID of a node
 * @peer: node
 *
 * Context: any
 * Return: NID; valid as long as the node
 */
const struct lnet_nid *lnet_peer_nid(const struct lnet_peer *peer)
{
	return &peer->lnp_nid;
}

/**
 * lnet_peer_net() - the namespace of a node
 * @peer: node
 *
 * Context: any
 * Return: namespace, not referenced: the caller has a device or a task in it
 */
struct net *lnet_peer_net(const struct lnet_peer *peer)
{
	return peer->lnp_net->nn_net;
}

/**
 * lnet_peer_refuses() - whether the other node has refused the connection
 * @peer: node; the last lnet_peer_connect() failed
 *
 * Context: any task
 * Return: true if it did so in its answer to HELLO; otherwise the error is this
 *  node's, or the network's
 */
bool lnet_peer_refuses(struct lnet_peer *peer)
{
	bool refused;

	spin_lock(&peer->lnp_lock);
	refused = peer->lnp_lanes[LNET_CONTROL].pel_refused;
	spin_unlock(&peer->lnp_lock);
	return refused;
}

/* Connections of a node. */

/**
 * __peer_conn() - the open connection of a lane, one made by this node first
 * @peer: node
 * @lane: lane
 *
 * Context: lnp_lock is held
 * Return: connection, referenced, or NULL
 */
struct lnet_conn *__peer_conn(struct lnet_peer *peer, enum lnet_lane lane)
{
	struct peer_lane *pl = &peer->lnp_lanes[lane];

	lockdep_assert_held(&peer->lnp_lock);
	if (pl->pel_active && lnet_conn_is_open(pl->pel_active))
		return lnet_conn_get(pl->pel_active);
	if (pl->pel_passive && lnet_conn_is_open(pl->pel_passive))
		return lnet_conn_get(pl->pel_passive);
	return NULL;
}

/*
 * No connection for bulk data is open: the control connection if it has to do, or else
 * -EINPROGRESS. @start: the caller has to start the attempt.
 */
static struct lnet_conn *__peer_bulk_conn(struct lnet_peer *peer, bool *start)
{
	struct lnet_conn *control = __peer_conn(peer, LNET_CONTROL);
	struct peer_lane *pl = &peer->lnp_lanes[LNET_BULK];

	if (!control || !test_bit(CNF_LANES, &control->cn_flags) ||
	    (pl->pel_failed && time_before(jiffies, pl->pel_failed + LANE_RETRY)))
		return control;
	/* Never the last reference: that of the namespace goes after it was unlinked. */
	lnet_conn_put(control);
	*start = !pl->pel_trying;
	pl->pel_trying = true;
	return ERR_PTR(-EINPROGRESS);
}

/**
 * lnet_peer_conn() - an open connection to a node for a lane
 * @peer: node
 * @lane: lane
 *
 * The first call for LNET_BULK starts to connect; no_connected() reports the end.
 *
 * Context: any task, without a lock
 * Return: connection, referenced; ERR_PTR: -ENOTCONN; -EINPROGRESS for LNET_BULK
 */
struct lnet_conn *lnet_peer_conn(struct lnet_peer *peer, enum lnet_lane lane)
{
	struct lnet_conn *conn;
	bool start = false;

	spin_lock(&peer->lnp_lock);
	conn = __peer_conn(peer, lane);
	if (!conn && lane == LNET_BULK)
		conn = __peer_bulk_conn(peer, &start);
	spin_unlock(&peer->lnp_lock);
	if (start)
		peer_try_start(peer, LNET_BULK);
	return conn ?: ERR_PTR(-ENOTCONN);
}

/**
 * __peer_try_ended() - an attempt to connect has ended
 * @pl: lane
 * @rc: result
 *
 * Context: lnp_lock is held; peer_try_notify() follows without it
 */
void __peer_try_ended(struct peer_lane *pl, int rc)
{
	pl->pel_starting = NULL;
	pl->pel_trying = false;
	pl->pel_error = pl->pel_abandoned ? -EAGAIN : rc;
	pl->pel_refused = false;
	pl->pel_abandoned = false;
	pl->pel_failed = rc ? jiffies ?: 1 : 0;
	pl->pel_tries++;
}

/**
 * peer_try_notify() - wake those that wait for the end of an attempt
 * @peer: node
 * @lane: lane
 *
 * Context: any task, without a lock
 */
void peer_try_notify(struct lnet_peer *peer, enum lnet_lane lane)
{
	wake_up_all(&peer->lnp_wait);
	if (lane == LNET_BULK)
		lnet_ops->no_connected(peer);
}

/*
 * Count a connection of the address of @peer. Return: 0; -EUSERS if there are
 * too many; @say: this is the first one refused.
 */
static int __addr_count(struct net_addr *addr, struct lnet_conn *conn, bool *say)
{
	*say = false;
	if (addr->na_conns[conn->cn_lane] >= READ_ONCE(lnet_settings.lns_conns_addr)) {
		*say = !addr->na_full_logged;
		addr->na_full_logged = true;
		return -EUSERS;
	}
	addr->na_conns[conn->cn_lane]++;
	set_bit(NCF_COUNTED, &conn_node(conn)->nc_flags);
	return 0;
}

static void addr_uncount(struct lnet_conn *conn)
{
	struct net_addr *addr = conn->cn_peer->lnp_addr;
	struct lnet *net = conn->cn_net;

	spin_lock_bh(&net->nn_lock);
	if (test_and_clear_bit(NCF_COUNTED, &conn_node(conn)->nc_flags)) {
		addr->na_conns[conn->cn_lane]--;
		addr->na_full_logged = false;
	}
	spin_unlock_bh(&net->nn_lock);
}

static void addr_full_say(const struct lnet_nid *nid)
{
	char text[LNET_NID_TEXT_MAX];

	if (libcfs_nid_print(nid, text, sizeof(text)) < 0)
		strscpy(text, "?", sizeof(text));
	CWARN("%s: connection refused: its address has %u open connections already (parameter ptlrpc.conns_addr_max)\n",
	      text, READ_ONCE(lnet_settings.lns_conns_addr));
}

/**
 * peer_conn_identify() - a passive connection's HELLO is valid
 * @conn: connection
 * @nid: NID; its address is that of the socket
 *
 * Context: may sleep
 * Return: 0; -ENOMEM, -ENETDOWN, -EAFNOSUPPORT; -EUSERS if the address has too
 *  many connections
 */
int peer_conn_identify(struct lnet_conn *conn, const struct lnet_nid *nid)
{
	struct lnet *net = conn->cn_net;
	struct lnet_peer *peer = net_peer_find(net, nid);
	bool say;
	int rc;

	if (IS_ERR(peer))
		return PTR_ERR(peer);
	/* Lists of connections read these. */
	spin_lock_bh(&net->nn_lock);
	rc = __addr_count(peer->lnp_addr, conn, &say);
	if (!rc) {
		atomic_inc(&peer->lnp_conns);
		conn->cn_nid = *nid;
		conn->cn_peer = peer;
	}
	spin_unlock_bh(&net->nn_lock);
	if (!rc)
		return 0;
	lnet_count(LNET_ADDR_FULL, 1);
	if (say)
		addr_full_say(nid);
	lnet_peer_put(peer);
	return rc;
}

/* Open connections of a node: of each lane, made by either end. */
#define PEER_CONNS	(2 * LNET_LANES)

/* Unlink what @slot has. Return: connections in @victims, referenced. */
static unsigned int __peer_drop(struct lnet_conn **slot, struct lnet_conn **victims,
				unsigned int count)
{
	if (*slot)
		victims[count++] = lnet_conn_get(*slot);
	*slot = NULL;
	return count;
}

/* The connections replaced by one that opened, referenced; at most PEER_CONNS. */
static unsigned int __peer_replace(struct lnet_peer *peer, struct lnet_conn *conn,
				   u64 incarnation, struct lnet_conn **victims)
{
	struct peer_lane *pl = &peer->lnp_lanes[conn->cn_lane];
	struct lnet_conn **mine = test_bit(CNF_PASSIVE, &conn->cn_flags) ?
				  &pl->pel_passive : &pl->pel_active;
	bool restarted = peer->lnp_incarnation != incarnation;
	unsigned int count = __peer_drop(mine, victims, 0);
	unsigned int lane;

	lockdep_assert_held(&peer->lnp_lock);
	for (lane = 0; restarted && lane < LNET_LANES; lane++) {
		pl = &peer->lnp_lanes[lane];
		count = __peer_drop(&pl->pel_active, victims, count);
		count = __peer_drop(&pl->pel_passive, victims, count);
		pl->pel_failed = 0;
	}
	*mine = conn;
	peer->lnp_incarnation = incarnation;
	return count;
}

/**
 * peer_conn_opened() - start using an open connection
 * @conn: connection
 * @incarnation: of the other end
 *
 * An older connection of the same lane, made by the same end, is closed: the node no longer has it.
 * So is every connection to an older incarnation of the node.
 *
 * Context: may sleep
 */
void peer_conn_opened(struct lnet_conn *conn, u64 incarnation)
{
	struct lnet_peer *peer = conn->cn_peer;
	struct peer_lane *pl = &peer->lnp_lanes[conn->cn_lane];
	struct lnet_conn *victims[PEER_CONNS];
	unsigned int count, n;

	net_conn_finished(conn);
	WRITE_ONCE(peer->lnp_heard, jiffies ?: 1);
	spin_lock(&peer->lnp_lock);
	count = __peer_replace(peer, conn, incarnation, victims);
	if (pl->pel_starting == conn)
		__peer_try_ended(pl, 0);
	spin_unlock(&peer->lnp_lock);
	peer_try_notify(peer, conn->cn_lane);
	for (n = 0; n < count; n++) {
		lnet_conn_close(victims[n], -ECONNRESET);
		lnet_conn_put(victims[n]);
	}
}

/* Unlink the connection from a node that no longer uses it. */
static void peer_unlink_conn(struct lnet_peer *peer, struct lnet_conn *conn)
{
	struct peer_lane *pl = &peer->lnp_lanes[conn->cn_lane];
	bool tried;

	spin_lock(&peer->lnp_lock);
	if (pl->pel_active == conn)
		pl->pel_active = NULL;
	if (pl->pel_passive == conn)
		pl->pel_passive = NULL;
	tried = pl->pel_starting == conn;
	if (tried) {
		__peer_try_ended(pl, conn->cn_error ?: -ECONNRESET);
		pl->pel_refused = conn_private(conn)->cp_refused;
	}
	spin_unlock(&peer->lnp_lock);
	if (tried)
		peer_try_notify(peer, conn->cn_lane);
	atomic_dec(&peer->lnp_conns);
}

/**
 * peer_conn_closed() - a connection is closed, and the layer above was notified
 * @conn: connection
 *
 * Context: may sleep
 */
void peer_conn_closed(struct lnet_conn *conn)
{
	lnet_peer_charge_cancel(conn);
	if (conn->cn_peer) {
		addr_uncount(conn);
		peer_unlink_conn(conn->cn_peer, conn);
	}
	net_conn_del(conn);
}
