// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locks of the data of a file, and what they permit to cache: pages, and the size and times of the
 * objects. A file is cached as a whole: under locks for reading of all of its objects, or for
 * writing, with pages that are written later.
 *
 *	an operation	ll_data_lock(), what it does with pages, ll_data_unlock()
 *	a lock goes	its owner, below, writes what was changed, and forgets all pages, before
 *			another client gets the lock
 *
 * Pages are in the cache only while locks cover them. An operation that has the locks keeps them
 * from being cancelled; a page that it adds stays locked until it is read, and the owner waits for
 * that.
 *
 *	inode <--> layout (layout.c) --> ll_cache <-- header of the layout (lov) <-- locks
 *
 * lli_sized says that size and times are those of the objects, as changed by this client since. The
 * first operation that has the locks learns them, and no reply of the metadata target changes them
 * then. A lock that is lost, as by an eviction, takes with it what was not written;
 * dt_cover_state() tells locks of before an eviction from later ones.
 *
 * A client may have a lock for reading and one for writing of the same object, as its own locks are
 * not in each other's way. If one of them goes, the rest may cover what is cached.
 *
 * Order: i_rwsem or mmap_lock, then locks of the file, then lch_mutex, then folio locks. The owner
 * of a lock takes neither of the first two. Nothing that may fault is called with the locks of the
 * file: the memory may be a mapping of a file whose locks another client has, which waits for this
 * one.
 */
#define DEBUG_SUBSYSTEM S_LLITE

#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pagemap.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <linux/wait_bit.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_ops.h>

#include "cache.h"

/* Pages that a program has pinned may get changed again while they are written. */
#define DROP_TRIES	8

static const char evicted[] = "an object storage target has evicted this client";

static struct ll_cache *owner_cache(struct dt_owner *owner)
{
	return container_of(owner, struct ll_cache, lch_owner);
}

/* Keeps the inode from ending until ll_cache_put_busy(). Return: inode or NULL */
static struct inode *inode_get_busy(struct ll_cache *cache)
{
	struct inode *inode;

	spin_lock(&cache->lch_lock);
	inode = cache->lch_inode;
	if (inode)
		cache->lch_busy++;
	spin_unlock(&cache->lch_lock);
	return inode;
}

void ll_cache_put_busy(struct ll_cache *cache)
{
	spin_lock(&cache->lch_lock);
	if (!--cache->lch_busy)
		wake_up_all(&cache->lch_wait);
	spin_unlock(&cache->lch_lock);
}

static bool is_idle(struct ll_cache *cache)
{
	bool idle;

	spin_lock(&cache->lch_lock);
	idle = !cache->lch_busy;
	spin_unlock(&cache->lch_lock);
	return idle;
}

/* Numbers of contents, of all files. */
static atomic64_t contents = ATOMIC64_INIT(0);

/**
 * ll_data_changes() - the content of a file is changed, or may be from now on
 * @inode: inode
 *
 * By this client, or by another one, after a lock of this one has gone.
 *
 * Context: any
 */
void ll_data_changes(struct inode *inode)
{
	atomic64_set(&ll_i2info(inode)->lli_version, atomic64_inc_return(&contents));
}

/**
 * ll_data_number() - the number of the content of a file
 * @inode: inode; the caller has locks of its data
 *
 * As long as it is the same, and no task uses locks for writing, the content is the same, and the
 * locks have not gone. Changes through mappings count once the pages that were mapped for writing
 * before are written.
 *
 * Context: any
 * Return: number, not 0
 */
u64 ll_data_number(struct inode *inode)
{
	struct ll_inode_info *lli = ll_i2info(inode);

	if (!atomic64_read(&lli->lli_version))
		atomic64_cmpxchg(&lli->lli_version, 0, atomic64_inc_return(&contents));
	return atomic64_read(&lli->lli_version);
}

static void sized_set(struct ll_inode_info *lli, bool sized)
{
	/* Pairs with is_current(). */
	smp_store_release(&lli->lli_sized, sized);
}

