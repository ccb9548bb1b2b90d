// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receiving.
 *
 * CNF_RX_READY: there may be something to read. The task that sets CNF_RX_BUSY
 * reads: the work, or a task with the reader role. It clears READY before it
 * reads, and tests READY again after it has cleared BUSY. A callback of the
 * socket, or a sender in this kernel, sets READY before it tests BUSY. So one of
 * the two sees the other, and no message is left unread.
 *
 * conn_reader.c reads the socket, ahead of what is needed. Inside one kernel
 * conn_local.c takes messages from the queue of the other end.
 */
#define DEBUG_SUBSYSTEM S_LNET

#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/net.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include <lustre_lite/codec.h>
#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_class.h>

#include "conn.h"

/* Attempts to allocate a message, and delay between them. */
#define RX_MEMORY_TRIES		100
#define RX_MEMORY_DELAY		(HZ / 10)

static struct conn_reader *reader_of(struct lnet_conn *conn)
{
	return &conn_private(conn)->cp_reader;
}

static int rx_fault(struct lnet_conn *conn, enum wire_fault fault)
{
	lnet_fault(conn, fault, NULL);
	return fault == WIRE_BAD_VERSION ? -EPROTO : -EBADMSG;
}

static enum wire_fault rx_check_frame(struct lnet_conn *conn,
				      const struct wire_frame *frame)
{
	bool greeted = conn_private(conn)->cp_opened;

	if (frame->type != (greeted ? LNET_FRAME_MSG : LNET_FRAME_HELLO))
		return WIRE_BAD_TYPE;
	if (frame->seq != reader_of(conn)->rd_seq)
		return WIRE_BAD_SEQ;
	return WIRE_OK;
}

/*
 * Start the deadline for the rest of the message: the request's timeout, which
 * the sender derives from the adaptive timeouts, but no longer than "timeout" for
 * each WIRE_BULK_DEFAULT.
 */
static void rx_expect(struct conn_reader *rd, u32 seconds)
{
	u32 parts = DIV_ROUND_UP(rd->rd_rx.rx_frame.bulk_len, WIRE_BULK_DEFAULT);
	u32 most = READ_ONCE(obd_timeout) * max(parts, 1U);

	seconds = seconds ? min_t(u32, seconds, most) : most;
	WRITE_ONCE(rd->rd_deadline, jiffies + seconds * HZ);
}

static int rx_frame(struct lnet_conn *conn)
{
	struct conn_reader *rd = reader_of(conn);
	struct lnet_frame head;
	enum wire_fault fault;
	int rc;

	rc = conn_buf_need(conn, WIRE_FRAME_SIZE);
	if (rc)
		return rc;
	conn_buf_take(rd, &head, WIRE_FRAME_SIZE);
	rd->rd_rx.rx_start_ns = ktime_get_ns();
	fault = wire_frame_decode(&head, ~conn_crc(~0U, &head, WIRE_FRAME_CRC_LEN),
				  &rd->rd_rx.rx_frame);
	if (fault == WIRE_OK)
		fault = rx_check_frame(conn, &rd->rd_rx.rx_frame);
	if (fault == WIRE_BAD_VERSION && !conn_private(conn)->cp_opened)
		conn_hello_refuse(conn, -EPROTO);
	if (fault != WIRE_OK)
		return rx_fault(conn, fault);
	rd->rd_seq++;
	rd->rd_done = 0;
	rx_expect(rd, 0);
	WRITE_ONCE(rd->rd_step, CONN_RX_MSG);
	return 0;
}

static void rx_pause(struct lnet_conn *conn)
{
	set_bit(CNF_RX_PAUSED, &conn->cn_flags);
	/* Pairs with lnet_conn_resume(). */
	smp_mb__after_atomic();
}

/*
 * Memory allocation for the message failed: try again later, a limited number
 * of times.
 */
