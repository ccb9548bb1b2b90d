// SPDX-License-Identifier: GPL-2.0-only
/*
 * A connection: its states, references and end.
 *
 * It runs as works, those that read and send on the queue of its lane. conn_queue_rx() and
 * conn_queue_tx() queue them under cn_lock, and not from CONN_CLOSING on. So the closing
 * work can cancel them once and none comes back. They need no reference: the closing work
 * holds one until they are over.
 */
#define DEBUG_SUBSYSTEM S_LNET

#include <linux/kernel.h>
#include <linux/net.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <net/sock.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>

#include "conn.h"
#include "trace.h"

/* Seconds between two warnings while waiting for the last connection. */
#define FREED_COMPLAINT		10

/* Connections not freed yet. */
static atomic_t conn_count;
static DECLARE_WAIT_QUEUE_HEAD(conn_count_wait);

static const char * const state_names[CONN_STATE_COUNT] = {
	[CONN_NEW] = "NEW",
	[CONN_HELLO] = "HELLO",
	[CONN_OPEN] = "OPEN",
	[CONN_CLOSING] = "CLOSING",
	[CONN_CLOSED] = "CLOSED",
};

/* Legal transitions of each state. */
static const u8 state_moves[CONN_STATE_COUNT] = {
	[CONN_NEW] = BIT(CONN_HELLO) | BIT(CONN_CLOSING),
	[CONN_HELLO] = BIT(CONN_OPEN) | BIT(CONN_CLOSING),
	[CONN_OPEN] = BIT(CONN_CLOSING),
	[CONN_CLOSING] = BIT(CONN_CLOSED),
};

/**
 * lnet_conn_state_name() - name of a state
 * @state: state
 *
 * Context: any
 * Return: static text
 */
const char *lnet_conn_state_name(enum lnet_conn_state state)
{
	return (unsigned int)state < CONN_STATE_COUNT ? state_names[state] :
	       "unknown";
}

/**
 * conn_state_may() - whether a transition is legal
 * @from: state
 * @to: state
 *
 * Context: any
 * Return: true if it is
 */
bool conn_state_may(enum lnet_conn_state from, enum lnet_conn_state to)
{
	return (unsigned int)from < CONN_STATE_COUNT &&
	       (unsigned int)to < CONN_STATE_COUNT &&
	       (state_moves[from] & BIT(to));
}

/**
 * conn_set_state() - change the state; no other function does
 * @conn: connection
 * @state: new state
 *
 * Illegal transitions are refused; losing a race with close is normal.
 *
 * Context: any; cn_lock is held
 * Return: true if the state has changed
 */
bool conn_set_state(struct lnet_conn *conn, enum lnet_conn_state state)
{
	enum lnet_conn_state from = conn->cn_state;

	lockdep_assert_held(&conn->cn_lock);
	if (!conn_state_may(from, state))
		return false;
	WRITE_ONCE(conn->cn_state, state);
	trace_lnet_conn_state(conn, from, state);
	return true;
}

/*
 * Bulk data does not keep the processor from the other lane. A passive connection changes its
 * lane at HELLO, while a work reads. A work runs on one queue only, as cancel_work_sync() waits
 * for the last one; hence another work for the other queue.
 */
static void queue_rx_work(struct lnet_conn *conn)
{
	struct lnet_conn_private *cp = conn_private(conn);

	if (READ_ONCE(conn->cn_lane) == LNET_BULK)
		queue_work(lnet_wq, &cp->cp_rx_bulk_work);
	else
		queue_work(lnet_control_wq, &cp->cp_rx_work);
}

/**
 * conn_queue_rx() - have the task with the reader role, or else a work, read
 * @conn: connection
 *
 * Context: any; cn_lock is held
 */
void conn_queue_rx(struct lnet_conn *conn)
{
	lockdep_assert_held(&conn->cn_lock);
	if (conn->cn_state >= CONN_CLOSING)
		return;
	if (conn->cn_reader)
		conn_reader_wake(conn);
	else
		queue_rx_work(conn);
}

/**
 * conn_queue_tx() - have a work send the queued messages
 * @conn: connection
 *
 * Context: any; cn_lock is held
 */
void conn_queue_tx(struct lnet_conn *conn)
{
	lockdep_assert_held(&conn->cn_lock);
	if (conn->cn_state == CONN_OPEN)
		queue_work(conn->cn_lane == LNET_BULK ? lnet_wq : lnet_control_wq,
			   &conn_private(conn)->cp_tx_work);
}

/**
 * conn_queue_timer() - start the timer
 * @conn: connection
 * @delay: jiffies from now; a pending timer is not changed
 *
 * Context: any; cn_lock is held
 */
