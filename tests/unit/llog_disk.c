// SPDX-License-Identifier: GPL-2.0-only
#include "shim_cmocka.h"

#include <stdlib.h>

#include "llog_disk.h"

#define CHOICES_MAX	128	/* beyond that many images there is a choice */
#define CHOICES_RANDOM	32
#define SECTORS_MAX	256

void disk_init(struct disk *disk, size_t room)
{
	memset(disk, 0, sizeof(*disk));
	disk->room = room;
	disk->bytes = calloc(1, room);
	disk->durable = calloc(1, room);
	assert_true(disk->bytes && disk->durable);
}

void disk_free(struct disk *disk)
{
	free(disk->bytes);
	free(disk->durable);
	free(disk->writes);
	memset(disk, 0, sizeof(*disk));
}

void disk_settle(struct disk *disk)
{
	memcpy(disk->durable, disk->bytes, disk->room);
	disk->durable_size = disk->size;
	disk->count = 0;
}

/* Return: 0; 1 if the operation is to fail half way; -EIO without power */
static int disk_op(struct disk *disk)
{
	disk->ops++;
	if (disk->dead_at && disk->ops >= disk->dead_at)
		return -EIO;
	return disk->fail_at && disk->ops == disk->fail_at;
}

static ssize_t disk_read(void *file, u64 offset, void *bytes, size_t len)
{
	struct disk *disk = file;

	if (offset >= disk->size)
		return 0;
	if (len > disk->size - offset)
		len = disk->size - offset;
	memcpy(bytes, disk->bytes + offset, len);
	return (ssize_t)len;
}

static void disk_note(struct disk *disk, u32 sector)
{
	struct disk_write *write;

	disk->writes = realloc(disk->writes,
			       (disk->count + 1) * sizeof(*disk->writes));
	assert_non_null(disk->writes);
	write = &disk->writes[disk->count++];
	write->sector = sector;
	memcpy(write->bytes, disk->bytes + (size_t)sector * DISK_SECTOR,
	       DISK_SECTOR);
}

static int disk_write(void *file, u64 offset, const void *bytes, size_t len)
{
	struct disk *disk = file;
	int rc = disk_op(disk);
	u32 sector;

	if (rc < 0)
		return rc;
	if (rc)
		len /= 2;
	assert_true(offset + len <= disk->room);
	memcpy(disk->bytes + offset, bytes, len);
	if (offset + len > disk->size)
		disk->size = offset + len;
	for (sector = (u32)(offset / DISK_SECTOR);
	     (u64)sector * DISK_SECTOR < offset + len; sector++)
		disk_note(disk, sector);
	return rc ? -ENOSPC : 0;
}

static int disk_sync(void *file)
{
	struct disk *disk = file;
	int rc = disk_op(disk);

	if (rc)
		return -EIO;
	disk_settle(disk);
	return 0;
}

static int disk_truncate(void *file, u64 size)
{
	struct disk *disk = file;
	int rc = disk_op(disk);

	if (rc)
		return -EIO;
	if (size < disk->size)
		memset(disk->bytes + size, 0, disk->size - size);
	disk->size = size;
	return 0;
}

const struct llog_store_io disk_io = {
	.read	= disk_read,
	.write	= disk_write,
	.sync	= disk_sync,
	.truncate = disk_truncate,
};

/**
 * struct choices - which write of each sector is on the disk
 * @sector: sectors that were written
 * @versions: how many writes of each there are
 * @chosen: how many of these reached it
 * @count: sectors
 */
struct choices {
	u32	sector[SECTORS_MAX];
	u32	versions[SECTORS_MAX];
	u32	chosen[SECTORS_MAX];
	u32	count;
};

static void choices_init(struct choices *choices, const struct disk *disk)
{
	size_t n;
	u32 at;

	memset(choices, 0, sizeof(*choices));
	for (n = 0; n < disk->count; n++) {
		for (at = 0; at < choices->count; at++)
			if (choices->sector[at] == disk->writes[n].sector)
				break;
		assert_true(at < SECTORS_MAX);
		if (at == choices->count)
			choices->count++;
		choices->sector[at] = disk->writes[n].sector;
		choices->versions[at]++;
	}
}

/* Write number @version of @sector; the first is 1. */
static const struct disk_write *find_write(const struct disk *disk, u32 sector,
					   u32 version)
{
	size_t n;

	for (n = 0; n < disk->count; n++)
		if (disk->writes[n].sector == sector && !--version)
			return &disk->writes[n];
	fail_msg("there is no such write");
	return NULL;
}

