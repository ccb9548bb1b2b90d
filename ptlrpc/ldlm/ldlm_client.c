// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client's locks: enqueue or match of a cached one; and their uses.
 *
 * The lock and its cookie exist before the enqueue is sent: an AST finds it
 * even before the answer has come.
 */
#define DEBUG_SUBSYSTEM S_LDLM

#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/wait.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "ldlm_internal.h"

/* Between two looks whether a lock that waits is wanted. */
#define ENQUEUE_LOOK	(5 * HZ)

/**
 * ldlm_client_portal() - portal of the server of a namespace
 * @ns: namespace of a client, of a device that is set up
 *
 * Context: any
 * Return: portal of its target
 */
u16 ldlm_client_portal(const struct ldlm_namespace *ns)
{
	switch (ns->ns_import->imp_obd->obd_type->typ_service) {
	case OBD_SERVICE_MDS:
		return MDS_REQUEST_PORTAL;
	case OBD_SERVICE_MGS:
		return MGS_REQUEST_PORTAL;
	default:
		return OST_REQUEST_PORTAL;
	}
}

/* A lock whose mode covers the wanted one. */
static bool lock_matches(const struct ldlm_lock *lock,
			 const struct ldlm_policy *policy,
			 const struct ldlm_callbacks *cbs, const void *data)
{
	return lock->l_state == LOCK_GRANTED &&
	       !test_bit(LDLM_LF_CBPENDING, &lock->l_flags) &&
	       lock->l_cbs == cbs && lock->l_data == data &&
	       wire_policy_covers(lock->l_resource->r_type, &lock->l_policy,
				  policy);
}

/* A part that every lock covering @policy has: few EXTENT locks have a given byte. */
static struct ldlm_policy match_part(u32 type, const struct ldlm_policy *policy)
{
	struct ldlm_policy part = *policy;

	if (type == LDLM_EXTENT)
		part.extent.last = part.extent.first;
	else if (type == LDLM_IBITS && !part.ibits.bits)
		part.ibits.bits = part.ibits.try_bits;
	return part;
}

static struct ldlm_lock *__resource_match(struct ldlm_resource *res, u32 mode,
					  const struct ldlm_policy *policy,
					  const struct ldlm_callbacks *cbs,
					  const void *data)
{
	const struct ldlm_policy part = match_part(res->r_type, policy);
	u32 modes = ldlm_modes_covering(mode);
	struct ldlm_lock *lock = NULL;

	lockdep_assert_held(&res->r_lock);
	while ((lock = ldlm_set_next(&res->r_granted, res->r_type, modes, &part,
				     lock))) {
		if (!lock_matches(lock, policy, cbs, data))
			continue;
		if (!lock->l_users++)
			ldlm_lru_del(lock);
		if (test_bit(LDLM_LF_HELD, &lock->l_flags))
			set_bit(LDLM_LF_HELD_USED, &lock->l_flags);
		return ldlm_lock_get(lock);
	}
	return NULL;
}

/**
 * ldlm_client_match() - use a cached lock
 * @ns: namespace of a client
 * @id: name of the resource
 * @mode: least mode
 * @policy: part of the resource
 * @cbs: callbacks of the owner; locks of other owners do not match
 * @data: their data, likewise
 *
 * A lock with a blocking AST pending does not match.
 *
 * Context: any
 * Return: lock, referenced and used once more; or NULL
 */
struct ldlm_lock *ldlm_client_match(struct ldlm_namespace *ns,
				    const struct ldlm_res_id *id, u32 mode,
				    const struct ldlm_policy *policy,
				    const struct ldlm_callbacks *cbs, void *data)
{
	struct ldlm_resource *res = ldlm_resource_find(ns, id);
	struct ldlm_lock *lock;

	if (!res)
		return NULL;
	spin_lock(&res->r_lock);
	lock = __resource_match(res, mode, policy, cbs, data);
	spin_unlock(&res->r_lock);
	ldlm_resource_put(res);
	return lock;
}
EXPORT_FOR_KUNIT(ldlm_client_match);

