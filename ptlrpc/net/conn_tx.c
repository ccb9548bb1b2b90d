// SPDX-License-Identifier: GPL-2.0
/*
 * What goes out of a connection.
 *
 * Messages are in one queue. Who adds one and finds nobody sending becomes the
 * sender (wr_busy), and sends until the queue is empty, the socket takes no more,
 * or others should have a turn; it stops being the sender under the lock that it
 * looked at the queue with, so that no message is left behind. When the socket has
 * room again a work goes on.
 *
 *	IDLE ----> QUEUED ----> SENDING ----> IDLE, and then tx_done()
 *	  ^           |             |
 *	  +-----------+-------------+	lnet_conn_recall(), end of the connection
 */
#define DEBUG_SUBSYSTEM S_LNET

#include <linux/kernel.h>
#include <linux/net.h>

#include <lustre_lite/codec.h>
#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_class.h>

#include "conn.h"

/* How often messages that do not go out are looked at. */
#define TX_WATCH_PERIOD		HZ

/* enum tx_recall - what came of a try to take a message back */
enum tx_recall {
	TX_RECALL_GONE,		/* the network does not know it */
	TX_RECALL_TAKEN,	/* it is the caller's now */
	TX_RECALL_HELD,		/* a rule has it */
	TX_RECALL_BUSY,		/* somebody is working at it just now */
};

static struct conn_writer *writer_of(struct lnet_conn *conn)
{
	return &conn_private(conn)->cp_writer;
}

static void tx_wake(struct lnet_conn *conn)
{
	if (wq_has_sleeper(&conn_private(conn)->cp_wait))
		wake_up_all(&conn_private(conn)->cp_wait);
}

/* Requests are this node's own; answers were asked for by the other end. */
static u32 tx_answer_bytes(const struct lnet_tx *tx)
{
	const struct lustre_msg *msg = tx->tx_msg;

	if (codec_get32(&msg->lm_type, false) == PTL_RPC_MSG_REQUEST)
		return 0;
	return tx->tx_msg_len + tx->tx_bulk_len;
}

static void tx_pick(struct lnet_conn *conn, struct lnet_tx *tx)
{
	struct conn_writer *wr = writer_of(conn);

	lockdep_assert_held(&conn->cn_lock);
	tx->tx_state = LNET_TX_SENDING;
	wr->wr_space = false;
	wr->wr_more = !list_is_last(&tx->tx_list, &wr->wr_queue);
}

/* The caller is the sender from now on, if there is something to send and none. */
static struct lnet_tx *tx_start(struct lnet_conn *conn)
{
	struct conn_writer *wr = writer_of(conn);
	struct lnet_tx *first;

	lockdep_assert_held(&conn->cn_lock);
	if (wr->wr_busy || wr->wr_blocked || list_empty(&wr->wr_queue))
		return NULL;
	wr->wr_busy = true;
	first = list_first_entry(&wr->wr_queue, struct lnet_tx, tx_list);
	tx_pick(conn, first);
	return first;
}

/* The caller has more to send soon, and does not want this to go alone. */
static bool tx_is_held(const struct conn_writer *wr)
{
	return wr->wr_holder == current && wr->wr_count < CONN_TX_BATCH;
}

/* Return: what the caller is to send now, as it is the sender; or NULL. */
static struct lnet_tx *tx_queue(struct lnet_conn *conn, struct lnet_tx *tx)
{
	struct conn_writer *wr = writer_of(conn);

	lockdep_assert_held(&conn->cn_lock);
	if (list_empty(&wr->wr_queue))
		wr->wr_progress = jiffies;
	tx->tx_sent = 0;
	tx->tx_state = LNET_TX_QUEUED;
	list_add_tail(&tx->tx_list, &wr->wr_queue);
	wr->wr_count++;
	wr->wr_answers += tx_answer_bytes(tx);
	return tx_is_held(wr) ? NULL : tx_start(conn);
}

