/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A folder in memory whose power can be cut: what was not synced is lost then, or
 * kept, or torn. Operations are counted, so that each can be the last one, or fail.
 */
#ifndef _MGS_MEM_H
#define _MGS_MEM_H

#include <linux/slab.h>

#include "mgs/store/store.h"

/* What becomes of what was not synced. */
enum mem_cut {
	MEM_LOST,	/* nothing of it is there */
	MEM_KEPT,	/* all of it is */
	MEM_TORN,	/* all but half of the last write of each file */
	MEM_MIXED,	/* any operations, and any sectors of a write; by @seed */
};

/**
 * struct mem_op - something that was not synced yet
 * @kind: enum mgs_part_kind
 * @offset: where
 * @len: bytes
 * @bytes: they
 */
struct mem_op {
	int	kind;
	u64	offset;
	size_t	len;
	u8	*bytes;
};

/**
 * struct mem_image - a file, as it is at some time
 * @there: it is there
 * @bytes: its bytes
 * @size: how many
 * @room: room at @bytes
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
 * @now: as it is
 * @disk: as it is on the disk
 * @ops: what was done to it since
 * @count: how many
 */
struct mem_file {
	char			name[MGS_FILE_MAX];
	struct mem_image	now;
	struct mem_image	disk;
	struct mem_op		*ops;
	size_t			count;
};

/**
 * struct mem_folder - a folder
 * @files: files
 * @count: how many
 * @ops: operations so far; reading is none
 * @syncs: how many of them were syncs
 * @written: bytes that were written
 * @read: bytes that were read
 * @dead_at: the power is gone from that operation on; 0: it is not
 * @fail_at: that operation fails, half done; 0: none does
 * @fail_count: and so many after it
 * @fail_rc: by that errno
 * @full: no file gets longer: -ENOSPC
 * @lossy: a sync that fails forgets what it was to write, and the next one succeeds
 */
struct mem_folder {
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

extern const struct mgs_folder_io mem_io;

void mem_free(struct mem_folder *folder);
/* All is on the disk; the power is back. */
void mem_power_cut(struct mem_folder *folder, enum mem_cut cut, unsigned int seed);
/* A file as it is, or NULL; for tests to look at and to change. */
struct mem_file *mem_find(struct mem_folder *folder, const char *name);
/* Make a file, on the disk. */
void mem_put(struct mem_folder *folder, const char *name, const void *bytes,
	     size_t len);

#endif /* _MGS_MEM_H */