/**
 * ldlm_client_generation() - generation of the import, which rises when it is invalidated
 * @ns: namespace of a client
 *
 * Context: any but an interrupt
 * Return: generation; 0 without a server
 */
u32 ldlm_client_generation(const struct ldlm_namespace *ns)
{
	struct obd_import *imp = ns->ns_import;
	u32 generation;

	if (!imp)
		return 0;
	spin_lock(&imp->imp_lock);
	generation = imp->imp_generation;
	spin_unlock(&imp->imp_lock);
	return generation;
}

/**
 * ldlm_owner_get() - a lock, or an intent, references its owner
 * @cbs: callbacks, or NULL
 * @data: their data
 *
 * Context: a task of the owner
 */
void ldlm_owner_get(const struct ldlm_callbacks *cbs, void *data)
{
	if (!cbs)
		return;
	__module_get(cbs->lcb_module);
	if (cbs->lcb_get)
		cbs->lcb_get(data);
}

/* Undo ldlm_owner_get(). No code of the owner runs when its module is put. */
void ldlm_owner_put(const struct ldlm_callbacks *cbs, void *data)
{
	struct module *module;

	if (!cbs)
		return;
	module = cbs->lcb_module;
	if (cbs->lcb_put)
		cbs->lcb_put(data);
	module_put(module);
}

/**
 * ldlm_client_lock_own() - set the owner of a new lock, which has one use
 * @lock: lock that is not published yet
 * @cbs: callbacks of the owner, or NULL
 * @data: their data
 * @generation: of the import when it was requested
 *
 * Context: as ldlm_owner_get()
 */
void ldlm_client_lock_own(struct ldlm_lock *lock, const struct ldlm_callbacks *cbs,
			  void *data, u32 generation)
{
	ldlm_owner_get(cbs, data);
	lock->l_cbs = cbs;
	lock->l_data = data;
	lock->l_users = 1;
	lock->l_generation = generation;
}

/**
 * ldlm_client_lock_new() - a lock to be enqueued
 * @ns: namespace of a client
 * @type: type of the resource
 * @id: name of the resource
 * @mode: mode
 * @policy: part of the resource
 * @cbs: callbacks of the owner
 * @data: their data
 *
 * Context: may sleep
 * Return: lock in LOCK_WAITING, referenced and used once; -EINVAL, -ENOMEM
 */
struct ldlm_lock *ldlm_client_lock_new(struct ldlm_namespace *ns, u32 type,
				       const struct ldlm_res_id *id, u32 mode,
				       const struct ldlm_policy *policy,
				       const struct ldlm_callbacks *cbs,
				       void *data)
{
	struct ldlm_resource *res = ldlm_resource_make(ns, type, id);
	struct ldlm_lock *lock;

	if (IS_ERR(res))
		return ERR_CAST(res);
	lock = ldlm_lock_new(res, mode, policy);
	if (!IS_ERR(lock)) {
		ldlm_client_lock_own(lock, cbs, data, ldlm_client_generation(ns));
		spin_lock(&res->r_lock);
		ldlm_lock_wait(lock);
		spin_unlock(&res->r_lock);
	}
	ldlm_resource_put(res);
	return lock;
}
EXPORT_FOR_KUNIT(ldlm_client_lock_new);

/**
 * ldlm_client_request() - a request about a lock
 * @lock: lock of a client
 * @opc: LDLM_ENQUEUE
 * @flags: LDLM_FL_*
 *
 * Context: may sleep
 * Return: request, for ptlrpc_request_put(); -ENOTCONN without a server; -ENOMEM
 */
struct ptlrpc_request *ldlm_client_request(struct ldlm_lock *lock, u32 opc,
					   u32 flags)
{
	static const u32 lens[] = { sizeof(struct lustre_lock) };
	struct ldlm_namespace *ns = ldlm_lock_ns(lock);
	struct ptlrpc_request *req;
	struct lustre_lock *body;

	if (!ns->ns_import)
		return ERR_PTR(-ENOTCONN);
	req = ptlrpc_request_new(ns->ns_import, opc, ldlm_client_portal(ns),
				 lens, ARRAY_SIZE(lens));
	if (IS_ERR_OR_NULL(req))
		return req ?: ERR_PTR(-ENOMEM);
	body = ptlrpc_req_buf(req, 0);
	spin_lock(ldlm_lock_lock(lock));
	ldlm_lock_to_wire(lock, body, LDLM_CLIENT);
	spin_unlock(ldlm_lock_lock(lock));
	body->wl_flags = cpu_to_le32(flags);
	return req;
}

