// SPDX-License-Identifier: GPL-2.0-only
/* Requests to objects of a file, side by side: lov_batch.h. */
#define DEBUG_SUBSYSTEM S_LOV

#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "lov_batch.h"
#include "lov_dev.h"
#include "lov_internal.h"

/* Between two questions for the layout while a change waits for a target. */
#define ASK_NS		(5ULL * NSEC_PER_SEC)
/* So long a work waits for a target that has let no other one wait. */
#define SOON_NS		NSEC_PER_SEC

/**
 * lov_batch_init() - no requests yet
 * @batch: out
 * @exp: export of the volume
 * @layout: the file
 *
 * Context: may sleep
 * Return: 0; -ENOMEM; as lov_segs_get()
 */
int lov_batch_init(struct lov_batch *batch, struct obd_export *exp, struct lov_layout *layout)
{
	int rc = lov_segs_get(layout, &batch->lb_segs);

	if (rc)
		return rc;
	batch->lb_exp = exp;
	batch->lb_layout = layout;
	batch->lb_job = NULL;
	batch->lb_asks = false;
	batch->lb_later = NULL;
	batch->lb_limit = 0;
	INIT_LIST_HEAD(&batch->lb_rpcs);
	batch->lb_set = ptlrpc_set_new();
	if (batch->lb_set)
		return 0;
	lov_segs_put(&batch->lb_segs);
	return -ENOMEM;
}

/**
 * lov_batch_fini() - end what was not waited for, and free all
 * @batch: batch
 *
 * Context: may sleep
 */
void lov_batch_fini(struct lov_batch *batch)
{
	struct lov_rpc *rpc, *next;

	ptlrpc_set_put(batch->lb_set);
	list_for_each_entry_safe(rpc, next, &batch->lb_rpcs, lrp_item) {
		if (rpc->lrp_req)
			ptlrpc_request_put(rpc->lrp_req);
		lov_rpc_drop(rpc);
	}
	lov_segs_put(&batch->lb_segs);
}

/**
 * lov_batch_each() - the segments of a range of the file, and its holes, in ascending order
 * @batch: batch
 * @from: first byte
 * @end: first byte after them
 * @fn: called for each
 * @data: for @fn
 *
 * Context: that of @fn
 * Return: 0, or what @fn has returned: the first other value is the last call
 */
int lov_batch_each(struct lov_batch *batch, u64 from, u64 end, lov_part_t *fn, void *data)
{
	struct lov_seg *seg;
	u64 start, to;
	int rc = 0;
	u32 n;

	for (n = 0; !rc && n < batch->lb_segs.sg_nr; n++) {
		seg = batch->lb_segs.sg_seg[n];
		start = max(from, seg->lsg_start);
		to = min(end, seg->lsg_end);
		if (start >= to || !seg->lsg_count)
			continue;
		if (from < start)
			rc = fn(batch, NULL, from, start, data);
		rc = rc ?: fn(batch, seg, start, to, data);
		from = to;
	}
	return rc ?: from < end ? fn(batch, NULL, from, end, data) : 0;
}

/**
 * lov_batch_no_objects() - a change needs objects for bytes of a component that has none
 * @batch: batch
 * @from: first byte
 * @end: first byte after them
 *
 * Context: any
 * Return: -EOPNOTSUPP, and the log names them
 */
int lov_batch_no_objects(const struct lov_batch *batch, u64 from, u64 end)
{
	char text[FID_TEXT_SIZE];

	CERROR("%s: file [%s]: bytes %llu to %llu belong to no component with objects: rc = %d\n",
	       batch->lb_exp->exp_obd->obd_name, fid_text(&batch->lb_layout->lly_file, text), from,
	       end - 1, -EOPNOTSUPP);
	return -EOPNOTSUPP;
}

/* The device of an object, found by its first request. Return: the slot's; NULL: there is none */
static struct lov_dev *slot_dev(struct lov_device *lov, struct lov_object_slot *slot)
{
	struct lov_dev *dev = READ_ONCE(slot->los_dev), *other;

	if (dev)
		return dev;
	dev = lov_dev_get(lov, slot->los_ost);
	if (!dev)
		return NULL;
	other = cmpxchg(&slot->los_dev, NULL, dev);
	if (other)
		lov_dev_put(dev);
	else
		lov_count(lov, LOV_COUNT_DEV_SLOT, 1);
	return other ?: dev;
}

