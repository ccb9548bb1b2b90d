// SPDX-License-Identifier: GPL-2.0-only
/*
 * Servers of an import, and the next one to try.
 *
 * The list is in the order of priority. After a success all servers count as not tried,
 * and the first of the list is the next. Until the next success each server is tried
 * once before any is tried again.
 */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/list.h>
#include <linux/string.h>
#include <linux/ktime.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "import.h"

static struct obd_import_conn *conn_find(struct obd_import *imp,
					 const struct obd_uuid *uuid)
{
	struct obd_import_conn *conn;

	lockdep_assert_held(&imp->imp_lock);
	list_for_each_entry(conn, &imp->imp_conn_list, oic_item) {
		if (!strcmp(conn->oic_uuid.uuid, uuid->uuid))
			return conn;
	}
	return NULL;
}

static bool conn_tried(const struct obd_import *imp,
		       const struct obd_import_conn *conn)
{
	return conn->oic_tried > imp->imp_success_seq;
}

static struct obd_import_conn *conn_next(struct obd_import *imp)
{
	struct obd_import_conn *conn, *oldest = NULL;

	lockdep_assert_held(&imp->imp_lock);
	list_for_each_entry(conn, &imp->imp_conn_list, oic_item) {
		if (!conn_tried(imp, conn))
			return conn;
		if (!oldest || conn->oic_tried < oldest->oic_tried)
			oldest = conn;
	}
	return oldest;
}

/*
 * NIDs of a server: from the list of uuids, as the import's device sees it, or its name is a
 * NID. Return: how many.
 */
unsigned int import_server_nids(const struct obd_import *imp, const struct obd_uuid *server,
				struct lnet_nid *nids)
{
	int count = class_uuid2nids(imp->imp_obd->obd_instance, server->uuid, nids,
				    OBD_UUID_NIDS_MAX);

	if (count > 0)
		return count;
	return !libcfs_nid_parse(server->uuid, strlen(server->uuid), nids, NULL);
}

static int conn_check(struct obd_import *imp, const struct obd_uuid *uuid,
		      struct obd_why *why)
{
	struct lnet_nid nids[OBD_UUID_NIDS_MAX];

	if (import_server_nids(imp, uuid, nids))
		return 0;
	return obd_refuse(why, -ENOENT,
			  "%s: server '%s' is neither a NID nor a known uuid; add_uuid %s NID first",
			  imp->imp_obd->obd_name, uuid->uuid, uuid->uuid);
}

/**
 * import_add_conn() - add a server
 * @imp: import
 * @uuid: its name, which has NIDs (class_add_uuid()) or is a NID
 * @priority: try it first
 * @why: out, why not
 *
 * A server that is in the list already stays as it is, or moves to the front.
 *
 * Context: may sleep
 * Return: 0; -ENOENT for a name without NIDs, -ENOMEM
 */
int import_add_conn(struct obd_import *imp, const struct obd_uuid *uuid,
		    bool priority, struct obd_why *why)
{
	struct obd_import_conn *conn, *found;
	int rc = conn_check(imp, uuid, why);

	if (rc)
		return rc;
	conn = libcfs_zalloc(sizeof(*conn), GFP_KERNEL_ACCOUNT);
	if (!conn)
		return -ENOMEM;
	conn->oic_uuid = *uuid;
	spin_lock(&imp->imp_lock);
	found = conn_find(imp, uuid);
	if (found && priority)
		list_move(&found->oic_item, &imp->imp_conn_list);
	else if (!found && priority)
		list_add(&conn->oic_item, &imp->imp_conn_list);
	else if (!found)
		list_add_tail(&conn->oic_item, &imp->imp_conn_list);
	spin_unlock(&imp->imp_lock);
	if (found)
		libcfs_free(conn, sizeof(*conn));
	return 0;
}
EXPORT_SYMBOL_NS_GPL(import_add_conn, LUSTRE_LITE);

static bool server_has_nid(const struct obd_import *imp, const struct obd_uuid *server,
			   const struct lnet_nid *nid)
{
	struct lnet_nid nids[OBD_UUID_NIDS_MAX];
	unsigned int count = import_server_nids(imp, server, nids), n;

	for (n = 0; n < count; n++)
		if (libcfs_nid_same(&nids[n], nid))
			return true;
	return false;
}

/**
 * import_has_nid() - whether one of the servers is at a NID
 * @imp: import
 * @nid: NID
 *
 * Context: may sleep
 * Return: whether it is
 */
bool import_has_nid(struct obd_import *imp, const struct lnet_nid *nid)
{
	struct obd_import_conn conn;
	unsigned int n;

	for (n = 0; import_conn_nth(imp, n, &conn); n++)
		if (server_has_nid(imp, &conn.oic_uuid, nid))
			return true;
	return false;
}
EXPORT_SYMBOL_NS_GPL(import_has_nid, LUSTRE_LITE);

/* Connected to the current server, or on the way to it. */
static bool conn_in_use(const struct obd_import *imp)
{
	switch (imp->imp_state) {
	case LUSTRE_IMP_CLOSED:
	case LUSTRE_IMP_NEW:
	case LUSTRE_IMP_DISCON:
		return false;
	default:
		return true;
	}
}

