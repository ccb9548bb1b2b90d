/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Internals of lmv.ko.
 *
 *	lmv_obd.c	the device: settings, setup and cleanup, its targets
 *	lmv_route.c	operations go to the target of their object
 */
#ifndef _LMV_INTERNAL_H
#define _LMV_INTERNAL_H

#include <lustre_lite/lustre_md.h>
#include <lustre_lite/obd_targets.h>

/**
 * struct lmv_device - a device of type lmv
 * @lmvd_targets: its targets
 * @lmvd_qos_maxage: lifetime of cached free space, nanoseconds
 * @lmvd_remote: the log says that there are objects of other targets than the first
 */
struct lmv_device {
	struct obd_targets	lmvd_targets;
	u64			lmvd_qos_maxage;
	atomic_t		lmvd_remote;
};

static inline struct lmv_device *lmv_device(const struct obd_device *obd)
{
	return obd->obd_data;
}

/* lmv_route.c */
int lmv_call(struct obd_export *exp, const struct md_op_data *op, struct md_reply *rep);
int lmv_open(struct obd_export *exp, const struct md_op_data *op, struct md_reply *rep,
	     struct md_open **open);
int lmv_close(struct obd_export *exp, struct md_open *open, const struct md_op_data *op,
	      struct md_reply *rep);
void lmv_done(struct obd_export *exp, struct md_open *open, const struct md_done *done);
int lmv_closes(struct obd_export *exp, const struct md_object *obj);
int lmv_readdir(struct obd_export *exp, const struct md_op_data *op, struct page **pages,
		unsigned int nr, u32 *bytes);
int lmv_fid_alloc(struct obd_export *exp, const struct md_object *dir, struct lu_fid *fid);
int lmv_flock(struct obd_export *exp, const struct lu_fid *fid, u32 *mode,
	      struct ldlm_flock *flock, u32 flags);

#endif /* _LMV_INTERNAL_H */
