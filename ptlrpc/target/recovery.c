// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recovery of a restarted target: it waits for its previous clients and
 * executes their replays, in the order of recovery_order.h. Other requests are
 * held until the end. A client that does not reconnect or does not finish is
 * evicted when the window is over. Each client that reconnects extends the
 * window, up to a limit.
 */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/jhash.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "recovery.h"

/* The window and its limit, in multiples of obd_timeout. */
#define RECOVERY_SOFT		3
#define RECOVERY_HARD		9
/* Most clients of a recovery. */
#define RECOVERY_CLIENTS_MAX	65536

static void recovery_free(struct target_recovery *tr)
{
	unsigned int count = tr->tr_order.ro_client_count;

	libcfs_free(tr->tr_order.ro_clients,
		    count * sizeof(*tr->tr_order.ro_clients));
	libcfs_free(tr->tr_names, count * sizeof(*tr->tr_names));
	libcfs_free(tr->tr_first, count * sizeof(*tr->tr_first));
	libcfs_free(tr->tr_next, count * sizeof(*tr->tr_next));
	libcfs_free(tr, sizeof(*tr));
}

struct target_recovery *recovery_get(const struct obd_device *obd)
{
	struct target_recovery *tr;

	rcu_read_lock();
	tr = READ_ONCE(obd->obd_recovery);
	if (tr && !refcount_inc_not_zero(&tr->tr_refcount))
		tr = NULL;
	rcu_read_unlock();
	return tr;
}

void recovery_put(struct target_recovery *tr)
{
	if (refcount_dec_and_test(&tr->tr_refcount))
		recovery_free(tr);
}

/* NULL unless recovery is running. */
struct target_recovery *recovery_running(const struct obd_device *obd)
{
	struct target_recovery *tr = recovery_get(obd);

	if (!tr || READ_ONCE(tr->tr_state) == RECOVERY_RUNS)
		return tr;
	recovery_put(tr);
	return NULL;
}

/**
 * target_in_recovery() - whether a target waits for its previous clients
 * @obd: target
 *
 * Context: any
 * Return: true if it does
 */
bool target_in_recovery(const struct obd_device *obd)
{
	const struct target_recovery *tr;
	bool runs;

	rcu_read_lock();
	tr = READ_ONCE(obd->obd_recovery);
	runs = tr && READ_ONCE(tr->tr_state) == RECOVERY_RUNS;
	rcu_read_unlock();
	return runs;
}
EXPORT_SYMBOL_NS_GPL(target_in_recovery, LUSTRE_LITE);

/* Clients. */

static u32 *name_bucket(const struct target_recovery *tr, const char *name)
{
	return &tr->tr_first[jhash(name, strlen(name), 0) %
			     tr->tr_order.ro_client_count];
}

/* A hash: in a mass recovery each client is looked up when it connects. */
static int client_by_name(const struct target_recovery *tr, const char *name)
{
	u32 n;

	for (n = *name_bucket(tr, name); n; n = tr->tr_next[n - 1]) {
		if (!strcmp(tr->tr_names[n - 1].uuid, name))
			return n - 1;
	}
	return -ENOENT;
}

static void names_fill(struct target_recovery *tr, const struct obd_uuid *clients)
{
	unsigned int n, count = tr->tr_order.ro_client_count;
	u32 *bucket;

	memcpy(tr->tr_names, clients, count * sizeof(*clients));
	for (n = 0; n < count; n++) {
		bucket = name_bucket(tr, tr->tr_names[n].uuid);
		tr->tr_next[n] = *bucket;
		*bucket = n + 1;
	}
}

/* The client of an export; cached in pe_replay, as index plus one. */
int recovery_client_of(const struct target_recovery *tr, struct obd_export *exp)
{
	struct ptlrpc_export *pe = ptlrpc_export(exp);
	int client;

	if (pe && READ_ONCE(pe->pe_replay))
		return READ_ONCE(pe->pe_replay) - 1;
	client = client_by_name(tr, exp->exp_client_uuid.uuid);
	if (pe && client >= 0)
		WRITE_ONCE(pe->pe_replay, client + 1);
	return client;
}

static void say_end(const struct target_recovery *tr)
{
	CINFO("%s: recovery is over after %llu s: %u of %u clients, %u replays\n",
	      tr->tr_obd->obd_name, tr->tr_end - tr->tr_start,
	      tr->tr_order.ro_states[RO_DONE], tr->tr_order.ro_client_count,
	      tr->tr_replayed);
}

