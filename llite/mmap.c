// SPDX-License-Identifier: GPL-2.0-only
/*
 * Private mappings of files, which programs need to be executed. A mapping shows the file as it is
 * when it is made, or later: mmap() drops the pages of earlier ones, and pages are read when they are
 * touched. Nothing else uses the page cache. A shared mapping would have to show what other clients
 * write, and is refused.
 */
#define DEBUG_SUBSYSTEM S_LLITE

#include <linux/bvec.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pagemap.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_ops.h>

#include "llite_inode.h"

static int folio_fill(struct ll_layout *ly, struct folio *folio)
{
	struct bio_vec part = {
		.bv_page = folio_page(folio, 0),
		.bv_len = folio_size(folio),
	};
	const struct dt_io io = {
		.di_pos = folio_pos(folio),
		.di_len = folio_size(folio),
		.di_vec = &part,
		.di_nr = 1,
	};

	return dt_io(ly->ly_exp, ly->ly_lov, &io);
}

/* The file may have been emptied: then it has zeros. */
static int ll_read_folio(struct file *file, struct folio *folio)
{
	struct ll_layout *ly = ll_layout_get(folio->mapping->host);
	int rc = 0;

	if (!ly)
		folio_zero_range(folio, 0, folio_size(folio));
	else
		rc = IS_ERR(ly) ? PTR_ERR(ly) : folio_fill(ly, folio);
	ll_layout_put(ly);
	if (!rc)
		folio_mark_uptodate(folio);
	folio_unlock(folio);
	return rc;
}

const struct address_space_operations ll_aops = {
	.read_folio	= ll_read_folio,
	.dirty_folio	= noop_dirty_folio,
};

/* The first refusal of a mount is explained. */
static int shared_refuse(struct inode *inode)
{
	struct llite_client *lc = ll_s2client(inode->i_sb);

	if (!test_and_set_bit(LLC_MMAP_REFUSED, &lc->llc_flags))
		CWARN("%s: shared mappings of files into memory are refused: this release has no coherent cache of data\n",
		      llite_mount(inode->i_sb)->llm_source.src_fsname);
	return -ENODEV;
}

/**
 * ll_file_mmap() - map a file into memory
 * @file: file
 * @vma: mapping
 *
 * Context: sleeps under mmap_lock; a signal that kills the task ends it
 * Return: 0; -ENODEV: the mapping is shared; or a negative errno
 */
int ll_file_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct inode *inode = file_inode(file);
	int rc;

	if (vma->vm_flags & VM_MAYSHARE)
		return shared_refuse(inode);
	/* Faults beyond the end of the file fail. */
	rc = ll_inode_refresh(inode) ?: ll_data_refresh(inode);
	rc = rc ?: invalidate_inode_pages2(inode->i_mapping);
	return rc ?: generic_file_readonly_mmap(file, vma);
}
