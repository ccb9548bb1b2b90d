// SPDX-License-Identifier: GPL-2.0
/*
 * What ptlrpc keeps of an import: the node it is connected to, how long things
 * take there, and which imports a node has.
 */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/ktime.h>
#include <linux/module.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "import_peer.h"
#include "../net/trace.h"

const struct import_lock_ops *import_locks;
struct workqueue_struct *ptlrpc_wq;

/* Guards the list and pi_peer_item; pi_lock may be taken inside. */
static DEFINE_SPINLOCK(imports_lock);
/* Imports that have a node. */
static LIST_HEAD(imports);

/* Return: the node it had, whose reference is the caller's now. */
static struct lnet_peer *change_peer(struct ptlrpc_import *pi,
				     struct lnet_peer *peer)
{
	struct lnet_peer *old;

	spin_lock(&imports_lock);
	spin_lock(&pi->pi_lock);
	old = pi->pi_peer;
	pi->pi_peer = peer;
	spin_unlock(&pi->pi_lock);
	if (!peer)
		list_del_init(&pi->pi_peer_item);
	else if (list_empty(&pi->pi_peer_item))
		list_add_tail(&pi->pi_peer_item, &imports);
	spin_unlock(&imports_lock);
	return old;
}

/**
 * ptlrpc_import_set_peer() - where an import is reached from now on
 * @imp: import that ptlrpc_import_make() was called for
 * @peer: node, of which the import takes a reference of its own; or NULL
 *
 * Context: any but interrupts; no lock of a request is held
 */
void ptlrpc_import_set_peer(struct obd_import *imp, struct lnet_peer *peer)
{
	struct lnet_peer *old;

	if (WARN_ON_ONCE(!ptlrpc_import(imp)))
		return;
	old = change_peer(ptlrpc_import(imp), peer ? lnet_peer_get(peer) : NULL);
	if (old)
		lnet_peer_put(old);
	ptlrpc_requests_import_changed(imp);
}

static void import_changed(struct obd_import *imp)
{
	if (!ptlrpc_import(imp))
		return;
	trace_ll_import_state(imp);
	ptlrpc_requests_import_changed(imp);
	replay_import_changed(imp);
	recover_import_changed(imp);
}

/* Nobody has the import any more, so no request and no work has. */
static void import_free(struct obd_import *imp)
{
	struct import_own *own = import_own(imp);
	struct lnet_peer *peer;

	if (!own)
		return;
	peer = change_peer(&own->po_import, NULL);
	if (peer)
		lnet_peer_put(peer);
	libcfs_free(own, sizeof(*own));
}

/* What was begun is void, so are the locks. */
static void import_invalidated(struct obd_import *imp)
{
	if (imp->imp_obd->obd_namespace)
		import_locks->il_invalidated(imp);
}

static void import_counts(struct obd_import *imp, struct import_counts *counts)
{
	struct ptlrpc_import *pi = ptlrpc_import(imp);
	struct ptlrpc_request *req;

	if (!pi)
		return;
	spin_lock(&pi->pi_lock);
	list_for_each_entry(req, &pi->pi_requests, rq_import_item) {
		if (READ_ONCE(req->rq_phase) == RQ_RPC)
			counts->inflight++;
		else if (READ_ONCE(req->rq_phase) == RQ_UNREGISTERING)
			counts->unregistering++;
	}
	spin_unlock(&pi->pi_lock);
}

/* Seconds since boot, as a time since 1970. */
static s64 wall_time(u64 seconds)
{
	return ktime_get_real_seconds() - (s64)(ktime_get_seconds() - seconds);
}

static void put_estimate(struct params_sink *sink, const char *name,
			 const struct adaptive_timeout *at)
{
	struct at_settings set;

	import_at_settings(&set);
	params_put_strf(sink, NULL,
			"%-10s : cur %3u  worst %3u (at %lld, %llus ago) %3u %3u %3u %3u",
			name, at_get(at, &set), at->at_worst,
			wall_time(at->at_worst_time),
			ktime_get_seconds() - at->at_worst_time,
			at->at_hist[0], at->at_hist[1], at->at_hist[2],
			at->at_hist[3]);
}

/* A copy, as text is made without a lock. */
static void copy_estimates(struct ptlrpc_import *pi,
			   struct adaptive_timeout *network,
			   struct import_at *services)
{
	spin_lock(&pi->pi_lock);
	*network = pi->pi_net_at;
	memcpy(services, pi->pi_service_at, sizeof(pi->pi_service_at));
	spin_unlock(&pi->pi_lock);
}

