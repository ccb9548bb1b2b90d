// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read and write. Replies send the pages of the backend's cache themselves; bytes that clients
 * write go to them in one copy.
 *
 * A write with OBD_BRW_ASYNC is answered when the backend has it in memory. Its client keeps the
 * pages until a commit, and sends them again after a restart.
 */
#define DEBUG_SUBSYSTEM S_FILTER

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uio.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "ofd_internal.h"

/* --- read ----------------------------------------------------------------------------- */

/* The request owns the pages from now on, also after a failure. */
static int read_pages(struct ofd_call *call, u32 len)
{
	const loff_t pos = call->ofc_op.offset;
	struct ptlrpc_svc_req *sr = call->ofc_sr;
	ssize_t done;
	u64 begun;

	sr->sr_rep_bulk = kvmalloc_array(OSD_READ_PARTS(pos, len), sizeof(*sr->sr_rep_bulk),
					 GFP_KERNEL);
	if (!sr->sr_rep_bulk)
		return -ENOMEM;
	sr->sr_rep_bulk_owned = true;
	begun = ofd_brw_io_begin(call->ofc_ofd, false);
	done = osd_read(&call->ofc_object->fo_osd, pos, len, sr->sr_rep_bulk, &sr->sr_rep_bulk_nr);
	ofd_brw_io_end(call->ofc_ofd, false, begun, max_t(ssize_t, done, 0));
	if (done < 0)
		return done;
	ofd_brw_request(call->ofc_ofd, false, done, 1);
	/* The object may have been truncated meanwhile. */
	sr->sr_rep_bulk_len = done;
	call->ofc_rep.count = done;
	return 0;
}

/* An object that was not written yet is empty. Under the lock that is asked for, or not at all. */
static int read(struct ofd_call *call)
{
	const struct ost_op *op = &call->ofc_op;
	struct ofd_object *obj;
	int rc;

	if (op->lock && !ofd_lock_grant(call))
		return 0;
	obj = ofd_call_object_there(call);
	ofd_lock_progress(call);
	if (IS_ERR(obj))
		return PTR_ERR(obj);
	rc = ofd_object_attr(obj, &call->ofc_rep.attr);
	if (!rc && op->offset < call->ofc_rep.attr.size)
		rc = read_pages(call, min(op->len, call->ofc_rep.attr.size - op->offset));
	if (!rc)
		ofd_stats_bytes(call, OFD_STAT_READ_BYTES, call->ofc_rep.count);
	return rc;
}

int ofd_read(struct ptlrpc_svc_req *sr)
{
	return ofd_call_run(sr, OFD_STAT_READ, read);
}

u32 ofd_read_bytes(const struct wire_msg *msg)
{
	const struct ost_rec *rec = wire_buf(msg, OST_REC, sizeof(*rec));

	return rec ? min_t(u64, le64_to_cpu(rec->or_len), WIRE_BULK_MAX) : 0;
}

/* --- write ---------------------------------------------------------------------------- */

/* The bytes of all ranges, one after the other. */
static int write_ranges(const struct ofd_call *call, struct osd_object *osd)
{
	const struct ptlrpc_svc_req *sr = call->ofc_sr;
	const struct ost_op *op = &call->ofc_op;
	u64 pos, len, begun, left = sr->sr_bulk_len;
	struct iov_iter iter;
	int rc = 0;
	u32 n;

	iov_iter_bvec(&iter, ITER_SOURCE, sr->sr_bulk, sr->sr_bulk_nr, left);
	for (n = 0; !rc && n < ost_op_ranges(op); n++) {
		pos = ost_op_range(op, n, &len);
		iov_iter_truncate(&iter, len);
		begun = ofd_brw_io_begin(call->ofc_ofd, true);
		rc = osd_write(osd, &iter, pos);
		ofd_brw_io_end(call->ofc_ofd, true, begun, len);
		left -= len;
		iov_iter_reexpand(&iter, left);
	}
	return rc;
}

/* The backend does not hold up a client of this node, whose pages may be the dirty ones. */
static int write_bulk(const struct ofd_call *call, struct osd_object *osd)
{
	bool local = test_bit(CNF_LOCAL, &call->ofc_sr->sr_conn->cn_flags) &&
		     !(current->flags & PF_LOCAL_THROTTLE);
	int rc;

	if (local)
		current->flags |= PF_LOCAL_THROTTLE;
	rc = write_ranges(call, osd);
	if (local)
		current->flags &= ~PF_LOCAL_THROTTLE;
	return rc;
}

static int write_object(struct ofd_call *call, struct ofd_object *obj)
{
	int rc = ofd_object_make(call->ofc_ofd, obj, &call->ofc_op.parent) ?:
		 write_bulk(call, &obj->fo_osd);

	return rc ?: ofd_times_set(call, obj);
}

static int write(struct ofd_call *call)
{
	const bool async = call->ofc_op.flags & OBD_BRW_ASYNC;
	const u64 len = call->ofc_sr->sr_bulk_len;
	const struct ofd_change change = {
		.och_fn = write_object,
		.och_bytes = len,
		.och_async = async,
		.och_sync = !async,
	};
	int rc;

	if (call->ofc_op.len != len)
		return -EPROTO;
	ofd_lock_progress(call);
	rc = ofd_grant_begin(call) ?: ofd_call_change(call, &change);
	ofd_grant_end(call);
	/* Again: it may have waited for the disk. */
	ofd_lock_progress(call);
	if (rc)
		return rc;
	ofd_brw_request(call->ofc_ofd, true, len, ost_op_ranges(&call->ofc_op));
	call->ofc_rep.count = len;
	ofd_stats_bytes(call, OFD_STAT_WRITE_BYTES, len);
	return 0;
}

int ofd_write(struct ptlrpc_svc_req *sr)
{
	return ofd_call_run(sr, OFD_STAT_WRITE, write);
}
