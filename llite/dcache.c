// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether a name is still that of its object: the server is asked on every path walk.
 */
#define LUSTRE_LITE_INODE_OPS

#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/namei.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/lustre_fid.h>

#include "llite_inode.h"

/*
 * Return: 1; 0: the name is that of another object, or of none: it is looked up again; negative
 * errno. A missing name is not cached, so a negative dentry is left over from a removal.
 */
int ll_revalidate(struct inode *dir, const struct qstr *name, struct dentry *dentry)
{
	struct inode *inode = d_inode(dentry);
	struct ll_op *lo;
	int same;

	if (!inode)
		return 0;
	lo = ll_getattr_name(dir, name);
	if (IS_ERR(lo))
		return PTR_ERR(lo) == -ENOENT ? 0 : PTR_ERR(lo);
	same = lu_fid_eq(ll_inode2fid(inode), &lo->lo_rep.object.fid);
	if (same)
		ll_update_inode(inode, &lo->lo_rep);
	ll_op_free(lo);
	return same;
}

const struct dentry_operations ll_d_ops = {
	.d_revalidate	= compat_dop_revalidate,
};