static void import_timeouts(struct obd_import *imp, struct params_sink *sink)
{
	struct import_at services[IMP_AT_PORTALS];
	struct ptlrpc_import *pi = ptlrpc_import(imp);
	struct adaptive_timeout network;
	char name[sizeof("portal 65535")];
	unsigned int n;

	if (!pi)
		return;
	copy_estimates(pi, &network, services);
	put_estimate(sink, "network", &network);
	for (n = 0; n < IMP_AT_PORTALS && services[n].ia_portal; n++) {
		snprintf(name, sizeof(name), "portal %u", services[n].ia_portal);
		put_estimate(sink, name, &services[n].ia_at);
	}
}

static const struct obd_import_ops import_ops = {
	.io_owner = THIS_MODULE,
	.io_changed = import_changed,
	.io_invalidated = import_invalidated,
	.io_counts = import_counts,
	.io_timeouts = import_timeouts,
	.io_free = import_free,
};

static struct import_own *import_alloc(struct obd_import *imp)
{
	struct import_own *own = libcfs_zalloc(sizeof(*own), GFP_KERNEL_ACCOUNT);
	struct ptlrpc_import *pi;

	if (!own)
		return NULL;
	pi = &own->po_import;
	pi->pi_import = imp;
	spin_lock_init(&pi->pi_lock);
	INIT_LIST_HEAD(&pi->pi_peer_item);
	INIT_LIST_HEAD(&pi->pi_requests);
	INIT_LIST_HEAD(&pi->pi_waiting);
	INIT_LIST_HEAD(&pi->pi_replay);
	at_init(&pi->pi_net_at, 0, ktime_get_seconds());
	own->po_generation = READ_ONCE(imp->imp_generation);
	own->po_used_ns = ktime_get_ns();
	recover_init_import(own);
	return own;
}

/*
 * Whoever sees imp_peer sees imp_ops too, so that no change is missed by a
 * request. The module stays as long as the import, which calls its ops in the end.
 */
static void import_follow(struct obd_import *imp)
{
	if (cmpxchg(&imp->imp_ops, NULL, &import_ops))
		return;
	__module_get(THIS_MODULE);
}

/**
 * ptlrpc_import_make() - begin to use an import over the network
 * @imp: import; the caller holds it
 *
 * Context: may sleep
 * Return: what is kept of it, the same for all who ask; NULL for want of memory
 */
struct ptlrpc_import *ptlrpc_import_make(struct obd_import *imp)
{
	struct ptlrpc_import *pi = ptlrpc_import(imp);
	struct import_own *own;

	if (pi)
		return pi;
	own = import_alloc(imp);
	if (!own)
		return NULL;
	import_follow(imp);
	if (!cmpxchg(&imp->imp_peer, NULL, &own->po_import))
		return &own->po_import;
	libcfs_free(own, sizeof(*own));
	return ptlrpc_import(imp);
}

/**
 * ptlrpc_import_conn() - the connection that requests of an import go out on
 * @imp: import
 *
 * Context: any task
 * Return: an open connection, referenced, or NULL
 */
struct lnet_conn *ptlrpc_import_conn(struct obd_import *imp)
{
	struct ptlrpc_import *pi = ptlrpc_import(imp);
	struct lnet_peer *peer = NULL;
	struct lnet_conn *conn;

	if (!pi)
		return NULL;
	spin_lock(&pi->pi_lock);
	if (pi->pi_peer)
		peer = lnet_peer_get(pi->pi_peer);
	spin_unlock(&pi->pi_lock);
	if (!peer)
		return NULL;
	conn = lnet_peer_conn(peer);
	lnet_peer_put(peer);
	return conn;
}

static bool peer_has_conn(struct lnet_peer *peer)
{
	struct lnet_conn *conn = lnet_peer_conn(peer);
	bool open;

	if (!conn)
		return false;
	open = lnet_conn_is_open(conn);
	lnet_conn_put(conn);
	return open;
}

/**
 * ptlrpc_imports_conn_closed() - a connection has ended
 * @conn: connection
 *
 * Imports of its node begin to recover, unless there is another connection.
 *
 * Context: may sleep
 */
void ptlrpc_imports_conn_closed(struct lnet_conn *conn)
{
	struct ptlrpc_import *pi;
	struct obd_import *imp;

	if (!conn->cn_peer || peer_has_conn(conn->cn_peer))
		return;
	spin_lock(&imports_lock);
	list_for_each_entry(pi, &imports, pi_peer_item) {
		imp = pi->pi_import;
		if (pi->pi_peer == conn->cn_peer &&
		    READ_ONCE(imp->imp_state) == LUSTRE_IMP_FULL)
			ptlrpc_import_lost(imp, READ_ONCE(imp->imp_conn_cnt));
	}
	spin_unlock(&imports_lock);
}

/*
 * How long things take.
 */

