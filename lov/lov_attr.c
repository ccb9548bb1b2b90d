// SPDX-License-Identifier: GPL-2.0-only
/* Sizes and times of files from those of their objects, and the other way; what is on disk. */
#define DEBUG_SUBSYSTEM S_LOV

#include <linux/err.h>
#include <linux/kernel.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "lov_batch.h"
#include "lov_internal.h"

#define ATTR_TIMES							\
	(MDS_ATTR_ATIME | MDS_ATTR_MTIME | MDS_ATTR_CTIME |		\
	 MDS_ATTR_ATIME_SET | MDS_ATTR_MTIME_SET)

/* A request without bytes to the object of @stripe. */
static int object_add(struct lov_batch *batch, u32 stripe, struct ost_op *op)
{
	struct obd_export *target = lov_batch_target(batch, stripe);
	struct lov_rpc *rpc;

	if (!target)
		return -EIO;
	rpc = lov_rpc_new(batch, stripe, target, 0);
	return rpc ? lov_batch_add(batch, rpc, op) : -ENOMEM;
}

static int ignore_done(const struct lov_batch *batch, struct lov_rpc *rpc,
		       const struct ost_reply *rep, void *data)
{
	return 0;
}

static bool is_newer(const struct md_time *a, const struct md_time *b)
{
	return a->sec != b->sec ? a->sec > b->sec : a->nsec > b->nsec;
}

static int getattr_done(const struct lov_batch *batch, struct lov_rpc *rpc,
			const struct ost_reply *rep, void *data)
{
	struct md_attr *attr = data;

	attr->size = max(attr->size, lov_file_end(&batch->lb_layout->lo_stripes, rpc->lr_stripe,
						  rep->attr.size));
	attr->blocks += rep->attr.blocks;
	if (!is_newer(&rep->attr.ctime, &attr->ctime))
		return 0;
	attr->atime = rep->attr.atime;
	attr->mtime = rep->attr.mtime;
	attr->ctime = rep->attr.ctime;
	return 0;
}

/**
 * lov_getattr() - d_getattr of type lov
 * @exp: export of the device
 * @layout: the file
 * @attr: out: size, blocks, and the times of the object with the newest ctime; zeros if there is no
 *	object yet
 *
 * Context: sleeps
 * Return: as lov_io()
 */
int lov_getattr(struct obd_export *exp, struct lov_layout *layout, struct md_attr *attr)
{
	struct ost_op op = { .opc = OST_GETATTR };
	struct lov_batch batch;
	u32 n;
	int rc;

	memset(attr, 0, sizeof(*attr));
	rc = lov_batch_init(&batch, exp, layout);
	if (rc)
		return rc;
	for (n = 0; !rc && n < layout->lo_stripes.count; n++)
		rc = object_add(&batch, n, &op);
	if (!rc)
		rc = lov_batch_wait(&batch, getattr_done, attr);
	lov_batch_fini(&batch);
	return rc;
}

/**
 * lov_setattr() - d_setattr of type lov
 * @exp: export of the device
 * @layout: the file
 * @attr: MDS_ATTR_SIZE and times
 *
 * Each object gets its share of the size.
 *
 * Context: sleeps
 * Return: as lov_io()
 */
int lov_setattr(struct obd_export *exp, struct lov_layout *layout, const struct md_attr *attr)
{
	const struct lov_stripes *st = &layout->lo_stripes;
	bool punch = attr->valid & MDS_ATTR_SIZE;
	struct lov_batch batch;
	struct ost_op op;
	u32 n;
	int rc;

	if (punch && attr->size > LOV_POS_MAX)
		return -EFBIG;
	if (!(attr->valid & (MDS_ATTR_SIZE | ATTR_TIMES)))
		return 0;
	rc = lov_batch_init(&batch, exp, layout);
	if (rc)
		return rc;
	for (n = 0; !rc && n < st->count; n++) {
		op = (struct ost_op) {
			.opc = punch ? OST_PUNCH : OST_SETATTR,
			.offset = punch ? lov_object_end(st, n, attr->size) : 0,
			.attr = *attr,
		};
		op.attr.valid &= ATTR_TIMES;
		rc = object_add(&batch, n, &op);
	}
	if (!rc)
		rc = lov_batch_wait(&batch, ignore_done, NULL);
	lov_batch_fini(&batch);
	return rc;
}

/* A layout without an account does not know of changes before it, as by a file that was closed. */
static bool may_be_pending(const struct lov_layout *layout, u32 stripe)
{
	const struct ost_writes *writes = READ_ONCE(layout->lo_objects[stripe].los_writes);

	return !writes || ost_writes_pending(writes);
}

/* From here on the account says what is not on disk. Without memory the next sync asks again. */
static int sync_done(const struct lov_batch *batch, struct lov_rpc *rpc,
		     const struct ost_reply *rep, void *data)
{
	lov_layout_writes(batch->lb_layout, rpc->lr_stripe);
	return 0;
}

/**
 * lov_sync() - d_sync of type lov
 * @exp: export of the device
 * @layout: the file
 *
 * Only targets that may not have everything on disk are asked.
 *
 * Context: sleeps
 * Return: 0; -EIO if changes were lost since the last call; as lov_io()
 */
int lov_sync(struct obd_export *exp, struct lov_layout *layout)
{
	struct ost_op op = { .opc = OST_SYNC };
	struct lov_batch batch;
	u32 n;
	int rc;

	rc = lov_batch_init(&batch, exp, layout);
	if (rc)
		return rc;
	for (n = 0; !rc && n < layout->lo_stripes.count; n++) {
		if (may_be_pending(layout, n))
			rc = object_add(&batch, n, &op);
	}
	if (!rc)
		rc = lov_batch_wait(&batch, sync_done, NULL);
	lov_batch_fini(&batch);
	return rc ?: lov_layout_error(layout);
}
