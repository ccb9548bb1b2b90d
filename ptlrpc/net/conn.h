/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Connections, for the files of the network: constructors, and private fields.
 * net.h has the calls between connections and the other files, and their order.
 *
 * Two flags tell who may use a socket, so no lock is held over its calls:
 * CNF_RX_BUSY for reading, cwr_busy for sending. The task that sets one owns the
 * fields of that side until it clears it. The closing work takes both and never
 * clears them.
 *
 * Locks: cn_lock is the innermost lock of the network. The socket's callbacks
 * take it inside of sk_callback_lock. No function of a socket is called under
 * it.
 */
#ifndef _PTLRPC_CONN_H
#define _PTLRPC_CONN_H

#include <linux/atomic.h>
#include <linux/crc32.h>
#include <linux/crc32c.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/socket.h>
#include <linux/uio.h>
#include <linux/workqueue.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/ptlrpc_net.h>

#include "net.h"

struct sock;

/*
 * CRC32C as crc32c(). Looking up the kernel's fastest implementation costs more
 * than a short message does by tables.
 */
#define CONN_CRC_SHORT		256

static inline u32 conn_crc(u32 crc, const void *at, size_t len)
{
	if (len > CONN_CRC_SHORT)
		return crc32c(crc, at, len);
	return compat_crc32c_short(crc, at, len);
}

/* The head of a frame, with its CRC. */
static inline void conn_frame_encode(struct lnet_frame *to, const struct wire_frame *frame)
{
	wire_frame_encode(to, frame);
	wire_frame_seal(to, ~conn_crc(~0U, to, WIRE_FRAME_CRC_LEN));
}

/* Bytes of queued answers at which reading of requests stops. */
#define CONN_TX_LIMIT		(16U << 20)
/*
 * Messages that one run of a work reads or sends before others have their turn.
 */
#define CONN_RX_BATCH		16
#define CONN_TX_BATCH		32
/* Size of the read-ahead buffer. */
#define CONN_RX_BUF		PAGE_SIZE

/* enum conn_rx_step - the part of a message read next */
enum conn_rx_step {
	CONN_RX_FRAME,		/* the head of a frame */
	CONN_RX_MSG,		/* the message */
	CONN_RX_OFFER,		/* nothing: it is offered to the layer above */
	CONN_RX_BULK,		/* bulk data; the layer above has taken the message */
};

/**
 * struct conn_reader - receiving side of a connection
 * @rd_step: part read next
 * @rd_done: bytes of it read
 * @rd_seq: number of the next frame
 * @rd_crc: CRC of the bulk data so far
 * @rd_buf: read-ahead buffer: CONN_RX_BUF bytes
 * @rd_from: first unused byte in it
 * @rd_to: end of the bytes in it
 * @rd_drained: the socket was empty when last read
 * @rd_resumes: calls of lnet_conn_resume(); written by any task
 * @rd_failures: failed allocations for this message
 * @rd_deadline: jiffies when the rest of the message must have come
 * @rd_discard: rx_private of the message whose data is to be thrown away, or NULL; written
 *  by any task
 * @rd_held: the answers of this run are held to go out together
 * @rd_progress: changes when bytes were read, and when a task stops reading
 * @rd_rx: the message
 *
 * Owned by the task that set CNF_RX_BUSY, except @rd_resumes and @rd_discard.
 */
struct conn_reader {
	enum conn_rx_step	rd_step;
	u32			rd_done;
	u32			rd_seq;
	u32			rd_crc;
	u8			*rd_buf;
	u32			rd_from;
	u32			rd_to;
	bool			rd_drained;
	atomic_t		rd_resumes;
	unsigned int		rd_failures;
	unsigned long		rd_deadline;
	void			*rd_discard;
	bool			rd_held;
	u32			rd_progress;
	struct lnet_rx		rd_rx;
};

/**
 * struct conn_writer - sending side of a connection
 * @cwr_queue: outgoing messages, the one being sent first
 * @cwr_completing: message whose tx_done() the sender runs, or NULL
 * @cwr_count: messages in the queue
 * @cwr_answers: bytes of those that are not requests
 * @cwr_progress: jiffies when a byte was last sent, or when there was none to
 *  send
 * @cwr_busy: there is a sender, or sending is over for good
 * @cwr_blocked: the socket is full; conn_tx_write_space() clears it. In one kernel: the
 *  reader of the other end was notified
 * @cwr_space: the socket got space since the sender looked at the queue
 * @cwr_full: requests are not read until answers were sent
 * @cwr_admit_one: one request may be read nevertheless
 * @cwr_more: messages were queued after the one being sent, or sent last
 * @cwr_holder: task whose messages wait for each other, or NULL; only compared
 * @cwr_seq: number of the next frame; owned by the sender
 * @cwr_part: next part of the bulk data; owned by the sender
 * @cwr_part_done: bytes of it sent; owned by the sender
 *
 * Guarded by cn_lock unless said otherwise.
 */
