// SPDX-License-Identifier: GPL-2.0-only
/* Space of objects, and holes in them: what the file system of the backend knows and does. */
#define DEBUG_SUBSYSTEM S_FILTER

#include <linux/err.h>
#include <linux/falloc.h>

#include <lustre_lite/compat.h>

#include "ofd_internal.h"

#define IS_SAME(mode)	(OST_FALLOC_##mode == FALLOC_FL_##mode)

static_assert(IS_SAME(KEEP_SIZE) && IS_SAME(PUNCH_HOLE) && IS_SAME(ZERO_RANGE));

/* An object without a file is a hole already. As of a punch, the times come last. */
static int fallocate_object(struct ofd_call *call, struct ofd_object *obj)
{
	const struct ost_op *op = &call->ofc_op;
	int rc;

	if (!obj->fo_exists && op->flags & OST_FALLOC_PUNCH_HOLE)
		return 1;
	rc = ofd_object_make(call->ofc_ofd, obj, &op->parent) ?:
	     osd_fallocate(&obj->fo_osd, op->flags, op->offset, op->len);
	return rc ?: ofd_times_set(call, obj);
}

/* Neither a hole does, nor a range that the backend refuses. */
static bool takes_space(const struct ofd_call *call)
{
	const struct ost_op *op = &call->ofc_op;

	return !(op->flags & OST_FALLOC_PUNCH_HOLE) &&
	       op->offset + op->len <= osd_size_max(call->ofc_ofd->ofd_osd);
}

static int fallocate(struct ofd_call *call)
{
	const struct ofd_change change = { .och_fn = fallocate_object };
	int rc;

	ofd_lock_progress(call);
	rc = takes_space(call) ? ofd_grant_begin(call) : 0;
	rc = rc ?: ofd_call_change(call, &change);
	ofd_grant_end(call);
	/* Again: the backend may have worked for long. */
	ofd_lock_progress(call);
	return rc;
}

int ofd_fallocate(struct ptlrpc_svc_req *sr)
{
	return ofd_call_run(sr, OFD_STAT_PREALLOC, fallocate);
}

/* From @pos on there is no data. */
static u64 seek_end(bool hole, u64 pos)
{
	return hole ? pos : OST_SEEK_NONE;
}

/* Return: 0, and ob_first is the position; errors of the backend */
static int seek_object(struct ofd_call *call, struct ofd_object *obj)
{
	bool hole = call->ofc_op.flags & OST_SEEK_HOLE;
	u64 pos = call->ofc_op.offset;
	loff_t found = -ENXIO;

	if (ofd_object_exists(obj))
		found = osd_seek(&obj->fo_osd, hole, pos);
	if (found < 0 && found != -ENXIO)
		return found;
	call->ofc_rep.first = found >= 0 ? found : seek_end(hole, pos);
	return ofd_object_attr(obj, &call->ofc_rep.attr);
}

static int seek(struct ofd_call *call)
{
	struct ofd_object *obj = ofd_call_object_there(call);

	return IS_ERR(obj) ? PTR_ERR(obj) : seek_object(call, obj);
}

int ofd_seek(struct ptlrpc_svc_req *sr)
{
	return ofd_call_run(sr, OFD_STAT_SEEK, seek);
}
