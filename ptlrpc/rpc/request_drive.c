// SPDX-License-Identifier: GPL-2.0-only
/*
 * Driving a request: from its events and the state of its import to its next step; its
 * message is completed, given to a connection, and taken back. Only the driver of its set
 * calls these functions.
 */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/ktime.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/ptlrpc_test_point.h>

#include "request.h"

/* The network has released the message. */
static void send_done(struct lnet_tx *tx, int rc)
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

static struct lnet_conn *conn_swap(struct ptlrpc_request *req,
				   struct lnet_conn *conn)
{
	struct lnet_conn *old = req->rq_conn;

	spin_lock(&req->rq_lock);
	req->rq_conn = conn;
	/* Events of the old connection say nothing about the new one. */
	req->rq_events &= ~(RQE_NET_ERROR | RQE_REFUSED);
	req->rq_net_error = 0;
	spin_unlock(&req->rq_lock);
	return old;
}

/*
 * Detach the request from its connection: a message on its way out is taken back. A reply
 * that is coming in (rq_receiving) goes on.
 */
static void request_withdraw(struct ptlrpc_request *req)
{
	struct lnet_conn *conn = req->rq_conn;

	if (!conn)
		return;
	spin_lock(&conn->cn_upper_lock);
	list_del_init(&req->rq_conn_item);
	spin_unlock(&conn->cn_upper_lock);
	if (READ_ONCE(req->rq_tx_busy))
		lnet_conn_recall(conn, &req->rq_tx);
	conn_swap(req, NULL);
	lnet_conn_put(conn);
}

/* Number it, and complete the header of the message. */
static void request_encode(struct ptlrpc_request *req,
			   const struct import_view *v, u32 timeout)
{
	u64 low = request_number(req);
	struct wire_msg msg = {
		.type = PTL_RPC_MSG_REQUEST,
		.opc = req->rq_opc,
		.xid = req->rq_xid,
		.handle = req->rq_handle ?: v->iv_handle,
		.transno = req->rq_replay_transno,
		.last_xid = low,
		.tag = req->rq_tag,
		.flags = req->rq_msg_flags,
		.op_flags = req->rq_op_flags,
		.conn_cnt = v->iv_conn_cnt,
		.timeout = timeout,
		.portal = req->rq_portal,
	};

	if (req->rq_sends)
		msg.flags |= MSG_RESENT;
	/* Without it the server does not ask for more time: a disconnect is not worth the wait. */
	if (READ_ONCE(at_max) && !request_is_disconnect(req))
		msg.flags |= MSG_AT_SUPPORT;
	memcpy(msg.jobid, req->rq_jobid, sizeof(msg.jobid));
	wire_msg_encode(req->rq_req_msg, &msg);
}

static void request_set_tx(struct ptlrpc_request *req)
{
	const struct ptlrpc_bulk *bulk = req->rq_bulk_out;
	struct lnet_tx *tx = &req->rq_tx;

	memset(tx, 0, sizeof(*tx));
	tx->tx_msg = req->rq_req_msg;
	tx->tx_msg_len = req->rq_req_len;
	if (bulk) {
		tx->tx_bulk = bulk->bk_vec;
		tx->tx_bulk_nr = bulk->bk_nr;
		tx->tx_bulk_len = bulk->bk_len;
		tx->tx_bulk_plain = req->rq_msg_flags & MSG_BULK_PLAIN;
	}
	if (req->rq_bulk_in)
		tx->tx_answer_len = req->rq_bulk_in->bk_len;
	tx->tx_done = send_done;
}

/* Start the deadline, and accept a reply. */
static void request_expect(struct ptlrpc_request *req, u32 timeout)
{
	u64 limit_ns = req->rq_limit_ns ?: timeout * (u64)NSEC_PER_SEC;

	req->rq_sent_ns = ktime_get_ns();
	spin_lock(&req->rq_lock);
	req->rq_deadline_ns = req->rq_sent_ns + limit_ns;
	req->rq_tx_busy = true;
	spin_unlock(&req->rq_lock);
	request_look_at(req, req->rq_deadline_ns);
	if (!req->rq_in_xids)
		xid_insert(req);
}

