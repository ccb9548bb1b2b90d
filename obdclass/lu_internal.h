/* SPDX-License-Identifier: GPL-2.0-only */
/* Objects by FID: what lu_object.c and lu_site.c have in common. */
#ifndef _OBD_LU_INTERNAL_H
#define _OBD_LU_INTERNAL_H

#include <linux/refcount.h>
#include <linux/rhashtable.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <lustre_lite/lu_object.h>
#include <lustre_lite/obd.h>

/**
 * struct lu_site - objects of a device
 * @ls_type: type
 * @ls_name: for messages
 * @ls_refcount: held by the caller of lu_site_new(), by lu_site_get(), by each object, and by
 *  the work while it runs. The last one frees the site
 * @ls_item: in the list of sites, for the shrinker
 * @ls_hash: struct lu_object by FID; holds no reference
 * @ls_wait: woken when an object is LIVE or gone
 * @ls_work: frees objects, one at a time
 * @ls_lock: guards the rest; taken under the lock of an object
 * @ls_lru: unused objects, the least recently used first
 * @ls_unused: their number
 * @ls_dead: dead objects without references
 * @ls_shrink: unused objects to free for the shrinker
 * @ls_objects: objects, and those that are being created
 * @ls_stopped: no object is added; also read without the lock
 */
struct lu_site {
	const struct lu_site_type	*ls_type;
	char				ls_name[MAX_OBD_NAME];
	refcount_t			ls_refcount;
	struct list_head		ls_item;
	struct rhashtable		ls_hash;
	struct wait_queue_head		ls_wait;
	struct work_struct		ls_work;
	spinlock_t			ls_lock;
	struct list_head		ls_lru;
	unsigned long			ls_unused;
	struct list_head		ls_dead;
	unsigned long			ls_shrink;
	unsigned long			ls_objects;
	bool				ls_stopped;
};

/* lu_object.c */
extern const struct rhashtable_params lu_hash_params;
void lu_object_free(struct lu_object *obj);
bool lu_object_expire(struct lu_object *obj, bool recent);

/* lu_site.c */
unsigned long lu_sites_shrink(unsigned long want);
bool lu_site_enter(struct lu_site *site);
void lu_site_leave(struct lu_site *site);
void lu_site_wake(struct lu_site *site);
/* The caller holds ls_lock and the lock of the object. */
void __lu_site_lru_add(struct lu_site *site, struct lu_object *obj);
void __lu_site_lru_del(struct lu_site *site, struct lu_object *obj);
void __lu_site_dead_add(struct lu_site *site, struct lu_object *obj);

#endif /* _OBD_LU_INTERNAL_H */