/*
 * Forget all pages. Changes that were not written are lost: fsync and close report it. @why: for
 * the log
 */
static void pages_lose(struct inode *inode, const char *why)
{
	struct address_space *mapping = inode->i_mapping;
	char text[FID_TEXT_SIZE], path[LL_PATH_TEXT];

	if (ll_data_is_unwritten(inode)) {
		ll_som_unsure(inode);
		mapping_set_error(mapping, -EIO);
		ll_inode_path(inode, path);
		CERROR("%s: file [%s] (%s): what was not written yet is lost: %s: rc = %d\n",
		       llite_mount(inode->i_sb)->llm_source.src_fsname,
		       fid_text(ll_inode2fid(inode), text), path, why, -EIO);
	}
	truncate_inode_pages(mapping, 0);
}

/* Whether the client has locks that cover the file in a mode. */
static bool is_locked(struct ll_layout *ly, u32 mode)
{
	struct dt_locks locks;

	if (dt_enqueue(ly->ly_exp, ly->ly_lov, mode, DT_LOCK_CACHED, &locks))
		return false;
	/* One that was lost meanwhile has its own call of lost(). */
	dt_decref(ly->ly_exp, &locks);
	return true;
}

/*
 * Errors of writing are in the mapping, for fsync and close. If this client has got another lock
 * meanwhile, pages may stay: no other client has had one in between. @ly: NULL: none may.
 */
static void pages_drop(struct inode *inode, struct ll_layout *ly)
{
	struct address_space *mapping = inode->i_mapping;
	unsigned int tries = DROP_TRIES;
	bool again;

	do {
		filemap_write_and_wait(mapping);
		again = invalidate_inode_pages2(mapping) && !(ly && is_locked(ly, LCK_PR));
	} while (again && --tries);
	if (again)
		pages_lose(inode, "a program changes a page all the time that another client waits for");
}

/*
 * Whether the pages are covered, also by locks that another client waits for and that tasks still
 * use: when these go, the pages go. A stat finds no size without locks that is older than what the
 * tasks write.
 */
static bool is_covered(struct inode *inode, struct ll_layout *ly)
{
	return is_locked(ly, LCK_PR) || ll_data_covered(inode);
}

/*
 * The size is not that of the objects any more, unless other locks cover it. A task that gets them
 * meanwhile either is found here, or sees lch_doubt in is_current(), and waits for lch_mutex.
 */
static void size_drop(struct ll_cache *cache, struct inode *inode, struct ll_layout *ly)
{
	mutex_lock(&cache->lch_mutex);
	WRITE_ONCE(cache->lch_doubt, true);
	if (!is_covered(inode, ly))
		sized_set(ll_i2info(inode), false);
	WRITE_ONCE(cache->lch_doubt, false);
	mutex_unlock(&cache->lch_mutex);
}

/* A lock goes: forget everything that another client may change after its cancel. */
static void give_up(struct ll_cache *cache, struct inode *inode)
{
	struct ll_layout *ly = ll_layout_get(inode);

	if (IS_ERR_OR_NULL(ly))
		return;
	if (!is_covered(inode, ly)) {
		ll_data_changes(inode);
		pages_drop(inode, ly);
		size_drop(cache, inode, ly);
	} else if (!is_locked(ly, LCK_PW)) {
		filemap_write_and_wait(inode->i_mapping);
	}
	ll_layout_put(ly);
}

/* If the lock was lost, tasks may have got new ones since, and have forgotten the pages. */
static void lost(struct dt_owner *owner, bool gone)
{
	struct ll_cache *cache = owner_cache(owner);
	struct inode *inode = inode_get_busy(cache);

	if (!inode)
		return;
	if (gone)
		ll_cache_lost(inode);
	else
		give_up(cache, inode);
	ll_cache_put_busy(cache);
}

