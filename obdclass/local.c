// SPDX-License-Identifier: GPL-2.0
/*
 * The transport to targets in this kernel: NID 0@lo. Messages are calls of the
 * target's operations.
 *
 * A client keeps the cookie of its export and no reference, as one on another
 * machine would: each call looks the cookie up and holds the export until it
 * returns. So a client never keeps a target from being cleaned up for longer
 * than a call takes, a target knows nothing of its clients' imports, and an
 * export that was evicted or unlinked is not found by the next call, which
 * returns -ENOTCONN.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <linux/err.h>
#include <linux/module.h>
#include <linux/ktime.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "import_internal.h"

static bool local_reaches(const struct lnet_nid *nid)
{
	return nid->nid_type == LNET_LO;
}

/* The client's export, referenced, while the target knows it. */
static struct obd_export *local_export(struct obd_import *imp)
{
	struct obd_export *exp;
	u64 cookie;

	spin_lock(&imp->imp_lock);
	cookie = imp->imp_remote_handle.cookie;
	spin_unlock(&imp->imp_lock);
	exp = class_conn2export(cookie);
	if (!exp || class_connected_export(exp))
		return exp;
	class_export_put(exp);
	return NULL;
}

/* What would lead back to us, with locks held on the way. */
static const char *local_why_not(struct obd_import *imp,
				 const struct obd_device *target)
{
	struct client_obd *cli = imp->imp_obd->obd_cli;
	struct obd_device *above;

	if (target->obd_type->typ_has_import)
		return "a client";
	above = cli ? client_watcher_get(cli) : NULL;
	if (above)
		class_decref(above, OBD_REF_LOOKUP);
	return above == target ? "the device above it" : NULL;
}

/* The target, referenced. */
static struct obd_device *local_target(struct obd_import *imp)
{
	struct obd_device *obd = class_uuid2obd(&imp->imp_target_uuid);
	const char *what;

	if (!obd)
		return ERR_PTR(-ENODEV);
	what = local_why_not(imp, obd);
	if (!what)
		return obd;
	CWARN("%s: its target %s is device %s of type %s, which is %s: rc = %d\n",
	      imp->imp_obd->obd_name, imp->imp_target_uuid.uuid, obd->obd_name,
	      obd->obd_type_name, what, -EINVAL);
	class_decref(obd, OBD_REF_LOOKUP);
	return ERR_PTR(-EINVAL);
}

static void local_note_connect(struct obd_import *imp, struct obd_export *exp)
{
	spin_lock(&exp->exp_lock);
	exp->exp_conn_cnt = imp->imp_conn_cnt;
	WRITE_ONCE(exp->exp_last_request_time, ktime_get_seconds());
	spin_unlock(&exp->exp_lock);
}

/* A type that has nothing to do about it grants what it granted. */
static int local_reconnect(struct obd_import *imp, struct obd_device *target,
			   struct obd_export *exp, struct obd_connect_data *ocd)
{
	int rc = obd_reconnect(exp, target, &imp->imp_obd->obd_uuid, ocd);

	if (rc == -EOPNOTSUPP) {
		spin_lock(&exp->exp_lock);
		*ocd = exp->exp_connect_data;
		spin_unlock(&exp->exp_lock);
		rc = 0;
	}
	return rc;
}

static int local_connect_target(struct obd_import *imp,
				struct obd_device *target,
				struct import_answer *answer)
{
	struct obd_connect_data *ocd = &answer->ia_data;
	struct obd_export *exp = local_export(imp);
	int rc;

	if (exp && exp->exp_obd != target) {
		class_export_put(exp);
		exp = NULL;
	}
	if (exp)
		rc = local_reconnect(imp, target, exp, ocd);
	else
		rc = obd_connect(&exp, target, &imp->imp_obd->obd_uuid, NULL,
				 ocd);
	if (!rc) {
		local_note_connect(imp, exp);
		answer->ia_remote.cookie = exp->exp_handle.h_cookie;
	}
	if (!IS_ERR_OR_NULL(exp))
		class_export_put(exp);
	return rc;
}

static int local_connect(struct obd_import *imp, const struct lnet_nid *nid,
			 struct import_answer *answer)
{
	struct obd_device *target = local_target(imp);
	int rc;

	if (IS_ERR(target))
		return PTR_ERR(target);
	rc = local_connect_target(imp, target, answer);
	answer->ia_refused = rc;
	class_decref(target, OBD_REF_LOOKUP);
	return rc;
}

static void local_disconnect(struct obd_import *imp, bool failed)
{
	struct obd_export *exp = failed ? NULL : local_export(imp);
	int rc;

	if (!exp)
		return;
	rc = obd_disconnect(exp);
	if (rc)
		CERROR("%s: %s does not let go: rc = %d\n",
		       imp->imp_obd->obd_name, imp->imp_target_uuid.uuid, rc);
}

/* Come in with a request. The target that is going away is gone. */
static struct obd_export *local_begin(struct obd_import *imp)
{
	struct obd_export *exp = local_export(imp);
	struct obd_export *rpc;

	if (!exp)
		return NULL;
	rpc = class_export_rpc_inc(exp);
	class_export_put(exp);
	WRITE_ONCE(rpc->exp_last_request_time, ktime_get_seconds());
	return rpc;
}

static int local_end(struct obd_export *exp, int rc)
{
	class_export_rpc_dec(exp);
	return rc == -ENODEV ? -ENOTCONN : rc;
}

static int local_ping(struct obd_import *imp)
{
	struct obd_export *exp = local_begin(imp);
	int rc = 0;

	if (!exp)
		return -ENOTCONN;
	if (obd_op_enter(exp->exp_obd))
		obd_op_leave(exp->exp_obd);
	else
		rc = -ENODEV;
	return local_end(exp, rc);
}

static int local_statfs(struct obd_import *imp, struct obd_statfs *st,
			u64 max_age)
{
	struct obd_export *exp = local_begin(imp);

	if (!exp)
		return -ENOTCONN;
	return local_end(exp, obd_statfs(exp, st, max_age));
}

static int local_get_info(struct obd_import *imp, const char *key, void *val,
			  u32 *vallen)
{
	struct obd_export *exp = local_begin(imp);

	if (!exp)
		return -ENOTCONN;
	return local_end(exp, obd_get_info(exp, key, val, vallen));
}

static int local_set_info(struct obd_import *imp, const char *key,
			  const void *val, u32 vallen)
{
	struct obd_export *exp = local_begin(imp);

	if (!exp)
		return -ENOTCONN;
	return local_end(exp, obd_set_info_async(exp, key, val, vallen));
}

static struct obd_transport local_transport = {
	.tr_name = "local",
	.tr_owner = THIS_MODULE,
	.tr_reaches = local_reaches,
	.tr_connect = local_connect,
	.tr_disconnect = local_disconnect,
	.tr_ping = local_ping,
	.tr_statfs = local_statfs,
	.tr_get_info = local_get_info,
	.tr_set_info = local_set_info,
};

/**
 * obd_local_init() - offer the transport
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int obd_local_init(void)
{
	return obd_transport_register(&local_transport);
}

/**
 * obd_local_exit() - the opposite
 *
 * Context: may sleep; no device is left
 */
void obd_local_exit(void)
{
	obd_transport_deregister(&local_transport);
}
