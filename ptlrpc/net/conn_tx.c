// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sending.
 *
 * Messages are in one queue. A task that adds one and finds no sender becomes the
 * sender (cwr_busy). It sends until the queue is empty, the socket is full, or its turn
 * is over. It gives up the role under the lock under which it has found the queue
 * empty, so no message is left. A work continues when the socket has space.
 *
 *  IDLE ----> QUEUED ----> SENDING ----> IDLE, and then tx_done()
 *    ^           |             |
 *    +-----------+-------------+ lnet_conn_recall(): conn_recall.c; end of the connection
 */
#define DEBUG_SUBSYSTEM S_LNET

#include <linux/kernel.h>
#include <linux/net.h>
#include <linux/sched/mm.h>

#include <lustre_lite/codec.h>
#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_class.h>
#include <lustre_lite/ptlrpc_test_point.h>

#include "conn.h"

/* Period of the check for stalled messages. */
#define TX_WATCH_PERIOD		HZ

static void tx_wake(struct lnet_conn *conn)
{
	if (wq_has_sleeper(&conn_private(conn)->cp_wait))
		wake_up_all(&conn_private(conn)->cp_wait);
}

/*
 * Bytes that count as answers: requests are limited at their origin. The layer above has charged
 * bulk data (memory.c): so much counts that another large answer is queued while one is sent.
 */
static u32 tx_answer_bytes(const struct lnet_tx *tx)
{
	const struct lustre_msg *msg = tx->tx_msg;

	if (codec_get32(&msg->lm_type, false) == PTL_RPC_MSG_REQUEST)
		return 0;
	return tx->tx_msg_len + min(tx->tx_bulk_len, WIRE_BULK_DEFAULT);
}

static void tx_pick(struct lnet_conn *conn, struct lnet_tx *tx)
{
	struct conn_writer *wr = conn_writer_of(conn);

	lockdep_assert_held(&conn->cn_lock);
	tx->tx_state = LNET_TX_SENDING;
	wr->cwr_space = false;
	wr->cwr_more = !list_is_last(&tx->tx_list, &wr->cwr_queue);
}

/*
 * Become the sender, if there is none and something to send. In one kernel the reader of
 * the other end is the sender: notify it, unless it was notified since the queue was empty.
 * The reference on it is that of conn_local_notify().
 */
static struct lnet_tx *tx_start(struct lnet_conn *conn)
{
	struct conn_writer *wr = conn_writer_of(conn);
	struct lnet_tx *first;

	lockdep_assert_held(&conn->cn_lock);
	if (wr->cwr_busy || wr->cwr_blocked || list_empty(&wr->cwr_queue))
		return NULL;
	first = list_first_entry(&wr->cwr_queue, struct lnet_tx, tx_list);
	if (conn_is_local(conn)) {
		lnet_conn_get(conn_private(conn)->cp_other);
		wr->cwr_blocked = true;
		return first;
	}
	wr->cwr_busy = true;
	tx_pick(conn, first);
	return first;
}

/* The holder has more to send and will flush. */
static bool tx_is_held(const struct conn_writer *wr)
{
	return wr->cwr_holder == current && wr->cwr_count < CONN_TX_BATCH;
}

/*
 * Return: the message to send now if the caller has become the sender, else
 *  NULL.
 */
static struct lnet_tx *tx_queue(struct lnet_conn *conn, struct lnet_tx *tx)
{
	struct conn_writer *wr = conn_writer_of(conn);

	lockdep_assert_held(&conn->cn_lock);
	if (list_empty(&wr->cwr_queue))
		wr->cwr_progress = jiffies;
	tx->tx_sent = 0;
	tx->tx_state = LNET_TX_QUEUED;
	list_add_tail(&tx->tx_list, &wr->cwr_queue);
	wr->cwr_count++;
	wr->cwr_answers += tx_answer_bytes(tx);
	return tx_is_held(wr) ? NULL : tx_start(conn);
}

/* Take a message out of the queue; cn_lock is held. */
void conn_tx_unqueue(struct lnet_conn *conn, struct lnet_tx *tx)
{
	struct conn_writer *wr = conn_writer_of(conn);

	lockdep_assert_held(&conn->cn_lock);
	list_del(&tx->tx_list);
	tx->tx_state = LNET_TX_IDLE;
	wr->cwr_count--;
	wr->cwr_answers -= tx_answer_bytes(tx);
}

