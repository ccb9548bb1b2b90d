// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sites: the objects of a device, their list of unused ones, the shrinker, teardown.
 *
 * One work of a site frees its objects, so an object that the work has taken from a list stays
 * valid until the work itself frees it.
 */
#define DEBUG_SUBSYSTEM S_CLASS
#define LUSTRE_LITE_SHRINKER

#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/params.h>

#include "lu_internal.h"
#include "obd_internal.h"

/* Most objects that lu_site_print() prints. */
#define PRINT_MAX	1024

static const char *const state_names[] = {
	[LU_OBJECT_NEW]		= "new",
	[LU_OBJECT_LIVE]	= "live",
	[LU_OBJECT_DYING]	= "dying",
	[LU_OBJECT_DEAD]	= "dead",
};

static const char *const holder_names[] = {
	[LU_HOLDER_CALL]	= "calls",
	[LU_HOLDER_LOCK]	= "locks",
	[LU_HOLDER_OPEN]	= "opens",
	[LU_HOLDER_STATE]	= "state",
};

/* Guards sites. Work is queued under it: a site in the list has not been freed. */
static DEFINE_SPINLOCK(sites_lock);
static LIST_HEAD(sites);
static struct workqueue_struct *site_wq;
static struct compat_shrinker site_shrinker;

static void __site_work(struct lu_site *site)
{
	lockdep_assert_held(&site->ls_lock);
	queue_work(site_wq, &site->ls_work);
}

void __lu_site_lru_add(struct lu_site *site, struct lu_object *obj)
{
	lockdep_assert_held(&site->ls_lock);
	if (list_empty(&obj->lo_item)) {
		list_add_tail(&obj->lo_item, &site->ls_lru);
		site->ls_unused++;
	}
	if (site->ls_stopped || site->ls_unused > site->ls_type->lst_cached)
		__site_work(site);
}

void __lu_site_lru_del(struct lu_site *site, struct lu_object *obj)
{
	lockdep_assert_held(&site->ls_lock);
	if (list_empty(&obj->lo_item))
		return;
	list_del_init(&obj->lo_item);
	site->ls_unused--;
}

void __lu_site_dead_add(struct lu_site *site, struct lu_object *obj)
{
	lockdep_assert_held(&site->ls_lock);
	list_add_tail(&obj->lo_item, &site->ls_dead);
	__site_work(site);
}

/* An object is created. Return: false after lu_site_stop() */
bool lu_site_enter(struct lu_site *site)
{
	bool entered;

	spin_lock(&site->ls_lock);
	entered = !site->ls_stopped;
	if (entered) {
		site->ls_objects++;
		refcount_inc(&site->ls_refcount);
	}
	spin_unlock(&site->ls_lock);
	return entered;
}

/* An object is gone. May sleep: this may be the last reference. */
void lu_site_leave(struct lu_site *site)
{
	spin_lock(&site->ls_lock);
	site->ls_objects--;
	spin_unlock(&site->ls_lock);
	lu_site_wake(site);
	lu_site_put(site);
}

/* The state of an object has changed, or their number. */
void lu_site_wake(struct lu_site *site)
{
	if (wq_has_sleeper(&site->ls_wait))
		wake_up_all(&site->ls_wait);
}

/* The next object to free, dead and in no list; NULL: there is none now. */
static struct lu_object *site_take(struct lu_site *site)
{
	struct lu_object *obj;
	bool stopped;

