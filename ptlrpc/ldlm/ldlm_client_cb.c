// SPDX-License-Identifier: GPL-2.0-only
/*
 * ASTs from servers to a client. A handler only records them; a work calls the
 * owner of the lock and cancels the lock.
 *
 * An AST names the client's import and the client's lock by cookies that only
 * the server of that import knows. It is valid if it comes from the node that
 * the import is connected to, and the lock belongs to that import.
 */
#define DEBUG_SUBSYSTEM S_LDLM

#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "ldlm_internal.h"

#define CALLBACK_THREADS_MIN	1
#define CALLBACK_THREADS_MAX	8

static struct ptlrpc_service *callback_service;

/**
 * ldlm_work_end() - works of locks are over, or were not queued
 * @ns: namespace that the caller holds
 * @count: what was added to ns_busy for them
 *
 * Context: any
 */
void ldlm_work_end(struct ldlm_namespace *ns, unsigned int count)
{
	if (atomic_sub_and_test(count, &ns->ns_busy))
		wake_up_all(&ns->ns_idle);
}

/* One workqueue for all works of a lock. */
static struct workqueue_struct *lock_wq(const struct ldlm_lock *lock)
{
	return lock->l_cbs && !lock->l_cbs->lcb_quick ? ldlm_owner_wq : ldlm_wq;
}

/**
 * ldlm_lock_notify() - have a work process a lock
 * @lock: lock of a client, referenced
 * @what: LDLM_LF_NOTIFY_BLOCKING, LDLM_LF_NOTIFY_CANCELLED, LDLM_LF_CONVERT,
 *  LDLM_LF_CANCEL or LDLM_LF_CANCEL_NOW
 *
 * Context: any
 */
void ldlm_lock_notify(struct ldlm_lock *lock, unsigned int what)
{
	struct ldlm_namespace *ns = ldlm_lock_ns(lock);

	set_bit(what, &lock->l_flags);
	ldlm_lock_get(lock);
	atomic_inc(&ns->ns_busy);
	if (queue_work(lock_wq(lock), &lock->l_work))
		return;
	ptlrpc_test_at(PTP_LOCK_NOTIFY, lock);
	/*
	 * It was queued already. That work may be over by now, so this may drop
	 * the last count of ns_busy, but not of l_refcount: the caller has a
	 * reference.
	 */
	ldlm_work_end(ns, 1);
	refcount_dec(&lock->l_refcount);
}
EXPORT_FOR_KUNIT(ldlm_lock_notify);

static void notify_blocking(struct ldlm_lock *lock)
{
	if (ldlm_lock_is_granted(lock) && lock->l_cbs &&
	    lock->l_cbs->lcb_blocking)
		lock->l_cbs->lcb_blocking(lock, lock->l_data);
}

/**
 * ldlm_lock_work() - call the owner of a lock; have the lock cancelled
 * @work: l_work
 *
 * Context: process; sleeps as the owner does
 */
void ldlm_lock_work(struct work_struct *work)
{
	struct ldlm_lock *lock = container_of(work, struct ldlm_lock, l_work);
	struct ldlm_namespace *ns = ldlm_namespace_get(ldlm_lock_ns(lock));
	bool cancel;

	if (test_and_clear_bit(LDLM_LF_NOTIFY_BLOCKING, &lock->l_flags))
		notify_blocking(lock);
	if (test_and_clear_bit(LDLM_LF_CONVERT, &lock->l_flags))
		ldlm_convert_send(lock);
	/* First: what is notified below is then notified before the cancel. */
	cancel = test_and_clear_bit(LDLM_LF_CANCEL, &lock->l_flags);
	/* Another task that cancels it sends the cancel when it has notified the owner. */
	if (cancel || ldlm_lock_is_lost(lock))
		ldlm_cancel_notify(lock);
	if (cancel)
		ldlm_cancel_queue(lock);
	if (test_and_clear_bit(LDLM_LF_CANCEL_NOW, &lock->l_flags))
		ldlm_cancel_cookie(ns, lock->l_handle.h_cookie);
	ldlm_lock_put(lock);
	ldlm_work_end(ns, 1);
	ldlm_namespace_put(ns);
}

/* A lock of that import by its cookie, referenced, or NULL. */
static struct ldlm_lock *client_lock_find(struct obd_import *imp, u64 cookie)
{
	struct ldlm_lock *lock = ldlm_lock_find(cookie);

	if (!lock || READ_ONCE(ldlm_lock_ns(lock)->ns_import) == imp)
		return lock;
	ldlm_lock_put(lock);
	return NULL;
}

/**
 * ldlm_lock_blocked() - return a lock soon, as a blocking AST says
 * @lock: lock of a client
 * @bits: IBITS: bits that others wait for; 0: all of it
 *
 * An abandoned lock that the server was not known to have no longer exists; the owner of a lock
 * that is being cancelled needs no notification, nor that of one that has lost the bits that others
 * wait for.
 *
 * Context: under r_lock
 * Return: 0; -ESTALE: there is no such lock at the server
 */
