// SPDX-License-Identifier: GPL-2.0-only
/*
 * Imports: the structure, its references and its end; the node that its requests go to,
 * and the imports of a node; estimates of the time that requests take.
 */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/ost_grant.h>

#include "import.h"

const struct import_lock_ops *import_locks;
struct workqueue_struct *ptlrpc_wq;

/* Guards the list and imp_node_item; imp_rq_lock may be taken inside. */
static DEFINE_SPINLOCK(imports_lock);
/* Imports that have a node. */
static LIST_HEAD(imports);

static bool import_handle_get(struct portals_handle *handle)
{
	struct obd_import *imp = container_of(handle, struct obd_import,
					      imp_handle);

	return refcount_inc_not_zero(&imp->imp_refcount);
}

static const struct portals_handle_ops import_handle_ops = {
	.hop_name = "import",
	.hop_get = import_handle_get,
};

/* The reference of @peer becomes the import's. */
static void change_node(struct obd_import *imp, struct lnet_peer *peer)
{
	struct lnet_peer *old;

	spin_lock(&imports_lock);
	spin_lock(&imp->imp_rq_lock);
	old = imp->imp_node;
	imp->imp_node = peer;
	spin_unlock(&imp->imp_rq_lock);
	if (!peer)
		list_del_init(&imp->imp_node_item);
	else if (list_empty(&imp->imp_node_item))
		list_add_tail(&imp->imp_node_item, &imports);
	spin_unlock(&imports_lock);
	if (old)
		lnet_peer_put(old);
}

static void import_free(struct rcu_head *rcu)
{
	struct obd_import *imp = container_of(rcu, struct obd_import, imp_rcu);

	ost_grant_put(imp->imp_grant);
	libcfs_free(imp, sizeof(*imp));
}

/* A lookup of the cookie may still see it, for a grace period. */
static void import_zombie(struct work_struct *work)
{
	struct obd_import *imp = container_of(work, struct obd_import,
					      imp_zombie_work);
	struct obd_device *obd = imp->imp_obd;

	change_node(imp, NULL);
	import_conns_free(imp);
	mutex_destroy(&imp->imp_connect_mutex);
	call_rcu(&imp->imp_rcu, import_free);
	class_decref(obd, OBD_REF_IMPORT);
}

static void import_init(struct obd_import *imp, struct obd_device *obd)
{
	refcount_set(&imp->imp_refcount, 1);
	imp->imp_obd = obd;
	mutex_init(&imp->imp_connect_mutex);
	spin_lock_init(&imp->imp_lock);
	INIT_LIST_HEAD(&imp->imp_conn_list);
	INIT_WORK(&imp->imp_zombie_work, import_zombie);
	imp->imp_state = LUSTRE_IMP_NEW;
	imp->imp_rpcs_max = CLIENT_RPCS_DEFAULT;
	spin_lock_init(&imp->imp_rq_lock);
	INIT_LIST_HEAD(&imp->imp_node_item);
	INIT_LIST_HEAD(&imp->imp_unsent);
	INIT_LIST_HEAD(&imp->imp_requests);
	INIT_LIST_HEAD(&imp->imp_waiting[LNET_CONTROL]);
	INIT_LIST_HEAD(&imp->imp_waiting[LNET_BULK]);
	init_waitqueue_head(&imp->imp_left_wait);
	INIT_LIST_HEAD(&imp->imp_replay);
	INIT_LIST_HEAD(&imp->imp_sticky);
	at_init(&imp->imp_net_at, 0, ktime_get_seconds());
	imp->imp_used_ns = ktime_get_ns();
	recover_init_import(imp);
}

/**
 * class_new_import() - make an import
 * @obd: its device; the caller holds it
 * @target: uuid of the target
 *
 * Context: may sleep
 * Return: import in LUSTRE_IMP_NEW, whose reference the caller gives back with
 * class_destroy_import(); -ENOMEM
 */
struct obd_import *class_new_import(struct obd_device *obd,
				    const struct obd_uuid *target)
{
	struct obd_import *imp = libcfs_zalloc(sizeof(*imp), GFP_KERNEL_ACCOUNT);
	int rc;

	if (!imp)
		return ERR_PTR(-ENOMEM);
	imp->imp_target_uuid = *target;
	import_init(imp, obd);
	rc = class_handle_hash(&imp->imp_handle, &import_handle_ops);
	if (rc) {
		mutex_destroy(&imp->imp_connect_mutex);
		libcfs_free(imp, sizeof(*imp));
		return ERR_PTR(rc);
	}
	class_incref(obd, OBD_REF_IMPORT);
	return imp;
}
EXPORT_FOR_KUNIT(class_new_import);

