// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of a log: written by one task at a time, and read as they are on
 * disk.
 *
 * A reader copies the header, and reads chunks without a lock: the records that
 * the copy counts are in the file in full, and never change. At their end it
 * copies the header again, and if records were appended, continues in the same
 * chunk at the same byte.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <linux/lockdep.h>
#include <linux/sched.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>

#include "llog_internal.h"

/* The change is on disk: publish it to readers. */
static void llog_publish(struct llog_handle *log,
			 const struct llog_store_change *change)
{
	lockdep_assert_held(&log->write_lock);
	mutex_lock(&log->head_lock);
	llog_store_apply(&log->store, change);
	mutex_unlock(&log->head_lock);
}

static void llog_append_failed(struct llog_handle *log, int rc)
{
	const struct llog_store *store = &log->store;

	lockdep_assert_held(&log->write_lock);
	if (store->failed)
		CERROR("%pD: the state on disk is unknown; no further writes until the log is opened again: rc = %d\n",
		       log->file, rc);
	else if (rc == -ENOSPC &&
		 store->head.last_index + 2 >= store->head.bitmap_bits)
		CERROR("%pD: the log is full: it has had %u records of at most %u: rc = %d\n",
		       log->file, store->head.last_index,
		       store->head.bitmap_bits - 1, rc);
	else
		CERROR("%pD: cannot append record %u: rc = %d\n", log->file,
		       store->head.last_index + 1, rc);
}

/**
 * llog_append() - append a record
 * @log: handle that writes
 * @type: type, such as OBD_CFG_REC
 * @body: body
 * @body_len: its bytes
 * @index: out, index of the record; may be NULL
 *
 * Context: may sleep; no lock of the caller is needed
 * Return: 0 if it is on disk. On error the log is unchanged: -ENOSPC if the
 *  bitmap or the disk is full, -E2BIG for a record larger than a chunk, -EBADF
 *  for a handle that reads, -EINVAL for an invalid type, errors of the file
 *  system. After an I/O error with an unknown result there are no writes until
 *  the log is opened again, which repairs it.
 */
int llog_append(struct llog_handle *log, u32 type, const void *body,
		size_t body_len, u32 *index)
{
	struct llog_store_change change;
	int rc;

	mutex_lock(&log->write_lock);
	rc = llog_store_append(&log->store, type, body, body_len, &change);
	if (rc)
		llog_append_failed(log, rc);
	else
		llog_publish(log, &change);
	mutex_unlock(&log->write_lock);
	if (!rc && index)
		*index = change.index;
	return rc;
}
EXPORT_FOR_KUNIT(llog_append);

/**
 * llog_cancel() - cancel a record
 * @log: handle that writes
 * @index: index of the record
 *
 * Context: may sleep; no lock of the caller is needed
 * Return: 0 if that is on disk; -ENOENT if no such record is live; -EBADF for a
 *  handle that reads; as llog_append()
 */
int llog_cancel(struct llog_handle *log, u32 index)
{
	struct llog_store_change change;
	int rc;

	mutex_lock(&log->write_lock);
	rc = llog_store_cancel(&log->store, index, &change);
	if (!rc)
		llog_publish(log, &change);
	else if (rc != -ENOENT)
		CERROR("%pD: cannot cancel record %u: rc = %d\n", log->file,
		       index, rc);
	mutex_unlock(&log->write_lock);
	return rc;
}
EXPORT_FOR_KUNIT(llog_cancel);

/**
 * struct llog_reader - a walk through a log
 * @log: the log
 * @size: bytes of a chunk
 * @chunk0: copy of the header
 * @chunk: the current chunk
 * @head: decoded @chunk0
 * @end: end of the last record; of a log that is only read, far beyond it
 * @walk: position
 * @first: first index to process
 * @last: last index to process
 * @flags: LLOG_P_*
 * @cb: callback
 * @data: its argument
 * @result: result so far
 */
struct llog_reader {
	struct llog_handle	*log;
	u32			size;
	u8			*chunk0;
	u8			*chunk;
	struct llog_head	head;
	u64			end;
	struct llog_walk	walk;
	u32			first;
	u32			last;
	unsigned int		flags;
	llog_cb_t		cb;
	void			*data;
	struct llog_result	result;
};

/* Return: true if the log has grown. */
static bool reader_refresh(struct llog_reader *reader)
{
	struct llog_handle *log = reader->log;
	struct llog_store *store = &log->store;
	u32 last_index = reader->head.last_index;

	mutex_lock(&log->head_lock);
	memcpy(reader->chunk0, store->chunk0, reader->size);
	reader->head = store->head;
	reader->end = store->writable ? store->end : U64_MAX;
	mutex_unlock(&log->head_lock);
	reader->head.bitmap = reader->chunk0 + reader->head.bitmap_offset;
	return reader->head.last_index != last_index;
}