/**
 * import_del_conn() - delete a server
 * @imp: import
 * @uuid: its name
 *
 * Context: may sleep
 * Return: 0; -ENOENT when there is no such server, -EBUSY while it is the one in
 * use
 */
int import_del_conn(struct obd_import *imp, const struct obd_uuid *uuid)
{
	struct obd_import_conn *conn;
	int rc = 0;

	spin_lock(&imp->imp_lock);
	conn = conn_find(imp, uuid);
	if (!conn)
		rc = -ENOENT;
	else if (conn == imp->imp_conn_current && conn_in_use(imp))
		rc = -EBUSY;
	else
		list_del(&conn->oic_item);
	if (!rc && conn == imp->imp_conn_current)
		imp->imp_conn_current = NULL;
	spin_unlock(&imp->imp_lock);
	if (!rc)
		libcfs_free(conn, sizeof(*conn));
	return rc;
}
EXPORT_FOR_KUNIT(import_del_conn);

/* Start with the next server. Return: false when there is none. */
bool import_conn_begin(struct obd_import *imp, struct obd_uuid *server)
{
	struct obd_import_conn *conn;

	spin_lock(&imp->imp_lock);
	conn = conn_next(imp);
	if (conn) {
		conn->oic_attempts++;
		conn->oic_last_attempt = max_t(time64_t, ktime_get_seconds(), 1);
		conn->oic_tried = ++imp->imp_try_seq;
		*server = conn->oic_uuid;
	}
	imp->imp_conn_current = conn;
	spin_unlock(&imp->imp_lock);
	return conn;
}

/* The current server answered at @nid, or, with NULL, did not. */
void import_conn_end(struct obd_import *imp, const struct lnet_nid *nid)
{
	struct obd_import_conn *conn;

	spin_lock(&imp->imp_lock);
	conn = imp->imp_conn_current;
	conn->oic_uptodate = nid;
	if (nid) {
		conn->oic_replied++;
		imp->imp_conn_nid = *nid;
		imp->imp_success_seq = imp->imp_try_seq;
	} else {
		imp->imp_conn_current = NULL;
	}
	spin_unlock(&imp->imp_lock);
}

/* No server is in use any more. */
void import_conn_leave(struct obd_import *imp)
{
	spin_lock(&imp->imp_lock);
	imp->imp_conn_current = NULL;
	memset(&imp->imp_conn_nid, 0, sizeof(imp->imp_conn_nid));
	spin_unlock(&imp->imp_lock);
}

/* Make it the next one to try. Return: false when there is no such server. */
bool import_conn_prefer(struct obd_import *imp, const struct obd_uuid *uuid)
{
	struct obd_import_conn *conn;

	spin_lock(&imp->imp_lock);
	conn = conn_find(imp, uuid);
	if (conn) {
		list_move(&conn->oic_item, &imp->imp_conn_list);
		conn->oic_tried = 0;
	}
	spin_unlock(&imp->imp_lock);
	return conn;
}

bool import_conn_is_current(struct obd_import *imp, const struct obd_uuid *uuid)
{
	bool is;

	spin_lock(&imp->imp_lock);
	is = imp->imp_conn_current &&
	     !strcmp(imp->imp_conn_current->oic_uuid.uuid, uuid->uuid);
	spin_unlock(&imp->imp_lock);
	return is;
}

unsigned int import_conn_count(struct obd_import *imp)
{
	struct obd_import_conn *conn;
	unsigned int count = 0;

	spin_lock(&imp->imp_lock);
	list_for_each_entry(conn, &imp->imp_conn_list, oic_item)
		count++;
	spin_unlock(&imp->imp_lock);
	return count;
}

/* Copy the one at place @n. Return: false when there are no more than @n. */
bool import_conn_nth(struct obd_import *imp, unsigned int n,
		     struct obd_import_conn *copy)
{
	struct obd_import_conn *conn;
	bool found = false;

	spin_lock(&imp->imp_lock);
	list_for_each_entry(conn, &imp->imp_conn_list, oic_item) {
		found = !n--;
		if (found) {
			*copy = *conn;
			break;
		}
	}
	spin_unlock(&imp->imp_lock);
	return found;
}

void import_conns_free(struct obd_import *imp)
{
	struct obd_import_conn *conn, *next;

	list_for_each_entry_safe(conn, next, &imp->imp_conn_list, oic_item) {
		list_del(&conn->oic_item);
		libcfs_free(conn, sizeof(*conn));
	}
}

/**
 * import_server_text() - the server that an import is connected or connecting to
 * @imp: import
 * @buf: out, the NID in use, or the name of the server; empty without one
 * @size: bytes of @buf; LNET_NID_TEXT_MAX always suffices
 *
 * Context: any
 */
void import_server_text(struct obd_import *imp, char *buf, size_t size)
{
	struct obd_uuid server = {};
	struct lnet_nid nid;

	spin_lock(&imp->imp_lock);
	nid = imp->imp_conn_nid;
	if (imp->imp_conn_current)
		server = imp->imp_conn_current->oic_uuid;
	spin_unlock(&imp->imp_lock);
	if (!nid.nid_len || libcfs_nid_print(&nid, buf, size) < 0)
		strscpy(buf, server.uuid, size);
}
EXPORT_FOR_KUNIT(import_server_text);
