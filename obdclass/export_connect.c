// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connections: start and end of one export, end of all exports of a device,
 * eviction of clients by NID or uuid, and waiting for their end. A device's own
 * export is evicted by neither.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/wait.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <uapi/lustre_lite/obd_netlink.h>

#include "obd_internal.h"

/* Exports held at a time while iterating over those of a device. */
#define EXPORT_BATCH		16

/**
 * class_connect() - connect a client
 * @conn: out, cookie of the new export
 * @obd: device, set up; the caller holds it
 * @uuid: client
 * @nid: its NID; NULL for in this kernel
 *
 * The caller gets a cookie and no reference: class_conn2export() returns one,
 * or NULL if the client was evicted meanwhile.
 *
 * Context: may sleep
 * Return: 0 or as class_new_export(), or as adding parameters
 */
int class_connect(struct lustre_handle *conn, struct obd_device *obd,
		  const struct obd_uuid *uuid, const struct lnet_nid *nid)
{
	struct obd_export *exp = class_new_export(obd, uuid, nid);
	int rc;

	if (IS_ERR(exp))
		return PTR_ERR(exp);
	conn->cookie = exp->exp_handle.h_cookie;
	obd_event(obd, LL_OBD_EXPORT_NEW, 0, exp->exp_client_uuid.uuid);
	rc = obd_export_params_add(exp);
	if (rc)
		class_unlink_export(exp);
	class_export_put(exp);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(class_connect, LUSTRE_LITE);

/**
 * class_disconnect() - obdclass's part of ending a connection
 * @exp: export; the caller's reference is dropped. May have ended already
 *
 * Connections are ended by obd_disconnect(), which calls the type's
 * o_disconnect, which calls this.
 *
 * Context: may sleep
 * Return: 0
 */
int class_disconnect(struct obd_export *exp)
{
	class_unlink_export(exp);
	class_export_put(exp);
	return 0;
}
EXPORT_SYMBOL_NS_GPL(class_disconnect, LUSTRE_LITE);

/*
 * The type ends the connection. It may keep the export for other users, or
 * fail: here the connection is over in any case.
 */
static void export_end(struct obd_export *exp)
{
	int rc = obd_disconnect(class_export_get(exp));

	if (rc)
		CERROR("%s: disconnecting client %s: rc = %d\n",
		       exp->exp_obd->obd_name, exp->exp_client_uuid.uuid, rc);
	class_unlink_export(exp);
}

/* Evict the client. Return: true if this call did. */
static bool export_fail(struct obd_export *exp)
{
	struct obd_device *obd = exp->exp_obd;
	bool first;

	if (WARN_ON_ONCE(test_bit(EXPF_SELF, &exp->exp_flags)))
		return false;
	spin_lock(&obd->obd_export_lock);
	first = class_connected_export(exp) &&
		!test_and_set_bit(EXPF_FAILED, &exp->exp_flags);
	spin_unlock(&obd->obd_export_lock);
	if (first)
		export_end(exp);
	return first;
}

/**
 * class_fail_export() - evict the client of an export
 * @exp: export that the caller holds, before and after; may have ended already
 *
 * Context: may sleep
 */
void class_fail_export(struct obd_export *exp)
{
	export_fail(exp);
}
EXPORT_SYMBOL_NS_GPL(class_fail_export, LUSTRE_LITE);

/* A client in this kernel cannot fail silently. */
static bool is_here(const struct obd_export *exp)
{
	return exp->exp_nid.nid_type == LNET_LO;
}

/* Hold some clients that have been silent since @older_than. */
static unsigned int clients_take(struct obd_device *obd, time64_t older_than,
				 struct obd_export **batch)
{
	struct obd_export *exp;
	unsigned int count = 0;

	spin_lock(&obd->obd_export_lock);
	list_for_each_entry(exp, &obd->obd_exports, exp_obd_chain) {
		if (count == EXPORT_BATCH)
			break;
		if (test_bit(EXPF_SELF, &exp->exp_flags) ||
		    test_bit(EXPF_FAILED, &exp->exp_flags) ||
		    (older_than != TIME64_MAX && is_here(exp)) ||
		    READ_ONCE(exp->exp_last_request_time) >= older_than)
			continue;
		batch[count++] = class_export_get(exp);
	}
	spin_unlock(&obd->obd_export_lock);
	return count;
}

/* Tell the type what kind of cleanup the disconnect is part of. */
static void export_note_cleanup(struct obd_export *exp)
{
	if (test_bit(OBDF_FORCE, &exp->exp_obd->obd_flags))
		set_bit(EXPF_FORCE, &exp->exp_flags);
	if (test_bit(OBDF_FAIL, &exp->exp_obd->obd_flags))
		set_bit(EXPF_FAILOVER, &exp->exp_flags);
}

/**
 * class_disconnect_exports() - disconnect all clients of a device
 * @obd: device, whose gate is dead; the caller holds it
 *
 * Its own export stays. An export that another task is evicting is left to that
 * task.
 *
 * Context: may sleep
 */
void class_disconnect_exports(struct obd_device *obd)
{
	struct obd_export *batch[EXPORT_BATCH];
	unsigned int count, n;

	do {
		count = clients_take(obd, TIME64_MAX, batch);
		for (n = 0; n < count; n++) {
			export_note_cleanup(batch[n]);
			export_end(batch[n]);
			class_export_put(batch[n]);
		}
	} while (count);
}
EXPORT_FOR_KUNIT(class_disconnect_exports);

/* Return: true if this call evicted it. */
static bool export_fail_stale(struct obd_export *exp)
{
	time64_t silent = ktime_get_seconds() -
			  READ_ONCE(exp->exp_last_request_time);
	char nid[LNET_NID_TEXT_MAX];

	if (!export_fail(exp))
		return false;
	if (libcfs_nid_print(&exp->exp_nid, nid, sizeof(nid)) < 0)
		strscpy(nid, "?", sizeof(nid));
	CWARN("%s: client %s at %s has been silent for %lld s, evicting it\n",
	      exp->exp_obd->obd_name, exp->exp_client_uuid.uuid, nid, silent);
	return true;
}

/**
 * class_disconnect_stale_exports() - evict silent clients on other nodes
 * @obd: device that the caller holds
 * @older_than: time of their last request, seconds since boot
 *
 * Context: may sleep
 * Return: evicted clients
 */
unsigned int class_disconnect_stale_exports(struct obd_device *obd,
					    time64_t older_than)
{
	struct obd_export *batch[EXPORT_BATCH];
	unsigned int count, n, evicted = 0;

	do {
		count = clients_take(obd, older_than, batch);
		for (n = 0; n < count; n++) {
			evicted += export_fail_stale(batch[n]);
			class_export_put(batch[n]);
		}
	} while (count);
	return evicted;
}
EXPORT_SYMBOL_NS_GPL(class_disconnect_stale_exports, LUSTRE_LITE);

static unsigned int evict_list(struct obd_export_list *list)
{
	unsigned int n, evicted = 0;

	for (n = 0; n < list->exl_count; n++)
		evicted += export_fail(list->exl_exports[n]);
	return evicted;
}

static int evict_at(struct obd_device *obd, const char *text,
		    unsigned int *evicted, struct obd_why *why)
{
	struct obd_export_list list;
	const char *reason;
	struct lnet_nid nid;
	int rc;

	rc = libcfs_nid_parse(text, strlen(text), &nid, &reason);
	if (rc)
		return obd_refuse(why, rc,
				  "%s: '%.64s' is not a NID: %s; use one such as 10.0.0.1@tcp",
				  obd->obd_name, text, reason);
	rc = obd_exports_at_nid(obd, &nid, &list);
	if (rc)
		return obd_refuse(why, rc, "%s: no memory for a list of clients",
				  obd->obd_name);
	*evicted = evict_list(&list);
	obd_export_list_put(&list);
	if (!*evicted)
		return obd_refuse(why, -ENOENT,
				  "%s: no client is connected from NID %s; see the parameters exports.*",
				  obd->obd_name, text);
	return 0;
}

static int evict_who(struct obd_device *obd, const char *text,
		     unsigned int *evicted, struct obd_why *why)
{
	struct obd_uuid uuid = { "" };
	struct obd_export *exp;

	if (!*text || strscpy(uuid.uuid, text, sizeof(uuid.uuid)) < 0)
		return obd_refuse(why, -EINVAL,
				  "%s: '%.64s' is not a uuid: one has 1 to %zu characters",
				  obd->obd_name, text, sizeof(uuid.uuid) - 1);
	exp = obd_export_by_uuid(obd, &uuid);
	if (exp) {
		*evicted = export_fail(exp);
		class_export_put(exp);
	}
	if (!*evicted)
		return obd_refuse(why, -ENOENT,
				  "%s: no client %s is connected; see the parameters exports.*",
				  obd->obd_name, text);
	return 0;
}

/**
 * obd_export_evict_by_nid() - evict all clients of a node
 * @obd: device that the caller holds
 * @nid: NID, as text
 * @why: out: reason if no client was evicted
 *
 * Context: may sleep; not under a lock that o_disconnect takes
 * Return: evicted clients
 */
unsigned int obd_export_evict_by_nid(struct obd_device *obd, const char *nid,
				     struct obd_why *why)
{
	unsigned int evicted = 0;

	evict_at(obd, nid, &evicted, why);
	return evicted;
}
EXPORT_FOR_KUNIT(obd_export_evict_by_nid);

/**
 * obd_export_evict_by_uuid() - evict a client
 * @obd: device that the caller holds
 * @uuid: client
 * @why: out: reason if it was not evicted
 *
 * Context: as obd_export_evict_by_nid()
 * Return: 1 or 0
 */
unsigned int obd_export_evict_by_uuid(struct obd_device *obd, const char *uuid,
				      struct obd_why *why)
{
	unsigned int evicted = 0;

	evict_who(obd, uuid, &evicted, why);
	return evicted;
}
EXPORT_FOR_KUNIT(obd_export_evict_by_uuid);

int obd_export_evict(struct obd_device *obd, const char *text)
{
	struct obd_why why = { "" };
	unsigned int evicted = 0;
	int rc;

	if (!strncmp(text, "nid:", 4))
		rc = evict_at(obd, text + 4, &evicted, &why);
	else if (!strncmp(text, "uuid:", 5))
		rc = evict_who(obd, text + 5, &evicted, &why);
	else
		rc = evict_who(obd, text, &evicted, &why);
	if (rc)
		CERROR("%s: no client was evicted: rc = %d\n", why.text, rc);
	else
		CWARN("%s: evicted %u clients: %s\n", obd->obd_name, evicted,
		      text);
	return rc;
}

void obd_export_leave(struct obd_export *exp)
{
	struct obd_device *obd = exp->exp_obd;

	spin_lock(&obd->obd_export_lock);
	list_del_init(&exp->exp_obd_chain);
	spin_unlock(&obd->obd_export_lock);
}

void obd_exports_holder(struct obd_device *obd, char *buf, size_t size)
{
	struct obd_export *exp;

	spin_lock(&obd->obd_export_lock);
	exp = list_first_entry_or_null(&obd->obd_unlinked_exports,
				       struct obd_export, exp_obd_chain);
	if (exp)
		scnprintf(buf, size,
			  "client %s (%u references: %d requests, %d locks)",
			  exp->exp_client_uuid.uuid,
			  refcount_read(&exp->exp_refcount),
			  atomic_read(&exp->exp_rpc_count),
			  atomic_read(&exp->exp_locks_count));
	else
		strscpy(buf, "no holder", size);
	spin_unlock(&obd->obd_export_lock);
}
