/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Common definitions of the network: namespaces, nodes, listeners, rules. conn.h, which
 * includes this, has the private part of a connection.
 *
 *	conn_make()		on the namespace's list, which has a reference
 *	   |  conn_start()
 *	   |
 *	   |  passive only, after a valid HELLO:
 *	   +---> peer_conn_identify()	cn_nid, cn_peer are set
 *	   |  state CONN_OPEN, and then
 *	   +---> peer_conn_opened()	lnet_peer_conn() finds it from here on
 *	   |  state CONN_CLOSED, lnet_ops.no_closed() has returned, and then
 *	   +---> peer_conn_closed()	off all lists, reference dropped
 *
 * Each of them is called at most once, in that order, without a lock;
 * peer_conn_closed() for every connection that conn_start() was called for.
 * lnet_conn_close() may come at any time, before conn_start() too, which then only
 * ends the connection. cn_peer keeps its reference until the connection is freed.
 *
 * Locks: nn_listen_mutex, nn_lock, lnp_lock in that order; nr_lock nests with none of
 * them. cn_lock may be taken inside of nn_lock and nr_lock. No spinlock is held over a
 * call to conn.c except lnet_conn_get() and conn_is_idle().
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
struct sock;
struct sockaddr_storage;

/*
 * Settings: parameters ptlrpc.*. Read with READ_ONCE().
 */

/* enum lnet_accept - which source ports may connect */
enum lnet_accept {
	LNET_ACCEPT_SECURE,	/* those below 1024 */
	LNET_ACCEPT_ALL,
	LNET_ACCEPT_NONE,
	LNET_ACCEPT_COUNT
};

/* enum lnet_bulk_crc - which connections have a CRC of bulk data */
enum lnet_bulk_crc {
	LNET_BULK_CRC_OFF,
	LNET_BULK_CRC_REMOTE,	/* those whose ends have different addresses */
	LNET_BULK_CRC_ON,
	LNET_BULK_CRC_COUNT
};

/**
 * struct lnet_settings - parameters of the network, of all namespaces
 * @lns_memory: most bytes held for requests of all nodes
 * @lns_peer_memory: most bytes of one address
 * @lns_port: port to listen on and to connect to; 0: do not listen
 * @lns_accept: enum lnet_accept
 * @lns_crc: offer LNET_FEATURE_CRC
 * @lns_bulk_crc: enum lnet_bulk_crc: offer LNET_FEATURE_BULK_CRC
 * @lns_local_conn: connections to this node itself do without TCP
 * @lns_hello_timeout: seconds until a connection must be open
 * @lns_keepalive_idle: seconds of silence until the socket sends a probe; 0:
 *  never
 * @lns_keepalive_interval: seconds between two probes
 * @lns_keepalive_count: unanswered probes that end the connection
 * @lns_conn_idle: seconds until an unused connection is closed; 0: never
 * @lns_unfinished_max: passive connections that are not open
 * @lns_unfinished_addr: ... of one address
 * @lns_conns_addr: passive connections of one address and lane that are open
 */
struct lnet_settings {
	u64	lns_memory;
	u64	lns_peer_memory;
	u32	lns_port;
	u32	lns_accept;
	bool	lns_crc;
	u32	lns_bulk_crc;
	bool	lns_local_conn;
	u32	lns_hello_timeout;
	u32	lns_keepalive_idle;
	u32	lns_keepalive_interval;
	u32	lns_keepalive_count;
	u32	lns_conn_idle;
	u32	lns_unfinished_max;
	u32	lns_unfinished_addr;
	u32	lns_conns_addr;
};

extern struct lnet_settings lnet_settings;
/* The layer above. */
extern const struct lnet_ops *lnet_ops;
/*
 * Works of connections, listeners and rules; WQ_MEM_RECLAIM. On the second one those that
 * read and send what is not bulk data.
 */
extern struct workqueue_struct *lnet_wq;
extern struct workqueue_struct *lnet_control_wq;

/*
 * Namespaces: net.c
 */

