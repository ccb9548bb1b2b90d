// SPDX-License-Identifier: GPL-2.0-only
/* Sizes and times of files from those of their objects, and the other way; what is on disk. */
#define DEBUG_SUBSYSTEM S_LOV

#include <linux/err.h>
#include <linux/kernel.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "lov_batch.h"
#include "lov_driver.h"
#include "lov_internal.h"

#define ATTR_TIMES							\
	(MDS_ATTR_ATIME | MDS_ATTR_MTIME | MDS_ATTR_CTIME |		\
	 MDS_ATTR_ATIME_SET | MDS_ATTR_MTIME_SET)

/* The request of each object. Return: 0: none; 1: @op is the request; negative errno */
typedef int (object_op_t)(const struct lov_seg *seg, u32 stripe, const void *data,
			  struct ost_op *op);

/* enum objects_how - OBJECTS_HURRY: as lb_hurry; OBJECTS_CHANGE: as lb_asks */
enum objects_how {
	OBJECTS_WAIT,
	OBJECTS_HURRY,
	OBJECTS_CHANGE,
};

/* Ask all objects of a file, side by side. */
static int objects_ask(struct obd_export *exp, struct lov_layout *layout, enum objects_how how,
		       object_op_t *make, const void *data, lov_done_t *done, void *result)
{
	struct lov_batch batch;
	struct lov_seg *seg;
	struct ost_op op;
	u32 s, n;
	int rc = lov_batch_init(&batch, exp, layout);

	if (rc)
		return rc;
	batch.lb_hurry = how == OBJECTS_HURRY;
	batch.lb_asks = how == OBJECTS_CHANGE;
	for (s = 0; rc >= 0 && s < batch.lb_segs.sg_nr; s++) {
		seg = batch.lb_segs.sg_seg[s];
		for (n = 0; rc >= 0 && n < seg->lsg_count; n++) {
			rc = make(seg, n, data, &op);
			if (rc > 0)
				rc = lov_batch_add_op(&batch, seg, n, &op);
		}
	}
	if (rc >= 0)
		rc = lov_batch_wait(&batch, done, result);
	lov_batch_fini(&batch);
	return rc;
}

static int getattr_op(const struct lov_seg *seg, u32 stripe, const void *data, struct ost_op *op)
{
	*op = (struct ost_op){ .opc = OST_GETATTR };
	return 1;
}

/**
 * lov_attr_merge() - the attributes of an object are part of those of its file
 * @seg: segment
 * @stripe: number of the object
 * @object: size, blocks and times of the object
 * @attr: those of the file, of the objects so far
 *
 * Context: any
 */
void lov_attr_merge(const struct lov_seg *seg, u32 stripe, const struct md_attr *object,
		    struct md_attr *attr)
{
	u64 end = seg->lsg_driver->ldv_file_end(seg, stripe, object->size);

	attr->size = max(attr->size, min(end, seg->lsg_end));
	attr->blocks += object->blocks;
	if (!ost_time_is_newer(&object->ctime, &attr->ctime))
		return;
	attr->atime = object->atime;
	attr->mtime = object->mtime;
	attr->ctime = object->ctime;
}

static int getattr_done(const struct lov_batch *batch, struct lov_rpc *rpc,
			const struct ost_reply *rep, void *data)
{
	lov_attr_merge(rpc->lrp_seg, rpc->lrp_stripe, &rep->attr, data);
	return 0;
}

/**
 * lov_getattr() - d_getattr of type lov
 * @exp: export of the device
 * @layout: the file
 * @attr: out: size, blocks, and the times of the object with the newest ctime; zeros if there is no
 *	object yet
 * @wait: whether to wait for targets that are not connected
 *
 * Context: sleeps
 * Return: as lov_io(); without @wait -EIO for a target that is not connected, and which is
 *	connected for the next request if it is idle
 */
int lov_getattr(struct obd_export *exp, struct lov_layout *layout, struct md_attr *attr, bool wait)
{
	memset(attr, 0, sizeof(*attr));
	return objects_ask(exp, layout, wait ? OBJECTS_WAIT : OBJECTS_HURRY, getattr_op, NULL,
			   getattr_done, attr);
}

/*
 * A new size, as struct md_attr says, is the end of the objects of the segment that has the last
 * byte. Segments after it become empty.
 */
static int setattr_op(const struct lov_seg *seg, u32 stripe, const void *data, struct ost_op *op)
{
	const struct md_attr *attr = data;
	bool punch = attr->valid & MDS_ATTR_SIZE && attr->size <= seg->lsg_end;

	*op = (struct ost_op) { .opc = punch ? OST_PUNCH : OST_SETATTR, .attr = *attr };
	op->attr.valid &= ATTR_TIMES;
	if (punch && attr->size > seg->lsg_start)
		op->offset = seg->lsg_driver->ldv_object_end(seg, stripe, attr->size);
	return punch || op->attr.valid;
}

