// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages that find no grant (lustre_lite/ost_grant.h): their target has promised all of its space,
 * or what it has given is used up. The task that wants to change one waits for what was written
 * before, and asks the target. If there is nothing left, write() sends its bytes at once, and so
 * does a fault with a page: the target says if it is full.
 */
#include <linux/backing-dev.h>
#include <linux/bvec.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/writeback.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/obd_ops.h>

#include "llite_inode.h"

/**
 * ll_folio_store() - write a page, so that it has space at its target
 * @inode: inode; the caller has the locks of its data, for writing
 * @ly: layout
 * @folio: locked, up to date, one page, before the end of the file
 *
 * Once it has space, it may become dirty without grant.
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: 0; -ENOSPC: the target is full; other negative errno
 */
int ll_folio_store(struct inode *inode, struct ll_layout *ly, struct folio *folio)
{
	size_t len = min_t(loff_t, folio_size(folio), i_size_read(inode) - folio_pos(folio));
	struct md_attr attr, got = {};
	struct bio_vec part;
	const struct dt_io io = {
		.di_write = true,
		.di_covered = true,
		.di_range = &(const struct dt_range){ folio_pos(folio), len },
		.di_ranges = 1,
		.di_vec = &part,
		.di_nr = 1,
		.di_attr = &attr,
		.di_got = &got,
	};
	int rc;

	bvec_set_page(&part, folio_page(folio, 0), len, 0);
	ll_data_times(inode, &attr);
	rc = dt_io(ly->ly_exp, ly->ly_lov, &io);
	if (!rc)
		ll_data_answered(inode, &got);
	return rc;
}

/* Bytes of the mount that are not written yet. */
static bool has_unwritten(struct inode *inode)
{
	struct bdi_writeback *wb = &inode->i_sb->s_bdi->wb;

	return wb_stat_sum(wb, WB_RECLAIMABLE) + wb_stat_sum(wb, WB_WRITEBACK) > 0;
}

/**
 * ll_grant_wait() - have grant for a page, as far as the target has space
 * @inode: inode
 * @ly: layout
 * @pos: position of the page
 *
 * Bytes that were accepted before are written, those of this file for certain: replies bring grant.
 * If they do not, the target is asked.
 *
 * Context: sleeps, without locks of the data; a signal that kills the task ends it
 * Return: true if there is some, which other tasks may take
 */
bool ll_grant_wait(struct inode *inode, struct ll_layout *ly, loff_t pos)
{
	if (has_unwritten(inode)) {
		try_to_writeback_inodes_sb(inode->i_sb, WB_REASON_FS_FREE_SPACE);
		/* Errors are for fsync. */
		filemap_fdatawrite(inode->i_mapping);
		if (ll_pages_wait(inode, 0, LLONG_MAX))
			return false;
	}
	return dt_grant_ask(ly->ly_exp, ly->ly_lov, pos);
}
