// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects by FID: lookup, references, states. Their site is lu_site.c.
 *
 * The lock of an object is taken before that of its site.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/wait.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>

#include "lu_internal.h"

const struct rhashtable_params lu_hash_params = {
	.head_offset = offsetof(struct lu_object, lo_node),
	.key_offset = offsetof(struct lu_object, lo_fid),
	.key_len = sizeof_field(struct lu_object, lo_fid),
	.automatic_shrinking = true,
};

static void object_move(struct lu_object *obj, enum lu_object_state from,
			enum lu_object_state to)
{
	static const u8 allowed[] = {
		[LU_OBJECT_NEW]		= BIT(LU_OBJECT_LIVE) | BIT(LU_OBJECT_DEAD),
		[LU_OBJECT_LIVE]	= BIT(LU_OBJECT_DYING) | BIT(LU_OBJECT_DEAD),
		[LU_OBJECT_DYING]	= BIT(LU_OBJECT_DEAD),
		[LU_OBJECT_DEAD]	= 0,
	};

	if (WARN_ON_ONCE(obj->lo_state != from || !(allowed[from] & BIT(to))))
		return;
	/* Pairs with object_state(): a task that sees LIVE sees the layers. */
	smp_store_release(&obj->lo_state, to);
}

static enum lu_object_state object_state(const struct lu_object *obj)
{
	/* Pairs with object_move(). */
	return smp_load_acquire(&obj->lo_state);
}

/*
 * A reference on the object in the table. Return: NULL: there is none; ERR_PTR: -ESTALE: it
 * is dying; -EAGAIN: it is being created or freed
 */
static struct lu_object *object_try(struct lu_site *site, const struct lu_fid *fid,
				    enum lu_holder holder)
{
	struct lu_object *obj;

	rcu_read_lock();
	obj = rhashtable_lookup(&site->ls_hash, fid, lu_hash_params);
	if (obj && object_state(obj) == LU_OBJECT_DYING)
		obj = ERR_PTR(-ESTALE);
	else if (obj && (object_state(obj) != LU_OBJECT_LIVE ||
			 !lockref_get_not_dead(&obj->lo_ref)))
		obj = ERR_PTR(-EAGAIN);
	rcu_read_unlock();
	if (!IS_ERR_OR_NULL(obj))
		atomic_inc(&obj->lo_held[holder]);
	return obj;
}

/* Whether the object of a FID is being created or freed. */
static bool object_is_busy(struct lu_site *site, const struct lu_fid *fid)
{
	enum lu_object_state state = LU_OBJECT_LIVE;
	struct lu_object *obj;

	rcu_read_lock();
	obj = rhashtable_lookup(&site->ls_hash, fid, lu_hash_params);
	if (obj)
		state = object_state(obj);
	rcu_read_unlock();
	return state == LU_OBJECT_NEW || state == LU_OBJECT_DEAD;
}

static void layers_free(struct lu_object *obj, unsigned int count)
{
	const struct lu_site_type *type = obj->lo_site->ls_type;

	while (count--)
		if (type->lst_layers[count]->loo_free)
			type->lst_layers[count]->loo_free(obj);
}

static int layers_init(struct lu_object *obj, void *arg)
{
	const struct lu_site_type *type = obj->lo_site->ls_type;
	unsigned int n;
	int rc;

	for (n = 0; n < type->lst_layer_count; n++) {
		rc = type->lst_layers[n]->loo_init ?
		     type->lst_layers[n]->loo_init(obj, arg) : 0;
		if (rc) {
			layers_free(obj, n);
			return rc;
		}
	}
	return 0;
}

static void object_free_rcu(struct rcu_head *head)
{
	struct lu_object *obj = container_of(head, struct lu_object, lo_rcu);

	libcfs_free(obj, obj->lo_size);
}

/*
 * A dead object, whose layers have been freed: the FID is free again. The last one may be
 * the last reference on the site.
 */
static void object_gone(struct lu_object *obj)
{
	struct lu_site *site = obj->lo_site;

	rhashtable_remove_fast(&site->ls_hash, &obj->lo_node, lu_hash_params);
	lu_site_wake(site);
	call_rcu(&obj->lo_rcu, object_free_rcu);
	lu_site_leave(site);
}

