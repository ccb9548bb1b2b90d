// SPDX-License-Identifier: GPL-2.0
/*
 * Folders of targets: one mount of each, and the file CONFIGS/mountdata in it. That
 * is replaced as a whole: after a power cut it is the old one or the new one.
 */
#define DEBUG_SUBSYSTEM S_LLITE

#include <linux/err.h>
#include <linux/file.h>
#include <linux/list.h>
#include <linux/mount.h>
#include <linux/mutex.h>
#include <linux/namei.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/file.h>

#include "llite_internal.h"

#define NEW_NAME	"mountdata.new"
#define OLD_NAME	"mountdata"

static DEFINE_MUTEX(claims_lock);	/* guards claims */
static LIST_HEAD(claims);

static bool claim_add(struct llite_claim *claim)
{
	struct inode *inode = d_inode(claim->fc_folder.dentry);
	struct llite_claim *other;
	bool ours = true;

	mutex_lock(&claims_lock);
	list_for_each_entry(other, &claims, fc_item)
		if (d_inode(other->fc_folder.dentry) == inode)
			ours = false;
	if (ours)
		list_add(&claim->fc_item, &claims);
	mutex_unlock(&claims_lock);
	return ours;
}

/**
 * llite_folder_claim() - find a folder and keep others from mounting it
 * @claim: out
 * @name: its path
 * @why: out, why not
 *
 * Context: may sleep
 * Return: 0; -EBUSY when it is mounted, or being mounted; as kern_path()
 */
int llite_folder_claim(struct llite_claim *claim, const char *name,
		       struct obd_why *why)
{
	int rc = kern_path(name, LOOKUP_FOLLOW | LOOKUP_DIRECTORY,
			   &claim->fc_folder);

	if (rc)
		return obd_refuse(why, rc, "there is no folder '%.128s'", name);
	if (claim_add(claim))
		return 0;
	path_put(&claim->fc_folder);
	return obd_refuse(why, -EBUSY,
			  "%.128s: is mounted already, or being mounted", name);
}

/**
 * llite_folder_release() - the opposite
 * @claim: folder
 *
 * Context: may sleep
 */
void llite_folder_release(struct llite_claim *claim)
{
	mutex_lock(&claims_lock);
	list_del(&claim->fc_item);
	mutex_unlock(&claims_lock);
	path_put(&claim->fc_folder);
}

/**
 * llite_mountdata_read() - read and check CONFIGS/mountdata
 * @folder: folder of a target
 * @ldd: out
 * @why: out, why not
 *
 * Context: may sleep
 * Return: 0; -ENODATA: it is too short; -EINVAL: it cannot be; as open() and read()
 */
int llite_mountdata_read(const struct path *folder,
			 struct lustre_disk_data *ldd, struct obd_why *why)
{
	struct file *file = file_open_root(folder, MOUNT_DATA_FILE, O_RDONLY, 0);
	char words[OBD_WHY_MAX] = "";
	int rc;

	if (IS_ERR(file))
		return obd_refuse(why, PTR_ERR(file),
				  "%pd: cannot open " MOUNT_DATA_FILE "; was it made by mkfs.lustre-lite?",
				  folder->dentry);
	rc = libcfs_pread(file, 0, ldd, sizeof(*ldd));
	fput(file);
	if (rc != sizeof(*ldd))
		return obd_refuse(why, rc < 0 ? rc : -ENODATA,
				  "%pd: cannot read " MOUNT_DATA_FILE " whole, %zu bytes",
				  folder->dentry, sizeof(*ldd));
	rc = llite_mountdata_check(ldd, words);
	if (rc)
		return obd_refuse(why, rc, "%pd: " MOUNT_DATA_FILE " %s",
				  folder->dentry, words);
	return 0;
}

static int new_write(const struct path *dir, const struct lustre_disk_data *ldd)
{
	struct file *file = file_open_root(dir, NEW_NAME,
					   O_WRONLY | O_CREAT | O_TRUNC, 0644);
	int rc;

	if (IS_ERR(file))
		return PTR_ERR(file);
	rc = libcfs_pwrite(file, 0, ldd, sizeof(*ldd)) ?: vfs_fsync(file, 0);
	fput(file);
	return rc;
}

static int new_over_old(const struct path *dir, struct dentry *from,
			struct dentry *to)
{
	struct renamedata rd = {
		.old_dir	= d_inode(dir->dentry),
		.old_dentry	= from,
		.new_dir	= d_inode(dir->dentry),
		.new_dentry	= to,
	};

	ll_renamedata_mnt(&rd, dir->mnt);
	return vfs_rename(&rd);
}

/* NEW_NAME becomes OLD_NAME. */
static int new_rename(const struct path *dir)
{
	struct inode *inode = d_inode(dir->dentry);
	struct dentry *from, *to;
	int rc;

	inode_lock_nested(inode, I_MUTEX_PARENT);
	from = lookup_one_len(NEW_NAME, dir->dentry, strlen(NEW_NAME));
	if (IS_ERR(from)) {
		rc = PTR_ERR(from);
		goto unlock;
	}
	to = lookup_one_len(OLD_NAME, dir->dentry, strlen(OLD_NAME));
	if (IS_ERR(to)) {
		rc = PTR_ERR(to);
		goto put_from;
	}
	rc = d_really_is_negative(from) ? -ENOENT :
					  new_over_old(dir, from, to);
	dput(to);
put_from:
	dput(from);
unlock:
	inode_unlock(inode);
	return rc;
}

/* The new name is to survive a power cut; there are folders that need no fsync. */
static int mountdata_replace(struct file *dir,
			     const struct lustre_disk_data *ldd)
{
	int rc = new_write(&dir->f_path, ldd);

	if (rc)
		return rc;
	rc = mnt_want_write(dir->f_path.mnt);
	if (rc)
		return rc;
	rc = new_rename(&dir->f_path);
	mnt_drop_write(dir->f_path.mnt);
	return rc ?: libcfs_dir_sync(dir);
}

/**
 * llite_mountdata_write() - replace CONFIGS/mountdata
 * @folder: folder of a target
 * @ldd: what is to be in it
 * @why: out, why not
 *
 * Context: may sleep
 * Return: 0 or a negative errno: the old one or the new one is there, whole
 */
int llite_mountdata_write(const struct path *folder,
			  const struct lustre_disk_data *ldd,
			  struct obd_why *why)
{
	struct file *dir = file_open_root(folder, MOUNT_CONFIGS_DIR,
					  O_RDONLY | O_DIRECTORY, 0);
	int rc = PTR_ERR_OR_ZERO(dir);

	if (!rc) {
		rc = mountdata_replace(dir, ldd);
		fput(dir);
	}
	if (rc)
		return obd_refuse(why, rc,
				  "%pd: cannot write " MOUNT_DATA_FILE,
				  folder->dentry);
	return 0;
}
