// SPDX-License-Identifier: GPL-2.0-only
/*
 * A request: made, filled in, freed; its phases; its place in its import, and its slot.
 */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/mempool.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/ptlrpc_test_point.h>

#include "request.h"
#include "../net/trace.h"

static const char * const phase_names[RQ_PHASE_COUNT] = {
	[RQ_NEW] = "NEW",
	[RQ_WAITING] = "WAITING",
	[RQ_RPC] = "RPC",
	[RQ_UNREGISTERING] = "UNREGISTERING",
	[RQ_INTERPRET] = "INTERPRET",
	[RQ_COMPLETE] = "COMPLETE",
};

/* Phase by phase, those that may follow. */
static const u8 phase_next[RQ_PHASE_COUNT] = {
	[RQ_NEW] = BIT(RQ_WAITING),
	[RQ_WAITING] = BIT(RQ_RPC) | BIT(RQ_UNREGISTERING) | BIT(RQ_INTERPRET),
	[RQ_RPC] = BIT(RQ_WAITING) | BIT(RQ_UNREGISTERING) | BIT(RQ_INTERPRET),
	[RQ_UNREGISTERING] = BIT(RQ_INTERPRET),
	[RQ_INTERPRET] = BIT(RQ_COMPLETE),
};

/**
 * rq_phase_name() - name of a phase
 * @phase: phase
 *
 * Context: any
 * Return: static text, "UNKNOWN" for another value
 */
const char *rq_phase_name(enum rq_phase phase)
{
	return (unsigned int)phase < RQ_PHASE_COUNT ? phase_names[phase] :
						      "UNKNOWN";
}
EXPORT_FOR_KUNIT(rq_phase_name);

/**
 * rq_phase_may() - whether a request may go from one phase to another
 * @from: phase
 * @to: phase
 *
 * Context: any
 * Return: whether it may
 */
bool rq_phase_may(enum rq_phase from, enum rq_phase to)
{
	return (unsigned int)from < RQ_PHASE_COUNT &&
	       (unsigned int)to < RQ_PHASE_COUNT &&
	       (phase_next[from] & BIT(to));
}
EXPORT_FOR_KUNIT(rq_phase_may);

/**
 * ptlrpc_set_phase() - the only way to change the phase of a request
 * @req: request
 * @to: phase; one that may not follow is refused, once with a warning
 *
 * Context: any; by the driver of the request's set
 */
void ptlrpc_set_phase(struct ptlrpc_request *req, enum rq_phase to)
{
	enum rq_phase from = req->rq_phase;

	if (WARN_ON_ONCE(!rq_phase_may(from, to)))
		return;
	req->rq_phase = to;
	if (req->rq_set)
		req->rq_set->set_rpcs += (to == RQ_RPC) - (from == RQ_RPC);
	trace_ptlrpc_request_phase(req, from);
}

/**
 * __request_note() - note events for the driver, rq_lock is held
 * @req: request
 * @events: RQE_*
 *
 * Context: any task
 */
void __request_note(struct ptlrpc_request *req, unsigned long events)
{
	lockdep_assert_held(&req->rq_lock);
	req->rq_events |= events;
	if (req->rq_set)
		__request_set_wake(req->rq_set, req);
}

/**
 * request_note() - note events for the driver
 * @req: request
 * @events: RQE_*
 *
 * Context: any task
 */
void request_note(struct ptlrpc_request *req, unsigned long events)
{
	spin_lock(&req->rq_lock);
	__request_note(req, events);
	spin_unlock(&req->rq_lock);
}

/*
 * Slots: how many requests of an import are on the wire at a time, and which one is
 * next. Requests with bulk data and all others have as many each. A request keeps its slot
 * until it is over, also while it waits to be sent again.
 */

static bool needs_slot(const struct ptlrpc_request *req)
{
	return !req->rq_no_slot && req->rq_send_state == LUSTRE_IMP_FULL;
}

static bool slot_is_free(const struct obd_import *imp, enum lnet_lane lane)
{
	return imp->imp_slots[lane] < max_t(u32, READ_ONCE(imp->imp_rpcs_max), 1);
}

