// SPDX-License-Identifier: GPL-2.0-only
/*
 * Type obdecho over the wire: reads and writes of objects that contain the
 * pattern, their attributes, and counting requests. Unstable writes are counted, too.
 */
#define DEBUG_SUBSYSTEM S_ECHO

#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/lustre_dlm.h>
#include <lustre_lite/ptlrpc_service.h>
#include <lustre_lite/wire.h>

#include "echo_internal.h"

/* Buffers of OST_GETATTR and its reply. */
#define ATTR_BODY	0
#define ATTR_LOCK	1
/* Seconds that OST_GETATTR waits for writers of the object. */
#define ATTR_LOCK_SEC	300

/* Buffers of OST_SET_INFO. */
#define INFO_KEY	0
#define INFO_VALUE	1

/* struct echo_brw - decoded struct lustre_brw */
struct echo_brw {
	u64			object;
	u64			offset;
	u32			len;
	u32			at;
	bool			async;
	struct echo_export	*ee;
};

/* Decode the request; the reply repeats it. */
static int brw_begin(struct ptlrpc_svc_req *sr, struct echo_brw *brw)
{
	const struct lustre_brw *asked = wire_buf(&sr->sr_msg, 0,
						  sizeof(*asked));
	struct lustre_brw *done;

	brw->ee = sr->sr_exp->exp_data;
	if (!brw->ee)
		return -ENOTCONN;
	if (!asked)
		return -EPROTO;
	brw->len = le32_to_cpu(asked->wb_len);
	if (!brw->len || brw->len > WIRE_BULK_MAX)
		return -EINVAL;
	if (le32_to_cpu(asked->wb_flags) & ~OBD_BRW_ASYNC)
		return -EOPNOTSUPP;
	brw->async = le32_to_cpu(asked->wb_flags) & OBD_BRW_ASYNC;
	brw->object = le64_to_cpu(asked->wb_object);
	brw->offset = le64_to_cpu(asked->wb_offset);
	brw->at = echo_pattern_at(brw->object, brw->offset);
	done = ptlrpc_svc_rep_buf(sr, 0);
	if (!done)
		return -ENOMEM;
	*done = *asked;
	return 0;
}

/* Locks of an object are those of the resource of its number. */
static void brw_progress(struct ptlrpc_svc_req *sr, const struct echo_brw *brw)
{
	const struct ldlm_res_id res = { .name = { brw->object } };
	const u64 most = LDLM_EXTENT_EOF - brw->offset;
	const struct ldlm_extent part = {
		.first = brw->offset,
		.last = brw->offset + min_t(u64, brw->len - 1, most),
	};

	ldlm_server_progress(sr->sr_exp->exp_obd, sr->sr_exp, &res, &part);
}

/* A range that starts or ends within a page: the request owns its parts. */
static int read_parts(struct ptlrpc_svc_req *sr, const struct echo_brw *brw)
{
	struct bio_vec *vec = kvmalloc_array(ECHO_VEC_MAX(brw->len),
					     sizeof(*vec), GFP_KERNEL);
	unsigned int n;

	if (!vec)
		return -ENOMEM;
	sr->sr_rep_bulk = vec;
	sr->sr_rep_bulk_nr = echo_pattern_vec(brw->at, brw->len, vec);
	sr->sr_rep_bulk_owned = true;
	for (n = 0; n < sr->sr_rep_bulk_nr; n++)
		get_page(vec[n].bv_page);
	return 0;
}

static int echo_read(struct ptlrpc_svc_req *sr)
{
	struct echo_brw brw;
	int rc = brw_begin(sr, &brw);

	if (rc)
		return rc;
	sr->sr_rep_bulk = echo_pattern_pages(brw.at, brw.len);
	sr->sr_rep_bulk_nr = brw.len / PAGE_SIZE;
	if (!sr->sr_rep_bulk)
		rc = read_parts(sr, &brw);
	if (rc)
		return rc;
	sr->sr_rep_bulk_len = brw.len;
	brw_progress(sr, &brw);
	atomic64_inc(&brw.ee->ee_reads);
	return 0;
}