/**
 * class_destroy_import() - the end of an import for its maker
 * @imp: import, disconnected; its cookie is not found from now on, its requests are
 *	invalid, and the caller's reference is dropped
 *
 * Context: may sleep
 */
void class_destroy_import(struct obd_import *imp)
{
	class_handle_unhash(&imp->imp_handle);
	set_bit(IMPF_INVALID, &imp->imp_flags);
	spin_lock(&imp->imp_lock);
	imp->imp_generation++;
	spin_unlock(&imp->imp_lock);
	import_changed(imp);
	class_import_put(imp);
}
EXPORT_FOR_KUNIT(class_destroy_import);

/**
 * class_import_get() - another reference
 * @imp: import on which the caller has one
 *
 * Context: any
 * Return: @imp
 */
struct obd_import *class_import_get(struct obd_import *imp)
{
	refcount_inc(&imp->imp_refcount);
	return imp;
}
EXPORT_SYMBOL_NS_GPL(class_import_get, LUSTRE_LITE);

/**
 * class_import_put() - drop a reference; the last one has it freed
 * @imp: import
 *
 * Context: any
 */
void class_import_put(struct obd_import *imp)
{
	if (refcount_dec_and_test(&imp->imp_refcount))
		obd_zombie_queue(&imp->imp_zombie_work);
}
EXPORT_SYMBOL_NS_GPL(class_import_put, LUSTRE_LITE);

/**
 * class_handle2import() - import by its cookie
 * @cookie: cookie
 *
 * Context: any
 * Return: import, referenced, or NULL
 */
struct obd_import *class_handle2import(u64 cookie)
{
	struct portals_handle *handle;

	handle = class_handle2object(cookie, &import_handle_ops);
	if (!handle)
		return NULL;
	return container_of(handle, struct obd_import, imp_handle);
}
EXPORT_FOR_KUNIT(class_handle2import);

/**
 * import_set_node() - the node that requests of an import go to from now on
 * @imp: import
 * @peer: node, of which the import takes a reference of its own; or NULL
 *
 * Context: any but interrupts; no lock of a request is held
 */
void import_set_node(struct obd_import *imp, struct lnet_peer *peer)
{
	WRITE_ONCE(imp->imp_networked, true);
	change_node(imp, peer ? lnet_peer_get(peer) : NULL);
	ptlrpc_requests_import_changed(imp);
}

/**
 * import_node_conn() - the connection that requests of an import go out on
 * @imp: import
 * @lane: lane of the request
 *
 * Context: any task
 * Return: an open connection, referenced; ERR_PTR: as lnet_peer_conn()
 */
struct lnet_conn *import_node_conn(struct obd_import *imp, enum lnet_lane lane)
{
	struct lnet_peer *peer = NULL;
	struct lnet_conn *conn;

	spin_lock(&imp->imp_rq_lock);
	if (imp->imp_node)
		peer = lnet_peer_get(imp->imp_node);
	spin_unlock(&imp->imp_rq_lock);
	if (!peer)
		return ERR_PTR(-ENOTCONN);
	conn = lnet_peer_conn(peer, lane);
	lnet_peer_put(peer);
	return conn;
}

static bool peer_has_conn(struct lnet_peer *peer)
{
	struct lnet_conn *conn = lnet_peer_conn(peer, LNET_CONTROL);
	bool open;

	if (IS_ERR(conn))
		return false;
	open = lnet_conn_is_open(conn);
	lnet_conn_put(conn);
	return open;
}

/**
 * imports_conn_closed() - a connection has ended
 * @conn: connection
 *
 * Imports of its node start to recover, unless there is another control connection. The
 * next request with bulk data makes another connection for it.
 *
 * Context: may sleep
 */
void imports_conn_closed(struct lnet_conn *conn)
{
	struct obd_import *imp;

	if (!conn->cn_peer || peer_has_conn(conn->cn_peer))
		return;
	spin_lock(&imports_lock);
	list_for_each_entry(imp, &imports, imp_node_item) {
		if (imp->imp_node == conn->cn_peer &&
		    import_state(imp) == LUSTRE_IMP_FULL)
			import_note_loss(imp, READ_ONCE(imp->imp_conn_cnt));
	}
	spin_unlock(&imports_lock);
}

/**
 * imports_node_connected() - a connection for bulk data is open, or cannot be made
 * @peer: node
 *
 * Context: any task, without a lock
 */
