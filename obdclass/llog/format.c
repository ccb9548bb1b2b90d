// SPDX-License-Identifier: GPL-2.0-only
/*
 * Codec of llog. Compiles unchanged in the kernel and in user space.
 *
 * Every access is checked to be inside of the given bytes. A record is valid if
 * its type, length and index are possible and its tail matches its head. Where
 * none is valid, the walk looks for the next one whose index matches the number
 * of skipped bytes; failing that, for any with a higher index.
 */
#include <lustre_lite/llog_format.h>

#define HDR_AT(field)	offsetof(struct llog_log_hdr, field)
#define REC_AT(field)	offsetof(struct llog_rec_hdr, field)
#define TAIL_AT(field)	offsetof(struct llog_rec_tail, field)
#define TAIL_SIZE	((u32)sizeof(struct llog_rec_tail))

static void fault_set(struct llog_fault *fault, const char *what, u64 offset,
		      u64 seen, u64 want)
{
	fault->what = what;
	fault->offset = offset;
	fault->seen = seen;
	fault->want = want;
}

static bool is_power_of_two(u32 value)
{
	return value && !(value & (value - 1));
}

/* Return: 0, or -EBADMSG unless these are the first bytes of a log. */
static int magic_decode(const u8 *p, size_t len, struct llog_head *head,
			struct llog_fault *fault)
{
	u32 type;

	if (len < sizeof(struct llog_rec_hdr)) {
		fault_set(fault, "shorter than the header of a log", 0, len,
			  LLOG_MIN_CHUNK_SIZE);
		return -EBADMSG;
	}
	type = codec_get32(p + REC_AT(lrh_type), false);
	head->swapped = codec_get32(p + REC_AT(lrh_type), true) ==
			LLOG_HDR_MAGIC;
	if (type != LLOG_HDR_MAGIC && !head->swapped) {
		fault_set(fault, "not the magic of a log", REC_AT(lrh_type),
			  type, LLOG_HDR_MAGIC);
		return -EBADMSG;
	}
	head->chunk_size = codec_get32(p + REC_AT(lrh_len), head->swapped);
	if (head->chunk_size < LLOG_MIN_CHUNK_SIZE ||
	    head->chunk_size > LLOG_MAX_CHUNK_SIZE ||
	    !is_power_of_two(head->chunk_size)) {
		fault_set(fault, "not the size of a chunk", 0, head->chunk_size,
			  LLOG_MIN_CHUNK_SIZE);
		return -EBADMSG;
	}
	return 0;
}

/**
 * llog_head_chunk_size() - size of a log's header
 * @bytes: first bytes of the log
 * @len: their number, at least sizeof(struct llog_rec_hdr)
 * @chunk_size: out
 *
 * Context: any
 * Return: 0, or -EBADMSG unless it is a log
 */
int llog_head_chunk_size(const void *bytes, size_t len, u32 *chunk_size)
{
	struct llog_head head = { 0 };
	struct llog_fault fault;
	int rc = magic_decode((const u8 *)bytes, len, &head, &fault);

	*chunk_size = rc ? 0 : head.chunk_size;
	return rc;
}
EXPORT_SYMBOL_NS_GPL(llog_head_chunk_size, LUSTRE_LITE);

/* Check the constant members. */
static int head_check(const u8 *p, const struct llog_head *head,
		      struct llog_fault *fault)
{
	u32 tail_at = head->chunk_size - TAIL_SIZE;
	u32 index = codec_get32(p + REC_AT(lrh_index), head->swapped);
	u32 len = codec_get32(p + tail_at + TAIL_AT(lrt_len), head->swapped);

	if (index)
		fault_set(fault, "the header's index is not 0",
			  REC_AT(lrh_index), index, 0);
	else if (head->bitmap_offset != LLOG_HEADER_SIZE)
		fault_set(fault, "not the offset of the bitmap",
			  HDR_AT(llh_bitmap_offset), head->bitmap_offset,
			  LLOG_HEADER_SIZE);
	else if (len != head->chunk_size)
		fault_set(fault, "the header's tail has another length",
			  tail_at, len, head->chunk_size);
	else
		return 0;
	return -EBADMSG;
}