/* A client has advanced: held requests may go on, or recovery is over. */
void recovery_client_moves(struct target_recovery *tr, unsigned int client,
			   enum ro_client_state to)
{
	LIST_HEAD(waits);
	bool over = false;

	spin_lock(&tr->tr_lock);
	if (tr->tr_state == RECOVERY_RUNS &&
	    recovery_order_move(&tr->tr_order, client, to))
		over = recovery_collect(tr, &waits);
	spin_unlock(&tr->tr_lock);
	recovery_release(&waits);
	if (over)
		say_end(tr);
}

/* The window. */

static void window_queue(struct target_recovery *tr)
{
	u64 now = ktime_get_seconds();
	u64 left;

	lockdep_assert_held(&tr->tr_lock);
	if (tr->tr_state != RECOVERY_RUNS)
		return;
	left = tr->tr_deadline > now ? tr->tr_deadline - now : 0;
	mod_delayed_work(ptlrpc_wq, &tr->tr_window, left * HZ);
}

/* A client has connected or advanced: extend the window, up to the limit. */
void recovery_window_extend(struct target_recovery *tr)
{
	u64 limit = tr->tr_start + tr->tr_hard;
	u64 wanted = ktime_get_seconds() + tr->tr_soft;

	lockdep_assert_held(&tr->tr_lock);
	/* The work finds that the deadline has moved. */
	tr->tr_deadline = max_t(u64, tr->tr_deadline,
				min_t(u64, wanted, limit));
}

/* Connects and disconnects. */

/* Return: MSG_CONNECT_RECOVERING; 0 if it is over by now; -EBUSY */
static int client_comes(struct target_recovery *tr, int client)
{
	int rc = MSG_CONNECT_RECOVERING;

	spin_lock(&tr->tr_lock);
	if (tr->tr_state != RECOVERY_RUNS)
		rc = 0;
	else if (client < 0 ||
		 tr->tr_order.ro_clients[client].state == RO_GONE)
		rc = -EBUSY;
	else if (recovery_order_move(&tr->tr_order, client, RO_REPLAYING))
		recovery_window_extend(tr);
	spin_unlock(&tr->tr_lock);
	return rc;
}

static int recovering_connect(struct target_recovery *tr, const char *name,
			      bool initial)
{
	int client = client_by_name(tr, name);
	int rc = client_comes(tr, client);

	if (rc < 0)
		CDEBUG(D_HA, "%s: client %s has to wait until recovery is over: rc = %d\n",
		       tr->tr_obd->obd_name, name, rc);
	if (rc > 0 && initial) {
		WRITE_ONCE(tr->tr_lost, true);
		recovery_client_moves(tr, client, RO_DONE);
	}
	return rc;
}

/**
 * target_recovery_connect() - a client connects
 * @obd: target
 * @client: its uuid
 * @initial: it remembers no earlier connection, so it has nothing to replay
 *
 * Context: may sleep
 * Return: MSG_CONNECT_REPLAYABLE and MSG_CONNECT_RECOVERING for the reply;
 *  -EBUSY for a client that must wait until recovery is over
 */
int target_recovery_connect(struct obd_device *obd,
			    const struct obd_uuid *client, bool initial)
{
	struct target_recovery *tr = recovery_running(obd);
	int flags = 0;

	if (tr) {
		flags = recovering_connect(tr, client->uuid, initial);
		recovery_put(tr);
	}
	if (flags >= 0 && obd->obd_lut)
		flags |= MSG_CONNECT_REPLAYABLE;
	return flags;
}

/**
 * target_recovery_disconnect() - a client leaves the recovery
 * @obd: target
 * @exp: its export
 *
 * Context: may sleep
 */
void target_recovery_disconnect(struct obd_device *obd, struct obd_export *exp)
{
	struct target_recovery *tr = recovery_running(obd);
	LIST_HEAD(waits);
	int client;

	if (!tr)
		return;
	client = recovery_client_of(tr, exp);
	spin_lock(&tr->tr_lock);
	if (tr->tr_running_exp == exp) {
		tr->tr_running = NULL;
		tr->tr_running_exp = NULL;
		recovery_order_done(&tr->tr_order, 0);
		recovery_collect(tr, &waits);
	}
	spin_unlock(&tr->tr_lock);
	recovery_release(&waits);
	if (client >= 0) {
		WRITE_ONCE(tr->tr_lost, true);
		recovery_client_moves(tr, client, RO_GONE);
	}
	recovery_put(tr);
}

/* Eviction. */