static void image_make(struct disk *image, const struct disk *disk,
		       const struct choices *choices, size_t size)
{
	const struct disk_write *write;
	u32 n;

	disk_init(image, disk->room);
	memcpy(image->bytes, disk->durable, disk->room);
	for (n = 0; n < choices->count; n++) {
		if (!choices->chosen[n])
			continue;
		write = find_write(disk, choices->sector[n], choices->chosen[n]);
		memcpy(image->bytes + (size_t)write->sector * DISK_SECTOR,
		       write->bytes, DISK_SECTOR);
	}
	memset(image->bytes + size, 0, disk->room - size);
	image->size = size;
	disk_settle(image);
}

/* Where the last sector that reached the disk ends, within the file. */
static size_t chosen_end(const struct disk *disk, const struct choices *choices)
{
	size_t end, max = 0;
	u32 n;

	for (n = 0; n < choices->count; n++) {
		end = ((size_t)choices->sector[n] + 1) * DISK_SECTOR;
		if (choices->chosen[n] && end > max)
			max = end;
	}
	return max < disk->size ? max : disk->size;
}

/* With the previous size of the file, its current size, and any that is large enough for it. */
static void images_of(const struct disk *disk, const struct choices *choices,
		      void (*fn)(struct disk *image, void *data), void *data)
{
	const size_t sizes[] = {
		disk->durable_size, disk->size, chosen_end(disk, choices),
	};
	struct disk image;
	size_t n;

	for (n = 0; n < 3; n++) {
		if (n && sizes[n] == sizes[0])
			continue;
		if (n == 2 && (sizes[n] == sizes[1] || sizes[n] < sizes[0]))
			continue;
		image_make(&image, disk, choices, sizes[n]);
		fn(&image, data);
		disk_free(&image);
	}
}

/* The next combination, in counting order; false after the last. */
static bool choices_next(struct choices *choices)
{
	u32 n;

	for (n = 0; n < choices->count; n++) {
		if (choices->chosen[n]++ < choices->versions[n])
			return true;
		choices->chosen[n] = 0;
	}
	return false;
}

static void choose(struct choices *choices, u32 from, u32 to, bool inside)
{
	u32 n;

	for (n = 0; n < choices->count; n++)
		choices->chosen[n] = (n >= from && n < to) == inside ?
				     choices->versions[n] : 0;
}

/* Each run of sectors from the first or to the last, each one, all but each one. */
static void images_some(const struct disk *disk, struct choices *choices,
			void (*fn)(struct disk *image, void *data), void *data)
{
	u32 seed = 12345;
	u32 n, at;

	for (n = 0; n <= choices->count; n++) {
		choose(choices, 0, n, true);
		images_of(disk, choices, fn, data);
		choose(choices, 0, n, false);
		images_of(disk, choices, fn, data);
		choose(choices, n, n + 1, true);
		images_of(disk, choices, fn, data);
		choose(choices, n, n + 1, false);
		images_of(disk, choices, fn, data);
	}
	for (n = 0; n < CHOICES_RANDOM; n++) {
		for (at = 0; at < choices->count; at++) {
			seed = seed * 1664525 + 1013904223;
			choices->chosen[at] = (seed >> 16) %
					      (choices->versions[at] + 1);
		}
		images_of(disk, choices, fn, data);
	}
}

void disk_images(const struct disk *disk,
		 void (*fn)(struct disk *image, void *data), void *data)
{
	struct choices choices;
	u64 combinations = 1;
	u32 n;

	choices_init(&choices, disk);
	for (n = 0; n < choices.count && combinations <= CHOICES_MAX; n++)
		combinations *= choices.versions[n] + 1;
	if (combinations > CHOICES_MAX) {
		images_some(disk, &choices, fn, data);
		return;
	}
	do {
		images_of(disk, &choices, fn, data);
	} while (choices_next(&choices));
}

void disk_log_init(struct disk_log *log, struct disk *disk, u32 chunk_size)
{
	memset(log, 0, sizeof(*log));
	log->memory = malloc(3 * (size_t)chunk_size);
	assert_non_null(log->memory);
	log->store.io = &disk_io;
	log->store.file = disk;
	log->store.chunk_size = chunk_size;
	log->store.chunk0 = log->memory;
	log->store.buf = log->memory + chunk_size;
}

void disk_log_free(struct disk_log *log)
{
	free(log->memory);
	log->memory = NULL;
}

int disk_log_append(struct disk_log *log, const void *body, size_t len,
		    u32 *index)
{
	struct llog_store_change change;
	int rc;

	rc = llog_store_append(&log->store, OBD_CFG_REC, body, len, &change);
	if (rc)
		return rc;
	llog_store_apply(&log->store, &change);
	*index = change.index;
	return 0;
}

int disk_log_cancel(struct disk_log *log, u32 index)
{
	struct llog_store_change change;
	int rc = llog_store_cancel(&log->store, index, &change);

	if (!rc)
		llog_store_apply(&log->store, &change);
	return rc;
}