static int rx_no_memory(struct lnet_conn *conn)
{
	if (reader_of(conn)->rd_failures++ >= RX_MEMORY_TRIES)
		return -ENOMEM;
	rx_pause(conn);
	spin_lock_bh(&conn->cn_lock);
	conn_queue_timer(conn, RX_MEMORY_DELAY);
	spin_unlock_bh(&conn->cn_lock);
	return -EAGAIN;
}

/* Read the rest of the message, and ahead unless bulk data follows. */
static int rx_msg_rest(struct lnet_conn *conn)
{
	struct conn_reader *rd = reader_of(conn);
	const struct wire_frame *frame = &rd->rd_rx.rx_frame;
	u32 rest = frame->msg_len - rd->rd_done;
	struct kvec vec[2];
	int rc;

	vec[0].iov_base = rd->rd_rx.rx_msg + rd->rd_done;
	vec[0].iov_len = rest;
	vec[1].iov_base = rd->rd_buf;
	vec[1].iov_len = CONN_RX_BUF;
	rd->rd_from = 0;
	rd->rd_to = 0;
	if (frame->bulk_len)
		rc = conn_recv(conn, vec, 1, rest);
	else
		rc = conn_recv(conn, vec, 2, rest + CONN_RX_BUF);
	if (rc < 0)
		return rc;
	rd->rd_to = rc > rest ? rc - rest : 0;
	rd->rd_done += rc - rd->rd_to;
	return 0;
}

/* CRC of the message read, or zero without CRCs. */
static u32 rx_msg_crc(struct lnet_conn *conn)
{
	const struct lnet_rx *rx = &reader_of(conn)->rd_rx;

	if (!test_bit(CNF_CRC, &conn->cn_flags))
		return 0;
	return ~conn_crc(~0U, rx->rx_msg, rx->rx_frame.msg_len);
}

/* The message is complete. Return: 1: it was HELLO, without bulk data. */
static int rx_msg_done(struct lnet_conn *conn)
{
	struct conn_reader *rd = reader_of(conn);
	struct lnet_rx *rx = &rd->rd_rx;
	enum wire_fault fault;
	int rc;

	if (rx->rx_frame.msg_crc != rx_msg_crc(conn))
		return rx_fault(conn, WIRE_BAD_MSG_CRC);
	if (rx->rx_frame.type == LNET_FRAME_HELLO) {
		rc = conn_hello_received(conn, rx->rx_msg,
					 rx->rx_frame.msg_len);
		kvfree(rx->rx_msg);
		rx->rx_msg = NULL;
		WRITE_ONCE(rd->rd_step, CONN_RX_FRAME);
		return rc ?: 1;
	}
	fault = wire_msg_view(rx->rx_msg, rx->rx_frame.msg_len, &rx->rx_view);
	if (fault != WIRE_OK)
		return rx_fault(conn, fault);
	WRITE_ONCE(rd->rd_step, CONN_RX_OFFER);
	return 0;
}

/*
 * The head of a message for the layer above, which is read ahead for its xid; NULL for
 * another message.
 */
static int rx_msg_head(struct lnet_conn *conn, const struct lustre_msg **head)
{
	struct conn_reader *rd = reader_of(conn);
	int rc;

	*head = NULL;
	if (rd->rd_rx.rx_frame.type != LNET_FRAME_MSG ||
	    rd->rd_rx.rx_frame.msg_len < sizeof(**head))
		return 0;
	rc = conn_buf_need(conn, sizeof(**head));
	if (!rc)
		*head = (const void *)(rd->rd_buf + rd->rd_from);
	return rc;
}

/*
 * Memory for the message: the buffer that the layer above has reserved for this reply, if
 * any. The CRC is checked later, so a wrong xid costs that request its buffer at most.
 * Return: 0; -EAGAIN; -ENOMEM after many attempts.
 */