/* Enough was sent since reading of requests stopped. */
static bool tx_has_drained(struct lnet_conn *conn)
{
	struct conn_writer *wr = conn_writer_of(conn);

	lockdep_assert_held(&conn->cn_lock);
	if (!wr->cwr_full || wr->cwr_answers > CONN_TX_LIMIT / 2)
		return false;
	wr->cwr_full = false;
	return true;
}

/* Encode the head of a frame; its number is known only now. */
static void tx_begin(struct lnet_conn *conn, struct lnet_tx *tx)
{
	struct conn_writer *wr = conn_writer_of(conn);
	struct wire_frame frame = {
		.type = LNET_FRAME_MSG,
		.msg_len = tx->tx_msg_len,
		.bulk_len = tx->tx_bulk_len,
		.seq = wr->cwr_seq,
	};

	if (test_bit(CNF_CRC, &conn->cn_flags))
		frame.msg_crc = ~conn_crc(~0U, tx->tx_msg, tx->tx_msg_len);
	if (tx->tx_bulk_len && !tx->tx_bulk_plain && test_bit(CNF_BULK_CRC, &conn->cn_flags))
		frame.bulk_crc = ~conn_crc_parts(~0U, tx->tx_bulk, 0, tx->tx_bulk_len);
	ptlrpc_test_at(PTP_TX_CRC, tx);
	conn_frame_encode(&tx->tx_frame, &frame);
	wr->cwr_part = 0;
	wr->cwr_part_done = 0;
}

/*
 * Send frame and message from the first unsent byte. Return: bytes or an errno.
 */
static int tx_send_head(struct lnet_conn *conn, struct lnet_tx *tx)
{
	struct kvec vec[2];
	unsigned int nr = 0;
	u32 done = tx->tx_sent;

	if (done < WIRE_FRAME_SIZE) {
		vec[nr].iov_base = (u8 *)&tx->tx_frame + done;
		vec[nr++].iov_len = WIRE_FRAME_SIZE - done;
		done = WIRE_FRAME_SIZE;
	}
	done -= WIRE_FRAME_SIZE;
	vec[nr].iov_base = (u8 *)tx->tx_msg + done;
	vec[nr++].iov_len = tx->tx_msg_len - done;
	return conn_sock_send(conn, vec, nr, WIRE_FRAME_SIZE + tx->tx_msg_len -
			      tx->tx_sent,
			      tx->tx_bulk_len || conn_writer_of(conn)->cwr_more);
}

/* Send the rest of the bulk data, @rest bytes. Return: bytes or an errno. */
static int tx_send_bulk(struct lnet_conn *conn, struct lnet_tx *tx, u32 rest)
{
	struct conn_writer *wr = conn_writer_of(conn);
	int n;

	n = conn_sock_send_bulk(conn, &tx->tx_bulk[wr->cwr_part],
				tx->tx_bulk_nr - wr->cwr_part, wr->cwr_part_done,
				rest);
	if (n <= 0)
		return n;
	wr->cwr_part_done += n;
	while (wr->cwr_part < tx->tx_bulk_nr &&
	       wr->cwr_part_done >= tx->tx_bulk[wr->cwr_part].bv_len)
		wr->cwr_part_done -= tx->tx_bulk[wr->cwr_part++].bv_len;
	return n;
}

/* Send one message. Return: 0: complete; -EAGAIN; another errno. */
static int tx_send(struct lnet_conn *conn, struct lnet_tx *tx)
{
	u32 head = WIRE_FRAME_SIZE + tx->tx_msg_len;
	int n;

	if (!tx->tx_sent)
		tx_begin(conn, tx);
	while (tx->tx_sent < head + tx->tx_bulk_len) {
		if (tx->tx_sent < head)
			n = tx_send_head(conn, tx);
		else
			n = tx_send_bulk(conn, tx, head + tx->tx_bulk_len -
					 tx->tx_sent);
		if (n <= 0)
			return n ?: -ECONNRESET;
		if (!tx->tx_sent)
			conn_writer_of(conn)->cwr_seq++;
		tx->tx_sent += n;
	}
	return 0;
}