static bool attr_get(struct dt_owner *owner, struct md_attr *attr)
{
	struct ll_cache *cache = owner_cache(owner);
	struct ll_inode_info *lli;
	bool known = false;

	spin_lock(&cache->lch_lock);
	if (cache->lch_inode) {
		lli = ll_i2info(cache->lch_inode);
		spin_lock(&lli->lli_lock);
		known = lli->lli_sized;
		attr->size = lli->lli_data.lda_size;
		attr->blocks = lli->lli_data.lda_blocks;
		attr->mtime = ll_md_time_of(&lli->lli_data.lda_mtime);
		attr->ctime = ll_md_time_of(&lli->lli_data.lda_ctime);
		spin_unlock(&lli->lli_lock);
	}
	spin_unlock(&cache->lch_lock);
	return known;
}

static bool unsure(struct dt_owner *owner)
{
	struct ll_cache *cache = owner_cache(owner);
	bool is_unsure;

	spin_lock(&cache->lch_lock);
	is_unsure = cache->lch_inode && !ll_layout_is_known(cache->lch_inode);
	spin_unlock(&cache->lch_lock);
	return is_unsure;
}

static void value_ask(struct dt_owner *owner, dt_value_t *use, void *data)
{
	struct ll_cache *cache = owner_cache(owner);
	struct inode *inode = inode_get_busy(cache);

	if (!inode)
		return;
	ll_inode_layout_ask(inode, use, data);
	ll_cache_put_busy(cache);
}

static void cache_free(struct dt_owner *owner)
{
	kfree(owner_cache(owner));
}

static const struct dt_owner_ops cache_owner_ops = {
	.do_lost	= lost,
	.do_attr	= attr_get,
	.do_unsure	= unsure,
	.do_value	= value_ask,
	.do_put		= cache_free,
	.do_module	= THIS_MODULE,
};

/**
 * ll_cache_new() - an owner for the locks of a file
 * @inode: inode
 *
 * Context: may sleep
 * Return: owner, for dt_layout() or kfree(); NULL on allocation failure
 */
struct ll_cache *ll_cache_new(struct inode *inode)
{
	struct ll_cache *cache = kmalloc(sizeof(*cache), GFP_KERNEL_ACCOUNT);

	if (!cache)
		return NULL;
	cache->lch_owner.dto_ops = &cache_owner_ops;
	mutex_init(&cache->lch_mutex);
	cache->lch_doubt = false;
	spin_lock_init(&cache->lch_lock);
	cache->lch_inode = inode;
	cache->lch_busy = 0;
	cache->lch_grace = NULL;
	init_waitqueue_head(&cache->lch_wait);
	return cache;
}

struct dt_owner *ll_cache_owner(struct ll_cache *cache)
{
	return &cache->lch_owner;
}

/* Whether the cached pages and attributes are those that these locks cover. */
static bool is_current(struct ll_inode_info *lli, const struct ll_layout *ly,
		       const struct dt_locks *locks)
{
	/* Pairs with doubt_end(). */
	if (smp_load_acquire(&lli->lli_doubt))
		return false;
	/* Pairs with sized_set(): what the caller reads afterwards is not older. */
	return smp_load_acquire(&lli->lli_sized) && !READ_ONCE(ly->ly_cache->lch_doubt) &&
	       dt_cover_state(ly->ly_exp, locks) == DT_COVERED;
}

/*
 * A change of the objects has failed, or a killed task has left it: when it has ended, nothing that
 * was read before counts. What this client has written meanwhile is written first. Return: 0;
 * -EINTR
 */
static int doubt_end(struct inode *inode, struct ll_layout *ly)
{
	int rc = dt_settle(ly->ly_exp, ly->ly_lov);

	if (rc)
		return rc;
	if (inode->i_mapping->nrpages)
		pages_drop(inode, NULL);
	sized_set(ll_i2info(inode), false);
	/* Not before that. Pairs with is_current(). */
	smp_store_release(&ll_i2info(inode)->lli_doubt, false);
	return 0;
}