/**
 * lov_seg_known() - the target of an object, as far as it is known
 * @exp: export of the volume
 * @seg: segment
 * @stripe: number of the object
 *
 * Context: may sleep
 * Return: connection, referenced, or NULL
 */
struct obd_export *lov_seg_known(struct obd_export *exp, struct lov_seg *seg, u32 stripe)
{
	struct lov_device *lov = lov_device(exp->exp_obd);

	return lov_dev_target(slot_dev(lov, &seg->lsg_slots[stripe]));
}

/**
 * lov_seg_target() - the target of an object
 * @exp: export of the volume
 * @seg: segment
 * @stripe: number of the object
 *
 * A target that the config log has not brought yet is waited for.
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: connection, referenced, or NULL: there is no such target, it is not connected to, or
 *  another one has its index
 */
struct obd_export *lov_seg_target(struct obd_export *exp, struct lov_seg *seg, u32 stripe)
{
	struct lov_device *lov = lov_device(exp->exp_obd);
	struct obd_export *target = lov_seg_known(exp, seg, stripe);
	const u32 index = seg->lsg_slots[stripe].los_ost;
	char text[FID_TEXT_SIZE];

	if (!target && obd_targets_await(&lov->lov_targets, index))
		target = lov_seg_known(exp, seg, stripe);
	if (!target)
		CERROR("%s: file [%s]: the target of stripe %u, index %u, is not there: rc = %d\n",
		       lov->lov_obd->obd_name, fid_text(&seg->lsg_layout->lly_file, text), stripe,
		       index, -EIO);
	return target;
}

/**
 * lov_rpc_new() - a request to an object
 * @batch: batch, frees it
 * @seg: one of its segments
 * @stripe: number of the object
 * @target: its target; the caller's reference becomes that of the request, also on failure
 * @parts: most parts of its bytes
 *
 * Context: may sleep
 * Return: request without an operation; NULL on allocation failure
 */
struct lov_rpc *lov_rpc_new(struct lov_batch *batch, struct lov_seg *seg, u32 stripe,
			    struct obd_export *target, unsigned int parts)
{
	struct lov_rpc *rpc = ptlrpc_bulk_alloc(struct_size(rpc, lrp_vec, parts), parts);

	if (!rpc) {
		class_export_put(target);
		return NULL;
	}
	rpc->lrp_seg = seg;
	rpc->lrp_stripe = stripe;
	rpc->lrp_exp = target;
	rpc->lrp_req = NULL;
	rpc->lrp_late = false;
	rpc->lrp_bulk = (struct ptlrpc_bulk) { .bk_vec = rpc->lrp_vec };
	list_add_tail(&rpc->lrp_item, &batch->lb_rpcs);
	return rpc;
}

/**
 * lov_rpc_drop() - free a request that has no operation, or none any more
 * @rpc: of lov_rpc_new()
 *
 * Context: any task
 */
void lov_rpc_drop(struct lov_rpc *rpc)
{
	list_del(&rpc->lrp_item);
	class_export_put(rpc->lrp_exp);
	kvfree(rpc);
}

/* The place of an object in its file, which the object gets when it comes into being. */
static void op_parent(const struct lov_seg *seg, u32 stripe, struct ost_op *op)
{
	struct ea_stripe *place = &op->parent.stripe;

	op->parent.size = FILTER_FID_SIZE;
	place->parent = seg->lsg_layout->lly_file;
	place->index = stripe;
	place->size = seg->lsg_stripes.size;
	place->count = seg->lsg_stripes.count;
	if (!seg->lsg_comp)
		return;
	place->comp_id = seg->lsg_comp;
	place->comp_start = seg->lsg_start;
	place->comp_end = seg->lsg_end;
}

/* It makes the object if there is none. */
static bool is_making(u32 opc)
{
	return opc == OST_WRITE || opc == OST_PUNCH || opc == OST_FALLOCATE;
}

static bool is_accounted(u32 opc)
{
	return is_making(opc) || opc == OST_SETATTR;
}

static bool rpc_unwanted(void *data)
{
	const struct lov_rpc *rpc = data;

	return lov_seg_is_unsure(rpc->lrp_seg);
}

/* Nothing is lost if it ends before it was answered. */
static bool may_end(u32 opc)
{
	return opc == OST_READ || opc == OST_GETATTR || opc == OST_SEEK;
}

