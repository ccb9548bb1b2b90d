// SPDX-License-Identifier: GPL-2.0
/*
 * A server's locks: enqueue and cancel, over the wire and by call, and the end of a
 * client. Nothing here waits: a client that cannot have a lock now is told so, and a
 * callback follows.
 */
#define DEBUG_SUBSYSTEM S_LDLM

#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "ldlm_internal.h"

/*
 * A server that is taken down takes its clients' locks away one after the other.
 * The clients do not hear of that, and have them still when it starts again: none
 * of them goes to somebody else.
 */
static void next_in_queue(struct ldlm_resource *res)
{
	LIST_HEAD(todo);

	if (libcfs_active_is_dead(&res->r_ns->ns_obd->obd_active))
		return;
	spin_lock(&res->r_lock);
	ldlm_queue_next(res, &todo);
	spin_unlock(&res->r_lock);
	ldlm_callbacks_send(&todo);
}

/**
 * ldlm_server_drop() - a lock is no more, whoever wanted that; others go on
 * @lock: lock that the caller holds; one that is gone already is fine
 *
 * Context: may sleep for memory
 */
void ldlm_server_drop(struct ldlm_lock *lock)
{
	if (!ldlm_lock_destroy(lock))
		return;
	ldlm_export_detach(lock);
	ldlm_paid(lock, LDLM_LF_OWES_CANCEL);
	ldlm_paid(lock, LDLM_LF_OWES_ANSWER);
	next_in_queue(lock->l_resource);
	class_export_lock_put(lock->l_export);
}
EXPORT_SYMBOL_NS_GPL(ldlm_server_drop, LUSTRE_LITE);

static int ask_refused(const struct ldlm_namespace *ns,
		       const struct obd_export *exp, const struct ldlm_ask *ask,
		       const char *what, int rc)
{
	CERROR("%s: client %s asks for mode %#x, type %u, flags %#x: %s: rc = %d\n",
	       ns->ns_name, exp->exp_client_uuid.uuid, ask->mode, ask->type,
	       ask->flags, what, rc);
	return rc;
}

/* What a peer may ask for at all. */
static int ask_check(const struct ldlm_namespace *ns,
		     const struct obd_export *exp, const struct ldlm_ask *ask)
{
	const u32 flags = LDLM_FL_BLOCK_NOWAIT | LDLM_FL_REPLAY;

	if (!ldlm_mode_is_one(ask->mode))
		return ask_refused(ns, exp, ask, "that is no mode", -EINVAL);
	if (ask->flags & ~flags)
		return ask_refused(ns, exp, ask, "unknown flags", -EINVAL);
	if (ask->flags & LDLM_FL_REPLAY && !ldlm_mode_is_one(ask->granted))
		return ask_refused(ns, exp, ask, "no mode is replayed",
				   -EINVAL);
	return 0;
}

static struct ldlm_resource *ask_resource(struct ldlm_namespace *ns,
					  const struct obd_export *exp,
					  const struct ldlm_ask *ask)
{
	const struct ldlm_type_ops *type = ldlm_type_get(ask->type);
	struct ldlm_resource *res;
	int rc;

	if (!type)
		return ERR_PTR(ask_refused(ns, exp, ask,
					   "there is no such type",
					   -EOPNOTSUPP));
	if (type->lt_check(&ask->policy))
		res = ldlm_resource_make(ns, type, &ask->res);
	else
		res = ERR_PTR(-EINVAL);
	ldlm_type_put(type);
	rc = PTR_ERR_OR_ZERO(res);
	if (rc == -EINVAL)
		ask_refused(ns, exp, ask,
			    "the policy, or the resource, is not of that type",
			    rc);
	return res;
}

/* A new lock of the client; what it comes to is not decided. */
static struct ldlm_lock *lock_begin(struct ldlm_namespace *ns,
				    struct obd_export *exp,
				    const struct ldlm_ask *ask)
{
	struct ldlm_resource *res = ask_resource(ns, exp, ask);
	struct ldlm_lock *lock;
	int rc;

	if (IS_ERR(res))
		return ERR_CAST(res);
	lock = ldlm_lock_new(res, ask->mode, &ask->policy);
	ldlm_resource_put(res);
	if (IS_ERR(lock))
		return lock;
	lock->l_remote = ask->client;
	rc = ldlm_export_attach(lock, exp);
	if (!rc)
		return lock;
	ldlm_server_drop(lock);
	ldlm_lock_put(lock);
	return ERR_PTR(rc);
}

/* A replay that comes when nobody waits for one gets what is free. */
static int lock_replay(struct ldlm_lock *lock, const struct ldlm_ask *ask,
		       bool recovers, struct list_head *todo)
{
	int rc;

	if (recovers)
		return ldlm_queue_replayed(lock, ask->granted);
	lock->l_req_mode = ask->granted;
	rc = ldlm_queue_enter(lock, LDLM_FL_BLOCK_NOWAIT, todo);
	return rc == -EWOULDBLOCK ? -ESTALE : rc;
}