int ldlm_lock_blocked(struct ldlm_lock *lock, u64 bits)
{
	lockdep_assert_held(ldlm_lock_lock(lock));
	if (lock->l_state == LOCK_DESTROYED)
		return -ESTALE;
	if (lock->l_state == LOCK_CANCELLING) {
		set_bit(LDLM_LF_CBPENDING, &lock->l_flags);
		ldlm_elc_revoked(lock);
		return lock->l_remote ? 0 : -ESTALE;
	}
	if (!ldlm_convert_wanted(lock, bits) ||
	    test_and_set_bit(LDLM_LF_CBPENDING, &lock->l_flags))
		return 0;
	if (lock->l_state == LOCK_GRANTED && lock->l_users)
		ldlm_lock_notify(lock, LDLM_LF_NOTIFY_BLOCKING);
	if (lock->l_state == LOCK_GRANTED)
		ldlm_lru_del(lock);
	ldlm_client_settle(lock);
	return 0;
}

/**
 * ldlm_client_blocking() - handle a blocking AST
 * @imp: import to that server
 * @client: the client's cookie
 * @bits: IBITS: bits that others wait for; 0: the lock is cancelled
 *
 * Context: any but an interrupt
 * Return: 0; -ESTALE: there is no such lock, and the server may drop it
 */
int ldlm_client_blocking(struct obd_import *imp, u64 client, u64 bits)
{
	struct ldlm_lock *lock = client_lock_find(imp, client);
	int rc;

	if (!lock && !ldlm_intent_blocking(imp, client, bits))
		return 0;
	/* The reply may have come meanwhile, and have bound the lock. */
	lock = lock ?: client_lock_find(imp, client);
	if (!lock)
		return -ESTALE;
	spin_lock(ldlm_lock_lock(lock));
	rc = ldlm_hold_begin(lock) ? 0 : ldlm_lock_blocked(lock, bits);
	spin_unlock(ldlm_lock_lock(lock));
	ldlm_lock_put(lock);
	return rc;
}
EXPORT_FOR_KUNIT(ldlm_client_blocking);

/**
 * ldlm_client_completion() - handle a completion AST: a lock or another mode
 * was granted
 * @imp: import to that server
 * @client: the client's cookie
 * @server: the server's cookie
 * @mode: mode
 * @policy: policy
 * @msg: message with the value of the resource, or NULL
 *
 * Context: any but an interrupt
 * Return: 0; -ESTALE: there is no such lock, or it was abandoned; -EPROTO
 */
int ldlm_client_completion(struct obd_import *imp, u64 client, u64 server,
			   u32 mode, const struct ldlm_policy *policy,
			   const struct wire_msg *msg)
{
	struct ldlm_lock *lock = client_lock_find(imp, client);
	int rc;

	if (!lock)
		return -ESTALE;
	spin_lock(ldlm_lock_lock(lock));
	ldlm_client_lvb(lock, msg);
	rc = ldlm_client_granted(lock, mode, policy, server);
	spin_unlock(ldlm_lock_lock(lock));
	ldlm_lock_put(lock);
	return rc;
}
EXPORT_FOR_KUNIT(ldlm_client_completion);

static int lock_glimpse(struct ldlm_lock *lock, void *lvb)
{
	enum ldlm_lock_state state = READ_ONCE(lock->l_state);
	const struct ldlm_callbacks *cbs = lock->l_cbs;
	u32 len;

	if (state == LOCK_DESTROYED)
		return -ESTALE;
	if (state == LOCK_WAITING || !ldlm_lock_mode(lock) || !cbs || !cbs->lcb_glimpse)
		return 0;
	len = cbs->lcb_glimpse(lock, lock->l_data, lvb);
	return WARN_ON_ONCE(len > LDLM_LVB_MAX) ? 0 : len;
}

/**
 * ldlm_client_glimpse() - handle a glimpse AST
 * @imp: import to that server
 * @client: the client's cookie
 * @lvb: out, value of the resource, LDLM_LVB_MAX bytes
 *
 * The owner of a lock that is being cancelled may still be writing: it is asked as
 * long as the lock exists. One that is not granted here yet has no owner.
 *
 * Context: any but an interrupt
 * Return: bytes of the value, 0 if the server has the newest; -ESTALE: there is no such
 *  lock, and the server may drop it
 */
int ldlm_client_glimpse(struct obd_import *imp, u64 client, void *lvb)
{
	struct ldlm_lock *lock = client_lock_find(imp, client);
	int rc;

	if (!lock && ldlm_intent_exists(imp, client))
		return 0;
	/* The reply may have come meanwhile, and have bound the lock. */
	lock = lock ?: client_lock_find(imp, client);
	if (!lock)
		return -ESTALE;
	rc = lock_glimpse(lock, lvb);
	ldlm_lock_put(lock);
	return rc;
}
EXPORT_FOR_KUNIT(ldlm_client_glimpse);

