// SPDX-License-Identifier: GPL-2.0-only
/*
 * A log, of as many bytes as there are. Each byte of each chunk is in one record
 * or one fault; indexes rise; each record has the same bytes when it is written again; its
 * command holds what fuzz_codec.h asks for.
 *
 * An input that does not begin like a log is records only, and gets a header: so
 * a small input, too, has something in it.
 */
#include <lustre_lite/llog_format.h>

#include "fuzz_codec.h"

/* Would be the whole of a record's bytes; head and tail are zero where they mean nothing. */
static void check_record(const struct llog_record *rec, const u8 *at)
{
	u8 *out, *body;
	int len;

	FUZZ_CHECK(rec->body == at + 16 && rec->body_len == rec->len - 24);
	out = malloc(rec->len);
	len = llog_record_encode(out, rec->len, rec->type, rec->index, rec->body,
				 rec->body_len);
	FUZZ_CHECK(len == (int)rec->len);
	if (!rec->swapped) {
		codec_put32(out + 12, rec->id);
		FUZZ_CHECK(!memcmp(out, at, rec->len));
	}
	free(out);
	if (rec->type != OBD_CFG_REC || !rec->body_len)
		return;
	body = malloc(rec->body_len);
	memcpy(body, rec->body, rec->body_len);
	fuzz_command(body, rec->body_len);
	free(body);
}

static void check_fault(const struct llog_walk *walk,
			const struct llog_fault *fault, u64 from)
{
	FUZZ_CHECK(fault->what);
	FUZZ_CHECK(fault->offset >= from);
	FUZZ_CHECK(fault->offset < walk->chunk_offset + walk->chunk_len);
	FUZZ_CHECK(fault->lost <= walk->chunk_offset + walk->chunk_len - from);
}

static void walk_chunk(struct llog_walk *walk, u32 *last)
{
	struct llog_fault fault;
	struct llog_record rec;
	enum llog_step step;
	bool stood = false;
	u32 at = 0;

	while ((step = llog_walk_next(walk, &rec, &fault)) != LLOG_STEP_END) {
		if (step == LLOG_STEP_FAULT) {
			/* One that loses nothing is followed by a record. */
			FUZZ_CHECK(!stood);
			stood = !fault.lost;
			check_fault(walk, &fault, walk->chunk_offset + at);
			at += (u32)fault.lost;
			continue;
		}
		stood = false;
		FUZZ_CHECK(rec.offset == walk->chunk_offset + at);
		FUZZ_CHECK(rec.index > *last && rec.len % 8 == 0);
		FUZZ_CHECK(rec.live == llog_index_live(walk->head, rec.index));
		*last = rec.index;
		check_record(&rec, walk->chunk + at);
		at += rec.len;
	}
	FUZZ_CHECK(!stood && at == walk->chunk_len && walk->at == at);
}

static void walk_all(const struct llog_head *head, const u8 *bytes, size_t len)
{
	u32 have, size = head->chunk_size, last = 0;
	struct llog_walk walk;
	size_t at;
	u8 *chunk;

	llog_walk_init(&walk, head);
	for (at = 0; at < len; at += have) {
		have = len - at < size ? (u32)(len - at) : size;
		chunk = malloc(have);
		memcpy(chunk, bytes + at, have);
		llog_walk_chunk(&walk, chunk, have, size + at);
		walk_chunk(&walk, &last);
		free(chunk);
	}
}

/* Little-endian again, but for where a header has nothing to say. */
static void check_head(const struct llog_head *head, const u8 *bytes)
{
	struct llog_fault fault;
	struct llog_head again;
	u8 *out = calloc(1, head->chunk_size);

	llog_head_put(out, head);
	FUZZ_CHECK(!llog_head_decode(out, head->chunk_size, &again, &fault));
	FUZZ_CHECK(again.count == head->count && again.size == head->size);
	FUZZ_CHECK(again.flags == head->flags && again.cat_idx == head->cat_idx);
	FUZZ_CHECK(again.last_index == head->last_index);
	FUZZ_CHECK(again.timestamp == head->timestamp && !again.swapped);
	FUZZ_CHECK(!memcmp(again.tgtuuid, head->tgtuuid, sizeof(again.tgtuuid)));
	FUZZ_CHECK(!memcmp(again.bitmap, head->bitmap, head->bitmap_bits / 8));
	if (!head->swapped) {
		/* lrh_id and what is reserved */
		memcpy(out + 12, bytes + 12, 4);
		memcpy(out + 84, bytes + 84, 4);
		FUZZ_CHECK(!memcmp(out, bytes, head->chunk_size));
	}
	free(out);
}

static void with_header(const u8 *data, size_t size)
{
	struct llog_fault fault;
	struct llog_head head;
	u8 *chunk = malloc(LLOG_MIN_CHUNK_SIZE);

	FUZZ_CHECK(!llog_head_encode(chunk, LLOG_MIN_CHUNK_SIZE,
				     LLOG_F_IS_PLAIN, "fuzz", 1));
	memset(chunk + LLOG_HEADER_SIZE, 0x55, 64);
	codec_put32(chunk + LLOG_MIN_CHUNK_SIZE - 4, size ? data[0] : 0);
	FUZZ_CHECK(!llog_head_decode(chunk, LLOG_MIN_CHUNK_SIZE, &head, &fault));
	walk_all(&head, data, size);
	free(chunk);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct llog_fault fault;
	struct llog_head head;
	u8 *bytes = malloc(size ? size : 1);

	memcpy(bytes, data, size);
	if (llog_head_decode(bytes, size, &head, &fault)) {
		FUZZ_CHECK(fault.what && fault.seen != fault.want);
		FUZZ_CHECK(!head.bitmap && !head.chunk_size);
		with_header(bytes, size);
	} else {
		FUZZ_CHECK(!fault.what && head.chunk_size <= size);
		check_head(&head, bytes);
		walk_all(&head, bytes + head.chunk_size,
			 size - head.chunk_size);
	}
	free(bytes);
	return 0;
}
