// SPDX-License-Identifier: GPL-2.0
/*
 * States of an import: which may follow which, and which there were. Its events: to its
 * device, and to the device above that watches it.
 *
 * The task that changes the import puts events into a queue, under whatever lock, and
 * they are told later without one. Events that nobody took yet coalesce when there are
 * many; none is lost. One task tells at a time, so nobody hears of a loss
 * before the connection that was lost. Who is told may use the import: the
 * events that come of that are told by the task that is at it.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <linux/bits.h>
#include <linux/ktime.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <uapi/lustre_lite/obd_netlink.h>

#include "import_internal.h"

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
/* What a connection, or one in the making, may always come to. */
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
	[LUSTRE_IMP_IDLE] = TO(FULL) | TO(CONNECTING) | TO_END,
};

/**
 * import_state_name() - name of a state
 * @state: state
 *
 * Context: any
 * Return: static text, "UNKNOWN" for what is none
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

void import_changed(struct obd_import *imp)
{
	const struct obd_import_ops *ops = import_ops(imp);

	if (ops)
		ops->io_changed(imp);
}

/**
 * import_set_state() - the only way to change the state of an import
 * @imp: import
 * @state: what it is to be
 *
 * Context: may sleep
 * Return: 0, -EINVAL for a state that may not follow the one it is in
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
EXPORT_SYMBOL_NS_GPL(import_set_state, LUSTRE_LITE);

/**
 * import_is_usable() - whether a target can be called
 * @imp: import
 *
 * Context: any
 * Return: whether it is connected, or is as soon as somebody wants it to be
 */
bool import_is_usable(const struct obd_import *imp)
{
	return is_usable(READ_ONCE(imp->imp_state));
}
EXPORT_SYMBOL_NS_GPL(import_is_usable, LUSTRE_LITE);

/**
 * import_is_away() - whether who can do without the target has not to call it
 * @imp: import
 *
 * Context: any
 * Return: whether it is not connected, and a call is not needed for it to be tried
 * again: its follower sees to that
 */
bool import_is_away(const struct obd_import *imp)
{
	return !import_is_usable(imp) && import_ops(imp) &&
	       !test_bit(IMPF_NO_PINGER_RECOVER, &imp->imp_flags);
}

/**
 * import_return_ns() - how much longer a target that was lost may be back at once
 * @imp: import
 *
 * Context: any
 * Return: nanoseconds; 0 where it is there, was lost too long ago, or is not wanted
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
 * The queue is full: drop the oldest event that comes again later in it. There is
 * one, as the queue has more places than there are kinds of events. So each kind
 * stays, and stays behind those after which it came last: what the device hears in
 * the end is how things are.
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

/* What the device above is told; 0 for what does not concern it. */
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

static void event_say(struct obd_device *obd, const char *to, int rc)
{
	if (rc && rc != -EOPNOTSUPP && rc != -ENODEV)
		CERROR("%s: %s does not take an event of the import: rc = %d\n",
		       obd->obd_name, to, rc);
}

static void event_tell(struct obd_import *imp, enum obd_import_event event)
{
	struct obd_device *obd = imp->imp_obd, *watcher;
	unsigned int notice = event_notice(event);

	obd_event(obd, LL_OBD_IMPORT_EVENT, event, imp->imp_target_uuid.uuid);
	event_say(obd, obd->obd_name, obd_import_event(obd, imp, event));
	if (event == IMP_EVENT_INVALIDATE)
		atomic_dec(&imp->imp_inval_count);
	watcher = notice ? event_watcher(obd) : NULL;
	if (!watcher)
		return;
	event_say(obd, watcher->obd_name, obd_notify(watcher, obd, notice));
	class_decref(watcher, OBD_REF_LOOKUP);
}

/* Tell what there is; without a lock, and with a reference on the import. */
void import_events_tell(struct obd_import *imp)
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
		event_tell(imp, event);
		spin_lock(&imp->imp_lock);
	}
	ie->ie_telling = false;
	spin_unlock(&imp->imp_lock);
}
