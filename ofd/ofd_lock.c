// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locks of clients: the value (LVB) of the resource of an object, the progress of clients whose
 * locks are revoked, and locks of objects that are gone.
 *
 * The value is what the backend says of the object: set under fo_lock after each change, so it is
 * that of the last change even if the clock was set back. Values of clients are merged into the
 * answer of a glimpse only, and never stored.
 */
#define DEBUG_SUBSYSTEM S_FILTER

#include <linux/err.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/lustre_dlm.h>

#include "ofd_internal.h"

static struct ldlm_res_id res_of(const struct lu_fid *fid)
{
	return (struct ldlm_res_id){ .name = { fid_idif_object(fid) } };
}

/* Return: 0; -EINVAL if it is not the name of an object */
static int fid_of(const struct ofd_device *ofd, const struct ldlm_res_id *res, struct lu_fid *fid)
{
	u64 id = res->name[0];

	if (!id || res->name[1] || res->name[2] || res->name[3])
		return -EINVAL;
	return fid_idif_make(id, ofd->ofd_dir.td_index, fid);
}

/*
 * Without fo_lock, which may be held while the backend writes: a value that was read during a
 * change is read again, as the change is reported under fo_lock.
 */
static int lvb_init(struct obd_device *obd, const struct ldlm_res_id *res, void *lvb)
{
	struct ofd_device *ofd = ofd_device(obd);
	struct ofd_object *obj;
	struct md_attr attr;
	struct lu_fid fid;
	int rc = fid_of(ofd, res, &fid);

	if (rc)
		return rc;
	obj = ofd_object_find_there(ofd, &fid);
	/*
	 * The owner of a lock that is replayed is told by a revocation. Its value is zeros, as @lvb
	 * is.
	 */
	if (obj == ERR_PTR(-ESTALE) && target_in_recovery(obd))
		return 0;
	if (IS_ERR(obj))
		return PTR_ERR(obj);
	rc = ofd_object_attr(obj, &attr);
	ofd_object_put(obj);
	if (!rc)
		ost_lvb_encode(lvb, &attr);
	return rc;
}

/*
 * A holder has written under its lock: with the same ctime, it knows more. It may not know the
 * blocks of the object.
 */
static void lvb_merge(void *lvb, const void *newer)
{
	struct md_attr attr, other;

	if (!ost_lvb_decode(newer, &other) || !ost_lvb_decode(lvb, &attr))
		return;
	attr.size = max(attr.size, other.size);
	attr.blocks = max(attr.blocks, other.blocks);
	if (!ost_time_is_newer(&attr.ctime, &other.ctime)) {
		attr.mtime = other.mtime;
		attr.ctime = other.ctime;
	}
	ost_lvb_encode(lvb, &attr);
}

/* Bytes that a client has written below the end change mtime. */
static bool lvb_asks(const void *lvb, const struct ldlm_extent *held)
{
	return true;
}

static const struct ldlm_lvb_ops ofd_lvb_ops = {
	.lvbo_size	= sizeof(struct ost_lvb),
	.lvbo_own		= true,
	.lvbo_reads	= true,
	.lvbo_init	= lvb_init,
	.lvbo_merge	= lvb_merge,
	.lvbo_asks	= lvb_asks,
};

void ofd_lock_init(struct ofd_device *ofd)
{
	ldlm_server_lvb_ops(ofd->ofd_dir.td_obd, &ofd_lvb_ops);
}

void ofd_lock_changed(struct ofd_device *ofd, const struct ofd_object *obj,
		      const struct md_attr *attr)
{
	const struct ldlm_res_id res = res_of(&obj->fo_lu.lo_fid);
	struct ost_lvb lvb = {};

	lockdep_assert_held(&obj->fo_lock);
	/* The file of a destroyed object has a size until its last user is gone. */
	if (!obj->fo_gone)
		ost_lvb_encode(&lvb, attr);
	ldlm_server_lvb_set(ofd->ofd_dir.td_obd, &res, &lvb);
}

int ofd_lock_value(const struct ofd_call *call, struct md_attr *attr)
{
	const struct ldlm_res_id res = res_of(&call->ofc_op.object);
	const struct md_time atime = attr->atime;
	struct ost_lvb lvb;
	int rc = ldlm_server_value(call->ofc_sr->sr_exp->exp_obd, &res, &lvb);

	if (rc)
		return rc;
	if (!ost_lvb_decode(&lvb, attr))
		return -EIO;
	attr->atime = atime;
	return 0;
}

bool ofd_lock_grant(struct ofd_call *call)
{
	static const u32 lens[OST_REPLY_BUFS] = {
		sizeof(struct ost_body), sizeof(struct lustre_lock),
	};
	const struct ldlm_res_id res = res_of(&call->ofc_op.object);
	struct ptlrpc_svc_req *sr = call->ofc_sr;

	return !ptlrpc_svc_rep_size(sr, lens, ARRAY_SIZE(lens)) &&
	       ldlm_reply_grant(sr, OST_LOCK, OST_GRANTED, &res, NULL);
}

void ofd_lock_progress(const struct ofd_call *call)
{
	const struct ost_op *op = &call->ofc_op;
	const struct ldlm_res_id res = res_of(&op->object);
	struct obd_export *exp = call->ofc_sr->sr_exp;
	struct ldlm_extent part = { op->offset };
	u64 len;

	part.last = ost_op_range(op, ost_op_ranges(op) - 1, &len);
	part.last += len - 1;

	ldlm_server_progress(exp->exp_obd, exp, &res, &part);
}

void ofd_lock_revoke(struct ofd_device *ofd, const struct lu_fid *fid)
{
	struct obd_device *obd = ofd->ofd_dir.td_obd;
	const struct ldlm_res_id res = res_of(fid);

	if (fid_idif_ost(fid) != ofd->ofd_dir.td_index)
		return;
	ldlm_server_revoke(obd, &res, LCK_PW, UINT_MAX);
	ldlm_server_revoke(obd, &res, LCK_PR, UINT_MAX);
}
