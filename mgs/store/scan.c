// SPDX-License-Identifier: GPL-2.0-only
/*
 * The walk through the records of a log, which also finds out whether it is damaged.
 */
#include <linux/slab.h>

#include <lustre_lite/libcfs.h>

#include "store_internal.h"

/**
 * struct scan - a walk through a log
 * @bytes: its bytes
 * @log: facts about it
 * @open: the log opened for reading
 * @memory: allocated size of chunk0: header and one chunk
 * @walk: position
 * @pending: first fault since the last record
 * @fault: out
 * @fn: called for each record, or NULL
 * @data: its argument
 */
struct scan {
	const struct mgs_bytes	*bytes;
	struct mgs_log		*log;
	struct llog_store	open;
	size_t			memory;
	struct llog_walk	walk;
	struct llog_fault	pending;
	struct mgs_fault	*fault;
	mgs_record_fn		fn;
	void			*data;
};

static ssize_t scan_read(void *file, u64 offset, void *bytes, size_t len)
{
	const struct scan *scan = file;

	return (ssize_t)mgs_bytes_read(scan->bytes, offset, bytes, len);
}

static const struct llog_store_io scan_io = {
	.read = scan_read,
};

static int scan_damage(struct scan *scan, const struct llog_fault *fault)
{
	mgs_log_file_name(scan->log->lg_info.li_name, scan->fault->name);
	scan->fault->what = fault->what;
	scan->fault->offset = fault->offset;
	return -EIO;
}

static int scan_memory(struct scan *scan, u32 chunk_size)
{
	libcfs_free(scan->open.chunk0, scan->memory);
	scan->memory = 2 * (size_t)chunk_size;
	scan->open.chunk0 = libcfs_zalloc(scan->memory, GFP_KERNEL);
	if (!scan->open.chunk0)
		return -ENOMEM;
	scan->open.buf = scan->open.chunk0 + chunk_size;
	scan->open.chunk_size = chunk_size;
	return 0;
}

/* Return: 0; -ENOENT for an empty file, which is not a log yet; -EIO */
static int scan_open(struct scan *scan)
{
	struct llog_fault fault = { .what = "it does not begin as a log" };
	u32 chunk_size = LLOG_MIN_CHUNK_SIZE;
	int rc;

	rc = scan_memory(scan, chunk_size);
	if (!rc)
		rc = llog_store_probe(&scan_io, scan, scan->open.chunk0,
				      &chunk_size);
	if (!rc && chunk_size != LLOG_MIN_CHUNK_SIZE)
		rc = scan_memory(scan, chunk_size);
	if (!rc)
		rc = llog_store_open(&scan->open, false, &fault);
	if (rc == -ENODATA)
		return -ENOENT;
	return rc == -EBADMSG ? scan_damage(scan, &fault) : rc;
}

/* @more: out: the next chunk is to be read. */
static int scan_chunk(struct scan *scan, bool *more)
{
	u32 last = scan->open.head.last_index;
	struct llog_record rec;
	struct llog_fault fault;
	enum llog_step step;
	int rc;

	*more = true;
	while (scan->walk.next_index <= last) {
		step = llog_walk_next(&scan->walk, &rec, &fault);
		if (step == LLOG_STEP_END)
			return 0;
		if (step == LLOG_STEP_FAULT) {
			if (!scan->pending.what && fault.lost)
				scan->pending = fault;
			continue;
		}
		if (rec.index > last)
			break;
		/* Copies that real servers make skip numbers without a loss. */
		if (scan->pending.what)
			return scan_damage(scan, &scan->pending);
		rc = scan->fn ? scan->fn(scan->data, &rec) : 0;
		if (rc)
			return rc;
	}
	*more = false;
	return 0;
}

/* From record @index, which starts at @from. */
static int scan_records(struct scan *scan, u32 index, u64 from)
{
	struct llog_fault fault = { .what = "it ends before its last record" };
	u32 size = scan->open.chunk_size;
	u64 offset = from - from % size;
	bool more = true;
	ssize_t len = 0;
	int rc;

	llog_walk_init(&scan->walk, &scan->open.head);
	scan->walk.next_index = index;
	while (more) {
		len = scan_read(scan, offset, scan->open.buf, size);
		if (len < 0)
			return (int)len;
		llog_walk_chunk(&scan->walk, scan->open.buf, (u32)len, offset);
		if (offset < from)
			scan->walk.at = (u32)(from - offset);
		rc = scan_chunk(scan, &more);
		if (rc)
			return rc;
		if ((u32)len < size)
			break;
		offset += size;
	}
	if (scan->walk.next_index > scan->open.head.last_index)
		return 0;
	fault.offset = offset + (u64)len;
	return scan_damage(scan, scan->pending.what ? &scan->pending : &fault);
}

/*
 * Walk through a log. @log: name set; records, last index and damage are filled in.
 * @index, @offset: number and start of the first record; 0: all of the log. @fn: called
 * for each record, padding and cancelled ones too, until it returns nonzero; or NULL.
 * @fault: out: damage.
 * Return: what @fn returned last; -ENOENT for an empty file; -EIO for a damaged log;
 * -ENOMEM
 */
int mgs_log_scan_from(const struct mgs_bytes *bytes, struct mgs_log *log,
		      u32 index, u64 offset, mgs_record_fn fn, void *data,
		      struct mgs_fault *fault)
{
	struct scan *scan = libcfs_zalloc(sizeof(*scan), GFP_KERNEL);
	int rc;

	memset(fault, 0, sizeof(*fault));
	if (!scan)
		return -ENOMEM;
	scan->bytes = bytes;
	scan->log = log;
	scan->fault = fault;
	scan->fn = fn;
	scan->data = data;
	scan->open.io = &scan_io;
	scan->open.file = scan;
	rc = scan_open(scan);
	if (!rc) {
		log->lg_info.li_records = scan->open.head.count - 1;
		log->lg_info.li_last_index = scan->open.head.last_index;
		rc = index ? scan_records(scan, index, offset) :
			     scan_records(scan, 1, scan->open.chunk_size);
	}
	if (fault->what)
		log->lg_damaged = true;
	libcfs_free(scan->open.chunk0, scan->memory);
	libcfs_free(scan, sizeof(*scan));
	return rc;
}
