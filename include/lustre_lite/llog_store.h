/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is written to a log's file, and in which order, so that a power cut at any
 * moment leaves the log as it was before or as it was to be. Nothing here locks,
 * allocates or knows a kernel: the file is behind four functions, by which tests
 * cut the power after every write.
 *
 * One task at a time appends or cancels. It gets a change, which is on the disk
 * then, and gives it to llog_store_apply() once nobody looks at the header.
 */
#ifndef _LUSTRE_LITE_LLOG_STORE_H
#define _LUSTRE_LITE_LLOG_STORE_H

#include <lustre_lite/llog_format.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct llog_store_io - a file
 * @read: bytes that were read, fewer at the end of the file, or a negative errno
 * @write: all of it or a negative errno; what was written of it then is not known
 * @sync: when it returns 0, all that was written survives a power cut
 * @cut: make the file that short
 */
struct llog_store_io {
	ssize_t (*read)(void *file, u64 offset, void *bytes, size_t len);
	int (*write)(void *file, u64 offset, const void *bytes, size_t len);
	int (*sync)(void *file);
	int (*cut)(void *file, u64 size);
};

/**
 * struct llog_store - a log in a file
 * @io: how to get at the file
 * @file: its argument
 * @chunk_size: bytes of a chunk, as llog_store_probe() says
 * @chunk0: the header as it is on the disk, one chunk; memory of the caller
 * @room: two chunks; memory of the caller
 * @head: @chunk0 taken apart; count and last index are what bitmap and records
 *	say, also where the header said otherwise
 * @end: where the next record goes; known of a log that may be written to
 * @writable: may be written to
 * @failed: why writing has come to an end, a negative errno
 */
struct llog_store {
	const struct llog_store_io	*io;
	void				*file;
	u32				chunk_size;
	u8				*chunk0;
	u8				*room;
	struct llog_head		head;
	u64				end;
	bool				writable;
	int				failed;
};

/**
 * struct llog_store_change - what an append or a cancel did
 * @index: record
 * @live: it is live now
 * @last_index: last index now
 * @count: live records now
 * @end: where the next record goes now
 */
struct llog_store_change {
	u32	index;
	bool	live;
	u32	last_index;
	u32	count;
	u64	end;
};

int llog_store_probe(const struct llog_store_io *io, void *file, u8 *bytes,
		     u32 *chunk_size);
int llog_store_create(struct llog_store *store, const char *tgtuuid,
		      u64 timestamp);
int llog_store_open(struct llog_store *store, bool write,
		    struct llog_fault *fault);
int llog_store_append(struct llog_store *store, u32 type, const void *body,
		      size_t body_len, struct llog_store_change *change);
int llog_store_cancel(struct llog_store *store, u32 index,
		      struct llog_store_change *change);
void llog_store_apply(struct llog_store *store,
		      const struct llog_store_change *change);

#ifdef __cplusplus
}
#endif

#endif /* _LUSTRE_LITE_LLOG_STORE_H */
