// SPDX-License-Identifier: GPL-2.0-only
/*
 * Values (LVB) of the EXTENT resources of a server: what its device knows of an object,
 * for example the size. The first lock that needs the value has the device fill it in;
 * the device updates it when it changes the object. Values of clients are not stored
 * here: a client that is evicted never writes what it knew.
 */
#define DEBUG_SUBSYSTEM S_LDLM

#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "ldlm_internal.h"

/**
 * ldlm_server_lvb_ops() - the resources of a server have values
 * @obd: device with the namespace of a server that has no locks yet
 * @ops: operations, valid as long as the namespace
 *
 * Context: any
 */
void ldlm_server_lvb_ops(struct obd_device *obd, const struct ldlm_lvb_ops *ops)
{
	struct ldlm_namespace *ns = ldlm_namespace_of_obd(obd, LDLM_SERVER);

	if (!WARN_ON_ONCE(!ns || ops->lvbo_size > LDLM_LVB_MAX))
		ns->ns_lvb = ops;
}
EXPORT_SYMBOL_NS_GPL(ldlm_server_lvb_ops, LUSTRE_LITE);

/**
 * ldlm_lvb_size() - bytes of the value of a resource
 * @ns: namespace
 * @type: type of the resource
 *
 * Context: any
 * Return: bytes; 0: such resources have no value
 */
u32 ldlm_lvb_size(const struct ldlm_namespace *ns, u32 type)
{
	return ns->ns_lvb && type == LDLM_EXTENT ? ns->ns_lvb->lvbo_size : 0;
}

/* Store the device's value unless it changed meanwhile. Return: whether there is one. */
static bool value_store(struct ldlm_resource *res, const void *lvb, u32 changes)
{
	bool valid;

	spin_lock(&res->r_lock);
	if (!res->r_lvb_valid && res->r_lvb_changes == changes) {
		memcpy(res->r_lvb, lvb, res->r_ns->ns_lvb->lvbo_size);
		res->r_lvb_valid = true;
	}
	valid = res->r_lvb_valid;
	spin_unlock(&res->r_lock);
	return valid;
}

/**
 * ldlm_lvb_init() - have the device fill in the value of a resource, once
 * @res: resource; one without a value is left alone
 *
 * The device changes an object first and reports the change afterwards: a value that was
 * read before the report is read again.
 *
 * Context: may sleep for memory
 * Return: 0 or the error of the device
 */
int ldlm_lvb_init(struct ldlm_resource *res)
{
	const struct ldlm_lvb_ops *ops = res->r_ns->ns_lvb;
	u8 lvb[LDLM_LVB_MAX];
	u32 changes;
	int rc = 0;

	if (!res->r_lvb)
		return 0;
	while (!rc && !READ_ONCE(res->r_lvb_valid)) {
		changes = READ_ONCE(res->r_lvb_changes);
		memset(lvb, 0, sizeof(lvb));
		rc = ops->lvbo_init(res->r_ns->ns_obd, &res->r_id, lvb);
		if (!rc && value_store(res, lvb, changes))
			break;
	}
	return rc;
}
EXPORT_FOR_KUNIT(ldlm_lvb_init);

/**
 * ldlm_lvb_read() - copy the value of a resource
 * @res: resource
 * @lvb: out, ldlm_lvb_size() bytes
 *
 * Context: under r_lock
 * Return: bytes; 0 if there is no value
 */
u32 ldlm_lvb_read(const struct ldlm_resource *res, void *lvb)
{
	u32 size = res->r_lvb_valid ? res->r_ns->ns_lvb->lvbo_size : 0;

	lockdep_assert_held(&res->r_lock);
	if (size)
		memcpy(lvb, res->r_lvb, size);
	return size;
}

/* Whether the client has another lock, under which it may have changed the object. */
static bool may_know_more(const struct ldlm_lock *lock)
{
	struct ldlm_resource *res = lock->l_resource;
	struct ldlm_lock *other = NULL;

	while ((other = ldlm_set_next(&res->r_granted, LDLM_EXTENT, ldlm_modes_conflicting(LCK_PR),
				      &lock->l_policy, other))) {
		if (other != lock && other->l_export == lock->l_export)
			return true;
	}
	return false;
}

/**
 * ldlm_lvb_grant() - copy the value of a resource for a client that gets a lock
 * @lock: lock of a server, granted or not
 * @lvb: out, ldlm_lvb_size() bytes
 *
 * Context: under r_lock
 * Return: bytes; 0 if there is no value, or the client itself may know a newer one
 */
u32 ldlm_lvb_grant(const struct ldlm_lock *lock, void *lvb)
{
	const struct ldlm_resource *res = lock->l_resource;

	return res->r_lvb && may_know_more(lock) ? 0 : ldlm_lvb_read(res, lvb);
}

static void value_change(struct obd_device *obd, const struct ldlm_res_id *id,
			 const void *lvb, bool merge)
{
	struct ldlm_namespace *ns = ldlm_namespace_of_obd(obd, LDLM_SERVER);
	struct ldlm_resource *res = ns ? ldlm_resource_find(ns, id) : NULL;

	/* Without a lock nothing has been read of it. */
	if (!res)
		return;
	spin_lock(&res->r_lock);
	res->r_lvb_changes++;
	if (res->r_lvb_valid && merge)
		ns->ns_lvb->lvbo_merge(res->r_lvb, lvb);
	else if (res->r_lvb_valid)
		memcpy(res->r_lvb, lvb, ns->ns_lvb->lvbo_size);
	spin_unlock(&res->r_lock);
	ldlm_resource_put(res);
}

/**
 * ldlm_server_lvb_update() - the device has changed an object
 * @obd: device with the namespace of a server; the caller keeps it set up
 * @id: resource of the object
 * @lvb: value; the newer one of it and the present one stays
 *
 * Context: any but an interrupt; does not sleep
 */
void ldlm_server_lvb_update(struct obd_device *obd, const struct ldlm_res_id *id,
			    const void *lvb)
{
	value_change(obd, id, lvb, true);
}
EXPORT_SYMBOL_NS_GPL(ldlm_server_lvb_update, LUSTRE_LITE);

/**
 * ldlm_server_lvb_set() - the device has removed an object, or has made it smaller
 * @obd: device with the namespace of a server; the caller keeps it set up
 * @id: resource of the object
 * @lvb: value
 *
 * The caller orders the changes of the object: by a lock of the server itself, under which no
 * client changes the value, or by one under which it has read the value of the object.
 *
 * Context: any but an interrupt; does not sleep
 */
void ldlm_server_lvb_set(struct obd_device *obd, const struct ldlm_res_id *id,
			 const void *lvb)
{
	value_change(obd, id, lvb, false);
}
EXPORT_SYMBOL_NS_GPL(ldlm_server_lvb_set, LUSTRE_LITE);