/* The estimates of the import are those of requests of any size. */
static u32 request_timeout(const struct ptlrpc_request *req)
{
	return req->rq_timeout ?: import_timeout(req->rq_import, req->rq_portal) +
				  request_bulk_more(req) * RQ_BULK_SEC;
}

/*
 * Send it on @conn, whose reference passes to the request. RQE_NET_ERROR is noted when
 * the connection ends or refuses the message.
 */
static void request_post(struct ptlrpc_request *req, struct lnet_conn *conn,
			 const struct import_view *v)
{
	u32 timeout = request_timeout(req);
	int rc;

	request_withdraw(req);
	request_encode(req, v, timeout);
	request_set_tx(req);
	conn_swap(req, conn);
	req->rq_conn_cnt = v->iv_conn_cnt;
	req->rq_lost = false;
	req->rq_wait_ns = 0;
	req->rq_sends++;
	request_expect(req, timeout);
	spin_lock(&conn->cn_upper_lock);
	list_add_tail(&req->rq_conn_item, &conn->cn_upper);
	spin_unlock(&conn->cn_upper_lock);
	ptlrpc_request_get(req);
	request_set_use_conn(req->rq_set, conn);
	rc = lnet_conn_send(conn, &req->rq_tx);
	if (!rc)
		return;
	if (rc != -ENOTCONN)
		request_note(req, RQE_REFUSED);
	send_done(&req->rq_tx, rc);
}

static void import_look(struct obd_import *imp, struct import_view *v)
{
	spin_lock(&imp->imp_lock);
	v->iv_state = imp->imp_state;
	v->iv_generation = imp->imp_generation;
	v->iv_conn_cnt = imp->imp_conn_cnt;
	v->iv_flags = READ_ONCE(imp->imp_flags);
	v->iv_handle = imp->imp_remote_handle.cookie;
	v->iv_adopted = v->iv_state == LUSTRE_IMP_FULL && imp->imp_adopted;
	spin_unlock(&imp->imp_lock);
}

/* Part of one connect: the import will not return to that state for the request. */
static bool is_bound(const struct ptlrpc_request *req)
{
	return req->rq_send_state != LUSTRE_IMP_FULL || request_is_disconnect(req);
}

static bool is_once(const struct ptlrpc_request *req)
{
	return req->rq_no_resend || is_bound(req);
}

static bool is_closed(enum lustre_imp_state state)
{
	return state == LUSTRE_IMP_CLOSED || state == LUSTRE_IMP_NEW;
}

/*
 * Whether the import refuses such a request: 0 or a negative errno. A destroyed import is
 * FULL, as before, and invalid.
 */
static int import_refuses(const struct ptlrpc_request *req,
			  const struct import_view *v)
{
	bool invalid = v->iv_flags & BIT(IMPF_INVALID);

	if (request_is_disconnect(req))
		return 0;
	if (v->iv_flags & BIT(IMPF_DEACTIVE))
		return -ESHUTDOWN;
	if (is_closed(v->iv_state) && v->iv_state != req->rq_send_state)
		return -ENOTCONN;
	if (v->iv_generation != req->rq_generation ||
	    (invalid && v->iv_state == LUSTRE_IMP_FULL))
		return -EIO;
	if (req->rq_send_state != LUSTRE_IMP_FULL &&
	    atomic_read(&req->rq_import->imp_cancel))
		return -ECANCELED;
	return 0;
}

/*
 * The end.
 */

/* The reply that is coming in is not wanted; the connection serves other requests. */
static void request_discard(struct ptlrpc_request *req)
{
	spin_lock(&req->rq_lock);
	if (req->rq_receiving)
		lnet_conn_discard(req->rq_rx_conn, req);
	spin_unlock(&req->rq_lock);
}

/* The reply does not come to its end: close its connection. */
static void request_cut(struct ptlrpc_request *req)
{
	spin_lock(&req->rq_lock);
	if (req->rq_receiving)
		lnet_conn_close(req->rq_rx_conn, -ETIMEDOUT);
	spin_unlock(&req->rq_lock);
}