/* Without an export it is removed from disk here, else by the end of the export. */
static void client_give_up(struct target_recovery *tr, unsigned int client)
{
	const struct obd_uuid *name = &tr->tr_names[client];
	struct obd_device *obd = tr->tr_obd;
	struct obd_export *exp = obd_export_by_uuid(obd, name);

	CWARN("%s: client %s did not recover in time and is evicted\n",
	      obd->obd_name, name->uuid);
	if (exp) {
		class_fail_export(exp);
		class_export_put(exp);
	} else {
		tgt_client_del(obd, name);
	}
}

/* enum give_up - clients to evict */
enum give_up {
	GIVE_UP_MISSING,	/* that have not connected */
	GIVE_UP_AWAITED,	/* whose next replay others wait for */
	GIVE_UP_ALL,		/* that are not done */
};

static bool must_go(struct target_recovery *tr, unsigned int client, enum give_up which)
{
	const struct recovery_order *order = &tr->tr_order;
	enum ro_client_state state;
	bool awaited;

	spin_lock(&tr->tr_lock);
	state = order->ro_clients[client].state;
	awaited = recovery_order_is_awaited(order, client);
	spin_unlock(&tr->tr_lock);
	switch (which) {
	case GIVE_UP_MISSING:
		return state == RO_MISSING;
	case GIVE_UP_AWAITED:
		return awaited;
	default:
		return state <= RO_LOCKS;
	}
}

static void give_up(struct target_recovery *tr, enum give_up which)
{
	unsigned int n;

	for (n = 0; n < tr->tr_order.ro_client_count; n++) {
		if (READ_ONCE(tr->tr_state) != RECOVERY_RUNS)
			return;
		if (!must_go(tr, n, which))
			continue;
		WRITE_ONCE(tr->tr_lost, true);
		client_give_up(tr, n);
		recovery_client_moves(tr, n, RO_GONE);
	}
}

void recovery_give_up(struct target_recovery *tr)
{
	give_up(tr, GIVE_UP_ALL);
}

/*
 * First go the clients that others may have waited for: the others get a window to finish. One that
 * has died may hold up the others again, with the next one; that has an end: twice the limit.
 */
static enum give_up must_give_up(const struct target_recovery *tr, u64 now)
{
	lockdep_assert_held(&tr->tr_lock);
	if (tr->tr_order.ro_states[RO_MISSING])
		return GIVE_UP_MISSING;
	if (!list_empty(&tr->tr_order.ro_waiting) && now < tr->tr_start + 2 * tr->tr_hard)
		return GIVE_UP_AWAITED;
	return GIVE_UP_ALL;
}

static void window_over(struct work_struct *work)
{
	struct target_recovery *tr = container_of(to_delayed_work(work),
						  struct target_recovery,
						  tr_window);
	u64 now = ktime_get_seconds();
	enum give_up which;
	bool over;

	spin_lock(&tr->tr_lock);
	over = tr->tr_state == RECOVERY_RUNS && now >= tr->tr_deadline;
	which = must_give_up(tr, now);
	if (over && which != GIVE_UP_ALL)
		tr->tr_deadline = now + tr->tr_soft;
	if (!over || which != GIVE_UP_ALL)
		window_queue(tr);
	spin_unlock(&tr->tr_lock);
	if (over)
		give_up(tr, which);
}

void recovery_set_window(struct target_recovery *tr, u32 soft, u32 hard)
{
	spin_lock(&tr->tr_lock);
	tr->tr_soft = soft;
	tr->tr_hard = hard;
	tr->tr_deadline = tr->tr_start + min_t(u32, soft, hard);
	window_queue(tr);
	spin_unlock(&tr->tr_lock);
}

/* Start and end. */

/**
 * target_recovered() - clients of before a restart have replayed what they want to
 * @obd: target
 *
 * Context: may sleep
 */
void target_recovered(struct obd_device *obd)
{
	const struct ptlrpc_target_ops *ops = obd->obd_type->typ_target;

	if (ops && ops->to_recovered)
		ops->to_recovered(obd);
}

/**
 * target_recovery_lost() - whether changes of clients were lost in a restart
 * @obd: target whose recovery has ended, or that has none
 *
 * Context: any
 * Return: true if a client of before has not replayed what was not on disk
 */
bool target_recovery_lost(const struct obd_device *obd)
{
	struct target_recovery *tr = recovery_get(obd);
	bool lost = tr && READ_ONCE(tr->tr_lost);

	if (tr)
		recovery_put(tr);
	return lost;
}
EXPORT_SYMBOL_NS_GPL(target_recovery_lost, LUSTRE_LITE);

