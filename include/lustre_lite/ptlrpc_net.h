/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The network: connections between nodes, and messages on them. It knows
 * nothing of requests, imports or exports: the layer above interprets messages,
 * and is called through struct lnet_ops.
 *
 * Files of ptlrpc/net:
 *
 *	net.c		struct lnet: state of a network namespace
 *	conns.c		its connections
 *	listen.c	its listener, and connections before their hello
 *	access.c	which nodes may connect
 *	peer.c		struct lnet_peer: another node, by NID; peer_connect.c
 *	memory.c	memory charged to nodes
 *	conn.c		struct lnet_conn: a socket, its state and its reader
 *	hello.c		the exchange of hello frames
 *	conn_tx.c	sending; conn_recall.c taking messages back
 *	tx_copy.c	copies of outgoing messages
 *	conn_rx.c	receiving; conn_reader.c reading the socket
 *	conn_local.c	both ends in one kernel
 *	sock.c		the kernel's sockets
 *	rules.c		fault-injection rules: messages dropped, held or duplicated
 *	held.c		held messages
 *	nids.c		the NIDs of this node
 *	params.c	parameters and counters; ioctl.c LL_RPC_IOC_*
 *	wire.c		the format; wire_ocd.c connect data
 *	at.c		adaptive timeouts
 *
 *		connect, or accept     greeted
 *	CONN_NEW ---------> CONN_HELLO -----> CONN_OPEN
 *	   |                    |                |
 *	   +--------------------+-------+--------+  an error, the other's end,
 *	                                v           lnet_conn_close()
 *	                         CONN_CLOSING ------------------> CONN_CLOSED
 *	                                       no task reads or writes, all
 *	                                       callbacks have returned
 *
 * Between two nodes at most two connections of each lane are used, one made by each
 * node. Requests go out on an open one of their lane, this node's first; a reply goes
 * out on the connection that its request came in on. So what is small never waits for
 * bulk data. A connection for bulk data is made when a request first needs it.
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
 * struct lnet_tx - an outgoing message
 * @tx_msg: message, wire_msg_size() bytes; unchanged until @tx_done
 * @tx_msg_len: its bytes
 * @tx_bulk: bulk data, or NULL. The pages must not be of a slab; the socket may
 *  hold references on them for a while after @tx_done
 * @tx_bulk_nr: parts of it
 * @tx_bulk_len: its bytes
 * @tx_bulk_plain: it has no CRC, also on a connection with one; the message says so
 *	(MSG_BULK_PLAIN)
 * @tx_answer_len: most bulk data that its answer may have: nodes send as much as they accept
 * @tx_done: called once, when the message has been handed to the socket (0) or
 *  never will be (a negative errno): from any task, may not sleep. No lock of
 *  the network is held, but lnet_conn_send() may call it. Afterwards the
 *  network does not access the message
 * @tx_list: private to the network, as all below
 * @tx_frame: head of its frame
 * @tx_sent: bytes of frame, message and bulk sent
 * @tx_state: enum lnet_tx_state
 *
 * Embedded in the sender's object, which sets the members above @tx_list and
 * zeroes the rest.
 */
struct lnet_tx {
	const void		*tx_msg;
	u32			tx_msg_len;
	const struct bio_vec	*tx_bulk;
	unsigned int		tx_bulk_nr;
	u32			tx_bulk_len;
	bool			tx_bulk_plain;
	u32			tx_answer_len;
	void			(*tx_done)(struct lnet_tx *tx, int rc);
	struct list_head	tx_list;
	struct lnet_frame	tx_frame;
	u32			tx_sent;
	u8			tx_state;
};

/* enum lnet_tx_state - tx_state, guarded by cn_lock */
enum lnet_tx_state {
	LNET_TX_IDLE,		/* not passed to the network */
	LNET_TX_QUEUED,		/* nothing of it was sent */
	LNET_TX_SENDING,		/* being sent, or sent in part */
	LNET_TX_HELD,		/* held by a fault-injection rule */
};

/*
 * Receiving.
 */

/**
 * struct lnet_rx - an incoming message
 * @rx_conn: connection
 * @rx_frame: head of its frame
 * @rx_msg: message, validated by wire_msg_view(). A callback that takes it over
 *  sets this to NULL and frees it by kvfree()
 * @rx_reserved: @rx_msg came from no_reply_buffer()
 * @rx_view: its fields and buffers
 * @rx_start_ns: arrival of its head, ktime_get_ns()
 * @rx_bulk: destination of bulk data; set by no_message(); NULL to discard it
 * @rx_bulk_nr: parts of it; they have at least rx_frame.bulk_len bytes
 * @rx_private: from no_message() to no_received()
 * @rx_inline: the reader is a worker of the network and may handle a request at
 *  once; otherwise it is a task that waits for a reply of its own
 */