	spin_lock(&site->ls_lock);
	obj = list_first_entry_or_null(&site->ls_dead, struct lu_object, lo_item);
	if (obj) {
		list_del_init(&obj->lo_item);
		spin_unlock(&site->ls_lock);
		/* Wait for the put that added it. */
		spin_lock(&obj->lo_ref.lock);
		spin_unlock(&obj->lo_ref.lock);
		return obj;
	}
	stopped = site->ls_stopped;
	if (stopped || site->ls_shrink || site->ls_unused > site->ls_type->lst_cached)
		obj = list_first_entry_or_null(&site->ls_lru, struct lu_object, lo_item);
	if (obj)
		__lu_site_lru_del(site, obj);
	else
		site->ls_shrink = 0;
	if (site->ls_shrink)
		site->ls_shrink--;
	spin_unlock(&site->ls_lock);
	if (!obj || lu_object_expire(obj, stopped))
		return obj;
	return ERR_PTR(-EAGAIN);
}

static void site_work(struct work_struct *work)
{
	struct lu_site *site = container_of(work, struct lu_site, ls_work);
	struct lu_object *obj;

	/* The shrinker may have queued it while the site is being freed. */
	if (!refcount_inc_not_zero(&site->ls_refcount))
		return;
	while ((obj = site_take(site))) {
		if (!IS_ERR(obj))
			lu_object_free(obj);
		cond_resched();
	}
	lu_site_put(site);
}

/**
 * lu_site_new() - a site
 * @type: its type, which lasts as long as the module of the layers
 * @name: for messages: the device
 *
 * Context: may sleep
 * Return: site without objects, for lu_site_put(); ERR_PTR on failure
 */
struct lu_site *lu_site_new(const struct lu_site_type *type, const char *name)
{
	struct lu_site *site = libcfs_zalloc(sizeof(*site), GFP_KERNEL_ACCOUNT);
	int rc;

	if (!site)
		return ERR_PTR(-ENOMEM);
	rc = rhashtable_init(&site->ls_hash, &lu_hash_params);
	if (rc) {
		libcfs_free(site, sizeof(*site));
		return ERR_PTR(rc);
	}
	__module_get(type->lst_owner);
	site->ls_type = type;
	strscpy(site->ls_name, name, sizeof(site->ls_name));
	refcount_set(&site->ls_refcount, 1);
	init_waitqueue_head(&site->ls_wait);
	INIT_WORK(&site->ls_work, site_work);
	spin_lock_init(&site->ls_lock);
	INIT_LIST_HEAD(&site->ls_lru);
	INIT_LIST_HEAD(&site->ls_dead);
	spin_lock(&sites_lock);
	list_add_tail(&site->ls_item, &sites);
	spin_unlock(&sites_lock);
	return site;
}
EXPORT_SYMBOL_NS_GPL(lu_site_new, LUSTRE_LITE);

/**
 * lu_site_get() - take a reference
 * @site: site that the caller holds
 *
 * Context: any
 */
void lu_site_get(struct lu_site *site)
{
	refcount_inc(&site->ls_refcount);
}
EXPORT_SYMBOL_NS_GPL(lu_site_get, LUSTRE_LITE);

/**
 * lu_site_put() - drop a reference; the last one frees the site
 * @site: site; objects that are left hold it, too
 *
 * Context: may sleep
 */
void lu_site_put(struct lu_site *site)
{
	if (!refcount_dec_and_test(&site->ls_refcount))
		return;
	spin_lock(&sites_lock);
	list_del(&site->ls_item);
	spin_unlock(&sites_lock);
	/* Only the shrinker could still have queued it. */
	if (current_work() == &site->ls_work)
		cancel_work(&site->ls_work);
	else
		cancel_work_sync(&site->ls_work);
	WARN_ON(site->ls_objects);
	rhashtable_destroy(&site->ls_hash);
	module_put(site->ls_type->lst_owner);
	libcfs_free(site, sizeof(*site));
}
EXPORT_SYMBOL_NS_GPL(lu_site_put, LUSTRE_LITE);

/**
 * lu_site_stop() - add no more objects, and free the unused ones
 * @site: site
 *
 * Context: any but an interrupt; does not wait for them
 */
