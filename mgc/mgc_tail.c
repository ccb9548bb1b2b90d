// SPDX-License-Identifier: GPL-2.0
/*
 * Bytes appended to a log: the rest of it is not read again, so that the cost
 * of one more record does not depend on the size of the log.
 *
 * The bytes are appended to the file, their records are applied, and then the
 * head of the log is updated to include them: until then they are not part of
 * it. A concurrent reader of the file (mgc_copy.c) has a copy of the head.
 */
#define DEBUG_SUBSYSTEM S_MGC

#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/file.h>
#include <lustre_lite/llog_format.h>

#include "mgc_internal.h"

/**
 * struct tail - appended bytes being processed
 * @log: log
 * @part: fetched bytes
 * @head: head of the log, as it will be
 * @head_bytes: the same, one chunk; followed by another chunk
 * @chunk: that one
 * @walk: position
 */
struct tail {
	struct mgc_log		*log;
	const struct mgc_part	*part;
	struct llog_head	head;
	u8			*head_bytes;
	u8			*chunk;
	struct llog_walk	walk;
};

static int tail_damaged(const struct tail *tail)
{
	CDEBUG(D_CONFIG, "%s: log %s: appended records do not match: reading all of it\n",
	       tail->log->ml_mgc->mg_obd->obd_name, tail->log->ml_name);
	return -EBADMSG;
}

/* The current head, which has the size of a chunk. */
static int tail_head(struct tail *tail)
{
	struct file *file = tail->log->ml_file;
	u8 start[sizeof(struct llog_rec_hdr)];
	struct llog_fault fault;
	u32 size;
	int rc;

	rc = libcfs_pread(file, 0, start, sizeof(start));
	if (rc < 0)
		return rc;
	if (llog_head_chunk_size(start, rc, &size))
		return tail_damaged(tail);
	tail->head_bytes = kvmalloc(2 * size, GFP_KERNEL);
	if (!tail->head_bytes)
		return -ENOMEM;
	tail->chunk = tail->head_bytes + size;
	rc = libcfs_pread(file, 0, tail->head_bytes, size);
	if (rc < 0)
		return rc;
	if (llog_head_decode(tail->head_bytes, rc, &tail->head, &fault) ||
	    tail->head.swapped)
		return tail_damaged(tail);
	tail->head.last_index = tail->part->mpt_version.last_index;
	return 0;
}

/* Add a record to the log; padding has no bit. Return: as the handler */
static int tail_record(struct tail *tail, struct llog_record *rec)
{
	u8 *byte = tail->head_bytes + tail->head.bitmap_offset + rec->index / 8;
	u8 bit = 1U << (rec->index % 8);

	if (rec->type != LLOG_PAD_MAGIC && !(*byte & bit)) {
		*byte |= bit;
		tail->head.count++;
	}
	rec->live = true;
	/* It was applied before an earlier failure. */
	if (rec->index <= tail->log->ml_cfg.cfg_last_idx)
		return 0;
	return class_config_llog_handler(rec, &tail->log->ml_cfg);
}

/* Process the records of the current chunk. */
static int tail_records(struct tail *tail)
{
	struct llog_fault fault;
	struct llog_record rec;
	enum llog_step step;
	int rc = 0;

	while (!rc) {
		step = llog_walk_next(&tail->walk, &rec, &fault);
		if (step == LLOG_STEP_END)
			break;
		rc = step == LLOG_STEP_RECORD ? tail_record(tail, &rec) :
						tail_damaged(tail);
	}
	return rc;
}

static int tail_walk(struct tail *tail)
{
	const struct mgc_version *to = &tail->part->mpt_version;
	u32 size = tail->head.chunk_size;
	u64 from = tail->part->mpt_from.size, offset;
	int rc;

	llog_walk_init(&tail->walk, &tail->head);
	tail->walk.next_index = tail->part->mpt_from.last_index + 1;
	for (offset = round_down(from, size); offset < to->size; offset += size) {
		rc = libcfs_pread(tail->log->ml_file, offset, tail->chunk,
				  min_t(u64, size, to->size - offset));
		if (rc < 0)
			return rc;
		llog_walk_chunk(&tail->walk, tail->chunk, rc, offset);
		if (offset < from)
			tail->walk.at = from - offset;
		rc = tail_records(tail);
		if (rc)
			return rc;
	}
	return tail->walk.next_index == to->last_index + 1 ? 0 :
							     tail_damaged(tail);
}

static int tail_run(struct tail *tail)
{
	const struct mgc_part *part = tail->part;
	struct file *file = tail->log->ml_file;
	int rc;

	rc = libcfs_pwrite(file, part->mpt_from.size, part->mpt_bytes,
			   part->mpt_len) ?: tail_head(tail) ?: tail_walk(tail);
	if (rc)
		return rc;
	llog_head_put(tail->head_bytes, &tail->head);
	return libcfs_pwrite(file, 0, tail->head_bytes,
			     tail->head.chunk_size);
}

/**
 * mgc_tail_apply() - apply bytes appended to a log
 * @log: log
 * @part: fetched bytes, with mpt_tail
 *
 * Context: under ml_mutex; sleeps, for as long as records take
 * Return: 0, also if records failed, or the log ended meanwhile; -EAGAIN: the
 *  whole log must be fetched; -ENOMEM
 */
int mgc_tail_apply(struct mgc_log *log, const struct mgc_part *part)
{
	struct tail tail = { .log = log, .part = part };
	int rc;

	lockdep_assert_held(&log->ml_mutex);
	rc = tail_run(&tail);
	kvfree(tail.head_bytes);
	if (rc == -EBADMSG) {
		log->ml_whole = true;
		return -EAGAIN;
	}
	return rc == LLOG_PROC_BREAK ? 0 : rc;
}
