// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files that were open for reading, and stay open at the server for a while: the next open of the
 * same user sends no request.
 *
 *	close of a file		ll_reopen_keep(): one open of each inode is kept, up to KEEP_MAX of a mount
 *	open of the inode	ll_reopen_take(), if locks cover the permissions, the names and the layout, so
 *				that the server would permit it and its reply would say nothing new
 *	each second		those of KEEP_TIME ago are closed, and those whose names have changed: the
 *				server keeps an object without a name for them
 *	the inode ends		ll_reopen_evict()
 *
 * The server refuses nothing because of an open for reading.
 */
#include <linux/cred.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/string.h>
#include <linux/uidgid.h>
#include <linux/workqueue.h>

#include <lustre_lite/compat.h>

#include "llite_inode.h"

#define KEEP_MAX	512
#define KEEP_TIME	(10 * HZ)

/* The same user, groups and capabilities. */
static bool is_same_user(const struct cred *one, const struct cred *two)
{
	return one == two ||
	       (uid_eq(one->fsuid, two->fsuid) && gid_eq(one->fsgid, two->fsgid) &&
		one->group_info == two->group_info && one->user_ns == two->user_ns &&
		!memcmp(&one->cap_effective, &two->cap_effective, sizeof(one->cap_effective)));
}

static void __drop(struct llite_client *lc, struct ll_kept *kept)
{
	lockdep_assert_held(&lc->llc_kept_lock);
	list_del(&kept->kep_item);
	lc->llc_kept_nr--;
	WRITE_ONCE(ll_i2info(kept->kep_inode)->lli_kept, NULL);
}

/* A caller that has taken it out of the list closes it. */
static void end(struct ll_kept *kept)
{
	put_cred(kept->kep_cred);
	ll_kept_close(kept);
}

static bool is_over(const struct ll_kept *kept)
{
	return time_after(jiffies, kept->kep_since + KEEP_TIME) ||
	       !ll_cover_epoch(kept->kep_inode, MDS_INODELOCK_LOOKUP);
}

/* The list is in the order of time, but names of any may have changed. */
static void kept_work(struct work_struct *work)
{
	struct llite_client *lc = container_of(work, struct llite_client, llc_kept_work.work);
	struct ll_kept *kept, *next;
	LIST_HEAD(over);

	spin_lock(&lc->llc_kept_lock);
	list_for_each_entry_safe(kept, next, &lc->llc_kept, kep_item) {
		if (!is_over(kept))
			continue;
		__drop(lc, kept);
		list_add(&kept->kep_item, &over);
	}
	if (lc->llc_kept_nr && !lc->llc_kept_ends)
		schedule_delayed_work(&lc->llc_kept_work, HZ);
	spin_unlock(&lc->llc_kept_lock);
	list_for_each_entry_safe(kept, next, &over, kep_item)
		end(kept);
}

/* A mount starts. */
void ll_reopen_init(struct llite_client *lc)
{
	spin_lock_init(&lc->llc_kept_lock);
	INIT_LIST_HEAD(&lc->llc_kept);
	INIT_DELAYED_WORK(&lc->llc_kept_work, kept_work);
}

/**
 * ll_reopen_keep() - a file is closed
 * @inode: its inode, in use
 * @kept: of the open file; belongs to the list if it is kept
 * @cred: credentials of the open
 *
 * Context: any but an interrupt
 * Return: true if it is kept: ll_kept_close() ends it
 */
bool ll_reopen_keep(struct inode *inode, struct ll_kept *kept, const struct cred *cred)
{
	struct llite_client *lc = ll_s2client(inode->i_sb);
	struct ll_inode_info *lli = ll_i2info(inode);
	bool keep;

	if (!inode->i_nlink || !ll_cover_epoch(inode, MDS_INODELOCK_LOOKUP))
		return false;
	spin_lock(&lc->llc_kept_lock);
	keep = !lli->lli_kept && lc->llc_kept_nr < KEEP_MAX && !lc->llc_kept_ends;
	if (keep) {
		kept->kep_inode = inode;
		kept->kep_cred = get_cred(cred);
		kept->kep_since = jiffies;
		list_add_tail(&kept->kep_item, &lc->llc_kept);
		WRITE_ONCE(lli->lli_kept, kept);
		if (!lc->llc_kept_nr++)
			schedule_delayed_work(&lc->llc_kept_work, HZ);
	}
	spin_unlock(&lc->llc_kept_lock);
	return keep;
}

/**
 * ll_reopen_take() - a file is to be opened for reading
 * @inode: its inode, in use
 * @cred: credentials of the open
 *
 * Context: any but an interrupt
 * Return: what is open at the server; NULL: the server must be asked
 */
struct ll_kept *ll_reopen_take(struct inode *inode, const struct cred *cred)
{
	struct llite_client *lc = ll_s2client(inode->i_sb);
	struct ll_inode_info *lli = ll_i2info(inode);
	struct ll_kept *kept;

	if (!READ_ONCE(lli->lli_kept))
		return NULL;
	spin_lock(&lc->llc_kept_lock);
	kept = lli->lli_kept;
	if (kept && is_same_user(kept->kep_cred, cred) &&
	    ll_attr_is_covered(inode, MDS_INODELOCK_PERM) &&
	    ll_cover_epoch(inode, MDS_INODELOCK_LOOKUP) && ll_layout_is_known(inode))
		__drop(lc, kept);
	else
		kept = NULL;
	spin_unlock(&lc->llc_kept_lock);
	if (kept)
		put_cred(kept->kep_cred);
	return kept;
}

/**
 * ll_reopen_evict() - an inode ends
 * @inode: inode
 *
 * Context: may sleep, perhaps in reclaim
 */
void ll_reopen_evict(struct inode *inode)
{
	struct llite_client *lc = ll_s2client(inode->i_sb);
	struct ll_kept *kept;

	if (!READ_ONCE(ll_i2info(inode)->lli_kept))
		return;
	spin_lock(&lc->llc_kept_lock);
	kept = ll_i2info(inode)->lli_kept;
	if (kept)
		__drop(lc, kept);
	spin_unlock(&lc->llc_kept_lock);
	if (kept)
		end(kept);
}

/**
 * ll_reopen_umount() - the super block goes: nothing is kept any more
 * @lc: client; its inodes end later
 *
 * Context: sleeps
 */
void ll_reopen_umount(struct llite_client *lc)
{
	spin_lock(&lc->llc_kept_lock);
	lc->llc_kept_ends = true;
	spin_unlock(&lc->llc_kept_lock);
	cancel_delayed_work_sync(&lc->llc_kept_work);
}