void lu_site_stop(struct lu_site *site)
{
	spin_lock(&site->ls_lock);
	WRITE_ONCE(site->ls_stopped, true);
	__site_work(site);
	spin_unlock(&site->ls_lock);
}
EXPORT_SYMBOL_NS_GPL(lu_site_stop, LUSTRE_LITE);

/* Whether lu_site_stop() was called. Any context. */
bool lu_site_is_stopped(const struct lu_site *site)
{
	return READ_ONCE(site->ls_stopped);
}
EXPORT_SYMBOL_NS_GPL(lu_site_is_stopped, LUSTRE_LITE);

/* Whether the site has no objects. Any context but an interrupt. */
bool lu_site_is_empty(struct lu_site *site)
{
	bool empty;

	spin_lock(&site->ls_lock);
	empty = !site->ls_objects;
	spin_unlock(&site->ls_lock);
	return empty;
}
EXPORT_SYMBOL_NS_GPL(lu_site_is_empty, LUSTRE_LITE);

/*
 * The next object of a walk, referenced (LU_HOLDER_CALL), or NULL. A table that is resized
 * meanwhile may name an object twice, or not.
 */
static struct lu_object *walk_next(struct rhashtable_iter *iter)
{
	struct lu_object *obj;

	rhashtable_walk_start(iter);
	do {
		obj = rhashtable_walk_next(iter);
	} while (obj == ERR_PTR(-EAGAIN) ||
		 (obj && (READ_ONCE(obj->lo_state) == LU_OBJECT_NEW ||
			  !lockref_get_not_dead(&obj->lo_ref))));
	rhashtable_walk_stop(iter);
	if (obj)
		atomic_inc(&obj->lo_held[LU_HOLDER_CALL]);
	return obj;
}

/* Name the kinds of the holders of what is left. */
static void site_complain(struct lu_site *site, unsigned int seconds)
{
	unsigned int held[LU_HOLDER_COUNT] = {}, count = 0, n;
	struct rhashtable_iter iter;
	struct lu_object *obj;

	rhashtable_walk_enter(&site->ls_hash, &iter);
	while ((obj = walk_next(&iter))) {
		count++;
		for (n = 0; n < LU_HOLDER_COUNT; n++)
			held[n] += atomic_read(&obj->lo_held[n]) - (n == LU_HOLDER_CALL);
		lu_object_put(obj, LU_HOLDER_CALL);
	}
	rhashtable_walk_exit(&iter);
	CWARN("%s: %u objects are still in use after %u s: by %u calls, %u locks, %u opens, %u other\n",
	      site->ls_name, count, seconds, held[LU_HOLDER_CALL], held[LU_HOLDER_LOCK],
	      held[LU_HOLDER_OPEN], held[LU_HOLDER_STATE]);
}

/**
 * lu_site_drain() - wait until there is no object
 * @site: site, after lu_site_stop(); the caller has released what held its objects
 * @seconds: most time to wait
 *
 * Context: sleeps; not from loo_free()
 * Return: true; false, after a warning, if objects are left: they hold the site, which is
 *  freed with the last one
 */
bool lu_site_drain(struct lu_site *site, unsigned int seconds)
{
	bool empty = wait_event_timeout(site->ls_wait, lu_site_is_empty(site), seconds * HZ);

	if (!empty)
		site_complain(site, seconds);
	else
		flush_work(&site->ls_work);
	return empty;
}
EXPORT_SYMBOL_NS_GPL(lu_site_drain, LUSTRE_LITE);

static void object_print(const struct lu_object *obj, struct params_sink *sink)
{
	const struct lu_site_type *type = obj->lo_site->ls_type;
	unsigned int n, held;
	char text[FID_TEXT_SIZE];

	params_list_begin(sink, fid_text(&obj->lo_fid, text), PARAMS_LIST_FLOW_MAP);
	params_put_str(sink, "state", state_names[READ_ONCE(obj->lo_state)]);
	for (n = 0; n < LU_HOLDER_COUNT; n++) {
		/* Without that of the walk. */
		held = atomic_read(&obj->lo_held[n]) - (n == LU_HOLDER_CALL);
		params_put_u64(sink, holder_names[n], held);
	}
	for (n = 0; n < type->lst_layer_count; n++)
		if (type->lst_layers[n]->loo_print)
			type->lst_layers[n]->loo_print(obj, sink);
	params_list_end(sink);
}

