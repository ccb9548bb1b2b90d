// SPDX-License-Identifier: GPL-2.0-only
/*
 * The layout of a regular file: which objects of data it has. The first reply with a value of
 * trusted.lov creates it, and a reply with another value changes it. A file that was never opened
 * for writing may have none, and is empty.
 *
 * It is right as long as a lock covers it (MDS_INODELOCK_LAYOUT, cover.c). Otherwise an operation
 * asks the server first. A component of a composite layout gets its objects before it is written:
 * ll_layout_extend().
 *
 * If memory is short, the layout keeps the value that it had, of which pages may be written back,
 * and does not count as known: the next operation asks the server again (lli_layout_missed).
 */
#define DEBUG_SUBSYSTEM S_LLITE

#include <linux/cred.h>
#include <linux/err.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_ops.h>
#include <uapi/lustre_lite/wire.h>

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
	/* There is no value yet. */
	ly->ly_rc = -ENOMEM;
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

/*
 * The layout gets the value of a reply. What is cached of other objects is not that of the file.
 * Return: false: on allocation failure
 */
static bool value_set(struct inode *inode, struct ll_layout *ly, const struct md_reply *rep,
		      bool sure)
{
	int rc = dt_layout_set(ly->ly_exp, ly->ly_lov, rep->layout, rep->layout_len, sure);
	struct ll_inode_info *lli = ll_i2info(inode);

	/* It has a newer one. */
	if (rc == -ESTALE)
		return true;
	if (rc == -ENOMEM)
		return false;
	spin_lock(&lli->lli_lock);
	ly->ly_rc = min(rc, 0);
	spin_unlock(&lli->lli_lock);
	if (rc == 1)
		ll_cache_forget(inode);
	return true;
}

/* Publish @ly, which has its first value. */
static void layout_publish(struct inode *inode, struct ll_layout *ly)
{
	struct ll_inode_info *lli = ll_i2info(inode);

	spin_lock(&lli->lli_lock);
	lli->lli_layout = ly;
	spin_unlock(&lli->lli_lock);
}

/* Return: false: on allocation failure */
static bool layout_update(struct inode *inode, const struct md_reply *rep, bool sure)
{
	struct ll_layout *ly = layout_find(inode);
	bool ok;

	if (IS_ERR_OR_NULL(ly)) {
		ly = layout_new(inode);
		ok = !IS_ERR(ly) && value_set(inode, ly, rep, sure);
		layout_publish(inode, ly);
		return ok;
	}
	ok = value_set(inode, ly, rep, sure);
	ll_layout_put(ly);
	return ok;
}

/**
 * ll_layout_update() - the layout of a reply, and its lock
 * @inode: regular file that the reply is about
 * @lo: answered request, not freed yet; a reply without a layout does not change it
 *
 * Context: may sleep
 */
void ll_layout_update(struct inode *inode, const struct ll_op *lo)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	const struct md_reply *rep = &lo->lop_rep;
	bool sure;

	mutex_lock(&lli->lli_layout_mutex);
	sure = ll_cover_brings_layout(inode, lo);
	if (rep->layout)
		WRITE_ONCE(lli->lli_layout_missed, !layout_update(inode, rep, sure));
	if (sure && !lli->lli_layout_missed)
		ll_cover_layout(inode, lo);
	if (lo->lop_data.reint == REINT_LAYOUT)
		ll_cover_laid(inode);
	mutex_unlock(&lli->lli_layout_mutex);
}

/**
 * ll_layout_is_known() - whether a lock covers the layout, or that there is none
 * @inode: regular file
 *
 * Not if there was no memory for the last value.
 *
 * Context: any but an interrupt
 * Return: true if it does
 */
