// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unstable writes of an echo client: the server answers them before they are on its disk,
 * and the client keeps their pages until they are, as the page cache of a file system does.
 */
#define DEBUG_SUBSYSTEM S_ECHO

#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>

#include "unstable.h"

/**
 * struct echo_write - one unstable write
 * @ewr_unstable: writes of its client, referenced
 * @ewr_bulk: its pages, for the request
 * @ewr_vec: parts of @ewr_bulk, a page each
 */
struct echo_write {
	struct echo_unstable	*ewr_unstable;
	struct ptlrpc_bulk	ewr_bulk;
	struct bio_vec		ewr_vec[];
};

/**
 * echo_unstable_new() - account for the unstable writes of a client
 *
 * Context: may sleep
 * Return: account, given back by echo_unstable_put(); NULL on allocation failure
 */
struct echo_unstable *echo_unstable_new(void)
{
	struct echo_unstable *eun = libcfs_zalloc(sizeof(*eun), GFP_KERNEL_ACCOUNT);

	if (eun)
		refcount_set(&eun->eun_refcount, 1);
	return eun;
}

/* Drop a reference; the last one frees it. Any context. */
void echo_unstable_put(struct echo_unstable *eun)
{
	if (refcount_dec_and_test(&eun->eun_refcount))
		libcfs_free(eun, sizeof(*eun));
}

static void write_free(struct echo_write *write)
{
	struct echo_unstable *eun = write->ewr_unstable;
	unsigned int n;

	for (n = 0; n < write->ewr_bulk.bk_nr; n++)
		put_page(write->ewr_vec[n].bv_page);
	atomic64_sub(write->ewr_bulk.bk_len, &eun->eun_bytes);
	kvfree(write);
	echo_unstable_put(eun);
}

static int write_fill(struct echo_write *write, u32 at, u32 size)
{
	struct bio_vec *part;
	struct page *page;

	while (size) {
		page = alloc_page(GFP_KERNEL_ACCOUNT);
		if (!page)
			return -ENOMEM;
		part = &write->ewr_vec[write->ewr_bulk.bk_nr++];
		bvec_set_page(part, page, min_t(u32, size, PAGE_SIZE), 0);
		at = echo_pattern_copy(at, part);
		size -= part->bv_len;
	}
	return 0;
}

/**
 * echo_write_new() - bulk data of an unstable write
 * @eun: of its client
 * @at: position of its bytes in the pattern
 * @size: how many
 *
 * Context: may sleep
 * Return: for rq_bulk_out: pages with a copy of the pattern, freed by
 *  echo_write_committed(); NULL on allocation failure
 */
const struct ptlrpc_bulk *echo_write_new(struct echo_unstable *eun, u32 at, u32 size)
{
	unsigned int pages = DIV_ROUND_UP(size, PAGE_SIZE);
	struct echo_write *write;

	write = kvzalloc(struct_size(write, ewr_vec, pages), GFP_KERNEL_ACCOUNT);
	if (!write)
		return NULL;
	refcount_inc(&eun->eun_refcount);
	atomic64_add(size, &eun->eun_bytes);
	write->ewr_unstable = eun;
	write->ewr_bulk.bk_vec = write->ewr_vec;
	write->ewr_bulk.bk_len = size;
	if (!write_fill(write, at, size))
		return &write->ewr_bulk;
	write_free(write);
	return NULL;
}

/* rq_committed of an unstable write. */
void echo_write_committed(struct ptlrpc_request *req, int rc)
{
	struct echo_write *write = container_of(req->rq_bulk_out, struct echo_write,
						ewr_bulk);

	if (rc)
		atomic64_inc(&write->ewr_unstable->eun_lost);
	write_free(write);
}