/**
 * llog_head_decode() - decode a log's header
 * @chunk: first bytes of the log, a chunk at least
 * @len: their number; a chunk has at most LLOG_MAX_CHUNK_SIZE
 * @head: out, valid as long as @chunk; zeros on error
 * @fault: out, the fault; its @what is NULL if there is none
 *
 * Context: any
 * Return: 0 or -EBADMSG
 */
int llog_head_decode(const void *chunk, size_t len, struct llog_head *head,
		     struct llog_fault *fault)
{
	const u8 *p = (const u8 *)chunk;
	bool swapped;

	memset(head, 0, sizeof(*head));
	memset(fault, 0, sizeof(*fault));
	if (magic_decode(p, len, head, fault))
		goto refused;
	if (len < head->chunk_size) {
		fault_set(fault, "the file ends inside the header", len, len,
			  head->chunk_size);
		goto refused;
	}
	swapped = head->swapped;
	head->timestamp = codec_get64(p + HDR_AT(llh_timestamp), swapped);
	head->count = codec_get32(p + HDR_AT(llh_count), swapped);
	head->bitmap_offset = codec_get32(p + HDR_AT(llh_bitmap_offset),
					  swapped);
	head->size = codec_get32(p + HDR_AT(llh_size), swapped);
	head->flags = codec_get32(p + HDR_AT(llh_flags), swapped);
	head->cat_idx = codec_get32(p + HDR_AT(llh_cat_idx), swapped);
	memcpy(head->tgtuuid, p + HDR_AT(llh_tgtuuid), LLOG_TGTUUID_LEN);
	head->bitmap = p + LLOG_HEADER_SIZE;
	head->bitmap_bits = LLOG_BITMAP_BITS(head->chunk_size);
	head->last_index = codec_get32(p + head->chunk_size - TAIL_SIZE +
				       TAIL_AT(lrt_index), swapped);
	if (!head_check(p, head, fault))
		return 0;
refused:
	memset(head, 0, sizeof(*head));
	return -EBADMSG;
}
EXPORT_SYMBOL_NS_GPL(llog_head_decode, LUSTRE_LITE);

/**
 * llog_index_live() - whether a record is live
 * @head: the log's header
 * @index: index of the record
 *
 * Context: any
 * Return: true if its bit is set; false also without such a bit
 */
bool llog_index_live(const struct llog_head *head, u32 index)
{
	return head->bitmap && index < head->bitmap_bits &&
		(head->bitmap[index / 8] >> (index % 8) & 1);
}

/**
 * llog_walk_init() - start to read a log's records
 * @walk: out
 * @head: its header, which must outlive the walk
 *
 * Context: any
 */
void llog_walk_init(struct llog_walk *walk, const struct llog_head *head)
{
	memset(walk, 0, sizeof(*walk));
	walk->head = head;
	walk->next_index = 1;
}
EXPORT_SYMBOL_NS_GPL(llog_walk_init, LUSTRE_LITE);

/**
 * llog_walk_chunk() - supply the next chunk, or the same one once more
 * @walk: walk
 * @chunk: bytes of the chunk, valid until the next one is supplied
 * @len: their number; at most a chunk is used
 * @offset: offset of the chunk in the file; chunks are supplied in order
 *
 * Context: any
 */
void llog_walk_chunk(struct llog_walk *walk, const void *chunk, u32 len,
		     u64 offset)
{
	if (offset != walk->chunk_offset)
		walk->at = 0;
	walk->chunk = (const u8 *)chunk;
	walk->chunk_len = len < walk->head->chunk_size ? len :
			  walk->head->chunk_size;
	walk->chunk_offset = offset;
}
EXPORT_SYMBOL_NS_GPL(llog_walk_chunk, LUSTRE_LITE);

static bool is_record_type(u32 type)
{
	return (type & LLOG_OP_MASK) == LLOG_OP_MAGIC;
}

/* A log that moved between machines may have records of either byte order. */
static void record_head(const struct llog_walk *walk, u32 at,
			struct llog_record *rec)
{
	const u8 *p = walk->chunk + at;
	bool swapped = walk->head->swapped;

