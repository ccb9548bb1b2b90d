// SPDX-License-Identifier: GPL-2.0
/*
 * Events of an import: to its device, and to the device above that watches it.
 *
 * The task that changes the import puts them into a queue, under whatever lock, and
 * they are told later without one. Events that nobody took yet coalesce when there are
 * many; none is lost. One task tells at a time, so nobody hears of a loss
 * before the connection that was lost. Who is told may use the import: the
 * events that come of that are told by the task that is at it.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <uapi/lustre_lite/obd_netlink.h>

#include "import_internal.h"

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
