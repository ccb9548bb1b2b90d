// SPDX-License-Identifier: GPL-2.0-only
/*
 * An export: its life from class_new_export() to the workqueue that frees it,
 * and its references. The states are drawn in obd_export.h.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <uapi/lustre_lite/obd_netlink.h>

#include "obd_internal.h"

/* NID of a client that gives none: in this kernel. */
static const struct lnet_nid nid_here = { .nid_type = LNET_LO, .nid_len = 4 };

static void export_free_rcu(struct rcu_head *rcu)
{
	struct obd_export *exp = container_of(rcu, struct obd_export, exp_rcu);

	libcfs_free(exp, sizeof(*exp));
}

static void export_counts_check(struct obd_export *exp)
{
	WARN_ON_ONCE(atomic_read(&exp->exp_rpc_count));
	WARN_ON_ONCE(atomic_read(&exp->exp_locks_count));
}

/*
 * After the last put. It stays among the unlinked ones until the type has freed
 * its part, so that a barrier waits for that. The barrier does not wait for the
 * stop of the device by its last user, as the device may itself wait for its
 * exports.
 */
static void export_zombie(struct work_struct *work)
{
	struct obd_export *exp = container_of(work, struct obd_export,
					      exp_zombie_work);
	struct obd_device *obd = exp->exp_obd;

	export_counts_check(exp);
	if (exp->exp_destroy)
		exp->exp_destroy(exp);
	if (exp->exp_ops)
		exp->exp_ops->eo_free(exp);
	obd_nid_stats_put(exp->exp_stats);
	obd_export_leave(exp);
	if (!test_bit(EXPF_SELF, &exp->exp_flags))
		obd_user_put(obd);
	call_rcu(&exp->exp_rcu, export_free_rcu);
	class_decref(obd, OBD_REF_EXPORT);
}

static struct obd_export *export_alloc(struct obd_device *obd,
				       const struct obd_uuid *uuid)
{
	struct obd_export *exp;

	exp = libcfs_zalloc(sizeof(*exp), GFP_KERNEL_ACCOUNT);
	if (!exp)
		return NULL;
	exp->exp_obd = obd;
	strscpy(exp->exp_client_uuid.uuid, uuid->uuid,
		sizeof(exp->exp_client_uuid.uuid));
	exp->exp_last_request_time = ktime_get_seconds();
	spin_lock_init(&exp->exp_lock);
	INIT_LIST_HEAD(&exp->exp_obd_chain);
	INIT_WORK(&exp->exp_zombie_work, export_zombie);
	return exp;
}

static bool export_handle_get(struct portals_handle *handle)
{
	return obd_export_try_get(container_of(handle, struct obd_export,
					       exp_handle));
}

static const struct portals_handle_ops export_handle_ops = {
	.hop_name = "export",
	.hop_get = export_handle_get,
};

/* References from here on: one of the list, one of the caller. */
static void __export_link(struct obd_export *exp)
{
	struct obd_device *obd = exp->exp_obd;

	lockdep_assert_held(&obd->obd_export_lock);
	list_add(&exp->exp_obd_chain, &obd->obd_exports);
	WRITE_ONCE(obd->obd_num_exports, obd->obd_num_exports + 1);
	class_incref(obd, OBD_REF_EXPORT);
	refcount_set(&exp->exp_refcount, 2);
}

/*
 * A stopping device closes its gate before it looks, under the same lock, for
 * exports to disconnect: it sees this one, or this one sees the closed gate.
 */
static int export_link_client(struct obd_export *exp)
{
	struct obd_device *obd = exp->exp_obd;
	int rc = -ENODEV;

	spin_lock(&obd->obd_export_lock);
	if (libcfs_active_is_open(&obd->obd_active) &&
	    !test_bit(OBDF_NO_CONN, &obd->obd_flags)) {
		obd_user_get(obd);
		__export_link(exp);
		rc = 0;
	}
	spin_unlock(&obd->obd_export_lock);
	return rc;
}

/**
 * class_new_export() - create the export of a client
 * @obd: device, set up; the caller holds it
 * @uuid: client
 * @nid: its NID; NULL for in this kernel
 *
 * Until it is complete it is in the tables without a reference: its uuid is
 * reserved, and lookups fail.
 *
 * Context: may sleep
 * Return: export, LINKED and referenced by the caller; -EALREADY if that client
 *  is connected; -ENODEV if the device is not set up, is stopping or refuses
 *  connections; -EINVAL for a uuid that is empty or too long; -ENOMEM
 */