static int learn(struct inode *inode, struct ll_layout *ly, struct dt_locks *locks)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	int rc = 0;

	if (dt_cover_state(ly->ly_exp, locks) == DT_COVER_LOST) {
		ll_data_changes(inode);
		pages_lose(inode, evicted);
		sized_set(lli, false);
	}
	dt_cover(ly->ly_exp, locks);
	if (READ_ONCE(lli->lli_doubt)) {
		rc = doubt_end(inode, ly);
		if (rc)
			return rc;
		/* The locks may have come before the end of the change. */
		locks->dk_known = false;
	}
	if (lli->lli_sized)
		return 0;
	/* Written under a lock that is being cancelled: the objects do not know the size yet. */
	if (ll_data_is_unwritten(inode)) {
		locks->dk_known = false;
		filemap_write_and_wait(inode->i_mapping);
	}
	if (!locks->dk_known)
		rc = dt_getattr(ly->ly_exp, ly->ly_lov, &locks->dk_attr, true);
	if (rc)
		return rc;
	ll_data_learned(inode, &locks->dk_attr);
	return 0;
}

/**
 * __ll_data_unlock() - the locks are not used any more
 * @inode: inode
 * @ly: layout
 * @locks: locks of ll_data_lock()
 *
 * Context: may sleep
 * Return: true if they were lost meanwhile: the caller has to call ll_cache_lost(), without a folio
 *  locked
 */
bool __ll_data_unlock(struct inode *inode, struct ll_layout *ly, struct dt_locks *locks)
{
	struct ll_inode_info *lli = ll_i2info(inode);

	/* A number that was taken during the use is not that of the content any more. */
	if (locks->dk_write)
		ll_data_changes(inode);
	if (atomic_dec_and_test(&lli->lli_lockers) && READ_ONCE(lli->lli_frozen))
		wake_up_var(&lli->lli_lockers);
	return dt_decref(ly->ly_exp, locks);
}

/* The same, and forget the pages if the locks were lost. Sleeps; no folio is locked */
void ll_data_unlock(struct inode *inode, struct ll_layout *ly, struct dt_locks *locks)
{
	if (__ll_data_unlock(inode, ly, locks))
		ll_cache_lost(inode);
}

/*
 * Locks of all objects that the file has: the layout is covered when they are there. Without a lock
 * for it, on allocation failure or while the file gets other objects, the client asks the server
 * with the locks held: the server does not change the layout then. Return: as ll_data_lock()
 */
static int locks_get(struct inode *inode, struct ll_layout *ly, u32 mode, enum dt_wait wait,
		     struct dt_locks *locks)
{
	int rc;

	for (;;) {
		rc = ll_layout_is_known(inode) ? 0 : ll_inode_refresh(inode);
		rc = rc ?: dt_enqueue(ly->ly_exp, ly->ly_lov, mode, wait, locks);
		/* The file may be elsewhere by now. */
		if (rc == -EREMCHG)
			continue;
		if (rc)
			return rc;
		if (!ll_layout_is_known(inode))
			rc = ll_inode_used(inode);
		if (!rc && dt_current(ly->ly_exp, ly->ly_lov, locks))
			return 0;
		dt_decref(ly->ly_exp, locks);
		if (rc)
			return rc;
	}
}

static int thaw_wait(struct ll_inode_info *lli, enum dt_wait wait)
{
	if (!READ_ONCE(lli->lli_frozen))
		return 0;
	if (wait != DT_LOCK_WAIT)
		return -EWOULDBLOCK;
	return wait_var_event_killable(&lli->lli_frozen, !READ_ONCE(lli->lli_frozen)) ? -EINTR : 0;
}

/*
 * Locks that tasks of this client may use: no task has frozen the file. Return: as ll_data_lock()
 */
static int locks_use(struct inode *inode, struct ll_layout *ly, u32 mode, enum dt_wait wait,
		     struct dt_locks *locks)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	bool kept = ll_grace_take(ly->ly_cache, locks);
	int rc;

	for (;;) {
		if (!kept) {
			rc = thaw_wait(lli, wait) ?: locks_get(inode, ly, mode, wait, locks);
			if (rc)
				return rc;
			locks->dk_write = false;
			atomic_inc(&lli->lli_lockers);
			/* Pairs with ll_data_freeze(). */
			smp_mb__after_atomic();
		}
		if (!READ_ONCE(lli->lli_frozen) &&
		    (!kept || dt_current(ly->ly_exp, ly->ly_lov, locks))) {
			locks->dk_write |= mode == LCK_PW;
			if (mode == LCK_PW) {
				ll_data_changes(inode);
				/* Before any page is changed. Pairs with first_read.c. */
				smp_mb();
			}
			return 0;
		}
		ll_data_unlock(inode, ly, locks);
		kept = false;
	}
}

