// SPDX-License-Identifier: GPL-2.0-only
/*
 * A request of a client, from its bytes to its reply, and its transaction.
 *
 * The changes of an object are ordered by its fo_lock, under which each takes its number. After a
 * restart they are done again in the order of the numbers, also those of which a part has survived:
 * what they leave is what it was. Changes that a client knows to be on disk do not come again;
 * those that only the server knows of come, and are skipped, as later ones may be on disk, too.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/ktime.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/obd_export.h>

#include "ofd_internal.h"

static int call_decode(struct ofd_call *call)
{
	const struct ptlrpc_svc_req *sr = call->ofc_sr;
	const char *fault = ost_op_decode(&sr->sr_msg, &call->ofc_op);

	return fault ? ptlrpc_svc_malformed(sr, fault) : 0;
}

static int call_encode(struct ofd_call *call)
{
	struct ost_body *body = ptlrpc_svc_rep_buf(call->ofc_sr, OST_BODY);

	if (!body)
		return -ENOMEM;
	ost_reply_encode(body, &call->ofc_rep);
	return 0;
}

int ofd_call_run(struct ptlrpc_svc_req *sr, enum ofd_stat stat,
		 int (*fn)(struct ofd_call *call))
{
	struct ofd_call call = { .ofc_sr = sr, .ofc_ofd = ofd_device(sr->sr_exp->exp_obd) };
	u64 start = ktime_get_ns();
	int rc = call_decode(&call) ?: fn(&call) ?: call_encode(&call);

	if (!rc)
		ofd_stats_time(&call, stat, ktime_get_ns() - start);
	ofd_object_put(call.ofc_object);
	return rc;
}

struct ofd_object *ofd_call_object(struct ofd_call *call)
{
	struct ofd_object *obj;

	if (call->ofc_object)
		return call->ofc_object;
	obj = ofd_object_find(call->ofc_ofd, &call->ofc_op.object);
	if (!IS_ERR(obj))
		call->ofc_object = obj;
	return obj;
}

struct ofd_object *ofd_call_object_there(struct ofd_call *call)
{
	struct ofd_object *obj = ofd_object_find_there(call->ofc_ofd, &call->ofc_op.object);

	if (!IS_ERR(obj))
		call->ofc_object = obj;
	return obj;
}

bool ofd_call_is_done(struct ofd_call *call, u64 *replay)
{
	struct ptlrpc_svc_req *sr = call->ofc_sr;

	*replay = sr->sr_msg.flags & MSG_REPLAY ? sr->sr_msg.transno : 0;
	if (!*replay || *replay > tgt_last_committed(sr->sr_exp->exp_obd))
		return false;
	sr->sr_transno = *replay;
	return true;
}

/* Under fo_lock. A replay has its number also if there was nothing to do. Return: as och_fn */
static int change_run(struct ofd_call *call, const struct ofd_change *change, u64 replay,
		      u64 *transno)
{
	struct ofd_object *obj = call->ofc_object;
	int rc = change->och_fn(call, obj);

	if (!rc || (rc == 1 && replay)) {
		*transno = tgt_trans_number(call->ofc_sr->sr_exp->exp_obd, replay);
		WRITE_ONCE(obj->fo_transno, *transno);
	}
	return rc;
}

/* End the transaction of a change that returned @rc. Return: @rc, or the error of the commit */
static int change_stop(struct ofd_call *call, const struct ofd_change *change, u64 transno, int rc)
{
	struct obd_device *obd = call->ofc_sr->sr_exp->exp_obd;
	int stop = tgt_trans_stop(obd, transno, change->och_bytes,
				  change->och_async || change->och_sync);

	tgt_change_refused(obd, rc);
	if (rc)
		return rc;
	call->ofc_sr->sr_transno = transno;
	return stop ?: change->och_sync ? tgt_commit(obd, transno) : 0;
}

static int change_trans(struct ofd_call *call, const struct ofd_change *change, u64 replay)
{
	struct ofd_object *obj = call->ofc_object;
	u64 transno = 0;
	int rc, got;

	rc = osd_thread_start() ?: tgt_trans_start(call->ofc_sr->sr_exp->exp_obd);
	if (rc)
		return rc;
	mutex_lock(&obj->fo_lock);
	rc = change_run(call, change, replay, &transno);
	got = ofd_object_attr(obj, &call->ofc_rep.attr);
	/* A change that failed may have been done in part. */
	if (!got && rc <= 0)
		ofd_lock_changed(call->ofc_ofd, obj, &call->ofc_rep.attr);
	mutex_unlock(&obj->fo_lock);
	return change_stop(call, change, transno, rc < 0 ? rc : got);
}

int ofd_call_change(struct ofd_call *call, const struct ofd_change *change)
{
	struct ofd_object *obj = ofd_call_object(call);
	u64 replay;

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	if (ofd_call_is_done(call, &replay))
		return ofd_object_attr(obj, &call->ofc_rep.attr);
	return change_trans(call, change, replay);
}

int ofd_times_set(struct ofd_call *call, struct ofd_object *obj)
{
	const struct md_attr *from = &call->ofc_op.attr;
	struct iattr attr = {};

	if (from->valid & (MDS_ATTR_ATIME | MDS_ATTR_ATIME_SET)) {
		attr.ia_valid |= ATTR_ATIME | ATTR_ATIME_SET;
		attr.ia_atime = (struct timespec64){ from->atime.sec, from->atime.nsec };
	}
	if (from->valid & (MDS_ATTR_MTIME | MDS_ATTR_MTIME_SET)) {
		attr.ia_valid |= ATTR_MTIME | ATTR_MTIME_SET;
		attr.ia_mtime = (struct timespec64){ from->mtime.sec, from->mtime.nsec };
	}
	if (!attr.ia_valid)
		return 0;
	attr.ia_valid |= ATTR_CTIME;
	return osd_setattr(&obj->fo_osd, &attr, NULL);
}
