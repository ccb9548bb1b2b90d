// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages of files: read from the objects and written to them by works (pages_work.h), each for the
 * pages of a request. A page that is read is locked until then, one that is written is in
 * writeback.
 *
 *	readahead	works, side by side; a single page by the task
 *	read_folio	one page, waited for
 *	writepages	as readahead: dirty pages, also with others between them, up to the end of the file
 */
#define LUSTRE_LITE_FOLIO_BATCH

#include <linux/bvec.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/writeback.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/obd_ops.h>
#include <lustre_lite/ost_grant.h>

#include "llite_inode.h"
#include "pages_work.h"

/* --- reading -------------------------------------------------------------------------- */

/**
 * ll_folio_fill() - read a page
 * @ly: layout
 * @folio: locked, one page
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: 0, and it is up to date; -EREMCHG: the locks are to be taken again; or a negative errno
 */
int ll_folio_fill(struct ll_layout *ly, struct folio *folio)
{
	struct bio_vec part;
	const struct dt_io io = {
		.di_range = &(const struct dt_range){ folio_pos(folio), folio_size(folio) },
		.di_ranges = 1,
		.di_vec = &part,
		.di_nr = 1,
	};
	int rc;

	bvec_set_page(&part, folio_page(folio, 0), folio_size(folio), 0);
	rc = dt_io(ly->ly_exp, ly->ly_lov, &io);
	if (!rc)
		folio_mark_uptodate(folio);
	return rc;
}

/* Only what the locks cover may be added to the cache. */
static int ll_read_folio(struct file *file, struct folio *folio)
{
	struct inode *inode = folio->mapping->host;
	struct ll_layout *ly = ll_layout_get(inode);
	int rc = -EIO;

	if (!IS_ERR_OR_NULL(ly) && ll_data_covered(inode))
		rc = ll_folio_fill(ly, folio);
	folio_unlock(folio);
	ll_layout_put(ly);
	return rc;
}

/*
 * Return: pages of a request. Two are read ahead, unless a user or a mapping has set something else
 */
static unsigned int request_pages(struct readahead_control *rac, const struct ll_layout *ly)
{
	unsigned int full = ll_layout_rpc_pages(ly);

	if (rac->ra && rac->ra->ra_pages == LL_READ_AHEAD)
		rac->ra->ra_pages = 2 * full;
	return full;
}

static void pages_ahead(struct readahead_control *rac, struct ll_layout *ly)
{
	/* A single page is one that this task waits for. */
	bool single = readahead_count(rac) == 1;
	unsigned int full = single ? 1 : request_pages(rac, ly);
	struct ll_pages_work *pw = NULL;
	struct folio *folio;

	while ((folio = readahead_folio(rac))) {
		if (pw && !ll_pages_work_takes(pw, folio)) {
			ll_pages_work_start(pw);
			pw = NULL;
		}
		if (!pw)
			pw = ll_pages_work_new(rac->mapping->host, ly, false,
					       min(readahead_count(rac) + 1, full));
		ll_pages_work_add(pw, folio, folio_size(folio));
	}
	if (pw && single)
		ll_pages_work_run(pw);
	else if (pw)
		ll_pages_work_start(pw);
}

/* Pages that are not read here are read when they are needed. */
static void ll_readahead(struct readahead_control *rac)
{
	struct inode *inode = rac->mapping->host;
	struct ll_layout *ly = ll_layout_get(inode);

	if (!IS_ERR_OR_NULL(ly) && ll_data_covered(inode))
		pages_ahead(rac, ly);
	ll_layout_put(ly);
}

/**
 * ll_pages_zero_tail() - the file becomes longer: what its last page has beyond its end is zeros
 * @inode: inode; the caller has the locks of its data, for writing
 * @size: its size until now
 *
 * A program may have written there through a mapping.
 *
 * Context: sleeps
 */