#define LNET_PEER_BUCKETS	256

/**
 * struct lnet_rules - fault-injection rules of a namespace: rules.c
 * @nr_lock: guards all below; taken in bottom halves
 * @nr_rules: struct net_rule, the oldest first
 * @nr_count: number of rules
 * @nr_next_id: number of the next one
 * @nr_held: struct lnet_held_tx of held.c, the next one due first
 * @nr_passing: held messages being sent or completed just now
 * @nr_held_count: messages in both lists
 * @nr_wait: woken when one leaves @nr_passing
 * @nr_release: sends the messages that are due
 */
struct lnet_rules {
	spinlock_t		nr_lock;
	struct list_head	nr_rules;
	unsigned int		nr_count;
	u32			nr_next_id;
	struct list_head	nr_held;
	struct list_head	nr_passing;
	unsigned int		nr_held_count;
	wait_queue_head_t	nr_wait;
	struct delayed_work	nr_release;
};

/**
 * struct lnet - the network of a namespace
 * @nn_refcount: references
 * @nn_item: in the list of all, under its lock in net.c
 * @nn_net: the namespace, not referenced; valid until @nn_stopping and until
 *  @nn_conns is empty
 * @nn_lock: guards @nn_stopping, @nn_peers, @nn_peer_count, @nn_addrs,
 *  @nn_conns, @nn_unfinished, @nn_unfinished_count; taken in bottom halves
 * @nn_stopping: no new node, no new connection
 * @nn_incarnation: incarnation of this node, for HELLO
 * @nn_peers: struct lnet_peer by NID
 * @nn_addrs: struct net_addr by address
 * @nn_peer_count: nodes in @nn_peers
 * @nn_conns: every connection that is not closed, by nc_net_item, referenced
 * @nn_unfinished: passive ones that are not open, the oldest first, by
 *  nc_unfinished_item
 * @nn_unfinished_count: their number
 * @nn_wait: woken when @nn_conns is empty
 * @nn_sweep: closes connections with a late HELLO, and idle ones
 * @nn_listen_mutex: guards the four below
 * @nn_listen_users: users of the listener
 * @nn_up: one of them is `lctl network up`
 * @nn_listener: socket, or NULL
 * @nn_data_ready: original callback of the listener's socket
 * @nn_accept: accepts
 * @nn_rules: rules
 *
 * Created when a namespace first uses the network. Held by: the namespace until
 * it goes away; each node; each connection. The last put frees it.
 */
struct lnet {
	refcount_t		nn_refcount;
	struct list_head	nn_item;
	struct net		*nn_net;
	spinlock_t		nn_lock;
	bool			nn_stopping;
	u64			nn_incarnation;
	struct hlist_head	nn_peers[LNET_PEER_BUCKETS];
	struct hlist_head	nn_addrs[LNET_PEER_BUCKETS];
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
	void (*nn_data_ready)(struct sock *sk);
	struct delayed_work	nn_accept;
	struct lnet_rules	nn_rules;
};

/* The network of a namespace, created if needed, referenced; ERR_PTR. */
struct lnet * __must_check lnet_find(struct net *net);
/* The same, NULL if there is none. */
struct lnet * __must_check lnet_lookup(struct net *net);
struct lnet *lnet_get(struct lnet *net);
void lnet_put(struct lnet *net);

/* Whether the address of @nid is one of this node; its network is ignored. */
bool lnet_is_local(struct lnet *net, const struct lnet_nid *nid);

/* Whether a socket from there may connect: parameters accept, accept_networks. */
bool lnet_accepts(const struct sockaddr_storage *from);

/*
 * Fields of net.c, peer.c and listen.c in a connection: a member of struct
 * lnet_conn_private, found by conn_node() of conn.h. conn_make() zeroes it and
 * calls net_conn_init().
 */

