// SPDX-License-Identifier: GPL-2.0-only
/*
 * Size, blocks and times of a file, which its objects have. With the locks of the data they are
 * known, otherwise the objects are asked each time: they ask a client that has changed them.
 *
 * Times are those of the objects if these have changed last. Else the metadata target has them,
 * but does not know of all writes: the newer mtime counts.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/string.h>
#include <linux/time64.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/lustre_ost.h>
#include <lustre_lite/obd_client.h>
#include <lustre_lite/obd_ops.h>

#include "llite_inode.h"

/*
 * A write sets both times of a file; the ctime of its object is when the bytes came there, later.
 */
static struct timespec64 changed_at(const struct ll_data *data)
{
	return timespec64_compare(&data->lda_mtime, &data->lda_ctime) < 0 ? data->lda_mtime :
									 data->lda_ctime;
}

/* Whether the objects lack what this client has written. Any context. */
bool ll_data_is_unwritten(struct inode *inode)
{
	return mapping_tagged(inode->i_mapping, PAGECACHE_TAG_DIRTY) ||
	       mapping_tagged(inode->i_mapping, PAGECACHE_TAG_WRITEBACK);
}

/* Under lli_lock: the VFS' attributes from those of the server and of the objects. */
void __ll_data_merge(struct inode *inode)
{
	const struct ll_inode_info *lli = ll_i2info(inode);
	const struct ll_data *data = &lli->lli_data;
	struct timespec64 changed = changed_at(data);
	struct timespec64 mtime = lli->lli_mtime;
	struct timespec64 ctime = lli->lli_ctime;

	if (timespec64_compare(&changed, &ctime) >= 0) {
		mtime = data->lda_mtime;
		ctime = changed;
	} else if (timespec64_compare(&data->lda_mtime, &mtime) > 0) {
		mtime = data->lda_mtime;
	}
	i_size_write(inode, data->lda_size);
	inode->i_blocks = data->lda_blocks;
	compat_inode_set_mtime(inode, mtime);
	compat_inode_set_ctime(inode, ctime);
}

static struct ll_data data_of(const struct md_attr *attr)
{
	return (struct ll_data) {
		.lda_size = attr->size,
		.lda_blocks = attr->blocks,
		.lda_mtime = ll_timespec_of(&attr->mtime),
		.lda_ctime = ll_timespec_of(&attr->ctime),
	};
}

/**
 * ll_data_learned() - the objects have said size, blocks and times
 * @inode: inode; the caller has the locks of its data
 * @attr: what they said
 *
 * Context: any
 */
void ll_data_learned(struct inode *inode, const struct md_attr *attr)
{
	struct ll_inode_info *lli = ll_i2info(inode);

	spin_lock(&lli->lli_lock);
	lli->lli_data = data_of(attr);
	lli->lli_blocks_old = false;
	__ll_data_merge(inode);
	/* In one step: data_heard() may have an older answer. Pairs with is_current(). */
	smp_store_release(&lli->lli_sized, true);
	spin_unlock(&lli->lli_lock);
}

/* Without the locks: if a task has got them meanwhile, it knows more. */
static void data_heard(struct inode *inode, const struct md_attr *attr)
{
	struct ll_inode_info *lli = ll_i2info(inode);

	spin_lock(&lli->lli_lock);
	if (!lli->lli_sized && !ll_data_is_unwritten(inode))
		lli->lli_data = data_of(attr);
	else
		lli->lli_data.lda_blocks = attr->blocks;
	__ll_data_merge(inode);
	spin_unlock(&lli->lli_lock);
}

/* Of what this client has written, only the objects know how many blocks it takes. */
static int blocks_ask(struct inode *inode, struct ll_layout *ly)
{
	struct md_attr attr;
	int rc;

	if (!READ_ONCE(ll_i2info(inode)->lli_blocks_old))
		return 0;
	WRITE_ONCE(ll_i2info(inode)->lli_blocks_old, false);
	rc = dt_getattr(ly->ly_exp, ly->ly_lov, &attr, true);
	if (!rc)
		data_heard(inode, &attr);
	return rc;
}

/* Rounds in which the file may get other objects before the answer of the last ones is taken. */
#define LAYOUT_TRIES	16

/*
 * Without the locks. Those that were asked are the objects of the file if its layout was known all
 * the time.
 */
