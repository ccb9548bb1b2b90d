// SPDX-License-Identifier: GPL-2.0-only
/*
 * REINT_SETATTR, REINT_SETXATTR and REINT_LAYOUT. The backend checks permissions, with the
 * credentials of the client.
 *
 * A replay sets again. One that is not permitted now was permitted the first time, and a later
 * change of owner or mode has survived.
 */
#define DEBUG_SUBSYSTEM S_MDS

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/uidgid.h>
#include <linux/xattr.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/lustre_ea.h>

#include "mdt_internal.h"

static bool was_permitted(const struct mdt_call *call, int rc)
{
	return mdt_call_is_replay(call) && (rc == -EPERM || rc == -EACCES);
}

static int attr_done(struct mdt_call *call, struct mdt_trans *mt, struct mdt_object *obj, int rc)
{
	if (was_permitted(call, rc))
		rc = 0;
	if (rc)
		return rc;
	mdt_trans_note(mt);
	return mdt_reply_object(call, obj);
}

static int truncate_refuse(const struct mdt_call *call, const struct mdt_object *obj, u64 size)
{
	int rc = call->mtc_mdt->mdt_lod ? -ENOSPC : -EOPNOTSUPP;
	char text[FID_TEXT_SIZE];

	CWARN("%s: [%s]: cannot set the size to %llu, as no object storage target can be used: rc = %d\n",
	      call->mtc_mdt->mdt_dir.td_obd->obd_name, fid_text(&obj->mo_lu.lo_fid, text), size,
	      rc);
	return rc;
}

/* The size of a file with a layout is that of its objects. */
int mdt_truncate(struct mdt_call *call, struct mdt_trans *mt, struct mdt_object *obj, u64 size,
		 struct iattr *to)
{
	int rc;

	to->ia_valid |= ATTR_MTIME;
	if (size) {
		rc = lod_layout_make(call, mt, obj);
		if (rc)
			return rc;
	}
	/* An open for writing that truncates says the rest by its close. */
	if (call->mtc_op.reint != REINT_OPEN || !(call->mtc_op.flags & MDS_FMODE_WRITE)) {
		rc = mdt_som_truncate(call, obj, mt);
		if (rc)
			return rc;
	}
	rc = lod_layout_has(&obj->mo_osd);
	if (rc)
		return min(rc, 0);
	if (size)
		return truncate_refuse(call, obj, size);
	to->ia_valid |= ATTR_SIZE;
	to->ia_size = 0;
	return 0;
}

/* Times that are not given are the server's. Both, or with a size: permission to write suffices. */
static void times_set(const struct md_attr *from, struct iattr *to)
{
	const u64 both = MDS_ATTR_ATIME | MDS_ATTR_MTIME;
	const u64 set = MDS_ATTR_ATIME_SET | MDS_ATTR_MTIME_SET;

	if (from->valid & MDS_ATTR_ATIME)
		to->ia_valid |= ATTR_ATIME;
	if (from->valid & MDS_ATTR_MTIME)
		to->ia_valid |= ATTR_MTIME;
	if (from->valid & MDS_ATTR_ATIME_SET)
		to->ia_valid |= ATTR_ATIME | ATTR_ATIME_SET;
	if (from->valid & MDS_ATTR_MTIME_SET)
		to->ia_valid |= ATTR_MTIME | ATTR_MTIME_SET;
	if ((from->valid & both) == both && !(from->valid & set))
		to->ia_valid |= ATTR_TOUCH;
	else if (from->valid & (both | set) && !(from->valid & MDS_ATTR_SIZE))
		to->ia_valid |= ATTR_TIMES_SET;
	to->ia_atime = (struct timespec64){ from->atime.sec, from->atime.nsec };
	to->ia_mtime = (struct timespec64){ from->mtime.sec, from->mtime.nsec };
}

