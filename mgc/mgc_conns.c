// SPDX-License-Identifier: GPL-2.0-only
/*
 * Servers that a log names for its client devices: those of SETUP and ADD_CONN.
 * When the log was written from scratch with others (replace_nids), existing
 * imports switch to those and drop the servers that the log no longer names.
 *
 * NIDs that ADD_UUID gives a server that the log still names are added, and
 * never removed: other logs may have named them, too.
 */
#define DEBUG_SUBSYSTEM S_MGC

#include <linux/kernel.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "mgc_internal.h"

/*
 * Switching an import to another server, or to a restarted one, by a work: the notifying task
 * does not wait.
 */

/**
 * struct mgc_recovery - an import to recover
 * @work: work
 * @obd: its device, referenced (OBD_REF_LOOKUP)
 * @to: server to connect to; empty: the next one
 * @leave: server to remove afterwards; empty: none
 */
struct mgc_recovery {
	struct work_struct	work;
	struct obd_device	*obd;
	struct obd_uuid		to;
	struct obd_uuid		leave;
};

/* The device is set up. */
static void recover_import(struct mgc_recovery *r)
{
	struct obd_device *obd = r->obd;
	struct obd_why why = {};
	int rc = import_recover(obd->obd_cli->cl_import, &r->to, &why);

	CDEBUG(D_HA, "%s: recovers: %s: rc = %d\n", obd->obd_name, why.text,
	       rc);
	if (!r->leave.uuid[0])
		return;
	rc = obd_del_conn(obd, &r->leave, &why);
	if (rc && rc != -ENOENT)
		CWARN("%s: still uses server %s, which its log no longer names: rc = %d\n",
		      obd->obd_name, r->leave.uuid, rc);
}

static void recover_work(struct work_struct *work)
{
	struct mgc_recovery *r = container_of(work, struct mgc_recovery, work);

	if (obd_op_enter(r->obd)) {
		if (r->obd->obd_cli)
			recover_import(r);
		obd_op_leave(r->obd);
	}
	class_decref(r->obd, OBD_REF_LOOKUP);
	libcfs_free(r, sizeof(*r));
}

/**
 * mgc_recover() - recover an import
 * @mg: device whose workqueue runs it
 * @obd: client device; the caller holds it
 * @to: server to connect to, or NULL for the next one
 * @leave: server to remove afterwards, or NULL
 *
 * Context: may sleep; does not wait for servers
 */
void mgc_recover(struct mgc_device *mg, struct obd_device *obd,
		 const struct obd_uuid *to, const struct obd_uuid *leave)
{
	struct mgc_recovery *r = libcfs_zalloc(sizeof(*r), GFP_KERNEL);

	if (!r) {
		CERROR("%s: cannot recover at once: rc = %d\n", obd->obd_name,
		       -ENOMEM);
		return;
	}
	INIT_WORK(&r->work, recover_work);
	class_incref(obd, OBD_REF_LOOKUP);
	r->obd = obd;
	if (to)
		r->to = *to;
	if (leave)
		r->leave = *leave;
	queue_work(mg->mg_wq, &r->work);
}

/* The servers that a log names. */

/**
 * struct mgc_conn - a server of a device
 * @mcn_item: in ml_conns, in the order of the log
 * @mcn_device: device
 * @mcn_server: server
 * @mcn_pass: ml_pass of the log when it was named last
 * @mcn_add: the device was set up before, without it
 */
struct mgc_conn {
	struct list_head	mcn_item;
	char			mcn_device[MAX_OBD_NAME];
	struct obd_uuid		mcn_server;
	u64			mcn_pass;
	bool			mcn_add;
};

/* Whether a device with an import exists. */
static bool has_import(const char *name)
{
	struct obd_device *obd = class_name2obd(name);
	bool has;

	if (!obd)
		return false;
	has = obd->obd_type->typ_import;
	class_decref(obd, OBD_REF_LOOKUP);
	return has;
}

static struct mgc_conn *conn_find(struct mgc_log *log, const char *device,
				  const char *server)
{
	struct mgc_conn *conn;

	list_for_each_entry(conn, &log->ml_conns, mcn_item)
		if (!strcmp(conn->mcn_device, device) &&
		    !strcmp(conn->mcn_server.uuid, server))
			return conn;
	return NULL;
}