/* A request that adds @number. */
void echo_count_init(struct echo_count *count, const struct ptlrpc_svc_req *sr, u64 number)
{
	*count = (struct echo_count) {
		.number = number,
		.xid = sr->sr_msg.xid,
		.last_xid = sr->sr_msg.last_xid,
		.transno = sr->sr_msg.transno,
		.replay = sr->sr_msg.flags & MSG_REPLAY,
	};
}

/* @bytes: of an unstable write; 0: a counting request */
static int count_request(struct ptlrpc_svc_req *sr, u64 number, u64 bytes)
{
	struct echo_count count;
	int rc;

	echo_count_init(&count, sr, number);
	count.unstable = bytes;
	count.bytes = bytes;
	rc = echo_server_count(sr->sr_exp, &count);
	sr->sr_transno = count.transno;
	return rc;
}

static int echo_write(struct ptlrpc_svc_req *sr)
{
	struct echo_server *server = echo_server(sr->sr_exp->exp_obd);
	struct echo_brw brw;
	int rc = brw_begin(sr, &brw);

	if (rc)
		return rc;
	if (brw.len != sr->sr_bulk_len)
		return -EPROTO;
	if (READ_ONCE(server->es_check) &&
	    !echo_pattern_is(brw.at, sr->sr_bulk, sr->sr_bulk_nr, brw.len)) {
		CERROR("%s: %u bytes from %s do not match the pattern: rc = %d\n",
		       server->es_obd->obd_name, brw.len,
		       sr->sr_exp->exp_client_uuid.uuid, -EBADMSG);
		return -EBADMSG;
	}
	brw_progress(sr, &brw);
	echo_object_grow(server, brw.object, brw.offset + brw.len);
	atomic64_inc(&brw.ee->ee_writes);
	return brw.async ? count_request(sr, 1, brw.len) : 0;
}

/*
 * Writers give up their locks first, and tell the size. The server holds a lock of its own
 * until the client has the one that it wants.
 */
static int echo_getattr(struct ptlrpc_svc_req *sr)
{
	static const struct ldlm_policy all = { .extent = { 0, LDLM_EXTENT_EOF } };
	struct obd_device *obd = sr->sr_exp->exp_obd;
	const struct lustre_echo_attr *asked = wire_buf(&sr->sr_msg, ATTR_BODY,
							sizeof(*asked));
	struct lustre_echo_attr *attr = ptlrpc_svc_rep_buf(sr, ATTR_BODY);
	struct ldlm_wanted wanted;
	struct ldlm_res_id res;
	struct ldlm_lock *own;
	int rc;

	if (!asked || !attr)
		return asked ? -ENOMEM : -EPROTO;
	res = (struct ldlm_res_id) { .name = { le64_to_cpu(asked->ea_object) } };
	rc = ldlm_local_lock(obd, LDLM_EXTENT, &res, LCK_PR, &all, 0, ATTR_LOCK_SEC,
			     NULL, &own);
	if (rc)
		return rc;
	attr->ea_object = asked->ea_object;
	attr->ea_size = cpu_to_le64(echo_object_size(echo_server(obd), res.name[0]));
	if (ldlm_reply_wanted(sr, ATTR_LOCK, &wanted) &&
	    wanted.lwa_type == LDLM_EXTENT && wanted.lwa_mode == LCK_PR)
		ldlm_reply_grant(sr, ATTR_LOCK, ATTR_LOCK, &res, own);
	ldlm_local_unlock(own);
	return 0;
}

/* The reply says what is on disk. */
static int echo_sync(struct ptlrpc_svc_req *sr)
{
	return tgt_sync(sr->sr_exp->exp_obd);
}

static int echo_set_info(struct ptlrpc_svc_req *sr)
{
	const struct wire_msg *msg = &sr->sr_msg;
	const char *key = wire_text(msg, INFO_KEY);
	const __le64 *number;

	if (!key || msg->bufcount <= INFO_VALUE)
		return -EPROTO;
	if (!strcmp(key, ECHO_KEY_COUNT)) {
		number = wire_buf(msg, INFO_VALUE, sizeof(*number));
		return number ? count_request(sr, le64_to_cpu(*number), 0) : -EPROTO;
	}
	return obd_set_info_async(sr->sr_exp, key, msg->bufs[INFO_VALUE],
				  msg->buflens[INFO_VALUE]);
}