struct lnet_rx {
	struct lnet_conn		*rx_conn;
	struct wire_frame	rx_frame;
	void			*rx_msg;
	bool			rx_reserved;
	struct wire_msg		rx_view;
	u64			rx_start_ns;
	struct bio_vec		*rx_bulk;
	unsigned int		rx_bulk_nr;
	void			*rx_private;
	bool			rx_inline;
};

/**
 * struct lnet_ops - the layer above
 * @no_reply_buffer: the head of a reply of @len bytes has arrived. Return: a buffer of at
 *  least that size, for kvfree(), which is the network's from now on; NULL: none is
 *  reserved, and one is allocated. The message is not validated yet
 * @no_message: a message has arrived, its bulk data perhaps not yet. Return: 0;
 *  -EAGAIN: the connection is not read until lnet_conn_resume(), then this is
 *  called again; another negative errno ends the connection
 * @no_received: the bulk data has arrived and all is checked (0), it does not match its CRC
 *  (-EILSEQ), lnet_conn_discard() was called (-ECANCELED; at the end of the data this is
 *  called once more, with rx_private NULL), or the connection ended before
 *  (another negative errno); once for each no_message() that
 *  returned 0. Afterwards the network does not access @rx_bulk
 * @no_closed: a connection that was CONN_OPEN is CONN_CLOSED; all its tx_done()
 *  and no_received() have returned
 * @no_connected: an attempt to make a connection for LNET_BULK has ended: requests that
 *  wait for it call lnet_peer_conn() again. From any task, may not sleep
 * @no_ping: whether a node answers, for a user's command; may sleep for that
 *  long. Return: 0 or a negative errno, with a reason
 *
 * Called without a lock, one at a time for a connection, under
 * memalloc_noio_save(). no_message() and no_received() may sleep for memory, but
 * not for a peer. no_closed() may sleep.
 */
