// SPDX-License-Identifier: GPL-2.0-only
/*
 * The layout of a regular file: which objects of data it has. The first reply with a value of
 * trusted.lov creates it, and a reply with another value changes it. A file that was never opened
 * for writing may have none, and is empty.
 */
#define DEBUG_SUBSYSTEM S_LLITE

#include <linux/err.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_ops.h>

#include "llite_inode.h"

/* Between two questions for a layout while no target can be used. */
#define ASK_AGAIN	(2 * HZ)

static struct ll_layout *layout_new(struct inode *inode)
{
	struct ll_layout *ly = kmalloc(sizeof(*ly), GFP_KERNEL_ACCOUNT);
	struct lov_layout *lov;

	if (!ly)
		return ERR_PTR(-ENOMEM);
	ly->ly_cache = ll_cache_new(inode);
	if (!ly->ly_cache) {
		kfree(ly);
		return ERR_PTR(-ENOMEM);
	}
	refcount_set(&ly->ly_ref, 1);
	ly->ly_rc = 0;
	ly->ly_exp = ll_s2client(inode->i_sb)->llc_dt;
	lov = dt_layout(ly->ly_exp, ll_inode2fid(inode), ll_cache_owner(ly->ly_cache));
	ly->ly_lov = lov;
	if (!IS_ERR(lov))
		return ly;
	kfree(ly->ly_cache);
	kfree(ly);
	return ERR_CAST(lov);
}

void ll_layout_put(struct ll_layout *ly)
{
	if (IS_ERR_OR_NULL(ly) || !refcount_dec_and_test(&ly->ly_ref))
		return;
	dt_layout_put(ly->ly_exp, ly->ly_lov);
	kfree(ly);
}

static struct ll_layout *layout_find(struct inode *inode)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	struct ll_layout *ly;

	spin_lock(&lli->lli_lock);
	ly = lli->lli_layout;
	if (!IS_ERR_OR_NULL(ly))
		refcount_inc(&ly->ly_ref);
	spin_unlock(&lli->lli_lock);
	return ly;
}

/* The layout gets the value of a reply. Of objects that are new nothing is known yet. */
static void value_set(struct inode *inode, struct ll_layout *ly, const struct md_reply *rep)
{
	int rc = dt_layout_set(ly->ly_exp, ly->ly_lov, rep->layout, rep->layout_len);
	struct ll_inode_info *lli = ll_i2info(inode);

	/* It has a newer one. */
	if (rc == -ESTALE)
		return;
	spin_lock(&lli->lli_lock);
	ly->ly_rc = min(rc, 0);
	if (rc > 0)
		lli->lli_sized = false;
	spin_unlock(&lli->lli_lock);
}

/* Publish @ly, which has its first value, unless another reply was quicker. */
static bool layout_publish(struct inode *inode, struct ll_layout *ly)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	bool published;

	spin_lock(&lli->lli_lock);
	published = IS_ERR_OR_NULL(lli->lli_layout);
	if (published)
		lli->lli_layout = ly;
	spin_unlock(&lli->lli_lock);
	return published;
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
	struct ll_layout *ly;

	if (!S_ISREG(inode->i_mode) || !rep->layout)
		return;
	ly = layout_find(inode);
	if (IS_ERR_OR_NULL(ly)) {
		ly = layout_new(inode);
		if (!IS_ERR(ly))
			value_set(inode, ly, rep);
		if (layout_publish(inode, ly))
			return;
		ll_layout_put(ly);
		ly = layout_find(inode);
	}
	value_set(inode, ly, rep);
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
		if (ly->ly_rc)
			ly = ERR_PTR(ly->ly_rc);
		else
			refcount_inc(&ly->ly_ref);
	}
	spin_unlock(&lli->lli_lock);
	return ly;
}

/*
 * The server can use no target now. Return: 0: ask it again; -ENOSPC: there are none; -EIO: umount -f;
 * -EINTR
 */
static int targets_wait(struct inode *inode, bool first)
{
	struct llite_mount *lm = llite_mount(inode->i_sb);
	char text[FID_TEXT_SIZE];
	struct dt_desc desc;

	if (dt_desc(lm->llm_client.llc_dt, &desc) || READ_ONCE(lm->llm_force))
		return -EIO;
	if (!desc.dd_targets)
		return -ENOSPC;
	if (first)
		CWARN("%s: [%s] has no objects yet, and the metadata target can use no object storage target: waiting\n",
		      lm->llm_source.src_fsname, fid_text(ll_inode2fid(inode), text));
	schedule_timeout_killable(ASK_AGAIN);
	return fatal_signal_pending(current) ? -EINTR : 0;
}

/**
 * ll_layout_make() - the layout of a file that is to be written
 * @inode: inode
 *
 * A file without one gets it from the server. While this can use no target the task waits, as for a
 * target that is down.
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: layout, for ll_layout_put(); ERR_PTR: as ll_layout_get(), of the open; -ENOSPC: all
 *  targets are full, or there are none; -EIO: umount -f
 */
struct ll_layout *ll_layout_make(struct inode *inode)
{
	struct ll_layout *ly;
	bool first = true;
	int rc;

	while (!(ly = ll_layout_get(inode))) {
		rc = ll_open_to_write(inode);
		ly = rc ? ERR_PTR(rc) : ll_layout_get(inode);
		if (ly)
			break;
		rc = targets_wait(inode, first);
		if (rc)
			return ERR_PTR(rc);
		first = false;
	}
	return ly;
}
