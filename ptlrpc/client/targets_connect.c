// SPDX-License-Identifier: GPL-2.0-only
/*
 * Targets of a device: their client devices and connections.
 *
 * The table holds a client device (OBD_REF_TARGET) and one connection to it.
 * The task that takes them out of the target under ts_lock drops them: the
 * owner of the table, or the client device during its cleanup. So neither waits
 * for the other, in any order.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <linux/kernel.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "targets_internal.h"

/*
 * Time to wait for connects of targets, seconds; later ones are added when they
 * succeed.
 */
#define SETTLE_SEC	6

/* The client device of a target, referenced (OBD_REF_LOOKUP), or NULL. */
static struct obd_device *target_device(struct obd_targets *ts,
					struct obd_target *tgt)
{
	struct obd_device *obd;

	spin_lock(&ts->ts_lock);
	obd = tgt->tgt_obd;
	if (obd)
		class_incref(obd, OBD_REF_LOOKUP);
	spin_unlock(&ts->ts_lock);
	return obd;
}

/* Take the references out of the target; the caller owns them. */
static void target_take(struct obd_targets *ts, struct obd_target *tgt,
			struct obd_device **obd, struct obd_export **exp)
{
	lockdep_assert_held(&ts->ts_lock);
	*obd = tgt->tgt_obd;
	*exp = tgt->tgt_exp;
	tgt->tgt_obd = NULL;
	tgt->tgt_exp = NULL;
	tgt->tgt_usable = false;
	tgt->tgt_pending = false;
	wake_up_all(&ts->ts_wait);
}

/* Subscribe to notifications of a client device, or unsubscribe. */
static bool target_watch(struct obd_device *obd, struct obd_device *watcher)
{
	if (!obd_op_enter(obd))
		return false;
	client_set_watcher(obd, watcher);
	obd_op_leave(obd);
	return true;
}

void target_let_go(struct obd_targets *ts, struct obd_target *tgt)
{
	struct obd_device *obd;
	struct obd_export *exp;

	lockdep_assert_held(&ts->ts_change);
	spin_lock(&ts->ts_lock);
	target_take(ts, tgt, &obd, &exp);
	spin_unlock(&ts->ts_lock);
	if (!obd)
		return;
	target_watch(obd, NULL);
	if (exp)
		obd_disconnect(exp);
	class_decref(obd, OBD_REF_TARGET);
}

/* An excluded target is added and deactivated. */
static void target_exclude(struct obd_device *obd)
{
	if (!obd_op_enter(obd))
		return;
	import_set_active(obd->obd_cli->cl_import, false, NULL);
	obd_op_leave(obd);
}

/*
 * Find the client device of a target. From the subscription on it notifies of
 * its cleanup; it cannot be cleaned up before, as the subscription is set
 * inside of its gate.
 */
static void target_find(struct obd_targets *ts, struct obd_target *tgt)
{
	struct obd_device *obd = target_device(ts, tgt);

	lockdep_assert_held(&ts->ts_change);
	if (obd)
		goto put_device;
	obd = class_find_client_obd(&tgt->tgt_spec.uuid, ts->ts_type,
				    ts->ts_obd);
	if (!obd)
		return;
	class_incref(obd, OBD_REF_TARGET);
	spin_lock(&ts->ts_lock);
	tgt->tgt_obd = obd;
	spin_unlock(&ts->ts_lock);
	if (!target_watch(obd, ts->ts_obd)) {
		target_let_go(ts, tgt);
		goto put_device;
	}
	if (ts->ts_found)
		ts->ts_found(ts, obd);
	if (tgt->tgt_spec.excluded)
		target_exclude(obd);
put_device:
	class_decref(obd, OBD_REF_LOOKUP);
}

/* A state changes before the notification: the state seen here is never stale. */
static bool client_usable(struct obd_device *obd)
{
	bool usable;

	if (!obd_op_enter(obd))
		return false;
	usable = import_is_usable(obd->obd_cli->cl_import);
	obd_op_leave(obd);
	return usable;
}

/* Its first answer is pending, and will be notified. */
static bool client_pending(struct obd_device *obd)
{
	bool pending;

	if (!obd_op_enter(obd))
		return false;
	/* Pairs with the end of the first attempt: later events are notified. */
	pending = smp_load_acquire(&obd->obd_cli->cl_connecting);
	obd_op_leave(obd);
	return pending;
}

