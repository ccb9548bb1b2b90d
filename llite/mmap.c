// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mappings of files into memory, private and shared: the pages of the cache, under the locks of the
 * data. A page is mapped while it is locked; a lock that goes unmaps it, and the next access takes the
 * lock again.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pagemap.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/obd_ops.h>

#include "llite_inode.h"

/* The locks were lost while the page was looked up: the access is repeated. */
static vm_fault_t fault_again(struct vm_fault *vmf, vm_fault_t ret)
{
	if (ret & VM_FAULT_LOCKED) {
		unlock_page(vmf->page);
		put_page(vmf->page);
		vmf->page = NULL;
		ret = VM_FAULT_NOPAGE;
	}
	ll_cache_lost(file_inode(vmf->vma->vm_file));
	return ret;
}

static vm_fault_t ll_fault(struct vm_fault *vmf)
{
	struct inode *inode = file_inode(vmf->vma->vm_file);
	struct ll_layout *ly = ll_layout_get(inode);
	struct dt_locks locks;
	vm_fault_t ret;
	int rc;

	/* Without a layout it is empty. */
	if (IS_ERR_OR_NULL(ly))
		return VM_FAULT_SIGBUS;
	rc = ll_data_lock(inode, ly, LCK_PR, DT_LOCK_WAIT, &locks);
	if (rc) {
		ret = vmf_error(rc);
	} else {
		ret = filemap_fault(vmf);
		if (__ll_data_unlock(inode, ly, &locks))
			ret = fault_again(vmf, ret);
	}
	ll_layout_put(ly);
	return ret;
}

/* With the locks, for writing. */
static vm_fault_t page_dirty(struct inode *inode, struct folio *folio)
{
	struct timespec64 now = current_time(inode);

	folio_lock(folio);
	if (folio->mapping != inode->i_mapping || !folio_test_uptodate(folio) ||
	    folio_pos(folio) >= i_size_read(inode)) {
		folio_unlock(folio);
		return VM_FAULT_NOPAGE;
	}
	folio_wait_stable(folio);
	ll_data_written(inode, 0, &now);
	folio_mark_dirty(folio);
	return VM_FAULT_LOCKED;
}

static vm_fault_t ll_page_mkwrite(struct vm_fault *vmf)
{
	struct inode *inode = file_inode(vmf->vma->vm_file);
	struct ll_layout *ly = ll_layout_get(inode);
	struct dt_locks locks;
	vm_fault_t ret;
	int rc;

	if (IS_ERR_OR_NULL(ly))
		return VM_FAULT_SIGBUS;
	sb_start_pagefault(inode->i_sb);
	rc = ll_data_lock(inode, ly, LCK_PW, DT_LOCK_WAIT, &locks);
	if (rc) {
		ret = vmf_error(rc);
	} else {
		ret = page_dirty(inode, page_folio(vmf->page));
		if (__ll_data_unlock(inode, ly, &locks)) {
			if (ret == VM_FAULT_LOCKED)
				unlock_page(vmf->page);
			ll_cache_lost(inode);
			ret = VM_FAULT_NOPAGE;
		}
	}
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
	/* A file without layout may have got one since. */
	int rc = READ_ONCE(ll_i2info(inode)->lli_layout) ? 0 : ll_inode_refresh(inode);

	if (rc)
		return rc;
	file_accessed(file);
	vma->vm_ops = &ll_vm_ops;
	return 0;
}
