// SPDX-License-Identifier: GPL-2.0-only
/*
 * A namespace: the locks of a device, from its setup to its cleanup. Also start
 * and end of the lock manager as a whole.
 */
#define DEBUG_SUBSYSTEM S_LDLM

#include <linux/err.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/config_owner.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/lustre_dlm.h>
#include <lustre_lite/obd_client.h>

#include "ldlm_internal.h"

/**
 * ldlm_client_setup() - o_setup of a client type that has locks
 * @obd: device
 * @cli: part of the type's data, zeroed
 * @cfg: as for client_obd_setup()
 * @why: out: reason of a failure
 *
 * A later failure of the setup is undone by client_obd_precleanup() and
 * ldlm_client_cleanup().
 *
 * Context: may sleep
 * Return: 0; as client_obd_setup(), ldlm_namespace_new()
 */
int ldlm_client_setup(struct obd_device *obd, struct client_obd *cli,
		      const struct lcfg_view *cfg, struct obd_why *why)
{
	struct ldlm_namespace *ns;
	int rc = client_obd_setup(obd, cli, cfg, why);

	if (rc)
		return rc;
	ns = ldlm_namespace_new(obd, LDLM_CLIENT);
	if (!IS_ERR(ns))
		return 0;
	client_obd_precleanup(obd);
	client_obd_cleanup(obd);
	return PTR_ERR(ns);
}
EXPORT_SYMBOL_NS_GPL(ldlm_client_setup, LUSTRE_LITE);

/**
 * ldlm_client_cleanup() - o_cleanup of such a type: frees locks and import
 * @obd: device, after client_obd_precleanup()
 *
 * Context: as ldlm_namespace_free()
 */
void ldlm_client_cleanup(struct obd_device *obd)
{
	ldlm_namespace_free(obd->obd_namespace);
	client_obd_cleanup(obd);
}
EXPORT_SYMBOL_NS_GPL(ldlm_client_cleanup, LUSTRE_LITE);

/* Guards the list of namespaces, ns_obd of each and obd_namespace of all devices. */
static DEFINE_SPINLOCK(namespaces_lock);
/* Those of clients in the list. */
static unsigned int client_count;
static LIST_HEAD(namespaces);

/* Seconds that the exit waits for locks that are still held. */
#define EXIT_WAIT_SEC	10

struct workqueue_struct *ldlm_wq;
EXPORT_FOR_KUNIT(ldlm_wq);
struct workqueue_struct *ldlm_owner_wq;
EXPORT_FOR_KUNIT(ldlm_owner_wq);

/* Namespaces in memory: each lock references its own. */
static atomic_t namespaces_alive;
static DECLARE_WAIT_QUEUE_HEAD(namespaces_gone);

static void namespace_free(struct ldlm_namespace *ns)
{
	ldlm_resources_exit(ns);
	libcfs_free(ns, sizeof(*ns));
	if (atomic_dec_and_test(&namespaces_alive))
		wake_up_all(&namespaces_gone);
}

/* The last put may come from atomic context. */
static void namespace_free_work(struct work_struct *work)
{
	namespace_free(container_of(work, struct ldlm_namespace, ns_free_work));
}

/**
 * ldlm_namespace_get() - take a reference
 * @ns: namespace that the caller references
 *
 * Context: any
 * Return: @ns
 */
struct ldlm_namespace *ldlm_namespace_get(struct ldlm_namespace *ns)
{
	refcount_inc(&ns->ns_refcount);
	return ns;
}

/**
 * ldlm_namespace_put() - drop a reference; the last put frees it by a work
 * @ns: namespace
 *
 * Context: any
 */
void ldlm_namespace_put(struct ldlm_namespace *ns)
{
	if (refcount_dec_and_test(&ns->ns_refcount))
		queue_work(ldlm_wq, &ns->ns_free_work);
}

/**
 * ldlm_namespace_of_import() - the client's namespace of an import
 * @imp: import that the caller holds
 *
 * Context: any
 * Return: namespace, referenced; NULL if its device has none, or it was freed
 */
struct ldlm_namespace *ldlm_namespace_of_import(struct obd_import *imp)
{
	struct ldlm_namespace *ns;

	spin_lock(&namespaces_lock);
	ns = imp->imp_obd->obd_namespace;
	if (ns && ns->ns_import == imp)
		ldlm_namespace_get(ns);
	else
		ns = NULL;
	spin_unlock(&namespaces_lock);
	return ns;
}

/**
 * ldlm_namespace_of_obd() - the namespace of a device
 * @obd: device that stays set up during the call and the use
 * @side: server or client
 *
 * Context: any
 * Return: namespace, or NULL
 */
struct ldlm_namespace *ldlm_namespace_of_obd(struct obd_device *obd,
					     enum ldlm_side side)
{
	struct ldlm_namespace *ns = READ_ONCE(obd->obd_namespace);

	return ns && ns->ns_side == side ? ns : NULL;
}

