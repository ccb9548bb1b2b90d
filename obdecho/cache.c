// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects that an echo client has locked, as a file system has its inodes. The client
 * knows their size under its locks; as a writer it may know a larger one than the server
 * does. It tells the server before it cancels its lock, or when another client asks.
 */
#define DEBUG_SUBSYSTEM S_ECHO

#include <linux/err.h>
#include <linux/module.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>

#include "cache.h"

/* Seconds that the end of a client waits for its writes, and for cancels of its locks. */
#define CLOSE_SEC	5

static struct echo_object *echo_object(const struct lu_object *obj)
{
	return container_of(obj, struct echo_object, eob_lu);
}

/* @arg: use of the connection by the call that creates the object */
static int object_init(struct lu_object *lu, void *arg)
{
	const struct echo_use *use = arg;
	struct echo_object *obj = echo_object(lu);

	obj->eob_imp = class_import_get(use->eu_imp);
	obj->eob_number = echo_fid_number(&lu->lo_fid);
	spin_lock_init(&obj->eob_lock);
	return 0;
}

static void object_free(struct lu_object *lu)
{
	class_import_put(echo_object(lu)->eob_imp);
}

static const struct lu_object_ops object_ops = {
	.loo_init	= object_init,
	.loo_free	= object_free,
};

static const struct lu_object_ops *const object_layers[] = { &object_ops };

/* An object that is not locked knows nothing, and is not cached. */
static const struct lu_site_type object_site_type = {
	.lst_size		= sizeof(struct echo_object),
	.lst_layers		= object_layers,
	.lst_layer_count	= ARRAY_SIZE(object_layers),
	.lst_owner		= THIS_MODULE,
};

/**
 * echo_cache_new() - the objects of a client
 * @obd: its device
 *
 * Context: may sleep
 * Return: site without objects, for lu_site_put(); ERR_PTR on failure
 */
struct lu_site *echo_cache_new(struct obd_device *obd)
{
	return lu_site_new(&object_site_type, obd->obd_name);
}

/**
 * echo_cache_close() - cancel the locks of the objects
 * @site: objects
 * @server: device that leads to the server
 *
 * A lock that is used, or whose cancel is not answered, keeps its object, and this module.
 *
 * Context: sleeps, up to CLOSE_SEC
 */
void echo_cache_close(struct lu_site *site, struct obd_device *server)
{
	lu_site_stop(site);
	if (lu_site_is_empty(site) || !obd_op_enter(server))
		return;
	ldlm_cli_cancel_unused(server);
	obd_op_leave(server);
	lu_site_drain(site, CLOSE_SEC);
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
	const struct lu_fid fid = echo_fid(number);
	struct lu_object *obj;

	/* Its size is written with bytes of the pattern. */
	if (echo_pattern_make())
		return ERR_PTR(-ENOMEM);
	obj = lu_object_find(use->eu_site, &fid, (void *)use, LU_HOLDER_CALL);
	if (IS_ERR(obj))
		return ERR_PTR(PTR_ERR(obj) == -ESHUTDOWN ? -ENOTCONN : PTR_ERR(obj));
	return echo_object(obj);
}

/* Drop the reference of a call. Any context but an interrupt. */
void echo_object_put(struct echo_object *obj)
{
	lu_object_put(&obj->eob_lu, LU_HOLDER_CALL);
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
	spin_lock(&obj->eob_lock);
	obj->eob_size = max(obj->eob_size, size);
	obj->eob_dirty |= dirty;
	size = obj->eob_size;
	spin_unlock(&obj->eob_lock);
	return size;
}

/**
 * echo_object_resize() - the client changes the size of an object at the server
 * @obj: object
 * @size: its bytes from then on, known as long as it has a lock
 * @clean: what was not written is dropped; otherwise the size of an object of which something
 *  was not written stays
 *
 * Context: any but an interrupt
 */
void echo_object_resize(struct echo_object *obj, u64 size, bool clean)
{
	spin_lock(&obj->eob_lock);
	if (clean)
		obj->eob_dirty = false;
	if (obj->eob_locks && !obj->eob_dirty)
		obj->eob_size = size;
	spin_unlock(&obj->eob_lock);
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
	if (lu_site_is_stopped(obj->eob_lu.lo_site)) {
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
	u64 size = 0;
	int rc = 0;

	spin_lock(&obj->eob_lock);
	if (obj->eob_dirty)
		size = obj->eob_size;
	spin_unlock(&obj->eob_lock);
	if (!size)
		return;
	rc = lost ? -EIO : size_write(obj, size);
	if (rc)
		CERROR("%s: the size of object %llu, %llu bytes, was not written: rc = %d\n",
		       obj->eob_imp->imp_obd->obd_name, obj->eob_number, size, rc);
	spin_lock(&obj->eob_lock);
	if (obj->eob_size == size)
		obj->eob_dirty = false;
	spin_unlock(&obj->eob_lock);
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

	spin_lock(&obj->eob_lock);
	if (obj->eob_dirty) {
		lvb->el_size = cpu_to_le64(obj->eob_size);
		len = sizeof(*lvb);
	}
	spin_unlock(&obj->eob_lock);
	return len;
}

static void object_lock_get(void *data)
{
	struct echo_object *obj = data;

	spin_lock(&obj->eob_lock);
	obj->eob_locks++;
	spin_unlock(&obj->eob_lock);
	lu_object_get(&obj->eob_lu, LU_HOLDER_LOCK);
}

/* Without a lock another client may change the size, or the server lose it. */
static void object_lock_put(void *data)
{
	struct echo_object *obj = data;

	spin_lock(&obj->eob_lock);
	if (!--obj->eob_locks) {
		obj->eob_size = 0;
		obj->eob_dirty = false;
	}
	spin_unlock(&obj->eob_lock);
	lu_object_put(&obj->eob_lu, LU_HOLDER_LOCK);
}

const struct ldlm_callbacks echo_object_cbs = {
	.lcb_cancelled	= object_cancelled,
	.lcb_glimpse	= object_glimpse,
	.lcb_get		= object_lock_get,
	.lcb_put		= object_lock_put,
	.lcb_module	= THIS_MODULE,
};
