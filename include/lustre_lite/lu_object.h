/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects of a target, by FID: each is in memory once, and stays there for a while after its
 * last user, as an inode does.
 *
 * A site is the cache of one device. Its type says how large an object is and which layers it
 * has. The layers of an object are embedded in one allocation, struct lu_object first:
 *
 *	struct mdt_object {
 *		struct lu_object	mot_lu;
 *		...			members of each layer
 *	};
 *
 * A layer has a file, members and an operations table of its own. The lowest layer comes first
 * in the table; it is initialized first and freed last.
 *
 *	                                   lu_object_kill()
 *	lu_object_find() -> NEW --------> LIVE -----------------> DYING
 *	                     |             |                        |
 *	                     | a layer     | unused, and expired    | last put
 *	                     | failed      v                        |
 *	                     +----------> DEAD <--------------------+
 *
 * While an object is NEW or DEAD, lu_object_find() waits. So there is one object of a FID at a
 * time: the first layer of the next one is initialized after the last layer of this one was
 * freed. A FID whose object is DYING is refused (-ESTALE) until the last holder is gone.
 *
 * Holders of a reference are of a kind (enum lu_holder); each counts on its own, so that an
 * object that stays can name them. The table holds none. An object without references is in
 * the list of unused ones, the least recently used first, up to lst_cached, and while memory
 * allows. A work of the site frees objects, never the task that drops the last reference.
 *
 * Lookups run under RCU and take a reference by lockref: no lock that lookups of other objects
 * take, too.
 *
 * Teardown is lu_site_stop(), release what holds objects, lu_site_drain(), lu_site_put().
 */
#ifndef _LUSTRE_LITE_LU_OBJECT_H
#define _LUSTRE_LITE_LU_OBJECT_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/lockref.h>
#include <linux/rcupdate.h>
#include <linux/rhashtable-types.h>
#include <linux/types.h>

#include <lustre_lite/lustre_fid.h>

struct lu_object;
struct lu_site;
struct module;
struct params_sink;

/**
 * enum lu_holder - kinds of references on an object
 * @LU_HOLDER_CALL: a call, from its lookup to its end
 * @LU_HOLDER_LOCK: a lock of ldlm
 * @LU_HOLDER_OPEN: an open handle
 * @LU_HOLDER_STATE: state that is in memory only; its owner drops it before lu_site_drain()
 * @LU_HOLDER_COUNT: number of kinds
 */
enum lu_holder {
	LU_HOLDER_CALL,
	LU_HOLDER_LOCK,
	LU_HOLDER_OPEN,
	LU_HOLDER_STATE,
	LU_HOLDER_COUNT,
};

/* enum lu_object_state - see the drawing above */
enum lu_object_state {
	LU_OBJECT_NEW,
	LU_OBJECT_LIVE,
	LU_OBJECT_DYING,
	LU_OBJECT_DEAD,
};

/**
 * struct lu_object_ops - a layer of objects
 * @loo_init: initialize the members of the layer, which are zero; those of lower layers are
 *  initialized. @arg is that of lu_object_find(). May sleep, but must not look the same FID
 *  up. Return: 0 or a negative errno, which lu_object_find() returns. Or NULL
 * @loo_free: release what the members refer to; may sleep. Or NULL
 * @loo_print: print the members by params_put_*(), into the map of the object; may sleep.
 *  Or NULL
 */
struct lu_object_ops {
	int (*loo_init)(struct lu_object *obj, void *arg);
	void (*loo_free)(struct lu_object *obj);
	void (*loo_print)(const struct lu_object *obj, struct params_sink *sink);
};

/**
 * struct lu_site_type - a kind of site
 * @lst_size: bytes of an object with its layers
 * @lst_layers: its layers, the lowest first
 * @lst_layer_count: number of them
 * @lst_cached: most unused objects
 * @lst_owner: module of the layers, pinned until the site is freed
 */
struct lu_site_type {
	size_t					lst_size;
	const struct lu_object_ops *const	*lst_layers;
	unsigned int				lst_layer_count;
	unsigned int				lst_cached;
	struct module				*lst_owner;
};

/**
 * struct lu_object - an object
 * @lo_fid: its FID
 * @lo_site: its site, referenced
 * @lo_node: in the hash table, until its layers have been freed
 * @lo_ref: references; dead in LU_OBJECT_DEAD. Its lock guards the next three
 * @lo_state: also read without the lock
 * @lo_recent: used while it was in the list of unused objects
 * @lo_item: in the list of unused objects, where it may stay while it is used again; in that
 *  of dead ones; or empty
 * @lo_held: references of each kind
 * @lo_size: bytes of the allocation
 * @lo_rcu: frees the memory
 *
 * Created by lu_object_find(). Holders: those of enum lu_holder. After the last put it is
 * cached, or freed by the site's work.
 */
struct lu_object {
	struct lu_fid		lo_fid;
	struct lu_site		*lo_site;
	struct rhash_head	lo_node;
	struct lockref		lo_ref;
	enum lu_object_state	lo_state;
	bool			lo_recent;
	struct list_head	lo_item;
	atomic_t		lo_held[LU_HOLDER_COUNT];
	size_t			lo_size;
	struct rcu_head		lo_rcu;
};

struct lu_site * __must_check lu_site_new(const struct lu_site_type *type, const char *name);
void lu_site_get(struct lu_site *site);
void lu_site_put(struct lu_site *site);
void lu_site_stop(struct lu_site *site);
bool lu_site_is_stopped(const struct lu_site *site);
bool lu_site_is_empty(struct lu_site *site);
bool lu_site_drain(struct lu_site *site, unsigned int seconds);
int lu_site_print(struct lu_site *site, struct params_sink *sink);

struct lu_object * __must_check lu_object_find(struct lu_site *site, const struct lu_fid *fid,
					       void *arg, enum lu_holder holder);
struct lu_object * __must_check lu_object_lookup(struct lu_site *site,
						 const struct lu_fid *fid,
						 enum lu_holder holder);
void lu_object_get(struct lu_object *obj, enum lu_holder holder);
void lu_object_put(struct lu_object *obj, enum lu_holder holder);
bool lu_object_kill(struct lu_object *obj);

#endif /* _LUSTRE_LITE_LU_OBJECT_H */
