// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names: lookup, link, unlink, rename. The server checks permissions; what the VFS checks before,
 * by the attributes of the lookup, only saves requests.
 *
 * A name that is missing has a dentry if a lock covers the directory.
 */
#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/namei.h>

#include <lustre_lite/compat.h>

#include "llite_inode.h"
#include "stats.h"

/**
 * ll_getattr_name() - ask the server for a name
 * @dir: directory
 * @name: name
 * @known: inode that the name had, or NULL
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: answered request, for ll_op_free(); -ENOENT and others of the server; as ll_op_new()
 *  and ll_op_call()
 */
struct ll_op *ll_getattr_name(struct inode *dir, const struct qstr *name, struct inode *known)
{
	struct ll_op *lo = ll_op_new(dir->i_sb, current_cred(), MDS_GETATTR_NAME, 0);
	int rc;

	if (IS_ERR(lo))
		return lo;
	ll_op_object(lo, dir);
	ll_op_name(lo, name);
	ll_op_ask(lo, known);
	rc = ll_op_call(lo);
	if (!rc)
		return lo;
	ll_op_free(lo);
	return ERR_PTR(rc);
}

/* The dentry stays if a lock has covered the directory since before the name was looked up. */
void ll_lookup_missing(struct inode *dir, struct dentry *dentry, unsigned long content)
{
	if (!content || content != ll_cover_epoch(dir, MDS_INODELOCK_UPDATE))
		return;
	ll_dentry_covered(dentry, content);
	d_splice_alias(NULL, dentry);
}

/*
 * Whether the server will find out that a name exists. It refuses to create it: without permission
 * to write to the directory that error would be another one. It refuses to replace what a rename
 * does not name (-ESTALE): the VFS then looks the name up with LOOKUP_REVAL.
 */
static bool is_left_to_change(struct inode *dir, unsigned int flags)
{
	const unsigned int both = LOOKUP_CREATE | LOOKUP_EXCL;

	if (flags & LOOKUP_RENAME_TARGET)
		return !(flags & LOOKUP_REVAL);
	return (flags & both) == both &&
	       !ll_permission(compat_nop_idmap, dir, MAY_WRITE | MAY_EXEC);
}

/**
 * ll_lookup() - look a name up
 * @dir: directory, whose i_rwsem the VFS holds
 * @dentry: name
 * @flags: LOOKUP_*
 *
 * Context: sleeps
 * Return: NULL, the dentry that a directory already has, or a negative errno
 */
struct dentry *ll_lookup(struct inode *dir, struct dentry *dentry, unsigned int flags)
{
	unsigned long content = ll_cover_epoch(dir, MDS_INODELOCK_UPDATE);
	struct dentry *other;
	struct ll_op *lo;

	if (dentry->d_name.len > NAME_MAX)
		return ERR_PTR(-ENAMETOOLONG);
	if (ll_is_dot_lustre(dir, &dentry->d_name))
		return ll_dot_lustre_lookup(dir, dentry);
	if (is_left_to_change(dir, flags))
		return NULL;
	lo = ll_getattr_name(dir, &dentry->d_name, NULL);
	if (PTR_ERR_OR_ZERO(lo) == -ENOENT)
		ll_lookup_missing(dir, dentry, content);
	if (IS_ERR(lo))
		return PTR_ERR(lo) == -ENOENT ? NULL : ERR_CAST(lo);
	other = d_splice_alias(ll_iget(dir->i_sb, lo), dentry);
	if (!IS_ERR(other)) {
		ll_dentry_claim(other ?: dentry, lo, 0);
		ll_ahead_brought(other ?: dentry);
	}
	ll_op_free(lo);
	return other;
}