/* Grant free slots, the oldest request first; their drivers are woken. */
static void slots_grant(struct obd_import *imp, enum lnet_lane lane)
{
	struct list_head *waiting = &imp->imp_waiting[lane];
	struct ptlrpc_request *req;

	lockdep_assert_held(&imp->imp_rq_lock);
	while (slot_is_free(imp, lane) && !list_empty(waiting)) {
		req = list_first_entry(waiting, struct ptlrpc_request, rq_slot_item);
		list_del_init(&req->rq_slot_item);
		req->rq_has_slot = true;
		imp->imp_slots[lane]++;
		request_note(req, RQE_SLOT);
	}
}

/* Take a free slot, unless other requests wait for one. */
static bool slot_take(struct obd_import *imp, struct ptlrpc_request *req)
{
	enum lnet_lane lane = request_lane(req);

	lockdep_assert_held(&imp->imp_rq_lock);
	if (!list_empty(&imp->imp_waiting[lane]) || !slot_is_free(imp, lane))
		return false;
	req->rq_has_slot = true;
	imp->imp_slots[lane]++;
	return true;
}

/**
 * request_slot_get() - one of max_rpcs_in_flight, or a place in the queue
 * @req: request, of the caller's set
 *
 * Context: any task
 * Return: whether it may go; if not, RQE_SLOT is noted when it may
 */
bool request_slot_get(struct ptlrpc_request *req)
{
	struct obd_import *imp = req->rq_import;
	bool has;

	if (!needs_slot(req))
		return true;
	spin_lock(&imp->imp_rq_lock);
	has = req->rq_has_slot;
	if (!has && list_empty(&req->rq_slot_item)) {
		has = slot_take(imp, req);
		if (!has)
			list_add_tail(&req->rq_slot_item,
				      &imp->imp_waiting[request_lane(req)]);
	}
	spin_unlock(&imp->imp_rq_lock);
	return has;
}

/* Under imp_rq_lock: give back the slot, or the place in the queue. */
static void __request_slot_put(struct ptlrpc_request *req)
{
	struct obd_import *imp = req->rq_import;

	lockdep_assert_held(&imp->imp_rq_lock);
	list_del_init(&req->rq_slot_item);
	if (!req->rq_has_slot)
		return;
	req->rq_has_slot = false;
	imp->imp_slots[request_lane(req)]--;
	slots_grant(imp, request_lane(req));
}

/**
 * request_slots_changed() - there may be more of them now
 * @imp: import
 *
 * Context: any task
 */
void request_slots_changed(struct obd_import *imp)
{
	enum lnet_lane lane;

	spin_lock(&imp->imp_rq_lock);
	for (lane = 0; lane < LNET_LANES; lane++)
		slots_grant(imp, lane);
	spin_unlock(&imp->imp_rq_lock);
}

/**
 * ptlrpc_requests_import_changed() - the state, the generation or a flag changed
 * @imp: import
 *
 * Context: any task
 */
void ptlrpc_requests_import_changed(struct obd_import *imp)
{
	struct ptlrpc_request *req;

	spin_lock(&imp->imp_rq_lock);
	list_for_each_entry(req, &imp->imp_unsent, rq_import_item)
		request_note(req, RQE_IMPORT);
	list_for_each_entry(req, &imp->imp_requests, rq_import_item)
		request_note(req, RQE_IMPORT);
	spin_unlock(&imp->imp_rq_lock);
	request_slots_changed(imp);
}

/* A request that has its xid already, a replay, goes where it belongs, near the head. */
static void request_join_import(struct ptlrpc_request *req)
{
	struct obd_import *imp = req->rq_import;
	struct ptlrpc_request *next;

	spin_lock(&imp->imp_rq_lock);
	if (!req->rq_xid) {
		list_add_tail(&req->rq_import_item, &imp->imp_unsent);
	} else {
		list_for_each_entry(next, &imp->imp_requests, rq_import_item)
			if (next->rq_xid > req->rq_xid)
				break;
		list_add_tail(&req->rq_import_item, &next->rq_import_item);
	}
	spin_unlock(&imp->imp_rq_lock);
}

/* A request in RQ_NEW is added to a set. Any task. */
void request_begin(struct ptlrpc_request *req)
{
	struct obd_import *imp = req->rq_import;

	req->rq_start_ns = ktime_get_ns();
	spin_lock(&imp->imp_lock);
	req->rq_generation = imp->imp_generation;
	req->rq_counted = !req->rq_no_count && !request_is_disconnect(req) &&
			  req->rq_send_state == LUSTRE_IMP_FULL;
	if (req->rq_counted)
		atomic_inc(&imp->imp_inflight);
	spin_unlock(&imp->imp_lock);
	ptlrpc_replay_begin(req);
	ptlrpc_set_phase(req, RQ_WAITING);
}