static u32 read_bytes(const struct wire_msg *msg)
{
	const struct lustre_brw *brw = wire_buf(msg, 0, sizeof(*brw));

	return brw ? le32_to_cpu(brw->wb_len) : 0;
}

static const struct ptlrpc_handler echo_handlers[] = {
	{
		.shd_opc = OST_READ,
		.shd_portal = OST_IO_PORTAL,
		.shd_flags = SVH_EXPORT | SVH_QUICK,
		.shd_req_lens = { sizeof(struct lustre_brw) },
		.shd_rep_lens = { sizeof(struct lustre_brw) },
		.shd_rep_bulk = read_bytes,
		.shd_fn = echo_read,
	},
	{
		.shd_opc = OST_WRITE,
		.shd_portal = OST_IO_PORTAL,
		.shd_flags = SVH_EXPORT | SVH_QUICK | SVH_BULK_IN,
		.shd_req_lens = { sizeof(struct lustre_brw) },
		.shd_rep_lens = { sizeof(struct lustre_brw) },
		.shd_fn = echo_write,
	},
	{
		.shd_opc = OST_OPEN,
		.shd_portal = OST_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT | SVH_ONCE,
		.shd_req_lens = { sizeof(__le64) },
		.shd_rep_lens = { sizeof(__le64) },
		.shd_fn = echo_open,
	},
	{
		.shd_opc = OST_CLOSE,
		.shd_portal = OST_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT | SVH_ONCE,
		.shd_req_lens = { sizeof(__le64) },
		.shd_fn = echo_close,
	},
	{
		.shd_opc = OST_GETATTR,
		.shd_portal = OST_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT,
		.shd_req_lens = { sizeof(struct lustre_echo_attr),
				  sizeof(struct lustre_lock) },
		.shd_rep_lens = { sizeof(struct lustre_echo_attr),
				  sizeof(struct lustre_lock) },
		.shd_fn = echo_getattr,
	},
	{
		.shd_opc = OST_DESTROY,
		.shd_portal = OST_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT | SVH_ONCE,
		.shd_req_lens = { sizeof(struct lustre_echo_attr) },
		.shd_fn = echo_destroy,
	},
	{
		.shd_opc = OST_PUNCH,
		.shd_portal = OST_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT | SVH_ONCE,
		.shd_req_lens = { sizeof(struct lustre_echo_attr) },
		.shd_fn = echo_punch,
	},
	{
		.shd_opc = OST_SYNC,
		.shd_portal = OST_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT,
		.shd_fn = echo_sync,
	},
	{
		.shd_opc = OST_SET_INFO,
		.shd_portal = OST_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT | SVH_ONCE,
		.shd_req_lens = { 1 },
		.shd_fn = echo_set_info,
	},
	{
		.shd_opc = MDS_SET_INFO,
		.shd_portal = MDS_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT | SVH_ONCE,
		.shd_req_lens = { 1 },
		.shd_fn = echo_set_info,
	},
};

/* Whether another export of the client is connected. */
static bool has_export(struct echo_server *server, const struct obd_uuid *client)
{
	struct echo_export *ee;

	lockdep_assert_held(&server->es_lock);
	list_for_each_entry(ee, &server->es_exports, ee_list)
		if (!memcmp(&ee->ee_exp->exp_client_uuid, client, sizeof(*client)) &&
		    class_connected_export(ee->ee_exp))
			return true;
	return false;
}

static void echo_client_gone(struct obd_device *obd,
			     const struct obd_uuid *client)
{
	struct echo_server *server = echo_server(obd);

	mutex_lock(&server->es_lock);
	if (!has_export(server, client))
		echo_counts_know(server, client, false);
	mutex_unlock(&server->es_lock);
}

const struct ptlrpc_target_ops echo_target_ops = {
	.to_handlers		= echo_handlers,
	.to_handler_count	= ARRAY_SIZE(echo_handlers),
	.to_client_gone		= echo_client_gone,
};