static struct mgc_conn *conn_make(struct mgc_log *log, const char *device,
				  const char *server)
{
	struct mgc_conn *conn = libcfs_zalloc(sizeof(*conn), GFP_KERNEL);

	if (!conn)
		return NULL;
	strscpy(conn->mcn_device, device, sizeof(conn->mcn_device));
	strscpy(conn->mcn_server.uuid, server, sizeof(conn->mcn_server.uuid));
	list_add_tail(&conn->mcn_item, &log->ml_conns);
	return conn;
}

static int conn_note(struct mgc_log *log, const char *device,
		     const char *server, bool exists)
{
	struct mgc_conn *conn;

	if (!*server || strlen(server) >= sizeof(conn->mcn_server.uuid) ||
	    !has_import(device))
		return 0;
	conn = conn_find(log, device, server);
	if (!conn) {
		conn = conn_make(log, device, server);
		if (!conn)
			return -ENOMEM;
		conn->mcn_add = exists;
	}
	conn->mcn_pass = log->ml_pass;
	return 0;
}

/**
 * mgc_conns_hook() - record the server that a command names for a device
 * @log: log
 * @view: command
 * @exists: it is a SETUP of a device that is set up, and is skipped
 *
 * Context: under ml_mutex; may sleep
 * Return: 0, -ENOMEM
 */
int mgc_conns_hook(struct mgc_log *log, const struct lcfg_view *view,
		   bool exists)
{
	u32 n = view->command == LCFG_SETUP ? 2 : 1;

	if ((view->command != LCFG_SETUP && view->command != LCFG_ADD_CONN) ||
	    n >= view->bufcount || !view->buf[n].len)
		return 0;
	return conn_note(log, lcfg_string(view, 0) ?: "",
			 lcfg_string(view, n) ?: "", exists);
}

/* A server of the device that the log names now, or NULL. */
static const struct obd_uuid *another(struct mgc_log *log, const char *device)
{
	struct mgc_conn *conn;

	list_for_each_entry(conn, &log->ml_conns, mcn_item)
		if (conn->mcn_pass == log->ml_pass &&
		    !strcmp(conn->mcn_device, device))
			return &conn->mcn_server;
	return NULL;
}

static void conn_add(struct mgc_conn *conn)
{
	struct obd_device *obd = class_name2obd(conn->mcn_device);
	struct obd_why why = {};
	int rc;

	conn->mcn_add = false;
	if (!obd)
		return;
	rc = obd_add_conn(obd, &conn->mcn_server, true, &why);
	if (rc)
		CWARN("%s: cannot use server %s: %s: rc = %d\n", obd->obd_name,
		      conn->mcn_server.uuid, why.text, rc);
	class_decref(obd, OBD_REF_LOOKUP);
}

/* If it is in use, the import switches to another one first. */
static void conn_del(struct mgc_log *log, struct mgc_conn *conn)
{
	const struct obd_uuid *to = another(log, conn->mcn_device);
	struct obd_device *obd;

	/* A device that the log no longer has is not changed. */
	obd = to ? class_name2obd(conn->mcn_device) : NULL;
	if (!obd)
		return;
	if (obd_del_conn(obd, &conn->mcn_server, NULL) == -EBUSY)
		mgc_recover(log->ml_mgc, obd, to, &conn->mcn_server);
	class_decref(obd, OBD_REF_LOOKUP);
}

/**
 * mgc_conns_sync() - a log was read whole: update the servers of imports
 * @log: log
 *
 * Context: under ml_mutex; may sleep; does not wait for servers
 */
void mgc_conns_sync(struct mgc_log *log)
{
	struct mgc_conn *conn, *next;

	list_for_each_entry(conn, &log->ml_conns, mcn_item)
		if (conn->mcn_add)
			conn_add(conn);
	list_for_each_entry_safe(conn, next, &log->ml_conns, mcn_item) {
		if (conn->mcn_pass == log->ml_pass)
			continue;
		conn_del(log, conn);
		list_del(&conn->mcn_item);
		libcfs_free(conn, sizeof(*conn));
	}
}

/* Free the servers of a log without other references. */
void mgc_conns_free(struct mgc_log *log)
{
	struct mgc_conn *conn, *next;

	list_for_each_entry_safe(conn, next, &log->ml_conns, mcn_item) {
		list_del(&conn->mcn_item);
		libcfs_free(conn, sizeof(*conn));
	}
}
