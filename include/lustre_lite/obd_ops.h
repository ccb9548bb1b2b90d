/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls of a device's operations, one checked inline each. It tests whether the
 * type has the operation, keeps the device from being cleaned up meanwhile, and
 * counts and times the call in the device's stats.
 *
 * Return, besides what the operation returns: -ENODEV if the device is not set
 * up or is stopping, -EOPNOTSUPP if its type has no such operation.
 */
#ifndef _LUSTRE_LITE_OBD_OPS_H
#define _LUSTRE_LITE_OBD_OPS_H

#include <linux/err.h>
#include <linux/ktime.h>

#include <lustre_lite/lustre_md.h>
#include <lustre_lite/obd_class.h>
#include <lustre_lite/obd_export.h>

bool __must_check obd_op_enter(struct obd_device *obd);
void obd_op_leave(struct obd_device *obd);
void obd_op_count(struct obd_device *obd, enum obd_op op, u64 start_ns);
enum obd_op md_op_counted(const struct md_op_data *op);

#define __OBD_COUNTED(obd, op, call)					\
({									\
	u64 __start = ktime_get_ns();					\
	int __rc = (call);						\
									\
	obd_op_count(obd, op, __start);					\
	__rc;								\
})

/* Inside of the gate: the device stays set up until the call has returned. */
#define __OBD_GATED(obd, op, call)					\
({									\
	int __gated = -ENODEV;						\
									\
	if (obd_op_enter(obd)) {					\
		__gated = __OBD_COUNTED(obd, op, call);			\
		obd_op_leave(obd);					\
	}								\
	__gated;							\
})

#define OBP(obd, op)	((obd)->obd_type->typ_dt_ops->o_##op)

static inline int obd_connect(struct obd_export **exp, struct obd_device *obd,
			      const struct obd_uuid *uuid,
			      const struct lnet_nid *nid,
			      struct obd_connect_data *ocd)
{
	if (!OBP(obd, connect))
		return -EOPNOTSUPP;
	return __OBD_GATED(obd, OBD_OP_CONNECT,
			   OBP(obd, connect)(exp, obd, uuid, nid, ocd));
}

static inline int obd_reconnect(struct obd_export *exp, struct obd_device *obd,
				const struct obd_uuid *uuid,
				struct obd_connect_data *ocd)
{
	if (!OBP(obd, reconnect))
		return -EOPNOTSUPP;
	return __OBD_GATED(obd, OBD_OP_RECONNECT,
			   OBP(obd, reconnect)(exp, obd, uuid, ocd));
}

/*
 * Not gated: a stopping device disconnects its exports. The export keeps the device from
 * being cleaned up. The caller's reference is consumed also on failure.
 */
int obd_disconnect(struct obd_export *exp);

static inline int obd_add_conn(struct obd_device *obd,
			       const struct obd_uuid *uuid, bool priority,
			       struct obd_why *why)
{
	if (!OBP(obd, add_conn))
		return -EOPNOTSUPP;
	return __OBD_GATED(obd, OBD_OP_ADD_CONN,
			   OBP(obd, add_conn)(obd, uuid, priority, why));
}

static inline int obd_del_conn(struct obd_device *obd,
			       const struct obd_uuid *uuid,
			       struct obd_why *why)
{
	if (!OBP(obd, del_conn))
		return -EOPNOTSUPP;
	return __OBD_GATED(obd, OBD_OP_DEL_CONN,
			   OBP(obd, del_conn)(obd, uuid, why));
}

static inline int obd_process_config(struct obd_device *obd,
				     const struct lcfg_view *cfg,
				     struct obd_why *why)
{
	if (!OBP(obd, process_config))
		return -EOPNOTSUPP;
	return __OBD_GATED(obd, OBD_OP_PROCESS_CONFIG,
			   OBP(obd, process_config)(obd, cfg, why));
}

