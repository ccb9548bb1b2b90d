// SPDX-License-Identifier: GPL-2.0-only
/*
 * Directories. A reader that will ask for the attributes of the entries gets them with locks, one
 * for each entry: an intent each, whose cookies are in the request.
 */
#define DEBUG_SUBSYSTEM S_MDC

#include <linux/bvec.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_export.h>

#include "mdc_internal.h"

/**
 * struct mdc_ahead - the locks that a request asks for
 * @ahead: the caller's part, or NULL: none
 * @intent: a lock each, or NULL
 * @cookie: the client's cookies of them
 * @count: their number
 */
struct mdc_ahead {
	struct md_ahead		*ahead;
	struct ldlm_intent	**intent;
	__le64			*cookie;
	u32			count;
};

static void ahead_free(struct mdc_ahead *at)
{
	kvfree(at->intent);
	kvfree(at->cookie);
}

/* Without memory there are fewer locks, or none. */
static void ahead_begin(struct mdc_ahead *at, struct obd_export *exp, struct md_ahead *ahead)
{
	const struct ldlm_policy part = { .ibits = { .try_bits = ahead->bits } };
	u32 most = min_t(u32, ahead->count, MDS_AHEAD_MAX);
	struct ldlm_intent *intent;

	at->ahead = ahead;
	at->intent = kvcalloc(most, sizeof(*at->intent), GFP_NOFS);
	at->cookie = kvcalloc(most, sizeof(*at->cookie), GFP_NOFS);
	if (!at->intent || !at->cookie)
		return;
	while (at->count < most) {
		intent = ldlm_intent_new(exp->exp_obd, LDLM_IBITS, LCK_PR, &part, ahead->cbs,
					 ahead->data[at->count]);
		if (IS_ERR(intent))
			break;
		at->cookie[at->count] = cpu_to_le64(ldlm_intent_cookie(intent));
		at->intent[at->count++] = intent;
	}
}

/* The lock of an entry. The reader does without one that cannot be used. */
static void entry_bind(struct mdc_ahead *at, u32 n, const struct ptlrpc_request *req,
		       const struct md_dirent *ent)
{
	struct ldlm_res_id res = {};
	u64 bits = 0, server = 0;

	if (ent && ent->bits & at->ahead->bits) {
		bits = ent->bits & at->ahead->bits;
		server = ent->lock;
		ldlm_res_of_fid(&ent->object.fid, &res);
	}
	ldlm_intent_done_one(at->intent[n], req, &res, server, bits, &at->ahead->lock[n]);
}

/* The entries of a reply, as far as they are valid: the reader finds out where they are not. */
static void ahead_end(struct mdc_ahead *at, const struct ptlrpc_request *req, u32 bytes)
{
	struct md_dirent ent = { .name_len = 1 };
	u32 n = 0, offset = 0;

	while (n < at->count && ent.name_len &&
	       !md_dirent_decode(at->ahead->entries + offset, bytes - offset, &ent)) {
		entry_bind(at, n++, req, &ent);
		offset += ent.len;
	}
	while (n < at->count)
		entry_bind(at, n++, req, NULL);
}

static struct bio_vec *pages_vec(struct page **pages, unsigned int nr)
{
	struct bio_vec *vec = kvmalloc_array(nr, sizeof(*vec), GFP_NOFS);
	unsigned int n;

	for (n = 0; vec && n < nr; n++) {
		vec[n].bv_page = pages[n];
		vec[n].bv_offset = 0;
		vec[n].bv_len = PAGE_SIZE;
	}
	return vec;
}

static int readdir_send(struct obd_export *exp, struct md_op_data *op, struct ptlrpc_bulk *bulk,
			struct mdc_ahead *at, u32 *bytes)
{
	struct ptlrpc_request *req;
	int rc;

	op->value = at->count ? at->cookie : NULL;
	op->value_len = at->count * sizeof(*at->cookie);
	req = mdc_op_request(exp, op, NULL);
	if (IS_ERR(req)) {
		ldlm_intents_drop(at->intent, at->count);
		return PTR_ERR(req);
	}
	req->rq_bulk_in = bulk;
	rc = ptlrpc_queue_wait(req);
	*bytes = req->rq_bulk_got;
	if (rc)
		ldlm_intents_drop(at->intent, at->count);
	else if (at->count)
		ahead_end(at, req, *bytes);
	ptlrpc_request_put(req);
	return rc;
}

/**
 * mdc_readdir() - m_readdir of type mdc
 * @exp: export of the device
 * @op: MDS_READPAGE; its size is that of the pages. The locks of @op->ahead are set if this
 *	succeeds, else there are none
 * @pages: out: entries
 * @nr: number of pages, WIRE_BULK_DEFAULT bytes at most
 * @bytes: out: bytes of the entries
 *
 * Context: sleeps
 * Return: as mdc_call()
 */
int mdc_readdir(struct obd_export *exp, const struct md_op_data *op, struct page **pages,
		unsigned int nr, u32 *bytes)
{
	struct md_op_data ask = *op;
	struct ptlrpc_bulk bulk;
	struct mdc_ahead at = {};
	int rc;

	if (!nr || nr > WIRE_BULK_DEFAULT / PAGE_SIZE)
		return -EINVAL;
	ask.size = nr * PAGE_SIZE;
	bulk.bk_len = ask.size;
	bulk.bk_nr = nr;
	bulk.bk_vec = pages_vec(pages, nr);
	if (!bulk.bk_vec)
		return -ENOMEM;
	if (op->ahead)
		ahead_begin(&at, exp, op->ahead);
	rc = readdir_send(exp, &ask, &bulk, &at, bytes);
	ahead_free(&at);
	kvfree(bulk.bk_vec);
	return rc;
}
