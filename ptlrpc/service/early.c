// SPDX-License-Identifier: GPL-2.0
/*
 * Early replies: a client whose request is not answered in time is told to wait
 * for longer, at_early_margin seconds before it would give up. It is told so only
 * if it understands that, and for no longer than at_max in all.
 */
#define DEBUG_SUBSYSTEM S_RPC

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "service.h"

/* Requests that are looked for at a time. */
#define EARLY_BATCH	16

/**
 * struct early_reply - an early reply that is to be sent
 * @er_conn: connection, referenced
 * @er_msg: its fields
 */
struct early_reply {
	struct ll_conn	*er_conn;
	struct wire_msg	er_msg;
};

/* What a client is told, and when. */
struct early_terms {
	u64	now;
	u64	margin_ns;
	u64	max_ns;
	u32	seconds;
};

static void early_terms_get(struct ptlrpc_service *svc, struct early_terms *terms)
{
	u32 margin = READ_ONCE(at_early_margin);

	terms->now = ktime_get_ns();
	/* A second more: that is how often one looks. */
	terms->margin_ns = (margin + 1ULL) * NSEC_PER_SEC;
	terms->max_ns = (u64)READ_ONCE(at_max) * NSEC_PER_SEC;
	/* So many that it is not due again at once. */
	terms->seconds = max_t(u32, READ_ONCE(at_extra), svc_estimate(svc));
	terms->seconds = max_t(u32, terms->seconds, margin + 2);
}

static bool is_due(const struct ptlrpc_svc_req *sr,
		   const struct early_terms *terms)
{
	u64 deadline = READ_ONCE(sr->sr_deadline_ns);

	return sr->sr_msg.flags & MSG_AT_SUPPORT && terms->now < deadline &&
	       terms->now + terms->margin_ns >= deadline &&
	       terms->now - sr->sr_arrival_ns < terms->max_ns;
}

/*
 * It is in a list under svc_lock, so that it has its export still. A client whose
 * connection is open is not silent: it waits.
 */
static void __early_take(struct ptlrpc_svc_req *sr,
			 const struct early_terms *terms,
			 struct early_reply *early)
{
	sr->sr_early++;
	WRITE_ONCE(sr->sr_deadline_ns,
		   terms->now + terms->seconds * NSEC_PER_SEC);
	early->er_conn = reply_cache_conn(sr);
	early->er_msg = (struct wire_msg) {
		.type = PTL_RPC_MSG_REPLY,
		.opc = sr->sr_msg.opc,
		.xid = sr->sr_msg.xid,
		.flags = MSG_AT_SUPPORT,
		.conn_cnt = sr->sr_msg.conn_cnt,
		.timeout = terms->seconds,
		.service_time = (terms->now - sr->sr_arrival_ns) / NSEC_PER_SEC,
	};
	if (sr->sr_exp && ll_conn_is_open(early->er_conn))
		WRITE_ONCE(sr->sr_exp->exp_last_request_time,
			   ktime_get_seconds());
}

static unsigned int __early_find(struct list_head *list,
				 const struct early_terms *terms,
				 struct early_reply *batch, unsigned int count)
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
				  const struct early_terms *terms,
				  struct early_reply *batch)
{
	unsigned int count;

	spin_lock(&svc->svc_lock);
	count = __early_find(&svc->svc_working, terms, batch, 0);
	count = __early_find(&svc->svc_high, terms, batch, count);
	count = __early_find(&svc->svc_queue, terms, batch, count);
	spin_unlock(&svc->svc_lock);
	return count;
}

static void early_send(struct ptlrpc_service *svc, struct early_reply *early)
{
	struct svc_reply *reply = svc_reply_new(NULL, 0);

	if (reply) {
		wire_msg_encode(reply->rp_msg, &early->er_msg);
		if (!svc_send(early->er_conn, reply))
			svc_count(svc, SVC_STAT_EARLY, 1);
		svc_reply_put(reply);
	}
	ll_conn_put(early->er_conn);
}

/**
 * svc_early_replies() - tell those whose time is nearly over to wait for longer
 * @svc: service
 *
 * Context: may sleep
 */
void svc_early_replies(struct ptlrpc_service *svc)
{
	struct early_reply *batch;
	struct early_terms terms;
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