void conn_queue_timer(struct lnet_conn *conn, unsigned long delay)
{
	lockdep_assert_held(&conn->cn_lock);
	if (conn->cn_state < CONN_CLOSING)
		queue_delayed_work(lnet_wq, &conn_private(conn)->cp_timer,
				   delay);
}

/**
 * conn_begin_close() - go to CONN_CLOSING, unless already there
 * @conn: connection
 * @rc: reason
 *
 * Context: any; cn_lock is held
 */
void conn_begin_close(struct lnet_conn *conn, int rc)
{
	lockdep_assert_held(&conn->cn_lock);
	if (!conn_state_may(conn->cn_state, CONN_CLOSING))
		return;
	conn->cn_error = rc;
	conn_set_state(conn, CONN_CLOSING);
	lnet_conn_get(conn);
	queue_work(lnet_wq, &conn_private(conn)->cp_close_work);
}

/**
 * lnet_conn_close() - end a connection
 * @conn: connection
 * @rc: reason: 0 or a negative errno; the first call sets it. With 0 the socket
 *  sends what it has, otherwise it discards it
 *
 * Context: any
 */
void lnet_conn_close(struct lnet_conn *conn, int rc)
{
	spin_lock_bh(&conn->cn_lock);
	conn_begin_close(conn, rc);
	spin_unlock_bh(&conn->cn_lock);
}

/* A failed socket must not linger, nor one in a namespace that goes away. */
static bool conn_aborts(struct lnet_conn *conn)
{
	struct lnet_conn_private *cp = conn_private(conn);

	if (READ_ONCE(conn->cn_net->nn_stopping))
		return true;
	return conn->cn_error && !cp->cp_refused;
}

/* Afterwards only the caller reads or sends. */
static void conn_stop(struct lnet_conn *conn)
{
	struct lnet_conn_private *cp = conn_private(conn);

	wait_event(cp->cp_wait,
		   !test_and_set_bit(CNF_RX_BUSY, &conn->cn_flags));
	wait_event(cp->cp_wait, conn_tx_take(conn));
	cancel_work_sync(&cp->cp_rx_work);
	cancel_work_sync(&cp->cp_rx_bulk_work);
	cancel_work_sync(&cp->cp_tx_work);
	cancel_delayed_work_sync(&cp->cp_timer);
	cancel_delayed_work_sync(&cp->cp_reader_watch);
}

static void conn_closed(struct lnet_conn *conn)
{
	spin_lock_bh(&conn->cn_lock);
	conn_set_state(conn, CONN_CLOSED);
	spin_unlock_bh(&conn->cn_lock);
	lnet_count(LNET_CLOSED, 1);
	if (conn_private(conn)->cp_opened && lnet_ops->no_closed)
		lnet_ops->no_closed(conn);
	peer_conn_closed(conn);
}

/*
 * Stop users; release the socket; notify waiting senders, then the layer above.
 */
static void conn_close_work(struct work_struct *work)
{
	struct lnet_conn_private *cp =
		container_of(work, struct lnet_conn_private, cp_close_work);
	struct lnet_conn *conn = &cp->cp_conn;
	unsigned int noio = memalloc_noio_save();
	int rc = conn->cn_error ?: -ENOTCONN;

	conn_stop(conn);
	conn_sock_release(conn, conn_aborts(conn));
	if (conn_is_local(conn))
		conn_local_release(conn);
	rules_conn_closing(conn);
	conn_tx_end(conn, rc);
	conn_rx_end(conn, rc);
	conn_closed(conn);
	lnet_conn_put(conn);
	memalloc_noio_restore(noio);
}

static void rx_work_run(struct lnet_conn *conn)
{
	if (!READ_ONCE(conn->cn_reader))
		conn_rx_run(conn, true);
}

static void conn_rx_work(struct work_struct *work)
{
	rx_work_run(&container_of(work, struct lnet_conn_private, cp_rx_work)->cp_conn);
}

static void conn_rx_bulk_work(struct work_struct *work)
{
	rx_work_run(&container_of(work, struct lnet_conn_private, cp_rx_bulk_work)->cp_conn);
}

static void conn_tx_work(struct work_struct *work)
{
	struct lnet_conn_private *cp =
		container_of(work, struct lnet_conn_private, cp_tx_work);

	conn_tx_run(&cp->cp_conn);
}

static void conn_timer_work(struct work_struct *work)
{
	struct lnet_conn_private *cp = container_of(to_delayed_work(work),
						    struct lnet_conn_private,
						    cp_timer);

	conn_tx_watch(&cp->cp_conn);
	conn_rx_retry(&cp->cp_conn);
}

