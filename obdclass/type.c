// SPDX-License-Identifier: GPL-2.0-only
/*
 * Types of devices.
 *
 * A type is held by each of its devices, which also pin its module, so that the
 * module's exit finds none. It is on the list between register and unregister;
 * the list holds no reference.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <linux/err.h>
#include <linux/kmod.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/wait.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_fail.h>
#include <lustre_lite/params.h>

#include "obd_internal.h"

/*
 * Time that a module being loaded by another task may take to register its
 * types.
 */
#define TYPE_WAIT_SEC	2

/* Guards the list, typ_refcnt of every type, and writes of types_added. */
static DEFINE_MUTEX(types_lock);
static LIST_HEAD(types);
/* Number of types registered so far. */
static unsigned int types_added;
/* Woken by each registration. */
static DECLARE_WAIT_QUEUE_HEAD(types_wait);

static struct obd_type *type_find(const char *name)
{
	struct obd_type *type;

	lockdep_assert_held(&types_lock);
	list_for_each_entry(type, &types, typ_list)
		if (!strcmp(type->typ_name, name))
			return type;
	return NULL;
}

static int type_insert(struct obd_type *type)
{
	int rc = 0;

	mutex_lock(&types_lock);
	if (type_find(type->typ_name)) {
		rc = -EEXIST;
	} else {
		list_add_tail(&type->typ_list, &types);
		WRITE_ONCE(types_added, types_added + 1);
	}
	mutex_unlock(&types_lock);
	wake_up_all(&types_wait);
	return rc;
}

/**
 * class_register_type() - register a type
 * @type: type, static in its module, as lockdep requires for typ_key; valid
 *  until class_unregister_type() has returned 0
 *
 * Context: may sleep; module init
 * Return: 0; -EINVAL for a type without name, operations, setup or cleanup;
 *  -EEXIST if the name exists
 */
int class_register_type(struct obd_type *type)
{
	const struct obd_ops *ops = type->typ_dt_ops;
	size_t len = strlen(type->typ_name ?: "");
	struct lustre_params_entry *dir;
	int rc;

	if (!len || len >= MAX_OBD_TYPE || !ops || !ops->o_setup ||
	    !ops->o_cleanup)
		return -EINVAL;
	dir = params_add_dir(NULL, type->typ_name, NULL);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	type->typ_params = dir;
	type->typ_refcnt = 0;
	rc = type_insert(type);
	if (rc)
		params_remove(dir);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(class_register_type, LUSTRE_LITE);

/**
 * class_unregister_type() - unregister a type
 * @type: type
 *
 * Waits for detached devices that are being freed, not for attached ones.
 *
 * Context: may sleep; module exit
 * Return: 0; -EBUSY while it has devices, and it stays registered
 */
int class_unregister_type(struct obd_type *type)
{
	unsigned int devices;

	obd_zombie_barrier();
	mutex_lock(&types_lock);
	devices = type->typ_refcnt;
	if (!devices)
		list_del(&type->typ_list);
	mutex_unlock(&types_lock);
	if (devices) {
		CERROR("type %s: not removed, it has %u devices; detach them first: rc = %d\n",
		       type->typ_name, devices, -EBUSY);
		return -EBUSY;
	}
	params_remove(type->typ_params);
	return 0;
}
EXPORT_SYMBOL_NS_GPL(class_unregister_type, LUSTRE_LITE);

/* A type whose module is being unloaded is not found. */
static struct obd_type *type_get(const char *name)
{
	struct obd_type *type;

	mutex_lock(&types_lock);
	type = type_find(name);
	if (type && !try_module_get(type->typ_dt_ops->o_owner))
		type = NULL;
	if (type)
		type->typ_refcnt++;
	mutex_unlock(&types_lock);
	return type;
}

/*
 * Wait for a type whose module was loaded. If another task had started to load
 * it, modprobe may return before the module has registered its types.
 */
static struct obd_type *type_await(const char *name)
{
	long left = TYPE_WAIT_SEC * HZ;
	struct obd_type *type;
	unsigned int seen;

	do {
		seen = READ_ONCE(types_added);
		type = type_get(name);
		if (type)
			return type;
		left = wait_event_killable_timeout(types_wait,
						   READ_ONCE(types_added) !=
						   seen, left);
	} while (left > 0);
	return NULL;
}

/**
 * class_get_type() - look up a type, load its module if needed
 * @name: name
 *
 * The module is requested as lustre-lite-type-NAME, an alias of each module of
 * a type.
 *
 * Context: may sleep; can be killed
 * Return: type, referenced and its module pinned, or NULL
 */
struct obd_type *class_get_type(const char *name)
{
	struct obd_type *type = type_get(name);

	if (type || CFS_FAIL_CHECK(OBD_FAIL_OBDCLASS_MODULE_LOAD))
		return type;
	if (request_module("lustre-lite-type-%s", name))
		return NULL;
	return type_await(name);
}
EXPORT_FOR_KUNIT(class_get_type);

/**
 * class_put_type() - undo class_get_type()
 * @type: type
 *
 * Context: may sleep
 */
void class_put_type(struct obd_type *type)
{
	struct module *owner = type->typ_dt_ops->o_owner;

	mutex_lock(&types_lock);
	WARN_ON_ONCE(!type->typ_refcnt);
	type->typ_refcnt--;
	mutex_unlock(&types_lock);
	module_put(owner);
}
EXPORT_FOR_KUNIT(class_put_type);
