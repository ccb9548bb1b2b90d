// SPDX-License-Identifier: GPL-2.0-only
/*
 * A connection inside one kernel: a node that connects to a NID of its own gets both ends,
 * and there is no socket. Everything above is as over TCP: requests, rules, closing.
 *
 * A message stays in the queue of its sender until the reader of the other end takes it:
 *
 *	sender of A			reader of B: a work, or the task that waits
 *	lnet_conn_send(A)		for a reply
 *	  queue it
 *	  conn_local_notify(A) ------->	conn_local_read(B)
 *					  conn_tx_pull(A): become the sender of A
 *					  copy the message; offer it to the layer above
 *					  copy bulk data, from bio_vec to bio_vec
 *					  conn_tx_pulled(A): tx_done()
 *					  no_received()
 *
 * So no handler runs on the stack of a sender, and a message that is not taken now is
 * whole: recalling it does not end the connection. One notification is enough until the
 * queue was found empty (cwr_blocked).
 *
 * Each end holds a reference on the other one until its closing work has stopped its
 * reader. It closes the other end then.
 */
#define DEBUG_SUBSYSTEM S_LNET

#include <linux/bvec.h>
#include <linux/highmem.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uio.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "conn.h"

static struct lnet_conn *other_of(struct lnet_conn *conn)
{
	return conn_private(conn)->cp_other;
}

static struct conn_reader *local_reader(struct lnet_conn *conn)
{
	return &conn_private(conn)->cp_reader;
}

/* Connecting. */

/**
 * conn_is_to_self() - whether a connection does without TCP
 * @conn: active connection in CONN_NEW
 *
 * A node is reachable at its NIDs of TCP while it listens.
 *
 * Context: any but hard interrupt
 * Return: true if it is to this node itself
 */
bool conn_is_to_self(struct lnet_conn *conn)
{
	struct lnet *net = conn->cn_net;

	return READ_ONCE(lnet_settings.lns_local_conn) &&
	       READ_ONCE(net->nn_listener) && lnet_is_local(net, &conn->cn_nid);
}

static void local_link(struct lnet_conn *conn, struct lnet_conn *other)
{
	conn_private(conn)->cp_other = lnet_conn_get(other);
	set_bit(CNF_LOCAL, &conn->cn_flags);
}

static void local_unlink(struct lnet_conn *conn)
{
	clear_bit(CNF_LOCAL, &conn->cn_flags);
	lnet_conn_put(other_of(conn));
	conn_private(conn)->cp_other = NULL;
}

/* Return: false if the namespace is going away. */
static bool local_publish(struct lnet_conn *other)
{
	struct lnet *net = other->cn_net;
	bool added;

	spin_lock_bh(&net->nn_lock);
	added = __net_conn_add(net, other);
	if (added)
		atomic_inc(&other->cn_peer->lnp_conns);
	spin_unlock_bh(&net->nn_lock);
	return added;
}

/**
 * conn_local_connect() - make the other end, and open both
 * @conn: active connection in CONN_NEW; the caller is its reader
 *
 * Context: may sleep for memory
 * Return: 0, or a negative errno that ends the connection
 */
int conn_local_connect(struct lnet_conn *conn)
{
	struct lnet_conn *other = conn_make(conn->cn_net, conn->cn_peer, NULL);
	int rc;

	if (IS_ERR(other))
		return PTR_ERR(other);
	set_bit(CNF_PASSIVE, &other->cn_flags);
	other->cn_lane = conn->cn_lane;
	local_link(conn, other);
	local_link(other, conn);
	/*
	 * From local_publish() on any task may close it. That waits until it is open and not read.
	 */
	set_bit(CNF_RX_BUSY, &other->cn_flags);
	if (local_publish(other)) {
		rc = conn_hello_local(other) ?: conn_hello_local(conn);
		conn_rx_leave(other, false);
	} else {
		local_unlink(other);
		local_unlink(conn);
		rc = -ENETDOWN;
	}
	lnet_conn_put(other);
	return rc;
}

/**
 * conn_local_release() - close the other end
 * @conn: connection with CNF_LOCAL; no task reads or sends any more
 *
 * Context: the closing work
 */
void conn_local_release(struct lnet_conn *conn)
{
	lnet_conn_close(other_of(conn), -ECONNRESET);
	lnet_conn_put(other_of(conn));
}

