// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads and writes of files: of each segment that has some of the bytes, of each of its objects.
 * The bytes of a range that are in one object are contiguous there: they go in requests of up to
 * max_pages_per_rpc, all objects side by side. A request to write takes several ranges.
 *
 * A work that must not stand in the way of others has a struct dt_later: it sends what it has, and
 * runs again when a request to a slow target is ready.
 *
 * If there is no memory for a request of more than WIRE_BULK_DEFAULT, its bytes go in requests of
 * that size; likewise if it is refused by a server to which the target has failed over.
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
 * struct lov_io_cursor - a place among the bytes of all ranges; it only moves forward
 * @range: range
 * @range_start: bytes of the ranges before it
 * @part: part
 * @part_start: bytes of the parts before it
 */
struct lov_io_cursor {
	unsigned int	range;
	u64		range_start;
	unsigned int	part;
	u64		part_start;
};

/**
 * struct lov_io_object - the bytes of an object, in one request after the other
 * @lio_batch: the requests
 * @lio_io: the bytes of the file
 * @lio_seg: segment
 * @lio_stripe: number of the object
 * @lio_target: its target, referenced, or NULL
 * @lio_limit: no request has more bytes, of any target
 * @lio_most: most bytes of a request
 * @lio_at: before the bytes of the next request
 * @lio_niobuf: ranges of the next request
 * @lio_first: the first of them that is in no request yet
 * @lio_nr: number of ranges
 * @lio_bytes: bytes of those that are in no request yet
 * @lio_end: end of the last one
 */
struct lov_io_object {
	struct lov_batch	*lio_batch;
	const struct dt_io	*lio_io;
	struct lov_seg		*lio_seg;
	u32			lio_stripe;
	struct obd_export	*lio_target;
	u32			lio_limit;
	u64			lio_most;
	struct lov_io_cursor	lio_at;
	struct niobuf_remote	lio_niobuf[OST_NIOBUFS_MAX];
	unsigned int		lio_first;
	unsigned int		lio_nr;
	u64			lio_bytes;
	u64			lio_end;
};

/*
 * Where position @pos of the file is among the bytes of all ranges. @at: at or before it; out: at
 * it
 */
static u64 offset_of(const struct dt_io *io, struct lov_io_cursor *at, u64 pos)
{
	const struct dt_range *range = &io->di_range[at->range];

	while (pos - range->dtr_pos >= range->dtr_len) {
		at->range_start += range->dtr_len;
		range = &io->di_range[++at->range];
	}
	return at->range_start + pos - range->dtr_pos;
}

/*
 * The parts of @len bytes, the first of which is number @off. @at: at or before them; out: at the
 * last one. @to: out, or NULL. Return: their number
 */
static unsigned int parts_of(const struct dt_io *io, struct lov_io_cursor *at, u64 off, u64 len,
			     struct bio_vec *to)
{
	const struct bio_vec *part = &io->di_vec[at->part];
	unsigned int nr = 0, take;

	while (at->part_start + part->bv_len <= off) {
		at->part_start += part->bv_len;
		part = &io->di_vec[++at->part];
	}
	for (;;) {
		take = min_t(u64, len, at->part_start + part->bv_len - off);
		if (to) {
			to[nr].bv_page = part->bv_page;
			to[nr].bv_offset = part->bv_offset + (off - at->part_start);
			to[nr].bv_len = take;
		}
		nr++;
		off += take;
		len -= take;
		if (!len)
			return nr;
		at->part_start += part->bv_len;
		part = &io->di_vec[++at->part];
	}
}

/* Likewise of the bytes of an object from @from to @end, which are in several stripes. */
static unsigned int range_parts(const struct lov_io_object *io, struct lov_io_cursor *at, u64 from,
				u64 end,
				struct bio_vec *to)
{
	const struct lov_seg *seg = io->lio_seg;
	unsigned int nr = 0;
	u64 len, pos, off;

	for (; from < end; from += len) {
		pos = seg->lsg_driver->ldv_file_pos(seg, io->lio_stripe, from, &len);
		len = min(len, end - from);
		off = offset_of(io->lio_io, at, pos);
		nr += parts_of(io->lio_io, at, off, len, to ? to + nr : NULL);
	}
	return nr;
}

/* Likewise of @nr ranges of the next request. */
static unsigned int request_parts(const struct lov_io_object *io, struct lov_io_cursor *at,
				  unsigned int nr, struct bio_vec *to)
{
	const struct niobuf_remote *range = &io->lio_niobuf[io->lio_first];
	unsigned int parts = 0, n;
	u64 from;

	for (n = 0; n < nr; n++) {
		from = le64_to_cpu(range[n].rnb_offset);
		parts += range_parts(io, at, from, from + le32_to_cpu(range[n].rnb_len),
				     to ? to + parts : NULL);
	}
	return parts;
}

