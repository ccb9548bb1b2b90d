// SPDX-License-Identifier: GPL-2.0-only
/*
 * Space of files, and holes in them: fallocate(), SEEK_HOLE and SEEK_DATA. The targets do it, under
 * the locks of the data.
 *
 * While targets make bytes zeros, no page of these bytes is written or read. The pages that the
 * range has as a whole are written and dropped before it. Those that it has in part stay in the
 * cache, locked and not mapped, and get their zeros when the targets have theirs. i_rwsem and
 * invalidate_lock keep new pages out.
 */
#include <linux/err.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/pagemap.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/obd_ops.h>
#include <uapi/lustre_lite/wire_ost.h>

#include "llite_inode.h"
#include "stats.h"

#define MODES_ZERO	(FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE)

/* A program may change a page through a mapping while it is written. */
#define DROP_TRIES	8

#define IS_SAME(mode)	(OST_FALLOC_##mode == FALLOC_FL_##mode)

static_assert(IS_SAME(KEEP_SIZE) && IS_SAME(PUNCH_HOLE) && IS_SAME(ZERO_RANGE));

/**
 * struct ll_falloc - a call of fallocate(), with the locks for writing
 * @lfa_inode: inode
 * @lfa_layout: its layout
 * @lfa_mode: FALLOC_FL_*
 * @lfa_pos: first byte
 * @lfa_end: first byte after it
 * @lfa_grows: the end of the file moves to @lfa_end
 * @lfa_edge: pages that are in the range in part, locked; NULL: not in the cache
 */
struct ll_falloc {
	struct inode		*lfa_inode;
	struct ll_layout	*lfa_layout;
	u32			lfa_mode;
	loff_t			lfa_pos;
	loff_t			lfa_end;
	bool			lfa_grows;
	struct folio		*lfa_edge[2];
};

/* --- pages that become zeros ---------------------------------------------------------- */

/* The page that has the byte at @pos, if it is in the cache. Return: 0; -EINTR */
static int edge_take(struct ll_falloc *fc, unsigned int n, loff_t pos)
{
	struct address_space *mapping = fc->lfa_inode->i_mapping;
	struct folio *folio = compat_folio_get(mapping, pos >> PAGE_SHIFT, FGP_LOCK, 0);
	int rc;

	if (!folio)
		return 0;
	fc->lfa_edge[n] = folio;
	rc = folio_wait_writeback_killable(folio);
	if (!rc)
		unmap_mapping_range(mapping, folio_pos(folio), folio_size(folio), 0);
	return rc;
}

/* The range may start and end in the same page. */
static int edges_take(struct ll_falloc *fc)
{
	pgoff_t first = fc->lfa_pos >> PAGE_SHIFT, last = fc->lfa_end >> PAGE_SHIFT;
	int rc = 0;

	if (offset_in_page(fc->lfa_pos))
		rc = edge_take(fc, 0, fc->lfa_pos);
	if (!rc && offset_in_page(fc->lfa_end) && !(offset_in_page(fc->lfa_pos) && first == last))
		rc = edge_take(fc, 1, fc->lfa_end);
	return rc;
}

static void edge_zero(const struct ll_falloc *fc, struct folio *folio)
{
	loff_t start = folio_pos(folio);
	loff_t from = max(fc->lfa_pos, start);
	loff_t end = min_t(loff_t, fc->lfa_end, start + folio_size(folio));

	if (folio_test_uptodate(folio))
		folio_zero_segment(folio, from - start, end - start);
}

/* @zero: the targets have zeros */
static void edges_put(struct ll_falloc *fc, bool zero)
{
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(fc->lfa_edge); n++) {
		if (!fc->lfa_edge[n])
			continue;
		if (zero)
			edge_zero(fc, fc->lfa_edge[n]);
		folio_unlock(fc->lfa_edge[n]);
		folio_put(fc->lfa_edge[n]);
		fc->lfa_edge[n] = NULL;
	}
}

