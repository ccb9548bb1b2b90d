/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The start of the cases of metadata clients: obd_types.h, and
 *
 *	kunit_mdt	a type of metadata targets: it numbers changes, has open handles in memory, and
 *			can be told to fail or to wait
 *
 * one device of it, and an lmv with an mdc, connected to it inside this kernel.
 */
#ifndef _KUNIT_MDC_FIXTURE_H
#define _KUNIT_MDC_FIXTURE_H

#include <linux/file.h>
#include <linux/fs.h>
#include <linux/namei.h>
#include <linux/sched/signal.h>
#include <net/net_namespace.h>

#include <lustre_lite/lu_target.h>
#include <lustre_lite/ptlrpc.h>
#include <lustre_lite/ptlrpc_target.h>

#include "../../ptlrpc/net/net.h"
#include "obd_types.h"

#define MP_NID		"127.0.0.1@tcp"
#define MP_FOLDER	"/tmp"
#define MP_CLIENTS	"kunit_mdt.last_rcvd"
#define MP_DIR		"kunit_mdt/mdt/"
#define MP_INSTANCE	7
#define MP_HANDLES	8
#define MP_ASIDES	4
#define MP_LINK		"a target"

/* struct mp_handle - an open object of the target */
struct mp_handle {
	u64	handle;
	u64	xid;
};

static struct {
	/* the target */
	spinlock_t		lock;
	struct mp_handle	handles[MP_HANDLES];
	u64			last_handle;
	u64			next_seq;
	int			rc;
	bool			malformed;
	bool			wait;
	u64			passes;		/* close of this handle that does not stay */
	void			(*on_change)(void);
	atomic_t		running;
	atomic_t		running_max;
	atomic_t		changes;
	atomic_t		closes;
	atomic_t		queries;
	u64			transno;
	u64			committed;
	/* the client */
	struct obd_device	*mdt;
	struct obd_device	*mdc;
	struct obd_device	*lmv;
	struct obd_export	*exp;
	bool			registered;
} mp;

static inline unsigned int mp_open(void)
{
	unsigned int n, count = 0;

	spin_lock(&mp.lock);
	for (n = 0; n < MP_HANDLES; n++)
		count += mp.handles[n].handle != 0;
	spin_unlock(&mp.lock);
	return count;
}

static inline bool mp_await(bool (*happened)(void))
{
	unsigned long until = jiffies + FIXTURE_WAIT;

	while (!happened() && time_before(jiffies, until))
		msleep(20);
	return happened();
}

static inline bool mp_may_go(void)
{
	return !READ_ONCE(mp.wait);
}

static inline bool mp_one_runs(void)
{
	return atomic_read(&mp.running);
}

/* A request stays at the target as long as the case wants. */
static inline void mp_stay(void)
{
	int now = atomic_inc_return(&mp.running);
	int max = atomic_read(&mp.running_max);

	while (now > max && !atomic_try_cmpxchg(&mp.running_max, &max, now))
		;
	mp_await(mp_may_go);
	atomic_dec(&mp.running);
}

static inline void mp_stay_unless(u64 handle)
{
	unsigned long until = jiffies + FIXTURE_WAIT;

	atomic_inc(&mp.running);
	while (!mp_may_go() && READ_ONCE(mp.passes) != handle && time_before(jiffies, until))
		msleep(20);
	atomic_dec(&mp.running);
}

/* Handlers. */

static inline int mp_reply(struct ptlrpc_svc_req *sr, const struct md_reply *rep)
{
	void *bufs[MDS_REPLY_BUFS] = {};
	u32 lens[MDS_REPLY_BUFS];
	unsigned int n;
	int rc;

	md_reply_lens(rep, lens);
	rc = ptlrpc_svc_rep_size(sr, lens, MDS_REPLY_BUFS);
	for (n = 0; !rc && n < MDS_REPLY_BUFS; n++) {
		bufs[n] = ptlrpc_svc_rep_buf(sr, n);
		rc = bufs[n] ? 0 : -ENOMEM;
	}
	if (!rc)
		md_reply_encode(bufs, rep);
	return rc;
}