/**
 * ldlm_client_settle() - decide about a granted lock that may have no user
 * @lock: lock of a client
 *
 * It is cached in the LRU. If a blocking AST is pending it loses the bits that others wait
 * for, or is cancelled.
 *
 * Context: under r_lock
 */
void ldlm_client_settle(struct ldlm_lock *lock)
{
	lockdep_assert_held(ldlm_lock_lock(lock));
	if (lock->l_users || lock->l_state != LOCK_GRANTED)
		return;
	if (!test_bit(LDLM_LF_CBPENDING, &lock->l_flags)) {
		ldlm_lru_add(lock);
	} else if (ldlm_convert_begin(lock)) {
		ldlm_lock_notify(lock, LDLM_LF_CONVERT);
		ldlm_lru_add(lock);
	} else if (ldlm_cancel_begin(lock)) {
		ldlm_cancel_start(lock);
	}
}

/* Once this lock permits to change the object, values that came with other locks may be old. */
static void other_lvbs_end(const struct ldlm_lock *lock)
{
	struct ldlm_resource *res = lock->l_resource;
	struct ldlm_lock *other = NULL;

	if (res->r_type != LDLM_EXTENT || lockmode_compat(lock->l_granted_mode, LCK_PR))
		return;
	while ((other = ldlm_set_next(&res->r_granted, LDLM_EXTENT, ~0U, &lock->l_policy, other))) {
		if (other != lock)
			set_bit(LDLM_LF_LVB_TAKEN, &other->l_flags);
	}
}

/**
 * ldlm_client_granted() - the server granted a lock
 * @lock: lock of a client
 * @mode: mode, not validated
 * @policy: policy, not validated; it may be larger than the requested one
 * @remote: the server's cookie, 0: as before
 *
 * The answer and a completion AST may both report the same grant.
 *
 * Context: under r_lock
 * Return: 0; -EPROTO for an unexpected mode or policy; -ESTALE if the lock was
 *  abandoned
 */
int ldlm_client_granted(struct ldlm_lock *lock, u32 mode,
			const struct ldlm_policy *policy, u64 remote)
{
	lockdep_assert_held(ldlm_lock_lock(lock));
	if (remote)
		lock->l_remote = remote;
	if (lock->l_state == LOCK_GRANTED)
		return 0;
	if (lock->l_state != LOCK_WAITING)
		return -ESTALE;
	if (!ldlm_mode_is_one(mode) ||
	    !ldlm_mode_covers(mode, lock->l_req_mode) ||
	    !wire_policy_grants(lock->l_resource->r_type, policy, &lock->l_policy))
		return -EPROTO;
	ldlm_lock_grant(lock, mode, policy);
	other_lvbs_end(lock);
	if (test_bit(LDLM_LF_CBPENDING, &lock->l_flags))
		ldlm_lock_notify(lock, LDLM_LF_NOTIFY_BLOCKING);
	ldlm_client_settle(lock);
	return 0;
}
EXPORT_FOR_KUNIT(ldlm_client_granted);

/*
 * Whether the server may have the lock: it has answered so, or the fate of the
 * request is unknown.
 */
static bool server_may_know(const struct ldlm_lock *lock, int rc)
{
	return lock->l_remote || rc == -EINTR || rc == -EREMCHG ||
	       (rc == -ENOTCONN && test_bit(LDLM_LF_NO_DELAY, &lock->l_flags));
}

