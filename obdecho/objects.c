// SPDX-License-Identifier: GPL-2.0-only
/*
 * Type obdecho: its objects, and their sizes. An object has the bytes up to the last one that
 * was written since the server started; they are the value (LVB) of its resource. An object
 * with bytes stays in memory, where they are known.
 */
#define DEBUG_SUBSYSTEM S_ECHO

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/lustre_dlm.h>

#include "echo_internal.h"

/* Most objects whose size is known; further ones are empty. */
#define ECHO_SIZES_MAX	65536
/* Most objects without bytes that are cached. */
#define ECHO_CACHED_MAX	1024
/* Seconds that the end of the server waits for its objects: nothing uses them. */
#define DRAIN_SEC	60

/**
 * struct echo_srv_object - an object of the server
 * @eso_lu: object
 * @eso_size: bytes
 * @eso_item: in es_sized if it has bytes, which holds a reference (LU_HOLDER_STATE)
 *
 * es_size_lock guards @eso_size and @eso_item.
 */
struct echo_srv_object {
	struct lu_object	eso_lu;
	u64			eso_size;
	struct list_head	eso_item;
};

static struct echo_srv_object *srv_object(const struct lu_object *obj)
{
	return container_of(obj, struct echo_srv_object, eso_lu);
}

static int size_init(struct lu_object *obj, void *arg)
{
	INIT_LIST_HEAD(&srv_object(obj)->eso_item);
	return 0;
}

static void size_print(const struct lu_object *obj, struct params_sink *sink)
{
	params_put_bytes(sink, "size", READ_ONCE(srv_object(obj)->eso_size));
}

static const struct lu_object_ops size_ops = {
	.loo_init	= size_init,
	.loo_print	= size_print,
};

static const struct lu_object_ops *const srv_layers[] = { &size_ops };

static const struct lu_site_type srv_site_type = {
	.lst_size		= sizeof(struct echo_srv_object),
	.lst_layers		= srv_layers,
	.lst_layer_count	= ARRAY_SIZE(srv_layers),
	.lst_cached		= ECHO_CACHED_MAX,
	.lst_owner		= THIS_MODULE,
};

/**
 * echo_objects_init() - a server without objects
 * @server: server
 *
 * Context: may sleep
 * Return: 0, and echo_objects_fini() must follow; -ENOMEM
 */
int echo_objects_init(struct echo_server *server)
{
	spin_lock_init(&server->es_size_lock);
	INIT_LIST_HEAD(&server->es_sized);
	server->es_site = lu_site_new(&srv_site_type, server->es_obd->obd_name);
	return PTR_ERR_OR_ZERO(server->es_site);
}

/* The server has no clients any more. Sleeps. */
void echo_objects_fini(struct echo_server *server)
{
	struct echo_srv_object *eso, *next;

	lu_site_stop(server->es_site);
	list_for_each_entry_safe(eso, next, &server->es_sized, eso_item) {
		list_del_init(&eso->eso_item);
		lu_object_put(&eso->eso_lu, LU_HOLDER_STATE);
	}
	lu_site_drain(server->es_site, DRAIN_SEC);
	lu_site_put(server->es_site);
}

/**
 * echo_object_find() - an object
 * @server: server
 * @object: its number
 *
 * Context: may sleep for memory
 * Return: object, for lu_object_put() (LU_HOLDER_CALL); ERR_PTR on failure
 */
struct lu_object *echo_object_find(struct echo_server *server, u64 object)
{
	const struct lu_fid fid = echo_fid(object);

	return lu_object_find(server->es_site, &fid, NULL, LU_HOLDER_CALL);
}

/**
 * echo_object_size() - size of an object
 * @server: server
 * @object: its number
 *
 * Context: any but an interrupt
 * Return: bytes
 */
u64 echo_object_size(struct echo_server *server, u64 object)
{
	const struct lu_fid fid = echo_fid(object);
	struct lu_object *obj = lu_object_lookup(server->es_site, &fid, LU_HOLDER_CALL);
	u64 size;

	if (!obj)
		return 0;
	size = READ_ONCE(srv_object(obj)->eso_size);
	lu_object_put(obj, LU_HOLDER_CALL);
	return size;
}

