// SPDX-License-Identifier: GPL-2.0-only
/*
 * Incoming requests: their export, their handler, and validation. Every fault
 * is counted; the log gets it once for each connection. The sender gets an
 * error, except for requests that it no longer waits for.
 *
 * A request outlives the connection that it came by: it is handled all the
 * same, and the client asks for the reply on another connection.
 */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/mm.h>
#include <linux/slab.h>
#include <net/net_namespace.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/ptlrpc_test_point.h>

#include "service.h"

/* Largest order of the pages of bulk data; smaller ones are used if needed. */
#define BULK_ORDER_MAX	4

/**
 * struct ptlrpc_incoming - a request being validated
 * @in_rx: message
 * @in_svc: service, or NULL
 * @in_exp: its export, held as a request, or NULL
 * @in_handler: operation, or NULL
 */
struct ptlrpc_incoming {
	struct lnet_rx			*in_rx;
	struct ptlrpc_service		*in_svc;
	struct obd_export		*in_exp;
	const struct ptlrpc_handler	*in_handler;
};

/* Drop it without an answer. */
#define IN_DROP		1

static void incoming_end(struct ptlrpc_incoming *in)
{
	if (in->in_exp)
		class_export_rpc_dec(in->in_exp);
	if (in->in_svc)
		svc_put(in->in_svc);
}

/* A cookie is valid for the NID that connected last, in its namespace. */
static bool export_is_of(const struct obd_export *exp, const struct lnet_conn *conn)
{
	const struct ptlrpc_export *pe = READ_ONCE(exp->exp_rpc);

	return class_connected_export(exp) && pe && READ_ONCE(pe->pe_peer) == conn->cn_peer;
}

static struct obd_export *find_export(const struct lnet_rx *rx)
{
	struct obd_export *exp, *found = NULL;

	if (!rx->rx_view.handle)
		return NULL;
	exp = class_conn2export(rx->rx_view.handle);
	if (!exp)
		return NULL;
	if (export_is_of(exp, rx->rx_conn))
		found = class_export_rpc_inc(exp);
	class_export_put(exp);
	return found;
}

/* Return: 0 or a negative errno. */
static int find_handler(struct ptlrpc_incoming *in)
{
	const struct lnet_rx *rx = in->in_rx;

	in->in_svc = svc_find(rx->rx_view.portal);
	if (!in->in_svc) {
		lnet_fault(rx->rx_conn, WIRE_BAD_TYPE,
			   "a request to an unknown portal");
		return -ENODEV;
	}
	in->in_exp = find_export(rx);
	in->in_handler = svc_handler(in->in_svc, in->in_exp,
				     rx->rx_view.portal, rx->rx_view.opc);
	if (in->in_handler)
		return 0;
	/*
	 * The type of a target may know the operation, but its export is
	 * missing.
	 */
	if (rx->rx_view.handle && !in->in_exp) {
		svc_count(in->in_svc, SVC_STAT_NO_EXPORT, 1);
		return -ENOTCONN;
	}
	svc_count(in->in_svc, SVC_STAT_BAD_OPCODE, 1);
	lnet_fault(rx->rx_conn, WIRE_BAD_TYPE,
		   "a request for an unknown operation");
	return -EOPNOTSUPP;
}

/* Return: 0; -ENOTCONN; IN_DROP if it was sent before the last connect. */
static int check_export(struct ptlrpc_incoming *in)
{
	const u32 flags = in->in_handler->shd_flags;

	if (!(flags & (SVH_EXPORT | SVH_EXPORT_IF))) {
		if (in->in_exp)
			class_export_rpc_dec(in->in_exp);
		in->in_exp = NULL;
		return 0;
	}
	if (!in->in_exp) {
		if (!(flags & SVH_EXPORT) && !in->in_rx->rx_view.handle)
			return 0;
		svc_count(in->in_svc, SVC_STAT_NO_EXPORT, 1);
		return -ENOTCONN;
	}
	if (in->in_rx->rx_view.conn_cnt >= READ_ONCE(in->in_exp->exp_conn_cnt))
		return 0;
	svc_count(in->in_svc, SVC_STAT_STALE, 1);
	return IN_DROP;
}

static int check_buffers(struct ptlrpc_incoming *in)
{
	const u32 *lens = in->in_handler->shd_req_lens;
	const struct lnet_rx *rx = in->in_rx;
	unsigned int n;

	for (n = 0; n < WIRE_MSG_BUFS_MAX && lens[n]; n++) {
		if (wire_buf(&rx->rx_view, n, lens[n]))
			continue;
		svc_count(in->in_svc, SVC_STAT_BAD_BUFFERS, 1);
		lnet_fault(rx->rx_conn, WIRE_BAD_BUFFERS,
			   "a request without a required buffer");
		return -EPROTO;
	}
	if (!rx->rx_frame.bulk_len || in->in_handler->shd_flags & SVH_BULK_IN)
		return 0;
	svc_count(in->in_svc, SVC_STAT_BAD_BULK, 1);
	lnet_fault(rx->rx_conn, WIRE_BAD_LENGTH,
		   "unexpected bulk data");
	return -EPROTO;
}

