// SPDX-License-Identifier: GPL-2.0-only
/*
 * Services: their portals and operations. Requests: states, references, end.
 *
 * A service stops in three steps: its portals are removed; its threads end, and
 * queued requests are dropped, to be resent to the next service; then it waits
 * for requests that are still held.
 */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "service.h"
#include "../net/trace.h"

/* Longest interval of messages while the end of a service waits, seconds. */
#define SVC_DRAIN_SAY_SEC	600

const struct svc_recovery_ops *svc_recovery;

/* Guards changes of the table of portals; requests read it under RCU. */
static DEFINE_SPINLOCK(portals_lock);
static struct ptlrpc_service __rcu *portals[WIRE_PORTAL_MAX];

/**
 * svc_find() - the service of a portal
 * @portal: portal
 *
 * Context: any task
 * Return: service, for svc_put(); NULL if there is none
 */
struct ptlrpc_service *svc_find(u16 portal)
{
	struct ptlrpc_service *svc;

	if (portal >= WIRE_PORTAL_MAX)
		return NULL;
	rcu_read_lock();
	svc = rcu_dereference(portals[portal]);
	if (svc && !percpu_ref_tryget_live(&svc->svc_users))
		svc = NULL;
	rcu_read_unlock();
	return svc;
}

/**
 * svc_put() - drop a reference on a service
 * @svc: service of svc_find()
 *
 * Context: any task
 */
void svc_put(struct ptlrpc_service *svc)
{
	percpu_ref_put(&svc->svc_users);
}

static void users_gone(struct percpu_ref *users)
{
	complete(&container_of(users, struct ptlrpc_service, svc_users)->svc_unused);
}

static const struct ptlrpc_handler *
target_handler(const struct ptlrpc_target_ops *ops, u16 portal, u32 opc)
{
	const struct ptlrpc_handler *handler;
	size_t n;

	for (n = 0; n < ops->to_handler_count; n++) {
		handler = &ops->to_handlers[n];
		if (handler->shd_opc == opc && handler->shd_portal == portal)
			return handler;
	}
	return NULL;
}

