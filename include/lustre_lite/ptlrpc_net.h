/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The network: connections between nodes, and messages on them. It knows nothing
 * of requests, imports or exports: what a message is about is for the floor above,
 * which it reaches through struct lnet_ops.
 *
 * Files of ptlrpc/net:
 *
 *	net.c		struct lnet: what a network namespace has
 *	conns.c		its connections
 *	listen.c	its listener, and connections that have not said who they are
 *	access.c	who may connect
 *	peer.c		struct lnet_peer: another node, by NID; peer_connect.c
 *	memory.c	memory that is kept for nodes
 *	conn.c		struct lnet_conn: a socket and its state, and who reads it
 *	hello.c		how two nodes greet each other
 *	conn_tx.c	what goes out; conn_rx.c what comes in
 *	sock.c		the kernel's sockets
 *	rules.c		messages that are lost, late or sent twice on purpose
 *	held.c		those that are late
 *	nids.c		the NIDs of this node
 *	params.c	parameters; stats.c counters; ioctl.c LL_RPC_IOC_*
 *	wire.c wire_ocd.c	the format; wire_names.c
 *	at.c		adaptive timeouts
 *
 *		connect, or accept     greeted
 *	CONN_NEW ---------> CONN_HELLO -----> CONN_OPEN
 *	   |                    |                |
 *	   +--------------------+-------+--------+  an error, the other's end,
 *	                                v           lnet_conn_close()
 *	                         CONN_CLOSING ------------------> CONN_CLOSED
 *	                                       nobody reads, writes
 *	                                       or is told any more
 *
 * Between two nodes there are at most two connections that are used: one that
 * this node made and one that the other made. Requests go out on whichever is
 * open, this node's first; a reply goes out on the connection that its request
 * came in on.
 */
#ifndef _LUSTRE_LITE_PTLRPC_NET_H
#define _LUSTRE_LITE_PTLRPC_NET_H

#include <linux/bvec.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/rhashtable-types.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <lustre_lite/nid.h>
#include <lustre_lite/wire.h>

struct lnet_conn;
struct lnet;
struct lnet_peer;
struct net;
struct node_ping_answer;
struct obd_why;
struct params_sink;
struct socket;

/*
 * Sending.
 */

/**
 * struct lnet_tx - a message on its way out
 * @tx_msg: message, wire_msg_size() bytes; stays as it is until @tx_done
 * @tx_msg_len: its bytes
 * @tx_bulk: bulk data, or NULL. The pages must not be of a slab; they may be
 *	referenced by the socket for a while after @tx_done
 * @tx_bulk_nr: parts of it
 * @tx_bulk_len: its bytes
 * @tx_done: called once, when the message has been handed to the socket (0) or
 *	never will be (a negative errno): from any task, may not sleep, no lock of
 *	the network is held but it may be called from within lnet_conn_send(). From
 *	then on the network does not know the message
 * @tx_list: the network's, as is all below
 * @tx_frame: head of its frame
 * @tx_sent: bytes of frame, message and bulk that went out
 * @tx_state: enum lnet_tx_state
 *
 * Part of whoever sends it, who sets what is above @tx_list and zeroes the rest.
 */
struct lnet_tx {
	const void		*tx_msg;
	u32			tx_msg_len;
	const struct bio_vec	*tx_bulk;
	unsigned int		tx_bulk_nr;
	u32			tx_bulk_len;
	void			(*tx_done)(struct lnet_tx *tx, int rc);
	struct list_head	tx_list;
	struct lnet_frame	tx_frame;
	u32			tx_sent;
	u8			tx_state;
};

/* enum lnet_tx_state - tx_state, guarded by cn_lock */
enum lnet_tx_state {
	LNET_TX_IDLE,		/* the network does not know it */
	LNET_TX_QUEUED,		/* nothing of it went out */
	LNET_TX_SENDING,		/* being sent, or sent in part */
	LNET_TX_HELD,		/* kept back by a rule */
};

/*
 * Receiving.
 */