/**
 * ll_data_freeze() - have the data of a file, and no other task of any client has it
 * @inode: inode; i_rwsem is held
 * @ly: its layout
 * @number: ll_data_number() of before
 * @locks: out: locks for writing, for dt_decref() if the result is 0. ll_data_thaw() follows
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: 0; -EAGAIN: the content has changed since, or may have; as ll_data_lock()
 */
int ll_data_freeze(struct inode *inode, struct ll_layout *ly, u64 number, struct dt_locks *locks)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	int rc;

	WRITE_ONCE(lli->lli_frozen, true);
	/* A task that does not see it has its lli_lockers seen. */
	smp_mb();
	rc = wait_var_event_killable(&lli->lli_lockers, !atomic_read(&lli->lli_lockers)) ?
	     -EINTR : locks_get(inode, ly, LCK_PW, DT_LOCK_WAIT, locks);
	if (!rc && (atomic64_read(&lli->lli_version) != number || !is_current(lli, ly, locks))) {
		dt_decref(ly->ly_exp, locks);
		rc = -EAGAIN;
	}
	if (rc)
		ll_data_thaw(inode);
	return rc;
}

/* Tasks may use the data again. */
void ll_data_thaw(struct inode *inode)
{
	struct ll_inode_info *lli = ll_i2info(inode);

	WRITE_ONCE(lli->lli_frozen, false);
	/* Pairs with the barrier of a task that waits. */
	smp_mb();
	wake_up_var(&lli->lli_frozen);
}

static int data_lock(struct inode *inode, struct ll_layout *ly, u32 mode, enum dt_wait wait,
		     struct dt_locks *locks)
{
	int rc = 0;

	/* Locks of healthy targets are not kept meanwhile. */
	if (READ_ONCE(ll_i2info(inode)->lli_doubt))
		rc = dt_settle(ly->ly_exp, ly->ly_lov);
	rc = rc ?: locks_use(inode, ly, mode, wait, locks);
	if (rc)
		return rc;
	if (!is_current(ll_i2info(inode), ly, locks)) {
		rc = mutex_lock_killable(&ly->ly_cache->lch_mutex);
		if (!rc) {
			rc = learn(inode, ly, locks);
			mutex_unlock(&ly->ly_cache->lch_mutex);
		}
	}
	if (rc)
		ll_data_unlock(inode, ly, locks);
	return rc;
}

/**
 * ll_data_lock() - have the data of a file in the cache
 * @inode: inode
 * @ly: its layout
 * @mode: LCK_PR to read, LCK_PW also to write
 * @wait: whether to wait for other clients
 * @locks: out, for ll_data_unlock() if the result is 0
 *
 * With it the layout, i_size and the times are right, and the pages of the file may be used.
 *
 * Context: sleeps, as the comment at the top says; a signal that kills the task ends it
 * Return: 0; as dt_enqueue() and dt_getattr(); as ll_inode_refresh() if no lock covers the layout
 */
int ll_data_lock(struct inode *inode, struct ll_layout *ly, u32 mode, enum dt_wait wait,
		 struct dt_locks *locks)
{
	int rc;

	do {
		rc = data_lock(inode, ly, mode, wait, locks);
	} while (rc == -EREMCHG);
	return rc;
}

