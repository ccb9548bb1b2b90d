// SPDX-License-Identifier: GPL-2.0
/*
 * The leader of a connection: a task that waits for an answer and reads for itself
 * meanwhile. While there is one, the socket's callbacks wake it up instead of a
 * work; what it leaves unread is for the work again.
 */
#define DEBUG_SUBSYSTEM S_LNET

#include <linux/kernel.h>
#include <linux/wait.h>

#include "conn.h"

/**
 * ll_conn_lead_begin() - read the connection, rather than wait for a work to do it
 * @conn: connection
 * @wq: where the caller sleeps
 *
 * Context: a task
 * Return: whether the caller leads; not when somebody else does
 */
bool ll_conn_lead_begin(struct ll_conn *conn, struct wait_queue_head *wq)
{
	bool lead;

	spin_lock_bh(&conn->cn_lock);
	lead = conn->cn_state == CONN_OPEN && !conn->cn_leader;
	if (lead)
		WRITE_ONCE(conn->cn_leader, wq);
	spin_unlock_bh(&conn->cn_lock);
	return lead;
}

/**
 * ll_conn_lead_ready() - whether the leader should read
 * @conn: connection that the caller leads
 *
 * Context: any
 * Return: whether there may be something, and nobody is reading
 */
bool ll_conn_lead_ready(const struct ll_conn *conn)
{
	unsigned long flags = READ_ONCE(conn->cn_flags);

	return (flags & (BIT(CNF_RX_READY) | BIT(CNF_RX_PAUSED) |
			 BIT(CNF_RX_BUSY))) == BIT(CNF_RX_READY) &&
	       ll_conn_is_open(conn);
}

/**
 * ll_conn_lead_read() - read one message, by the leader
 * @conn: connection that the caller leads
 *
 * Context: may sleep; the floor above is called
 */
void ll_conn_lead_read(struct ll_conn *conn)
{
	conn_rx_run(conn, false);
}

/**
 * ll_conn_lead_end() - lead no more; a work reads what is there
 * @conn: connection that the caller leads
 * @wq: as given to ll_conn_lead_begin()
 *
 * Context: a task; nobody wakes up @wq any more when this returns
 */
void ll_conn_lead_end(struct ll_conn *conn, struct wait_queue_head *wq)
{
	spin_lock_bh(&conn->cn_lock);
	if (!WARN_ON_ONCE(conn->cn_leader != wq))
		WRITE_ONCE(conn->cn_leader, NULL);
	if (test_bit(CNF_RX_READY, &conn->cn_flags) &&
	    !test_bit(CNF_RX_PAUSED, &conn->cn_flags))
		conn_queue_rx(conn);
	spin_unlock_bh(&conn->cn_lock);
}
