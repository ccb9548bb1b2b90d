// SPDX-License-Identifier: GPL-2.0
/*
 * Imports: the structure, its references and its end.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <linux/err.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "import_internal.h"

static bool import_handle_get(struct portals_handle *handle)
{
	struct obd_import *imp = container_of(handle, struct obd_import,
					      imp_handle);

	return refcount_inc_not_zero(&imp->imp_refcount);
}

static const struct portals_handle_ops import_handle_ops = {
	.hop_name = "import",
	.hop_get = import_handle_get,
};

static void import_free(struct rcu_head *rcu)
{
	struct obd_import *imp = container_of(rcu, struct obd_import, imp_rcu);

	libcfs_free(imp, sizeof(*imp));
}

/* Who looks a cookie up may still see it, for a grace period. */
static void import_zombie(struct work_struct *work)
{
	struct obd_import *imp = container_of(work, struct obd_import,
					      imp_zombie_work);
	struct obd_device *obd = imp->imp_obd;

	if (imp->imp_ops) {
		imp->imp_ops->io_free(imp);
		module_put(imp->imp_ops->io_owner);
	}
	import_conns_free(imp);
	mutex_destroy(&imp->imp_connect_mutex);
	call_rcu(&imp->imp_rcu, import_free);
	class_decref(obd, OBD_REF_IMPORT);
}

/**
 * class_new_import() - make an import
 * @obd: its device; the caller holds it
 * @target: uuid of the target
 *
 * Context: may sleep
 * Return: import in LUSTRE_IMP_NEW, whose reference the caller gives back with
 * class_destroy_import(); -ENOMEM
 */
struct obd_import *class_new_import(struct obd_device *obd,
				    const struct obd_uuid *target)
{
	struct obd_import *imp = libcfs_zalloc(sizeof(*imp), GFP_KERNEL_ACCOUNT);
	int rc;

	if (!imp)
		return ERR_PTR(-ENOMEM);
	refcount_set(&imp->imp_refcount, 1);
	imp->imp_target_uuid = *target;
	mutex_init(&imp->imp_connect_mutex);
	spin_lock_init(&imp->imp_lock);
	INIT_LIST_HEAD(&imp->imp_conn_list);
	INIT_WORK(&imp->imp_zombie_work, import_zombie);
	imp->imp_state = LUSTRE_IMP_NEW;
	imp->imp_rpcs_max = CLIENT_RPCS_DEFAULT;
	imp->imp_obd = obd;
	rc = class_handle_hash(&imp->imp_handle, &import_handle_ops);
	if (rc) {
		mutex_destroy(&imp->imp_connect_mutex);
		libcfs_free(imp, sizeof(*imp));
		return ERR_PTR(rc);
	}
	class_incref(obd, OBD_REF_IMPORT);
	return imp;
}
EXPORT_SYMBOL_NS_GPL(class_new_import, LUSTRE_LITE);

/**
 * class_destroy_import() - the end of an import for who made it
 * @imp: import, disconnected; its cookie leads nowhere from now on, its requests
 *	are invalid, and the caller's reference is dropped
 *
 * Context: may sleep
 */
void class_destroy_import(struct obd_import *imp)
{
	class_handle_unhash(&imp->imp_handle);
	set_bit(IMPF_INVALID, &imp->imp_flags);
	spin_lock(&imp->imp_lock);
	imp->imp_generation++;
	spin_unlock(&imp->imp_lock);
	import_changed(imp);
	class_import_put(imp);
}
EXPORT_SYMBOL_NS_GPL(class_destroy_import, LUSTRE_LITE);

/**
 * class_import_get() - another reference
 * @imp: import on which the caller has one
 *
 * Context: any
 * Return: @imp
 */
struct obd_import *class_import_get(struct obd_import *imp)
{
	refcount_inc(&imp->imp_refcount);
	return imp;
}
EXPORT_SYMBOL_NS_GPL(class_import_get, LUSTRE_LITE);

/**
 * class_import_put() - drop a reference; the last one has it freed
 * @imp: import
 *
 * Context: any
 */
void class_import_put(struct obd_import *imp)
{
	if (refcount_dec_and_test(&imp->imp_refcount))
		obd_zombie_queue(&imp->imp_zombie_work);
}
EXPORT_SYMBOL_NS_GPL(class_import_put, LUSTRE_LITE);

/**
 * class_handle2import() - import by its cookie
 * @cookie: cookie
 *
 * Context: any
 * Return: import, referenced, or NULL
 */
struct obd_import *class_handle2import(u64 cookie)
{
	struct portals_handle *handle;

	handle = class_handle2object(cookie, &import_handle_ops);
	if (!handle)
		return NULL;
	return container_of(handle, struct obd_import, imp_handle);
}
EXPORT_SYMBOL_NS_GPL(class_handle2import, LUSTRE_LITE);