/**
 * ldlm_namespace_next() - iterate over all namespaces
 * @ns: the previous one, whose reference is dropped; or NULL
 *
 * Context: any
 * Return: the next one, referenced; NULL at the end
 */
struct ldlm_namespace *ldlm_namespace_next(struct ldlm_namespace *ns)
{
	struct ldlm_namespace *next = NULL;
	struct list_head *at;

	spin_lock(&namespaces_lock);
	/* A namespace freed meanwhile has no next one: the walk ends. */
	at = ns ? ns->ns_item.next : namespaces.next;
	if (at != &namespaces && (!ns || at != &ns->ns_item))
		next = ldlm_namespace_get(list_entry(at, struct ldlm_namespace,
						     ns_item));
	spin_unlock(&namespaces_lock);
	if (ns)
		ldlm_namespace_put(ns);
	return next;
}

/**
 * __ldlm_namespace_work() - have ns_work run, unless the namespace is dead
 * @ns: namespace
 * @delay: jiffies from now
 * @sooner: move a work that is queued already to @delay; otherwise it stays
 *
 * ns_dead is tested under the lock under which ldlm_namespace_free() sets it: after
 * that the work can be cancelled once and for all. A caller without this lock, such
 * as the shrinker, would queue the work of a namespace that is about to be freed.
 *
 * Context: under ns_lock
 */
void __ldlm_namespace_work(struct ldlm_namespace *ns, unsigned long delay,
			   bool sooner)
{
	lockdep_assert_held(&ns->ns_lock);
	if (ns->ns_dead)
		return;
	if (sooner)
		mod_delayed_work(ldlm_wq, &ns->ns_work, delay);
	else
		queue_delayed_work(ldlm_wq, &ns->ns_work, delay);
}

static void namespace_name(struct ldlm_namespace *ns)
{
	const struct obd_device *obd = ns->ns_obd;

	if (ns->ns_side != LDLM_SERVER)
		strscpy(ns->ns_name, obd->obd_name, sizeof(ns->ns_name));
	else
		scnprintf(ns->ns_name, sizeof(ns->ns_name), "%s%s_UUID",
			  strcmp(obd->obd_type_name, "mdt") ?
			  CONFIG_NAMESPACE_OST : CONFIG_NAMESPACE_MDT,
			  obd->obd_name);
}

static struct ldlm_namespace *namespace_alloc(struct obd_device *obd,
					      enum ldlm_side side)
{
	struct ldlm_namespace *ns = libcfs_zalloc(sizeof(*ns),
						  GFP_KERNEL_ACCOUNT);

	if (!ns)
		return NULL;
	refcount_set(&ns->ns_refcount, 1);
	ns->ns_side = side;
	ns->ns_obd = obd;
	namespace_name(ns);
	INIT_LIST_HEAD(&ns->ns_item);
	spin_lock_init(&ns->ns_lock);
	INIT_LIST_HEAD(&ns->ns_resources);
	INIT_LIST_HEAD(&ns->ns_lru);
	INIT_LIST_HEAD(&ns->ns_waiting_locks);
	INIT_LIST_HEAD(&ns->ns_cancels);
	INIT_WORK(&ns->ns_cancel_work, ldlm_cancel_work);
	mutex_init(&ns->ns_flock_mutex);
	INIT_LIST_HEAD(&ns->ns_flocks);
	init_waitqueue_head(&ns->ns_flock_wait);
	ns->ns_lru_age = (u64)LDLM_LRU_AGE_MS * NSEC_PER_MSEC;
	init_waitqueue_head(&ns->ns_idle);
	INIT_WORK(&ns->ns_free_work, namespace_free_work);
	INIT_DELAYED_WORK(&ns->ns_work, side == LDLM_SERVER ? ldlm_waiting_locks_work :
							      ldlm_lru_work);
	return ns;
}

/* Clients share the memory for unused locks. Under namespaces_lock. */
static void __clients_count(const struct ldlm_namespace *ns, int by)
{
	if (ns->ns_side != LDLM_CLIENT)
		return;
	client_count += by;
	ldlm_lru_auto_set(client_count);
}

static void namespace_publish(struct ldlm_namespace *ns)
{
	struct obd_device *obd = ns->ns_obd;

	if (ns->ns_side == LDLM_CLIENT && obd->obd_cli)
		ns->ns_import = class_import_get(obd->obd_cli->cl_import);
	spin_lock(&namespaces_lock);
	list_add_tail(&ns->ns_item, &namespaces);
	WRITE_ONCE(obd->obd_namespace, ns);
	__clients_count(ns, 1);
	spin_unlock(&namespaces_lock);
}

/**
 * ldlm_namespace_new() - create the namespace of a device
 * @obd: device being set up; that of a client has its import already
 * @side: server or client
 *
 * Context: may sleep
 * Return: namespace, which is obd_namespace too; -EEXIST if it has one, or the
 *  parameters have one of that name; -ENOMEM
 */
struct ldlm_namespace *ldlm_namespace_new(struct obd_device *obd,
					  enum ldlm_side side)
{
	struct ldlm_namespace *ns;
	int rc;