struct conn_writer {
	struct list_head	cwr_queue;
	struct lnet_tx		*cwr_completing;
	unsigned int		cwr_count;
	u32			cwr_answers;
	unsigned long		cwr_progress;
	bool			cwr_busy;
	bool			cwr_blocked;
	bool			cwr_space;
	bool			cwr_full;
	bool			cwr_admit_one;
	bool			cwr_more;
	struct task_struct	*cwr_holder;
	u32			cwr_seq;
	unsigned int		cwr_part;
	u32			cwr_part_done;
};

/**
 * struct lnet_conn_private - a connection with its private fields
 * @cp_conn: public part
 * @cp_node: fields of net.c, peer.c and listen.c
 * @cp_rx_work: connects, exchanges HELLO, reads what is not bulk data
 * @cp_rx_bulk_work: the same of a connection for bulk data, from its HELLO on
 * @cp_tx_work: sends the messages that did not fit into the socket at once
 * @cp_close_work: ends it; owns the reference of the task that queued it
 * @cp_timer: checks stalled sending, and retries failed allocations
 * @cp_reader_watch: takes the reader role from a task that does not read
 * @cp_reader_seen: rd_progress when that last ran; guarded by cn_lock
 * @cp_reader_rest: jiffies before which no task gets the role; guarded by cn_lock
 * @cp_wait: woken when a CNF_*_BUSY ends, and when tx_done() has returned
 * @cp_reader: receiving
 * @cp_writer: sending
 * @cp_peer_msg_max: largest message that the other end takes, bytes
 * @cp_peer_bulk_max: largest bulk data that it takes, bytes
 * @cp_incarnation: incarnation of the other end
 * @cp_features: LNET_FEATURE_* of both ends
 * @cp_opened: it has been CONN_OPEN
 * @cp_refused: a refusal is being sent to the other end
 * @cp_last: jiffies of the last byte sent or received
 * @cp_heard_ns: when a byte was last received, ktime_get_coarse_ns()
 * @cp_tx_bytes: bytes sent
 * @cp_rx_bytes: bytes received
 * @cp_local: this end of the socket
 * @cp_remote: the other end
 * @cp_other: the other end in this kernel with CNF_LOCAL, referenced until the closing
 *  work; otherwise NULL
 * @cp_data_ready: original callback of the socket
 * @cp_write_space: likewise
 * @cp_state_change: likewise
 */
struct lnet_conn_private {
	struct lnet_conn		cp_conn;
	struct net_conn		cp_node;
	struct work_struct	cp_rx_work;
	struct work_struct	cp_rx_bulk_work;
	struct work_struct	cp_tx_work;
	struct work_struct	cp_close_work;
	struct delayed_work	cp_timer;
	struct delayed_work	cp_reader_watch;
	u32			cp_reader_seen;
	unsigned long		cp_reader_rest;
	wait_queue_head_t	cp_wait;
	struct conn_reader	cp_reader;
	struct conn_writer	cp_writer;
	u32			cp_peer_msg_max;
	u32			cp_peer_bulk_max;
	u64			cp_incarnation;
	u32			cp_features;
	bool			cp_opened;
	bool			cp_refused;
	unsigned long		cp_last;
	u64			cp_heard_ns;
	u64			cp_tx_bytes;
	u64			cp_rx_bytes;
	struct sockaddr_storage	cp_local;
	struct sockaddr_storage	cp_remote;
	struct lnet_conn		*cp_other;
	void (*cp_data_ready)(struct sock *sk);
	void (*cp_write_space)(struct sock *sk);
	void (*cp_state_change)(struct sock *sk);
};

static inline struct lnet_conn_private *conn_private(struct lnet_conn *conn)
{
	return container_of(conn, struct lnet_conn_private, cp_conn);
}

/* Both ends are in this kernel, and there is no socket. */
static inline bool conn_is_local(const struct lnet_conn *conn)
{
	return test_bit(CNF_LOCAL, &conn->cn_flags);
}

/* Its part of the namespace. */
static inline struct net_conn *conn_node(struct lnet_conn *conn)
{
	return &conn_private(conn)->cp_node;
}

/*
 * conn.c: life. net.h describes the functions used by net.c, peer.c, listen.c
 * and rules.c.
 */
struct lnet_conn * __must_check conn_make(struct lnet *net, struct lnet_peer *peer,
					  struct socket *sock);
void conn_start(struct lnet_conn *conn);
bool conn_is_idle(struct lnet_conn *conn, unsigned long *since);
void conn_describe(struct lnet_conn *conn, struct ll_rpc_conn *to);
/* Wait until the last connection is freed; at module exit. */
void conn_wait_freed(void);

bool conn_state_may(enum lnet_conn_state from, enum lnet_conn_state to);
bool conn_set_state(struct lnet_conn *conn, enum lnet_conn_state state);
/* Under cn_lock; no effect from CONN_CLOSING on. */
void conn_queue_rx(struct lnet_conn *conn);
void conn_queue_tx(struct lnet_conn *conn);
void conn_queue_timer(struct lnet_conn *conn, unsigned long delay);
void conn_begin_close(struct lnet_conn *conn, int rc);
bool conn_rx_is_late(struct lnet_conn *conn);

