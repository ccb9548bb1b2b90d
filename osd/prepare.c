// SPDX-License-Identifier: GPL-2.0-only
/* The directories of a target, created where they are missing. */
#include <linux/namei.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/obd_why.h>

#include "osd_internal.h"

static const struct lu_fid root_fid = { .f_seq = FID_SEQ_ROOT, .f_oid = FID_OID_ROOT };

/* The umask of the task that mounts is not the target's. */
static int mode_set(struct dentry *dentry, umode_t mode)
{
	struct iattr attr = {
		.ia_valid = ATTR_MODE,
		.ia_mode = S_IFDIR | mode,
	};
	int rc;

	inode_lock(d_inode(dentry));
	rc = notify_change(compat_nop_idmap, dentry, &attr, NULL);
	inode_unlock(d_inode(dentry));
	return rc;
}

static int __dir_make(struct dentry *parent, struct dentry **dentry, umode_t mode)
{
	int rc;

	if (d_is_dir(*dentry))
		return 0;
	if (d_is_positive(*dentry))
		return -ENOTDIR;
	rc = compat_mkdir(compat_nop_idmap, d_inode(parent), *dentry, mode);
	return rc ?: mode_set(*dentry, mode);
}

/* A directory; created if it is missing. Return: referenced, or an ERR_PTR. */
static struct dentry *dir_prepare(struct dentry *parent, const char *name, umode_t mode)
{
	struct dentry *dentry;
	int rc;

	osd_lock_parent(parent);
	dentry = compat_lookup(parent, name, strlen(name));
	if (!IS_ERR(dentry)) {
		rc = __dir_make(parent, &dentry, mode);
		if (rc) {
			dput(dentry);
			dentry = ERR_PTR(rc);
		}
	}
	osd_unlock_parent(parent);
	return dentry;
}

static int root_fid_set(struct dentry *root)
{
	struct lu_fid fid;
	int rc = osd_lma_read(root, &fid);

	if (rc != -ENODATA)
		return rc;
	inode_lock(d_inode(root));
	rc = __osd_lma_write(root, &root_fid, 0);
	inode_unlock(d_inode(root));
	return rc;
}

/* NAME0 to NAMEn in a new or existing directory. */
static int dirs_prepare(struct dentry *parent, const char *fmt, u32 count)
{
	struct dentry *dentry;
	char name[8];
	u32 n;

	for (n = 0; n < count; n++) {
		snprintf(name, sizeof(name), fmt, n);
		dentry = dir_prepare(parent, name, 0700);
		if (IS_ERR(dentry))
			return PTR_ERR(dentry);
		dput(dentry);
	}
	return 0;
}

static int mdt_prepare(struct osd_device *osd)
{
	struct dentry *top = osd->osd_path.dentry, *dentry;
	int rc;

	dentry = dir_prepare(top, "ROOT", 0755);
	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	osd->osd_root = dentry;
	rc = root_fid_set(dentry);
	if (rc)
		return rc;
	dentry = dir_prepare(top, "PENDING", 0700);
	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	osd->osd_objects = dentry;
	return dirs_prepare(dentry, "%x", OSD_PENDING_DIRS);
}

static int ost_prepare(struct osd_device *osd)
{
	struct dentry *dentry, *o = dir_prepare(osd->osd_path.dentry, "O", 0700);

	if (IS_ERR(o))
		return PTR_ERR(o);
	dentry = dir_prepare(o, "0", 0700);
	dput(o);
	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	osd->osd_objects = dentry;
	return dirs_prepare(dentry, "d%u", OSD_OST_DIRS);
}

/* After a failure, directories stay referenced until osd_prepare_undo(). */
int osd_prepare(struct osd_device *osd, struct obd_why *why)
{
	const struct cred *old = override_creds(osd->osd_cred);
	int rc = osd_want_write(osd);

	if (!rc) {
		rc = osd->osd_kind == OSD_KIND_MDT ? mdt_prepare(osd) : ost_prepare(osd);
		osd_drop_write(osd);
	}
	revert_creds(old);
	if (rc)
		return obd_refuse(why, rc, "%s: cannot create the directories of the target",
				  osd->osd_name);
	return 0;
}

void osd_prepare_undo(struct osd_device *osd)
{
	dput(osd->osd_objects);
	dput(osd->osd_root);
}