static void request_count(struct ptlrpc_request *req)
{
	struct obd_import *imp = req->rq_import;

	if (!req->rq_counted)
		return;
	atomic64_add(ktime_get_ns() - req->rq_start_ns, &imp->imp_call_ns);
	atomic64_inc(&imp->imp_calls);
	atomic_dec(&imp->imp_inflight);
}

static void request_finish(struct ptlrpc_request *req)
{
	request_leave_import(req);
	request_count(req);
	ptlrpc_set_phase(req, RQ_INTERPRET);
	if (req->rq_interpret) {
		request_set_reader_end(req->rq_set);
		req->rq_status = req->rq_interpret(req, req->rq_interpret_data,
						   req->rq_status);
	}
	ptlrpc_set_phase(req, RQ_COMPLETE);
	ptlrpc_replay_end(req);
	request_set_leave(req);
}

/* It was answered with @status. */
static void request_answered(struct ptlrpc_request *req, int status)
{
	req->rq_status = status;
	xid_remove(req);
	request_withdraw(req);
	request_finish(req);
}

/* It ends without a reply. The network may still fill its pages. */
static void request_end(struct ptlrpc_request *req, int rc)
{
	req->rq_status = rc;
	xid_remove(req);
	if (READ_ONCE(req->rq_receiving)) {
		ptlrpc_set_phase(req, RQ_UNREGISTERING);
		request_discard(req);
		return;
	}
	request_withdraw(req);
	request_forget_reply(req);
	request_finish(req);
}

static void drive_unregistering(struct ptlrpc_request *req)
{
	if (READ_ONCE(req->rq_receiving))
		return;
	request_withdraw(req);
	request_forget_reply(req);
	request_finish(req);
}

/*
 * Sending again.
 */

/* Wait until an event is noted, or until @ns unless that is 0. */
static void request_wait_until(struct ptlrpc_request *req, u64 ns)
{
	if (req->rq_phase != RQ_WAITING)
		ptlrpc_set_phase(req, RQ_WAITING);
	req->rq_look_ns = ns;
	if (ns)
		request_look_at(req, ns);
}

/* A reply is arriving. If it takes too long, close its connection. */
static void request_receiving(struct ptlrpc_request *req)
{
	u64 now = ktime_get_coarse_ns();
	u64 limit = (1 + request_bulk_more(req)) * RQ_RECEIVE_NS;

	if (now >= req->rq_reply_ns + limit)
		request_cut(req);
	req->rq_look_ns = now + RQ_LOOK_NS;
	request_look_at(req, req->rq_look_ns);
}

/*
 * The connect that it was sent on is lost, or considered lost: the next one sends it
 * again, unless its reply has started to arrive meanwhile.
 */
static void request_lost(struct ptlrpc_request *req, int rc)
{
	import_note_loss(req->rq_import, req->rq_conn_cnt);
	if (is_once(req)) {
		request_end(req, rc);
		return;
	}
	ptlrpc_test_at(PTP_REQUEST_LOST, req);
	if (!request_try_forget_reply(req)) {
		request_receiving(req);
		return;
	}
	req->rq_lost = true;
	request_wait_until(req, 0);
	request_note(req, RQE_IMPORT);
}

static void request_net_error(struct ptlrpc_request *req)
{
	CDEBUG(D_HA, "%s: x%llu operation %u: the connection ended: rc = %d\n",
	       req->rq_import->imp_obd->obd_name, req->rq_xid, req->rq_opc,
	       req->rq_net_error);
	if (is_once(req))
		request_end(req, -ENOTCONN);
	else
		request_lost(req, -ENOTCONN);
}

/*
 * The next connect of the import goes over the control connection. So it says nothing about
 * this one, which is closed unless the node still sends on it.
 */
static void request_close_silent(struct ptlrpc_request *req)
{
	struct lnet_conn *conn = req->rq_conn;

	if (conn->cn_lane == LNET_BULK && lnet_conn_is_silent(conn, req->rq_sent_ns))
		lnet_conn_close(conn, -ETIMEDOUT);
}