	if (!is_record_type(codec_get32(p + REC_AT(lrh_type), swapped)) &&
	    is_record_type(codec_get32(p + REC_AT(lrh_type), !swapped)))
		swapped = !swapped;
	rec->swapped = swapped;
	rec->offset = walk->chunk_offset + at;
	rec->len = codec_get32(p + REC_AT(lrh_len), swapped);
	rec->index = codec_get32(p + REC_AT(lrh_index), swapped);
	rec->type = codec_get32(p + REC_AT(lrh_type), swapped);
	rec->id = codec_get32(p + REC_AT(lrh_id), swapped);
	rec->live = llog_index_live(walk->head, rec->index);
	rec->body = p + sizeof(struct llog_rec_hdr);
}

/* Return: true if the length is possible there. */
static bool length_check(const struct llog_walk *walk, u32 at,
			 const struct llog_record *rec, struct llog_fault *fault)
{
	u32 left = walk->head->chunk_size - at;
	u32 have = walk->chunk_len - at;

	if (rec->len < LLOG_MIN_REC_SIZE)
		fault_set(fault, "shorter than a record can be", rec->offset,
			  rec->len, LLOG_MIN_REC_SIZE);
	else if (rec->len % LLOG_ALIGN)
		fault_set(fault, "the length is not a multiple of 8",
			  rec->offset, rec->len, codec_round8(rec->len));
	else if (rec->len > left)
		fault_set(fault, "the record crosses the end of its chunk",
			  rec->offset, rec->len, left);
	else if (rec->len > have)
		fault_set(fault, "the file ends inside the record",
			  rec->offset, have, rec->len);
	else
		return true;
	return false;
}

/* It is unknown which of the two is wrong, and so where the tail should be. */
static bool tail_check(const struct llog_walk *walk, u32 at,
		       const struct llog_record *rec, struct llog_fault *fault)
{
	const u8 *p = walk->chunk + at + rec->len - TAIL_SIZE;
	u32 len = codec_get32(p + TAIL_AT(lrt_len), rec->swapped);
	u32 index = codec_get32(p + TAIL_AT(lrt_index), rec->swapped);

	if (len != rec->len)
		fault_set(fault, "the tail's length is not the head's",
			  rec->offset, len, rec->len);
	else if (index != rec->index)
		fault_set(fault, "the tail's index is not the head's",
			  rec->offset, index, rec->index);
	else
		return true;
	return false;
}

/* Decode a whole record, or set @fault; its index is not checked. */
static bool record_decode(const struct llog_walk *walk, u32 at,
			  struct llog_record *rec, struct llog_fault *fault)
{
	u32 have = walk->chunk_len - at;
	u64 offset = walk->chunk_offset + at;

	if (have < LLOG_MIN_REC_SIZE) {
		fault_set(fault, walk->chunk_len < walk->head->chunk_size ?
			  "the file ends inside a record" :
			  "the end of the chunk is too short for a record",
			  offset, have, LLOG_MIN_REC_SIZE);
		return false;
	}
	record_head(walk, at, rec);
	if (!is_record_type(rec->type)) {
		fault_set(fault, rec->type ? "not the type of a record" :
			  "no record", offset + REC_AT(lrh_type), rec->type,
			  LLOG_OP_MAGIC);
		return false;
	}
	if (!length_check(walk, at, rec, fault) ||
	    !tail_check(walk, at, rec, fault))
		return false;
	if (!rec->index || rec->index >= walk->head->bitmap_bits) {
		fault_set(fault, "the bitmap has no bit of that index",
			  offset + REC_AT(lrh_index), rec->index,
			  walk->next_index);
		return false;
	}
	rec->body_len = rec->len - (u32)sizeof(struct llog_rec_hdr) - TAIL_SIZE;
	return true;
}

/* The highest index that can follow that many bytes without a record. */
static u64 highest_index(const struct llog_walk *walk, u64 lost)
{
	return walk->next_index + lost / LLOG_MIN_REC_SIZE;
}