/* enum nc_memory_state - progress of a connection towards memory for a message */
enum nc_memory_state {
	NC_MEMORY_NONE,		/* does not wait */
	NC_MEMORY_WAIT_ADDR,	/* in na_waiters of its address */
	NC_MEMORY_WAIT_ALL,	/* granted by its address, waits for the global limit */
	NC_MEMORY_GRANTED,	/* granted, will take its message */
};

/**
 * struct net_conn - a connection, as its namespace sees it
 * @nc_conn: connection
 * @nc_net_item: in nn_conns, under nn_lock
 * @nc_unfinished_item: in nn_unfinished, under nn_lock
 * @nc_memory_item: in a queue of memory.c, under its lock
 * @nc_memory_state: likewise
 * @nc_memory_lane: whose memory that is, likewise
 * @nc_memory_want: bytes waited for or granted; written by its reader, likewise
 * @nc_addr: remote address of a passive one
 * @nc_made: jiffies of its creation
 * @nc_flags: NCF_*, bit operations
 */
struct net_conn {
	struct lnet_conn		*nc_conn;
	struct list_head	nc_net_item;
	struct list_head	nc_unfinished_item;
	struct list_head	nc_memory_item;
	enum nc_memory_state	nc_memory_state;
	enum lnet_lane		nc_memory_lane;
	u32			nc_memory_want;
	struct lnet_nid		nc_addr;
	unsigned long		nc_made;
	unsigned long		nc_flags;
};

#define NCF_FAULT_LOGGED	0	/* a fault of it was logged */
#define NCF_CLOSED	1	/* net_conns_close() has closed it */
#define NCF_COUNTED	2	/* in na_conns of its address; under nn_lock */

void net_conn_init(struct net_conn *node, struct lnet_conn *conn);

/*
 * Add a new connection to the list, which takes a reference; false: the
 * namespace is going away. It may be closed as soon as the lock is released, so
 * it may be published elsewhere only after that.
 */
bool __net_conn_add(struct lnet *net, struct lnet_conn *conn);
/* It is open: no longer unfinished. */
void net_conn_finished(struct lnet_conn *conn);
/* It is closed: out of the lists, reference dropped. */
void net_conn_del(struct lnet_conn *conn);

/*
 * Close the connections that @match selects. It is called under nn_lock. A
 * connection is closed once only.
 */
typedef bool (net_match_t)(struct lnet_conn *conn, void *arg);
void net_conns_close(struct lnet *net, net_match_t *match, void *arg, int rc);
void net_conns_init(struct lnet *net);
void net_conns_end(struct lnet *net);

/* Call @fn for each network; stops at the first error. May sleep. */
int net_for_each(int (*fn)(struct lnet *net, void *arg), void *arg);

/* listen.c */
void net_listener_init(struct lnet *net);
void net_listener_stop(struct lnet *net);
int net_listen_up(struct lnet *net, bool up, struct obd_why *why);
int net_listen_port(u32 port);

int net_networks_set(const char *text, size_t len);
ssize_t net_networks_text(char *buf, size_t size);
void net_networks_free(void);

/* memory.c */
struct net_addr;
void net_memory_limits(void);
u64 net_memory_used(struct net_addr *addr);

/* params.c: directory ptlrpc, counters. */
int net_params_init(void);
void net_params_exit(void);
int net_stats_init(void);
void net_stats_exit(void);

/* ioctl.c */
int net_ioctl_init(void);
void net_ioctl_exit(void);

/* Result of lnet_ops.no_ping(). */

#define NODE_PING_NIDS	64

/**
 * struct node_ping_answer - the answer of a node
 * @pa_count: number of its NIDs
 * @pa_usec: time until the answer, without the connect
 * @pa_nids: its NIDs
 */
struct node_ping_answer {
	unsigned int	pa_count;
	u32		pa_usec;
	struct lnet_nid	pa_nids[NODE_PING_NIDS];
};

/*
 * Nodes: peer.c
 */

/**
 * struct addr_memory - memory of an address for the requests of a lane
 * @am_used: bytes charged, under the lock of memory.c, as all below
 * @am_waiters: connections in NC_MEMORY_WAIT_ADDR, the oldest first
 * @am_item: in the list of addresses that have some
 */
