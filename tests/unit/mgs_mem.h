/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A directory in memory that simulates power failures: unsynced operations are lost, kept or
 * torn. Operations are counted, so that each of them can be the last one, or fail.
 */
#ifndef _MGS_MEM_H
#define _MGS_MEM_H

#include <linux/slab.h>

#include "mgs/store/store.h"

/* Treatment of unsynced operations. */
enum mem_cut {
	MEM_LOST,	/* all are lost */
	MEM_KEPT,	/* none is lost */
	MEM_TORN,	/* half of the last write of each file is lost */
	MEM_MIXED,	/* random operations and random sectors of a write are lost */
};

/**
 * struct mem_op - an unsynced operation
 * @kind: enum mgs_part_kind
 * @offset: where
 * @len: length of @bytes
 * @bytes: bytes
 */
struct mem_op {
	int	kind;
	u64	offset;
	size_t	len;
	u8	*bytes;
};

/**
 * struct mem_image - contents of a file
 * @there: the file exists
 * @bytes: its bytes
 * @size: size
 * @room: allocated size of @bytes
 */
struct mem_image {
	bool	there;
	u8	*bytes;
	u64	size;
	size_t	room;
};

/**
 * struct mem_file - a file
 * @name: name
 * @now: current contents
 * @disk: contents on the disk
 * @ops: operations since the last sync
 * @count: number of @ops
 */
struct mem_file {
	char			name[MGS_FILE_MAX];
	struct mem_image	now;
	struct mem_image	disk;
	struct mem_op		*ops;
	size_t			count;
};

/**
 * struct mem_backend - a directory
 * @files: files
 * @count: number of @files
 * @ops: operations so far, without reads
 * @syncs: syncs so far
 * @written: bytes written so far
 * @read: bytes read so far
 * @dead_at: operation from which on the power is off; 0: never
 * @fail_at: operation that fails half way; 0: none
 * @fail_count: number of operations after it that fail too
 * @fail_rc: errno of these
 * @full: writes that extend a file fail with -ENOSPC
 * @lossy: a failed sync drops its data, and the next one succeeds
 */
struct mem_backend {
	struct mem_file	*files;
	size_t		count;
	unsigned int	ops;
	unsigned int	syncs;
	u64		written;
	u64		read;
	unsigned int	dead_at;
	unsigned int	fail_at;
	unsigned int	fail_count;
	int		fail_rc;
	bool		full;
	bool		lossy;
};

extern const struct mgs_backend_io mem_io;

void mem_free(struct mem_backend *backend);
/* Power failure: unsynced operations are treated as @cut says. The power is on again. */
void mem_power_cut(struct mem_backend *backend, enum mem_cut cut, unsigned int seed);
/* A file, to be inspected and modified, or NULL */
struct mem_file *mem_find(struct mem_backend *backend, const char *name);
/* Create a file on the disk. */
void mem_put(struct mem_backend *backend, const char *name, const void *bytes,
	     size_t len);

#endif /* _MGS_MEM_H */