static inline int obd_get_info(struct obd_export *exp, const char *key,
			       void *val, u32 *vallen)
{
	struct obd_device *obd = exp->exp_obd;

	if (!OBP(obd, get_info))
		return -EOPNOTSUPP;
	return __OBD_GATED(obd, OBD_OP_GET_INFO,
			   OBP(obd, get_info)(exp, key, val, vallen));
}

static inline int obd_set_info_async(struct obd_export *exp, const char *key,
				     const void *val, u32 vallen)
{
	struct obd_device *obd = exp->exp_obd;

	if (!OBP(obd, set_info_async))
		return -EOPNOTSUPP;
	return __OBD_GATED(obd, OBD_OP_SET_INFO_ASYNC,
			   OBP(obd, set_info_async)(exp, key, val, vallen));
}

static inline int obd_import_event(struct obd_device *obd,
				   struct obd_import *imp,
				   enum obd_import_event event)
{
	if (!OBP(obd, import_event))
		return -EOPNOTSUPP;
	return __OBD_GATED(obd, OBD_OP_IMPORT_EVENT,
			   OBP(obd, import_event)(obd, imp, event));
}

static inline int obd_health_check(struct obd_device *obd, struct obd_why *why)
{
	if (!OBP(obd, health_check))
		return -EOPNOTSUPP;
	return __OBD_GATED(obd, OBD_OP_HEALTH_CHECK,
			   OBP(obd, health_check)(obd, why));
}

static inline int obd_notify(struct obd_device *obd, struct obd_device *watched,
			     enum obd_notify_event event)
{
	if (!OBP(obd, notify))
		return -EOPNOTSUPP;
	return __OBD_GATED(obd, OBD_OP_NOTIFY,
			   OBP(obd, notify)(obd, watched, event));
}

static inline int obd_statfs(struct obd_export *exp, struct obd_statfs *st,
			     u64 max_age)
{
	struct obd_device *obd = exp->exp_obd;

	if (!OBP(obd, statfs))
		return -EOPNOTSUPP;
	return __OBD_GATED(obd, OBD_OP_STATFS,
			   OBP(obd, statfs)(exp, st, max_age));
}

static inline int obd_get_uuid(struct obd_export *exp, struct obd_uuid *uuid)
{
	struct obd_device *obd = exp->exp_obd;

	if (!OBP(obd, get_uuid))
		return -EOPNOTSUPP;
	return __OBD_GATED(obd, OBD_OP_GET_UUID,
			   OBP(obd, get_uuid)(exp, uuid));
}

static inline int md_get_root(struct obd_export *exp, struct lu_fid *fid)
{
	struct obd_device *obd = exp->exp_obd;
	const struct md_ops *ops = obd->obd_type->typ_md_ops;

	if (!ops || !ops->m_get_root)
		return -EOPNOTSUPP;
	return __OBD_GATED(obd, MD_OP_GET_ROOT, ops->m_get_root(exp, fid));
}

static inline int md_statfs(struct obd_export *exp, struct obd_statfs *st,
			    u64 max_age)
{
	struct obd_device *obd = exp->exp_obd;
	const struct md_ops *ops = obd->obd_type->typ_md_ops;

	if (!ops || !ops->m_statfs)
		return -EOPNOTSUPP;
	return __OBD_GATED(obd, MD_OP_STATFS, ops->m_statfs(exp, st, max_age));
}

/* @rep: zeros unless the result is 0 or -EINTR; then md_reply_put() */
static inline int md_call(struct obd_export *exp, const struct md_op_data *op,
			  struct md_reply *rep)
{
	struct obd_device *obd = exp->exp_obd;
	const struct md_ops *ops = obd->obd_type->typ_md_ops;

	memset(rep, 0, sizeof(*rep));
	if (!ops || !ops->m_call)
		return -EOPNOTSUPP;
	return __OBD_GATED(obd, md_op_counted(op), ops->m_call(exp, op, rep));
}