/* Return: 0; a negative errno for the sender; IN_DROP. */
static int incoming_check(struct ptlrpc_incoming *in)
{
	int rc = find_handler(in);

	if (!rc)
		rc = check_export(in);
	if (!rc)
		rc = check_buffers(in);
	if (!rc && in->in_exp)
		WRITE_ONCE(in->in_exp->exp_last_request_time,
			   ktime_get_seconds());
	return rc;
}

/* Memory that the request holds, including the bulk data of its reply. */
static u32 request_bytes(const struct ptlrpc_incoming *in)
{
	const struct lnet_rx *rx = in->in_rx;
	u32 bytes = sizeof(struct ptlrpc_svc_req) + rx->rx_frame.msg_len +
		    rx->rx_frame.bulk_len;

	if (in->in_handler->shd_rep_bulk)
		bytes += min_t(u32, in->in_handler->shd_rep_bulk(&rx->rx_view),
			       WIRE_BULK_MAX);
	return bytes;
}

/* Requests with bulk data in either direction have memory of their own. */
static enum lnet_lane request_lane(const struct ptlrpc_incoming *in)
{
	return in->in_rx->rx_frame.bulk_len || in->in_handler->shd_rep_bulk ?
	       LNET_BULK : LNET_CONTROL;
}

/*
 * Others may wait for it, as for a cancel; or it cannot be refused as one that was not
 * executed, because the target may have done so when it came first.
 */
static bool is_urgent(const struct ptlrpc_incoming *in)
{
	return in->in_handler->shd_flags & (SVH_HIGH | SVH_RECOVERY) ||
	       in->in_rx->rx_view.flags & (MSG_REPLAY | MSG_RESENT);
}

/*
 * Memory for the request. Only those with bulk data, and those that no other one makes wait
 * for long, stop the reader: one without bulk data that may wait for a cancel on the same
 * connection is sent again later. Return: 0; -EAGAIN: not now; -EINPROGRESS: refuse it
 */
static int incoming_charge(struct ptlrpc_incoming *in, u32 charge)
{
	struct lnet_conn *conn = in->in_rx->rx_conn;
	enum lnet_lane lane = request_lane(in);

	if (lane == LNET_BULK || is_urgent(in))
		return lnet_peer_charge(conn, lane, charge) ? 0 : -EAGAIN;
	if (lnet_peer_try_charge(conn, charge))
		return 0;
	svc_count(in->in_svc, SVC_STAT_CROWDED, 1);
	return -EINPROGRESS;
}

/* A block of pages, the largest available, for @left bytes at most. */
static struct page *bulk_block(u32 left, u32 *bytes)
{
	unsigned int order = min_t(unsigned int, get_order(left),
				   BULK_ORDER_MAX);
	struct page *page;

	while (order) {
		page = alloc_pages(GFP_KERNEL | __GFP_COMP | __GFP_NOWARN |
				   __GFP_NORETRY, order);
		if (page)
			goto found;
		order--;
	}
	page = alloc_page(GFP_KERNEL | __GFP_NOWARN);
	if (!page)
		return NULL;
found:
	*bytes = min_t(u32, left, PAGE_SIZE << order);
	return page;
}

/* Allocate pages for bulk data. Return: 0 or -ENOMEM. */
static int bulk_make(struct ptlrpc_svc_req *sr, u32 len)
{
	unsigned int max = DIV_ROUND_UP(len, PAGE_SIZE), count = 0;
	struct bio_vec *vec = libcfs_zalloc(max * sizeof(*vec), GFP_KERNEL);
	struct page *page;
	u32 bytes;

	if (!vec)
		return -ENOMEM;
	sr->sr_bulk = vec;
	sr->sr_bulk_max = max;
	while (len) {
		page = bulk_block(len, &bytes);
		if (!page)
			return -ENOMEM;
		bvec_set_page(&vec[count++], page, bytes, 0);
		sr->sr_bulk_nr = count;
		sr->sr_bulk_len += bytes;
		len -= bytes;
	}
	return 0;
}

/*
 * The request was not executed for lack of memory: its client sends it again, as a new one. It may
 * have been executed if it is resent: then its client sends it again when its deadline has passed.
 */
static int no_memory(const struct wire_msg *msg)
{
	return msg->flags & MSG_RESENT ? IN_DROP : -EINPROGRESS;
}