static void conn_init(struct lnet_conn_private *cp)
{
	struct lnet_conn *conn = &cp->cp_conn;

	refcount_set(&conn->cn_refcount, 1);
	spin_lock_init(&conn->cn_lock);
	spin_lock_init(&conn->cn_upper_lock);
	INIT_LIST_HEAD(&conn->cn_upper);
	INIT_WORK(&cp->cp_rx_work, conn_rx_work);
	INIT_WORK(&cp->cp_rx_bulk_work, conn_rx_bulk_work);
	INIT_WORK(&cp->cp_tx_work, conn_tx_work);
	INIT_WORK(&cp->cp_close_work, conn_close_work);
	INIT_DELAYED_WORK(&cp->cp_timer, conn_timer_work);
	conn_reader_init(conn);
	init_waitqueue_head(&cp->cp_wait);
	INIT_LIST_HEAD(&cp->cp_writer.cwr_queue);
	atomic_set(&cp->cp_reader.rd_resumes, 0);
	cp->cp_reader.rd_rx.rx_conn = conn;
	cp->cp_last = jiffies;
	net_conn_init(&cp->cp_node, conn);
}

static struct lnet_conn_private *conn_alloc(void)
{
	struct lnet_conn_private *cp;

	cp = libcfs_zalloc(sizeof(*cp), GFP_NOFS);
	if (!cp)
		return NULL;
	cp->cp_reader.rd_buf = libcfs_zalloc(CONN_RX_BUF, GFP_NOFS);
	if (!cp->cp_reader.rd_buf) {
		libcfs_free(cp, sizeof(*cp));
		return NULL;
	}
	return cp;
}

static int conn_take_socket(struct lnet_conn *conn, struct socket *sock)
{
	int rc;

	conn->cn_sock = sock;
	set_bit(CNF_PASSIVE, &conn->cn_flags);
	rc = conn_sock_names(conn);
	if (rc)
		conn->cn_sock = NULL;
	return rc;
}

/**
 * conn_make() - create a connection, idle until conn_start()
 * @net: namespace
 * @peer: node to connect to; NULL for a passive one
 * @sock: accepted socket of a passive one; on success owned by the connection.
 *  Its callbacks are still those of the kernel
 *
 * Context: may sleep
 * Return: a connection in CONN_NEW with one reference, or ERR_PTR(): -ENOMEM,
 *  -ECONNRESET or -EAFNOSUPPORT for the socket
 */
struct lnet_conn *conn_make(struct lnet *net, struct lnet_peer *peer,
			    struct socket *sock)
{
	struct lnet_conn_private *cp = conn_alloc();
	struct lnet_conn *conn;
	int rc = 0;

	if (!cp)
		return ERR_PTR(-ENOMEM);
	conn = &cp->cp_conn;
	conn_init(cp);
	atomic_inc(&conn_count);
	conn->cn_net = lnet_get(net);
	if (peer) {
		conn->cn_peer = lnet_peer_get(peer);
		conn->cn_nid = *lnet_peer_nid(peer);
	} else {
		rc = conn_take_socket(conn, sock);
	}
	if (rc) {
		lnet_conn_put(conn);
		return ERR_PTR(rc);
	}
	return conn;
}

/**
 * conn_start() - start to connect, or to wait for HELLO
 * @conn: connection of conn_make()
 *
 * Context: any
 */
void conn_start(struct lnet_conn *conn)
{
	conn_rx_ready(conn);
}

/**
 * lnet_conn_get() - take a reference
 * @conn: connection
 *
 * Context: any
 * Return: @conn
 */
struct lnet_conn *lnet_conn_get(struct lnet_conn *conn)
{
	refcount_inc(&conn->cn_refcount);
	return conn;
}

static void conn_free(struct lnet_conn *conn)
{
	struct lnet_conn_private *cp = conn_private(conn);

	WARN_ON_ONCE(conn->cn_state != CONN_NEW &&
		     conn->cn_state != CONN_CLOSED);
	conn_sock_release(conn, true);
	if (conn->cn_peer)
		lnet_peer_put(conn->cn_peer);
	lnet_put(conn->cn_net);
	libcfs_free(cp->cp_reader.rd_buf, CONN_RX_BUF);
	libcfs_free(cp, sizeof(*cp));
	if (atomic_dec_and_test(&conn_count))
		wake_up_all(&conn_count_wait);
}

/**
 * lnet_conn_put() - drop a reference; the last put frees the connection
 * @conn: connection
 *
 * Context: any but interrupts; may sleep if it was never started
 */
void lnet_conn_put(struct lnet_conn *conn)
{
	if (refcount_dec_and_test(&conn->cn_refcount))
		conn_free(conn);
}

/**
 * conn_wait_freed() - wait until no connection exists
 *
 * All were closed before. Only works and tasks of this node still hold
 * references, so the wait does not depend on another node.
 *
 * Context: may sleep; module exit
 */
