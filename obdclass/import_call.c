// SPDX-License-Identifier: GPL-2.0
/*
 * A call of the target through an import: it finds the import connected, or
 * connects it, and takes care of what its end says about the connection.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <linux/ktime.h>
#include <linux/module.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "import_internal.h"

/* Return: whether the import was connected and the call is under way. */
static bool call_start(struct obd_import *imp, struct import_call *call)
{
	const struct obd_transport *tr;

	spin_lock(&imp->imp_lock);
	tr = imp->imp_state == LUSTRE_IMP_FULL ? imp->imp_transport : NULL;
	if (tr && !try_module_get(tr->tr_owner))
		tr = NULL;
	call->ic_transport = tr;
	call->ic_generation = imp->imp_generation;
	call->ic_conn_cnt = imp->imp_conn_cnt;
	spin_unlock(&imp->imp_lock);
	if (!tr)
		return false;
	call->ic_imp = class_import_get(imp);
	call->ic_start_ns = ktime_get_ns();
	atomic_inc(&imp->imp_inflight);
	return true;
}

/**
 * import_call_begin() - begin a call
 * @imp: import; the caller holds it
 * @call: out, on success until import_call_end()
 *
 * An import in LUSTRE_IMP_DISCON is connected first.
 *
 * Context: as import_connect()
 * Return: 0; -ESHUTDOWN when the import is deactivated; -ENOTCONN when it is not
 * connected and cannot be
 */
int import_call_begin(struct obd_import *imp, struct import_call *call)
{
	struct obd_why why = {};
	int rc;

	if (test_bit(IMPF_DEACTIVE, &imp->imp_flags))
		return -ESHUTDOWN;
	if (call_start(imp, call))
		return 0;
	if (READ_ONCE(imp->imp_state) == LUSTRE_IMP_NEW)
		return -ENOTCONN;
	rc = import_connect(imp, &why);
	if (!rc && call_start(imp, call))
		return 0;
	CDEBUG(D_HA, "%s: no call to %s: %s: rc = %d\n", imp->imp_obd->obd_name,
	       imp->imp_target_uuid.uuid, why.text, rc);
	return -ENOTCONN;
}
EXPORT_SYMBOL_NS_GPL(import_call_begin, LUSTRE_LITE);

/**
 * import_call_end() - end a call
 * @call: what import_call_begin() began
 * @rc: what the transport said; -ENOTCONN ends the connection
 *
 * Context: as import_connect()
 * Return: @rc; -EIO when the import was invalidated meanwhile
 */
int import_call_end(struct import_call *call, int rc)
{
	struct obd_import *imp = call->ic_imp;
	bool stale;

	atomic64_add(ktime_get_ns() - call->ic_start_ns, &imp->imp_call_ns);
	atomic64_inc(&imp->imp_calls);
	atomic_dec(&imp->imp_inflight);
	if (rc == -ETIMEDOUT)
		atomic_inc(&imp->imp_timeouts);
	module_put(call->ic_transport->tr_owner);
	spin_lock(&imp->imp_lock);
	stale = imp->imp_generation != call->ic_generation;
	if (rc != -ENOTCONN)
		WRITE_ONCE(imp->imp_last_reply_time, ktime_get_seconds());
	spin_unlock(&imp->imp_lock);
	if (rc == -ENOTCONN)
		import_lost(imp, call->ic_conn_cnt);
	else if (stale)
		rc = -EIO;
	class_import_put(imp);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(import_call_end, LUSTRE_LITE);

/**
 * import_ping() - ask the target whether it still knows us
 * @imp: import; the caller holds it
 *
 * Context: as import_connect()
 * Return: 0, or as import_call_begin() and import_call_end()
 */
int import_ping(struct obd_import *imp)
{
	struct import_call call;
	int rc = import_call_begin(imp, &call);

	if (rc)
		return rc;
	return import_call_end(&call, call.ic_transport->tr_ping(imp));
}
EXPORT_SYMBOL_NS_GPL(import_ping, LUSTRE_LITE);
