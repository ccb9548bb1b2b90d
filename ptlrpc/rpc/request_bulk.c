// SPDX-License-Identifier: GPL-2.0-only
/* Bulk data of requests: memory for its parts, copies, and the time that it takes. */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uio.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/ptlrpc_test_point.h>

#include "request.h"

/* Parts of WIRE_BULK_DEFAULT that starts within a page. */
#define PARTS_DEFAULT	(WIRE_BULK_DEFAULT / PAGE_SIZE + 1)

/**
 * ptlrpc_bulk_alloc() - memory for parts of bulk data
 * @size: bytes, with what else the caller has there
 * @parts: number of parts
 *
 * Reclaim may wait for a write. So a request of up to WIRE_BULK_DEFAULT gets the reserves of the
 * kernel if the task may have them. A larger one does not: its caller sends smaller ones.
 *
 * Context: may sleep; GFP_NOFS
 * Return: memory, for kvfree(); NULL
 */
void *ptlrpc_bulk_alloc(size_t size, unsigned int parts)
{
	gfp_t gfp = GFP_NOFS | __GFP_ACCOUNT;

	if (parts > PARTS_DEFAULT)
		gfp |= __GFP_NOMEMALLOC | __GFP_NOWARN;
	ptlrpc_test_at(PTP_BULK_MEMORY, &size);
	return size ? kvmalloc(size, gfp) : NULL;
}
EXPORT_SYMBOL_NS_GPL(ptlrpc_bulk_alloc, LUSTRE_LITE);

/* Return: false if there is not enough memory */
static bool copy_fill(struct ptlrpc_bulk *copy, const struct ptlrpc_bulk *bulk)
{
	u32 left = bulk->bk_len, bytes;
	struct iov_iter from;
	struct page *page;

	iov_iter_bvec(&from, ITER_SOURCE, bulk->bk_vec, bulk->bk_nr, left);
	for (; left; left -= bytes) {
		bytes = min_t(u32, left, PAGE_SIZE);
		page = alloc_page(GFP_NOIO | __GFP_NORETRY | __GFP_NOWARN);
		if (!page)
			return false;
		bvec_set_page(&copy->bk_vec[copy->bk_nr++], page, bytes, 0);
		copy->bk_len += copy_page_from_iter(page, 0, bytes, &from);
	}
	return copy->bk_len == bulk->bk_len;
}

/**
 * ptlrpc_bulk_copy() - a copy of bulk data whose pages may be changed at any time
 * @bulk: bulk data
 *
 * Context: may sleep, shortly: not for I/O
 * Return: the bytes in pages of their own, for ptlrpc_bulk_copy_free(); NULL: not enough memory
 */
struct ptlrpc_bulk *ptlrpc_bulk_copy(const struct ptlrpc_bulk *bulk)
{
	unsigned int pages = DIV_ROUND_UP(bulk->bk_len, PAGE_SIZE);
	struct ptlrpc_bulk *copy;

	copy = kvzalloc(sizeof(*copy) + pages * sizeof(*copy->bk_vec),
			GFP_NOIO | __GFP_NORETRY | __GFP_NOWARN);
	if (!copy)
		return NULL;
	copy->bk_vec = (struct bio_vec *)(copy + 1);
	if (copy_fill(copy, bulk))
		return copy;
	ptlrpc_bulk_copy_free(copy);
	return NULL;
}
EXPORT_FOR_KUNIT(ptlrpc_bulk_copy);

/* The network has references on pages that it still sends. @copy may be NULL. Any task. */
void ptlrpc_bulk_copy_free(struct ptlrpc_bulk *copy)
{
	while (copy && copy->bk_nr)
		put_page(copy->bk_vec[--copy->bk_nr].bv_page);
	kvfree(copy);
}
EXPORT_FOR_KUNIT(ptlrpc_bulk_copy_free);

/**
 * request_bulk_more() - how much bulk data a request has
 * @req: request
 *
 * Context: by the driver
 * Return: how many WIRE_BULK_DEFAULT after the first, of both directions
 */
u32 request_bulk_more(const struct ptlrpc_request *req)
{
	u64 bytes = (req->rq_bulk_out ? req->rq_bulk_out->bk_len : 0) +
		    (req->rq_bulk_in ? req->rq_bulk_in->bk_len : 0);

	return bytes ? (u32)(bytes - 1) / WIRE_BULK_DEFAULT : 0;
}
