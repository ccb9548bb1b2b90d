// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replies: xids, the request that a reply is for, its memory, the pages for its bulk data,
 * and the fields of its header: how long the service took, what is on the target's disk. The
 * driver of the request is woken, and does the rest.
 */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/hash.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/debug.h>
#include <lustre_lite/nid.h>
#include <lustre_lite/ptlrpc_test_point.h>

#include "request.h"
#include "../net/trace.h"

/*
 * Xids: the table of requests that a reply may come for.
 */

#define XID_BITS	10
/*
 * The first xid is the time, with so many bits for the requests of a second: after a
 * restart the node's xids are larger than before.
 */
#define XID_SHIFT	24

/**
 * struct ptlrpc_xid_bucket - requests that wait for a reply
 * @xb_lock: guards @xb_requests; taken in tasks only
 * @xb_requests: the requests, by rq_xid_node, each referenced
 */
struct ptlrpc_xid_bucket {
	spinlock_t		xb_lock;
	struct hlist_head	xb_requests;
};

static struct ptlrpc_xid_bucket xid_table[1 << XID_BITS];
static atomic64_t last_xid;
static u64 first_xid;

static struct ptlrpc_xid_bucket *xid_bucket(u64 xid)
{
	return &xid_table[hash_64(xid, XID_BITS)];
}

/**
 * ptlrpc_next_xid() - the xid of a new request
 *
 * Context: any
 * Return: xid, larger than all before, also those before a restart of the node; of all
 * network namespaces together
 */
u64 ptlrpc_next_xid(void)
{
	return atomic64_inc_return(&last_xid);
}

/* Whether ptlrpc_next_xid() returned that xid since the module was loaded. */
static bool xid_was_used(u64 xid)
{
	return xid > first_xid && xid <= (u64)atomic64_read(&last_xid);
}

/**
 * xid_insert() - accept a reply from now on
 * @req: request, not in the table
 *
 * Context: any task
 */
void xid_insert(struct ptlrpc_request *req)
{
	struct ptlrpc_xid_bucket *bucket = xid_bucket(req->rq_xid);

	ptlrpc_request_get(req);
	spin_lock(&req->rq_lock);
	req->rq_in_xids = true;
	spin_unlock(&req->rq_lock);
	spin_lock(&bucket->xb_lock);
	hlist_add_head(&req->rq_xid_node, &bucket->xb_requests);
	spin_unlock(&bucket->xb_lock);
}

/**
 * xid_remove() - accept no reply any more
 * @req: request; nothing happens when it is not in the table. One that is being
 *	received (rq_receiving) goes on
 *
 * Context: any task; by the driver
 */
void xid_remove(struct ptlrpc_request *req)
{
	struct ptlrpc_xid_bucket *bucket = xid_bucket(req->rq_xid);
	bool was;

	spin_lock(&req->rq_lock);
	was = req->rq_in_xids;
	req->rq_in_xids = false;
	spin_unlock(&req->rq_lock);
	if (!was)
		return;
	spin_lock(&bucket->xb_lock);
	hlist_del_init(&req->rq_xid_node);
	spin_unlock(&bucket->xb_lock);
	ptlrpc_request_put(req);
}

/* The request that waits for that reply, referenced, or NULL. */
static struct ptlrpc_request *xid_find(u64 xid)
{
	struct ptlrpc_xid_bucket *bucket = xid_bucket(xid);
	struct ptlrpc_request *req;

	spin_lock(&bucket->xb_lock);
	hlist_for_each_entry(req, &bucket->xb_requests, rq_xid_node) {
		if (req->rq_xid == xid) {
			ptlrpc_request_get(req);
			break;
		}
	}
	spin_unlock(&bucket->xb_lock);
	return req;
}

/* Called when the module is loaded. */
void xid_table_init(void)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(xid_table); n++) {
		spin_lock_init(&xid_table[n].xb_lock);
		INIT_HLIST_HEAD(&xid_table[n].xb_requests);
	}
	first_xid = (u64)ktime_get_real_seconds() << XID_SHIFT;
	atomic64_set(&last_xid, first_xid);
}

/* Requests pin this module: none is left. */
void xid_table_exit(void)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(xid_table); n++)
		WARN_ON_ONCE(!hlist_empty(&xid_table[n].xb_requests));
}

/*
 * Replies.
 */