struct obd_export *class_new_export(struct obd_device *obd,
				    const struct obd_uuid *uuid,
				    const struct lnet_nid *nid)
{
	size_t len = strnlen(uuid->uuid, sizeof(uuid->uuid));
	struct obd_export *exp;
	int rc;

	if (!len || len == sizeof(uuid->uuid))
		return ERR_PTR(-EINVAL);
	exp = export_alloc(obd, uuid);
	if (!exp)
		return ERR_PTR(-ENOMEM);
	exp->exp_nid = nid ? *nid : nid_here;
	rc = obd_export_hash_add(exp);
	if (rc)
		goto free_export;
	rc = class_handle_hash(&exp->exp_handle, &export_handle_ops);
	if (rc)
		goto unhash_client;
	rc = export_link_client(exp);
	if (rc)
		goto unhash_handle;
	return exp;

unhash_handle:
	class_handle_unhash(&exp->exp_handle);
unhash_client:
	obd_export_hash_del(exp);
free_export:
	call_rcu(&exp->exp_rcu, export_free_rcu);
	return ERR_PTR(rc);
}

/**
 * class_new_export_self() - create a device's own export
 * @obd: device
 *
 * It is in no table, and not a user of the device: it exists from attach to
 * detach.
 *
 * Context: may sleep
 * Return: export, LINKED and referenced by the caller; -ENOMEM
 */
struct obd_export *class_new_export_self(struct obd_device *obd)
{
	struct obd_export *exp = export_alloc(obd, &obd->obd_uuid);

	if (!exp)
		return ERR_PTR(-ENOMEM);
	set_bit(EXPF_SELF, &exp->exp_flags);
	spin_lock(&obd->obd_export_lock);
	__export_link(exp);
	spin_unlock(&obd->obd_export_lock);
	return exp;
}

/*
 * Exactly one of several concurrent callers gets true. A task that sees the
 * flag may reconnect.
 */
static bool export_unlink(struct obd_export *exp)
{
	struct obd_device *obd = exp->exp_obd;
	bool linked;

	spin_lock(&obd->obd_export_lock);
	linked = !test_bit(EXPF_DISCONNECTED, &exp->exp_flags);
	if (linked) {
		class_handle_unhash(&exp->exp_handle);
		if (!test_bit(EXPF_SELF, &exp->exp_flags))
			obd_export_hash_del(exp);
		list_move_tail(&exp->exp_obd_chain, &obd->obd_unlinked_exports);
		WRITE_ONCE(obd->obd_num_exports, obd->obd_num_exports - 1);
		/*
		 * A task that sees the flag without the lock finds the uuid
		 * free.
		 */
		smp_mb__before_atomic();
		set_bit(EXPF_DISCONNECTED, &exp->exp_flags);
	}
	spin_unlock(&obd->obd_export_lock);
	return linked;
}

/*
 * exp_ops is set together with a test of EXPF_DISCONNECTED under the same lock:
 * either this sees the ops, or the other task sees the flag.
 */
static void export_notify_ops(struct obd_export *exp)
{
	const struct obd_export_ops *ops;

	spin_lock(&exp->exp_lock);
	ops = exp->exp_ops;
	spin_unlock(&exp->exp_lock);
	if (ops)
		ops->eo_unlinked(exp);
}

/**
 * class_unlink_export() - make an export unreachable for lookups
 * @exp: export that the caller holds; may be UNLINKED already
 *
 * Drops the list's reference, not the caller's.
 *
 * Context: may sleep
 */
void class_unlink_export(struct obd_export *exp)
{
	unsigned int event;

	if (!export_unlink(exp))
		return;
	/* It is no longer LINKED, so it cannot become FAILED. */
	export_notify_ops(exp);
	event = test_bit(EXPF_FAILED, &exp->exp_flags) ?
		LL_OBD_EXPORT_EVICTED : LL_OBD_EXPORT_GONE;
	if (!test_bit(EXPF_SELF, &exp->exp_flags)) {
		obd_export_params_remove(exp);
		obd_event(exp->exp_obd, event, 0, exp->exp_client_uuid.uuid);
	}
	class_export_put(exp);
}
EXPORT_FOR_KUNIT(class_unlink_export);