/* Every object is a symbolic link. */
static inline int mp_getattr(struct ptlrpc_svc_req *sr)
{
	struct md_op_data op;
	struct md_reply rep = { .attr.mode = S_IFLNK | 0777, .result = MP_LINK,
				.result_len = sizeof(MP_LINK) - 1 };

	if (md_op_decode(&sr->sr_msg, &op))
		return -EPROTO;
	mp_stay();
	if (mp.malformed)
		rep.attr.atime.nsec = U32_MAX;
	rep.object = op.object[0];
	return mp.rc ?: mp_reply(sr, &rep);
}

/* The handle that this request has made before, or a new one. */
static inline u64 mp_handle_make(const struct ptlrpc_svc_req *sr)
{
	struct mp_handle *at = NULL;
	unsigned int n;
	u64 handle;

	spin_lock(&mp.lock);
	for (n = 0; n < MP_HANDLES; n++) {
		if (mp.handles[n].handle && mp.handles[n].xid != sr->sr_msg.xid)
			continue;
		if (!at || mp.handles[n].handle)
			at = &mp.handles[n];
	}
	if (at && !at->handle)
		*at = (struct mp_handle) { ++mp.last_handle, sr->sr_msg.xid };
	handle = at ? at->handle : 0;
	spin_unlock(&mp.lock);
	return handle;
}

static inline bool mp_handle_drop(u64 handle)
{
	bool found = false;
	unsigned int n;

	spin_lock(&mp.lock);
	for (n = 0; handle && n < MP_HANDLES; n++) {
		if (mp.handles[n].handle != handle)
			continue;
		mp.handles[n].handle = 0;
		found = true;
	}
	spin_unlock(&mp.lock);
	return found;
}

/* A change with nothing to it but its number. */
static inline int mp_change(struct ptlrpc_svc_req *sr)
{
	struct obd_device *obd = sr->sr_exp->exp_obd;
	int rc = tgt_trans_start(obd);

	if (rc)
		return rc;
	sr->sr_transno = tgt_trans_number(obd, sr->sr_msg.flags & MSG_REPLAY ?
					       sr->sr_msg.transno : 0);
	WRITE_ONCE(mp.transno, sr->sr_transno);
	return tgt_trans_stop(obd, sr->sr_transno, 0, false);
}

/* An object without a name opens; a name is that of a symbolic link. */
static inline int mp_reint(struct ptlrpc_svc_req *sr)
{
	void (*then)(void) = mp.on_change;
	struct md_reply rep = { .has_parent = true };
	struct md_op_data op;
	int rc;

	if (md_op_decode(&sr->sr_msg, &op))
		return -EPROTO;
	mp_stay();
	if (mp.rc)
		return mp.rc;
	rep.object = op.object[op.objects - 1];
	if (op.reint == REINT_OPEN && !op.name) {
		rep.object = op.object[0];
		rep.handle = mp_handle_make(sr);
		rep.flags = MDS_BODY_OPENED;
	}
	rc = mp_change(sr);
	atomic_inc(&mp.changes);
	mp.on_change = NULL;
	if (then)
		then();
	return rc ?: mp_reply(sr, &rep);
}

static inline int mp_close(struct ptlrpc_svc_req *sr)
{
	struct md_reply rep = {};
	struct md_op_data op;
	const __le64 *more;
	u32 n;
	int rc;

	if (md_op_decode(&sr->sr_msg, &op))
		return -EPROTO;
	more = op.value;
	mp_stay_unless(op.handle);
	atomic_inc(&mp.closes);
	for (n = 0; n < op.value_len / sizeof(*more); n++)
		mp_handle_drop(le64_to_cpu(more[n]));
	if (!mp_handle_drop(op.handle) && !n)
		return -ESTALE;
	rep.object = op.object[0];
	rc = mp_change(sr);
	return rc ?: mp_reply(sr, &rep);
}