/* Look for a record after @from; @strict: its index must match exactly. */
static u32 find_record(const struct llog_walk *walk, u32 from, bool strict)
{
	struct llog_record rec;
	struct llog_fault fault;
	u32 at;

	for (at = from + LLOG_ALIGN; at < walk->chunk_len; at += LLOG_ALIGN) {
		if (!record_decode(walk, at, &rec, &fault))
			continue;
		if (rec.index < walk->next_index)
			continue;
		if (!strict ||
		    rec.index <= highest_index(walk, walk->lost + at - from))
			return at;
	}
	return walk->chunk_len;
}

/* Skip invalid bytes. */
static enum llog_step step_over(struct llog_walk *walk, struct llog_fault *fault)
{
	u32 at = find_record(walk, walk->at, true);

	if (at == walk->chunk_len)
		at = find_record(walk, walk->at, false);
	fault->index = walk->next_index;
	fault->lost = at - walk->at;
	walk->lost += fault->lost;
	walk->at = at;
	return LLOG_STEP_FAULT;
}

/* A whole record that is refused. */
static enum llog_step step_refuse(struct llog_walk *walk,
				  const struct llog_record *rec,
				  struct llog_fault *fault)
{
	fault->index = rec->index;
	fault->lost = rec->len;
	walk->lost += rec->len;
	walk->at += rec->len;
	return LLOG_STEP_FAULT;
}

/* Check the index of a record, and whether it is part of the log. */
static enum llog_step step_record(struct llog_walk *walk,
				  struct llog_record *rec,
				  struct llog_fault *fault)
{
	u64 at_index = rec->offset + REC_AT(lrh_index);

	if (rec->index < walk->next_index) {
		fault_set(fault, "the index goes back", at_index, rec->index,
			  walk->next_index);
		return step_refuse(walk, rec, fault);
	}
	if (rec->index > walk->head->last_index && !rec->live) {
		fault_set(fault, "a record beyond the last index of the header, an interrupted append",
			  at_index, rec->index, walk->head->last_index);
		walk->next_index = rec->index + 1;
		return step_refuse(walk, rec, fault);
	}
	if (rec->index > highest_index(walk, walk->lost)) {
		fault_set(fault, "records are missing before this one",
			  at_index, rec->index, walk->next_index);
		fault->index = rec->index;
		walk->next_index = rec->index;
		return LLOG_STEP_FAULT;
	}
	walk->next_index = rec->index + 1;
	walk->lost = 0;
	walk->at += rec->len;
	return LLOG_STEP_RECORD;
}

/**
 * llog_walk_next() - advance by one record or one fault
 * @walk: walk
 * @rec: out for a record
 * @fault: out for a fault
 *
 * Context: any
 * Return: kind of the step
 */
enum llog_step llog_walk_next(struct llog_walk *walk, struct llog_record *rec,
			      struct llog_fault *fault)
{
	memset(rec, 0, sizeof(*rec));
	memset(fault, 0, sizeof(*fault));
	if (walk->at >= walk->chunk_len)
		return LLOG_STEP_END;
	if (!record_decode(walk, walk->at, rec, fault))
		return step_over(walk, fault);
	return step_record(walk, rec, fault);
}
EXPORT_SYMBOL_NS_GPL(llog_walk_next, LUSTRE_LITE);

/**
 * llog_head_put() - write a header, little-endian
 * @chunk: chunk 0, @head->chunk_size bytes
 * @head: header; if its bitmap is NULL or in @chunk, the bits there are
 *  unchanged
 *
 * Context: any
 */
void llog_head_put(void *chunk, const struct llog_head *head)
{
	u8 *p = (u8 *)chunk;
	u8 *tail = p + head->chunk_size - TAIL_SIZE;

	codec_put32(p + REC_AT(lrh_len), head->chunk_size);
	codec_put32(p + REC_AT(lrh_index), 0);
	codec_put32(p + REC_AT(lrh_type), LLOG_HDR_MAGIC);
	codec_put32(p + REC_AT(lrh_id), 0);
	codec_put64(p + HDR_AT(llh_timestamp), head->timestamp);
	codec_put32(p + HDR_AT(llh_count), head->count);
	codec_put32(p + HDR_AT(llh_bitmap_offset), LLOG_HEADER_SIZE);
	codec_put32(p + HDR_AT(llh_size), head->size);
	codec_put32(p + HDR_AT(llh_flags), head->flags);
	codec_put32(p + HDR_AT(llh_cat_idx), head->cat_idx);
	memcpy(p + HDR_AT(llh_tgtuuid), head->tgtuuid, LLOG_TGTUUID_LEN);
	codec_put32(p + HDR_AT(llh_reserved), 0);
	if (head->bitmap && head->bitmap != p + LLOG_HEADER_SIZE)
		memcpy(p + LLOG_HEADER_SIZE, head->bitmap,
		       LLOG_BITMAP_BITS(head->chunk_size) / 8);
	codec_put32(tail + TAIL_AT(lrt_len), head->chunk_size);
	codec_put32(tail + TAIL_AT(lrt_index), head->last_index);
}
EXPORT_SYMBOL_NS_GPL(llog_head_put, LUSTRE_LITE);

