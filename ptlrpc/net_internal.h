/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the network have in common: namespaces, nodes, listeners,
 * rules. What a connection has of its own is in conn.h, which includes this.
 *
 *	conn_make()		the namespace's list has a reference now
 *	   |	conn_start()
 *	   |
 *	   |	passive only, when HELLO was read and is good:
 *	   +---> peer_conn_identify()	cn_nid, cn_peer are set
 *	   |	state CONN_OPEN, and then
 *	   +---> peer_conn_opened()	found by ll_peer_conn() from here on
 *	   |	state CONN_CLOSED, ll_net_ops.no_closed() has returned, and then
 *	   +---> peer_conn_closed()	no list has it any more, reference dropped
 *
 * Each of them is called once at most, in that order, without a lock;
 * peer_conn_closed() for every connection that conn_start() was called for.
 *
 * Locks: nn_listen_mutex, nn_lock, pe_lock in that order; cn_lock may be taken
 * inside of pe_lock and of nn_rules.nr_lock. None is held over a call to conn.c
 * that may close, send or free, but ll_conn_get().
 */
#ifndef _PTLRPC_NET_INTERNAL_H
#define _PTLRPC_NET_INTERNAL_H

#include <linux/atomic.h>
#include <linux/jump_label.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <lustre_lite/ptlrpc_net.h>
#include <uapi/lustre_lite/rpc_ioctl.h>

struct obd_why;
struct sockaddr;
struct sockaddr_storage;

/*
 * Settings: parameters ptlrpc.*. Read with READ_ONCE().
 */

/* enum ll_accept - which source ports may connect */
enum ll_accept {
	LL_ACCEPT_SECURE,	/* those below 1024 */
	LL_ACCEPT_ALL,
	LL_ACCEPT_NONE,
	LL_ACCEPT_COUNT
};

/**
 * struct ll_net_settings - parameters of the network, of all namespaces
 * @ls_memory: most bytes kept for requests of all nodes
 * @ls_peer_memory: most of one node
 * @ls_port: port to listen on and to connect to; 0: nobody listens
 * @ls_accept: enum ll_accept
 * @ls_crc: offer LL_FEATURE_CRC
 * @ls_hello_timeout: seconds until a connection must be open
 * @ls_keepalive_idle: seconds of silence until the socket asks; 0: never
 * @ls_keepalive_interval: seconds between two such probes
 * @ls_keepalive_count: probes without an answer that end the connection
 * @ls_conn_idle: seconds until a connection that nobody uses is closed; 0: never
 * @ls_unfinished_max: passive connections that are not open
 * @ls_unfinished_addr: ... of one address
 */
struct ll_net_settings {
	u64	ls_memory;
	u64	ls_peer_memory;
	u32	ls_port;
	u32	ls_accept;
	bool	ls_crc;
	u32	ls_hello_timeout;
	u32	ls_keepalive_idle;
	u32	ls_keepalive_interval;
	u32	ls_keepalive_count;
	u32	ls_conn_idle;
	u32	ls_unfinished_max;
	u32	ls_unfinished_addr;
};

extern struct ll_net_settings ll_net_settings;
/* The floor above. */
extern const struct ll_net_ops *ll_net_ops;
/* Works of connections, listeners and rules; under memory pressure too. */
extern struct workqueue_struct *ll_net_wq;

/*
 * Namespaces: net.c
 */

#define LL_NET_PEER_BUCKETS	256

/**
 * struct ll_net_rules - rules of a namespace: rules.c
 * @nr_lock: guards all below, and tx_state of what is in @nr_held together with
 *	cn_lock; taken in bottom halves
 * @nr_rules: struct net_rule, the oldest first
 * @nr_count: how many
 * @nr_next_id: number of the next one
 * @nr_held: struct held_tx, the next one due first
 * @nr_releasing: message that is being passed on just now, or NULL
 * @nr_wait: woken when @nr_releasing changes
 * @nr_release: passes on what is due
 */
struct ll_net_rules {
	spinlock_t		nr_lock;
	struct list_head	nr_rules;
	unsigned int		nr_count;
	u32			nr_next_id;
	struct list_head	nr_held;
	struct ll_tx		*nr_releasing;
	wait_queue_head_t	nr_wait;
	struct delayed_work	nr_release;
};

