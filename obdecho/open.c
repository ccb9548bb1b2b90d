// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects that an echo client has open. The request that opened one is kept for replay until
 * its close is on the server's disk: a server that restarts gives a new handle.
 */
#define DEBUG_SUBSYSTEM S_ECHO

#include <linux/err.h>
#include <linux/module.h>
#include <linux/slab.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>

#include "open.h"

/**
 * struct echo_open - an open object
 * @eon_refcount: held by its open, until rq_committed; by the list; then by its close, likewise
 * @eon_opens: opens of its client, referenced
 * @eon_item: in eop_list, or empty
 * @eon_handle: the server's handle
 * @eon_replayed: a replay has given it
 * @eon_open: request that opened it, until rq_committed of it
 * @eon_close: request that closes it, likewise
 */
struct echo_open {
	refcount_t		eon_refcount;
	struct echo_opens	*eon_opens;
	struct list_head	eon_item;
	__le64			eon_handle;
	bool			eon_replayed;
	struct ptlrpc_request	*eon_open;
	struct ptlrpc_request	*eon_close;
};

/**
 * echo_opens_new() - account for the open objects of a client
 *
 * Context: may sleep
 * Return: account, given back by echo_opens_put(); NULL on allocation failure
 */
struct echo_opens *echo_opens_new(void)
{
	struct echo_opens *opens = libcfs_zalloc(sizeof(*opens), GFP_KERNEL_ACCOUNT);

	if (!opens)
		return NULL;
	refcount_set(&opens->eop_refcount, 1);
	spin_lock_init(&opens->eop_lock);
	INIT_LIST_HEAD(&opens->eop_list);
	return opens;
}

/* Drop a reference; the last one frees it. Any context. */
void echo_opens_put(struct echo_opens *opens)
{
	if (refcount_dec_and_test(&opens->eop_refcount))
		libcfs_free(opens, sizeof(*opens));
}

static void open_put(struct echo_open *open)
{
	if (!refcount_dec_and_test(&open->eon_refcount))
		return;
	echo_opens_put(open->eon_opens);
	libcfs_free(open, sizeof(*open));
}

static bool unlist(struct echo_open *open)
{
	lockdep_assert_held(&open->eon_opens->eop_lock);
	if (list_empty(&open->eon_item))
		return false;
	list_del_init(&open->eon_item);
	open->eon_opens->eop_count--;
	return true;
}

/* The open need not be replayed any more: it is closed, or never will be. */
static void open_release(struct echo_open *open)
{
	struct echo_opens *opens = open->eon_opens;
	struct ptlrpc_request *req;

	spin_lock(&opens->eop_lock);
	req = open->eon_open ? ptlrpc_request_get(open->eon_open) : NULL;
	spin_unlock(&opens->eop_lock);
	if (!req)
		return;
	ptlrpc_replay_release(req);
	ptlrpc_request_put(req);
}

/* rq_committed of an open. With an error the server has no such handle. */
static void open_committed(struct ptlrpc_request *req, int rc)
{
	struct echo_open *open = req->rq_cb_data;
	struct echo_opens *opens = open->eon_opens;
	bool listed;

	spin_lock(&opens->eop_lock);
	open->eon_open = NULL;
	listed = rc && unlist(open);
	opens->eop_lost += listed;
	spin_unlock(&opens->eop_lock);
	if (listed)
		open_put(open);
	open_put(open);
}

/* Return: whether the answer to an open has a handle. */
static bool note_handle(struct echo_open *open, const struct ptlrpc_request *answer)
{
	const __le64 *handle = ptlrpc_rep_buf(answer, 0, sizeof(*handle));

	lockdep_assert_held(&open->eon_opens->eop_lock);
	if (!handle)
		return false;
	open->eon_handle = *handle;
	if (open->eon_close)
		*(__le64 *)ptlrpc_req_buf(open->eon_close, 0) = *handle;
	return true;
}

/* rq_replayed of an open: a close that was sent already has the new handle, too. */
static void open_replayed(struct ptlrpc_request *req, const struct ptlrpc_request *answer)
{
	struct echo_open *open = req->rq_cb_data;

	spin_lock(&open->eon_opens->eop_lock);
	if (note_handle(open, answer))
		open->eon_replayed = true;
	spin_unlock(&open->eon_opens->eop_lock);
}

