// SPDX-License-Identifier: GPL-2.0
/*
 * What every client type does: setup with an import, connections of its users
 * that share one export, calls of the target.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <linux/err.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "import_internal.h"

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

/* Networks are chosen by the NIDs of the server, no further argument matters. */
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
EXPORT_SYMBOL_NS_GPL(client_obd_setup, LUSTRE_LITE);

/* The device above, referenced for a short time, or NULL. */
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
 * client_set_watcher() - tell another device of what becomes of the target
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
EXPORT_SYMBOL_NS_GPL(client_set_watcher, LUSTRE_LITE);

/**
 * client_obd_precleanup() - o_precleanup of a client type
 * @obd: device
 *
 * Its own gate is shut, so the device above hears of the end from here.
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
EXPORT_SYMBOL_NS_GPL(client_obd_cleanup, LUSTRE_LITE);

/* For operations that have no other way to say why; the words name the device. */
static void client_say(struct obd_device *obd, const struct obd_why *why, int rc)
{
	CERROR("%s: rc = %d\n", why->text[0] ? why->text : obd->obd_name, rc);
}

/* The first answer, or none, is there: who waits for it is told. */
static void client_connect_end(struct client_obd *cli, int rc)
{
	struct obd_device *watcher = client_watcher_get(cli);

	/* Pairs with who asks whether an answer is still to come. */
	smp_store_release(&cli->cl_connecting, false);
	if (!watcher)
		return;
	obd_notify(watcher, cli->cl_obd,
		   rc ? OBD_NOTIFY_INACTIVE : OBD_NOTIFY_ACTIVE);
	class_decref(watcher, OBD_REF_LOOKUP);
}

/*
 * Connect for a device above, which has other targets to connect at the same time
 * and does without one that does not answer. From here on the transport tries
 * again.
 */
static void client_connect_work(struct work_struct *work)
{
	struct client_obd *cli = container_of(work, struct client_obd,
					      cl_connect);
	struct obd_why why = {};
	int rc = import_connect(cli->cl_import, &why);

	/* Who cancels it connects by itself, or wants no connection. */
	if (rc && rc != -ECANCELED)
		client_say(cli->cl_obd, &why, rc);
	client_connect_end(cli, rc);
}

/* A deactivated import is not connected before it is activated. */
static void client_connect_queue(struct client_obd *cli)
{
	lockdep_assert_held(&cli->cl_lock);
	if (test_bit(IMPF_DEACTIVE, &cli->cl_import->imp_flags))
		return;
	WRITE_ONCE(cli->cl_connecting, true);
	queue_work(system_unbound_wq, &cli->cl_connect);
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

/* The first one that connects: connect the import and make the export. */
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
		client_say(cli->cl_obd, &why, rc);
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
 * @exp: out, the export that all who are connected share, referenced
 * @obd: device
 * @uuid: who connects
 * @nid: NULL: users of a client are in this kernel
 * @ocd: in: wanted by the first who connects; out: granted. May be NULL
 *
 * The first one connects the import, unless it is deactivated. Where a device above
 * watches (client_set_watcher()), this does not wait for the target: it is told by
 * o_notify whether the first try came to something, and of all that comes later.
 *
 * Context: may sleep; no lock of who is told of events may be held
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
	import_events_tell(cli->cl_import);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(client_connect_import, LUSTRE_LITE);

/*
 * Whether nobody is left; otherwise one fewer is. An export that the device
 * itself takes away is the end for all who share it.
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
 * The last one disconnects the import.
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
	import_events_tell(cli->cl_import);
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

/* Whose export was taken away has to connect anew. */
static int client_call_begin(struct obd_export *exp, struct import_call *call)
{
	if (!class_connected_export(exp))
		return -ENOTCONN;
	return import_call_begin(exp->exp_obd->obd_cli->cl_import, call);
}

/**
 * client_statfs() - o_statfs of a client type
 * @exp: export of the client device
 * @st: out, room on the target
 * @max_age: how old it may be, nanoseconds
 *
 * Context: as import_connect()
 * Return: as import_call_begin() and import_call_end()
 */
int client_statfs(struct obd_export *exp, struct obd_statfs *st, u64 max_age)
{
	struct import_call call;
	int rc = client_call_begin(exp, &call);

	if (rc)
		return rc;
	rc = call.ic_transport->tr_statfs(call.ic_imp, st, max_age);
	return import_call_end(&call, rc);
}
EXPORT_SYMBOL_NS_GPL(client_statfs, LUSTRE_LITE);

/**
 * client_get_info() - o_get_info of a client type
 * @exp: export of the client device
 * @key: which value of the target
 * @val: out, the value
 * @vallen: in: room, out: bytes
 *
 * Context: as import_connect()
 * Return: as import_call_begin() and import_call_end()
 */
int client_get_info(struct obd_export *exp, const char *key, void *val,
		    u32 *vallen)
{
	struct import_call call;
	int rc = client_call_begin(exp, &call);

	if (rc)
		return rc;
	rc = call.ic_transport->tr_get_info(call.ic_imp, key, val, vallen);
	return import_call_end(&call, rc);
}
EXPORT_SYMBOL_NS_GPL(client_get_info, LUSTRE_LITE);

/**
 * client_set_info() - o_set_info_async of a client type
 * @exp: export of the client device
 * @key: which value of the target
 * @val: value
 * @vallen: its bytes
 *
 * Context: as import_connect()
 * Return: as import_call_begin() and import_call_end()
 */
int client_set_info(struct obd_export *exp, const char *key, const void *val,
		    u32 vallen)
{
	struct import_call call;
	int rc = client_call_begin(exp, &call);

	if (rc)
		return rc;
	rc = call.ic_transport->tr_set_info(call.ic_imp, key, val, vallen);
	return import_call_end(&call, rc);
}
EXPORT_SYMBOL_NS_GPL(client_set_info, LUSTRE_LITE);
