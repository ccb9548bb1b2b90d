// SPDX-License-Identifier: GPL-2.0-only
/*
 * A server's locks: enqueue and cancel, over the wire and by call, and the end
 * of a client. Nothing here waits: a lock that cannot be granted now is
 * answered with LDLM_FL_BLOCK_GRANTED, and a completion AST follows.
 */
#define DEBUG_SUBSYSTEM S_LDLM

#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "ldlm_internal.h"

static void next_in_queue(const struct ldlm_lock *gone)
{
	struct ldlm_resource *res = gone->l_resource;
	LIST_HEAD(todo);

	spin_lock(&res->r_lock);
	ldlm_queue_next(gone, &todo);
	spin_unlock(&res->r_lock);
	ldlm_callbacks_send(&todo);
}

/**
 * ldlm_server_drop() - destroy a lock and grant waiting ones
 * @lock: lock that the caller holds; may be destroyed already
 *
 * Context: may sleep for memory
 */
void ldlm_server_drop(struct ldlm_lock *lock)
{
	if (lock->l_resource->r_type == LDLM_FLOCK) {
		ldlm_flock_drop(lock);
		return;
	}
	if (!ldlm_lock_destroy(lock))
		return;
	if (lock->l_export)
		ldlm_export_detach(lock);
	ldlm_waiting_lock_del(lock, LDLM_LF_BL_PENDING);
	ldlm_waiting_lock_del(lock, LDLM_LF_CP_PENDING);
	ldlm_waiting_lock_del(lock, LDLM_LF_GL_PENDING);
	next_in_queue(lock);
	if (lock->l_export)
		class_export_lock_put(lock->l_export);
}
EXPORT_FOR_KUNIT(ldlm_server_drop);

static int enqueue_reject(const struct ldlm_namespace *ns,
			  const struct obd_export *exp, const struct ldlm_enqueue *enq,
			  const char *what, int rc)
{
	CERROR("%s: client %s requests mode %#x, type %u, flags %#x: %s: rc = %d\n",
	       ns->ns_name, exp->exp_client_uuid.uuid, enq->mode, enq->type,
	       enq->flags, what, rc);
	return rc;
}

/* A replayed lock was granted: no bit of it is optional. */
static bool has_optional(const struct ldlm_enqueue *enq)
{
	return enq->type == LDLM_IBITS && enq->policy.ibits.try_bits;
}

static bool mode_is_valid(const struct ldlm_enqueue *enq)
{
	if (enq->type == LDLM_FLOCK && !(enq->mode & (LCK_PR | LCK_PW | LCK_NL)))
		return false;
	return ldlm_mode_is_one(enq->mode);
}

static u32 known_flags(const struct ldlm_enqueue *enq)
{
	u32 flags = LDLM_FL_BLOCK_NOWAIT | LDLM_FL_REPLAY;

	if (enq->type == LDLM_EXTENT)
		flags |= LDLM_FL_NO_EXPANSION;
	if (enq->type == LDLM_EXTENT && enq->mode == LCK_PR)
		flags |= LDLM_FL_GLIMPSE;
	if (enq->type == LDLM_FLOCK && enq->mode != LCK_NL)
		flags |= LDLM_FL_TEST;
	return flags;
}

static bool policy_is_valid(const struct ldlm_enqueue *enq)
{
	return enq->type == LDLM_FLOCK ? wire_flock_is_valid(&enq->policy) :
					 wire_policy_is_valid(enq->type, &enq->policy);
}

/* Validate an enqueue from a peer. */
static int enqueue_check(const struct ldlm_namespace *ns,
			 const struct obd_export *exp, const struct ldlm_enqueue *enq)
{
	if (!mode_is_valid(enq))
		return enqueue_reject(ns, exp, enq, "invalid mode", -EINVAL);
	if (enq->flags & ~known_flags(enq))
		return enqueue_reject(ns, exp, enq,
				      "unknown flags for that type", -EINVAL);
	if (enq->flags & LDLM_FL_REPLAY && !ldlm_mode_is_one(enq->granted))
		return enqueue_reject(ns, exp, enq, "replay without a granted mode",
				      -EINVAL);
	if (!wire_lock_type_is_known(enq->type))
		return enqueue_reject(ns, exp, enq, "unknown type", -EOPNOTSUPP);
	if (!policy_is_valid(enq) ||
	    (enq->flags & LDLM_FL_REPLAY && has_optional(enq)))
		return enqueue_reject(ns, exp, enq, "invalid policy for that type",
				      -EINVAL);
	return 0;
}