/* The connection belongs to the target, unless its device is gone meanwhile. */
static int target_connected(struct obd_targets *ts, struct obd_target *tgt,
			    struct obd_device *obd, struct obd_export *exp)
{
	bool kept;

	spin_lock(&ts->ts_lock);
	kept = tgt->tgt_obd == obd;
	if (kept) {
		tgt->tgt_exp = exp;
		tgt->tgt_pending = client_pending(obd);
		tgt->tgt_usable = client_usable(obd);
	}
	spin_unlock(&ts->ts_lock);
	if (kept)
		return 0;
	obd_disconnect(exp);
	return -ENODEV;
}

static void target_connecting(struct obd_targets *ts, struct obd_target *tgt,
			      bool connecting)
{
	spin_lock(&ts->ts_lock);
	tgt->tgt_connecting = connecting;
	spin_unlock(&ts->ts_lock);
}

/* Connect a target; a deactivated one connects when it is activated. */
static int target_connect(struct obd_targets *ts, struct obd_target *tgt,
			  struct obd_device *obd, struct obd_connect_data *ocd)
{
	struct obd_export *exp;
	int rc;

	lockdep_assert_held(&ts->ts_change);
	if (READ_ONCE(tgt->tgt_exp))
		return 0;
	target_connecting(ts, tgt, true);
	rc = obd_connect(&exp, obd, &ts->ts_uuid, NULL, ocd);
	if (!rc)
		rc = target_connected(ts, tgt, obd, exp);
	target_connecting(ts, tgt, false);
	return rc;
}

/* Connect a target, with a warning on failure; the others are not affected. */
static void target_try(struct obd_targets *ts, struct obd_target *tgt)
{
	struct obd_connect_data ocd = ts->ts_ocd;
	const char *what = "cannot connect";
	struct obd_device *obd;
	int rc;

	target_find(ts, tgt);
	obd = target_device(ts, tgt);
	if (obd) {
		rc = target_connect(ts, tgt, obd, &ocd);
		class_decref(obd, OBD_REF_LOOKUP);
	} else {
		rc = -ENODEV;
		what = "its client device is not set up";
	}
	if (rc)
		CWARN("%s: target %s, index %u, is inactive: %s: rc = %d\n",
		      ts->ts_obd->obd_name, tgt->tgt_spec.uuid.uuid,
		      tgt->tgt_spec.index, what, rc);
}

void target_added(struct obd_targets *ts, struct obd_target *tgt)
{
	lockdep_assert_held(&ts->ts_change);
	if (ts->ts_users)
		target_try(ts, tgt);
	else
		target_find(ts, tgt);
}

/* Connect targets that failed before. */
static void targets_retry(struct work_struct *work)
{
	struct obd_targets *ts = container_of(work, struct obd_targets,
					      ts_retry);
	struct obd_target *tgt;
	unsigned long index;

	mutex_lock(&ts->ts_change);
	if (ts->ts_users)
		xa_for_each(&ts->ts_table, index, tgt)
			if (!READ_ONCE(tgt->tgt_exp))
				target_try(ts, tgt);
	mutex_unlock(&ts->ts_change);
}

void targets_retry_init(struct obd_targets *ts)
{
	INIT_WORK(&ts->ts_retry, targets_retry);
	init_waitqueue_head(&ts->ts_wait);
}

static bool targets_pending(struct obd_targets *ts)
{
	struct obd_target *tgt;
	unsigned long index;
	bool pending = false;

	spin_lock(&ts->ts_lock);
	xa_for_each(&ts->ts_table, index, tgt)
		pending |= tgt->tgt_pending;
	spin_unlock(&ts->ts_lock);
	return pending;
}

void targets_settle(struct obd_targets *ts)
{
	wait_event_killable_timeout(ts->ts_wait, !targets_pending(ts),
				    SETTLE_SEC * HZ);
}

/* Reduce @ocd to the flags granted by every active target. */
static void targets_granted(struct obd_targets *ts,
			    struct obd_connect_data *ocd)
{
	struct obd_export *exp;
	struct obd_import *imp;
	u32 index = 0;

