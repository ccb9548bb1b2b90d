// SPDX-License-Identifier: GPL-2.0-only
/*
 * A ring of debug records.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "debug_ring.h"

/**
 * debug_ring_init() - an empty ring
 * @ring: ring
 * @buf: its block of memory
 * @size: bytes of @buf, a multiple of 8
 *
 * Context: any
 */
void debug_ring_init(struct debug_ring *ring, char *buf, size_t size)
{
	memset(ring, 0, sizeof(*ring));
	ring->ring_buf = buf;
	ring->ring_size = size;
}

static void ring_put(struct debug_ring *ring, size_t off, const char *from,
		     size_t len)
{
	size_t part = min(len, ring->ring_size - off);

	memcpy(ring->ring_buf + off, from, part);
	memcpy(ring->ring_buf, from + part, len - part);
}

/**
 * debug_ring_copy() - copy the first bytes of a record
 * @ring: ring
 * @pos: position before the record
 * @to: destination
 * @len: bytes, at most dr_len
 *
 * Context: any
 */
void debug_ring_copy(const struct debug_ring *ring, struct debug_pos pos,
		     void *to, u32 len)
{
	size_t part = min_t(size_t, len, ring->ring_size - pos.p_off);

	memcpy(to, ring->ring_buf + pos.p_off, part);
	memcpy((char *)to + part, ring->ring_buf, len - part);
}

/**
 * debug_ring_next() - step over a record
 * @ring: ring
 * @pos: position, moved past the record
 * @len: dr_len of the record
 *
 * Context: any
 */
void debug_ring_next(const struct debug_ring *ring, struct debug_pos *pos,
		     u32 len)
{
	pos->p_byte += len;
	pos->p_off += len;
	if (pos->p_off >= ring->ring_size)
		pos->p_off -= ring->ring_size;
}

/**
 * debug_ring_peek() - the record after a position
 * @ring: ring
 * @pos: position; moved to the oldest record if it was overwritten
 * @head: filled with the record's head
 *
 * Context: any
 * Return: false if there is no record after it
 */
bool debug_ring_peek(const struct debug_ring *ring, struct debug_pos *pos,
		     struct libcfs_debug_rec *head)
{
	if (pos->p_byte < ring->ring_tail.p_byte)
		*pos = ring->ring_tail;
	if (pos->p_byte >= ring->ring_head.p_byte)
		return false;
	debug_ring_copy(ring, *pos, head, sizeof(*head));
	return true;
}

static void ring_drop_oldest(struct debug_ring *ring)
{
	struct libcfs_debug_rec head;

	debug_ring_copy(ring, ring->ring_tail, &head, sizeof(head));
	debug_ring_next(ring, &ring->ring_tail, head.dr_len);
}

/**
 * debug_ring_append() - append a record, overwriting the oldest if needed
 * @ring: ring
 * @rec: the whole record; dr_len is a multiple of 8
 *
 * Context: any
 * Return: false if the ring is too small for it
 */
bool debug_ring_append(struct debug_ring *ring,
		       const struct libcfs_debug_rec *rec)
{
	u32 len = rec->dr_len;

	if (!ring->ring_buf || len > ring->ring_size)
		return false;
	while (ring->ring_head.p_byte - ring->ring_tail.p_byte + len > ring->ring_size)
		ring_drop_oldest(ring);
	ring_put(ring, ring->ring_head.p_off, (const char *)rec, len);
	debug_ring_next(ring, &ring->ring_head, len);
	return true;
}

/**
 * debug_ring_follow() - make a ring the successor of another
 * @ring: new ring
 * @old: old ring
 *
 * From now on a position in @old counts as overwritten in @ring: a reader with
 * such a position continues at the oldest record.
 *
 * Context: any
 */
void debug_ring_follow(struct debug_ring *ring, const struct debug_ring *old)
{
	u64 shift = old->ring_head.p_byte + 1;

	ring->ring_tail.p_byte += shift;
	ring->ring_head.p_byte += shift;
}
