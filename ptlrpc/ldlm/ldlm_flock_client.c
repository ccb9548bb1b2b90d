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
#include <linux/string.h>

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
	ldlm_res_to_wire(id, body);
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

/**
 * struct ldlm_flock_release - a release that a ptlrpcd thread sends
 * @lfr_item: in ns_flocks
 * @lfr_ns: namespace, referenced
 * @lfr_id: name of the resource
 * @lfr_owner: owner
 *
 * Its owner is gone, and another one may get the same number: a file, or a table of open files, at
 * the same address. A lock of that one waits for the release, which would take it away.
 */
struct ldlm_flock_release {
	struct list_head	lfr_item;
	struct ldlm_namespace	*lfr_ns;
	struct ldlm_res_id	lfr_id;
	u64			lfr_owner;
};

/* rq_interpret */
static int release_done(struct ptlrpc_request *req, void *data, int rc)
{
	struct ldlm_flock_release *fr = data;
	struct ldlm_namespace *ns = fr->lfr_ns;

	spin_lock(&ns->ns_lock);
	list_del(&fr->lfr_item);
	spin_unlock(&ns->ns_lock);
	wake_up_all(&ns->ns_flock_wait);
	libcfs_free(fr, sizeof(*fr));
	ldlm_namespace_put(ns);
	return rc;
}

static bool is_released(struct ldlm_namespace *ns, const struct ldlm_res_id *id, u64 owner)
{
	struct ldlm_flock_release *fr;
	bool released = true;

	spin_lock(&ns->ns_lock);
	list_for_each_entry(fr, &ns->ns_flocks, lfr_item) {
		if (fr->lfr_owner == owner && !memcmp(&fr->lfr_id, id, sizeof(*id)))
			released = false;
	}
	spin_unlock(&ns->ns_lock);
	return released;
}

static int release_later(struct ldlm_namespace *ns, const struct ldlm_res_id *id,
			 const struct ldlm_policy *policy)
{
	struct ptlrpc_request *req = flock_request(ns, id, LCK_NL, policy, 0);
	struct ldlm_flock_release *fr;

	if (IS_ERR(req))
		return PTR_ERR(req);
	fr = libcfs_zalloc(sizeof(*fr), GFP_NOFS);
	if (fr) {
		fr->lfr_ns = ldlm_namespace_get(ns);
		fr->lfr_id = *id;
		fr->lfr_owner = policy->flock.owner;
		spin_lock(&ns->ns_lock);
		list_add(&fr->lfr_item, &ns->ns_flocks);
		spin_unlock(&ns->ns_lock);
		req->rq_interpret = release_done;
		req->rq_interpret_data = fr;
	}
	ptlrpcd_add(req);
	ptlrpc_request_put(req);
	return 0;
}

/*
 * A killed task does not wait for the answer; the bytes are released all the same. One that exits
 * cannot be killed any more: it waits for the answer to one request, since what its parent does
 * next may be to lock them.
 */
static int release_send(struct ldlm_namespace *ns, const struct ldlm_res_id *id,
			const struct ldlm_policy *policy)
{
	struct ptlrpc_request *req = flock_request(ns, id, LCK_NL, policy, 0);
	bool exiting = current->flags & PF_EXITING;
	int rc;

	if (IS_ERR(req))
		return PTR_ERR(req);
	req->rq_no_resend = exiting;
	req->rq_no_delay = exiting;
	rc = ptlrpc_queue_wait(req);
	ptlrpc_request_put(req);
	return rc == -EINTR || (exiting && rc) ? release_later(ns, id, policy) : rc;
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
	long left = compat_wait_event_task_timeout(ns->ns_flock_wait,
						   is_released(ns, id, policy->flock.owner),
						   MAX_SCHEDULE_TIMEOUT);
	struct ldlm_flock_op op;
	struct ldlm_lock *lock;
	int rc;

	if (left < 0)
		return -EINTR;
	lock = ldlm_client_lock_new(ns, LDLM_FLOCK, id, mode, policy, NULL, NULL);
	if (IS_ERR(lock))
		return PTR_ERR(lock);
	/* The server may give that up. */
	if (wire_flock_kind(&policy->flock) == LDLM_FLOCK_WHOLE)
		ranges_apply(lock->l_resource, LCK_NL, policy, lock);
	op = (struct ldlm_flock_op){ .res = lock->l_resource, .asked = policy->flock };
	rc = ldlm_client_enqueue(lock, flags, ldlm_flock_has_any(&op) ? LDLM_SIGNALS_FATAL :
								       LDLM_SIGNALS_ALL);
	if (rc == -EINTR)
		/* If it was granted, the server releases what was requested. */
		ranges_apply(lock->l_resource, LCK_NL, policy, lock);
	else if (!rc)
		rc = ranges_apply(lock->l_resource, mode, policy, lock);
	/* Requests of other owners after this call must not meet its lock at the server. */
	if (rc)
		ldlm_client_abandon_wait(lock, rc);
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
 * Replaces what the owner has of these bytes. Waits for other owners: a signal ends that, and the
 * owner has none of the bytes then. If it had some before, only a signal that kills the task does:
 * the server may have replaced them.
 *
 * An owner of a whole file that wants it in another mode gives up what it has if it has to wait, or
 * is refused.
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