struct lnet_ops {
	void *(*no_reply_buffer)(struct lnet_conn *conn, u64 xid, u32 len);
	int (*no_message)(struct lnet_rx *rx);
	void (*no_received)(struct lnet_rx *rx, int rc);
	void (*no_closed)(struct lnet_conn *conn);
	void (*no_connected)(struct lnet_peer *peer);
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
#define CNF_CRC		1	/* messages have a CRC */
#define CNF_RX_READY	2	/* there is something to read */
#define CNF_RX_PAUSED	3	/* reading is suspended until lnet_conn_resume() */
#define CNF_RX_BUSY	4	/* a task reads, or reading is over for good */
#define CNF_UNASKED	5	/* an unsolicited reply came */
#define CNF_LANES	6	/* both ends have a connection for each lane */
#define CNF_BULK_CRC	7	/* bulk data has a CRC */
#define CNF_DAMAGE_LOGGED 8	/* bulk data did not match its CRC */
#define CNF_LOCAL	9	/* the other end is in this kernel */

/**
 * struct lnet_conn - a connection
 * @cn_refcount: references
 * @cn_net: namespace
 * @cn_peer: node at the other end, referenced; NULL before a passive one knows
 *  it
 * @cn_nid: its NID; nid_len 0 while it is not known
 * @cn_sock: socket, until CONN_CLOSED
 * @cn_state: enum lnet_conn_state, changed by conn_set_state() only
 * @cn_flags: CNF_*, bit operations
 * @cn_lane: what it carries; constant from CONN_OPEN on
 * @cn_error: why it was closed, 0 or a negative errno
 * @cn_lock: guards @cn_state, @cn_error, @cn_reader and the queue of outgoing
 *  messages; taken in bottom halves
 * @cn_reader: wait queue of the task that reads for itself, or NULL
 * @cn_upper_lock: guards @cn_upper
 * @cn_upper: for the layer above: requests to fail when this ends
 * @cn_upper_data: for the layer above, too
 *
 * Embedded in a struct lnet_conn_private (conn.h), which has the fields private
 * to the network.
 *
 * Held by: its peer, or the listener, until it is closed; its works while they
 * run; each lookup; each request and each message above. It is CONN_CLOSED
 * before the last put, which frees it.
 */
struct lnet_conn {
	refcount_t		cn_refcount;
	struct lnet		*cn_net;
	struct lnet_peer		*cn_peer;
	struct lnet_nid		cn_nid;
	struct socket		*cn_sock;
	enum lnet_conn_state	cn_state;
	unsigned long		cn_flags;
	enum lnet_lane		cn_lane;
	int			cn_error;
	spinlock_t		cn_lock;
	struct wait_queue_head	*cn_reader;
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
 * Send: the caller's task sends as much as the socket takes, a work the rest.
 * Task context; does not wait for a peer. Return: 0: tx_done() was or will be
 * called. Without tx_done(): -ENOTCONN: the connection is not open; -EMSGSIZE:
 * the other node takes no such message.
 */
int lnet_conn_send(struct lnet_conn *conn, struct lnet_tx *tx);

/*
 * Messages that this task sends between hold and flush go out together: many
 * small ones cost little more than one. A task that waits for an answer in
 * between flushes first. Returns false if another task already holds.
 */
bool lnet_conn_hold(struct lnet_conn *conn);
void lnet_conn_flush(struct lnet_conn *conn);
void lnet_conn_release(struct lnet_conn *conn);

/*
 * Withdraw a message: when this returns, tx_done() was called and the network
 * does not access the message. A half-sent message arrives nevertheless: the
 * network sends the rest from a copy, and keeps references on its pages. May sleep
 * shortly. Not from tx_done().
 */
void lnet_conn_recall(struct lnet_conn *conn, struct lnet_tx *tx);

/*
 * Throw away the rest of the message that arrives with this rx_private: no_received() is
 * called soon, with -ECANCELED, by the reader, unless all has arrived before that. The caller
 * excludes no_received() of this message until this returns. Any context.
 */
void lnet_conn_discard(struct lnet_conn *conn, void *private);

/* Resume reading after no_message() returned -EAGAIN. Any context. */
void lnet_conn_resume(struct lnet_conn *conn);

/*
 * Close a connection; @rc is the reason. Returns at once; no_closed() reports
 * the end.
 */
void lnet_conn_close(struct lnet_conn *conn, int rc);

/*
 * The task that waits for a reply may take the reader role of the connection, which
 * saves a switch to a worker and back. It sleeps on @wq until its reply has come or
 * lnet_conn_reader_ready(), and calls lnet_conn_read() when that is true.
 *
 *	reader = lnet_conn_reader_begin(conn, &wq);
 *	wait_event(wq, done || (reader && lnet_conn_reader_ready(conn)))
 *	if (reader && lnet_conn_reader_ready(conn))
 *		lnet_conn_read(conn); and wait again
 *	if (reader)
 *		lnet_conn_reader_end(conn, &wq);
 *
 * A connection has one reader: begin returns false to any other task. A task that does not
 * read in time loses the role, without being told: a work reads, and its reply wakes it.
 */
bool lnet_conn_reader_begin(struct lnet_conn *conn, struct wait_queue_head *wq);
bool lnet_conn_reader_ready(const struct lnet_conn *conn);
void lnet_conn_read(struct lnet_conn *conn);
void lnet_conn_reader_end(struct lnet_conn *conn, struct wait_queue_head *wq);

/*
 * Nodes.
 */

/*
 * The node at @nid, created if needed, referenced. ERR_PTR: -ENOMEM; -ENETDOWN
 * if the namespace is going away; -EAFNOSUPPORT for a NID that is not of tcp.
 */
struct lnet_peer * __must_check lnet_peer_find(struct net *net,
					       const struct lnet_nid *nid);
struct lnet_peer *lnet_peer_get(struct lnet_peer *peer);
void lnet_peer_put(struct lnet_peer *peer);
const struct lnet_nid *lnet_peer_nid(const struct lnet_peer *peer);
struct net *lnet_peer_net(const struct lnet_peer *peer);

/*
 * An open connection to it for a lane, referenced. ERR_PTR: -ENOTCONN: there is none;
 * -EINPROGRESS, LNET_BULK only: it is being made, and no_connected() follows. With a node
 * that has no lanes, or after a failed attempt, LNET_BULK is the control connection. Task
 * context, without a lock.
 */
struct lnet_conn * __must_check lnet_peer_conn(struct lnet_peer *peer, enum lnet_lane lane);

/* Whether nothing was received on a connection since @ns, ktime_get_ns(). */
bool lnet_conn_is_silent(struct lnet_conn *conn, u64 ns);

/*
 * An open control connection, made if there is none: one task connects, others wait for
 * it. @cancel, which may be NULL, is polled; true ends the wait. ERR_PTR:
 * -ETIMEDOUT after @timeout (jiffies), -EINTR when killed, -ECANCELED,
 * -ECONNREFUSED, -EHOSTUNREACH, -EPROTO if the nodes have no version in common,
 * -EACCES if the node refuses this one, -ENETDOWN. A node that failed a moment
 * ago is tried again at once.
 */
struct lnet_conn * __must_check lnet_peer_connect(struct lnet_peer *peer, long timeout,
						  bool (*cancel)(void *arg),
						  void *arg);

bool lnet_peer_refuses(struct lnet_peer *peer);

/*
 * Waiting for another node: killable, and frozen while the system suspends,
 * which would fail otherwise while a server does not answer. The task may hold
 * locks of the file system above, as in every network file system; hence
 * "unsafe" for the freezer.
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
 * Memory that the layer above holds for a node: @bytes of a request that came.
 * Beyond the limit of an address (parameter ptlrpc.peer_memory) or of all
 * (ptlrpc.memory) it is refused: no_message() returns -EAGAIN, and is called
 * again when the memory was granted. If it does not take the message then, it
 * calls lnet_peer_charge_cancel(). lnet_peer_uncharge() grants memory to
 * waiting connections.
 *
 * @lane is that of the request, not of the connection: requests without bulk
 * data have a reserve of their own.
 *
 * lnet_peer_try_charge() is for a request without bulk data that may wait for others. It
 * gets half of the reserve, and is refused at once beyond that, so that the connection is
 * read on: a cancel that the request waits for may come after it.
 */
bool lnet_peer_charge(struct lnet_conn *conn, enum lnet_lane lane, u32 bytes);
bool lnet_peer_try_charge(struct lnet_conn *conn, u32 bytes);
void lnet_peer_charge_cancel(struct lnet_conn *conn);
void lnet_peer_uncharge(struct lnet_conn *conn, enum lnet_lane lane, u32 bytes);

/*
 * Namespaces.
 */

/*
 * Listen in a namespace, for one more user. The first user creates the
 * listener: 0, -EADDRINUSE and so on, with a reason in @why. Port 0 (parameter
 * ptlrpc.port) means no listener, and is not an error.
 */
int lnet_listen(struct net *net, struct obd_why *why);
void lnet_unlisten(struct net *net);

/*
 * NIDs of the node in a namespace. Return: how many there are, at most @max are
 * stored.
 */
unsigned int lnet_nids(struct net *net, struct lnet_nid *nids, unsigned int max);

/* Close the connections to a node, or with NULL all of a namespace. */
void lnet_reset(struct net *net, const struct lnet_nid *nid);

int lnet_init(const struct lnet_ops *ops);
void lnet_exit(void);

/* Counters of the network: parameter ptlrpc.net_stats. */
enum lnet_counter {
	LNET_TX_BYTES,	/* of each message sent */
	LNET_RX_BYTES,	/* of each message received */
	LNET_CONNECTS,
	LNET_ACCEPTS,
	LNET_CLOSED,
	LNET_REFUSED,		/* a connection was refused */
	LNET_ADDR_FULL,	/* ... because its address has too many */
	LNET_HELLO_TIMEOUT,
	LNET_RX_TIMEOUT,	/* the rest of a message did not arrive */
	LNET_PAUSED,		/* reading was suspended: out of memory */
	LNET_DAMAGED,		/* bulk data that did not match its CRC */
	LNET_UNASKED,		/* an unsolicited reply */
	LNET_LATE,		/* a reply after its request had ended */
	LNET_READER_LOST,	/* a task that did not read lost the reader role */
	LNET_DROPPED,		/* by a fault-injection rule */
	LNET_DELAYED,
	LNET_DUPLICATED,
	LNET_RESET,
	LNET_FAULT,		/* followed by one for each enum wire_fault */
	LNET_COUNTER_COUNT = LNET_FAULT + WIRE_FAULT_COUNT
};

void lnet_count(enum lnet_counter counter, u64 value);

/*
 * A malformed frame or message from a node: counted, and logged once for each
 * connection.
 * @what may be NULL.
 */
void lnet_fault(struct lnet_conn *conn, enum wire_fault fault, const char *what);

#endif /* _LUSTRE_LITE_PTLRPC_NET_H */