/* Two entries in two pages, and the end. */
static inline int mp_readpage(struct ptlrpc_svc_req *sr)
{
	static const char * const names[] = { "one", "two", "" };
	struct md_dirent ent = { .type = DT_REG };
	struct bio_vec *vec;
	struct md_op_data op;
	struct page *page;
	size_t n;

	if (md_op_decode(&sr->sr_msg, &op) || op.size < PAGE_SIZE)
		return -EPROTO;
	page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	vec = kmalloc(sizeof(*vec), GFP_KERNEL);
	if (!page || !vec)
		return -ENOMEM;
	vec->bv_page = page;
	vec->bv_offset = 0;
	vec->bv_len = 0;
	for (n = 0; n < ARRAY_SIZE(names); n++) {
		ent.object = op.object[0];
		ent.name = names[n];
		ent.name_len = strlen(names[n]);
		ent.next = op.cookie + n;
		md_dirent_encode(page_address(page) + vec->bv_len, &ent);
		vec->bv_len += md_dirent_size(&ent);
	}
	sr->sr_rep_bulk = vec;
	sr->sr_rep_bulk_nr = 1;
	sr->sr_rep_bulk_len = vec->bv_len;
	sr->sr_rep_bulk_owned = true;
	return 0;
}

static inline u32 mp_readpage_bytes(const struct wire_msg *msg)
{
	return PAGE_SIZE;
}

/* One sequence. */
static inline int mp_query(struct ptlrpc_svc_req *sr)
{
	struct lustre_seq_range *range = ptlrpc_svc_rep_buf(sr, MDS_BODY);

	if (!range)
		return -ENOMEM;
	mp_stay();
	atomic_inc(&mp.queries);
	if (mp.rc)
		return mp.rc;
	range->sr_start = cpu_to_le64(mp.next_seq++);
	range->sr_end = cpu_to_le64(mp.malformed ? 0 : mp.next_seq);
	return 0;
}

#define MP_OP(opc, flags, fn)						\
	.shd_opc = (opc), .shd_portal = MDS_REQUEST_PORTAL,		\
	.shd_flags = SVH_EXPORT | (flags), .shd_fn = (fn)

static const struct ptlrpc_handler mp_handlers[] = {
	{ MP_OP(MDS_GETATTR, 0, mp_getattr) },
	{ MP_OP(MDS_REINT, SVH_ONCE, mp_reint) },
	{ MP_OP(MDS_CLOSE, SVH_ONCE, mp_close) },
	{ MP_OP(MDS_READPAGE, 0, mp_readpage), .shd_rep_bulk = mp_readpage_bytes },
	{ MP_OP(SEQ_QUERY, 0, mp_query),
	  .shd_rep_lens = { sizeof(struct lustre_seq_range) } },
};

static const struct ptlrpc_target_ops mp_target_ops = {
	.to_handlers = mp_handlers,
	.to_handler_count = ARRAY_SIZE(mp_handlers),
};

/* The type. */

static int mp_commit(struct obd_device *obd, u64 transno)
{
	mp.committed = transno;
	return 0;
}

static const struct lu_target_ops mp_lut_ops = {
	.lto_commit = mp_commit,
};

static int mp_setup(struct obd_device *obd, const struct lcfg_view *cfg, struct obd_why *why)
{
	struct path path;
	const struct tgt_conf conf = {
		.tgc_ops = &mp_lut_ops,
		.tgc_dir = &path,
		.tgc_name = MP_CLIENTS,
		.tgc_incompat = OBD_INCOMPAT_MDT,
		.tgc_committed = mp.committed,
	};
	int rc = kern_path(MP_FOLDER, LOOKUP_DIRECTORY, &path);

	if (rc)
		return rc;
	memset(mp.handles, 0, sizeof(mp.handles));
	rc = tgt_init(obd, &conf, why);
	path_put(&path);
	if (rc)
		return rc;
	rc = ptlrpc_target_start(obd, why);
	if (rc)
		tgt_fini(obd);
	return rc;
}