/**
 * struct ll_net - the network of a namespace
 * @nn_refcount: references
 * @nn_net: the namespace, no reference on it; good until @nn_stopping and until
 *	no connection is in @nn_conns
 * @nn_lock: guards @nn_stopping, @nn_peers, @nn_peer_count, @nn_conns,
 *	@nn_unfinished, @nn_unfinished_count; taken in bottom halves
 * @nn_stopping: no new node, no new connection
 * @nn_incarnation: number of this life, for HELLO
 * @nn_peers: struct ll_peer by NID
 * @nn_peer_count: how many
 * @nn_conns: every connection that is not closed, by nc_net_item, referenced
 * @nn_unfinished: passive ones that are not open, the oldest first, by
 *	nc_unfinished_item
 * @nn_unfinished_count: how many
 * @nn_wait: woken when @nn_conns is empty
 * @nn_sweep: closes what is late with its HELLO, and what nobody uses
 * @nn_listen_mutex: guards @nn_listen_users, @nn_up, @nn_listener
 * @nn_listen_users: who wants it to listen
 * @nn_up: one of them is `lctl network up`
 * @nn_listener: socket, or NULL
 * @nn_accept: accepts
 * @nn_rules: rules
 *
 * Made when a namespace first uses the network. Held by: the namespace until it
 * goes away; each node; each connection. The last put frees it.
 */
struct ll_net {
	refcount_t		nn_refcount;
	struct net		*nn_net;
	spinlock_t		nn_lock;
	bool			nn_stopping;
	u64			nn_incarnation;
	struct hlist_head	nn_peers[LL_NET_PEER_BUCKETS];
	unsigned int		nn_peer_count;
	struct list_head	nn_conns;
	struct list_head	nn_unfinished;
	unsigned int		nn_unfinished_count;
	wait_queue_head_t	nn_wait;
	struct delayed_work	nn_sweep;
	struct mutex		nn_listen_mutex;
	unsigned int		nn_listen_users;
	bool			nn_up;
	struct socket		*nn_listener;
	struct work_struct	nn_accept;
	struct ll_net_rules	nn_rules;
};

/* The network of a namespace, made if there is none, referenced; ERR_PTR. */
struct ll_net * __must_check ll_net_find(struct net *net);
/* The same, NULL when there is none. */
struct ll_net * __must_check ll_net_lookup(struct net *net);
struct ll_net *ll_net_get(struct ll_net *net);
void ll_net_put(struct ll_net *net);

/*
 * Which NID this node has towards @dst, for HELLO: the first of its own with the
 * same kind of address and the network of @dst. False: it has none.
 */
bool ll_net_source(struct ll_net *net, const struct ll_nid *dst,
		   struct ll_nid *src);
/* Whether the address of @nid is one of this node; its network does not matter. */
bool ll_net_is_local(struct ll_net *net, const struct ll_nid *nid);

/* Whether a socket from there may connect: parameters accept, accept_networks. */
bool ll_net_accepts(const struct sockaddr_storage *from);

/*
 * What net.c, peer.c and listen.c keep of a connection. It is a member of struct
 * ll_conn_private: conn.h has conn_node(), which gives it. conn_make() zeroes it
 * and calls net_conn_init().
 */

/**
 * struct net_conn - a connection, as its namespace sees it
 * @nc_conn: connection
 * @nc_net_item: in nn_conns, under nn_lock
 * @nc_unfinished_item: in nn_unfinished, under nn_lock
 * @nc_memory_item: among those that wait for memory, under the lock of memory.c
 * @nc_addr: address that a passive one comes from
 * @nc_made: jiffies when it was made
 * @nc_flags: NCF_*, bit operations
 */
struct net_conn {
	struct ll_conn		*nc_conn;
	struct list_head	nc_net_item;
	struct list_head	nc_unfinished_item;
	struct list_head	nc_memory_item;
	struct ll_nid		nc_addr;
	unsigned long		nc_made;
	unsigned long		nc_flags;
};

#define NCF_FAULT_SAID	0	/* the log has a fault of it already */
#define NCF_PAUSED	1	/* it waits for memory, counted once */

void net_conn_init(struct net_conn *node, struct ll_conn *conn);

/*
 * Nodes: peer.c
 */

/**
 * struct ll_peer - another node
 * @pe_refcount: references
 * @pe_item: in nn_peers, under nn_lock
 * @pe_net: namespace, referenced
 * @pe_nid: NID
 * @pe_lock: guards @pe_active, @pe_passive, @pe_starting, @pe_waiters,
 *	@pe_incarnation, @pe_error, @pe_tries; taken in bottom halves
 * @pe_active: open connection that this node made, or NULL; not referenced: it
 *	is taken away before the namespace's reference goes
 * @pe_passive: open connection that the other one made, likewise
 * @pe_starting: connection that this node is making, likewise
 * @pe_waiters: tasks that wait for @pe_starting
 * @pe_tries: connections made; tells a waiter that its own has ended
 * @pe_error: what came of the last one
 * @pe_incarnation: what the node said, 0 before it did
 * @pe_wait: woken when any of these changes
 * @pe_conns: connections of it that are not closed; they have a reference each
 * @pe_memory: bytes charged
 * @pe_tx_msgs: messages that went out
 * @pe_rx_msgs: messages that came in
 * @pe_heard: jiffies of the last one, 0 for never
 *
 * Made by ll_peer_find() and by HELLO of a node that connects. Held by: each
 * connection of it; whoever looked it up; imports above. The last put takes it
 * from the table and frees it.
 */
