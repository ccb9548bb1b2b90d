// SPDX-License-Identifier: GPL-2.0-only
/*
 * States of an import: which may follow which, and which there were; how a connection
 * ends: given up, lost, idle, invalid. Events of an import: to its device, and to the
 * device above that watches it.
 *
 * The task that changes the import queues events under imp_connect_mutex, and delivers
 * them without a lock. When the queue is full, pending events of the same kind coalesce;
 * no kind is lost. One task delivers at a time, so a loss is not seen before the
 * connection that was lost. The receiver may use the import: events that follow from that
 * are delivered by the task that delivers already.
 */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/bits.h>
#include <linux/ktime.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_client.h>
#include <lustre_lite/ost_grant.h>
#include <uapi/lustre_lite/obd_netlink.h>

#include "import.h"
#include "../net/trace.h"

static const char * const state_names[LUSTRE_IMP_LAST] = {
	[LUSTRE_IMP_CLOSED] = "CLOSED",
	[LUSTRE_IMP_NEW] = "NEW",
	[LUSTRE_IMP_DISCON] = "DISCONN",
	[LUSTRE_IMP_CONNECTING] = "CONNECTING",
	[LUSTRE_IMP_REPLAY] = "REPLAY",
	[LUSTRE_IMP_REPLAY_LOCKS] = "REPLAY_LOCKS",
	[LUSTRE_IMP_REPLAY_WAIT] = "REPLAY_WAIT",
	[LUSTRE_IMP_RECOVER] = "RECOVER",
	[LUSTRE_IMP_FULL] = "FULL",
	[LUSTRE_IMP_EVICTED] = "EVICTED",
	[LUSTRE_IMP_IDLE] = "IDLE",
};

#define TO(state)	BIT(LUSTRE_IMP_##state)
/* States that may follow every one from CONNECTING on. */
#define TO_END		(TO(DISCON) | TO(CLOSED))

/* State by state, those that may follow. */
static const u16 state_next[LUSTRE_IMP_LAST] = {
	[LUSTRE_IMP_CLOSED] = TO(NEW),
	[LUSTRE_IMP_NEW] = TO(CONNECTING) | TO_END,
	[LUSTRE_IMP_DISCON] = TO(CONNECTING) | TO(CLOSED),
	[LUSTRE_IMP_CONNECTING] = TO(REPLAY) | TO(RECOVER) | TO(FULL) |
				  TO(EVICTED) | TO_END,
	[LUSTRE_IMP_REPLAY] = TO(REPLAY_LOCKS) | TO_END,
	[LUSTRE_IMP_REPLAY_LOCKS] = TO(REPLAY_WAIT) | TO_END,
	[LUSTRE_IMP_REPLAY_WAIT] = TO(RECOVER) | TO_END,
	[LUSTRE_IMP_RECOVER] = TO(FULL) | TO_END,
	[LUSTRE_IMP_FULL] = TO(IDLE) | TO_END,
	[LUSTRE_IMP_EVICTED] = TO(RECOVER) | TO_END,
	[LUSTRE_IMP_IDLE] = TO(CONNECTING) | TO_END,
};

/**
 * import_state_name() - name of a state
 * @state: state
 *
 * Context: any
 * Return: static text, "UNKNOWN" for another value
 */
const char *import_state_name(enum lustre_imp_state state)
{
	if ((unsigned int)state >= LUSTRE_IMP_LAST || !state_names[state])
		return "UNKNOWN";
	return state_names[state];
}
EXPORT_SYMBOL_NS_GPL(import_state_name, LUSTRE_LITE);

static bool import_state_may(enum lustre_imp_state from,
			     enum lustre_imp_state to)
{
	if ((unsigned int)from >= LUSTRE_IMP_LAST ||
	    (unsigned int)to >= LUSTRE_IMP_LAST)
		return false;
	return state_next[from] & BIT(to);
}

static bool is_usable(enum lustre_imp_state state)
{
	return state == LUSTRE_IMP_FULL || state == LUSTRE_IMP_IDLE;
}