int ll_link(struct dentry *old, struct inode *dir, struct dentry *dentry)
{
	struct inode *inode = d_inode(old);
	struct ll_op *lo;
	int rc;
	LL_DEFINE_TIMED(dir->i_sb, LL_STAT_LINK);

	lo = ll_op_new(dir->i_sb, current_cred(), MDS_REINT, REINT_LINK);
	if (IS_ERR(lo))
		return PTR_ERR(lo);
	ll_op_object(lo, dir);
	ll_op_object(lo, inode);
	ll_op_name(lo, &dentry->d_name);
	rc = ll_op_call(lo);
	if (!rc) {
		ll_update_parent(dir, lo);
		ll_update_inode(inode, lo);
		ihold(inode);
		d_drop(dentry);
		d_add(dentry, inode);
		ll_dentry_claim(dentry, lo, 0);
	}
	ll_op_free(lo);
	return rc;
}

static int name_remove(struct inode *dir, struct dentry *dentry, u32 flags)
{
	struct inode *inode = d_inode(dentry);
	struct ll_op *lo;
	int rc;

	if (ll_inode_is_own(inode))
		return -EPERM;
	lo = ll_op_new(dir->i_sb, current_cred(), MDS_REINT, REINT_UNLINK);
	if (IS_ERR(lo))
		return PTR_ERR(lo);
	ll_op_object(lo, dir);
	ll_op_object(lo, inode);
	ll_op_name(lo, &dentry->d_name);
	lo->lop_data.flags = flags;
	rc = ll_op_call(lo);
	if (!rc) {
		ll_update_parent(dir, lo);
		ll_update_inode(inode, lo);
		/* The VFS makes it a missing name, or drops it. */
		ll_dentry_covered(dentry, lo->lop_content[0]);
		if (flags & MDS_UNLINK_DIR)
			clear_nlink(inode);
	}
	ll_op_free(lo);
	return rc;
}

int ll_unlink(struct inode *dir, struct dentry *dentry)
{
	LL_DEFINE_TIMED(dir->i_sb, LL_STAT_UNLINK);

	return name_remove(dir, dentry, 0);
}

int ll_rmdir(struct inode *dir, struct dentry *dentry)
{
	LL_DEFINE_TIMED(dir->i_sb, LL_STAT_RMDIR);

	return name_remove(dir, dentry, MDS_UNLINK_DIR);
}

/* An object whose name another one took: the reply is not about it. */
static void replaced(struct inode *inode)
{
	if (!inode)
		return;
	ll_attr_forget(inode);
	if (S_ISDIR(inode->i_mode))
		clear_nlink(inode);
	else if (inode->i_nlink)
		drop_nlink(inode);
}

/* The server refuses to replace an object that the request does not name. */
int ll_rename(struct compat_idmap *idmap, struct inode *dir, struct dentry *dentry,
	      struct inode *new_dir, struct dentry *new_dentry, unsigned int flags)
{
	struct inode *inode = d_inode(dentry);
	struct ll_op *lo;
	int rc;
	LL_DEFINE_TIMED(dir->i_sb, LL_STAT_RENAME);

	if (flags & ~RENAME_NOREPLACE)
		return -EINVAL;
	if (ll_inode_is_own(inode) || ll_is_dot_lustre(new_dir, &new_dentry->d_name))
		return -EPERM;
	lo = ll_op_new(dir->i_sb, current_cred(), MDS_REINT, REINT_RENAME);
	if (IS_ERR(lo))
		return PTR_ERR(lo);
	ll_op_object(lo, dir);
	ll_op_object(lo, inode);
	ll_op_object(lo, new_dir);
	ll_op_object(lo, d_inode(new_dentry));
	ll_op_name(lo, &dentry->d_name);
	lo->lop_data.value = new_dentry->d_name.name;
	lo->lop_data.value_len = new_dentry->d_name.len;
	rc = ll_op_call(lo);
	if (!rc) {
		ll_update_parent(dir, lo);
		if (new_dir != dir)
			ll_attr_forget(new_dir);
		ll_update_inode(inode, lo);
		replaced(d_inode(new_dentry));
		/* The VFS gives it the new name. */
		ll_dentry_covered(dentry, lo->lop_content[2]);
	}
	ll_op_free(lo);
	return rc;
}