/* Create the request. Return: 0; -EINPROGRESS; IN_DROP. */
static int incoming_accept(struct ptlrpc_incoming *in, u32 charge)
{
	struct lnet_rx *rx = in->in_rx;
	struct ptlrpc_svc_req *sr;
	bool fail = false;

	ptlrpc_test_at(PTP_SERVICE_MEMORY, &fail);
	sr = fail ? NULL : svc_req_new(in->in_svc, in->in_handler, rx, charge);
	if (!sr) {
		svc_count(in->in_svc, SVC_STAT_NO_MEMORY, 1);
		lnet_peer_uncharge(rx->rx_conn, request_lane(in), charge);
		return no_memory(&rx->rx_view);
	}
	sr->sr_lane = request_lane(in);
	sr->sr_exp = in->in_exp;
	in->in_exp = NULL;
	in->in_svc = NULL;
	if (rx->rx_frame.bulk_len && bulk_make(sr, rx->rx_frame.bulk_len)) {
		svc_count(sr->sr_service, SVC_STAT_NO_MEMORY, 1);
		svc_req_drop(sr);
		return no_memory(&rx->rx_view);
	}
	rx->rx_bulk = sr->sr_bulk;
	rx->rx_bulk_nr = sr->sr_bulk_nr;
	rx->rx_private = sr;
	return 0;
}

/**
 * ptlrpc_rx_request() - a request has arrived, its bulk data not yet
 * @rx: message
 *
 * Context: may sleep for memory; struct lnet_ops.no_message
 * Return: 0; -EAGAIN if there is no memory for it now
 */
int ptlrpc_rx_request(struct lnet_rx *rx)
{
	struct ptlrpc_incoming in = { .in_rx = rx };
	int rc = incoming_check(&in);
	u32 charge = rc ? 0 : request_bytes(&in);

	rx->rx_private = NULL;
	if (!rc)
		rc = incoming_charge(&in, charge);
	if (rc == -EAGAIN) {
		incoming_end(&in);
		return rc;
	}
	/* Its export may be gone since it was queued for memory. */
	if (rc)
		lnet_peer_charge_cancel(rx->rx_conn);
	else
		rc = incoming_accept(&in, charge);
	incoming_end(&in);
	if (rc < 0)
		svc_send_error(rx->rx_conn, &rx->rx_view, rc);
	return 0;
}

/* Refused by the reply cache. */
static void verdict_refuse(struct ptlrpc_svc_req *sr,
			   enum reply_cache_verdict verdict)
{
	static const u8 stats[] = {
		[RCV_OLD] = SVC_STAT_OLD_XID,
		[RCV_ATTACHED] = SVC_STAT_ATTACHED,
		[RCV_ANSWERED] = SVC_STAT_ANSWERED,
		[RCV_CROWDED] = SVC_STAT_CROWDED,
		[RCV_NO_MEMORY] = SVC_STAT_NO_MEMORY,
	};

	svc_count(sr->sr_service, stats[verdict], 1);
	if (verdict == RCV_CROWDED)
		svc_send_error(sr->sr_conn, &sr->sr_msg, -EINPROGRESS);
	else if (verdict == RCV_NO_MEMORY && no_memory(&sr->sr_msg) < 0)
		svc_send_error(sr->sr_conn, &sr->sr_msg, no_memory(&sr->sr_msg));
	svc_req_drop(sr);
}

/* The reader may handle it at once, and no other request comes first. */
static bool is_inline(const struct ptlrpc_svc_req *sr, const struct lnet_rx *rx)
{
	const struct ptlrpc_handler *handler = sr->sr_handler;

	return rx->rx_inline && handler->shd_flags & SVH_QUICK &&
	       !(handler->shd_waits && handler->shd_waits(sr)) &&
	       !svc_needs_admission(sr);
}

/**
 * ptlrpc_rx_request_done() - a request is complete
 * @rx: message for which ptlrpc_rx_request() returned 0
 * @rc: 0, or the error
 *
 * Context: may sleep for memory; struct lnet_ops.no_received
 */
void ptlrpc_rx_request_done(struct lnet_rx *rx, int rc)
{
	struct ptlrpc_svc_req *sr = rx->rx_private;
	enum reply_cache_verdict verdict;

	if (!sr)
		return;
	rx->rx_private = NULL;
	sr->sr_req_msg = rx->rx_msg;
	rx->rx_msg = NULL;
	/* To be sent again, as a new request: none of it was executed. */
	if (rc == -EILSEQ)
		svc_send_error(sr->sr_conn, &sr->sr_msg, -EINPROGRESS);
	if (rc) {
		svc_req_drop(sr);
		return;
	}
	verdict = reply_cache_begin(sr);
	if (verdict != RCV_NEW) {
		verdict_refuse(sr, verdict);
		return;
	}
	svc_history_add(sr);
	if (is_inline(sr, rx))
		svc_handle(sr);
	else
		svc_enqueue(sr);
}
