/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Connections, as the files of the network see them: what makes one, and the
 * fields that nobody else looks at. What the files around ask of a connection and
 * offer to it, and the order of calls, is in net.h.
 *
 * Two flags say who may use a socket, so that no lock is held over what it does:
 * CNF_RX_BUSY for reading, wr_busy for sending. Whoever sets one owns the fields of
 * that side until it clears it. The work that closes takes both and never gives
 * them back.
 *
 * Locks: cn_lock is the innermost lock of the network. The socket's callbacks take
 * it inside of sk_callback_lock. No function of a socket is called under it.
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

#include <lustre_lite/ptlrpc_net.h>

#include "net.h"

struct sock;

/*
 * CRC32C as crc32c(). To ask the kernel for its best way costs more than a short
 * message does by tables.
 */
#define CONN_CRC_SHORT		256

static inline u32 conn_crc(u32 crc, const void *at, size_t len)
{
	if (len > CONN_CRC_SHORT)
		return crc32c(crc, at, len);
	return __crc32c_le(crc, at, len);
}

/* Bytes of answers that are queued until requests are not read any more. */
#define CONN_TX_LIMIT		(16U << 20)
/* Messages that one run of a work reads, or sends, until others have their turn. */
#define CONN_RX_BATCH		16
#define CONN_TX_BATCH		32
/* Bytes that are read ahead. */
#define CONN_RX_BUF		PAGE_SIZE

/* enum conn_rx_step - what is read next */
enum conn_rx_step {
	CONN_RX_FRAME,		/* the head of a frame */
	CONN_RX_MSG,		/* the message */
	CONN_RX_OFFER,		/* nothing: the floor above is asked to take it */
	CONN_RX_BULK,		/* bulk data; the floor above knows of it */
};

/**
 * struct conn_reader - the side of a connection that reads
 * @rd_step: what is read next
 * @rd_done: bytes of it that are there
 * @rd_seq: number of the next frame
 * @rd_crc: CRC of the bulk data so far
 * @rd_buf: what was read ahead: CONN_RX_BUF bytes
 * @rd_from: first byte in it that was not used
 * @rd_to: byte behind the last one
 * @rd_drained: the socket had no more when it was last asked
 * @rd_resumes: calls of lnet_conn_resume(); the one field that anybody may change
 * @rd_failures: times that there was no memory for this message
 * @rd_deadline: jiffies when the rest of the message must have come
 * @rd_held: the answers of this run are held back, to go out together
 * @rd_rx: the message
 *
 * Owned by who has CNF_RX_BUSY.
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
	bool			rd_held;
	struct lnet_rx		rd_rx;
};

/**
 * struct conn_writer - the side of a connection that sends
 * @wr_queue: messages to go out, the one that is being sent first
 * @wr_telling: message whose tx_done() the sender runs, or NULL
 * @wr_count: messages in the queue
 * @wr_answers: bytes of those that are no requests
 * @wr_progress: jiffies when a byte last went out, or when there was none to send
 * @wr_busy: there is a sender, or nobody may send any more
 * @wr_blocked: the socket takes no more; conn_tx_write_space() clears it
 * @wr_space: the socket got room since the sender looked at the queue
 * @wr_full: requests are not read until answers went out
 * @wr_let_in: one request may be read nevertheless
 * @wr_more: others were queued behind the one that is being sent, or was last
 * @wr_holder: task whose messages wait for each other, or NULL; only compared
 * @wr_seq: number of the next frame; the sender's
 * @wr_part: part of the bulk data that is sent next; the sender's
 * @wr_part_done: bytes of it that went out; the sender's
 *
 * Guarded by cn_lock where nothing else is said.
 */
struct conn_writer {
	struct list_head	wr_queue;
	struct lnet_tx		*wr_telling;
	unsigned int		wr_count;
	u32			wr_answers;
	unsigned long		wr_progress;
	bool			wr_busy;
	bool			wr_blocked;
	bool			wr_space;
	bool			wr_full;
	bool			wr_let_in;
	bool			wr_more;
	struct task_struct	*wr_holder;
	u32			wr_seq;
	unsigned int		wr_part;
	u32			wr_part_done;
};

