// SPDX-License-Identifier: GPL-2.0
/*
 * A look at a log: whether it is whole, and its records.
 */
#include <linux/slab.h>

#include <lustre_lite/libcfs.h>

#include "store_internal.h"

/**
 * struct scan - a walk through a log
 * @file: file, or NULL
 * @log: log
 * @open: it, for reading
 * @memory: bytes at its chunk0: header, chunk
 * @walk: where it stands
 * @pending: first thing that is wrong since the last record
 * @fault: out
 * @fn: what is called for each record
 * @data: its argument
 */
struct scan {
	const struct mgs_file	*file;
	struct mgs_log		*log;
	struct llog_store	open;
	size_t			memory;
	struct llog_walk	walk;
	struct llog_fault	pending;
	struct mgs_fault	*fault;
	mgs_scan_fn_t		fn;
	void			*data;
};

static ssize_t scan_read(void *file, u64 offset, void *bytes, size_t len)
{
	const struct scan *scan = file;

	return mgs_file_read((void *)scan->file, offset, bytes, len);
}

static const struct llog_store_io scan_io = {
	.read = scan_read,
};

static int scan_damage(struct scan *scan, const struct llog_fault *fault)
{
	mgs_store_file_name(scan->log->ml_info.li_name, scan->fault->name);
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
	scan->open.room = scan->open.chunk0 + chunk_size;
	scan->open.chunk_size = chunk_size;
	return 0;
}

/* Return: 0; -ENOENT for an empty file, which is no log yet; -EIO */
static int scan_open(struct scan *scan)
{
	struct llog_fault fault = { .what = "it does not begin as a log" };
	u32 chunk_size = LLOG_MIN_CHUNK_SIZE;
	int rc;

	rc = scan->file ? scan_memory(scan, chunk_size) : -ENOENT;
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

/* @more: out, whether there is anything behind this chunk to look for. */
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
		/* Numbers may be missing where nothing is lost: copies of real servers. */
		if (scan->pending.what)
			return scan_damage(scan, &scan->pending);
		rc = scan->fn ? scan->fn(scan->data, &rec) : 0;
		if (rc)
			return rc;
	}
	*more = false;
	return 0;
}

/* From the record at @from on, number @index. */
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
		len = scan_read(scan, offset, scan->open.room, size);
		if (len < 0)
			return (int)len;
		llog_walk_chunk(&scan->walk, scan->open.room, (u32)len, offset);
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

/* From record @index on, which begins at @offset; 0: all of it. */
static int scan_run(struct mgs_store *store, struct mgs_txn *txn,
		    struct mgs_log *log, u32 index, u64 offset,
		    mgs_scan_fn_t fn, void *data, struct mgs_fault *fault)
{
	struct scan *scan = libcfs_zalloc(sizeof(*scan), GFP_KERNEL);
	int rc;

	memset(fault, 0, sizeof(*fault));
	if (!scan)
		return -ENOMEM;
	scan->log = log;
	scan->fault = fault;
	scan->fn = fn;
	scan->data = data;
	scan->open.io = &scan_io;
	scan->open.file = scan;
	scan->file = mgs_store_file(store, txn, log->ml_info.li_name);
	/* A log that is looked at for the first time is not the store's yet. */
	if (!scan->file)
		scan->file = log->ml_file;
	rc = scan_open(scan);
	if (!rc) {
		log->ml_info.li_records = scan->open.head.count - 1;
		log->ml_info.li_last_index = scan->open.head.last_index;
		rc = index ? scan_records(scan, index, offset) :
			     scan_records(scan, 1, scan->open.chunk_size);
	}
	if (fault->what)
		log->ml_damaged = true;
	libcfs_free(scan->open.chunk0, scan->memory);
	libcfs_free(scan, sizeof(*scan));
	return rc;
}

/*
 * Walk through a log. @log: its name is set; records and last index are filled in where
 * it is whole, and that it is damaged where it is. @fn: called for each record that is
 * part of it, padding and cancelled ones too, until it returns something else than 0;
 * or NULL. @fault: out, where it is damaged.
 * Return: what @fn returned last; -ENOENT; -EIO for a damaged one; -ENOMEM
 */
