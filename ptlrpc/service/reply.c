// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replies: construction and sending.
 *
 * When the reply of a request is complete, the request drops its service and
 * its export before the reply is sent: so the end of either does not wait for a
 * peer.
 *
 * Early replies: a client whose request is not answered in time is told to
 * extend its deadline, at_early_margin seconds before it expires. Only clients
 * that support it are, and up to at_max in total.
 */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/slab.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "service.h"

/**
 * struct ptlrpc_svc_tx - a reply sent without its request
 * @sx_tx: outgoing message
 * @sx_reply: reply, referenced
 * @sx_conn: connection, referenced
 */
struct ptlrpc_svc_tx {
	struct lnet_tx		sx_tx;
	struct svc_reply	*sx_reply;
	struct lnet_conn		*sx_conn;
};

/* The node's current adaptive timeouts. */
static void svc_settings(struct at_settings *set)
{
	set->min = READ_ONCE(at_min);
	set->max = READ_ONCE(at_max);
	set->history = READ_ONCE(at_history);
	set->timeout = READ_ONCE(obd_timeout);
}

/**
 * svc_estimate() - estimated service time of a request
 * @svc: service
 *
 * Context: any task
 * Return: seconds
 */
u32 svc_estimate(struct ptlrpc_service *svc)
{
	struct at_settings set;
	u32 seconds;

	svc_settings(&set);
	spin_lock(&svc->svc_lock);
	seconds = at_get(&svc->svc_at, &set);
	spin_unlock(&svc->svc_lock);
	return seconds;
}

static size_t reply_size(u32 len)
{
	return sizeof(struct svc_reply) + len;
}

static struct svc_reply *svc_reply_new(const u32 *lens, unsigned int count)
{
	size_t len = wire_msg_size(lens, count);
	struct svc_reply *reply;

	if (!len)
		return NULL;
	reply = libcfs_zalloc(reply_size(len), GFP_KERNEL);
	if (!reply)
		return NULL;
	refcount_set(&reply->srp_refcount, 1);
	reply->srp_len = len;
	wire_msg_init(reply->rp_msg, lens, count);
	return reply;
}

/**
 * svc_reply_put() - drop a reference; the last put frees the reply
 * @reply: reply
 *
 * Context: any task
 */
void svc_reply_put(struct svc_reply *reply)
{
	if (refcount_dec_and_test(&reply->srp_refcount))
		libcfs_free(reply, reply_size(reply->srp_len));
}

static void svc_tx_free(struct ptlrpc_svc_tx *sx)
{
	svc_reply_put(sx->sx_reply);
	lnet_conn_put(sx->sx_conn);
	libcfs_free(sx, sizeof(*sx));
}

static void svc_tx_done(struct lnet_tx *tx, int rc)
{
	svc_tx_free(container_of(tx, struct ptlrpc_svc_tx, sx_tx));
}

/**
 * svc_send() - send a reply without its request
 * @conn: connection
 * @reply: complete reply; sending takes a reference
 *
 * Context: may sleep
 * Return: 0; -ENOTCONN if the connection is not open; -ENOMEM
 */
int svc_send(struct lnet_conn *conn, struct svc_reply *reply)
{
	struct ptlrpc_svc_tx *sx = libcfs_zalloc(sizeof(*sx), GFP_KERNEL);
	int rc;

	if (!sx)
		return -ENOMEM;
	refcount_inc(&reply->srp_refcount);
	sx->sx_reply = reply;
	sx->sx_conn = lnet_conn_get(conn);
	sx->sx_tx.tx_msg = reply->rp_msg;
	sx->sx_tx.tx_msg_len = reply->srp_len;
	sx->sx_tx.tx_done = svc_tx_done;
	rc = lnet_conn_send(conn, &sx->sx_tx);
	if (rc)
		svc_tx_free(sx);
	return rc;
}

/**
 * svc_send_error() - refuse a request
 * @conn: connection that it came by
 * @request: its message
 * @status: a negative errno
 *
 * Context: may sleep
 * Return: as svc_send()
 */
int svc_send_error(struct lnet_conn *conn, const struct wire_msg *request,
		   int status)
{
	struct wire_msg msg = {
		.type = PTL_RPC_MSG_ERR,
		.opc = request->opc,
		.xid = request->xid,
		.conn_cnt = request->conn_cnt,
		.status = status,
	};
	struct svc_reply *reply = svc_reply_new(NULL, 0);
	int rc;

	if (!reply)
		return -ENOMEM;
	wire_msg_encode(reply->rp_msg, &msg);
	rc = svc_send(conn, reply);
	svc_reply_put(reply);
	return rc;
}

