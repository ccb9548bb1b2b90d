// SPDX-License-Identifier: GPL-2.0-only
/*
 * A request of a client, from its bytes to its reply, and its transaction.
 *
 * A request that changed something before the server restarted comes again: as a replay, with the
 * number that it had, or resent, if its client has no reply. Part or all of the change may have
 * survived. Nothing is stored about requests. Each operation recognizes by FIDs what it did, and
 * does the rest; see Documentation/mdt.md.
 *
 * A replay takes its number also if there is nothing left to do: the next commit then tells the
 * client that it is on disk.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/stat.h>
#include <linux/xattr.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/lustre_dlm.h>
#include <lustre_lite/obd_class.h>
#include <lustre_lite/obd_export.h>

#include "mdt_internal.h"

/* Bytes that a client keeps of a change until it is on disk, about: see LUT_COMMIT_BYTES. */
#define CHANGE_BYTES	4096

static int call_decode(struct mdt_call *call)
{
	const struct ptlrpc_svc_req *sr = call->mtc_sr;
	const char *fault = md_op_decode(&sr->sr_msg, &call->mtc_op);

	return fault ? ptlrpc_svc_malformed(sr, fault) : 0;
}

/* The task acts for the client's user from now on. */
static int call_become(struct mdt_call *call)
{
	const struct md_op_data *op = &call->mtc_op;
	const struct cred *cred;
	struct osd_ident id;
	u32 *groups = NULL, n;

	mdt_ident_squash(call);
	id = (struct osd_ident){
		.oid_uid = op->uid,
		.oid_gid = op->gid,
		.oid_caps = op->caps,
		.oid_nr_groups = op->nr_groups,
	};
	if (op->nr_groups) {
		groups = kvmalloc_array(op->nr_groups, sizeof(*groups), GFP_KERNEL);
		if (!groups)
			return -ENOMEM;
		for (n = 0; n < op->nr_groups; n++)
			groups[n] = le32_to_cpu(op->groups[n]);
		id.oid_groups = groups;
	}
	cred = osd_cred_get(call->mtc_mdt->mdt_osd, &id);
	kvfree(groups);
	if (IS_ERR(cred))
		return PTR_ERR(cred);
	call->mtc_cred = cred;
	call->mtc_old = override_creds(cred);
	return 0;
}

static int call_encode(struct mdt_call *call)
{
	u32 lens[MDS_REPLY_BUFS], n;
	void *bufs[MDS_REPLY_BUFS];
	int rc;

	md_reply_lens(&call->mtc_rep, lens);
	if (mdt_may_grant(call))
		lens[MDS_GRANT] = sizeof(struct lustre_lock);
	rc = ptlrpc_svc_rep_size(call->mtc_sr, lens, MDS_REPLY_BUFS);
	if (rc)
		return rc;
	for (n = 0; n < MDS_REPLY_BUFS; n++) {
		bufs[n] = ptlrpc_svc_rep_buf(call->mtc_sr, n);
		if (!bufs[n])
			return -ENOMEM;
	}
	md_reply_encode(bufs, &call->mtc_rep);
	if (lens[MDS_GRANT]) {
		memset(bufs[MDS_GRANT], 0, lens[MDS_GRANT]);
		mdt_grant(call);
	}
	return 0;
}

static void objects_put(struct mdt_call *call)
{
	u32 n;

	for (n = 0; n < MDS_OBJECTS_MAX; n++) {
		mdt_object_put(call->mtc_object[n]);
		call->mtc_object[n] = NULL;
	}
}

void mdt_call_restart(struct mdt_call *call)
{
	objects_put(call);
	lod_layout_free(&call->mtc_layout);
	memset(&call->mtc_rep, 0, sizeof(call->mtc_rep));
}

static void call_end(struct mdt_call *call)
{
	mdt_locks_end(call);
	if (call->mtc_cred) {
		revert_creds(call->mtc_old);
		put_cred(call->mtc_cred);
	}
	objects_put(call);
	kvfree(call->mtc_acl);
	kvfree(call->mtc_result);
	lod_layout_free(&call->mtc_layout);
	libcfs_free(call, sizeof(*call));
}

int mdt_call_run(struct ptlrpc_svc_req *sr, int (*fn)(struct mdt_call *call))
{
	struct mdt_call *call = libcfs_zalloc(sizeof(*call), GFP_KERNEL);
	u64 start = ktime_get_ns();
	int rc;

	if (!call)
		return -ENOMEM;
	call->mtc_sr = sr;
	call->mtc_mdt = mdt_device(sr->sr_exp->exp_obd);
	rc = call_decode(call) ?: ldlm_elc_cancel(sr, MDS_CANCELS) ?: mdt_ident_check(call) ?:
	     call_become(call) ?: fn(call) ?: call_encode(call);
	if (!rc)
		mdt_stats_count(call, ktime_get_ns() - start);
	call_end(call);
	return rc;
}

struct mdt_object *mdt_call_object(struct mdt_call *call, u32 n)
{
	struct mdt_object *obj;

	if (n >= call->mtc_op.objects)
		return ERR_PTR(-EPROTO);
	if (call->mtc_object[n])
		return call->mtc_object[n];
	obj = mdt_object_find(call->mtc_mdt, &call->mtc_op.object[n]);
	if (!IS_ERR(obj))
		call->mtc_object[n] = obj;
	return obj;
}

struct mdt_object *mdt_call_seek(struct mdt_call *call)
{
	struct mdt_object *obj = mdt_scrub_find(call->mtc_mdt, &call->mtc_op.object[0]);

	if (!IS_ERR(obj))
		call->mtc_object[0] = obj;
	return obj;
}