	while ((exp = obd_targets_export(ts, &index))) {
		if (obd_op_enter(exp->exp_obd)) {
			imp = exp->exp_obd->obd_cli->cl_import;
			spin_lock(&imp->imp_lock);
			ocd->ocd_connect_flags &=
				imp->imp_connect_data.ocd_connect_flags;
			spin_unlock(&imp->imp_lock);
			obd_op_leave(exp->exp_obd);
		}
		class_export_put(exp);
	}
}

/* Disconnect a target; its client device stays known. */
static void target_disconnect(struct obd_targets *ts, struct obd_target *tgt)
{
	struct obd_export *exp;

	spin_lock(&ts->ts_lock);
	exp = tgt->tgt_exp;
	tgt->tgt_exp = NULL;
	tgt->tgt_usable = false;
	tgt->tgt_pending = false;
	spin_unlock(&ts->ts_lock);
	if (exp)
		obd_disconnect(exp);
}

static void targets_disconnect(struct obd_targets *ts)
{
	struct obd_target *tgt;
	unsigned long index;

	mutex_lock(&ts->ts_change);
	if (!WARN_ON_ONCE(!ts->ts_users) && !--ts->ts_users)
		xa_for_each(&ts->ts_table, index, tgt)
			target_disconnect(ts, tgt);
	mutex_unlock(&ts->ts_change);
}

/**
 * obd_targets_disconnect() - o_disconnect of a device with targets
 * @ts: its table
 * @exp: export; the caller's reference is dropped
 *
 * The last connection disconnects the targets.
 *
 * Context: may sleep
 * Return: as class_disconnect()
 */
int obd_targets_disconnect(struct obd_targets *ts, struct obd_export *exp)
{
	/* Its owner and a cleanup may disconnect it concurrently. */
	if (xchg(&exp->exp_data, NULL))
		targets_disconnect(ts);
	return class_disconnect(exp);
}
EXPORT_SYMBOL_NS_GPL(obd_targets_disconnect, LUSTRE_LITE);

static void targets_connect(struct obd_targets *ts,
			    const struct obd_uuid *uuid,
			    struct obd_connect_data *ocd)
{
	struct obd_target *tgt;
	unsigned long index;

	mutex_lock(&ts->ts_change);
	if (!ts->ts_users++) {
		ts->ts_uuid = *uuid;
		memset(&ts->ts_ocd, 0, sizeof(ts->ts_ocd));
		if (ocd)
			ts->ts_ocd = *ocd;
		xa_for_each(&ts->ts_table, index, tgt)
			target_try(ts, tgt);
	}
	mutex_unlock(&ts->ts_change);
	targets_settle(ts);
	if (ocd)
		targets_granted(ts, ocd);
}

/**
 * obd_targets_connect() - o_connect of a device with targets
 * @ts: its table
 * @exp: out, export, referenced
 * @uuid: client
 * @ocd: in: requested; out: flags that every target granted. May be NULL
 *
 * The first connection connects all targets concurrently, and waits until each
 * has answered or cannot be reached, SETTLE_SEC at most. An unreachable one is
 * inactive and is not an error; the import retries.
 *
 * Context: may sleep
 * Return: 0; as class_connect(); -ENOTCONN if it was evicted at once
 */
int obd_targets_connect(struct obd_targets *ts, struct obd_export **exp,
			const struct obd_uuid *uuid,
			struct obd_connect_data *ocd)
{
	struct lustre_handle conn = { };
	int rc = class_connect(&conn, ts->ts_obd, uuid, NULL);

	if (rc)
		return rc;
	*exp = class_conn2export(conn.cookie);
	if (!*exp)
		return -ENOTCONN;
	targets_connect(ts, uuid, ocd);
	/* Its disconnect counts from here on; it may have been evicted before. */
	xchg(&(*exp)->exp_data, ts);
	if (class_connected_export(*exp))
		return 0;
	obd_targets_disconnect(ts, *exp);
	return -ENOTCONN;
}
EXPORT_SYMBOL_NS_GPL(obd_targets_connect, LUSTRE_LITE);

/**
 * obd_targets_release() - drop all client devices
 * @ts: table
 *
 * Context: may sleep; precleanup of the device, whose gate is closed
 */
