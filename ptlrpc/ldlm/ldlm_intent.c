// SPDX-License-Identifier: GPL-2.0-only
/*
 * Intents: locks of a client that a request asks for along with its operation, and that the
 * reply binds to a resource.
 *
 * The cookie exists before the request is sent, and names the intent. When the reply has a
 * lock, that takes the cookie over in one step: an AST finds one of the two. An AST that
 * finds the intent has overtaken the reply, and is noted for the lock.
 */
#define DEBUG_SUBSYSTEM S_LDLM

#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/rcupdate.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "ldlm_internal.h"

/**
 * struct ldlm_intent - a lock without a resource
 * @lit_handle: cookie
 * @lit_refcount: held by the task that sends the request; an AST. The last put frees it
 *  after a grace period
 * @lit_ns: namespace, referenced
 * @lit_type: type of the resource
 * @lit_mode: least mode
 * @lit_policy: requested part of the resource
 * @lit_cbs: callbacks of the owner, referenced
 * @lit_data: their data
 * @lit_generation: of the import when it was created
 * @lit_lock: guards the members below
 * @lit_ended: a lock has the cookie, or there is none: no AST is noted any more
 * @lit_wanted: a blocking AST came before the reply: what others wait for, as in l_wanted; or 0
 * @lit_rcu: frees it
 */
struct ldlm_intent {
	struct portals_handle		lit_handle;
	refcount_t			lit_refcount;
	struct ldlm_namespace		*lit_ns;
	u32				lit_type;
	u32				lit_mode;
	struct ldlm_policy		lit_policy;
	const struct ldlm_callbacks	*lit_cbs;
	void				*lit_data;
	u32				lit_generation;
	spinlock_t			lit_lock;
	bool				lit_ended;
	u64				lit_wanted;
	struct rcu_head			lit_rcu;
};

static bool intent_handle_get(struct portals_handle *handle)
{
	struct ldlm_intent *intent = container_of(handle, struct ldlm_intent, lit_handle);

	return refcount_inc_not_zero(&intent->lit_refcount);
}

static const struct portals_handle_ops intent_handle_ops = {
	.hop_name = "lock intent",
	.hop_get = intent_handle_get,
};

static void intent_rcu_free(struct rcu_head *rcu)
{
	struct ldlm_intent *intent = container_of(rcu, struct ldlm_intent, lit_rcu);

	libcfs_free(intent, sizeof(*intent));
}

static void intent_put(struct ldlm_intent *intent)
{
	if (!refcount_dec_and_test(&intent->lit_refcount))
		return;
	ldlm_owner_put(intent->lit_cbs, intent->lit_data);
	ldlm_namespace_put(intent->lit_ns);
	call_rcu(&intent->lit_rcu, intent_rcu_free);
}

/* An intent of that import by its cookie, referenced, or NULL. */
static struct ldlm_intent *intent_find(struct obd_import *imp, u64 cookie)
{
	struct portals_handle *handle = class_handle2object(cookie, &intent_handle_ops);
	struct ldlm_intent *intent;

	if (!handle)
		return NULL;
	intent = container_of(handle, struct ldlm_intent, lit_handle);
	if (READ_ONCE(intent->lit_ns->ns_import) == imp)
		return intent;
	intent_put(intent);
	return NULL;
}

static int intent_refused(const struct obd_device *obd, u32 type, u32 mode,
			  const struct ldlm_policy *policy)
{
	if (ldlm_mode_is_one(mode) && wire_policy_is_valid(type, policy))
		return 0;
	CERROR("%s: mode %#x or the policy is invalid for a lock of type %u: rc = %d\n",
	       obd->obd_name, mode, type, -EINVAL);
	return -EINVAL;
}

/**
 * ldlm_intent_new() - a request will ask for a lock
 * @obd: client device; the caller keeps it set up
 * @type: type of the resource
 * @mode: least mode
 * @policy: part of the resource
 * @cbs: callbacks of the owner, or NULL; valid as long as the intent and the lock
 * @data: their data
 *
 * Context: may sleep
 * Return: intent, for ldlm_intent_done(); -EINVAL; -EOPNOTSUPP for a device without locks;
 *  -ENOMEM
 */