/* Return: true if the lock must be cancelled, and is LOCK_CANCELLING. */
static bool abandon_begin(struct ldlm_lock *lock, int rc)
{
	bool cancel = false;

	spin_lock(ldlm_lock_lock(lock));
	lock->l_users = 0;
	if (server_may_know(lock, rc) && (lock->l_state == LOCK_WAITING ||
					  lock->l_state == LOCK_GRANTED))
		cancel = ldlm_cancel_begin(lock);
	/* Its owner never had it. */
	clear_bit(LDLM_LF_NOTIFY_CANCELLED, &lock->l_flags);
	lock->l_error = lock->l_error ?: rc;
	spin_unlock(ldlm_lock_lock(lock));
	return cancel;
}

/**
 * ldlm_client_abandon() - an enqueue failed
 * @lock: lock of a client, in any state
 * @rc: reason
 *
 * If the server may have the lock it is cancelled. A later completion AST finds
 * no lock and gets -ESTALE.
 *
 * Context: may sleep
 */
void ldlm_client_abandon(struct ldlm_lock *lock, int rc)
{
	if (abandon_begin(lock, rc))
		ldlm_cancel_one(lock);
	else
		ldlm_lock_destroy(lock);
}
EXPORT_FOR_KUNIT(ldlm_client_abandon);

/**
 * ldlm_client_abandon_wait() - the same, and the server does not have the lock afterwards
 * @lock: lock of a client, in any state
 * @rc: reason
 *
 * Until the cancel arrives the server may grant the lock, and refuse others. A killed task does
 * not wait.
 *
 * Context: sleeps until the server has answered
 */
void ldlm_client_abandon_wait(struct ldlm_lock *lock, int rc)
{
	if (abandon_begin(lock, rc))
		ldlm_cancel_wait(lock);
	else
		ldlm_lock_destroy(lock);
}

/**
 * ldlm_client_lvb() - take the value of the resource out of a message
 * @lock: lock of a client
 * @msg: answer to its enqueue, or a completion AST; NULL: no value
 *
 * Before the grant, which publishes it; it does not change from then on.
 *
 * Context: under r_lock
 */
void ldlm_client_lvb(struct ldlm_lock *lock, const struct wire_msg *msg)
{
	u32 len = msg && msg->bufcount > LDLM_LVB_BUF ?
		  msg->buflens[LDLM_LVB_BUF] : 0;

	lockdep_assert_held(ldlm_lock_lock(lock));
	if (lock->l_resource->r_type != LDLM_EXTENT || lock->l_state != LOCK_WAITING ||
	    !len || len > sizeof(lock->l_lvb))
		return;
	memcpy(lock->l_lvb, msg->bufs[LDLM_LVB_BUF], len);
	lock->l_lvb_len = len;
}

/**
 * ldlm_client_reconnected() - whether a reply is of an earlier connect than the present one
 * @req: request with a reply
 *
 * If not, a lock that is published before this call, or in the same critical section of r_lock, is
 * replayed to a server that restarts: the replay looks for locks after the connect was counted.
 *
 * Context: any but an interrupt
 * Return: true if the client has connected since the request was sent, or tries to
 */
bool ldlm_client_reconnected(const struct ptlrpc_request *req)
{
	struct obd_import *imp = req->rq_import;
	bool changed;

	spin_lock(&imp->imp_lock);
	changed = imp->imp_conn_cnt != req->rq_conn_cnt;
	spin_unlock(&imp->imp_lock);
	return changed;
}

/* Take the grant, or the cookie of a lock that waits, out of the answer. Under r_lock. */
static int answer_take(struct ldlm_lock *lock, const struct ptlrpc_request *req,
		       const struct lustre_lock *answer)
{
	const bool waits = answer->wl_flags & cpu_to_le32(LDLM_FL_BLOCK_GRANTED);
	u64 remote = le64_to_cpu(answer->wl_server);
	struct ldlm_policy policy;

	/* The value of a lock that waits is one of before the grant, which may bring none. */
	if (!waits && !(answer->wl_flags & cpu_to_le32(LDLM_FL_NO_LVB)))
		ldlm_client_lvb(lock, &req->rq_rep);
	wire_policy_decode(answer, &policy);
	if (!waits)
		return ldlm_client_granted(lock, le32_to_cpu(answer->wl_granted_mode), &policy,
					   remote);
	lock->l_remote = remote;
	return 0;
}