/**
 * ldlm_server_lock_new() - a new lock of a client, not queued yet
 * @ns: namespace
 * @exp: client; the caller holds it
 * @enq: request, valid
 *
 * Context: may sleep for memory
 * Return: lock in LOCK_NEW, for ldlm_lock_put(), and ldlm_server_drop() before if it is
 *  not queued; as ldlm_export_attach(); -EINVAL for a resource of another type
 */
struct ldlm_lock *ldlm_server_lock_new(struct ldlm_namespace *ns, struct obd_export *exp,
				       const struct ldlm_enqueue *enq)
{
	struct ldlm_resource *res = ldlm_resource_make(ns, enq->type, &enq->res);
	struct ldlm_lock *lock;
	int rc;

	if (res == ERR_PTR(-EINVAL))
		enqueue_reject(ns, exp, enq, "the resource is of another type",
			       -EINVAL);
	if (IS_ERR(res))
		return ERR_CAST(res);
	rc = ldlm_lvb_init(res);
	lock = rc ? ERR_PTR(rc) : ldlm_lock_new(res, enq->mode, &enq->policy);
	ldlm_resource_put(res);
	if (IS_ERR(lock))
		return lock;
	lock->l_remote = enq->client;
	if (enq->flags & (LDLM_FL_NO_EXPANSION | LDLM_FL_REPLAY))
		__set_bit(LDLM_LF_EXACT, &lock->l_flags);
	rc = ldlm_export_attach(lock, exp);
	if (!rc)
		return lock;
	ldlm_server_drop(lock);
	ldlm_lock_put(lock);
	return ERR_PTR(rc);
}
EXPORT_FOR_KUNIT(ldlm_server_lock_new);

/* A replay outside of recovery is granted if no lock conflicts. */
static int lock_replay(struct ldlm_lock *lock, const struct ldlm_enqueue *enq,
		       bool recovers, struct list_head *todo)
{
	int rc;

	if (recovers)
		return ldlm_queue_replayed(lock, enq->granted);
	lock->l_req_mode = enq->granted;
	rc = ldlm_queue_enter(lock, LDLM_FL_BLOCK_NOWAIT, todo);
	return rc == -EWOULDBLOCK ? -ESTALE : rc;
}

static void answer_fill(const struct ldlm_lock *lock, const struct ldlm_enqueue *enq,
			struct lustre_lock *answer)
{
	ldlm_lock_to_wire(lock, answer, LDLM_SERVER);
	if (enq->lvb && !ldlm_lvb_grant(lock, enq->lvb))
		answer->wl_flags |= cpu_to_le32(LDLM_FL_NO_LVB);
}

static int lock_decide(struct ldlm_lock *lock, const struct ldlm_enqueue *enq,
		       struct lustre_lock *answer, struct list_head *todo)
{
	bool recovers = target_in_recovery(lock->l_export->exp_obd);
	int rc;

	spin_lock(ldlm_lock_lock(lock));
	if (lock->l_state != LOCK_NEW)
		rc = -ENOTCONN;
	else if (enq->flags & LDLM_FL_REPLAY)
		rc = lock_replay(lock, enq, recovers, todo);
	else
		rc = ldlm_queue_enter(lock, enq->flags, todo);
	answer_fill(lock, enq, answer);
	spin_unlock(ldlm_lock_lock(lock));
	if (rc > 0)
		answer->wl_flags |= cpu_to_le32(LDLM_FL_BLOCK_GRANTED);
	return min_t(int, rc, 0);
}

