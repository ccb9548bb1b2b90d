// SPDX-License-Identifier: GPL-2.0
/*
 * A request at the server: its states, its references and its end.
 */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/mm.h>
#include <linux/slab.h>

#include <lustre_lite/compat.h>

#include "service.h"
#include "../net/trace.h"

static const char * const state_names[SR_STATE_COUNT] = {
	[SR_NEW] = "New",
	[SR_QUEUED] = "Queued",
	[SR_RUNNING] = "Running",
	[SR_REPLYING] = "Replying",
	[SR_DONE] = "Complete",
};

/* Where a request may go from each state. */
static const u8 state_moves[SR_STATE_COUNT] = {
	[SR_NEW] = BIT(SR_QUEUED) | BIT(SR_RUNNING) | BIT(SR_DONE),
	[SR_QUEUED] = BIT(SR_RUNNING) | BIT(SR_DONE),
	[SR_RUNNING] = BIT(SR_QUEUED) | BIT(SR_REPLYING) | BIT(SR_DONE),
	[SR_REPLYING] = BIT(SR_DONE),
};

/**
 * svc_state_name() - name of a state
 * @state: state
 *
 * Context: any
 * Return: static text
 */
const char *svc_state_name(enum sr_state state)
{
	return (unsigned int)state < SR_STATE_COUNT ? state_names[state] : "?";
}

/**
 * sr_state_may() - whether a request may go from one state to another
 * @from: state
 * @to: state
 *
 * Context: any
 * Return: whether it may
 */
bool sr_state_may(enum sr_state from, enum sr_state to)
{
	return (unsigned int)from < SR_STATE_COUNT && state_moves[from] & BIT(to);
}
EXPORT_SYMBOL_NS_GPL(sr_state_may, LUSTRE_LITE);

/**
 * svc_req_move() - a request goes to another state
 * @sr: request; the caller is who works on it
 * @to: state
 *
 * Context: any task
 * Return: whether that is a legal move; if not, nothing has changed
 */
bool svc_req_move(struct ptlrpc_svc_req *sr, enum sr_state to)
{
	enum sr_state from = READ_ONCE(sr->sr_state);

	if (WARN_ON_ONCE(!sr_state_may(from, to)))
		return false;
	WRITE_ONCE(sr->sr_state, to);
	trace_ptlrpc_svc_state(sr, from, to);
	return true;
}

/**
 * svc_req_new() - make a request
 * @svc: service; the caller's use of it becomes the request's
 * @handler: its operation
 * @rx: message
 * @charge: bytes that the connection was charged for, which is the request's, too
 *
 * Context: may sleep for memory
 * Return: request in SR_NEW, one reference; NULL without memory: nothing was
 * taken over
 */
struct ptlrpc_svc_req *svc_req_new(struct ptlrpc_service *svc,
				   const struct ptlrpc_handler *handler,
				   struct ll_rx *rx, u32 charge)
{
	struct ptlrpc_svc_req *sr = libcfs_zalloc(sizeof(*sr), GFP_KERNEL);
	u32 seconds = rx->rx_view.timeout ?: READ_ONCE(obd_timeout);

	if (!sr)
		return NULL;
	refcount_set(&sr->sr_refcount, 1);
	INIT_LIST_HEAD(&sr->sr_item);
	INIT_LIST_HEAD(&sr->sr_export_item);
	sr->sr_state = SR_NEW;
	sr->sr_msg = rx->rx_view;
	sr->sr_conn = ll_conn_get(rx->rx_conn);
	sr->sr_reply_conn = ll_conn_get(rx->rx_conn);
	sr->sr_handler = handler;
	sr->sr_service = svc;
	sr->sr_charge = charge;
	sr->sr_arrival_ns = rx->rx_start_ns;
	sr->sr_deadline_ns = rx->rx_start_ns + NSEC_PER_SEC *
			     min_t(u64, seconds, SVC_TIMEOUT_MAX);
	atomic64_add(charge, &svc->svc_memory);
	return sr;
}

/**
 * svc_req_get() - another reference
 * @sr: request that the caller holds
 *
 * Context: any
 * Return: @sr
 */
struct ptlrpc_svc_req *svc_req_get(struct ptlrpc_svc_req *sr)
{
	refcount_inc(&sr->sr_refcount);
	return sr;
}

/**
 * svc_pages_put() - let go of pages
 * @vec: parts, the first page of each referenced once
 * @count: how many
 *
 * Context: any
 */
void svc_pages_put(struct bio_vec *vec, unsigned int count)
{
	unsigned int n;

	for (n = 0; n < count; n++)
		put_page(vec[n].bv_page);
}

/**
 * svc_req_put() - drop a reference; the last one frees the request
 * @sr: request
 *
 * Context: any task; does not sleep
 */
void svc_req_put(struct ptlrpc_svc_req *sr)
{
	if (!refcount_dec_and_test(&sr->sr_refcount))
		return;
	WARN_ON_ONCE(sr->sr_state != SR_DONE || !list_empty(&sr->sr_item));
	if (sr->sr_bulk) {
		svc_pages_put(sr->sr_bulk, sr->sr_bulk_nr);
		libcfs_free(sr->sr_bulk, sr->sr_bulk_room * sizeof(*sr->sr_bulk));
	}
	if (sr->sr_rep_bulk && sr->sr_rep_bulk_owned) {
		svc_pages_put(sr->sr_rep_bulk, sr->sr_rep_bulk_nr);
		kvfree(sr->sr_rep_bulk);
	}
	if (sr->sr_reply)
		svc_reply_put(sr->sr_reply);
	if (sr->sr_exp)
		class_export_rpc_dec(sr->sr_exp);
	if (sr->sr_reply_conn)
		ll_conn_put(sr->sr_reply_conn);
	ll_peer_uncharge(sr->sr_conn, sr->sr_charge);
	ll_conn_put(sr->sr_conn);
	kfree(sr->sr_req_msg);
	libcfs_free(sr, sizeof(*sr));
}

/**
 * svc_req_let_go() - a request needs its service no more
 * @sr: request that is answered or dropped
 *
 * Context: any task
 */
void svc_req_let_go(struct ptlrpc_svc_req *sr)
{
	struct ptlrpc_service *svc = sr->sr_service;

	sr->sr_service = NULL;
	atomic64_sub(sr->sr_charge, &svc->svc_memory);
	svc_put(svc);
}

/**
 * svc_req_drop() - the end of a request that nobody answers
 * @sr: request; the caller is who works on it, and drops its reference by this
 *
 * What is sent again is as if this had never come.
 *
 * Context: any task
 */
void svc_req_drop(struct ptlrpc_svc_req *sr)
{
	svc_recovery->rv_replayed(sr);
	reply_cache_end(sr, false);
	svc_leave(sr);
	svc_req_move(sr, SR_DONE);
	svc_history_note(sr, ktime_get_ns());
	svc_req_let_go(sr);
	svc_req_put(sr);
}