/*
 * A request of the next @nr ranges, @bytes. Return: -ENOMEM: there is none, and nothing has changed
 */
static int request_make(struct lov_io_object *io, unsigned int nr, u64 bytes)
{
	const struct dt_io *of = io->lio_io;
	struct ost_op op = {
		.opc = of->di_write ? OST_WRITE : OST_READ,
		.flags = of->di_write && !of->di_sync ? OBD_BRW_ASYNC : 0,
		.offset = le64_to_cpu(io->lio_niobuf[io->lio_first].rnb_offset),
		.len = bytes,
	};
	struct lov_io_cursor ahead = io->lio_at, at = io->lio_at;
	struct lov_rpc *rpc;
	int rc;

	rpc = lov_rpc_new(io->lio_batch, io->lio_seg, io->lio_stripe,
			  class_export_get(io->lio_target),
			  request_parts(io, &ahead, nr, NULL));
	if (!rpc)
		return -ENOMEM;
	rpc->lrp_bulk.bk_len = bytes;
	rpc->lrp_bulk.bk_nr = request_parts(io, &at, nr, rpc->lrp_vec);
	if (nr > 1) {
		op.niobufs = &io->lio_niobuf[io->lio_first];
		op.nr_niobufs = nr;
	}
	if (of->di_write && of->di_attr) {
		op.attr = *of->di_attr;
		op.attr.valid &= MDS_ATTR_MTIME | MDS_ATTR_CTIME;
	}
	rc = lov_batch_add(io->lio_batch, rpc, &op);
	if (rc)
		lov_rpc_drop(rpc);
	else
		io->lio_at = at;
	return rc;
}

/* A request of the next bytes, @most of them. Return: as request_make() */
static int request_make_some(struct lov_io_object *io, u64 most)
{
	struct niobuf_remote *last = &io->lio_niobuf[io->lio_first];
	u64 bytes = le32_to_cpu(last->rnb_len);
	unsigned int nr = 1;
	u32 rest;
	int rc;

	while (bytes < most && io->lio_first + nr < io->lio_nr) {
		last = &io->lio_niobuf[io->lio_first + nr++];
		bytes += le32_to_cpu(last->rnb_len);
	}
	/* The rest of the last range is in another request. */
	rest = bytes - min(bytes, most);
	le32_add_cpu(&last->rnb_len, -rest);
	rc = request_make(io, nr, bytes - rest);
	if (rc) {
		le32_add_cpu(&last->rnb_len, rest);
		return rc;
	}
	io->lio_bytes -= bytes - rest;
	io->lio_first += rest ? nr - 1 : nr;
	le64_add_cpu(&last->rnb_offset, le32_to_cpu(last->rnb_len));
	last->rnb_len = cpu_to_le32(rest);
	return 0;
}

static int request_add(struct lov_io_object *io)
{
	u64 most = io->lio_bytes;
	int rc = 0;

	while (!rc && io->lio_bytes) {
		rc = request_make_some(io, most);
		if (rc == -ENOMEM && most > WIRE_BULK_DEFAULT) {
			most = WIRE_BULK_DEFAULT;
			rc = 0;
		}
	}
	io->lio_first = 0;
	io->lio_nr = 0;
	return rc;
}

static bool request_takes(const struct lov_io_object *io, u64 from, u64 len)
{
	const unsigned int ranges = io->lio_io->di_write ? OST_NIOBUFS_MAX : 1;

	return io->lio_bytes + len <= io->lio_most && (io->lio_nr < ranges || from == io->lio_end);
}

/* @len: no more than a request has */
static void niobuf_add(struct lov_io_object *io, u64 from, u64 len)
{
	if (io->lio_nr && from == io->lio_end)
		le32_add_cpu(&io->lio_niobuf[io->lio_nr - 1].rnb_len, len);
	else
		io->lio_niobuf[io->lio_nr++] = (struct niobuf_remote){
			.rnb_offset = cpu_to_le64(from),
			.rnb_len = cpu_to_le32(len),
		};
	io->lio_bytes += len;
	io->lio_end = from + len;
}

/*
 * Bytes of the object from @from to @end. Requests of many bytes start at multiples of their size.
 */
