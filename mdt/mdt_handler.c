// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of all operations, and those that change nothing: attributes; of extended attributes
 * one, the names of all, or all that a client may cache; a sync.
 */
#define DEBUG_SUBSYSTEM S_MDS

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/xattr.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/lustre_ea.h>
#include <lustre_lite/lustre_md.h>

#include "mdt_internal.h"

/* Buffers of a request but MDS_REC and MDS_OBJECTS may be empty. */
#define MDT_REQ_LENS	{ sizeof(struct mdt_rec), sizeof(struct lustre_object) }

static int getattr(struct mdt_call *call)
{
	struct mdt_object *obj = mdt_call_seek(call);
	int rc;

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	rc = call->mtc_op.flags & MDS_GETATTR_USED ? mdt_lease_break(obj) : 0;
	if (rc)
		return rc;
	mdt_guard(call, &obj->mo_lu.lo_fid);
	return mdt_reply_object(call, obj);
}

static int mdt_getattr(struct ptlrpc_svc_req *sr)
{
	return mdt_call_run(sr, getattr);
}

static int getattr_name(struct mdt_call *call)
{
	const struct qstr name = QSTR_INIT(call->mtc_op.name, call->mtc_op.name_len);
	struct mdt_object *dir = mdt_call_object(call, 0);
	struct osd_object found;
	int rc;

	if (IS_ERR(dir))
		return PTR_ERR(dir);
	rc = osd_lookup(&dir->mo_osd, &name, &found);
	if (rc)
		return rc;
	mdt_guard_name(call, dir, &name, &found.oo_fid);
	rc = mdt_call_reply(call, &found);
	osd_object_fini(&found);
	return rc;
}

static int mdt_getattr_name(struct ptlrpc_svc_req *sr)
{
	return mdt_call_run(sr, getattr_name);
}

bool mdt_xattr_is_own(const char *name)
{
	static const char *const own[] = {
		XATTR_NAME_LMA, XATTR_NAME_LOV, XATTR_NAME_LINK, XATTR_NAME_FID, XATTR_NAME_LMV,
		XATTR_NAME_DEFAULT_LMV, XATTR_NAME_SOM, XATTR_NAME_HSM, XATTR_NAME_VERSION,
		XATTR_NAME_SWAP,
	};
	size_t n;

	for (n = 0; n < ARRAY_SIZE(own); n++)
		if (!strcmp(name, own[n]))
			return true;
	return false;
}

static bool xattr_is_trusted(const char *name)
{
	return !strncmp(name, XATTR_TRUSTED_PREFIX, XATTR_TRUSTED_PREFIX_LEN);
}

static bool may_trusted(const struct mdt_call *call)
{
	return call->mtc_op.caps & BIT_ULL(CAP_SYS_ADMIN);
}

/*
 * The credentials of a client lack CAP_SYS_ADMIN, which gives more than attributes. So trusted.*
 * are read without the checks of the backend. The server's own say which names and data an object
 * has; the client guards them from its users.
 */
static ssize_t value_get(struct mdt_call *call, const struct osd_object *obj, const char *name,
			 void *value, size_t size)
{
	if (!xattr_is_trusted(name))
		return osd_getxattr(obj, name, value, size);
	if (!mdt_xattr_is_own(name) && !may_trusted(call))
		return -ENODATA;
	return osd_ea_get(obj, name, value, size);
}

/* Drop the server's own names. Return: bytes that are left */
static ssize_t names_filter(char *names, ssize_t len)
{
	char *from = names, *to = names, *end = names + max_t(ssize_t, len, 0);
	size_t n;

	while (from < end) {
		n = strnlen(from, end - from) + 1;
		if (!mdt_xattr_is_own(from)) {
			memmove(to, from, n);
			to += n;
		}
		from += n;
	}
	return len < 0 ? len : to - names;
}

