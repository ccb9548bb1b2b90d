// SPDX-License-Identifier: GPL-2.0-only
/*
 * MDS_REINT: operations that change the tree; here those that change names.
 *
 * Each is a transaction. Requests name objects by FID, so a name that stands for another object by
 * now is -ESTALE: the client looks it up again. mo_lock of the object keeps its number of names,
 * its list of names, and its opens together.
 *
 * Executed again (mdt_call_is_again()), an operation finds what the first time left:
 *
 *	create	the object, under this or another name		done
 *		another object has the name			a later change has survived: done
 *	link	the name is the object's			done, with its list of names
 *	unlink	the name is gone, or another object's		done
 *	rename	the old name is not the object's		done
 *		both names are the object's			the old one goes
 */
#define DEBUG_SUBSYSTEM S_MDS

#include <linux/err.h>
#include <linux/kdev_t.h>
#include <linux/stat.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/lustre_ea.h>

#include "mdd_link.h"

static struct qstr op_name(const struct md_op_data *op)
{
	return (struct qstr)QSTR_INIT(op->name, op->name_len);
}

/* The object of the request has gone meanwhile: the reply names it, without attributes. */
static void reply_gone(struct mdt_call *call, u32 n)
{
	call->mtc_rep.object = call->mtc_op.object[n];
	call->mtc_rep.flags |= MDS_BODY_GONE;
}

int mdt_reply_object(struct mdt_call *call, const struct mdt_object *obj)
{
	int rc = mdt_call_reply(call, &obj->mo_osd);

	if (READ_ONCE(obj->mo_lu.lo_state) != LU_OBJECT_LIVE)
		call->mtc_rep.flags |= MDS_BODY_GONE;
	/* The backend counts the name in PENDING. */
	if (call->mtc_rep.flags & MDS_BODY_GONE || READ_ONCE(obj->mo_pending))
		call->mtc_rep.attr.nlink = 0;
	return rc;
}

/* Whether a name is that of an object. */
static bool name_is(struct mdt_object *dir, const struct qstr *name, const struct mdt_object *obj)
{
	struct osd_object found;
	bool is;

	if (osd_lookup(&dir->mo_osd, name, &found))
		return false;
	is = lu_fid_eq(&found.oo_fid, &obj->mo_lu.lo_fid);
	osd_object_fini(&found);
	return is;
}

/* Create. */

int mdt_create_name(struct mdt_call *call, struct mdt_object *dir, umode_t mode,
		    struct mdt_trans *mt, struct osd_object *child)
{
	const struct md_op_data *op = &call->mtc_op;
	const struct qstr name = op_name(op);
	struct osd_create oc = {
		.ocr_fid = op->object[1].fid,
		.ocr_mode = mode,
		.ocr_umask = op->umask,
		.ocr_rdev = new_decode_dev(op->attr.rdev),
		.ocr_link = op->value,
		.ocr_flags = mdt_call_is_again(call) ? OSD_CREATE_REPLAY : 0,
	};
	struct osd_xattr xattrs[2];
	struct mdd_links links;
	int rc;

	child->oo_dentry = NULL;
	if (!fid_is_norm(&oc.ocr_fid))
		return -EINVAL;
	rc = osd_thread_start() ?: mdt_object_takes_names(call->mtc_mdt, dir) ?:
	     mdd_links_new(&links);
	if (rc)
		return rc;
	mdd_links_add(&links, &dir->mo_osd, &name);
	xattrs[oc.ocr_xattrs.oxs_nr++] = mdd_links_xattrs(&links)->oxs_list[0];
	rc = lod_layout_new(call, dir, &oc.ocr_fid, mode, &call->mtc_layout);
	if (call->mtc_layout.ll_len)
		xattrs[oc.ocr_xattrs.oxs_nr++] = lod_layout_xattr(&call->mtc_layout);
	oc.ocr_xattrs.oxs_list = xattrs;
	/* Before another client finds the object. */
	mdt_guard(call, &oc.ocr_fid);
	rc = rc ?: osd_create(&dir->mo_osd, &name, &oc, &mt->mtr_stamp, child);
	if (!rc)
		mdt_scrub_note(call->mtc_mdt, child);
	mdd_links_free(&links);
	return rc;
}

int mdt_created_again(struct mdt_call *call, struct osd_object *found)
{
	struct mdt_object *obj;

	if (!mdt_call_is_replay(call))
		return 0;
	obj = mdt_object_take(call->mtc_mdt, found);
	if (IS_ERR(obj))
		return PTR_ERR(obj);
	mdd_pin(call->mtc_mdt, obj);
	call->mtc_object[1] = obj;
	return 0;
}

