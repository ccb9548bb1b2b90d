// SPDX-License-Identifier: GPL-2.0-only
/* Devices: which directories can store objects. */
#define DEBUG_SUBSYSTEM S_OSD

#include <linux/exportfs.h>
#include <linux/magic.h>
#include <linux/time64.h>
#include <linux/xattr.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/obd_why.h>

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
	rc = osd->osd_cred ? osd_prepare(osd, why) : -ENOMEM;
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
	osd_prepare_undo(osd);
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
