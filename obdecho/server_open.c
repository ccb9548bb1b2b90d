// SPDX-License-Identifier: GPL-2.0-only
/*
 * Type obdecho: open objects. An open gives a handle, a close takes it back. Handles are in
 * memory only: after a restart the client replays its opens, those on disk, too, and gets new
 * ones.
 */
#define DEBUG_SUBSYSTEM S_ECHO

#include <linux/err.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/ptlrpc_service.h>
#include <lustre_lite/wire.h>

#include "echo_internal.h"

/**
 * struct echo_handle - an open object
 * @ehd_item: in ee_handles of its client
 * @ehd_handle: its number, in es_handles
 * @ehd_xid: of the request that opened it
 * @ehd_exp: its client's, not referenced
 * @ehd_obj: the object, referenced (LU_HOLDER_OPEN)
 *
 * Guarded by es_lock. Freed by the close, or with the export.
 */
struct echo_handle {
	struct list_head		ehd_item;
	u32				ehd_handle;
	u64				ehd_xid;
	const struct echo_export	*ehd_exp;
	struct lu_object		*ehd_obj;
};

static void handle_free(struct echo_server *server, struct echo_handle *handle)
{
	lockdep_assert_held(&server->es_lock);
	xa_erase(&server->es_handles, handle->ehd_handle);
	list_del(&handle->ehd_item);
	server->es_open--;
	lu_object_put(handle->ehd_obj, LU_HOLDER_OPEN);
	libcfs_free(handle, sizeof(*handle));
}

/**
 * echo_handles_free() - free the handles of a client
 * @server: server; the caller holds es_lock
 * @ee: its client
 *
 * Context: may sleep
 */
void echo_handles_free(struct echo_server *server, struct echo_export *ee)
{
	struct echo_handle *handle, *next;

	list_for_each_entry_safe(handle, next, &ee->ee_handles, ehd_item)
		handle_free(server, handle);
}

static struct echo_handle *handle_make(struct echo_server *server, struct echo_export *ee,
				       struct lu_object *obj)
{
	struct echo_handle *handle = libcfs_zalloc(sizeof(*handle), GFP_KERNEL_ACCOUNT);
	int rc;

	lockdep_assert_held(&server->es_lock);
	if (!handle)
		return ERR_PTR(-ENOMEM);
	rc = xa_alloc_cyclic(&server->es_handles, &handle->ehd_handle, handle, xa_limit_32b,
			     &server->es_handle_next, GFP_KERNEL_ACCOUNT);
	if (rc < 0) {
		libcfs_free(handle, sizeof(*handle));
		return ERR_PTR(rc);
	}
	handle->ehd_exp = ee;
	handle->ehd_obj = obj;
	lu_object_get(obj, LU_HOLDER_OPEN);
	list_add_tail(&handle->ehd_item, &ee->ee_handles);
	server->es_open++;
	return handle;
}

/* The handle that a replay has made before; its client did not get the answer. */
static struct echo_handle *handle_find(struct echo_server *server, struct echo_export *ee,
				       u64 xid)
{
	struct echo_handle *handle;

	lockdep_assert_held(&server->es_lock);
	list_for_each_entry(handle, &ee->ee_handles, ehd_item)
		if (handle->ehd_xid == xid)
			return handle;
	return NULL;
}

static int open_locked(struct echo_server *server, struct echo_export *ee,
		       struct echo_count *count, struct lu_object *obj,
		       const struct ptlrpc_svc_req *sr, __le64 *to)
{
	struct echo_handle *handle = NULL;
	int rc;

	if (sr->sr_msg.flags & MSG_REPLAY)
		handle = handle_find(server, ee, sr->sr_msg.xid);
	if (!handle) {
		handle = handle_make(server, ee, obj);
		if (IS_ERR(handle))
			return PTR_ERR(handle);
		handle->ehd_xid = sr->sr_msg.xid;
	}
	rc = echo_counts_add(server, ee->ee_counts, count);
	if (rc)
		handle_free(server, handle);
	else
		*to = cpu_to_le64(handle->ehd_handle);
	return rc;
}

/* A close that was executed before a restart has no handle, unless its open was replayed. */
static int close_locked(struct echo_server *server, struct echo_export *ee,
			struct echo_count *count, u64 number)
{
	struct echo_handle *handle = number <= U32_MAX ? xa_load(&server->es_handles, number) :
							 NULL;
	int rc;

	if (handle && handle->ehd_exp != ee)
		handle = NULL;
	if (!handle && !echo_counts_done(server, ee->ee_counts, count))
		return -ESTALE;
	rc = echo_counts_add(server, ee->ee_counts, count);
	if (!rc && handle)
		handle_free(server, handle);
	return rc;
}

/* @obj: NULL: close the handle @number */
static int open_or_close(struct ptlrpc_svc_req *sr, struct lu_object *obj, u64 number,
			 __le64 *to)
{
	struct obd_device *obd = sr->sr_exp->exp_obd;
	struct echo_server *server = echo_server(obd);
	struct echo_count count;
	struct echo_export *ee;
	int rc, stop;

	echo_count_init(&count, sr, 0);
	count.renumber = obj;
	rc = tgt_trans_start(obd);
	if (rc)
		return rc;
	ee = echo_export_lock(sr->sr_exp);
	if (ee) {
		rc = obj ? open_locked(server, ee, &count, obj, sr, to) :
			   close_locked(server, ee, &count, number);
		mutex_unlock(&server->es_lock);
	} else {
		rc = -ENOTCONN;
	}
	stop = tgt_trans_stop(obd, count.executed ? count.transno : 0, 0, false);
	sr->sr_transno = count.transno;
	return rc ?: stop;
}

/* Handler of OST_OPEN. */
int echo_open(struct ptlrpc_svc_req *sr)
{
	const __le64 *object = wire_buf(&sr->sr_msg, 0, sizeof(*object));
	__le64 *to = ptlrpc_svc_rep_buf(sr, 0);
	struct lu_object *obj;
	int rc;

	if (!object || !to)
		return object ? -ENOMEM : -EPROTO;
	obj = echo_object_find(echo_server(sr->sr_exp->exp_obd), le64_to_cpu(*object));
	if (IS_ERR(obj))
		return PTR_ERR(obj);
	rc = open_or_close(sr, obj, 0, to);
	lu_object_put(obj, LU_HOLDER_CALL);
	return rc;
}

/* Handler of OST_CLOSE. */
int echo_close(struct ptlrpc_svc_req *sr)
{
	const __le64 *number = wire_buf(&sr->sr_msg, 0, sizeof(*number));

	return number ? open_or_close(sr, NULL, le64_to_cpu(*number), NULL) : -EPROTO;
}
