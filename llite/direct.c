// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading and writing without the cache: O_DIRECT, and writes that may not be kept to be written
 * later. Bytes go between the caller's memory and the targets in rounds, through pages that live
 * for the round. A write keeps references on its pages until they are on disk.
 *
 * Cached pages of these bytes are written before, and forgotten before and after a write.
 */
#include <linux/bvec.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/uio.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/obd_ops.h>
#include <uapi/lustre_lite/wire.h>

#include "llite_inode.h"

/* Bytes of a round: requests to a few targets, side by side. */
#define LL_RW_BYTES	(4 * WIRE_BULK_DEFAULT)

/**
 * struct ll_pages - pages of a round
 * @lpg_vec: parts: one page each, the first at the offset that its position has in a page
 * @lpg_nr: number of parts
 * @lpg_len: bytes of all parts
 */
struct ll_pages {
	struct bio_vec	*lpg_vec;
	unsigned int	lpg_nr;
	size_t		lpg_len;
};

static void pages_free(struct ll_pages *lp)
{
	unsigned int n;

	for (n = 0; n < lp->lpg_nr; n++)
		put_page(lp->lpg_vec[n].bv_page);
	kvfree(lp->lpg_vec);
}

/* Drop what is after the first @len bytes, of which there is at least one. */
static void pages_trim(struct ll_pages *lp, size_t len)
{
	while (lp->lpg_len > len) {
		struct bio_vec *last = &lp->lpg_vec[lp->lpg_nr - 1];
		size_t more = min_t(size_t, lp->lpg_len - len, last->bv_len);

		lp->lpg_len -= more;
		last->bv_len -= more;
		if (last->bv_len)
			continue;
		put_page(last->bv_page);
		lp->lpg_nr--;
	}
}

/* Up to @len bytes; fewer if memory is short. Return: 0; -ENOMEM */
static int pages_alloc(struct ll_pages *lp, loff_t pos, size_t len)
{
	unsigned int nr = DIV_ROUND_UP(offset_in_page(pos) + len, PAGE_SIZE);
	unsigned int from = offset_in_page(pos);

	*lp = (struct ll_pages){
		.lpg_vec = kvmalloc_array(nr, sizeof(*lp->lpg_vec), GFP_KERNEL),
	};
	if (!lp->lpg_vec)
		return -ENOMEM;
	while (lp->lpg_nr < nr) {
		struct bio_vec *part = &lp->lpg_vec[lp->lpg_nr];

		part->bv_page = alloc_page(lp->lpg_nr ? GFP_KERNEL | __GFP_NORETRY : GFP_KERNEL);
		if (!part->bv_page)
			break;
		part->bv_offset = from;
		part->bv_len = min_t(size_t, PAGE_SIZE - from, len - lp->lpg_len);
		lp->lpg_len += part->bv_len;
		lp->lpg_nr++;
		from = 0;
	}
	if (lp->lpg_nr)
		return 0;
	pages_free(lp);
	return -ENOMEM;
}

static void *part_bytes(const struct bio_vec *part)
{
	return page_address(part->bv_page) + part->bv_offset;
}

/* Return: bytes; fewer than there are if memory of the caller is not there */
static size_t pages_copy_in(const struct ll_pages *lp, struct iov_iter *from)
{
	size_t copied, done = 0;
	unsigned int n;

	for (n = 0; n < lp->lpg_nr; n++) {
		copied = copy_from_iter(part_bytes(&lp->lpg_vec[n]), lp->lpg_vec[n].bv_len, from);
		done += copied;
		if (copied < lp->lpg_vec[n].bv_len)
			break;
	}
	return done;
}

static size_t pages_copy_out(const struct ll_pages *lp, struct iov_iter *to)
{
	size_t copied, done = 0;
	unsigned int n;

	for (n = 0; n < lp->lpg_nr; n++) {
		copied = copy_to_iter(part_bytes(&lp->lpg_vec[n]), lp->lpg_vec[n].bv_len, to);
		done += copied;
		if (copied < lp->lpg_vec[n].bv_len)
			break;
	}
	return done;
}

/* --- reading -------------------------------------------------------------------------- */

/*
 * With the locks. Return: bytes in @lp, which is to be freed if there are any; or a negative errno
 */
static ssize_t pages_read(struct inode *inode, struct ll_layout *ly, struct ll_pages *lp,
			  loff_t pos, size_t len)
{
	loff_t left = i_size_read(inode) - pos;
	int rc;

	if (left <= 0)
		return 0;
	len = min_t(loff_t, left, len);
	rc = ll_pages_sync(inode, pos, pos + len - 1) ?: pages_alloc(lp, pos, len);
	if (rc)
		return rc;
	rc = dt_io(ly->ly_exp, ly->ly_lov, &(const struct dt_io) {
		.di_range = &(const struct dt_range){ pos, lp->lpg_len },
		.di_ranges = 1,
		.di_vec = lp->lpg_vec,
		.di_nr = lp->lpg_nr,
	});
	if (!rc)
		return lp->lpg_len;
	pages_free(lp);
	return rc;
}