/**
 * ldlm_client_answered() - process the server's answer to an enqueue
 * @lock: lock of a client
 * @req: request with a reply
 *
 * A target that has restarted since the answer does not know the lock. One that a completion AST
 * has granted before was replayed, and has a new cookie.
 *
 * Context: any but an interrupt
 * Return: 0, also if the lock was dropped meanwhile; 1: it must be enqueued again; -EPROTO
 */
int ldlm_client_answered(struct ldlm_lock *lock, const struct ptlrpc_request *req)
{
	const struct lustre_lock *answer = ptlrpc_rep_buf(req, LDLM_LOCK_BUF,
							  sizeof(*answer));
	int rc;

	if (!answer || !answer->wl_server)
		return -EPROTO;
	ptlrpc_test_at(PTP_LOCK_ANSWER, lock);
	spin_lock(ldlm_lock_lock(lock));
	if (ldlm_client_reconnected(req))
		rc = lock->l_state == LOCK_WAITING;
	else
		rc = answer_take(lock, req, answer);
	spin_unlock(ldlm_lock_lock(lock));
	/* It was dropped meanwhile: the waiting task sees the reason. */
	return rc == -ESTALE ? 0 : rc;
}
EXPORT_FOR_KUNIT(ldlm_client_answered);

static int enqueue_send(struct ldlm_lock *lock, u32 flags)
{
	struct ptlrpc_request *req = ldlm_client_request(lock, LDLM_ENQUEUE,
							 flags);
	int rc;

	if (IS_ERR(req))
		return PTR_ERR(req);
	if (lock->l_cbs && lock->l_cbs->lc_unwanted) {
		req->rq_unwanted = lock->l_cbs->lc_unwanted;
		req->rq_unwanted_data = lock->l_data;
	}
	req->rq_no_delay = test_bit(LDLM_LF_NO_DELAY, &lock->l_flags);
	rc = ptlrpc_queue_wait(req);
	if (!rc)
		rc = ldlm_client_answered(lock, req);
	ptlrpc_request_put(req);
	return rc;
}

static bool enqueue_is_over(const struct ldlm_lock *lock)
{
	return READ_ONCE(lock->l_state) != LOCK_WAITING ||
	       test_bit(LDLM_LF_REENQUEUE, &lock->l_flags);
}

/* The server does not grant it before it is connected. Return: 0; -ENOTCONN; -EREMCHG */
static int enqueue_unwanted(const struct ldlm_lock *lock)
{
	const struct obd_import *imp = ldlm_lock_ns(lock)->ns_import;

	if (READ_ONCE(imp->imp_state) == LUSTRE_IMP_FULL)
		return 0;
	if (test_bit(LDLM_LF_NO_DELAY, &lock->l_flags))
		return -ENOTCONN;
	return lock->l_cbs->lc_unwanted(lock->l_data) ? -EREMCHG : 0;
}

/* Return: 0; -EINTR; -ENOTCONN; -EREMCHG. */
static int enqueue_sleep(struct ldlm_lock *lock, enum ldlm_signals signals)
{
	bool asks = lock->l_cbs && lock->l_cbs->lc_unwanted;
	int rc = 0;
	long left;

	if (signals == LDLM_SIGNALS_ALL)
		return wait_event_freezable(lock->l_wait, enqueue_is_over(lock)) ? -EINTR : 0;
	do {
		left = compat_wait_event_task_timeout(lock->l_wait, enqueue_is_over(lock),
						      asks ? ENQUEUE_LOOK : MAX_SCHEDULE_TIMEOUT);
		rc = left ? 0 : enqueue_unwanted(lock);
	} while (!left && !rc);
	return left < 0 ? -EINTR : rc;
}