/**
 * echo_open_request() - a request that opens an object
 * @opens: of the client
 * @imp: import of the server
 * @object: object
 *
 * Context: may sleep
 * Return: request, to be added to a set; NULL on allocation failure
 */
struct ptlrpc_request *echo_open_request(struct echo_opens *opens, struct obd_import *imp,
					 u64 object)
{
	static const u32 lens[] = { sizeof(__le64) };
	struct echo_open *open = libcfs_zalloc(sizeof(*open), GFP_KERNEL_ACCOUNT);
	struct ptlrpc_request *req;

	if (!open)
		return NULL;
	req = ptlrpc_request_new(imp, OST_OPEN, OST_REQUEST_PORTAL, lens, ARRAY_SIZE(lens));
	if (IS_ERR_OR_NULL(req)) {
		libcfs_free(open, sizeof(*open));
		return req;
	}
	refcount_set(&open->eon_refcount, 1);
	refcount_inc(&opens->eop_refcount);
	open->eon_opens = opens;
	INIT_LIST_HEAD(&open->eon_item);
	open->eon_open = req;
	*(__le64 *)ptlrpc_req_buf(req, 0) = cpu_to_le64(object);
	req->rq_sticky = true;
	req->rq_committed = open_committed;
	req->rq_replayed = open_replayed;
	req->rq_cb_data = open;
	req->rq_owner = THIS_MODULE;
	return req;
}

/**
 * echo_open_done() - an open was answered
 * @req: request
 *
 * Context: rq_interpret
 * Return: 0; -EPROTO without a handle
 */
int echo_open_done(struct ptlrpc_request *req)
{
	struct echo_open *open = req->rq_cb_data;
	struct echo_opens *opens = open->eon_opens;
	bool done;

	spin_lock(&opens->eop_lock);
	/* The server may have restarted since it answered. */
	done = open->eon_replayed || note_handle(open, req);
	if (done) {
		refcount_inc(&open->eon_refcount);
		list_add_tail(&open->eon_item, &opens->eop_list);
		opens->eop_count++;
	}
	spin_unlock(&opens->eop_lock);
	return done ? 0 : -EPROTO;
}

/* rq_committed of a close: it is on disk, or failed. */
static void close_committed(struct ptlrpc_request *req, int rc)
{
	struct echo_open *open = req->rq_cb_data;

	spin_lock(&open->eon_opens->eop_lock);
	open->eon_close = NULL;
	spin_unlock(&open->eon_opens->eop_lock);
	open_release(open);
	open_put(open);
}

/* The oldest one, out of the list, whose reference is the caller's; or NULL. */
static struct echo_open *open_take(struct echo_opens *opens)
{
	struct echo_open *open;

	spin_lock(&opens->eop_lock);
	open = list_first_entry_or_null(&opens->eop_list, struct echo_open, eon_item);
	if (open)
		unlist(open);
	spin_unlock(&opens->eop_lock);
	return open;
}

/**
 * echo_close_request() - a request that closes an object
 * @opens: of the client
 * @imp: import of the server
 *
 * Context: may sleep
 * Return: request, to be added to a set; ERR_PTR(-ENOENT): nothing is open; NULL on
 *  allocation failure
 */
struct ptlrpc_request *echo_close_request(struct echo_opens *opens, struct obd_import *imp)
{
	static const u32 lens[] = { sizeof(__le64) };
	struct ptlrpc_request *req;
	struct echo_open *open;

	req = ptlrpc_request_new(imp, OST_CLOSE, OST_REQUEST_PORTAL, lens, ARRAY_SIZE(lens));
	if (IS_ERR_OR_NULL(req))
		return req;
	open = open_take(opens);
	if (!open) {
		ptlrpc_request_put(req);
		return ERR_PTR(-ENOENT);
	}
	req->rq_committed = close_committed;
	req->rq_cb_data = open;
	req->rq_owner = THIS_MODULE;
	spin_lock(&opens->eop_lock);
	open->eon_close = req;
	if (open->eon_open)
		req->rq_releases = ptlrpc_request_get(open->eon_open);
	*(__le64 *)ptlrpc_req_buf(req, 0) = open->eon_handle;
	spin_unlock(&opens->eop_lock);
	return req;
}

void echo_opens_drop(struct echo_opens *opens)
{
	struct echo_open *open;

	while ((open = open_take(opens))) {
		open_release(open);
		open_put(open);
	}
}
