// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading and writing of files. Nothing is cached: bytes go between the caller's memory and the
 * targets in rounds, through pages that live for the round. A write keeps references on its pages
 * until they are on disk.
 *
 *	write	i_rwsem; O_APPEND: a lock that other clients that append wait for, and the size
 *		from the objects; a round: copy in, dt_io()
 *	read	a round: size from the objects, unless the range lies below the last one; dt_io();
 *		copy out
 *
 * A read that finds no bytes below the size that was known asks for the size, and reads again up to
 * it: the size is older than the bytes that count as a hole.
 */
#include <linux/bvec.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uio.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/obd_ops.h>
#include <uapi/lustre_lite/wire.h>

#include "llite_inode.h"

/* Bytes of a round: requests to a few targets, side by side. */
#define LL_RW_BYTES	(4 * WIRE_BULK_MAX)

/**
 * struct ll_pages - pages of a round
 * @lp_vec: parts: one page each, the first at the offset that its position has in a page
 * @lp_nr: number of parts
 * @lp_len: bytes of all parts
 */
struct ll_pages {
	struct bio_vec	*lp_vec;
	unsigned int	lp_nr;
	size_t		lp_len;
};

static void pages_free(struct ll_pages *lp)
{
	unsigned int n;

	for (n = 0; n < lp->lp_nr; n++)
		put_page(lp->lp_vec[n].bv_page);
	kvfree(lp->lp_vec);
}

/* Drop what is after the first @len bytes, of which there is at least one. */
static void pages_trim(struct ll_pages *lp, size_t len)
{
	while (lp->lp_len > len) {
		struct bio_vec *last = &lp->lp_vec[lp->lp_nr - 1];
		size_t more = min_t(size_t, lp->lp_len - len, last->bv_len);

		lp->lp_len -= more;
		last->bv_len -= more;
		if (last->bv_len)
			continue;
		put_page(last->bv_page);
		lp->lp_nr--;
	}
}

/* Up to @len bytes; fewer if memory is short. Return: 0; -ENOMEM */
static int pages_alloc(struct ll_pages *lp, loff_t pos, size_t len)
{
	unsigned int nr = DIV_ROUND_UP(offset_in_page(pos) + len, PAGE_SIZE);
	unsigned int from = offset_in_page(pos);

	*lp = (struct ll_pages){
		.lp_vec = kvmalloc_array(nr, sizeof(*lp->lp_vec), GFP_KERNEL),
	};
	if (!lp->lp_vec)
		return -ENOMEM;
	while (lp->lp_nr < nr) {
		struct bio_vec *part = &lp->lp_vec[lp->lp_nr];

		part->bv_page = alloc_page(lp->lp_nr ? GFP_KERNEL | __GFP_NORETRY : GFP_KERNEL);
		if (!part->bv_page)
			break;
		part->bv_offset = from;
		part->bv_len = min_t(size_t, PAGE_SIZE - from, len - lp->lp_len);
		lp->lp_len += part->bv_len;
		lp->lp_nr++;
		from = 0;
	}
	if (lp->lp_nr)
		return 0;
	pages_free(lp);
	return -ENOMEM;
}

static void *part_bytes(const struct bio_vec *part)
{
	return page_address(part->bv_page) + part->bv_offset;
}

/* Return: bytes; fewer than there are if memory of the caller is not accessible */
static size_t pages_copy_in(const struct ll_pages *lp, struct iov_iter *from)
{
	size_t copied, done = 0;
	unsigned int n;

	for (n = 0; n < lp->lp_nr; n++) {
		copied = copy_from_iter(part_bytes(&lp->lp_vec[n]), lp->lp_vec[n].bv_len, from);
		done += copied;
		if (copied < lp->lp_vec[n].bv_len)
			break;
	}
	return done;
}