/* Messages. */

/**
 * conn_local_notify() - have the reader of the other end take messages
 * @conn: connection; the caller has a reference on the other end, which is dropped
 *
 * Context: any task
 */
void conn_local_notify(struct lnet_conn *conn)
{
	struct lnet_conn *other = other_of(conn);

	conn_rx_ready(other);
	lnet_conn_put(other);
}

/* Copy the message, and validate it. Return: 0; -EAGAIN: no memory now; another errno. */
static int local_msg(struct lnet_conn *conn, const struct lnet_tx *tx)
{
	struct lnet_rx *rx = &local_reader(conn)->rd_rx;
	enum wire_fault fault;
	int rc;

	rx->rx_start_ns = ktime_get_ns();
	rx->rx_frame = (struct wire_frame) {
		.type = LNET_FRAME_MSG,
		.msg_len = tx->tx_msg_len,
		.bulk_len = tx->tx_bulk_len,
	};
	rc = conn_rx_memory(conn, tx->tx_msg);
	if (rc)
		return rc;
	memcpy(rx->rx_msg, tx->tx_msg, tx->tx_msg_len);
	fault = wire_msg_view(rx->rx_msg, tx->tx_msg_len, &rx->rx_view);
	if (fault == WIRE_OK)
		return 0;
	lnet_fault(conn, fault, NULL);
	return -EBADMSG;
}

/* Copy bulk data to where the layer above wants it. Return: 0 or a negative errno. */
static int local_bulk(struct lnet_rx *rx, const struct lnet_tx *tx)
{
	struct bvec_iter iter, start = { .bi_size = tx->tx_bulk_len };
	struct iov_iter from;
	struct bio_vec part;
	size_t copied;
	void *to;

	if (WARN_ON_ONCE(!conn_rx_bulk_fits(rx)))
		return -EINVAL;
	if (!rx->rx_bulk || !tx->tx_bulk_len)
		return 0;
	iov_iter_bvec(&from, ITER_SOURCE, tx->tx_bulk, tx->tx_bulk_nr,
		      tx->tx_bulk_len);
	for_each_bvec(part, rx->rx_bulk, iter, start) {
		to = bvec_kmap_local(&part);
		copied = copy_from_iter(to, part.bv_len, &from);
		kunmap_local(to);
		if (copied != part.bv_len)
			return -EFAULT;
		cond_resched();
	}
	return 0;
}

/*
 * Not now: the message is received from its start again, unless it is recalled. If the
 * layer above has taken it, conn_rx_end() does the rest.
 */
static int local_put_back(struct lnet_conn *conn, struct lnet_tx *tx, int rc)
{
	struct conn_reader *rd = local_reader(conn);

	if (rd->rd_step != CONN_RX_BULK) {
		kvfree(rd->rd_rx.rx_msg);
		rd->rd_rx.rx_msg = NULL;
	}
	conn_tx_unpull(other_of(conn), tx);
	return rc;
}

static void local_received(struct lnet_conn *conn, struct lnet_tx *tx)
{
	struct conn_reader *rd = local_reader(conn);

	conn_rx_count(conn, WIRE_FRAME_SIZE + tx->tx_msg_len + tx->tx_bulk_len);
	/* From here on the message may be freed. */
	rd->rd_drained = !conn_tx_pulled(other_of(conn), tx);
	conn_rx_delivered(conn, 0, !rd->rd_drained);
}

/**
 * conn_local_read() - receive one message
 * @conn: connection with CNF_LOCAL
 *
 * Context: the reader; may sleep; calls the layer above
 * Return: 0; -EAGAIN: there is none, or it is not taken now; another negative errno
 */
int conn_local_read(struct lnet_conn *conn)
{
	struct conn_reader *rd = local_reader(conn);
	struct lnet_tx *tx;
	int rc = conn_recv_begin(conn);

	if (rc)
		return rc;
	tx = conn_tx_pull(other_of(conn));
	rd->rd_drained = !tx;
	if (!tx) {
		/* Memory may be granted for one that was recalled. */
		lnet_peer_charge_cancel(conn);
		return -EAGAIN;
	}
	rc = local_msg(conn, tx) ?: conn_rx_offer(conn) ?: local_bulk(&rd->rd_rx, tx);
	if (rc)
		return local_put_back(conn, tx, rc);
	local_received(conn, tx);
	return 0;
}