/**
 * ldlm_server_same() - the lock that an enqueue made when it came before
 * @ns: namespace
 * @exp: client
 * @enq: request, of a type that the resource has
 *
 * Context: any
 * Return: lock, referenced; ERR_PTR: -ESTALE if it is gone; -EEXIST if its cookie is that of a lock
 *  of another resource
 */
struct ldlm_lock *ldlm_server_same(struct ldlm_namespace *ns, struct obd_export *exp,
				   const struct ldlm_enqueue *enq)
{
	struct ldlm_lock *lock = ldlm_export_lock(exp, enq->client);

	if (!lock)
		return ERR_PTR(-ESTALE);
	if (ldlm_lock_ns(lock) == ns &&
	    !memcmp(&lock->l_resource->r_id, &enq->res, sizeof(enq->res)))
		return lock;
	ldlm_lock_put(lock);
	return ERR_PTR(-EEXIST);
}

/**
 * ldlm_server_again() - the client has a lock of that cookie
 * @ns: namespace
 * @exp: client
 * @enq: request, valid
 * @answer: out, the lock
 *
 * The client repeats the enqueue, as its connection was lost before the answer. It gets
 * the same answer as the first time.
 *
 * Context: any but an interrupt
 * Return: 0; -EINPROGRESS while the first request is being handled, and the client sends it again;
 *  -ESTALE if the lock is gone; -EEXIST if it is one of another resource
 */
int ldlm_server_again(struct ldlm_namespace *ns, struct obd_export *exp,
		      const struct ldlm_enqueue *enq, struct lustre_lock *answer)
{
	struct ldlm_lock *lock = ldlm_server_same(ns, exp, enq);
	int rc = 0;

	if (lock == ERR_PTR(-EEXIST))
		enqueue_reject(ns, exp, enq, "the cookie is that of another of its locks",
			       -EEXIST);
	if (IS_ERR(lock))
		return PTR_ERR(lock);
	spin_lock(ldlm_lock_lock(lock));
	answer_fill(lock, enq, answer);
	if (lock->l_state == LOCK_NEW)
		rc = -EINPROGRESS;
	else if (lock->l_state == LOCK_WAITING && !(enq->flags & LDLM_FL_REPLAY))
		answer->wl_flags = cpu_to_le32(LDLM_FL_BLOCK_GRANTED);
	else if (!ldlm_lock_is_granted(lock))
		rc = -ESTALE;
	spin_unlock(ldlm_lock_lock(lock));
	ldlm_lock_put(lock);
	return rc;
}

/**
 * ldlm_server_enqueue() - handle an enqueue
 * @ns: namespace
 * @exp: client; the caller holds it
 * @enq: request, not validated
 * @answer: out, the lock: LDLM_FL_BLOCK_GRANTED if it waits
 *
 * Context: may sleep for memory, does not wait for peers
 * Return: 0; -EWOULDBLOCK with LDLM_FL_BLOCK_NOWAIT; -ESTALE for a replay that
 *  conflicts with a lock of another client; -EEXIST for the cookie of another
 *  lock of the client; -EINPROGRESS as ldlm_server_again(); -EINVAL, -EOPNOTSUPP for an invalid
 *  request; -ENOLCK for a client with too many locks; -ENOTCONN if it has disconnected; -ESHUTDOWN
 *  if the server stops; -ENOMEM
 */
int ldlm_server_enqueue(struct ldlm_namespace *ns, struct obd_export *exp,
			const struct ldlm_enqueue *enq, struct lustre_lock *answer)
{
	int rc = enqueue_check(ns, exp, enq);
	struct ldlm_lock *lock;
	LIST_HEAD(todo);

	if (rc)
		return rc;
	if (enq->type == LDLM_FLOCK)
		return ldlm_flock_enqueue(ns, exp, enq, answer);
	lock = ldlm_server_lock_new(ns, exp, enq);
	if (lock == ERR_PTR(-EEXIST))
		return ldlm_server_again(ns, exp, enq, answer);
	if (IS_ERR(lock))
		return PTR_ERR(lock);
	rc = lock_decide(lock, enq, answer, &todo);
	ldlm_callbacks_send(&todo);
	if (rc)
		ldlm_server_drop(lock);
	ldlm_lock_put(lock);
	return rc;
}
EXPORT_FOR_KUNIT(ldlm_server_enqueue);