static unsigned int lens_count(const u32 *lens)
{
	unsigned int n = 0;

	while (n < WIRE_MSG_BUFS_MAX && lens[n])
		n++;
	return n;
}

/**
 * ptlrpc_svc_rep_size() - set the sizes of a reply's buffers
 * @sr: request, until its handler has answered it
 * @lens: bytes of each buffer
 * @count: buffers
 *
 * The content of earlier buffers is lost.
 *
 * Context: may sleep for memory
 * Return: 0; -EMSGSIZE if a message cannot be so large; -ENOMEM
 */
int ptlrpc_svc_rep_size(struct ptlrpc_svc_req *sr, const u32 *lens,
			unsigned int count)
{
	struct svc_reply *reply;

	if (!wire_msg_size(lens, count))
		return -EMSGSIZE;
	reply = svc_reply_new(lens, count);
	if (!reply)
		return -ENOMEM;
	if (sr->sr_reply)
		svc_reply_put(sr->sr_reply);
	sr->sr_reply = reply;
	return 0;
}
EXPORT_SYMBOL_NS_GPL(ptlrpc_svc_rep_size, LUSTRE_LITE);

/* Allocate the reply as declared, unless there is one. Return: 0 or -ENOMEM. */
static int reply_make(struct ptlrpc_svc_req *sr)
{
	const u32 *lens = sr->sr_handler->shd_rep_lens;

	if (!sr->sr_reply)
		sr->sr_reply = svc_reply_new(lens, lens_count(lens));
	return sr->sr_reply ? 0 : -ENOMEM;
}

/**
 * ptlrpc_svc_rep_buf() - a buffer of the reply
 * @sr: request, until its handler has answered it
 * @n: number of the buffer
 *
 * Context: may sleep for memory
 * Return: its first byte; NULL on allocation failure, or if there is no such
 *  buffer
 */
void *ptlrpc_svc_rep_buf(struct ptlrpc_svc_req *sr, unsigned int n)
{
	const struct lustre_msg *head;

	if (reply_make(sr))
		return NULL;
	head = (const struct lustre_msg *)sr->sr_reply->rp_msg;
	if (n >= le16_to_cpu(head->lm_bufcount))
		return NULL;
	return wire_msg_buf(sr->sr_reply->rp_msg, n);
}
EXPORT_SYMBOL_NS_GPL(ptlrpc_svc_rep_buf, LUSTRE_LITE);

/**
 * ptlrpc_svc_nid() - the sender of a request
 * @sr: request
 *
 * Context: any
 * Return: NID of the node, valid as long as the request
 */
const struct lnet_nid *ptlrpc_svc_nid(const struct ptlrpc_svc_req *sr)
{
	return &sr->sr_conn->cn_nid;
}
EXPORT_SYMBOL_NS_GPL(ptlrpc_svc_nid, LUSTRE_LITE);

/**
 * ptlrpc_svc_malformed() - log that a request of a client cannot be decoded
 * @sr: request
 * @fault: the reason
 *
 * Context: its handler
 * Return: -EPROTO
 */
int ptlrpc_svc_malformed(const struct ptlrpc_svc_req *sr, const char *fault)
{
	const struct obd_export *exp = sr->sr_exp;
	char nid[LNET_NID_TEXT_MAX];

	libcfs_nid_print(ptlrpc_svc_nid(sr), nid, sizeof(nid));
	CERROR("%s: malformed operation %u from %s at %s: %s: rc = %d\n", exp->exp_obd->obd_name,
	       sr->sr_msg.opc, exp->exp_client_uuid.uuid, nid, fault, -EPROTO);
	return -EPROTO;
}
EXPORT_SYMBOL_NS_GPL(ptlrpc_svc_malformed, LUSTRE_LITE);

static u64 last_committed(const struct obd_export *exp)
{
	return exp ? svc_recovery->rv_last_committed(exp->exp_obd) : 0;
}

/* Add the service time to the estimate. Return: the estimate. */
static u32 note_service_time(struct ptlrpc_service *svc, u32 seconds)
{
	struct at_settings set;
	u32 estimate;

	svc_settings(&set);
	spin_lock(&svc->svc_lock);
	at_measured(&svc->svc_at, &set, seconds, ktime_get_seconds());
	estimate = at_get(&svc->svc_at, &set);
	spin_unlock(&svc->svc_lock);
	return estimate;
}

/* Bulk data is not saved: a reply that must be repeatable cannot have it. */
static bool bulk_is_wrong(const struct ptlrpc_svc_req *sr)
{
	return sr->sr_rep_bulk && sr->sr_handler->shd_flags & SVH_ONCE;
}