int conn_rx_memory(struct lnet_conn *conn, const struct lustre_msg *head)
{
	struct conn_reader *rd = reader_of(conn);
	struct lnet_rx *rx = &rd->rd_rx;

	if (head && codec_get32(&head->lm_type, false) != PTL_RPC_MSG_REQUEST)
		rx->rx_msg = lnet_ops->no_reply_buffer(conn,
						       codec_get64(&head->lm_xid, false),
						       rx->rx_frame.msg_len);
	rx->rx_reserved = rx->rx_msg;
	if (!rx->rx_msg)
		rx->rx_msg = kvmalloc(rx->rx_frame.msg_len, GFP_NOIO | __GFP_NOWARN);
	if (!rx->rx_msg)
		return rx_no_memory(conn);
	rd->rd_failures = 0;
	return 0;
}

static int rx_msg(struct lnet_conn *conn)
{
	struct conn_reader *rd = reader_of(conn);
	struct lnet_rx *rx = &rd->rd_rx;
	u32 len = rx->rx_frame.msg_len;
	const struct lustre_msg *head;
	int rc = 0;

	if (!rx->rx_msg)
		rc = rx_msg_head(conn, &head) ?: conn_rx_memory(conn, head);
	if (rc)
		return rc;
	rd->rd_done += conn_buf_take(rd, rx->rx_msg + rd->rd_done, len - rd->rd_done);
	while (!rc && rd->rd_done < len)
		rc = rx_msg_rest(conn);
	return rc ?: rx_msg_done(conn);
}

/* A request stays unread while too many answers wait to be sent. */
static int rx_offer_once(struct lnet_conn *conn)
{
	struct lnet_rx *rx = &reader_of(conn)->rd_rx;

	if (rx->rx_view.type == PTL_RPC_MSG_REQUEST && conn_tx_is_full(conn))
		return -EAGAIN;
	return lnet_ops->no_message(rx);
}

/*
 * Offer the message to the layer above. If that defers it, it may have resumed
 * the connection in the meantime.
 */
int conn_rx_offer(struct lnet_conn *conn)
{
	struct conn_reader *rd = reader_of(conn);
	int resumes;
	int rc;

	do {
		resumes = atomic_read(&rd->rd_resumes);
		rc = rx_offer_once(conn);
		if (rc != -EAGAIN)
			break;
		rx_pause(conn);
	} while (atomic_read(&rd->rd_resumes) != resumes &&
		 test_and_clear_bit(CNF_RX_PAUSED, &conn->cn_flags));
	if (rc)
		return rc;
	rd->rd_done = 0;
	rd->rd_crc = ~0U;
	/*
	 * The timeout in a reply has another meaning: the estimate of the
	 * service.
	 */
	rx_expect(rd, rd->rd_rx.rx_view.type == PTL_RPC_MSG_REQUEST ?
		  rd->rd_rx.rx_view.timeout : 0);
	WRITE_ONCE(rd->rd_step, CONN_RX_BULK);
	return 0;
}

/* The layer above is done with the message. */
static void rx_give(struct lnet_conn *conn, int rc)
{
	struct conn_reader *rd = reader_of(conn);
	struct lnet_rx *rx = &rd->rd_rx;

	lnet_ops->no_received(rx, rc);
	/* After no_received() no task sets this for it; the next message is not given yet. */
	WRITE_ONCE(rd->rd_discard, NULL);
	kvfree(rx->rx_msg);
	rx->rx_msg = NULL;
	rx->rx_bulk = NULL;
	rx->rx_bulk_nr = 0;
	rx->rx_private = NULL;
}

static void rx_end(struct lnet_conn *conn, int rc)
{
	WRITE_ONCE(reader_of(conn)->rd_step, CONN_RX_FRAME);
	rx_give(conn, rc);
}