/* As many bytes as a message has, so that the names can be filtered. */
static ssize_t names_get(struct mdt_call *call, const struct osd_object *obj, char *names)
{
	const struct cred *old = NULL;
	ssize_t len;

	if (may_trusted(call))
		old = override_creds(call->mtc_old);
	len = osd_listxattr(obj, names, MDS_XATTR_MAX);
	if (old)
		revert_creds(old);
	return names_filter(names, len);
}

/* The value, or without an attribute's name all names. Return: bytes, or a negative errno */
static ssize_t xattr_read(struct mdt_call *call, const struct osd_object *obj)
{
	const struct md_op_data *op = &call->mtc_op;
	u32 size = op->name ? min_t(u32, op->size, MDS_XATTR_MAX) : MDS_XATTR_MAX;
	ssize_t len;

	if (size) {
		call->mtc_result = kvmalloc(size, GFP_KERNEL);
		if (!call->mtc_result)
			return -ENOMEM;
	}
	len = op->name ? value_get(call, obj, op->name, call->mtc_result, size) :
			 names_get(call, obj, call->mtc_result);
	return len == -ERANGE && size == MDS_XATTR_MAX ? -E2BIG : len;
}

/* Bytes of the names with empty values, that is the least that a reply has. */
static size_t names_bytes(const char *names, ssize_t len)
{
	struct md_xattr xa = { .value_len = 0 };
	const char *name;
	size_t bytes = 0;

	for (name = names; name < names + len; name += xa.name_len + 1) {
		xa.name_len = strlen(name);
		bytes += md_xattr_size(&xa);
	}
	return bytes;
}

/* An attribute with its value, if that fits @spare bytes. Return: 0 or a negative errno */
static int xattr_fill(struct mdt_call *call, const struct osd_object *obj, struct md_xattr *xa,
		      void *value, size_t spare)
{
	ssize_t len = -ERANGE;

	if (spare)
		len = value_get(call, obj, xa->name, value, spare);
	if (len >= 0) {
		xa->value = value;
		xa->value_len = len;
		return 0;
	}
	xa->flags = len == -EACCES || len == -EPERM ? MDS_XATTR_DENIED : MDS_XATTR_LEFT;
	return len == -ENOMEM ? -ENOMEM : 0;
}

/* @value: memory of @size bytes. Return: bytes of @result, which is as large */
static ssize_t xattrs_encode(struct mdt_call *call, const struct osd_object *obj,
			     const char *names, ssize_t len, void *value, size_t size)
{
	size_t least = names_bytes(names, len), spare = size - least, used = 0;
	const char *name;
	int rc;

	if (least > size)
		return -ERANGE;
	for (name = names; name < names + len; name += strlen(name) + 1) {
		struct md_xattr xa = { .name = name, .name_len = strlen(name) };

		rc = xattr_fill(call, obj, &xa, value, spare);
		if (rc)
			return rc;
		spare -= codec_round8(xa.value_len);
		md_xattr_encode(call->mtc_result + used, &xa);
		used += md_xattr_size(&xa);
	}
	return used;
}

/* All attributes; values that do not fit, or that the user may not read, are omitted. */
static ssize_t xattrs_read(struct mdt_call *call, const struct osd_object *obj)
{
	size_t size = round_down(min_t(u32, call->mtc_op.size, MDS_XATTR_MAX), 8);
	char *names = kvmalloc(MDS_XATTR_MAX, GFP_KERNEL);
	void *value = kvmalloc(size, GFP_KERNEL);
	ssize_t len = -ENOMEM;

	call->mtc_result = kvmalloc(size, GFP_KERNEL);
	if (names && value && call->mtc_result)
		len = names_get(call, obj, names);
	if (len > 0)
		len = xattrs_encode(call, obj, names, len, value, size);
	kvfree(value);
	kvfree(names);
	return len;
}

static ssize_t read_asked(struct mdt_call *call, const struct osd_object *obj)
{
	const struct md_op_data *op = &call->mtc_op;

	if (op->name || !(op->flags & MDS_XATTR_ALL))
		return xattr_read(call, obj);
	if (op->size < sizeof(struct lustre_xattr))
		return -ERANGE;
	/* The reply may grant a lock, under which the client caches it. */
	mdt_guard(call, &op->object[0].fid);
	return xattrs_read(call, obj);
}