struct ll_peer {
	refcount_t		pe_refcount;
	struct hlist_node	pe_item;
	struct ll_net		*pe_net;
	struct ll_nid		pe_nid;
	spinlock_t		pe_lock;
	struct ll_conn		*pe_active;
	struct ll_conn		*pe_passive;
	struct ll_conn		*pe_starting;
	unsigned int		pe_waiters;
	u32			pe_tries;
	int			pe_error;
	u64			pe_incarnation;
	wait_queue_head_t	pe_wait;
	atomic_t		pe_conns;
	atomic64_t		pe_memory;
	atomic64_t		pe_tx_msgs;
	atomic64_t		pe_rx_msgs;
	unsigned long		pe_heard;
};

/* A message went out, came in. For conn_tx.c and conn_rx.c. */
static inline void peer_sent(struct ll_peer *peer)
{
	atomic64_inc(&peer->pe_tx_msgs);
}

static inline void peer_heard(struct ll_peer *peer)
{
	atomic64_inc(&peer->pe_rx_msgs);
	WRITE_ONCE(peer->pe_heard, jiffies ?: 1);
}

/*
 * The other end of a passive connection said who it is: sets cn_nid and cn_peer.
 * 0, -ENOMEM, -ENETDOWN, -EAFNOSUPPORT.
 */
int peer_conn_identify(struct ll_conn *conn, const struct ll_nid *nid);
/* An older connection of the same kind is closed, and those to an older life. */
void peer_conn_opened(struct ll_conn *conn, u64 incarnation);
void peer_conn_closed(struct ll_conn *conn);

/*
 * Rules: rules.c. For conn_tx.c:
 *
 * ll_conn_send() of an open connection, without a lock:
 *	if (rules_active() && rules_take(conn, tx))
 *		return 0;		it is not to be sent now, or ever
 *	return conn_send_now(conn, tx);
 *
 * ll_conn_recall() of a message in LL_TX_HELD, without a lock:
 *	if (rules_recall(conn, tx, -ECANCELED))
 *		return;			tx_done() was called
 *	look at its state again: it was being passed on
 *
 * a connection in CONN_CLOSING, before no_closed(), from a work:
 *	rules_conn_closing(conn);	nothing of it is held any more
 */
DECLARE_STATIC_KEY_FALSE(ll_rules_key);

static inline bool rules_active(void)
{
	return static_branch_unlikely(&ll_rules_key);
}

bool rules_take(struct ll_conn *conn, struct ll_tx *tx);
bool rules_recall(struct ll_conn *conn, struct ll_tx *tx, int rc);
void rules_conn_closing(struct ll_conn *conn);

/*
 * Wanted of conn.h:
 *
 * struct net_conn *conn_node(struct ll_conn *conn);
 *	Its part of the namespace.
 *
 * struct ll_conn *conn_make(struct ll_net *net, struct ll_peer *peer,
 *			     struct socket *sock);
 *	A connection in CONN_NEW with one reference, for the caller. Active: @peer is
 *	the node, referenced by cn_peer, with cn_nid; @sock is NULL. Passive: @peer
 *	is NULL, @sock came from accept() and belongs to the connection now (not on
 *	failure). ERR_PTR. Not started: dropping the reference frees it.
 *
 * void conn_start(struct ll_conn *conn);
 *	Begin: connect and say HELLO, or wait for HELLO. Returns at once. It need
 *	not watch the time: the namespace closes what is not open after
 *	ls_hello_timeout, by ll_conn_close(conn, -ETIMEDOUT).
 *
 * int conn_send_now(struct ll_conn *conn, struct ll_tx *tx);
 *	ll_conn_send() without rules.
 *
 * bool conn_is_idle(struct ll_conn *conn, unsigned long *since);
 *	Nothing is queued and nothing is half read; @since: jiffies of the last
 *	byte that went or came.
 *
 * void conn_describe(struct ll_conn *conn, struct ll_rpc_conn *to);
 *	rc_local, rc_remote, rc_state, rc_flags, rc_tx_bytes, rc_rx_bytes,
 *	rc_tx_queued. May sleep.
 *
 * When the namespace goes away (nn_stopping), closing must be abortive: no socket
 * may linger in a namespace that is freed.
 */

#endif /* _PTLRPC_NET_INTERNAL_H */