/*
 * Whether the sender is the import's server: 0 or an errno. -EINPROGRESS while
 * the import connects, as its server is not known yet; the sender tries again.
 */
static int callback_check(struct obd_import *imp,
			  const struct ptlrpc_svc_req *sr)
{
	enum lustre_imp_state state;
	struct lnet_nid nid;

	spin_lock(&imp->imp_lock);
	state = imp->imp_state;
	nid = imp->imp_conn_nid;
	spin_unlock(&imp->imp_lock);
	if (state == LUSTRE_IMP_CLOSED || state == LUSTRE_IMP_NEW)
		return -ENOTCONN;
	if (!nid.nid_len)
		return -EINPROGRESS;
	if (libcfs_nid_same(&nid, ptlrpc_svc_nid(sr)))
		return 0;
	CWARN("%s: ignoring lock callbacks from a node that is not its server\n",
	      imp->imp_obd->obd_name);
	return -EPERM;
}

/* The answer has the value of the lock's owner. */
static int glimpse_apply(struct obd_import *imp, struct ptlrpc_svc_req *sr, u64 client)
{
	u8 lvb[LDLM_LVB_MAX];
	int rc = ldlm_client_glimpse(imp, client, lvb);
	u32 len = max(rc, 0);

	if (rc < 0)
		return rc;
	rc = ptlrpc_svc_rep_size(sr, &len, 1);
	if (!rc && len)
		memcpy(ptlrpc_svc_rep_buf(sr, 0), lvb, len);
	return rc;
}

static int callback_apply(struct obd_import *imp, struct ptlrpc_svc_req *sr,
			  const struct lustre_lock *body)
{
	u64 client = le64_to_cpu(body->wl_client);
	bool wanted = body->wl_flags & cpu_to_le32(LDLM_FL_CBPENDING);
	struct ldlm_policy policy;
	int rc;

	wire_policy_decode(body, &policy);
	if (sr->sr_msg.opc == LDLM_BL_CALLBACK)
		return ldlm_client_blocking(imp, client, policy.ibits.try_bits);
	if (sr->sr_msg.opc == LDLM_GL_CALLBACK)
		return glimpse_apply(imp, sr, client);
	rc = ldlm_client_completion(imp, client, le64_to_cpu(body->wl_server),
				    le32_to_cpu(body->wl_granted_mode), &policy,
				    &sr->sr_msg);
	if (!rc && wanted)
		rc = ldlm_client_blocking(imp, client, 0);
	return rc;
}

static int handle_callback(struct ptlrpc_svc_req *sr)
{
	const struct lustre_lock *body = wire_buf(&sr->sr_msg, 0,
						  sizeof(*body));
	struct obd_import *imp;
	int rc;

	if (!body)
		return -EPROTO;
	imp = class_handle2import(sr->sr_msg.handle);
	if (!imp)
		return -ENOTCONN;
	rc = callback_check(imp, sr) ?:
	     callback_apply(imp, sr, body);
	class_import_put(imp);
	return rc;
}

static const struct ptlrpc_handler callback_handlers[] = {
	{
		.shd_opc = LDLM_BL_CALLBACK,
		.shd_flags = SVH_QUICK | SVH_HIGH,
		.shd_req_lens = { sizeof(struct lustre_lock) },
		.shd_fn = handle_callback,
	},
	{
		.shd_opc = LDLM_CP_CALLBACK,
		.shd_flags = SVH_QUICK | SVH_HIGH,
		.shd_req_lens = { sizeof(struct lustre_lock) },
		.shd_fn = handle_callback,
	},
	{
		.shd_opc = LDLM_GL_CALLBACK,
		.shd_flags = SVH_QUICK | SVH_HIGH,
		.shd_req_lens = { sizeof(struct lustre_lock) },
		.shd_fn = handle_callback,
	},
};

static const struct ptlrpc_service_conf callback_conf = {
	.psc_name = "ldlm_cbd",
	.psc_params = "ldlm.services.ldlm_cbd",
	.psc_portals = { LDLM_CB_REQUEST_PORTAL },
	.psc_threads_min = CALLBACK_THREADS_MIN,
	.psc_threads_max = CALLBACK_THREADS_MAX,
	.psc_handlers = callback_handlers,
	.psc_handler_count = ARRAY_SIZE(callback_handlers),
};

/* Register the handlers of ASTs. */
int ldlm_client_cb_init(void)
{
	callback_service = ptlrpc_register_service(&callback_conf);
	return PTR_ERR_OR_ZERO(callback_service);
}

/* Unregister them. */
void ldlm_client_cb_exit(void)
{
	ptlrpc_unregister_service(callback_service);
}
