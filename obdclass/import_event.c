// SPDX-License-Identifier: GPL-2.0
/*
 * Events of an import: to its device, and to the device above that watches it.
 *
 * They are put into a queue by who changes the import, under whatever lock, and
 * told later without one. One task tells at a time, so nobody hears of a loss
 * before the connection that was lost. Who is told may use the import: the
 * events that come of that are told by the task that is at it.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <uapi/lustre_lite/obd_netlink.h>

#include "import_internal.h"

void import_event_add(struct obd_import *imp, enum obd_import_event event)
{
	struct import_events *ie = &imp->imp_events;
	bool full;

	if (event == IMP_EVENT_INVALIDATE)
		atomic_inc(&imp->imp_inval_count);
	spin_lock(&imp->imp_lock);
	full = ie->ie_count == IMP_EVENTS_MAX;
	if (full) {
		if (ie->ie_ring[ie->ie_first] == IMP_EVENT_INVALIDATE)
			atomic_dec(&imp->imp_inval_count);
		ie->ie_first = (ie->ie_first + 1) % IMP_EVENTS_MAX;
		ie->ie_count--;
	}
	ie->ie_ring[(ie->ie_first + ie->ie_count++) % IMP_EVENTS_MAX] = event;
	spin_unlock(&imp->imp_lock);
	if (full)
		CWARN("%s: events are not taken fast enough, the oldest is forgotten\n",
		      imp->imp_obd->obd_name);
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
