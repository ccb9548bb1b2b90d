// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers of requests, and who waits for the reply to which.
 */
#include <linux/hash.h>
#include <linux/ktime.h>

#include "request.h"

#define XID_BITS	10
/*
 * The first number is the time, with room behind it for so many requests a
 * second for as long as the node is up: one that restarts is always ahead of
 * what it was before.
 */
#define XID_SHIFT	24

/**
 * struct xid_bucket - some of the requests that wait for a reply
 * @xb_lock: guards @xb_requests; taken in tasks only
 * @xb_requests: they, by rq_xid_node, each referenced
 */
struct xid_bucket {
	spinlock_t		xb_lock;
	struct hlist_head	xb_requests;
};

static struct xid_bucket xid_table[1 << XID_BITS];
static atomic64_t last_xid;
static u64 first_xid;

static struct xid_bucket *xid_bucket(u64 xid)
{
	return &xid_table[hash_64(xid, XID_BITS)];
}

/**
 * ptlrpc_next_xid() - the number of a new request
 *
 * Context: any
 * Return: number, larger than all before, also than those before the node was
 * started again; of all network namespaces together
 */
u64 ptlrpc_next_xid(void)
{
	return atomic64_inc_return(&last_xid);
}

/**
 * xid_was_used() - whether a number is that of a request of this node
 * @xid: number
 *
 * Context: any
 * Return: whether ptlrpc_next_xid() gave it since the module was loaded
 */
bool xid_was_used(u64 xid)
{
	return xid > first_xid && xid <= (u64)atomic64_read(&last_xid);
}

/**
 * xid_insert() - a reply may come from now on
 * @req: request, not in the table
 *
 * Context: any task
 */
void xid_insert(struct ptlrpc_request *req)
{
	struct xid_bucket *bucket = xid_bucket(req->rq_xid);

	ptlrpc_request_get(req);
	spin_lock(&req->rq_lock);
	req->rq_in_xids = true;
	spin_unlock(&req->rq_lock);
	spin_lock(&bucket->xb_lock);
	hlist_add_head(&req->rq_xid_node, &bucket->xb_requests);
	spin_unlock(&bucket->xb_lock);
}

/**
 * xid_remove() - no reply is taken any more
 * @req: request; nothing happens when it is not in the table. One that is being
 *	received (rq_receiving) goes on
 *
 * Context: any task; by the driver
 */
void xid_remove(struct ptlrpc_request *req)
{
	struct xid_bucket *bucket = xid_bucket(req->rq_xid);
	bool was;

	spin_lock(&req->rq_lock);
	was = req->rq_in_xids;
	req->rq_in_xids = false;
	spin_unlock(&req->rq_lock);
	if (!was)
		return;
	spin_lock(&bucket->xb_lock);
	hlist_del_init(&req->rq_xid_node);
	spin_unlock(&bucket->xb_lock);
	ptlrpc_request_put(req);
}

/**
 * xid_find() - who waits for a reply
 * @xid: its number
 *
 * Context: any task
 * Return: request, referenced, or NULL
 */
struct ptlrpc_request *xid_find(u64 xid)
{
	struct xid_bucket *bucket = xid_bucket(xid);
	struct ptlrpc_request *req;

	spin_lock(&bucket->xb_lock);
	hlist_for_each_entry(req, &bucket->xb_requests, rq_xid_node) {
		if (req->rq_xid == xid) {
			ptlrpc_request_get(req);
			break;
		}
	}
	spin_unlock(&bucket->xb_lock);
	return req;
}

/* Called when the module is loaded. */
int ptlrpc_xid_init(void)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(xid_table); n++) {
		spin_lock_init(&xid_table[n].xb_lock);
		INIT_HLIST_HEAD(&xid_table[n].xb_requests);
	}
	first_xid = (u64)ktime_get_real_seconds() << XID_SHIFT;
	atomic64_set(&last_xid, first_xid);
	return 0;
}

/* Requests pin this module: none is left. */
void ptlrpc_xid_exit(void)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(xid_table); n++)
		WARN_ON_ONCE(!hlist_empty(&xid_table[n].xb_requests));
}
