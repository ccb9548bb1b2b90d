// SPDX-License-Identifier: GPL-2.0
/*
 * What a reply says beside its buffers: how long things take, what is on the
 * target's disk, and that it was done.
 */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/debug.h>

#include "request.h"

/**
 * request_forget_reply() - there is no reply any more
 * @req: request that the network does not fill
 *
 * Context: any task; by the driver
 */
void request_forget_reply(struct ptlrpc_request *req)
{
	void *msg;

	spin_lock(&req->rq_lock);
	msg = req->rq_rep_msg;
	req->rq_rep_msg = NULL;
	memset(&req->rq_rep, 0, sizeof(req->rq_rep));
	req->rq_bulk_got = 0;
	req->rq_bulk_error = 0;
	req->rq_events &= ~RQE_REPLY;
	spin_unlock(&req->rq_lock);
	kfree(msg);
}

/*
 * The way there and back is what is left of the time. Nobody knows which sending
 * a reply is the answer to when there were several: 0 then.
 */
static u64 network_ns(const struct ptlrpc_request *req)
{
	u64 service_ns = req->rq_rep.service_time * (u64)NSEC_PER_SEC;
	u64 back_ns = req->rq_sent_ns + service_ns;

	if (req->rq_sends != 1 || req->rq_reply_ns < back_ns)
		return 0;
	return req->rq_reply_ns - back_ns;
}

/* What is on disk need not be replayed. */
static void note_committed(struct ptlrpc_request *req)
{
	struct ptlrpc_import *pi = ptlrpc_import(req->rq_import);
	u64 committed = req->rq_rep.last_committed;
	bool newer;

	if (committed <= READ_ONCE(pi->pi_last_committed))
		return;
	spin_lock(&pi->pi_lock);
	newer = committed > pi->pi_last_committed;
	if (newer)
		WRITE_ONCE(pi->pi_last_committed, committed);
	spin_unlock(&pi->pi_lock);
	if (newer)
		ptlrpc_replay_drop(req->rq_import);
}

/**
 * request_account_reply() - a reply came: what its import learns from that
 * @req: request with a reply
 *
 * Context: may sleep; by the driver
 */
void request_account_reply(struct ptlrpc_request *req)
{
	struct obd_import *imp = req->rq_import;

	ptlrpc_import_measured(imp, req->rq_portal,
			       req->rq_rep.timeout ?: req->rq_rep.service_time,
			       network_ns(req));
	if (req->rq_rep.transno && test_bit(IMPF_REPLAYABLE, &imp->imp_flags))
		ptlrpc_replay_note(req);
	note_committed(req);
}
