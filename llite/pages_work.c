// SPDX-License-Identifier: GPL-2.0-only
/*
 * Works that read and write pages: see pages_work.h. Works have no signals: a request that was sent
 * is waited for, so no older bytes arrive after newer ones.
 *
 * Works of all mounts and targets share WORKS_MAX threads, so none of them waits for a target that
 * does not answer. A work sends its requests, and waits for a second, as most targets answer by
 * then. If one does not, or is not connected, or lets other works wait already, the work leaves its
 * thread, and its requests go on without one. It runs again when something has happened to them:
 * the target is back, has answered or was given up, or a deadline has expired. So a dead target
 * takes WORKS_MAX threads for a second at most, however many works it has; there is no bound to
 * these but that of dirty pages. Requests to a target are bounded by max_rpcs_in_flight. What is
 * left:
 *
 *	a target that keeps quiet while osc has it commit (max_dirty_mb) is waited for until the
 *	request times out: that of one connection, once
 *	works from the reserve: if there is no memory at all, RESERVE of a dead target have it
 *
 * A single page that a task reads has no work, and the task waits: it can be killed.
 *
 * A write that was answered may be replayed with the bytes that its pages have then: these are of
 * the same client, and not older.
 *
 * Memory: works and requests of writes take what is there, down to the reserves of the kernel, as
 * reclaim may wait for them. Those of more than WIRE_BULK_DEFAULT do without the reserves: if
 * memory is short, smaller ones take their place.
 */
#define DEBUG_SUBSYSTEM S_LLITE

#include <linux/bvec.h>
#include <linux/fs.h>
#include <linux/mempool.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/pagemap.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_class.h>
#include <lustre_lite/obd_ops.h>
#include <lustre_lite/ost_grant.h>
#include <uapi/lustre_lite/wire.h>
#include <uapi/lustre_lite/wire_ost.h>

#include "llite_inode.h"
#include "pages_work.h"

/* Pages of a work if memory is short; of one from the reserve. */
#define PAGES_DEFAULT	(WIRE_BULK_DEFAULT >> PAGE_SHIFT)
#define PAGES_FEW	64
/* Works of the reserve. */
#define RESERVE		4
/* Works that run side by side, of all mounts. */
#define WORKS_MAX	32

/**
 * struct ll_pages_work - pages that are read or written
 * @lpw_later: does it
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
	struct dt_later		lpw_later;
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

/*
 * With space for @nr pages, or fewer: out. It does not wait for memory. Return: NULL: there is none
 */
static struct ll_pages_work *work_alloc(unsigned int *nr)
{
	struct ll_pages_work *pw = NULL;
	unsigned int flags;

	if (*nr > PAGES_DEFAULT) {
		flags = memalloc_noreclaim_save();
		pw = kvmalloc(struct_size(pw, lpw_vec, *nr),
			      GFP_NOFS | __GFP_NOMEMALLOC | __GFP_NOWARN);
		memalloc_noreclaim_restore(flags);
	}
	if (pw)
		return pw;
	*nr = min(*nr, PAGES_DEFAULT);
	return kmalloc(struct_size(pw, lpw_vec, *nr), GFP_NOFS | __GFP_NOWARN | __GFP_NORETRY);
}

/**
 * ll_pages_work_new() - a work without pages
 * @inode: inode
 * @ly: its layout
 * @write: they are written
 * @nr: most pages; the work takes fewer if memory is short
 *
 * Context: sleeps; waits for other works at most
 * Return: work, for ll_pages_work_start() or ll_pages_work_run() when it has pages
 */
