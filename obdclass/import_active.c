// SPDX-License-Identifier: GPL-2.0
/*
 * What a person does to an import: activate, deactivate, recover. Under
 * imp_connect_mutex, as connecting.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <linux/bitops.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "import_internal.h"

void import_set_deactive(struct obd_import *imp, bool deactive)
{
	assign_bit(IMPF_DEACTIVE, &imp->imp_flags, deactive);
	assign_bit(OBDF_INACTIVE, &imp->imp_obd->obd_flags, deactive);
	import_changed(imp);
}

static void deactivate_locked(struct obd_import *imp)
{
	import_set_deactive(imp, true);
	import_event_add(imp, IMP_EVENT_DEACTIVATE);
	if (import_is_connected(imp))
		import_disconnect_locked(imp, true);
	import_invalidate_locked(imp);
}

static int activate_locked(struct obd_import *imp, struct obd_why *why)
{
	import_set_deactive(imp, false);
	import_event_add(imp, IMP_EVENT_ACTIVATE);
	if (import_state(imp) != LUSTRE_IMP_DISCON)
		return 0;
	return import_connect_locked(imp, why);
}

/**
 * import_set_active() - activate or deactivate by hand
 * @imp: import; the caller holds it
 * @active: whether it may be used
 * @why: out, why not
 *
 * A deactivated import says goodbye and stays unconnected, whoever asks. When it
 * is activated and somebody is connected to its device, it connects.
 *
 * Context: as import_connect()
 * Return: 0, also when it was so before; an activated import that cannot connect
 * is active and returns what import_connect() does
 */
int import_set_active(struct obd_import *imp, bool active, struct obd_why *why)
{
	int rc = 0;

	if (active)
		rc = mutex_lock_killable(&imp->imp_connect_mutex);
	else
		import_connect_interrupt(imp);
	if (rc)
		return rc;
	if (active == test_bit(IMPF_DEACTIVE, &imp->imp_flags)) {
		if (active)
			rc = activate_locked(imp, why);
		else
			deactivate_locked(imp);
	}
	mutex_unlock(&imp->imp_connect_mutex);
	import_events_tell(imp);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(import_set_active, LUSTRE_LITE);

static int recover_locked(struct obd_import *imp, const struct obd_uuid *uuid,
			  struct obd_why *why)
{
	int rc = import_connect_refused(imp, why);

	if (rc)
		return rc;
	if (uuid && !import_conn_prefer(imp, uuid))
		return obd_refuse(why, -ENOENT,
				  "%s: '%s' is none of its servers; add_conn it first",
				  imp->imp_obd->obd_name, uuid->uuid);
	if (import_is_connected(imp))
		import_disconnect_locked(imp, false);
	rc = import_connect_locked(imp, why);
	if (!rc && uuid && !import_conn_is_current(imp, uuid))
		rc = obd_refuse(why, -EHOSTUNREACH,
				"%s: server %s does not answer, connected to another",
				imp->imp_obd->obd_name, uuid->uuid);
	return rc;
}

/**
 * import_recover() - connect anew, whatever the state
 * @imp: import; the caller holds it
 * @uuid: server to go to, or NULL for the next one
 * @why: out, why not
 *
 * Context: as import_connect()
 * Return: 0; -ENOENT when @uuid is none of the servers; -EHOSTUNREACH when
 * another than @uuid answered; as import_connect()
 */
int import_recover(struct obd_import *imp, const struct obd_uuid *uuid,
		   struct obd_why *why)
{
	int rc;

	if (uuid && !uuid->uuid[0])
		uuid = NULL;
	import_connect_interrupt(imp);
	rc = recover_locked(imp, uuid, why);
	mutex_unlock(&imp->imp_connect_mutex);
	import_events_tell(imp);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(import_recover, LUSTRE_LITE);