static const struct ptlrpc_handler *
table_handler(const struct ptlrpc_service *svc, u32 opc)
{
	size_t low = 0, high = svc->svc_table_count, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (svc->svc_table[middle]->shd_opc == opc)
			return svc->svc_table[middle];
		if (svc->svc_table[middle]->shd_opc < opc)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/**
 * svc_handler() - the handler of an operation
 * @svc: service
 * @exp: export of the client, or NULL
 * @portal: portal of the service that the request came to
 * @opc: operation
 *
 * Context: any
 * Return: handler of the type of the export's device, or else of the service;
 *  NULL if neither has one for that portal
 */
const struct ptlrpc_handler *svc_handler(const struct ptlrpc_service *svc,
					 const struct obd_export *exp,
					 u16 portal, u32 opc)
{
	const struct ptlrpc_target_ops *ops =
		exp ? exp->exp_obd->obd_type->typ_target : NULL;
	const struct ptlrpc_handler *handler = NULL;

	if (ops)
		handler = target_handler(ops, portal, opc);
	return handler ?: table_handler(svc, opc);
}

static int handler_compare(const void *a, const void *b)
{
	const struct ptlrpc_handler *const *one = a, *const *two = b;

	return (*one)->shd_opc < (*two)->shd_opc ? -1 :
	       (*one)->shd_opc > (*two)->shd_opc;
}

/* Table of operations by number, for a quick lookup. */
static int table_make(struct ptlrpc_service *svc)
{
	const struct ptlrpc_service_conf *conf = &svc->svc_conf;
	size_t n, size = conf->psc_handler_count * sizeof(*svc->svc_table);

	/* A service for operations of targets only has none. */
	if (!size)
		return 0;
	svc->svc_table = libcfs_zalloc(size, GFP_KERNEL);
	if (!svc->svc_table)
		return -ENOMEM;
	svc->svc_table_count = conf->psc_handler_count;
	for (n = 0; n < svc->svc_table_count; n++) {
		svc->svc_table[n] = &conf->psc_handlers[n];
		if (svc->svc_table[n]->shd_flags & SVH_HIGH)
			svc->svc_has_high = true;
	}
	sort(svc->svc_table, svc->svc_table_count, sizeof(*svc->svc_table),
	     handler_compare, NULL);
	return 0;
}

static void service_free(struct ptlrpc_service *svc)
{
	if (svc->svc_stats)
		params_stats_free(svc->svc_stats);
	percpu_ref_exit(&svc->svc_users);
	libcfs_free(svc->svc_table,
		    svc->svc_table_count * sizeof(*svc->svc_table));
	libcfs_free(svc, sizeof(*svc));
}

static bool conf_is_good(const struct ptlrpc_service_conf *conf)
{
	return conf->psc_name && conf->psc_params && conf->psc_portals[0] &&
	       conf->psc_threads_min &&
	       conf->psc_threads_min <= conf->psc_threads_max &&
	       conf->psc_threads_max <= SVC_THREADS_LIMIT;
}

static struct ptlrpc_service *service_make(const struct ptlrpc_service_conf *conf)
{
	struct ptlrpc_service *svc = libcfs_zalloc(sizeof(*svc), GFP_KERNEL);

	if (!svc)
		return NULL;
	svc->svc_conf = *conf;
	if (table_make(svc) || percpu_ref_init(&svc->svc_users, users_gone, 0, GFP_KERNEL)) {
		service_free(svc);
		return NULL;
	}
	init_completion(&svc->svc_unused);
	spin_lock_init(&svc->svc_lock);
	INIT_LIST_HEAD(&svc->svc_queue);
	INIT_LIST_HEAD(&svc->svc_high);
	INIT_LIST_HEAD(&svc->svc_working);
	INIT_LIST_HEAD(&svc->svc_threads);
	init_waitqueue_head(&svc->svc_wait);
	svc->svc_threads_min = conf->psc_threads_min;
	svc->svc_threads_max = conf->psc_threads_max;
	svc->svc_high_ratio = SVC_HIGH_RATIO;
	at_init(&svc->svc_at, 0, ktime_get_seconds());
	return svc;
}

static void portals_close(struct ptlrpc_service *svc)
{
	unsigned int n;

	spin_lock(&portals_lock);
	for (n = 0; n < WIRE_PORTAL_MAX; n++) {
		if (rcu_access_pointer(portals[n]) == svc)
			RCU_INIT_POINTER(portals[n], NULL);
	}
	spin_unlock(&portals_lock);
}

/* Return: 0; -EBUSY if another service has one of the portals. */
static int portals_open(struct ptlrpc_service *svc)
{
	const u16 *portal = svc->svc_conf.psc_portals;
	unsigned int n;
	int rc = 0;

	spin_lock(&portals_lock);
	for (n = 0; n < PTLRPC_SERVICE_PORTALS && portal[n] && !rc; n++) {
		if (portal[n] >= WIRE_PORTAL_MAX)
			rc = -EINVAL;
		else if (rcu_access_pointer(portals[portal[n]]))
			rc = -EBUSY;
	}
	/* All or none: once requests find a service, it ends by service_drain(). */
	while (!rc && n--)
		rcu_assign_pointer(portals[portal[n]], svc);
	spin_unlock(&portals_lock);
	return rc;
}

static int service_start(struct ptlrpc_service *svc)
{
	int rc = svc_history_init(&svc->svc_history, SVC_HISTORY_DEFAULT);

	if (rc)
		return rc;
	rc = svc_params_add(svc);
	if (rc)
		goto free_history;
	rc = svc_threads_start(svc);
	if (rc)
		goto remove_params;
	rc = portals_open(svc);
	if (rc)
		goto stop_threads;
	return 0;

stop_threads:
	svc_threads_stop(svc);
remove_params:
	svc_params_remove(svc);
free_history:
	svc_history_free(&svc->svc_history);
	return rc;
}

/**
 * ptlrpc_register_service() - register a service
 * @conf: declaration; its operations and texts are valid until it is
 *  unregistered
 *
 * Context: may sleep
 * Return: service, for ptlrpc_unregister_service(); -EINVAL for an invalid
 *  declaration; -EBUSY if another service has one of its portals; -ENOMEM; as
 *  adding parameters
 */
struct ptlrpc_service *
ptlrpc_register_service(const struct ptlrpc_service_conf *conf)
{
	struct ptlrpc_service *svc;
	int rc;

	if (!conf_is_good(conf))
		return ERR_PTR(-EINVAL);
	svc = service_make(conf);
	if (!svc)
		return ERR_PTR(-ENOMEM);
	rc = service_start(svc);
	if (!rc)
		return svc;
	CERROR("%s: cannot start the service: rc = %d\n", conf->psc_name, rc);
	service_free(svc);
	return ERR_PTR(rc);
}
EXPORT_FOR_KUNIT(ptlrpc_register_service);

/*
 * Requests point to the operations of the service, which the caller may free,
 * with the code, when this returns: so it waits for the last request. The last
 * reference goes after a grace period, so no svc_find() sees the service then.
 */
static void service_drain(struct ptlrpc_service *svc)
{
	unsigned int waited = 0, step = 1;

	percpu_ref_kill(&svc->svc_users);
	while (!wait_for_completion_timeout(&svc->svc_unused, step * HZ)) {
		waited += step;
		step = min_t(unsigned int, step * 2, SVC_DRAIN_SAY_SEC);
		CWARN("%s: shutdown still waiting for requests after %u s\n",
		      svc->svc_conf.psc_name, waited);
	}
}

/**
 * ptlrpc_unregister_service() - unregister a service
 * @svc: service, or NULL
 *
 * Queued requests are dropped. It waits for running requests and for those held
 * by the recovery of a target, and logs that.
 *
 * Context: may sleep, as long as a request is held
 */
void ptlrpc_unregister_service(struct ptlrpc_service *svc)
{
	if (IS_ERR_OR_NULL(svc))
		return;
	portals_close(svc);
	svc_params_remove(svc);
	svc_threads_stop(svc);
	service_drain(svc);
	svc_history_free(&svc->svc_history);
	service_free(svc);
}
EXPORT_FOR_KUNIT(ptlrpc_unregister_service);

/**
 * ptlrpc_service_init() - initialize the table of portals
 * @recovery: recovery of targets
 *
 * Context: any
 * Return: 0
 */
int ptlrpc_service_init(const struct svc_recovery_ops *recovery)
{
	svc_recovery = recovery;
	return 0;
}

/* Every service was unregistered. */
void ptlrpc_service_exit(void)
{
	size_t n;

	for (n = 0; n < WIRE_PORTAL_MAX; n++)
		WARN_ON_ONCE(rcu_access_pointer(portals[n]));
}

static const char * const state_names[SR_STATE_COUNT] = {
	[SR_NEW] = "New",
	[SR_QUEUED] = "Queued",
	[SR_RUNNING] = "Running",
	[SR_REPLYING] = "Replying",
	[SR_DONE] = "Complete",
};

/* Legal transitions of each state. */
static const u8 state_moves[SR_STATE_COUNT] = {
	[SR_NEW] = BIT(SR_QUEUED) | BIT(SR_RUNNING) | BIT(SR_DONE),
	[SR_QUEUED] = BIT(SR_RUNNING) | BIT(SR_DONE),
	[SR_RUNNING] = BIT(SR_QUEUED) | BIT(SR_REPLYING) | BIT(SR_DONE),
	[SR_REPLYING] = BIT(SR_DONE),
};

/**
 * svc_state_name() - name of a state
 * @state: state
 *
 * Context: any
 * Return: static text
 */
const char *svc_state_name(enum sr_state state)
{
	return (unsigned int)state < SR_STATE_COUNT ? state_names[state] : "?";
}

/**
 * sr_state_may() - whether a transition is legal
 * @from: state
 * @to: state
 *
 * Context: any
 * Return: true if it is
 */
bool sr_state_may(enum sr_state from, enum sr_state to)
{
	return (unsigned int)from < SR_STATE_COUNT && state_moves[from] & BIT(to);
}
EXPORT_FOR_KUNIT(sr_state_may);

/**
 * svc_req_move() - change the state of a request; no other function does
 * @sr: request; the caller owns it
 * @to: new state
 *
 * Context: any task
 * Return: false for an illegal transition, which changes nothing
 */
bool svc_req_move(struct ptlrpc_svc_req *sr, enum sr_state to)
{
	enum sr_state from = READ_ONCE(sr->sr_state);

	if (WARN_ON_ONCE(!sr_state_may(from, to)))
		return false;
	WRITE_ONCE(sr->sr_state, to);
	trace_ptlrpc_svc_state(sr, from, to);
	return true;
}

/**
 * svc_req_new() - create a request
 * @svc: service; the caller's reference passes to the request
 * @handler: its operation
 * @rx: message
 * @charge: bytes charged to the connection; passes to the request
 *
 * Context: may sleep for memory
 * Return: request in SR_NEW, one reference; NULL on allocation failure, and
 *  nothing has passed
 */
struct ptlrpc_svc_req *svc_req_new(struct ptlrpc_service *svc,
				   const struct ptlrpc_handler *handler,
				   struct lnet_rx *rx, u32 charge)
{
	struct ptlrpc_svc_req *sr = libcfs_zalloc(sizeof(*sr), GFP_KERNEL);
	u32 seconds = rx->rx_view.timeout ?: READ_ONCE(obd_timeout);

	if (!sr)
		return NULL;
	refcount_set(&sr->sr_refcount, 1);
	INIT_LIST_HEAD(&sr->sr_item);
	INIT_LIST_HEAD(&sr->sr_export_item);
	sr->sr_state = SR_NEW;
	sr->sr_msg = rx->rx_view;
	sr->sr_conn = lnet_conn_get(rx->rx_conn);
	sr->sr_reply_conn = lnet_conn_get(rx->rx_conn);
	sr->sr_handler = handler;
	sr->sr_service = svc;
	sr->sr_charge = charge;
	sr->sr_arrival_ns = rx->rx_start_ns;
	sr->sr_deadline_ns = rx->rx_start_ns + NSEC_PER_SEC *
			     min_t(u64, seconds, SVC_TIMEOUT_MAX);
	atomic64_add(charge, &svc->svc_memory);
	return sr;
}

/**
 * svc_req_get() - take a reference
 * @sr: request that the caller holds
 *
 * Context: any
 * Return: @sr
 */
struct ptlrpc_svc_req *svc_req_get(struct ptlrpc_svc_req *sr)
{
	refcount_inc(&sr->sr_refcount);
	return sr;
}

/* Each part has one reference, on its first page. */
static void svc_pages_put(struct bio_vec *vec, unsigned int count)
{
	unsigned int n;

	for (n = 0; n < count; n++)
		put_page(vec[n].bv_page);
}

/**
 * svc_req_put() - drop a reference; the last put frees the request
 * @sr: request
 *
 * Context: any task; does not sleep
 */
void svc_req_put(struct ptlrpc_svc_req *sr)
{
	if (!refcount_dec_and_test(&sr->sr_refcount))
		return;
	WARN_ON_ONCE(sr->sr_state != SR_DONE || !list_empty(&sr->sr_item));
	if (sr->sr_bulk) {
		svc_pages_put(sr->sr_bulk, sr->sr_bulk_nr);
		libcfs_free(sr->sr_bulk, sr->sr_bulk_max * sizeof(*sr->sr_bulk));
	}
	if (sr->sr_rep_bulk && sr->sr_rep_bulk_owned) {
		svc_pages_put(sr->sr_rep_bulk, sr->sr_rep_bulk_nr);
		kvfree(sr->sr_rep_bulk);
	}
	if (sr->sr_reply)
		svc_reply_put(sr->sr_reply);
	if (sr->sr_exp)
		class_export_rpc_dec(sr->sr_exp);
	if (sr->sr_reply_conn)
		lnet_conn_put(sr->sr_reply_conn);
	lnet_peer_uncharge(sr->sr_conn, sr->sr_lane, sr->sr_charge);
	lnet_conn_put(sr->sr_conn);
	kvfree(sr->sr_req_msg);
	libcfs_free(sr, sizeof(*sr));
}

/**
 * svc_req_release() - drop the request's reference on its service
 * @sr: request that is answered or dropped
 *
 * Context: any task
 */
void svc_req_release(struct ptlrpc_svc_req *sr)
{
	struct ptlrpc_service *svc = sr->sr_service;

	sr->sr_service = NULL;
	atomic64_sub(sr->sr_charge, &svc->svc_memory);
	svc_put(svc);
}

/**
 * svc_req_drop() - end a request without an answer
 * @sr: request; the caller owns it, and its reference is dropped
 *
 * A resent one is handled as new.
 *
 * Context: any task
 */
void svc_req_drop(struct ptlrpc_svc_req *sr)
{
	svc_recovery->rv_replayed(sr);
	reply_cache_end(sr, false);
	svc_leave(sr);
	svc_req_move(sr, SR_DONE);
	svc_history_note(sr, ktime_get_ns());
	svc_req_release(sr);
	svc_req_put(sr);
}
