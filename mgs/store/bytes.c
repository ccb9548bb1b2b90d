// SPDX-License-Identifier: GPL-2.0-only
/*
 * The bytes of a file in memory: a counted buffer, made of pieces of MGS_PIECE bytes
 * that buffers share. A change works on a copy: it duplicates the pieces that it
 * modifies, and the buffer that it copied stays as it is.
 *
 * A slot refers to a piece and says how many of its bytes are valid. The rest of the
 * slot, and a slot without a piece, reads as zeros, so truncating needs no memory.
 *
 * Only the writer copies and modifies buffers, and it modifies only one whose single
 * reference is its own change's. Readers only read, and drop their reference: that
 * may free pieces while the writer shares others, so references are atomic. A piece
 * with one reference is referenced by a buffer of the running change: the store holds
 * every buffer that a change copied until the change is over.
 */
#include <linux/crc32c.h>
#include <linux/slab.h>

#include <lustre_lite/libcfs.h>

#include "store_internal.h"

#define PIECE_SIZE_MIN	64
#define SLOTS_MIN	2
/* Equal bytes between two that differ are written along if they are fewer than this. */
#define GAP_MAX		64

/* Contents of a slot without a piece. */
static const u8 zeros[MGS_PIECE];

static struct mgs_piece *piece_alloc(u32 capacity)
{
	struct mgs_piece *piece = libcfs_zalloc(sizeof(*piece), GFP_KERNEL);

	if (!piece)
		return NULL;
	piece->pce_bytes = libcfs_zalloc(capacity, GFP_KERNEL);
	if (!piece->pce_bytes) {
		libcfs_free(piece, sizeof(*piece));
		return NULL;
	}
	refcount_set(&piece->pce_refs, 1);
	piece->pce_capacity = capacity;
	return piece;
}

static void piece_put(struct mgs_piece *piece)
{
	if (!piece || !refcount_dec_and_test(&piece->pce_refs))
		return;
	libcfs_free(piece->pce_bytes, piece->pce_capacity);
	libcfs_free(piece, sizeof(*piece));
}

/* How many bytes of slot @n are part of the file. */
static u32 slot_size(const struct mgs_bytes *bytes, u32 n)
{
	u64 begin = (u64)n * MGS_PIECE;

	return bytes->by_size <= begin ? 0 :
		(u32)min_t(u64, bytes->by_size - begin, MGS_PIECE);
}

static struct mgs_slot slot_at(const struct mgs_bytes *bytes, u32 n)
{
	static const struct mgs_slot none;

	return n < bytes->by_count ? bytes->by_slots[n] : none;
}

/* Grow to @count slots. Return: 0, -ENOMEM */
static int slots_reserve(struct mgs_bytes *bytes, u32 count)
{
	u32 capacity = max_t(u32, count, 2 * bytes->by_capacity);
	struct mgs_slot *slots;

	capacity = max_t(u32, capacity, SLOTS_MIN);
	if (count > bytes->by_capacity) {
		slots = libcfs_zalloc(capacity * sizeof(*slots), GFP_KERNEL);
		if (!slots)
			return -ENOMEM;
		if (bytes->by_count)
			memcpy(slots, bytes->by_slots,
			       bytes->by_count * sizeof(*slots));
		libcfs_free(bytes->by_slots,
			    bytes->by_capacity * sizeof(*slots));
		bytes->by_slots = slots;
		bytes->by_capacity = capacity;
	}
	for (; bytes->by_count < count; bytes->by_count++)
		memset(&bytes->by_slots[bytes->by_count], 0, sizeof(*slots));
	return 0;
}

/* Make the piece of a slot its own, with space for @len bytes. */
static int slot_own(struct mgs_slot *slot, u32 len)
{
	struct mgs_piece *piece = slot->slot_piece;
	u32 capacity = PIECE_SIZE_MIN;

	if (piece && refcount_read(&piece->pce_refs) == 1 && piece->pce_capacity >= len)
		return 0;
	while (capacity < max_t(u32, len, slot->slot_len))
		capacity *= 2;
	piece = piece_alloc(capacity);
	if (!piece)
		return -ENOMEM;
	if (slot->slot_len)
		memcpy(piece->pce_bytes, slot->slot_piece->pce_bytes, slot->slot_len);
	piece_put(slot->slot_piece);
	slot->slot_piece = piece;
	return 0;
}

