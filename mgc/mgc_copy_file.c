// SPDX-License-Identifier: GPL-2.0
/*
 * Files in a folder of copies.
 */
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
 * mgc_copy_open() - open a file of a folder
 * @folder: folder
 * @name: file
 * @flags: O_*
 *
 * Context: may sleep
 * Return: file, or an ERR_PTR; -EINVAL for what is no regular file
 */
struct file *mgc_copy_open(const struct path *folder, const char *name,
			   int flags)
{
	struct file *file = file_open_root(folder, name, flags | O_LARGEFILE |
					   O_NONBLOCK | O_NOFOLLOW, 0644);

	if (!IS_ERR(file) && !S_ISREG(file_inode(file)->i_mode)) {
		fput(file);
		return ERR_PTR(-EINVAL);
	}
	return file;
}

/**
 * mgc_copy_exists() - whether there is such a file
 * @folder: folder
 * @name: file
 *
 * Context: may sleep
 * Return: whether there may be one
 */
bool mgc_copy_exists(const struct path *folder, const char *name)
{
	struct file *file = mgc_copy_open(folder, name, O_RDONLY);

	if (IS_ERR(file))
		return PTR_ERR(file) != -ENOENT;
	fput(file);
	return true;
}

static int rename_locked(const struct path *folder, struct dentry *from,
			 struct dentry *to)
{
	struct renamedata rd = {
		.old_dir = d_inode(folder->dentry),
		.old_dentry = from,
		.new_dir = d_inode(folder->dentry),
		.new_dentry = to,
	};

	if (d_really_is_negative(from))
		return -ENOENT;
	compat_renamedata_mnt(&rd, folder->mnt);
	return vfs_rename(&rd);
}

static int rename_names(const struct path *folder, const char *from,
			const char *to)
{
	struct dentry *old, *new;
	int rc;

	old = lookup_one_len(from, folder->dentry, strlen(from));
	if (IS_ERR(old))
		return PTR_ERR(old);
	new = lookup_one_len(to, folder->dentry, strlen(to));
	if (IS_ERR(new)) {
		dput(old);
		return PTR_ERR(new);
	}
	rc = rename_locked(folder, old, new);
	dput(new);
	dput(old);
	return rc;
}

/**
 * mgc_copy_rename() - give a file another name, in place of what has that
 * @folder: folder
 * @from: name
 * @to: another one
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int mgc_copy_rename(const struct path *folder, const char *from, const char *to)
{
	int rc = mnt_want_write(folder->mnt);

	if (rc)
		return rc;
	lock_rename(folder->dentry, folder->dentry);
	rc = rename_names(folder, from, to);
	unlock_rename(folder->dentry, folder->dentry);
	mnt_drop_write(folder->mnt);
	return rc;
}

/**
 * mgc_copy_sync() - names in a folder are to survive a power cut
 * @folder: folder
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int mgc_copy_sync(const struct path *folder)
{
	struct file *dir = dentry_open(folder, O_RDONLY | O_DIRECTORY,
				       current_cred());
	int rc;

	if (IS_ERR(dir))
		return PTR_ERR(dir);
	rc = libcfs_dir_sync(dir);
	fput(dir);
	return rc;
}