/* The length alone, if the client has no buffer. */
static int getxattr(struct mdt_call *call)
{
	struct mdt_object *obj = mdt_call_object(call, 0);
	u32 size = call->mtc_op.size;
	ssize_t len;

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	len = read_asked(call, &obj->mo_osd);
	if (len < 0)
		return len;
	if (size && size < len)
		return -ERANGE;
	call->mtc_rep.length = len;
	call->mtc_rep.result = call->mtc_result;
	call->mtc_rep.result_len = size ? len : 0;
	return mdt_object_name(&obj->mo_osd, &call->mtc_rep.object);
}

static int mdt_getxattr(struct ptlrpc_svc_req *sr)
{
	return mdt_call_run(sr, getxattr);
}

/* The reply says what is on disk. */
static int sync_all(struct mdt_call *call)
{
	return tgt_sync(call->mtc_mdt->mdt_dir.td_obd);
}

static int mdt_sync(struct ptlrpc_svc_req *sr)
{
	return mdt_call_run(sr, sync_all);
}

static const struct ptlrpc_handler mdt_handlers[] = {
	{
		.shd_opc = MDS_GETATTR,
		.shd_portal = MDS_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT,
		.shd_req_lens = MDT_REQ_LENS,
		.shd_fn = mdt_getattr,
	},
	{
		.shd_opc = MDS_GETATTR_NAME,
		.shd_portal = MDS_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT,
		.shd_req_lens = MDT_REQ_LENS,
		.shd_fn = mdt_getattr_name,
	},
	{
		.shd_opc = MDS_REINT,
		.shd_portal = MDS_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT | SVH_ONCE,
		.shd_req_lens = MDT_REQ_LENS,
		.shd_fn = mdt_reint,
	},
	{
		.shd_opc = MDS_CLOSE,
		.shd_portal = MDS_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT | SVH_ONCE,
		.shd_req_lens = MDT_REQ_LENS,
		.shd_fn = mdt_close,
	},
	{
		.shd_opc = MDS_DONE_WRITING,
		.shd_portal = MDS_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT | SVH_ONCE,
		.shd_req_lens = MDT_REQ_LENS,
		.shd_fn = mdt_done,
	},
	{
		.shd_opc = MDS_READPAGE,
		.shd_portal = MDS_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT,
		.shd_req_lens = MDT_REQ_LENS,
		.shd_rep_bulk = mdt_readpage_bytes,
		.shd_fn = mdt_readpage,
	},
	{
		.shd_opc = MDS_GETXATTR,
		.shd_portal = MDS_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT,
		.shd_req_lens = MDT_REQ_LENS,
		.shd_fn = mdt_getxattr,
	},
	{
		.shd_opc = MDS_SYNC,
		.shd_portal = MDS_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT,
		.shd_req_lens = MDT_REQ_LENS,
		.shd_fn = mdt_sync,
	},
	{
		.shd_opc = MDS_SWAP_LAYOUTS,
		.shd_portal = MDS_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT,
		.shd_req_lens = MDT_REQ_LENS,
		.shd_fn = mdt_swap_layouts,
	},
	{
		.shd_opc = MDS_FID2PATH,
		.shd_portal = MDS_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT,
		.shd_req_lens = MDT_REQ_LENS,
		.shd_fn = mdt_fid2path,
	},
	{
		.shd_opc = SEQ_QUERY,
		.shd_portal = MDS_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT,
		.shd_rep_lens = { sizeof(struct lustre_seq_range) },
		.shd_fn = mdt_seq_query,
	},
};

static void mdt_recovered(struct obd_device *obd)
{
	mdt_som_recovered(mdt_device(obd), target_recovery_lost(obd));
	mdd_orphans_recovered(obd);
}

const struct ptlrpc_target_ops mdt_target_ops = {
	.to_handlers		= mdt_handlers,
	.to_handler_count	= ARRAY_SIZE(mdt_handlers),
	.to_recovered		= mdt_recovered,
};