static int lock_decide(struct ldlm_lock *lock, const struct ldlm_ask *ask,
		       struct lustre_lock *answer, struct list_head *todo)
{
	bool recovers = target_in_recovery(lock->l_export->exp_obd);
	int rc;

	spin_lock(ldlm_lock_lock(lock));
	if (lock->l_state != LOCK_NEW)
		rc = -ENOTCONN;
	else if (ask->flags & LDLM_FL_REPLAY)
		rc = lock_replay(lock, ask, recovers, todo);
	else
		rc = ldlm_queue_enter(lock, ask->flags, todo);
	ldlm_lock_to_wire(lock, answer, LDLM_SERVER);
	spin_unlock(ldlm_lock_lock(lock));
	if (rc > 0)
		answer->wl_flags = cpu_to_le32(LDLM_FL_BLOCK_GRANTED);
	return min_t(int, rc, 0);
}

static bool is_lock_of_ask(const struct ldlm_namespace *ns,
			   const struct ldlm_lock *lock,
			   const struct ldlm_ask *ask)
{
	return ldlm_lock_ns(lock) == ns &&
	       !memcmp(&lock->l_resource->r_id, &ask->res, sizeof(ask->res));
}

/*
 * The client has a lock of that cookie: it asks again, as it lost its connection
 * before the answer came. It is told what became of the lock, as the first time.
 */
static int lock_again(struct ldlm_namespace *ns, struct obd_export *exp,
		      const struct ldlm_ask *ask, struct lustre_lock *answer)
{
	struct ldlm_lock *lock = ldlm_export_lock(exp, ask->client);
	int rc = 0;

	/* It is being cancelled. */
	if (!lock)
		return -ESTALE;
	if (!is_lock_of_ask(ns, lock, ask)) {
		ldlm_lock_put(lock);
		return ask_refused(ns, exp, ask,
				   "the cookie is that of another of its locks",
				   -EEXIST);
	}
	spin_lock(ldlm_lock_lock(lock));
	ldlm_lock_to_wire(lock, answer, LDLM_SERVER);
	if (lock->l_state == LOCK_WAITING && !(ask->flags & LDLM_FL_REPLAY))
		answer->wl_flags = cpu_to_le32(LDLM_FL_BLOCK_GRANTED);
	else if (!ldlm_lock_is_granted(lock))
		rc = -ESTALE;
	spin_unlock(ldlm_lock_lock(lock));
	ldlm_lock_put(lock);
	return rc;
}

/**
 * ldlm_server_enqueue() - a client asks for a lock
 * @ns: namespace
 * @exp: client; the caller holds it
 * @ask: what it asks for, of whatever origin
 * @answer: out, the lock: LDLM_FL_BLOCK_GRANTED when it waits
 *
 * Context: may sleep for memory, and waits for nobody
 * Return: 0; -EWOULDBLOCK with LDLM_FL_BLOCK_NOWAIT; -ESTALE for a replay of what
 * another client has; -EEXIST for the cookie of another lock of the client; -EINVAL,
 * -EOPNOTSUPP for what cannot be asked for; -ENOLCK for a client that has too many; -ENOTCONN when it is gone; -ENOMEM
 */