/*
 * A lock of the client by its cookie, referenced; locks of others are not
 * found.
 */
static struct ldlm_lock *lock_by_cookie(struct ldlm_namespace *ns,
					const struct obd_export *exp,
					u64 cookie)
{
	struct ldlm_lock *lock = cookie ? ldlm_lock_find(cookie) : NULL;

	if (!lock || (ldlm_lock_ns(lock) == ns && lock->l_export == exp))
		return lock;
	CDEBUG(D_DLMTRACE, "%s: client %s names a lock of another client\n",
	       ns->ns_name, exp->exp_client_uuid.uuid);
	ldlm_lock_put(lock);
	return NULL;
}

/**
 * ldlm_server_lock() - a lock that a client names
 * @ns: namespace
 * @exp: client
 * @server: the server's cookie, or 0; not validated
 * @client: the client's cookie, or 0; not validated
 *
 * Context: any
 * Return: lock, referenced; NULL if the client has none of these cookies
 */
struct ldlm_lock *ldlm_server_lock(struct ldlm_namespace *ns, struct obd_export *exp,
				   u64 server, u64 client)
{
	struct ldlm_lock *lock = lock_by_cookie(ns, exp, server);

	return lock || !client ? lock : ldlm_export_lock(exp, client);
}

/**
 * ldlm_server_cancel() - handle a cancel
 * @ns: namespace
 * @exp: client; the caller holds it
 * @server: the server's cookie, or 0
 * @client: the client's cookie, or 0
 *
 * Context: as ldlm_server_enqueue()
 * Return: true if it had such a lock
 */
bool ldlm_server_cancel(struct ldlm_namespace *ns, struct obd_export *exp,
			u64 server, u64 client)
{
	struct ldlm_lock *lock = ldlm_server_lock(ns, exp, server, client);

	if (!lock)
		return false;
	if (lock->l_resource->r_type == LDLM_FLOCK)
		ldlm_flock_cancel(lock);
	else
		ldlm_server_drop(lock);
	ldlm_lock_put(lock);
	return true;
}
EXPORT_FOR_KUNIT(ldlm_server_cancel);

static struct ldlm_lock *first_of_resource(struct ldlm_resource *res)
{
	struct ldlm_lock *lock;

	spin_lock(&res->r_lock);
	lock = list_first_entry_or_null(&res->r_waiting.lset_locks,
					struct ldlm_lock, l_res_item) ?:
	       list_first_entry_or_null(&res->r_granted.lset_locks,
					struct ldlm_lock, l_res_item);
	if (lock)
		ldlm_lock_get(lock);
	spin_unlock(&res->r_lock);
	return lock;
}

/**
 * ldlm_server_namespace_end() - drop all locks
 * @ns: namespace of a server
 *
 * Waiting locks go first, so that none is granted.
 *
 * Context: may sleep for memory
 */
void ldlm_server_namespace_end(struct ldlm_namespace *ns)
{
	struct ldlm_resource *res = NULL;
	struct ldlm_lock *lock;

	while ((res = ldlm_resource_next(ns, res))) {
		while ((lock = first_of_resource(res))) {
			ldlm_server_drop(lock);
			ldlm_lock_put(lock);
		}
	}
}
EXPORT_FOR_KUNIT(ldlm_server_namespace_end);

/**
 * ldlm_server_revoke() - revoke locks that no lock conflicts with
 * @obd: device that has a server's namespace and is set up
 * @res: resource
 * @mode: mode of these locks
 * @max: most of those without a blocking AST, the oldest first
 *
 * Revoking a lock notifies its holder of a change: the client cancels it and
 * enqueues it again.
 *
 * Context: may sleep for memory, does not wait for peers
 * Return: number of blocking ASTs
 */