void ll_pages_zero_tail(struct inode *inode, loff_t size)
{
	unsigned int from = offset_in_page(size);
	struct folio *folio;

	if (!from)
		return;
	folio = compat_folio_get(inode->i_mapping, size >> PAGE_SHIFT, FGP_LOCK, 0);
	if (!folio)
		return;
	folio_wait_stable(folio);
	if (folio_test_uptodate(folio))
		folio_zero_segment(folio, from, folio_size(folio));
	folio_unlock(folio);
	folio_put(folio);
}

/* --- writing -------------------------------------------------------------------------- */

/**
 * struct ll_writer - a walk over dirty pages
 * @lwr_inode: inode
 * @lwr_layout: layout
 * @lwr_wbc: what is asked for
 * @lwr_full: pages of a request
 * @lwr_work: pages so far, or NULL
 * @lwr_next: after the last page
 */
struct ll_writer {
	struct inode			*lwr_inode;
	struct ll_layout		*lwr_layout;
	struct writeback_control	*lwr_wbc;
	unsigned int			lwr_full;
	struct ll_pages_work		*lwr_work;
	pgoff_t				lwr_next;
};

static void writer_start(struct ll_writer *wr)
{
	if (wr->lwr_work)
		ll_pages_work_start(wr->lwr_work);
	wr->lwr_work = NULL;
}

/* @folio: locked; out: unlocked. Return: bytes of it that are to be written, now in writeback */
static size_t page_take(struct ll_writer *wr, struct folio *folio)
{
	loff_t left;

	if (!folio_clear_dirty_for_io(folio)) {
		folio_unlock(folio);
		return 0;
	}
	left = i_size_read(wr->lwr_inode) - folio_pos(folio);
	if (left > 0 && left < folio_size(folio))
		folio_zero_segment(folio, left, folio_size(folio));
	folio_start_writeback(folio);
	folio_unlock(folio);
	if (left > 0)
		return min_t(loff_t, left, folio_size(folio));
	ost_grant_drop(folio);
	folio_end_writeback(folio);
	return 0;
}

/* It may have been truncated, or written, since it was found. */
static bool page_is_due(const struct ll_writer *wr, struct folio *folio)
{
	return folio->mapping == wr->lwr_inode->i_mapping && folio_test_dirty(folio) &&
	       (!folio_test_writeback(folio) || wr->lwr_wbc->sync_mode != WB_SYNC_NONE);
}

static void page_write(struct ll_writer *wr, struct folio *folio)
{
	size_t len;

	/* No page of a work that has not started is waited for, by this task or by another one. */
	if (wr->lwr_work && (!ll_pages_work_takes(wr->lwr_work, folio) || folio_test_writeback(folio)))
		writer_start(wr);
	if (!folio_trylock(folio)) {
		writer_start(wr);
		folio_lock(folio);
	}
	if (!page_is_due(wr, folio)) {
		folio_unlock(folio);
		return;
	}
	if (folio_wait_writeback_killable(folio)) {
		folio_unlock(folio);
		return;
	}
	len = page_take(wr, folio);
	if (!len)
		return;
	if (!wr->lwr_work)
		wr->lwr_work = ll_pages_work_new(wr->lwr_inode, wr->lwr_layout, true, wr->lwr_full);
	ll_pages_work_add(wr->lwr_work, folio, len);
	if (ll_pages_work_is_full(wr->lwr_work))
		writer_start(wr);
	wr->lwr_wbc->nr_to_write--;
}

/* Requests are completed, as far as there are pages. Return: false if enough pages were written */
static bool batch_write(struct ll_writer *wr, struct folio_batch *batch)
{
	unsigned int n;

	for (n = 0; n < folio_batch_count(batch); n++) {
		page_write(wr, batch->folios[n]);
		wr->lwr_next = batch->folios[n]->index + 1;
		if (wr->lwr_wbc->nr_to_write <= 0 && wr->lwr_wbc->sync_mode == WB_SYNC_NONE &&
		    !wr->lwr_work)
			return false;
	}
	return true;
}

