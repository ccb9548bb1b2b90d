// SPDX-License-Identifier: GPL-2.0-only
/*
 * The part that all client types share: setup with an import, connections of its users, which
 * share one export. The operations of the target are in import_net.c.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <linux/err.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_client.h>

#include "import.h"

/* Buffers of LCFG_SETUP. */
#define SETUP_TARGET	1
#define SETUP_SERVER	2
#define SETUP_END	3

static int setup_uuid(struct obd_device *obd, const struct lcfg_view *cfg,
		      u32 n, const char *what, struct obd_uuid *uuid,
		      struct obd_why *why)
{
	const char *text = n < cfg->bufcount ? lcfg_string(cfg, n) : NULL;

	if (!text || !text[0])
		return obd_refuse(why, -EINVAL,
				  "%s: setup of type %s needs the uuid of %s as argument %u",
				  obd->obd_name, obd->obd_type_name, what, n);
	memset(uuid, 0, sizeof(*uuid));
	if (strscpy(uuid->uuid, text, sizeof(uuid->uuid)) < 0)
		return obd_refuse(why, -ENAMETOOLONG,
				  "%s: uuid '%s' of %s has more than %zu bytes",
				  obd->obd_name, text, what,
				  sizeof(uuid->uuid) - 1);
	return 0;
}

/* The NIDs of the server choose the network: no further argument is used. */
static void setup_note_rest(struct obd_device *obd, const struct lcfg_view *cfg)
{
	u32 n;

	for (n = SETUP_END; n < cfg->bufcount; n++) {
		if (cfg->buf[n].len)
			CWARN("%s: setup takes a target and a server, argument %u is ignored\n",
			      obd->obd_name, n);
	}
}

static void client_connect_work(struct work_struct *work);

/**
 * client_obd_setup() - o_setup of a client type
 * @obd: device
 * @cli: part of the type's data, zeroed
 * @cfg: LCFG_SETUP: uuid of the target, name of the server
 * @why: out, why not
 *
 * The server's name must have NIDs (class_add_uuid()) or be a NID.
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int client_obd_setup(struct obd_device *obd, struct client_obd *cli,
		     const struct lcfg_view *cfg, struct obd_why *why)
{
	struct obd_import *imp;
	struct obd_uuid server;
	int rc;

	rc = setup_uuid(obd, cfg, SETUP_TARGET, "a target", &cli->cl_target_uuid,
			why) ?:
	     setup_uuid(obd, cfg, SETUP_SERVER, "a server", &server, why);
	if (rc)
		return rc;
	setup_note_rest(obd, cfg);
	cli->cl_obd = obd;
	mutex_init(&cli->cl_lock);
	spin_lock_init(&cli->cl_watcher_lock);
	cli->cl_max_rpcs_in_flight = CLIENT_RPCS_DEFAULT;
	INIT_WORK(&cli->cl_connect, client_connect_work);
	imp = class_new_import(obd, &cli->cl_target_uuid);
	if (IS_ERR(imp))
		return PTR_ERR(imp);
	rc = import_add_conn(imp, &server, false, why);
	if (rc) {
		class_destroy_import(imp);
		return rc;
	}
	cli->cl_import = imp;
	obd->obd_cli = cli;
	return 0;
}
EXPORT_FOR_KUNIT(client_obd_setup);

/* The device above, referenced (OBD_REF_LOOKUP), or NULL. */
struct obd_device *client_watcher_get(struct client_obd *cli)
{
	struct obd_device *watcher;

	spin_lock(&cli->cl_watcher_lock);
	watcher = cli->cl_watcher;
	if (watcher)
		class_incref(watcher, OBD_REF_LOOKUP);
	spin_unlock(&cli->cl_watcher_lock);
	return watcher;
}

/**
 * client_set_watcher() - notify another device of changes of the target
 * @obd: client device
 * @watcher: device whose o_notify is called, or NULL for none
 *
 * Context: may sleep; the client device is set up, or in its precleanup
 */
