/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Changes of an object (writes, truncates, attributes) that its target has not on disk yet: how
 * many there are, and whether some were lost after they were answered. A file has one account for
 * each of its objects.
 */
#ifndef _LUSTRE_LITE_OST_WRITES_H
#define _LUSTRE_LITE_OST_WRITES_H

#include <linux/atomic.h>
#include <linux/refcount.h>

#include <lustre_lite/libcfs.h>

/**
 * struct ost_writes - account of the changes of an object
 * @ow_refcount: held by the file, and by each change from its request until it is on disk
 * @ow_count: changes that are not on disk
 * @ow_error: why one was lost, until it is reported; or 0
 * @ow_lost: one was lost, until ost_writes_lost() has said so
 *
 * The last put frees it; any context.
 */
struct ost_writes {
	refcount_t	ow_refcount;
	atomic_t	ow_count;
	int		ow_error;
	int		ow_lost;
};

static inline struct ost_writes * __must_check ost_writes_new(void)
{
	struct ost_writes *writes = libcfs_zalloc(sizeof(*writes), GFP_NOFS | __GFP_ACCOUNT);

	if (writes)
		refcount_set(&writes->ow_refcount, 1);
	return writes;
}

static inline void ost_writes_put(struct ost_writes *writes)
{
	if (writes && refcount_dec_and_test(&writes->ow_refcount))
		libcfs_free(writes, sizeof(*writes));
}

/* A change starts. */
static inline void ost_writes_begin(struct ost_writes *writes)
{
	if (!writes)
		return;
	refcount_inc(&writes->ow_refcount);
	atomic_inc(&writes->ow_count);
}

/* It is on disk, or failed. @lost: why it was lost after it was answered, or 0 */
static inline void ost_writes_end(struct ost_writes *writes, int lost)
{
	if (!writes)
		return;
	if (lost) {
		WRITE_ONCE(writes->ow_error, lost);
		WRITE_ONCE(writes->ow_lost, 1);
	}
	/* Pairs with ost_writes_pending(): a reader of 0 sees the error. */
	atomic_dec_return_release(&writes->ow_count);
	ost_writes_put(writes);
}

static inline bool ost_writes_pending(const struct ost_writes *writes)
{
	return writes && atomic_read_acquire(&writes->ow_count);
}

/* Whether any were lost since the last call, reported or not. */
static inline bool ost_writes_lost(struct ost_writes *writes)
{
	return writes && xchg(&writes->ow_lost, 0);
}

/* Why changes were lost since the last call, or 0. */
static inline int ost_writes_error(struct ost_writes *writes)
{
	return writes ? xchg(&writes->ow_error, 0) : 0;
}

#endif /* _LUSTRE_LITE_OST_WRITES_H */
