/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The start of the cases of files over objects: obd_types.h, and
 *
 *	kunit_ost	a type of object storage targets: objects in memory, which a restart
 *			that is a failure empties; it can be told to fail or to wait. Locks of
 *			objects have values, and clients are asked for what they have not written
 *
 * LF_OSTS devices of it, and a lov with an osc for each, connected to them inside this kernel.
 */
#ifndef _KUNIT_LOV_FIXTURE_H
#define _KUNIT_LOV_FIXTURE_H

#include <linux/file.h>
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/namei.h>
#include <linux/sched/signal.h>
#include <linux/uio.h>
#include <linux/vmalloc.h>
#include <net/net_namespace.h>

#include <lustre_lite/ost_grant.h>
#include <lustre_lite/lov_ea.h>
#include <lustre_lite/lustre_dlm.h>
#include <lustre_lite/lu_target.h>
#include <lustre_lite/lustre_ost.h>
#include <lustre_lite/ptlrpc.h>
#include <lustre_lite/ptlrpc_target.h>

#include "../../ptlrpc/net/net.h"
#include "obd_types.h"

#define LF_NID		"127.0.0.1@tcp"
#define LF_FOLDER	"/tmp"
#define LF_INSTANCE	7
#define LF_OSTS		3
#define LF_OBJECTS	2
#ifndef LF_OBJECT_MAX
#define LF_OBJECT_MAX	(2 * TY_MIB)
#endif
#define LF_BLOCK	4096ULL

/* struct lf_object - an object of a target */
struct lf_object {
	u64		id;
	u8		*bytes;
	u64		size;
	struct md_attr	attr;
};

/* struct lf_ost - a target */
struct lf_ost {
	struct obd_device	*obd;
	struct obd_device	*osc;
	struct lf_object	objects[LF_OBJECTS];
	u64			committed;
	int			rc;
	u64			count_off;
	atomic_t		syncs;
	atomic_t		writes;
	atomic_t		stable;
	atomic_t		asked;
	u64			grant;		/* given so far */
	u64			used;		/* by the last write */
	u64			largest;
	u32			brw_size;	/* that clients are told, or 0 */
	u64			parent;
	u64			seek;		/* its answer, if it is not 0 */
};

static struct {
	spinlock_t		lock;
	struct lf_ost		ost[LF_OSTS];
	bool			wait;
	atomic_t		running;
	struct obd_device	*lov;
	struct obd_export	*exp;
	/* another client, of the first target only */
	struct obd_device	*other_lov;
	struct obd_device	*other_osc;
	struct obd_export	*other_exp;
	bool			registered;
} lf;

static inline bool lf_await(bool (*happened)(void))
{
	unsigned long until = jiffies + FIXTURE_WAIT;

	while (!happened() && time_before(jiffies, until))
		msleep(20);
	return happened();
}

static inline bool lf_may_go(void)
{
	return !READ_ONCE(lf.wait);
}

static inline bool lf_all_run(void)
{
	return atomic_read(&lf.running) == LF_OSTS;
}

/* A request stays at the target as long as the case wants. */
static inline void lf_stay(void)
{
	atomic_inc(&lf.running);
	lf_await(lf_may_go);
	atomic_dec(&lf.running);
}

/* Objects. */

static inline struct lf_ost *lf_ost_of(const struct obd_device *obd)
{
	return &lf.ost[obd->obd_name[3] - '0'];
}

/* Kept until the end of the case. */
static inline struct lf_object *lf_object_of(struct lf_ost *ost, u64 id)
{
	struct lf_object *obj = ost->objects;

	spin_lock(&lf.lock);
	while (obj->id && obj->id != id)
		obj++;
	obj->id = id;
	spin_unlock(&lf.lock);
	return obj;
}

static inline void lf_trim(struct lf_object *obj, u64 size)
{
	if (size < obj->size)
		memset(obj->bytes + size, 0, obj->size - size);
	obj->size = size;
}

static inline void lf_times(struct lf_object *obj, const struct md_attr *attr)
{
	if (attr->valid & MDS_ATTR_ATIME)
		obj->attr.atime = attr->atime;
	if (attr->valid & MDS_ATTR_MTIME)
		obj->attr.mtime = attr->mtime;
	if (attr->valid & MDS_ATTR_CTIME)
		obj->attr.ctime = attr->ctime;
}