static void reader_fault(struct llog_reader *reader,
			 const struct llog_fault *fault)
{
	if (!reader->result.fault.what)
		reader->result.fault = *fault;
	CWARN("%pD: offset %llu, record %u: %s: %#llx, not %#llx; %llu bytes skipped\n",
	      reader->log->file, fault->offset, fault->index, fault->what,
	      fault->seen, fault->want, fault->lost);
}

/* Return: 0 to go on, also for a record outside of the range; as the callback. */
static int reader_show(struct llog_reader *reader, const struct llog_record *rec)
{
	if (rec->type == LLOG_PAD_MAGIC || rec->index < reader->first)
		return 0;
	if (rec->index > reader->last)
		return LLOG_PROC_BREAK;
	if (!rec->live && !(reader->flags & LLOG_P_RAW))
		return 0;
	reader->result.last = rec->index;
	reader->result.records++;
	return reader->cb(rec, reader->data);
}

/* Whether all records of the header were processed. */
static bool reader_done(const struct llog_reader *reader)
{
	return reader->walk.next_index > reader->head.last_index;
}

static int reader_records(struct llog_reader *reader)
{
	struct llog_record rec;
	struct llog_fault fault;
	enum llog_step step;
	int rc = 0;

	while (!rc && !reader_done(reader)) {
		step = llog_walk_next(&reader->walk, &rec, &fault);
		if (step == LLOG_STEP_END)
			break;
		if (step == LLOG_STEP_FAULT)
			reader_fault(reader, &fault);
		else
			rc = reader_show(reader, &rec);
	}
	return rc;
}

static ssize_t reader_chunk(struct llog_reader *reader, u64 offset)
{
	u32 want = reader->size;
	ssize_t len;

	if (reader->end - offset < want)
		want = reader->end - offset;
	len = llog_file_read(reader->log->file, offset, reader->chunk, want);
	if (len < 0)
		CERROR("%pD: cannot read at offset %llu: rc = %zd\n",
		       reader->log->file, offset, len);
	else
		llog_walk_chunk(&reader->walk, reader->chunk, len, offset);
	return len;
}

/* The end of the file was reached. */
static void reader_ends(struct llog_reader *reader, u64 offset)
{
	struct llog_fault fault = {
		.offset	= offset,
		.index	= reader->walk.next_index,
		.what	= "the log ends before its last record",
		.seen	= reader->walk.next_index - 1,
		.want	= reader->head.last_index,
	};

	reader_fault(reader, &fault);
}

static int reader_run(struct llog_reader *reader)
{
	u64 offset = reader->size;
	ssize_t len;
	int rc;

	for (;;) {
		len = reader_chunk(reader, offset);
		if (len < 0)
			return len;
		rc = reader_records(reader);
		if (rc)
			return rc == LLOG_PROC_BREAK ? 0 : rc;
		if (reader_done(reader)) {
			if (!reader_refresh(reader))
				return 0;
		} else if (len < reader->size) {
			reader_ends(reader, offset + len);
			return 0;
		}
		if (len == reader->size)
			offset += len;
		cond_resched();
	}
}

/**
 * llog_process() - process a log's records
 * @log: handle
 * @first: index of the first record; 0 for the first one
 * @last: index of the last one; U32_MAX for all, including those appended
 *  meanwhile
 * @flags: LLOG_P_RAW to include cancelled records
 * @cb: called for each, in order of their indexes; not for padding
 * @data: its argument
 * @result: out, progress; may be NULL. Of a damaged log it has the first fault,
 *  and all readable records were processed.
 *
 * The callback may use the log, except for closing it.
 *
 * Context: may sleep; no lock of the log is held over @cb or I/O
 * Return: 0 at the end, also if records are damaged, or after LLOG_PROC_BREAK;
 *  the error of @cb; -ENOMEM; errors of the file system
 */
int llog_process(struct llog_handle *log, u32 first, u32 last,
		 unsigned int flags, llog_cb_t cb, void *data,
		 struct llog_result *result)
{
	struct llog_reader reader = {
		.log	= log,
		.size	= log->store.chunk_size,
		.first	= first,
		.last	= last,
		.flags	= flags,
		.cb	= cb,
		.data	= data,
	};
	size_t size = 2 * (size_t)reader.size;
	int rc;

	reader.chunk0 = libcfs_zalloc(size, GFP_KERNEL);
	if (result)
		memset(result, 0, sizeof(*result));
	if (!reader.chunk0)
		return -ENOMEM;
	reader.chunk = reader.chunk0 + reader.size;
	reader_refresh(&reader);
	llog_walk_init(&reader.walk, &reader.head);
	rc = reader_run(&reader);
	if (result)
		*result = reader.result;
	libcfs_free(reader.chunk0, size);
	return rc;
}
EXPORT_FOR_KUNIT(llog_process);
