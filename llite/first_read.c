// SPDX-License-Identifier: GPL-2.0-only
/*
 * The first read of a small file with one object: one request brings the lock and all bytes.
 *
 *	no lock, no pages --> OST_READ that asks for the lock --> lock; then pages, from the reply
 *
 * If the lock is not free, as another client writes, the reply has neither, and the file is read in
 * the ordinary way, from now on at once.
 *
 * The bytes are those of the time when the server granted the lock. Until the reply is used here,
 * tasks of this client may get locks of their own, write pages and have them written back and
 * reclaimed. So a page is used only if the number of the content is still that of before the
 * request: it changes before a task uses a lock for writing.
 */
#include <linux/bvec.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sizes.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/fail.h>
#include <lustre_lite/obd_ops.h>

#include "llite_inode.h"

/* A larger file is read in the ordinary way: one request more does not count there. */
#define FIRST_BYTES	SZ_64K
#define FIRST_PAGES	DIV_ROUND_UP(FIRST_BYTES, PAGE_SIZE)

/**
 * struct ll_first - the pages of a first read
 * @lfi_number: lli_version before the request
 * @lfi_nr: pages
 * @lfi_range: their bytes
 * @lfi_vec: pages, referenced, not in the cache yet
 */
struct ll_first {
	u64		lfi_number;
	unsigned int	lfi_nr;
	struct dt_range	lfi_range;
	struct bio_vec	lfi_vec[FIRST_PAGES];
};

/* Nothing is known of the data, and no task uses locks. */
static bool is_first(struct inode *inode)
{
	const struct ll_inode_info *lli = ll_i2info(inode);

	return !READ_ONCE(lli->lli_contended) && !READ_ONCE(lli->lli_doubt) &&
	       !inode->i_mapping->nrpages && !atomic_read(&lli->lli_lockers);
}

static void pages_put(struct ll_first *first)
{
	while (first->lfi_nr)
		put_page(first->lfi_vec[--first->lfi_nr].bv_page);
}

/* Pages for @size bytes. Return: false on allocation failure */
static bool pages_get(struct inode *inode, loff_t size, struct ll_first *first)
{
	const unsigned int nr = DIV_ROUND_UP(size, PAGE_SIZE);
	struct page *page;

	for (first->lfi_nr = 0; first->lfi_nr < nr; first->lfi_nr++) {
		page = alloc_page(mapping_gfp_mask(inode->i_mapping));
		if (!page)
			break;
		bvec_set_page(&first->lfi_vec[first->lfi_nr], page, PAGE_SIZE, 0);
	}
	first->lfi_range = (struct dt_range){ 0, (u64)first->lfi_nr * PAGE_SIZE };
	if (first->lfi_nr == nr)
		return true;
	pages_put(first);
	return false;
}

/* Under the lock. One that is not used is read when it is needed. */
static void page_add(struct inode *inode, struct page *page, pgoff_t index, u64 number)
{
	struct address_space *mapping = inode->i_mapping;
	struct folio *folio = page_folio(page);

	if (filemap_add_folio(mapping, folio, index,
			      mapping_gfp_constraint(mapping, GFP_KERNEL)))
		return;
	/*
	 * A task that writes finds the page locked, or has changed the number. Pairs with
	 * locks_use().
	 */
	smp_mb();
	if (ll_data_version_is(inode, number))
		folio_mark_uptodate(folio);
	folio_unlock(folio);
}

static void pages_use(struct inode *inode, const struct ll_first *first)
{
	unsigned int n;

	CFS_FAIL_TIMEOUT(LL_FAIL_FIRST_USE, 60);
	for (n = 0; n < first->lfi_nr; n++)
		page_add(inode, first->lfi_vec[n].bv_page, n, first->lfi_number);
}

/**
 * ll_first_read() - a task is going to read from a file
 * @inode: inode
 * @ly: its layout
 *
 * If this is its first read, and it is small, the lock and the pages are cached afterwards.
 *
 * Context: sleeps; a signal that kills the task ends it
 */
void ll_first_read(struct inode *inode, struct ll_layout *ly)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	/* It may be an old one. */
	const loff_t size = i_size_read(inode);
	struct dt_locks locks;
	struct ll_first first;
	struct dt_io io;
	int rc;

	if (READ_ONCE(lli->lli_sized) || !size || size > FIRST_BYTES)
		return;
	first.lfi_number = atomic64_read(&lli->lli_version);
	/* A writer that is not seen by is_first() changes the number. Pairs with locks_use(). */
	smp_mb();
	if (!is_first(inode) || !pages_get(inode, size, &first))
		return;
	io = (struct dt_io){
		.di_range = &first.lfi_range,
		.di_ranges = 1,
		.di_vec = first.lfi_vec,
		.di_nr = first.lfi_nr,
	};
	rc = ll_data_lock_read(inode, ly, &io, first.lfi_number, &locks);
	if (!rc) {
		pages_use(inode, &first);
		ll_data_unlock(inode, ly, &locks);
	} else if (rc == -EWOULDBLOCK) {
		WRITE_ONCE(lli->lli_contended, true);
	}
	pages_put(&first);
}