/* Counted each time, and logged once for a connection. */
static int refuse_reply(struct lnet_rx *rx)
{
	const struct wire_msg *rep = &rx->rx_view;
	struct lnet_conn *conn = rx->rx_conn;
	char nid[LNET_NID_TEXT_MAX];

	lnet_count(LNET_UNASKED, 1);
	if (test_and_set_bit(CNF_UNASKED, &conn->cn_flags))
		return 0;
	if (libcfs_nid_print(&conn->cn_nid, nid, sizeof(nid)) < 0)
		strscpy(nid, "?", sizeof(nid));
	CWARN("%s: unexpected reply x%llu, operation %u; more of this connection are only counted\n",
	      nid, rep->xid, rep->opc);
	return 0;
}

/*
 * A reply to a request that was given up or sent twice is not a fault of the other node:
 * the xid shows that the request existed.
 */
static int leave_reply(struct lnet_rx *rx)
{
	if (!xid_was_used(rx->rx_view.xid))
		return refuse_reply(rx);
	lnet_count(LNET_LATE, 1);
	return 0;
}

static bool is_from_server(const struct ptlrpc_request *req,
			   const struct lnet_rx *rx)
{
	return req->rq_conn && req->rq_conn->cn_peer == rx->rx_conn->cn_peer;
}

/*
 * It can be an answer to this request: it has the same operation, and comes from the node
 * that is asked now, or one that was asked before.
 */
static bool is_for(const struct ptlrpc_request *req, const struct lnet_rx *rx)
{
	lockdep_assert_held(&req->rq_lock);
	return req->rq_opc == rx->rx_view.opc &&
	       (is_from_server(req, rx) || !req->rq_conn || req->rq_sends > 1);
}

/* It comes from the node that is asked, and there is no answer yet. */
static bool is_wanted(const struct ptlrpc_request *req, const struct lnet_rx *rx)
{
	lockdep_assert_held(&req->rq_lock);
	return req->rq_in_xids && is_from_server(req, rx) &&
	       !req->rq_receiving && !req->rq_rep_msg;
}

static bool is_early(const struct wire_msg *rep)
{
	return rep->type == PTL_RPC_MSG_REPLY && (rep->flags & MSG_AT_SUPPORT);
}

/*
 * More time, never less: the driver sees it when the old deadline has come. The reserved
 * buffer goes back to the request, for the reply that is still to come.
 */
static void take_early(struct ptlrpc_request *req, struct lnet_rx *rx)
{
	u64 seconds = min_t(u32, rx->rx_view.timeout, RQ_EARLY_MAX);
	u64 deadline = ktime_get_ns() + seconds * NSEC_PER_SEC;

	lockdep_assert_held(&req->rq_lock);
	if (rx->rx_reserved && !req->rq_rep_buf)
		swap(req->rq_rep_buf, rx->rx_msg);
	req->rq_early++;
	if (deadline > req->rq_deadline_ns)
		WRITE_ONCE(req->rq_deadline_ns, deadline);
}

/* Bulk data goes to where the request wants it, if it fits. */
static void take_bulk(struct ptlrpc_request *req, struct lnet_rx *rx)
{
	const struct ptlrpc_bulk *bulk = req->rq_bulk_in;
	u32 len = rx->rx_frame.bulk_len;

	lockdep_assert_held(&req->rq_lock);
	req->rq_bulk_error = 0;
	if (!len)
		return;
	if (!bulk) {
		req->rq_bulk_error = -EPROTO;
	} else if (len > bulk->bk_len) {
		req->rq_bulk_error = -EOVERFLOW;
	} else {
		rx->rx_bulk = bulk->bk_vec;
		rx->rx_bulk_nr = bulk->bk_nr;
	}
}

/* The message is the request's from now on. */
static void take_reply(struct ptlrpc_request *req, struct lnet_rx *rx)
{
	lockdep_assert_held(&req->rq_lock);
	req->rq_rep_msg = rx->rx_msg;
	req->rq_rep = rx->rx_view;
	req->rq_reply_ns = rx->rx_start_ns;
	req->rq_receiving = true;
	req->rq_rx_conn = rx->rx_conn;
	rx->rx_msg = NULL;
	take_bulk(req, rx);
}

/* enum reply_fate - what becomes of a reply */
enum reply_fate {
	REPLY_TAKEN,	/* no_received() is to come */
	REPLY_EARLY,	/* it asked for more time */
	REPLY_LATE,	/* a copy, or its request has given up */
	REPLY_WRONG,	/* from a node that was not asked, or about something else */
};