struct ll_pages_work *ll_pages_work_new(struct inode *inode, struct ll_layout *ly, bool write,
					unsigned int nr)
{
	struct ll_pages_work *pw;

	nr = max_t(unsigned int, nr, PAGES_FEW);
	pw = work_alloc(&nr);
	if (!pw) {
		pw = mempool_alloc(pages_reserve, GFP_NOFS);
		pw->lpw_reserve = true;
		nr = PAGES_FEW;
	} else {
		pw->lpw_reserve = false;
	}
	INIT_DELAYED_WORK(&pw->lpw_later.dl_work, pages_run);
	pw->lpw_later.dl_wq = pages_wq;
	pw->lpw_later.dl_batch = NULL;
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
	if (pw->lpw_reserve)
		mempool_free(pw, pages_reserve);
	else
		kvfree(pw);
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

/**
 * ll_pages_work_add() - one more page
 * @pw: work that takes it, or has none yet; references it
 * @folio: page, after the last one
 * @len: its first bytes, so many
 *
 * Context: any task
 */
void ll_pages_work_add(struct ll_pages_work *pw, struct folio *folio, size_t len)
{
	folio_get(folio);
	bvec_set_page(&pw->lpw_vec[pw->lpw_nr++], folio_page(folio, 0), len, 0);
	if (work_is_next(pw, folio))
		pw->lpw_range[pw->lpw_ranges - 1].dtr_len += len;
	else
		pw->lpw_range[pw->lpw_ranges++] = (struct dt_range){ folio_pos(folio), len };
}

/* Whether no page has space in it. Any task. */
bool ll_pages_work_is_full(const struct ll_pages_work *pw)
{
	return pw->lpw_nr == pw->lpw_max;
}

/* Whether @folio, after the last one, can be added. Any task. */
bool ll_pages_work_takes(const struct ll_pages_work *pw, struct folio *folio)
{
	return !ll_pages_work_is_full(pw) &&
	       (work_is_next(pw, folio) || (pw->lpw_write && pw->lpw_ranges < OST_NIOBUFS_MAX));
}

static int pages_io(const struct ll_pages_work *pw, const struct dt_io *io)
{
	const struct ll_layout *ly = pw->lpw_layout;

	return pw->lpw_later.dl_batch ? dt_io_again(ly->ly_exp, ly->ly_lov, io) :
					dt_io(ly->ly_exp, ly->ly_lov, io);
}

/* @later: its own; NULL: the task waits */
static int pages_read(struct ll_pages_work *pw, struct dt_later *later)
{
	const struct dt_io io = {
		.di_later = later,
		.di_range = pw->lpw_range,
		.di_ranges = pw->lpw_ranges,
		.di_vec = pw->lpw_vec,
		.di_nr = pw->lpw_nr,
		.di_job = pw->lpw_job,
	};

	return pages_io(pw, &io);
}

static void log_lost(const struct ll_pages_work *pw, int rc)
{
	const struct dt_range *last = &pw->lpw_range[pw->lpw_ranges - 1];
	struct inode *inode = pw->lpw_inode;
	char text[FID_TEXT_SIZE], path[LL_PATH_TEXT];

	ll_inode_path(inode, path);
	CERROR("%s: file [%s] (%s): lost %u pages from %llu to %llu, which were not written: rc = %d\n",
	       llite_mount(inode->i_sb)->llm_source.src_fsname, fid_text(ll_inode2fid(inode), text),
	       path, pw->lpw_nr, pw->lpw_range[0].dtr_pos, last->dtr_pos + last->dtr_len - 1, rc);
}

static int pages_write(struct ll_pages_work *pw, struct dt_later *later)
{
	struct md_attr attr, got = {};
	const struct dt_io io = {
		.di_write = true,
		.di_covered = true,
		.di_later = later,
		.di_range = pw->lpw_range,
		.di_ranges = pw->lpw_ranges,
		.di_vec = pw->lpw_vec,
		.di_nr = pw->lpw_nr,
		.di_job = pw->lpw_job,
		.di_attr = &attr,
		.di_got = &got,
	};
	unsigned int flags = memalloc_noreclaim_save();
	int rc;

	ll_data_times(pw->lpw_inode, &attr);
	rc = pages_io(pw, &io);
	memalloc_noreclaim_restore(flags);
	if (pw->lpw_later.dl_batch)
		return rc;
	if (!rc) {
		ll_data_answered(pw->lpw_inode, &got);
		return 0;
	}
	/*
	 * The objects of a removed file are destroyed, which a client that has closed it need not
	 * know.
	 */
	if (rc == -ESTALE && (!pw->lpw_inode->i_nlink || !inode_is_open_for_write(pw->lpw_inode)))
		return 0;
	ll_som_unsure(pw->lpw_inode);
	mapping_set_error(pw->lpw_inode->i_mapping, ll_write_error(rc));
	log_lost(pw, rc);
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

static void work_do(struct ll_pages_work *pw, struct dt_later *later)
{
	int rc = pw->lpw_write ? pages_write(pw, later) : pages_read(pw, later);
	unsigned int n;

	/* It runs again. */
	if (pw->lpw_later.dl_batch)
		return;
	/* The inode, and then the volume, may end with the last page. */
	ll_layout_put(pw->lpw_layout);
	for (n = 0; n < pw->lpw_nr; n++)
		page_done(pw, page_folio(pw->lpw_vec[n].bv_page), rc);
	work_free(pw);
}

/**
 * ll_pages_work_run() - do a work, by the task
 * @pw: work, ends
 *
 * Context: sleeps; a signal that kills the task ends a read
 */
void ll_pages_work_run(struct ll_pages_work *pw)
{
	work_do(pw, NULL);
}

static void pages_run(struct work_struct *work)
{
	struct ll_pages_work *pw = container_of(to_delayed_work(work), struct ll_pages_work,
						lpw_later.dl_work);

	work_do(pw, &pw->lpw_later);
}

/**
 * ll_pages_work_start() - have a work done
 * @pw: work, ends
 *
 * Context: any task
 */
void ll_pages_work_start(struct ll_pages_work *pw)
{
	queue_delayed_work(pages_wq, &pw->lpw_later.dl_work, 0);
}