void obd_targets_release(struct obd_targets *ts)
{
	struct obd_target *tgt;
	unsigned long index;

	cancel_work_sync(&ts->ts_retry);
	mutex_lock(&ts->ts_change);
	xa_for_each(&ts->ts_table, index, tgt)
		target_let_go(ts, tgt);
	mutex_unlock(&ts->ts_change);
}
EXPORT_SYMBOL_NS_GPL(obd_targets_release, LUSTRE_LITE);

static struct obd_target *target_by_device(struct obd_targets *ts,
					   struct obd_device *obd)
{
	struct obd_target *tgt;
	unsigned long index;

	lockdep_assert_held(&ts->ts_lock);
	xa_for_each(&ts->ts_table, index, tgt)
		if (tgt->tgt_obd == obd)
			return tgt;
	return NULL;
}

/* The client device of a target is being cleaned up. */
static void target_gone(struct obd_targets *ts, struct obd_device *watched)
{
	struct obd_device *obd = NULL;
	struct obd_export *exp = NULL;
	struct obd_target *tgt;

	spin_lock(&ts->ts_lock);
	tgt = target_by_device(ts, watched);
	if (tgt)
		target_take(ts, tgt, &obd, &exp);
	spin_unlock(&ts->ts_lock);
	if (exp)
		obd_disconnect(exp);
	if (obd)
		class_decref(obd, OBD_REF_TARGET);
}

/* Notifications may overtake each other: only the current state is used. */
static void target_look(struct obd_targets *ts, struct obd_device *watched)
{
	struct obd_target *tgt;
	bool retry = false;

	spin_lock(&ts->ts_lock);
	tgt = target_by_device(ts, watched);
	if (tgt) {
		tgt->tgt_usable = client_usable(watched);
		tgt->tgt_pending = false;
		wake_up_all(&ts->ts_wait);
		retry = tgt->tgt_usable && !tgt->tgt_exp && !tgt->tgt_connecting;
	}
	spin_unlock(&ts->ts_lock);
	if (retry)
		queue_work(compat_unbound_wq, &ts->ts_retry);
}

/**
 * obd_targets_notify() - an event of a client device
 * @ts: table
 * @watched: client device
 * @event: event
 *
 * A device that is inactive and not set up is being cleaned up.
 *
 * Context: may sleep; o_notify of the device. The task that caused it may hold
 *  ts_change, which is not taken
 * Return: 0
 */
int obd_targets_notify(struct obd_targets *ts, struct obd_device *watched,
		       enum obd_notify_event event)
{
	if (event == OBD_NOTIFY_INACTIVE && !obd_is_set_up(watched))
		target_gone(ts, watched);
	else if (event == OBD_NOTIFY_ACTIVE || event == OBD_NOTIFY_INACTIVE)
		target_look(ts, watched);
	return 0;
}
EXPORT_SYMBOL_NS_GPL(obd_targets_notify, LUSTRE_LITE);

/**
 * obd_targets_export() - iterate over the connections to active targets
 * @ts: table
 * @index: in: index to start at; out: the next one after the target
 *
 * Context: any
 * Return: connection, referenced, or NULL at the end
 */
struct obd_export *obd_targets_export(struct obd_targets *ts, u32 *index)
{
	struct obd_export *exp = NULL;
	unsigned long at = *index;
	struct obd_target *tgt;

	spin_lock(&ts->ts_lock);
	xa_for_each_start(&ts->ts_table, at, tgt, *index) {
		if (!target_active(tgt))
			continue;
		exp = class_export_get(tgt->tgt_exp);
		break;
	}
	spin_unlock(&ts->ts_lock);
	*index = at + 1;
	return exp;
}
EXPORT_SYMBOL_NS_GPL(obd_targets_export, LUSTRE_LITE);

/**
 * obd_targets_export_at() - the connection to a target, which may be inactive
 * @ts: table
 * @index: its index
 *
 * A request on it waits until the target is active.
 *
 * Context: any
 * Return: connection, referenced, or NULL if there is no such target, or it is not connected to
 */
struct obd_export *obd_targets_export_at(struct obd_targets *ts, u32 index)
{
	struct obd_export *exp = NULL;
	struct obd_target *tgt;

