// SPDX-License-Identifier: GPL-2.0-only
/*
 * Size on the MDT. While no client has a file open for writing, replies of the metadata target have
 * its size, blocks and times: under UPDATE they are cached, and no object is asked.
 *
 *	an own open for writing		what was cached is not used any more, and replies to requests of
 *					before it are not used either: own locks stay
 *	the last own close		says whether this client has changed the data. If so, the inode is
 *					in llc_som until the target is told
 *	everything written is on the	the target is told (MDS_DONE_WRITING). It believes that if the file
 *	disks of the objects		was open for writing nowhere else
 *
 * The target is not told what may be wrong: after a write that failed or was lost, and of an inode
 * that goes before its changes are on disk. The objects are asked then, until the file is opened
 * for writing again: the client learns from them what is left, and tells that with what it writes
 * afterwards.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/workqueue.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/obd_ops.h>

#include "llite_inode.h"

/* Targets commit every 5 seconds. */
#define TELL_TIME	(2 * HZ)

/* --- what the target says ------------------------------------------------------------- */

/*
 * Under lli_lock: the attributes of a reply become those of the inode. Its layout is known. With
 * locks of the data the client knows more: the reply may have been late.
 */
void __ll_som_reply(struct inode *inode, const struct ll_op *lo)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	const struct md_attr *attr = &lo->lop_rep.attr;

	lockdep_assert_held(&lli->lli_lock);
	lli->lli_som = attr->valid & MDS_ATTR_SIZE && !lli->lli_writers &&
		       lli->lli_som_open <= lo->lop_start && !lli->lli_changed && !lli->lli_sized;
	if (!lli->lli_som)
		return;
	lli->lli_data = (struct ll_data) {
		.lda_size = attr->size,
		.lda_blocks = attr->blocks,
		.lda_mtime = ll_timespec_of(&attr->mtime),
		.lda_ctime = ll_timespec_of(&attr->ctime),
	};
	lli->lli_blocks_old = false;
}

/**
 * ll_som_is_covered() - whether size and times of a file are known without asking its objects
 * @inode: regular file
 *
 * Context: any but an interrupt
 * Return: true if they are
 */
bool ll_som_is_covered(struct inode *inode)
{
	return READ_ONCE(ll_i2info(inode)->lli_som) &&
	       ll_attr_is_covered(inode, MDS_INODELOCK_UPDATE);
}

/* --- what it is told ------------------------------------------------------------------ */

/* Under lli_lock, without a writer: the objects have all that is left, and are asked for it. */
static void __unsure_end(struct ll_inode_info *lli)
{
	WRITE_ONCE(lli->lli_unsure, false);
	lli->lli_told = false;
	WRITE_ONCE(lli->lli_sized, false);
}

/**
 * ll_som_opened() - the target has opened a file for writing, for this client
 * @inode: its inode
 * @created: and created it
 *
 * Context: any
 */
void ll_som_opened(struct inode *inode, bool created)
{
	struct ll_inode_info *lli = ll_i2info(inode);

	spin_lock(&lli->lli_lock);
	if (!lli->lli_writers && lli->lli_unsure && !ll_data_is_unwritten(inode))
		__unsure_end(lli);
	lli->lli_writers++;
	lli->lli_som = false;
	lli->lli_som_open = ll_clock_next();
	if (created) {
		lli->lli_changed = true;
		lli->lli_told = true;
	}
	spin_unlock(&lli->lli_lock);
}

/* Under llc_som_lock. */
static void __work_start(struct llite_client *lc)
{
	if (!lc->llc_som_ends)
		schedule_delayed_work(&lc->llc_som_work, TELL_TIME);
}

static void list_add_inode(struct inode *inode)
{
	struct llite_client *lc = ll_s2client(inode->i_sb);
	struct ll_inode_info *lli = ll_i2info(inode);

	spin_lock(&lc->llc_som_lock);
	if (list_empty(&lli->lli_som_item)) {
		list_add_tail(&lli->lli_som_item, &lc->llc_som);
		lc->llc_som_nr++;
	}
	__work_start(lc);
	spin_unlock(&lc->llc_som_lock);
}

