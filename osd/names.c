// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of objects: looked up, created, linked, removed and renamed.
 *
 * A create makes the name and the attributes in one hold of the parent's lock. A power cut between
 * the two leaves a name without a FID and without data. The client of an uncommitted create has no
 * promise: its replay gives the name this FID (OSD_CREATE_REPLAY), or osd_lookup() adopts it.
 */
#define DEBUG_SUBSYSTEM S_OSD
#define LUSTRE_LITE_RENAME

#include <linux/err.h>
#include <linux/fs_struct.h>
#include <linux/namei.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "osd_internal.h"

/* Whether a name without a FID can get an IGIF: inode number and generation. */
static int adopt_check(const struct osd_device *osd, struct dentry *dentry)
{
	const struct inode *inode = d_inode(dentry);
	const char *reason = NULL;
	int rc = -EIO;

	if (S_ISREG(inode->i_mode) && i_size_read(inode)) {
		reason = "has data";
	} else if (inode->i_ino < FID_SEQ_IGIF || inode->i_ino > FID_SEQ_IGIF_MAX) {
		reason = "has an inode number that makes no FID";
		rc = -EOVERFLOW;
	}
	if (!reason)
		return 0;
	CERROR("%s: '%pd4' has no " XATTR_NAME_LMA " and %s: it was not created by a client; move it out of the directory of the target\n",
	       osd->osd_name, dentry, reason);
	return rc;
}

static int __adopt(struct osd_device *osd, struct dentry *dentry, struct lu_fid *fid)
{
	int rc = adopt_check(osd, dentry);
	char text[FID_TEXT_SIZE];

	if (rc)
		return rc;
	*fid = (struct lu_fid){
		.f_seq = d_inode(dentry)->i_ino,
		.f_oid = d_inode(dentry)->i_generation,
	};
	inode_lock(d_inode(dentry));
	rc = __osd_lma_write(dentry, fid, 0);
	inode_unlock(d_inode(dentry));
	if (!rc)
		CWARN("%s: '%pd4' had no " XATTR_NAME_LMA ", and is [%s] now\n", osd->osd_name,
		      dentry, fid_text(fid, text));
	return rc;
}

/* Read the FID of a name, and adopt it. The object takes the reference on success. */
static int __bind(struct osd_device *osd, struct dentry *dentry, struct osd_object *obj)
{
	struct lu_fid fid;
	int rc = osd_lma_read(dentry, &fid);

	if (rc == -ENODATA)
		rc = __adopt(osd, dentry, &fid);
	if (!rc)
		osd_object_set(osd, obj, dentry, &fid);
	return rc;
}

static int __adopt_name(struct osd_object *dir, const struct qstr *name, struct osd_object *child)
{
	struct dentry *dentry = compat_lookup(dir->oo_dentry, name->name, name->len);
	int rc;

	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	rc = d_is_negative(dentry) ? -ENOENT : __bind(dir->oo_osd, dentry, child);
	if (rc)
		dput(dentry);
	return rc;
}

/*
 * A create that runs has its name in the dentry cache before its FID is written. So the name is
 * looked up once more under the lock that the create holds.
 */
static int adopt_name(struct osd_object *dir, const struct qstr *name, struct osd_object *child)
{
	int rc = osd_want_write(dir->oo_osd);

	if (rc)
		return rc;
	osd_lock_parent(dir->oo_dentry);
	rc = __adopt_name(dir, name, child);
	osd_unlock_parent(dir->oo_dentry);
	osd_drop_write(dir->oo_osd);
	return rc;
}

int osd_lookup(struct osd_object *dir, const struct qstr *name, struct osd_object *child)
{
	struct dentry *dentry;
	struct lu_fid fid;
	int rc;

	if (!d_is_dir(dir->oo_dentry))
		return -ENOTDIR;
	dentry = compat_lookup_unlocked(dir->oo_dentry, name->name, name->len);
	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	rc = d_is_negative(dentry) ? -ENOENT : osd_lma_read(dentry, &fid);
	if (!rc) {
		osd_object_set(dir->oo_osd, child, dentry, &fid);
		return 0;
	}
	if (rc == -EREMOTE)
		child->oo_fid = fid;
	dput(dentry);
	return rc == -ENODATA ? adopt_name(dir, name, child) : rc;
}
EXPORT_SYMBOL_NS_GPL(osd_lookup, LUSTRE_LITE);

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
		return __bind(osd, *dentry, child) ?: -EEXIST;
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

