// SPDX-License-Identifier: GPL-2.0-only
/* Further names of objects, and their removal. */
#define DEBUG_SUBSYSTEM S_OSD

#include <linux/namei.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "osd_internal.h"

int osd_name_check(const struct dentry *dentry, const struct osd_object *obj)
{
	if (!obj)
		return d_is_positive(dentry) ? -EEXIST : 0;
	if (d_is_negative(dentry))
		return -ENOENT;
	return d_inode(dentry) == d_inode(obj->oo_dentry) ? 0 : -ESTALE;
}

/* A name under the lock of its directory, checked. Return: referenced, or an ERR_PTR */
static struct dentry *__name_get(struct osd_object *dir, const struct qstr *name,
				 const struct osd_object *obj)
{
	struct dentry *dentry = compat_lookup(dir->oo_dentry, name->name, name->len);
	int rc;

	if (IS_ERR(dentry))
		return dentry;
	rc = osd_name_check(dentry, obj);
	if (!rc)
		return dentry;
	dput(dentry);
	return ERR_PTR(rc);
}

void __osd_names_changed(struct osd_object *obj, const struct osd_xattrs *xattrs)
{
	struct inode *inode = d_inode(obj->oo_dentry);
	char text[FID_TEXT_SIZE];
	int rc;

	if (!xattrs || !xattrs->oxs_nr)
		return;
	inode_lock(inode);
	rc = __osd_ea_set(obj->oo_dentry, xattrs);
	inode_unlock(inode);
	if (rc)
		CWARN("%s: [%s]: cannot update the list of names: rc = %d\n", obj->oo_osd->osd_name,
		      fid_text(&obj->oo_fid, text), rc);
}

static int __link(struct osd_object *obj, struct osd_object *dir, struct dentry *dentry,
		  const struct osd_xattrs *xattrs, struct osd_stamp *stamp)
{
	int rc = vfs_link(obj->oo_dentry, compat_nop_idmap, d_inode(dir->oo_dentry), dentry, NULL);

	if (rc)
		return rc;
	__osd_names_changed(obj, xattrs);
	osd_stamped(stamp);
	return 0;
}

int osd_link(struct osd_object *obj, struct osd_object *dir, const struct qstr *name,
	     const struct osd_xattrs *xattrs, struct osd_stamp *stamp)
{
	struct dentry *dentry;
	int rc;

	if (!d_is_dir(dir->oo_dentry))
		return -ENOTDIR;
	rc = osd_want_write(dir->oo_osd);
	if (rc)
		return rc;
	osd_lock_parent(dir->oo_dentry);
	dentry = __name_get(dir, name, NULL);
	rc = IS_ERR(dentry) ? PTR_ERR(dentry) : __link(obj, dir, dentry, xattrs, stamp);
	osd_unlock_parent(dir->oo_dentry);
	osd_drop_write(dir->oo_osd);
	if (!IS_ERR(dentry))
		dput(dentry);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(osd_link, LUSTRE_LITE);

static int __remove(struct osd_object *dir, struct dentry *dentry, u32 flags)
{
	struct inode *inode = d_inode(dir->oo_dentry);

	if (flags & OSD_REMOVE_DIR)
		return compat_rmdir(inode, dentry);
	if (d_is_dir(dentry))
		return -EISDIR;
	return vfs_unlink(compat_nop_idmap, inode, dentry, NULL);
}

/* The victim holds the inode: a large file is not truncated under the lock. */
static int remove_name(struct osd_object *dir, const struct qstr *name,
		       struct osd_object *victim, u32 flags, const struct osd_xattrs *xattrs,
		       struct osd_stamp *stamp)
{
	struct dentry *dentry;
	int rc;

	osd_lock_parent(dir->oo_dentry);
	dentry = __name_get(dir, name, victim);
	rc = IS_ERR(dentry) ? PTR_ERR(dentry) : __remove(dir, dentry, flags);
	if (!rc) {
		__osd_names_changed(victim, xattrs);
		osd_stamped(stamp);
	}
	osd_unlock_parent(dir->oo_dentry);
	if (!IS_ERR(dentry))
		dput(dentry);
	return rc;
}

int osd_unlink(struct osd_object *dir, const struct qstr *name, struct osd_object *victim,
	       u32 flags, const struct osd_xattrs *xattrs, struct osd_stamp *stamp)
{
	bool pending = flags & OSD_REMOVE_PENDING && osd_pending_wanted(victim);
	int rc;

	if (!d_is_dir(dir->oo_dentry))
		return -ENOTDIR;
	rc = osd_want_write(dir->oo_osd);
	if (rc)
		return rc;
	rc = pending ? __osd_pending_add(victim) : 0;
	if (!rc) {
		osd_step(victim->oo_dentry);
		rc = remove_name(dir, name, victim, flags, xattrs, stamp);
		if (pending)
			rc = rc ? __osd_pending_undo(victim, rc) : 1;
	}
	osd_drop_write(dir->oo_osd);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(osd_unlink, LUSTRE_LITE);
