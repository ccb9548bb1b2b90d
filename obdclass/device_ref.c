// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory of a device: allocation, references, free. Each holder has one
 * reference, of its kind (enum obd_ref); the last put frees the device and
 * unpins the module of its type.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/nsproxy.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "obd_internal.h"

/* Woken by a put that was not the last one. */
static DECLARE_WAIT_QUEUE_HEAD(devices_put);

/* A name is a component of a path of parameters, and is printed in lists. */
static int name_check(const char *what, const char *name, size_t max,
		      struct obd_why *why)
{
	const char *c;

	if (!*name)
		return obd_refuse(why, -EINVAL, "the %s is empty", what);
	if (strlen(name) >= max)
		return obd_refuse(why, -EINVAL,
				  "the %s is too long: %zu bytes, at most %zu",
				  what, strlen(name), max - 1);
	for (c = name; *c; c++)
		if (*c == '/' || !isgraph(*c))
			return obd_refuse(why, -EINVAL,
					  "the %s '%s' has a '/', a blank or a character that does not print",
					  what, name);
	return 0;
}

/**
 * class_newdev() - create a device, in no table yet
 * @type_name: type; its module is loaded if needed
 * @name: name, at most MAX_OBD_NAME - 1 bytes without '/' and blanks
 * @uuid: uuid, at most UUID_MAX - 1 bytes, the same
 * @why: out: reason of a failure
 *
 * Context: may sleep
 * Return: device, referenced (OBD_REF_LOOKUP); -EINVAL for an invalid name or
 *  uuid, -ENODEV for an unknown type, -ENOMEM
 */
struct obd_device *class_newdev(const char *type_name, const char *name,
				const char *uuid, struct obd_why *why)
{
	struct obd_device *obd;
	struct obd_type *type;
	int rc;

	rc = name_check("name", name, MAX_OBD_NAME, why);
	if (!rc)
		rc = name_check("uuid", uuid, UUID_MAX, why);
	if (!rc)
		rc = name_check("type", type_name, MAX_OBD_TYPE, why);
	if (rc)
		return ERR_PTR(rc);
	type = class_get_type(type_name);
	if (!type)
		return ERR_PTR(obd_refuse(why, -ENODEV,
					  "no such type '%s'; check that its module is installed",
					  type_name));
	obd = libcfs_zalloc(sizeof(*obd), GFP_KERNEL_ACCOUNT);
	if (!obd) {
		class_put_type(type);
		return ERR_PTR(-ENOMEM);
	}
	obd->obd_magic = OBD_DEVICE_MAGIC;
	obd->obd_minor = OBD_INDEX_NONE;
	obd->obd_type = type;
	obd->obd_net = get_net(current->nsproxy->net_ns);
	obd->obd_state = OBD_NEW;
	strscpy(obd->obd_type_name, type_name, sizeof(obd->obd_type_name));
	strscpy(obd->obd_name, name, sizeof(obd->obd_name));
	strscpy(obd->obd_uuid.uuid, uuid, sizeof(obd->obd_uuid.uuid));
	refcount_set(&obd->obd_refcount, 1);
	atomic_set(&obd->obd_refs[OBD_REF_LOOKUP], 1);
	__libcfs_active_init(&obd->obd_active, type->typ_name, &type->typ_key);
	init_completion(&obd->obd_cleaned);
	spin_lock_init(&obd->obd_export_lock);
	INIT_LIST_HEAD(&obd->obd_exports);
	INIT_LIST_HEAD(&obd->obd_unlinked_exports);
	return obd;
}

static void device_free_rcu(struct rcu_head *rcu)
{
	struct obd_device *obd = container_of(rcu, struct obd_device, obd_rcu);

	libcfs_free(obd, sizeof(*obd));
}

/* Free a device without references. May sleep. */
static void class_free_dev(struct obd_device *obd)
{
	WARN_ON(obd->obd_state != OBD_NEW && obd->obd_state != OBD_DETACHED);
	WARN_ON(!list_empty(&obd->obd_exports));
	WARN_ON(!list_empty(&obd->obd_unlinked_exports));
	obd->obd_magic = 0;
	class_put_type(obd->obd_type);
	put_net(obd->obd_net);
	call_rcu(&obd->obd_rcu, device_free_rcu);
}

/**
 * class_incref() - take a reference
 * @obd: device that the caller holds
 * @ref: kind of reference
 *
 * Context: any
 */