/**
 * lov_batch_add() - the operation of a request
 * @batch: batch
 * @rpc: request
 * @op: operation; object and parent are filled in
 *
 * It is sent by lov_batch_wait(). A change waits for those that killed tasks have left.
 *
 * Context: sleeps
 * Return: 0 or a negative errno
 */
int lov_batch_add(struct lov_batch *batch, struct lov_rpc *rpc, struct ost_op *op)
{
	struct lov_seg *seg = rpc->lrp_seg;
	struct ost_writes *writes = NULL;
	struct ptlrpc_request *req;
	int rc;

	op->object = seg->lsg_slots[rpc->lrp_stripe].los_fid;
	if (is_making(op->opc))
		op_parent(seg, rpc->lrp_stripe, op);
	if (is_accounted(op->opc)) {
		/* The target would execute them afterwards. */
		rc = ost_settle(rpc->lrp_exp, &op->object, true);
		if (rc)
			return rc;
		writes = lov_seg_writes(seg, rpc->lrp_stripe);
		if (!writes)
			return -ENOMEM;
	}
	req = ost_request(rpc->lrp_exp, op, rpc->lrp_bulk.bk_nr ? &rpc->lrp_bulk : NULL, writes);
	if (IS_ERR(req))
		return lov_error_of(PTR_ERR(req));
	rpc->lrp_req = req;
	if (may_end(op->opc)) {
		req->rq_unwanted = rpc_unwanted;
		req->rq_unwanted_data = rpc;
	}
	req->rq_no_delay = batch->lb_hurry;
	req->rq_no_resend = batch->lb_hurry;
	if (batch->lb_job)
		strscpy(req->rq_jobid, batch->lb_job, sizeof(req->rq_jobid));
	ptlrpc_set_add(batch->lb_set, req);
	return 0;
}

/**
 * lov_batch_is_covered() - whether the objects had locks at d_cover, and none was lost since
 * @batch: batch with all of its requests
 *
 * One that is lost later makes its requests fail, as they are of the generation of now, or before.
 *
 * Context: any but an interrupt
 * Return: that
 */
bool lov_batch_is_covered(const struct lov_batch *batch)
{
	const struct lov_rpc *rpc;
	bool covered = true;
	u64 cover;

	list_for_each_entry(rpc, &batch->lb_rpcs, lrp_item) {
		cover = READ_ONCE(rpc->lrp_seg->lsg_slots[rpc->lrp_stripe].los_cover);
		/* The file had other objects then. */
		covered &= cover != 0;
		if (!cover || !obd_op_enter(rpc->lrp_exp->exp_obd))
			continue;
		covered &= cover == 1 + (u64)ldlm_cli_generation(rpc->lrp_exp->exp_obd);
		obd_op_leave(rpc->lrp_exp->exp_obd);
	}
	return covered;
}

/**
 * lov_batch_add_op() - a request without bytes
 * @batch: batch
 * @seg: one of its segments
 * @stripe: number of the object
 * @op: operation, as of lov_batch_add()
 *
 * Context: sleeps
 * Return: 0 or a negative errno
 */
int lov_batch_add_op(struct lov_batch *batch, struct lov_seg *seg, u32 stripe, struct ost_op *op)
{
	struct obd_export *target = lov_seg_target(batch->lb_exp, seg, stripe);
	struct lov_rpc *rpc;

	if (!target)
		return -EIO;
	rpc = lov_rpc_new(batch, seg, stripe, target, 0);
	return rpc ? lov_batch_add(batch, rpc, op) : -ENOMEM;
}

/* It waits for a target that is not connected, and the file may have other objects by now. */
static bool rpc_is_unsure(const struct lov_rpc *rpc)
{
	const struct ptlrpc_request *req = rpc->lrp_req;

	return req->rq_phase != RQ_COMPLETE &&
	       READ_ONCE(req->rq_import->imp_state) != LUSTRE_IMP_FULL &&
	       lov_seg_is_unsure(rpc->lrp_seg);
}

/* Whether none of the objects that are waited for is one of the file any more. */
static bool batch_has_moved(const struct lov_batch *batch)
{
	const struct lov_seg *asked = NULL;
	const struct lov_rpc *rpc;

	list_for_each_entry(rpc, &batch->lb_rpcs, lrp_item) {
		if (rpc->lrp_req->rq_phase == RQ_COMPLETE || rpc->lrp_seg == asked)
			continue;
		if (!rpc_is_unsure(rpc) || !lov_seg_has_moved(rpc->lrp_seg))
			return false;
		asked = rpc->lrp_seg;
	}
	return asked != NULL;
}

