// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages of files: read from the objects and written to them by works, each for many pages. A page that
 * is read is locked until then, one that is written is in writeback. Works have no signals: a
 * request that was sent is waited for, so no older bytes arrive after newer ones.
 *
 *	readahead	works of up to WIRE_BULK_MAX bytes, side by side; a single page by the task
 *	read_folio	one page, waited for
 *	writepages	as readahead: dirty pages, also with others between them, up to the end of the file
 *
 * A write that was answered may be replayed with the bytes that its pages have then: these are of the
 * same client, and not older.
 *
 * Memory: works and requests of writes take what is there, down to the reserves of the kernel, as
 * reclaim may wait for them.
 */
#define DEBUG_SUBSYSTEM S_LLITE

#include <linux/bvec.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mempool.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/pagemap.h>
#include <linux/pagevec.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <linux/writeback.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_class.h>
#include <lustre_lite/obd_ops.h>
#include <lustre_lite/ost_grant.h>
#include <uapi/lustre_lite/wire.h>
#include <uapi/lustre_lite/wire_ost.h>

#include "llite_inode.h"

/* Pages of a work; of one from the reserve. */
#define PAGES_MAX	(WIRE_BULK_MAX >> PAGE_SHIFT)
#define PAGES_FEW	64
/* Works of the reserve. */
#define RESERVE		4
/* Works that run side by side, of all mounts. */
#define WORKS_MAX	32

/**
 * struct ll_pages_work - pages that are read or written
 * @lpw_work: does it
 * @lpw_inode: inode; it does not end before its pages are unlocked, and out of writeback
 * @lpw_layout: layout, referenced
 * @lpw_write: they are written
 * @lpw_reserve: from the reserve
 * @lpw_range: their bytes
 * @lpw_ranges: number of ranges: one of a read
 * @lpw_nr: pages
 * @lpw_max: space for pages
 * @lpw_job: job that it is for
 * @lpw_vec: parts: one page each
 */
struct ll_pages_work {
	struct work_struct	lpw_work;
	struct inode		*lpw_inode;
	struct ll_layout	*lpw_layout;
	bool			lpw_write;
	bool			lpw_reserve;
	struct dt_range		lpw_range[OST_NIOBUFS_MAX];
	unsigned int		lpw_ranges;
	unsigned int		lpw_nr;
	unsigned int		lpw_max;
	char			lpw_job[LL_JOB_SIZE];
	struct bio_vec		lpw_vec[];
};

static struct workqueue_struct *pages_wq;
static mempool_t *pages_reserve;

/* Create the threads and the reserve. Return: 0 or -ENOMEM */
int ll_pages_init(void)
{
	struct ll_pages_work *work;

	pages_reserve = mempool_create_kmalloc_pool(RESERVE, struct_size(work, lpw_vec, PAGES_FEW));
	if (!pages_reserve)
		return -ENOMEM;
	pages_wq = alloc_workqueue("ll_pages", WQ_MEM_RECLAIM | WQ_UNBOUND, WORKS_MAX);
	if (pages_wq)
		return 0;
	mempool_destroy(pages_reserve);
	return -ENOMEM;
}

/* No mount is left. */
void ll_pages_exit(void)
{
	destroy_workqueue(pages_wq);
	mempool_destroy(pages_reserve);
}

static void pages_run(struct work_struct *work);

/* The pages that the task writes now are written back for its job. */
void ll_job_note(struct inode *inode)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	char job[LL_JOB_SIZE];

	obd_jobid(job, sizeof(job));
	spin_lock(&lli->lli_lock);
	strscpy(lli->lli_job, job, sizeof(lli->lli_job));
	spin_unlock(&lli->lli_lock);
}

/* Reading is for the job of the task. */
static void work_job(struct ll_pages_work *pw)
{
	struct ll_inode_info *lli = ll_i2info(pw->lpw_inode);

	if (!pw->lpw_write) {
		obd_jobid(pw->lpw_job, sizeof(pw->lpw_job));
		return;
	}
	spin_lock(&lli->lli_lock);
	strscpy(pw->lpw_job, lli->lli_job, sizeof(pw->lpw_job));
	spin_unlock(&lli->lli_lock);
}