void class_incref(struct obd_device *obd, enum obd_ref ref)
{
	refcount_inc(&obd->obd_refcount);
	atomic_inc(&obd->obd_refs[ref]);
}
EXPORT_SYMBOL_NS_GPL(class_incref, LUSTRE_LITE);

/**
 * class_decref() - drop a reference
 * @obd: device
 * @ref: kind of reference
 *
 * Context: may sleep
 */
void class_decref(struct obd_device *obd, enum obd_ref ref)
{
	WARN_ON_ONCE(atomic_dec_return(&obd->obd_refs[ref]) < 0);
	if (refcount_dec_and_test(&obd->obd_refcount))
		class_free_dev(obd);
	else if (wq_has_sleeper(&devices_put))
		wake_up_all(&devices_put);
}
EXPORT_SYMBOL_NS_GPL(class_decref, LUSTRE_LITE);

/*
 * A device above drops its reference when it is removed itself, which may be
 * never.
 */
static bool held_above(const struct obd_device *obd)
{
	return atomic_read(&obd->obd_refs[OBD_REF_TARGET]) > 0;
}

/**
 * class_put_detached() - drop a reference, and wait until the device is freed
 * @obd: device that the caller has detached and holds (OBD_REF_LOOKUP): lookups
 *  no longer find it
 * @left: most jiffies to wait, OBD_FREE_WAIT or the rest of it
 *
 * Its exports and imports are freed by works, and lookups hold it briefly: this
 * waits for those, so that the module of its type can be unloaded. It does not
 * wait for a device above.
 *
 * Context: sleeps; not while the caller holds an export or an import of it, nor
 *  from o_cleanup or exp_destroy
 * Return: jiffies left; 0 if it is still held, or the task was killed: the last
 *  put frees it then
 */
long class_put_detached(struct obd_device *obd, long left)
{
	if (held_above(obd))
		left = 0;
	left = wait_event_killable_timeout(devices_put,
					   refcount_dec_if_one(&obd->obd_refcount),
					   left);
	if (left <= 0) {
		class_decref(obd, OBD_REF_LOOKUP);
		return 0;
	}
	class_free_dev(obd);
	return left;
}
EXPORT_SYMBOL_NS_GPL(class_put_detached, LUSTRE_LITE);

/*
 * Zombies: objects are freed by a workqueue, as the last put may come from
 * atomic context.
 *
 * An object is a zombie from its last put on, and the barrier waits for it from
 * then on: it stays in its lists until its work runs.
 */

/*
 * Freeing an object may be the last put of another one, and so on: an export
 * stops its device, whose import goes, and so through a stack of devices. This
 * limits the depth.
 */
#define ZOMBIE_CHAIN_MAX	64

static struct workqueue_struct *zombie_wq;
static atomic64_t zombies_queued = ATOMIC64_INIT(0);

/**
 * obd_zombie_queue() - queue freeing an object
 * @work: frees it; queued once
 *
 * Context: any
 */
void obd_zombie_queue(struct work_struct *work)
{
	atomic64_inc(&zombies_queued);
	WARN_ON_ONCE(!queue_work(zombie_wq, work));
}
EXPORT_SYMBOL_NS_GPL(obd_zombie_queue, LUSTRE_LITE);

/**
 * obd_zombie_barrier() - wait until all zombies are freed
 *
 * Waits for all objects with an earlier last put, and for those freed as a
 * consequence. It does not wait for concurrent last puts without a bound.
 *
 * Context: sleeps; must not be called while an object is freed: not from
 *  o_cleanup, nor from exp_destroy
 */
void obd_zombie_barrier(void)
{
	unsigned int link = 0;
	s64 queued;

	/*
	 * Each flush frees the objects queued before: one more link of a chain.
	 */
	do {
		queued = atomic64_read(&zombies_queued);
		flush_workqueue(zombie_wq);
	} while (queued != atomic64_read(&zombies_queued) &&
		 ++link < ZOMBIE_CHAIN_MAX);
}
EXPORT_SYMBOL_NS_GPL(obd_zombie_barrier, LUSTRE_LITE);

/* Allocate the workqueue. Return: 0 or -ENOMEM */
int obd_zombie_init(void)
{
	zombie_wq = alloc_workqueue("obd_zombid", WQ_UNBOUND, 0);
	return zombie_wq ? 0 : -ENOMEM;
}

/* Free what is left; no puts follow. May sleep. */
void obd_zombie_exit(void)
{
	obd_zombie_barrier();
	destroy_workqueue(zombie_wq);
}