/**
 * lu_object_free() - free a dead object
 * @obj: object without references, in no list
 *
 * Context: sleeps as the layers do; the site's work
 */
void lu_object_free(struct lu_object *obj)
{
	WARN_ON_ONCE(obj->lo_state != LU_OBJECT_DEAD || !list_empty(&obj->lo_item));
	layers_free(obj, obj->lo_site->ls_type->lst_layer_count);
	object_gone(obj);
}

/* Into the table. Return: 0; -EAGAIN if there is one; -ENOMEM */
static int object_insert(struct lu_site *site, struct lu_object *obj)
{
	unsigned int tries = 0;
	int rc;

	do {
		rc = rhashtable_lookup_insert_fast(&site->ls_hash, &obj->lo_node,
						   lu_hash_params);
	} while (libcfs_insert_again(rc, &tries));
	return rc == -EEXIST ? -EAGAIN : rc;
}

static struct lu_object *object_alloc(struct lu_site *site, const struct lu_fid *fid,
				      enum lu_holder holder)
{
	size_t size = site->ls_type->lst_size;
	struct lu_object *obj = libcfs_zalloc(size, GFP_NOFS);

	if (!obj)
		return NULL;
	obj->lo_size = size;
	obj->lo_fid = *fid;
	obj->lo_site = site;
	spin_lock_init(&obj->lo_ref.lock);
	obj->lo_ref.count = 1;
	atomic_set(&obj->lo_held[holder], 1);
	INIT_LIST_HEAD(&obj->lo_item);
	return obj;
}

/*
 * An object that is not in the table: published as NEW, so that one task initializes it.
 * Return: object, referenced; ERR_PTR: -EAGAIN if another task was first
 */
static struct lu_object *object_create(struct lu_site *site, const struct lu_fid *fid,
				       void *arg, enum lu_holder holder)
{
	struct lu_object *obj;
	int rc;

	if (!lu_site_enter(site))
		return ERR_PTR(-ESHUTDOWN);
	obj = object_alloc(site, fid, holder);
	rc = obj ? object_insert(site, obj) : -ENOMEM;
	if (rc) {
		if (obj)
			libcfs_free(obj, obj->lo_size);
		lu_site_leave(site);
		return ERR_PTR(rc);
	}
	rc = layers_init(obj, arg);
	if (rc) {
		object_move(obj, LU_OBJECT_NEW, LU_OBJECT_DEAD);
		object_gone(obj);
		return ERR_PTR(rc);
	}
	object_move(obj, LU_OBJECT_NEW, LU_OBJECT_LIVE);
	lu_site_wake(site);
	return obj;
}

/**
 * lu_object_find() - the object of a FID; it is created if it is not in memory
 * @site: site
 * @fid: FID
 * @arg: for loo_init() if it is created
 * @holder: kind of the reference
 *
 * Context: sleeps as loo_init() of the layers, and while the object is being created or freed
 *  by another task
 * Return: object, for lu_object_put(); ERR_PTR: -ESTALE if it is dying; -ESHUTDOWN after
 *  lu_site_stop(); -ENOMEM; errors of loo_init()
 */
struct lu_object *lu_object_find(struct lu_site *site, const struct lu_fid *fid, void *arg,
				 enum lu_holder holder)
{
	struct lu_object *obj;

	for (;;) {
		if (READ_ONCE(site->ls_stopped))
			return ERR_PTR(-ESHUTDOWN);
		obj = object_try(site, fid, holder) ?: object_create(site, fid, arg, holder);
		if (obj != ERR_PTR(-EAGAIN))
			return obj;
		wait_event(site->ls_wait, !object_is_busy(site, fid));
	}
}
EXPORT_SYMBOL_NS_GPL(lu_object_find, LUSTRE_LITE);

/**
 * lu_object_lookup() - the object of a FID, if it is in memory
 * @site: site
 * @fid: FID
 * @holder: kind of the reference
 *
 * Context: any but an interrupt; does not sleep
 * Return: object, for lu_object_put(); NULL if there is none that could be used
 */
struct lu_object *lu_object_lookup(struct lu_site *site, const struct lu_fid *fid,
				   enum lu_holder holder)
{
	struct lu_object *obj = object_try(site, fid, holder);