static inline struct md_attr lf_attr(const struct lf_object *obj)
{
	struct md_attr attr = obj->attr;

	attr.size = obj->size;
	attr.blocks = DIV_ROUND_UP(obj->size, 512);
	return attr;
}

/* Values of locks. */

static inline struct ldlm_res_id lf_res(u64 id)
{
	return (struct ldlm_res_id){ .name = { id } };
}

static int lf_lvb_init(struct obd_device *obd, const struct ldlm_res_id *res, void *lvb)
{
	const struct md_attr attr = lf_attr(lf_object_of(lf_ost_of(obd), res->name[0]));

	if (lf_ost_of(obd)->rc == -ESTALE)
		return -ESTALE;
	ost_lvb_encode(lvb, &attr);
	return 0;
}

static void lf_lvb_merge(void *lvb, const void *newer)
{
	struct md_attr attr, other;

	if (!ost_lvb_decode(lvb, &attr) || !ost_lvb_decode(newer, &other))
		return;
	attr.size = max(attr.size, other.size);
	attr.blocks = max(attr.blocks, other.blocks);
	if (other.ctime.sec >= attr.ctime.sec) {
		attr.mtime = other.mtime;
		attr.ctime = other.ctime;
	}
	ost_lvb_encode(lvb, &attr);
}

static bool lf_lvb_asks(const void *lvb, const struct ldlm_extent *held)
{
	return true;
}

static const struct ldlm_lvb_ops lf_lvb_ops = {
	.lvbo_size = sizeof(struct ost_lvb),
	.lvbo_own = true,
	.lvbo_init = lf_lvb_init,
	.lvbo_merge = lf_lvb_merge,
	.lvbo_asks = lf_lvb_asks,
};

static inline void lf_changed(struct lf_ost *ost, const struct lf_object *obj)
{
	const struct ldlm_res_id res = lf_res(obj->id);
	const struct md_attr attr = lf_attr(obj);
	struct ost_lvb lvb;

	ost_lvb_encode(&lvb, &attr);
	ldlm_server_lvb_set(ost->obd, &res, &lvb);
}

/* Handlers. */

/* @attr: of the object, or NULL */
static inline int lf_reply(struct ptlrpc_svc_req *sr, const struct md_attr *attr, u64 count)
{
	struct ost_body *body = ptlrpc_svc_rep_buf(sr, OST_BODY);
	struct ost_reply rep = { .count = count, .first = lf_ost_of(sr->sr_exp->exp_obd)->grant };

	if (!body)
		return -ENOMEM;
	if (attr)
		rep.attr = *attr;
	ost_reply_encode(body, &rep);
	return 0;
}

static inline int lf_reply_of(struct ptlrpc_svc_req *sr, const struct lf_object *obj, u64 count)
{
	const struct md_attr attr = lf_attr(obj);

	return lf_reply(sr, &attr, count);
}

static inline int lf_change(struct ptlrpc_svc_req *sr, bool stable)
{
	struct obd_device *obd = sr->sr_exp->exp_obd;
	int rc = tgt_trans_start(obd);

	if (rc)
		return rc;
	sr->sr_transno = tgt_trans_number(obd, sr->sr_msg.flags & MSG_REPLAY ?
					       sr->sr_msg.transno : 0);
	rc = tgt_trans_stop(obd, sr->sr_transno, 0, true);
	return rc ?: stable ? tgt_commit(obd, sr->sr_transno) : 0;
}

/* Decode, stay, and find the object. */
static inline int lf_begin(struct ptlrpc_svc_req *sr, struct ost_op *op, struct lf_ost **ost,
			   struct lf_object **obj)
{
	*ost = lf_ost_of(sr->sr_exp->exp_obd);
	if (ost_op_decode(&sr->sr_msg, op))
		return -EPROTO;
	lf_stay();
	*obj = lf_object_of(*ost, fid_idif_object(&op->object));
	return (*ost)->rc;
}

/* The lock that a read asks for. Return: whether it has it */
static inline bool lf_grant_lock(struct ptlrpc_svc_req *sr, const struct ost_op *op)
{
	static const u32 lens[] = { sizeof(struct ost_body), sizeof(struct lustre_lock) };
	const struct ldlm_res_id res = lf_res(fid_idif_object(&op->object));

	return !ptlrpc_svc_rep_size(sr, lens, ARRAY_SIZE(lens)) &&
	       ldlm_reply_grant(sr, OST_LOCK, OST_GRANTED, &res, NULL);
}