/* An object that has bytes from now on stays in memory. Under es_size_lock. */
static bool size_keep(struct echo_server *server, struct echo_srv_object *eso)
{
	if (!list_empty(&eso->eso_item))
		return true;
	if (server->es_size_count >= ECHO_SIZES_MAX)
		return false;
	server->es_size_count++;
	list_add_tail(&eso->eso_item, &server->es_sized);
	lu_object_get(&eso->eso_lu, LU_HOLDER_STATE);
	return true;
}

/* @grow: a smaller size does not count. Return: whether it was stored. */
static bool size_store(struct echo_server *server, struct echo_srv_object *eso, u64 size,
		       bool grow)
{
	bool store, drop = false;

	spin_lock(&server->es_size_lock);
	store = (!grow || size > eso->eso_size) && (!size || size_keep(server, eso));
	if (store)
		WRITE_ONCE(eso->eso_size, size);
	if (store && !size && !list_empty(&eso->eso_item)) {
		list_del_init(&eso->eso_item);
		server->es_size_count--;
		drop = true;
	}
	spin_unlock(&server->es_size_lock);
	if (drop)
		lu_object_put(&eso->eso_lu, LU_HOLDER_STATE);
	return store;
}

/**
 * echo_object_grow() - bytes of an object were written
 * @server: server
 * @object: its number
 * @size: bytes up to the last written one
 *
 * On allocation failure the size of a new object stays 0.
 *
 * Context: may sleep for memory
 */
void echo_object_grow(struct echo_server *server, u64 object, u64 size)
{
	const struct ldlm_res_id res = { .name = { object } };
	struct lustre_echo_lvb lvb;
	struct lu_object *obj;
	bool grown;

	size = min_t(u64, size, LONG_MAX);
	obj = echo_object_find(server, object);
	if (IS_ERR(obj))
		return;
	grown = READ_ONCE(srv_object(obj)->eso_size) < size &&
		size_store(server, srv_object(obj), size, true);
	lu_object_put(obj, LU_HOLDER_CALL);
	if (!grown)
		return;
	lvb.el_size = cpu_to_le64(size);
	ldlm_server_lvb_update(server->es_obd, &res, &lvb);
}

/**
 * echo_object_truncate() - an object has a size from now on
 * @server: server
 * @object: its number
 * @size: bytes; 0: it is as if it had never been written
 *
 * Context: may sleep for memory; the caller has a lock of the server itself for all bytes from
 *  @size on
 * Return: 0; -ENOSPC if there are too many objects; as echo_object_find()
 */
int echo_object_truncate(struct echo_server *server, u64 object, u64 size)
{
	const struct ldlm_res_id res = { .name = { object } };
	struct lu_object *obj = echo_object_find(server, object);
	struct lustre_echo_lvb lvb;
	bool stored;

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	stored = size_store(server, srv_object(obj), size, false);
	lu_object_put(obj, LU_HOLDER_CALL);
	if (!stored)
		return -ENOSPC;
	lvb.el_size = cpu_to_le64(size);
	ldlm_server_lvb_set(server->es_obd, &res, &lvb);
	return 0;
}

static int lvb_init(struct obd_device *obd, const struct ldlm_res_id *res, void *value)
{
	struct lustre_echo_lvb *lvb = value;

	lvb->el_size = cpu_to_le64(echo_object_size(echo_server(obd), res->name[0]));
	return 0;
}

static void lvb_merge(void *value, const void *newer)
{
	const struct lustre_echo_lvb *other = newer;
	struct lustre_echo_lvb *lvb = value;

	if (le64_to_cpu(other->el_size) > le64_to_cpu(lvb->el_size))
		lvb->el_size = other->el_size;
}

/* A writer below the known end does not move it. */
static bool lvb_asks(const void *value, const struct ldlm_extent *held)
{
	const struct lustre_echo_lvb *lvb = value;

	return held->last >= le64_to_cpu(lvb->el_size);
}

const struct ldlm_lvb_ops echo_lvb_ops = {
	.lvbo_size	= sizeof(struct lustre_echo_lvb),
	.lvbo_init	= lvb_init,
	.lvbo_merge	= lvb_merge,
	.lvbo_asks	= lvb_asks,
};