void client_set_watcher(struct obd_device *obd, struct obd_device *watcher)
{
	struct client_obd *cli = obd->obd_cli;
	struct obd_device *old;

	if (watcher)
		class_incref(watcher, OBD_REF_TARGET);
	spin_lock(&cli->cl_watcher_lock);
	old = cli->cl_watcher;
	cli->cl_watcher = watcher;
	spin_unlock(&cli->cl_watcher_lock);
	if (old)
		class_decref(old, OBD_REF_TARGET);
}
EXPORT_FOR_KUNIT(client_set_watcher);

/**
 * client_obd_precleanup() - o_precleanup of a client type
 * @obd: device
 *
 * Its own gate is closed, so the device above is notified of the end from here.
 *
 * Context: may sleep
 * Return: 0
 */
int client_obd_precleanup(struct obd_device *obd)
{
	struct client_obd *cli = obd->obd_cli;
	struct obd_device *watcher;

	if (!cli)
		return 0;
	import_disconnect(cli->cl_import);
	cancel_work_sync(&cli->cl_connect);
	watcher = client_watcher_get(cli);
	if (!watcher)
		return 0;
	obd_notify(watcher, obd, OBD_NOTIFY_INACTIVE);
	class_decref(watcher, OBD_REF_LOOKUP);
	client_set_watcher(obd, NULL);
	return 0;
}
EXPORT_SYMBOL_NS_GPL(client_obd_precleanup, LUSTRE_LITE);

/**
 * client_obd_cleanup() - o_cleanup of a client type
 * @obd: device; nothing happens where client_obd_setup() failed
 *
 * Context: may sleep
 */
void client_obd_cleanup(struct obd_device *obd)
{
	struct client_obd *cli = obd->obd_cli;

	if (!cli)
		return;
	obd->obd_cli = NULL;
	class_destroy_import(cli->cl_import);
	cli->cl_import = NULL;
	mutex_destroy(&cli->cl_lock);
}
EXPORT_FOR_KUNIT(client_obd_cleanup);

/* For operations that cannot return a reason; the reason names the device. */
static void client_log(struct obd_device *obd, const struct obd_why *why, int rc)
{
	CERROR("%s: rc = %d\n", why->text[0] ? why->text : obd->obd_name, rc);
}

/* The first answer is there, or there is none: notify the device above. */
static void client_connect_end(struct client_obd *cli, int rc)
{
	struct obd_device *watcher = client_watcher_get(cli);

	/* Pairs with client_pending() of targets. */
	smp_store_release(&cli->cl_connecting, false);
	if (!watcher)
		return;
	obd_notify(watcher, cli->cl_obd,
		   rc ? OBD_NOTIFY_INACTIVE : OBD_NOTIFY_ACTIVE);
	class_decref(watcher, OBD_REF_LOOKUP);
}

/*
 * Connect for a device above, which connects other targets at the same time and does
 * without one that does not answer. Recovery tries again from here on.
 */
static void client_connect_work(struct work_struct *work)
{
	struct client_obd *cli = container_of(work, struct client_obd,
					      cl_connect);
	struct obd_why why = {};
	int rc = import_connect(cli->cl_import, &why);

	/* The task that cancels it connects by itself, or wants no connection. */
	if (rc && rc != -ECANCELED)
		recover_log(cli->cl_import, &why, rc);
	client_connect_end(cli, rc);
}

/* A deactivated import is not connected before it is activated. */
static void client_connect_queue(struct client_obd *cli)
{
	lockdep_assert_held(&cli->cl_lock);
	if (test_bit(IMPF_DEACTIVE, &cli->cl_import->imp_flags))
		return;
	WRITE_ONCE(cli->cl_connecting, true);
	queue_work(compat_unbound_wq, &cli->cl_connect);
}

static int client_make_export(struct client_obd *cli,
			      const struct obd_uuid *uuid)
{
	struct lustre_handle conn;
	int rc = class_connect(&conn, cli->cl_obd, uuid, NULL);

	if (rc)
		return rc;
	cli->cl_export = class_conn2export(conn.cookie);
	return cli->cl_export ? 0 : -ENODEV;
}

