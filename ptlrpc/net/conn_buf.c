// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading the socket of a connection, and its read-ahead buffer: a page is read ahead, so
 * that a small message costs one call of the socket; larger parts are read directly into
 * their destination.
 */
#define DEBUG_SUBSYSTEM S_LNET

#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/net.h>

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