static enum reply_fate take(struct ptlrpc_request *req, struct lnet_rx *rx)
{
	enum reply_fate fate = REPLY_TAKEN;

	spin_lock(&req->rq_lock);
	if (!is_for(req, rx)) {
		fate = REPLY_WRONG;
	} else if (!is_wanted(req, rx)) {
		fate = REPLY_LATE;
	} else if (is_early(&rx->rx_view)) {
		take_early(req, rx);
		fate = REPLY_EARLY;
	} else {
		take_reply(req, rx);
	}
	spin_unlock(&req->rq_lock);
	if (fate == REPLY_TAKEN || fate == REPLY_EARLY)
		trace_ptlrpc_reply(req, &rx->rx_view, fate == REPLY_EARLY);
	return fate;
}

/**
 * request_reserve_reply() - reserve the buffer of the reply
 * @req: request that is about to be sent
 *
 * Receiving the reply needs no memory then: the task that receives it may be the one that
 * reclaim waits for.
 *
 * Context: may sleep; by the driver
 * Return: false if there is no memory
 */
bool request_reserve_reply(struct ptlrpc_request *req)
{
	void *buf = NULL;
	bool fail = false;

	if (READ_ONCE(req->rq_rep_buf))
		return true;
	ptlrpc_test_at(PTP_REPLY_MEMORY, &fail);
	if (!fail)
		buf = kvmalloc(req->rq_rep_size, GFP_NOIO | __GFP_NOWARN);
	if (!buf)
		return false;
	spin_lock(&req->rq_lock);
	/* An early reply to an earlier sending may have returned one meanwhile. */
	if (!req->rq_rep_buf)
		swap(req->rq_rep_buf, buf);
	spin_unlock(&req->rq_lock);
	kvfree(buf);
	return true;
}

/**
 * ptlrpc_reply_buffer() - no_reply_buffer() of struct lnet_ops
 * @conn: connection
 * @xid: xid in the reply, which is not validated yet
 * @len: bytes of the reply
 *
 * Context: any task
 * Return: the buffer reserved by the request, if the node was asked and the reply fits
 */
void *ptlrpc_reply_buffer(struct lnet_conn *conn, u64 xid, u32 len)
{
	struct ptlrpc_request *req = xid_find(xid);
	void *buf = NULL;

	if (!req)
		return NULL;
	spin_lock(&req->rq_lock);
	if (len <= req->rq_rep_size && req->rq_conn &&
	    req->rq_conn->cn_peer == conn->cn_peer)
		swap(buf, req->rq_rep_buf);
	spin_unlock(&req->rq_lock);
	ptlrpc_request_put(req);
	return buf;
}

/**
 * ptlrpc_rx_reply() - no_message() of a reply
 * @rx: reply
 *
 * One that no request waits for, or waits for any more, is counted and thrown away.
 *
 * Context: may sleep
 * Return: 0
 */
int ptlrpc_rx_reply(struct lnet_rx *rx)
{
	struct ptlrpc_request *req = xid_find(rx->rx_view.xid);
	enum reply_fate fate;

	rx->rx_private = NULL;
	if (!req)
		return leave_reply(rx);
	fate = take(req, rx);
	if (fate == REPLY_TAKEN) {
		rx->rx_private = req;
		return 0;
	}
	ptlrpc_request_put(req);
	if (fate == REPLY_WRONG)
		return refuse_reply(rx);
	return fate == REPLY_LATE ? leave_reply(rx) : 0;
}
EXPORT_FOR_KUNIT(ptlrpc_rx_reply);

/**
 * ptlrpc_rx_reply_done() - no_received() of a reply
 * @rx: reply
 * @rc: 0; -EILSEQ: its bulk data is damaged; another negative errno: it did not come
 *
 * Context: may sleep
 */
