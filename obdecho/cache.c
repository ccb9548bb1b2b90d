// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects that an echo client has locked, as a file system has its inodes. The client
 * knows their size under its locks; as a writer it may know a larger one than the server
 * does. It tells the server before it cancels its lock, or when another client asks.
 */
#define DEBUG_SUBSYSTEM S_ECHO

#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>

#include "cache.h"

/* Seconds that the end of a client waits for its writes, and for cancels of its locks. */
#define CLOSE_SEC	5

/**
 * echo_cache_new() - the objects of a client
 *
 * Context: may sleep
 * Return: cache without objects, for echo_cache_put(); NULL on allocation failure
 */
struct echo_cache *echo_cache_new(void)
{
	struct echo_cache *cache = libcfs_zalloc(sizeof(*cache), GFP_KERNEL_ACCOUNT);

	if (!cache)
		return NULL;
	refcount_set(&cache->ech_refcount, 1);
	xa_init(&cache->ech_objects);
	init_waitqueue_head(&cache->ech_empty);
	return cache;
}

/* Drop a reference; the last one frees it. Any context. */
void echo_cache_put(struct echo_cache *cache)
{
	if (refcount_dec_and_test(&cache->ech_refcount))
		libcfs_free(cache, sizeof(*cache));
}

/**
 * echo_cache_close() - cancel the locks of the objects
 * @cache: cache
 * @server: device that leads to the server
 *
 * A lock that is used, or whose cancel is not answered, keeps its object, and this module.
 *
 * Context: sleeps, up to CLOSE_SEC
 */
void echo_cache_close(struct echo_cache *cache, struct obd_device *server)
{
	xa_lock(&cache->ech_objects);
	cache->ech_closed = true;
	xa_unlock(&cache->ech_objects);
	if (xa_empty(&cache->ech_objects) || !obd_op_enter(server))
		return;
	ldlm_cli_cancel_unused(server);
	obd_op_leave(server);
	wait_event_timeout(cache->ech_empty, xa_empty(&cache->ech_objects),
			   CLOSE_SEC * HZ);
}

static struct echo_object *object_new(const struct echo_use *use, u64 number)
{
	struct echo_object *obj = libcfs_zalloc(sizeof(*obj), GFP_KERNEL_ACCOUNT);

	if (!obj)
		return NULL;
	refcount_set(&obj->eob_refcount, 1);
	obj->eob_number = number;
	obj->eob_imp = class_import_get(use->eu_imp);
	obj->eob_cache = use->eu_cache;
	refcount_inc(&use->eu_cache->ech_refcount);
	return obj;
}

static void object_free(struct echo_object *obj)
{
	class_import_put(obj->eob_imp);
	echo_cache_put(obj->eob_cache);
	libcfs_free(obj, sizeof(*obj));
}

/* The object found, or @made; or ERR_PTR. */
static struct echo_object *object_insert(struct echo_cache *cache,
					 struct echo_object *made)
{
	struct echo_object *obj = ERR_PTR(-ENOTCONN);
	void *old;

	xa_lock(&cache->ech_objects);
	if (!cache->ech_closed) {
		/* The lock is dropped to allocate: the entry may be there afterwards. */
		old = __xa_cmpxchg(&cache->ech_objects, made->eob_number, NULL, made,
				   GFP_KERNEL);
		obj = xa_is_err(old) ? ERR_PTR(xa_err(old)) : old;
		if (!IS_ERR_OR_NULL(obj))
			refcount_inc(&obj->eob_refcount);
	}
	xa_unlock(&cache->ech_objects);
	return obj ?: made;
}

/**
 * echo_object_get() - an object by its number
 * @use: connection of its client
 * @number: number
 *
 * Context: may sleep
 * Return: object, for echo_object_put(); ERR_PTR: -ENOTCONN if the client is disconnected; -ENOMEM
 */
struct echo_object *echo_object_get(const struct echo_use *use, u64 number)
{
	struct echo_object *made, *obj;

	/* Its size is written with bytes of the pattern. */
	if (echo_pattern_make())
		return ERR_PTR(-ENOMEM);
	made = object_new(use, number);
	if (!made)
		return ERR_PTR(-ENOMEM);
	obj = object_insert(use->eu_cache, made);
	if (obj != made)
		object_free(made);
	return obj;
}