/**
 * target_recovered_before() - whether no recovery has been running since then
 * @obd: target
 * @time: ktime_get_seconds() of then
 *
 * Context: any
 * Return: true if the target had no recovery, or it was over
 */
bool target_recovered_before(const struct obd_device *obd, time64_t time)
{
	struct target_recovery *tr = recovery_get(obd);
	bool before;

	if (!tr)
		return true;
	spin_lock(&tr->tr_lock);
	before = tr->tr_state != RECOVERY_RUNS && (time64_t)tr->tr_end <= time;
	spin_unlock(&tr->tr_lock);
	recovery_put(tr);
	return before;
}

static void recovery_over(struct work_struct *work)
{
	target_recovered(container_of(work, struct target_recovery, tr_over)->tr_obd);
}

static struct target_recovery *recovery_alloc(struct obd_device *obd,
					      unsigned int count,
					      u64 last_transno)
{
	struct target_recovery *tr = libcfs_zalloc(sizeof(*tr),
						   GFP_KERNEL_ACCOUNT);
	struct ro_client *clients;

	if (!tr)
		return NULL;
	clients = libcfs_zalloc(count * sizeof(*clients), GFP_KERNEL_ACCOUNT);
	recovery_order_init(&tr->tr_order, clients, count, last_transno);
	tr->tr_names = libcfs_zalloc(count * sizeof(*tr->tr_names),
				     GFP_KERNEL_ACCOUNT);
	tr->tr_first = libcfs_zalloc(count * sizeof(*tr->tr_first),
				     GFP_KERNEL_ACCOUNT);
	tr->tr_next = libcfs_zalloc(count * sizeof(*tr->tr_next),
				    GFP_KERNEL_ACCOUNT);
	refcount_set(&tr->tr_refcount, 1);
	spin_lock_init(&tr->tr_lock);
	INIT_LIST_HEAD(&tr->tr_held);
	INIT_DELAYED_WORK(&tr->tr_window, window_over);
	INIT_WORK(&tr->tr_over, recovery_over);
	tr->tr_obd = obd;
	tr->tr_start = ktime_get_seconds();
	tr->tr_start_wall = ktime_get_real_seconds();
	if (clients && tr->tr_names && tr->tr_first && tr->tr_next)
		return tr;
	recovery_free(tr);
	return NULL;
}

/**
 * target_recovery_start() - start recovery of a restarted target
 * @obd: target, in its o_setup, before ptlrpc_target_start()
 * @clients: its previous clients
 * @count: their number; without any there is no recovery
 * @last_transno: last transaction on disk
 *
 * Context: may sleep
 * Return: 0; -E2BIG for too many clients; -EALREADY; -ENOMEM
 */
int target_recovery_start(struct obd_device *obd, const struct obd_uuid *clients,
			  unsigned int count, u64 last_transno)
{
	struct target_recovery *tr;
	int rc;

	if (!count)
		return 0;
	if (count > RECOVERY_CLIENTS_MAX)
		return -E2BIG;
	if (obd->obd_recovery)
		return -EALREADY;
	tr = recovery_alloc(obd, count, last_transno);
	if (!tr)
		return -ENOMEM;
	names_fill(tr, clients);
	rc = recovery_params_add(obd);
	if (rc) {
		recovery_put(tr);
		return rc;
	}
	/* Published complete. */
	smp_store_release(&obd->obd_recovery, tr);
	recovery_set_window(tr, READ_ONCE(obd_timeout) * RECOVERY_SOFT,
			    READ_ONCE(obd_timeout) * RECOVERY_HARD);
	CINFO("%s: recovers %u clients from transaction %llu on\n",
	      obd->obd_name, count, last_transno + 1);
	return 0;
}

/**
 * target_recovery_free() - the target stops
 * @obd: target; may be one without recovery
 *
 * Held requests are released and find the target stopped.
 *
 * Context: may sleep
 */
void target_recovery_free(struct obd_device *obd)
{
	struct target_recovery *tr = xchg(&obd->obd_recovery, NULL);
	LIST_HEAD(waits);

	if (!tr)
		return;
	spin_lock(&tr->tr_lock);
	if (tr->tr_state == RECOVERY_RUNS)
		recovery_collect_rest(tr, &waits);
	spin_unlock(&tr->tr_lock);
	cancel_delayed_work_sync(&tr->tr_window);
	cancel_work_sync(&tr->tr_over);
	recovery_release(&waits);
	/* Lookups have taken their reference by then. */
	synchronize_rcu();
	recovery_put(tr);
}
