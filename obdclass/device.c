// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of devices: obd_devs by number, and hashes by name and uuid. It is
 * read under RCU; every lookup takes a reference before it leaves the RCU
 * section.
 *
 * obd_devs holds one reference (OBD_REF_TABLE) from class_register_device() to
 * class_unregister_device(); the two hashes hold none of their own.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <linux/ctype.h>
#include <linux/jhash.h>
#include <linux/rhashtable.h>
#include <linux/string.h>
#include <linux/xarray.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "obd_internal.h"

static DEFINE_XARRAY_ALLOC(obd_devs);
static struct rhashtable obd_names;
static struct rhltable obd_uuids;
static unsigned int obd_devs_max;
static atomic_t obd_devs_count = ATOMIC_INIT(0);
static atomic64_t obd_devs_seq = ATOMIC64_INIT(0);

static u32 name_hash(const void *data, u32 len, u32 seed)
{
	const char *name = data;

	return jhash(name, strlen(name), seed);
}

static u32 device_name_hash(const void *data, u32 len, u32 seed)
{
	const struct obd_device *obd = data;

	return name_hash(obd->obd_name, 0, seed);
}

static int device_name_cmp(struct rhashtable_compare_arg *arg, const void *data)
{
	const struct obd_device *obd = data;

	return strcmp(obd->obd_name, arg->key);
}

static const struct rhashtable_params obd_names_params = {
	.head_offset = offsetof(struct obd_device, obd_name_node),
	.hashfn = name_hash,
	.obj_hashfn = device_name_hash,
	.obj_cmpfn = device_name_cmp,
	.automatic_shrinking = true,
};

static const struct rhashtable_params obd_uuids_params = {
	.head_offset = offsetof(struct obd_device, obd_uuid_node),
	.key_offset = offsetof(struct obd_device, obd_uuid),
	.key_len = sizeof(struct obd_uuid),
	.automatic_shrinking = true,
};

/**
 * obd_device_init() - allocate the table
 * @max: most devices, 1 to OBD_DEVICES_MAX
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int obd_device_init(unsigned int max)
{
	int rc;

	if (!max || max > OBD_DEVICES_MAX) {
		CERROR("max_devices=%u: give 1 to %u: rc = %d\n", max,
		       OBD_DEVICES_MAX, -EINVAL);
		return -EINVAL;
	}
	obd_devs_max = max;
	rc = rhashtable_init(&obd_names, &obd_names_params);
	if (rc)
		return rc;
	rc = rhltable_init(&obd_uuids, &obd_uuids_params);
	if (rc)
		rhashtable_destroy(&obd_names);
	return rc;
}

/**
 * obd_device_exit() - free the empty table
 *
 * Devices pin their type's module and that pins this one, so none is left; the
 * memory of the last ones may still wait for its grace period.
 *
 * Context: may sleep
 */
void obd_device_exit(void)
{
	obd_zombie_barrier();
	rcu_barrier();
	WARN_ON(!xa_empty(&obd_devs));
	rhltable_destroy(&obd_uuids);
	rhashtable_destroy(&obd_names);
	xa_destroy(&obd_devs);
}

/* Under RCU: take a reference, if the last put has not happened. */
static struct obd_device *device_get(struct obd_device *obd)
{
	if (!obd || !refcount_inc_not_zero(&obd->obd_refcount))
		return NULL;
	atomic_inc(&obd->obd_refs[OBD_REF_LOOKUP]);
	return obd;
}

/**
 * class_register_device() - give a device the lowest free number
 * @obd: device
 *
 * Context: may sleep
 * Return: 0; -EEXIST if a device has that name; -EOVERFLOW if the table is
 *  full; -ENOMEM
 */
int class_register_device(struct obd_device *obd)
{
	unsigned int tries = 0;
	u32 minor;
	int rc;

	rc = xa_alloc(&obd_devs, &minor, NULL, XA_LIMIT(0, obd_devs_max - 1),
		      GFP_KERNEL_ACCOUNT);
	if (rc)
		return rc == -EBUSY ? -EOVERFLOW : rc;
	do {
		rc = rhashtable_lookup_insert_key(&obd_names, obd->obd_name,
						  &obd->obd_name_node,
						  obd_names_params);
	} while (libcfs_insert_again(rc, &tries));
	if (rc)
		goto release_minor;
	tries = 0;
	do {
		rc = rhltable_insert_key(&obd_uuids, &obd->obd_uuid,
					 &obd->obd_uuid_node, obd_uuids_params);
	} while (libcfs_insert_again(rc, &tries));
	if (rc)
		goto remove_name;
	class_incref(obd, OBD_REF_TABLE);
	obd->obd_seq = atomic64_inc_return(&obd_devs_seq);
	WRITE_ONCE(obd->obd_minor, minor);
	atomic_inc(&obd_devs_count);
	xa_store(&obd_devs, minor, obd, GFP_KERNEL);
	return 0;

remove_name:
	rhashtable_remove_fast(&obd_names, &obd->obd_name_node,
			       obd_names_params);
release_minor:
	xa_release(&obd_devs, minor);
	return rc;
}

/**
 * class_unregister_device() - remove a device from the table
 * @obd: device; its number and name can be reused
 *
 * Context: may sleep
 */
void class_unregister_device(struct obd_device *obd)
{
	u32 minor = obd->obd_minor;

	rhltable_remove(&obd_uuids, &obd->obd_uuid_node, obd_uuids_params);
	rhashtable_remove_fast(&obd_names, &obd->obd_name_node,
			       obd_names_params);
	WRITE_ONCE(obd->obd_minor, OBD_INDEX_NONE);
	xa_erase(&obd_devs, minor);
	atomic_dec(&obd_devs_count);
	class_decref(obd, OBD_REF_TABLE);
}