static void tx_unqueue(struct lnet_conn *conn, struct lnet_tx *tx)
{
	struct conn_writer *wr = writer_of(conn);

	lockdep_assert_held(&conn->cn_lock);
	list_del(&tx->tx_list);
	tx->tx_state = LNET_TX_IDLE;
	wr->wr_count--;
	wr->wr_answers -= tx_answer_bytes(tx);
}

/* Enough went out since requests were left unread. */
static bool tx_has_drained(struct lnet_conn *conn)
{
	struct conn_writer *wr = writer_of(conn);

	lockdep_assert_held(&conn->cn_lock);
	if (!wr->wr_full || wr->wr_answers > CONN_TX_LIMIT / 2)
		return false;
	wr->wr_full = false;
	return true;
}

/* The head of a frame, now that its turn and so its number is known. */
static void tx_begin(struct lnet_conn *conn, struct lnet_tx *tx)
{
	struct conn_writer *wr = writer_of(conn);
	struct wire_frame frame = {
		.type = LNET_FRAME_MSG,
		.msg_len = tx->tx_msg_len,
		.bulk_len = tx->tx_bulk_len,
		.seq = wr->wr_seq,
	};

	if (test_bit(CNF_CRC, &conn->cn_flags)) {
		frame.msg_crc = ~conn_crc(~0U, tx->tx_msg, tx->tx_msg_len);
		if (tx->tx_bulk_len)
			frame.bulk_crc = ~conn_crc_parts(~0U, tx->tx_bulk, 0,
							 tx->tx_bulk_len);
	}
	conn_frame_encode(&tx->tx_frame, &frame);
	wr->wr_part = 0;
	wr->wr_part_done = 0;
}

/* Frame and message, from the first byte that did not go out. Bytes or an errno. */
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
			      tx->tx_bulk_len || writer_of(conn)->wr_more);
}

/* The next part of the bulk data. Bytes or an errno. */
static int tx_send_bulk(struct lnet_conn *conn, struct lnet_tx *tx)
{
	struct conn_writer *wr = writer_of(conn);
	const struct bio_vec *part = &tx->tx_bulk[wr->wr_part];
	int n;

	n = conn_sock_send_part(conn, part, wr->wr_part_done,
				wr->wr_part + 1 < tx->tx_bulk_nr);
	if (n <= 0)
		return n;
	wr->wr_part_done += n;
	if (wr->wr_part_done == part->bv_len) {
		wr->wr_part++;
		wr->wr_part_done = 0;
	}
	return n;
}

/* Send one message. Return: 0: all of it went out; -EAGAIN; an error. */
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
			n = tx_send_bulk(conn, tx);
		if (n <= 0)
			return n ?: -ECONNRESET;
		if (!tx->tx_sent)
			writer_of(conn)->wr_seq++;
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

/* All of it went out. The owner may free it, so that it is not looked at again. */
static void tx_sent(struct lnet_conn *conn, struct lnet_tx *tx)
{
	struct conn_writer *wr = writer_of(conn);
	bool resume;

	tx_count(conn, tx->tx_sent);
	spin_lock_bh(&conn->cn_lock);
	tx_unqueue(conn, tx);
	wr->wr_telling = tx;
	wr->wr_progress = jiffies;
	resume = tx_has_drained(conn);
	spin_unlock_bh(&conn->cn_lock);
	tx->tx_done(tx, 0);
	if (resume)
		lnet_conn_resume(conn);
}

/*
 * The socket takes no more of this message. @before: bytes of it that went out
 * earlier. If the socket has got room since it was asked, sending goes on.
 */
static void tx_blocked(struct lnet_conn *conn, struct lnet_tx *tx, u32 before)
{
	struct conn_writer *wr = writer_of(conn);

	spin_lock_bh(&conn->cn_lock);
	if (tx->tx_sent != before)
		wr->wr_progress = jiffies;
	if (!wr->wr_space)
		wr->wr_blocked = true;
	conn_queue_timer(conn, TX_WATCH_PERIOD);
	spin_unlock_bh(&conn->cn_lock);
}