static ssize_t read_round(struct kiocb *iocb, struct iov_iter *to, struct ll_layout *ly)
{
	size_t len = min_t(size_t, iov_iter_count(to), LL_RW_BYTES);
	struct inode *inode = file_inode(iocb->ki_filp);
	struct dt_locks locks;
	struct ll_pages lp;
	ssize_t done = ll_data_lock(inode, ly, LCK_PR, DT_LOCK_WAIT, &locks);

	if (done)
		return done;
	done = pages_read(inode, ly, &lp, iocb->ki_pos, len);
	ll_data_unlock(inode, ly, &locks);
	if (done <= 0)
		return done;
	done = pages_copy_out(&lp, to) ?: -EFAULT;
	pages_free(&lp);
	if (done > 0)
		iocb->ki_pos += done;
	return done;
}

/**
 * ll_direct_read() - read without the cache
 * @iocb: position
 * @to: memory
 * @ly: layout
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: bytes; 0: the end of the file; or a negative errno
 */
ssize_t ll_direct_read(struct kiocb *iocb, struct iov_iter *to, struct ll_layout *ly)
{
	ssize_t done = 0;
	ssize_t rc = 0;

	while (iov_iter_count(to)) {
		do {
			rc = read_round(iocb, to, ly);
		} while (rc == -EREMCHG);
		if (rc <= 0)
			break;
		done += rc;
		if (fatal_signal_pending(current))
			break;
		cond_resched();
	}
	return done ?: rc;
}

/* --- writing -------------------------------------------------------------------------- */

/* With the locks. @lp: what is written at the position of @iocb */
static int pages_write(struct kiocb *iocb, struct ll_layout *ly, const struct ll_pages *lp)
{
	struct inode *inode = file_inode(iocb->ki_filp);
	struct address_space *mapping = inode->i_mapping;
	pgoff_t first = iocb->ki_pos >> PAGE_SHIFT;
	pgoff_t last = (iocb->ki_pos + lp->lpg_len - 1) >> PAGE_SHIFT;
	struct timespec64 now = current_time(inode);
	const struct md_attr attr = {
		.valid = MDS_ATTR_MTIME | MDS_ATTR_CTIME,
		.mtime = ll_md_time_of(&now),
		.ctime = ll_md_time_of(&now),
	};
	struct md_attr got = {};
	const struct dt_io io = {
		.di_write = true,
		.di_sync = iocb_is_dsync(iocb),
		.di_covered = true,
		.di_asks = true,
		.di_range = &(const struct dt_range){ iocb->ki_pos, lp->lpg_len },
		.di_ranges = 1,
		.di_vec = lp->lpg_vec,
		.di_nr = lp->lpg_nr,
		.di_attr = &attr,
		.di_got = &got,
	};
	int rc = ll_pages_sync(inode, iocb->ki_pos, iocb->ki_pos + lp->lpg_len - 1);

	if (rc)
		return rc;
	if (iocb->ki_pos > i_size_read(inode))
		ll_pages_zero_tail(inode, i_size_read(inode));
	invalidate_inode_pages2_range(mapping, first, last);
	rc = dt_io(ly->ly_exp, ly->ly_lov, &io);
	/* A mapping may have read some of them meanwhile. */
	invalidate_inode_pages2_range(mapping, first, last);
	if (rc) {
		if (rc != -EREMCHG)
			ll_data_unsure(inode);
		return rc;
	}
	iocb->ki_pos += lp->lpg_len;
	ll_data_written(inode, iocb->ki_pos, &now);
	ll_data_answered(inode, &got);
	return 0;
}

/* Return: 0 or a negative errno */
static int write_round(struct kiocb *iocb, struct ll_layout *ly, const struct ll_pages *lp)
{
	struct inode *inode = file_inode(iocb->ki_filp);
	struct dt_locks locks;
	int rc;

	do {
		rc = ll_write_lock(iocb, ly, lp->lpg_len, &locks);
		if (rc)
			return rc;
		rc = pages_write(iocb, ly, lp);
		ll_data_unlock(inode, ly, &locks);
	} while (rc == -EREMCHG);
	return rc;
}

/**
 * ll_direct_write() - write without the cache
 * @iocb: position; with IOCB_APPEND it becomes the end of the file
 * @from: memory
 * @ly: layout
 * @most: most bytes to write
 *
 * The memory is read before the locks are taken: it may be a mapping whose pages other clients
 * want.
 *
 * Context: sleeps, with i_rwsem; a signal that kills the task ends it
 * Return: bytes, more than 0, perhaps fewer than @most; or a negative errno
 */
ssize_t ll_direct_write(struct kiocb *iocb, struct iov_iter *from, struct ll_layout *ly,
			size_t most)
{
	size_t len = min3(iov_iter_count(from), most, (size_t)LL_RW_BYTES);
	struct ll_pages lp;
	ssize_t rc = pages_alloc(&lp, iocb->ki_pos, len);

	if (rc)
		return rc;
	len = pages_copy_in(&lp, from);
	if (len) {
		pages_trim(&lp, len);
		rc = write_round(iocb, ly, &lp);
	} else {
		rc = -EFAULT;
	}
	if (rc)
		iov_iter_revert(from, len);
	pages_free(&lp);
	return rc ?: len;
}
