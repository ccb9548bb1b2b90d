// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mappings of files into memory, private and shared: the pages of the cache, under the locks of the
 * data. A page is mapped while it is locked; a lock that goes unmaps it, and the next access takes
 * the lock again.
 *
 * Two clients that want the same page do not take it from each other before it was used: the locks
 * of a fault are kept for what the task does next, a store, or a call on a file that has its own
 * mapping as memory.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pagemap.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/obd_ops.h>
#include <lustre_lite/ost_grant.h>

#include "llite_inode.h"
#include "stats.h"

/* The locks were lost while the page was looked up: the access is repeated. */
static vm_fault_t fault_again(struct inode *inode, struct vm_fault *vmf, vm_fault_t ret)
{
	if (ret & VM_FAULT_LOCKED) {
		unlock_page(vmf->page);
		put_page(vmf->page);
		vmf->page = NULL;
		ret = VM_FAULT_NOPAGE;
	}
	ll_cache_lost(inode);
	return ret;
}

/* A file that could not be read may be elsewhere by now: the access is repeated. */
static vm_fault_t page_find(struct inode *inode, struct vm_fault *vmf)
{
	vm_fault_t ret = filemap_fault(vmf);

	return ret == VM_FAULT_SIGBUS && !ll_layout_is_known(inode) ? VM_FAULT_NOPAGE : ret;
}

/*
 * Pages that are read around one that is touched. A call on the same open file reads as many ahead.
 */
#define MMAP_AHEAD	64

static bool is_for_call(struct inode *inode)
{
	return atomic_read(&ll_i2info(inode)->lli_faulting) > 0;
}

/*
 * The kernel may leave mmap_lock, and ask for the fault to be repeated: only the file stays then.
 */
static vm_fault_t ll_fault(struct vm_fault *vmf)
{
	struct file *file = get_file(vmf->vma->vm_file);
	struct inode *inode = file_inode(file);
	bool keep = is_for_call(inode) ||
		    (vmf->flags & FAULT_FLAG_WRITE && vmf->vma->vm_flags & VM_SHARED);
	struct ll_layout *ly = ll_layout_get(inode);
	vm_fault_t ret = VM_FAULT_SIGBUS;
	struct dt_locks locks;
	int rc;
	LL_DEFINE_TIMED(file_inode(vmf->vma->vm_file)->i_sb, LL_STAT_PAGE_FAULT);

	/* Without a layout it is empty. */
	if (IS_ERR_OR_NULL(ly))
		goto put_file;
	rc = ll_data_lock(inode, ly, keep ? LCK_PW : LCK_PR, DT_LOCK_WAIT, &locks);
	if (rc) {
		ret = vmf_error(rc);
	} else {
		ret = page_find(inode, vmf);
		/* Next is ll_page_mkwrite(), or the repeated fault. */
		keep = keep && ret & (VM_FAULT_LOCKED | VM_FAULT_RETRY);
		if (!(keep && ll_data_unlock_later(inode, ly, &locks)) &&
		    __ll_data_unlock(inode, ly, &locks))
			ret = fault_again(inode, vmf, ret);
	}
	ll_layout_put(ly);
put_file:
	fput(file);
	return ret;
}

/*
 * With the locks, for writing. Its bytes have grant, or, the @last time, space: they are written
 * first.
 * Return: 0: dirty, and locked; -EAGAIN: the page is gone, or the task was killed; -EDQUOT: the
 * bytes have no grant; errors of writing
 */
static int page_dirty(struct inode *inode, struct ll_layout *ly, struct ost_grant *gr,
		      struct folio *folio, bool last)
{
	struct timespec64 now = current_time(inode);
	int rc = 0;

	folio_lock(folio);
	if (folio->mapping != inode->i_mapping || !folio_test_uptodate(folio) ||
	    folio_pos(folio) >= i_size_read(inode) || folio_wait_writeback_killable(folio))
		rc = -EAGAIN;
	else if (!folio_test_dirty(folio) && !ost_grant_take(gr, folio))
		rc = last ? ll_folio_store(inode, ly, folio) : -EDQUOT;
	if (rc) {
		folio_unlock(folio);
		return rc;
	}
	ll_data_written(inode, 0, &now);
	folio_mark_dirty(folio);
	return 0;
}

