// SPDX-License-Identifier: GPL-2.0-only
/*
 * The layout of a regular file: which objects of data it has. It is made from the value of
 * trusted.lov in a reply, and replaced when a reply has another value. A file that was never
 * opened for writing may have none, and is empty.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/obd_ops.h>

#include "llite_inode.h"

static struct ll_layout *layout_new(struct inode *inode, const struct md_reply *rep)
{
	struct ll_layout *ly = kmalloc(struct_size(ly, ly_ea, rep->layout_len),
				       GFP_KERNEL_ACCOUNT);

	if (!ly)
		return ERR_PTR(-ENOMEM);
	refcount_set(&ly->ly_ref, 1);
	ly->ly_exp = ll_s2client(inode->i_sb)->llc_dt;
	ly->ly_len = rep->layout_len;
	memcpy(ly->ly_ea, rep->layout, rep->layout_len);
	ly->ly_lov = dt_layout(ly->ly_exp, ll_inode2fid(inode), rep->layout, rep->layout_len);
	return ly;
}

void ll_layout_put(struct ll_layout *ly)
{
	if (IS_ERR_OR_NULL(ly) || !refcount_dec_and_test(&ly->ly_ref))
		return;
	if (!IS_ERR(ly->ly_lov))
		dt_layout_put(ly->ly_exp, ly->ly_lov);
	kfree(ly);
}

/* A kind of layout that is not served stays so; other failures are tried again. */
static bool __layout_is(const struct ll_layout *ly, const struct md_reply *rep)
{
	if (IS_ERR_OR_NULL(ly) || (IS_ERR(ly->ly_lov) && PTR_ERR(ly->ly_lov) != -EOPNOTSUPP))
		return false;
	return ly->ly_len == rep->layout_len && !memcmp(ly->ly_ea, rep->layout, ly->ly_len);
}

/**
 * ll_layout_update() - the layout of a reply
 * @inode: inode that the reply is about
 * @rep: reply; one without a layout changes nothing
 *
 * Context: may sleep
 */
void ll_layout_update(struct inode *inode, const struct md_reply *rep)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	struct ll_layout *ly;
	bool same;

	if (!S_ISREG(inode->i_mode) || !rep->layout)
		return;
	spin_lock(&lli->lli_lock);
	same = __layout_is(lli->lli_layout, rep);
	spin_unlock(&lli->lli_lock);
	if (same)
		return;
	ly = layout_new(inode, rep);
	spin_lock(&lli->lli_lock);
	/* Another reply may have brought the same one. */
	if (!__layout_is(lli->lli_layout, rep)) {
		swap(lli->lli_layout, ly);
		memset(&lli->lli_data, 0, sizeof(lli->lli_data));
	}
	spin_unlock(&lli->lli_lock);
	ll_layout_put(ly);
}

/**
 * ll_layout_get() - the layout of a file
 * @inode: inode
 *
 * Context: any
 * Return: layout, for ll_layout_put(); NULL: the file has none; ERR_PTR: why it cannot be used:
 *  -EOPNOTSUPP, -EUCLEAN, -ENOMEM
 */
struct ll_layout *ll_layout_get(struct inode *inode)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	struct ll_layout *ly;

	spin_lock(&lli->lli_lock);
	ly = lli->lli_layout;
	if (!IS_ERR_OR_NULL(ly)) {
		if (IS_ERR(ly->ly_lov))
			ly = ERR_CAST(ly->ly_lov);
		else
			refcount_inc(&ly->ly_ref);
	}
	spin_unlock(&lli->lli_lock);
	return ly;
}

/**
 * ll_layout_make() - the layout of a file that is to be written
 * @inode: inode
 *
 * A file without one gets it from the server, which waits for targets that have just started.
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: layout, for ll_layout_put(); ERR_PTR: as ll_layout_get(), of the open; -ENOSPC: the
 *  server has no target for it
 */
struct ll_layout *ll_layout_make(struct inode *inode)
{
	struct ll_layout *ly = ll_layout_get(inode);
	int rc;

	if (ly)
		return ly;
	rc = ll_open_to_write(inode);
	if (rc)
		return ERR_PTR(rc);
	return ll_layout_get(inode) ?: ERR_PTR(-ENOSPC);
}