/* Complete the reply. On allocation failure there is none. */
static void reply_seal(struct ptlrpc_svc_req *sr, u64 now)
{
	u32 seconds = (now - sr->sr_arrival_ns) / NSEC_PER_SEC;
	struct wire_msg msg = {
		.type = PTL_RPC_MSG_REPLY,
		.opc = sr->sr_msg.opc,
		.xid = sr->sr_msg.xid,
		.handle = sr->sr_rep_handle ?: (sr->sr_transno ? sr->sr_msg.handle : 0),
		.transno = sr->sr_transno,
		.flags = sr->sr_msg.flags & MSG_BULK_PLAIN,
		.op_flags = sr->sr_rep_op_flags,
		.conn_cnt = sr->sr_msg.conn_cnt,
		.service_time = seconds,
		.timeout = note_service_time(sr->sr_service, seconds),
		.last_committed = sr->sr_rep_committed ?: last_committed(sr->sr_exp),
	};

	if (WARN_ON_ONCE(bulk_is_wrong(sr)))
		sr->sr_status = -EOPNOTSUPP;
	if (!sr->sr_reply && !sr->sr_status && reply_make(sr))
		sr->sr_status = -ENOMEM;
	if (!sr->sr_reply) {
		msg.type = PTL_RPC_MSG_ERR;
		sr->sr_reply = svc_reply_new(NULL, 0);
	}
	msg.status = sr->sr_status;
	if (sr->sr_reply)
		wire_msg_encode(sr->sr_reply->rp_msg, &msg);
	else
		svc_count(sr->sr_service, SVC_STAT_NO_MEMORY, 1);
}

static void reply_sent(struct ptlrpc_svc_req *sr)
{
	svc_req_move(sr, SR_DONE);
	svc_req_put(sr);
}

static void reply_tx_done(struct lnet_tx *tx, int rc)
{
	struct ptlrpc_svc_req *sr = container_of(tx, struct ptlrpc_svc_req,
						 sr_tx);

	if (rc)
		CDEBUG(D_RPCTRACE, "cannot send reply x%llu: rc = %d\n",
		       sr->sr_msg.xid, rc);
	reply_sent(sr);
}

/* The caller's reference passes to the network. */
static void reply_send(struct ptlrpc_svc_req *sr)
{
	struct lnet_tx *tx = &sr->sr_tx;

	if (!sr->sr_reply) {
		reply_sent(sr);
		return;
	}
	tx->tx_msg = sr->sr_reply->rp_msg;
	tx->tx_msg_len = sr->sr_reply->srp_len;
	tx->tx_done = reply_tx_done;
	if (sr->sr_rep_bulk_len && !sr->sr_status) {
		tx->tx_bulk = sr->sr_rep_bulk;
		tx->tx_bulk_nr = sr->sr_rep_bulk_nr;
		tx->tx_bulk_len = sr->sr_rep_bulk_len;
		tx->tx_bulk_plain = sr->sr_msg.flags & MSG_BULK_PLAIN;
	}
	if (lnet_conn_send(sr->sr_reply_conn, tx))
		reply_sent(sr);
}

/* Drop all that the end of a service or an export waits for. */
static void reply_release(struct ptlrpc_svc_req *sr, u64 now)
{
	struct obd_export *exp = sr->sr_exp;

	svc_leave(sr);
	svc_count_op(sr->sr_service, sr->sr_msg.opc,
		     (now - sr->sr_arrival_ns) / NSEC_PER_USEC);
	svc_history_note(sr, now);
	svc_req_release(sr);
	sr->sr_exp = NULL;
	if (exp)
		class_export_rpc_dec(exp);
}

/**
 * svc_answer() - answer a request
 * @sr: request in SR_RUNNING; the caller's reference is consumed
 * @status: 0 or a negative errno
 *
 * Context: may sleep
 */
void svc_answer(struct ptlrpc_svc_req *sr, int status)
{
	u64 now = ktime_get_ns();

	sr->sr_status = status;
	svc_recovery->rv_replayed(sr);
	reply_seal(sr, now);
	reply_cache_end(sr, sr->sr_handled);
	svc_req_move(sr, SR_REPLYING);
	reply_release(sr, now);
	reply_send(sr);
}

/* Early replies collected at a time. */
#define EARLY_BATCH	16

/**
 * struct ptlrpc_early_reply - an early reply to send
 * @ey_conn: connection, referenced
 * @ey_msg: its fields
 */
struct ptlrpc_early_reply {
	struct lnet_conn	*ey_conn;
	struct wire_msg	ey_msg;
};