/* Unless it has been closed once more. */
static void list_del_inode(struct inode *inode)
{
	struct llite_client *lc = ll_s2client(inode->i_sb);
	struct ll_inode_info *lli = ll_i2info(inode);

	spin_lock(&lc->llc_som_lock);
	if (!READ_ONCE(lli->lli_done) && !list_empty(&lli->lli_som_item)) {
		list_del_init(&lli->lli_som_item);
		lc->llc_som_nr--;
	}
	spin_unlock(&lc->llc_som_lock);
}

/**
 * ll_som_closing() - a file that ll_som_opened() was called for will be closed
 * @inode: its inode, in use
 * @open: what is open at the target
 *
 * Context: any
 * Return: MDS_CLOSE_*; with MDS_CLOSE_DONE_LATER md_done() ends @open
 */
u32 ll_som_closing(struct inode *inode, struct md_open *open)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	struct md_open *before = NULL;
	u32 flags = 0;

	spin_lock(&lli->lli_lock);
	lli->lli_writers--;
	if (!lli->lli_changed) {
		flags = MDS_CLOSE_SAME;
	} else if (!lli->lli_writers && !lli->lli_unsure && !IS_ERR_OR_NULL(lli->lli_layout)) {
		flags = MDS_CLOSE_DONE_LATER;
		before = lli->lli_done;
		lli->lli_done = open;
	}
	spin_unlock(&lli->lli_lock);
	if (before)
		md_done(ll_s2client(inode->i_sb)->llc_md, before, NULL);
	if (flags & MDS_CLOSE_DONE_LATER)
		list_add_inode(inode);
	return flags;
}

/* Whether the changes are on disk. Return: 1; 0: not yet; -EIO: some are lost */
static int data_state(struct inode *inode, struct ll_layout *ly)
{
	struct address_space *mapping = inode->i_mapping;

	if (READ_ONCE(ll_i2info(inode)->lli_writers) ||
	    mapping_tagged(mapping, PAGECACHE_TAG_DIRTY) ||
	    mapping_tagged(mapping, PAGECACHE_TAG_WRITEBACK))
		return 0;
	return dt_stable(ly->ly_exp, ly->ly_lov);
}

/* @exact: what is known of the data is on disk */
static void done_send(struct inode *inode, bool exact)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	struct timespec64 mtime, ctime;
	struct md_open *open = NULL;
	struct md_done done;

	spin_lock(&lli->lli_lock);
	if (!lli->lli_writers)
		swap(open, lli->lli_done);
	exact = exact && open && lli->lli_told && !lli->lli_unsure;
	if (exact)
		lli->lli_changed = false;
	mtime = compat_inode_mtime(inode);
	ctime = compat_inode_ctime(inode);
	done = (struct md_done) {
		.size = lli->lli_data.lda_size,
		.blocks = lli->lli_data.lda_blocks,
		.mtime = ll_md_time_of(&mtime),
		.ctime = ll_md_time_of(&ctime),
		.flags = MDS_DONE_EXACT,
	};
	spin_unlock(&lli->lli_lock);
	if (open)
		md_done(ll_s2client(inode->i_sb)->llc_md, open, exact ? &done : NULL);
}

/* Only the objects know how many blocks these are. No umount waits for one that does not answer. */
static int blocks_ask(struct inode *inode, struct ll_layout *ly)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	struct md_attr attr;
	int rc = READ_ONCE(lli->lli_told) ? 0 : dt_getattr(ly->ly_exp, ly->ly_lov, &attr, false);

	if (rc || READ_ONCE(lli->lli_told))
		return rc;
	spin_lock(&lli->lli_lock);
	lli->lli_told = !lli->lli_writers && attr.size == lli->lli_data.lda_size;
	if (lli->lli_told)
		lli->lli_data.lda_blocks = attr.blocks;
	spin_unlock(&lli->lli_lock);
	return 0;
}