/*
 * By the sender, after tx_done() of the last one: what to send now. NULL: the
 * caller is not the sender any more.
 */
static struct lnet_tx *tx_next(struct lnet_conn *conn, unsigned int count)
{
	struct conn_writer *wr = writer_of(conn);
	struct lnet_tx *tx = NULL;

	spin_lock_bh(&conn->cn_lock);
	wr->wr_telling = NULL;
	if (conn->cn_state == CONN_OPEN && !wr->wr_blocked)
		tx = list_first_entry_or_null(&wr->wr_queue, struct lnet_tx,
					      tx_list);
	if (tx && count >= CONN_TX_BATCH) {
		conn_queue_tx(conn);
		tx = NULL;
	}
	if (tx)
		tx_pick(conn, tx);
	else
		wr->wr_busy = false;
	spin_unlock_bh(&conn->cn_lock);
	tx_wake(conn);
	return tx;
}

/* By the sender: send what there is, @tx first, and be the sender no more. */
static void tx_drain(struct lnet_conn *conn, struct lnet_tx *tx)
{
	unsigned int count = 0;
	u32 before;
	int rc;

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
}

/**
 * conn_tx_take() - be the sender
 * @conn: connection
 *
 * Context: any
 * Return: false when somebody else is
 */
bool conn_tx_take(struct lnet_conn *conn)
{
	struct conn_writer *wr = writer_of(conn);
	bool taken;

	spin_lock_bh(&conn->cn_lock);
	taken = !wr->wr_busy;
	wr->wr_busy = true;
	spin_unlock_bh(&conn->cn_lock);
	return taken;
}

/**
 * conn_tx_run() - send what is queued, by the work
 * @conn: connection
 *
 * Context: may sleep
 */
void conn_tx_run(struct lnet_conn *conn)
{
	if (!conn_tx_take(conn))
		return;
	conn_sock_push(conn);
	tx_drain(conn, tx_next(conn, 0));
}

/**
 * conn_tx_write_space() - the socket has room again
 * @conn: connection
 *
 * Context: any; the socket's callback
 */
void conn_tx_write_space(struct lnet_conn *conn)
{
	struct conn_writer *wr = writer_of(conn);

	spin_lock_bh(&conn->cn_lock);
	wr->wr_space = true;
	if (wr->wr_blocked) {
		wr->wr_blocked = false;
		conn_queue_tx(conn);
	}
	spin_unlock_bh(&conn->cn_lock);
}

/* What does not go out for so long means that the other end does not read. */
static bool tx_is_stuck(const struct conn_writer *wr)
{
	unsigned long limit = max_t(unsigned long, READ_ONCE(obd_timeout), 1) *
			      HZ;

	return time_after(jiffies, wr->wr_progress + limit);
}

/**
 * conn_tx_watch() - look after messages that do not go out
 * @conn: connection
 *
 * Ends a connection that nothing went out of for obd_timeout seconds; until then
 * sends again, as a socket that had no memory does not say when it has. Where both
 * ends leave requests unread until their answers are out, neither gets further: so
 * one request is let in each time that a look finds no progress.
 *
 * Context: any; the timer's work
 */
void conn_tx_watch(struct lnet_conn *conn)
{
	struct conn_writer *wr = writer_of(conn);
	bool resume = false;

	spin_lock_bh(&conn->cn_lock);
	if (wr->wr_blocked) {
		if (tx_is_stuck(wr))
			conn_begin_close(conn, -ETIMEDOUT);
		wr->wr_blocked = false;
		conn_queue_tx(conn);
		resume = wr->wr_full && time_after_eq(jiffies, wr->wr_progress +
						      TX_WATCH_PERIOD);
		wr->wr_let_in = resume;
	}
	spin_unlock_bh(&conn->cn_lock);
	if (resume)
		lnet_conn_resume(conn);
}