/* The message is complete; -EILSEQ: its data is damaged. @more: another one is there. */
void conn_rx_delivered(struct lnet_conn *conn, int rc, bool more)
{
	struct conn_reader *rd = reader_of(conn);
	const struct lnet_rx *rx = &rd->rd_rx;

	lnet_count(LNET_RX_BYTES, WIRE_FRAME_SIZE + rx->rx_frame.msg_len +
				      rx->rx_frame.bulk_len);
	peer_heard(conn->cn_peer);
	/* More requests are there: their answers go out with this one's. */
	if (rx->rx_inline && more && !rd->rd_held)
		rd->rd_held = lnet_conn_hold(conn);
	rx_end(conn, rc);
}

/*
 * The layer above may not want the rest. It is given the message at once, and the rest is
 * read as that of a message without a destination.
 */
static void rx_check_discard(struct lnet_conn *conn)
{
	struct conn_reader *rd = reader_of(conn);

	if (rd->rd_rx.rx_private && READ_ONCE(rd->rd_discard) == rd->rd_rx.rx_private)
		rx_give(conn, -ECANCELED);
}

/* Whether the parts given by the layer above have the promised size. */
bool conn_rx_bulk_fits(const struct lnet_rx *rx)
{
	u64 space = 0;
	unsigned int n;

	if (!rx->rx_bulk)
		return true;
	for (n = 0; n < rx->rx_bulk_nr; n++)
		space += rx->rx_bulk[n].bv_len;
	return space >= rx->rx_frame.bulk_len;
}

/*
 * Bulk data, from the read-ahead buffer or the socket. Return: bytes or an
 * errno.
 */
static int rx_bulk_more(struct lnet_conn *conn, u32 rest)
{
	struct conn_reader *rd = reader_of(conn);
	u32 ahead = min_t(u32, rest, conn_buf_ahead(rd));
	struct lnet_rx *rx = &rd->rd_rx;
	int rc;

	if (ahead) {
		if (rx->rx_bulk)
			conn_copy_parts(rx->rx_bulk, rd->rd_done,
					rd->rd_buf + rd->rd_from, ahead);
		rd->rd_from += ahead;
		return ahead;
	}
	rc = conn_recv_begin(conn);
	if (rc)
		return rc;
	return conn_recv_end(conn, conn_sock_recv_bulk(conn, rx->rx_bulk,
						     rx->rx_bulk_nr, rd->rd_done,
						     rest), rest);
}

/* The bulk data of this message has a CRC. */
static bool rx_bulk_has_crc(struct lnet_conn *conn)
{
	const struct lnet_rx *rx = &reader_of(conn)->rd_rx;

	return rx->rx_frame.bulk_len && !(rx->rx_view.flags & MSG_BULK_PLAIN) &&
	       test_bit(CNF_BULK_CRC, &conn->cn_flags);
}

/*
 * Bulk data differs from that whose CRC was computed: damaged on the way, or changed by its
 * owner while it was sent. The stream is intact. Counted, and logged once for a connection.
 */
static void rx_bulk_damaged(struct lnet_conn *conn)
{
	const struct lnet_rx *rx = &reader_of(conn)->rd_rx;
	char nid[LNET_NID_TEXT_MAX];

	lnet_count(LNET_DAMAGED, 1);
	if (test_and_set_bit(CNF_DAMAGE_LOGGED, &conn->cn_flags))
		return;
	if (libcfs_nid_print(&conn->cn_nid, nid, sizeof(nid)) < 0)
		strscpy(nid, "?", sizeof(nid));
	CWARN("%s: bulk data of x%llu, operation %u, does not match its CRC, the request is sent again; more of this connection are only counted\n",
	      nid, rx->rx_view.xid, rx->rx_view.opc);
}

/* All bulk data is there. Return: 0; -EILSEQ: it is damaged; another errno ends the connection */
static int rx_bulk_check(struct lnet_conn *conn)
{
	const struct conn_reader *rd = reader_of(conn);
	const struct lnet_rx *rx = &rd->rd_rx;

	if (!rx_bulk_has_crc(conn))
		return rx->rx_frame.bulk_crc ? rx_fault(conn, WIRE_BAD_BULK_CRC) : 0;
	if (!rx->rx_bulk || rx->rx_frame.bulk_crc == ~rd->rd_crc)
		return 0;
	rx_bulk_damaged(conn);
	return -EILSEQ;
}