static size_t pages_copy_out(const struct ll_pages *lp, struct iov_iter *to)
{
	size_t copied, done = 0;
	unsigned int n;

	for (n = 0; n < lp->lp_nr; n++) {
		copied = copy_to_iter(part_bytes(&lp->lp_vec[n]), lp->lp_vec[n].bv_len, to);
		done += copied;
		if (copied < lp->lp_vec[n].bv_len)
			break;
	}
	return done;
}

/* --- reading -------------------------------------------------------------------------- */

/* Bytes of the file in a range, by the size that is known. */
static size_t size_left(struct inode *inode, loff_t pos, size_t len)
{
	loff_t size = i_size_read(inode);

	return pos < size ? min_t(u64, len, size - pos) : 0;
}

/*
 * Fill the pages. @asked: the objects have said the size. Return: 0; @lp has as many bytes as the
 * file has there, perhaps none; or a negative errno
 */
static int pages_read(struct inode *inode, struct ll_layout *ly, struct ll_pages *lp, loff_t pos,
		      bool asked)
{
	u64 end;
	int rc;

	for (;;) {
		struct dt_io io = {
			.di_pos = pos,
			.di_len = lp->lp_len,
			.di_vec = lp->lp_vec,
			.di_nr = lp->lp_nr,
			.di_end = &end,
		};

		end = pos;
		rc = dt_io(ly->ly_exp, ly->ly_lov, &io);
		if (rc || asked || end >= pos + lp->lp_len)
			return rc;
		rc = ll_data_refresh(inode);
		if (rc)
			return rc;
		asked = true;
		pages_trim(lp, size_left(inode, pos, lp->lp_len));
		if (pos + lp->lp_len <= end)
			return 0;
	}
}

static ssize_t read_round(struct kiocb *iocb, struct iov_iter *to, struct ll_layout *ly)
{
	size_t len = min_t(size_t, iov_iter_count(to), LL_RW_BYTES);
	struct inode *inode = file_inode(iocb->ki_filp);
	bool ask = size_left(inode, iocb->ki_pos, len) < len;
	struct ll_pages lp;
	ssize_t done;
	int rc;

	rc = ask ? ll_data_refresh(inode) : 0;
	if (!rc)
		len = size_left(inode, iocb->ki_pos, len);
	if (rc || !len)
		return rc;
	rc = pages_alloc(&lp, iocb->ki_pos, len);
	if (rc)
		return rc;
	done = pages_read(inode, ly, &lp, iocb->ki_pos, ask);
	if (!done && lp.lp_len)
		done = pages_copy_out(&lp, to) ?: -EFAULT;
	pages_free(&lp);
	if (done > 0)
		iocb->ki_pos += done;
	return done;
}

/* A file without layout may have got one since. */
static struct ll_layout *read_layout(struct inode *inode)
{
	struct ll_layout *ly = ll_layout_get(inode);
	int rc;

	if (ly)
		return ly;
	rc = ll_inode_refresh(inode);
	return rc ? ERR_PTR(rc) : ll_layout_get(inode);
}

/**
 * ll_file_read_iter() - read from a file
 * @iocb: position
 * @to: memory
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: bytes; 0: the end of the file; or a negative errno
 */
ssize_t ll_file_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	struct inode *inode = file_inode(iocb->ki_filp);
	struct ll_layout *ly;
	ssize_t done = 0;
	ssize_t rc = 0;

	if (!iov_iter_count(to))
		return 0;
	ly = read_layout(inode);
	if (IS_ERR_OR_NULL(ly))
		return PTR_ERR_OR_ZERO(ly);
	while (iov_iter_count(to)) {
		rc = read_round(iocb, to, ly);
		if (rc <= 0)
			break;
		done += rc;
		if (fatal_signal_pending(current))
			break;
		cond_resched();
	}
	ll_layout_put(ly);
	return done ?: rc;
}

/* --- writing -------------------------------------------------------------------------- */

