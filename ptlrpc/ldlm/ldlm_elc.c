// SPDX-License-Identifier: GPL-2.0-only
/*
 * Early cancels (ELC): a request cancels unused locks of its client that its operation would
 * otherwise have the server revoke. The blocking AST, its answer, and the cancel are saved.
 *
 * The client moves the locks to LOCK_CANCELLING before it sends the request, and destroys
 * them when the reply has come. The server drops them before it starts the operation.
 *
 * The request may wait: for a thread of the server, while all threads wait for locks of clients.
 * So a lock that the server revokes meanwhile is cancelled by a request of its own.
 */
#define DEBUG_SUBSYSTEM S_LDLM

#include <linux/export.h>
#include <linux/kernel.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "ldlm_internal.h"

/* A cancel by the client's own cookie needs a request of its own. */
static bool elc_may_take(const struct ldlm_lock *lock)
{
	return !lock->l_users && lock->l_state == LOCK_GRANTED && lock->l_remote;
}

static void __elc_take(struct ldlm_resource *res, u32 mode,
		       const struct ldlm_policy *part, struct ldlm_elc *elc)
{
	u32 modes = ldlm_modes_conflicting(mode);
	struct ldlm_lock *lock = NULL;

	lockdep_assert_held(&res->r_lock);
	while (elc->elc_count < LDLM_ELC_MAX &&
	       (lock = ldlm_set_next(&res->r_granted, res->r_type, modes, part, lock))) {
		if (!elc_may_take(lock) || !ldlm_cancel_begin(lock))
			continue;
		list_add_tail(&ldlm_lock_get(lock)->l_todo_item, &elc->elc_locks);
		elc->elc_count++;
	}
}

/* The owner was notified: a blocking AST has the lock cancelled at once. */
static void elc_notified(struct ldlm_lock *lock)
{
	spin_lock(ldlm_lock_lock(lock));
	set_bit(LDLM_LF_ELC, &lock->l_flags);
	if (test_bit(LDLM_LF_CBPENDING, &lock->l_flags))
		ldlm_elc_revoked(lock);
	spin_unlock(ldlm_lock_lock(lock));
}

/**
 * ldlm_elc_revoked() - a blocking AST came for a lock that is being cancelled
 * @lock: lock of a client with LDLM_LF_CBPENDING
 *
 * Context: under r_lock
 */
void ldlm_elc_revoked(struct ldlm_lock *lock)
{
	lockdep_assert_held(ldlm_lock_lock(lock));
	if (test_and_clear_bit(LDLM_LF_ELC, &lock->l_flags))
		ldlm_lock_notify(lock, LDLM_LF_CANCEL_NOW);
}

/**
 * ldlm_elc_take() - choose the locks that a request cancels
 * @obd: client device; the caller keeps it set up
 * @id: name of the resource that the request changes
 * @mode: mode in which the server will lock it
 * @policy: part of it
 * @elc: out, at most LDLM_ELC_MAX locks, for ldlm_elc_done(); none is an ordinary result
 *
 * Locks that are used stay: the server revokes them. The owner of each lock is notified.
 *
 * Context: sleeps as the owners do
 */
void ldlm_elc_take(struct obd_device *obd, const struct ldlm_res_id *id, u32 mode,
		   const struct ldlm_policy *policy, struct ldlm_elc *elc)
{
	struct ldlm_namespace *ns = ldlm_namespace_of_obd(obd, LDLM_CLIENT);
	struct ldlm_resource *res = ns ? ldlm_resource_find(ns, id) : NULL;
	struct ldlm_lock *lock;

	INIT_LIST_HEAD(&elc->elc_locks);
	elc->elc_count = 0;
	if (!res)
		return;
	/* Locks of users are released by their owners only. */
	if (res->r_type != LDLM_FLOCK) {
		spin_lock(&res->r_lock);
		__elc_take(res, mode, policy, elc);
		spin_unlock(&res->r_lock);
	}
	ldlm_resource_put(res);
	list_for_each_entry(lock, &elc->elc_locks, l_todo_item) {
		ldlm_cancel_notify(lock);
		elc_notified(lock);
	}
}
EXPORT_SYMBOL_NS_GPL(ldlm_elc_take, LUSTRE_LITE);

/**
 * ldlm_elc_pack() - write the cookies of the locks into a request
 * @elc: locks
 * @buf: buffer of ldlm_elc_bytes(); unused if that is 0
 *
 * Context: any
 */
void ldlm_elc_pack(const struct ldlm_elc *elc, __le64 *buf)
{
	struct ldlm_lock *lock;

	list_for_each_entry(lock, &elc->elc_locks, l_todo_item)
		*buf++ = cpu_to_le64(READ_ONCE(lock->l_remote));
}
EXPORT_SYMBOL_NS_GPL(ldlm_elc_pack, LUSTRE_LITE);

/**
 * ldlm_elc_done() - end of the request, or there was none
 * @elc: locks; none afterwards
 * @rc: status of the request
 *
 * A request that failed may not have reached the operation's server: the locks are cancelled
 * by a request of their own. The server ignores those that it has dropped already.
 *
 * Context: may sleep for memory, does not wait
 */
void ldlm_elc_done(struct ldlm_elc *elc, int rc)
{
	if (rc)
		ldlm_cancel_send(&elc->elc_locks, elc->elc_count, false);
	else
		ldlm_cancel_end(&elc->elc_locks);
	elc->elc_count = 0;
}
EXPORT_SYMBOL_NS_GPL(ldlm_elc_done, LUSTRE_LITE);

/**
 * ldlm_elc_cancel() - drop the locks that a request cancels
 * @sr: request
 * @buf: its buffer with their cookies; may be missing
 *
 * Called before the operation takes its own lock. Locks that are gone already are not an error:
 * the request may have come before.
 *
 * Context: may sleep for memory, does not wait for peers
 * Return: 0; -EPROTO for an invalid buffer, and no lock was dropped
 */
int ldlm_elc_cancel(struct ptlrpc_svc_req *sr, unsigned int buf)
{
	struct ldlm_namespace *ns = ldlm_namespace_of_obd(sr->sr_exp->exp_obd,
							  LDLM_SERVER);
	u32 bytes = buf < sr->sr_msg.bufcount ? sr->sr_msg.buflens[buf] : 0;
	const __le64 *cookies = bytes ? sr->sr_msg.bufs[buf] : NULL;
	unsigned int n;

	if (bytes % sizeof(*cookies) || bytes / sizeof(*cookies) > LDLM_ELC_MAX)
		return -EPROTO;
	for (n = 0; ns && n < bytes / sizeof(*cookies); n++)
		ldlm_server_cancel(ns, sr->sr_exp, le64_to_cpu(cookies[n]), 0);
	return 0;
}
EXPORT_SYMBOL_NS_GPL(ldlm_elc_cancel, LUSTRE_LITE);
