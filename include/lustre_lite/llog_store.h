/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Order of the writes to a log's file: a power cut at any moment leaves the log
 * as it was before or after the change. Nothing here locks, allocates or needs
 * a kernel. The file is reached through four functions, so tests can cut the power after
 * every write.
 *
 * One task at a time appends or cancels. It gets a change that is already on
 * disk, and passes it to llog_store_apply() once no reader looks at the header.
 */
#ifndef _LUSTRE_LITE_LLOG_STORE_H
#define _LUSTRE_LITE_LLOG_STORE_H

#include <lustre_lite/llog_format.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct llog_store_io - a file
 * @read: bytes read, fewer at the end of the file, or a negative errno
 * @write: writes all or returns a negative errno; the content is undefined then
 * @sync: after 0, all previous writes survive a power cut
 * @truncate: truncate the file
 */
struct llog_store_io {
	ssize_t (*read)(void *file, u64 offset, void *bytes, size_t len);
	int (*write)(void *file, u64 offset, const void *bytes, size_t len);
	int (*sync)(void *file);
	int (*truncate)(void *file, u64 size);
};

/**
 * struct llog_store - a log in a file
 * @io: operations of the file
 * @file: their argument
 * @chunk_size: bytes of a chunk, from llog_store_probe()
 * @chunk0: the header as on disk, one chunk; the caller's memory
 * @buf: buffer of two chunks; the caller's memory
 * @head: decoded @chunk0; count and last index are recomputed from bitmap and
 *  records
 * @end: offset of the next record; set for writable logs
 * @writable: open for writing
 * @failed: the negative errno after which nothing is written
 */
struct llog_store {
	const struct llog_store_io	*io;
	void				*file;
	u32				chunk_size;
	u8				*chunk0;
	u8				*buf;
	struct llog_head		head;
	u64				end;
	bool				writable;
	int				failed;
};

/**
 * struct llog_store_change - result of an append or a cancel
 * @index: record
 * @live: it is live now
 * @last_index: last index now
 * @count: live records now
 * @end: offset of the next record now
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