static void request_timed_out(struct ptlrpc_request *req)
{
	struct obd_import *imp = req->rq_import;

	atomic_inc(&imp->imp_timeouts);
	CWARN("%s: x%llu operation %u to %s: no reply for %llu s\n",
	      imp->imp_obd->obd_name, req->rq_xid, req->rq_opc,
	      imp->imp_target_uuid.uuid,
	      div_u64(ktime_get_ns() - req->rq_sent_ns, NSEC_PER_SEC));
	request_close_silent(req);
	if (is_once(req))
		request_end(req, -ETIMEDOUT);
	else
		request_lost(req, -ETIMEDOUT);
}

/*
 * Replies.
 */

/* The server does not know the handle; a new connect gets another one. */
static bool is_unknown(const struct ptlrpc_request *req,
		       const struct import_view *v, int status)
{
	return (status == -ENOTCONN || status == -ENODEV) && !v->iv_adopted &&
	       req->rq_send_state == LUSTRE_IMP_FULL && !request_is_disconnect(req) &&
	       (req->rq_handle || v->iv_handle);
}

static int reply_status(const struct ptlrpc_request *req)
{
	if (req->rq_rep.type == PTL_RPC_MSG_ERR && !req->rq_rep.status)
		return -EPROTO;
	return req->rq_rep.status ?: req->rq_bulk_error;
}

/* The reply counts, but its bulk data does not match its CRC. */
static bool is_damaged(const struct ptlrpc_request *req)
{
	return !req->rq_rep.status && req->rq_bulk_error == -EILSEQ;
}

/* Send it again, as a new request, after a delay. */
static void request_retry(struct ptlrpc_request *req, u64 delay_ns)
{
	request_withdraw(req);
	request_renumber(req);
	request_forget_reply(req);
	req->rq_retry_ns = ktime_get_ns() + delay_ns;
	request_wait_until(req, req->rq_retry_ns);
}

static void request_unknown(struct ptlrpc_request *req, int status)
{
	if (!is_once(req)) {
		request_lost(req, status);
		return;
	}
	import_note_loss(req->rq_import, req->rq_conn_cnt);
	request_answered(req, status);
}

static void request_replied(struct ptlrpc_request *req,
			    const struct import_view *v)
{
	int status = reply_status(req);

	request_account_reply(req);
	if (status == -EINPROGRESS && !is_once(req))
		request_retry(req, RQ_RETRY_NS);
	else if (is_damaged(req) && !is_once(req))
		request_retry(req, RQ_DAMAGED_NS);
	else if (is_unknown(req, v, status))
		request_unknown(req, status);
	else
		request_answered(req, status);
}

/*
 * Phases.
 */

/* Sent on a connect that was lost, and there is no new one yet. */
static bool is_stale(const struct ptlrpc_request *req,
		     const struct import_view *v)
{
	return req->rq_lost && req->rq_conn_cnt == v->iv_conn_cnt &&
	       !v->iv_adopted;
}

/*
 * The caller of a request that waits for the next connect may have no use for the reply any more.
 */
static bool is_unwanted(struct ptlrpc_request *req)
{
	u64 now = ktime_get_ns();

	if (!req->rq_unwanted)
		return false;
	if (!req->rq_wait_ns)
		req->rq_wait_ns = now;
	return now - req->rq_wait_ns >= RQ_UNWANTED_NS && req->rq_unwanted(req->rq_unwanted_data);
}

static void wait_for_import(struct ptlrpc_request *req,
			    const struct import_view *v)
{
	if (req->rq_no_delay && v->iv_state == LUSTRE_IMP_IDLE)
		import_note_wanted(req->rq_import);
	if (req->rq_no_delay || is_bound(req)) {
		request_end(req, -ENOTCONN);
		return;
	}
	if (is_unwanted(req)) {
		request_end(req, -EREMCHG);
		return;
	}
	if (v->iv_state == LUSTRE_IMP_DISCON || v->iv_state == LUSTRE_IMP_IDLE)
		import_note_wanted(req->rq_import);
	request_wait_until(req, ktime_get_ns() + RQ_LOOK_NS);
}