/* Read the bulk data. Return: 0: all is there; an errno. */
static int rx_bulk_read(struct lnet_conn *conn)
{
	struct conn_reader *rd = reader_of(conn);
	struct lnet_rx *rx = &rd->rd_rx;
	int rc;

	while (rd->rd_done < rx->rx_frame.bulk_len) {
		rx_check_discard(conn);
		rc = rx_bulk_more(conn, rx->rx_frame.bulk_len - rd->rd_done);
		if (rc < 0)
			return rc;
		if (rx->rx_bulk && rx_bulk_has_crc(conn))
			rd->rd_crc = conn_crc_parts(rd->rd_crc, rx->rx_bulk,
						    rd->rd_done, rc);
		rd->rd_done += rc;
		cond_resched();
	}
	return 0;
}

/* Bulk data, if any. Return: 1: the message is complete. */
static int rx_bulk(struct lnet_conn *conn)
{
	struct conn_reader *rd = reader_of(conn);
	struct lnet_rx *rx = &rd->rd_rx;
	int rc;

	if (WARN_ON_ONCE(!conn_rx_bulk_fits(rx)))
		return -EINVAL;
	rc = rx_bulk_read(conn);
	if (!rc)
		rc = rx_bulk_check(conn);
	if (rc && rc != -EILSEQ)
		return rc;
	conn_rx_delivered(conn, rc, conn_buf_ahead(rd));
	return 1;
}

static int (* const rx_steps[])(struct lnet_conn *conn) = {
	[CONN_RX_FRAME] = rx_frame,
	[CONN_RX_MSG] = rx_msg,
	[CONN_RX_OFFER] = conn_rx_offer,
	[CONN_RX_BULK] = rx_bulk,
};

/* Read one message. Return: 0; -EAGAIN: the rest is to come; another errno. */
static int rx_message(struct lnet_conn *conn, bool work)
{
	struct conn_reader *rd = reader_of(conn);
	int rc;

	rd->rd_rx.rx_inline = work;
	if (conn_is_local(conn))
		return conn_local_read(conn);
	do {
		if (READ_ONCE(conn->cn_state) >= CONN_CLOSING)
			return -ESHUTDOWN;
		rc = rx_steps[rd->rd_step](conn);
	} while (!rc);
	return rc > 0 ? 0 : rc;
}

/* A work stops when a task takes the reader role. */
static int rx_messages(struct lnet_conn *conn, bool work)
{
	unsigned int count = work ? CONN_RX_BATCH : 1;
	int rc;

	do {
		rc = rx_message(conn, work);
	} while (!rc && --count && !READ_ONCE(conn->cn_reader));
	return rc;
}

/* Connecting has not finished, or the first bytes have not come yet. */
static int rx_begin(struct lnet_conn *conn)
{
	int rc;

	clear_bit(CNF_RX_READY, &conn->cn_flags);
	/* As in conn_recv_begin(). */
	smp_mb__after_atomic();
	if (test_bit(CNF_PASSIVE, &conn->cn_flags))
		return conn_hello_await(conn);
	if (!conn->cn_sock && conn_is_to_self(conn))
		return conn_local_connect(conn);
	rc = conn->cn_sock ? conn_sock_connected(conn) :
			     conn_sock_connect(conn);
	if (rc == -EINPROGRESS)
		return -EAGAIN;
	return rc ?: conn_hello_connected(conn);
}

/**
 * conn_rx_leave() - end reading
 * @conn: connection; the caller owns CNF_RX_BUSY
 * @more: something is left: queue another run
 *
 * Context: any task
 */