static inline int lf_read(struct ptlrpc_svc_req *sr)
{
	struct lf_object *obj;
	struct bio_vec *vec;
	struct lf_ost *ost;
	struct ost_op op;
	u64 at, len;
	int rc = lf_begin(sr, &op, &ost, &obj);

	if (rc)
		return rc;
	if (op.lock && !lf_grant_lock(sr, &op))
		return lf_reply_of(sr, obj, 0);
	ost->largest = max(ost->largest, op.len);
	len = op.offset < obj->size ? min(op.len, obj->size - op.offset) : 0;
	vec = len ? kmalloc_array(DIV_ROUND_UP(len, PAGE_SIZE), sizeof(*vec), GFP_KERNEL) : NULL;
	for (at = 0; vec && at < len; at += PAGE_SIZE) {
		bvec_set_page(&vec[at / PAGE_SIZE], alloc_page(GFP_KERNEL | __GFP_NOFAIL),
			      min_t(u64, len - at, PAGE_SIZE), 0);
		memcpy(page_address(vec[at / PAGE_SIZE].bv_page), obj->bytes + op.offset + at,
		       vec[at / PAGE_SIZE].bv_len);
	}
	sr->sr_rep_bulk = vec;
	sr->sr_rep_bulk_nr = DIV_ROUND_UP(len, PAGE_SIZE);
	sr->sr_rep_bulk_len = len;
	sr->sr_rep_bulk_owned = vec;
	return lf_reply_of(sr, obj, len + ost->count_off);
}

static inline u32 lf_read_bytes(const struct wire_msg *msg)
{
	return WIRE_BULK_MAX;
}

static inline int lf_write(struct ptlrpc_svc_req *sr)
{
	struct lf_object *obj;
	struct iov_iter iter;
	struct lf_ost *ost;
	unsigned int n;
	struct ost_op op;
	u64 at, len;
	bool stable;
	int rc = lf_begin(sr, &op, &ost, &obj);

	if (rc)
		return rc;
	if (op.len != sr->sr_bulk_len)
		return -EPROTO;
	stable = !(op.flags & OBD_BRW_ASYNC);
	atomic_inc(&ost->writes);
	atomic_add(stable, &ost->stable);
	ost->largest = max(ost->largest, op.len);
	ost->parent = op.parent.stripe.parent.f_oid;
	ost->used = op.claim.used;
	iov_iter_bvec(&iter, ITER_SOURCE, sr->sr_bulk, sr->sr_bulk_nr, op.len);
	for (n = 0; n < ost_op_ranges(&op); n++) {
		at = ost_op_range(&op, n, &len);
		if (at + len > LF_OBJECT_MAX || copy_from_iter(obj->bytes + at, len, &iter) != len)
			return -EFBIG;
		obj->size = max(obj->size, at + len);
	}
	lf_times(obj, &op.attr);
	lf_changed(ost, obj);
	return lf_change(sr, stable) ?: lf_reply_of(sr, obj, op.len + ost->count_off);
}

/* What clients have not written yet is part of it. */
static inline int lf_getattr(struct ptlrpc_svc_req *sr)
{
	struct lf_object *obj;
	struct ldlm_res_id res;
	struct md_attr attr;
	struct lf_ost *ost;
	struct ost_lvb lvb;
	struct ost_op op;
	int rc = lf_begin(sr, &op, &ost, &obj);

	if (rc)
		return rc;
	res = lf_res(obj->id);
	rc = ldlm_server_value(ost->obd, &res, &lvb);
	if (rc || !ost_lvb_decode(&lvb, &attr))
		return rc ?: -EPROTO;
	attr.atime = obj->attr.atime;
	return lf_reply(sr, &attr, 0);
}

static inline int lf_setattr(struct ptlrpc_svc_req *sr)
{
	struct lf_object *obj;
	struct lf_ost *ost;
	struct ost_op op;
	int rc = lf_begin(sr, &op, &ost, &obj);

	if (rc)
		return rc;
	if (op.opc == OST_PUNCH)
		lf_trim(obj, op.offset);
	lf_times(obj, &op.attr);
	lf_changed(ost, obj);
	return lf_change(sr, false) ?: lf_reply_of(sr, obj, 0);
}

/* Bytes of the object from op->offset on, up to the end of the memory that it has. */
static inline u64 lf_len(const struct ost_op *op)
{
	return op->offset < LF_OBJECT_MAX ? min(op->len, LF_OBJECT_MAX - op->offset) : 0;
}

