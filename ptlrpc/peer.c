// SPDX-License-Identifier: GPL-2.0
/*
 * Nodes: the table by NID, and the connections that a node has.
 */
#define DEBUG_SUBSYSTEM S_LNET

#include <linux/jhash.h>
#include <linux/kernel.h>
#include <linux/slab.h>

#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>

#include "conn.h"
#include "net_internal.h"

/* How often a wait looks whether it was cancelled. */
#define CANCEL_PERIOD	(HZ / 10)

/*
 * The table.
 */

static struct hlist_head *peer_bucket(struct ll_net *net,
				      const struct ll_nid *nid)
{
	return &net->nn_peers[jhash(nid, sizeof(*nid), 0) %
			      LL_NET_PEER_BUCKETS];
}

/* Whatever is in the table has a reference: it leaves with the last one. */
static struct ll_peer *__peer_lookup(struct ll_net *net,
				     const struct ll_nid *nid)
{
	struct ll_peer *peer;

	lockdep_assert_held(&net->nn_lock);
	hlist_for_each_entry(peer, peer_bucket(net, nid), pe_item) {
		if (libcfs_nid_same(&peer->pe_nid, nid))
			return ll_peer_get(peer);
	}
	return NULL;
}

static struct ll_peer *peer_make(struct ll_net *net, const struct ll_nid *nid)
{
	struct ll_peer *peer = libcfs_zalloc(sizeof(*peer), GFP_NOFS);

	if (!peer)
		return NULL;
	refcount_set(&peer->pe_refcount, 1);
	INIT_HLIST_NODE(&peer->pe_item);
	peer->pe_net = ll_net_get(net);
	peer->pe_nid = *nid;
	spin_lock_init(&peer->pe_lock);
	init_waitqueue_head(&peer->pe_wait);
	return peer;
}

static void peer_free(struct ll_peer *peer)
{
	struct ll_net *net = peer->pe_net;

	libcfs_free(peer, sizeof(*peer));
	ll_net_put(net);
}

/* The one that is there, or @made, which is in the table then; or ERR_PTR. */
static struct ll_peer *peer_insert(struct ll_net *net, struct ll_peer *made)
{
	struct ll_peer *peer;

	spin_lock_bh(&net->nn_lock);
	peer = __peer_lookup(net, &made->pe_nid);
	if (!peer && net->nn_stopping) {
		peer = ERR_PTR(-ENETDOWN);
	} else if (!peer) {
		hlist_add_head(&made->pe_item,
			       peer_bucket(net, &made->pe_nid));
		net->nn_peer_count++;
		peer = made;
	}
	spin_unlock_bh(&net->nn_lock);
	return peer;
}

/**
 * net_peer_find() - the node at a NID, made if there is none
 * @net: namespace
 * @nid: NID
 *
 * Context: may sleep
 * Return: node, referenced; ERR_PTR: -ENOMEM, -ENETDOWN, -EAFNOSUPPORT
 */
struct ll_peer *net_peer_find(struct ll_net *net, const struct ll_nid *nid)
{
	struct ll_peer *peer, *made;

	if (nid->nid_type != LL_NET_TCP)
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
		peer_free(made);
	return peer;
}

/**
 * ll_peer_find() - the node at a NID, made if there is none
 * @ns: namespace
 * @nid: NID
 *
 * Context: may sleep
 * Return: node, referenced; ERR_PTR: -ENOMEM; -ENETDOWN when the network of that
 * namespace is going away; -EAFNOSUPPORT for what is no NID of tcp
 */
struct ll_peer *ll_peer_find(struct net *ns, const struct ll_nid *nid)
{
	struct ll_net *net = ll_net_find(ns);
	struct ll_peer *peer;

	if (IS_ERR(net))
		return ERR_CAST(net);
	peer = net_peer_find(net, nid);
	ll_net_put(net);
	return peer;
}
EXPORT_SYMBOL_NS_GPL(ll_peer_find, LUSTRE_LITE);

/**
 * ll_peer_get() - another reference on a node
 * @peer: node, referenced
 *
 * Context: any
 * Return: @peer
 */
struct ll_peer *ll_peer_get(struct ll_peer *peer)
{
	refcount_inc(&peer->pe_refcount);
	return peer;
}
EXPORT_SYMBOL_NS_GPL(ll_peer_get, LUSTRE_LITE);

