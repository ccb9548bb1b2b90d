// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads and writes of files: of each segment that has some of the bytes, of each of its objects. The
 * bytes of a range that are in one object are contiguous there: they go in requests of up to
 * max_pages_per_rpc, all objects side by side.
 */
#define DEBUG_SUBSYSTEM S_LOV

#include <linux/err.h>
#include <linux/highmem.h>
#include <linux/kernel.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "lov_batch.h"
#include "lov_driver.h"
#include "lov_internal.h"

/**
 * struct io_cursor - a place in di_vec; it only moves forward
 * @n: part
 * @start: position of the part after di_pos
 */
struct io_cursor {
	unsigned int	n;
	u64		start;
};

/*
 * The parts of @len bytes that are @off bytes after di_pos. @at: at or before them; out: at the
 * last one. @to: out, or NULL. Return: their number
 */
static unsigned int parts_of(const struct dt_io *io, struct io_cursor *at, u64 off, u64 len,
			     struct bio_vec *to)
{
	const struct bio_vec *part = &io->di_vec[at->n];
	unsigned int nr = 0, take;

	while (at->start + part->bv_len <= off) {
		at->start += part->bv_len;
		part = &io->di_vec[++at->n];
	}
	for (;;) {
		take = min_t(u64, len, at->start + part->bv_len - off);
		if (to) {
			to[nr].bv_page = part->bv_page;
			to[nr].bv_offset = part->bv_offset + (off - at->start);
			to[nr].bv_len = take;
		}
		nr++;
		off += take;
		len -= take;
		if (!len)
			return nr;
		at->start += part->bv_len;
		part = &io->di_vec[++at->n];
	}
}

/* Likewise of the bytes of an object from @from to @end, which are in several stripes. */
static unsigned int object_parts(const struct lov_seg *seg, const struct dt_io *io, u32 stripe,
				 struct io_cursor *at, u64 from, u64 end, struct bio_vec *to)
{
	unsigned int nr = 0;
	u64 len, pos;

	for (; from < end; from += len) {
		pos = seg->ls_driver->ld_file_pos(seg, stripe, from, &len);
		len = min(len, end - from);
		nr += parts_of(io, at, pos - io->di_pos, len, to ? to + nr : NULL);
	}
	return nr;
}

/* One request: bytes of an object. @at: moves on */
static int io_add(struct lov_batch *batch, const struct dt_io *io, struct lov_seg *seg, u32 stripe,
		  struct obd_export *target, struct io_cursor *at, u64 from, u64 end)
{
	struct ost_op op = {
		.opc = io->di_write ? OST_WRITE : OST_READ,
		.flags = io->di_write && !io->di_sync ? OBD_BRW_ASYNC : 0,
		.offset = from,
		.len = end - from,
	};
	struct io_cursor ahead = *at;
	struct lov_rpc *rpc;

	rpc = lov_rpc_new(batch, seg, stripe, class_export_get(target),
			  object_parts(seg, io, stripe, &ahead, from, end, NULL));
	if (!rpc)
		return -ENOMEM;
	rpc->lr_pos = from;
	rpc->lr_bulk.bk_len = end - from;
	rpc->lr_bulk.bk_nr = object_parts(seg, io, stripe, at, from, end, rpc->lr_vec);
	if (io->di_write && io->di_attr) {
		op.attr = *io->di_attr;
		op.attr.valid &= MDS_ATTR_MTIME | MDS_ATTR_CTIME;
	}
	return lov_batch_add(batch, rpc, &op);
}

/* The requests of one object, whose bytes from @from to @end they are. */
static int io_add_object(struct lov_batch *batch, const struct dt_io *io, struct lov_seg *seg,
			 u32 stripe, u64 from, u64 end)
{
	struct obd_export *target = lov_seg_target(batch->lb_exp, seg, stripe);
	struct io_cursor at = { 0, 0 };
	u64 most, next;
	int rc = 0;

	if (!target)
		return -EIO;
	most = ost_rpc_bytes(target);
	for (; !rc && from < end; from = next) {
		next = min(end, from - from % most + most);
		rc = io_add(batch, io, seg, stripe, target, &at, from, next);
	}
	class_export_put(target);
	return rc;
}

