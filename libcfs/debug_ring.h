/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A ring of debug records in one block of memory: records are adjacent and may
 * wrap around the end; a new one overwrites the oldest. The owner of a ring
 * serializes access.
 */
#ifndef _LIBCFS_DEBUG_RING_H
#define _LIBCFS_DEBUG_RING_H

#include <linux/types.h>

#include <uapi/lustre_lite/libcfs_ioctl.h>

/**
 * struct debug_pos - a position between two records
 * @p_byte: bytes written before it; only rises
 * @p_off: its offset in the block
 */
struct debug_pos {
	u64	p_byte;
	size_t	p_off;
};

/**
 * struct debug_ring - the ring
 * @ring_buf: the block, NULL for a ring of size 0
 * @ring_size: its bytes, a multiple of 8
 * @ring_tail: before the oldest record
 * @ring_head: after the newest record
 */
struct debug_ring {
	char			*ring_buf;
	size_t			ring_size;
	struct debug_pos	ring_tail;
	struct debug_pos	ring_head;
};

void debug_ring_init(struct debug_ring *ring, char *buf, size_t size);
bool debug_ring_append(struct debug_ring *ring,
		       const struct libcfs_debug_rec *rec);
bool debug_ring_peek(const struct debug_ring *ring, struct debug_pos *pos,
		     struct libcfs_debug_rec *head);
void debug_ring_copy(const struct debug_ring *ring, struct debug_pos pos,
		     void *to, u32 len);
void debug_ring_next(const struct debug_ring *ring, struct debug_pos *pos,
		     u32 len);
void debug_ring_follow(struct debug_ring *ring, const struct debug_ring *old);

#endif /* _LIBCFS_DEBUG_RING_H */