/**
 * struct lnet_rx - a message on its way in
 * @rx_conn: connection
 * @rx_frame: head of its frame
 * @rx_msg: message, from kmalloc(), checked: fault free by wire_msg_view(). Who
 *	wants to keep it sets this to NULL and frees it by kfree()
 * @rx_view: its fields and buffers
 * @rx_start_ns: when its head was there, ktime_get_ns()
 * @rx_bulk: where bulk data is to go, set by no_message(); NULL to throw it away
 * @rx_bulk_nr: parts of it; they have at least rx_frame.bulk_len bytes
 * @rx_private: whatever no_message() likes to find in no_received()
 * @rx_inline: the reader is a worker of the network, and may handle a request at
 *	once; if not, it is a task that waits for a reply of its own
 */
struct lnet_rx {
	struct lnet_conn		*rx_conn;
	struct wire_frame	rx_frame;
	void			*rx_msg;
	struct wire_msg		rx_view;
	u64			rx_start_ns;
	struct bio_vec		*rx_bulk;
	unsigned int		rx_bulk_nr;
	void			*rx_private;
	bool			rx_inline;
};

/**
 * struct lnet_ops - the floor above
 * @no_message: a message is there, its bulk data may be still to come. Return: 0;
 *	-EAGAIN to be asked again after lnet_conn_resume(), the connection is not
 *	read until then; another negative errno ends the connection
 * @no_received: the bulk data is there too and all is checked (0), or the
 *	connection ended before (a negative errno); once for each no_message() that
 *	returned 0. From here on the network does not touch @rx_bulk
 * @no_closed: a connection that was CONN_OPEN has come to CONN_CLOSED; all
 *	tx_done() and no_received() of it have returned
 * @no_ping: ask a node whether it is there, for a person; may sleep for that long.
 *	Return: 0 or a negative errno, with words
 *
 * Called without a lock, one at a time for a connection. no_message() and
 * no_received() may sleep for memory, and wait for no peer. no_closed() may
 * sleep.
 */
struct lnet_ops {
	int (*no_message)(struct lnet_rx *rx);
	void (*no_received)(struct lnet_rx *rx, int rc);
	void (*no_closed)(struct lnet_conn *conn);
	int (*no_ping)(struct net *ns, const struct lnet_nid *nid, u32 timeout_ms,
		       struct node_ping_answer *answer, struct obd_why *why);
};

/*
 * Connections.
 */

enum lnet_conn_state {
	CONN_NEW,
	CONN_HELLO,
	CONN_OPEN,
	CONN_CLOSING,
	CONN_CLOSED,
	CONN_STATE_COUNT
};

/* cn_flags, bit numbers */
#define CNF_PASSIVE	0	/* the other node made it */
#define CNF_CRC		1	/* messages and bulk data have a CRC */
#define CNF_RX_READY	2	/* there is something to read */
#define CNF_RX_PAUSED	3	/* not read until lnet_conn_resume() */
#define CNF_RX_BUSY	4	/* somebody reads, or nobody may any more */
#define CNF_UNASKED	5	/* a reply to what was never asked came */

/**
 * struct lnet_conn - a connection
 * @cn_refcount: references
 * @cn_net: namespace
 * @cn_peer: node at the other end, referenced; NULL before a passive one knows it
 * @cn_nid: its NID; nid_len 0 while it is not known
 * @cn_sock: socket, until CONN_CLOSED
 * @cn_state: enum lnet_conn_state, changed by conn_set_state() only
 * @cn_flags: CNF_*, bit operations
 * @cn_error: why it was closed, 0 or a negative errno
 * @cn_lock: guards @cn_state, @cn_error, @cn_leader and what is queued to go out;
 *	taken in bottom halves
 * @cn_leader: wait queue of the task that reads for itself, or NULL
 * @cn_upper_lock: guards @cn_upper
 * @cn_upper: for the floor above: what is to be failed when this ends
 * @cn_upper_data: for the floor above, too
 *
 * It is part of a struct lnet_conn_private (conn.h), which has the fields that no one
 * but the network looks at.
 *
 * Held by: its peer, or the listener, until it is closed; its works while they
 * run; whoever looked it up; each request and each message above. The last put
 * frees it: by then it is CONN_CLOSED.
 */
