/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests to objects of a file, side by side: to those of the segments that are valid when the
 * batch starts.
 *
 *	lov_batch_init(&batch, exp, layout)
 *	each segment of batch.lb_segs, each of its objects:
 *	rpc = lov_rpc_new(&batch, seg, stripe, parts); ... lov_batch_add(&batch, rpc, &op)
 *	rc = lov_batch_wait(&batch, done, data)		done() of each that was answered
 *	lov_batch_fini(&batch)
 */
#ifndef _LOV_BATCH_H
#define _LOV_BATCH_H

#include <linux/bvec.h>
#include <linux/list.h>

#include <lustre_lite/lustre_ost.h>
#include <lustre_lite/ptlrpc.h>

#include "lov_layout.h"

/**
 * struct lov_rpc - a request to an object
 * @lrp_item: in lb_rpcs
 * @lrp_seg: segment of lb_segs
 * @lrp_stripe: number of the object
 * @lrp_exp: connection to its target, referenced
 * @lrp_req: request, or NULL
 * @lrp_late: it counts in dv_late of its target
 * @lrp_bulk: bytes of it, or none
 * @lrp_vec: parts of @lrp_bulk
 */
struct lov_rpc {
	struct list_head	lrp_item;
	struct lov_seg		*lrp_seg;
	u32			lrp_stripe;
	struct obd_export	*lrp_exp;
	struct ptlrpc_request	*lrp_req;
	bool			lrp_late;
	struct ptlrpc_bulk	lrp_bulk;
	struct bio_vec		lrp_vec[];
};

/**
 * struct lov_batch - requests that go out side by side
 * @lb_exp: export of the volume
 * @lb_layout: the file
 * @lb_segs: segments of the file
 * @lb_job: job that they are for; NULL: that of the task
 * @lb_asks: they are changes, or the fsync, of a task that may ask whether the file has other
 *	objects by now
 * @lb_hurry: requests do not wait for targets that are not connected, and fail
 * @lb_later: of the I/O, or NULL
 * @lb_limit: no request has more bytes
 * @lb_set: the requests
 * @lb_rpcs: struct lov_rpc
 */
struct lov_batch {
	struct obd_export		*lb_exp;
	struct lov_layout		*lb_layout;
	struct lov_segs			lb_segs;
	const char			*lb_job;
	bool				lb_asks;
	bool				lb_hurry;
	struct dt_later			*lb_later;
	u32				lb_limit;
	struct ptlrpc_request_set	*lb_set;
	struct list_head		lb_rpcs;
};

/*
 * Bytes of the file from @from to @end: @seg has them or, if it is NULL, no object. Return: 0 or a
 * negative errno
 */
typedef int (lov_part_t)(struct lov_batch *batch, struct lov_seg *seg, u64 from, u64 end,
			 void *data);
/* The reply to a request. Return: 0 or a negative errno */
typedef int (lov_done_t)(const struct lov_batch *batch, struct lov_rpc *rpc,
			 const struct ost_reply *rep, void *data);

/* A target that is deactivated, or whose connection was closed, is an error of the file's bytes. */
static inline int lov_error_of(int rc)
{
	return rc == -ESHUTDOWN || rc == -ENOTCONN || rc == -ENODEV ? -EIO : rc;
}

int lov_batch_init(struct lov_batch *batch, struct obd_export *exp, struct lov_layout *layout);
void lov_batch_fini(struct lov_batch *batch);
int lov_batch_each(struct lov_batch *batch, u64 from, u64 end, lov_part_t *fn, void *data);
int lov_batch_no_objects(const struct lov_batch *batch, u64 from, u64 end);
struct lov_rpc * __must_check lov_rpc_new(struct lov_batch *batch, struct lov_seg *seg, u32 stripe,
					  struct obd_export *target, unsigned int parts);
void lov_rpc_drop(struct lov_rpc *rpc);
struct obd_export * __must_check lov_seg_known(struct obd_export *exp, struct lov_seg *seg,
					       u32 stripe);
struct obd_export * __must_check lov_seg_target(struct obd_export *exp, struct lov_seg *seg,
						u32 stripe);
int lov_batch_add(struct lov_batch *batch, struct lov_rpc *rpc, struct ost_op *op);
bool lov_batch_is_covered(const struct lov_batch *batch);
int lov_batch_add_op(struct lov_batch *batch, struct lov_seg *seg, u32 stripe, struct ost_op *op);
int lov_batch_wait(struct lov_batch *batch, lov_done_t *done, void *data);

#endif /* _LOV_BATCH_H */