static void slot_put(struct mgs_slot *slot, u32 at, const void *from, u32 len)
{
	u8 *to = slot->slot_piece->pce_bytes;

	if (at > slot->slot_len)
		memset(to + slot->slot_len, 0, at - slot->slot_len);
	memcpy(to + at, from, len);
	slot->slot_len = max_t(u32, slot->slot_len, at + len);
	slot->slot_piece->pce_crc_len = 0;
}

/* Return: an empty buffer with one reference; NULL on allocation failure */
struct mgs_bytes *mgs_bytes_new(void)
{
	struct mgs_bytes *bytes = libcfs_zalloc(sizeof(*bytes), GFP_KERNEL);

	if (bytes)
		refcount_set(&bytes->by_refs, 1);
	return bytes;
}

struct mgs_bytes *mgs_bytes_get(struct mgs_bytes *bytes)
{
	refcount_inc(&bytes->by_refs);
	return bytes;
}

/* Drop a reference. @bytes: buffer, or NULL. Context: any that may free memory */
void mgs_bytes_put(struct mgs_bytes *bytes)
{
	u32 n;

	if (!bytes || !refcount_dec_and_test(&bytes->by_refs))
		return;
	for (n = 0; n < bytes->by_count; n++)
		piece_put(bytes->by_slots[n].slot_piece);
	libcfs_free(bytes->by_slots, bytes->by_capacity * sizeof(*bytes->by_slots));
	libcfs_free(bytes, sizeof(*bytes));
}

/* Return: a copy that may be modified, its pieces shared; NULL on allocation failure */
struct mgs_bytes *mgs_bytes_copy(const struct mgs_bytes *from)
{
	struct mgs_bytes *to = mgs_bytes_new();
	u32 n;

	if (!to)
		return NULL;
	if (from->by_count && slots_reserve(to, from->by_count)) {
		mgs_bytes_put(to);
		return NULL;
	}
	to->by_size = from->by_size;
	for (n = 0; n < from->by_count; n++) {
		to->by_slots[n] = from->by_slots[n];
		if (to->by_slots[n].slot_piece)
			refcount_inc(&to->by_slots[n].slot_piece->pce_refs);
	}
	return to;
}

/* Return: bytes that were read, fewer at the end */
size_t mgs_bytes_read(const struct mgs_bytes *bytes, u64 offset, void *to,
		      size_t len)
{
	struct mgs_slot slot;
	size_t done, step;
	u32 at;

	if (offset >= bytes->by_size)
		return 0;
	len = min_t(u64, len, bytes->by_size - offset);
	memset(to, 0, len);
	for (done = 0; done < len; done += step) {
		slot = slot_at(bytes, (u32)((offset + done) / MGS_PIECE));
		at = (u32)((offset + done) % MGS_PIECE);
		step = min_t(size_t, len - done, MGS_PIECE - at);
		if (at < slot.slot_len)
			memcpy((u8 *)to + done, slot.slot_piece->pce_bytes + at,
			       min_t(size_t, step, slot.slot_len - at));
	}
	return len;
}

/* Return: 0; -ENOMEM, and nothing was written */
int mgs_bytes_write(struct mgs_bytes *bytes, u64 offset, const void *from,
		    size_t len)
{
	u32 first = (u32)(offset / MGS_PIECE);
	u32 last = (u32)((offset + len - 1) / MGS_PIECE);
	u64 begin, end;
	u32 n;
	int rc;

	rc = slots_reserve(bytes, last + 1);
	for (n = first; n <= last && !rc; n++) {
		end = min_t(u64, offset + len - (u64)n * MGS_PIECE, MGS_PIECE);
		rc = slot_own(&bytes->by_slots[n], (u32)end);
	}
	if (rc)
		return rc;
	for (n = first; n <= last; n++) {
		begin = max_t(u64, offset, (u64)n * MGS_PIECE);
		end = min_t(u64, offset + len, (u64)(n + 1) * MGS_PIECE);
		slot_put(&bytes->by_slots[n], (u32)(begin % MGS_PIECE),
			 (const u8 *)from + (begin - offset),
			 (u32)(end - begin));
	}
	bytes->by_size = max_t(u64, bytes->by_size, offset + len);
	return 0;
}