struct lnet_conn {
	refcount_t		cn_refcount;
	struct lnet		*cn_net;
	struct lnet_peer		*cn_peer;
	struct lnet_nid		cn_nid;
	struct socket		*cn_sock;
	enum lnet_conn_state	cn_state;
	unsigned long		cn_flags;
	int			cn_error;
	spinlock_t		cn_lock;
	struct wait_queue_head	*cn_leader;
	spinlock_t		cn_upper_lock;
	struct list_head	cn_upper;
	void			*cn_upper_data;
};

struct lnet_conn *lnet_conn_get(struct lnet_conn *conn);
void lnet_conn_put(struct lnet_conn *conn);
const char *lnet_conn_state_name(enum lnet_conn_state state);

static inline bool lnet_conn_is_open(const struct lnet_conn *conn)
{
	return READ_ONCE(conn->cn_state) == CONN_OPEN;
}

/*
 * Send: in the caller's task as far as the socket takes it, the rest by a work.
 * In a task; waits for no peer. Return: 0, tx_done() was or will be called. tx_done()
 * is not called for -ENOTCONN: the connection is not open, and -EMSGSIZE: the other
 * node takes no such message.
 */
int lnet_conn_send(struct lnet_conn *conn, struct lnet_tx *tx);

/*
 * Messages that this task sends between the two go out together: many small ones
 * cost little more than one. A task that waits for an answer before the end of it
 * flushes. hold returns whether it does: not where another task does already.
 */
bool lnet_conn_hold(struct lnet_conn *conn);
void lnet_conn_flush(struct lnet_conn *conn);
void lnet_conn_release(struct lnet_conn *conn);

/*
 * Take a message back: when this returns the network does not know it, and
 * tx_done() was called. One that is half sent ends the connection. May sleep,
 * shortly. Not from tx_done().
 */
void lnet_conn_recall(struct lnet_conn *conn, struct lnet_tx *tx);

/* Go on reading after no_message() returned -EAGAIN. Any context. */
void lnet_conn_resume(struct lnet_conn *conn);

/* End a connection; @rc says why. Returns at once; no_closed() tells the end. */
void lnet_conn_close(struct lnet_conn *conn, int rc);

/*
 * A task that waits for a reply may read the connection itself, which saves a
 * switch to a worker and back. It sleeps on @wq until what it waits for is there
 * or lnet_conn_lead_ready(), and calls lnet_conn_lead_read() when that is true.
 *
 *	lead = lnet_conn_lead_begin(conn, &wq);
 *	wait_event(wq, done || (lead && lnet_conn_lead_ready(conn)))
 *	if (lead && lnet_conn_lead_ready(conn))
 *		lnet_conn_lead_read(conn);	and wait again
 *	if (lead)
 *		lnet_conn_lead_end(conn, &wq);
 *
 * Only one task leads at a time: begin returns false to any other.
 */
bool lnet_conn_lead_begin(struct lnet_conn *conn, struct wait_queue_head *wq);
bool lnet_conn_lead_ready(const struct lnet_conn *conn);
void lnet_conn_lead_read(struct lnet_conn *conn);
void lnet_conn_lead_end(struct lnet_conn *conn, struct wait_queue_head *wq);

/*
 * Nodes.
 */

/*
 * The node at @nid, made if there is none, referenced. ERR_PTR: -ENOMEM;
 * -ENETDOWN when the network of that namespace is going away; -EAFNOSUPPORT for
 * what is no NID of tcp.
 */
struct lnet_peer * __must_check lnet_peer_find(struct net *net,
					       const struct lnet_nid *nid);
struct lnet_peer *lnet_peer_get(struct lnet_peer *peer);
void lnet_peer_put(struct lnet_peer *peer);
const struct lnet_nid *lnet_peer_nid(const struct lnet_peer *peer);
struct net *lnet_peer_net(const struct lnet_peer *peer);

/* An open connection to it, referenced, or NULL. Any task. */
struct lnet_conn * __must_check lnet_peer_conn(struct lnet_peer *peer);