/* A part may have several pages. */
static void zero_part(const struct bio_vec *part, unsigned int skip, unsigned int bytes)
{
	unsigned int at = part->bv_offset + skip, end = at + bytes, len;

	for (; at < end; at += len) {
		len = min_t(unsigned int, end - at, PAGE_SIZE - offset_in_page(at));
		memzero_page(part->bv_page + (at >> PAGE_SHIFT), offset_in_page(at), len);
	}
}

/* @len bytes of the parts, after the first @skip ones. */
static void zero_parts(const struct bio_vec *part, u64 skip, u64 len)
{
	unsigned int bytes;

	for (; len; part++) {
		bytes = skip < part->bv_len ? min_t(u64, len, part->bv_len - skip) : 0;
		zero_part(part, min_t(u64, skip, part->bv_len), bytes);
		skip -= min_t(u64, skip, part->bv_len);
		len -= bytes;
	}
}

/**
 * lov_io_no_objects() - a change needs objects for bytes of a component that has none
 * @exp: export of the volume
 * @layout: the file
 * @from: first byte
 * @end: first byte after them
 *
 * Context: sleeps
 * Return: 0: there are no such bytes; -EOPNOTSUPP, and the log names them
 */
int lov_io_no_objects(struct obd_export *exp, const struct lov_layout *layout, u64 from, u64 end)
{
	char text[FID_TEXT_SIZE];

	if (from >= end)
		return 0;
	CERROR("%s: file [%s]: bytes %llu to %llu belong to no component with objects: rc = %d\n",
	       exp->exp_obd->obd_name, fid_text(&layout->lo_file, text), from, end - 1,
	       -EOPNOTSUPP);
	return -EOPNOTSUPP;
}

/* Bytes of the file that no object has: they are zeros, and cannot be written. */
static int io_hole(struct lov_batch *batch, const struct dt_io *io, const struct lov_layout *layout,
		   u64 from, u64 end)
{
	if (io->di_write)
		return lov_io_no_objects(batch->lb_exp, layout, from, end);
	if (from < end)
		zero_parts(io->di_vec, from - io->di_pos, end - from);
	return 0;
}

/* The requests of one segment, which has the bytes of the file from @from to @end. */
static int io_add_seg(struct lov_batch *batch, const struct dt_io *io, struct lov_seg *seg,
		      u64 from, u64 end)
{
	u64 first, last;
	int rc = 0;
	u32 n;

	for (n = 0; !rc && n < seg->ls_count; n++) {
		first = seg->ls_driver->ld_object_end(seg, n, from);
		last = seg->ls_driver->ld_object_end(seg, n, end);
		if (first < last)
			rc = io_add_object(batch, io, seg, n, first, last);
	}
	return rc;
}

/* The requests of all segments. Nothing is sent if there is a hole that cannot be written. */
static int io_add_all(struct lov_batch *batch, const struct dt_io *io,
		      const struct lov_layout *layout)
{
	u64 at = io->di_pos, end = io->di_pos + io->di_len, from, to;
	struct lov_seg *seg;
	int rc = 0;
	u32 n;

	for (n = 0; !rc && n < batch->lb_segs.sg_nr; n++) {
		seg = batch->lb_segs.sg_seg[n];
		from = max(at, seg->ls_start);
		to = min(end, seg->ls_end);
		if (from >= to || !seg->ls_count)
			continue;
		rc = io_hole(batch, io, layout, at, from) ?: io_add_seg(batch, io, seg, from, to);
		at = to;
	}
	return rc ?: io_hole(batch, io, layout, at, end);
}

