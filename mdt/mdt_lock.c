// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locks of the server itself, and of clients by replies. A resource is an object, by its FID; the
 * parts are the bits MDS_INODELOCK_*:
 *
 *	LOOKUP	the names that the object has
 *	UPDATE	its attributes; of a directory also which names it has, and has not
 *	PERM	owner, group, mode, ACL
 *	XATTR	extended attributes
 *	LAYOUT	the layout of a file: which objects it has, or that it has none
 *
 * A change locks what it changes (LCK_CW) before its transaction: other clients have returned
 * their locks (LCK_PR) then. Changes do not conflict with each other, so their locks are taken in
 * any order: the backend orders them. Locks of the client that requests the change stay: it
 * changes what it has cached by the reply.
 *
 * A reply grants a lock if that is free. What the reply says was read under a guard, a lock of the
 * server (LCK_PR) that never waits, so no change came between the reading and the grant.
 */
#define DEBUG_SUBSYSTEM S_MDS

#include <linux/kernel.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/lustre_dlm.h>
#include <lustre_lite/lustre_ea.h>

#include "mdt_internal.h"

#define LOCK_UPDATE	MDS_INODELOCK_UPDATE
#define LOCK_NAME	(MDS_INODELOCK_LOOKUP | MDS_INODELOCK_UPDATE)
#define LOCK_XATTR	(MDS_INODELOCK_UPDATE | MDS_INODELOCK_PERM | MDS_INODELOCK_XATTR)

/* Longest wait for clients. One that does not return a lock is evicted much earlier. */
#define CHANGE_LOCK_SEC	300

static bool is_locked(const struct mdt_call *call, const struct lu_fid *fid, u64 bits)
{
	u32 n;

	/* Of a replay the order is known, and clients replay their locks. */
	if (mdt_call_is_replay(call))
		return true;
	for (n = 0; n < call->mtc_locks; n++)
		if (lu_fid_eq(&call->mtc_lock[n].fid, fid) && !(bits & ~call->mtc_lock[n].bits))
			return true;
	return false;
}

static int lock_add(struct mdt_call *call, const struct lu_fid *fid, u64 bits)
{
	const struct ldlm_policy part = { .ibits = { .bits = bits } };
	struct mdt_lock *ml = &call->mtc_lock[call->mtc_locks];
	struct ldlm_res_id res;
	int rc;

	if (!bits || fid_is_zero(fid) || is_locked(call, fid, bits))
		return 0;
	/* The name has led to one file after the other: the client looks it up again. */
	if (call->mtc_locks == MDT_LOCKS_MAX)
		return -ESTALE;
	ldlm_res_of_fid(fid, &res);
	rc = ldlm_local_lock(call->mtc_mdt->mdt_dir.td_obd, LDLM_IBITS, &res, LCK_CW, &part, 0,
			     CHANGE_LOCK_SEC, call->mtc_sr->sr_exp, &ml->lock);
	if (rc)
		return rc;
	ml->fid = *fid;
	ml->bits = bits;
	call->mtc_locks++;
	return 0;
}

static u64 setattr_bits(const struct md_op_data *op)
{
	const u64 times = MDS_ATTR_ATIME | MDS_ATTR_MTIME | MDS_ATTR_CTIME | MDS_ATTR_ATIME_SET |
			  MDS_ATTR_MTIME_SET;

	/*
	 * A size or an owner may change the mode, and remove capabilities; a mode changes the ACL.
	 */
	return op->attr.valid & ~times ? LOCK_XATTR : LOCK_UPDATE;
}

/* What a request changes of each of its objects. */
static const u64 reint_bits[][MDS_OBJECTS_MAX] = {
	[REINT_CREATE]		= { LOCK_UPDATE },
	[REINT_LINK]		= { LOCK_UPDATE, LOCK_UPDATE },
	[REINT_UNLINK]		= { LOCK_UPDATE, LOCK_NAME },
	[REINT_RENAME]		= { LOCK_UPDATE, LOCK_NAME, LOCK_UPDATE, LOCK_NAME },
	/* It finds out whether it changes anything. */
	[REINT_LAYOUT]		= { 0 },
};