static int range_add(struct lov_io_object *io, u64 from, u64 end)
{
	u64 next;
	int rc = 0;

	if (!io->lio_target) {
		io->lio_target = lov_seg_target(io->lio_batch->lb_exp, io->lio_seg, io->lio_stripe);
		if (!io->lio_target)
			return -EIO;
		io->lio_most = min(io->lio_limit, ost_rpc_bytes(io->lio_target));
	}
	for (; !rc && from < end; from = next) {
		next = min(end, from - from % io->lio_most + io->lio_most);
		if (io->lio_nr && !request_takes(io, from, next - from))
			rc = request_add(io);
		niobuf_add(io, from, next - from);
	}
	return rc;
}

/* The requests of one object. */
static int io_add_object(struct lov_batch *batch, const struct dt_io *of, u32 limit,
			 struct lov_seg *seg, u32 stripe)
{
	struct lov_io_object io = {
		.lio_batch = batch, .lio_io = of, .lio_limit = limit, .lio_seg = seg,
		.lio_stripe = stripe,
	};
	const struct lov_driver *driver = seg->lsg_driver;
	const struct dt_range *range;
	u64 from, end, first, last;
	int rc = 0;

	for (range = of->di_range; !rc && range < of->di_range + of->di_ranges; range++) {
		from = max(range->dtr_pos, seg->lsg_start);
		end = min(range->dtr_pos + range->dtr_len, seg->lsg_end);
		if (from >= end)
			continue;
		first = driver->ldv_object_end(seg, stripe, from);
		last = driver->ldv_object_end(seg, stripe, end);
		if (first < last)
			rc = range_add(&io, first, last);
	}
	if (!rc && io.lio_nr)
		rc = request_add(&io);
	if (io.lio_target)
		class_export_put(io.lio_target);
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

/* @len bytes of the parts, after the first @skip ones. Any context. */
void lov_io_zero(const struct bio_vec *part, u64 skip, u64 len)
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
 * struct lov_io_range - a range, and its bytes
 * @io: all ranges
 * @pos: first byte of this one
 * @start: bytes of the ranges before it
 */
struct lov_io_range {
	const struct dt_io	*io;
	u64			pos;
	u64			start;
};

/* Bytes that no object has are zeros, and cannot be written. */
static int range_check(struct lov_batch *batch, struct lov_seg *seg, u64 from, u64 end, void *data)
{
	const struct lov_io_range *range = data;

	if (seg)
		return 0;
	if (range->io->di_write)
		return lov_batch_no_objects(batch, from, end);
	lov_io_zero(range->io->di_vec, range->start + from - range->pos, end - from);
	return 0;
}

static int io_check_all(struct lov_batch *batch, const struct dt_io *io)
{
	struct lov_io_range at = { .io = io };
	unsigned int n;
	int rc = 0;
	u64 len;

	for (n = 0; !rc && n < io->di_ranges; n++) {
		at.pos = io->di_range[n].dtr_pos;
		len = io->di_range[n].dtr_len;
		if (len > LOV_POS_MAX || at.pos > LOV_POS_MAX - len)
			return -EFBIG;
		rc = lov_batch_each(batch, at.pos, at.pos + len, range_check, &at);
		at.start += len;
	}
	return rc;
}

static int io_add_all(struct lov_batch *batch, const struct dt_io *io, u32 limit)
{
	struct lov_seg *seg;
	int rc = 0;
	u32 n, stripe;

	for (n = 0; !rc && n < batch->lb_segs.sg_nr; n++) {
		seg = batch->lb_segs.sg_seg[n];
		for (stripe = 0; !rc && stripe < seg->lsg_count; stripe++)
			rc = io_add_object(batch, io, limit, seg, stripe);
	}
	return rc;
}

static int read_done(const struct lov_batch *batch, struct lov_rpc *rpc,
		     const struct ost_reply *rep, void *data)
{
	if (rep->count > rpc->lrp_bulk.bk_len)
		return -EPROTO;
	/* Nothing was written beyond the end of the object. */
	lov_io_zero(rpc->lrp_bulk.bk_vec, rep->count, rpc->lrp_bulk.bk_len - rep->count);
	return 0;
}

static int write_done(const struct lov_batch *batch, struct lov_rpc *rpc,
		      const struct ost_reply *rep, void *data)
{
	const struct dt_io *io = data;
	u64 blocks = rep->attr.blocks;

	if (rep->count != rpc->lrp_bulk.bk_len)
		return -EIO;
	if (!io->di_got || ost_time_is_newer(&io->di_got->ctime, &rep->attr.ctime))
		return 0;
	/* A clock may stand still. */
	if (!ost_time_is_newer(&rep->attr.ctime, &io->di_got->ctime))
		blocks = max(rep->attr.blocks, io->di_got->blocks);
	*io->di_got = rep->attr;
	io->di_got->blocks = blocks;
	/* The attributes of the only object are those of the file. */
	io->di_got->valid = lov_segs_objects(&batch->lb_segs) == 1 ? MDS_ATTR_SIZE : 0;
	return 0;
}

static int io_wait(struct lov_batch *batch, const struct dt_io *io)
{
	return lov_batch_wait(batch, io->di_write ? write_done : read_done, (void *)io);
}

/* @later: of @io, or NULL: the task waits */
static int io_start(struct lov_batch *batch, const struct dt_io *io, u32 limit,
		    struct dt_later *later)
{
	int rc;