/**
 * class_num2obd() - find a device by number
 * @minor: number
 *
 * Context: any
 * Return: device, referenced (OBD_REF_LOOKUP), or NULL
 */
struct obd_device *class_num2obd(u32 minor)
{
	struct obd_device *obd;

	rcu_read_lock();
	obd = device_get(xa_load(&obd_devs, minor));
	rcu_read_unlock();
	return obd;
}
EXPORT_SYMBOL_NS_GPL(class_num2obd, LUSTRE_LITE);

/**
 * class_name2obd() - find a device by name
 * @name: name
 *
 * Context: any
 * Return: as class_num2obd()
 */
struct obd_device *class_name2obd(const char *name)
{
	struct obd_device *obd;

	rcu_read_lock();
	obd = device_get(rhashtable_lookup(&obd_names, name, obd_names_params));
	rcu_read_unlock();
	return obd;
}
EXPORT_SYMBOL_NS_GPL(class_name2obd, LUSTRE_LITE);

/**
 * class_uuid2obd() - find a device by uuid
 * @uuid: uuid, zeros after its NUL
 *
 * Context: any
 * Return: as class_num2obd(); of several devices the one with the lowest number
 */
struct obd_device *class_uuid2obd(const struct obd_uuid *uuid)
{
	struct obd_device *obd, *best = NULL;
	struct rhlist_head *list, *pos;

	rcu_read_lock();
	list = rhltable_lookup(&obd_uuids, uuid, obd_uuids_params);
	rhl_for_each_entry_rcu(obd, pos, list, obd_uuid_node)
		if (!best || READ_ONCE(obd->obd_minor) <
			     READ_ONCE(best->obd_minor))
			best = obd;
	best = device_get(best);
	rcu_read_unlock();
	return best;
}
EXPORT_SYMBOL_NS_GPL(class_uuid2obd, LUSTRE_LITE);

static bool client_matches(struct obd_device *obd, const char *type_name,
			   const struct obd_uuid *target)
{
	bool match = false;

	if (strcmp(obd->obd_type_name, type_name) || !obd_op_enter(obd))
		return false;
	if (obd->obd_type->typ_import)
		match = obd->obd_type->typ_import->io_is_for(obd, target);
	obd_op_leave(obd);
	return match;
}

/**
 * class_find_client_obd() - find the client device of a target of a device
 * @target: uuid of the target
 * @type_name: type of the client device
 * @above: device that has the target: the client device has the same uuid, and
 *  was attached by the same instance of a config log
 *
 * Only devices that are set up are found.
 *
 * Context: any
 * Return: as class_num2obd()
 */
struct obd_device *class_find_client_obd(const struct obd_uuid *target,
					 const char *type_name,
					 const struct obd_device *above)
{
	struct obd_device *obd, *found = NULL;
	struct rhlist_head *list, *pos;

	rcu_read_lock();
	list = rhltable_lookup(&obd_uuids, &above->obd_uuid, obd_uuids_params);
	rhl_for_each_entry_rcu(obd, pos, list, obd_uuid_node) {
		if (obd->obd_instance != above->obd_instance)
			continue;
		if (client_matches(obd, type_name, target))
			found = device_get(obd);
		if (found)
			break;
	}
	rcu_read_unlock();
	return found;
}
EXPORT_SYMBOL_NS_GPL(class_find_client_obd, LUSTRE_LITE);

/**
 * class_next_obd() - iterate over all devices
 * @minor: in: number to start at; out: the next one after the device
 *
 * Context: any
 * Return: as class_num2obd(); NULL at the end
 */
struct obd_device *class_next_obd(u32 *minor)
{
	unsigned long index = *minor;
	struct obd_device *obd;

	rcu_read_lock();
	xa_for_each_start(&obd_devs, index, obd, *minor) {
		obd = device_get(obd);
		if (obd)
			break;
	}
	rcu_read_unlock();
	*minor = index + 1;
	return obd;
}
EXPORT_SYMBOL_NS_GPL(class_next_obd, LUSTRE_LITE);

void obd_devs_walk(u32 *next, bool (*fn)(struct obd_device *obd, void *data),
		   void *data)
{
	XA_STATE(xas, &obd_devs, *next);
	struct obd_device *obd;

	rcu_read_lock();
	xas_for_each(&xas, obd, OBD_DEVICES_MAX) {
		/* The table changed, or a number is reserved. */
		if (xas_retry(&xas, obd))
			continue;
		*next = xas.xa_index;
		if (!fn(obd, data))
			goto unlock;
	}
	*next = OBD_INDEX_NONE;
unlock:
	rcu_read_unlock();
}

/* Number of a device; drops the reference. */
static int device_number(struct obd_device *obd)
{
	u32 minor;

	if (!obd)
		return -ENODEV;
	minor = READ_ONCE(obd->obd_minor);
	class_decref(obd, OBD_REF_LOOKUP);
	return minor == OBD_INDEX_NONE ? -ENODEV : (int)minor;
}

/**
 * class_name2dev() - number of a device by name
 * @name: name
 *
 * Context: may sleep
 * Return: number; -ENODEV if there is none
 */
int class_name2dev(const char *name)
{
	return device_number(class_name2obd(name));
}
EXPORT_FOR_KUNIT(class_name2dev);

/* Number of devices. */
unsigned int class_obd_devs_count(void)
{
	return atomic_read(&obd_devs_count);
}
EXPORT_FOR_KUNIT(class_obd_devs_count);