/* A FID is used once: this one is a client's mistake. */
static bool fid_is_used(struct mdt_call *call)
{
	struct lu_object *obj = lu_object_lookup(call->mtc_mdt->mdt_site,
						 &call->mtc_op.object[1].fid,
						 LU_HOLDER_CALL);

	if (!IS_ERR_OR_NULL(obj))
		lu_object_put(obj, LU_HOLDER_CALL);
	return obj;
}

static int create_reply(struct mdt_call *call, struct osd_object *child)
{
	int rc = mdt_call_reply(call, child) ?: mdt_created_again(call, child);

	osd_object_fini(child);
	return rc;
}

/* The name is that of an object. */
static int create_exists(struct mdt_call *call, struct mdt_trans *mt, struct osd_object *child)
{
	if (lu_fid_eq(&child->oo_fid, &call->mtc_op.object[1].fid)) {
		mdt_trans_note(mt);
		return create_reply(call, child);
	}
	osd_object_fini(child);
	if (!mdt_call_is_replay(call))
		return -EEXIST;
	mdt_trans_note(mt);
	reply_gone(call, 1);
	return 0;
}

/* Return: 1 if it is there; 0; a negative errno */
static int create_was_done(struct mdt_call *call, struct mdt_trans *mt)
{
	struct mdt_object *obj;

	if (!mdt_call_is_again(call))
		return fid_is_used(call) ? -EEXIST : 0;
	obj = mdt_call_object(call, 1);
	if (IS_ERR(obj))
		return PTR_ERR(obj) == -ESTALE ? 0 : PTR_ERR(obj);
	mdt_trans_note(mt);
	return mdt_reply_object(call, obj) ?: 1;
}

static int reint_create(struct mdt_call *call, struct mdt_trans *mt)
{
	struct mdt_object *dir = mdt_call_object(call, 0);
	struct osd_object child = {};
	int rc;

	if (IS_ERR(dir))
		return PTR_ERR(dir);
	rc = create_was_done(call, mt);
	if (!rc) {
		rc = mdt_create_name(call, dir, call->mtc_op.attr.mode, mt, &child);
		if (!rc)
			rc = create_reply(call, &child);
		else if (rc == -EEXIST && child.oo_dentry)
			rc = create_exists(call, mt, &child);
	}
	return rc < 0 ? rc : mdt_call_parent(call, &dir->mo_osd);
}

/* Link. */

/* Executed again: the name may be there without its entry in the list. */
static int link_was_done(struct mdt_call *call, struct mdt_trans *mt, struct mdt_object *dir,
			 struct mdt_object *obj, const struct osd_xattrs *xattrs)
{
	const struct qstr name = op_name(&call->mtc_op);

	if (!mdt_call_is_again(call))
		return -EEXIST;
	if (name_is(dir, &name, obj))
		return osd_ea_set(&obj->mo_osd, xattrs, &mt->mtr_stamp);
	if (!mdt_call_is_replay(call))
		return -EEXIST;
	mdt_trans_note(mt);
	return 0;
}

static int __link(struct mdt_call *call, struct mdt_trans *mt, struct mdt_object *dir,
		  struct mdt_object *obj)
{
	const struct qstr name = op_name(&call->mtc_op);
	const struct osd_xattrs *xattrs;
	struct mdd_links links;
	int rc;

	lockdep_assert_held(&obj->mo_lock);
	if (obj->mo_pending || READ_ONCE(obj->mo_lu.lo_state) != LU_OBJECT_LIVE)
		return -ENOENT;
	rc = mdt_object_takes_names(call->mtc_mdt, dir) ?: mdd_links_read(&links, &obj->mo_osd);
	if (rc)
		return rc;
	mdd_links_add(&links, &dir->mo_osd, &name);
	xattrs = mdd_links_xattrs(&links);
	rc = osd_link(&obj->mo_osd, &dir->mo_osd, &name, xattrs, &mt->mtr_stamp);
	if (rc == -EEXIST)
		rc = link_was_done(call, mt, dir, obj, xattrs);
	if (!rc)
		mdt_scrub_note(call->mtc_mdt, &obj->mo_osd);
	mdd_links_free(&links);
	return rc;
}

