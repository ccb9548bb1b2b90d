// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading the socket of a connection.
 *
 * Read-ahead buffer: a page is read ahead, so that a small message costs one call of the
 * socket. Larger parts are read directly into their destination.
 *
 * Reader role: a task that waits for an answer reads the connection itself. While it has
 * the role, the socket's callbacks wake it in place of a work; a work reads the messages
 * it leaves. The role is a task's as long as it reads in time: other tasks' answers wait
 * for it. A task that gets no processor, because of its nice value or the limit of its
 * cgroup, loses it.
 */
#define DEBUG_SUBSYSTEM S_LNET

#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/net.h>

#include <lustre_lite/ptlrpc_test_point.h>

#include "conn.h"

/**
 * conn_buf_take() - take bytes that were read ahead
 * @rd: reader
 * @to: destination
 * @len: bytes wanted
 *
 * Context: any; by the reader, as all functions here
 * Return: bytes
 */
u32 conn_buf_take(struct conn_reader *rd, void *to, u32 len)
{
	len = min_t(u32, len, conn_buf_ahead(rd));
	memcpy(to, rd->rd_buf + rd->rd_from, len);
	rd->rd_from += len;
	return len;
}

/* Bytes were received. */
void conn_rx_count(struct lnet_conn *conn, u32 bytes)
{
	struct lnet_conn_private *cp = conn_private(conn);

	WRITE_ONCE(cp->cp_rx_bytes, cp->cp_rx_bytes + bytes);
	WRITE_ONCE(cp->cp_last, jiffies);
	WRITE_ONCE(cp->cp_heard_ns, ktime_get_coarse_ns());
	WRITE_ONCE(cp->cp_reader.rd_progress, cp->cp_reader.rd_progress + 1);
}

/**
 * lnet_conn_is_silent() - whether nothing was received on a connection since a time
 * @conn: connection
 * @ns: time, ktime_get_ns()
 *
 * Context: any
 * Return: true if no byte came after that
 */
bool lnet_conn_is_silent(struct lnet_conn *conn, u64 ns)
{
	return READ_ONCE(conn_private(conn)->cp_heard_ns) < ns;
}

/**
 * conn_recv_begin() - before the socket is read
 * @conn: connection
 *
 * Context: any
 * Return: 0; -EAGAIN: nothing has arrived since it was drained
 */
int conn_recv_begin(struct lnet_conn *conn)
{
	if (conn_private(conn)->cp_reader.rd_drained &&
	    !test_bit(CNF_RX_READY, &conn->cn_flags))
		return -EAGAIN;
	clear_bit(CNF_RX_READY, &conn->cn_flags);
	/*
	 * Data that comes from here on sets it again, or is seen by the socket.
	 */
	smp_mb__after_atomic();
	return 0;
}

/**
 * conn_recv_end() - after the socket was read
 * @conn: connection
 * @rc: result
 * @len: bytes wanted
 *
 * Context: any
 * Return: @rc; -ECONNRESET at the end
 */
int conn_recv_end(struct lnet_conn *conn, int rc, size_t len)
{
	struct conn_reader *rd = &conn_private(conn)->cp_reader;

	if (!rc)
		return -ECONNRESET;
	if (rc < 0) {
		rd->rd_drained = rc == -EAGAIN;
		return rc;
	}
	rd->rd_drained = rc < len && !conn_sock_has_ended(conn);
	conn_rx_count(conn, rc);
	return rc;
}

/**
 * conn_recv() - read the socket
 * @conn: connection
 * @vec: destination
 * @nr: its parts
 * @len: its bytes
 *
 * Context: may sleep
 * Return: bytes, -EAGAIN or another negative errno
 */
int conn_recv(struct lnet_conn *conn, struct kvec *vec, unsigned int nr, size_t len)
{
	int rc = conn_recv_begin(conn);

	if (rc)
		return rc;
	return conn_recv_end(conn, conn_sock_recv(conn, vec, nr, len), len);
}

/**
 * conn_buf_need() - read ahead until there are so many bytes
 * @conn: connection
 * @len: bytes, which fit into the buffer
 *
 * Context: may sleep
 * Return: 0, -EAGAIN or another negative errno
 */
int conn_buf_need(struct lnet_conn *conn, u32 len)
{
	struct conn_reader *rd = &conn_private(conn)->cp_reader;
	struct kvec vec;
	int rc;

	while (conn_buf_ahead(rd) < len) {
		if (rd->rd_from) {
			rd->rd_to = conn_buf_ahead(rd);
			memmove(rd->rd_buf, rd->rd_buf + rd->rd_from,
				rd->rd_to);
			rd->rd_from = 0;
		}
		vec.iov_base = rd->rd_buf + rd->rd_to;
		vec.iov_len = CONN_RX_BUF - rd->rd_to;
		rc = conn_recv(conn, &vec, 1, vec.iov_len);
		if (rc < 0)
			return rc;
		rd->rd_to += rc;
	}
	return 0;
}

/* A woken task that has not read for this time loses the role; twice that at most. */
#define READER_PERIOD	DIV_ROUND_UP(HZ, 50)
/* After that works read for this time, so that such tasks cost the others little. */
#define READER_REST	HZ