/* A work for up to @nr pages, or fewer if memory is short. */
static struct ll_pages_work *work_new(struct inode *inode, struct ll_layout *ly, bool write,
				      unsigned int nr)
{
	struct ll_pages_work *pw;

	nr = clamp_t(unsigned int, nr, PAGES_FEW, PAGES_MAX);
	pw = kmalloc(struct_size(pw, lpw_vec, nr), GFP_NOFS | __GFP_NOWARN | __GFP_NORETRY);
	if (!pw) {
		pw = mempool_alloc(pages_reserve, GFP_NOFS);
		pw->lpw_reserve = true;
		nr = PAGES_FEW;
	} else {
		pw->lpw_reserve = false;
	}
	INIT_WORK(&pw->lpw_work, pages_run);
	refcount_inc(&ly->ly_ref);
	pw->lpw_inode = inode;
	pw->lpw_layout = ly;
	pw->lpw_write = write;
	pw->lpw_ranges = 0;
	pw->lpw_nr = 0;
	pw->lpw_max = nr;
	work_job(pw);
	return pw;
}

static void work_free(struct ll_pages_work *pw)
{
	ll_layout_put(pw->lpw_layout);
	if (pw->lpw_reserve)
		mempool_free(pw, pages_reserve);
	else
		kfree(pw);
}

/* Whether the bytes of @folio come after the last ones. */
static bool work_is_next(const struct ll_pages_work *pw, struct folio *folio)
{
	const struct dt_range *last;

	if (!pw->lpw_ranges)
		return false;
	last = &pw->lpw_range[pw->lpw_ranges - 1];
	return last->dtr_pos + last->dtr_len == folio_pos(folio);
}

/* The first @len bytes of @folio, which is after the last one. @pw: references it */
static void work_add(struct ll_pages_work *pw, struct folio *folio, size_t len)
{
	folio_get(folio);
	bvec_set_page(&pw->lpw_vec[pw->lpw_nr++], folio_page(folio, 0), len, 0);
	if (work_is_next(pw, folio))
		pw->lpw_range[pw->lpw_ranges - 1].dtr_len += len;
	else
		pw->lpw_range[pw->lpw_ranges++] = (struct dt_range){ folio_pos(folio), len };
}

static bool work_takes(const struct ll_pages_work *pw, struct folio *folio)
{
	return pw->lpw_nr < pw->lpw_max &&
	       (work_is_next(pw, folio) || (pw->lpw_write && pw->lpw_ranges < OST_NIOBUFS_MAX));
}

static void work_start(struct ll_pages_work *pw)
{
	queue_work(pages_wq, &pw->lpw_work);
}

static int pages_read(struct ll_pages_work *pw)
{
	const struct dt_io io = {
		.di_range = pw->lpw_range,
		.di_ranges = pw->lpw_ranges,
		.di_vec = pw->lpw_vec,
		.di_nr = pw->lpw_nr,
		.di_job = pw->lpw_job,
	};

	return dt_io(pw->lpw_layout->ly_exp, pw->lpw_layout->ly_lov, &io);
}