/* Truncate or extend with zeros. */
void mgs_bytes_truncate(struct mgs_bytes *bytes, u64 size)
{
	struct mgs_slot *slot;

	bytes->by_size = size;
	while (bytes->by_count) {
		slot = &bytes->by_slots[bytes->by_count - 1];
		slot->slot_len = min_t(u32, slot->slot_len,
				     slot_size(bytes, bytes->by_count - 1));
		if (slot->slot_len)
			break;
		piece_put(slot->slot_piece);
		bytes->by_count--;
	}
}

static u32 slot_crc(const struct mgs_slot *slot, u32 size)
{
	struct mgs_piece *piece = slot->slot_piece;
	u32 crc = ~0U;

	if (piece && piece->pce_crc_len == size && slot->slot_len == size)
		return piece->pce_crc;
	if (slot->slot_len)
		crc = crc32c(crc, piece->pce_bytes, slot->slot_len);
	crc = crc32c(crc, zeros, size - slot->slot_len);
	if (piece && slot->slot_len == size) {
		piece->pce_crc = crc;
		piece->pce_crc_len = size;
	}
	return crc;
}

/*
 * Checksum of all bytes, computed from the checksums of the pieces. These are cached,
 * so a change computes those of the pieces that it modified. Context: the writer.
 * Return: as sl_crc of struct mgs_state_log
 */
u32 mgs_bytes_crc(const struct mgs_bytes *bytes)
{
	u32 crc = ~0U, n, size;
	struct mgs_slot slot;
	__le32 one;

	for (n = 0; (size = slot_size(bytes, n)); n++) {
		slot = slot_at(bytes, n);
		codec_put32(&one, slot_crc(&slot, size));
		crc = crc32c(crc, &one, sizeof(one));
	}
	return ~crc;
}

static u8 byte_at(const struct mgs_slot *slot, u32 at)
{
	return at < slot->slot_len ? slot->slot_piece->pce_bytes[at] : 0;
}

/* Return: the first byte at or after @at that differs; @end if none does */
static u32 differ_first(const struct mgs_slot *a, const struct mgs_slot *b,
			u32 at, u32 end)
{
	while (at < end && byte_at(a, at) == byte_at(b, at))
		at++;
	return at;
}

/* Return: the end of the differing bytes that start at @at */
static u32 differ_last(const struct mgs_slot *a, const struct mgs_slot *b,
		       u32 at, u32 end)
{
	u32 last = at;

	for (; at < end && at - last < GAP_MAX; at++)
		if (byte_at(a, at) != byte_at(b, at))
			last = at + 1;
	return last;
}

/* The next range of slot @n to write, at or after @at. Return: whether there is one */
static bool differ_in(const struct mgs_differ *differ, u32 n, u32 at,
		      struct mgs_range *range)
{
	struct mgs_slot to = slot_at(differ->to, n), from = { NULL };
	u32 end = slot_size(differ->to, n);

	if (differ->from) {
		from = slot_at(differ->from, n);
		if (from.slot_piece == to.slot_piece && from.slot_len == to.slot_len)
			return false;
		at = differ_first(&from, &to, at, end);
		end = differ_last(&from, &to, at, end);
	}
	if (at >= end)
		return false;
	/* Bytes of the piece and the zeros after them are two ranges. */
	if (at < to.slot_len)
		end = min_t(u32, end, to.slot_len);
	range->bytes = at < to.slot_len ? to.slot_piece->pce_bytes + at : zeros;
	range->offset = (u64)n * MGS_PIECE + at;
	range->len = end - at;
	return true;
}

/*
 * The next range in which one buffer differs from another. @differ: both, and the
 * position; without @from, all bytes differ. @from reads as zeros after its end.
 * Return: whether there is one
 */
bool mgs_differ_next(struct mgs_differ *differ, struct mgs_range *range)
{
	u32 n;

	while (differ->at < differ->to->by_size) {
		n = (u32)(differ->at / MGS_PIECE);
		if (differ_in(differ, n, (u32)(differ->at % MGS_PIECE),
			      range)) {
			differ->at = range->offset + range->len;
			return true;
		}
		differ->at = (u64)(n + 1) * MGS_PIECE;
	}
	return false;
}