static int read_done(const struct lov_batch *batch, struct lov_rpc *rpc,
		     const struct ost_reply *rep, void *data)
{
	const struct dt_io *io = data;
	u64 end;

	if (rep->count > rpc->lr_bulk.bk_len)
		return -EPROTO;
	/* Nothing was written beyond the end of the object. */
	zero_parts(rpc->lr_bulk.bk_vec, rep->count, rpc->lr_bulk.bk_len - rep->count);
	if (!io->di_end || !rep->count)
		return 0;
	end = rpc->lr_seg->ls_driver->ld_file_end(rpc->lr_seg, rpc->lr_stripe,
						  rpc->lr_pos + rep->count);
	*io->di_end = max(*io->di_end, end);
	return 0;
}

static int write_done(const struct lov_batch *batch, struct lov_rpc *rpc,
		      const struct ost_reply *rep, void *data)
{
	const struct dt_io *io = data;

	if (rep->count != rpc->lr_bulk.bk_len)
		return -EIO;
	if (io->di_got && lov_attr_is_newer(&rep->attr.ctime, &io->di_got->ctime))
		*io->di_got = rep->attr;
	return 0;
}

/**
 * lov_io() - d_io of type lov
 * @exp: export of the device
 * @layout: the file
 * @io: what to read or write
 *
 * Context: sleeps
 * Return: 0; -EIO if a target is not used or not there; -EOPNOTSUPP: a write to a component without
 *  objects; as lov_segs_get(); -EINTR; errors of targets
 */
int lov_io(struct obd_export *exp, struct lov_layout *layout, const struct dt_io *io)
{
	struct lov_batch batch;
	int rc;

	if (io->di_len > LOV_POS_MAX || io->di_pos > LOV_POS_MAX - io->di_len)
		return -EFBIG;
	if (io->di_end)
		*io->di_end = io->di_pos;
	rc = lov_batch_init(&batch, exp, layout);
	if (rc)
		return rc;
	rc = io_add_all(&batch, io, layout);
	if (!rc && io->di_covered && !lov_batch_is_covered(&batch))
		rc = -EIO;
	if (!rc)
		rc = lov_batch_wait(&batch, io->di_write ? write_done : read_done, (void *)io);
	lov_batch_fini(&batch);
	return rc;
}

/* @from, @end: bytes of the file, before the end of the segment */
static bool seg_may_keep(struct obd_export *exp, struct lov_seg *seg, u64 from, u64 end, u64 others)
{
	struct obd_export *target;
	u64 first, last;
	/* Bytes without an object cannot be written: the write says so. */
	bool may = seg->ls_count && from >= seg->ls_start;
	u32 n;

	for (n = 0; may && n < seg->ls_count; n++) {
		first = seg->ls_driver->ld_object_end(seg, n, from);
		last = seg->ls_driver->ld_object_end(seg, n, end);
		if (first == last)
			continue;
		target = lov_seg_target(exp, seg, n);
		may = target && ost_may_keep(target, others + last - first);
		if (target)
			class_export_put(target);
	}
	return may;
}

/**
 * lov_may_keep() - d_may_keep of type lov
 * @exp: export of the device
 * @layout: the file
 * @pos: first byte
 * @len: bytes
 * @others: bytes of any objects that will be written later
 *
 * Context: sleeps if a target has to be asked
 * Return: true if these bytes may be written later, too
 */
bool lov_may_keep(struct obd_export *exp, struct lov_layout *layout, u64 pos, u64 len, u64 others)
{
	u64 at = pos, end = pos + len;
	struct lov_segs segs;
	struct lov_seg *seg;
	bool may = true;
	u32 n;

	if (len > LOV_POS_MAX || pos > LOV_POS_MAX - len || lov_segs_get(layout, &segs))
		return false;
	for (n = 0; may && n < segs.sg_nr && at < end; n++) {
		seg = segs.sg_seg[n];
		if (at >= seg->ls_end)
			continue;
		may = seg_may_keep(exp, seg, at, min(end, seg->ls_end), others);
		at = seg->ls_end;
	}
	lov_segs_put(&segs);
	return may && at >= end;
}