	spin_lock(&ts->ts_lock);
	tgt = xa_load(&ts->ts_table, index);
	if (tgt && tgt->tgt_exp)
		exp = class_export_get(tgt->tgt_exp);
	spin_unlock(&ts->ts_lock);
	return exp;
}
EXPORT_SYMBOL_NS_GPL(obd_targets_export_at, LUSTRE_LITE);

/**
 * obd_targets_export_of() - likewise, if the target with the index is still the same
 * @ts: table
 * @spec: the target, as obd_targets_spec() has returned it
 *
 * Context: any
 * Return: as obd_targets_export_at(); NULL also if another target or generation has the index
 */
struct obd_export *obd_targets_export_of(struct obd_targets *ts, const struct obd_target_spec *spec)
{
	struct obd_export *exp = NULL;
	struct obd_target *tgt;

	spin_lock(&ts->ts_lock);
	tgt = xa_load(&ts->ts_table, spec->index);
	if (tgt && tgt->tgt_exp && obd_target_is_same(&tgt->tgt_spec, spec))
		exp = class_export_get(tgt->tgt_exp);
	spin_unlock(&ts->ts_lock);
	return exp;
}
EXPORT_SYMBOL_NS_GPL(obd_targets_export_of, LUSTRE_LITE);

/**
 * obd_target_server() - the server that a target is on, and the state of the connection to it
 * @exp: connection to the target
 * @buf: out: as of import_server_text(); empty: none
 * @size: bytes of @buf
 *
 * Context: any
 * Return: name of the state of the import; NULL: there is none, or the client device is cleaned up
 */
const char *obd_target_server(struct obd_export *exp, char *buf, size_t size)
{
	struct obd_device *obd = exp->exp_obd;
	struct obd_import *imp;
	const char *state;

	buf[0] = '\0';
	if (!obd->obd_type->typ_import || !obd_op_enter(obd))
		return NULL;
	imp = obd->obd_cli->cl_import;
	import_server_text(imp, buf, size);
	state = import_state_name(READ_ONCE(imp->imp_state));
	obd_op_leave(obd);
	return state;
}
EXPORT_SYMBOL_NS_GPL(obd_target_server, LUSTRE_LITE);

/**
 * obd_targets_set_info() - set_info on every active target
 * @ts: table
 * @key: key
 * @val: value
 * @vallen: its bytes
 *
 * Context: may sleep; an operation of the device
 * Return: 0; -ENOTCONN if no target is active; the error of the first target
 *  that failed, after all were tried
 */
int obd_targets_set_info(struct obd_targets *ts, const char *key,
			 const void *val, u32 vallen)
{
	struct obd_export *exp;
	bool asked = false;
	int first = 0, rc;
	u32 index = 0;

	while ((exp = obd_targets_export(ts, &index))) {
		asked = true;
		rc = obd_set_info_async(exp, key, val, vallen);
		first = first ?: rc;
		class_export_put(exp);
	}
	return asked ? first : -ENOTCONN;
}
EXPORT_SYMBOL_NS_GPL(obd_targets_set_info, LUSTRE_LITE);

/**
 * obd_targets_set_clients() - set_info on the client device of every target, connected or not
 * @ts: table
 * @key: key that the client devices keep to themselves
 * @val: value
 * @vallen: its bytes
 *
 * For devices that come later there is ts_found.
 *
 * Context: may sleep; an operation of the device
 * Return: 0, or the error of the first one that failed, after all were tried
 */
int obd_targets_set_clients(struct obd_targets *ts, const char *key, const void *val, u32 vallen)
{
	struct obd_target *tgt;
	struct obd_device *obd;
	unsigned long index;
	int first = 0, rc;

	mutex_lock(&ts->ts_change);
	xa_for_each(&ts->ts_table, index, tgt) {
		obd = target_device(ts, tgt);
		if (!obd)
			continue;
		rc = obd_set_info_async(obd->obd_self_export, key, val, vallen);
		first = first ?: rc;
		class_decref(obd, OBD_REF_LOOKUP);
	}
	mutex_unlock(&ts->ts_change);
	return first;
}
EXPORT_SYMBOL_NS_GPL(obd_targets_set_clients, LUSTRE_LITE);