static int mp_precleanup(struct obd_device *obd)
{
	ptlrpc_target_stop(obd);
	return 0;
}

static int mp_cleanup(struct obd_device *obd)
{
	tgt_fini(obd);
	return 0;
}

static int mp_reconnect(struct obd_export *exp, struct obd_device *obd,
			const struct obd_uuid *uuid, struct obd_connect_data *ocd)
{
	return 0;
}

static const struct obd_ops mp_ops = {
	.o_owner = THIS_MODULE,
	.o_setup = mp_setup,
	.o_precleanup = mp_precleanup,
	.o_cleanup = mp_cleanup,
	.o_connect = kt_connect,
	.o_reconnect = mp_reconnect,
	.o_disconnect = class_disconnect,
};

static struct obd_type mp_type = {
	.typ_name = "kunit_mdt",
	.typ_dt_ops = &mp_ops,
	.typ_target = &mp_target_ops,
};

/* Start and end of a case. */

static inline void mp_mdt_start(struct kunit *test)
{
	mp.mdt = ty_start(test, "kunit_mdt", "mdt", "mdt_UUID", NULL, NULL);
	/* The test itself reports transactions as committed. */
	KUNIT_EXPECT_EQ(test, 0L, client_write(fx.client, MP_DIR "commit_interval", "60000"));
}

/* As if its machine had failed: what was not committed is lost. */
static inline void mp_mdt_restart(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 0, class_cleanup(mp.mdt, true, true, NULL));
	kt_end(test, mp.mdt);
	mp_mdt_start(test);
}

static inline int mp_init(struct kunit *test)
{
	struct lnet_nid nid;
	struct file *file;
	int rc = obd_fixture_init(test);

	memset(&mp, 0, sizeof(mp));
	spin_lock_init(&mp.lock);
	mp.next_seq = FID_SEQ_NORMAL;
	file = filp_open(MP_FOLDER "/" MP_CLIENTS, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (IS_ERR(file))
		return PTR_ERR(file);
	fput(file);
	rc = rc ?: class_register_type(&mp_type);
	mp.registered = !rc;
	return rc ?: libcfs_nid_parse(MP_NID, strlen(MP_NID), &nid, NULL) ?:
		     class_add_uuid(0, MP_NID, &nid);
}

/* A target, its client, and the volume above. */
static inline void mp_connect(struct kunit *test)
{
	struct obd_why why = { "" };

	mp_mdt_start(test);
	mp.lmv = ty_volume(test, "lmv", "lmv", MP_INSTANCE);
	mp.mdc = ty_attach_in(test, "mdc", "mdc", TY_GROUP, MP_INSTANCE);
	KUNIT_ASSERT_EQ_MSG(test, 0, ty_setup(mp.mdc, "mdt_UUID", MP_NID, &why), "%s", why.text);
	KUNIT_ASSERT_EQ_MSG(test, 0, ty_command(mp.lmv, LCFG_ADD_MDC, "mdt_UUID", "0", "1", &why),
			    "%s", why.text);
	mp.exp = ty_connect(test, mp.lmv, "user_UUID");
}

static inline void mp_end(struct kunit *test, struct obd_device **obd)
{
	if (*obd)
		kt_end(test, *obd);
	*obd = NULL;
}

static inline void mp_exit(struct kunit *test)
{
	WRITE_ONCE(mp.wait, false);
	mp.passes = 0;
	if (mp.exp)
		obd_disconnect(mp.exp);
	mp_end(test, &mp.lmv);
	mp_end(test, &mp.mdc);
	mp_end(test, &mp.mdt);
	class_del_uuid(NULL);
	lnet_reset(&init_net, NULL);
	obd_zombie_barrier();
	if (mp.registered)
		kt_unregister(test, &mp_type);
	fixture_is_outlived();
	obd_fixture_exit(test);
}

static inline struct obd_import *mp_import(void)
{
	return mp.mdc->obd_cli->cl_import;
}

#endif /* _KUNIT_MDC_FIXTURE_H */