unsigned int ldlm_server_revoke(struct obd_device *obd,
				const struct ldlm_res_id *res, u32 mode,
				unsigned int max)
{
	struct ldlm_namespace *ns = ldlm_namespace_of_obd(obd, LDLM_SERVER);
	struct ldlm_resource *resource;
	unsigned int count;
	LIST_HEAD(todo);

	resource = ns ? ldlm_resource_find(ns, res) : NULL;
	if (!resource)
		return 0;
	spin_lock(&resource->r_lock);
	count = ldlm_queue_revoke(resource, mode, max, &todo);
	spin_unlock(&resource->r_lock);
	ldlm_callbacks_send(&todo);
	ldlm_resource_put(resource);
	return count;
}
EXPORT_SYMBOL_NS_GPL(ldlm_server_revoke, LUSTRE_LITE);

/* Buffers of LDLM_CANCEL: the server's cookies, and the client's. */
#define CANCEL_BUFS	2

#define CANCEL_THREADS_MIN	2
#define CANCEL_THREADS_MAX	32

static void enqueue_from_wire(const struct lustre_lock *from, struct ldlm_enqueue *enq)
{
	enq->type = le32_to_cpu(from->wl_type);
	enq->flags = le32_to_cpu(from->wl_flags);
	enq->mode = le32_to_cpu(from->wl_req_mode);
	enq->granted = le32_to_cpu(from->wl_granted_mode);
	enq->client = le64_to_cpu(from->wl_client);
	ldlm_res_from_wire(from, &enq->res);
	wire_policy_decode(from, &enq->policy);
	enq->lvb = NULL;
}

/* The namespace of the client's target, which exists as long as its export. */
static struct ldlm_namespace *request_namespace(struct ptlrpc_svc_req *sr)
{
	struct obd_device *obd = sr->sr_exp->exp_obd;
	struct ldlm_namespace *ns = ldlm_namespace_of_obd(obd, LDLM_SERVER);

	if (!ns)
		CERROR("%s: client %s requests a lock, but this device has no lock namespace: rc = %d\n",
		       obd->obd_name, sr->sr_exp->exp_client_uuid.uuid,
		       -EOPNOTSUPP);
	return ns;
}

/* Buffers of the reply: the lock, and the value of a resource that has one. */
static struct lustre_lock *answer_make(struct ptlrpc_svc_req *sr,
				       const struct ldlm_namespace *ns,
				       struct ldlm_enqueue *enq)
{
	const u32 lens[] = { sizeof(struct lustre_lock), ldlm_lvb_size(ns, enq->type) };

	if (lens[LDLM_LVB_BUF]) {
		if (ptlrpc_svc_rep_size(sr, lens, ARRAY_SIZE(lens)))
			return NULL;
		enq->lvb = ptlrpc_svc_rep_buf(sr, LDLM_LVB_BUF);
	}
	return ptlrpc_svc_rep_buf(sr, LDLM_LOCK_BUF);
}

/* A glimpse waits for other clients, and the value of a resource may be read from a disk. */
static bool enqueue_waits(const struct ptlrpc_svc_req *sr)
{
	const struct ldlm_namespace *ns = ldlm_namespace_of_obd(sr->sr_exp->exp_obd, LDLM_SERVER);
	const struct lustre_lock *from = wire_buf(&sr->sr_msg, LDLM_LOCK_BUF, sizeof(*from));

	if (!from || !ns)
		return false;
	if (from->wl_flags & cpu_to_le32(LDLM_FL_GLIMPSE))
		return true;
	return from->wl_type == cpu_to_le32(LDLM_EXTENT) && ns->ns_lvb && ns->ns_lvb->lvbo_reads;
}

static int handle_enqueue(struct ptlrpc_svc_req *sr)
{
	struct ldlm_namespace *ns = request_namespace(sr);
	const struct lustre_lock *from;
	struct lustre_lock *answer;
	struct ldlm_enqueue enq;

	if (!ns)
		return -EOPNOTSUPP;
	from = wire_buf(&sr->sr_msg, LDLM_LOCK_BUF, sizeof(*from));
	if (!from)
		return -EPROTO;
	enqueue_from_wire(from, &enq);
	/* First of all: no lock may be granted that cannot be answered. */
	answer = answer_make(sr, ns, &enq);
	if (!answer)
		return -ENOMEM;
	if (enq.flags & LDLM_FL_GLIMPSE)
		return ldlm_server_glimpse(ns, sr->sr_exp, &enq, answer);
	return ldlm_server_enqueue(ns, sr->sr_exp, &enq, answer);
}