struct addr_memory {
	u64			am_used;
	struct list_head	am_waiters;
	struct list_head	am_item;
};

/**
 * struct net_addr - an address of other nodes, on any network
 * @na_item: in nn_addrs, under nn_lock
 * @na_nid: the address, in network 0
 * @na_peers: nodes with this address, under nn_lock
 * @na_conns: connections from there after their HELLO, by lane, under nn_lock
 * @na_full_logged: the log has that these are too many; under nn_lock
 * @na_memory: memory, by lane
 *
 * Limits apply to an address, as a peer can choose its NIDs freely. Created
 * with the first node of the address, freed with the last one.
 */
struct net_addr {
	struct hlist_node	na_item;
	struct lnet_nid		na_nid;
	unsigned int		na_peers;
	unsigned int		na_conns[LNET_LANES];
	bool			na_full_logged;
	struct addr_memory	na_memory[LNET_LANES];
};

/**
 * struct peer_lane - the connections of a lane to a node, under lnp_lock
 * @pel_active: open connection made by this node, or NULL; not referenced: it is
 *  removed before the namespace's reference goes
 * @pel_passive: open connection made by the other node, likewise
 * @pel_starting: connection that this node is making, likewise
 * @pel_trying: a task makes @pel_starting, or it is there
 * @pel_abandoned: no task waits for @pel_starting any more: it is being closed
 * @pel_waiters: tasks that wait for @pel_starting
 * @pel_tries: finished attempts
 * @pel_error: result of the last one
 * @pel_refused: the other node has refused it, in its answer to HELLO
 * @pel_failed: jiffies of its end if it failed, else 0
 */
struct peer_lane {
	struct lnet_conn	*pel_active;
	struct lnet_conn	*pel_passive;
	struct lnet_conn	*pel_starting;
	bool			pel_trying;
	bool			pel_abandoned;
	unsigned int		pel_waiters;
	u32			pel_tries;
	int			pel_error;
	bool			pel_refused;
	unsigned long		pel_failed;
};

/**
 * struct lnet_peer - another node
 * @lnp_refcount: references
 * @lnp_item: in nn_peers, under nn_lock
 * @lnp_net: namespace, referenced
 * @lnp_nid: NID
 * @lnp_addr: its address
 * @lnp_lock: guards all below up to @lnp_incarnation; taken in tasks only
 * @lnp_lanes: its connections
 * @lnp_incarnation: incarnation of the node, 0 before its first HELLO
 * @lnp_wait: woken when any of these changes
 * @lnp_conns: its connections that are not closed; they have a reference each
 * @lnp_tx_msgs: messages sent
 * @lnp_rx_msgs: messages received
 * @lnp_heard: jiffies of the last one, 0 for never
 *
 * Created by lnet_peer_find() and by HELLO of a node that connects. Held by:
 * each connection of it; each lookup; imports above. The last put removes it
 * from the table and frees it.
 */
struct lnet_peer {
	refcount_t		lnp_refcount;
	struct hlist_node	lnp_item;
	struct lnet		*lnp_net;
	struct lnet_nid		lnp_nid;
	struct net_addr		*lnp_addr;
	spinlock_t		lnp_lock;
	struct peer_lane	lnp_lanes[LNET_LANES];
	u64			lnp_incarnation;
	wait_queue_head_t	lnp_wait;
	atomic_t		lnp_conns;
	atomic64_t		lnp_tx_msgs;
	atomic64_t		lnp_rx_msgs;
	unsigned long		lnp_heard;
};

/* The node at @nid, created if needed; as lnet_peer_find(). */
struct lnet_peer * __must_check net_peer_find(struct lnet *net,
					      const struct lnet_nid *nid);