/* Give it the lowest free tag, if there is one. A request that is numbered again keeps its own. */
static void __request_tag_get(struct ptlrpc_request *req)
{
	struct obd_import *imp = req->rq_import;
	unsigned long bit;

	lockdep_assert_held(&imp->imp_rq_lock);
	if (req->rq_tag)
		return;
	bit = find_first_zero_bit(imp->imp_tags, WIRE_TAG_MAX);
	if (bit == WIRE_TAG_MAX)
		return;
	__set_bit(bit, imp->imp_tags);
	req->rq_tag = bit + 1;
}

static void __request_tag_put(struct ptlrpc_request *req)
{
	lockdep_assert_held(&req->rq_import->imp_rq_lock);
	if (req->rq_tag)
		__clear_bit(req->rq_tag - 1, req->rq_import->imp_tags);
	req->rq_tag = 0;
}

/* It is over: leave the import's lists, and pass on the tag and the slot. */
void request_leave_import(struct ptlrpc_request *req)
{
	struct obd_import *imp = req->rq_import;

	spin_lock(&imp->imp_rq_lock);
	list_del_init(&req->rq_import_item);
	__request_tag_put(req);
	__request_slot_put(req);
	__request_left_end(req);
	spin_unlock(&imp->imp_rq_lock);
}

/* A request that was answered and is sent again is a new one to the server. */
void request_renumber(struct ptlrpc_request *req)
{
	struct obd_import *imp = req->rq_import;

	xid_remove(req);
	spin_lock(&imp->imp_rq_lock);
	req->rq_xid = 0;
	list_move_tail(&req->rq_import_item, &imp->imp_unsent);
	spin_unlock(&imp->imp_rq_lock);
	req->rq_sends = 0;
}

/*
 * A request is about to be sent: number it, unless it is sent again. The number is given and
 * the request linked in one step: imp_requests is in the order of xids. One that waits to be
 * sent has none, so the server does not keep the replies to later requests for it.
 *
 * Return: no reply up to this xid is waited for any more
 */
u64 request_number(struct ptlrpc_request *req)
{
	struct obd_import *imp = req->rq_import;
	struct ptlrpc_request *first;
	u64 low;

	spin_lock(&imp->imp_rq_lock);
	if (!req->rq_xid) {
		req->rq_xid = ptlrpc_next_xid();
		__request_tag_get(req);
		list_move_tail(&req->rq_import_item, &imp->imp_requests);
	}
	first = list_first_entry(&imp->imp_requests, struct ptlrpc_request,
				 rq_import_item);
	low = first->rq_xid - 1;
	spin_unlock(&imp->imp_rq_lock);
	return low;
}

static void request_init(struct ptlrpc_request *req, struct obd_import *imp,
			 u32 opc, u16 portal)
{
	refcount_set(&req->rq_refcount, 1);
	req->rq_phase = RQ_NEW;
	req->rq_send_state = LUSTRE_IMP_FULL;
	req->rq_rep_size = RQ_REPLY_SIZE;
	req->rq_import = class_import_get(imp);
	req->rq_opc = opc;
	req->rq_portal = portal;
	spin_lock_init(&req->rq_lock);
	INIT_LIST_HEAD(&req->rq_conn_item);
	INIT_HLIST_NODE(&req->rq_xid_node);
	INIT_LIST_HEAD(&req->rq_import_item);
	INIT_LIST_HEAD(&req->rq_slot_item);
	INIT_LIST_HEAD(&req->rq_set_item);
	INIT_LIST_HEAD(&req->rq_ready_item);
	INIT_LIST_HEAD(&req->rq_replay_item);
}

/* A request and its message are one block. */
static size_t request_bytes(size_t msg_len)
{
	return sizeof(struct ptlrpc_request) + msg_len;
}

/*
 * The reserve: when no memory can be allocated, writeback and the recovery that it waits for
 * make progress with these requests. A task waits for one until another request is freed.
 */
#define REQUEST_RESERVE		16
#define REQUEST_RESERVE_BYTES	4096

static mempool_t *request_pool;

static void *pool_alloc(gfp_t gfp, void *data)
{
	return libcfs_zalloc(REQUEST_RESERVE_BYTES, gfp);
}

