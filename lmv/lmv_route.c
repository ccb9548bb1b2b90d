// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations go to the target of their object, which its FID names. This release serves the
 * objects of MDT0000; those of others are refused.
 *
 *	sequences			target
 *	up to FID_SEQ_NORMAL		MDT0000: the root, and files from before there were FIDs
 *	FID_SEQ_NORMAL + n * 2^30	index n
 */
#define DEBUG_SUBSYSTEM S_LMV

#include <linux/err.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_ops.h>

#include "lmv_internal.h"

static u64 target_index(const struct lu_fid *fid)
{
	return fid_is_norm(fid) ? (fid->f_seq - FID_SEQ_NORMAL) >> LUSTRE_TARGET_SEQS_SHIFT : 0;
}

static int refuse_remote(struct obd_device *obd, const struct lu_fid *fid)
{
	char text[FID_TEXT_SIZE];

	if (!atomic_xchg(&lmv_device(obd)->lmvd_remote, 1))
		CERROR("%s: [%s] is an object of MDT%04llx; only those of MDT0000 are accessible: rc = %d\n",
		       obd->obd_name, fid_text(fid, text), target_index(fid), -EREMOTE);
	return -EREMOTE;
}

/*
 * The connection to the target of @count objects, referenced; or ERR_PTR: -EREMOTE; -ENOTCONN if
 * the target was not added. A target that is not connected is waited for by the request.
 */
static struct obd_export *target_export(struct obd_device *obd, const struct md_object *objects,
					u32 count)
{
	struct obd_export *exp;
	u32 n;

	for (n = 0; n < count; n++) {
		if (target_index(&objects[n].fid))
			return ERR_PTR(refuse_remote(obd, &objects[n].fid));
	}
	exp = obd_targets_export_at(&lmv_device(obd)->lmvd_targets, 0);
	return exp ?: ERR_PTR(-ENOTCONN);
}

/* m_call of type lmv. */
int lmv_call(struct obd_export *exp, const struct md_op_data *op, struct md_reply *rep)
{
	struct obd_export *to = target_export(exp->exp_obd, op->object, op->objects);
	int rc;

	if (IS_ERR(to))
		return PTR_ERR(to);
	rc = md_call(to, op, rep);
	class_export_put(to);
	return rc;
}

/* m_open of type lmv. */
int lmv_open(struct obd_export *exp, const struct md_op_data *op, struct md_reply *rep,
	     struct md_open **open)
{
	struct obd_export *to = target_export(exp->exp_obd, op->object, op->objects);
	int rc;

	if (IS_ERR(to))
		return PTR_ERR(to);
	rc = md_open(to, op, rep, open);
	class_export_put(to);
	return rc;
}

/* m_close of type lmv: at the target that opened it, which may have been deleted since. */
int lmv_close(struct obd_export *exp, struct md_open *open, const struct md_op_data *op,
	      struct md_reply *rep)
{
	struct obd_export *to = class_export_get(open->mop_exp);
	int rc = md_close(to, open, op, rep);

	class_export_put(to);
	return rc;
}

/* m_done of type lmv: likewise. */
void lmv_done(struct obd_export *exp, struct md_open *open, const struct md_done *done)
{
	struct obd_export *to = class_export_get(open->mop_exp);

	md_done(to, open, done);
	class_export_put(to);
}

/* m_closes of type lmv. */
int lmv_closes(struct obd_export *exp, const struct md_object *obj)
{
	struct obd_export *to = target_export(exp->exp_obd, obj, 1);
	int rc;

	if (IS_ERR(to))
		return PTR_ERR(to);
	rc = md_closes(to, obj);
	class_export_put(to);
	return rc;
}

/* m_readdir of type lmv. */
int lmv_readdir(struct obd_export *exp, const struct md_op_data *op, struct page **pages,
		unsigned int nr, u32 *bytes)
{
	struct obd_export *to = target_export(exp->exp_obd, op->object, op->objects);
	int rc;

	if (IS_ERR(to))
		return PTR_ERR(to);
	rc = md_readdir(to, op, pages, nr, bytes);
	class_export_put(to);
	return rc;
}

/* m_fid_alloc of type lmv: of the target of the directory. */
int lmv_fid_alloc(struct obd_export *exp, const struct md_object *dir, struct lu_fid *fid)
{
	struct obd_export *to = target_export(exp->exp_obd, dir, 1);
	int rc;

	if (IS_ERR(to))
		return PTR_ERR(to);
	rc = md_fid_alloc(to, dir, fid);
	class_export_put(to);
	return rc;
}

/* m_flock of type lmv. */
int lmv_flock(struct obd_export *exp, const struct lu_fid *fid, u32 *mode,
	      struct ldlm_flock *flock, u32 flags)
{
	const struct md_object object = { .fid = *fid };
	struct obd_export *to = target_export(exp->exp_obd, &object, 1);
	int rc;

	if (IS_ERR(to))
		return PTR_ERR(to);
	rc = md_flock(to, fid, mode, flock, flags);
	class_export_put(to);
	return rc;
}
