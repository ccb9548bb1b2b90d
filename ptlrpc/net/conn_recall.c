// SPDX-License-Identifier: GPL-2.0-only
/*
 * Taking outgoing messages back. A message of which nothing was sent leaves the queue. The
 * rest of one that is half sent must follow, as other messages do: a copy takes its place,
 * with references on its pages, and its owner need not wait.
 */
#define DEBUG_SUBSYSTEM S_LNET

#include <linux/kernel.h>

#include "conn.h"

/* enum tx_recall - result of an attempt to withdraw a message */
enum tx_recall {
	TX_RECALL_GONE,		/* not in the network */
	TX_RECALL_TAKEN,	/* withdrawn, owned by the caller */
	TX_RECALL_HALF,		/* half sent, and there is no copy yet */
	TX_RECALL_HELD,		/* held by a fault-injection rule */
	TX_RECALL_BUSY,		/* another task is sending it */
};

static bool tx_is_busy(struct lnet_conn *conn, const struct lnet_tx *tx)
{
	struct conn_writer *wr = conn_writer_of(conn);

	lockdep_assert_held(&conn->cn_lock);
	return wr->cwr_completing == tx ||
	       (tx->tx_state == LNET_TX_SENDING && wr->cwr_busy);
}

static bool tx_is_left(struct lnet_conn *conn, const struct lnet_tx *tx)
{
	bool busy;

	spin_lock_bh(&conn->cn_lock);
	busy = tx_is_busy(conn, tx);
	spin_unlock_bh(&conn->cn_lock);
	return !busy;
}

/**
 * struct lnet_tx_rest - what becomes of the rest of a half-sent message
 * @txr_copy: copy that goes on with it, or NULL
 * @txr_none: there is no memory for a copy, so the connection ends
 */
struct lnet_tx_rest {
	struct lnet_tx	*txr_copy;
	bool		txr_none;
};

/* Half sent, with no sender: a copy goes on where @tx stopped. */
static enum tx_recall tx_recall_half(struct lnet_conn *conn, struct lnet_tx *tx,
				     struct lnet_tx_rest *rest)
{
	struct lnet_tx *copy = rest->txr_copy;

	lockdep_assert_held(&conn->cn_lock);
	if (rest->txr_none) {
		conn_begin_close(conn, -ECANCELED);
		conn_tx_unqueue(conn, tx);
		return TX_RECALL_TAKEN;
	}
	if (!copy)
		return TX_RECALL_HALF;
	copy->tx_frame = tx->tx_frame;
	copy->tx_sent = tx->tx_sent;
	copy->tx_state = tx->tx_state;
	list_replace(&tx->tx_list, &copy->tx_list);
	tx->tx_state = LNET_TX_IDLE;
	rest->txr_copy = NULL;
	return TX_RECALL_TAKEN;
}

static enum tx_recall tx_try_recall(struct lnet_conn *conn, struct lnet_tx *tx,
				    struct lnet_tx_rest *rest)
{
	lockdep_assert_held(&conn->cn_lock);
	if (tx_is_busy(conn, tx))
		return TX_RECALL_BUSY;
	if (tx->tx_state == LNET_TX_IDLE)
		return TX_RECALL_GONE;
	if (tx->tx_state == LNET_TX_HELD)
		return TX_RECALL_HELD;
	if (tx->tx_sent)
		return tx_recall_half(conn, tx, rest);
	conn_tx_unqueue(conn, tx);
	/* The previous message was sent with a hint that more follows. */
	if (conn_writer_of(conn)->cwr_more)
		conn_queue_tx(conn);
	return TX_RECALL_TAKEN;
}

static enum tx_recall tx_recall(struct lnet_conn *conn, struct lnet_tx *tx,
				struct lnet_tx_rest *rest)
{
	enum tx_recall what;

	spin_lock_bh(&conn->cn_lock);
	what = tx_try_recall(conn, tx, rest);
	spin_unlock_bh(&conn->cn_lock);
	return what;
}

/**
 * lnet_conn_recall() - withdraw a message
 * @conn: connection that it was given to
 * @tx: message, which the caller keeps from being freed
 *
 * Waits for no other node: at most for a task that is passing this message to
 * the socket, or runs its tx_done(). A message that is half sent arrives nevertheless,
 * unless there is no memory for a copy: that ends the connection.
 *
 * Context: may sleep; not from tx_done()
 */
void lnet_conn_recall(struct lnet_conn *conn, struct lnet_tx *tx)
{
	struct lnet_conn_private *cp = conn_private(conn);
	struct lnet_tx_rest rest = {};
	enum tx_recall what;

	while ((what = tx_recall(conn, tx, &rest)) != TX_RECALL_GONE) {
		if (what == TX_RECALL_TAKEN) {
			tx->tx_done(tx, -ECANCELED);
			break;
		}
		if (what == TX_RECALL_HELD &&
		    rules_recall(conn, tx, -ECANCELED))
			break;
		if (what == TX_RECALL_HALF) {
			rest.txr_copy = tx_copy(tx);
			rest.txr_none = !rest.txr_copy;
		}
		if (what == TX_RECALL_BUSY)
			wait_event(cp->cp_wait, tx_is_left(conn, tx));
	}
	/* The rule that held it may be running its tx_done(). */
	if (what == TX_RECALL_GONE)
		rules_wait(conn, tx);
	/* All of it was sent meanwhile. */
	if (rest.txr_copy)
		rest.txr_copy->tx_done(rest.txr_copy, 0);
}