static void pool_free(void *block, void *data)
{
	libcfs_free(block, REQUEST_RESERVE_BYTES);
}

/* Called when the module is loaded. */
int ptlrpc_requests_init(void)
{
	xid_table_init();
	request_pool = mempool_create(REQUEST_RESERVE, pool_alloc, pool_free, NULL);
	return request_pool ? 0 : -ENOMEM;
}

/* Requests pin this module: none is left. */
void ptlrpc_requests_exit(void)
{
	xid_table_exit();
	mempool_destroy(request_pool);
}

/*
 * Zeroed memory for a request. The first attempt does not retry, so that a task reaches the
 * reserve soon.
 */
static struct ptlrpc_request *block_alloc(size_t bytes)
{
	gfp_t gfp = GFP_NOIO | __GFP_NORETRY | __GFP_NOWARN;
	struct ptlrpc_request *req = NULL;
	bool short_of_memory = false;

	ptlrpc_test_at(PTP_REQUEST_MEMORY, &short_of_memory);
	if (!short_of_memory)
		req = libcfs_zalloc(bytes, gfp);
	if (req)
		return req;
	if (bytes > REQUEST_RESERVE_BYTES)
		return libcfs_zalloc(bytes, GFP_NOIO);
	req = mempool_alloc(request_pool, GFP_NOIO);
	memset(req, 0, bytes);
	req->rq_pooled = true;
	return req;
}

static void block_free(struct ptlrpc_request *req)
{
	if (req->rq_pooled)
		mempool_free(req, request_pool);
	else
		libcfs_free(req, request_bytes(req->rq_req_len));
}

/* All but its number. */
static struct ptlrpc_request *request_alloc(struct obd_import *imp, u32 opc,
					    u16 portal, size_t len)
{
	struct ptlrpc_request *req;

	WRITE_ONCE(imp->imp_networked, true);
	req = block_alloc(request_bytes(len));
	if (!req)
		return NULL;
	req->rq_req_msg = req + 1;
	req->rq_req_len = len;
	request_init(req, imp, opc, portal);
	return req;
}

/**
 * ptlrpc_request_new() - make a request
 * @imp: import that it goes through; the caller holds it
 * @opc: operation
 * @portal: service
 * @buflens: bytes of each buffer
 * @bufcount: buffers
 *
 * Context: may sleep
 * Return: request in RQ_NEW with buffers of zeros, whose reference is the
 * caller's; NULL: more bytes or buffers than a message has, or no memory for more than
 * REQUEST_RESERVE_BYTES
 */
struct ptlrpc_request *ptlrpc_request_new(struct obd_import *imp, u32 opc,
					  u16 portal, const u32 *buflens,
					  unsigned int bufcount)
{
	size_t len = wire_msg_size(buflens, bufcount);
	struct ptlrpc_request *req;

	if (WARN_ON_ONCE(!len))
		return NULL;
	req = request_alloc(imp, opc, portal, len);
	if (!req)
		return NULL;
	wire_msg_init(req->rq_req_msg, buflens, bufcount);
	obd_jobid(req->rq_jobid, sizeof(req->rq_jobid));
	request_join_import(req);
	return req;
}
EXPORT_SYMBOL_NS_GPL(ptlrpc_request_new, LUSTRE_LITE);

/* Whether a buffer of the replay is from the reply. */
static bool is_from_reply(const struct ptlrpc_request *done, unsigned int n)
{
	return n && n == done->rq_replay_buf && done->rq_rep.type &&
	       done->rq_replay_from < done->rq_rep.bufcount &&
	       done->rq_rep.buflens[done->rq_replay_from];
}

/* Lengths of the buffers of the replay. Return: their number */
static unsigned int again_lens(const struct ptlrpc_request *done, u32 *lens)
{
	const struct lustre_msg *msg = done->rq_req_msg;
	unsigned int count = le16_to_cpu(msg->lm_bufcount), n;

	for (n = 0; n < count; n++)
		lens[n] = is_from_reply(done, n) ? done->rq_rep.buflens[done->rq_replay_from] :
						   le32_to_cpu(msg->lm_buflens[n]);
	return count;
}

static void again_fill(struct ptlrpc_request *req, const struct ptlrpc_request *done,
		       const u32 *lens, unsigned int count)
{
	const void *from;
	unsigned int n;

	for (n = 0; n < count; n++) {
		from = is_from_reply(done, n) ? done->rq_rep.bufs[done->rq_replay_from] :
						wire_msg_buf(done->rq_req_msg, n);
		if (lens[n])
			memcpy(wire_msg_buf(req->rq_req_msg, n), from, lens[n]);
	}
}

