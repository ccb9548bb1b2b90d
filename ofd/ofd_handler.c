// SPDX-License-Identifier: GPL-2.0-only
/* Operations other than read and write, and the table of all. */
#define DEBUG_SUBSYSTEM S_FILTER

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernel.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "ofd_internal.h"

/* Buffers OST_OBJECTS, OST_NIOBUFS and OST_LOCK of a request may be empty. */
#define OFD_REQ_LENS	{ sizeof(struct ost_rec) }
#define OFD_REP_LENS	{ sizeof(struct ost_body) }

static int getattr(struct ofd_call *call)
{
	struct ofd_object *obj = ofd_call_object_there(call);

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	return ofd_object_attr(obj, &call->ofc_rep.attr) ?: ofd_lock_value(call,
									   &call->ofc_rep.attr);
}

static int ofd_getattr(struct ptlrpc_svc_req *sr)
{
	return ofd_call_run(sr, OFD_STAT_GETATTR, getattr);
}

/* An object without a file has no times: those of the file on the metadata target count. */
static int setattr_object(struct ofd_call *call, struct ofd_object *obj)
{
	return obj->fo_exists && !obj->fo_gone ? ofd_times_set(call, obj) : 1;
}

static int setattr(struct ofd_call *call)
{
	const struct ofd_change change = { .och_fn = setattr_object };
	int rc = ofd_call_change(call, &change);

	return rc == -ESTALE ? 0 : rc;
}

static int ofd_setattr(struct ptlrpc_svc_req *sr)
{
	return ofd_call_run(sr, OFD_STAT_SETATTR, setattr);
}

/*
 * An object without a file is empty already. The time is set after the size, as file systems set it
 * to the present with the size.
 */
static int punch_object(struct ofd_call *call, struct ofd_object *obj)
{
	struct iattr size = {
		.ia_valid = ATTR_SIZE | ATTR_MTIME | ATTR_CTIME,
		.ia_size = call->ofc_op.offset,
	};
	int rc;

	if (!obj->fo_exists && !call->ofc_op.offset)
		return 1;
	rc = ofd_object_make(call->ofc_ofd, obj, &call->ofc_op.parent) ?:
	     osd_setattr(&obj->fo_osd, &size, NULL);
	return rc ?: ofd_times_set(call, obj);
}

static int punch(struct ofd_call *call)
{
	const struct ofd_change change = { .och_fn = punch_object };

	return ofd_call_change(call, &change);
}

static int ofd_punch(struct ptlrpc_svc_req *sr)
{
	return ofd_call_run(sr, OFD_STAT_PUNCH, punch);
}

/* The reply says what is on disk. */
static int sync_object(struct ofd_call *call)
{
	struct ofd_object *obj = ofd_call_object(call);
	struct obd_device *obd = call->ofc_sr->sr_exp->exp_obd;
	u64 transno;
	int rc;

	if (IS_ERR(obj))
		return obj == ERR_PTR(-ESTALE) ? 0 : PTR_ERR(obj);
	transno = READ_ONCE(obj->fo_transno);
	rc = transno ? tgt_commit(obd, transno) : tgt_sync(obd);
	return rc ?: ofd_object_attr(obj, &call->ofc_rep.attr);
}

static int sync(struct ofd_call *call)
{
	if (fid_is_zero(&call->ofc_op.object))
		return tgt_sync(call->ofc_sr->sr_exp->exp_obd);
	return sync_object(call);
}

static int ofd_sync(struct ptlrpc_svc_req *sr)
{
	return ofd_call_run(sr, OFD_STAT_SYNC, sync);
}

static int create(struct ofd_call *call)
{
	call->ofc_rep.count = call->ofc_op.len;
	return ofd_ids_take(call->ofc_ofd, call->ofc_op.len, call->ofc_op.offset,
			    &call->ofc_rep.first);
}

static int ofd_create(struct ptlrpc_svc_req *sr)
{
	return ofd_call_run(sr, OFD_STAT_CREATE, create);
}

/* One that was destroyed before is done. */
static int destroy_object(struct ofd_device *ofd, const struct lu_fid *fid)
{
	const struct md_attr none = {};
	struct ofd_object *obj = ofd_object_find(ofd, fid);
	int rc;

	if (IS_ERR(obj))
		return obj == ERR_PTR(-ESTALE) ? 0 : PTR_ERR(obj);
	mutex_lock(&obj->fo_lock);
	rc = ofd_object_destroy(ofd, obj);
	if (!rc)
		ofd_lock_changed(ofd, obj, &none);
	mutex_unlock(&obj->fo_lock);
	ofd_object_put(obj);
	return rc;
}

/* All are tried. Return: the first error */
static int destroy_objects(struct ofd_call *call)
{
	const struct ost_op *op = &call->ofc_op;
	struct lu_fid fid;
	int rc = 0, one;
	u32 n;

	for (n = 0; n < op->nr_objects; n++) {
		fid = fid_le_get(&op->objects[n]);
		one = destroy_object(call->ofc_ofd, &fid);
		rc = rc ?: one;
	}
	return rc;
}