/* Return: 0 if it is granted, 1 if it must be enqueued again. */
static int enqueue_wait(struct ldlm_lock *lock, enum ldlm_signals signals)
{
	int rc = enqueue_sleep(lock, signals);

	if (rc)
		return rc;
	spin_lock(ldlm_lock_lock(lock));
	if (lock->l_state == LOCK_WAITING)
		rc = test_and_clear_bit(LDLM_LF_REENQUEUE, &lock->l_flags);
	else if (lock->l_state == LOCK_DESTROYED)
		rc = lock->l_error ?: -EIO;
	spin_unlock(ldlm_lock_lock(lock));
	return rc;
}

/**
 * ldlm_client_enqueue() - request a lock, and wait until it is granted
 * @lock: lock of ldlm_client_lock_new()
 * @flags: LDLM_FL_*
 * @signals: what ends the wait for other clients; that for the server's answer ends only when the
 *	task is killed
 *
 * Context: sleeps
 * Return: 0; -EINTR; as ldlm_cli_enqueue()
 */
int ldlm_client_enqueue(struct ldlm_lock *lock, u32 flags, enum ldlm_signals signals)
{
	int rc;

	do {
		rc = enqueue_send(lock, flags) ?: enqueue_wait(lock, signals);
	} while (rc > 0);
	return rc;
}

static int enqueue_refused(const struct obd_device *obd, u32 type, u32 mode,
			   const struct ldlm_policy *policy, u32 flags)
{
	u32 known = LDLM_FL_BLOCK_NOWAIT;

	if (type == LDLM_EXTENT)
		known |= LDLM_FL_NO_EXPANSION;
	if (!ldlm_mode_is_one(mode) || flags & ~known ||
	    !wire_policy_is_valid(type, policy)) {
		CERROR("%s: mode %#x, flags %#x, or the policy is invalid for a lock of type %u: rc = %d\n",
		       obd->obd_name, mode, flags, type, -EINVAL);
		return -EINVAL;
	}
	return 0;
}

/**
 * ldlm_cli_enqueue() - get a lock: a cached one, or from the server
 * @obd: client device; the caller keeps it set up
 * @type: type of the resource
 * @id: name of the resource
 * @mode: least mode
 * @policy: part of the resource; NULL: all of a PLAIN one
 * @flags: LDLM_FL_BLOCK_NOWAIT, LDLM_FL_NO_EXPANSION; LDLM_FL_NO_DELAY, with lc_unwanted
 * @cbs: callbacks of the owner, or NULL; valid as long as the lock
 * @data: their data
 * @lockp: out, lock, referenced and used once
 *
 * Waits until it is granted, or the task is killed.
 *
 * Context: sleeps
 * Return: 0; -EWOULDBLOCK; -EINTR; -ENOTCONN: as @flags say; -EREMCHG: as lc_unwanted says; -EIO if
 *  the import was invalidated; -EOPNOTSUPP for a device without locks; the status of the server;
 *  as ptlrpc_queue_wait()
 */
int ldlm_cli_enqueue(struct obd_device *obd, u32 type,
		     const struct ldlm_res_id *id, u32 mode,
		     const struct ldlm_policy *policy, u32 flags,
		     const struct ldlm_callbacks *cbs, void *data,
		     struct ldlm_lock **lockp)
{
	static const struct ldlm_policy all;
	struct ldlm_namespace *ns = ldlm_namespace_of_obd(obd, LDLM_CLIENT);
	struct ldlm_lock *lock;
	int rc;

	if (!ns)
		return -EOPNOTSUPP;
	policy = policy ?: &all;
	rc = enqueue_refused(obd, type, mode, policy, flags & ~LDLM_FL_NO_DELAY);
	if (rc)
		return rc;
	lock = ldlm_client_match(ns, id, mode, policy, cbs, data);
	if (lock)
		goto out;
	lock = ldlm_client_lock_new(ns, type, id, mode, policy, cbs, data);
	if (IS_ERR(lock))
		return PTR_ERR(lock);
	if (flags & LDLM_FL_NO_DELAY)
		set_bit(LDLM_LF_NO_DELAY, &lock->l_flags);
	rc = ldlm_client_enqueue(lock, flags & ~LDLM_FL_NO_DELAY, LDLM_SIGNALS_FATAL);
	if (rc) {
		ldlm_client_abandon(lock, rc);
		ldlm_lock_put(lock);
		return rc;
	}
out:
	*lockp = lock;
	return 0;
}
EXPORT_SYMBOL_NS_GPL(ldlm_cli_enqueue, LUSTRE_LITE);