/**
 * conn_tx_is_full() - whether too many answers wait to go out
 * @conn: connection
 *
 * If so, lnet_conn_resume() is called when there are fewer.
 *
 * Context: any
 * Return: whether no request should be taken now
 */
bool conn_tx_is_full(struct lnet_conn *conn)
{
	struct conn_writer *wr = writer_of(conn);
	bool full;

	if (READ_ONCE(wr->wr_answers) <= CONN_TX_LIMIT)
		return false;
	spin_lock_bh(&conn->cn_lock);
	full = wr->wr_answers > CONN_TX_LIMIT && !wr->wr_let_in;
	wr->wr_full = full;
	wr->wr_let_in = false;
	spin_unlock_bh(&conn->cn_lock);
	return full;
}

/* Whether the other end takes it. */
static int tx_check(struct lnet_conn *conn, const struct lnet_tx *tx)
{
	const struct lnet_conn_private *cp = conn_private(conn);
	unsigned int n;
	u32 bytes = 0;

	if (tx->tx_msg_len > cp->cp_peer_msg_max ||
	    tx->tx_bulk_len > cp->cp_peer_bulk_max)
		return -EMSGSIZE;
	if (!tx->tx_bulk_len)
		return 0;
	for (n = 0; n < tx->tx_bulk_nr; n++)
		bytes += tx->tx_bulk[n].bv_len;
	return WARN_ON_ONCE(bytes != tx->tx_bulk_len) ? -EINVAL : 0;
}

/**
 * conn_send_now() - lnet_conn_send() without rules
 * @conn: connection
 * @tx: message, LNET_TX_IDLE or LNET_TX_HELD, and so it stays when this fails
 *
 * Context: may sleep
 * Return: as of lnet_conn_send()
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
 * open; -EMSGSIZE: the other end takes no such message
 */
int lnet_conn_send(struct lnet_conn *conn, struct lnet_tx *tx)
{
	tx->tx_state = LNET_TX_IDLE;
	if (rules_active() && lnet_conn_is_open(conn) && rules_take(conn, tx))
		return 0;
	return conn_send_now(conn, tx);
}

/**
 * lnet_conn_hold() - have the messages of this task wait for each other
 * @conn: connection
 *
 * What the task sends until lnet_conn_release() is queued, and goes out together:
 * many small messages cost little more than one. Others' messages do not wait, and
 * take what is queued along.
 *
 * Context: a task, which does not wait for an answer before lnet_conn_release() or
 * lnet_conn_flush()
 * Return: whether it holds; not where another one does, or it does already
 */
bool lnet_conn_hold(struct lnet_conn *conn)
{
	struct conn_writer *wr = writer_of(conn);
	bool held;

	spin_lock_bh(&conn->cn_lock);
	held = !wr->wr_holder;
	if (held)
		wr->wr_holder = current;
	spin_unlock_bh(&conn->cn_lock);
	return held;
}

/**
 * lnet_conn_flush() - send what this task has held back
 * @conn: connection
 *
 * Context: may sleep, but waits for no other node
 */
void lnet_conn_flush(struct lnet_conn *conn)
{
	struct lnet_tx *first;

	if (READ_ONCE(writer_of(conn)->wr_holder) != current)
		return;
	spin_lock_bh(&conn->cn_lock);
	first = conn->cn_state == CONN_OPEN ? tx_start(conn) : NULL;
	spin_unlock_bh(&conn->cn_lock);
	tx_drain(conn, first);
}

/**
 * lnet_conn_release() - send what was held back, and hold back no more
 * @conn: connection that lnet_conn_hold() returned true for
 *
 * Context: as of lnet_conn_flush()
 */