static inline int md_open(struct obd_export *exp, const struct md_op_data *op,
			  struct md_reply *rep, struct md_open **open)
{
	struct obd_device *obd = exp->exp_obd;
	const struct md_ops *ops = obd->obd_type->typ_md_ops;

	memset(rep, 0, sizeof(*rep));
	*open = NULL;
	if (!ops || !ops->m_open)
		return -EOPNOTSUPP;
	return __OBD_GATED(obd, md_op_counted(op), ops->m_open(exp, op, rep, open));
}

/*
 * Not gated: @open ends also while the device is stopping. Its export keeps the device from
 * being cleaned up.
 */
static inline int md_close(struct obd_export *exp, struct md_open *open,
			   const struct md_op_data *op, struct md_reply *rep)
{
	struct obd_device *obd = exp->exp_obd;

	memset(rep, 0, sizeof(*rep));
	return __OBD_COUNTED(obd, md_op_counted(op),
			     obd->obd_type->typ_md_ops->m_close(exp, open, op, rep));
}

/* Not gated, as md_close(). @open: ends */
static inline void md_done(struct obd_export *exp, struct md_open *open,
			   const struct md_done *done)
{
	exp->exp_obd->obd_type->typ_md_ops->m_done(exp, open, done);
}

/* The device of @open has the operation. */
static inline bool md_lost(const struct md_open *open)
{
	return open->mop_exp->exp_obd->obd_type->typ_md_ops->m_lost(open);
}

static inline int md_closes(struct obd_export *exp, const struct md_object *obj)
{
	struct obd_device *obd = exp->exp_obd;
	const struct md_ops *ops = obd->obd_type->typ_md_ops;
	int rc;

	if (!ops || !ops->m_closes)
		return -EOPNOTSUPP;
	if (!obd_op_enter(obd))
		return -ENODEV;
	rc = ops->m_closes(exp, obj);
	obd_op_leave(obd);
	return rc;
}

static inline int md_readdir(struct obd_export *exp, const struct md_op_data *op,
			     struct page **pages, unsigned int nr, u32 *bytes)
{
	struct obd_device *obd = exp->exp_obd;
	const struct md_ops *ops = obd->obd_type->typ_md_ops;

	if (!ops || !ops->m_readdir)
		return -EOPNOTSUPP;
	return __OBD_GATED(obd, md_op_counted(op), ops->m_readdir(exp, op, pages, nr, bytes));
}

static inline int md_fid_alloc(struct obd_export *exp, const struct md_object *dir,
			       struct lu_fid *fid)
{
	struct obd_device *obd = exp->exp_obd;
	const struct md_ops *ops = obd->obd_type->typ_md_ops;

	if (!ops || !ops->m_fid_alloc)
		return -EOPNOTSUPP;
	return __OBD_GATED(obd, MD_OP_FID_ALLOC, ops->m_fid_alloc(exp, dir, fid));
}

static inline int md_flock(struct obd_export *exp, const struct lu_fid *fid, u32 *mode,
			   struct ldlm_flock *flock, u32 flags)
{
	struct obd_device *obd = exp->exp_obd;
	const struct md_ops *ops = obd->obd_type->typ_md_ops;

	if (!ops || !ops->m_flock)
		return -EOPNOTSUPP;
	return __OBD_GATED(obd, MD_OP_ENQUEUE, ops->m_flock(exp, fid, mode, flock, flags));
}

/* --- objects of data ------------------------------------------------------------------ */

/* Gated, not counted. @none: the result if the device is not set up, or is of another type */
#define __OBD_TABLE_OP(exp, table, op, none, ...)			\
({									\
	struct obd_device *__obd = (exp)->exp_obd;			\
	typeof(__obd->obd_type->table->op(__VA_ARGS__)) __res = (none);	\
									\
	if (__obd->obd_type->table && obd_op_enter(__obd)) {		\
		__res = __obd->obd_type->table->op(__VA_ARGS__);	\
		obd_op_leave(__obd);					\
	}								\
	__res;								\
})