static void state_enter(struct obd_import *imp, enum lustre_imp_state state)
{
	struct import_state_hist *hist = &imp->imp_hist[imp->imp_hist_next];

	lockdep_assert_held(&imp->imp_lock);
	if (is_usable(imp->imp_state) && !is_usable(state))
		imp->imp_lost_ns = ktime_get_ns();
	WRITE_ONCE(imp->imp_state, state);
	hist->ish_state = state;
	hist->ish_time = ktime_get_real_seconds();
	imp->imp_hist_next = (imp->imp_hist_next + 1) % IMP_STATE_HIST_LEN;
}

/* Its state, its generation or a flag changed, or a connect under way is to end. */
void import_changed(struct obd_import *imp)
{
	trace_ll_import_state(imp);
	ptlrpc_requests_import_changed(imp);
	replay_import_changed(imp);
	recover_import_changed(imp);
}

/**
 * import_set_state() - the only way to change the state of an import
 * @imp: import
 * @state: new state
 *
 * Context: may sleep
 * Return: 0, -EINVAL for an illegal transition
 */
int import_set_state(struct obd_import *imp, enum lustre_imp_state state)
{
	const char *name = imp->imp_obd->obd_name;
	enum lustre_imp_state from;
	bool may;

	spin_lock(&imp->imp_lock);
	from = imp->imp_state;
	may = import_state_may(from, state);
	if (may)
		state_enter(imp, state);
	spin_unlock(&imp->imp_lock);
	if (!may) {
		CERROR("%s: import of %s cannot go from %s to %s: rc = %d\n",
		       name, imp->imp_target_uuid.uuid, import_state_name(from),
		       import_state_name(state), -EINVAL);
		return -EINVAL;
	}
	CDEBUG(D_HA, "%s: import of %s goes from %s to %s\n", name,
	       imp->imp_target_uuid.uuid, import_state_name(from),
	       import_state_name(state));
	import_changed(imp);
	obd_event(imp->imp_obd, LL_OBD_IMPORT_STATE, state,
		  imp->imp_target_uuid.uuid);
	return 0;
}
EXPORT_FOR_KUNIT(import_set_state);

/**
 * import_is_usable() - whether a target can be called
 * @imp: import
 *
 * Context: any
 * Return: whether it is connected, or idle and connected by the next use
 */
bool import_is_usable(const struct obd_import *imp)
{
	return is_usable(READ_ONCE(imp->imp_state));
}
EXPORT_SYMBOL_NS_GPL(import_is_usable, LUSTRE_LITE);

/**
 * import_is_away() - whether callers that can do without the target leave it out
 * @imp: import
 *
 * Context: any
 * Return: whether it is not connected, and recovery tries it again without a call
 */
bool import_is_away(const struct obd_import *imp)
{
	return !import_is_usable(imp) && READ_ONCE(imp->imp_networked) &&
	       !test_bit(IMPF_NO_PINGER_RECOVER, &imp->imp_flags);
}

/**
 * import_return_ns() - how much longer a target that was lost may be back at once
 * @imp: import
 *
 * Context: any
 * Return: nanoseconds; 0 when it is there, was lost too long ago, or is not wanted
 */
u64 import_return_ns(struct obd_import *imp)
{
	u64 now = ktime_get_ns(), end = 0;

	if (!import_is_away(imp) || test_bit(IMPF_DEACTIVE, &imp->imp_flags))
		return 0;
	spin_lock(&imp->imp_lock);
	if (imp->imp_lost_ns && imp->imp_state != LUSTRE_IMP_CLOSED)
		end = imp->imp_lost_ns + IMP_RETURN_SEC * NSEC_PER_SEC;
	spin_unlock(&imp->imp_lock);
	return end > now ? end - now : 0;
}

/* Copy the history, the oldest first. Return: how many states it has. */
unsigned int import_history(struct obd_import *imp,
			    struct import_state_hist *hist)
{
	const struct import_state_hist *at;
	unsigned int n, count = 0;

