// SPDX-License-Identifier: GPL-2.0-only
/* Operations that change nothing, and the table of all. */
#define DEBUG_SUBSYSTEM S_MDS

#include <linux/err.h>

#include <lustre_lite/compat.h>

#include "mdt_internal.h"

/* Buffers of a request but MDS_REC and MDS_OBJECTS may be empty. */
#define MDT_REQ_LENS	{ sizeof(struct mdt_rec), sizeof(struct lustre_object) }

static int getattr(struct mdt_call *call)
{
	struct mdt_object *obj = mdt_call_seek(call);
	int rc;

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	rc = call->mtc_op.flags & MDS_GETATTR_USED ? mdt_lease_break(obj) : 0;
	if (rc)
		return rc;
	mdt_guard(call, &obj->mo_lu.lo_fid);
	return mdt_reply_object(call, obj);
}

static int mdt_getattr(struct ptlrpc_svc_req *sr)
{
	return mdt_call_run(sr, getattr);
}

static int getattr_name(struct mdt_call *call)
{
	const struct qstr name = QSTR_INIT(call->mtc_op.name, call->mtc_op.name_len);
	struct mdt_object *dir = mdt_call_object(call, 0);
	struct osd_object found;
	int rc;

	if (IS_ERR(dir))
		return PTR_ERR(dir);
	rc = osd_lookup(&dir->mo_osd, &name, &found);
	if (rc)
		return rc;
	mdt_guard_name(call, dir, &name, &found.oo_fid);
	rc = mdt_call_reply(call, &found);
	osd_object_fini(&found);
	return rc;
}

static int mdt_getattr_name(struct ptlrpc_svc_req *sr)
{
	return mdt_call_run(sr, getattr_name);
}

/* The reply says what is on disk. */
static int sync_all(struct mdt_call *call)
{
	return tgt_sync(call->mtc_mdt->mdt_dir.td_obd);
}

static int mdt_sync(struct ptlrpc_svc_req *sr)
{
	return mdt_call_run(sr, sync_all);
}

static const struct ptlrpc_handler mdt_handlers[] = {
	{
		.shd_opc = MDS_GETATTR,
		.shd_portal = MDS_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT,
		.shd_req_lens = MDT_REQ_LENS,
		.shd_fn = mdt_getattr,
	},
	{
		.shd_opc = MDS_GETATTR_NAME,
		.shd_portal = MDS_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT,
		.shd_req_lens = MDT_REQ_LENS,
		.shd_fn = mdt_getattr_name,
	},
	{
		.shd_opc = MDS_REINT,
		.shd_portal = MDS_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT | SVH_ONCE,
		.shd_req_lens = MDT_REQ_LENS,
		.shd_fn = mdt_reint,
	},
	{
		.shd_opc = MDS_CLOSE,
		.shd_portal = MDS_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT | SVH_ONCE,
		.shd_req_lens = MDT_REQ_LENS,
		.shd_fn = mdt_close,
	},
	{
		.shd_opc = MDS_DONE_WRITING,
		.shd_portal = MDS_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT | SVH_ONCE,
		.shd_req_lens = MDT_REQ_LENS,
		.shd_fn = mdt_done,
	},
	{
		.shd_opc = MDS_READPAGE,
		.shd_portal = MDS_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT,
		.shd_req_lens = MDT_REQ_LENS,
		.shd_rep_bulk = mdt_readpage_bytes,
		.shd_fn = mdt_readpage,
	},
	{
		.shd_opc = MDS_GETXATTR,
		.shd_portal = MDS_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT,
		.shd_req_lens = MDT_REQ_LENS,
		.shd_fn = mdt_getxattr,
	},
	{
		.shd_opc = MDS_SYNC,
		.shd_portal = MDS_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT,
		.shd_req_lens = MDT_REQ_LENS,
		.shd_fn = mdt_sync,
	},
	{
		.shd_opc = MDS_SWAP_LAYOUTS,
		.shd_portal = MDS_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT,
		.shd_req_lens = MDT_REQ_LENS,
		.shd_fn = mdt_swap_layouts,
	},
	{
		.shd_opc = MDS_FID2PATH,
		.shd_portal = MDS_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT,
		.shd_req_lens = MDT_REQ_LENS,
		.shd_fn = mdt_fid2path,
	},
	{
		.shd_opc = SEQ_QUERY,
		.shd_portal = MDS_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT,
		.shd_rep_lens = { sizeof(struct lustre_seq_range) },
		.shd_fn = mdt_seq_query,
	},
};

static void mdt_recovered(struct obd_device *obd)
{
	mdt_som_recovered(mdt_device(obd), target_recovery_lost(obd));
	mdd_orphans_recovered(obd);
}

const struct ptlrpc_target_ops mdt_target_ops = {
	.to_handlers		= mdt_handlers,
	.to_handler_count	= ARRAY_SIZE(mdt_handlers),
	.to_recovered		= mdt_recovered,
};
