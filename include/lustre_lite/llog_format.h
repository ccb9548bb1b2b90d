/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Codec of llog, for the kernel and for user space. Nothing here allocates, locks,
 * logs or does I/O; the owner of the file feeds it chunk by chunk.
 *
 *	llog_head_decode(chunk 0)
 *	llog_walk_init()
 *	for each further chunk:
 *		llog_walk_chunk()
 *		llog_walk_next() until LLOG_STEP_END
 *
 * A damaged record is a fault: the walk reports where and why, and resumes at the next
 * valid record.
 */
#ifndef _LUSTRE_LITE_LLOG_FORMAT_H
#define _LUSTRE_LITE_LLOG_FORMAT_H

#include <lustre_lite/codec.h>
#include <uapi/lustre_lite/llog.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct llog_head - a decoded log header
 * @chunk_size: bytes of a chunk
 * @flags: LLOG_F_*
 * @count: live records, the header included
 * @size: llh_size
 * @cat_idx: index in the catalog
 * @bitmap_offset: offset of the bitmap in chunk 0
 * @bitmap_bits: bits of the bitmap
 * @last_index: last index allocated
 * @timestamp: seconds since 1970
 * @swapped: written in the other byte order
 * @bitmap: the bitmap, in the caller's chunk 0
 * @tgtuuid: NUL-terminated
 */
struct llog_head {
	u32		chunk_size;
	u32		flags;
	u32		count;
	u32		size;
	u32		cat_idx;
	u32		bitmap_offset;
	u32		bitmap_bits;
	u32		last_index;
	u64		timestamp;
	bool		swapped;
	const u8	*bitmap;
	char		tgtuuid[LLOG_TGTUUID_LEN + 1];
};

/**
 * struct llog_record - a record
 * @offset: offset in the file
 * @len: bytes, head and tail included
 * @index: index
 * @type: type; LLOG_PAD_MAGIC is padding
 * @id: lrh_id
 * @live: its bit is set
 * @swapped: written in the other byte order
 * @body: bytes between head and tail, in the caller's chunk
 * @body_len: length of @body
 */
struct llog_record {
	u64		offset;
	u32		len;
	u32		index;
	u32		type;
	u32		id;
	bool		live;
	bool		swapped;
	const void	*body;
	u32		body_len;
};

/**
 * struct llog_fault - damage in a log
 * @offset: offset in the file
 * @index: index of the record if known, else 0
 * @what: description, a static string
 * @seen: the value found, if it is a value
 * @want: the value expected
 * @lost: bytes skipped
 */
struct llog_fault {
	u64		offset;
	u32		index;
	const char	*what;
	u64		seen;
	u64		want;
	u64		lost;
};

enum llog_step {
	LLOG_STEP_RECORD,	/* a record, padding included */
	LLOG_STEP_FAULT,	/* a fault; continue */
	LLOG_STEP_END,		/* end of this chunk */
};

/**
 * struct llog_walk - position of a reader
 * @head: the log's header
 * @chunk: the current chunk
 * @chunk_len: its bytes; less than a chunk at the end of the file
 * @chunk_offset: its offset in the file
 * @at: next byte in it
 * @next_index: expected index
 * @lost: bytes skipped since the last record
 *
 * Each byte of a chunk is either in a record or counted as lost by one fault.
 * To continue after an append, supply the last chunk again; @at is preserved.
 */
struct llog_walk {
	const struct llog_head	*head;
	const u8		*chunk;
	u32			chunk_len;
	u64			chunk_offset;
	u32			at;
	u32			next_index;
	u64			lost;
};

int llog_head_decode(const void *chunk, size_t len, struct llog_head *head,
		     struct llog_fault *fault);
int llog_head_chunk_size(const void *bytes, size_t len, u32 *chunk_size);
bool llog_index_live(const struct llog_head *head, u32 index);
void llog_walk_init(struct llog_walk *walk, const struct llog_head *head);
void llog_walk_chunk(struct llog_walk *walk, const void *chunk, u32 len,
		     u64 offset);
enum llog_step llog_walk_next(struct llog_walk *walk, struct llog_record *rec,
			      struct llog_fault *fault);

/* Writing, into memory. */
int llog_head_encode(void *chunk, u32 chunk_size, u32 flags, const char *tgtuuid,
		     u64 timestamp);
void llog_head_put(void *chunk, const struct llog_head *head);
size_t llog_record_size(size_t body_len);
int llog_record_encode(void *bytes, size_t size, u32 type, u32 index,
		       const void *body, size_t body_len);

#ifdef __cplusplus
}
#endif

#endif /* _LUSTRE_LITE_LLOG_FORMAT_H */
