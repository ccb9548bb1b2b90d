// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads and writes of files. The bytes of a range that are in one object are contiguous there: they
 * go in requests of up to max_pages_per_rpc, all objects side by side.
 */
#define DEBUG_SUBSYSTEM S_LOV

#include <linux/err.h>
#include <linux/highmem.h>
#include <linux/kernel.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "lov_batch.h"
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
static unsigned int object_parts(const struct lov_layout *layout, const struct dt_io *io,
				 u32 stripe, struct io_cursor *at, u64 from, u64 end,
				 struct bio_vec *to)
{
	const struct lov_stripes *st = &layout->lo_stripes;
	unsigned int nr = 0;
	u64 len, pos;

	for (; from < end; from += len) {
		len = min_t(u64, end - from, st->size - from % st->size);
		pos = lov_file_pos(st, stripe, from);
		nr += parts_of(io, at, pos - io->di_pos, len, to ? to + nr : NULL);
	}
	return nr;
}

/* One request: bytes of an object. @at: moves on */
static int io_add(struct lov_batch *batch, const struct dt_io *io, u32 stripe,
		  struct obd_export *target, struct io_cursor *at, u64 from, u64 end)
{
	const struct lov_layout *layout = batch->lb_layout;
	struct ost_op op = {
		.opc = io->di_write ? OST_WRITE : OST_READ,
		.flags = io->di_write && !io->di_sync ? OBD_BRW_ASYNC : 0,
		.offset = from,
		.len = end - from,
	};
	struct io_cursor ahead = *at;
	struct lov_rpc *rpc;

	rpc = lov_rpc_new(batch, stripe, class_export_get(target),
			  object_parts(layout, io, stripe, &ahead, from, end, NULL));
	if (!rpc)
		return -ENOMEM;
	rpc->lr_pos = from;
	rpc->lr_bulk.bk_len = end - from;
	rpc->lr_bulk.bk_nr = object_parts(layout, io, stripe, at, from, end, rpc->lr_vec);
	if (io->di_write && io->di_attr) {
		op.attr = *io->di_attr;
		op.attr.valid &= MDS_ATTR_MTIME | MDS_ATTR_CTIME;
	}
	return lov_batch_add(batch, rpc, &op);
}

/* The requests of one object, whose bytes from @from to @end they are. */
static int io_add_object(struct lov_batch *batch, const struct dt_io *io, u32 stripe, u64 from,
			 u64 end)
{
	struct obd_export *target = lov_batch_target(batch, stripe);
	struct io_cursor at = { 0, 0 };
	u64 most, next;
	int rc = 0;

	if (!target)
		return -EIO;
	most = ost_rpc_bytes(target);
	for (; !rc && from < end; from = next) {
		next = min(end, from - from % most + most);
		rc = io_add(batch, io, stripe, target, &at, from, next);
	}
	class_export_put(target);
	return rc;
}

/* A part may have several pages. */
static void zero_part(const struct bio_vec *part, unsigned int skip)
{
	unsigned int at = part->bv_offset + skip, end = part->bv_offset + part->bv_len, len;

	for (; at < end; at += len) {
		len = min_t(unsigned int, end - at, PAGE_SIZE - offset_in_page(at));
		memzero_page(part->bv_page + (at >> PAGE_SHIFT), offset_in_page(at), len);
	}
}

/* Nothing was written beyond the end of the object. */
static void zero_from(const struct ptlrpc_bulk *bulk, u64 at)
{
	unsigned int n, skip;

	for (n = 0; n < bulk->bk_nr; n++) {
		skip = min_t(u64, at, bulk->bk_vec[n].bv_len);
		at -= skip;
		zero_part(&bulk->bk_vec[n], skip);
	}
}

static int read_done(const struct lov_batch *batch, struct lov_rpc *rpc,
		     const struct ost_reply *rep, void *data)
{
	const struct dt_io *io = data;
	u64 end;

	if (rep->count > rpc->lr_bulk.bk_len)
		return -EPROTO;
	zero_from(&rpc->lr_bulk, rep->count);
	if (!io->di_end || !rep->count)
		return 0;
	end = lov_file_end(&batch->lb_layout->lo_stripes, rpc->lr_stripe,
			   rpc->lr_pos + rep->count);
	*io->di_end = max(*io->di_end, end);
	return 0;
}

static int write_done(const struct lov_batch *batch, struct lov_rpc *rpc,
		      const struct ost_reply *rep, void *data)
{
	return rep->count == rpc->lr_bulk.bk_len ? 0 : -EIO;
}

/**
 * lov_io() - d_io of type lov
 * @exp: export of the device
 * @layout: the file
 * @io: what to read or write
 *
 * Context: sleeps
 * Return: 0; -EIO if a target is not used or not there; -EINTR; errors of targets
 */
int lov_io(struct obd_export *exp, struct lov_layout *layout, const struct dt_io *io)
{
	const struct lov_stripes *st = &layout->lo_stripes;
	struct lov_batch batch;
	u64 from, end;
	u32 n;
	int rc;

	if (io->di_len > LOV_POS_MAX || io->di_pos > LOV_POS_MAX - io->di_len)
		return -EFBIG;
	if (io->di_end)
		*io->di_end = io->di_pos;
	rc = lov_batch_init(&batch, exp, layout);
	if (rc)
		return rc;
	for (n = 0; !rc && n < st->count; n++) {
		from = lov_object_end(st, n, io->di_pos);
		end = lov_object_end(st, n, io->di_pos + io->di_len);
		if (from < end)
			rc = io_add_object(&batch, io, n, from, end);
	}
	if (!rc)
		rc = lov_batch_wait(&batch, io->di_write ? write_done : read_done, (void *)io);
	lov_batch_fini(&batch);
	return rc;
}