/* Names of @dir will change. Return: 0, for osd_drop_write(); -ENOTDIR; as osd_want_write() */
static int names_begin(const struct osd_object *dir)
{
	return d_is_dir(dir->oo_dentry) ? osd_want_write(dir->oo_osd) : -ENOTDIR;
}

int osd_create(struct osd_object *dir, const struct qstr *name, const struct osd_create *oc,
	       struct osd_stamp *stamp, struct osd_object *child)
{
	int rc;

	child->oo_dentry = NULL;
	if (WARN_ON_ONCE(current_umask()) || !fid_is_sane(&oc->ocr_fid) || oc->ocr_fid.f_ver)
		return -EINVAL;
	rc = names_begin(dir);
	if (rc)
		return rc;
	osd_lock_parent(dir->oo_dentry);
	rc = __create_name(dir, name, oc, stamp, child);
	osd_unlock_parent(dir->oo_dentry);
	osd_drop_write(dir->oo_osd);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(osd_create, LUSTRE_LITE);

/* @obj: what must have the name, or NULL: nothing may. Return: 0; -ESTALE: another object has it */
static int name_check(const struct dentry *dentry, const struct osd_object *obj)
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
	rc = name_check(dentry, obj);
	if (!rc)
		return dentry;
	dput(dentry);
	return ERR_PTR(rc);
}

/* i_rwsem of the parents is held. */
static void __names_changed(struct osd_object *obj, const struct osd_xattrs *xattrs)
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
	__names_changed(obj, xattrs);
	osd_stamped(stamp);
	return 0;
}

int osd_link(struct osd_object *obj, struct osd_object *dir, const struct qstr *name,
	     const struct osd_xattrs *xattrs, struct osd_stamp *stamp)
{
	struct dentry *dentry;
	int rc;

	rc = names_begin(dir);
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
		__names_changed(victim, xattrs);
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

	rc = names_begin(dir);
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

static int __rename(const struct osd_rename *ren, struct compat_renamedata *rd,
		    struct osd_stamp *stamp)
{
	int rc = name_check(rd->old_dentry, ren->orn_obj) ?:
		 name_check(rd->new_dentry, ren->orn_victim) ?:
		 compat_vfs_rename(rd);

	if (rc)
		return rc;
	__names_changed(ren->orn_obj, &ren->orn_xattrs);
	osd_stamped(stamp);
	return 0;
}

static int rename_locked(const struct osd_rename *ren, struct osd_stamp *stamp)
{
	struct compat_renamedata rd = {
		.mnt_idmap = compat_nop_idmap,
		.old_parent = ren->orn_from->oo_dentry,
		.new_parent = ren->orn_to->oo_dentry,
	};
	int rc = compat_start_renaming(&rd, &ren->orn_from_name, &ren->orn_to_name);

	if (rc)
		return rc;
	rc = __rename(ren, &rd, stamp);
	compat_end_renaming(&rd);
	return rc;
}

/* Whether the victim loses its last name, and stays. */
static bool victim_stays(const struct osd_rename *ren)
{
	const struct osd_object *victim = ren->orn_victim;

	return victim && ren->orn_flags & OSD_REMOVE_PENDING && osd_pending_wanted(victim) &&
	       d_inode(victim->oo_dentry) != d_inode(ren->orn_obj->oo_dentry);
}

int osd_rename(const struct osd_rename *ren, struct osd_stamp *stamp)
{
	struct osd_device *osd = ren->orn_from->oo_osd;
	bool pending = victim_stays(ren);
	int rc;

	if (!d_is_dir(ren->orn_from->oo_dentry) || !d_is_dir(ren->orn_to->oo_dentry))
		return -ENOTDIR;
	rc = osd_want_write(osd);
	if (rc)
		return rc;
	rc = pending ? __osd_pending_add(ren->orn_victim) : 0;
	if (!rc) {
		osd_step(ren->orn_obj->oo_dentry);
		rc = rename_locked(ren, stamp);
		if (pending)
			rc = rc ? __osd_pending_undo(ren->orn_victim, rc) : 1;
	}
	osd_drop_write(osd);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(osd_rename, LUSTRE_LITE);