static int reint_link(struct mdt_call *call, struct mdt_trans *mt)
{
	struct mdt_object *dir = mdt_call_object(call, 0), *obj = mdt_call_object(call, 1);
	int rc;

	if (IS_ERR(dir) || IS_ERR(obj))
		return IS_ERR(dir) ? PTR_ERR(dir) : PTR_ERR(obj);
	mutex_lock(&obj->mo_lock);
	rc = __link(call, mt, dir, obj);
	mutex_unlock(&obj->mo_lock);
	return rc ?: mdt_reply_object(call, obj) ?: mdt_call_parent(call, &dir->mo_osd);
}

/* Unlink. */

/**
 * struct mdt_victim - an object that loses a name
 * @obj: the object; mo_lock is held
 * @last: it is the last one
 * @flags: OSD_REMOVE_*
 */
struct mdt_victim {
	struct mdt_object	*obj;
	bool			last;
	u32			flags;
};

/* A client may have a file open that it has not replayed yet. */
static bool __is_wanted(const struct mdt_device *mdt, const struct mdt_object *obj)
{
	return obj->mo_opens || READ_ONCE(mdt->mdt_pinning) || mdd_has_data(&obj->mo_osd);
}

static int __victim_init(const struct mdt_device *mdt, struct mdt_victim *victim,
			 struct mdt_object *obj)
{
	struct md_attr attr;
	int rc = obj->mo_pending ? -ENOENT : mdt_object_attr(&obj->mo_osd, &attr);

	lockdep_assert_held(&obj->mo_lock);
	if (rc)
		return rc;
	*victim = (struct mdt_victim){ .obj = obj };
	victim->last = S_ISDIR(attr.mode) || attr.nlink == 1;
	if (!S_ISDIR(attr.mode) && victim->last && __is_wanted(mdt, obj))
		victim->flags = OSD_REMOVE_PENDING;
	return 0;
}

/* trusted.link of the object without this name; empty after its last name. */
static int __victim_links(const struct mdt_victim *victim, struct mdd_links *links,
			  const struct mdt_object *dir, const struct qstr *name)
{
	int rc = victim->last ? mdd_links_new(links) :
				mdd_links_read(links, &victim->obj->mo_osd);

	if (!rc)
		mdd_links_del(links, &dir->mo_osd, name);
	return rc;
}

static int __unlink(struct mdt_call *call, struct mdt_trans *mt, struct mdt_object *dir,
		    const struct qstr *name, struct mdt_object *obj, u32 flags)
{
	struct mdd_links links;
	struct mdt_victim victim;
	int rc;

	lockdep_assert_held(&obj->mo_lock);
	rc = __victim_init(call->mtc_mdt, &victim, obj) ?:
	     __victim_links(&victim, &links, dir, name);
	if (rc)
		return rc;
	rc = osd_unlink(&dir->mo_osd, name, &obj->mo_osd, flags | victim.flags,
			mdd_links_xattrs(&links), &mt->mtr_stamp);
	mdd_links_free(&links);
	if (rc < 0)
		return rc;
	if (victim.last)
		mdd_name_removed(call->mtc_mdt, obj, rc, mt);
	return 0;
}

/* @obj: an ERR_PTR, if the object is gone. Return: @rc unless the request was executed before */
static int unlink_was_done(struct mdt_call *call, struct mdt_trans *mt, struct mdt_object *obj,
			   int rc)
{
	if (!mdt_call_is_again(call) || (rc != -ENOENT && rc != -ESTALE))
		return rc;
	mdt_trans_note(mt);
	if (!IS_ERR(obj))
		return 0;
	reply_gone(call, 1);
	return 0;
}

static int reint_unlink(struct mdt_call *call, struct mdt_trans *mt)
{
	struct mdt_object *dir = mdt_call_object(call, 0), *obj = mdt_call_object(call, 1);
	u32 flags = call->mtc_op.flags & MDS_UNLINK_DIR ? OSD_REMOVE_DIR : 0;
	const struct qstr name = op_name(&call->mtc_op);
	int rc = PTR_ERR_OR_ZERO(obj);

	if (IS_ERR(dir))
		return PTR_ERR(dir);
	if (!rc) {
		mutex_lock(&obj->mo_lock);
		rc = __unlink(call, mt, dir, &name, obj, flags);
		mutex_unlock(&obj->mo_lock);
	}
	rc = unlink_was_done(call, mt, obj, rc);
	if (!rc && !IS_ERR(obj))
		rc = mdt_reply_object(call, obj);
	return rc ?: mdt_call_parent(call, &dir->mo_osd);
}

/* Rename. */

