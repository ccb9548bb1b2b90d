// SPDX-License-Identifier: GPL-2.0-only
/*
 * FIDs of new objects. The target gives sequences to a client, which numbers its objects itself:
 * a create that is sent again or replayed is recognized by its FID. One task asks for more; the
 * others wait for it, and share a failure, which the next caller does not see.
 */
#define DEBUG_SUBSYSTEM S_MDC

#include <linux/err.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_export.h>

#include "mdc_internal.h"

void mdc_seq_init(struct mdc_seq *seq)
{
	spin_lock_init(&seq->msq_lock);
	init_waitqueue_head(&seq->msq_wait);
}

/* The target has evicted this client: its sequences are not used any more. */
void mdc_seq_flush(struct mdc_seq *seq)
{
	spin_lock(&seq->msq_lock);
	seq->msq_end = seq->msq_next;
	seq->msq_flushed++;
	spin_unlock(&seq->msq_lock);
}

static bool seq_take(struct mdc_seq *seq, struct lu_fid *fid)
{
	lockdep_assert_held(&seq->msq_lock);
	if (seq->msq_next < seq->msq_end && seq->msq_oid == LUSTRE_SEQ_WIDTH) {
		seq->msq_next++;
		seq->msq_oid = 0;
	}
	if (seq->msq_next >= seq->msq_end)
		return false;
	*fid = (struct lu_fid) { .f_seq = seq->msq_next, .f_oid = ++seq->msq_oid };
	return true;
}

static int range_check(const struct lustre_seq_range *range)
{
	u64 start = le64_to_cpu(range->sr_start);

	if (start < FID_SEQ_NORMAL || le64_to_cpu(range->sr_end) <= start || range->sr_flags)
		return -EPROTO;
	return 0;
}

/* Ask the target. @range: out */
static int seq_query(struct obd_export *exp, struct lustre_seq_range *range)
{
	struct obd_import *imp = exp->exp_obd->obd_cli->cl_import;
	const struct lustre_seq_range *got;
	struct ptlrpc_request *req;
	int rc;

	req = mdc_request_new(exp, SEQ_QUERY, NULL, 0);
	if (IS_ERR(req))
		return PTR_ERR(req);
	rc = ptlrpc_queue_wait(req);
	if (!rc) {
		got = ptlrpc_rep_buf(req, MDS_BODY, sizeof(*got));
		rc = got ? range_check(got) : -EPROTO;
		if (!rc)
			*range = *got;
		else
			CERROR("%s: malformed sequences of %s: rc = %d\n",
			       exp->exp_obd->obd_name, imp->imp_target_uuid.uuid, rc);
	}
	ptlrpc_request_put(req);
	return rc;
}

/* Only the task that has set msq_asking. */
static int seq_ask(struct obd_export *exp, struct mdc_seq *seq, u32 flushed)
{
	struct lustre_seq_range range;
	int rc = seq_query(exp, &range);

	spin_lock(&seq->msq_lock);
	if (!rc && seq->msq_flushed == flushed) {
		seq->msq_next = le64_to_cpu(range.sr_start);
		seq->msq_end = le64_to_cpu(range.sr_end);
		seq->msq_oid = 0;
	}
	seq->msq_asking = false;
	seq->msq_asked++;
	seq->msq_rc = rc;
	spin_unlock(&seq->msq_lock);
	wake_up_all(&seq->msq_wait);
	return rc;
}

/* Return: the result of the task that asks; 0 if it was killed: another one asks then */
static int seq_wait(struct mdc_seq *seq, u32 asked)
{
	long left = compat_wait_event_task_timeout(seq->msq_wait,
						   READ_ONCE(seq->msq_asked) != asked,
						   MAX_SCHEDULE_TIMEOUT);
	int rc;

	if (left < 0)
		return -EINTR;
	spin_lock(&seq->msq_lock);
	rc = seq->msq_rc;
	spin_unlock(&seq->msq_lock);
	return rc == -EINTR ? 0 : rc;
}

/**
 * mdc_fid_alloc() - m_fid_alloc of type mdc
 * @exp: export of the device
 * @dir: directory of the new object
 * @fid: out
 *
 * Context: sleeps
 * Return: 0; -EPROTO; as ptlrpc_queue_wait() and mdc_request_new()
 */
int mdc_fid_alloc(struct obd_export *exp, const struct md_object *dir, struct lu_fid *fid)
{
	struct mdc_seq *seq = &mdc_device(exp->exp_obd)->mdc_seq;
	u32 asked, flushed;
	bool asking, done;
	int rc = 0;

	while (!rc) {
		spin_lock(&seq->msq_lock);
		done = seq_take(seq, fid);
		asking = seq->msq_asking;
		asked = seq->msq_asked;
		flushed = seq->msq_flushed;
		if (!done)
			seq->msq_asking = true;
		spin_unlock(&seq->msq_lock);
		if (done)
			break;
		rc = asking ? seq_wait(seq, asked) : seq_ask(exp, seq, flushed);
	}
	return rc;
}