void conn_rx_leave(struct lnet_conn *conn, bool more)
{
	struct lnet_conn_private *cp = conn_private(conn);

	WRITE_ONCE(cp->cp_reader.rd_progress, cp->cp_reader.rd_progress + 1);
	if (more)
		set_bit(CNF_RX_READY, &conn->cn_flags);
	clear_bit_unlock(CNF_RX_BUSY, &conn->cn_flags);
	/* Pairs with conn_rx_ready(). */
	smp_mb__after_atomic();
	/* A waiter queues itself before it tests the bit: see the barrier. */
	if (waitqueue_active(&cp->cp_wait))
		wake_up_all(&cp->cp_wait);
	if (!test_bit(CNF_RX_READY, &conn->cn_flags) ||
	    test_bit(CNF_RX_PAUSED, &conn->cn_flags))
		return;
	spin_lock_bh(&conn->cn_lock);
	conn_queue_rx(conn);
	spin_unlock_bh(&conn->cn_lock);
}

/**
 * conn_rx_run() - read, unless another task does
 * @conn: connection
 * @work: called by the work, which leaves the rest to a task with the reader
 *  role; otherwise called by that task, for one message
 *
 * Reclaim that waits for a reply on this connection must not be entered here: this
 * covers connecting, the exchange of HELLO, and the layer above.
 *
 * Context: may sleep; calls the layer above
 */
void conn_rx_run(struct lnet_conn *conn, bool work)
{
	struct conn_reader *rd = reader_of(conn);
	unsigned int noio;
	int rc = 0;

	if (test_and_set_bit_lock(CNF_RX_BUSY, &conn->cn_flags))
		return;
	noio = memalloc_noio_save();
	if (READ_ONCE(conn->cn_state) == CONN_NEW)
		rc = rx_begin(conn);
	if (!rc && !test_bit(CNF_RX_PAUSED, &conn->cn_flags))
		rc = rx_messages(conn, work);
	if (rd->rd_held)
		lnet_conn_release(conn);
	rd->rd_held = false;
	if (rc && rc != -EAGAIN)
		lnet_conn_close(conn, rc);
	conn_rx_leave(conn, !rc && (!rd->rd_drained || conn_buf_ahead(rd)));
	memalloc_noio_restore(noio);
}

/**
 * lnet_conn_discard() - throw away the rest of a message
 * @conn: connection
 * @private: its rx_private; the caller excludes its no_received()
 *
 * Context: any
 */
void lnet_conn_discard(struct lnet_conn *conn, void *private)
{
	WRITE_ONCE(reader_of(conn)->rd_discard, private);
	conn_rx_ready(conn);
}

/* There may be something to read. Any context: the socket's callbacks. */
void conn_rx_ready(struct lnet_conn *conn)
{
	set_bit(CNF_RX_READY, &conn->cn_flags);
	/* Pairs with conn_rx_leave(). */
	smp_mb__after_atomic();
	if (test_bit(CNF_RX_BUSY, &conn->cn_flags) ||
	    test_bit(CNF_RX_PAUSED, &conn->cn_flags))
		return;
	spin_lock_bh(&conn->cn_lock);
	conn_queue_rx(conn);
	spin_unlock_bh(&conn->cn_lock);
}

/* Retry a failed allocation. The timer's work. */
void conn_rx_retry(struct lnet_conn *conn)
{
	if (READ_ONCE(reader_of(conn)->rd_failures))
		lnet_conn_resume(conn);
}

/* The connection ends: stop reading. The caller owns CNF_RX_BUSY, for good. May sleep. */
void conn_rx_end(struct lnet_conn *conn, int rc)
{
	struct conn_reader *rd = reader_of(conn);

	if (rd->rd_step == CONN_RX_BULK)
		rx_end(conn, rc);
	kvfree(rd->rd_rx.rx_msg);
	rd->rd_rx.rx_msg = NULL;
}