bool ll_layout_is_known(struct inode *inode)
{
	return ll_cover_epoch(inode, MDS_INODELOCK_LAYOUT) && !ll_layout_missed(inode);
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
 * The server can use no target now. Return: 0: ask it again; -ENOSPC: there are none; -EIO: umount
 * -f; -EINTR
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
	int rc = ll_layout_missed(inode) ? ll_inode_refresh(inode) : 0;
	struct ll_layout *ly;
	struct ll_file *lf;
	bool first = true;

	if (rc)
		return ERR_PTR(rc);
	while (!(ly = ll_layout_get(inode))) {
		lf = ll_open_to_write(inode, 0);
		if (IS_ERR(lf))
			return ERR_CAST(lf);
		ll_close_written(lf);
		ly = ll_layout_get(inode);
		if (ly)
			break;
		rc = targets_wait(inode, first);
		if (rc)
			return ERR_PTR(rc);
		first = false;
	}
	return ly;
}

static int extend_ask(struct inode *inode, struct file *file, u64 end)
{
	struct ll_op *lo = ll_op_new(inode->i_sb, current_cred(), MDS_REINT, REINT_LAYOUT);
	int rc;

	if (IS_ERR(lo))
		return PTR_ERR(lo);
	ll_op_object(lo, inode);
	lo->lop_data.attr.valid = MDS_ATTR_SIZE;
	lo->lop_data.attr.size = end;
	if (file)
		lo->lop_data.open = ll_file_md_open(file);
	rc = ll_op_call(lo);
	if (!rc)
		ll_update_inode(inode, lo);
	ll_op_free(lo);
	return rc ?: ll_layout_missed(inode);
}

/**
 * ll_layout_extend() - components that will be written get objects
 * @inode: inode
 * @ly: its layout
 * @file: open for writing, which permits it; NULL: the task may write to the file
 * @end: bytes of the file
 *
 * All components that start before @end have objects then. While the server can use no target, the
 * task waits, as for a target that is down.
 *
 * Context: sleeps, without locks of the data; a signal that kills the task ends it
 * Return: 0; -ENOSPC: all targets are full, or there are none; -EIO: umount -f; other negative
 *  errno
 */
int ll_layout_extend(struct inode *inode, struct ll_layout *ly, struct file *file, u64 end)
{
	bool first = true;
	int rc = 0;

	while (!rc && dt_lacks(ly->ly_exp, ly->ly_lov, end)) {
		rc = first ? 0 : targets_wait(inode, true);
		rc = rc ?: extend_ask(inode, file, end);
		first = false;
	}
	return rc;
}

/**
 * ll_layout_lock() - ll_data_lock() for writing to the first @end bytes of a file
 * @inode: inode
 * @ly: its layout
 * @file: as ll_layout_extend()
 * @end: bytes of the file
 * @locks: out, for ll_data_unlock() if the result is 0
 *
 * All bytes before @end have objects, as far as the layout goes.
 *
 * Context: as ll_layout_extend()
 * Return: as ll_data_lock(), ll_layout_extend() and ll_file_open_again()
 */
int ll_layout_lock(struct inode *inode, struct ll_layout *ly, struct file *file, u64 end,
		   struct dt_locks *locks)
{
	int rc = file ? ll_file_open_again(file) : 0;

	if (rc)
		return rc;
	for (;;) {
		rc = ll_data_lock(inode, ly, LCK_PW, DT_LOCK_WAIT, locks);
		if (rc || !dt_lacks(ly->ly_exp, ly->ly_lov, end))
			return rc;
		ll_data_unlock(inode, ly, locks);
		rc = ll_layout_extend(inode, ly, file, end);
		if (rc)
			return rc;
	}
}

/**
 * ll_layout_rpc_pages() - how many pages of a file are read or written at a time
 * @ly: its layout
 *
 * Context: sleeps
 * Return: those of a request, and of WIRE_BULK_DEFAULT at least
 */
u32 ll_layout_rpc_pages(const struct ll_layout *ly)
{
	return max(dt_rpc_bytes(ly->ly_exp, ly->ly_lov), WIRE_BULK_DEFAULT) >> PAGE_SHIFT;
}