/**
 * ll_peer_put() - drop a reference on a node
 * @peer: node
 *
 * Context: any but hard interrupt
 */
void ll_peer_put(struct ll_peer *peer)
{
	struct ll_net *net = peer->pe_net;
	bool last = false;

	local_bh_disable();
	if (refcount_dec_and_lock(&peer->pe_refcount, &net->nn_lock)) {
		hlist_del_init(&peer->pe_item);
		net->nn_peer_count--;
		spin_unlock(&net->nn_lock);
		last = true;
	}
	local_bh_enable();
	if (last)
		peer_free(peer);
}
EXPORT_SYMBOL_NS_GPL(ll_peer_put, LUSTRE_LITE);

/**
 * ll_peer_nid() - the NID of a node
 * @peer: node
 *
 * Context: any
 * Return: NID; good as long as the node is
 */
const struct ll_nid *ll_peer_nid(const struct ll_peer *peer)
{
	return &peer->pe_nid;
}
EXPORT_SYMBOL_NS_GPL(ll_peer_nid, LUSTRE_LITE);

/**
 * ll_peer_net() - the namespace in which a node was named
 * @peer: node
 *
 * Context: any
 * Return: namespace; nobody keeps it but who has a device or a task in it
 */
struct net *ll_peer_net(const struct ll_peer *peer)
{
	return peer->pe_net->nn_net;
}
EXPORT_SYMBOL_NS_GPL(ll_peer_net, LUSTRE_LITE);

/**
 * ll_peer_incarnation() - number of a node's life
 * @peer: node
 *
 * Context: any but hard interrupt
 * Return: what it said when it last connected or was connected to; 0: it never was
 */
u64 ll_peer_incarnation(struct ll_peer *peer)
{
	u64 incarnation;

	spin_lock_bh(&peer->pe_lock);
	incarnation = peer->pe_incarnation;
	spin_unlock_bh(&peer->pe_lock);
	return incarnation;
}
EXPORT_SYMBOL_NS_GPL(ll_peer_incarnation, LUSTRE_LITE);

/*
 * Connections of a node.
 */

static struct ll_conn *__peer_conn(struct ll_peer *peer)
{
	lockdep_assert_held(&peer->pe_lock);
	if (peer->pe_active && ll_conn_is_open(peer->pe_active))
		return ll_conn_get(peer->pe_active);
	if (peer->pe_passive && ll_conn_is_open(peer->pe_passive))
		return ll_conn_get(peer->pe_passive);
	return NULL;
}

/**
 * ll_peer_conn() - an open connection to a node: of this node's making first
 * @peer: node
 *
 * Context: any but hard interrupt
 * Return: connection, referenced, or NULL
 */
struct ll_conn *ll_peer_conn(struct ll_peer *peer)
{
	struct ll_conn *conn;

	spin_lock_bh(&peer->pe_lock);
	conn = __peer_conn(peer);
	spin_unlock_bh(&peer->pe_lock);
	return conn;
}
EXPORT_SYMBOL_NS_GPL(ll_peer_conn, LUSTRE_LITE);

/* The try to connect has ended, with @conn or before there was one. */
static void __peer_try_ended(struct ll_peer *peer, int rc)
{
	lockdep_assert_held(&peer->pe_lock);
	peer->pe_starting = NULL;
	peer->pe_trying = false;
	peer->pe_error = peer->pe_abandoned ? -EAGAIN : rc;
	peer->pe_abandoned = false;
	peer->pe_tries++;
}

/**
 * peer_conn_identify() - the other end of a passive connection said who it is
 * @conn: connection
 * @nid: NID
 *
 * Context: may sleep
 * Return: 0; -ENOMEM, -ENETDOWN, -EAFNOSUPPORT
 */
int peer_conn_identify(struct ll_conn *conn, const struct ll_nid *nid)
{
	struct ll_net *net = conn->cn_net;
	struct ll_peer *peer = net_peer_find(net, nid);

	if (IS_ERR(peer))
		return PTR_ERR(peer);
	atomic_inc(&peer->pe_conns);
	/* Lists of connections look at these. */
	spin_lock_bh(&net->nn_lock);
	conn->cn_nid = *nid;
	conn->cn_peer = peer;
	spin_unlock_bh(&net->nn_lock);
	return 0;
}