/**
 * llog_head_encode() - the header of a log without records
 * @chunk: out, @chunk_size bytes
 * @chunk_size: a power of two, LLOG_MIN_CHUNK_SIZE to LLOG_MAX_CHUNK_SIZE
 * @flags: LLOG_F_*
 * @tgtuuid: at most LLOG_TGTUUID_LEN - 1 characters; NULL for none
 * @timestamp: seconds since 1970
 *
 * Context: any
 * Return: 0 or -EINVAL
 */
int llog_head_encode(void *chunk, u32 chunk_size, u32 flags, const char *tgtuuid,
		     u64 timestamp)
{
	struct llog_head head = { 0 };

	if (chunk_size < LLOG_MIN_CHUNK_SIZE ||
	    chunk_size > LLOG_MAX_CHUNK_SIZE || !is_power_of_two(chunk_size))
		return -EINVAL;
	if (tgtuuid && strlen(tgtuuid) >= LLOG_TGTUUID_LEN)
		return -EINVAL;
	memset(chunk, 0, chunk_size);
	head.chunk_size = chunk_size;
	head.flags = flags;
	head.count = 1;
	head.timestamp = timestamp;
	if (tgtuuid)
		memcpy(head.tgtuuid, tgtuuid, strlen(tgtuuid));
	((u8 *)chunk)[LLOG_HEADER_SIZE] = 1;
	llog_head_put(chunk, &head);
	return 0;
}
EXPORT_FOR_KUNIT(llog_head_encode);

/**
 * llog_record_size() - bytes of a record
 * @body_len: bytes of its body
 *
 * Context: any
 * Return: bytes with head, tail and padding
 */
size_t llog_record_size(size_t body_len)
{
	return sizeof(struct llog_rec_hdr) + codec_round8(body_len) + TAIL_SIZE;
}
EXPORT_SYMBOL_NS_GPL(llog_record_size, LUSTRE_LITE);

/**
 * llog_record_encode() - encode a record
 * @bytes: out
 * @size: bytes of the buffer
 * @type: LLOG_OP_MAGIC and the kind
 * @index: index
 * @body: body; NULL for zeros
 * @body_len: its bytes
 *
 * Context: any
 * Return: bytes of the record; -EINVAL for an invalid type or index 0; -E2BIG
 *  for a record larger than any chunk; -ENOSPC
 */
int llog_record_encode(void *bytes, size_t size, u32 type, u32 index,
		       const void *body, size_t body_len)
{
	u8 *p = (u8 *)bytes;
	u32 len;

	if (!is_record_type(type) || !index)
		return -EINVAL;
	if (body_len > LLOG_MAX_CHUNK_SIZE ||
	    llog_record_size(body_len) > LLOG_MAX_CHUNK_SIZE)
		return -E2BIG;
	len = (u32)llog_record_size(body_len);
	if (len > size)
		return -ENOSPC;
	memset(p, 0, len);
	codec_put32(p + REC_AT(lrh_len), len);
	codec_put32(p + REC_AT(lrh_index), index);
	codec_put32(p + REC_AT(lrh_type), type);
	if (body && body_len)
		memcpy(p + sizeof(struct llog_rec_hdr), body, body_len);
	codec_put32(p + len - TAIL_SIZE + TAIL_AT(lrt_len), len);
	codec_put32(p + len - TAIL_SIZE + TAIL_AT(lrt_index), index);
	return (int)len;
}
EXPORT_FOR_KUNIT(llog_record_encode);