	spin_lock(&imp->imp_lock);
	for (n = 0; n < IMP_STATE_HIST_LEN; n++) {
		at = &imp->imp_hist[(imp->imp_hist_next + n) %
				    IMP_STATE_HIST_LEN];
		if (at->ish_state)
			hist[count++] = *at;
	}
	spin_unlock(&imp->imp_lock);
	return count;
}

/*
 * Events.
 */

static enum obd_import_event event_at(const struct import_events *ie,
				      unsigned int n)
{
	return ie->ie_ring[(ie->ie_first + n) % IMP_EVENTS_MAX];
}

/* Whether an event of the same kind follows that at place @n. */
static bool event_comes_again(const struct import_events *ie, unsigned int n)
{
	unsigned int later;

	for (later = n + 1; later < ie->ie_count; later++) {
		if (event_at(ie, later) == event_at(ie, n))
			return true;
	}
	return false;
}

/*
 * The queue is full: drop the oldest event that is in it again later. There is one, as
 * the queue has more places than there are kinds of events. The last event of each kind
 * stays in its order, so the last events that the device receives say how things are.
 */
static void __events_coalesce(struct obd_import *imp)
{
	struct import_events *ie = &imp->imp_events;
	unsigned int n = 0;

	BUILD_BUG_ON(IMP_EVENTS_MAX <= IMP_EVENT_KINDS);
	lockdep_assert_held(&imp->imp_lock);
	while (n < ie->ie_count - 1 && !event_comes_again(ie, n))
		n++;
	if (event_at(ie, n) == IMP_EVENT_INVALIDATE)
		atomic_dec(&imp->imp_inval_count);
	for (; n < ie->ie_count - 1; n++)
		ie->ie_ring[(ie->ie_first + n) % IMP_EVENTS_MAX] =
			event_at(ie, n + 1);
	ie->ie_count--;
}

void import_event_add(struct obd_import *imp, enum obd_import_event event)
{
	struct import_events *ie = &imp->imp_events;

	if (event == IMP_EVENT_INVALIDATE)
		atomic_inc(&imp->imp_inval_count);
	spin_lock(&imp->imp_lock);
	if (ie->ie_count == IMP_EVENTS_MAX)
		__events_coalesce(imp);
	ie->ie_ring[(ie->ie_first + ie->ie_count++) % IMP_EVENTS_MAX] = event;
	spin_unlock(&imp->imp_lock);
}

/* The device above, referenced, while the one of the import is set up. */
static struct obd_device *event_watcher(struct obd_device *obd)
{
	struct obd_device *watcher = NULL;

	if (!obd_op_enter(obd))
		return NULL;
	if (obd->obd_cli)
		watcher = client_watcher_get(obd->obd_cli);
	obd_op_leave(obd);
	return watcher;
}

/* The notification of the device above; 0 for events that do not concern it. */
static unsigned int event_notice(enum obd_import_event event)
{
	switch (event) {
	case IMP_EVENT_ACTIVE:
		return OBD_NOTIFY_ACTIVE;
	case IMP_EVENT_INACTIVE:
		return OBD_NOTIFY_INACTIVE;
	case IMP_EVENT_OCD:
		return OBD_NOTIFY_OCD;
	default:
		return 0;
	}
}

static void event_result(struct obd_device *obd, const char *to, int rc)
{
	if (rc && rc != -EOPNOTSUPP && rc != -ENODEV)
		CERROR("%s: %s failed to take an event of the import: rc = %d\n",
		       obd->obd_name, to, rc);
}

static void event_deliver(struct obd_import *imp, enum obd_import_event event)
{
	struct obd_device *obd = imp->imp_obd, *watcher;
	unsigned int notice = event_notice(event);

	obd_event(obd, LL_OBD_IMPORT_EVENT, event, imp->imp_target_uuid.uuid);
	event_result(obd, obd->obd_name, obd_import_event(obd, imp, event));
	if (event == IMP_EVENT_INVALIDATE)
		atomic_dec(&imp->imp_inval_count);
	watcher = notice ? event_watcher(obd) : NULL;
	if (!watcher)
		return;
	event_result(obd, watcher->obd_name, obd_notify(watcher, obd, notice));
	class_decref(watcher, OBD_REF_LOOKUP);
}