/**
 * class_export_get() - take a reference
 * @exp: export that the caller holds
 *
 * Context: any
 * Return: @exp
 */
struct obd_export *class_export_get(struct obd_export *exp)
{
	refcount_inc(&exp->exp_refcount);
	return exp;
}
EXPORT_SYMBOL_NS_GPL(class_export_get, LUSTRE_LITE);

/**
 * class_export_put() - drop a reference
 * @exp: export
 *
 * The last put queues freeing it.
 *
 * Context: any
 */
void class_export_put(struct obd_export *exp)
{
	if (!refcount_dec_and_test(&exp->exp_refcount))
		return;
	WARN_ON_ONCE(class_connected_export(exp));
	obd_zombie_queue(&exp->exp_zombie_work);
}
EXPORT_SYMBOL_NS_GPL(class_export_put, LUSTRE_LITE);

static struct obd_export *export_get_as(struct obd_export *exp, atomic_t *kind)
{
	atomic_inc(kind);
	return class_export_get(exp);
}

static void export_put_as(struct obd_export *exp, atomic_t *kind)
{
	WARN_ON_ONCE(atomic_dec_return(kind) < 0);
	class_export_put(exp);
}

/**
 * class_export_rpc_inc() - take a reference for a request
 * @exp: export that the caller holds
 *
 * Context: any
 * Return: @exp, for class_export_rpc_dec()
 */
struct obd_export *class_export_rpc_inc(struct obd_export *exp)
{
	return export_get_as(exp, &exp->exp_rpc_count);
}
EXPORT_SYMBOL_NS_GPL(class_export_rpc_inc, LUSTRE_LITE);

/**
 * class_export_rpc_dec() - drop the reference of a request
 * @exp: export
 *
 * Context: any
 */
void class_export_rpc_dec(struct obd_export *exp)
{
	export_put_as(exp, &exp->exp_rpc_count);
}
EXPORT_SYMBOL_NS_GPL(class_export_rpc_dec, LUSTRE_LITE);

/**
 * class_export_lock_get() - take a reference for a lock of its client
 * @exp: export that the caller holds
 *
 * Context: any
 * Return: @exp, for class_export_lock_put()
 */
struct obd_export *class_export_lock_get(struct obd_export *exp)
{
	return export_get_as(exp, &exp->exp_locks_count);
}
EXPORT_SYMBOL_NS_GPL(class_export_lock_get, LUSTRE_LITE);

/**
 * class_export_lock_put() - drop the reference of a lock
 * @exp: export
 *
 * Context: any
 */
void class_export_lock_put(struct obd_export *exp)
{
	export_put_as(exp, &exp->exp_locks_count);
}
EXPORT_SYMBOL_NS_GPL(class_export_lock_put, LUSTRE_LITE);

/**
 * class_connected_export() - whether an export is LINKED
 * @exp: export that the caller holds
 *
 * If not, its client may reconnect.
 *
 * Context: any
 * Return: true if it is
 */
bool class_connected_export(const struct obd_export *exp)
{
	return !test_bit(EXPF_DISCONNECTED, &exp->exp_flags);
}
EXPORT_SYMBOL_NS_GPL(class_connected_export, LUSTRE_LITE);

/**
 * class_conn2export() - find an export by cookie
 * @cookie: cookie
 *
 * Context: any
 * Return: export, referenced, for class_export_put() or class_disconnect();
 *  NULL if there is none
 */
struct obd_export *class_conn2export(u64 cookie)
{
	struct portals_handle *handle;

	handle = class_handle2object(cookie, &export_handle_ops);
	return handle ? container_of(handle, struct obd_export, exp_handle) :
			NULL;
}
EXPORT_SYMBOL_NS_GPL(class_conn2export, LUSTRE_LITE);

/* Allocate the tables of exports. Return: 0 or a negative errno */
int obd_export_init(void)
{
	int rc = obd_export_hash_init();

	if (rc)
		return rc;
	rc = obd_nid_dirs_init();
	if (rc)
		obd_export_hash_exit();
	return rc;
}

/* Free them; no device is left. May sleep. */
void obd_export_exit(void)
{
	obd_zombie_barrier();
	rcu_barrier();
	obd_nid_dirs_exit();
	obd_export_hash_exit();
}