/* hello.c; 0 or a negative errno that ends the connection. By the reader. */
int conn_hello_connected(struct lnet_conn *conn);
int conn_hello_await(struct lnet_conn *conn);
int conn_hello_received(struct lnet_conn *conn, const void *msg, u32 len);
/* Both ends are in this kernel. */
int conn_hello_local(struct lnet_conn *conn);
/* The other end's HELLO has a version that this node does not support. */
void conn_hello_refuse(struct lnet_conn *conn, int rc);

/* conn_tx.c */
static inline struct conn_writer *conn_writer_of(struct lnet_conn *conn)
{
	return &conn_private(conn)->cp_writer;
}

int conn_send_now(struct lnet_conn *conn, struct lnet_tx *tx);
bool __must_check conn_tx_take(struct lnet_conn *conn);
void conn_tx_run(struct lnet_conn *conn);
void conn_tx_write_space(struct lnet_conn *conn);
void conn_tx_watch(struct lnet_conn *conn);
void conn_tx_end(struct lnet_conn *conn, int rc);
void conn_tx_unqueue(struct lnet_conn *conn, struct lnet_tx *tx);
bool conn_tx_is_full(struct lnet_conn *conn);
struct lnet_tx *conn_tx_pull(struct lnet_conn *conn);
bool conn_tx_pulled(struct lnet_conn *conn, struct lnet_tx *tx);
void conn_tx_unpull(struct lnet_conn *conn, struct lnet_tx *tx);

/* conn_reader.c; ptlrpc_net.h has the functions of tasks. */
void conn_reader_init(struct lnet_conn *conn);
void conn_reader_wake(struct lnet_conn *conn);

static inline u32 conn_buf_ahead(const struct conn_reader *rd)
{
	return rd->rd_to - rd->rd_from;
}

u32 conn_buf_take(struct conn_reader *rd, void *to, u32 len);
int conn_buf_need(struct lnet_conn *conn, u32 len);
void conn_rx_count(struct lnet_conn *conn, u32 bytes);
int conn_recv_begin(struct lnet_conn *conn);
int conn_recv_end(struct lnet_conn *conn, int rc, size_t len);
int conn_recv(struct lnet_conn *conn, struct kvec *vec, unsigned int nr, size_t len);

/* conn_rx.c */
void conn_rx_run(struct lnet_conn *conn, bool work);
void conn_rx_leave(struct lnet_conn *conn, bool more);
void conn_rx_ready(struct lnet_conn *conn);
void conn_rx_retry(struct lnet_conn *conn);
void conn_rx_end(struct lnet_conn *conn, int rc);
int conn_rx_memory(struct lnet_conn *conn, const struct lustre_msg *head);
int conn_rx_offer(struct lnet_conn *conn);
bool conn_rx_bulk_fits(const struct lnet_rx *rx);
void conn_rx_delivered(struct lnet_conn *conn, int rc, bool more);

/* conn_local.c: the other end is in this kernel. */
bool conn_is_to_self(struct lnet_conn *conn);
int conn_local_connect(struct lnet_conn *conn);
void conn_local_notify(struct lnet_conn *conn);
int conn_local_read(struct lnet_conn *conn);
void conn_local_release(struct lnet_conn *conn);

/*
 * sock.c: the kernel's sockets. Return: bytes, -EAGAIN if it would block, 0 at
 * the end, or another negative errno.
 */
int conn_sock_connect(struct lnet_conn *conn);
int conn_sock_connected(struct lnet_conn *conn);
void conn_sock_settings(struct socket *sock);
int conn_sock_names(struct lnet_conn *conn);
void conn_sock_watch(struct lnet_conn *conn);
void conn_sock_release(struct lnet_conn *conn, bool abort);
void conn_sock_push(struct lnet_conn *conn);
int conn_sock_send(struct lnet_conn *conn, struct kvec *vec, unsigned int nr,
		   size_t len, bool more);
int conn_sock_send_bulk(struct lnet_conn *conn, const struct bio_vec *parts,
			unsigned int nr, u32 done, u32 len);
int conn_sock_recv(struct lnet_conn *conn, struct kvec *vec, unsigned int nr,
		   size_t len);
int conn_sock_recv_bulk(struct lnet_conn *conn, const struct bio_vec *parts,
			unsigned int nr, size_t done, size_t len);
bool conn_sock_has_ended(struct lnet_conn *conn);
u32 conn_crc_parts(u32 crc, const struct bio_vec *parts, u32 from, u32 len);
void conn_copy_parts(const struct bio_vec *parts, u32 from, const u8 *buf, u32 len);

/* An address to a NID; IPv4 in IPv6 is IPv4. -EAFNOSUPPORT. */
int lnet_nid_from_sockaddr(const struct sockaddr_storage *addr, u16 net,
			   struct lnet_nid *nid);
/* Bytes of the address; 0 for a NID that is not of tcp. */
int lnet_nid_to_sockaddr(const struct lnet_nid *nid, u16 port,
			 struct sockaddr_storage *addr);

#endif /* _PTLRPC_CONN_H */