/* Under lnp_lock, for peer_connect.c. */
struct lnet_conn *__peer_conn(struct lnet_peer *peer, enum lnet_lane lane);
void __peer_try_ended(struct peer_lane *pl, int rc);
/* Without it: notify those that wait for the end of an attempt. */
void peer_try_notify(struct lnet_peer *peer, enum lnet_lane lane);
/* peer_connect.c: make a connection; the caller has set pel_trying. Waits for no node. */
void peer_try_start(struct lnet_peer *peer, enum lnet_lane lane);

/* A message was sent, received. For conn_tx.c and conn_rx.c. */
static inline void peer_sent(struct lnet_peer *peer)
{
	atomic64_inc(&peer->lnp_tx_msgs);
}

static inline void peer_heard(struct lnet_peer *peer)
{
	atomic64_inc(&peer->lnp_rx_msgs);
	WRITE_ONCE(peer->lnp_heard, jiffies ?: 1);
}

/*
 * A passive connection's HELLO is valid: sets cn_nid and cn_peer. 0, -ENOMEM,
 * -ENETDOWN, -EAFNOSUPPORT; -EUSERS: too many connections of its address.
 */
int peer_conn_identify(struct lnet_conn *conn, const struct lnet_nid *nid);
/*
 * Closes an older connection of the same lane and direction, and those to an older
 * incarnation.
 */
void peer_conn_opened(struct lnet_conn *conn, u64 incarnation);
void peer_conn_closed(struct lnet_conn *conn);

/*
 * Rules: rules.c. For conn_tx.c:
 *
 * lnet_conn_send() of an open connection, without a lock:
 *	if (rules_active() && rules_take(conn, tx))
 *		return 0;		it is not to be sent now, or ever
 *	return conn_send_now(conn, tx);
 *
 * conn_send_now() also takes a message in LNET_TX_HELD, whose delay is over. On
 * failure the state is unchanged.
 *
 * lnet_conn_recall() of a message in LNET_TX_HELD, without a lock:
 *	if (rules_recall(conn, tx, -ECANCELED))
 *		return;			tx_done() was called
 *	look at its state again: it was being passed on
 * and of one in LNET_TX_IDLE:
 *	rules_wait(conn, tx);		tx_done() may be running for a rule
 *
 * a connection in CONN_CLOSING, before no_closed(), from a work:
 *	rules_conn_closing(conn);	nothing of it is held any more
 */
DECLARE_STATIC_KEY_FALSE(lnet_rules_key);

static inline bool rules_active(void)
{
	return static_branch_unlikely(&lnet_rules_key);
}

struct ll_rpc_rule;

void rules_init(struct lnet_rules *rules);
void rules_free(struct lnet_rules *rules);
int rules_add(struct lnet *net, struct ll_rpc_rule *to, struct obd_why *why);
int rules_del(struct lnet *net, u32 id, struct obd_why *why);
/* Copies of at most @max rules. Return: number of rules. */
unsigned int rules_list(struct lnet *net, struct ll_rpc_rule *to,
			unsigned int max);
bool rules_take(struct lnet_conn *conn, struct lnet_tx *tx);
bool rules_recall(struct lnet_conn *conn, struct lnet_tx *tx, int rc);
void rules_wait(struct lnet_conn *conn, struct lnet_tx *tx);
void rules_conn_closing(struct lnet_conn *conn);

/* tx_copy.c: a copy of a message, freed by its tx_done(); NULL: no memory. */
struct lnet_tx * __must_check tx_copy(const struct lnet_tx *tx);

/* held.c: held messages; two underscores: nr_lock is held. */
bool __held_add(struct lnet_rules *rules, struct lnet_conn *conn,
		struct lnet_tx *tx, u32 rule, u32 delay_ms);
void __held_release(struct lnet_rules *rules, u32 id);
void held_init(struct lnet_rules *rules);

/*
 * Called in conn.c: conn_make(), conn_start(), conn_send_now(), conn_is_idle(),
 * conn_describe(), conn_wait_freed().
 *
 * When the namespace goes away (nn_stopping), closing must be abortive: no
 * socket may linger in a namespace that is freed.
 */

#endif /* _PTLRPC_NET_INTERNAL_H */