void import_at_settings(struct at_settings *set)
{
	set->min = READ_ONCE(at_min);
	set->max = READ_ONCE(at_max);
	set->history = READ_ONCE(at_history);
	set->timeout = READ_ONCE(obd_timeout);
}

/* That of a portal; portals beyond the last place share that. */
static struct adaptive_timeout *service_at(struct ptlrpc_import *pi, u16 portal)
{
	struct import_at *ia;
	unsigned int n;

	lockdep_assert_held(&pi->pi_lock);
	for (n = 0; n < IMP_AT_PORTALS; n++) {
		ia = &pi->pi_service_at[n];
		if (ia->ia_portal == portal)
			return &ia->ia_at;
		if (!ia->ia_portal)
			break;
	}
	if (n == IMP_AT_PORTALS)
		return &ia->ia_at;
	ia->ia_portal = portal;
	at_init(&ia->ia_at, 0, ktime_get_seconds());
	return &ia->ia_at;
}

/**
 * ptlrpc_import_timeout() - how long a request may take
 * @imp: import that ptlrpc_import_make() was called for
 * @portal: where it goes to
 *
 * Context: any task
 * Return: seconds
 */
u32 ptlrpc_import_timeout(struct obd_import *imp, u16 portal)
{
	struct ptlrpc_import *pi = ptlrpc_import(imp);
	struct at_settings set;
	u32 seconds;

	import_at_settings(&set);
	if (!pi)
		return at_request_timeout(&set, set.min, set.min);
	spin_lock(&pi->pi_lock);
	seconds = at_request_timeout(&set, at_get(service_at(pi, portal), &set),
				     at_get(&pi->pi_net_at, &set));
	spin_unlock(&pi->pi_lock);
	return seconds;
}

/**
 * ptlrpc_import_patience() - how long a target may take that has nothing to do
 * @imp: import that ptlrpc_import_make() was called for
 *
 * No longer than the target's patience allows for: while a ping is waited for there
 * is no other one, and what other requests are given may be longer than that.
 *
 * Context: any task
 * Return: seconds
 */
u32 ptlrpc_import_patience(struct obd_import *imp)
{
	return min_t(u32, ptlrpc_import_timeout(imp, transport_portal(imp)),
		     try_seconds(READ_ONCE(obd_timeout), obd_ping_interval()));
}

/* The slowest of its services. */
static u32 slowest_service(struct ptlrpc_import *pi,
			   const struct at_settings *set)
{
	u32 seconds = 0;
	unsigned int n;

	lockdep_assert_held(&pi->pi_lock);
	for (n = 0; n < IMP_AT_PORTALS && pi->pi_service_at[n].ia_portal; n++)
		seconds = max_t(u32, seconds,
				at_get(&pi->pi_service_at[n].ia_at, set));
	return seconds;
}

/**
 * ptlrpc_import_measured() - a reply came
 * @imp: import that ptlrpc_import_make() was called for
 * @portal: service that it came from
 * @service_sec: what it took there, as the server says
 * @network_ns: what the way there and back took
 *
 * Context: any task
 */
void ptlrpc_import_measured(struct obd_import *imp, u16 portal, u32 service_sec,
			    u64 network_ns)
{
	struct ptlrpc_import *pi = ptlrpc_import(imp);
	u64 network_sec = DIV_ROUND_UP_ULL(network_ns, NSEC_PER_SEC);
	u64 now = ktime_get_seconds();
	struct at_settings set;

	if (!pi)
		return;
	import_at_settings(&set);
	WRITE_ONCE(imp->imp_last_reply_time, now);
	spin_lock(&pi->pi_lock);
	at_measured(service_at(pi, portal), &set, max_t(u32, service_sec, 1), now);
	at_measured(&pi->pi_net_at, &set,
		    clamp_t(u64, network_sec, 1, U32_MAX), now);
	WRITE_ONCE(imp->imp_service_sec, slowest_service(pi, &set));
	WRITE_ONCE(imp->imp_network_sec, at_get(&pi->pi_net_at, &set));
	spin_unlock(&pi->pi_lock);
}

/**
 * ptlrpc_import_init() - before the first import
 * @locks: what the lock manager does for imports
 *
 * Context: may sleep
 * Return: 0 or -ENOMEM
 */
int ptlrpc_import_init(const struct import_lock_ops *locks)
{
	import_locks = locks;
	ptlrpc_wq = alloc_workqueue("ptlrpc", WQ_UNBOUND, 0);
	return ptlrpc_wq ? 0 : -ENOMEM;
}

/**
 * ptlrpc_import_exit() - the opposite; each import that was made pins the module
 *
 * Context: may sleep
 */
void ptlrpc_import_exit(void)
{
	WARN_ON(!list_empty(&imports));
	destroy_workqueue(ptlrpc_wq);
}
