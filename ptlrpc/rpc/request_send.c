// SPDX-License-Identifier: GPL-2.0
/*
 * A request on its way out: its message is completed, given to a connection, and
 * taken back.
 */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/ktime.h>
#include <linux/string.h>

#include <lustre_lite/debug.h>

#include "request.h"

/* The network does not know the message any more. */
static void send_done(struct ll_tx *tx, int rc)
{
	struct ptlrpc_request *req = container_of(tx, struct ptlrpc_request,
						  rq_tx);

	spin_lock(&req->rq_lock);
	req->rq_tx_busy = false;
	if (rc) {
		req->rq_net_error = rc;
		__request_note(req, RQE_NET_ERROR);
	}
	spin_unlock(&req->rq_lock);
	ptlrpc_request_put(req);
}

static void upper_add(struct ptlrpc_request *req, struct ll_conn *conn)
{
	spin_lock(&conn->cn_upper_lock);
	list_add_tail(&req->rq_conn_item, &conn->cn_upper);
	spin_unlock(&conn->cn_upper_lock);
}

static void upper_del(struct ptlrpc_request *req, struct ll_conn *conn)
{
	spin_lock(&conn->cn_upper_lock);
	list_del_init(&req->rq_conn_item);
	spin_unlock(&conn->cn_upper_lock);
}

static struct ll_conn *conn_swap(struct ptlrpc_request *req,
				 struct ll_conn *conn)
{
	struct ll_conn *old = req->rq_conn;

	spin_lock(&req->rq_lock);
	req->rq_conn = conn;
	/* What was noted of the old one says nothing of the new one. */
	req->rq_events &= ~(RQE_NET_ERROR | RQE_REFUSED);
	req->rq_net_error = 0;
	spin_unlock(&req->rq_lock);
	return old;
}

/**
 * request_withdraw() - the connection has nothing to do with it any more
 * @req: request; nothing happens when it was not sent, or withdrawn before
 *
 * A message that is on its way out is taken back. What the network fills
 * (rq_receiving) it goes on filling.
 *
 * Context: may sleep, shortly; by the driver
 */
void request_withdraw(struct ptlrpc_request *req)
{
	struct ll_conn *conn = req->rq_conn;

	if (!conn)
		return;
	upper_del(req, conn);
	if (READ_ONCE(req->rq_tx_busy))
		ll_conn_recall(conn, &req->rq_tx);
	conn_swap(req, NULL);
	ll_conn_put(conn);
}

/* The fields of its message, as they are now. */
static void request_encode(struct ptlrpc_request *req,
			   const struct import_view *v, u32 timeout)
{
	struct wire_msg msg = {
		.type = PTL_RPC_MSG_REQUEST,
		.opc = req->rq_opc,
		.xid = req->rq_xid,
		.handle = req->rq_handle ?: v->iv_handle,
		.transno = req->rq_replay_transno,
		.last_xid = request_low_xid(req),
		.flags = req->rq_msg_flags,
		.op_flags = req->rq_op_flags,
		.conn_cnt = v->iv_conn_cnt,
		.timeout = timeout,
		.portal = req->rq_portal,
	};

	if (req->rq_sends)
		msg.flags |= MSG_RESENT;
	/* Without adaptive timeouts a timeout is what it is. */
	if (READ_ONCE(at_max))
		msg.flags |= MSG_AT_SUPPORT;
	memcpy(msg.jobid, req->rq_jobid, sizeof(msg.jobid));
	wire_msg_encode(req->rq_req_msg, &msg);
}

static void request_set_tx(struct ptlrpc_request *req)
{
	const struct ptlrpc_bulk *bulk = req->rq_bulk_out;
	struct ll_tx *tx = &req->rq_tx;

	memset(tx, 0, sizeof(*tx));
	tx->tx_msg = req->rq_req_msg;
	tx->tx_msg_len = req->rq_req_len;
	if (bulk) {
		tx->tx_bulk = bulk->bk_vec;
		tx->tx_bulk_nr = bulk->bk_nr;
		tx->tx_bulk_len = bulk->bk_len;
	}
	tx->tx_done = send_done;
}

/* From now on it has a deadline, and a reply may come. */
static void request_expect(struct ptlrpc_request *req, u32 timeout)
{
	req->rq_sent_ns = ktime_get_ns();
	spin_lock(&req->rq_lock);
	req->rq_deadline_ns = req->rq_sent_ns + timeout * (u64)NSEC_PER_SEC;
	req->rq_tx_busy = true;
	spin_unlock(&req->rq_lock);
	request_look_at(req, req->rq_deadline_ns);
	if (!req->rq_in_xids)
		xid_insert(req);
}

/**
 * request_post() - send a request by a connection
 * @req: request in RQ_RPC
 * @conn: connection; the caller's reference is the request's from now on
 * @v: what the import is
 *
 * What becomes of it is noted: RQE_NET_ERROR when the connection ends, or did not
 * take it.
 *
 * Context: may sleep, shortly; by the driver
 */
void request_post(struct ptlrpc_request *req, struct ll_conn *conn,
		  const struct import_view *v)
{
	u32 timeout = req->rq_timeout ?:
		      ptlrpc_import_timeout(req->rq_import, req->rq_portal);
	int rc;

	request_withdraw(req);
	request_encode(req, v, timeout);
	request_set_tx(req);
	conn_swap(req, conn);
	req->rq_conn_cnt = v->iv_conn_cnt;
	req->rq_lost = false;
	req->rq_sends++;
	request_expect(req, timeout);
	upper_add(req, conn);
	ptlrpc_request_get(req);
	request_set_follow(req->rq_set, conn);
	rc = ll_conn_send(conn, &req->rq_tx);
	if (!rc)
		return;
	if (rc != -ENOTCONN)
		request_note(req, RQE_REFUSED);
	send_done(&req->rq_tx, rc);
}