/* A request that is sent once ends; another one is sent when there is memory. */
static void request_no_memory(struct ptlrpc_request *req)
{
	if (is_once(req)) {
		request_end(req, -ENOMEM);
		return;
	}
	req->rq_retry_ns = ktime_get_ns() + RQ_MEMORY_NS;
	request_wait_until(req, req->rq_retry_ns);
}

/* Send it on the connection of the import, if there is one. */
static void request_go(struct ptlrpc_request *req, const struct import_view *v)
{
	struct lnet_conn *conn = import_node_conn(req->rq_import, request_lane(req));

	if (conn == ERR_PTR(-EINPROGRESS)) {
		request_wait_until(req, ktime_get_ns() + RQ_LOOK_NS);
	} else if (IS_ERR(conn)) {
		import_note_loss(req->rq_import, v->iv_conn_cnt);
		wait_for_import(req, v);
	} else if (request_reserve_reply(req)) {
		ptlrpc_set_phase(req, RQ_RPC);
		request_post(req, conn, v);
	} else {
		lnet_conn_put(conn);
		request_no_memory(req);
	}
}

static void drive_waiting(struct ptlrpc_request *req, const struct import_view *v)
{
	if (req->rq_retry_ns && ktime_get_coarse_ns() < req->rq_retry_ns)
		request_wait_until(req, req->rq_retry_ns);
	else if (v->iv_state != req->rq_send_state || is_stale(req, v))
		wait_for_import(req, v);
	else if (request_slot_get(req))
		request_go(req, v);
	else
		request_wait_until(req, 0);
}

/* It was sent on an earlier connect than the present one. */
static bool is_superseded(const struct ptlrpc_request *req,
			  const struct import_view *v)
{
	return v->iv_state == req->rq_send_state &&
	       v->iv_conn_cnt != req->rq_conn_cnt;
}

static bool is_late(struct ptlrpc_request *req)
{
	u64 deadline = READ_ONCE(req->rq_deadline_ns);

	if (ktime_get_coarse_ns() >= deadline)
		return true;
	/* An early reply moved the deadline, or something else woke the driver. */
	request_look_at(req, deadline);
	return false;
}

static void drive_rpc(struct ptlrpc_request *req, const struct import_view *v,
		      unsigned long events)
{
	if (events & RQE_REFUSED)
		request_end(req, req->rq_net_error);
	else if ((events & RQE_NET_ERROR) || is_superseded(req, v))
		request_net_error(req);
	else if (is_late(req))
		request_timed_out(req);
}

/* RQ_WAITING or RQ_RPC: a reply to an earlier sending counts unless the target restarted since. */
static void drive_pending(struct ptlrpc_request *req, unsigned long events)
{
	struct import_view v;
	int rc;

	import_look(req->rq_import, &v);
	rc = import_refuses(req, &v);
	if (!rc && (events & RQE_REPLY) && !ptlrpc_replay_note(req)) {
		request_forget_reply(req);
		events &= ~RQE_REPLY;
	}
	if (rc)
		request_end(req, rc);
	else if (events & RQE_REPLY)
		request_replied(req, &v);
	else if (READ_ONCE(req->rq_receiving))
		request_receiving(req);
	else if (req->rq_phase == RQ_WAITING)
		drive_waiting(req, &v);
	else
		drive_rpc(req, &v, events);
}

static unsigned long take_events(struct ptlrpc_request *req)
{
	unsigned long events;

	spin_lock(&req->rq_lock);
	events = req->rq_events;
	req->rq_events = 0;
	spin_unlock(&req->rq_lock);
	return events;
}

/**
 * request_drive() - run a request to its next step
 * @req: request, of a set that the caller drives, which may be RQ_COMPLETE
 *	afterwards
 *
 * Context: may sleep, shortly, or as long as rq_interpret
 */
void request_drive(struct ptlrpc_request *req)
{
	unsigned long events = take_events(req);
	bool pending = req->rq_phase == RQ_WAITING || req->rq_phase == RQ_RPC;

	if (pending && req->rq_set->set_abort)
		request_end(req, req->rq_set->set_abort);
	else if (pending)
		drive_pending(req, events);
	else if (req->rq_phase == RQ_UNREGISTERING)
		drive_unregistering(req);
}
