// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locks that a server grants in the reply to another operation. Such a lock never waits: if
 * it is not free, or another client waits for it, the reply has none.
 */
#define DEBUG_SUBSYSTEM S_LDLM

#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "ldlm_internal.h"

static bool reply_decode(const struct ptlrpc_svc_req *sr, unsigned int buf,
			 struct ldlm_enqueue *enq)
{
	const struct lustre_lock *from = wire_buf(&sr->sr_msg, buf, sizeof(*from));

	if (!from)
		return false;
	memset(enq, 0, sizeof(*enq));
	enq->type = le32_to_cpu(from->wl_type);
	enq->flags = le32_to_cpu(from->wl_flags);
	enq->mode = le32_to_cpu(from->wl_req_mode);
	enq->client = le64_to_cpu(from->wl_client);
	wire_policy_decode(from, &enq->policy);
	return enq->client && !enq->flags && ldlm_mode_is_one(enq->mode) &&
	       wire_policy_is_valid(enq->type, &enq->policy);
}

/**
 * ldlm_reply_wanted() - the lock that a request asks for
 * @sr: request
 * @buf: its buffer with a struct lustre_lock; may be missing
 * @wanted: out
 *
 * Context: any
 * Return: true if it asks for a lock that this server can grant
 */
bool ldlm_reply_wanted(const struct ptlrpc_svc_req *sr, unsigned int buf,
		       struct ldlm_wanted *wanted)
{
	struct ldlm_enqueue enq;

	if (!reply_decode(sr, buf, &enq))
		return false;
	wanted->lwa_type = enq.type;
	wanted->lwa_mode = enq.mode;
	wanted->lwa_policy = enq.policy;
	return true;
}
EXPORT_SYMBOL_NS_GPL(ldlm_reply_wanted, LUSTRE_LITE);

/*
 * The client's lock is decided about as if the server's own lock were not there. Both are
 * there until the caller releases its own one, after the operation.
 */
static int bind_enter(struct ldlm_lock *lock, struct ldlm_lock *local,
		      struct list_head *todo)
{
	struct ldlm_set *granted = &lock->l_resource->r_granted;
	bool aside = local && local->l_resource == lock->l_resource;
	int rc;

	lockdep_assert_held(ldlm_lock_lock(lock));
	if (aside)
		ldlm_set_del(granted, local);
	rc = lock->l_state == LOCK_NEW ?
	     ldlm_queue_enter(lock, LDLM_FL_BLOCK_NOWAIT, todo) : -ENOTCONN;
	if (aside)
		ldlm_set_add(granted, local);
	return rc;
}

static bool bind_new(struct ldlm_lock *lock, struct ldlm_lock *local,
		     struct lustre_lock *answer)
{
	LIST_HEAD(todo);
	int rc;

	spin_lock(ldlm_lock_lock(lock));
	rc = bind_enter(lock, local, &todo);
	if (!rc)
		ldlm_lock_to_wire(lock, answer, LDLM_SERVER);
	spin_unlock(ldlm_lock_lock(lock));
	ldlm_callbacks_send(&todo);
	if (rc)
		ldlm_server_drop(lock);
	return !rc;
}

/* The request came before: its lock, if it still has one of that resource. */
static bool bind_again(struct ldlm_namespace *ns, struct obd_export *exp,
		       const struct ldlm_enqueue *enq, struct lustre_lock *answer)
{
	struct ldlm_lock *lock = ldlm_server_same(ns, exp, enq);
	bool granted;

	if (IS_ERR(lock))
		return false;
	spin_lock(ldlm_lock_lock(lock));
	granted = ldlm_lock_is_granted(lock);
	if (granted)
		ldlm_lock_to_wire(lock, answer, LDLM_SERVER);
	spin_unlock(ldlm_lock_lock(lock));
	ldlm_lock_put(lock);
	return granted;
}

/**
 * ldlm_server_bind() - grant a lock if it is free
 * @ns: namespace
 * @exp: client; the caller holds it
 * @enq: request, valid
 * @local: granted lock of the server itself, which does not count; or NULL
 * @answer: out, the lock; unchanged if there is none
 *
 * Context: may sleep for memory, does not wait for peers
 * Return: whether the client has the lock
 */
