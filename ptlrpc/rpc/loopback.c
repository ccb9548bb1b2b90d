// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loopback: imports to targets in this kernel, NID 0@lo. Messages are calls of the
 * target's operations.
 *
 * A client has the cookie of its export and no reference, like a client on another node:
 * each call looks the cookie up, and holds the export until it returns. So a client delays
 * the cleanup of a target by one call at most, and a target knows nothing of the imports of
 * its clients. An export that was evicted or unlinked is not found by the next call, which
 * returns -ENOTCONN.
 */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/err.h>
#include <linux/ktime.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_client.h>

#include "import.h"

#if IS_ENABLED(CONFIG_KUNIT)
const struct loopback_stand_in *loopback_stand_in;
EXPORT_FOR_KUNIT(loopback_stand_in);

static bool stand_in_reaches(const struct lnet_nid *nid)
{
	return loopback_stand_in && loopback_stand_in->reaches(nid);
}

/* The stand-in that the import is connected to, or NULL. */
static const struct loopback_stand_in *stand_in(const struct obd_import *imp)
{
	return test_bit(IMPF_STAND_IN, &imp->imp_flags) ? loopback_stand_in : NULL;
}
#else
static bool stand_in_reaches(const struct lnet_nid *nid)
{
	return false;
}

static const struct loopback_stand_in *stand_in(const struct obd_import *imp)
{
	return NULL;
}
#endif

bool loopback_reaches(const struct lnet_nid *nid)
{
	return nid->nid_type == LNET_LO || stand_in_reaches(nid);
}

/* The client's export, referenced, while the target knows it. */
static struct obd_export *loopback_export(struct obd_import *imp)
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

/* A target that would lead back to the import, with locks held on the way. */
static const char *why_not(struct obd_import *imp, const struct obd_device *target)
{
	struct client_obd *cli = imp->imp_obd->obd_cli;
	struct obd_device *above;

	if (target->obd_type->typ_import)
		return "a client";
	above = cli ? client_watcher_get(cli) : NULL;
	if (above)
		class_decref(above, OBD_REF_LOOKUP);
	return above == target ? "the device above it" : NULL;
}

/* The target, referenced. */
static struct obd_device *find_target(struct obd_import *imp)
{
	struct obd_device *obd = class_uuid2obd(&imp->imp_target_uuid);
	const char *what;

	if (!obd)
		return ERR_PTR(-ENODEV);
	what = why_not(imp, obd);
	if (!what)
		return obd;
	CWARN("%s: its target %s is device %s of type %s, which is %s: rc = %d\n",
	      imp->imp_obd->obd_name, imp->imp_target_uuid.uuid, obd->obd_name,
	      obd->obd_type_name, what, -EINVAL);
	class_decref(obd, OBD_REF_LOOKUP);
	return ERR_PTR(-EINVAL);
}