static int objects_ask(struct inode *inode, struct ll_layout *ly, struct md_attr *attr)
{
	unsigned int tries = LAYOUT_TRIES;
	unsigned long epoch;
	int rc;

	for (;;) {
		epoch = ll_cover_epoch(inode, MDS_INODELOCK_LAYOUT);
		rc = dt_getattr(ly->ly_exp, ly->ly_lov, attr, true);
		if (rc != -EREMCHG &&
		    (rc || !--tries ||
		     (epoch && epoch == ll_cover_epoch(inode, MDS_INODELOCK_LAYOUT))))
			return rc;
		rc = ll_inode_refresh(inode);
		if (rc)
			return rc;
	}
}

/**
 * ll_data_refresh() - know size and times of a file
 * @inode: inode; one without layout, or with one that is not served, is left as it is
 * @blocks: the blocks, too
 *
 * They stay right if no other client uses the file.
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: 0 or a negative errno
 */
int ll_data_refresh(struct inode *inode, bool blocks)
{
	struct ll_layout *ly = ll_layout_get(inode);
	struct dt_locks locks;
	struct md_attr attr;
	int rc = 0;

	if (IS_ERR_OR_NULL(ly))
		return ll_layout_is_refused(PTR_ERR_OR_ZERO(ly)) ? 0 : PTR_ERR_OR_ZERO(ly);
	if (ll_som_is_covered(inode))
		goto put_layout;
	rc = ll_data_lock(inode, ly, LCK_PR, DT_LOCK_NOWAIT, &locks);
	if (!rc) {
		rc = blocks ? blocks_ask(inode, ly) : 0;
		ll_data_unlock(inode, ly, &locks);
	}
	/* The file may be elsewhere by now. */
	if (rc == -EWOULDBLOCK || rc == -EREMCHG) {
		rc = objects_ask(inode, ly, &attr);
		if (!rc)
			data_heard(inode, &attr);
	}
put_layout:
	ll_layout_put(ly);
	return rc;
}

/**
 * ll_data_written() - this client has changed the data
 * @inode: inode; the caller has the locks of its data, for writing
 * @end: position after the last byte
 * @now: its mtime and ctime
 *
 * Context: any
 */
void ll_data_written(struct inode *inode, u64 end, const struct timespec64 *now)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	struct ll_data *data = &lli->lli_data;

	spin_lock(&lli->lli_lock);
	data->lda_size = max(data->lda_size, end);
	data->lda_mtime = *now;
	/* A clock of a target may be ahead. */
	if (timespec64_compare(now, &data->lda_ctime) > 0)
		data->lda_ctime = *now;
	lli->lli_blocks_old = true;
	lli->lli_changed = true;
	lli->lli_told = false;
	__ll_data_merge(inode);
	spin_unlock(&lli->lli_lock);
}

/**
 * ll_data_answered() - an object has what this client has written
 * @inode: inode
 * @attr: its times
 *
 * Context: any
 */
void ll_data_answered(struct inode *inode, const struct md_attr *attr)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	struct timespec64 ctime = ll_timespec_of(&attr->ctime);
	u64 blocks = attr->blocks;
	int order;

	spin_lock(&lli->lli_lock);
	if (timespec64_compare(&ctime, &lli->lli_data.lda_ctime) > 0)
		lli->lli_data.lda_ctime = ctime;
	lli->lli_blocks_old = true;
	order = timespec64_compare(&ctime, &lli->lli_told_at);
	if (attr->valid & MDS_ATTR_SIZE && order >= 0) {
		/* Of two writes in one tick of the clock the later one left more. */
		if (!order && lli->lli_told)
			blocks = max(blocks, lli->lli_data.lda_blocks);
		lli->lli_data.lda_blocks = blocks;
		lli->lli_told_at = ctime;
		lli->lli_told = true;
	}
	__ll_data_merge(inode);
	spin_unlock(&lli->lli_lock);
}

/* The times for what is written now. */
void ll_data_times(struct inode *inode, struct md_attr *attr)
{
	struct ll_inode_info *lli = ll_i2info(inode);

	spin_lock(&lli->lli_lock);
	*attr = (struct md_attr) {
		.valid = MDS_ATTR_MTIME | MDS_ATTR_CTIME,
		.mtime = ll_md_time_of(&lli->lli_data.lda_mtime),
		.ctime = ll_md_time_of(&lli->lli_data.lda_ctime),
	};
	spin_unlock(&lli->lli_lock);
}

/**
 * ll_data_unsure() - a change of the objects has failed, and may be done in part
 * @inode: inode; i_rwsem is held, and the caller has the locks of its data, for writing
 *
 * If its task was killed, the targets may also do it later. The next operation waits for that,
 * reads all pages again, and asks the objects for the size. They get first what this client has
 * written, or they would not know of it.
 *
 * Context: sleeps, no folio is locked; a signal that kills the task ends it, and other clients see
 *  the size of before until the next operation
 */
