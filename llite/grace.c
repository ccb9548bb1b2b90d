// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locks of the data of a file that are kept for the next access. The kernel has a page looked up,
 * then asks whether it may be written, and then the program stores. Another client that wants the
 * locks does not get them between these: it would do the same, and none of them would store.
 */
#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/obd_ops.h>

#include "cache.h"

/* A store to a mapping is made that soon after its fault. */
#define GRACE		(HZ / 10)

/**
 * struct ll_grace - locks for the next access
 * @lgr_inode: inode
 * @lgr_layout: its layout, referenced
 * @lgr_locks: locks for writing, used
 * @lgr_work: ends their use
 */
struct ll_grace {
	struct inode		*lgr_inode;
	struct ll_layout	*lgr_layout;
	struct dt_locks		lgr_locks;
	struct delayed_work	lgr_work;
};

static void grace_free(struct ll_grace *gr)
{
	ll_layout_put(gr->lgr_layout);
	kfree(gr);
}

/*
 * @gr: the one to take, whose inode does not end until ll_cache_put_busy(); NULL: any. Return: it;
 * NULL: there is none, or another one
 */
static struct ll_grace *grace_unpublish(struct ll_cache *cache, struct ll_grace *gr)
{
	struct ll_grace *found = NULL;

	spin_lock(&cache->lch_lock);
	if (cache->lch_grace && (!gr || gr == cache->lch_grace))
		swap(cache->lch_grace, found);
	if (found && gr)
		cache->lch_busy++;
	spin_unlock(&cache->lch_lock);
	return found;
}

static void grace_over(struct work_struct *work)
{
	struct ll_grace *gr = container_of(to_delayed_work(work), struct ll_grace, lgr_work);
	struct ll_cache *cache = gr->lgr_layout->ly_cache;

	/* A task that has taken them waits for this work, and frees them. */
	if (!grace_unpublish(cache, gr))
		return;
	ll_data_unlock(gr->lgr_inode, gr->lgr_layout, &gr->lgr_locks);
	grace_free(gr);
	ll_cache_put_busy(cache);
}

bool ll_grace_take(struct ll_cache *cache, struct dt_locks *locks)
{
	struct ll_grace *gr;

	if (!READ_ONCE(cache->lch_grace))
		return false;
	gr = grace_unpublish(cache, NULL);
	if (!gr)
		return false;
	cancel_delayed_work_sync(&gr->lgr_work);
	dt_locks_move(locks, &gr->lgr_locks);
	/* The file may have been changed under them. */
	locks->dk_known = false;
	grace_free(gr);
	return true;
}

/**
 * ll_data_unlock_later() - the next access of this file uses the locks, if it comes soon
 * @inode: inode
 * @ly: layout
 * @locks: locks of ll_data_lock(), for writing
 *
 * Context: may sleep, with a folio locked
 * Return: false: on allocation failure, or if other locks are kept: the caller ends the use
 */
bool ll_data_unlock_later(struct inode *inode, struct ll_layout *ly, struct dt_locks *locks)
{
	struct ll_grace *gr = kmalloc(sizeof(*gr), GFP_NOFS);
	struct ll_cache *cache = ly->ly_cache;
	bool free;

	if (!gr)
		return false;
	gr->lgr_inode = inode;
	refcount_inc(&ly->ly_ref);
	gr->lgr_layout = ly;
	dt_locks_move(&gr->lgr_locks, locks);
	INIT_DELAYED_WORK(&gr->lgr_work, grace_over);
	spin_lock(&cache->lch_lock);
	free = !cache->lch_grace;
	if (free) {
		cache->lch_grace = gr;
		schedule_delayed_work(&gr->lgr_work, GRACE);
	}
	spin_unlock(&cache->lch_lock);
	if (free)
		return true;
	dt_locks_move(locks, &gr->lgr_locks);
	grace_free(gr);
	return false;
}
