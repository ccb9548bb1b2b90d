// SPDX-License-Identifier: GPL-2.0-only
/*
 * The writes to a log's file, and their order.
 *
 * The disk may lose any of the 512-byte sectors written since the last sync, but never a
 * part of one. A record is part of the log if its bit in the header is set: an append or a
 * cancel comes down to that one bit.
 *
 *	create	header, sync. Before that the file has zeros and parts of a header without
 *		records, which llog_store_probe() recognizes, and creation starts from
 *		scratch.
 *	append	padding and record after the last one, sync; then bit, count and last
 *		index, sync. Before the bit is on disk the record is not part of the log;
 *		afterwards it is, in full.
 *	cancel	bit and count, sync.
 *
 * Bit, count and last index can be in three sectors, any of which may be lost. So opening
 * trusts the bitmap alone: the count is the number of its bits, the last index the highest
 * of its bits or the one in the tail, whichever is higher. (The tail may be ahead: that
 * record exists and is not live, as if it had been cancelled; its index is not used again.)
 * Bytes after the record of that index are an interrupted append. Opening for writing
 * repairs all of this in the file and syncs before the first append.
 *
 * After a failed write to the header or a failed sync the state on disk is unknown, and a
 * second sync may succeed without writing: there are no further writes until the log is
 * opened again.
 */
#include <lustre_lite/llog_store.h>

#define HDR_AT(field)	offsetof(struct llog_log_hdr, field)

static u32 tail_index_at(u32 chunk_size)
{
	return chunk_size - (u32)sizeof(struct llog_rec_tail) +
		(u32)offsetof(struct llog_rec_tail, lrt_index);
}

/* The same header with zeros in place of missing bytes. */
static bool is_piece_of(const u8 *bytes, const u8 *whole, size_t len)
{
	size_t n;

	for (n = 0; n < len; n++)
		if (bytes[n] && bytes[n] != whole[n])
			return false;
	return true;
}

/*
 * Whether a creation was interrupted. @whole becomes the header that these
 * bytes would be a part of: time, flags and uuid are taken from them.
 */
static bool is_unborn(const u8 *bytes, size_t len, u8 *whole)
{
	static const struct {
		u32	at;
		u32	len;
	} free_fields[] = {
		{ HDR_AT(llh_timestamp), sizeof(__le64) },
		{ HDR_AT(llh_flags), sizeof(__le32) },
		{ HDR_AT(llh_tgtuuid), LLOG_TGTUUID_LEN },
	};
	size_t n;
	u32 at;

	if (len > LLOG_MIN_CHUNK_SIZE ||
	    llog_head_encode(whole, LLOG_MIN_CHUNK_SIZE, 0, NULL, 0))
		return false;
	for (n = 0; n < ARRAY_SIZE(free_fields); n++) {
		at = free_fields[n].at;
		if (at + free_fields[n].len <= len)
			memcpy(whole + at, bytes + at, free_fields[n].len);
		else if (at < len)
			memcpy(whole + at, bytes + at, len - at);
	}
	return is_piece_of(bytes, whole, len);
}

/**
 * llog_store_probe() - find out what a file is
 * @io: operations of the file
 * @file: their argument
 * @bytes: memory for two chunks of LLOG_MIN_CHUNK_SIZE
 * @chunk_size: out, size of its chunks if it is a log
 *
 * Context: as @io
 * Return: 0 for a log, also with a damaged header; -ENODATA for an empty file
 *  or an interrupted creation; -EBADMSG for anything else; errors of @io
 */
int llog_store_probe(const struct llog_store_io *io, void *file, u8 *bytes,
		     u32 *chunk_size)
{
	u8 *more = bytes + LLOG_MIN_CHUNK_SIZE;
	struct llog_head head;
	struct llog_fault fault;
	ssize_t len, rest;

	len = io->read(file, 0, bytes, LLOG_MIN_CHUNK_SIZE);
	if (len < 0)
		return (int)len;
	rest = io->read(file, LLOG_MIN_CHUNK_SIZE, more, 1);
	if (rest < 0)
		return (int)rest;
	if (llog_head_decode(bytes, (size_t)len, &head, &fault) && !rest &&
	    is_unborn(bytes, (size_t)len, more))
		return -ENODATA;
	return llog_head_chunk_size(bytes, (size_t)len, chunk_size);
}
EXPORT_SYMBOL_NS_GPL(llog_store_probe, LUSTRE_LITE);