void ll_data_unsure(struct inode *inode)
{
	struct ll_inode_info *lli = ll_i2info(inode);

	ll_som_unsure(inode);
	WRITE_ONCE(lli->lli_doubt, true);
	if (!ll_pages_sync(inode, 0, LLONG_MAX))
		WRITE_ONCE(lli->lli_sized, false);
}

static void data_became(struct inode *inode, const struct md_attr *to)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	struct ll_data *data = &lli->lli_data;

	spin_lock(&lli->lli_lock);
	data->lda_mtime = ll_timespec_of(&to->mtime);
	data->lda_ctime = ll_timespec_of(&to->ctime);
	if (to->valid & MDS_ATTR_SIZE) {
		data->lda_size = to->size;
		lli->lli_blocks_old = true;
		lli->lli_changed = true;
		lli->lli_told = false;
	}
	__ll_data_merge(inode);
	spin_unlock(&lli->lli_lock);
}

/*
 * With the locks, for writing. Pages beyond the new size go before the objects are truncated: they
 * are not written afterwards. If that fails, the next operation asks the objects for the size.
 */
static int size_set(struct inode *inode, struct ll_layout *ly, struct md_attr *to)
{
	struct address_space *mapping = inode->i_mapping;
	loff_t old = i_size_read(inode);
	/* The truncation itself waits for these in any case. */
	int rc = to->size < old ? ll_pages_wait(inode, to->size, LLONG_MAX) : 0;

	if (rc)
		return rc;
	filemap_invalidate_lock(mapping);
	if (to->size > old)
		ll_pages_zero_tail(inode, old);
	data_became(inode, to);
	if (to->size < old)
		truncate_pagecache(inode, to->size);
	else
		pagecache_isize_extended(inode, old, to->size);
	rc = dt_setattr(ly->ly_exp, ly->ly_lov, to);
	if (!rc)
		data_became(inode, to);
	else if (rc != -EREMCHG)
		ll_data_unsure(inode);
	filemap_invalidate_unlock(mapping);
	return rc;
}

/* Likewise, or times. Return: 0; -EREMCHG: the file is elsewhere; other negative errno */
static int attr_set(struct inode *inode, struct ll_layout *ly, struct md_attr *to)
{
	int rc;

	if (to->valid & MDS_ATTR_SIZE)
		return size_set(inode, ly, to);
	rc = dt_setattr(ly->ly_exp, ly->ly_lov, to);
	if (!rc)
		data_became(inode, to);
	else if (rc == -EINTR)
		ll_data_unsure(inode);
	return rc;
}

/**
 * ll_data_setattr() - set attributes of the objects of a file
 * @inode: inode; i_rwsem is held
 * @to: attributes: mtime, ctime, and perhaps the size; out: the times that they have now
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: 0 or a negative errno
 */
int ll_data_setattr(struct inode *inode, struct md_attr *to)
{
	struct ll_layout *ly = ll_layout_get(inode);
	struct dt_locks locks;
	int rc = PTR_ERR_OR_ZERO(ly);

	/* The times are the server's, which has set them. */
	if (ll_layout_is_refused(rc) && !(to->valid & MDS_ATTR_SIZE))
		rc = 0;
	if (IS_ERR_OR_NULL(ly))
		return rc;
	do {
		/*
		 * For writing: what another client has not written yet does not set the times back.
		 */
		rc = ll_layout_lock(inode, ly, NULL, to->valid & MDS_ATTR_SIZE ? to->size : 0,
				    &locks);
		if (rc)
			break;
		rc = attr_set(inode, ly, to);
		ll_data_unlock(inode, ly, &locks);
	} while (rc == -EREMCHG);
	ll_layout_put(ly);
	return rc;
}

/* A target that is down is not waited for. */
static int target_sync(struct obd_export *exp)
{
	const struct ost_op op = { .opc = OST_SYNC };
	struct ost_reply rep;
	bool down;

	if (!obd_op_enter(exp->exp_obd))
		return 0;
	down = llite_import_down(exp->exp_obd);
	obd_op_leave(exp->exp_obd);
	return down ? -ENOTCONN : ost_call(exp, &op, &rep);
}

/**
 * ll_data_sync_all() - until all that was written is on the disks of the targets
 * @lc: client
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: 0; -ENOTCONN: a target is down, the others have been synced; other negative errno
 */
int ll_data_sync_all(struct llite_client *lc)
{
	struct obd_export *exp;
	u32 index = 0;
	int rc = 0;

	while ((exp = dt_target_next(lc->llc_dt, &index))) {
		int status = target_sync(exp);

		rc = rc ?: status;
		class_export_put(exp);
	}
	return rc;
}