int ldlm_server_enqueue(struct ldlm_namespace *ns, struct obd_export *exp,
			const struct ldlm_ask *ask, struct lustre_lock *answer)
{
	int rc = ask_check(ns, exp, ask);
	struct ldlm_lock *lock;
	LIST_HEAD(todo);

	if (rc)
		return rc;
	lock = lock_begin(ns, exp, ask);
	if (lock == ERR_PTR(-EEXIST))
		return lock_again(ns, exp, ask, answer);
	if (IS_ERR(lock))
		return PTR_ERR(lock);
	rc = lock_decide(lock, ask, answer, &todo);
	ldlm_callbacks_send(&todo);
	if (rc)
		ldlm_server_drop(lock);
	ldlm_lock_put(lock);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(ldlm_server_enqueue, LUSTRE_LITE);

/* A lock by its cookie, referenced; those of others are none. */
static struct ldlm_lock *lock_by_cookie(struct ldlm_namespace *ns,
					const struct obd_export *exp,
					u64 cookie)
{
	struct ldlm_lock *lock = cookie ? ldlm_lock_find(cookie) : NULL;

	if (!lock || (ldlm_lock_ns(lock) == ns && lock->l_export == exp))
		return lock;
	CDEBUG(D_DLMTRACE, "%s: client %s names a lock that is not its own\n",
	       ns->ns_name, exp->exp_client_uuid.uuid);
	ldlm_lock_put(lock);
	return NULL;
}

static struct ldlm_lock *lock_of_client(struct ldlm_namespace *ns,
					struct obd_export *exp, u64 server,
					u64 client)
{
	struct ldlm_lock *lock = lock_by_cookie(ns, exp, server);

	return lock || !client ? lock : ldlm_export_lock(exp, client);
}

/**
 * ldlm_server_cancel() - a client gives a lock back
 * @ns: namespace
 * @exp: client; the caller holds it
 * @server: the server's cookie, or 0
 * @client: the client's cookie, or 0
 *
 * Context: as ldlm_server_enqueue()
 * Return: whether it had such a lock
 */
bool ldlm_server_cancel(struct ldlm_namespace *ns, struct obd_export *exp,
			u64 server, u64 client)
{
	struct ldlm_lock *lock = lock_of_client(ns, exp, server, client);

	if (!lock)
		return false;
	ldlm_server_drop(lock);
	ldlm_lock_put(lock);
	return true;
}
EXPORT_SYMBOL_NS_GPL(ldlm_server_cancel, LUSTRE_LITE);

static struct ldlm_lock *first_of_resource(struct ldlm_resource *res)
{
	struct ldlm_lock *lock;

	spin_lock(&res->r_lock);
	lock = list_first_entry_or_null(&res->r_waiting, struct ldlm_lock,
					l_res_item) ?:
	       list_first_entry_or_null(&res->r_granted, struct ldlm_lock,
					l_res_item);
	if (lock)
		ldlm_lock_get(lock);
	spin_unlock(&res->r_lock);
	return lock;
}

/**
 * ldlm_server_namespace_end() - all locks go
 * @ns: namespace of a server
 *
 * Those that wait go first, so that none is granted on the way.
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
EXPORT_SYMBOL_NS_GPL(ldlm_server_namespace_end, LUSTRE_LITE);

/**
 * ldlm_server_revoke() - have locks given back though nobody wants them
 * @obd: device that has a server's namespace and is set up
 * @res: resource
 * @mode: of locks of this mode
 * @max: so many of those that were not asked yet, the oldest first
 *
 * How a service tells those who have such a lock that something changed: they give
 * it back, and ask for it again.
 *
 * Context: may sleep for memory, and waits for nobody
 * Return: how many are asked
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

static void ask_from_wire(const struct lustre_lock *from, struct ldlm_ask *ask)
{
	ask->type = le32_to_cpu(from->wl_type);
	ask->flags = le32_to_cpu(from->wl_flags);
	ask->mode = le32_to_cpu(from->wl_req_mode);
	ask->granted = le32_to_cpu(from->wl_granted_mode);
	ask->client = le64_to_cpu(from->wl_client);
	ldlm_res_from_wire(from, &ask->res);
	ldlm_policy_from_wire(from, &ask->policy);
}

/* The namespace of the client's target, which is there while its export is. */
static struct ldlm_namespace *request_namespace(struct ptlrpc_svc_req *sr)
{
	struct obd_device *obd = sr->sr_exp->exp_obd;
	struct ldlm_namespace *ns = ldlm_namespace_of_obd(obd, LDLM_SERVER);

	if (!ns)
		CERROR("%s: client %s asks for locks, and it has none to give: rc = %d\n",
		       obd->obd_name, sr->sr_exp->exp_client_uuid.uuid,
		       -EOPNOTSUPP);
	return ns;
}

static int handle_enqueue(struct ptlrpc_svc_req *sr)
{
	struct ldlm_namespace *ns = request_namespace(sr);
	const struct lustre_lock *from;
	struct lustre_lock *answer;
	struct ldlm_ask ask;

	if (!ns)
		return -EOPNOTSUPP;
	from = wire_buf(&sr->sr_msg, 0, sizeof(*from));
	if (!from)
		return -EPROTO;
	/* Before anything is done: no lock is given that nobody is told of. */
	answer = ptlrpc_svc_rep_buf(sr, 0);
	if (!answer)
		return -ENOMEM;
	ask_from_wire(from, &ask);
	return ldlm_server_enqueue(ns, sr->sr_exp, &ask, answer);
}

/* Cookies in a buffer; -EPROTO for what is not a number of them. */
static int cancel_count(const struct ptlrpc_svc_req *sr, unsigned int buf)
{
	u32 bytes = buf < sr->sr_msg.bufcount ? sr->sr_msg.buflens[buf] : 0;

	if (bytes % sizeof(__le64) || bytes / sizeof(__le64) > LDLM_CANCEL_MAX)
		return -EPROTO;
	return bytes / sizeof(__le64);
}

/* Locks that the client does not have are no error: they went on another way. */
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

/**
 * ldlm_server_init() - hear cancels
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int ldlm_server_init(void)
{
	cancel_service = ptlrpc_register_service(&cancel_conf);
	return PTR_ERR_OR_ZERO(cancel_service);
}

/**
 * ldlm_server_exit() - hear none any more
 *
 * Context: may sleep
 */
void ldlm_server_exit(void)
{
	ptlrpc_unregister_service(cancel_service);
}

static struct ldlm_namespace *target_namespace_new(struct obd_device *obd)
{
	return ldlm_namespace_new(obd, LDLM_SERVER);
}

const struct target_lock_ops ldlm_target_ops = {
	.tl_enqueue		= handle_enqueue,
	.tl_export_gone		= ldlm_export_gone,
	.tl_namespace_new	= target_namespace_new,
	.tl_namespace_free	= ldlm_namespace_free,
};