/* A type without o_reconnect grants what it granted before. */
static int reconnect(struct obd_import *imp, struct obd_device *target,
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

static int connect_target(struct obd_import *imp, struct obd_device *target,
			  struct import_answer *answer)
{
	struct obd_connect_data *ocd = &answer->ia_data;
	struct obd_export *exp = loopback_export(imp);
	int rc;

	if (exp && exp->exp_obd != target) {
		class_export_put(exp);
		exp = NULL;
	}
	if (exp)
		rc = reconnect(imp, target, exp, ocd);
	else
		rc = obd_connect(&exp, target, &imp->imp_obd->obd_uuid, NULL,
				 ocd);
	if (!rc) {
		spin_lock(&exp->exp_lock);
		exp->exp_conn_cnt = imp->imp_conn_cnt;
		WRITE_ONCE(exp->exp_last_request_time, ktime_get_seconds());
		spin_unlock(&exp->exp_lock);
		answer->ia_remote.cookie = exp->exp_handle.h_cookie;
	}
	if (!IS_ERR_OR_NULL(exp))
		class_export_put(exp);
	return rc;
}

int loopback_connect(struct obd_import *imp, const struct lnet_nid *nid,
		     struct import_answer *answer)
{
	struct obd_device *target;
	int rc;

	assign_bit(IMPF_STAND_IN, &imp->imp_flags, stand_in_reaches(nid));
	if (stand_in(imp))
		return stand_in(imp)->connect(imp, nid, answer);
	target = find_target(imp);
	if (IS_ERR(target))
		return PTR_ERR(target);
	rc = connect_target(imp, target, answer);
	answer->ia_refused = rc;
	class_decref(target, OBD_REF_LOOKUP);
	return rc;
}

/* No target in this kernel has restarted while its client lives. */
int loopback_replay(struct obd_import *imp)
{
	return stand_in(imp) ? stand_in(imp)->replay(imp) : -EPROTO;
}

int loopback_disconnect(struct obd_import *imp, bool failed)
{
	struct obd_export *exp;
	int rc;

	if (stand_in(imp))
		return stand_in(imp)->disconnect(imp, failed);
	if (failed)
		return 0;
	exp = loopback_export(imp);
	rc = exp ? obd_disconnect(exp) : 0;
	if (rc)
		CERROR("%s: cannot disconnect from %s: rc = %d\n",
		       imp->imp_obd->obd_name, imp->imp_target_uuid.uuid, rc);
	return rc;
}

/**
 * struct ptlrpc_loopback_call - a call of the target
 * @exp: the client's export, held for the call; NULL for a stand-in
 * @generation: imp_generation when it started
 * @start_ns: when it started
 */
struct ptlrpc_loopback_call {
	struct obd_export	*exp;
	u32			generation;
	u64			start_ns;
};

/* Return: 0, -ENOTCONN when the target does not know the client; then loopback_end(). */
static int loopback_begin(struct obd_import *imp, struct ptlrpc_loopback_call *call)
{
	struct obd_export *exp;

	atomic_inc(&imp->imp_inflight);
	*call = (struct ptlrpc_loopback_call) {
		.generation = READ_ONCE(imp->imp_generation),
		.start_ns = ktime_get_ns(),
	};
	if (stand_in(imp))
		return 0;
	exp = loopback_export(imp);
	if (!exp)
		return -ENOTCONN;
	call->exp = class_export_rpc_inc(exp);
	class_export_put(exp);
	WRITE_ONCE(call->exp->exp_last_request_time, ktime_get_seconds());
	return 0;
}

/* A target that is being cleaned up is gone. Invalidated imports have no results. */
static int loopback_end(struct obd_import *imp, struct ptlrpc_loopback_call *call, int rc)
{
	if (call->exp) {
		class_export_rpc_dec(call->exp);
		rc = rc == -ENODEV ? -ENOTCONN : rc;
	}
	atomic64_add(ktime_get_ns() - call->start_ns, &imp->imp_call_ns);
	atomic64_inc(&imp->imp_calls);
	atomic_dec(&imp->imp_inflight);
	if (rc == -ENOTCONN)
		return rc;
	if (rc == -ETIMEDOUT)
		atomic_inc(&imp->imp_timeouts);
	WRITE_ONCE(imp->imp_last_reply_time, ktime_get_seconds());
	return READ_ONCE(imp->imp_generation) == call->generation ? rc : -EIO;
}

static int enter_target(struct obd_device *obd)
{
	if (!obd_op_enter(obd))
		return -ENODEV;
	obd_op_leave(obd);
	return 0;
}

int loopback_ping(struct obd_import *imp)
{
	struct ptlrpc_loopback_call call;
	int rc = loopback_begin(imp, &call);

	if (!rc && call.exp)
		rc = enter_target(call.exp->exp_obd);
	return loopback_end(imp, &call, rc);
}

int loopback_statfs(struct obd_import *imp, struct obd_statfs *st, u64 max_age)
{
	struct ptlrpc_loopback_call call;
	int rc = loopback_begin(imp, &call);

	if (!rc && call.exp)
		rc = obd_statfs(call.exp, st, max_age);
	else if (!rc)
		rc = stand_in(imp)->statfs(imp, st);
	return loopback_end(imp, &call, rc);
}

int loopback_get_info(struct obd_import *imp, const char *key, void *val, u32 *vallen)
{
	struct ptlrpc_loopback_call call;
	int rc = loopback_begin(imp, &call);

	if (!rc)
		rc = call.exp ? obd_get_info(call.exp, key, val, vallen) : -EOPNOTSUPP;
	return loopback_end(imp, &call, rc);
}

int loopback_set_info(struct obd_import *imp, const char *key, const void *val, u32 vallen)
{
	struct ptlrpc_loopback_call call;
	int rc = loopback_begin(imp, &call);

	if (!rc)
		rc = call.exp ? obd_set_info_async(call.exp, key, val, vallen) : -EOPNOTSUPP;
	return loopback_end(imp, &call, rc);
}