static void tx_count(struct lnet_conn *conn, u32 bytes)
{
	struct lnet_conn_private *cp = conn_private(conn);

	WRITE_ONCE(cp->cp_tx_bytes, cp->cp_tx_bytes + bytes);
	WRITE_ONCE(cp->cp_last, jiffies);
	lnet_count(LNET_TX_BYTES, bytes);
	peer_sent(conn->cn_peer);
}

/*
 * The message was sent. The owner may free it, so it is not accessed
 * afterwards.
 */
static void tx_sent(struct lnet_conn *conn, struct lnet_tx *tx)
{
	struct conn_writer *wr = conn_writer_of(conn);
	bool resume;

	tx_count(conn, tx->tx_sent);
	spin_lock_bh(&conn->cn_lock);
	conn_tx_unqueue(conn, tx);
	wr->cwr_completing = tx;
	wr->cwr_progress = jiffies;
	resume = tx_has_drained(conn);
	spin_unlock_bh(&conn->cn_lock);
	tx->tx_done(tx, 0);
	if (resume)
		lnet_conn_resume(conn);
}

/*
 * The socket is full. @before: bytes of the message sent earlier. If the socket
 * has got space meanwhile, sending goes on.
 */
static void tx_blocked(struct lnet_conn *conn, struct lnet_tx *tx, u32 before)
{
	struct conn_writer *wr = conn_writer_of(conn);

	spin_lock_bh(&conn->cn_lock);
	if (tx->tx_sent != before)
		wr->cwr_progress = jiffies;
	if (!wr->cwr_space)
		wr->cwr_blocked = true;
	conn_queue_timer(conn, TX_WATCH_PERIOD);
	spin_unlock_bh(&conn->cn_lock);
}

/*
 * The sender's next message, after tx_done() of the previous one. NULL: the
 * caller is no longer the sender.
 */
static struct lnet_tx *tx_next(struct lnet_conn *conn, unsigned int count)
{
	struct conn_writer *wr = conn_writer_of(conn);
	struct lnet_tx *tx = NULL;

	spin_lock_bh(&conn->cn_lock);
	wr->cwr_completing = NULL;
	if (conn->cn_state == CONN_OPEN && !wr->cwr_blocked)
		tx = list_first_entry_or_null(&wr->cwr_queue, struct lnet_tx,
					      tx_list);
	/* A task that gets no processor now must not keep the role. */
	if (tx && (count >= CONN_TX_BATCH || (count && need_resched()))) {
		conn_queue_tx(conn);
		tx = NULL;
	}
	if (tx)
		tx_pick(conn, tx);
	else
		wr->cwr_busy = false;
	spin_unlock_bh(&conn->cn_lock);
	tx_wake(conn);
	return tx;
}

/*
 * After tx_start(), as the sender: send the queue, @tx first, then give up the role. Other
 * tasks' messages wait for this one, hence no reclaim that may wait for them.
 */
static void tx_drain(struct lnet_conn *conn, struct lnet_tx *tx)
{
	unsigned int noio, count = 0;
	u32 before;
	int rc;

	if (tx && conn_is_local(conn)) {
		conn_local_notify(conn);
		return;
	}
	noio = memalloc_noio_save();
	for (; tx; tx = tx_next(conn, ++count)) {
		before = tx->tx_sent;
		rc = tx_send(conn, tx);
		if (!rc)
			tx_sent(conn, tx);
		else if (rc == -EAGAIN)
			tx_blocked(conn, tx, before);
		else
			lnet_conn_close(conn, rc);
	}
	memalloc_noio_restore(noio);
}

/* Become the sender. Return: false if there is one already. */
bool conn_tx_take(struct lnet_conn *conn)
{
	struct conn_writer *wr = conn_writer_of(conn);
	bool taken;

	spin_lock_bh(&conn->cn_lock);
	taken = !wr->cwr_busy;
	wr->cwr_busy = true;
	spin_unlock_bh(&conn->cn_lock);
	return taken;
}

/* Start to send what is queued; @release: the caller holds it no longer. */
static void tx_resume(struct lnet_conn *conn, bool release)
{
	struct lnet_tx *first;

	spin_lock_bh(&conn->cn_lock);
	if (release)
		WRITE_ONCE(conn_writer_of(conn)->cwr_holder, NULL);
	first = conn->cn_state == CONN_OPEN ? tx_start(conn) : NULL;
	spin_unlock_bh(&conn->cn_lock);
	tx_drain(conn, first);
}