	if (WARN_ON_ONCE(obd->obd_namespace))
		return ERR_PTR(-EEXIST);
	ns = namespace_alloc(obd, side);
	if (!ns)
		return ERR_PTR(-ENOMEM);
	rc = ldlm_resources_init(ns);
	if (rc) {
		libcfs_free(ns, sizeof(*ns));
		return ERR_PTR(rc);
	}
	atomic_inc(&namespaces_alive);
	rc = ldlm_params_add(ns);
	if (rc) {
		CERROR("%s: cannot add the parameters of its locks: rc = %d\n",
		       ns->ns_name, rc);
		namespace_free(ns);
		return ERR_PTR(rc);
	}
	namespace_publish(ns);
	return ns;
}
EXPORT_SYMBOL_NS_GPL(ldlm_namespace_new, LUSTRE_LITE);

static void namespace_unpublish(struct ldlm_namespace *ns)
{
	ldlm_params_remove(ns);
	spin_lock(&namespaces_lock);
	list_del_init(&ns->ns_item);
	ns->ns_obd->obd_namespace = NULL;
	__clients_count(ns, -1);
	spin_unlock(&namespaces_lock);
}

/*
 * Drop every lock; a client sends each cancel to its server once, while
 * connected.
 */
static void namespace_empty(struct ldlm_namespace *ns)
{
	if (ns->ns_side == LDLM_SERVER) {
		ldlm_server_namespace_end(ns);
		return;
	}
	ldlm_lru_cancel(ns, UINT_MAX, U64_MAX, true);
	ldlm_client_drop_all(ns, NULL, -ESHUTDOWN);
}

/**
 * ldlm_namespace_free() - drop a device's locks and its namespace
 * @ns: namespace, or NULL; no new user can start
 *
 * A client whose import is connected sends cancels of unused locks without
 * waiting for an answer. All locks are dropped: holders of a reference find
 * them destroyed. When this returns no callback runs or will run.
 *
 * Context: may sleep; waits for running callbacks of lock owners, and for no
 *  peer
 */
void ldlm_namespace_free(struct ldlm_namespace *ns)
{
	if (!ns)
		return;
	namespace_unpublish(ns);
	spin_lock(&ns->ns_lock);
	ns->ns_dead = true;
	spin_unlock(&ns->ns_lock);
	/* First: it has works of locks run. It does not wait for them. */
	cancel_delayed_work_sync(&ns->ns_work);
	namespace_empty(ns);
	wait_event(ns->ns_idle, !atomic_read(&ns->ns_busy));
	/* Its last run may have sent what it was queued for once more. */
	cancel_work_sync(&ns->ns_cancel_work);
	if (ns->ns_import)
		class_import_put(ns->ns_import);
	WRITE_ONCE(ns->ns_import, NULL);
	if (refcount_dec_and_test(&ns->ns_refcount))
		namespace_free(ns);
}
EXPORT_SYMBOL_NS_GPL(ldlm_namespace_free, LUSTRE_LITE);

/**
 * ldlm_init() - start the lock manager
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int ldlm_init(void)
{
	int rc;

	ldlm_wq = alloc_workqueue("ldlm", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!ldlm_wq)
		return -ENOMEM;
	ldlm_owner_wq = alloc_workqueue("ldlm_owner", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	rc = ldlm_owner_wq ? ldlm_export_init() : -ENOMEM;
	if (rc)
		goto destroy_wqs;
	rc = ldlm_lru_init();
	if (rc)
		goto free_exports;
	rc = ldlm_client_cb_init();
	if (rc)
		goto stop_lru;
	rc = ldlm_server_init();
	if (rc)
		goto stop_callbacks;
	rc = ldlm_params_init();
	if (rc)
		goto stop_cancels;
	return 0;

stop_cancels:
	ldlm_server_exit();
stop_callbacks:
	ldlm_client_cb_exit();
stop_lru:
	ldlm_lru_exit();
free_exports:
	ldlm_export_exit();
destroy_wqs:
	if (ldlm_owner_wq)
		destroy_workqueue(ldlm_owner_wq);
	destroy_workqueue(ldlm_wq);
	return rc;
}

/**
 * ldlm_exit() - stop it; no namespace is left
 *
 * Requests about locks may still be on their way out: their imports are gone.
 *
 * Context: sleeps, up to EXIT_WAIT_SEC
 */
void ldlm_exit(void)
{
	ldlm_params_exit();
	ldlm_server_exit();
	ldlm_client_cb_exit();
	ldlm_lru_exit();
	if (!wait_event_timeout(namespaces_gone, !atomic_read(&namespaces_alive),
				EXIT_WAIT_SEC * HZ))
		CERROR("ldlm: locks of %d namespaces were never put: rc = %d\n",
		       atomic_read(&namespaces_alive), -EBUSY);
	ldlm_export_exit();
	destroy_workqueue(ldlm_owner_wq);
	destroy_workqueue(ldlm_wq);
	rcu_barrier();
}
