// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading and writing of files, through the cache of pages (pages.c), under the locks of the data
 * (cache.c).
 *
 *	read	a lock for reading; the kernel's read of cached pages
 *	write	i_rwsem; a lock for writing for each chunk; copied into pages, which are written later.
 *		What has no grant is written at once: write() fails if the target is full
 *
 * The memory of the caller is not faulted in while the locks are used: a copy that is short is
 * repeated after that. If the memory is a mapping whose pages other clients take away each time,
 * the bytes go through pages of their own (direct.c).
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include <linux/writeback.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/obd_ops.h>
#include <lustre_lite/ost_grant.h>
#include <uapi/lustre_lite/wire.h>

#include "llite_inode.h"
#include "stats.h"

/* Bytes that are written under one use of the locks: others see them at once. A power of 2 */
#define CHUNK_BYTES	((size_t)WIRE_BULK_DEFAULT)
/* Bytes of memory that are faulted in at a time. */
#define FAULT_BYTES	((size_t)1 << 20)

/* So often the memory is faulted in for the same bytes. */
#define FAULTS_MAX	4

/* --- reading -------------------------------------------------------------------------- */

/* A file without layout may have got one since, and one may have been missed. */
static struct ll_layout *read_layout(struct inode *inode)
{
	struct ll_layout *ly = ll_layout_get(inode);
	int rc;

	if (ly && PTR_ERR_OR_ZERO(ly) != -ENOMEM)
		return ly;
	rc = ll_layout_is_known(inode) ? 0 : ll_inode_refresh(inode);
	return rc ? ERR_PTR(rc) : ll_layout_get(inode);
}

/*
 * The memory of a call on a file, some of it; it may be a mapping of the file. Return: 0 or -EFAULT
 */
static int memory_read_in(struct inode *inode, const struct iov_iter *iter, bool write)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	size_t len = min(iov_iter_count(iter), FAULT_BYTES), left;

	atomic_inc(&lli->lli_faulting);
	left = write ? fault_in_iov_iter_writeable(iter, len) :
		       fault_in_iov_iter_readable(iter, len);
	atomic_dec(&lli->lli_faulting);
	return left == len ? -EFAULT : 0;
}

/*
 * @end: out: the end of the file is reached. Return: bytes; -EFAULT: the memory is not there; errno
 */
static ssize_t read_some(struct kiocb *iocb, struct iov_iter *to, struct ll_layout *ly, bool *end)
{
	struct inode *inode = file_inode(iocb->ki_filp);
	struct dt_locks locks;
	ssize_t rc = ll_data_lock(inode, ly, LCK_PR, DT_LOCK_WAIT, &locks);

	if (rc)
		return rc;
	pagefault_disable();
	rc = filemap_read(iocb, to, 0);
	pagefault_enable();
	*end = iocb->ki_pos >= i_size_read(inode);
	ll_data_unlock(inode, ly, &locks);
	return rc;
}

/* Some bytes, faulting the memory in as needed. @end: as of read_some(). Return: likewise */
static ssize_t read_some_in(struct kiocb *iocb, struct iov_iter *to, struct ll_layout *ly, bool *end)
{
	unsigned int faults;
	ssize_t rc, in;

	for (faults = 0; faults < FAULTS_MAX; faults++) {
		do {
			rc = read_some(iocb, to, ly, end);
		} while (rc == -EREMCHG);
		/* A pipe that is full is not read into memory. */
		if ((rc && rc != -EFAULT) || *end || !user_backed_iter(to))
			return rc;
		in = memory_read_in(file_inode(iocb->ki_filp), to, true);
		if (in || fatal_signal_pending(current))
			return in ?: rc;
	}
	return ll_direct_read(iocb, to, ly);
}

static ssize_t cached_read(struct kiocb *iocb, struct iov_iter *to, struct ll_layout *ly)
{
	ssize_t done = 0, rc;
	bool end = false;

	ll_first_read(file_inode(iocb->ki_filp), ly);
	do {
		rc = read_some_in(iocb, to, ly, &end);
		if (rc > 0)
			done += rc;
	} while (rc > 0 && !end && iov_iter_count(to) && user_backed_iter(to) &&
		 !fatal_signal_pending(current));
	return done ?: rc;
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
	struct super_block *sb = file_inode(iocb->ki_filp)->i_sb;
	struct ll_layout *ly;
	ssize_t rc;
	LL_DEFINE_TIMED(sb, LL_STAT_READ);

	if (!iov_iter_count(to))
		return 0;
	ly = read_layout(file_inode(iocb->ki_filp));
	if (IS_ERR_OR_NULL(ly))
		return PTR_ERR_OR_ZERO(ly);
	rc = iocb->ki_flags & IOCB_DIRECT ? ll_direct_read(iocb, to, ly) :
					    cached_read(iocb, to, ly);
	ll_layout_put(ly);
	if (rc > 0)
		params_stats_add(ll_s2client(sb)->llc_stats, LL_STAT_READ_BYTES, rc);
	return rc;
}

