// SPDX-License-Identifier: GPL-2.0-only
/* Bulk data of requests: memory for its parts, and the time that it takes. */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/mm.h>
#include <linux/slab.h>

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
 * Reclaim may wait for a write. So a request of up to WIRE_BULK_DEFAULT gets the reserves of the kernel
 * if the task may have them. A larger one does not: its caller sends smaller ones.
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
