// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locks of requests. A request asks for the lock under which its reply may be cached. One that
 * removes an object gives back this client's locks of it: the target does not revoke them, as
 * locks of the client that requests a change do not conflict with it.
 *
 * Locks of users have a resource of their own, by the FID of their object and their type.
 */
#define DEBUG_SUBSYSTEM S_MDC

#include <linux/err.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/obd_export.h>

#include "mdc_internal.h"

/* The object that loses a name, or NULL. */
static const struct md_object *victim_of(const struct md_op_data *op)
{
	if (op->opc != MDS_REINT)
		return NULL;
	if (op->reint == REINT_UNLINK)
		return &op->object[1];
	if (op->reint == REINT_RENAME && !fid_is_zero(&op->object[3].fid))
		return &op->object[3];
	return NULL;
}

static struct ldlm_intent *intent_new(struct obd_export *exp, const struct md_lock_ask *ask)
{
	const struct ldlm_policy part = { .ibits = { .try_bits = ask->bits } };
	struct ldlm_intent *intent;

	intent = ldlm_intent_new(exp->exp_obd, LDLM_IBITS, LCK_PR, &part, ask->cbs, ask->data);
	return IS_ERR(intent) ? NULL : intent;
}

/**
 * mdc_locks_begin() - a request will be sent
 * @locks: out, for mdc_locks_end()
 * @exp: export of the device
 * @op: its operation
 *
 * Without memory for it the request asks for no lock.
 *
 * Context: sleeps as the owners of locks do
 */
void mdc_locks_begin(struct mdc_locks *locks, struct obd_export *exp,
		     const struct md_op_data *op)
{
	const struct ldlm_policy all = { .ibits = { .bits = MDS_INODELOCK_ALL } };
	const struct md_object *victim = victim_of(op);
	struct ldlm_res_id res;

	locks->mdl_intent = op->lock ? intent_new(exp, op->lock) : NULL;
	locks->mdl_elc.elc_count = 0;
	INIT_LIST_HEAD(&locks->mdl_elc.elc_locks);
	if (!victim)
		return;
	ldlm_res_of_fid(&victim->fid, &res);
	ldlm_elc_take(exp->exp_obd, &res, LCK_EX, &all, &locks->mdl_elc);
}

/* Lengths of their buffers in the request. */
void mdc_locks_lens(const struct mdc_locks *locks, u32 *lens)
{
	lens[MDS_LOCK] = locks->mdl_intent ? sizeof(struct lustre_lock) : 0;
	lens[MDS_CANCELS] = ldlm_elc_bytes(&locks->mdl_elc);
}

void mdc_locks_pack(const struct mdc_locks *locks, struct ptlrpc_request *req)
{
	if (locks->mdl_intent)
		ldlm_intent_pack(locks->mdl_intent, ptlrpc_req_buf(req, MDS_LOCK));
	if (locks->mdl_elc.elc_count)
		ldlm_elc_pack(&locks->mdl_elc, ptlrpc_req_buf(req, MDS_CANCELS));
}

/**
 * mdc_locks_end() - the request has ended for its task
 * @locks: locks
 * @req: request; NULL: there was none
 * @rc: its status, or why there was none
 * @rep: out: lock, if the reply has one
 *
 * The operation does not fail for lack of a lock.
 *
 * Context: may sleep
 */
void mdc_locks_end(struct mdc_locks *locks, const struct ptlrpc_request *req, int rc,
		   struct md_reply *rep)
{
	struct ldlm_lock *lock = NULL;

	ldlm_elc_done(&locks->mdl_elc, rc);
	if (!locks->mdl_intent)
		return;
	if (!ldlm_intent_done(locks->mdl_intent, req, MDS_GRANT, rc, &lock))
		rep->lock = lock;
}

/* m_flock of type mdc. */
int mdc_flock(struct obd_export *exp, const struct lu_fid *fid, u32 *mode,
	      struct ldlm_flock *flock, u32 flags)
{
	struct ldlm_res_id res;

	ldlm_res_of_fid(fid, &res);
	res.name[LDLM_RES_WORDS - 1] = LDLM_FLOCK;
	return flags & LDLM_FL_TEST ? ldlm_cli_flock_test(exp->exp_obd, &res, mode, flock) :
				      ldlm_cli_flock(exp->exp_obd, &res, *mode, flock, flags);
}