/* Drop a reference; the last one frees it. Any context but an interrupt. */
void echo_object_put(struct echo_object *obj)
{
	struct echo_cache *cache = obj->eob_cache;
	bool last;

	if (refcount_dec_not_one(&obj->eob_refcount))
		return;
	xa_lock(&cache->ech_objects);
	last = refcount_dec_and_test(&obj->eob_refcount);
	if (last)
		__xa_erase(&cache->ech_objects, obj->eob_number);
	xa_unlock(&cache->ech_objects);
	if (!last)
		return;
	wake_up_all(&cache->ech_empty);
	object_free(obj);
}

/**
 * echo_object_note() - a size of an object is known, under a lock
 * @obj: object
 * @size: at least so many bytes
 * @dirty: the server does not know
 *
 * Context: any but an interrupt
 * Return: the size that is known now
 */
u64 echo_object_note(struct echo_object *obj, u64 size, bool dirty)
{
	struct xarray *guard = &obj->eob_cache->ech_objects;

	xa_lock(guard);
	obj->eob_size = max(obj->eob_size, size);
	obj->eob_dirty |= dirty;
	size = obj->eob_size;
	xa_unlock(guard);
	return size;
}

/* Write the last byte of an object. The end of the client waits for no dead server. */
static int size_write(struct echo_object *obj, u64 size)
{
	static const u32 lens[] = { sizeof(struct lustre_brw) };
	struct bio_vec vec[ECHO_VEC_MAX(1)];
	struct ptlrpc_bulk bulk = { .bk_vec = vec, .bk_len = 1 };
	struct ptlrpc_request *req;
	struct lustre_brw *brw;
	int rc;

	bulk.bk_nr = echo_pattern_vec(echo_pattern_at(obj->eob_number, size - 1), 1, vec);
	req = ptlrpc_request_new(obj->eob_imp, OST_WRITE, OST_IO_PORTAL, lens,
				 ARRAY_SIZE(lens));
	if (IS_ERR_OR_NULL(req))
		return req ? PTR_ERR(req) : -ENOMEM;
	brw = ptlrpc_req_buf(req, 0);
	brw->wb_object = cpu_to_le64(obj->eob_number);
	brw->wb_offset = cpu_to_le64(size - 1);
	brw->wb_len = cpu_to_le32(1);
	req->rq_bulk_out = &bulk;
	if (READ_ONCE(obj->eob_cache->ech_closed)) {
		req->rq_no_delay = true;
		req->rq_no_resend = true;
		req->rq_timeout = CLOSE_SEC;
	}
	rc = ptlrpc_queue_wait(req);
	ptlrpc_request_put(req);
	return rc;
}

/* It stays dirty until the server knows: a glimpse meanwhile is answered from here. */
static void object_clean(struct echo_object *obj, bool lost)
{
	struct xarray *guard = &obj->eob_cache->ech_objects;
	u64 size = 0;
	int rc = 0;

	xa_lock(guard);
	if (obj->eob_dirty)
		size = obj->eob_size;
	xa_unlock(guard);
	if (!size)
		return;
	rc = lost ? -EIO : size_write(obj, size);
	if (rc)
		CERROR("%s: the size of object %llu, %llu bytes, was not written: rc = %d\n",
		       obj->eob_imp->imp_obd->obd_name, obj->eob_number, size, rc);
	xa_lock(guard);
	if (obj->eob_size == size)
		obj->eob_dirty = false;
	xa_unlock(guard);
}

static void object_cancelled(struct ldlm_lock *lock, void *data)
{
	object_clean(data, ldlm_lock_is_lost(lock));
}

static u32 object_glimpse(struct ldlm_lock *lock, void *data, void *value)
{
	struct lustre_echo_lvb *lvb = value;
	struct echo_object *obj = data;
	u32 len = 0;

	xa_lock(&obj->eob_cache->ech_objects);
	if (obj->eob_dirty) {
		lvb->el_size = cpu_to_le64(obj->eob_size);
		len = sizeof(*lvb);
	}
	xa_unlock(&obj->eob_cache->ech_objects);
	return len;
}

static void object_lock_get(void *data)
{
	struct echo_object *obj = data;

	refcount_inc(&obj->eob_refcount);
}

static void object_lock_put(void *data)
{
	echo_object_put(data);
}

const struct ldlm_callbacks echo_object_cbs = {
	.lc_cancelled	= object_cancelled,
	.lc_glimpse	= object_glimpse,
	.lc_get		= object_lock_get,
	.lc_put		= object_lock_put,
	.lc_module	= THIS_MODULE,
};
