// SPDX-License-Identifier: GPL-2.0-only
/*
 * Creation of objects: the name and the attributes, in one hold of the parent's lock.
 *
 * A power cut between the two leaves a name without a FID and without data. The client of an
 * uncommitted create has no promise: its replay gives the name this FID (OSD_CREATE_REPLAY), or
 * osd_lookup() adopts it.
 */
#define DEBUG_SUBSYSTEM S_OSD

#include <linux/fs_struct.h>
#include <linux/namei.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/lustre_ea.h>

#include "osd_internal.h"

/* File systems apply the umask of the task, but not where the directory has a default ACL. */
static int __make(struct dentry *dir, struct dentry **dentry, const struct osd_create *oc)
{
	struct inode *inode = d_inode(dir);

	switch (oc->ocr_mode & S_IFMT) {
	case S_IFREG:
		return compat_create(inode, *dentry, oc->ocr_mode);
	case S_IFDIR:
		return compat_mkdir(compat_nop_idmap, inode, *dentry, oc->ocr_mode);
	case S_IFLNK:
		return compat_symlink(inode, *dentry, oc->ocr_link);
	case S_IFCHR:
	case S_IFBLK:
	case S_IFIFO:
	case S_IFSOCK:
		return compat_mknod(inode, *dentry, oc->ocr_mode, oc->ocr_rdev);
	default:
		return -EINVAL;
	}
}

static int __make_with_umask(struct dentry *dir, struct dentry **dentry,
			     const struct osd_create *oc)
{
	int rc;

	current->fs->umask = oc->ocr_umask & 0777;
	rc = __make(dir, dentry, oc);
	current->fs->umask = 0;
	return rc;
}

/* The FID last: a name that has it has all other attributes. */
static int __identify(const struct osd_device *osd, struct dentry *dentry,
		      const struct osd_create *oc)
{
	u32 compat = osd->osd_kind == OSD_KIND_OST ? LMAC_FID_ON_OST : 0;
	int rc;

	inode_lock(d_inode(dentry));
	rc = __osd_ea_set(dentry, &oc->ocr_xattrs) ?: __osd_lma_write(dentry, &oc->ocr_fid, compat);
	inode_unlock(d_inode(dentry));
	return rc;
}

/* No lookup has returned the name: osd_lookup() waits for the lock of the parent. */
static void __unmake(struct osd_device *osd, struct dentry *dir, struct dentry *dentry)
{
	const struct cred *old = override_creds(osd->osd_cred);
	int rc;

	if (d_is_dir(dentry))
		rc = compat_rmdir(d_inode(dir), dentry);
	else
		rc = vfs_unlink(compat_nop_idmap, d_inode(dir), dentry, NULL);
	revert_creds(old);
	if (rc)
		CERROR("%s: cannot remove '%pd4', whose create failed; the next lookup gives it a FID: rc = %d\n",
		       osd->osd_name, dentry, rc);
}

/* The name that an interrupted create of the same type left; it never got data. */
static bool is_remains(struct dentry *dentry, const struct osd_create *oc)
{
	const struct inode *inode = d_inode(dentry);
	struct lu_fid fid;

	return oc->ocr_flags & OSD_CREATE_REPLAY &&
	       (inode->i_mode & S_IFMT) == (oc->ocr_mode & S_IFMT) &&
	       !(S_ISREG(inode->i_mode) && i_size_read(inode)) &&
	       osd_lma_read(dentry, &fid) == -ENODATA;
}

/* Return: 0; -EEXIST with @child set; else @dentry keeps its reference, and may be another */
static int __create(struct osd_object *dir, struct dentry **dentry, const struct osd_create *oc,
		    struct osd_stamp *stamp, struct osd_object *child)
{
	struct osd_device *osd = dir->oo_osd;
	bool remains = d_is_positive(*dentry) && is_remains(*dentry, oc);
	int rc;

	if (d_is_positive(*dentry) && !remains)
		return __osd_bind(osd, *dentry, child) ?: -EEXIST;
	rc = remains ? 0 : __make_with_umask(dir->oo_dentry, dentry, oc);
	if (rc)
		return rc;
	rc = __identify(osd, *dentry, oc);
	if (rc) {
		__unmake(osd, dir->oo_dentry, *dentry);
		return rc;
	}
	osd_stamped(stamp);
	osd_object_set(osd, child, *dentry, &oc->ocr_fid);
	return 0;
}

static int __create_name(struct osd_object *dir, const struct qstr *name,
			 const struct osd_create *oc, struct osd_stamp *stamp,
			 struct osd_object *child)
{
	struct dentry *dentry = compat_lookup(dir->oo_dentry, name->name, name->len);
	int rc;

	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	rc = __create(dir, &dentry, oc, stamp, child);
	if (rc && !child->oo_dentry)
		dput(dentry);
	return rc;
}

int osd_create(struct osd_object *dir, const struct qstr *name, const struct osd_create *oc,
	       struct osd_stamp *stamp, struct osd_object *child)
{
	int rc;

	child->oo_dentry = NULL;
	if (WARN_ON_ONCE(current_umask()) || !fid_is_sane(&oc->ocr_fid) || oc->ocr_fid.f_ver)
		return -EINVAL;
	if (!d_is_dir(dir->oo_dentry))
		return -ENOTDIR;
	rc = osd_want_write(dir->oo_osd);
	if (rc)
		return rc;
	osd_lock_parent(dir->oo_dentry);
	rc = __create_name(dir, name, oc, stamp, child);
	osd_unlock_parent(dir->oo_dentry);
	osd_drop_write(dir->oo_osd);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(osd_create, LUSTRE_LITE);
