/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file on a disk whose power can be cut. Until a sync each sector that was
 * written may be on the disk as it was before, or as any of the writes left it;
 * and the file may have grown or not. disk_images() makes all of that.
 */
#ifndef _LLOG_DISK_H
#define _LLOG_DISK_H

#include <lustre_lite/llog_store.h>

#define DISK_SECTOR	512

/**
 * struct disk_write - what a sector was made, since the last sync
 */
struct disk_write {
	u32	sector;
	u8	bytes[DISK_SECTOR];
};

/**
 * struct disk - a file
 * @bytes: what a reader sees
 * @size: how long it is
 * @room: how long it can be; a multiple of a sector
 * @durable: what a sync has put on the disk
 * @durable_size: how long that is
 * @writes: sectors since the last sync, in order
 * @count: how many
 * @ops: writes, syncs and cuts so far
 * @dead_at: the power is cut before that one, where it is not 0
 * @fail_at: that one fails, where it is not 0; a write after its first half
 */
struct disk {
	u8			*bytes;
	size_t			size;
	size_t			room;
	u8			*durable;
	size_t			durable_size;
	struct disk_write	*writes;
	size_t			count;
	unsigned int		ops;
	unsigned int		dead_at;
	unsigned int		fail_at;
};

extern const struct llog_store_io disk_io;

void disk_init(struct disk *disk, size_t room);
void disk_free(struct disk *disk);
/* Written sectors count as durable. */
void disk_settle(struct disk *disk);

/*
 * Call @fn for each state that the disk can have if the power fails now, on a copy that it
 * may change; for a selection of them if there are too many.
 */
void disk_images(const struct disk *disk,
		 void (*fn)(struct disk *image, void *data), void *data);

/**
 * struct disk_log - a log on such a disk
 * @store: the log
 * @memory: its memory
 */
struct disk_log {
	struct llog_store	store;
	u8			*memory;
};

void disk_log_init(struct disk_log *log, struct disk *disk, u32 chunk_size);
void disk_log_free(struct disk_log *log);
/* llog_store_append() and _cancel(), each followed by llog_store_apply(). */
int disk_log_append(struct disk_log *log, const void *body, size_t len,
		    u32 *index);
int disk_log_cancel(struct disk_log *log, u32 index);

#endif /* _LLOG_DISK_H */