static void destroyed_revoke(struct ofd_call *call)
{
	const struct ost_op *op = &call->ofc_op;
	struct lu_fid fid;
	u32 n;

	for (n = 0; n < op->nr_objects; n++) {
		fid = fid_le_get(&op->objects[n]);
		ofd_lock_revoke(call->ofc_ofd, &fid);
	}
}

/*
 * The number of the transaction is taken after all objects were destroyed: their last writes have
 * lower ones, and there are none after it. A replay revokes no lock: clients are connecting, and
 * replay their locks before or after it.
 */
static int destroy(struct ofd_call *call)
{
	struct ptlrpc_svc_req *sr = call->ofc_sr;
	struct obd_device *obd = sr->sr_exp->exp_obd;
	u64 replay, transno;
	int rc, stop;

	if (ofd_call_is_done(call, &replay))
		return 0;
	rc = tgt_trans_start(obd);
	if (rc)
		return rc;
	rc = destroy_objects(call);
	transno = tgt_trans_number(obd, replay);
	stop = tgt_trans_stop(obd, transno, 0, false);
	tgt_change_refused(obd, rc);
	if (!replay)
		destroyed_revoke(call);
	if (!rc)
		sr->sr_transno = transno;
	return rc ?: stop;
}

static int ofd_destroy(struct ptlrpc_svc_req *sr)
{
	return ofd_call_run(sr, OFD_STAT_DESTROY, destroy);
}

static const struct ptlrpc_handler ofd_handlers[] = {
	{
		.shd_opc = OST_READ,
		.shd_portal = OST_IO_PORTAL,
		.shd_flags = SVH_EXPORT,
		.shd_req_lens = OFD_REQ_LENS,
		.shd_rep_lens = OFD_REP_LENS,
		.shd_rep_bulk = ofd_read_bytes,
		.shd_fn = ofd_read,
	},
	{
		.shd_opc = OST_WRITE,
		.shd_portal = OST_IO_PORTAL,
		.shd_flags = SVH_EXPORT | SVH_ONCE | SVH_BULK_IN,
		.shd_req_lens = OFD_REQ_LENS,
		.shd_rep_lens = OFD_REP_LENS,
		.shd_fn = ofd_write,
	},
	{
		.shd_opc = OST_PUNCH,
		.shd_portal = OST_IO_PORTAL,
		.shd_flags = SVH_EXPORT | SVH_ONCE,
		.shd_req_lens = OFD_REQ_LENS,
		.shd_rep_lens = OFD_REP_LENS,
		.shd_fn = ofd_punch,
	},
	{
		.shd_opc = OST_FALLOCATE,
		.shd_portal = OST_IO_PORTAL,
		.shd_flags = SVH_EXPORT | SVH_ONCE,
		.shd_req_lens = OFD_REQ_LENS,
		.shd_rep_lens = OFD_REP_LENS,
		.shd_fn = ofd_fallocate,
	},
	{
		.shd_opc = OST_SEEK,
		.shd_portal = OST_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT,
		.shd_req_lens = OFD_REQ_LENS,
		.shd_rep_lens = OFD_REP_LENS,
		.shd_fn = ofd_seek,
	},
	{
		.shd_opc = OST_GRANT,
		.shd_portal = OST_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT,
		.shd_req_lens = OFD_REQ_LENS,
		.shd_rep_lens = OFD_REP_LENS,
		.shd_fn = ofd_grant,
	},
	{
		.shd_opc = OST_GETATTR,
		.shd_portal = OST_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT,
		.shd_req_lens = OFD_REQ_LENS,
		.shd_rep_lens = OFD_REP_LENS,
		.shd_fn = ofd_getattr,
	},
	{
		.shd_opc = OST_SETATTR,
		.shd_portal = OST_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT | SVH_ONCE,
		.shd_req_lens = OFD_REQ_LENS,
		.shd_rep_lens = OFD_REP_LENS,
		.shd_fn = ofd_setattr,
	},
	{
		.shd_opc = OST_SYNC,
		.shd_portal = OST_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT,
		.shd_req_lens = OFD_REQ_LENS,
		.shd_rep_lens = OFD_REP_LENS,
		.shd_fn = ofd_sync,
	},
	{
		.shd_opc = OST_CREATE,
		.shd_portal = OST_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT | SVH_ONCE,
		.shd_req_lens = OFD_REQ_LENS,
		.shd_rep_lens = OFD_REP_LENS,
		.shd_fn = ofd_create,
	},
	{
		.shd_opc = OST_DESTROY,
		.shd_portal = OST_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT | SVH_ONCE,
		.shd_req_lens = OFD_REQ_LENS,
		.shd_rep_lens = OFD_REP_LENS,
		.shd_fn = ofd_destroy,
	},
};

const struct ptlrpc_target_ops ofd_target_ops = {
	.to_handlers		= ofd_handlers,
	.to_handler_count	= ARRAY_SIZE(ofd_handlers),
};