/* Return: as page_dirty(), and ll_layout_lock() */
static int mkwrite_try(struct vm_fault *vmf, struct ll_layout *ly, bool last)
{
	struct inode *inode = file_inode(vmf->vma->vm_file);
	struct ost_grant *gr;
	struct dt_locks locks;
	u64 end;
	/* Writeback cannot ask for objects. */
	int rc = ll_layout_lock(inode, ly, vmf->vma->vm_file, page_offset(vmf->page) + 1, &locks);

	if (rc)
		return rc;
	gr = dt_grant(ly->ly_exp, ly->ly_lov, page_offset(vmf->page), &end);
	rc = gr ? page_dirty(inode, ly, gr, page_folio(vmf->page), last) : -EIO;
	ost_grant_put(gr);
	if (rc != -EDQUOT && is_for_call(inode) && ll_data_unlock_later(inode, ly, &locks))
		return rc;
	if (!__ll_data_unlock(inode, ly, &locks))
		return rc;
	if (!rc)
		unlock_page(vmf->page);
	ll_cache_lost(inode);
	return -EAGAIN;
}

/* Return: as mkwrite_try(), without -EDQUOT */
static int mkwrite(struct vm_fault *vmf, struct ll_layout *ly)
{
	struct inode *inode = file_inode(vmf->vma->vm_file);
	int rc = mkwrite_try(vmf, ly, false);

	if (rc == -EDQUOT)
		rc = mkwrite_try(vmf, ly, !ll_grant_wait(inode, ly, page_offset(vmf->page)));
	/* Other tasks have taken it. */
	if (rc == -EDQUOT)
		rc = mkwrite_try(vmf, ly, true);
	return rc;
}

static vm_fault_t ll_page_mkwrite(struct vm_fault *vmf)
{
	struct inode *inode = file_inode(vmf->vma->vm_file);
	struct ll_layout *ly = ll_layout_get(inode);
	vm_fault_t ret = VM_FAULT_LOCKED;
	int rc;
	LL_DEFINE_TIMED(file_inode(vmf->vma->vm_file)->i_sb, LL_STAT_PAGE_MKWRITE);

	if (IS_ERR_OR_NULL(ly))
		return VM_FAULT_SIGBUS;
	sb_start_pagefault(inode->i_sb);
	rc = mkwrite(vmf, ly);
	if (rc)
		ret = rc == -EAGAIN ? VM_FAULT_NOPAGE : vmf_error(rc);
	sb_end_pagefault(inode->i_sb);
	ll_layout_put(ly);
	return ret;
}

static const struct vm_operations_struct ll_vm_ops = {
	.fault		= ll_fault,
	.map_pages	= filemap_map_pages,
	.page_mkwrite	= ll_page_mkwrite,
};

/**
 * ll_file_mmap() - map a file into memory
 * @file: file
 * @vma: mapping
 *
 * Context: sleeps under mmap_lock; a signal that kills the task ends it
 * Return: 0 or a negative errno
 */
int ll_file_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct inode *inode = file_inode(file);
	struct ll_layout *ly;
	int rc = 0;
	LL_DEFINE_TIMED(inode->i_sb, LL_STAT_MMAP);

	/* A file without layout may have got one since, and one may have been missed. */
	if (!READ_ONCE(ll_i2info(inode)->lli_layout) || ll_layout_missed(inode))
		rc = ll_inode_refresh(inode);
	if (rc)
		return rc;
	ly = ll_layout_get(inode);
	if (IS_ERR(ly))
		return PTR_ERR(ly);
	ll_layout_put(ly);
	file->f_ra.ra_pages = min_t(unsigned int, file->f_ra.ra_pages, MMAP_AHEAD);
	file_accessed(file);
	vma->vm_ops = &ll_vm_ops;
	return 0;
}