void conn_wait_freed(void)
{
	while (!wait_event_timeout(conn_count_wait, !atomic_read(&conn_count),
				   FREED_COMPLAINT * HZ))
		CWARN("network: %d connections are still in use\n",
		      atomic_read(&conn_count));
}

/**
 * conn_is_idle() - whether a connection has nothing to do
 * @conn: connection
 * @since: out, jiffies of the last byte sent or received
 *
 * Context: any
 * Return: true if nothing is queued and no message is half read
 */
bool conn_is_idle(struct lnet_conn *conn, unsigned long *since)
{
	struct lnet_conn_private *cp = conn_private(conn);
	bool idle;

	*since = READ_ONCE(cp->cp_last);
	spin_lock_bh(&conn->cn_lock);
	idle = list_empty(&cp->cp_writer.cwr_queue) && !conn->cn_reader;
	spin_unlock_bh(&conn->cn_lock);
	return idle && READ_ONCE(cp->cp_reader.rd_step) == CONN_RX_FRAME;
}

static u32 conn_describe_flags(const struct lnet_conn *conn)
{
	u32 flags = 0;

	if (test_bit(CNF_PASSIVE, &conn->cn_flags))
		flags |= LL_RPC_CONN_PASSIVE;
	if (test_bit(CNF_CRC, &conn->cn_flags))
		flags |= LL_RPC_CONN_CRC;
	if (test_bit(CNF_RX_PAUSED, &conn->cn_flags))
		flags |= LL_RPC_CONN_PAUSED;
	if (test_bit(CNF_BULK_CRC, &conn->cn_flags))
		flags |= LL_RPC_CONN_BULK_CRC;
	if (conn->cn_lane == LNET_BULK)
		flags |= LL_RPC_CONN_BULK;
	return flags;
}

/**
 * conn_describe() - fill in the socket's part of a connection's record
 * @conn: connection
 * @to: out: ends, state, flags, bytes
 *
 * Context: any
 */
void conn_describe(struct lnet_conn *conn, struct ll_rpc_conn *to)
{
	struct lnet_conn_private *cp = conn_private(conn);

	spin_lock_bh(&conn->cn_lock);
	to->rc_tx_queued = cp->cp_writer.cwr_count;
	strscpy(to->rc_state, lnet_conn_state_name(conn->cn_state),
		sizeof(to->rc_state));
	/* Unknown before it is connected: "" then. */
	if (cp->cp_remote.ss_family) {
		snprintf(to->rc_local, sizeof(to->rc_local), "%pISpc",
			 &cp->cp_local);
		snprintf(to->rc_remote, sizeof(to->rc_remote), "%pISpc",
			 &cp->cp_remote);
	}
	if (conn_is_local(conn)) {
		strscpy(to->rc_local, "local", sizeof(to->rc_local));
		strscpy(to->rc_remote, "local", sizeof(to->rc_remote));
	}
	spin_unlock_bh(&conn->cn_lock);
	to->rc_flags = conn_describe_flags(conn);
	to->rc_tx_bytes = READ_ONCE(cp->cp_tx_bytes);
	to->rc_rx_bytes = READ_ONCE(cp->cp_rx_bytes);
}

/**
 * conn_rx_is_late() - whether the rest of a message has missed its deadline
 * @conn: connection
 *
 * True only if the other end is to blame: the socket is empty, and reading is
 * not paused here. The reader may take the last byte at this moment; then the
 * connection ends for a late message, and its sender resends it.
 *
 * Context: any
 * Return: true if a message is half read and its deadline has passed
 */
bool conn_rx_is_late(struct lnet_conn *conn)
{
	const struct conn_reader *rd = &conn_private(conn)->cp_reader;
	const unsigned long not_waiting = BIT(CNF_RX_READY) | BIT(CNF_RX_BUSY) |
					  BIT(CNF_RX_PAUSED);
	enum conn_rx_step step = READ_ONCE(rd->rd_step);

	if (READ_ONCE(conn->cn_flags) & not_waiting)
		return false;
	return (step == CONN_RX_MSG || step == CONN_RX_BULK) &&
	       time_after(jiffies, READ_ONCE(rd->rd_deadline));
}

/**
 * lnet_conn_resume() - resume reading
 * @conn: connection that no_message() returned -EAGAIN for
 *
 * Context: any
 */
void lnet_conn_resume(struct lnet_conn *conn)
{
	atomic_inc(&conn_private(conn)->cp_reader.rd_resumes);
	/*
	 * Pairs with rx_pause(): the pausing task sees this, or this sees the
	 * pause.
	 */
	smp_mb__after_atomic();
	if (test_and_clear_bit(CNF_RX_PAUSED, &conn->cn_flags))
		conn_rx_ready(conn);
}