struct ldlm_intent *ldlm_intent_new(struct obd_device *obd, u32 type, u32 mode,
				    const struct ldlm_policy *policy,
				    const struct ldlm_callbacks *cbs, void *data)
{
	struct ldlm_namespace *ns = ldlm_namespace_of_obd(obd, LDLM_CLIENT);
	struct ldlm_intent *intent;
	int rc = ns ? intent_refused(obd, type, mode, policy) : -EOPNOTSUPP;

	if (rc)
		return ERR_PTR(rc);
	intent = libcfs_zalloc(sizeof(*intent), GFP_NOFS | __GFP_ACCOUNT);
	if (!intent)
		return ERR_PTR(-ENOMEM);
	refcount_set(&intent->lit_refcount, 1);
	spin_lock_init(&intent->lit_lock);
	intent->lit_type = type;
	intent->lit_mode = mode;
	intent->lit_policy = *policy;
	intent->lit_cbs = cbs;
	intent->lit_data = data;
	intent->lit_generation = ldlm_client_generation(ns);
	intent->lit_ns = ldlm_namespace_get(ns);
	ldlm_owner_get(cbs, data);
	rc = class_handle_hash(&intent->lit_handle, &intent_handle_ops);
	if (!rc)
		return intent;
	intent_put(intent);
	return ERR_PTR(rc);
}
EXPORT_SYMBOL_NS_GPL(ldlm_intent_new, LUSTRE_LITE);

/**
 * ldlm_intent_pack() - encode the lock that a request asks for
 * @intent: intent
 * @to: out, buffer of the request
 *
 * Context: any
 */
void ldlm_intent_pack(const struct ldlm_intent *intent, struct lustre_lock *to)
{
	memset(to, 0, sizeof(*to));
	to->wl_client = cpu_to_le64(intent->lit_handle.h_cookie);
	to->wl_type = cpu_to_le32(intent->lit_type);
	to->wl_req_mode = cpu_to_le32(intent->lit_mode);
	wire_policy_encode(to, &intent->lit_policy);
}
EXPORT_SYMBOL_NS_GPL(ldlm_intent_pack, LUSTRE_LITE);

/*
 * The lock takes the cookie over; ASTs that find it wait for r_lock. An AST that came before has
 * promised the server a cancel, or that the lock loses the bits that it named.
 */
static int intent_pass(struct ldlm_intent *intent, struct ldlm_lock *lock,
		       const struct lustre_lock *answer)
{
	struct ldlm_policy policy;
	int rc;

	wire_policy_decode(answer, &policy);
	spin_lock(ldlm_lock_lock(lock));
	spin_lock(&intent->lit_lock);
	intent->lit_ended = true;
	lock->l_wanted = intent->lit_wanted;
	if (intent->lit_wanted)
		set_bit(LDLM_LF_CBPENDING, &lock->l_flags);
	ldlm_lock_take_handle(lock, &intent->lit_handle);
	spin_unlock(&intent->lit_lock);
	ldlm_lock_wait(lock);
	rc = ldlm_client_granted(lock, le32_to_cpu(answer->wl_granted_mode), &policy,
				 le64_to_cpu(answer->wl_server));
	spin_unlock(ldlm_lock_lock(lock));
	return rc;
}

static struct ldlm_lock *intent_lock(struct ldlm_intent *intent,
				     const struct lustre_lock *answer)
{
	struct ldlm_resource *res;
	struct ldlm_res_id id;
	struct ldlm_lock *lock;

	ldlm_res_from_wire(answer, &id);
	res = ldlm_resource_make(intent->lit_ns, intent->lit_type, &id);
	if (IS_ERR(res))
		return ERR_CAST(res);
	lock = ldlm_lock_alloc(res, intent->lit_mode, &intent->lit_policy);
	ldlm_resource_put(res);
	if (!lock)
		return ERR_PTR(-ENOMEM);
	ldlm_client_lock_own(lock, intent->lit_cbs, intent->lit_data,
			     intent->lit_generation);
	return lock;
}