/* With the lock. Return: 0; -EAGAIN: what the reply says may be old; as ll_data_lock() */
static int read_learn(struct inode *inode, struct ll_layout *ly, u64 number, struct dt_locks *locks)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	int rc;

	if (READ_ONCE(lli->lli_frozen) || !ll_layout_is_known(inode) ||
	    !dt_current(ly->ly_exp, ly->ly_lov, locks))
		return -EAGAIN;
	rc = mutex_lock_killable(&ly->ly_cache->lch_mutex);
	if (rc)
		return rc;
	if (!ll_data_version_is(inode, number) || READ_ONCE(lli->lli_doubt))
		rc = -EAGAIN;
	else if (!is_current(lli, ly, locks))
		rc = learn(inode, ly, locks);
	mutex_unlock(&ly->ly_cache->lch_mutex);
	return rc;
}

/**
 * ll_data_lock_read() - have the data of a file in the cache, by the request that reads it
 * @inode: inode
 * @ly: its layout
 * @io: as of d_read_lock
 * @number: lli_version of before, when no task used the locks
 * @locks: out, for ll_data_unlock() if the result is 0
 *
 * With result 0 this is as ll_data_lock() for reading. Tasks may have got locks for writing since
 * the bytes were read: these have changed the number.
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: 0; -EAGAIN: not now; as d_read_lock and dt_getattr()
 */
int ll_data_lock_read(struct inode *inode, struct ll_layout *ly, const struct dt_io *io, u64 number,
		      struct dt_locks *locks)
{
	int rc = ll_layout_is_known(inode) ? 0 : -EAGAIN;

	rc = rc ?: dt_read_lock(ly->ly_exp, ly->ly_lov, io, locks);
	if (rc)
		return rc;
	locks->dk_write = false;
	atomic_inc(&ll_i2info(inode)->lli_lockers);
	/* Pairs with ll_data_freeze(). */
	smp_mb__after_atomic();
	rc = read_learn(inode, ly, number, locks);
	if (rc)
		ll_data_unlock(inode, ly, locks);
	return rc;
}

/**
 * ll_cache_lost() - a lock was lost
 * @inode: inode
 *
 * Drops all pages and the size, unless learn() has done so under newer locks. Dirty pages are lost,
 * even those changed under newer locks.
 *
 * Context: sleeps; no folio is locked
 */
void ll_cache_lost(struct inode *inode)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	struct ll_layout *ly = ll_layout_get(inode);
	struct dt_locks locks;
	bool newer = false;

	if (IS_ERR_OR_NULL(ly))
		return;
	mutex_lock(&ly->ly_cache->lch_mutex);
	if (!dt_enqueue(ly->ly_exp, ly->ly_lov, LCK_PR, DT_LOCK_CACHED, &locks)) {
		newer = is_current(lli, ly, &locks);
		dt_decref(ly->ly_exp, &locks);
	}
	ll_data_changes(inode);
	if (!newer) {
		pages_lose(inode, evicted);
		sized_set(lli, false);
	}
	mutex_unlock(&ly->ly_cache->lch_mutex);
	ll_layout_put(ly);
}

/**
 * ll_cache_forget() - the file has other objects from now on
 * @inode: inode
 *
 * A client that moved its bytes had all locks of the others: this one has written what it changed,
 * unless a target has evicted it. Then that is lost, and overwrites nothing.
 *
 * Context: sleeps; no folio is locked, and the task uses no locks of the data
 */
void ll_cache_forget(struct inode *inode)
{
	ll_data_changes(inode);
	if (inode->i_mapping->nrpages)
		pages_drop(inode, NULL);
	sized_set(ll_i2info(inode), false);
}

/**
 * ll_cache_end() - the inode ends
 * @inode: inode with a layout, without pages
 *
 * Locks that go later find no inode.
 *
 * Context: sleeps until calls that use the inode have ended
 */
void ll_cache_end(struct inode *inode)
{
	struct ll_layout *ly = ll_i2info(inode)->lli_layout;
	struct ll_cache *cache = ly->ly_cache;
	struct dt_locks locks;

	if (ll_grace_take(cache, &locks))
		dt_decref(ly->ly_exp, &locks);
	spin_lock(&cache->lch_lock);
	cache->lch_inode = NULL;
	spin_unlock(&cache->lch_lock);
	wait_event(cache->lch_wait, is_idle(cache));
}