	return IS_ERR(obj) ? NULL : obj;
}
EXPORT_SYMBOL_NS_GPL(lu_object_lookup, LUSTRE_LITE);

/**
 * lu_object_get() - another reference
 * @obj: object that the caller holds
 * @holder: kind of the new reference
 *
 * Context: any but an interrupt
 */
void lu_object_get(struct lu_object *obj, enum lu_holder holder)
{
	lockref_get(&obj->lo_ref);
	atomic_inc(&obj->lo_held[holder]);
}
EXPORT_SYMBOL_NS_GPL(lu_object_get, LUSTRE_LITE);

static void object_unused(struct lu_object *obj)
{
	struct lu_site *site = obj->lo_site;

	spin_lock(&site->ls_lock);
	if (obj->lo_state == LU_OBJECT_LIVE) {
		obj->lo_recent = !list_empty(&obj->lo_item);
		__lu_site_lru_add(site, obj);
	} else {
		lockref_mark_dead(&obj->lo_ref);
		object_move(obj, LU_OBJECT_DYING, LU_OBJECT_DEAD);
		__lu_site_lru_del(site, obj);
		__lu_site_dead_add(site, obj);
	}
	spin_unlock(&site->ls_lock);
}

/**
 * lu_object_put() - drop a reference
 * @obj: object, not to be used by the caller afterwards
 * @holder: kind of the reference
 *
 * Context: any but an interrupt; does not sleep
 */
void lu_object_put(struct lu_object *obj, enum lu_holder holder)
{
	WARN_ON_ONCE(atomic_dec_return(&obj->lo_held[holder]) < 0);
	if (lockref_put_or_lock(&obj->lo_ref))
		return;
	/* Its declaration does not tell sparse that it returns with the lock. */
	__acquire(&obj->lo_ref.lock);
	/* The work takes both locks before it frees the object, and with it maybe the site. */
	if (!WARN_ON_ONCE(obj->lo_ref.count != 1)) {
		obj->lo_ref.count = 0;
		object_unused(obj);
	}
	spin_unlock(&obj->lo_ref.lock);
}
EXPORT_SYMBOL_NS_GPL(lu_object_put, LUSTRE_LITE);

/**
 * lu_object_kill() - the object is not cached after its last put, nor found before
 * @obj: object that the caller holds
 *
 * For an object that was destroyed, or whose members can no longer be trusted.
 *
 * Context: any but an interrupt
 * Return: true; false if another task did it before
 */
bool lu_object_kill(struct lu_object *obj)
{
	bool killed;

	spin_lock(&obj->lo_ref.lock);
	killed = obj->lo_state == LU_OBJECT_LIVE;
	if (killed)
		object_move(obj, LU_OBJECT_LIVE, LU_OBJECT_DYING);
	spin_unlock(&obj->lo_ref.lock);
	return killed;
}
EXPORT_SYMBOL_NS_GPL(lu_object_kill, LUSTRE_LITE);

/**
 * lu_object_expire() - whether an object that was unused can be freed
 * @obj: object that was taken from the list of unused ones, by the site's work
 * @recent: also if it was used in the meantime
 *
 * It is in the list again if it was used in the meantime, and is unused now. It is not if it
 * has references: the last put adds it.
 *
 * Context: any but an interrupt
 * Return: true: it is dead, and in no list
 */
bool lu_object_expire(struct lu_object *obj, bool recent)
{
	struct lu_site *site = obj->lo_site;
	bool expired = false;

	spin_lock(&obj->lo_ref.lock);
	spin_lock(&site->ls_lock);
	if (!obj->lo_ref.count && obj->lo_recent && !recent) {
		obj->lo_recent = false;
		__lu_site_lru_add(site, obj);
	} else if (!obj->lo_ref.count) {
		expired = true;
		lockref_mark_dead(&obj->lo_ref);
		object_move(obj, LU_OBJECT_LIVE, LU_OBJECT_DEAD);
		__lu_site_lru_del(site, obj);
	}
	spin_unlock(&site->ls_lock);
	spin_unlock(&obj->lo_ref.lock);
	return expired;
}