/* The VFS takes a mode, or bits to clear in it, not both. */
static void mode_set(const struct md_attr *from, struct iattr *to)
{
	if (from->valid & MDS_ATTR_MODE) {
		to->ia_valid |= ATTR_MODE;
		to->ia_mode = from->mode & S_IALLUGO;
		return;
	}
	if (from->valid & MDS_ATTR_KILL_SUID)
		to->ia_valid |= ATTR_KILL_SUID;
	if (from->valid & MDS_ATTR_KILL_SGID)
		to->ia_valid |= ATTR_KILL_SGID;
}

static int owner_set(const struct md_attr *from, struct iattr *to)
{
	if (from->valid & MDS_ATTR_UID) {
		to->ia_valid |= ATTR_UID | ATTR_KILL_PRIV;
		to->ia_uid = make_kuid(&init_user_ns, from->uid);
		if (!uid_valid(to->ia_uid))
			return -EINVAL;
	}
	if (from->valid & MDS_ATTR_GID) {
		to->ia_valid |= ATTR_GID | ATTR_KILL_PRIV;
		to->ia_gid = make_kgid(&init_user_ns, from->gid);
		if (!gid_valid(to->ia_gid))
			return -EINVAL;
	}
	return 0;
}

/* An open handle for writing permits it; the mode may have changed since. */
static int may_write(const struct mdt_call *call, struct mdt_object *obj)
{
	if (mdt_open_permits(call, obj, MDS_FMODE_WRITE))
		return 0;
	if (mdt_is_executed(obj) && !mdt_call_is_replay(call))
		return -ETXTBSY;
	return osd_permission(&obj->mo_osd, MAY_WRITE);
}

/* Whether the request only does what a write or a truncate does: the owner need not do it. */
static bool is_write(const struct md_attr *from)
{
	const u64 kills = MDS_ATTR_KILL_SUID | MDS_ATTR_KILL_SGID | MDS_ATTR_KILL_PRIV;

	return from->valid & kills &&
	       !(from->valid & ~(kills | MDS_ATTR_SIZE | MDS_ATTR_MTIME | MDS_ATTR_CTIME));
}

static int size_set(struct mdt_call *call, struct mdt_trans *mt, struct mdt_object *obj,
		    struct iattr *to)
{
	const struct md_attr *from = &call->mtc_op.attr;
	int rc;

	if (!(from->valid & MDS_ATTR_SIZE) && !is_write(from))
		return 0;
	rc = may_write(call, obj);
	/* The mode may be the owner's right. */
	if (rc)
		return from->valid & (MDS_ATTR_SIZE | MDS_ATTR_KILL_PRIV) ? rc : 0;
	if (is_write(from))
		to->ia_valid |= ATTR_FORCE;
	if (from->valid & MDS_ATTR_KILL_PRIV)
		to->ia_valid |= ATTR_KILL_PRIV;
	return from->valid & MDS_ATTR_SIZE ? mdt_truncate(call, mt, obj, from->size, to) : 0;
}

int mdt_reint_setattr(struct mdt_call *call, struct mdt_trans *mt)
{
	const struct md_attr *from = &call->mtc_op.attr;
	struct mdt_object *obj = mdt_call_object(call, 0);
	struct iattr to = { .ia_valid = ATTR_CTIME };
	int rc;

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	times_set(from, &to);
	mode_set(from, &to);
	rc = owner_set(from, &to) ?: size_set(call, mt, obj, &to);
	if (!rc && from->valid & (MDS_ATTR_MTIME | MDS_ATTR_MTIME_SET))
		mdt_som_times(call, obj);
	if (!rc)
		rc = osd_setattr(&obj->mo_osd, &to, &mt->mtr_stamp);
	return attr_done(call, mt, obj, rc);
}