/**
 * ptlrpc_request_again() - a request once more, to replay it
 * @done: request that was answered; the caller holds it
 *
 * Context: may sleep
 * Return: request in RQ_NEW with the xid, buffers, job and flags of @done, without
 * bulk data; NULL: no memory, or too long with the buffer of the reply
 */
struct ptlrpc_request *ptlrpc_request_again(const struct ptlrpc_request *done)
{
	u32 lens[WIRE_MSG_BUFS_MAX];
	unsigned int count = again_lens(done, lens);
	size_t len = wire_msg_size(lens, count);
	struct ptlrpc_request *req = NULL;

	if (!WARN_ON_ONCE(!len))
		req = request_alloc(done->rq_import, done->rq_opc, done->rq_portal, len);
	if (!req)
		return NULL;
	wire_msg_init(req->rq_req_msg, lens, count);
	again_fill(req, done, lens, count);
	memcpy(req->rq_jobid, done->rq_jobid, sizeof(req->rq_jobid));
	req->rq_xid = done->rq_xid;
	req->rq_timeout = done->rq_timeout;
	req->rq_rep_size = done->rq_rep_size;
	req->rq_msg_flags = done->rq_msg_flags;
	req->rq_op_flags = done->rq_op_flags;
	req->rq_handle = done->rq_handle;
	request_join_import(req);
	return req;
}
EXPORT_FOR_KUNIT(ptlrpc_request_again);

/**
 * ptlrpc_request_get() - another reference
 * @req: request on which the caller has one
 *
 * Context: any
 * Return: @req
 */
struct ptlrpc_request *ptlrpc_request_get(struct ptlrpc_request *req)
{
	refcount_inc(&req->rq_refcount);
	return req;
}
EXPORT_SYMBOL_NS_GPL(ptlrpc_request_get, LUSTRE_LITE);

static void releases_free(struct ptlrpc_request *req)
{
	struct ptlrpc_releases *more = req->rq_releases_more;
	u32 n;

	ptlrpc_request_put(req->rq_releases);
	for (n = 0; more && n < more->rls_count; n++)
		ptlrpc_request_put(more->rls_req[n]);
	kfree(more);
}

/* One that was never in a set is in its import's list still. */
static void request_free(struct ptlrpc_request *req)
{
	struct obd_import *imp = req->rq_import;

	if (req->rq_phase == RQ_NEW)
		request_leave_import(req);
	WARN_ON_ONCE(req->rq_conn || req->rq_set);
	releases_free(req);
	kvfree(req->rq_rep_buf);
	kvfree(req->rq_rep_msg);
	block_free(req);
	class_import_put(imp);
}

/**
 * ptlrpc_request_put() - drop a reference; the last one frees it
 * @req: request, or NULL
 *
 * Context: any task
 */
void ptlrpc_request_put(struct ptlrpc_request *req)
{
	if (req && refcount_dec_and_test(&req->rq_refcount))
		request_free(req);
}
EXPORT_SYMBOL_NS_GPL(ptlrpc_request_put, LUSTRE_LITE);

/**
 * ptlrpc_req_buf() - a buffer of the request
 * @req: request in RQ_NEW
 * @n: which one; there is one
 *
 * Context: any
 * Return: its first byte; all are zero at first
 */
void *ptlrpc_req_buf(struct ptlrpc_request *req, unsigned int n)
{
	return wire_msg_buf(req->rq_req_msg, n);
}
EXPORT_SYMBOL_NS_GPL(ptlrpc_req_buf, LUSTRE_LITE);

/**
 * ptlrpc_rep_buf() - a buffer of the reply
 * @req: request in RQ_INTERPRET or RQ_COMPLETE
 * @n: which one
 * @size: bytes that are needed
 *
 * Context: any
 * Return: its first byte, NULL when it has less than @size bytes, or there is no
 * reply
 */
const void *ptlrpc_rep_buf(const struct ptlrpc_request *req, unsigned int n,
			   size_t size)
{
	return req->rq_rep_msg ? wire_buf(&req->rq_rep, n, size) : NULL;
}
EXPORT_SYMBOL_NS_GPL(ptlrpc_rep_buf, LUSTRE_LITE);