/* The first user: connect the import and make the export. */
static int client_open(struct client_obd *cli, const struct obd_uuid *uuid,
		       const struct obd_connect_data *asked)
{
	bool later = READ_ONCE(cli->cl_watcher);
	struct obd_why why = {};
	int rc;

	lockdep_assert_held(&cli->cl_lock);
	if (later)
		rc = import_open_later(cli->cl_import, asked);
	else
		rc = import_open(cli->cl_import, asked, &why);
	if (rc) {
		client_log(cli->cl_obd, &why, rc);
		return rc;
	}
	rc = client_make_export(cli, uuid);
	if (rc)
		import_close(cli->cl_import);
	else if (later)
		client_connect_queue(cli);
	return rc;
}

static void client_granted(struct obd_import *imp, struct obd_connect_data *ocd)
{
	spin_lock(&imp->imp_lock);
	*ocd = imp->imp_connect_data;
	spin_unlock(&imp->imp_lock);
}

/**
 * client_connect_import() - o_connect of a client type
 * @exp: out, the export that all users share, referenced
 * @obd: device
 * @uuid: uuid of the user
 * @nid: NULL: users of a client are in this kernel
 * @ocd: in: wanted by the first user; out: granted. May be NULL
 *
 * The first user connects the import, unless it is deactivated. With a device above that
 * watches (client_set_watcher()), this does not wait for the target: o_notify tells the
 * device above the result of the first try, and all later changes.
 *
 * Context: may sleep; no lock that a receiver of events takes may be held
 * Return: 0 or as import_connect() and class_connect()
 */
int client_connect_import(struct obd_export **exp, struct obd_device *obd,
			  const struct obd_uuid *uuid,
			  const struct lnet_nid *nid,
			  struct obd_connect_data *ocd)
{
	static const struct obd_connect_data nothing;
	struct client_obd *cli = obd->obd_cli;
	int rc = mutex_lock_killable(&cli->cl_lock);