/* No writes after this. */
static int store_fail(struct llog_store *store, int rc)
{
	store->failed = rc;
	return rc;
}

/**
 * llog_store_create() - create a plain log in an empty file
 * @store: its io, file and memory are set, chunk size is LLOG_MIN_CHUNK_SIZE
 * @tgtuuid: as llog_head_encode()
 * @timestamp: seconds since 1970
 *
 * Context: as the io
 * Return: 0, and the header is on disk; -EINVAL for a uuid that is too long;
 *  errors of the io
 */
int llog_store_create(struct llog_store *store, const char *tgtuuid,
		      u64 timestamp)
{
	struct llog_fault fault;
	int rc;

	rc = llog_head_encode(store->chunk0, LLOG_MIN_CHUNK_SIZE,
			      LLOG_F_IS_PLAIN, tgtuuid, timestamp);
	if (rc)
		return rc;
	rc = store->io->write(store->file, 0, store->chunk0,
			      LLOG_MIN_CHUNK_SIZE);
	if (!rc)
		rc = store->io->sync(store->file);
	if (rc)
		return store_fail(store, rc);
	rc = llog_head_decode(store->chunk0, LLOG_MIN_CHUNK_SIZE, &store->head,
			      &fault);
	if (rc)
		return rc;
	store->end = LLOG_MIN_CHUNK_SIZE;
	store->writable = true;
	return 0;
}
EXPORT_SYMBOL_NS_GPL(llog_store_create, LUSTRE_LITE);

/* Live records and the highest index among them; the header counts as one. */
static u32 bitmap_count(const struct llog_head *head, u32 *highest)
{
	u32 count = 1, index = 1;

	*highest = 0;
	while (index < head->bitmap_bits) {
		if (!head->bitmap[index / 8]) {
			index = (index / 8 + 1) * 8;
			continue;
		}
		if (llog_index_live(head, index)) {
			count++;
			*highest = index;
		}
		index++;
	}
	return count;
}

static u32 higher(u32 one, u32 other)
{
	return one > other ? one : other;
}

/**
 * struct llog_scan - search for the end of a log
 * @walk: position
 * @last: index of the last record that is part of the log
 * @end: end of that record
 * @fault: out, first fault before that
 * @pending: first fault since the last record
 */
struct llog_scan {
	struct llog_walk	walk;
	u32			last;
	u64			end;
	struct llog_fault	*fault;
	struct llog_fault	pending;
};

/* Return: true if there is more to scan. */
static bool scan_chunk(struct llog_scan *scan, u32 last_index)
{
	struct llog_record rec;
	struct llog_fault fault;
	enum llog_step step;

	while (scan->walk.next_index <= last_index) {
		step = llog_walk_next(&scan->walk, &rec, &fault);
		if (step == LLOG_STEP_END)
			return true;
		if (step == LLOG_STEP_FAULT) {
			if (!scan->pending.what)
				scan->pending = fault;
			continue;
		}
		if (rec.index > last_index)
			return false;
		if (scan->pending.what && !scan->fault->what)
			*scan->fault = scan->pending;
		scan->last = rec.index;
		scan->end = rec.offset + rec.len;
	}
	return false;
}

static int scan_records(struct llog_store *store, struct llog_scan *scan)
{
	u32 size = store->chunk_size;
	u64 offset = size;
	ssize_t len;

	llog_walk_init(&scan->walk, &store->head);
	scan->end = offset;
	for (;;) {
		len = store->io->read(store->file, offset, store->buf, size);
		if (len < 0)
			return (int)len;
		llog_walk_chunk(&scan->walk, store->buf, (u32)len, offset);
		if (!scan_chunk(scan, store->head.last_index) ||
		    (u32)len < size)
			return 0;
		offset += size;
	}
}

static int put32_at(struct llog_store *store, u32 at, u32 value)
{
	u8 bytes[4];

	codec_put32(bytes, value);
	return store->io->write(store->file, at, bytes, sizeof(bytes));
}

/* Write the state of the store to the file. */
static int store_repair(struct llog_store *store, u32 count, u32 last_index)
{
	u8 byte;
	int rc = 0;

	if (store->io->read(store->file, store->end, &byte, 1) > 0)
		rc = store->io->truncate(store->file, store->end);
	if (!rc && count != store->head.count)
		rc = put32_at(store, HDR_AT(llh_count), store->head.count);
	if (!rc && last_index != store->head.last_index)
		rc = put32_at(store, tail_index_at(store->chunk_size),
			      store->head.last_index);
	return rc ? rc : store->io->sync(store->file);
}

