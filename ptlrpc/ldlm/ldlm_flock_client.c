// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client's FLOCK locks. Each request goes to the server. The ranges that were granted are
 * locks of the client's namespace, as they are at the server, to be replayed and shown; they
 * are never cached: their owner releases them.
 */
#define DEBUG_SUBSYSTEM S_LDLM

#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "ldlm_internal.h"

/* A request that makes no lock of its own. */
static struct ptlrpc_request *flock_request(struct ldlm_namespace *ns,
					    const struct ldlm_res_id *id, u32 mode,
					    const struct ldlm_policy *policy, u32 flags)
{
	static const u32 lens[] = { sizeof(struct lustre_lock) };
	struct ptlrpc_request *req;
	struct lustre_lock *body;
	unsigned int n;

	if (!ns->ns_import)
		return ERR_PTR(-ENOTCONN);
	req = ptlrpc_request_new(ns->ns_import, LDLM_ENQUEUE, ldlm_client_portal(ns),
				 lens, ARRAY_SIZE(lens));
	if (IS_ERR_OR_NULL(req))
		return req ?: ERR_PTR(-ENOMEM);
	body = ptlrpc_req_buf(req, LDLM_LOCK_BUF);
	body->wl_type = cpu_to_le32(LDLM_FLOCK);
	body->wl_flags = cpu_to_le32(flags);
	body->wl_req_mode = cpu_to_le32(mode);
	for (n = 0; n < LDLM_RES_WORDS; n++)
		body->wl_res[n] = cpu_to_le64(id->name[n]);
	wire_policy_encode(body, policy);
	return req;
}

/* The client's own ranges change as those of the server have. */
static int ranges_apply(struct ldlm_resource *res, u32 mode,
			const struct ldlm_policy *policy, struct ldlm_lock *lock)
{
	const struct ldlm_flock_op op = {
		.res = res,
		.mode = mode,
		.asked = policy->flock,
		.lock = lock,
	};
	int rc;

	mutex_lock(&res->r_ns->ns_flock_mutex);
	rc = ldlm_flock_apply(&op);
	mutex_unlock(&res->r_ns->ns_flock_mutex);
	return rc;
}

/* A killed task does not wait for the answer; the bytes are released all the same. */
static int release_send(struct ldlm_namespace *ns, const struct ldlm_res_id *id,
			const struct ldlm_policy *policy)
{
	struct ptlrpc_request *req = flock_request(ns, id, LCK_NL, policy, 0);
	int rc;

	if (IS_ERR(req))
		return PTR_ERR(req);
	rc = ptlrpc_queue_wait(req);
	ptlrpc_request_put(req);
	if (rc != -EINTR)
		return rc;
	req = flock_request(ns, id, LCK_NL, policy, 0);
	if (IS_ERR(req))
		return PTR_ERR(req);
	ptlrpcd_add(req);
	ptlrpc_request_put(req);
	return 0;
}

static int flock_release(struct ldlm_namespace *ns, const struct ldlm_res_id *id,
			 const struct ldlm_policy *policy)
{
	struct ldlm_resource *res = ldlm_resource_find(ns, id);
	int rc = release_send(ns, id, policy);

	if (!res)
		return rc;
	if (!rc && res->r_type == LDLM_FLOCK)
		rc = ranges_apply(res, LCK_NL, policy, NULL);
	ldlm_resource_put(res);
	return rc;
}

static int flock_lock(struct ldlm_namespace *ns, const struct ldlm_res_id *id, u32 mode,
		      const struct ldlm_policy *policy, u32 flags)
{
	struct ldlm_lock *lock = ldlm_client_lock_new(ns, LDLM_FLOCK, id, mode, policy,
						      NULL, NULL);
	int rc;

	if (IS_ERR(lock))
		return PTR_ERR(lock);
	rc = ldlm_client_enqueue(lock, flags);
	if (rc == -EINTR)
		/* If it was granted, the server releases what was requested. */
		ranges_apply(lock->l_resource, LCK_NL, policy, lock);
	else if (!rc)
		rc = ranges_apply(lock->l_resource, mode, policy, lock);
	if (rc)
		ldlm_client_abandon(lock, rc);
	ldlm_lock_put(lock);
	return rc;
}

