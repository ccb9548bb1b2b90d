// SPDX-License-Identifier: GPL-2.0-only
/*
 * New objects. The client chooses the FID, so that the server recognises a create that is sent
 * again.
 */
#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/kdev_t.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/obd_ops.h>

#include "llite_inode.h"
#include "stats.h"

/**
 * ll_op_new_fid() - add a new object to a request
 * @lo: request, whose first object is the directory
 *
 * Context: sleeps; may send a request
 * Return: 0 or a negative errno, as md_fid_alloc()
 */
int ll_op_new_fid(struct ll_op *lo)
{
	struct md_op_data *op = &lo->lop_data;
	struct md_object *object = &op->object[op->objects++];

	return md_fid_alloc(lo->lop_exp, &op->object[0], &object->fid);
}

/* The dentry may be hashed; it is negative, and its directory is locked. */
static int name_made(struct inode *dir, struct dentry *dentry, const struct ll_op *lo)
{
	struct inode *inode = ll_iget(dir->i_sb, lo);
	struct dentry *other;

	ll_update_parent(dir, lo);
	d_drop(dentry);
	other = d_splice_alias(inode, dentry);
	if (IS_ERR(other))
		return PTR_ERR(other);
	ll_dentry_claim(other ?: dentry, lo, 0);
	dput(other);
	return 0;
}

static int ll_new_node(struct inode *dir, struct dentry *dentry, umode_t mode, dev_t dev,
		       const char *target)
{
	struct ll_op *lo;
	int rc;

	lo = ll_op_new(dir->i_sb, current_cred(), MDS_REINT, REINT_CREATE);
	if (IS_ERR(lo))
		return PTR_ERR(lo);
	ll_op_object(lo, dir);
	ll_op_name(lo, &dentry->d_name);
	lo->lop_data.attr.mode = mode;
	lo->lop_data.attr.rdev = new_encode_dev(dev);
	if (target) {
		lo->lop_data.value = target;
		lo->lop_data.value_len = strlen(target);
	}
	ll_op_ask(lo, NULL);
	rc = ll_op_new_fid(lo) ?: ll_op_call(lo);
	if (!rc)
		rc = name_made(dir, dentry, lo);
	ll_op_free(lo);
	return rc;
}

int ll_create(struct inode *dir, struct dentry *dentry, umode_t mode)
{
	LL_DEFINE_TIMED(dir->i_sb, LL_STAT_CREATE);

	return ll_new_node(dir, dentry, mode | S_IFREG, 0, NULL);
}

int ll_mkdir(struct inode *dir, struct dentry *dentry, umode_t mode)
{
	LL_DEFINE_TIMED(dir->i_sb, LL_STAT_MKDIR);

	return ll_new_node(dir, dentry, mode | S_IFDIR, 0, NULL);
}

int ll_mknod(struct compat_idmap *idmap, struct inode *dir, struct dentry *dentry,
	     umode_t mode, dev_t dev)
{
	LL_DEFINE_TIMED(dir->i_sb, LL_STAT_MKNOD);

	return ll_new_node(dir, dentry, mode, dev, NULL);
}

int ll_symlink(struct compat_idmap *idmap, struct inode *dir, struct dentry *dentry,
	       const char *target)
{
	LL_DEFINE_TIMED(dir->i_sb, LL_STAT_SYMLINK);

	return ll_new_node(dir, dentry, S_IFLNK | 0777, 0, target);
}