/* Send the queue, from the work. */
void conn_tx_run(struct lnet_conn *conn)
{
	if (conn_is_local(conn)) {
		tx_resume(conn, false);
		return;
	}
	if (!conn_tx_take(conn))
		return;
	conn_sock_push(conn);
	tx_drain(conn, tx_next(conn, 0));
}

/* The socket has space: its callback. */
void conn_tx_write_space(struct lnet_conn *conn)
{
	struct conn_writer *wr = conn_writer_of(conn);

	spin_lock_bh(&conn->cn_lock);
	wr->cwr_space = true;
	if (wr->cwr_blocked) {
		wr->cwr_blocked = false;
		conn_queue_tx(conn);
	}
	spin_unlock_bh(&conn->cn_lock);
}

/* No byte was sent for so long that the other end must have stopped reading. */
static bool tx_is_stuck(const struct conn_writer *wr)
{
	unsigned long limit = max_t(unsigned long, READ_ONCE(obd_timeout), 1) * HZ;

	return time_after(jiffies, wr->cwr_progress + limit);
}

/**
 * conn_tx_watch() - check for stalled messages
 * @conn: connection
 *
 * Ends a connection that has sent no byte for obd_timeout seconds. Until then
 * it sends again, as a socket does not report when memory is available. If both
 * ends leave requests unread until their answers are sent, neither makes
 * progress: so one request is admitted each time a check finds none.
 *
 * Context: any; the timer's work
 */
void conn_tx_watch(struct lnet_conn *conn)
{
	struct conn_writer *wr = conn_writer_of(conn);
	bool resume = false;

	spin_lock_bh(&conn->cn_lock);
	if (wr->cwr_blocked) {
		if (tx_is_stuck(wr))
			conn_begin_close(conn, -ETIMEDOUT);
		wr->cwr_blocked = false;
		conn_queue_tx(conn);
		if (conn_is_local(conn))
			conn_queue_timer(conn, TX_WATCH_PERIOD);
		resume = wr->cwr_full && time_after_eq(jiffies, wr->cwr_progress +
						       TX_WATCH_PERIOD);
		wr->cwr_admit_one = resume;
	}
	spin_unlock_bh(&conn->cn_lock);
	if (resume)
		lnet_conn_resume(conn);
}

/*
 * Whether too many answers wait to be sent, so that no request should be taken now. If so,
 * lnet_conn_resume() is called when there are fewer.
 */
bool conn_tx_is_full(struct lnet_conn *conn)
{
	struct conn_writer *wr = conn_writer_of(conn);
	bool full;

	if (READ_ONCE(wr->cwr_answers) <= CONN_TX_LIMIT)
		return false;
	spin_lock_bh(&conn->cn_lock);
	full = wr->cwr_answers > CONN_TX_LIMIT && !wr->cwr_admit_one;
	wr->cwr_full = full;
	wr->cwr_admit_one = false;
	spin_unlock_bh(&conn->cn_lock);
	return full;
}

/* Whether the other end accepts a message of this size, and sends such an answer. */
static int tx_check(struct lnet_conn *conn, const struct lnet_tx *tx)
{
	const struct lnet_conn_private *cp = conn_private(conn);
	unsigned int n;
	u32 bytes = 0;

	if (tx->tx_msg_len > cp->cp_peer_msg_max ||
	    max(tx->tx_bulk_len, tx->tx_answer_len) > cp->cp_peer_bulk_max)
		return -EMSGSIZE;
	if (!tx->tx_bulk_len)
		return 0;
	for (n = 0; n < tx->tx_bulk_nr; n++)
		bytes += tx->tx_bulk[n].bv_len;
	return WARN_ON_ONCE(bytes != tx->tx_bulk_len) ? -EINVAL : 0;
}

/*
 * lnet_conn_send() without fault-injection rules. @tx is LNET_TX_IDLE or LNET_TX_HELD, and
 * unchanged on failure.
 */
int conn_send_now(struct lnet_conn *conn, struct lnet_tx *tx)
{
	struct lnet_tx *first = NULL;
	int rc = -ENOTCONN;

	spin_lock_bh(&conn->cn_lock);
	if (conn->cn_state == CONN_OPEN)
		rc = tx_check(conn, tx);
	if (!rc)
		first = tx_queue(conn, tx);
	spin_unlock_bh(&conn->cn_lock);
	tx_drain(conn, first);
	return rc;
}