/* Who is not wanted beside a connection that opened, referenced. */
static unsigned int __peer_replace(struct ll_peer *peer, struct ll_conn *conn,
				   u64 incarnation, struct ll_conn **victims)
{
	bool passive = test_bit(CNF_PASSIVE, &conn->cn_flags);
	struct ll_conn **mine = passive ? &peer->pe_passive : &peer->pe_active;
	struct ll_conn **other = passive ? &peer->pe_active : &peer->pe_passive;
	bool reborn = peer->pe_incarnation != incarnation;
	unsigned int count = 0;

	lockdep_assert_held(&peer->pe_lock);
	if (*mine)
		victims[count++] = ll_conn_get(*mine);
	*mine = conn;
	if (*other && reborn) {
		victims[count++] = ll_conn_get(*other);
		*other = NULL;
	}
	peer->pe_incarnation = incarnation;
	return count;
}

/**
 * peer_conn_opened() - a connection is open: use it
 * @conn: connection
 * @incarnation: what the other end said
 *
 * An older connection of the same kind is closed: the node has forgotten it. So is
 * every one to an older life of the node.
 *
 * Context: may sleep
 */
void peer_conn_opened(struct ll_conn *conn, u64 incarnation)
{
	struct ll_peer *peer = conn->cn_peer;
	struct ll_conn *victims[2];
	unsigned int count, n;

	net_conn_finished(conn);
	WRITE_ONCE(peer->pe_heard, jiffies ?: 1);
	spin_lock_bh(&peer->pe_lock);
	count = __peer_replace(peer, conn, incarnation, victims);
	if (peer->pe_starting == conn)
		__peer_try_ended(peer, 0);
	spin_unlock_bh(&peer->pe_lock);
	wake_up_all(&peer->pe_wait);
	for (n = 0; n < count; n++) {
		ll_conn_close(victims[n], -ECONNRESET);
		ll_conn_put(victims[n]);
	}
}

/* A node that is not used any more forgets its connection. */
static void peer_forget(struct ll_peer *peer, struct ll_conn *conn)
{
	spin_lock_bh(&peer->pe_lock);
	if (peer->pe_active == conn)
		peer->pe_active = NULL;
	if (peer->pe_passive == conn)
		peer->pe_passive = NULL;
	if (peer->pe_starting == conn)
		__peer_try_ended(peer, conn->cn_error ?: -ECONNRESET);
	spin_unlock_bh(&peer->pe_lock);
	wake_up_all(&peer->pe_wait);
	atomic_dec(&peer->pe_conns);
}

/**
 * peer_conn_closed() - a connection is closed, and nobody above is told any more
 * @conn: connection
 *
 * Context: may sleep
 */
void peer_conn_closed(struct ll_conn *conn)
{
	net_memory_forget(conn);
	if (conn->cn_peer)
		peer_forget(conn->cn_peer, conn);
	net_conn_del(conn);
}

/*
 * Connecting: one task makes the connection, all wait for what comes of it.
 */

static void try_failed(struct ll_peer *peer, int rc)
{
	spin_lock_bh(&peer->pe_lock);
	__peer_try_ended(peer, rc);
	spin_unlock_bh(&peer->pe_lock);
	wake_up_all(&peer->pe_wait);
}

/* False: the namespace is going away. */
static bool try_add(struct ll_peer *peer, struct ll_conn *conn)
{
	struct ll_net *net = peer->pe_net;
	bool added;

	spin_lock_bh(&net->nn_lock);
	added = __net_conn_add(net, conn);
	if (added) {
		atomic_inc(&peer->pe_conns);
		spin_lock(&peer->pe_lock);
		peer->pe_starting = conn;
		spin_unlock(&peer->pe_lock);
	}
	spin_unlock_bh(&net->nn_lock);
	return added;
}

/* Make the connection that pe_trying stands for. */
static void try_start(struct ll_peer *peer)
{
	struct ll_conn *conn = conn_make(peer->pe_net, peer, NULL);

	if (IS_ERR(conn)) {
		try_failed(peer, PTR_ERR(conn));
		return;
	}
	if (try_add(peer, conn))
		conn_start(conn);
	else
		try_failed(peer, -ENETDOWN);
	ll_conn_put(conn);
}