void lnet_conn_release(struct lnet_conn *conn)
{
	struct lnet_tx *first;

	spin_lock_bh(&conn->cn_lock);
	WRITE_ONCE(writer_of(conn)->wr_holder, NULL);
	first = conn->cn_state == CONN_OPEN ? tx_start(conn) : NULL;
	spin_unlock_bh(&conn->cn_lock);
	tx_drain(conn, first);
}

static bool tx_is_busy(struct lnet_conn *conn, const struct lnet_tx *tx)
{
	struct conn_writer *wr = writer_of(conn);

	lockdep_assert_held(&conn->cn_lock);
	return wr->wr_telling == tx ||
	       (tx->tx_state == LNET_TX_SENDING && wr->wr_busy);
}

static bool tx_is_left(struct lnet_conn *conn, const struct lnet_tx *tx)
{
	bool busy;

	spin_lock_bh(&conn->cn_lock);
	busy = tx_is_busy(conn, tx);
	spin_unlock_bh(&conn->cn_lock);
	return !busy;
}

static enum tx_recall tx_try_recall(struct lnet_conn *conn, struct lnet_tx *tx)
{
	lockdep_assert_held(&conn->cn_lock);
	if (tx_is_busy(conn, tx))
		return TX_RECALL_BUSY;
	if (tx->tx_state == LNET_TX_IDLE)
		return TX_RECALL_GONE;
	if (tx->tx_state == LNET_TX_HELD)
		return TX_RECALL_HELD;
	/* The rest of it can never follow, so nothing can. */
	if (tx->tx_sent)
		conn_begin_close(conn, -ECANCELED);
	tx_unqueue(conn, tx);
	/* The one before it was told to wait for it. */
	if (writer_of(conn)->wr_more)
		conn_queue_tx(conn);
	return TX_RECALL_TAKEN;
}

static enum tx_recall tx_recall(struct lnet_conn *conn, struct lnet_tx *tx)
{
	enum tx_recall what;

	spin_lock_bh(&conn->cn_lock);
	what = tx_try_recall(conn, tx);
	spin_unlock_bh(&conn->cn_lock);
	return what;
}

/**
 * lnet_conn_recall() - take a message back
 * @conn: connection that it was given to
 * @tx: message, which the caller keeps from being freed
 *
 * Waits for no other node: at most for a task that is handing this message to the
 * socket, or runs its tx_done().
 *
 * Context: may sleep; not from tx_done()
 */
void lnet_conn_recall(struct lnet_conn *conn, struct lnet_tx *tx)
{
	struct lnet_conn_private *cp = conn_private(conn);
	enum tx_recall what;

	while ((what = tx_recall(conn, tx)) != TX_RECALL_GONE) {
		if (what == TX_RECALL_TAKEN) {
			tx->tx_done(tx, -ECANCELED);
			return;
		}
		if (what == TX_RECALL_HELD &&
		    rules_recall(conn, tx, -ECANCELED))
			return;
		if (what == TX_RECALL_BUSY)
			wait_event(cp->cp_wait, tx_is_left(conn, tx));
	}
	/* A rule that had it may be running its tx_done(). */
	rules_wait(conn, tx);
}

/**
 * conn_tx_end() - the connection ends: nothing that is queued goes out
 * @conn: connection; the caller is the sender, and stays it
 * @rc: why
 *
 * Context: may sleep
 */
void conn_tx_end(struct lnet_conn *conn, int rc)
{
	struct conn_writer *wr = writer_of(conn);
	struct lnet_tx *tx;

	do {
		spin_lock_bh(&conn->cn_lock);
		tx = list_first_entry_or_null(&wr->wr_queue, struct lnet_tx,
					      tx_list);
		if (tx)
			tx_unqueue(conn, tx);
		wr->wr_telling = tx;
		spin_unlock_bh(&conn->cn_lock);
		tx_wake(conn);
		if (tx)
			tx->tx_done(tx, rc);
	} while (tx);
}