/* Conditions and content of early replies. */
struct ptlrpc_early_terms {
	u64	now;
	u64	margin_ns;
	u64	max_ns;
	u32	seconds;
};

static void early_terms_get(struct ptlrpc_service *svc, struct ptlrpc_early_terms *terms)
{
	u32 margin = READ_ONCE(at_early_margin);

	terms->now = ktime_get_ns();
	/* One second more: the period of the check. */
	terms->margin_ns = (margin + 1ULL) * NSEC_PER_SEC;
	terms->max_ns = (u64)READ_ONCE(at_max) * NSEC_PER_SEC;
	/* Enough that it is not due again at once. */
	terms->seconds = max_t(u32, READ_ONCE(at_extra), svc_estimate(svc));
	terms->seconds = max_t(u32, terms->seconds, margin + 2);
}

static bool is_due(const struct ptlrpc_svc_req *sr,
		   const struct ptlrpc_early_terms *terms)
{
	u64 deadline = READ_ONCE(sr->sr_deadline_ns);

	return sr->sr_msg.flags & MSG_AT_SUPPORT && terms->now < deadline &&
	       terms->now + terms->margin_ns >= deadline &&
	       terms->now - sr->sr_arrival_ns < terms->max_ns;
}

/*
 * The request is in a list under svc_lock, so it still has its export. A client
 * with an open connection is not silent: it waits.
 */
static void __early_take(struct ptlrpc_svc_req *sr,
			 const struct ptlrpc_early_terms *terms,
			 struct ptlrpc_early_reply *early)
{
	sr->sr_early++;
	WRITE_ONCE(sr->sr_deadline_ns,
		   terms->now + terms->seconds * NSEC_PER_SEC);
	early->ey_conn = reply_cache_conn(sr);
	early->ey_msg = (struct wire_msg) {
		.type = PTL_RPC_MSG_REPLY,
		.opc = sr->sr_msg.opc,
		.xid = sr->sr_msg.xid,
		.flags = MSG_AT_SUPPORT,
		.conn_cnt = sr->sr_msg.conn_cnt,
		.timeout = terms->seconds,
		.service_time = (terms->now - sr->sr_arrival_ns) / NSEC_PER_SEC,
	};
	if (sr->sr_exp && lnet_conn_is_open(early->ey_conn))
		WRITE_ONCE(sr->sr_exp->exp_last_request_time,
			   ktime_get_seconds());
}

static unsigned int __early_find(struct list_head *list,
				 const struct ptlrpc_early_terms *terms,
				 struct ptlrpc_early_reply *batch, unsigned int count)
{
	struct ptlrpc_svc_req *sr;

	list_for_each_entry(sr, list, sr_item) {
		if (count == EARLY_BATCH)
			break;
		if (is_due(sr, terms))
			__early_take(sr, terms, &batch[count++]);
	}
	return count;
}

static unsigned int early_collect(struct ptlrpc_service *svc,
				  const struct ptlrpc_early_terms *terms,
				  struct ptlrpc_early_reply *batch)
{
	unsigned int count;

	spin_lock(&svc->svc_lock);
	count = __early_find(&svc->svc_working, terms, batch, 0);
	count = __early_find(&svc->svc_high, terms, batch, count);
	count = __early_find(&svc->svc_queue, terms, batch, count);
	spin_unlock(&svc->svc_lock);
	return count;
}

static void early_send(struct ptlrpc_service *svc, struct ptlrpc_early_reply *early)
{
	struct svc_reply *reply = svc_reply_new(NULL, 0);

	if (reply) {
		wire_msg_encode(reply->rp_msg, &early->ey_msg);
		if (!svc_send(early->ey_conn, reply))
			svc_count(svc, SVC_STAT_EARLY, 1);
		svc_reply_put(reply);
	}
	lnet_conn_put(early->ey_conn);
}

/**
 * svc_early_replies() - send early replies to clients whose deadline is near
 * @svc: service
 *
 * Context: may sleep
 */
void svc_early_replies(struct ptlrpc_service *svc)
{
	struct ptlrpc_early_reply *batch;
	struct ptlrpc_early_terms terms;
	unsigned int count, n;

	early_terms_get(svc, &terms);
	if (!terms.max_ns)
		return;
	batch = libcfs_zalloc(EARLY_BATCH * sizeof(*batch), GFP_KERNEL);
	if (!batch)
		return;
	do {
		count = early_collect(svc, &terms, batch);
		for (n = 0; n < count; n++)
			early_send(svc, &batch[n]);
	} while (count == EARLY_BATCH);
	libcfs_free(batch, EARLY_BATCH * sizeof(*batch));
}