/**
 * lu_site_print() - print a site and its objects
 * @site: site
 * @sink: of a parameter: the numbers of objects and of unused ones, then a map for each
 *  object, PRINT_MAX at most
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int lu_site_print(struct lu_site *site, struct params_sink *sink)
{
	struct rhashtable_iter iter;
	struct lu_object *obj;
	unsigned int count;

	params_put_u64(sink, "objects", READ_ONCE(site->ls_objects));
	params_put_u64(sink, "unused", READ_ONCE(site->ls_unused));
	rhashtable_walk_enter(&site->ls_hash, &iter);
	for (count = 0; count < PRINT_MAX && (obj = walk_next(&iter)); count++) {
		object_print(obj, sink);
		lu_object_put(obj, LU_HOLDER_CALL);
	}
	rhashtable_walk_exit(&iter);
	return params_sink_error(sink);
}
EXPORT_SYMBOL_NS_GPL(lu_site_print, LUSTRE_LITE);

/* Unused objects that the shrinker has not chosen yet. */
static unsigned long site_idle(struct lu_site *site)
{
	lockdep_assert_held(&site->ls_lock);
	return site->ls_unused - min(site->ls_unused, site->ls_shrink);
}

static unsigned long sites_count(struct shrinker *shrinker, struct shrink_control *sc)
{
	unsigned long count = 0;
	struct lu_site *site;

	spin_lock(&sites_lock);
	list_for_each_entry(site, &sites, ls_item) {
		spin_lock(&site->ls_lock);
		count += site_idle(site);
		spin_unlock(&site->ls_lock);
	}
	spin_unlock(&sites_lock);
	return count ?: SHRINK_EMPTY;
}

/**
 * lu_sites_shrink() - memory is short: free unused objects
 * @want: how many, of all sites
 *
 * The caller may hold any lock, so this only records how many objects to free, besides those of
 * earlier calls; the work of each site frees them.
 *
 * Context: any but an interrupt; does not sleep
 * Return: how many will be freed; SHRINK_STOP: none, or the caller would ask for the rest again
 */
unsigned long lu_sites_shrink(unsigned long want)
{
	unsigned long left = want, count;
	struct lu_site *site;

	spin_lock(&sites_lock);
	list_for_each_entry(site, &sites, ls_item) {
		spin_lock(&site->ls_lock);
		count = min(site_idle(site), left);
		if (count) {
			site->ls_shrink += count;
			__site_work(site);
		}
		spin_unlock(&site->ls_lock);
		left -= count;
	}
	/* The next ones are taken from others first. */
	list_rotate_left(&sites);
	spin_unlock(&sites_lock);
	return want - left ?: SHRINK_STOP;
}
EXPORT_FOR_KUNIT(lu_sites_shrink);

static unsigned long sites_scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	return lu_sites_shrink(sc->nr_to_scan);
}

/* The workqueue and the shrinker. Return: 0 or a negative errno */
int obd_lu_init(void)
{
	int rc;

	site_wq = alloc_workqueue("lu_site", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!site_wq)
		return -ENOMEM;
	rc = compat_shrinker_start(&site_shrinker, "lustre-lite-objects", sites_count,
				   sites_scan);
	if (rc)
		destroy_workqueue(site_wq);
	return rc;
}

/* No site is left. May sleep. */
void obd_lu_exit(void)
{
	WARN_ON(!list_empty(&sites));
	compat_shrinker_stop(&site_shrinker);
	destroy_workqueue(site_wq);
	/* Memory of objects. */
	rcu_barrier();
}