/**
 * lnet_conn_send() - send a message
 * @conn: connection
 * @tx: message
 *
 * Context: may sleep, but waits for no other node
 * Return: 0: tx_done() was or will be called; -ENOTCONN: the connection is not
 *  open; -EMSGSIZE: the other end does not accept a message of this size
 */
int lnet_conn_send(struct lnet_conn *conn, struct lnet_tx *tx)
{
	tx->tx_state = LNET_TX_IDLE;
	if (rules_active() && lnet_conn_is_open(conn) && rules_take(conn, tx))
		return 0;
	return conn_send_now(conn, tx);
}

/*
 * Messages of other tasks do not wait, and take the held ones along. ptlrpc_net.h says how
 * a task uses these.
 */
bool lnet_conn_hold(struct lnet_conn *conn)
{
	struct conn_writer *wr = conn_writer_of(conn);
	bool held;

	spin_lock_bh(&conn->cn_lock);
	held = !wr->cwr_holder;
	if (held)
		wr->cwr_holder = current;
	spin_unlock_bh(&conn->cn_lock);
	return held;
}

/* Send the messages that this task has held. */
void lnet_conn_flush(struct lnet_conn *conn)
{
	if (READ_ONCE(conn_writer_of(conn)->cwr_holder) == current)
		tx_resume(conn, false);
}

/* End lnet_conn_hold(), and send the messages. */
void lnet_conn_release(struct lnet_conn *conn)
{
	tx_resume(conn, true);
}

/* The connection ends: complete the queued messages with an error, as the sender for good. */
void conn_tx_end(struct lnet_conn *conn, int rc)
{
	struct conn_writer *wr = conn_writer_of(conn);
	struct lnet_tx *tx;

	do {
		spin_lock_bh(&conn->cn_lock);
		tx = list_first_entry_or_null(&wr->cwr_queue, struct lnet_tx, tx_list);
		if (tx)
			conn_tx_unqueue(conn, tx);
		wr->cwr_completing = tx;
		spin_unlock_bh(&conn->cn_lock);
		tx_wake(conn);
		if (tx)
			tx->tx_done(tx, rc);
	} while (tx);
}

/*
 * In one kernel the reader of the other end is the sender: it takes the first message. NULL:
 * there is none, or the connection ends; otherwise conn_tx_pulled() or conn_tx_unpull()
 * follows.
 */
struct lnet_tx *conn_tx_pull(struct lnet_conn *conn)
{
	struct conn_writer *wr = conn_writer_of(conn);
	struct lnet_tx *first = NULL;

	spin_lock_bh(&conn->cn_lock);
	if (conn->cn_state == CONN_OPEN && !wr->cwr_busy) {
		first = list_first_entry_or_null(&wr->cwr_queue, struct lnet_tx,
						 tx_list);
		wr->cwr_busy = first;
		wr->cwr_blocked = first;
		if (first)
			tx_pick(conn, first);
	}
	spin_unlock_bh(&conn->cn_lock);
	return first;
}

/* Give up the role. @tx: put this message back, or NULL. Return: whether more is queued. */
static bool tx_pull_end(struct lnet_conn *conn, struct lnet_tx *tx)
{
	struct conn_writer *wr = conn_writer_of(conn);
	bool more;

	spin_lock_bh(&conn->cn_lock);
	if (tx) {
		tx->tx_state = LNET_TX_QUEUED;
		conn_queue_timer(conn, TX_WATCH_PERIOD);
	}
	more = !list_empty(&wr->cwr_queue);
	wr->cwr_completing = NULL;
	wr->cwr_blocked = more;
	wr->cwr_busy = false;
	spin_unlock_bh(&conn->cn_lock);
	tx_wake(conn);
	return more;
}

/* The message was received; its tx_done() is called. Return: whether there is another one. */
bool conn_tx_pulled(struct lnet_conn *conn, struct lnet_tx *tx)
{
	tx->tx_sent = WIRE_FRAME_SIZE + tx->tx_msg_len + tx->tx_bulk_len;
	tx_sent(conn, tx);
	return tx_pull_end(conn, NULL);
}

/* The message is not received now: it is the first one again, and may be recalled. */
void conn_tx_unpull(struct lnet_conn *conn, struct lnet_tx *tx)
{
	tx_pull_end(conn, tx);
}