/*
 * What a program goes on changing is dropped at last: it has changed it during this call.
 * Return: 0; -EINTR; errors of writing
 */
static int whole_pages_drop(struct ll_falloc *fc)
{
	struct address_space *mapping = fc->lfa_inode->i_mapping;
	loff_t from = round_up(fc->lfa_pos, PAGE_SIZE), end = round_down(fc->lfa_end, PAGE_SIZE);
	unsigned int tries = DROP_TRIES;
	int rc;

	if (from >= end)
		return 0;
	while (invalidate_inode_pages2_range(mapping, from >> PAGE_SHIFT,
					     (end - 1) >> PAGE_SHIFT)) {
		if (!tries--) {
			truncate_pagecache_range(fc->lfa_inode, from, end - 1);
			break;
		}
		rc = ll_pages_sync(fc->lfa_inode, from, end - 1);
		if (rc)
			return rc;
	}
	return 0;
}

/* --- fallocate ------------------------------------------------------------------------ */

static int targets_do(struct ll_falloc *fc)
{
	struct timespec64 now = current_time(fc->lfa_inode);
	const struct md_attr attr = {
		.valid = MDS_ATTR_MTIME | MDS_ATTR_CTIME,
		.mtime = ll_md_time_of(&now),
		.ctime = ll_md_time_of(&now),
	};
	struct md_attr got = {};
	const struct dt_falloc fa = {
		.df_mode = fc->lfa_mode,
		.df_pos = fc->lfa_pos,
		.df_len = fc->lfa_end - fc->lfa_pos,
		.df_attr = &attr,
		.df_got = &got,
	};
	int rc = dt_fallocate(fc->lfa_layout->ly_exp, fc->lfa_layout->ly_lov, &fa);

	if (rc)
		return rc;
	ll_data_written(fc->lfa_inode, fc->lfa_grows ? fc->lfa_end : 0, &now);
	ll_data_answered(fc->lfa_inode, &got);
	return 0;
}

/* Under invalidate_lock. */
static int falloc_do(struct ll_falloc *fc)
{
	loff_t old = i_size_read(fc->lfa_inode);
	int rc = 0;

	if (fc->lfa_grows)
		ll_pages_zero_tail(fc->lfa_inode, old);
	if (fc->lfa_mode & MODES_ZERO)
		rc = whole_pages_drop(fc) ?: edges_take(fc);
	rc = rc ?: targets_do(fc);
	edges_put(fc, !rc);
	/* With -EREMCHG a part may be done of objects that the file had. */
	if (rc && rc != -EREMCHG)
		ll_data_unsure(fc->lfa_inode);
	if (!rc && fc->lfa_grows)
		pagecache_isize_extended(fc->lfa_inode, old, fc->lfa_end);
	return rc;
}

/*
 * If the end of the file moves, the targets learn the present one first: after a failure the client
 * asks them for it.
 */
static int falloc_write(const struct ll_falloc *fc)
{
	if (fc->lfa_grows)
		return ll_pages_sync(fc->lfa_inode, 0, LLONG_MAX);
	if (!(fc->lfa_mode & MODES_ZERO))
		return 0;
	return ll_pages_sync(fc->lfa_inode, fc->lfa_pos, fc->lfa_end - 1);
}

static int falloc_run(struct ll_falloc *fc)
{
	struct address_space *mapping = fc->lfa_inode->i_mapping;
	int rc = 0;

	fc->lfa_grows = !(fc->lfa_mode & FALLOC_FL_KEEP_SIZE) &&
		       fc->lfa_end > i_size_read(fc->lfa_inode);
	if (fc->lfa_grows)
		rc = inode_newsize_ok(fc->lfa_inode, fc->lfa_end);
	rc = rc ?: falloc_write(fc);
	if (rc)
		return rc;
	filemap_invalidate_lock(mapping);
	rc = falloc_do(fc);
	filemap_invalidate_unlock(mapping);
	return rc;
}

