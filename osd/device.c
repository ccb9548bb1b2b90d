// SPDX-License-Identifier: GPL-2.0-only
/*
 * Devices: which directories can store objects, and the directories of a target in them, created
 * where they are missing. The module has no state of its own: devices of mdt and ofd pin it.
 */
#define DEBUG_SUBSYSTEM S_OSD

#include <linux/exportfs.h>
#include <linux/magic.h>
#include <linux/module.h>
#include <linux/namei.h>
#include <linux/time64.h>
#include <linux/xattr.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/obd_why.h>
#include <lustre_lite/version.h>

#include "osd_internal.h"

/* The directory itself has no FID; only whether the file system has such attributes. */
static bool has_trusted(const struct path *path)
{
	u8 byte;

	return __vfs_getxattr(path->dentry, d_inode(path->dentry), XATTR_NAME_LMA, &byte, 1) !=
	       -EOPNOTSUPP;
}

static int backend_check(const struct path *path, const char *name, struct obd_why *why)
{
	const struct super_block *sb = path->dentry->d_sb;
	const struct export_operations *ops = sb->s_export_op;
	const char *type = sb->s_type->name;

	if (!ops || !ops->fh_to_dentry)
		return obd_refuse(why, -EOPNOTSUPP,
				  "%s: a directory of %s has no file handles; use ext4, xfs, btrfs or tmpfs",
				  name, type);
	if (ops->flags & EXPORT_OP_REMOTE_FS)
		return obd_refuse(why, -EREMOTE,
				  "%s: the directory is of another node (%s); use a local file system",
				  name, type);
	if (is_idmapped_mnt(path->mnt))
		return obd_refuse(why, -EINVAL,
				  "%s: the directory is on a mount with an id mapping; use one without",
				  name);
	if (IS_CASEFOLDED(d_inode(path->dentry)))
		return obd_refuse(why, -EINVAL,
				  "%s: the directory ignores case in names; use one without casefold",
				  name);
	if (__mnt_is_readonly(path->mnt))
		return obd_refuse(why, -EROFS,
				  "%s: the directory is mounted read-only; remount it read-write", name);
	if (!has_trusted(path))
		return obd_refuse(why, -EOPNOTSUPP,
				  "%s: %s has no trusted.* attributes; use ext4, xfs, btrfs or tmpfs",
				  name, type);
	return 0;
}

/* Whole seconds are all that the small inodes of ext4 store, and attributes fill blocks. */
static void backend_warn(const struct path *path, const char *name)
{
	const struct super_block *sb = path->dentry->d_sb;

	if (sb->s_magic == EXT4_SUPER_MAGIC && sb->s_time_gran == NSEC_PER_SEC)
		CWARN("%s: %s has inodes of 128 bytes: times are in seconds, and each file takes a block for its attributes; use mkfs.ext4 -I 512\n",
		      name, sb->s_id);
}

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

/* After a failure, directories stay referenced until prepare_undo(). */
static int prepare(struct osd_device *osd, struct obd_why *why)
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

static void prepare_undo(struct osd_device *osd)
{
	dput(osd->osd_objects);
	dput(osd->osd_root);
}

static void device_init(struct osd_device *osd, const struct path *path, enum osd_kind kind,
			const char *name)
{
	strscpy(osd->osd_name, name, sizeof(osd->osd_name));
	osd->osd_kind = kind;
	osd->osd_path = *path;
	path_get(&osd->osd_path);
	osd->osd_durable = path->dentry->d_sb->s_op->sync_fs;
	osd->osd_wb_err = errseq_sample(&path->dentry->d_sb->s_wb_err);
	spin_lock_init(&osd->osd_lock);
	hash_init(osd->osd_creds);
	INIT_LIST_HEAD(&osd->osd_cred_lru);
}

struct osd_device *osd_device_open(const struct path *path, enum osd_kind kind, const char *name,
				   struct obd_why *why)
{
	struct osd_device *osd;
	int rc = backend_check(path, name, why);

	if (rc)
		return ERR_PTR(rc);
	osd = libcfs_zalloc(sizeof(*osd), GFP_KERNEL_ACCOUNT);
	if (!osd)
		return ERR_PTR(-ENOMEM);
	device_init(osd, path, kind, name);
	osd->osd_cred = osd_cred_kernel();
	rc = osd->osd_cred ? prepare(osd, why) : -ENOMEM;
	if (rc) {
		osd_device_close(osd);
		return ERR_PTR(rc);
	}
	backend_warn(path, name);
	return osd;
}
EXPORT_SYMBOL_NS_GPL(osd_device_open, LUSTRE_LITE);

void osd_device_close(struct osd_device *osd)
{
	if (!osd)
		return;
	prepare_undo(osd);
	osd_creds_drop(osd);
	if (osd->osd_cred)
		put_cred(osd->osd_cred);
	path_put(&osd->osd_path);
	libcfs_free(osd, sizeof(*osd));
}
EXPORT_SYMBOL_NS_GPL(osd_device_close, LUSTRE_LITE);

bool osd_device_durable(const struct osd_device *osd)
{
	return osd->osd_durable;
}
EXPORT_SYMBOL_NS_GPL(osd_device_durable, LUSTRE_LITE);

MODULE_DESCRIPTION("lustre-lite: object storage device");
MODULE_AUTHOR("lustre-lite");
MODULE_VERSION(LUSTRE_LITE_VERSION);
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