/* The credentials to set an attribute with: those of osd_cred_get() lack the capability. */
static int xattr_cred(const struct mdt_call *call, const char *name, const struct cred **cred)
{
	u32 cap = CAP_SYS_ADMIN;

	*cred = NULL;
	if (mdt_xattr_is_own(name))
		return -EPERM;
	if (strstarts(name, XATTR_TRUSTED_PREFIX) || strstarts(name, XATTR_SECURITY_PREFIX)) {
		if (!strcmp(name, XATTR_NAME_CAPS))
			cap = CAP_SETFCAP;
		*cred = call->mtc_old;
		return call->mtc_op.caps & BIT_ULL(cap) ? 0 : -EPERM;
	}
	if (strstarts(name, XATTR_USER_PREFIX) || !strcmp(name, XATTR_NAME_POSIX_ACL_ACCESS) ||
	    !strcmp(name, XATTR_NAME_POSIX_ACL_DEFAULT))
		return 0;
	return -EOPNOTSUPP;
}

/*
 * Attributes of the server that programs bring when they restore a file with all of its attributes.
 * Root sets and removes them without effect, as in real Lustre.
 */
static bool xattr_is_ignored(const struct mdt_call *call)
{
	const char *name = call->mtc_op.name;

	if (strcmp(name, XATTR_NAME_LMA) && strcmp(name, XATTR_NAME_LINK) &&
	    strcmp(name, XATTR_NAME_FID))
		return false;
	return call->mtc_op.caps & BIT_ULL(CAP_SYS_ADMIN);
}

static int xattr_set(struct osd_object *obj, const struct osd_xattr *xattr, int flags,
		     const struct cred *cred, struct mdt_trans *mt)
{
	const struct cred *old = cred ? override_creds(cred) : NULL;
	int rc = osd_setxattr(obj, xattr, flags, &mt->mtr_stamp);

	if (cred)
		revert_creds(old);
	return rc;
}

/* A replay may find the attribute there, or removed by a later one that has survived. */
static int xattr_flags(const struct mdt_call *call)
{
	if (mdt_call_is_replay(call))
		return 0;
	return call->mtc_op.flags & (XATTR_CREATE | XATTR_REPLACE);
}

static int xattr_change(const struct mdt_call *call, struct mdt_trans *mt, struct mdt_object *obj,
			const struct osd_xattr *xattr)
{
	const struct cred *cred;
	int rc = xattr_cred(call, xattr->ox_name, &cred);

	return rc ?: xattr_set(&obj->mo_osd, xattr, xattr_flags(call), cred, mt);
}

int mdt_reint_setxattr(struct mdt_call *call, struct mdt_trans *mt)
{
	const struct md_op_data *op = &call->mtc_op;
	bool remove = op->flags & MDS_XATTR_REMOVE;
	const struct osd_xattr xattr = {
		.ox_name = op->name,
		.ox_value = remove ? NULL : op->value ?: "",
		.ox_len = remove ? 0 : op->value_len,
	};
	struct mdt_object *obj = mdt_call_object(call, 0);
	int rc;

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	if (md_xattr_is_layout(op->name))
		return attr_done(call, mt, obj, lod_setxattr(call, mt, obj));
	if (xattr_is_ignored(call))
		return attr_done(call, mt, obj, 0);
	rc = xattr_change(call, mt, obj, &xattr);
	if (rc == -ENODATA && remove && mdt_call_is_again(call))
		rc = 0;
	return attr_done(call, mt, obj, rc);
}

int mdt_reint_layout(struct mdt_call *call, struct mdt_trans *mt)
{
	struct mdt_object *obj = mdt_call_object(call, 0);
	struct md_attr attr;
	int rc;

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	rc = mdt_object_attr(&obj->mo_osd, &attr);
	if (!rc && !S_ISREG(attr.mode))
		rc = -EINVAL;
	if (!rc && !mdt_call_is_replay(call))
		rc = may_write(call, obj);
	rc = rc ?: lod_layout_extend(call, mt, obj);
	return attr_done(call, mt, obj, rc);
}