static inline int lf_fallocate(struct ptlrpc_svc_req *sr)
{
	struct lf_object *obj;
	struct lf_ost *ost;
	struct ost_op op;
	int rc = lf_begin(sr, &op, &ost, &obj);

	if (rc)
		return rc;
	ost->parent = op.parent.stripe.parent.f_oid;
	if (op.flags & (OST_FALLOC_PUNCH_HOLE | OST_FALLOC_ZERO_RANGE))
		memset(obj->bytes + op.offset, 0, lf_len(&op));
	if (!(op.flags & OST_FALLOC_KEEP_SIZE))
		obj->size = max(obj->size, op.offset + op.len);
	lf_times(obj, &op.attr);
	lf_changed(ost, obj);
	return lf_change(sr, false) ?: lf_reply_of(sr, obj, 0);
}

/* A block of zeros is a hole. */
static inline u64 lf_seek_in(const struct lf_object *obj, u64 pos, bool hole)
{
	u64 end;

	for (; pos < min(obj->size, LF_OBJECT_MAX); pos = end) {
		end = min(obj->size, round_down(pos, LF_BLOCK) + LF_BLOCK);
		if (!memchr_inv(obj->bytes + round_down(pos, LF_BLOCK), 0, LF_BLOCK) == hole)
			return pos;
	}
	return hole ? pos : OST_SEEK_NONE;
}

static inline int lf_seek(struct ptlrpc_svc_req *sr)
{
	struct ost_body *body = ptlrpc_svc_rep_buf(sr, OST_BODY);
	struct ost_reply rep = {};
	struct lf_object *obj;
	struct lf_ost *ost;
	struct ost_op op;
	int rc = lf_begin(sr, &op, &ost, &obj);

	if (rc || !body)
		return rc ?: -ENOMEM;
	rep.first = ost->seek ?: lf_seek_in(obj, op.offset, op.flags & OST_SEEK_HOLE);
	ost_reply_encode(body, &rep);
	return 0;
}

static inline int lf_sync(struct ptlrpc_svc_req *sr)
{
	struct lf_ost *ost = lf_ost_of(sr->sr_exp->exp_obd);

	atomic_inc(&ost->syncs);
	return tgt_sync(ost->obd) ?: lf_reply(sr, NULL, 0);
}

static inline int lf_grant(struct ptlrpc_svc_req *sr)
{
	atomic_inc(&lf_ost_of(sr->sr_exp->exp_obd)->asked);
	sr->sr_rep_handle = sr->sr_exp->exp_handle.h_cookie;
	return lf_reply(sr, NULL, 0);
}

#define LF_OP(opc, portal, flags, fn)					\
	.shd_opc = (opc), .shd_portal = (portal),			\
	.shd_flags = SVH_EXPORT | (flags),				\
	.shd_rep_lens = { sizeof(struct ost_body) }, .shd_fn = (fn)

static const struct ptlrpc_handler lf_handlers[] = {
	{ LF_OP(OST_READ, OST_IO_PORTAL, 0, lf_read), .shd_rep_bulk = lf_read_bytes },
	{ LF_OP(OST_WRITE, OST_IO_PORTAL, SVH_ONCE | SVH_BULK_IN, lf_write) },
	{ LF_OP(OST_PUNCH, OST_IO_PORTAL, SVH_ONCE, lf_setattr) },
	{ LF_OP(OST_GETATTR, OST_REQUEST_PORTAL, 0, lf_getattr) },
	{ LF_OP(OST_SETATTR, OST_REQUEST_PORTAL, SVH_ONCE, lf_setattr) },
	{ LF_OP(OST_SYNC, OST_REQUEST_PORTAL, 0, lf_sync) },
	{ LF_OP(OST_GRANT, OST_REQUEST_PORTAL, 0, lf_grant) },
	{ LF_OP(OST_FALLOCATE, OST_IO_PORTAL, SVH_ONCE, lf_fallocate) },
	{ LF_OP(OST_SEEK, OST_REQUEST_PORTAL, 0, lf_seek) },
};

static const struct ptlrpc_target_ops lf_target_ops = {
	.to_handlers = lf_handlers,
	.to_handler_count = ARRAY_SIZE(lf_handlers),
};

/* The type. */