/* The last byte of a file of @size is in an object. */
static int size_check(struct obd_export *exp, struct lov_layout *layout, u64 size)
{
	char text[FID_TEXT_SIZE];
	struct lov_segs segs;
	struct lov_seg *seg;
	bool ok = !size;
	int rc;
	u32 n;

	if (size > LOV_POS_MAX)
		return -EFBIG;
	rc = lov_segs_get(layout, &segs);
	if (rc)
		return rc;
	for (n = 0; n < segs.sg_nr; n++) {
		seg = segs.sg_seg[n];
		ok |= seg->lsg_count && size > seg->lsg_start && size <= seg->lsg_end;
	}
	lov_segs_put(&segs);
	if (ok)
		return 0;
	CERROR("%s: file [%s]: size %llu ends in no component with objects: rc = %d\n",
	       exp->exp_obd->obd_name, fid_text(&layout->lly_file, text), size, -EOPNOTSUPP);
	return -EOPNOTSUPP;
}

/**
 * lov_setattr() - d_setattr of type lov
 * @exp: export of the device
 * @layout: the file
 * @attr: MDS_ATTR_SIZE and times; out: mtime and ctime of the object with the newest ctime
 *
 * Each object gets its share of the size.
 *
 * Context: sleeps
 * Return: as lov_io()
 */
int lov_setattr(struct obd_export *exp, struct lov_layout *layout, struct md_attr *attr)
{
	struct md_attr got = {};
	int rc;

	if (!(attr->valid & (MDS_ATTR_SIZE | ATTR_TIMES)))
		return 0;
	rc = attr->valid & MDS_ATTR_SIZE ? size_check(exp, layout, attr->size) : 0;
	rc = rc ?: objects_ask(exp, layout, OBJECTS_CHANGE, setattr_op, attr, getattr_done, &got);
	/* An object that was not written has no times. */
	if (!rc && ost_time_is_newer(&got.ctime, &attr->ctime)) {
		attr->mtime = got.mtime;
		attr->ctime = got.ctime;
	}
	return rc;
}

/**
 * lov_settle() - d_settle of type lov
 * @exp: export of the device
 * @layout: the file
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: 0; -EINTR; as lov_segs_get()
 */
int lov_settle(struct obd_export *exp, struct lov_layout *layout)
{
	struct obd_export *target;
	struct lov_segs segs;
	struct lov_seg *seg;
	int rc = lov_segs_get(layout, &segs);
	u32 s, n;

	if (rc)
		return rc;
	for (s = 0; !rc && s < segs.sg_nr; s++) {
		seg = segs.sg_seg[s];
		for (n = 0; !rc && n < seg->lsg_count; n++) {
			target = lov_seg_known(exp, seg, n);
			if (!target)
				continue;
			rc = ost_settle(target, &seg->lsg_slots[n].los_fid, true);
			class_export_put(target);
		}
	}
	lov_segs_put(&segs);
	return rc;
}

/* A slot without an account does not know of changes before it, as by a file that was closed. */
static int sync_op(const struct lov_seg *seg, u32 stripe, const void *data, struct ost_op *op)
{
	const struct ost_writes *writes = READ_ONCE(seg->lsg_slots[stripe].los_writes);

	*op = (struct ost_op){ .opc = OST_SYNC };
	return !writes || ost_writes_pending(writes);
}

/* From here on the account says what is not on disk. Without memory the next sync asks again. */
static int sync_done(const struct lov_batch *batch, struct lov_rpc *rpc,
		     const struct ost_reply *rep, void *data)
{
	lov_seg_writes(rpc->lrp_seg, rpc->lrp_stripe);
	return 0;
}

/**
 * lov_sync() - d_sync of type lov
 * @exp: export of the device
 * @layout: the file
 *
 * Only targets that may not have everything on disk are asked. A layout that is not served has
 * nothing to sync. What was in objects that the file had before was read there, and is on disk
 * elsewhere.
 *
 * Context: sleeps
 * Return: 0; -EIO if changes were lost since the last call; -EREMCHG: the file has other objects by
 *  now; as lov_io()
 */
int lov_sync(struct obd_export *exp, struct lov_layout *layout)
{
	int rc = objects_ask(exp, layout, OBJECTS_CHANGE, sync_op, NULL, sync_done, NULL);

	if (rc == -EOPNOTSUPP || rc == -EUCLEAN)
		rc = 0;
	return rc ?: lov_layout_error(layout);
}