/* Tell the target, if the changes of an inode are on disk. Return: false: not yet */
static bool inode_tell(struct inode *inode, bool may_ask)
{
	struct ll_layout *ly = ll_layout_get(inode);
	int rc = IS_ERR_OR_NULL(ly) ? -EIO : data_state(inode, ly);

	if (rc > 0 && may_ask && blocks_ask(inode, ly))
		rc = -EAGAIN;
	ll_layout_put(ly);
	/* One that is open for writing again is told at its next close. */
	if (rc == -EIO)
		ll_som_unsure(inode);
	if (rc)
		done_send(inode, rc > 0);
	return rc;
}

/* The first inode of the list, which becomes the last one. Return: inode, referenced, or NULL */
static struct inode *list_next(struct llite_client *lc)
{
	struct ll_inode_info *lli;

	lockdep_assert_held(&lc->llc_som_lock);
	lli = list_first_entry(&lc->llc_som, struct ll_inode_info, lli_som_item);
	list_move_tail(&lli->lli_som_item, &lc->llc_som);
	/* One that is going tells the target itself. */
	return igrab(&lli->lli_vfs_inode);
}

/* Look at each inode once. */
static void list_tell(struct llite_client *lc)
{
	struct inode *inode;
	unsigned int nr;

	spin_lock(&lc->llc_som_lock);
	for (nr = lc->llc_som_nr; nr && lc->llc_som_nr; nr--) {
		inode = list_next(lc);
		if (!inode)
			continue;
		spin_unlock(&lc->llc_som_lock);
		if (inode_tell(inode, true))
			list_del_inode(inode);
		iput(inode);
		cond_resched();
		spin_lock(&lc->llc_som_lock);
	}
	spin_unlock(&lc->llc_som_lock);
}

static void tell_work(struct work_struct *work)
{
	struct llite_client *lc = container_of(work, struct llite_client, llc_som_work.work);

	list_tell(lc);
	spin_lock(&lc->llc_som_lock);
	if (lc->llc_som_nr)
		__work_start(lc);
	spin_unlock(&lc->llc_som_lock);
}

/* A mount starts. */
void ll_som_init(struct llite_client *lc)
{
	spin_lock_init(&lc->llc_som_lock);
	INIT_LIST_HEAD(&lc->llc_som);
	INIT_DELAYED_WORK(&lc->llc_som_work, tell_work);
}

/**
 * ll_som_tell() - tell the target what it can be told
 * @sb: super block of a client, whose data was synced
 *
 * Context: sleeps; a signal that kills the task ends it
 */
void ll_som_tell(struct super_block *sb)
{
	list_tell(ll_s2client(sb));
}

/**
 * ll_som_umount() - the super block goes
 * @sb: super block of a client; s_umount is held
 *
 * Context: sleeps until what was changed is on disk, or targets were given up
 */
void ll_som_umount(struct super_block *sb)
{
	struct llite_client *lc = ll_s2client(sb);

	spin_lock(&lc->llc_som_lock);
	lc->llc_som_ends = true;
	spin_unlock(&lc->llc_som_lock);
	cancel_delayed_work_sync(&lc->llc_som_work);
	if (lc->llc_som_nr && sb->s_root && !READ_ONCE(llite_mount(sb)->llm_force))
		sync_filesystem(sb);
}

/**
 * ll_som_evict() - an inode ends
 * @inode: inode, with its pages
 *
 * Context: may sleep, perhaps in reclaim
 */
void ll_som_evict(struct inode *inode)
{
	struct ll_inode_info *lli = ll_i2info(inode);

	/* The target may have been told before the close had put the inode into the list. */
	if (!lli->lli_done && list_empty_careful(&lli->lli_som_item))
		return;
	if (!inode->i_nlink || !inode_tell(inode, false))
		done_send(inode, false);
	list_del_inode(inode);
}