/**
 * struct lnet_conn_private - a connection, all of it
 * @cp_conn: what others see
 * @cp_node: what net.c, peer.c and listen.c keep
 * @cp_rx_work: connects, greets, reads
 * @cp_tx_work: sends what the socket did not take at once
 * @cp_close_work: ends it; has the reference of who started it
 * @cp_timer: looks after what does not go out, and after memory that was missing
 * @cp_wait: woken when a CNF_*_BUSY ends, and when tx_done() has returned
 * @cp_reader: reading
 * @cp_writer: sending
 * @cp_peer_msg_max: most bytes of a message that the other end takes
 * @cp_peer_bulk_max: most bytes of bulk data
 * @cp_incarnation: what the other end said
 * @cp_opened: it has been CONN_OPEN
 * @cp_refused: the other end is told why not, and is to hear it
 * @cp_last: jiffies of the last byte that went or came
 * @cp_tx_bytes: bytes that went out
 * @cp_rx_bytes: bytes that came in
 * @cp_local: this end of the socket
 * @cp_remote: the other one
 * @cp_data_ready: callback of the socket as it was
 * @cp_write_space: likewise
 * @cp_state_change: likewise
 */
struct lnet_conn_private {
	struct lnet_conn		cp_conn;
	struct net_conn		cp_node;
	struct work_struct	cp_rx_work;
	struct work_struct	cp_tx_work;
	struct work_struct	cp_close_work;
	struct delayed_work	cp_timer;
	wait_queue_head_t	cp_wait;
	struct conn_reader	cp_reader;
	struct conn_writer	cp_writer;
	u32			cp_peer_msg_max;
	u32			cp_peer_bulk_max;
	u64			cp_incarnation;
	bool			cp_opened;
	bool			cp_refused;
	unsigned long		cp_last;
	u64			cp_tx_bytes;
	u64			cp_rx_bytes;
	struct sockaddr_storage	cp_local;
	struct sockaddr_storage	cp_remote;
	void (*cp_data_ready)(struct sock *sk);
	void (*cp_write_space)(struct sock *sk);
	void (*cp_state_change)(struct sock *sk);
};

static inline struct lnet_conn_private *conn_private(struct lnet_conn *conn)
{
	return container_of(conn, struct lnet_conn_private, cp_conn);
}

/* Its part of the namespace. */
static inline struct net_conn *conn_node(struct lnet_conn *conn)
{
	return &conn_private(conn)->cp_node;
}

/*
 * conn.c: life. What net.c, peer.c, listen.c and rules.c call is said in
 * net.h.
 */
struct lnet_conn * __must_check conn_make(struct lnet *net, struct lnet_peer *peer,
					  struct socket *sock);
void conn_start(struct lnet_conn *conn);
bool conn_is_idle(struct lnet_conn *conn, unsigned long *since);
void conn_describe(struct lnet_conn *conn, struct ll_rpc_conn *to);
/* Wait until the last connection of all is freed; at the end of the module. */
void conn_wait_freed(void);

bool conn_state_may(enum lnet_conn_state from, enum lnet_conn_state to);
bool conn_set_state(struct lnet_conn *conn, enum lnet_conn_state state);
/* Under cn_lock; nothing happens from CONN_CLOSING on. */
void conn_queue_rx(struct lnet_conn *conn);
void conn_queue_tx(struct lnet_conn *conn);
void conn_queue_timer(struct lnet_conn *conn, unsigned long delay);
void conn_begin_close(struct lnet_conn *conn, int rc);

/* hello.c; 0 or a negative errno that ends the connection. By the reader. */
int conn_hello_connected(struct lnet_conn *conn);
int conn_hello_await(struct lnet_conn *conn);
int conn_hello_received(struct lnet_conn *conn, const void *msg, u32 len);
/* The other end's HELLO has a head that this node does not speak. */
void conn_hello_refuse(struct lnet_conn *conn, int rc);
void conn_frame_encode(struct lnet_frame *to, const struct wire_frame *frame);

/* conn_tx.c */
int conn_send_now(struct lnet_conn *conn, struct lnet_tx *tx);
bool __must_check conn_tx_take(struct lnet_conn *conn);
void conn_tx_run(struct lnet_conn *conn);
void conn_tx_write_space(struct lnet_conn *conn);
void conn_tx_watch(struct lnet_conn *conn);
void conn_tx_end(struct lnet_conn *conn, int rc);
bool conn_tx_is_full(struct lnet_conn *conn);

/* conn_rx.c */
void conn_rx_run(struct lnet_conn *conn, bool work);
void conn_rx_ready(struct lnet_conn *conn);
void conn_rx_retry(struct lnet_conn *conn);
void conn_rx_end(struct lnet_conn *conn, int rc);
bool conn_rx_is_late(struct lnet_conn *conn);

/*
 * sock.c: the kernel's sockets. Bytes, -EAGAIN when it would block, 0 at the end,
 * or another negative errno.
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
int conn_sock_send_part(struct lnet_conn *conn, const struct bio_vec *part,
			u32 done, bool more);
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
/* Bytes of the address; 0 for what is no NID of tcp. */
int lnet_nid_to_sockaddr(const struct lnet_nid *nid, u16 port,
			 struct sockaddr_storage *addr);

#endif /* _PTLRPC_CONN_H */