static int flock_refused(const struct obd_device *obd, u32 mode,
			 const struct ldlm_policy *policy, u32 flags)
{
	if ((mode == LCK_PR || mode == LCK_PW || mode == LCK_NL) &&
	    !(flags & ~LDLM_FL_BLOCK_NOWAIT) && wire_flock_is_valid(policy))
		return 0;
	CERROR("%s: mode %#x, flags %#x, or the range is invalid for a lock of a user: rc = %d\n",
	       obd->obd_name, mode, flags, -EINVAL);
	return -EINVAL;
}

/**
 * ldlm_cli_flock() - lock or release bytes for an owner
 * @obd: client device; the caller keeps it set up
 * @id: name of a FLOCK resource
 * @mode: LCK_PR: shared; LCK_PW: exclusive; LCK_NL: release
 * @flock: bytes, owner, pid and kind
 * @flags: LDLM_FL_BLOCK_NOWAIT
 *
 * Replaces what the owner has of these bytes. Waits for other owners; a task that is
 * killed meanwhile has no lock.
 *
 * Context: sleeps
 * Return: 0; -EWOULDBLOCK; -EDEADLK; -EINTR; -EIO if the import was invalidated;
 *  -EOPNOTSUPP for a device without locks; -EINVAL; as ptlrpc_queue_wait()
 */
int ldlm_cli_flock(struct obd_device *obd, const struct ldlm_res_id *id, u32 mode,
		   const struct ldlm_flock *flock, u32 flags)
{
	struct ldlm_namespace *ns = ldlm_namespace_of_obd(obd, LDLM_CLIENT);
	const struct ldlm_policy policy = { .flock = *flock };
	int rc;

	if (!ns)
		return -EOPNOTSUPP;
	rc = flock_refused(obd, mode, &policy, flags);
	if (rc)
		return rc;
	return mode == LCK_NL ? flock_release(ns, id, &policy) :
				flock_lock(ns, id, mode, &policy, flags);
}
EXPORT_SYMBOL_NS_GPL(ldlm_cli_flock, LUSTRE_LITE);

/**
 * ldlm_cli_flock_test() - a lock that is in the way of another owner's
 * @obd: client device; the caller keeps it set up
 * @id: name of a FLOCK resource
 * @mode: in: LCK_PR or LCK_PW; out: mode of the lock in the way, LCK_NL if there is none
 * @flock: in: bytes, owner and kind; out: the lock in the way
 *
 * Context: sleeps
 * Return: 0; -EPROTO; as ldlm_cli_flock()
 */
int ldlm_cli_flock_test(struct obd_device *obd, const struct ldlm_res_id *id, u32 *mode,
			struct ldlm_flock *flock)
{
	struct ldlm_namespace *ns = ldlm_namespace_of_obd(obd, LDLM_CLIENT);
	struct ldlm_policy policy = { .flock = *flock };
	const struct lustre_lock *answer;
	struct ptlrpc_request *req;
	int rc;

	if (!ns)
		return -EOPNOTSUPP;
	rc = *mode == LCK_NL ? -EINVAL : flock_refused(obd, *mode, &policy, 0);
	if (rc)
		return rc;
	req = flock_request(ns, id, *mode, &policy, LDLM_FL_TEST);
	if (IS_ERR(req))
		return PTR_ERR(req);
	rc = ptlrpc_queue_wait(req);
	answer = rc ? NULL : ptlrpc_rep_buf(req, LDLM_LOCK_BUF, sizeof(*answer));
	if (answer) {
		wire_policy_decode(answer, &policy);
		*mode = le32_to_cpu(answer->wl_granted_mode);
		*flock = policy.flock;
	}
	if (!rc && (!answer || !wire_flock_is_valid(&policy)))
		rc = -EPROTO;
	ptlrpc_request_put(req);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(ldlm_cli_flock_test, LUSTRE_LITE);