/**
 * struct mdt_rename - a rename
 * @call: call
 * @mt: its transaction
 * @from: directory of the old name
 * @from_name: old name
 * @obj: the object
 * @to: directory of the new name
 * @to_name: new name
 * @victim: the object that is replaced, or NULL
 */
struct mdt_rename {
	struct mdt_call		*call;
	struct mdt_trans	*mt;
	struct mdt_object	*from;
	struct qstr		from_name;
	struct mdt_object	*obj;
	struct mdt_object	*to;
	struct qstr		to_name;
	struct mdt_object	*victim;
};

static int rename_init(struct mdt_rename *ren, struct mdt_call *call, struct mdt_trans *mt)
{
	const struct md_op_data *op = &call->mtc_op;
	int rc;

	*ren = (struct mdt_rename){
		.call = call,
		.mt = mt,
		.from = mdt_call_object(call, 0),
		.from_name = op_name(op),
		.obj = mdt_call_object(call, 1),
		.to = mdt_call_object(call, 2),
		.to_name = QSTR_INIT(op->value, op->value_len),
	};
	if (!fid_is_zero(&op->object[3].fid))
		ren->victim = mdt_call_object(call, 3);
	rc = PTR_ERR_OR_ZERO(ren->from) ?: PTR_ERR_OR_ZERO(ren->to) ?:
	     PTR_ERR_OR_ZERO(ren->obj);
	/* Replaced already. */
	if (IS_ERR(ren->victim) && mdt_call_is_again(call) && PTR_ERR(ren->victim) == -ESTALE)
		ren->victim = NULL;
	return rc ?: PTR_ERR_OR_ZERO(ren->victim);
}

static int fid_cmp(const struct lu_fid *a, const struct lu_fid *b)
{
	if (a->f_seq != b->f_seq)
		return a->f_seq < b->f_seq ? -1 : 1;
	return a->f_oid < b->f_oid ? -1 : a->f_oid > b->f_oid;
}

void mdt_objects_lock(struct mdt_object *a, struct mdt_object *b)
{
	if (b && fid_cmp(&b->mo_lu.lo_fid, &a->mo_lu.lo_fid) < 0)
		swap(a, b);
	mutex_lock(&a->mo_lock);
	if (b && b != a)
		mutex_lock_nested(&b->mo_lock, SINGLE_DEPTH_NESTING);
}

void mdt_objects_unlock(struct mdt_object *a, struct mdt_object *b)
{
	mutex_unlock(&a->mo_lock);
	if (b && b != a)
		mutex_unlock(&b->mo_lock);
}

/* Of a victim with other names the list loses this one. @pending: it is in PENDING */
static void __victim_renamed(const struct mdt_rename *ren, const struct mdt_victim *victim,
			     bool pending)
{
	struct mdd_links links;

	if (victim->last)
		mdd_name_removed(ren->call->mtc_mdt, victim->obj, pending, ren->mt);
	if (victim->last || __victim_links(victim, &links, ren->to, &ren->to_name))
		return;
	osd_ea_set(&victim->obj->mo_osd, mdd_links_xattrs(&links), NULL);
	mdd_links_free(&links);
}

static int __rename_links(const struct mdt_rename *ren, const struct mdt_victim *victim)
{
	struct osd_rename oren = {
		.orn_from = &ren->from->mo_osd,
		.orn_from_name = ren->from_name,
		.orn_obj = &ren->obj->mo_osd,
		.orn_to = &ren->to->mo_osd,
		.orn_to_name = ren->to_name,
		.orn_victim = ren->victim ? &ren->victim->mo_osd : NULL,
		.orn_flags = victim->flags,
	};
	struct mdd_links links;
	int rc = mdd_links_read(&links, &ren->obj->mo_osd);

	if (rc)
		return rc;
	mdd_links_del(&links, &ren->from->mo_osd, &ren->from_name);
	mdd_links_add(&links, &ren->to->mo_osd, &ren->to_name);
	oren.orn_xattrs = *mdd_links_xattrs(&links);
	rc = osd_rename(&oren, &ren->mt->mtr_stamp);
	mdd_links_free(&links);
	return rc;
}