	batch->lb_job = io->di_job;
	batch->lb_asks = io->di_asks;
	batch->lb_later = later;
	batch->lb_limit = limit;
	rc = io_check_all(batch, io) ?: io_add_all(batch, io, limit);
	if (!rc && io->di_covered && !lov_batch_is_covered(batch))
		rc = -EIO;
	return rc ?: io_wait(batch, io);
}

/* The batch of an I/O that goes on later ends. */
static void later_end(struct lov_batch *batch)
{
	lov_batch_fini(batch);
	libcfs_free(batch, sizeof(*batch));
}

/* @batch: ends here, or when the work has run again. Return: as lov_io() */
static int io_run_later(struct lov_batch *batch, struct obd_export *exp, struct lov_layout *layout,
			const struct dt_io *io, u32 limit)
{
	int rc = lov_batch_init(batch, exp, layout);

	if (rc) {
		libcfs_free(batch, sizeof(*batch));
		return rc;
	}
	rc = io_start(batch, io, limit, io->di_later);
	if (!io->di_later->dl_batch)
		later_end(batch);
	return rc;
}

/* @limit: most bytes of a request. Without memory the task waits. Return: as lov_io() */
static int io_run(struct obd_export *exp, struct lov_layout *layout, const struct dt_io *io,
		  u32 limit)
{
	struct lov_batch batch, *later = NULL;
	int rc;

	if (io->di_later)
		later = libcfs_zalloc(sizeof(*later), GFP_NOFS);
	if (later)
		return io_run_later(later, exp, layout, io, limit);
	rc = lov_batch_init(&batch, exp, layout);
	if (rc)
		return rc;
	rc = io_start(&batch, io, limit, NULL);
	lov_batch_fini(&batch);
	return rc;
}

/* The work of @io runs again. @limit: out: that of io_run(). Return: as lov_io() */
static int io_go_on(const struct dt_io *io, u32 *limit)
{
	struct lov_batch *batch = io->di_later->dl_batch;
	int rc = io_wait(batch, io);

	*limit = batch->lb_limit;
	if (io->di_later->dl_batch != batch)
		later_end(batch);
	return rc;
}

/**
 * lov_io() - d_io of type lov
 * @exp: export of the device
 * @layout: the file
 * @io: what to read or write
 *
 * Context: sleeps
 * Return: 0; -EFBIG; -EIO if a target is not used or not there; -EOPNOTSUPP: a write to a component
 *  without objects; -EREMCHG: as lov_batch_wait(); as lov_segs_get(); -EINTR; errors of targets.
 *  With di_later, and dl_batch set: it has not ended
 */
int lov_io(struct obd_export *exp, struct lov_layout *layout, const struct dt_io *io)
{
	const struct dt_later *later = io->di_later;
	u32 limit = WIRE_BULK_MAX;
	int rc;

	rc = later && later->dl_batch ? io_go_on(io, &limit) : io_run(exp, layout, io, limit);
	if (rc != -EMSGSIZE || limit == WIRE_BULK_DEFAULT || (later && later->dl_batch))
		return rc;
	/* Requests that the other server took are sent again with the same bytes. */
	return io_run(exp, layout, io, WIRE_BULK_DEFAULT);
}

/**
 * lov_rpc_bytes() - d_rpc_bytes of type lov
 * @exp: export of the device
 * @layout: the file
 *
 * Context: sleeps
 * Return: bytes, or 0
 */
u32 lov_rpc_bytes(struct obd_export *exp, struct lov_layout *layout)
{
	struct obd_export *target;
	struct lov_segs segs;
	u32 n, bytes = 0;

	if (lov_segs_get(layout, &segs))
		return 0;
	for (n = 0; n < segs.sg_nr; n++) {
		target = segs.sg_seg[n]->lsg_count ? lov_seg_known(exp, segs.sg_seg[n], 0) : NULL;
		if (!target)
			continue;
		bytes = max(bytes, ost_rpc_bytes(target));
		class_export_put(target);
	}
	lov_segs_put(&segs);
	return bytes;
}