/*
 * The same, and when there is none make one: one task does it, others wait for
 * it. @cancel, which may be NULL, is looked at often: a true ends the wait.
 * ERR_PTR: -ETIMEDOUT after @timeout (jiffies), -EINTR when killed, -ECANCELED,
 * -ECONNREFUSED, -EHOSTUNREACH, -EPROTO when the node speaks no version that this
 * one does, -EACCES when it does not want this one, -ENETDOWN. What failed a
 * moment ago is tried again at once.
 */
struct lnet_conn * __must_check lnet_peer_connect(struct lnet_peer *peer, long timeout,
						  bool (*cancel)(void *arg),
						  void *arg);

bool lnet_peer_refuses(struct lnet_peer *peer);

/*
 * How a task waits for another node: killable, and frozen when the system is suspended,
 * which would fail otherwise while a server does not answer. The task may hold locks of
 * the file system above; so does that of every network file system, and the freezer is
 * told so ("unsafe").
 */
#define compat_wait_event_task_timeout(wq, condition, timeout)		\
({									\
	long __ret = (timeout);						\
									\
	might_sleep();							\
	if (!___wait_cond_timeout(condition))				\
		__ret = ___wait_event(wq, ___wait_cond_timeout(condition), \
				      (TASK_KILLABLE | TASK_FREEZABLE_UNSAFE), \
				      0, timeout,			\
				      __ret = schedule_timeout(__ret));	\
	__ret;								\
})

/*
 * Memory that the layer above keeps for a node: @bytes of a request that came. It
 * is refused beyond the limit of an address (parameter ptlrpc.peer_memory) or of all
 * (ptlrpc.memory): no_message() returns -EAGAIN then, and is called again when the
 * memory was granted. If it does not want the message any more by then, it calls
 * lnet_peer_charge_cancel(). lnet_peer_uncharge() grants memory to connections that wait.
 */
bool lnet_peer_charge(struct lnet_conn *conn, u32 bytes);
void lnet_peer_charge_cancel(struct lnet_conn *conn);
void lnet_peer_uncharge(struct lnet_conn *conn, u32 bytes);

/*
 * Namespaces.
 */

/*
 * Listen in a namespace, for one more user. The first one makes the listener:
 * 0, -EADDRINUSE and so on, with words in @why. A port of 0 (parameter
 * ptlrpc.port) means that nobody listens, and is no error.
 */
int lnet_listen(struct net *net, struct obd_why *why);
void lnet_unlisten(struct net *net);

/* NIDs of the node in a namespace. Return: how many there are; @nids has @max. */
unsigned int lnet_nids(struct net *net, struct lnet_nid *nids, unsigned int max);

/* Close what is open to a node, or with NULL to all of a namespace. */
void lnet_reset(struct net *net, const struct lnet_nid *nid);

int lnet_init(const struct lnet_ops *ops);
void lnet_exit(void);

/* Counters of the network: parameter ptlrpc.net_stats. */
enum lnet_counter {
	LNET_TX_BYTES,	/* of each message that went out */
	LNET_RX_BYTES,	/* of each that came */
	LNET_CONNECTS,
	LNET_ACCEPTS,
	LNET_CLOSED,
	LNET_REFUSED,		/* a connection that was not wanted */
	LNET_ADDR_FULL,	/* ... as its address has too many */
	LNET_HELLO_TIMEOUT,
	LNET_RX_TIMEOUT,	/* the rest of a message did not come */
	LNET_PAUSED,		/* a node was not read for want of memory */
	LNET_UNASKED,		/* a reply to what was never asked */
	LNET_LATE,		/* a reply that nobody waits for any more */
	LNET_DROPPED,		/* by a rule */
	LNET_DELAYED,
	LNET_DUPLICATED,
	LNET_RESET,
	LNET_FAULT,		/* and one for each enum wire_fault behind it */
	LNET_COUNTER_COUNT = LNET_FAULT + WIRE_FAULT_COUNT
};

void lnet_count(enum lnet_counter counter, u64 value);

/*
 * Something is wrong with what a node sent: it is counted, and said in the log
 * once for each connection. @what may be NULL.
 */
void lnet_fault(struct lnet_conn *conn, enum wire_fault fault, const char *what);

#endif /* _LUSTRE_LITE_PTLRPC_NET_H */
