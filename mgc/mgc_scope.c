// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parameters that a setting applies to. A setting of a file system applies to
 * devices FSNAME-...; one of all nodes to everything except devices of other
 * services: those in another network namespace, and of a file system that
 * another client of the namespace follows.
 */
#define DEBUG_SUBSYSTEM S_MGC

#include <linux/string.h>
#include <net/net_namespace.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/config_owner.h>
#include <lustre_lite/debug.h>

#include "mgc_internal.h"

#define NAMESPACES	"ldlm/namespaces/"

/* Name of the device that a path is of, or "" */
static void path_device(const char *path, char *name, size_t size)
{
	const char *at = strchr(path, '/');
	size_t len;

	name[0] = '\0';
	if (!at)
		return;
	at++;
	if (!strncmp(path, NAMESPACES, strlen(NAMESPACES)))
		at = config_namespace_device(path + strlen(NAMESPACES));
	len = strcspn(at, "/");
	if (len >= size)
		return;
	memcpy(name, at, len);
	name[len] = '\0';
}

/* The longest name of a file system that @mg follows and that matches. */
static void owner_look(struct mgc_device *mg, const char *name, char *fsname,
		       size_t size)
{
	const struct mgc_log *log;

	spin_lock(&mg->mg_lock);
	list_for_each_entry(log, &mg->mg_logs, ml_item)
		if (log->ml_type == CONFIG_T_CONFIG)
			config_owner_try(name, log->ml_fsname, fsname, size);
	spin_unlock(&mg->mg_lock);
}

/*
 * The file system of a device: devices are created by logs, so it is one of
 * those followed here. "" for a device of none.
 */
static void owner_of(const char *name, char *fsname, size_t size)
{
	struct mgc_device *mg;

	fsname[0] = '\0';
	spin_lock(&mgc_devices_lock);
	list_for_each_entry(mg, &mgc_devices, mg_item)
		owner_look(mg, name, fsname, size);
	spin_unlock(&mgc_devices_lock);
}

static bool follows(struct mgc_device *mg, const char *fsname)
{
	const struct mgc_log *log;
	bool found = false;

	spin_lock(&mg->mg_lock);
	list_for_each_entry(log, &mg->mg_logs, ml_item)
		found |= log->ml_type == CONFIG_T_CONFIG &&
			 !strcmp(log->ml_fsname, fsname);
	spin_unlock(&mg->mg_lock);
	return found;
}

/*
 * Only @mg follows it, or no client: a setting may be of a file system without
 * a log here.
 */
static bool owner_is_free(struct mgc_device *mg, const char *fsname)
{
	struct mgc_device *other;
	bool found = false;

	if (follows(mg, fsname))
		return true;
	spin_lock(&mgc_devices_lock);
	list_for_each_entry(other, &mgc_devices, mg_item)
		found |= follows(other, fsname);
	spin_unlock(&mgc_devices_lock);
	return !found;
}

/* A name that is not a device's belongs to this namespace. */
static bool device_fits(const struct mgc_scope *scope, const char *name)
{
	struct obd_device *obd = class_name2obd(name);
	bool fits;

	if (!obd)
		return true;
	fits = net_eq(obd->obd_net, scope->msc_mgc->mg_obd->obd_net) &&
	       (!scope->msc_instance || obd->obd_instance == scope->msc_instance);
	class_decref(obd, OBD_REF_LOOKUP);
	return fits;
}

/**
 * mgc_scope_init() - initialize a scope from the owner of a setting
 * @scope: out
 * @mg: client of the service that has it
 * @owner: file system, or CONFIG_WILDCARD or "" for all
 *
 * Context: any
 */
void mgc_scope_init(struct mgc_scope *scope, struct mgc_device *mg,
		    const char *owner)
{
	memset(scope, 0, sizeof(*scope));
	scope->msc_mgc = mg;
	if (strcmp(owner, CONFIG_WILDCARD))
		strscpy(scope->msc_fsname, owner, sizeof(scope->msc_fsname));
}

/**
 * mgc_scope_applies() - whether a setting applies to a parameter
 * @path: its path, components joined by '/'
 * @data: struct mgc_scope
 *
 * Context: may sleep; no lock of the tree is held
 * Return: true if it does
 */
bool mgc_scope_applies(const char *path, void *data)
{
	const struct mgc_scope *scope = data;
	char name[MAX_OBD_NAME + sizeof("_UUID")];
	char owner[LUSTRE_MAXFSNAME + 1];
	char *uuid;

	path_device(path, name, sizeof(name));
	uuid = strstr(name, "_UUID");
	if (uuid && !uuid[strlen("_UUID")])
		*uuid = '\0';
	owner_of(name, owner, sizeof(owner));
	if (scope->msc_fsname[0] && !owner[0])
		config_owner_try(name, scope->msc_fsname, owner, sizeof(owner));
	if (scope->msc_fsname[0] && strcmp(owner, scope->msc_fsname))
		return false;
	if (!name[0])
		return true;
	/*
	 * A device of a file system that another client follows belongs to that
	 * client.
	 */
	return device_fits(scope, name) &&
	       (!owner[0] || owner_is_free(scope->msc_mgc, owner));
}
