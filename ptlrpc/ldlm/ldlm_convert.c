// SPDX-License-Identifier: GPL-2.0-only
/*
 * Downgrade of IBITS locks: a blocking AST names the bits that others wait for. A client that
 * has other bits too keeps the lock with these, and tells the server so (LDLM_CONVERT), instead
 * of cancelling it.
 *
 * The client loses the bits first, then its owner is notified, then the server. Bits are only
 * ever lost: of two requests that overtake each other the later one changes nothing.
 */
#define DEBUG_SUBSYSTEM S_LDLM

#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "ldlm_internal.h"

/* Owners that are notified of cancels must be notified of lost bits too. */
static bool may_lose_bits(const struct ldlm_lock *lock)
{
	const struct ldlm_callbacks *cbs = lock->l_cbs;

	return lock->l_resource->r_type == LDLM_IBITS && lock->l_state == LOCK_GRANTED &&
	       (!cbs || !cbs->lcb_cancelled || cbs->lcb_bits_lost);
}

/**
 * ldlm_convert_wanted() - a blocking AST came: note what others wait for
 * @lock: lock of a client
 * @bits: bits, not validated; 0: all of the lock
 *
 * Context: under r_lock
 * Return: false if the lock has lost these bits already
 */
bool ldlm_convert_wanted(struct ldlm_lock *lock, u64 bits)
{
	lockdep_assert_held(ldlm_lock_lock(lock));
	if (!bits || !may_lose_bits(lock))
		bits = ~0ULL;
	else if (!(bits & lock->l_policy.ibits.bits))
		return false;
	lock->l_wanted |= bits;
	return true;
}

/* Change the bits of a granted lock. Under r_lock. */
static void bits_set(struct ldlm_lock *lock, u64 bits)
{
	struct ldlm_set *granted = &lock->l_resource->r_granted;

	ldlm_set_del(granted, lock);
	lock->l_policy.ibits.bits = bits;
	ldlm_set_add(granted, lock);
}

/**
 * ldlm_convert_begin() - take the wanted bits out of an unused lock
 * @lock: granted lock of a client with a blocking AST pending
 *
 * The caller has ldlm_convert_send() called.
 *
 * Context: under r_lock
 * Return: false if no bit is left, or none would be lost, which the server would ignore: the
 *  lock is unchanged, and is cancelled
 */
bool ldlm_convert_begin(struct ldlm_lock *lock)
{
	u64 keep = lock->l_policy.ibits.bits & ~lock->l_wanted;

	lockdep_assert_held(ldlm_lock_lock(lock));
	if (!may_lose_bits(lock) || !keep || keep == lock->l_policy.ibits.bits)
		return false;
	bits_set(lock, keep);
	lock->l_wanted = 0;
	clear_bit(LDLM_LF_CBPENDING, &lock->l_flags);
	return true;
}

/* Without memory for the request the lock is cancelled, as soon as no task uses it. */
static void give_up(struct ldlm_lock *lock)
{
	spin_lock(ldlm_lock_lock(lock));
	if (lock->l_state == LOCK_GRANTED) {
		lock->l_wanted = ~0ULL;
		set_bit(LDLM_LF_CBPENDING, &lock->l_flags);
		ldlm_lru_del(lock);
		ldlm_client_settle(lock);
	}
	spin_unlock(ldlm_lock_lock(lock));
}

/**
 * ldlm_convert_send() - notify the owner and the server of lost bits, without waiting for
 * the server
 * @lock: lock of a client; the caller holds it
 *
 * The server ignores a request about a lock that was cancelled meanwhile.
 *
 * Context: sleeps as the owner does
 */
void ldlm_convert_send(struct ldlm_lock *lock)
{
	static const u32 lens[] = { sizeof(struct lustre_lock) };
	struct ldlm_namespace *ns = ldlm_lock_ns(lock);
	struct ptlrpc_request *req;

	if (lock->l_cbs && lock->l_cbs->lcb_bits_lost)
		lock->l_cbs->lcb_bits_lost(lock, lock->l_data);
	if (!ns->ns_import)
		return;
	req = ptlrpc_request_new(ns->ns_import, LDLM_CONVERT, LDLM_CANCEL_REQUEST_PORTAL,
				 lens, ARRAY_SIZE(lens));
	if (IS_ERR_OR_NULL(req)) {
		give_up(lock);
		return;
	}
	spin_lock(ldlm_lock_lock(lock));
	ldlm_lock_to_wire(lock, ptlrpc_req_buf(req, LDLM_LOCK_BUF), LDLM_CLIENT);
	spin_unlock(ldlm_lock_lock(lock));
	req->rq_no_slot = true;
	ptlrpcd_add(req);
	ptlrpc_request_put(req);
}

/* A request that came before, or was overtaken, changes nothing. */
static int lock_convert(struct ldlm_lock *lock, u64 bits, struct list_head *todo)
{
	u64 keep = lock->l_policy.ibits.bits & bits;

	lockdep_assert_held(ldlm_lock_lock(lock));
	if (lock->l_resource->r_type != LDLM_IBITS || !keep)
		return -EINVAL;
	if (!ldlm_lock_is_granted(lock) || keep == lock->l_policy.ibits.bits)
		return 0;
	bits_set(lock, keep);
	ldlm_waiting_lock_del(lock, LDLM_LF_BL_PENDING);
	ldlm_queue_converted(lock, todo);
	return 0;
}

/**
 * ldlm_server_convert() - a client keeps a lock with fewer bits
 * @lock: lock of the client; the caller holds it
 * @bits: bits that it keeps, not validated
 *
 * Waiting locks are granted as after a cancel. If others wait for one of the bits that are
 * left, the client gets the next blocking AST, which has a deadline of its own.
 *
 * Context: may sleep for memory, does not wait for peers
 * Return: 0, also if nothing changes; -EINVAL for a lock of another type, and if no bit would
 *  be left
 */
int ldlm_server_convert(struct ldlm_lock *lock, u64 bits)
{
	LIST_HEAD(todo);
	int rc;

	spin_lock(ldlm_lock_lock(lock));
	rc = lock_convert(lock, bits, &todo);
	spin_unlock(ldlm_lock_lock(lock));
	ldlm_callbacks_send(&todo);
	return rc;
}
EXPORT_FOR_KUNIT(ldlm_server_convert);

/**
 * ldlm_handle_convert() - handle LDLM_CONVERT
 * @sr: request
 *
 * As with a cancel, a lock that is gone is not an error.
 *
 * Context: as ldlm_server_convert()
 * Return: as ldlm_server_convert(); -EPROTO; -EOPNOTSUPP for a device without locks
 */
int ldlm_handle_convert(struct ptlrpc_svc_req *sr)
{
	const struct lustre_lock *from = wire_buf(&sr->sr_msg, LDLM_LOCK_BUF, sizeof(*from));
	struct ldlm_namespace *ns = ldlm_namespace_of_obd(sr->sr_exp->exp_obd,
							  LDLM_SERVER);
	struct ldlm_policy policy;
	struct ldlm_lock *lock;
	int rc;

	if (!ns || !from)
		return ns ? -EPROTO : -EOPNOTSUPP;
	lock = ldlm_server_lock(ns, sr->sr_exp, le64_to_cpu(from->wl_server),
				le64_to_cpu(from->wl_client));
	if (!lock)
		return 0;
	wire_policy_decode(from, &policy);
	rc = ldlm_server_convert(lock, policy.ibits.bits);
	ldlm_lock_put(lock);
	return rc;
}