static int pages_write(struct kiocb *iocb, struct ll_layout *ly, const struct ll_pages *lp,
		       const struct timespec64 *now)
{
	const struct md_attr attr = {
		.valid = MDS_ATTR_MTIME | MDS_ATTR_CTIME,
		.mtime = ll_md_time_of(now),
		.ctime = ll_md_time_of(now),
	};
	const struct dt_io io = {
		.di_write = true,
		.di_sync = iocb_is_dsync(iocb),
		.di_pos = iocb->ki_pos,
		.di_len = lp->lp_len,
		.di_vec = lp->lp_vec,
		.di_nr = lp->lp_nr,
		.di_attr = &attr,
	};

	return dt_io(ly->ly_exp, ly->ly_lov, &io);
}

static ssize_t write_round(struct kiocb *iocb, struct iov_iter *from, struct ll_layout *ly)
{
	size_t len = min_t(size_t, iov_iter_count(from), LL_RW_BYTES);
	struct inode *inode = file_inode(iocb->ki_filp);
	struct timespec64 now = current_time(inode);
	struct ll_pages lp;
	ssize_t rc;

	rc = pages_alloc(&lp, iocb->ki_pos, len);
	if (rc)
		return rc;
	len = pages_copy_in(&lp, from);
	pages_trim(&lp, len);
	rc = len ? pages_write(iocb, ly, &lp, &now) : -EFAULT;
	pages_free(&lp);
	if (rc) {
		iov_iter_revert(from, len);
		return rc;
	}
	iocb->ki_pos += len;
	ll_data_written(inode, iocb->ki_pos, &now);
	return len;
}

/* Under i_rwsem. Return: bytes to write, or a negative errno */
static ssize_t write_checks(struct kiocb *iocb, struct iov_iter *from)
{
	ssize_t rc = 0;
	int err;

	if (iocb->ki_flags & IOCB_APPEND)
		rc = ll_data_refresh(file_inode(iocb->ki_filp));
	rc = rc ?: generic_write_checks(iocb, from);
	if (rc <= 0)
		return rc;
	err = file_remove_privs(iocb->ki_filp);
	return err ?: rc;
}

static ssize_t write_rounds(struct kiocb *iocb, struct iov_iter *from)
{
	struct ll_layout *ly = ll_layout_make(file_inode(iocb->ki_filp));
	ssize_t done = 0;
	ssize_t rc = 0;

	if (IS_ERR(ly))
		return PTR_ERR(ly);
	while (iov_iter_count(from)) {
		rc = write_round(iocb, from, ly);
		if (rc < 0)
			break;
		done += rc;
		if (fatal_signal_pending(current))
			break;
		cond_resched();
	}
	ll_layout_put(ly);
	return done ?: rc;
}

static ssize_t write_checked(struct kiocb *iocb, struct iov_iter *from)
{
	ssize_t rc = write_checks(iocb, from);

	return rc > 0 ? write_rounds(iocb, from) : rc;
}

/* No other client appends meanwhile. */
static ssize_t append(struct kiocb *iocb, struct iov_iter *from)
{
	struct ll_layout *ly = ll_layout_make(file_inode(iocb->ki_filp));
	struct ldlm_lock *lock;
	ssize_t rc;

	if (IS_ERR(ly))
		return PTR_ERR(ly);
	rc = dt_append_lock(ly->ly_exp, ly->ly_lov, &lock);
	if (!rc) {
		rc = write_checked(iocb, from);
		dt_append_unlock(ly->ly_exp, lock);
	}
	ll_layout_put(ly);
	return rc;
}

/**
 * ll_file_write_iter() - write to a file
 * @iocb: position
 * @from: memory
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: bytes or a negative errno; after that parts of the last round may be written
 */
ssize_t ll_file_write_iter(struct kiocb *iocb, struct iov_iter *from)
{
	struct inode *inode = file_inode(iocb->ki_filp);
	ssize_t rc;

	inode_lock(inode);
	if (iocb->ki_flags & IOCB_APPEND && iov_iter_count(from))
		rc = append(iocb, from);
	else
		rc = write_checked(iocb, from);
	inode_unlock(inode);
	return rc > 0 ? generic_write_sync(iocb, rc) : rc;
}