/* Join the try that is under way, or begin one. Return: which try to wait for. */
static u32 try_join(struct ll_peer *peer)
{
	bool begin;
	u32 tries;

	spin_lock_bh(&peer->pe_lock);
	tries = peer->pe_tries;
	begin = !peer->pe_trying;
	peer->pe_trying = true;
	peer->pe_waiters++;
	spin_unlock_bh(&peer->pe_lock);
	if (begin)
		try_start(peer);
	return tries;
}

/* Wait no longer; with nobody left to wait for it, an unfinished try is ended. */
static void try_leave(struct ll_peer *peer, int rc)
{
	struct ll_conn *conn = NULL;

	spin_lock_bh(&peer->pe_lock);
	if (!--peer->pe_waiters && rc && peer->pe_starting) {
		conn = ll_conn_get(peer->pe_starting);
		peer->pe_abandoned = true;
	}
	spin_unlock_bh(&peer->pe_lock);
	if (!conn)
		return;
	ll_conn_close(conn, rc);
	ll_conn_put(conn);
}

/* What came of the try: 1: it is still under way. */
static int try_result(struct ll_peer *peer, u32 tries, struct ll_conn **conn)
{
	int rc = 1;

	spin_lock_bh(&peer->pe_lock);
	*conn = __peer_conn(peer);
	if (*conn)
		rc = 0;
	else if (peer->pe_tries != tries)
		rc = peer->pe_error ?: -EAGAIN;
	spin_unlock_bh(&peer->pe_lock);
	return rc;
}

/**
 * struct try_wait - a wait for a connection
 * @tw_until: jiffies when it ends
 * @tw_cancel: a true ends it before; or NULL
 * @tw_arg: for @tw_cancel
 */
struct try_wait {
	unsigned long	tw_until;
	bool		(*tw_cancel)(void *arg);
	void		*tw_arg;
};

/* Why to wait no longer, or 0. */
static int try_given_up(const struct try_wait *wait)
{
	if (fatal_signal_pending(current))
		return -EINTR;
	if (wait->tw_cancel && wait->tw_cancel(wait->tw_arg))
		return -ECANCELED;
	return time_after_eq(jiffies, wait->tw_until) ? -ETIMEDOUT : 0;
}

static int try_wait(struct ll_peer *peer, u32 tries,
		    const struct try_wait *wait, struct ll_conn **conn)
{
	long left;
	int rc, stop;

	for (;;) {
		stop = try_given_up(wait);
		rc = try_result(peer, tries, conn);
		if (rc <= 0)
			return rc;
		if (stop)
			return stop;
		left = max_t(long, wait->tw_until - jiffies, 1);
		if (wait->tw_cancel)
			left = min_t(long, left, CANCEL_PERIOD);
		/* Whether it is there is seen by try_result(). */
		wait_event_killable_timeout(peer->pe_wait,
					    try_result(peer, tries, conn) <= 0,
					    left);
		if (*conn)
			return 0;
	}
}

/**
 * ll_peer_connect() - an open connection to a node, made when there is none
 * @peer: node
 * @timeout: at most so long, jiffies
 * @cancel: looked at often: a true ends the wait; or NULL
 * @arg: for @cancel
 *
 * One task makes the connection, others wait for the same one.
 *
 * Context: may sleep
 * Return: connection, referenced; ERR_PTR: -ETIMEDOUT, -EINTR when killed,
 * -ECANCELED, -ECONNREFUSED, -EHOSTUNREACH, -EPROTO, -EACCES, -ENETDOWN and what
 * else sockets say
 */
struct ll_conn *ll_peer_connect(struct ll_peer *peer, long timeout,
				bool (*cancel)(void *arg), void *arg)
{
	struct try_wait wait = {
		.tw_until = jiffies + timeout,
		.tw_cancel = cancel,
		.tw_arg = arg,
	};
	struct ll_conn *conn = ll_peer_conn(peer);
	u32 tries;
	int rc;

	if (conn)
		return conn;
	/* A try that others gave up says nothing of the node. */
	do {
		tries = try_join(peer);
		rc = try_wait(peer, tries, &wait, &conn);
		try_leave(peer, rc);
		if (rc == -EAGAIN)
			rc = try_given_up(&wait) ?: rc;
	} while (rc == -EAGAIN);
	return rc ? ERR_PTR(rc) : conn;
}
EXPORT_SYMBOL_NS_GPL(ll_peer_connect, LUSTRE_LITE);
