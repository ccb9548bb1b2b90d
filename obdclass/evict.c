// SPDX-License-Identifier: GPL-2.0-only
/*
 * Eviction of clients, by NID or uuid. A device's own export is in neither
 * table.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "export_internal.h"

static unsigned int evict_list(struct obd_export_list *list)
{
	unsigned int n, evicted = 0;

	for (n = 0; n < list->exl_count; n++)
		evicted += obd_export_fail(list->exl_exports[n]);
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
		*evicted = obd_export_fail(exp);
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