/* Deliver pending events; without a lock, and with a reference on the import. */
void import_events_deliver(struct obd_import *imp)
{
	struct import_events *ie = &imp->imp_events;
	enum obd_import_event event;

	spin_lock(&imp->imp_lock);
	if (ie->ie_telling) {
		spin_unlock(&imp->imp_lock);
		return;
	}
	ie->ie_telling = true;
	while (ie->ie_count) {
		event = ie->ie_ring[ie->ie_first];
		ie->ie_first = (ie->ie_first + 1) % IMP_EVENTS_MAX;
		ie->ie_count--;
		spin_unlock(&imp->imp_lock);
		event_deliver(imp, event);
		spin_lock(&imp->imp_lock);
	}
	ie->ie_telling = false;
	spin_unlock(&imp->imp_lock);
}

/*
 * The end of a connection.
 */

void import_link_set(struct obd_import *imp, enum imp_link link, u64 cookie)
{
	lockdep_assert_held(&imp->imp_connect_mutex);
	spin_lock(&imp->imp_lock);
	WRITE_ONCE(imp->imp_link, link);
	WRITE_ONCE(imp->imp_remote_handle.cookie, cookie);
	spin_unlock(&imp->imp_lock);
	if (imp->imp_grant && !cookie)
		ost_grant_connected(imp->imp_grant, 0, 0);
}

/* @failed: the target may be gone, and is not asked. */
int import_link_disconnect(struct obd_import *imp, bool failed)
{
	if (imp->imp_link == IMP_LINK_NET)
		return import_net_disconnect(imp, failed);
	return imp->imp_link == IMP_LINK_LOOPBACK ? loopback_disconnect(imp, failed) : 0;
}

/*
 * Give up the connection. With @forget the client disconnects from the target, which does
 * not know it afterwards; without, the target is not asked.
 */
void import_link_drop(struct obd_import *imp, bool forget)
{
	lockdep_assert_held(&imp->imp_connect_mutex);
	import_link_disconnect(imp, !forget);
	import_link_set(imp, IMP_LINK_NONE,
			forget ? 0 : imp->imp_remote_handle.cookie);
	import_conn_leave(imp);
}

/* Requests that were started until now fail. */
static void requests_invalidate(struct obd_import *imp)
{
	lockdep_assert_held(&imp->imp_connect_mutex);
	set_bit(IMPF_INVALID, &imp->imp_flags);
	spin_lock(&imp->imp_lock);
	imp->imp_generation++;
	spin_unlock(&imp->imp_lock);
	import_changed(imp);
}

/* After requests_invalidate(): the locks are gone. */
static void locks_invalidate(struct obd_import *imp)
{
	if (imp->imp_obd->obd_namespace)
		import_locks->il_invalidated(imp);
	import_event_add(imp, IMP_EVENT_INACTIVE);
	import_event_add(imp, IMP_EVENT_INVALIDATE);
}

void import_invalidate_locked(struct obd_import *imp)
{
	requests_invalidate(imp);
	locks_invalidate(imp);
}

void import_disconnect_locked(struct obd_import *imp, bool forget)
{
	import_link_drop(imp, forget);
	import_set_state(imp, LUSTRE_IMP_DISCON);
	import_event_add(imp, IMP_EVENT_DISCON);
}

/* Take the mutex from a task that connects: it gives up soon. */
void import_interrupt(struct obd_import *imp)
{
	atomic_inc(&imp->imp_cancel);
	import_changed(imp);
	mutex_lock(&imp->imp_connect_mutex);
	atomic_dec(&imp->imp_cancel);
}

/* The connection is not wanted any more. */
int import_close(struct obd_import *imp)
{
	bool known;
	int rc = 0;

	import_interrupt(imp);
	known = imp->imp_remote_handle.cookie;
	import_link_drop(imp, true);
	if (import_state(imp) != LUSTRE_IMP_CLOSED)
		rc = import_set_state(imp, LUSTRE_IMP_CLOSED);
	if (known)
		import_invalidate_locked(imp);
	mutex_unlock(&imp->imp_connect_mutex);
	return rc;
}