/**
 * ldlm_cli_match() - use a cached lock
 * @obd: client device; the caller keeps it set up
 * @id: name of the resource
 * @mode: least mode
 * @policy: part of the resource
 * @cbs: callbacks of the owner, or NULL
 * @data: their data
 *
 * Context: any but an interrupt
 * Return: lock, referenced and used once more; or NULL
 */
struct ldlm_lock *ldlm_cli_match(struct obd_device *obd, const struct ldlm_res_id *id,
				 u32 mode, const struct ldlm_policy *policy,
				 const struct ldlm_callbacks *cbs, void *data)
{
	struct ldlm_namespace *ns = ldlm_namespace_of_obd(obd, LDLM_CLIENT);

	return ns ? ldlm_client_match(ns, id, mode, policy, cbs, data) : NULL;
}
EXPORT_SYMBOL_NS_GPL(ldlm_cli_match, LUSTRE_LITE);

static void __lock_decref(struct ldlm_lock *lock)
{
	lockdep_assert_held(ldlm_lock_lock(lock));
	/* A dropped lock has no users, even if a caller has not noticed yet. */
	if (lock->l_users)
		lock->l_users--;
	ldlm_client_settle(lock);
}

/**
 * ldlm_lock_decref() - drop one use of a lock
 * @lock: lock of a client, used and referenced by the caller
 *
 * Context: any but an interrupt
 */
void ldlm_lock_decref(struct ldlm_lock *lock)
{
	spin_lock(ldlm_lock_lock(lock));
	__lock_decref(lock);
	spin_unlock(ldlm_lock_lock(lock));
}
EXPORT_SYMBOL_NS_GPL(ldlm_lock_decref, LUSTRE_LITE);

/**
 * ldlm_lock_decref_and_cancel() - drop one use of a lock; the last one cancels it
 * @lock: lock of a client, used and referenced by the caller
 *
 * The lock is not used again. A thread cancels it, together with others.
 *
 * Context: any but an interrupt
 */
void ldlm_lock_decref_and_cancel(struct ldlm_lock *lock)
{
	spin_lock(ldlm_lock_lock(lock));
	/* Also an IBITS lock of which others want only some bits. */
	lock->l_wanted = ~0ULL;
	set_bit(LDLM_LF_CBPENDING, &lock->l_flags);
	__lock_decref(lock);
	spin_unlock(ldlm_lock_lock(lock));
}
EXPORT_SYMBOL_NS_GPL(ldlm_lock_decref_and_cancel, LUSTRE_LITE);

/**
 * ldlm_lock_generation() - generation of the import when a lock was enqueued
 * @lock: lock of a client
 *
 * Context: any
 * Return: generation: an eviction of the client makes it higher
 */
u32 ldlm_lock_generation(const struct ldlm_lock *lock)
{
	return lock->l_generation;
}
EXPORT_SYMBOL_NS_GPL(ldlm_lock_generation, LUSTRE_LITE);

/**
 * ldlm_cli_generation() - generation that a lock would have now
 * @obd: client device; the caller keeps it set up
 *
 * Context: any but an interrupt
 * Return: generation; 0 without a server
 */
u32 ldlm_cli_generation(struct obd_device *obd)
{
	struct ldlm_namespace *ns = ldlm_namespace_of_obd(obd, LDLM_CLIENT);

	return ns ? ldlm_client_generation(ns) : 0;
}
EXPORT_SYMBOL_NS_GPL(ldlm_cli_generation, LUSTRE_LITE);

/* Data of the callbacks. Any context; the lock is used by the caller. */
void *ldlm_lock_data(const struct ldlm_lock *lock)
{
	return lock->l_data;
}
EXPORT_SYMBOL_NS_GPL(ldlm_lock_data, LUSTRE_LITE);