/**
 * ldlm_intent_bind() - a reply has a lock
 * @intent: intent
 * @answer: lock in the reply, with a cookie of the server, not validated otherwise
 * @lockp: out, lock, referenced and used once
 *
 * An import that was invalidated since the intent was created has lost the lock: its locks
 * were dropped before this one was among them, or will be.
 *
 * Context: may sleep
 * Return: 0; -EPROTO for an invalid lock; -EIO if it was lost; -EINVAL if the resource is of
 *  another type; -ENOMEM. The lock is cancelled then
 */
int ldlm_intent_bind(struct ldlm_intent *intent, const struct lustre_lock *answer,
		     struct ldlm_lock **lockp)
{
	struct ldlm_lock *lock = intent_lock(intent, answer);
	int rc;

	if (IS_ERR(lock)) {
		ldlm_cancel_cookie(intent->lit_ns, intent->lit_handle.h_cookie);
		return PTR_ERR(lock);
	}
	rc = intent_pass(intent, lock, answer);
	if (rc) {
		ldlm_client_abandon(lock, rc);
	} else if (ldlm_client_generation(intent->lit_ns) != intent->lit_generation) {
		rc = -EIO;
		ldlm_client_drop(lock, rc);
	}
	if (rc)
		ldlm_lock_put(lock);
	else
		*lockp = lock;
	return rc;
}
EXPORT_FOR_KUNIT(ldlm_intent_bind);

/**
 * ldlm_intent_free() - end of an intent; an AST does not find it any more
 * @intent: intent
 *
 * Context: may sleep
 */
void ldlm_intent_free(struct ldlm_intent *intent)
{
	class_handle_unhash(&intent->lit_handle);
	intent_put(intent);
}
EXPORT_FOR_KUNIT(ldlm_intent_free);

/* No lock takes the cookie over. Return: true if an AST was noted for one */
static bool intent_end(struct ldlm_intent *intent)
{
	bool noted;

	spin_lock(&intent->lit_lock);
	noted = !intent->lit_ended && intent->lit_wanted;
	intent->lit_ended = true;
	spin_unlock(&intent->lit_lock);
	return noted;
}

/* As ldlm_intent_done(). @answer: NULL: the reply has none */
static int intent_done(struct ldlm_intent *intent, const struct ptlrpc_request *req,
		       const struct lustre_lock *answer, int rc, struct ldlm_lock **lockp)
{
	*lockp = NULL;
	if (answer && answer->wl_server)
		rc = ldlm_intent_bind(intent, answer, lockp);
	else if (intent_end(intent) || rc == -EINTR || rc == -ETIMEDOUT || rc == -EREMCHG)
		ldlm_cancel_cookie(intent->lit_ns, intent->lit_handle.h_cookie);
	if (*lockp && ldlm_client_reconnected(req))
		ldlm_client_blocking(req->rq_import, (*lockp)->l_handle.h_cookie, 0);
	ldlm_intent_free(intent);
	return rc;
}

/**
 * ldlm_intent_done() - the end of the request
 * @intent: intent, which is freed
 * @req: request
 * @buf: buffer of the reply with the lock
 * @rc: status of the request
 * @lockp: out, lock, referenced and used once; NULL: the server granted none
 *
 * A lock that the server may have granted without the client knowing is cancelled. So is one
 * that the server has revoked already: it was granted when the request came for the first time,
 * and the request that came again led to another result.
 *
 * A target that has restarted since the reply may not know the lock, if it was bound too late to be
 * replayed: such a lock is used by the caller, and not cached.
 *
 * Context: may sleep
 * Return: @rc; as ldlm_intent_bind()
 */
int ldlm_intent_done(struct ldlm_intent *intent, const struct ptlrpc_request *req,
		     unsigned int buf, int rc, struct ldlm_lock **lockp)
{
	const struct lustre_lock *answer = NULL;

	if (!rc)
		answer = ptlrpc_rep_buf(req, buf, sizeof(*answer));
	return intent_done(intent, req, answer, rc, lockp);
}
EXPORT_SYMBOL_NS_GPL(ldlm_intent_done, LUSTRE_LITE);

