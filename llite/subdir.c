// SPDX-License-Identifier: GPL-2.0-only
/*
 * Directory of the file system that a mount has as its root: NID:/FSNAME/SUBDIR. The super block is
 * that of the whole file system.
 */
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/fs_context.h>
#include <linux/mount.h>
#include <linux/namei.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>

#include "llite_inode.h"

static int child_check(struct dentry *child)
{
	if (IS_ERR(child))
		return PTR_ERR(child);
	if (d_really_is_negative(child))
		return -ENOENT;
	return d_is_dir(child) ? 0 : -ENOTDIR;
}

static const char *reason_of(const struct dentry *child, int rc)
{
	switch (rc) {
	case -ENOENT:
		return "does not exist";
	case -ENOTDIR:
		return d_is_symlink(child) ? "is a symbolic link, not a directory" :
					     "is not a directory";
	case -EACCES:
		return "cannot be looked up: permission denied";
	default:
		return "cannot be looked up";
	}
}

/* Return: the directory @name of @parent, with a reference; an ERR_PTR */
static struct dentry *step(struct dentry *parent, const char *path, const char *name, size_t len,
			   struct obd_why *why)
{
	struct dentry *child = compat_lookup_unlocked(parent, name, len);
	int rc = child_check(child);

	if (!rc)
		return child;
	obd_refuse(why, rc, "subdirectory '%.100s': '%.*s' %s: rc = %d", path,
		   (int)min_t(size_t, len, 64), name, reason_of(child, rc), rc);
	if (!IS_ERR(child))
		dput(child);
	return ERR_PTR(rc);
}

/*
 * Permissions are the caller's. Symbolic links are refused: they would lead out of the file system.
 * Return: dentry with a reference; an ERR_PTR
 */
static struct dentry *subdir_find(struct dentry *root, const char *path, struct obd_why *why)
{
	struct dentry *at = dget(root), *child;
	const char *name = path;
	size_t len;

	for (; *name && !IS_ERR(at); name += len + strspn(name + len, "/")) {
		len = strcspn(name, "/");
		child = step(at, path, name, len, why);
		dput(at);
		at = child;
	}
	return at;
}

/* Return: a mount of the whole file system, in no namespace; an ERR_PTR */
static struct vfsmount *whole_mount(struct fs_context *fc, size_t at)
{
	struct fs_context *whole = vfs_dup_fs_context(fc);
	struct vfsmount *mnt;

	if (IS_ERR(whole))
		return ERR_CAST(whole);
	whole->source = kstrndup(fc->source, at, GFP_KERNEL);
	mnt = whole->source ? fc_mount(whole) : ERR_PTR(-ENOMEM);
	put_fs_context(whole);
	return mnt;
}

/**
 * llite_subdir_get_tree() - mount a directory of a file system
 * @fc: context of the mount; out: its root
 * @at: where in its source the path of the directory starts
 * @why: out: reason, with the component, if the directory is what fails
 *
 * The whole file system is mounted first: its super block has no lock while the path is looked up,
 * so a server that does not answer blocks nothing that iterates over super blocks.
 *
 * Context: sleeps until the metadata target answers; a signal that kills the task ends that
 * Return: 0 with s_umount held, as get_tree; a negative errno
 */
int llite_subdir_get_tree(struct fs_context *fc, size_t at, struct obd_why *why)
{
	struct vfsmount *mnt = whole_mount(fc, at);
	struct super_block *sb;
	struct dentry *dir;

	if (IS_ERR(mnt))
		return PTR_ERR(mnt);
	sb = mnt->mnt_sb;
	dir = subdir_find(mnt->mnt_root, fc->source + at, why);
	if (!IS_ERR(dir))
		atomic_inc(&sb->s_active);
	mntput(mnt);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	down_write(&sb->s_umount);
	fc->root = dir;
	return 0;
}