bool ldlm_server_bind(struct ldlm_namespace *ns, struct obd_export *exp,
		      const struct ldlm_enqueue *enq, struct ldlm_lock *local,
		      struct lustre_lock *answer)
{
	struct ldlm_lock *lock = ldlm_server_lock_new(ns, exp, enq);
	bool granted;

	if (lock == ERR_PTR(-EEXIST))
		return bind_again(ns, exp, enq, answer);
	if (IS_ERR(lock))
		return false;
	granted = bind_new(lock, local, answer);
	ldlm_lock_put(lock);
	return granted;
}
EXPORT_FOR_KUNIT(ldlm_server_bind);

/*
 * What the operation found may have changed since, but for the part that its own lock covers.
 * Return: false if nothing is left
 */
static bool part_limit(struct ldlm_enqueue *enq, const struct ldlm_lock *local)
{
	struct ldlm_ibits *ibits = &enq->policy.ibits;
	u64 bits;

	if (!local || enq->type != LDLM_IBITS)
		return true;
	bits = ldlm_lock_policy(local)->ibits.bits;
	ibits->try_bits &= bits;
	return !(ibits->bits & ~bits) && (ibits->bits | ibits->try_bits);
}

/**
 * ldlm_reply_grant() - grant the lock that a request asks for
 * @sr: request; its reply has a buffer for the lock
 * @from: buffer of the request
 * @to: buffer of the reply
 * @id: resource
 * @local: lock of the server itself, of that resource, or NULL; the caller releases it
 *  afterwards
 *
 * Of an IBITS resource the client gets no bit that @local lacks.
 * The operation does not fail for lack of a lock. A replay gets none: the client replays
 * the lock that it had.
 *
 * Context: may sleep for memory, does not wait for peers
 * Return: whether the reply has a lock
 */
bool ldlm_reply_grant(struct ptlrpc_svc_req *sr, unsigned int from, unsigned int to,
		      const struct ldlm_res_id *id, struct ldlm_lock *local)
{
	struct obd_device *obd = sr->sr_exp->exp_obd;
	struct ldlm_namespace *ns = ldlm_namespace_of_obd(obd, LDLM_SERVER);
	struct lustre_lock *answer;
	struct ldlm_enqueue enq;

	if (!ns || sr->sr_msg.flags & MSG_REPLAY || !reply_decode(sr, from, &enq))
		return false;
	answer = ptlrpc_svc_rep_buf(sr, to);
	if (!answer || !part_limit(&enq, local))
		return false;
	enq.res = *id;
	return ldlm_server_bind(ns, sr->sr_exp, &enq, local, answer);
}
EXPORT_SYMBOL_NS_GPL(ldlm_reply_grant, LUSTRE_LITE);

/**
 * ldlm_reply_grant_one() - grant one of many locks that a request asks for
 * @sr: request
 * @client: the client's cookie of the lock
 * @id: IBITS resource
 * @bits: in: MDS_INODELOCK_*; those that are free are granted, LCK_PR; out: these
 *
 * A change that comes afterwards waits until the client returns the lock. The client does so after
 * it has used the reply, so that the caller may read what the reply says after this. A replay gets
 * no lock.
 *
 * Context: may sleep for memory, does not wait for peers
 * Return: the server's cookie of the lock; 0: the client has none
 */
u64 ldlm_reply_grant_one(struct ptlrpc_svc_req *sr, u64 client, const struct ldlm_res_id *id,
			 u64 *bits)
{
	struct ldlm_namespace *ns = ldlm_namespace_of_obd(sr->sr_exp->exp_obd, LDLM_SERVER);
	const struct ldlm_enqueue enq = {
		.type = LDLM_IBITS,
		.mode = LCK_PR,
		.client = client,
		.res = *id,
		.policy.ibits.try_bits = *bits,
	};
	struct lustre_lock answer = {};
	struct ldlm_policy granted;

	if (!ns || !client || sr->sr_msg.flags & MSG_REPLAY ||
	    !wire_policy_is_valid(LDLM_IBITS, &enq.policy) ||
	    !ldlm_server_bind(ns, sr->sr_exp, &enq, NULL, &answer))
		return 0;
	wire_policy_decode(&answer, &granted);
	*bits = granted.ibits.bits;
	return le64_to_cpu(answer.wl_server);
}
EXPORT_SYMBOL_NS_GPL(ldlm_reply_grant_one, LUSTRE_LITE);