int mgs_log_scan(struct mgs_store *store, struct mgs_txn *txn,
		 struct mgs_log *log, mgs_scan_fn_t fn, void *data,
		 struct mgs_fault *fault)
{
	return scan_run(store, txn, log, 0, 0, fn, data, fault);
}

/**
 * struct view - mgs_store_walk()
 * @rec: record, as it is given
 * @marker: the same where it is a marker
 * @fn: to what
 * @data: its argument
 */
struct view {
	struct mgs_rec		rec;
	struct cfg_marker	marker;
	int			(*fn)(void *data, const struct mgs_rec *rec);
	void			*data;
};

/* A marker of the other byte order is turned round. */
static bool view_marker(struct view *view)
{
	struct cfg_marker *to = &view->marker;
	struct lcfg_marker from;

	if (view->rec.cfg.command != LCFG_MARKER ||
	    lcfg_marker_decode(&view->rec.cfg, &from))
		return false;
	if (!view->rec.cfg.swapped) {
		memcpy(to, view->rec.cfg.buf[1].data, sizeof(*to));
		return true;
	}
	memset(to, 0, sizeof(*to));
	codec_put32(&to->cm_step, from.step);
	codec_put32(&to->cm_flags, from.flags);
	codec_put32(&to->cm_vers, from.vers);
	codec_put64(&to->cm_createtime, from.createtime);
	codec_put64(&to->cm_canceltime, from.canceltime);
	memcpy(to->cm_tgtname, from.tgtname, sizeof(to->cm_tgtname));
	memcpy(to->cm_comment, from.comment, sizeof(to->cm_comment));
	return true;
}

static int view_record(void *data, const struct llog_record *rec)
{
	struct view *view = data;

	if (rec->type != OBD_CFG_REC)
		return 0;
	if (lustre_cfg_decode(rec->body, rec->body_len, &view->rec.cfg, NULL))
		return rec->live ? -EIO : 0;
	view->rec.index = rec->index;
	view->rec.offset = rec->offset;
	view->rec.live = rec->live;
	view->rec.marker = view_marker(view) ? &view->marker : NULL;
	return view->fn(view->data, &view->rec);
}

/**
 * mgs_store_walk_from() - each command of a log from one record on
 * @store: store
 * @txn: change whose doing is to be seen, or NULL
 * @log: name
 * @index: number of the record; 0: from the first one on
 * @offset: where it begins
 * @fn: as mgs_store_walk()
 * @data: its argument
 *
 * Context: sleeps for memory; the caller's lock
 * Return: as mgs_store_walk(); -EIO also where there is no such record
 */
int mgs_store_walk_from(struct mgs_store *store, struct mgs_txn *txn,
			const char *log, u32 index, u64 offset,
			int (*fn)(void *data, const struct mgs_rec *rec),
			void *data)
{
	struct mgs_fault fault;
	struct mgs_log look;
	struct view *view;
	int rc;

	memset(&look, 0, sizeof(look));
	rc = mgs_store_info(store, txn, log, &look.ml_info);
	if (rc)
		return rc;
	view = libcfs_zalloc(sizeof(*view), GFP_KERNEL);
	if (!view)
		return -ENOMEM;
	view->fn = fn;
	view->data = data;
	rc = scan_run(store, txn, &look, index, offset, view_record, view,
		      &fault);
	libcfs_free(view, sizeof(*view));
	return rc;
}

/**
 * mgs_store_walk() - each command of a log
 * @store: store
 * @txn: change whose doing is to be seen, or NULL
 * @log: name
 * @fn: called for each, cancelled ones too, until it returns something else than 0
 * @data: its argument
 *
 * Context: sleeps for memory; the caller's lock
 * Return: what @fn returned last; -ENOENT; -EINVAL; -EIO for a damaged log, -ENOMEM
 */
int mgs_store_walk(struct mgs_store *store, struct mgs_txn *txn,
		   const char *log,
		   int (*fn)(void *data, const struct mgs_rec *rec), void *data)
{
	return mgs_store_walk_from(store, txn, log, 0, 0, fn, data);
}