void imports_node_connected(struct lnet_peer *peer)
{
	struct obd_import *imp;

	spin_lock(&imports_lock);
	list_for_each_entry(imp, &imports, imp_node_item) {
		if (imp->imp_node == peer)
			ptlrpc_requests_import_changed(imp);
	}
	spin_unlock(&imports_lock);
}

/*
 * Estimates: how long the services of the target and the way there take.
 */

void import_at_settings(struct at_settings *set)
{
	set->min = READ_ONCE(at_min);
	set->max = READ_ONCE(at_max);
	set->history = READ_ONCE(at_history);
	set->timeout = READ_ONCE(obd_timeout);
}

/* The estimate of a portal; portals beyond the last place share it. */
static struct adaptive_timeout *service_at(struct obd_import *imp, u16 portal)
{
	struct import_at *ia;
	unsigned int n;

	lockdep_assert_held(&imp->imp_rq_lock);
	for (n = 0; n < IMP_AT_PORTALS; n++) {
		ia = &imp->imp_service_at[n];
		if (ia->iat_portal == portal)
			return &ia->iat_at;
		if (!ia->iat_portal)
			break;
	}
	if (n == IMP_AT_PORTALS)
		return &ia->iat_at;
	ia->iat_portal = portal;
	at_init(&ia->iat_at, 0, ktime_get_seconds());
	return &ia->iat_at;
}

/**
 * import_timeout() - how long a request may take
 * @imp: import
 * @portal: its service
 *
 * Context: any task
 * Return: seconds
 */
u32 import_timeout(struct obd_import *imp, u16 portal)
{
	struct at_settings set;
	u32 seconds;

	import_at_settings(&set);
	spin_lock(&imp->imp_rq_lock);
	seconds = at_request_timeout(&set, at_get(service_at(imp, portal), &set),
				     at_get(&imp->imp_net_at, &set));
	spin_unlock(&imp->imp_rq_lock);
	return seconds;
}

/**
 * import_patience() - how long a ping may take
 * @imp: import
 *
 * No longer than the eviction time of the target allows: there is no other ping meanwhile,
 * and the timeout of other requests may be longer.
 *
 * Context: any task
 * Return: seconds
 */
u32 import_patience(struct obd_import *imp)
{
	return min_t(u32, import_timeout(imp, import_portal(imp)),
		     try_seconds(READ_ONCE(obd_timeout), obd_ping_interval()));
}

/* The slowest of its services. */
static u32 slowest_service(struct obd_import *imp,
			   const struct at_settings *set)
{
	u32 seconds = 0;
	unsigned int n;

	lockdep_assert_held(&imp->imp_rq_lock);
	for (n = 0; n < IMP_AT_PORTALS && imp->imp_service_at[n].iat_portal; n++)
		seconds = max_t(u32, seconds,
				at_get(&imp->imp_service_at[n].iat_at, set));
	return seconds;
}

/**
 * import_measured() - update the estimates from a reply
 * @imp: import
 * @portal: service that it came from
 * @service_sec: time in the service, from the reply
 * @network_ns: time on the network
 *
 * Context: any task
 */
void import_measured(struct obd_import *imp, u16 portal, u32 service_sec,
		     u64 network_ns)
{
	u64 network_sec = DIV_ROUND_UP_ULL(network_ns, NSEC_PER_SEC);
	u64 now = ktime_get_seconds();
	struct at_settings set;

	import_at_settings(&set);
	WRITE_ONCE(imp->imp_last_reply_time, now);
	spin_lock(&imp->imp_rq_lock);
	at_measured(service_at(imp, portal), &set, max_t(u32, service_sec, 1), now);
	at_measured(&imp->imp_net_at, &set,
		    clamp_t(u64, network_sec, 1, U32_MAX), now);
	WRITE_ONCE(imp->imp_service_sec, slowest_service(imp, &set));
	WRITE_ONCE(imp->imp_network_sec, at_get(&imp->imp_net_at, &set));
	spin_unlock(&imp->imp_rq_lock);
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
	ptlrpc_wq = alloc_workqueue("ptlrpc", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return ptlrpc_wq ? 0 : -ENOMEM;
}

/**
 * ptlrpc_import_exit() - after the last import
 *
 * An import holds its device, and so the module of its type, which uses this one. The
 * last steps of its end are waited for here.
 *
 * Context: may sleep
 */
void ptlrpc_import_exit(void)
{
	obd_zombie_barrier();
	rcu_barrier();
	WARN_ON(!list_empty(&imports));
	destroy_workqueue(ptlrpc_wq);
}