static int pages_write(struct ll_pages_work *pw)
{
	const struct dt_range *last = &pw->lpw_range[pw->lpw_ranges - 1];
	struct md_attr attr, got = {};
	const struct dt_io io = {
		.di_write = true,
		.di_covered = true,
		.di_range = pw->lpw_range,
		.di_ranges = pw->lpw_ranges,
		.di_vec = pw->lpw_vec,
		.di_nr = pw->lpw_nr,
		.di_job = pw->lpw_job,
		.di_attr = &attr,
		.di_got = &got,
	};
	unsigned int flags = memalloc_noreclaim_save();
	char text[FID_TEXT_SIZE];
	int rc;

	ll_data_times(pw->lpw_inode, &attr);
	rc = dt_io(pw->lpw_layout->ly_exp, pw->lpw_layout->ly_lov, &io);
	memalloc_noreclaim_restore(flags);
	if (!rc) {
		ll_data_answered(pw->lpw_inode, &got);
		return 0;
	}
	/* The objects of a removed file are destroyed. */
	if (rc == -ESTALE && !pw->lpw_inode->i_nlink)
		return 0;
	ll_som_unsure(pw->lpw_inode);
	mapping_set_error(pw->lpw_inode->i_mapping, rc);
	CERROR("%s: file [%s]: lost %u pages from %llu to %llu, which were not written: rc = %d\n",
	       llite_mount(pw->lpw_inode->i_sb)->llm_source.src_fsname,
	       fid_text(ll_inode2fid(pw->lpw_inode), text), pw->lpw_nr, pw->lpw_range[0].dtr_pos,
	       last->dtr_pos + last->dtr_len - 1, rc);
	return rc;
}

/* Once its last page is released, the inode may end. */
static void page_done(const struct ll_pages_work *pw, struct folio *folio, int rc)
{
	if (pw->lpw_write) {
		/* No request was made for it. */
		ost_grant_drop(folio);
		/* It is not what the objects have. */
		if (rc && !folio_mapped(folio))
			folio_clear_uptodate(folio);
		folio_end_writeback(folio);
	} else {
		if (!rc)
			folio_mark_uptodate(folio);
		folio_unlock(folio);
	}
	folio_put(folio);
}

static void pages_run(struct work_struct *work)
{
	struct ll_pages_work *pw = container_of(work, struct ll_pages_work, lpw_work);
	int rc = pw->lpw_write ? pages_write(pw) : pages_read(pw);
	unsigned int n;

	for (n = 0; n < pw->lpw_nr; n++)
		page_done(pw, page_folio(pw->lpw_vec[n].bv_page), rc);
	work_free(pw);
}

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

static void pages_ahead(struct readahead_control *rac, struct ll_layout *ly)
{
	/* A single page is one that this task waits for. */
	bool single = readahead_count(rac) == 1;
	struct ll_pages_work *pw = NULL;
	struct folio *folio;

	while ((folio = readahead_folio(rac))) {
		if (pw && !work_takes(pw, folio)) {
			work_start(pw);
			pw = NULL;
		}
		if (!pw)
			pw = work_new(rac->mapping->host, ly, false, readahead_count(rac) + 1);
		work_add(pw, folio, folio_size(folio));
	}
	if (pw && single)
		pages_run(&pw->lpw_work);
	else if (pw)
		work_start(pw);
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
 * @lwr_work: pages so far, or NULL
 * @lwr_next: after the last page
 */
struct ll_writer {
	struct inode			*lwr_inode;
	struct ll_layout		*lwr_layout;
	struct writeback_control	*lwr_wbc;
	struct ll_pages_work		*lwr_work;
	pgoff_t				lwr_next;
};

static void writer_start(struct ll_writer *wr)
{
	if (wr->lwr_work)
		work_start(wr->lwr_work);
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
	if (wr->lwr_work && (!work_takes(wr->lwr_work, folio) || folio_test_writeback(folio)))
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
		wr->lwr_work = work_new(wr->lwr_inode, wr->lwr_layout, true, PAGES_MAX);
	work_add(wr->lwr_work, folio, len);
	wr->lwr_wbc->nr_to_write--;
}

/* Return: false if enough pages were written */
static bool batch_write(struct ll_writer *wr, struct folio_batch *batch)
{
	unsigned int n;

	for (n = 0; n < folio_batch_count(batch); n++) {
		page_write(wr, batch->folios[n]);
		wr->lwr_next = batch->folios[n]->index + 1;
		if (wr->lwr_wbc->nr_to_write <= 0 && wr->lwr_wbc->sync_mode == WB_SYNC_NONE)
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

	/* Without a layout, nothing was changed. */
	if (IS_ERR_OR_NULL(wr.lwr_layout))
		return PTR_ERR_OR_ZERO(wr.lwr_layout);
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