static int lf_commit(struct obd_device *obd, u64 transno)
{
	lf_ost_of(obd)->committed = transno;
	return 0;
}

static const struct lu_target_ops lf_lut_ops = {
	.lto_commit = lf_commit,
};

/* The list of clients of a target. */
static inline void lf_clients(char *text, size_t size, const char *name)
{
	snprintf(text, size, "kunit_%s.last_rcvd", name);
}

static int lf_setup(struct obd_device *obd, const struct lcfg_view *cfg, struct obd_why *why)
{
	char clients[32];
	struct path path;
	const struct tgt_conf conf = {
		.tgc_ops = &lf_lut_ops,
		.tgc_dir = &path,
		.tgc_name = clients,
		.tgc_incompat = OBD_INCOMPAT_OST,
		.tgc_committed = lf_ost_of(obd)->committed,
	};
	int rc = kern_path(LF_FOLDER, LOOKUP_DIRECTORY, &path);

	if (rc)
		return rc;
	lf_clients(clients, sizeof(clients), obd->obd_name);
	rc = PTR_ERR_OR_ZERO(ldlm_namespace_new(obd, LDLM_SERVER));
	if (!rc) {
		ldlm_server_lvb_ops(obd, &lf_lvb_ops);
		rc = tgt_init(obd, &conf, why);
	}
	path_put(&path);
	if (rc)
		goto free_namespace;
	rc = ptlrpc_target_start(obd, why);
	if (!rc)
		return 0;
	tgt_fini(obd);
free_namespace:
	ldlm_namespace_free(obd->obd_namespace);
	return rc;
}

static int lf_precleanup(struct obd_device *obd)
{
	ptlrpc_target_stop(obd);
	return 0;
}

static int lf_cleanup(struct obd_device *obd)
{
	tgt_fini(obd);
	ldlm_namespace_free(obd->obd_namespace);
	return 0;
}

static int lf_connect_ost(struct obd_export **exp, struct obd_device *obd,
			  const struct obd_uuid *uuid, const struct lnet_nid *nid,
			  struct obd_connect_data *ocd)
{
	const struct lf_ost *ost = lf_ost_of(obd);

	if (ocd && ost->brw_size)
		ocd->ocd_brw_size = min(ocd->ocd_brw_size, ost->brw_size);
	return kt_connect(exp, obd, uuid, nid, ocd);
}

static int lf_reconnect(struct obd_export *exp, struct obd_device *obd,
			const struct obd_uuid *uuid, struct obd_connect_data *ocd)
{
	return 0;
}

static const struct obd_ops lf_ops = {
	.o_owner = THIS_MODULE,
	.o_setup = lf_setup,
	.o_precleanup = lf_precleanup,
	.o_cleanup = lf_cleanup,
	.o_connect = lf_connect_ost,
	.o_reconnect = lf_reconnect,
	.o_disconnect = class_disconnect,
};

static struct obd_type lf_type = {
	.typ_name = "kunit_ost",
	.typ_dt_ops = &lf_ops,
	.typ_target = &lf_target_ops,
};

/* Start and end of a case. */

static noinline_for_stack void lf_start(struct kunit *test, unsigned int n)
{
	char name[8], uuid[16], param[48];

	snprintf(name, sizeof(name), "ost%u", n);
	snprintf(uuid, sizeof(uuid), "ost%u_UUID", n);
	snprintf(param, sizeof(param), "kunit_ost/%s/commit_interval", name);
	lf.ost[n].obd = ty_start(test, "kunit_ost", name, uuid, NULL, NULL);
	/* The test itself has transactions committed. */
	KUNIT_EXPECT_EQ(test, 0L, client_write(fx.client, param, "60000"));
}

/* As if its machine had failed: the case has committed nothing that it wants to find. */
static inline void lf_restart(struct kunit *test, unsigned int n)
{
	struct lf_ost *ost = &lf.ost[n];
	size_t i;

	KUNIT_EXPECT_EQ(test, 0, class_cleanup(ost->obd, true, true, NULL));
	kt_end(test, ost->obd);
	for (i = 0; i < LF_OBJECTS; i++)
		lf_trim(&ost->objects[i], 0);
	lf_start(test, n);
}