/**
 * import_disconnect() - disconnect from the target; the import is CLOSED
 * @imp: import; the caller holds it
 *
 * Context: as import_connect()
 * Return: 0 or a negative errno
 */
int import_disconnect(struct obd_import *imp)
{
	int rc = import_close(imp);

	import_events_deliver(imp);
	return rc;
}
EXPORT_FOR_KUNIT(import_disconnect);

/* Another task has seen to it: it may take long, and is not waited for. */
static bool is_seen_to(struct obd_import *imp, u32 conn_cnt)
{
	bool seen;

	spin_lock(&imp->imp_lock);
	seen = !import_is_connected(imp) || imp->imp_conn_cnt != conn_cnt;
	spin_unlock(&imp->imp_lock);
	return seen;
}

/**
 * import_lost() - the connection was found to be gone
 * @imp: import; the caller holds it
 * @conn_cnt: imp_conn_cnt when it was there; only the first report of a loss matters
 *
 * Context: as import_connect()
 */
void import_lost(struct obd_import *imp, u32 conn_cnt)
{
	if (is_seen_to(imp, conn_cnt))
		return;
	mutex_lock(&imp->imp_connect_mutex);
	if (import_is_connected(imp) && imp->imp_conn_cnt == conn_cnt) {
		CWARN("%s: connection to %s is lost\n", imp->imp_obd->obd_name,
		      imp->imp_target_uuid.uuid);
		import_disconnect_locked(imp, false);
	}
	mutex_unlock(&imp->imp_connect_mutex);
	import_events_deliver(imp);
}

/* A target that has not answered may know the client still, and wait for it after a restart. */
static int idle_locked(struct obd_import *imp)
{
	lockdep_assert_held(&imp->imp_connect_mutex);
	if (import_link_disconnect(imp, false)) {
		import_disconnect_locked(imp, false);
		return -ENOTCONN;
	}
	import_link_set(imp, IMP_LINK_NONE, 0);
	import_conn_leave(imp);
	return 0;
}

/**
 * import_idle() - give up a connection that is not needed for now
 * @imp: import; the caller holds it
 *
 * The target forgets the client. The next use connects again; nothing was lost then, and
 * nothing is invalid.
 *
 * Context: as import_connect()
 * Return: 0; -EBUSY when it is in use, has locks, or is not LUSTRE_IMP_FULL; -ENOTCONN: the target
 *  does not say that it has forgotten the client: it is LUSTRE_IMP_DISCON, and connects again
 */
int import_idle(struct obd_import *imp)
{
	int rc = -EBUSY;

	mutex_lock(&imp->imp_connect_mutex);
	spin_lock(&imp->imp_lock);
	if (imp->imp_state == LUSTRE_IMP_FULL &&
	    !atomic_read(&imp->imp_inflight) && !atomic_read(&imp->imp_locks))
		rc = 0;
	spin_unlock(&imp->imp_lock);
	if (!rc)
		rc = import_set_state(imp, LUSTRE_IMP_IDLE);
	if (!rc)
		rc = idle_locked(imp);
	mutex_unlock(&imp->imp_connect_mutex);
	import_events_deliver(imp);
	return rc;
}
EXPORT_FOR_KUNIT(import_idle);

/**
 * import_invalidate() - make all requests that were started fail
 * @imp: import; the caller holds it
 *
 * A connection ends by it. The next use connects again. The requests fail before the disconnect:
 * the target refuses those that it finds afterwards, for another reason.
 *
 * Context: as import_connect()
 */
void import_invalidate(struct obd_import *imp)
{
	mutex_lock(&imp->imp_connect_mutex);
	requests_invalidate(imp);
	if (import_is_connected(imp))
		import_disconnect_locked(imp, true);
	locks_invalidate(imp);
	mutex_unlock(&imp->imp_connect_mutex);
	import_events_deliver(imp);
}
EXPORT_FOR_KUNIT(import_invalidate);