	if (rc)
		return rc;
	if (!cli->cl_conn_count)
		rc = client_open(cli, uuid, ocd ?: &nothing);
	if (!rc) {
		cli->cl_conn_count++;
		*exp = class_export_get(cli->cl_export);
		if (ocd)
			client_granted(cli->cl_import, ocd);
	}
	mutex_unlock(&cli->cl_lock);
	import_events_deliver(cli->cl_import);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(client_connect_import, LUSTRE_LITE);

/*
 * One user less. Return: whether it was the last one. An export that the device itself
 * takes away is the end for all users that share it.
 */
static bool client_leave(struct client_obd *cli, struct obd_export *exp)
{
	lockdep_assert_held(&cli->cl_lock);
	if (!cli->cl_conn_count || exp != cli->cl_export)
		return false;
	if (test_bit(EXPF_FAILED, &exp->exp_flags) ||
	    !obd_is_set_up(cli->cl_obd))
		cli->cl_conn_count = 1;
	return !--cli->cl_conn_count;
}

/**
 * client_disconnect_export() - o_disconnect of a client type
 * @exp: export; the caller's reference is dropped
 *
 * The last user disconnects the import.
 *
 * Context: as client_connect_import()
 * Return: 0 or a negative errno
 */
int client_disconnect_export(struct obd_export *exp)
{
	struct client_obd *cli = exp->exp_obd->obd_cli;
	struct obd_export *shared = NULL;
	int rc = 0;

	mutex_lock(&cli->cl_lock);
	if (client_leave(cli, exp)) {
		shared = cli->cl_export;
		cli->cl_export = NULL;
		rc = import_close(cli->cl_import);
		class_disconnect(shared);
	}
	mutex_unlock(&cli->cl_lock);
	import_events_deliver(cli->cl_import);
	class_export_put(exp);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(client_disconnect_export, LUSTRE_LITE);

/**
 * client_import_add_conn() - o_add_conn of a client type
 * @obd: device
 * @uuid: server
 * @priority: try it first
 * @why: out, why not
 *
 * Context: may sleep
 * Return: as import_add_conn()
 */
int client_import_add_conn(struct obd_device *obd, const struct obd_uuid *uuid,
			   bool priority, struct obd_why *why)
{
	return import_add_conn(obd->obd_cli->cl_import, uuid, priority, why);
}
EXPORT_SYMBOL_NS_GPL(client_import_add_conn, LUSTRE_LITE);

/**
 * client_import_del_conn() - o_del_conn of a client type
 * @obd: device
 * @uuid: server
 * @why: out, why not
 *
 * Context: may sleep
 * Return: as import_del_conn()
 */
int client_import_del_conn(struct obd_device *obd, const struct obd_uuid *uuid,
			   struct obd_why *why)
{
	int rc = import_del_conn(obd->obd_cli->cl_import, uuid);

	if (rc == -ENOENT)
		obd_refuse(why, rc, "%s: '%s' is none of its servers",
			   obd->obd_name, uuid->uuid);
	else if (rc == -EBUSY)
		obd_refuse(why, rc,
			   "%s: is connected to server '%s'; recover to another first",
			   obd->obd_name, uuid->uuid);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(client_import_del_conn, LUSTRE_LITE);

/**
 * client_health_check() - o_health_check of a client type
 * @obd: device
 * @why: out, why it is not healthy
 *
 * A device without users, or with a deactivated import, is healthy.
 *
 * Context: any
 * Return: 0, or -ENOTCONN when it should be connected and is not
 */
int client_health_check(struct obd_device *obd, struct obd_why *why)
{
	const struct client_obd *cli = obd->obd_cli;
	const struct obd_import *imp = cli->cl_import;

	if (!READ_ONCE(cli->cl_conn_count) ||
	    test_bit(IMPF_DEACTIVE, &imp->imp_flags) || import_is_usable(imp))
		return 0;
	return obd_refuse(why, -ENOTCONN, "import of %s is %s",
			  cli->cl_target_uuid.uuid,
			  import_state_name(import_state(imp)));
}
EXPORT_SYMBOL_NS_GPL(client_health_check, LUSTRE_LITE);

/**
 * client_get_uuid() - o_get_uuid of a client type
 * @exp: export of the client device
 * @uuid: out, uuid of the target
 *
 * Context: any
 * Return: 0
 */
int client_get_uuid(struct obd_export *exp, struct obd_uuid *uuid)
{
	*uuid = exp->exp_obd->obd_cli->cl_target_uuid;
	return 0;
}
EXPORT_SYMBOL_NS_GPL(client_get_uuid, LUSTRE_LITE);

/*
 * Operations of a client device that obdclass calls.
 */

static int client_control(struct obd_device *obd, const struct obd_ioc_import *oi,
			  struct obd_why *why)
{
	struct obd_import *imp = obd->obd_cli->cl_import;
	struct obd_uuid uuid;

	switch (oi->oi_op) {
	case OBD_IMPORT_ACTIVATE:
		return import_set_active(imp, true, why);
	case OBD_IMPORT_DEACTIVATE:
		return import_set_active(imp, false, why);
	case OBD_IMPORT_RECOVER:
		memcpy(&uuid, oi->oi_uuid, sizeof(uuid));
		return import_recover(imp, &uuid, why);
	default:
		return obd_refuse(why, -EINVAL, "unknown operation %u",
				  oi->oi_op);
	}
}

static void client_stop(struct obd_device *obd, bool force)
{
	struct client_obd *cli = obd->obd_cli;

	if (cli && (force || import_state(cli->cl_import) != LUSTRE_IMP_FULL))
		import_disconnect(cli->cl_import);
}

static bool client_is_for(struct obd_device *obd, const struct obd_uuid *target)
{
	return obd->obd_cli &&
	       !memcmp(&obd->obd_cli->cl_target_uuid, target, sizeof(*target));
}

static void client_server_text(struct obd_device *obd, char *buf, size_t size)
{
	import_server_text(obd->obd_cli->cl_import, buf, size);
}

const struct obd_import_ops client_import_ops = {
	.io_params_add = import_params_add,
	.io_control = client_control,
	.io_stop = client_stop,
	.io_is_for = client_is_for,
	.io_server_text = client_server_text,
};
EXPORT_SYMBOL_NS_GPL(client_import_ops, LUSTRE_LITE);
