// SPDX-License-Identifier: GPL-2.0
/*
 * How the connection of an import ends: given up, lost, idle, invalid; under
 * imp_connect_mutex, as connecting. Events are queued, and told when the mutex has
 * been released.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <linux/module.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "import_internal.h"

void import_transport_set(struct obd_import *imp,
			  const struct obd_transport *tr, u64 cookie)
{
	lockdep_assert_held(&imp->imp_connect_mutex);
	spin_lock(&imp->imp_lock);
	imp->imp_transport = tr;
	imp->imp_remote_handle.cookie = cookie;
	spin_unlock(&imp->imp_lock);
}

/*
 * Let go of the connection. With @forget the target is told, and does not know
 * us afterwards; without, it is left as it is.
 */
void import_transport_drop(struct obd_import *imp, bool forget)
{
	const struct obd_transport *tr = imp->imp_transport;

	lockdep_assert_held(&imp->imp_connect_mutex);
	if (tr) {
		tr->tr_disconnect(imp, !forget);
		import_transport_set(imp, NULL, imp->imp_remote_handle.cookie);
		module_put(tr->tr_owner);
	}
	if (forget)
		import_transport_set(imp, NULL, 0);
	import_conn_leave(imp);
}

/* What was begun until now fails. */
void import_invalidate_locked(struct obd_import *imp)
{
	const struct obd_import_ops *ops = import_ops(imp);

	lockdep_assert_held(&imp->imp_connect_mutex);
	set_bit(IMPF_INVALID, &imp->imp_flags);
	spin_lock(&imp->imp_lock);
	imp->imp_generation++;
	spin_unlock(&imp->imp_lock);
	import_changed(imp);
	if (ops && ops->io_invalidated)
		ops->io_invalidated(imp);
	import_event_add(imp, IMP_EVENT_INACTIVE);
	import_event_add(imp, IMP_EVENT_INVALIDATE);
}

void import_disconnect_locked(struct obd_import *imp, bool forget)
{
	import_transport_drop(imp, forget);
	import_set_state(imp, LUSTRE_IMP_DISCON);
	import_event_add(imp, IMP_EVENT_DISCON);
}

/* Take the mutex from who connects: the transport gives up soon. */
void import_connect_interrupt(struct obd_import *imp)
{
	atomic_inc(&imp->imp_cancel);
	import_changed(imp);
	mutex_lock(&imp->imp_connect_mutex);
	atomic_dec(&imp->imp_cancel);
}

/* Nobody wants the connection any more. */
int import_close(struct obd_import *imp)
{
	bool begun;
	int rc = 0;

	import_connect_interrupt(imp);
	begun = imp->imp_remote_handle.cookie;
	import_transport_drop(imp, true);
	if (import_state(imp) != LUSTRE_IMP_CLOSED)
		rc = import_set_state(imp, LUSTRE_IMP_CLOSED);
	if (begun)
		import_invalidate_locked(imp);
	mutex_unlock(&imp->imp_connect_mutex);
	return rc;
}

/**
 * import_disconnect() - say goodbye to the target; closed is closed
 * @imp: import; the caller holds it
 *
 * Context: as import_connect()
 * Return: 0 or a negative errno
 */
int import_disconnect(struct obd_import *imp)
{
	int rc = import_close(imp);

	import_events_tell(imp);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(import_disconnect, LUSTRE_LITE);

/* Somebody else saw to it: who does may be at it for long, and is not waited for. */
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
 * @conn_cnt: imp_conn_cnt when it was there; of several who tell, and of who
 *	comes too late, only the first matters
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
	import_events_tell(imp);
}
EXPORT_SYMBOL_NS_GPL(import_lost, LUSTRE_LITE);

/**
 * import_idle() - give up a connection that nobody needs for now
 * @imp: import; the caller holds it
 *
 * The target is told, and forgets us. The next use connects again; nothing was
 * lost then, and nothing is invalid.
 *
 * Context: as import_connect()
 * Return: 0; -EBUSY when it is in use, has locks, or is not LUSTRE_IMP_FULL
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
		import_transport_drop(imp, true);
	mutex_unlock(&imp->imp_connect_mutex);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(import_idle, LUSTRE_LITE);

/**
 * import_invalidate() - make fail what was begun
 * @imp: import; the caller holds it
 *
 * A connection ends by it. The next use connects again.
 *
 * Context: as import_connect()
 */
void import_invalidate(struct obd_import *imp)
{
	mutex_lock(&imp->imp_connect_mutex);
	if (import_is_connected(imp))
		import_disconnect_locked(imp, true);
	import_invalidate_locked(imp);
	mutex_unlock(&imp->imp_connect_mutex);
	import_events_tell(imp);
}
EXPORT_SYMBOL_NS_GPL(import_invalidate, LUSTRE_LITE);