void ptlrpc_rx_reply_done(struct lnet_rx *rx, int rc)
{
	struct ptlrpc_request *req = rx->rx_private;
	void *msg = NULL;

	if (!req)
		return;
	rx->rx_private = NULL;
	spin_lock(&req->rq_lock);
	req->rq_receiving = false;
	req->rq_rx_conn = NULL;
	if (rc == -EILSEQ) {
		req->rq_bulk_error = rc;
		__request_note(req, RQE_REPLY);
	} else if (rc) {
		msg = req->rq_rep_msg;
		req->rq_rep_msg = NULL;
		req->rq_net_error = rc;
		__request_note(req, RQE_NET_ERROR);
	} else {
		req->rq_bulk_got = rx->rx_bulk ? rx->rx_frame.bulk_len : 0;
		__request_note(req, RQE_REPLY);
	}
	spin_unlock(&req->rq_lock);
	kvfree(msg);
	ptlrpc_request_put(req);
}
EXPORT_FOR_KUNIT(ptlrpc_rx_reply_done);

/**
 * ptlrpc_requests_conn_closed() - no_closed() of requests
 * @conn: connection in CONN_CLOSED
 *
 * Context: any task
 */
void ptlrpc_requests_conn_closed(struct lnet_conn *conn)
{
	struct ptlrpc_request *req, *next;

	spin_lock(&conn->cn_upper_lock);
	list_for_each_entry_safe(req, next, &conn->cn_upper, rq_conn_item) {
		list_del_init(&req->rq_conn_item);
		spin_lock(&req->rq_lock);
		req->rq_net_error = conn->cn_error;
		__request_note(req, RQE_NET_ERROR);
		spin_unlock(&req->rq_lock);
	}
	spin_unlock(&conn->cn_upper_lock);
}

/* Return: the message, to be freed without the lock. */
static void *__forget_reply(struct ptlrpc_request *req)
{
	void *msg = req->rq_rep_msg;

	lockdep_assert_held(&req->rq_lock);
	req->rq_rep_msg = NULL;
	memset(&req->rq_rep, 0, sizeof(req->rq_rep));
	req->rq_bulk_got = 0;
	req->rq_bulk_error = 0;
	req->rq_events &= ~RQE_REPLY;
	return msg;
}

/**
 * request_forget_reply() - there is no reply any more
 * @req: request that the network does not fill, and cannot start to: it has a reply, or is not in
 *	the table of xids
 *
 * Context: any task; by the driver
 */
void request_forget_reply(struct ptlrpc_request *req)
{
	void *msg;

	spin_lock(&req->rq_lock);
	msg = __forget_reply(req);
	spin_unlock(&req->rq_lock);
	kvfree(msg);
}

/**
 * request_try_forget_reply() - the same, unless a reply has come meanwhile
 * @req: request
 *
 * A reply that is forgotten while it arrives would be an answer without contents.
 *
 * Context: any task; by the driver
 * Return: false if one is arriving, or has arrived since the driver took the events
 */
bool request_try_forget_reply(struct ptlrpc_request *req)
{
	void *msg = NULL;
	bool came;

	spin_lock(&req->rq_lock);
	came = req->rq_receiving || req->rq_events & RQE_REPLY;
	if (!came)
		msg = __forget_reply(req);
	spin_unlock(&req->rq_lock);
	kvfree(msg);
	return !came;
}

/*
 * The time on the network is the time without the service. With several sendings it is not
 * known which one was answered: 0 then.
 */
static u64 network_ns(const struct ptlrpc_request *req)
{
	u64 service_ns = req->rq_rep.service_time * (u64)NSEC_PER_SEC;
	u64 back_ns = req->rq_sent_ns + service_ns;

	if (req->rq_sends != 1 || req->rq_reply_ns < back_ns)
		return 0;
	return req->rq_reply_ns - back_ns;
}

/* Requests that are on disk need not be replayed. */
static void note_committed(struct ptlrpc_request *req)
{
	struct obd_import *imp = req->rq_import;
	u64 committed = req->rq_rep.last_committed;
	bool newer;

	if (committed <= READ_ONCE(imp->imp_last_committed))
		return;
	spin_lock(&imp->imp_rq_lock);
	newer = committed > imp->imp_last_committed;
	if (newer)
		WRITE_ONCE(imp->imp_last_committed, committed);
	spin_unlock(&imp->imp_rq_lock);
	if (newer)
		ptlrpc_replay_drop(req->rq_import);
}

/**
 * request_account_reply() - update the import from a reply
 * @req: request with a reply
 *
 * Context: may sleep; by the driver
 */
void request_account_reply(struct ptlrpc_request *req)
{
	struct obd_import *imp = req->rq_import;

	import_measured(imp, req->rq_portal,
			       req->rq_rep.timeout ?: req->rq_rep.service_time,
			       network_ns(req));
	note_committed(req);
}