/* --- writing -------------------------------------------------------------------------- */

/* The bytes of a page that are not overwritten are those of the file. */
static int page_prepare(struct inode *inode, struct ll_layout *ly, struct folio *folio,
			size_t off, size_t len)
{
	int rc = folio_wait_writeback_killable(folio);

	if (rc || folio_test_uptodate(folio) || len == folio_size(folio))
		return rc;
	if (folio_pos(folio) < i_size_read(inode))
		return ll_folio_fill(ly, folio);
	folio_zero_segments(folio, 0, off, off + len, folio_size(folio));
	return 0;
}

/* Of a page that is not up to date, all bytes or none. */
static size_t page_copy(struct folio *folio, size_t off, size_t len, struct iov_iter *from)
{
	size_t copied = compat_copy_from_iter_atomic(folio, off, len, from);

	flush_dcache_folio(folio);
	if (folio_test_uptodate(folio))
		return copied;
	if (copied == len) {
		folio_mark_uptodate(folio);
		return copied;
	}
	iov_iter_revert(from, copied);
	return 0;
}

/*
 * Return: bytes; 0: the memory is not there; -EDQUOT: the bytes have no grant; or another negative
 * errno
 */
static ssize_t page_write(struct inode *inode, struct ll_layout *ly, struct ost_grant *gr, loff_t pos,
			  size_t len, struct iov_iter *from)
{
	struct address_space *mapping = inode->i_mapping;
	size_t off = offset_in_page(pos);
	struct timespec64 now;
	struct folio *folio;
	ssize_t rc;

	folio = compat_folio_get(mapping, pos >> PAGE_SHIFT, FGP_LOCK | FGP_WRITE | FGP_CREAT,
				 mapping_gfp_mask(mapping));
	if (!folio)
		return -ENOMEM;
	rc = page_prepare(inode, ly, folio, off, len) ?: ost_grant_take(gr, folio) ? 0 : -EDQUOT;
	rc = rc ?: page_copy(folio, off, len, from);
	if (rc > 0) {
		now = current_time(inode);
		ll_data_written(inode, pos + rc, &now);
		folio_mark_dirty(folio);
	} else if (!folio_test_dirty(folio)) {
		ost_grant_drop(folio);
	}
	folio_unlock(folio);
	folio_put(folio);
	return rc;
}

/* Up to @most bytes that are in one object in a row. Return: as pages_write() */
static ssize_t run_write(struct kiocb *iocb, struct iov_iter *from, struct ll_layout *ly, size_t most)
{
	struct inode *inode = file_inode(iocb->ki_filp);
	struct ost_grant *gr;
	ssize_t rc = 0;
	size_t done;
	u64 end;

	gr = dt_grant(ly->ly_exp, ly->ly_lov, iocb->ki_pos, &end);
	if (!gr)
		return -EDQUOT;
	most = min_t(u64, most, end - iocb->ki_pos);
	for (done = 0; done < most; done += rc) {
		rc = page_write(inode, ly, gr, iocb->ki_pos,
				min(most - done, PAGE_SIZE - offset_in_page(iocb->ki_pos)), from);
		if (rc <= 0)
			break;
		iocb->ki_pos += rc;
	}
	ost_grant_put(gr);
	return done ?: rc;
}

/*
 * With the locks. Return: bytes; 0: the memory is not there; -EDQUOT: the bytes have no grant; or
 * another negative errno
 */
static ssize_t pages_write(struct kiocb *iocb, struct iov_iter *from, struct ll_layout *ly,
			   size_t most)
{
	struct inode *inode = file_inode(iocb->ki_filp);
	ssize_t rc = 0;
	size_t done;

	if (iocb->ki_pos > i_size_read(inode))
		ll_pages_zero_tail(inode, i_size_read(inode));
	for (done = 0; done < most; done += rc) {
		rc = run_write(iocb, from, ly, most - done);
		if (rc <= 0)
			break;
	}
	return done ?: rc;
}

/**
 * ll_write_lock() - have the data of a file for a write
 * @iocb: position; with IOCB_APPEND it becomes the end of the file
 * @ly: layout
 * @len: bytes to write
 * @locks: out, for ll_data_unlock() if the result is 0
 *
 * The bytes have objects, as far as the layout goes.
 *
 * Context: sleeps, with i_rwsem; a signal that kills the task ends it
 * Return: 0; as ll_layout_lock()
 */
int ll_write_lock(struct kiocb *iocb, struct ll_layout *ly, size_t len, struct dt_locks *locks)
{
	struct inode *inode = file_inode(iocb->ki_filp);
	u64 end;
	int rc;

	for (;;) {
		end = iocb->ki_pos + len;
		rc = ll_layout_lock(inode, ly, iocb->ki_filp, end, locks);
		if (rc)
			return rc;
		if (iocb->ki_flags & IOCB_APPEND)
			iocb->ki_pos = i_size_read(inode);
		if (iocb->ki_pos + len <= end || !dt_lacks(ly->ly_exp, ly->ly_lov, iocb->ki_pos + len))
			return 0;
		ll_data_unlock(inode, ly, locks);
	}
}