static u64 change_bits(const struct md_op_data *op, u32 n)
{
	switch (op->reint) {
	case REINT_SETATTR:
		return setattr_bits(op);
	case REINT_OPEN:
		/* Without O_EXCL it creates nothing as a rule. */
		return !n && op->flags & MDS_OPEN_EXCL ? LOCK_UPDATE : 0;
	case REINT_SETXATTR:
		return LOCK_XATTR |
		       (md_xattr_is_layout(op->name) ? MDS_INODELOCK_LAYOUT : 0);
	}
	return reint_bits[op->reint][n];
}

void mdt_guard_end(struct mdt_call *call)
{
	if (call->mtc_guard.lock)
		ldlm_local_unlock(call->mtc_guard.lock);
	call->mtc_guard.lock = NULL;
}

int mdt_lock_change(struct mdt_call *call)
{
	const struct mdt_lock missing = call->mtc_missing;
	const struct md_op_data *op = &call->mtc_op;
	u32 n;
	int rc = 0;

	call->mtc_missing.bits = 0;
	if (missing.bits) {
		/* The guard may be of the same object: the lock would wait for it. */
		mdt_guard_end(call);
		mdt_call_restart(call);
		return lock_add(call, &missing.fid, missing.bits);
	}
	for (n = 0; n < op->objects && !rc; n++)
		rc = lock_add(call, &op->object[n].fid, change_bits(op, n));
	return rc;
}

int mdt_lock_missing(struct mdt_call *call, const struct lu_fid *fid, u64 bits)
{
	if (is_locked(call, fid, bits))
		return 0;
	call->mtc_missing.fid = *fid;
	call->mtc_missing.bits = bits;
	return -EAGAIN;
}

static void guard_take(struct mdt_call *call, const struct lu_fid *fid, u64 bits)
{
	const struct ldlm_policy part = { .ibits = { .try_bits = bits } };
	struct mdt_lock *guard = &call->mtc_guard;
	struct ldlm_res_id res;

	ldlm_res_of_fid(fid, &res);
	guard->fid = *fid;
	if (ldlm_local_lock(call->mtc_mdt->mdt_dir.td_obd, LDLM_IBITS, &res, LCK_PR, &part,
			    LDLM_FL_BLOCK_NOWAIT, 0, NULL, &guard->lock))
		guard->lock = NULL;
}

void mdt_guard(struct mdt_call *call, const struct lu_fid *fid)
{
	struct ldlm_wanted wanted;

	if (call->mtc_guard.lock && lu_fid_eq(&call->mtc_guard.fid, fid))
		return;
	mdt_guard_end(call);
	if (mdt_call_is_replay(call) || !ldlm_reply_wanted(call->mtc_sr, MDS_LOCK, &wanted) ||
	    wanted.lwa_type != LDLM_IBITS || wanted.lwa_mode != LCK_PR)
		return;
	guard_take(call, fid, wanted.lwa_policy.ibits.bits | wanted.lwa_policy.ibits.try_bits);
}

bool mdt_guard_dir(struct mdt_call *call, const struct lu_fid *fid)
{
	guard_take(call, fid, MDS_INODELOCK_UPDATE);
	return call->mtc_guard.lock;
}

void mdt_guard_name(struct mdt_call *call, struct mdt_object *dir, const struct qstr *name,
		    const struct lu_fid *fid)
{
	struct osd_object found;
	int rc;

	mdt_guard(call, fid);
	if (!call->mtc_guard.lock)
		return;
	rc = osd_lookup(&dir->mo_osd, name, &found);
	if (rc || !lu_fid_eq(&found.oo_fid, fid))
		mdt_guard_end(call);
	if (!rc)
		osd_object_fini(&found);
}

bool mdt_may_grant(const struct mdt_call *call)
{
	return call->mtc_guard.lock && lu_fid_eq(&call->mtc_guard.fid, &call->mtc_rep.object.fid) &&
	       !(call->mtc_rep.flags & MDS_BODY_GONE);
}

void mdt_grant(struct mdt_call *call)
{
	struct ldlm_res_id res;

	ldlm_res_of_fid(&call->mtc_guard.fid, &res);
	ldlm_reply_grant(call->mtc_sr, MDS_LOCK, MDS_GRANT, &res, call->mtc_guard.lock);
}

void mdt_locks_end(struct mdt_call *call)
{
	mdt_guard_end(call);
	while (call->mtc_locks)
		ldlm_local_unlock(call->mtc_lock[--call->mtc_locks].lock);
}