bool mdt_call_is_replay(const struct mdt_call *call)
{
	return call->mtc_sr->sr_msg.flags & MSG_REPLAY;
}

/* A server that started without clients has no life of before. */
bool mdt_call_is_again(const struct mdt_call *call)
{
	if (mdt_call_is_replay(call))
		return true;
	return call->mtc_sr->sr_msg.flags & MSG_RESENT &&
	       READ_ONCE(call->mtc_mdt->mdt_dir.td_obd->obd_recovery);
}

void mdt_trans_note(struct mdt_trans *mt)
{
	/* Sticky opens are replayed long after they were committed. */
	if (mt->mtr_transno ||
	    (mt->mtr_replay && mt->mtr_replay <= tgt_last_committed(mt->mtr_obd)))
		return;
	mt->mtr_transno = tgt_trans_number(mt->mtr_obd, mt->mtr_replay);
}

static void trans_stamp(struct osd_stamp *stamp)
{
	mdt_trans_note(container_of(stamp, struct mdt_trans, mtr_stamp));
}

static int trans_start(struct mdt_trans *mt, struct obd_device *obd, u64 replay)
{
	*mt = (struct mdt_trans){
		.mtr_stamp.osp_fn = trans_stamp,
		.mtr_obd = obd,
		.mtr_replay = replay,
	};
	return tgt_trans_start(obd);
}

int mdt_trans_start(struct mdt_call *call, struct mdt_trans *mt)
{
	return trans_start(mt, call->mtc_mdt->mdt_dir.td_obd,
			   mdt_call_is_replay(call) ? call->mtc_sr->sr_msg.transno : 0);
}

int mdt_trans_stop(struct mdt_call *call, struct mdt_trans *mt, int rc)
{
	int stop = tgt_trans_stop(mt->mtr_obd, mt->mtr_transno, CHANGE_BYTES, false);

	tgt_change_refused(mt->mtr_obd, rc);
	if (!rc)
		call->mtc_sr->sr_transno = mt->mtr_transno ?: mt->mtr_replay;
	return rc ?: stop;
}

int mdt_own_trans_start(struct mdt_device *mdt, struct mdt_trans *mt)
{
	return trans_start(mt, mdt->mdt_dir.td_obd, 0);
}

/* No client waits for it to be on disk. */
void mdt_own_trans_stop(struct mdt_trans *mt)
{
	tgt_trans_stop(mt->mtr_obd, mt->mtr_transno, 0, true);
}

/* Return: 0, and mtc_acl has an ACL of @len bytes, or 0: none; a negative errno */
static int acl_get(struct mdt_call *call, const struct osd_object *obj, ssize_t *len)
{
	static const char name[] = XATTR_NAME_POSIX_ACL_ACCESS;

	do {
		*len = osd_getxattr(obj, name, NULL, 0);
		if (*len <= 0)
			break;
		if (*len > MDS_XATTR_MAX)
			return -E2BIG;
		kvfree(call->mtc_acl);
		call->mtc_acl = kvmalloc(*len, GFP_KERNEL);
		if (!call->mtc_acl)
			return -ENOMEM;
		*len = osd_getxattr(obj, name, call->mtc_acl, *len);
		/* It has grown meanwhile. */
	} while (*len == -ERANGE);
	/* A file system without ACLs, and an object without one, are the same to clients. */
	if (*len == -ENODATA || *len == -EOPNOTSUPP)
		*len = 0;
	return min_t(ssize_t, *len, 0);
}

static int acl_read(struct mdt_call *call, const struct osd_object *obj)
{
	ssize_t len;
	int rc = acl_get(call, obj, &len);

	if (rc)
		return rc;
	call->mtc_rep.acl = len ? call->mtc_acl : NULL;
	call->mtc_rep.acl_len = len;
	return 0;
}

/* A target that is longer than the client asked for is omitted. */
static int link_read(struct mdt_call *call, const struct osd_object *obj)
{
	ssize_t len;

	if (!call->mtc_op.size)
		return 0;
	kvfree(call->mtc_result);
	call->mtc_result = kvmalloc(PATH_MAX, GFP_KERNEL);
	if (!call->mtc_result)
		return -ENOMEM;
	len = osd_readlink(obj, call->mtc_result, PATH_MAX);
	if (len < 0)
		return len;
	call->mtc_rep.length = len;
	if (len <= call->mtc_op.size) {
		call->mtc_rep.result = call->mtc_result;
		call->mtc_rep.result_len = len;
	}
	return 0;
}

static int layout_read(struct mdt_call *call, const struct osd_object *obj)
{
	int rc = lod_layout_read(obj, &call->mtc_layout);

	call->mtc_rep.layout = call->mtc_layout.ll_bytes;
	call->mtc_rep.layout_len = call->mtc_layout.ll_len;
	return rc;
}

int mdt_call_reply(struct mdt_call *call, const struct osd_object *obj)
{
	struct md_reply *rep = &call->mtc_rep;
	int rc = mdt_object_name(obj, &rep->object) ?: mdt_object_attr(obj, &rep->attr);

	if (rc)
		return rc;
	if (S_ISLNK(rep->attr.mode))
		return link_read(call, obj);
	if (S_ISREG(rep->attr.mode))
		rc = layout_read(call, obj);
	if (rep->layout_len)
		mdt_som_reply(call->mtc_mdt, obj, &rep->attr);
	return rc ?: acl_read(call, obj);
}

int mdt_call_parent(struct mdt_call *call, const struct osd_object *dir)
{
	int rc = mdt_object_attr(dir, &call->mtc_rep.parent);

	call->mtc_rep.has_parent = !rc;
	return rc;
}
