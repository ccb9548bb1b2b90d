// SPDX-License-Identifier: GPL-2.0
/*
 * Slots: how many requests of an import are on the wire at a time, and who is
 * next. Whoever holds one keeps it until the request is over, also while it waits
 * to be sent again.
 */
#include "request.h"

static bool needs_slot(const struct ptlrpc_request *req)
{
	return !req->rq_no_slot && req->rq_send_state == LUSTRE_IMP_FULL;
}

/* As many as there is room for, the oldest first; their drivers are told. */
static void slots_grant(struct ptlrpc_import *pi)
{
	u32 max = max_t(u32, READ_ONCE(pi->pi_import->imp_rpcs_max), 1);
	struct ptlrpc_request *req;

	lockdep_assert_held(&pi->pi_lock);
	while (pi->pi_slots < max && !list_empty(&pi->pi_waiting)) {
		req = list_first_entry(&pi->pi_waiting, struct ptlrpc_request,
				       rq_slot_item);
		list_del_init(&req->rq_slot_item);
		req->rq_has_slot = true;
		pi->pi_slots++;
		request_note(req, RQE_SLOT);
	}
}

/* Is there room, and nobody who has waited for it? */
static bool slot_take(struct ptlrpc_import *pi, struct ptlrpc_request *req)
{
	lockdep_assert_held(&pi->pi_lock);
	if (!list_empty(&pi->pi_waiting) ||
	    pi->pi_slots >= max_t(u32, READ_ONCE(pi->pi_import->imp_rpcs_max), 1))
		return false;
	req->rq_has_slot = true;
	pi->pi_slots++;
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
	struct ptlrpc_import *pi = ptlrpc_import(req->rq_import);
	bool has;

	if (!needs_slot(req))
		return true;
	spin_lock(&pi->pi_lock);
	has = req->rq_has_slot;
	if (!has && list_empty(&req->rq_slot_item)) {
		has = slot_take(pi, req);
		if (!has)
			list_add_tail(&req->rq_slot_item, &pi->pi_waiting);
	}
	spin_unlock(&pi->pi_lock);
	return has;
}

/**
 * __request_slot_put() - it is over: give back the slot, or the place in the queue
 * @req: request; the caller holds pi_lock of its import
 *
 * Context: any task
 */
void __request_slot_put(struct ptlrpc_request *req)
{
	struct ptlrpc_import *pi = ptlrpc_import(req->rq_import);

	lockdep_assert_held(&pi->pi_lock);
	list_del_init(&req->rq_slot_item);
	if (!req->rq_has_slot)
		return;
	req->rq_has_slot = false;
	pi->pi_slots--;
	slots_grant(pi);
}

/**
 * request_slots_changed() - there may be more of them now
 * @pi: import
 *
 * Context: any task
 */
void request_slots_changed(struct ptlrpc_import *pi)
{
	spin_lock(&pi->pi_lock);
	slots_grant(pi);
	spin_unlock(&pi->pi_lock);
}