static int refuse(struct llog_fault *fault, const char *what, u64 seen,
		  u64 want, int rc)
{
	memset(fault, 0, sizeof(*fault));
	fault->what = what;
	fault->seen = seen;
	fault->want = want;
	return rc;
}

/* Whether the log may be written. */
static int write_check(const struct llog_store *store, struct llog_fault *fault)
{
	u32 flags = store->head.flags;

	if (store->head.swapped)
		return refuse(fault, "written in the other byte order: read-only",
			      0, 0, -EOPNOTSUPP);
	if (flags & (LLOG_F_IS_CAT | LLOG_F_IS_FIXSIZE))
		return refuse(fault, "not a plain log: read-only",
			      flags, LLOG_F_IS_PLAIN, -EOPNOTSUPP);
	return 0;
}

/* Find the end, and repair the effects of a power cut. */
static int open_write(struct llog_store *store, u32 count, u32 last_index,
		      struct llog_fault *fault)
{
	struct llog_scan scan = { .fault = fault };
	u32 left;
	int rc;

	rc = write_check(store, fault);
	if (!rc)
		rc = store->io->sync(store->file);
	if (!rc)
		rc = scan_records(store, &scan);
	if (rc)
		return rc;
	if (scan.last != store->head.last_index) {
		refuse(fault, "it ends before its last record: read-only",
		       scan.last, store->head.last_index, 0);
		fault->offset = scan.end;
		return -EBADMSG;
	}
	left = store->chunk_size - (u32)(scan.end %
					      store->chunk_size);
	if (left < LLOG_MIN_REC_SIZE) {
		refuse(fault, "no space for padding before the end of the chunk: read-only",
		       left, LLOG_MIN_REC_SIZE, 0);
		fault->offset = scan.end;
		return -EBADMSG;
	}
	store->end = scan.end;
	rc = store_repair(store, count, last_index);
	store->writable = !rc;
	return rc;
}

/**
 * llog_store_open() - open a log
 * @store: its io, file, chunk size and memory are set
 * @write: open for writing: repair the effects of a power cut
 * @fault: out, the fault; also if it could be opened and has a damaged record
 *  before its end
 *
 * Context: as the io
 * Return: 0; -EBADMSG for a damaged header, or a log to be written that lacks
 *  its last record; -EOPNOTSUPP for one of the other byte order or of another
 *  kind, to be written; errors of the io
 */
int llog_store_open(struct llog_store *store, bool write,
		    struct llog_fault *fault)
{
	u32 count, last_index, highest;
	ssize_t len;
	int rc;

	memset(fault, 0, sizeof(*fault));
	store->writable = false;
	store->failed = 0;
	store->end = 0;
	len = store->io->read(store->file, 0, store->chunk0, store->chunk_size);
	if (len < 0)
		return (int)len;
	rc = llog_head_decode(store->chunk0, (size_t)len, &store->head, fault);
	if (rc)
		return rc;
	if (store->head.chunk_size != store->chunk_size)
		return refuse(fault, "the size of a chunk has changed",
			      store->head.chunk_size, store->chunk_size,
			      -EBADMSG);
	count = store->head.count;
	last_index = store->head.last_index;
	store->head.count = bitmap_count(&store->head, &highest);
	store->head.last_index = higher(last_index, highest);
	return write ? open_write(store, count, last_index, fault) : 0;
}
EXPORT_SYMBOL_NS_GPL(llog_store_open, LUSTRE_LITE);

static int may_write(const struct llog_store *store)
{
	if (store->failed)
		return store->failed;
	return store->writable ? 0 : -EBADF;
}

/*
 * Bytes of padding before a record of @len bytes. A record leaves nothing of
 * its chunk, or enough for padding.
 */
static u32 padding(const struct llog_store *store, u32 len)
{
	u32 size = store->chunk_size;
	u32 left = size - (u32)(store->end % size);

	return left != len && left < len + LLOG_MIN_REC_SIZE ? left : 0;
}

/* The byte of the bitmap with the bit of a change, and its new value. */
static u8 bitmap_byte(const struct llog_store *store,
		      const struct llog_store_change *change, u32 *at)
{
	u8 bit = (u8)(1U << (change->index % 8));

	*at = LLOG_HEADER_SIZE + change->index / 8;
	return change->live ? store->chunk0[*at] | bit :
			      store->chunk0[*at] & (u8)~bit;
}