static int __rename(const struct mdt_rename *ren)
{
	struct mdt_victim victim = {};
	int rc;

	/* Two names of one file: both stay. */
	if (ren->victim == ren->obj) {
		mdt_trans_note(ren->mt);
		return 0;
	}
	rc = ren->victim ? __victim_init(ren->call->mtc_mdt, &victim, ren->victim) : 0;
	if (rc)
		return rc == -ENOENT ? -ESTALE : rc;
	rc = __rename_links(ren, &victim);
	/* The new name is not that of the object that the client saw. */
	if (rc == -EEXIST || rc == -ESTALE)
		return mdt_call_is_replay(ren->call) ? -EEXIST : -ESTALE;
	if (rc < 0)
		return rc;
	mdt_scrub_note(ren->call->mtc_mdt, &ren->obj->mo_osd);
	if (ren->victim)
		__victim_renamed(ren, &victim, rc);
	return 0;
}

/* Return: 1 if it was done before, or is now; 0; a negative errno */
static int __rename_was_done(const struct mdt_rename *ren)
{
	bool from, to;
	int rc = 0;

	if (!mdt_call_is_again(ren->call))
		return 0;
	from = name_is(ren->from, &ren->from_name, ren->obj);
	to = name_is(ren->to, &ren->to_name, ren->obj);
	if (from && (!to || ren->victim == ren->obj))
		return 0;
	if (!from && !to && !mdt_call_is_replay(ren->call))
		return 0;
	/* A link that was executed again after this rename had survived. */
	if (from)
		rc = __unlink(ren->call, ren->mt, ren->from, &ren->from_name, ren->obj, 0);
	mdt_trans_note(ren->mt);
	return rc ?: 1;
}

static int reint_rename(struct mdt_call *call, struct mdt_trans *mt)
{
	struct mdt_rename ren;
	int rc = rename_init(&ren, call, mt) ?: mdt_object_takes_names(call->mtc_mdt, ren.to);

	if (rc)
		return rc;
	mdt_objects_lock(ren.obj, ren.victim);
	rc = __rename_was_done(&ren) ?: __rename(&ren);
	mdt_objects_unlock(ren.obj, ren.victim);
	if (rc < 0)
		return rc;
	return mdt_reply_object(call, ren.obj) ?: mdt_call_parent(call, &ren.from->mo_osd);
}

/* All. */

static int (*const reint_fns[])(struct mdt_call *call, struct mdt_trans *mt) = {
	[REINT_SETATTR]		= mdt_reint_setattr,
	[REINT_CREATE]		= reint_create,
	[REINT_LINK]		= reint_link,
	[REINT_UNLINK]		= reint_unlink,
	[REINT_RENAME]		= reint_rename,
	[REINT_OPEN]		= mdt_reint_open,
	[REINT_SETXATTR]	= mdt_reint_setxattr,
	[REINT_LAYOUT]		= mdt_reint_layout,
};

/*
 * The objects of a replay are gone: a later change has survived. Clients take -ESTALE for a replay
 * that was not executed.
 */
static int replay_stale(struct mdt_call *call, struct mdt_trans *mt)
{
	if (call->mtc_op.reint == REINT_OPEN)
		return -ENOENT;
	mdt_trans_note(mt);
	reply_gone(call, call->mtc_op.objects > 1 ? 1 : 0);
	return 0;
}

/* Whether a file may get a layout. A replay has it. */
static bool may_make_layout(const struct mdt_call *call)
{
	const struct md_op_data *op = &call->mtc_op;

	if (mdt_call_is_replay(call))
		return false;
	if (op->reint == REINT_SETATTR)
		return op->attr.valid & MDS_ATTR_SIZE;
	if (op->reint == REINT_SETXATTR)
		return md_xattr_is_layout(op->name);
	if (op->reint == REINT_LAYOUT)
		return true;
	return op->reint == REINT_OPEN && !(op->flags & MDS_OPEN_DELAY) &&
	       op->flags & (MDS_OPEN_CREAT | MDS_FMODE_WRITE);
}

static int reint_once(struct mdt_call *call)
{
	struct mdt_trans mt;
	int rc = mdt_trans_start(call, &mt);

	if (rc)
		return rc;
	rc = reint_fns[call->mtc_op.reint](call, &mt);
	if (rc == -ESTALE && mdt_call_is_replay(call))
		rc = replay_stale(call, &mt);
	return mdt_trans_stop(call, &mt, rc);
}

/* Others are waited for outside of transactions, so that these can be committed. */
static int reint_run(struct mdt_call *call)
{
	int rc;

	if (may_make_layout(call))
		lod_wait_ids(call->mtc_mdt->mdt_lod);
	do {
		rc = mdt_lock_change(call) ?: reint_once(call);
	} while (call->mtc_missing.bits);
	return rc;
}

int mdt_reint(struct ptlrpc_svc_req *sr)
{
	return mdt_call_run(sr, reint_run);
}