/* Number of cookies in a buffer; -EPROTO for a partial one. */
static int cancel_count(const struct ptlrpc_svc_req *sr, unsigned int buf)
{
	u32 bytes = buf < sr->sr_msg.bufcount ? sr->sr_msg.buflens[buf] : 0;

	if (bytes % sizeof(__le64) || bytes / sizeof(__le64) > LDLM_CANCEL_MAX)
		return -EPROTO;
	return bytes / sizeof(__le64);
}

/*
 * Unknown locks are not an error: an eviction or a cancel may have dropped
 * them.
 */
static void cancel_buffer(struct ptlrpc_svc_req *sr, struct ldlm_namespace *ns,
			  unsigned int buf, unsigned int count)
{
	const __le64 *cookies = sr->sr_msg.bufs[buf];
	unsigned int n;
	u64 cookie;

	for (n = 0; n < count; n++) {
		cookie = le64_to_cpu(cookies[n]);
		ldlm_server_cancel(ns, sr->sr_exp, buf ? 0 : cookie,
				   buf ? cookie : 0);
	}
}

static int handle_cancel(struct ptlrpc_svc_req *sr)
{
	struct ldlm_namespace *ns = request_namespace(sr);
	int counts[CANCEL_BUFS];
	unsigned int n;

	if (!ns)
		return -EOPNOTSUPP;
	for (n = 0; n < CANCEL_BUFS; n++) {
		counts[n] = cancel_count(sr, n);
		if (counts[n] < 0)
			return counts[n];
	}
	for (n = 0; n < CANCEL_BUFS; n++)
		cancel_buffer(sr, ns, n, counts[n]);
	return 0;
}

static const struct ptlrpc_handler cancel_handlers[] = {
	{
		.shd_opc = LDLM_CANCEL,
		.shd_flags = SVH_EXPORT | SVH_QUICK | SVH_HIGH,
		.shd_fn = handle_cancel,
	},
	{
		.shd_opc = LDLM_CONVERT,
		.shd_flags = SVH_EXPORT | SVH_QUICK | SVH_HIGH,
		.shd_req_lens = { sizeof(struct lustre_lock) },
		.shd_fn = ldlm_handle_convert,
	},
};

static const struct ptlrpc_service_conf cancel_conf = {
	.psc_name = "ldlm_canceld",
	.psc_params = "ldlm.services.ldlm_canceld",
	.psc_portals = { LDLM_CANCEL_REQUEST_PORTAL },
	.psc_threads_min = CANCEL_THREADS_MIN,
	.psc_threads_max = CANCEL_THREADS_MAX,
	.psc_handlers = cancel_handlers,
	.psc_handler_count = ARRAY_SIZE(cancel_handlers),
};

static struct ptlrpc_service *cancel_service;

/* Register the handler of cancels. */
int ldlm_server_init(void)
{
	cancel_service = ptlrpc_register_service(&cancel_conf);
	return PTR_ERR_OR_ZERO(cancel_service);
}

/* Unregister it. */
void ldlm_server_exit(void)
{
	ptlrpc_unregister_service(cancel_service);
}

static struct ldlm_namespace *target_namespace_new(struct obd_device *obd)
{
	return ldlm_namespace_new(obd, LDLM_SERVER);
}

const struct target_lock_ops ldlm_target_ops = {
	.tlo_enqueue		= handle_enqueue,
	.tlo_enqueue_waits	= enqueue_waits,
	.tlo_export_gone	= ldlm_export_gone,
	.tlo_namespace_new	= target_namespace_new,
	.tlo_namespace_free	= ldlm_namespace_free,
};