#define __OST_OP(exp, op, none, ...)					\
	__OBD_TABLE_OP(exp, typ_ost_ops, t_##op, none, exp, __VA_ARGS__)
#define __DT_OP(exp, op, none, ...)					\
	__OBD_TABLE_OP(exp, typ_dv_ops, d_##op, none, exp, __VA_ARGS__)

/* @exp: as dt_target() returns it. -ENODEV: the device is stopping, or of another type */
static inline struct ptlrpc_request * __must_check
ost_request(struct obd_export *exp, const struct ost_op *op, const struct ptlrpc_bulk *bulk,
	    struct ost_writes *writes)
{
	return __OST_OP(exp, request, ERR_PTR(-ENODEV), op, bulk, writes);
}

static inline int ost_reply(struct obd_export *exp, const struct ptlrpc_request *req,
			    struct ost_reply *rep)
{
	return exp->exp_obd->obd_type->typ_ost_ops->t_reply(req, rep);
}

static inline int ost_call(struct obd_export *exp, const struct ost_op *op,
			   struct ost_reply *rep)
{
	return __OST_OP(exp, call, -ENODEV, op, rep);
}

/* A device that is stopping has none: they have ended. */
static inline int ost_settle(struct obd_export *exp, const struct lu_fid *object, bool killable)
{
	return __OST_OP(exp, settle, 0, object, killable);
}

static inline u32 ost_rpc_bytes(struct obd_export *exp)
{
	return exp->exp_obd->obd_type->typ_ost_ops->t_rpc_bytes(exp);
}

static inline struct ost_grant * __must_check ost_grant_of(struct obd_export *exp)
{
	return __OBD_TABLE_OP(exp, typ_ost_ops, t_grant, NULL, exp);
}

static inline bool ost_grant_ask(struct obd_export *exp)
{
	return __OBD_TABLE_OP(exp, typ_ost_ops, t_grant_ask, false, exp);
}

/* @exp: of a data volume */
static inline struct lov_layout * __must_check
dt_layout(struct obd_export *exp, const struct lu_fid *file, struct dt_owner *owner)
{
	return __DT_OP(exp, layout, ERR_PTR(-ENODEV), file, owner);
}

static inline int dt_layout_set(struct obd_export *exp, struct lov_layout *layout, const void *ea,
				size_t len, bool sure)
{
	return __DT_OP(exp, layout_set, -ENODEV, layout, ea, len, sure);
}

static inline void dt_layout_put(struct obd_export *exp, struct lov_layout *layout)
{
	exp->exp_obd->obd_type->typ_dv_ops->d_layout_put(layout);
}

static inline int dt_io(struct obd_export *exp, struct lov_layout *layout,
			const struct dt_io *io)
{
	return __DT_OP(exp, io, -ENODEV, layout, io);
}

/* Not gated: its requests are made, and end also if the device is stopping. Sleeps */
static inline int dt_io_again(struct obd_export *exp, struct lov_layout *layout,
			      const struct dt_io *io)
{
	return exp->exp_obd->obd_type->typ_dv_ops->d_io(exp, layout, io);
}

static inline int dt_getattr(struct obd_export *exp, struct lov_layout *layout,
			     struct md_attr *attr, bool wait)
{
	return __DT_OP(exp, getattr, -ENODEV, layout, attr, wait);
}

static inline int dt_setattr(struct obd_export *exp, struct lov_layout *layout,
			     struct md_attr *attr)
{
	return __DT_OP(exp, setattr, -ENODEV, layout, attr);
}

static inline int dt_fallocate(struct obd_export *exp, struct lov_layout *layout,
			       const struct dt_falloc *fa)
{
	return __DT_OP(exp, fallocate, -ENODEV, layout, fa);
}

static inline int dt_seek(struct obd_export *exp, struct lov_layout *layout, bool hole, u64 size,
			  u64 *pos)
{
	return __DT_OP(exp, seek, -ENODEV, layout, hole, size, pos);
}

static inline int dt_settle(struct obd_export *exp, struct lov_layout *layout)
{
	return __DT_OP(exp, settle, -ENODEV, layout);
}

static inline int dt_sync(struct obd_export *exp, struct lov_layout *layout)
{
	return __DT_OP(exp, sync, -ENODEV, layout);
}

static inline int dt_stable(struct obd_export *exp, struct lov_layout *layout)
{
	return exp->exp_obd->obd_type->typ_dv_ops->d_stable(layout);
}

static inline int dt_error(struct obd_export *exp, struct lov_layout *layout)
{
	return exp->exp_obd->obd_type->typ_dv_ops->d_error(layout);
}

static inline int dt_enqueue(struct obd_export *exp, struct lov_layout *layout, u32 mode,
			  enum dt_wait wait, struct dt_locks *locks)
{
	return __DT_OP(exp, enqueue, -ENODEV, layout, mode, wait, locks);
}

static inline int dt_read_lock(struct obd_export *exp, struct lov_layout *layout,
			       const struct dt_io *io, struct dt_locks *locks)
{
	return __DT_OP(exp, read_lock, -ENODEV, layout, io, locks);
}

static inline bool dt_current(struct obd_export *exp, const struct lov_layout *layout,
			      const struct dt_locks *locks)
{
	return exp->exp_obd->obd_type->typ_dv_ops->d_current(layout, locks);
}

static inline bool dt_lacks(struct obd_export *exp, struct lov_layout *layout, u64 end)
{
	return exp->exp_obd->obd_type->typ_dv_ops->d_lacks(layout, end);
}

static inline bool dt_decref(struct obd_export *exp, struct dt_locks *locks)
{
	return exp->exp_obd->obd_type->typ_dv_ops->d_decref(locks);
}

static inline bool dt_lost(struct obd_export *exp, const struct dt_locks *locks)
{
	return __DT_OP(exp, lost, true, locks);
}

static inline enum dt_cover dt_cover_state(struct obd_export *exp, const struct dt_locks *locks)
{
	return exp->exp_obd->obd_type->typ_dv_ops->d_cover_state(locks);
}

static inline void dt_cover(struct obd_export *exp, const struct dt_locks *locks)
{
	exp->exp_obd->obd_type->typ_dv_ops->d_cover(locks);
}

/* @from: not used afterwards */
static inline void dt_locks_move(struct dt_locks *to, const struct dt_locks *from)
{
	*to = *from;
	if (from->dk_lock == from->dk_few)
		to->dk_lock = to->dk_few;
}

static inline struct ost_grant * __must_check
dt_grant(struct obd_export *exp, struct lov_layout *layout, u64 pos, u64 *end)
{
	return __DT_OP(exp, grant, NULL, layout, pos, end);
}

static inline bool dt_grant_ask(struct obd_export *exp, struct lov_layout *layout, u64 pos)
{
	return __DT_OP(exp, grant_ask, false, layout, pos);
}

static inline u32 dt_rpc_bytes(struct obd_export *exp, struct lov_layout *layout)
{
	return __DT_OP(exp, rpc_bytes, 0, layout);
}

static inline struct obd_export *dt_target(struct obd_export *exp, u32 index)
{
	return __DT_OP(exp, target, NULL, index);
}

static inline struct obd_export *dt_target_next(struct obd_export *exp, u32 *index)
{
	return __DT_OP(exp, target_next, NULL, index);
}

static inline int dt_pool(struct obd_export *exp, const char *pool, u32 index)
{
	return __DT_OP(exp, pool, -ENODEV, pool, index);
}

static inline int dt_desc(struct obd_export *exp, struct dt_desc *desc)
{
	return __DT_OP(exp, desc, -ENODEV, desc);
}

#endif /* _LUSTRE_LITE_OBD_OPS_H */