/**
 * conn_reader_wake() - wake the task with the reader role, and watch it
 * @conn: connection whose cn_reader is set
 *
 * Context: any; cn_lock is held
 */
void conn_reader_wake(struct lnet_conn *conn)
{
	lockdep_assert_held(&conn->cn_lock);
	wake_up(conn->cn_reader);
	queue_delayed_work(lnet_control_wq, &conn_private(conn)->cp_reader_watch,
			   READER_PERIOD);
}

/* A task with the role has something to read, or is reading. */
static bool reader_is_due(const struct lnet_conn *conn)
{
	unsigned long flags = READ_ONCE(conn->cn_flags);

	return conn->cn_reader && conn->cn_state == CONN_OPEN &&
	       !(flags & BIT(CNF_RX_PAUSED)) &&
	       flags & (BIT(CNF_RX_READY) | BIT(CNF_RX_BUSY));
}

/* A task that stopped while it reads is not replaced, but does not read the next message. */
static void reader_revoke(struct lnet_conn *conn)
{
	lockdep_assert_held(&conn->cn_lock);
	WRITE_ONCE(conn->cn_reader, NULL);
	conn_private(conn)->cp_reader_rest = jiffies + READER_REST;
	conn_queue_rx(conn);
}

/* Return: true if the task has not read for the whole period, and loses the role. */
static bool reader_check(struct lnet_conn_private *cp)
{
	u32 progress = READ_ONCE(cp->cp_reader.rd_progress);
	bool due = reader_is_due(&cp->cp_conn);
	bool lost = due && progress == cp->cp_reader_seen;

	lockdep_assert_held(&cp->cp_conn.cn_lock);
	cp->cp_reader_seen = progress;
	if (due && !lost)
		queue_delayed_work(lnet_control_wq, &cp->cp_reader_watch, READER_PERIOD);
	return lost;
}

static void reader_watch(struct work_struct *work)
{
	struct lnet_conn_private *cp = container_of(to_delayed_work(work),
						    struct lnet_conn_private,
						    cp_reader_watch);
	struct lnet_conn *conn = &cp->cp_conn;
	bool patient = false, lost;

	ptlrpc_test_at(PTP_READER_WATCH, &patient);
	spin_lock_bh(&conn->cn_lock);
	lost = !patient && reader_check(cp);
	if (lost)
		reader_revoke(conn);
	spin_unlock_bh(&conn->cn_lock);
	if (lost)
		lnet_count(LNET_READER_LOST, 1);
}

/* No task has the role. Of a new connection. */
void conn_reader_init(struct lnet_conn *conn)
{
	struct lnet_conn_private *cp = conn_private(conn);

	INIT_DELAYED_WORK(&cp->cp_reader_watch, reader_watch);
	cp->cp_reader_rest = jiffies;
}

/**
 * lnet_conn_reader_begin() - take the reader role
 * @conn: connection
 * @wq: wait queue of the caller
 *
 * Context: a task
 * Return: true on success, false if another task has the role, or one has lost it lately
 */
bool lnet_conn_reader_begin(struct lnet_conn *conn, struct wait_queue_head *wq)
{
	bool taken;

	spin_lock_bh(&conn->cn_lock);
	taken = conn->cn_state == CONN_OPEN && !conn->cn_reader &&
		!time_before(jiffies, conn_private(conn)->cp_reader_rest);
	if (taken)
		WRITE_ONCE(conn->cn_reader, wq);
	spin_unlock_bh(&conn->cn_lock);
	return taken;
}

/**
 * lnet_conn_reader_ready() - whether the task with the reader role should read
 * @conn: connection
 *
 * Context: any
 * Return: true if there may be something to read, and no task reads
 */
bool lnet_conn_reader_ready(const struct lnet_conn *conn)
{
	unsigned long flags = READ_ONCE(conn->cn_flags);

	return (flags & (BIT(CNF_RX_READY) | BIT(CNF_RX_PAUSED) |
			 BIT(CNF_RX_BUSY))) == BIT(CNF_RX_READY) &&
	       lnet_conn_is_open(conn);
}

/**
 * lnet_conn_read() - read one message, in the reader role
 * @conn: connection
 *
 * Context: may sleep; calls the layer above
 */
void lnet_conn_read(struct lnet_conn *conn)
{
	conn_rx_run(conn, false);
}

/**
 * lnet_conn_reader_end() - hand the reader role over to a work
 * @conn: connection
 * @wq: as given to lnet_conn_reader_begin()
 *
 * Context: a task; @wq is not woken after this
 */
void lnet_conn_reader_end(struct lnet_conn *conn, struct wait_queue_head *wq)
{
	spin_lock_bh(&conn->cn_lock);
	/* Otherwise the task has lost the role. */
	if (conn->cn_reader == wq)
		WRITE_ONCE(conn->cn_reader, NULL);
	if (test_bit(CNF_RX_READY, &conn->cn_flags) &&
	    !test_bit(CNF_RX_PAUSED, &conn->cn_flags))
		conn_queue_rx(conn);
	spin_unlock_bh(&conn->cn_lock);
}
