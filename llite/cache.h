/* SPDX-License-Identifier: GPL-2.0-only */
/* The owner of the locks of a file: cache.c. Locks that it keeps for the next access: grace.c. */
#ifndef _CACHE_H
#define _CACHE_H

#include "llite_inode.h"

struct ll_grace;

/**
 * struct ll_cache - the owner of the locks of a file
 * @lch_owner: for the layout
 * @lch_mutex: held while size and times are learned, and while what was lost is forgotten
 * @lch_doubt: a lock goes that may have been the last one; written under lch_mutex
 * @lch_lock: guards what follows
 * @lch_inode: inode; NULL: it has ended
 * @lch_busy: calls of the owner that use the inode, and ends of a grace
 * @lch_grace: locks that are kept for the next access, or NULL
 * @lch_wait: an inode that ends waits here until @lch_busy is 0
 *
 * Created with a layout of the inode, and freed by the last reference on its header.
 */
struct ll_cache {
	struct dt_owner		lch_owner;
	struct mutex		lch_mutex;
	bool			lch_doubt;
	spinlock_t		lch_lock;
	struct inode		*lch_inode;
	unsigned int		lch_busy;
	struct ll_grace		*lch_grace;
	wait_queue_head_t	lch_wait;
};

/* The inode may end. The caller has lch_busy; also its reference on the layout, if any, is gone. */
void ll_cache_put_busy(struct ll_cache *cache);

/* The locks that were kept, to be used by the caller. Sleeps. Return: false if there are none */
bool ll_grace_take(struct ll_cache *cache, struct dt_locks *locks);

#endif /* _CACHE_H */