static void pages_walk(struct ll_writer *wr, pgoff_t index, pgoff_t end)
{
	struct address_space *mapping = wr->lwr_inode->i_mapping;
	xa_mark_t tag = PAGECACHE_TAG_DIRTY;
	struct folio_batch batch;
	bool more = true;

	if (wr->lwr_wbc->sync_mode == WB_SYNC_ALL || wr->lwr_wbc->tagged_writepages) {
		tag = PAGECACHE_TAG_TOWRITE;
		tag_pages_for_writeback(mapping, index, end);
	}
	folio_batch_init(&batch);
	while (more && index <= end && filemap_get_folios_tag(mapping, &index, end, tag, &batch)) {
		more = batch_write(wr, &batch);
		folio_batch_release(&batch);
		cond_resched();
	}
	writer_start(wr);
}

static int ll_writepages(struct address_space *mapping, struct writeback_control *wbc)
{
	struct ll_writer wr = {
		.lwr_inode = mapping->host,
		.lwr_layout = ll_layout_get(mapping->host),
		.lwr_wbc = wbc,
	};

	/*
	 * Without a layout nothing is dirty. What is dirty when the layout cannot be used any more
	 * cannot be written.
	 */
	if (IS_ERR_OR_NULL(wr.lwr_layout)) {
		if (!wr.lwr_layout || !mapping_tagged(mapping, PAGECACHE_TAG_DIRTY))
			return 0;
		mapping_set_error(mapping, -EIO);
		return -EIO;
	}
	wr.lwr_full = ll_layout_rpc_pages(wr.lwr_layout);
	if (wbc->range_cyclic) {
		pages_walk(&wr, mapping->writeback_index, -1);
		mapping->writeback_index = wbc->nr_to_write > 0 ? 0 : wr.lwr_next;
	} else {
		pages_walk(&wr, wbc->range_start >> PAGE_SHIFT, wbc->range_end >> PAGE_SHIFT);
	}
	ll_layout_put(wr.lwr_layout);
	return 0;
}

/**
 * ll_pages_wait() - wait until pages are out of writeback
 * @inode: inode
 * @start: first byte
 * @end: last byte
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: 0; -EINTR
 */
int ll_pages_wait(struct inode *inode, loff_t start, loff_t end)
{
	pgoff_t index = start >> PAGE_SHIFT;
	struct folio_batch batch;
	unsigned int n;
	int rc = 0;

	folio_batch_init(&batch);
	while (!rc && filemap_get_folios_tag(inode->i_mapping, &index, end >> PAGE_SHIFT,
					     PAGECACHE_TAG_WRITEBACK, &batch)) {
		for (n = 0; !rc && n < folio_batch_count(&batch); n++)
			rc = folio_wait_writeback_killable(batch.folios[n]);
		folio_batch_release(&batch);
		cond_resched();
	}
	return rc;
}

/**
 * ll_pages_sync() - have pages of a file written, and wait for that
 * @inode: inode
 * @start: first byte
 * @end: last byte
 *
 * As filemap_write_and_wait_range(), for tasks that may be killed while a target does not answer:
 * the works go on.
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: 0; -EINTR; the error of a page, which is in the mapping, too
 */
int ll_pages_sync(struct inode *inode, loff_t start, loff_t end)
{
	struct address_space *mapping = inode->i_mapping;
	int rc = filemap_fdatawrite_range(mapping, start, end);

	return ll_pages_wait(inode, start, end) ?: rc ?: filemap_check_errors(mapping);
}

/* A page that is truncated, or lost, needs no space. */
static void ll_invalidate_folio(struct folio *folio, size_t offset, size_t len)
{
	if (!offset && len == folio_size(folio))
		ost_grant_drop(folio);
}

/* Only dirty pages have a charge, but for the moment before they become it. */
static bool ll_release_folio(struct folio *folio, gfp_t gfp)
{
	if (folio_test_dirty(folio) || folio_test_writeback(folio))
		return false;
	ost_grant_drop(folio);
	return true;
}

const struct address_space_operations ll_aops = {
	.read_folio	= ll_read_folio,
	.readahead	= ll_readahead,
	.writepages	= ll_writepages,
	.dirty_folio	= filemap_dirty_folio,
	.invalidate_folio = ll_invalidate_folio,
	.release_folio	= ll_release_folio,
	.migrate_folio	= filemap_migrate_folio,
};