/* The single step that makes a change effective. */
static int head_write(struct llog_store *store,
		      const struct llog_store_change *change)
{
	u32 at;
	u8 byte = bitmap_byte(store, change, &at);
	int rc;

	rc = store->io->write(store->file, at, &byte, 1);
	if (!rc)
		rc = put32_at(store, HDR_AT(llh_count), change->count);
	if (!rc && change->last_index != store->head.last_index)
		rc = put32_at(store, tail_index_at(store->chunk_size),
			      change->last_index);
	if (!rc)
		rc = store->io->sync(store->file);
	return rc ? store_fail(store, rc) : 0;
}

/*
 * Write @store->buf after the last record, not part of the log yet. A failed
 * write, usually because of a full disk, is undone.
 */
static int tail_write(struct llog_store *store, u32 len)
{
	int rc, undone;

	rc = store->io->write(store->file, store->end, store->buf, len);
	if (!rc) {
		rc = store->io->sync(store->file);
		return rc ? store_fail(store, rc) : 0;
	}
	undone = store->io->truncate(store->file, store->end);
	if (undone)
		store_fail(store, undone);
	return rc;
}

/**
 * llog_store_append() - append a record
 * @store: log
 * @type: LLOG_OP_MAGIC and the kind
 * @body: body
 * @body_len: its bytes
 * @change: out, for llog_store_apply()
 *
 * Context: as the io; one writer at a time
 * Return: 0 if it is on disk; -EBADF for a log opened for reading; -E2BIG for a
 *  record larger than a chunk; -ENOSPC if the bitmap is full; -EINVAL for an
 *  invalid type; errors of the io, and after a failure with an unknown result
 *  the same for all later calls
 */
int llog_store_append(struct llog_store *store, u32 type, const void *body,
		      size_t body_len, struct llog_store_change *change)
{
	u32 size = store->chunk_size;
	u32 index = store->head.last_index + 1;
	u32 len, pad;
	int rc = may_write(store);

	if (rc)
		return rc;
	if (body_len > size || (llog_record_size(body_len) != size &&
				llog_record_size(body_len) > size -
							     LLOG_MIN_REC_SIZE))
		return -E2BIG;
	len = (u32)llog_record_size(body_len);
	pad = padding(store, len);
	if (index + !!pad >= store->head.bitmap_bits)
		return -ENOSPC;
	if (pad)
		rc = llog_record_encode(store->buf, pad, LLOG_PAD_MAGIC,
					index++, NULL, pad - LLOG_MIN_REC_SIZE);
	if (rc >= 0)
		rc = llog_record_encode(store->buf + pad, len, type, index,
					body, body_len);
	if (rc < 0)
		return rc;
	change->index = index;
	change->live = true;
	change->last_index = index;
	change->count = store->head.count + 1;
	change->end = store->end + pad + len;
	rc = tail_write(store, pad + len);
	return rc ? rc : head_write(store, change);
}
EXPORT_SYMBOL_NS_GPL(llog_store_append, LUSTRE_LITE);

/**
 * llog_store_cancel() - cancel a record
 * @store: log
 * @index: its index
 * @change: out, for llog_store_apply()
 *
 * Context: as the io; one writer at a time
 * Return: 0 if that is on disk; -ENOENT if no such record is live; -EBADF for a
 *  log opened for reading; as llog_store_append()
 */
int llog_store_cancel(struct llog_store *store, u32 index,
		      struct llog_store_change *change)
{
	int rc = may_write(store);

	if (rc)
		return rc;
	if (!index || !llog_index_live(&store->head, index))
		return -ENOENT;
	change->index = index;
	change->live = false;
	change->last_index = store->head.last_index;
	change->count = store->head.count - 1;
	change->end = store->end;
	return head_write(store, change);
}
EXPORT_SYMBOL_NS_GPL(llog_store_cancel, LUSTRE_LITE);

/**
 * llog_store_apply() - update the store's header to the state on disk
 * @store: log
 * @change: the change
 *
 * Context: any; no concurrent readers of the header
 */
void llog_store_apply(struct llog_store *store,
		      const struct llog_store_change *change)
{
	u32 at;
	u8 byte = bitmap_byte(store, change, &at);

	store->chunk0[at] = byte;
	store->head.count = change->count;
	store->head.last_index = change->last_index;
	store->end = change->end;
}
EXPORT_SYMBOL_NS_GPL(llog_store_apply, LUSTRE_LITE);
