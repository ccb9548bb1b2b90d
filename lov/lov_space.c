// SPDX-License-Identifier: GPL-2.0-only
/*
 * Space of files, and holes in them. The bytes of a range that are in one object are contiguous
 * there: each object gets one request.
 *
 * A position of a file is in a hole if its object has a hole there, or ends before it, or if no
 * object has it. Positions of an object come in the same order in the file. So the first hole, or
 * data, of a file is the first one of those of its objects.
 */
#define DEBUG_SUBSYSTEM S_LOV

#include <linux/err.h>
#include <linux/kernel.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "lov_batch.h"
#include "lov_driver.h"
#include "lov_internal.h"

/* --- space ---------------------------------------------------------------------------- */

/* Bytes that no object has are a hole. */
static int falloc_add(struct lov_batch *batch, struct lov_seg *seg, u64 from, u64 end, void *data)
{
	const struct dt_falloc *fa = data;
	struct ost_op op;
	u64 first, last;
	int rc = 0;
	u32 n;

	if (!seg)
		return fa->df_mode & OST_FALLOC_PUNCH_HOLE ?
		       0 : lov_batch_no_objects(batch, from, end);
	for (n = 0; !rc && n < seg->lsg_count; n++) {
		first = seg->lsg_driver->ldv_object_end(seg, n, from);
		last = seg->lsg_driver->ldv_object_end(seg, n, end);
		if (first == last)
			continue;
		op = (struct ost_op){
			.opc = OST_FALLOCATE,
			.flags = fa->df_mode,
			.offset = first,
			.len = last - first,
			.attr = *fa->df_attr,
		};
		op.attr.valid &= MDS_ATTR_MTIME | MDS_ATTR_CTIME;
		rc = lov_batch_add_op(batch, seg, n, &op);
	}
	return rc;
}

static int falloc_done(const struct lov_batch *batch, struct lov_rpc *rpc,
		       const struct ost_reply *rep, void *data)
{
	const struct dt_falloc *fa = data;

	if (ost_time_is_newer(&rep->attr.ctime, &fa->df_got->ctime))
		*fa->df_got = rep->attr;
	return 0;
}

/**
 * lov_fallocate() - d_fallocate of type lov
 * @exp: export of the device
 * @layout: the file
 * @fa: range and mode
 *
 * Context: sleeps
 * Return: 0; -EFBIG; -EOPNOTSUPP: the file system of a target cannot, or a component has no
 *  objects; as lov_io()
 */
int lov_fallocate(struct obd_export *exp, struct lov_layout *layout, const struct dt_falloc *fa)
{
	struct lov_batch batch;
	int rc;

	if (fa->df_len > LOV_POS_MAX || fa->df_pos > LOV_POS_MAX - fa->df_len)
		return -EFBIG;
	rc = lov_batch_init(&batch, exp, layout);
	if (rc)
		return rc;
	batch.lb_asks = true;
	rc = lov_batch_each(&batch, fa->df_pos, fa->df_pos + fa->df_len, falloc_add, (void *)fa);
	if (!rc)
		rc = lov_batch_wait(&batch, falloc_done, (void *)fa);
	lov_batch_fini(&batch);
	return rc;
}

/* --- holes ---------------------------------------------------------------------------- */

/**
 * struct lov_seeker - the search for a position
 * @hole: of a hole, or of data
 * @from: no position before it counts
 * @found: the first one so far, or the size of the file
 */
struct lov_seeker {
	bool	hole;
	u64	from;
	u64	found;
};

/* Bytes that no object has are a hole. */
static int seek_add(struct lov_batch *batch, struct lov_seg *seg, u64 from, u64 end, void *data)
{
	struct lov_seeker *sk = data;
	struct ost_op op;
	u64 first;
	int rc = 0;
	u32 n;

	if (!seg) {
		if (sk->hole)
			sk->found = min(sk->found, from);
		return 0;
	}
	for (n = 0; !rc && n < seg->lsg_count; n++) {
		first = seg->lsg_driver->ldv_object_end(seg, n, from);
		if (first == seg->lsg_driver->ldv_object_end(seg, n, end))
			continue;
		op = (struct ost_op){
			.opc = OST_SEEK,
			.flags = sk->hole ? OST_SEEK_HOLE : 0,
			.offset = first,
		};
		rc = lov_batch_add_op(batch, seg, n, &op);
	}
	return rc;
}

static int seek_done(const struct lov_batch *batch, struct lov_rpc *rpc,
		     const struct ost_reply *rep, void *data)
{
	struct lov_seg *seg = rpc->lrp_seg;
	struct lov_seeker *sk = data;
	u64 pos, run;

	if (rep->first == OST_SEEK_NONE && !sk->hole)
		return 0;
	if (rep->first > LOV_POS_MAX)
		return -EPROTO;
	pos = seg->lsg_driver->ldv_file_pos(seg, rpc->lrp_stripe, rep->first, &run);
	if (pos < sk->from)
		return -EPROTO;
	/* Bytes after the last one of the segment are of another one. */
	if (pos < seg->lsg_end)
		sk->found = min(sk->found, pos);
	return 0;
}

/**
 * lov_seek() - d_seek of type lov
 * @exp: export of the device
 * @layout: the file
 * @hole: the first hole, or data
 * @size: size of the file, as the client knows it
 * @pos: first position that counts; out: the position
 *
 * All objects are asked, side by side.
 *
 * Context: sleeps
 * Return: 0; -ENXIO: there is no data, or @pos is not before the end of the file; as lov_io()
 */
int lov_seek(struct obd_export *exp, struct lov_layout *layout, bool hole, u64 size, u64 *pos)
{
	struct lov_seeker sk = { .hole = hole, .from = *pos, .found = size };
	struct lov_batch batch;
	int rc;

	if (sk.from >= size)
		return -ENXIO;
	rc = lov_batch_init(&batch, exp, layout);
	if (rc)
		return rc;
	rc = lov_batch_each(&batch, sk.from, size, seek_add, &sk);
	if (!rc)
		rc = lov_batch_wait(&batch, seek_done, &sk);
	lov_batch_fini(&batch);
	if (rc)
		return rc;
	if (!hole && sk.found == size)
		return -ENXIO;
	*pos = sk.found;
	return 0;
}