/* Return: as pages_write() */
static ssize_t chunk_write(struct kiocb *iocb, struct iov_iter *from, struct ll_layout *ly)
{
	struct inode *inode = file_inode(iocb->ki_filp);
	size_t len = min(iov_iter_count(from), CHUNK_BYTES);
	struct dt_locks locks;
	ssize_t rc;

	do {
		rc = ll_write_lock(iocb, ly, len, &locks);
		if (rc)
			return rc;
		rc = pages_write(iocb, from, ly, len);
		ll_data_unlock(inode, ly, &locks);
	} while (rc == -EREMCHG);
	return rc;
}

/* Send full requests while the task goes on. */
static void write_behind(struct inode *inode, const struct ll_layout *ly, loff_t from, loff_t to)
{
	loff_t full, start, end;

	/* A full request has that much, or a multiple. */
	if (round_down(to, (loff_t)WIRE_BULK_DEFAULT) <= from)
		return;
	full = rounddown_pow_of_two(ll_layout_rpc_pages(ly)) * PAGE_SIZE;
	start = round_down(from, full);
	end = round_down(to, full) - 1;
	if (end > from)
		compat_flush_range(inode->i_mapping, start, end);
}

/* Return: bytes, more than 0; -EDQUOT: they have no grant; or another negative errno */
static ssize_t chunk_fault_write(struct kiocb *iocb, struct iov_iter *from, struct ll_layout *ly)
{
	unsigned int faults = 0;
	ssize_t rc;

	do {
		if (++faults > FAULTS_MAX)
			return ll_direct_write(iocb, from, ly, CHUNK_BYTES);
		rc = memory_read_in(file_inode(iocb->ki_filp), from, false);
		rc = rc ?: chunk_write(iocb, from, ly);
	} while (!rc);
	return rc;
}

/* Return: bytes, more than 0; or a negative errno */
static ssize_t cached_write(struct kiocb *iocb, struct iov_iter *from, struct ll_layout *ly)
{
	struct inode *inode = file_inode(iocb->ki_filp);
	ssize_t rc = chunk_fault_write(iocb, from, ly);

	if (rc == -EDQUOT && ll_grant_wait(inode, ly, iocb->ki_pos))
		rc = chunk_fault_write(iocb, from, ly);
	/* The target says whether it has space. */
	if (rc == -EDQUOT)
		return ll_direct_write(iocb, from, ly, CHUNK_BYTES);
	if (rc > 0) {
		write_behind(inode, ly, iocb->ki_pos - rc, iocb->ki_pos);
		balance_dirty_pages_ratelimited(inode->i_mapping);
	}
	return rc;
}

/* Under i_rwsem; with the locks the size is known. Return: bytes to write, or a negative errno */
static ssize_t write_checks(struct kiocb *iocb, struct iov_iter *from, struct ll_layout *ly)
{
	struct inode *inode = file_inode(iocb->ki_filp);
	struct dt_locks locks;
	ssize_t rc = ll_data_lock(inode, ly, LCK_PW, DT_LOCK_WAIT, &locks);
	int err;

	if (rc)
		return rc;
	rc = generic_write_checks(iocb, from);
	ll_data_unlock(inode, ly, &locks);
	if (rc <= 0)
		return rc;
	err = file_remove_privs(iocb->ki_filp);
	return err ?: rc;
}

static ssize_t file_write(struct kiocb *iocb, struct iov_iter *from)
{
	struct ll_layout *ly = ll_layout_make(file_inode(iocb->ki_filp));
	ssize_t done = 0;
	ssize_t rc;

	if (IS_ERR(ly))
		return PTR_ERR(ly);
	ll_job_note(file_inode(iocb->ki_filp));
	rc = write_checks(iocb, from, ly);
	while (rc > 0 && iov_iter_count(from)) {
		rc = iocb->ki_flags & IOCB_DIRECT ?
		     ll_direct_write(iocb, from, ly, iov_iter_count(from)) :
		     cached_write(iocb, from, ly);
		if (rc > 0)
			done += rc;
		if (fatal_signal_pending(current))
			break;
		cond_resched();
	}
	ll_layout_put(ly);
	return done ?: rc;
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
	LL_DEFINE_TIMED(inode->i_sb, LL_STAT_WRITE);

	if (!iov_iter_count(from))
		return 0;
	inode_lock(inode);
	rc = file_write(iocb, from);
	inode_unlock(inode);
	if (rc <= 0)
		return rc;
	params_stats_add(ll_s2client(inode->i_sb)->llc_stats, LL_STAT_WRITE_BYTES, rc);
	return generic_write_sync(iocb, rc);
}