static struct lov_dev *rpc_dev(const struct lov_rpc *rpc)
{
	return rpc->lrp_seg->lsg_slots[rpc->lrp_stripe].los_dev;
}

/* Whether its target is not connected, or lets others wait. */
static bool rpc_is_slow(const struct lov_rpc *rpc)
{
	return rpc->lrp_req->rq_phase != RQ_COMPLETE &&
	       (READ_ONCE(rpc->lrp_req->rq_import->imp_state) != LUSTRE_IMP_FULL ||
		atomic_read(&rpc_dev(rpc)->dv_late));
}

/* Requests without an answer count as late from now on, the others do not any more. */
static void batch_late(struct lov_batch *batch)
{
	struct lov_rpc *rpc;
	bool late;

	list_for_each_entry(rpc, &batch->lb_rpcs, lrp_item) {
		late = rpc->lrp_req->rq_phase != RQ_COMPLETE;
		if (late != rpc->lrp_late)
			atomic_add(late ? 1 : -1, &rpc_dev(rpc)->dv_late);
		rpc->lrp_late = late;
	}
}

/* The work does not wait for slow targets. Return: 0; -EINPROGRESS: it will run again */
static int requests_poll(struct lov_batch *batch)
{
	struct dt_later *later = batch->lb_later;
	const struct lov_rpc *rpc;
	bool slow = false;
	int rc;

	list_for_each_entry(rpc, &batch->lb_rpcs, lrp_item)
		slow |= rpc_is_slow(rpc);
	rc = slow ? -ETIMEDOUT : ptlrpc_set_wait_for(batch->lb_set, SOON_NS);
	if (rc == -ETIMEDOUT)
		rc = ptlrpc_set_poll(batch->lb_set, later->dl_wq, &later->dl_work);
	batch_late(batch);
	later->dl_batch = rc == -EINPROGRESS ? batch : NULL;
	return rc;
}

/*
 * A change is not given up as a read is: it may have been executed, and would be done twice if the
 * file still had that object. Return: 0; -EINTR; -EREMCHG; -EINPROGRESS
 */
static int requests_wait(struct lov_batch *batch)
{
	int rc;

	if (batch->lb_later)
		return requests_poll(batch);
	if (!batch->lb_asks)
		return ptlrpc_set_wait(batch->lb_set, 0);
	do {
		rc = ptlrpc_set_wait_for(batch->lb_set, ASK_NS);
	} while (rc == -ETIMEDOUT && !batch_has_moved(batch));
	return rc == -ETIMEDOUT ? -EREMCHG : rc;
}

/*
 * A target knows that an object was destroyed. It was one of a file that this client had a layout
 * of: the file may have others by now. Writeback has locks of the layout's objects, and asks no
 * server.
 */
static int stale_check(const struct lov_batch *batch, const struct lov_rpc *rpc, int rc)
{
	if (rc != -ESTALE || !(batch->lb_asks || may_end(rpc->lrp_req->rq_opc)))
		return rc;
	return lov_seg_has_moved(rpc->lrp_seg) ? -EREMCHG : rc;
}

/**
 * lov_batch_wait() - send what was added, and wait for the replies
 * @batch: batch
 * @done: called for each request that was answered with status 0, in the order in which they
 *	were added
 * @data: for @done
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: 0; the first error of a request or of @done; -EREMCHG: as do_unsure says, or the server
 *  of changes with lb_asks or after -ESTALE; -EINTR. With lb_later, and dl_batch set: they are
 *  under way, and the work calls this again
 */
int lov_batch_wait(struct lov_batch *batch, lov_done_t *done, void *data)
{
	int first = requests_wait(batch), rc;
	struct ost_reply rep;
	struct lov_rpc *rpc;

	/* Changes go on without the task; the requests are not its any more. */
	if (first)
		return first;
	list_for_each_entry(rpc, &batch->lb_rpcs, lrp_item) {
		rc = lov_error_of(rpc->lrp_req->rq_status) ?:
		     ost_reply(rpc->lrp_exp, rpc->lrp_req, &rep) ?:
		     done(batch, rpc, &rep, data);
		first = first ?: stale_check(batch, rpc, rc);
	}
	return first;
}