/* Under i_rwsem. A hole needs no objects. */
static int falloc_file(struct file *file, struct ll_falloc *fc)
{
	u64 end = fc->lfa_mode & FALLOC_FL_PUNCH_HOLE ? 0 : fc->lfa_end;
	struct dt_locks locks;
	int rc = file_remove_privs(file);

	if (rc)
		return rc;
	fc->lfa_layout = ll_layout_make(fc->lfa_inode);
	if (IS_ERR(fc->lfa_layout))
		return PTR_ERR(fc->lfa_layout);
	do {
		rc = ll_layout_lock(fc->lfa_inode, fc->lfa_layout, file, end, &locks);
		if (rc)
			break;
		rc = falloc_run(fc);
		ll_data_unlock(fc->lfa_inode, fc->lfa_layout, &locks);
	} while (rc == -EREMCHG);
	ll_layout_put(fc->lfa_layout);
	return rc;
}

/**
 * ll_file_fallocate() - have space for a range of a file, or make it zeros
 * @file: file
 * @mode: FALLOC_FL_*: 0, ZERO_RANGE, each with or without KEEP_SIZE; PUNCH_HOLE with it
 * @pos: first byte
 * @len: bytes, at least 1
 *
 * Context: sleeps; a signal that kills the task ends it, and the targets may still do it
 * Return: 0; -EOPNOTSUPP: another mode, or the file system of a target cannot; other negative
 *  errno. After an error any part may be done
 */
long ll_file_fallocate(struct file *file, int mode, loff_t pos, loff_t len)
{
	struct inode *inode = file_inode(file);
	struct ll_falloc fc = {
		.lfa_inode = inode,
		.lfa_mode = mode,
		.lfa_pos = pos,
		.lfa_end = pos + len,
	};
	int rc;
	LL_DEFINE_TIMED(file_inode(file)->i_sb, LL_STAT_FALLOCATE);

	if (mode & ~(FALLOC_FL_KEEP_SIZE | MODES_ZERO))
		return -EOPNOTSUPP;
	inode_lock(inode);
	rc = falloc_file(file, &fc);
	inode_unlock(inode);
	if (!rc && (file->f_flags & O_DSYNC || IS_SYNC(inode)))
		rc = vfs_fsync_range(file, pos, fc.lfa_end - 1, !(file->f_flags & __O_SYNC));
	return rc;
}

/* --- holes ---------------------------------------------------------------------------- */

/* With the locks. What is not written yet has no place at the targets. */
static int seek(struct inode *inode, struct ll_layout *ly, bool hole, loff_t pos, u64 *found)
{
	loff_t size = i_size_read(inode);

	*found = pos;
	if (pos < 0 || pos >= size)
		return -ENXIO;
	return ll_pages_sync(inode, pos, LLONG_MAX) ?:
	       dt_seek(ly->ly_exp, ly->ly_lov, hole, size, found);
}

/**
 * ll_file_seek_space() - move to the next hole, or to the next data
 * @file: file
 * @pos: first position that counts
 * @hole: a hole; the end of the file is one
 *
 * Space that fallocate() got is a hole until it is written.
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: position; -ENXIO: @pos is not before the end of the file, or no data is left; other
 *  negative errno
 */
loff_t ll_file_seek_space(struct file *file, loff_t pos, bool hole)
{
	struct inode *inode = file_inode(file);
	struct ll_layout *ly = ll_layout_get(inode);
	struct dt_locks locks;
	u64 found = 0;
	int rc;

	/* Without a layout it is empty. */
	if (IS_ERR_OR_NULL(ly))
		return ly ? PTR_ERR(ly) : -ENXIO;
	do {
		rc = ll_data_lock(inode, ly, LCK_PR, DT_LOCK_WAIT, &locks);
		if (rc)
			break;
		rc = seek(inode, ly, hole, pos, &found);
		ll_data_unlock(inode, ly, &locks);
	} while (rc == -EREMCHG);
	ll_layout_put(ly);
	return rc ?: vfs_setpos(file, found, inode->i_sb->s_maxbytes);
}
