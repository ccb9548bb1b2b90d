// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether a name is still that of its object: the server is asked unless a lock covers the name.
 */
#define LUSTRE_LITE_INODE_OPS

#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/namei.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/lustre_fid.h>

#include "llite_inode.h"

/*
 * With LOOKUP_REVAL the walk is repeated after -ESTALE. The name may be right, and the target may
 * not find the object: what a replay made again after a power cut has another hint, which the reply
 * has.
 *
 * Return: 1; 0: the name is that of another object, or of none: it is looked up again; negative
 * errno.
 */
int ll_revalidate(struct inode *dir, const struct qstr *name, struct dentry *dentry,
		  unsigned int flags)
{
	struct inode *inode = d_inode(dentry);
	struct ll_op *lo;
	int same;

	if (ll_inode_is_own(dir) || (inode && ll_inode_is_own(inode)))
		return ll_dot_lustre_revalidate(dir, dentry, flags);
	if (!(flags & LOOKUP_REVAL) && ll_dentry_is_covered(dir, dentry))
		return 1;
	if (!inode)
		return 0;
	lo = ll_getattr_name(dir, name, inode);
	if (IS_ERR(lo))
		return PTR_ERR(lo) == -ENOENT ? 0 : PTR_ERR(lo);
	same = lu_fid_eq(ll_inode2fid(inode), &lo->lop_rep.object.fid);
	if (same) {
		ll_update_inode(inode, lo);
		ll_dentry_claim(dentry, lo, 0);
		ll_ahead_brought(dentry);
	}
	ll_op_free(lo);
	return same;
}

/* Under RCU. Return: 1; -ECHILD: as ll_revalidate(), which may sleep */
int ll_revalidate_rcu(struct inode *dir, struct dentry *dentry, unsigned int flags)
{
	struct inode *inode = d_inode_rcu(dentry);

	if (inode && ll_inode_is_own(inode))
		return 1;
	return !(flags & LOOKUP_REVAL) && ll_dentry_is_covered(dir, dentry) ? 1 : -ECHILD;
}

/* Memory of another dentry may look like a claim. */
static int ll_dentry_init(struct dentry *dentry)
{
	ll_dentry_covered(dentry, 0);
	return 0;
}

const struct dentry_operations ll_d_ops = {
	.d_init		= ll_dentry_init,
	.d_revalidate	= compat_dop_revalidate,
};
