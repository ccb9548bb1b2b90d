// SPDX-License-Identifier: GPL-2.0
/* Files in a directory of copies. */
#define DEBUG_SUBSYSTEM S_MGC

#include <linux/cred.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mount.h>
#include <linux/namei.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/file.h>

#include "mgc_internal.h"

/**
 * mgc_copy_open() - open a file
 * @dir: directory
 * @name: file
 * @flags: O_*
 *
 * Context: may sleep
 * Return: file, or an ERR_PTR; -EINVAL unless it is a regular file
 */
struct file *mgc_copy_open(const struct path *dir, const char *name,
			   int flags)
{
	struct file *file = file_open_root(dir, name, flags | O_LARGEFILE |
					   O_NONBLOCK | O_NOFOLLOW, 0644);

	if (!IS_ERR(file) && !S_ISREG(file_inode(file)->i_mode)) {
		fput(file);
		return ERR_PTR(-EINVAL);
	}
	return file;
}

/**
 * mgc_copy_exists() - whether a file exists
 * @dir: directory
 * @name: file
 *
 * Context: may sleep
 * Return: false if it certainly does not
 */
bool mgc_copy_exists(const struct path *dir, const char *name)
{
	struct file *file = mgc_copy_open(dir, name, O_RDONLY);

	if (IS_ERR(file))
		return PTR_ERR(file) != -ENOENT;
	fput(file);
	return true;
}

static int rename_locked(const struct path *dir, struct dentry *from,
			 struct dentry *to)
{
	struct renamedata rd = {
		.old_dir = d_inode(dir->dentry),
		.old_dentry = from,
		.new_dir = d_inode(dir->dentry),
		.new_dentry = to,
	};

	if (d_really_is_negative(from))
		return -ENOENT;
	compat_renamedata_mnt(&rd, dir->mnt);
	return vfs_rename(&rd);
}

static int rename_names(const struct path *dir, const char *from,
			const char *to)
{
	struct dentry *old, *new;
	int rc;

	old = lookup_one_len(from, dir->dentry, strlen(from));
	if (IS_ERR(old))
		return PTR_ERR(old);
	new = lookup_one_len(to, dir->dentry, strlen(to));
	if (IS_ERR(new)) {
		dput(old);
		return PTR_ERR(new);
	}
	rc = rename_locked(dir, old, new);
	dput(new);
	dput(old);
	return rc;
}

/**
 * mgc_copy_rename() - rename a file, replacing @to
 * @dir: directory
 * @from: old name
 * @to: new name
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int mgc_copy_rename(const struct path *dir, const char *from, const char *to)
{
	int rc = mnt_want_write(dir->mnt);

	if (rc)
		return rc;
	lock_rename(dir->dentry, dir->dentry);
	rc = rename_names(dir, from, to);
	unlock_rename(dir->dentry, dir->dentry);
	mnt_drop_write(dir->mnt);
	return rc;
}

/**
 * mgc_copy_sync() - make the names in a directory survive a power cut
 * @dir: directory
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int mgc_copy_sync(const struct path *dir)
{
	struct file *file = dentry_open(dir, O_RDONLY | O_DIRECTORY,
				       current_cred());
	int rc;

	if (IS_ERR(file))
		return PTR_ERR(file);
	rc = libcfs_dir_sync(file);
	fput(file);
	return rc;
}
