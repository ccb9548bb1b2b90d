// SPDX-License-Identifier: GPL-2.0
/*
 * Whom a setting is for. One of a file system is for devices FSNAME-...; one for
 * all is for everything but devices of other services: those in another network
 * namespace, and of a file system that another client of the namespace follows.
 */
#define DEBUG_SUBSYSTEM S_MGC

#include <linux/string.h>
#include <net/net_namespace.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "mgc_internal.h"

#define NAMESPACES	"ldlm/namespaces/"
#define SERVER_PREFIX	"filter-"

/* Name of the device that a path is of, or "" */
static void path_device(const char *path, char *name, size_t size)
{
	const char *at = strchr(path, '/');
	size_t len;

	name[0] = '\0';
	if (!at)
		return;
	at++;
	if (!strncmp(path, NAMESPACES, strlen(NAMESPACES))) {
		at = path + strlen(NAMESPACES);
		if (!strncmp(at, SERVER_PREFIX, strlen(SERVER_PREFIX)))
			at += strlen(SERVER_PREFIX);
	}
	len = strcspn(at, "/");
	if (len >= size)
		return;
	memcpy(name, at, len);
	name[len] = '\0';
}

static bool is_of(const char *name, const char *fsname)
{
	size_t len = strlen(fsname);

	return len && !strncmp(name, fsname, len) && name[len] == '-';
}

static bool follows(struct mgc_device *mg, const char *name)
{
	const struct mgc_log *log;
	bool found = false;

	spin_lock(&mg->mg_lock);
	list_for_each_entry(log, &mg->mg_logs, ml_item)
		found |= log->ml_type == CONFIG_T_CONFIG &&
			 is_of(name, log->ml_fsname);
	spin_unlock(&mg->mg_lock);
	return found;
}

/* Whether it is a device of a file system that is another client's. */
static bool is_anothers(struct mgc_device *mg, const char *name)
{
	struct mgc_device *other;
	bool found = false;

	if (follows(mg, name))
		return false;
	spin_lock(&mgc_devices_lock);
	list_for_each_entry(other, &mgc_devices, mg_item)
		if (other != mg)
			found |= follows(other, name);
	spin_unlock(&mgc_devices_lock);
	return found;
}

/* A name that is no device's is that of something in this namespace. */
static bool device_fits(const struct mgc_scope *scope, const char *name)
{
	struct obd_device *obd = class_name2obd(name);
	bool fits;

	if (!obd)
		return true;
	fits = net_eq(obd->obd_net, scope->ms_mgc->mg_obd->obd_net) &&
	       (!scope->ms_instance || obd->obd_instance == scope->ms_instance);
	class_decref(obd, OBD_REF_LOOKUP);
	return fits;
}

/**
 * mgc_scope_init() - whom a setting is for, by its owner
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
	scope->ms_mgc = mg;
	if (strcmp(owner, CONFIG_WILDCARD))
		strscpy(scope->ms_fsname, owner, sizeof(scope->ms_fsname));
}

/**
 * mgc_scope_applies() - whether a parameter is meant
 * @path: its path, components joined by '/'
 * @data: struct mgc_scope
 *
 * Context: may sleep; no lock of the tree is held
 * Return: whether it is
 */
bool mgc_scope_applies(const char *path, void *data)
{
	const struct mgc_scope *scope = data;
	char name[MAX_OBD_NAME + sizeof("_UUID")];
	char *uuid;

	path_device(path, name, sizeof(name));
	uuid = strstr(name, "_UUID");
	if (uuid && !uuid[strlen("_UUID")])
		*uuid = '\0';
	if (scope->ms_fsname[0] && !is_of(name, scope->ms_fsname))
		return false;
	if (!name[0])
		return true;
	return device_fits(scope, name) && !is_anothers(scope->ms_mgc, name);
}