static inline int lf_ost_init(struct lf_ost *ost, unsigned int n)
{
	char name[8], clients[32], path[64];
	struct file *file;
	size_t i;

	for (i = 0; i < LF_OBJECTS; i++) {
		ost->objects[i].bytes = vzalloc(LF_OBJECT_MAX);
		if (!ost->objects[i].bytes)
			return -ENOMEM;
	}
	snprintf(name, sizeof(name), "ost%u", n);
	lf_clients(clients, sizeof(clients), name);
	snprintf(path, sizeof(path), LF_FOLDER "/%s", clients);
	file = filp_open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (IS_ERR(file))
		return PTR_ERR(file);
	fput(file);
	return 0;
}

static inline int lf_init(struct kunit *test)
{
	struct lnet_nid nid;
	unsigned int n;
	int rc = obd_fixture_init(test);

	memset(&lf, 0, sizeof(lf));
	spin_lock_init(&lf.lock);
	for (n = 0; !rc && n < LF_OSTS; n++)
		rc = lf_ost_init(&lf.ost[n], n);
	rc = rc ?: class_register_type(&lf_type);
	lf.registered = !rc;
	return rc ?: libcfs_nid_parse(LF_NID, strlen(LF_NID), &nid, NULL) ?:
		     class_add_uuid(0, LF_NID, &nid);
}

/* The targets, their clients, and the volume above. */
static inline void lf_connect(struct kunit *test)
{
	struct obd_why why = { "" };
	char name[8], uuid[16];
	unsigned int n;

	lf.lov = ty_volume(test, "lov", "lov", LF_INSTANCE);
	for (n = 0; n < LF_OSTS; n++) {
		lf_start(test, n);
		snprintf(name, sizeof(name), "osc%u", n);
		snprintf(uuid, sizeof(uuid), "ost%u_UUID", n);
		lf.ost[n].osc = ty_attach_in(test, "osc", name, TY_GROUP, LF_INSTANCE);
		KUNIT_ASSERT_EQ_MSG(test, 0, ty_setup(lf.ost[n].osc, uuid, LF_NID, &why), "%s",
				    why.text);
		name[0] = '0' + n;
		name[1] = '\0';
		KUNIT_ASSERT_EQ_MSG(test, 0, ty_add(lf.lov, uuid, name, &why), "%s", why.text);
	}
	lf.exp = ty_connect(test, lf.lov, "user_UUID");
}

/* Another client. */
static inline void lf_connect_other(struct kunit *test)
{
	struct obd_why why = { "" };

	lf.other_lov = ty_attach_in(test, "lov", "other", "other_UUID", LF_INSTANCE + 1);
	KUNIT_ASSERT_EQ(test, 0, ({
		struct lov_desc desc = ty_desc();

		ty_setup_desc(lf.other_lov, &desc, &why);
	}));
	lf.other_osc = ty_attach_in(test, "osc", "other0", "other_UUID", LF_INSTANCE + 1);
	KUNIT_ASSERT_EQ(test, 0, ty_setup(lf.other_osc, "ost0_UUID", LF_NID, &why));
	KUNIT_ASSERT_EQ(test, 0, ty_add(lf.other_lov, "ost0_UUID", "0", &why));
	lf.other_exp = ty_connect(test, lf.other_lov, "other_UUID");
}

static inline void lf_end(struct kunit *test, struct obd_device **obd)
{
	if (*obd)
		kt_end(test, *obd);
	*obd = NULL;
}

static inline void lf_exit(struct kunit *test)
{
	unsigned int n;
	size_t i;

	WRITE_ONCE(lf.wait, false);
	if (lf.exp)
		obd_disconnect(lf.exp);
	if (lf.other_exp)
		obd_disconnect(lf.other_exp);
	lf_end(test, &lf.lov);
	lf_end(test, &lf.other_lov);
	lf_end(test, &lf.other_osc);
	for (n = 0; n < LF_OSTS; n++) {
		lf_end(test, &lf.ost[n].osc);
		lf_end(test, &lf.ost[n].obd);
	}
	class_del_uuid(NULL);
	lnet_reset(&init_net, NULL);
	obd_zombie_barrier();
	if (lf.registered)
		kt_unregister(test, &lf_type);
	for (n = 0; n < LF_OSTS; n++)
		for (i = 0; i < LF_OBJECTS; i++)
			vfree(lf.ost[n].objects[i].bytes);
	fixture_is_outlived();
	obd_fixture_exit(test);
}

static inline struct obd_import *lf_import(unsigned int n)
{
	return lf.ost[n].osc->obd_cli->cl_import;
}

#endif /* _KUNIT_LOV_FIXTURE_H */
