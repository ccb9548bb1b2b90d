// SPDX-License-Identifier: GPL-2.0-only
/* From a name to an object; names that have no FID. */
#define DEBUG_SUBSYSTEM S_OSD

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

int __osd_adopt(struct osd_device *osd, struct dentry *dentry, struct lu_fid *fid)
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
int __osd_bind(struct osd_device *osd, struct dentry *dentry, struct osd_object *obj)
{
	struct lu_fid fid;
	int rc = osd_lma_read(dentry, &fid);

	if (rc == -ENODATA)
		rc = __osd_adopt(osd, dentry, &fid);
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
	rc = d_is_negative(dentry) ? -ENOENT : __osd_bind(dir->oo_osd, dentry, child);
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