/* The client's cookie of the lock that it may get. Any context. */
u64 ldlm_intent_cookie(const struct ldlm_intent *intent)
{
	return intent->lit_handle.h_cookie;
}
EXPORT_SYMBOL_NS_GPL(ldlm_intent_cookie, LUSTRE_LITE);

/**
 * ldlm_intent_done_one() - the end of a request that has asked for many locks
 * @intent: one of them, of type LDLM_IBITS; it is freed
 * @req: request, answered with status 0
 * @id: resource of the lock
 * @server: the server's cookie of the lock
 * @bits: bits that it has; 0: the server granted none
 * @lockp: out, lock, referenced and used once, or NULL
 *
 * Context: may sleep
 * Return: 0; as ldlm_intent_bind()
 */
int ldlm_intent_done_one(struct ldlm_intent *intent, const struct ptlrpc_request *req,
			 const struct ldlm_res_id *id, u64 server, u64 bits,
			 struct ldlm_lock **lockp)
{
	const struct ldlm_policy policy = { .ibits = { .bits = bits } };
	struct lustre_lock answer = {
		.wl_client = cpu_to_le64(intent->lit_handle.h_cookie),
		.wl_server = cpu_to_le64(server),
		.wl_type = cpu_to_le32(LDLM_IBITS),
		.wl_req_mode = cpu_to_le32(intent->lit_mode),
		.wl_granted_mode = cpu_to_le32(intent->lit_mode),
	};

	if (!bits)
		return intent_done(intent, req, NULL, 0, lockp);
	ldlm_res_to_wire(id, &answer);
	wire_policy_encode(&answer, &policy);
	return intent_done(intent, req, &answer, 0, lockp);
}
EXPORT_SYMBOL_NS_GPL(ldlm_intent_done_one, LUSTRE_LITE);

/**
 * ldlm_intents_drop() - a request that asks for many locks has failed, or was not sent
 * @intents: the locks, of one device, which are freed
 * @count: their number, at most LDLM_CANCEL_MAX
 *
 * Without memory for the cancel, locks that the server has granted end at their first AST.
 *
 * Context: may sleep
 */
void ldlm_intents_drop(struct ldlm_intent **intents, unsigned int count)
{
	__le64 *cookies = count ? kmalloc_array(count, sizeof(*cookies), GFP_NOFS) : NULL;
	unsigned int n;

	for (n = 0; n < count; n++) {
		intent_end(intents[n]);
		if (cookies)
			cookies[n] = cpu_to_le64(intents[n]->lit_handle.h_cookie);
	}
	if (cookies)
		ldlm_cancel_cookies(intents[0]->lit_ns, cookies, count);
	kfree(cookies);
	for (n = 0; n < count; n++)
		ldlm_intent_free(intents[n]);
}
EXPORT_SYMBOL_NS_GPL(ldlm_intents_drop, LUSTRE_LITE);

/**
 * ldlm_intent_blocking() - a blocking AST came, perhaps before the reply
 * @imp: import to that server
 * @client: the client's cookie
 * @bits: IBITS: bits that others wait for; 0: all of the lock
 *
 * Context: any but an interrupt
 * Return: 0: it is noted; -ENOENT: there is no such intent, or it has ended
 */
int ldlm_intent_blocking(struct obd_import *imp, u64 client, u64 bits)
{
	struct ldlm_intent *intent = intent_find(imp, client);
	int rc = -ENOENT;

	if (!intent)
		return rc;
	spin_lock(&intent->lit_lock);
	if (!intent->lit_ended) {
		intent->lit_wanted |= bits ?: ~0ULL;
		rc = 0;
	}
	spin_unlock(&intent->lit_lock);
	intent_put(intent);
	return rc;
}

/* Whether a reply may still bind that cookie. Any context but an interrupt. */
bool ldlm_intent_exists(struct obd_import *imp, u64 client)
{
	struct ldlm_intent *intent = intent_find(imp, client);
	bool exists;

	if (!intent)
		return false;
	exists = !READ_ONCE(intent->lit_ended);
	intent_put(intent);
	return exists;
}
